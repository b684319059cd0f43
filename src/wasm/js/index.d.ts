// The types of the package.

export type TypedArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** Bytes by range. */
export interface Source {
  /** Length in bytes. */
  readonly size: number;
  /** The bytes of each range; several are best fetched at once. */
  readRanges(ranges: readonly { offset: number; length: number }[], signal?: AbortSignal): Promise<Uint8Array[]>;
  close?(): void | Promise<void>;
  /** Called before a file is refreshed, so that `size` is what it is by then. */
  refresh?(): void | Promise<void>;
}

export type Input = string | URL | Blob | ArrayBuffer | ArrayBufferView | Source;

export interface OpenOptions {
  /** Stops opening, and nothing after that. */
  signal?: AbortSignal;
  /** Bytes of the first request, at least 1. Default 64 KiB. */
  prefetch?: number;
  /** Bytes of a page: structures are fetched by whole pages. Default 4096. */
  pageSize?: number;
  /** Bytes that are fetched in vain at most rather than that another request is made. Default 16 KiB. */
  coalesceGap?: number;
  /** Files of no more bytes are fetched whole as soon as something is missing. Default 256 KiB. */
  smallFile?: number;
  /** Bytes of what was fetched that are kept between calls. Default 32 MiB. */
  cacheBytes?: number;
  /** Bytes that one read may return. Default 1 GiB. */
  readBytes?: number;
  /** Requests and bytes that may be fetched in all. */
  limits?: { requests?: number; bytes?: number };
  /**
   * Finds files that this one names (external links, external data, sources of virtual datasets); of a name that it gives nothing
   * for there is no file. `beside`, the default of what has an address: on the same server, in the folder of the file or below
   * it. `null`, the default of everything else: none is looked for, and what needs one is an error.
   */
  neighbours?: "beside" | Neighbours | null;
  /** Of an HTTP source: what is added to each request, such as headers. */
  requestInit?: RequestInit;
  /** Of an HTTP source: in place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Of an HTTP source: requests at once, at least 1. Default 6. */
  concurrency?: number;
  /** Of an HTTP source: how often a request is repeated that failed for a moment. Default 2. */
  retries?: number;
  /** Of an HTTP source without ranges: which files are downloaded as a whole. Default `small`: up to 32 MiB. */
  fullDownload?: "never" | "small" | "always";
}

export type Neighbours = (name: string) => Input | null | undefined | Promise<Input | null | undefined>;

export interface Stoppable {
  signal?: AbortSignal;
}

/** Opens a file lazily. */
export function open(input: Input, options?: OpenOptions): Promise<H5File>;
/**
 * The same, where all work is done in a worker; values are transferred. Functions and sources of one's own stay here. `worker`: one
 * that runs `h5kit/worker`, which may serve several files and is ended by who made it; without it one is started and ends with the file.
 */
export function openInWorker(
  input: Exclude<Input, Source>,
  options?: Omit<OpenOptions, "neighbours" | "fetch"> & { neighbours?: "beside" | null; worker?: Worker },
): Promise<H5File>;

/** What went wrong. */
export type ErrorKind =
  | "NotHdf5"
  | "Corrupt"
  | "Unsupported"
  | "NotFound"
  | "Type"
  | "Selection"
  | "Limit"
  | "Usage"
  | "Io"
  /** A rule of AnnData or H5Col that the file breaks. */
  | "Rule"
  /** A condition that does not fit a table. */
  | "Query"
  /** A server that fails. */
  | "Http"
  /** A server that gives no ranges. */
  | "NoRanges"
  /** The file has changed since it was opened. */
  | "Changed"
  /** An integer that is no number of JavaScript. */
  | "Integer"
  /** The file is closed. */
  | "Closed"
  /** A fault of h5kit. */
  | "Internal";

export class H5Error extends Error {
  readonly kind: ErrorKind;
  /** The path of the object. */
  readonly path?: string;
  /** The number of a filter that nobody decodes. */
  readonly filter?: number;
  /** The limit that was hit. */
  readonly limit?: string;
  /** The status that a server answered. */
  readonly status?: number;
  /** The rule that is broken. */
  readonly rule?: string;
}

export type DType =
  | { kind: "int" | "uint" | "float" | "time" | "bitfield"; size: number; littleEndian: boolean }
  | { kind: "bool" }
  | { kind: "complex"; size: number; base: DType }
  | { kind: "enum"; base: DType; members: Record<string, number | bigint> }
  /** `length` is null for strings of any length. */
  | { kind: "string"; length: number | null; charset: "ascii" | "utf8"; padding: "nullterm" | "nullpad" | "spacepad" | "reserved" }
  | { kind: "compound"; size: number; fields: { name: string; offset: number; dtype: DType }[] }
  | { kind: "array"; shape: number[]; base: DType }
  | { kind: "vlen"; base: DType }
  | { kind: "reference"; what: "object" | "region" | "any" }
  | { kind: "opaque"; size: number; tag: string };

