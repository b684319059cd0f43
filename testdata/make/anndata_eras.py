"""AnnData of three eras and a broken one, after the conventions' text, with what each element is beside them in NAME.json."""

import json

import h5py
import numpy as np

from .case import case

TEXT = h5py.string_dtype()
BOOL = "?"


class Writer:
    """A file under construction, and what a reader must find in it: encoding, legacy form and values by path."""

    def __init__(self, name, tagged):
        self.name, self.tagged, self.expected = name, tagged, {}
        self.file = h5py.File(name, "w")

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        self.file.close()
        with open(self.name + ".json", "w", encoding="utf-8") as out:
            json.dump(self.expected, out, ensure_ascii=False, indent=1)
            out.write("\n")

    def expect(self, path, encoding, values=None, legacy=None):
        self.expected[path] = {"encoding": encoding, "legacy": legacy, "values": values}

    def tag(self, target, encoding, version, **attributes):
        target.attrs.update({"encoding-type": encoding, "encoding-version": version, **attributes})
        return target

    def group(self, path, encoding, version, values=None, **attributes):
        self.expect(path, encoding, values)
        return self.tag(self.file.require_group(path), encoding, version, **attributes)

    def dataset(self, path, encoding, version, data, values=None, **how):
        self.expect(path, encoding, np.ravel(data).tolist() if values is None else values)
        return self.tag(self.file.create_dataset(path, data=data, **how), encoding, version)

    def plain(self, path, encoding, data, legacy="untagged", values=None, **how):
        self.expect(path, encoding, np.ravel(data).tolist() if values is None else values, legacy)
        return self.file.create_dataset(path, data=data, **how)

    def text(self, path, values, **how):
        return self.dataset(path, "string-array", "0.2.0", values, dtype=TEXT, values=values, **how)

    def frame(self, path, index, columns):
        group = self.group(path, "dataframe", "0.2.0", _index="_index")
        group.attrs.create("column-order", columns, dtype=TEXT if columns else "f8")
        self.text(path + "/_index", index)

    def masked(self, path, encoding, values, na_value=None, dtype=None):
        group = self.group(path, encoding, "0.1.0", values)
        stored = [{int: 7, bool: True, str: "under the mask"}[type(next(v for v in values if v is not None))] if v is None else v for v in values]
        group.create_dataset("values", data=stored, dtype=dtype)
        group.create_dataset("mask", data=[v is None for v in values], dtype=BOOL)
        if na_value:
            group.attrs["na-value"] = na_value

    def sparse(self, path, encoding, dense, index="i4"):
        """A matrix by rows, or by columns; the values expected are all of it."""
        group = self.group(path, encoding, "0.1.0", np.ravel(dense).tolist())
        group.attrs["shape"] = dense.shape
        self.pointers(group, dense if encoding == "csr_matrix" else dense.T, index)

    def pointers(self, group, major, index="i4"):
        rows, columns = np.nonzero(major)
        group.create_dataset("data", data=major[rows, columns])
        group.create_dataset("indices", data=columns, dtype=index)
        group.create_dataset("indptr", data=np.searchsorted(rows, np.arange(len(major) + 1)), dtype=index)


CELLS, GENES = ["c0", "c1", "größer", "c3"], ["g0", "g1", "g2"]
X = np.array([[1, 0, 2], [0, 0, 0], [3, 4, 0], [0, 0, 5]], "f4")


