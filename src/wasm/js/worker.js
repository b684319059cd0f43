// What runs in a worker: sessions, by their numbers.
import { H5Error } from "./errors.js";
import { Session } from "./session.js";

const port = typeof self === "undefined" ? process.getBuiltinModule("node:worker_threads").parentPort : self;
const sessions = new Map();
const running = new Map();
let next = 1;
/** Milliseconds after which a call that is not done tells what was fetched so far. */
const TELLS = 250;

async function opened(session) {
  const number = next++;
  sessions.set(number, session);
  return { number, root: session.root, stats: session.stats };
}

async function run({ session: number, method, args }, signal) {
  if (method === "open") return opened(await Session.open(args[0], { ...args[1], signal }));
  const session = sessions.get(number);
  if (!session) throw new H5Error("Closed", "the file is closed");
  if (method === "withTables" || method === "other") return opened(await session[method](...args));
  if (method === "close") sessions.delete(number);
  return session[method](...args);
}

async function answer(message) {
  const { id, abort, signal, progress } = message;
  if (abort) return running.get(id)?.abort();
  const controller = new AbortController();
  running.set(id, controller);
  const args = [...message.args];
  if (signal >= 0) args[signal] = controller.signal;
  if (progress >= 0) args[progress] = (...progress) => port.postMessage({ id, progress });
  const session = sessions.get(message.session);
  const telling = session && setInterval(() => port.postMessage({ id, stats: session.stats, pending: true }), TELLS);
  try {
    const result = await run({ ...message, args }, controller.signal);
    port.postMessage({ id, result, stats: session?.stats }, [...new Set(buffers(result))]);
  } catch (error) {
    const { name, message } = error;
    port.postMessage({ id, stats: session?.stats, error: error instanceof H5Error ? error.toJSON() : { name, message } });
  } finally {
    clearInterval(telling);
    running.delete(id);
  }
}

/** The memory of all arrays in a result. */
function* buffers(value) {
  if (ArrayBuffer.isView(value)) yield value.buffer;
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* buffers(inner);
}

port.addEventListener("message", ({ data }) => answer(data));
port.start?.();