/**
 * Elements: numbers in one typed array, strings in a list, of compounds one column for each field. Float16 becomes Float32Array,
 * complex numbers are pairs, Booleans 0 or what is stored for true (which may be another number than 1), enumerations their numbers.
 */
export type Data = TypedArray | string[] | (Reference | null)[] | Ragged | { [field: string]: Data };

/** Values in row-major order and their shape. */
export class NdArray<D = Data, T = DType> {
  readonly data: D;
  readonly shape: number[];
  readonly dtype: T;
  /** Elements from one to the next, in each dimension. */
  readonly stride: number[];
}

/** Sequences of any length: sequence `i` has the values from `offsets[i]` up to `offsets[i + 1]`. */
export class Ragged {
  readonly values: Data;
  readonly offsets: Float64Array;
  readonly length: number;
  at(i: number): unknown;
  [Symbol.iterator](): Iterator<unknown>;
}

/** What a reference leads to. */
export class Reference {
  readonly kind: "object" | "region" | "attribute";
  readonly address: number;
  /** The file that it leads to, where that is another one. */
  readonly otherFile?: string;
  /** The name of the attribute. */
  readonly name?: string;
  readonly region?: Region;
  open(options?: Stoppable): Promise<H5Object>;
  /** The elements of the region. */
  read(options?: ReadOptions): Promise<NdArray>;
}

/** A selection as references hold them. */
export interface Region {
  form: "all" | "none" | "points" | "blocks" | "hyperslab";
  numbers: ArrayLike<number>;
}

/** One element. */
export type Scalar = number | bigint | string | boolean | null | object;

/**
 * For each dimension: all of it (`null`), one place, a range, or in one dimension a list of places. `[[0, 10], null]` means the
 * places 0 and 10. Places count from 0; what is negative or beyond the end is an error.
 */
export type Selection = readonly (null | number | Range | ArrayLike<number>)[] | Region;

export interface Range {
  start?: number;
  /** Exclusive. It is not clipped: beyond the end of the dimension it is an error. */
  stop?: number;
  step?: number;
}

export interface ReadOptions extends Stoppable {
  /** Integers of 64 bits: exact ones, or numbers where all of them are. Default `bigint`. */
  int64?: "bigint" | "number";
  /** Strings: those of JavaScript, or `Ragged` with the bytes of all of them in UTF-8. Default `js`. */
  strings?: "js" | "bytes";
  /** Of compounds: which fields, in this order. Default: all. */
  fields?: readonly string[];
  /** The array that the numbers are read to: of their kind, and as many. */
  into?: TypedArray;
  onProgress?(doneBytes: number, totalBytes: number): void;
}

export interface Attributes extends Iterable<[string, Scalar | NdArray]> {
  readonly size: number;
  keys(): string[];
  has(name: string): boolean;
  /** The value: one element of a scalar attribute, else an array; `null` of a null dataspace. */
  get(name: string): Scalar | NdArray | undefined;
  /** The value as an array, whatever its shape. */
  array(name: string): NdArray | null | undefined;
  describe(name: string): { shape: number[]; size: number; space: Space; dtype: DType } | undefined;
  toObject(): Record<string, Scalar | NdArray>;
}

export type Space = "null" | "scalar" | "simple";

interface Node {
  readonly path: string;
  readonly file: H5File;
  /** All attributes, in one batch. */
  attrs(options?: Stoppable): Promise<Attributes>;
}

export interface Filter {
  id: number;
  name: string | null;
  optional: boolean;
  values: number[];
  /** The core decodes it, or a decoder that is loaded. */
  supported: boolean;
}

/** A link of a group, and what it leads to. */
export interface Entry {
  /** Empty where the link itself is damaged. */
  name: string;
  /** The bytes of a name that is not UTF-8. */
  bytes?: Uint8Array;
  /** `damaged`: it cannot be read, and `error` says why. */
  link: "hard" | "soft" | "external" | "user" | "damaged";
  /** The path that a soft or external link leads to. */
  target?: string;
  /** The file that an external link leads to. */
  file?: string;
  kind?: "group" | "dataset" | "datatype";
  address?: number;
  shape?: number[];
  maxShape?: (number | null)[];
  size?: number;
  space?: Space;
  dtype?: DType;
  layout?: string;
  chunkShape?: number[] | null;
  filters?: Filter[];
  /** What is in a group, to the depth that was asked for. */
  entries?: Entry[];
  /** Why the object cannot be opened. */
  error?: string;
}