@case("anndata_now.h5ad", "AnnData: every encoding that is written today, each with its tags")
def anndata_now(c):
    with Writer(c.name, True) as w:
        w.tag(w.file, "anndata", "0.1.0")
        w.expect("", "anndata")
        w.frame("obs", CELLS, ["type", "stage", "count", "checked", "note", "size"])
        kind = w.group("obs/type", "categorical", "0.2.0", ["B", None, "T", "B"], ordered=np.False_)
        kind.create_dataset("codes", data=[1, -1, 0, 1], dtype="i1")
        w.tag(kind.create_dataset("categories", data=["T", "B"], dtype=TEXT), "string-array", "0.2.0")
        stage = w.group("obs/stage", "categorical", "0.2.0", [20, 10, 10, None], ordered=np.True_)
        stage.create_dataset("codes", data=[1, 0, 0, -1], dtype="i2")
        w.tag(stage.create_dataset("categories", data=[10, 20], dtype="i8"), "array", "0.2.0")
        w.masked("obs/count", "nullable-integer", [3, None, -4, 5])
        w.masked("obs/checked", "nullable-boolean", [None, True, False, True])
        w.masked("obs/note", "nullable-string-array", ["a", None, "", "ü"], "NaN", TEXT)
        w.dataset("obs/size", "array", "0.2.0", np.array([0.5, 1.5, -0.0, 65504], "f2"))
        w.frame("var", GENES, [])
        w.sparse("X", "csr_matrix", X)
        w.group("layers", "dict", "0.1.0")
        w.sparse("layers/columns", "csc_matrix", X, "i8")
        w.dataset("layers/dense", "array", "0.2.0", X.astype("i8"))
        w.group("raw", "raw", "0.1.0")
        w.sparse("raw/X", "csr_matrix", X)
        w.frame("raw/var", GENES, [])
        w.group("raw/varm", "dict", "0.1.0")
        for name in ("obsm", "obsp", "varm", "varp"):
            w.group(name, "dict", "0.1.0")
        w.frame("obsm/frame", CELLS, [])
        w.group("uns", "dict", "0.1.0")
        w.dataset("uns/number", "numeric-scalar", "0.2.0", np.int64(2**62), values=[2**62])
        w.dataset("uns/text", "string", "0.2.0", "größer", dtype=TEXT, values=["größer"])
        w.dataset("uns/truth", "numeric-scalar", "0.2.0", np.True_, values=[True])
        w.dataset("uns/bytes", "bytes", "0.2.0", np.bytes_(b"ab\xff"), values="6162ff")
        w.expect("uns/null", "null")
        w.tag(w.file["uns"].create_dataset("null", data=h5py.Empty("f4")), "null", "0.1.0")
        records = np.array([("a", 1.5), ("b", 2.5)], [("name", TEXT), ("score", "f8")])
        w.dataset("uns/records", "rec-array", "0.2.0", records, values=["name", "score"])
        w.expect("uns/new", "holographic-array")
        w.tag(w.file.create_dataset("uns/new", data=[1, 2]), "holographic-array", "9.9.9")
        form = {"class": "ListOffsetArray", "offsets": "i64", "form_key": "node0"}
        form["content"] = {"class": "NumpyArray", "primitive": "int64", "form_key": "node1"}
        lists = w.group("obsm/lists", "awkward-array", "0.1.0", [[1, 2], [], [3], []], form=json.dumps(form), length=4)
        lists.create_dataset("node0-offsets", data=[0, 2, 2, 3, 3])
        lists.create_dataset("node1-data", data=[1, 2, 3])


@case("anndata_07.h5ad", "AnnData of 0.7: data frames 0.1.0 whose columns refer to their categories, and elements without tags")
def anndata_07(c):
    with Writer(c.name, False) as w:
        w.expect("", "anndata", legacy="untagged")
        for name, index in (("obs", CELLS), ("var", GENES)):
            group = w.group(name, "dataframe", "0.1.0", _index="names")
            columns = ["type", "count", "ok"] if name == "obs" else []
            group.attrs.create("column-order", columns, dtype=TEXT if columns else "f8")
            w.plain(name + "/names", "string-array", index, dtype=TEXT, values=index)
        labels = w.file.create_dataset("obs/__categories/type", data=["T", "B"], dtype=TEXT)
        labels.attrs["ordered"] = np.True_
        codes = w.plain("obs/type", "categorical", np.array([1, -1, 0, 1], "i1"), "categories-ref", ["B", None, "T", "B"])
        codes.attrs["categories"] = labels.ref
        w.plain("obs/count", "array", [3, 1, -4, 5])
        w.plain("obs/ok", "array", [True, False, True, False])
        w.plain("X", "array", X)
        w.expect("uns", "dict", legacy="untagged")
        w.plain("uns/number", "numeric-scalar", 2.5, values=[2.5])
        w.plain("uns/text", "string", "umap", dtype=TEXT, values=["umap"])
        w.plain("uns/old text", "string", np.array([b"umap"], "S4"), "fixed-string-scalar", ["umap"])
        w.plain("uns/old texts", "string-array", np.array([b"a", b"bcd"], "S4"), "fixed-string", ["a", "bcd"])
        w.plain("uns/records", "rec-array", np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]), values=["a", "b"])
        w.expect("uns/matrix", "csc_matrix", np.ravel(X).tolist(), "h5sparse")
        matrix = w.file.create_group("uns/matrix")
        matrix.attrs.update({"h5sparse_format": "csc", "h5sparse_shape": X.shape})
        w.pointers(matrix, X.T)
        w.expect("uns/kinds", "categorical", ["b", "a"], "structural")
        w.file.create_dataset("uns/kinds/codes", data=[1, 0], dtype="i1")
        w.file.create_dataset("uns/kinds/categories", data=["a", "b"], dtype=TEXT)
        w.expect("uns/masked", "nullable-integer", [None, 2], "structural")
        w.file.create_dataset("uns/masked/values", data=[1, 2])
        w.file.create_dataset("uns/masked/mask", data=[True, False])


