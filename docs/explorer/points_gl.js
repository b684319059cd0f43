// Points drawn with WebGL.

const VERTEX = `#version 300 es
in vec2 place;
in vec4 colour;
uniform vec2 centre, scale;
uniform float size;
out vec4 shade;
void main() {
  gl_Position = vec4((place - centre) * scale, 0.0, 1.0);
  gl_PointSize = size;
  shade = colour;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 shade;
uniform highp float size;
out vec4 pixel;
void main() {
  float edge = size * (0.5 - length(gl_PointCoord - 0.5)) + 0.5;
  float alpha = shade.a * (size < 3.0 ? 1.0 : clamp(edge, 0.0, 1.0));
  if (alpha <= 0.0) discard;
  pixel = vec4(shade.rgb * alpha, alpha);
}`;

/** WebGL that a processor computes. */
const SOFTWARE = /swiftshader|llvmpipe|software/i;
const OPTIONS = { antialias: false, depth: false, failIfMajorPerformanceCaveat: true };

export class GlPoints {
  #gl;
  #program;
  #buffers = {};
  #uniforms = {};
  #drawn = 0;

  /** Throws where there is no WebGL, or only one that is slower than drawing by hand. */
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", OPTIONS);
    if (!gl) throw new Error("there is no WebGL");
    const about = gl.getExtension("WEBGL_debug_renderer_info");
    if (about && SOFTWARE.test(gl.getParameter(about.UNMASKED_RENDERER_WEBGL))) throw new Error("WebGL is slow here");
    this.#gl = gl;
    this.#program = this.#linked();
    for (const name of ["centre", "scale", "size"]) this.#uniforms[name] = gl.getUniformLocation(this.#program, name);
    gl.useProgram(this.#program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  #linked() {
    const gl = this.#gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`WebGL: ${gl.getProgramInfoLog(program)}`);
    return program;
  }

  #fill(name, values, width, type, normalized) {
    const gl = this.#gl;
    this.#buffers[name] ??= gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    const at = gl.getAttribLocation(this.#program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, type, normalized, 0, 0);
  }

  /** Points in the order they are drawn in: pairs of places, and four bytes of colour for each. */
  set(places, colours) {
    this.#fill("place", places, 2, this.#gl.FLOAT, false);
    this.#fill("colour", colours, 4, this.#gl.UNSIGNED_BYTE, true);
    this.#drawn = places.length / 2;
  }

  /** Draws around a centre; `scale` is pixels for a unit, `size` pixels of a point. */
  draw({ x, y, scale, size, width, height }) {
    const gl = this.#gl;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.#uniforms.centre, x, y);
    gl.uniform2f(this.#uniforms.scale, (2 * scale) / width, (2 * scale) / height);
    gl.uniform1f(this.#uniforms.size, size);
    gl.drawArrays(gl.POINTS, 0, this.#drawn);
  }

  close() {
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