/** A path, or its bytes where it is not UTF-8. Anything else is an error of kind `Usage`. */
export type Path = string | Uint8Array;

export class Group implements Node {
  readonly kind: "group";
  readonly path: string;
  readonly file: H5File;
  attrs(options?: Stoppable): Promise<Attributes>;
  /** Names alone: no child is opened. Links that are damaged have none; where nothing but these is left that is an error. */
  keys(options?: Stoppable): Promise<string[]>;
  /** All children with their kind, and of datasets shape and datatype, fetched level by level. */
  entries(options?: Stoppable & { depth?: number }): Promise<Entry[]>;
  has(path: Path, options?: Stoppable): Promise<boolean>;
  get(path: Path, options?: Stoppable): Promise<H5Object>;
  group(path: Path, options?: Stoppable): Promise<Group>;
  dataset(path: Path, options?: Stoppable): Promise<Dataset>;
}

export class NamedDatatype implements Node {
  readonly kind: "datatype";
  readonly path: string;
  readonly file: H5File;
  readonly dtype: DType;
  attrs(options?: Stoppable): Promise<Attributes>;
}

export interface StoredChunk {
  /** The place of its first element. */
  offset: number[];
  /** Where it is in the file, in bytes. */
  position: number;
  size: number;
  filterMask: number;
}

/** A stretch of the file that elements are read from. */
export interface Stretch {
  /** Where it is in the file, in bytes. */
  offset: number;
  /** Bytes. */
  length: number;
  /** The place of its first element; of a chunk, of the first in the chunk. */
  index: number[];
  /** Filters that were not applied: bit `i` is that of filter `i`. */
  filterMask: number;
}

export class Dataset implements Node {
  readonly kind: "dataset";
  readonly path: string;
  readonly file: H5File;
  readonly shape: number[];
  readonly maxShape: (number | null)[];
  /** Number of elements. */
  readonly size: number;
  readonly space: Space;
  readonly dtype: DType;
  readonly layout: "compact" | "contiguous" | "external" | "chunked" | "virtual";
  readonly chunkShape: number[] | null;
  readonly filters: Filter[];
  /** Bytes of an element as it is stored. */
  readonly itemSize: number;
  /** Where the elements are, of those that are in one piece of the file and were written. */
  readonly position?: number;
  attrs(options?: Stoppable): Promise<Attributes>;
  read(selection?: Selection | null, options?: ReadOptions): Promise<NdArray>;
  readScalar(selection?: Selection | null, options?: ReadOptions): Promise<Scalar>;
  /** The bytes of the selected elements as they are stored, filters undone. */
  readBytes(selection?: Selection | null, options?: Pick<ReadOptions, "signal" | "onProgress">): Promise<Uint8Array>;
  /** The selected elements part by part, each with the place of its first in the selection: in little memory. */
  blocks(
    selection?: Selection | null,
    options?: Omit<ReadOptions, "onProgress" | "into"> & { maxBytes?: number },
  ): AsyncGenerator<NdArray & { origin: number[] }, void, void>;
  /** What elements are that were never written; `null` where the file does not say. */
  fillValue(options?: Stoppable): Promise<Scalar>;
  /** The chunks that are in the file. */
  chunks(options?: Stoppable): Promise<StoredChunk[]>;
  /** The stretches of the file that a read takes elements from, in the order of the file. Not of virtual datasets and external data. */
  plan(selection?: Exclude<Selection, Region> | null, options?: Stoppable): Promise<Stretch[]>;
  /** Refreshes the file, and looks for the shape again. */
  refresh(options?: Stoppable): Promise<void>;
}

export type H5Object = Group | Dataset | NamedDatatype;

export class H5File extends Group {
  /** What was fetched so far. */
  readonly stats: { requests: number; bytes: number; rounds: number };
  /** The object whose header is at an address. */
  at(address: number, options?: Stoppable): Promise<H5Object>;
  /** A file that this one names, beside it. It is closed with this one. */
  neighbour(name: string): Promise<H5File>;
  /** Lets go of all that was read, of a file that grows. Objects stay, and AnnData and tables are opened anew. */
  refresh(options?: Stoppable): Promise<void>;
  /** A path of the object that a reference leads to. The first call visits the whole file. */
  pathOf(reference: Reference, options?: Stoppable): Promise<string | null>;
  /** The lines of the canonical digest. */
  digest(options?: Stoppable): AsyncGenerator<string, void, void>;
  /** Lets go of everything, and of the files that this one names. What is asked for after that is an error of kind `Closed`. */
  close(): Promise<void>;
}

