"""README.md: what the folder holds and a table of its files."""

HEAD = """# Test data

Small HDF5 files with what a reader must find in them. `generate.py` makes all of it:

    pip install -r requirements.txt
    python generate.py            # files/, corrupt/, digests, values.json, this page
    python generate.py --check    # hold the committed digests against what libhdf5 reads from the committed files
    python generate.py --verify F # decode the chunks another encoder wrote (F as make/verify.py says) with libhdf5

| | |
|---|---|
| `files/NAME.h5` | a good file |
| `files/NAME.h5.digest` | its canonical digest, as libhdf5 2.0 reads it: JSON Lines, one line for each object |
| `values.json` | values the digest cannot express |
| `files/anndata_frame.json` | the columns of the data frames of `anndata_frame.h5ad`: Arrow's type, values, whether categories are ordered |
| `h5col/NAME.h5` | tables of columns; beside them what a reader must find |
| `corrupt/NAME.h5` | a damaged file: opening it and reading everything in it meets an error, soon and without much memory |
| `corrupt/expected.json` | the error that each of them must give, among others |
| `pbmc_small.h5ad` | a file of the anndata package |
| `matrices.h5ad`, `matrices.json` | matrices and ragged lists of the anndata package, and what scipy and awkward find in them |
| `files/anndata_*.json` | what the elements of those files are |
| `far/*.gz` | files that are read from far away; they are large and mostly zeros |
| `make/` | the makers, one module for each part of the format |

External files, virtual sources and targets of external links are named relative to `files/`: read with that as the working
directory, or resolve against the folder of the file. A file in parts goes by a name that is none of them: `family_%05d.h5`
(printf), `split` (`split-m.h5`, `split-r.h5`), `multi` (`multi-s.h5` ...).

The bytes of the files may change with another libhdf5; their digests do not. Where libhdf5 refuses a valid file or reads it wrongly,
the digest comes from the arrays that were written ("known values" below): a missing chunk with a variable-length fill value reads as that value; storage that was never allocated and
has no fill value reads as zeros; what a source is too small for is the virtual dataset's fill value; chunks of a filter without a plug-in
read as what their encoder was given (JPEG: as what its own library decodes). At lengths below 8 bytes libhdf5
does not know an unlimited extent, and the digests have the number that stands there. A dataset line says `"error": "unreadable"` where a filter or an external file is missing
or a checksum is wrong, and `"unsupported"` for revised references, whose bytes the digest does not define.

libhdf5 itself is no measure for the damaged files: it crashes on the cycles and lets a deflate stream of the wrong length pass.

`pbmc_small.h5ad` is made by `make/anndata_file.py`, and `matrices.h5ad` by `make/anndata_matrices.py`; these need the anndata package in
an environment of its own.

## values.json

`{file: {where: {"as": kind, "values": [...]}}}`; `where` is `/path`, `/path@attribute` or `/path#fact`. The values are in row-major order. An
optional `"select"` chooses elements: `{"start", "stride", "count", "block"}` (a hyperslab) or `{"points": [[...], ...]}`
(values in the order of the points). Several entries for one place make a list.

| kind | values |
|---|---|
| `i64`, `u64` | elements converted to 64-bit integers |
| `f64` | elements converted to double: the 16 hexadecimal digits of its bits; any NaN stands for any other |
| `f64 pairs` | complex numbers: real, imaginary, real, ... as `f64` |
| `string` | decoded text; `null` where the bytes are not valid UTF-8 |
| `bytes` | hexadecimal bytes of an element (or of all) |
| `enum` | the member's name, or `null` for a value that is no member |
| `reference` | path of the object referred to, `null` for a null reference |
| `region` | `{"path", "points"}`: the dataset and the coordinates selected, in the region's order; `null` for a null reference |
| `revised reference` | `{"kind": "object" / "region" / "attribute", "path"}`, `"points"`, `"attribute"`, `"file"` where it leads to another file; or `null` |
| `refused` | the file must not open by default; the reason |

Facts: `#comment`, `#mtime` (seconds), `#times` (access, modification, change, birth), `#order` (link names in creation order), `#attribute_order`,
`/#open`.

## Files

"How" says who wrote the file: libhdf5 through h5py; libhdf5 with chunks that another library encoded; libhdf5 and then changed byte by
byte; or by hand with the builder in `make/image.py`.

| file | what it proves | how |
|---|---|---|
"""

CORRUPT = """
## Damaged files

| file | fault |
|---|---|
"""


def row(one):
    folder = "" if one.folder in ("files", ".") else one.folder + "/"
    name = f"`{folder}{one.name}`" + (" (+ " + ", ".join(f"`{n}`" for n in one.companions) + ")" if one.companions else "")
    how = one.made + (", known values" if one.by_values or one.corrections else "")
    return f"| {name} | {one.proves} | {how} |\n"


def write(path, cases):
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEAD)
        out.writelines(row(one) for one in cases if one.folder != "corrupt")
        out.write(CORRUPT)
        out.writelines(f"| `{one.name}` | {one.proves} |\n" for one in cases if one.folder == "corrupt")
