import type { H5File, Stoppable } from "./index.js";

/** A store of Zarr, version 2, as zarrita takes it. */
export interface ZarrStore {
  /** What is at a key, such as `/obsm/X_umap/.zarray` or `/obsm/X_umap/0.0`; `undefined` where there is nothing. */
  get(key: `/${string}`, options?: Stoppable): Promise<Uint8Array | undefined>;
  getRange(
    key: `/${string}`,
    range: { offset: number; length: number } | { suffixLength: number },
    options?: Stoppable,
  ): Promise<Uint8Array | undefined>;
}

/** An HDF5 file as a store of Zarr: chunks are given with their filters undone. Compounds, references and sequences have no type there. */
export function zarrStore(file: H5File): ZarrStore;
