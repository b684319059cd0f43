// An AnnData: its cells on a map, and its two data frames.
import { openAnnData } from "./h5kit/index.js";
import { embeddingView } from "./embedding_view.js";
import { frameView } from "./frame_view.js";
import { count } from "./format.js";

/** Whether a group is an AnnData, by what it says; files of old say nothing. */
export async function looksLikeAnnData(group, encoding, signal) {
  if (encoding !== undefined || group.path !== "/") return encoding === "anndata";
  try {
    const both = await Promise.all(["obs", "var"].map((name) => group.has(name, { signal })));
    return both.every(Boolean);
  } catch {
    // What is wrong with the group is told where its members are.
    signal.throwIfAborted();
    return false;
  }
}

export async function annDataViews(group, signal) {
  const data = await openAnnData(group, { signal });
  const [observations, variables] = data.shape;
  const views = [
    { name: "obs", title: `obs (${data.obs.columns.length})`, make: () => frameView(data, data.obs) },
    { name: "var", title: `var (${data.var.columns.length})`, make: () => frameView(data, data.var) },
  ];
  const maps = await embeddings(data, signal);
  if (maps.length > 0) views.unshift({ name: "embedding", title: "Embedding", make: () => embeddingView(data, maps) });
  return { views, about: `AnnData · ${count(observations)} observations × ${count(variables)} variables` };
}

/** The arrays of obsm that points can be drawn from, those of two columns first: `{key, array}`. */
async function embeddings(data, signal) {
  const found = await Promise.allSettled(data.obsm.keys().map(async (key) => ({ key, array: await data.obsm.get(key, { signal }) })));
  signal?.throwIfAborted();
  const fit = ({ array }) => array.kind === "dense" && array.shape?.length === 2 && array.shape[1] >= 2 && array.type !== "string";
  const maps = found.filter(({ status }) => status === "fulfilled").map(({ value }) => value).filter(fit);
  const rank = ({ key, array }) => (/umap/i.test(key) ? 0 : /tsne|spatial|phate/i.test(key) ? 1 : array.shape[1] === 2 ? 2 : 3);
  return maps.sort((a, b) => rank(a) - rank(b));
}
