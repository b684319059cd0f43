// Points drawn without WebGL: into the pixels of a canvas.

export class PixelPoints {
  #context;
  #places = new Float32Array();
  #colours = new Uint32Array();
  #image;

  constructor(canvas) {
    this.#context = canvas.getContext("2d");
  }

  /** Points in the order they are drawn in: pairs of places, and four bytes of colour for each. */
  set(places, colours) {
    this.#places = places;
    this.#colours = new Uint32Array(colours.buffer, colours.byteOffset, colours.length / 4);
  }

  /** Draws around a centre; `scale` is pixels for a unit, `size` pixels of a point. */
  draw({ x, y, scale, size, width, height }) {
    if (this.#image?.width !== width || this.#image.height !== height) this.#image = this.#context.createImageData(width, height);
    const pixels = new Uint32Array(this.#image.data.buffer).fill(0);
    const spans = disc(size);
    const [places, colours] = [this.#places, this.#colours];
    const half = Math.floor(size / 2);
    for (let i = 0; i < colours.length; i++) {
      const left = Math.round((places[2 * i] - x) * scale + width / 2) - half;
      const top = Math.round((y - places[2 * i + 1]) * scale + height / 2) - half;
      if (!(left > -size && top > -size && left < width && top < height)) continue;
      for (let row = 0; row < spans.length; row++) {
        const line = top + row;
        if (line < 0 || line >= height) continue;
        const end = Math.min(width, left + spans[row][1]);
        for (let at = Math.max(0, left + spans[row][0]); at < end; at++) pixels[line * width + at] = colours[i];
      }
    }
    this.#context.putImageData(this.#image, 0, 0);
  }

  close() {}
}

/** The first and the last pixel of each row of a disc. */
function disc(size) {
  const rows = Math.max(1, Math.round(size));
  return Array.from({ length: rows }, (_, row) => {
    const half = Math.sqrt(Math.max(0.25, (rows / 2) ** 2 - (row + 0.5 - rows / 2) ** 2));
    return [Math.round(rows / 2 - half), Math.max(Math.round(rows / 2 - half) + 1, Math.round(rows / 2 + half))];
  });
}
