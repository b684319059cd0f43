// The labels of the rows of a data frame, read in parts where they are an array of their own.

/** A function that gives the labels of some rows. */
export function labelsOf(data, frame) {
  let array;
  let all;
  return async (start, stop, signal) => {
    array ??= data.get(`${frame.path}/${frame.indexName}`).catch(() => undefined);
    const found = await array;
    if (found?.kind === "dense" && found.type === "string") {
      return (await found.read([{ start, stop }], { signal })).data;
    }
    all ??= frame.index();
    try {
      return (await all).slice(start, stop);
    } catch (error) {
      all = undefined;
      throw error;
    }
  };
}