/** Decodes a filter in all files: by a function of the bytes, the client data, and the most bytes that may come out. */
export function registerFilter(
  id: number,
  decode: (bytes: Uint8Array, values: Uint32Array, most: number) => Uint8Array,
): Promise<void>;

/** Says where the WebAssembly is, for bundlers that move it. */
export function setWasm(modules: { core?: WasmPlace; tables?: WasmPlace; codecs?: WasmPlace }): void;
export type WasmPlace = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/** The modules of WebAssembly that are loaded. */
export function loadedModules(): ("core" | "tables" | "codecs")[];

// AnnData

/** The AnnData of a file, or of a group of one. */
export function openAnnData(input: Input | Group, options?: OpenOptions): Promise<AnnData>;

export interface AnnData {
  readonly file: H5File;
  /** Observations and variables. */
  readonly shape: [number, number];
  readonly keys: string[];
  readonly obs: Frame;
  readonly var: Frame;
  readonly layers: Mapping;
  readonly obsm: Mapping;
  readonly varm: Mapping;
  readonly obsp: Mapping;
  readonly varp: Mapping;
  readonly uns: Mapping;
  /** `get("raw/X")` and `get("raw/var")` are there. */
  readonly hasRaw: boolean;
  X(options?: Stoppable): Promise<Element | null>;
  /** Any element by its path. */
  get(path: string, options?: Stoppable): Promise<Element>;
  /** What is wrong with it, and where: all rules that are broken. Text, codes and indices are read for that. */
  faults(options?: Stoppable): Promise<AnnDataFault[]>;
  obsNames(options?: Stoppable): Promise<string[]>;
  varNames(options?: Stoppable): Promise<string[]>;
}

export interface AnnDataFault {
  /** `Rule`, or what is wrong with the file below. */
  readonly kind: ErrorKind;
  readonly rule?: string;
  /** The element, without a slash at the beginning; empty for the whole. */
  readonly path?: string;
  readonly message: string;
  /** There is a safe way to read it all the same, which is taken. */
  readonly warning: boolean;
}

export interface Mapping {
  keys(): string[];
  has(key: string): boolean;
  get(key: string, options?: Stoppable): Promise<Element>;
}

export interface Frame {
  readonly kind: "frame";
  readonly path: string;
  readonly length: number;
  readonly indexName: string;
  readonly columns: string[];
  /** The labels of the rows. */
  index(options?: Stoppable): Promise<string[]>;
  /** A column, or some of its rows: `kind` tells values from categories. */
  column(name: string, options?: Stoppable & { start?: number; stop?: number }): Promise<Column | Categorical>;
  /** The categories of a column, without its codes. */
  categories(name: string, options?: Stoppable): Promise<TypedArray | string[]>;
}

/** What `kind: "values"` tells from a `Categorical`. */
export interface Column {
  readonly kind: "values";
  /** As NumPy names it. */
  readonly type: string;
  /** Booleans are 0 or not; of a complex number there are two values, and `length` counts it once. */
  readonly values: TypedArray | string[];
  /** 1 where there is no value; undefined where all are there. */
  readonly missing?: Uint8Array;
  readonly length: number;
  /** A value, `null` where it is missing; of a complex number real and imaginary part. */
  at(i: number): number | bigint | string | boolean | [number, number] | null;
}

export interface Categorical {
  readonly kind: "category";
  readonly type: "category";
  /** -1 where it is missing. */
  readonly codes: Int8Array | Int16Array | Int32Array | Float64Array;
  readonly categories: TypedArray | string[];
  readonly ordered: boolean;
  readonly length: number;
  at(i: number): number | bigint | string | boolean | [number, number] | null;
}

interface StoredElement {
  readonly path: string;
  readonly encoding: string;
  readonly shape: number[];
  readonly type: string;
  readonly warnings: string[];
  /** How an element of an old form was recognised. */
  readonly legacy?: string;
}

export interface Dense extends StoredElement {
  readonly kind: "dense";
  read(selection?: Selection | null, options?: Stoppable): Promise<NdArray<TypedArray | string[], { kind: string }>>;
  /** Rows: from one to another, or a list of them. */
  rows(rows: Range | ArrayLike<number>, options?: Stoppable): Promise<NdArray<TypedArray | string[], { kind: string }>>;
  column(column: number, options?: Stoppable): Promise<NdArray<TypedArray | string[], { kind: string }>>;
}

