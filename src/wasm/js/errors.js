/** Fields of an error beside its kind and message. */
const FIELDS = ["path", "filter", "limit", "status", "rule"];

/** Limits that a read of parts does not hit. */
const PER_READ = ["read_bytes", "expansion"];

/** What went wrong: `kind` is for programs, the message, one line, for people. */
export class H5Error extends Error {
  constructor(kind, message, { cause, ...fields } = {}) {
    const hint = PER_READ.includes(fields.limit) ? "; read it in parts, with `blocks()` or by selections" : "";
    super(`${message}${hint}`, cause === undefined ? undefined : { cause });
    this.name = "H5Error";
    this.kind = kind;
    this.detail = message;
    for (const field of FIELDS) if (fields[field] !== undefined) this[field] = fields[field];
  }

  /** The error as a plain object, which can be posted. */
  toJSON() {
    const { kind, detail: message } = this;
    return { kind, message, ...Object.fromEntries(FIELDS.map((field) => [field, this[field]])) };
  }

  static from({ kind, message, ...fields }) {
    return new H5Error(kind, message, fields);
  }
}
