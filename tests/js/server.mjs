// A server of one file, as well or as badly behaved as a test wants.
import { createServer } from "node:http";

/** Serves bytes. `behave` may change how: it is given the request, the range that is asked for and the answer. */
export async function serve(bytes, behave = {}) {
  const seen = { requests: 0, bytes: 0, atOnce: 0, most: 0, etag: '"1"' };
  const server = createServer(async (request, response) => {
    seen.requests += 1;
    seen.atOnce += 1;
    seen.most = Math.max(seen.most, seen.atOnce);
    response.on("close", () => (seen.atOnce -= 1));
    if (behave.delay) await new Promise((resolve) => setTimeout(resolve, behave.delay));
    if (behave.fails?.(seen)) return response.writeHead(503).end();
    const headers = { ETag: seen.etag, ...behave.headers };
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    if (first === undefined || behave.ranges === false) {
      response.writeHead(200, { ...headers, "Content-Length": bytes.length });
      return response.end(request.method === "HEAD" ? undefined : bytes);
    }
    if (Number(first) >= bytes.length) {
      return response.writeHead(416, { ...headers, "Content-Range": `bytes */${bytes.length}` }).end();
    }
    const part = bytes.subarray(Number(first), Number(last) + 1);
    seen.bytes += part.length;
    if (!behave.hidden) headers["Content-Range"] = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
    response.writeHead(206, { ...headers, "Content-Length": part.length });
    response.end(part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/file.h5`;
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return { url, seen, close };
}
