// Elements that are looked at although one of them is no proper text.

/** The selected elements. Text of fixed length that is not UTF-8 has U+FFFD where it is not. */
export async function readElements(dataset, selection, signal) {
  try {
    return (await dataset.read(selection, { signal })).data;
  } catch (error) {
    const { kind, length, padding } = dataset.dtype;
    if (error.kind !== "Type" || kind !== "string" || length === null) throw error;
    const bytes = await dataset.readBytes(selection, { signal });
    return Array.from({ length: bytes.length / length }, (_, i) => text(bytes.subarray(i * length, (i + 1) * length), padding));
  }
}

const decoder = new TextDecoder();

function text(bytes, padding) {
  const pad = padding === "spacepad" ? 32 : 0;
  let end = padding === "nullterm" ? bytes.indexOf(0) : bytes.length;
  if (end < 0) end = bytes.length;
  if (padding !== "nullterm") while (end > 0 && bytes[end - 1] === pad) end--;
  return decoder.decode(bytes.subarray(0, end));
}
