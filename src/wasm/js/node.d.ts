import type { H5File, OpenOptions } from "./index.js";

export * from "./index.js";

/** Opens a file of this machine, by its path or its address (`file:`); files that it names are looked for in its folder. */
export function openPath(path: string | URL, options?: OpenOptions): Promise<H5File>;