export interface SparseMatrix extends StoredElement {
  readonly kind: "sparse";
  readonly format: "csr" | "csc";
  /** Stored entries. */
  readonly nnz: number;
  /** Of CSR only these are read, of CSC all of it. */
  rows(rows: Range | Iterable<number>, options?: Stoppable): Promise<SparsePart>;
  /** Of CSC only these are read, of CSR all of it. */
  columns(columns: Range | Iterable<number>, options?: Stoppable): Promise<SparsePart>;
}

/** Rows (`csr`) or columns (`csc`): the entries of row `i` are from `indptr[i]` up to `indptr[i + 1]`. */
export interface SparsePart {
  readonly format: "csr" | "csc";
  readonly shape: [number, number];
  readonly indptr: Float64Array;
  readonly indices: Uint32Array | Float64Array;
  readonly data: TypedArray;
  /** The same with its zeros, row-major. */
  toDense(): TypedArray;
}

export interface StoredColumn extends StoredElement {
  readonly kind: "column";
  read(options?: Stoppable & { start?: number; stop?: number }): Promise<Column | Categorical>;
}

/** Lists of any lengths, and what else an awkward array has. */
export interface AwkwardArray extends StoredElement {
  readonly kind: "awkward";
  readonly length: number;
  /** The form, as awkward has it. */
  readonly form: { class: string; [key: string]: unknown };
  /** Entries: lists are arrays, records objects, what is missing is `null`. */
  read(options?: Stoppable & { start?: number; stop?: number }): Promise<unknown[]>;
  /** All of it in few arrays: lists as `Ragged`, records as columns. Not for unions and what can be missing. */
  columns(options?: Stoppable): Promise<Data>;
  /** The buffers by their names, as `awkward.from_buffers` takes them with form and length. */
  buffers(options?: Stoppable): Promise<Record<string, TypedArray>>;
}

export interface RecordArray extends StoredElement {
  readonly kind: "records";
  /** Of each its name, its type as NumPy names it, and the shape of one value. */
  readonly fields: { name: string; type?: string; shape: number[] }[];
  field(name: string, selection?: Selection | null, options?: Stoppable): Promise<NdArray<TypedArray | string[], { kind: string }>>;
  read(
    selection?: Selection | null,
    options?: Stoppable & { fields?: readonly string[] },
  ): Promise<Record<string, NdArray<TypedArray | string[], { kind: string }>>>;
}

export type Element =
  | Frame
  | AwkwardArray
  | RecordArray
  | Dense
  | SparseMatrix
  | StoredColumn
  | (Mapping & { readonly kind: "mapping" })
  | { readonly kind: "other"; readonly path: string; readonly encoding: string };

// H5Col

/** The paths of the tables of a file. */
export function findTables(file: H5File, options?: Stoppable): Promise<string[]>;
/** The table in a group. */
export function openTable(group: Group, options?: Stoppable): Promise<Table>;

export interface Table {
  readonly path: string;
  /** Number of rows. */
  readonly length: number;
  readonly version: string;
  readonly columns: { name: string; kind: string; path: string; dtype?: DType }[];
  /** Paths of what is in the group and no column. */
  readonly foreign: string[];
  /** Rows from one to another, or by their numbers in ascending order. Default: all. */
  column(name: string, options?: Stoppable & { start?: number; stop?: number; rows?: ArrayLike<number> }): Promise<ColumnValues>;
  /** The labels of a categorical column, whose values are their numbers. */
  labels(name: string, options?: Stoppable): Promise<TypedArray | string[] | null>;
  /** The numbers of the rows that a condition is true of, such as `height >= 500 and name is not null`. */
  rows(condition?: string | null, options?: Stoppable & { limit?: number }): Promise<Float64Array>;
  query(
    condition?: string | null,
    options?: Stoppable & { columns?: string[]; limit?: number },
  ): Promise<{ rows: Float64Array; columns: Record<string, ColumnValues> }>;
  /** How the rows will be found, in words. */
  plan(condition?: string | null, options?: Stoppable): Promise<string>;
}

/** Values of rows: of lists these are those of all items, and `offsets` says where each list begins. */
export interface ColumnValues {
  readonly values: TypedArray | string[] | ColumnValues;
  readonly offsets?: Float64Array;
  /** 1 where there is none. */
  readonly missing: Uint8Array;
  readonly length: number;
  at(i: number): unknown;
  toArray(): unknown[];
}