@case("anndata_06.h5ad", "AnnData of 0.6: data frames that are records, categories in uns, raw. in front of names")
def anndata_06(c):
    with Writer(c.name, False) as w:
        w.expect("", "anndata", legacy="record-file")
        w.plain("X", "array", X)
        obs = np.array([(n.encode(), k, s) for n, k, s in zip(CELLS, [1, -1, 0, 1], [0.5, 1.5, 2.5, 3.5])], [("index", "S8"), ("type", "i1"), ("size", "f4")])
        w.plain("obs", "dataframe", obs, "record-dataframe", values=["type", "size"])
        w.expect("obs/index", "string-array", CELLS, "record-field")
        w.expect("obs/type", "categorical", ["B", None, "T", "B"], "uns-categories")
        w.expect("obs/size", "array", obs["size"].tolist(), "record-field")
        var = np.array([(n.encode(),) for n in GENES], [("index", "S8")])
        for name, path in (("var", "var"), ("raw.var", "raw/var")):
            w.expect(path, "dataframe", [], "record-dataframe")
            w.expect(path + "/index", "string-array", GENES, "record-field")
            w.file.create_dataset(name, data=var)
        w.expect("raw", "raw", legacy="raw-dot")
        w.expect("raw/X", "csr_matrix", np.ravel(X).tolist(), "h5sparse")
        matrix = w.file.create_group("raw.X")
        matrix.attrs.update({"h5sparse_format": "csr", "h5sparse_shape": X.shape})
        w.pointers(matrix, X)
        obsm = np.zeros(4, [("X_pca", "f4", (2,))])
        obsm["X_pca"] = np.arange(8).reshape(4, 2)
        w.file.create_dataset("obsm", data=obsm)
        w.expect("obsm", "dict", legacy="record-mapping")
        w.expect("obsm/X_pca", "array", list(range(8)), "record-field")
        w.expect("uns", "dict", legacy="untagged")
        w.file.create_dataset("uns/type_categories", data=np.array([b"T", b"B"]))
        w.plain("uns/method", "string", np.array([b"umap"], "S4"), "fixed-string-scalar", ["umap"])


@case("anndata_broken.h5ad", "AnnData with a broken rule in each of many elements, and sound ones among them")
def anndata_broken(c):
    with Writer(c.name, True) as w:
        w.tag(w.file, "anndata", "0.1.0")
        w.frame("obs", CELLS, ["short", "code", "gone", "sound"])
        short = w.dataset("obs/short", "array", "0.2.0", [1, 2])
        assert short.shape == (2,)
        code = w.group("obs/code", "categorical", "0.2.0", ordered=np.False_)
        code.create_dataset("codes", data=[0, 1, 2, 0], dtype="i1")
        w.tag(code.create_dataset("categories", data=["T", "B"], dtype=TEXT), "string-array", "0.2.0")
        w.dataset("obs/sound", "array", "0.2.0", [1, 2, 3, 4])
        w.frame("var", GENES, [])
        w.sparse("X", "csr_matrix", X[:, :2])
        w.group("layers", "dict", "0.1.0")
        w.sparse("layers/beyond", "csr_matrix", X)
        w.file["layers/beyond/indices"][0] = 3
        w.sparse("layers/falling", "csr_matrix", X)
        w.file["layers/falling/indptr"][:] = [0, 3, 2, 4, 5]
        w.sparse("layers/uneven", "csr_matrix", X)
        del w.file["layers/uneven/data"]
        w.file["layers/uneven/data"] = np.zeros(4, "f4")
        w.group("obsm", "dict", "0.1.0")
        w.dataset("obsm/short", "array", "0.2.0", np.zeros((3, 2)))
        w.frame("obsm/others", ["c1", "c0", "c2", "c3"], [])
        w.group("uns", "dict", "0.1.0")
        w.tag(w.file.create_dataset("uns/version", data=[1]), "array", "7.0.0")
        w.tag(w.file.create_dataset("uns/bad text", data=np.array([b"\xff\xfe"], "O"), dtype=TEXT), "string-array", "0.2.0")
        w.file["uns/loop"] = w.file["uns"]
        w.file["uns/dangling"] = h5py.SoftLink("/nowhere")
        w.expected = {
            "obs/short": "length-mismatch",
            "obs/code": "code-out-of-range",
            "obs/gone": "missing-member",
            "X": "shape-mismatch",
            "layers/beyond": "index-out-of-range",
            "layers/falling": "bad-indptr",
            "layers/uneven": "length-mismatch",
            "obsm/short": "shape-mismatch",
            "obsm/others": "index-mismatch",
            "uns/version": "unknown-version",
            "uns/bad text": "bad-text",
            "uns/loop": "cycle",
            "uns/dangling": "dangling-link",
        }


@case("anndata_linked.h5ad", "AnnData with ten mappings, in each of which four names lead to the next: a million paths")
def anndata_linked(c):
    with Writer(c.name, True) as w:
        w.tag(w.file, "anndata", "0.1.0")
        w.frame("obs", CELLS, [])
        w.frame("var", GENES, [])
        w.group("uns", "dict", "0.1.0")
        last = w.file["uns"]
        for level in range(10):
            following = w.tag(w.file.create_group(f"uns/level {level}" if level == 0 else f"hidden {level}"), "dict", "0.1.0")
            if level > 0:
                for name in "abcd":
                    last[name] = following
            last = following
        w.expected = {}
