"""Data frames of AnnData with a column of every kind, and what is in them."""

import json

import h5py
import numpy as np

from .case import case
from .hdf5 import create

TEXT = h5py.string_dtype("utf-8")


class Frame:
    """A data frame as anndata 0.12 writes it; keeps what its columns hold."""

    def __init__(self, parent, name, index_name, labels):
        self.group = parent.create_group(name)
        self.index_name, self.rows = index_name, len(labels)
        self.order, self.expected = [], {}
        tag(self.group, "dataframe", "0.2.0")
        self.group.attrs["_index"] = index_name
        self.strings(index_name, labels)

    def expect(self, name, type_name, values, **more):
        if name != self.index_name:
            self.order.append(name)
        self.expected[name] = {"type": type_name, "values": values, **more}

    def close(self):
        self.group.attrs.create("column-order", self.order, dtype=TEXT)
        return self.expected

    def strings(self, name, values):
        array(self.group, name, values, TEXT, "string-array")
        self.expect(name, "Utf8", values)

    def array(self, name, type_name, dtype, values):
        array(self.group, name, np.array(values, dtype))
        self.expect(name, type_name, values)

    def floats(self, name, type_name, dtype, values):
        data = np.array(values, dtype)
        array(self.group, name, data)
        self.expect(name, type_name, [plain(value) for value in data])

    def complex(self, name, type_name, dtype, values):
        data = np.array(values, dtype)
        array(self.group, name, data)
        self.expect(name, type_name, [{"re": plain(value.real), "im": plain(value.imag)} for value in data])

    def categorical(self, name, type_name, codes, categories, dtype=TEXT, ordered=False):
        group = self.group.create_group(name)
        tag(group, "categorical", "0.2.0")
        group.attrs["ordered"] = ordered
        array(group, "codes", codes)
        data = categories if dtype == TEXT else np.array(categories, dtype)
        array(group, "categories", data, dtype, "string-array" if dtype == TEXT else "array")
        labels = categories if dtype != "f8" else [plain(np.float64(label)) for label in categories]
        values = [None if int(code) == -1 else labels[int(code)] for code in codes]
        self.expect(name, type_name, values, ordered=ordered)

    def nullable(self, name, type_name, encoding, dtype, values, under):
        """`under` is what lies under the mask."""
        group = self.group.create_group(name)
        tag(group, encoding, "0.1.0")
        data = [under if value is None else value for value in values]
        array(group, "values", data, dtype, "string-array" if dtype == TEXT else "array")
        array(group, "mask", np.array([value is None for value in values]))
        self.expect(name, type_name, values)


def plain(value):
    """A float as JSON; what JSON does not have, as text."""
    value = float(value)
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def tag(target, encoding, version):
    target.attrs["encoding-type"] = encoding
    target.attrs["encoding-version"] = version


def array(parent, name, data, dtype=None, encoding="array"):
    tag(parent.create_dataset(name, data=data, dtype=dtype), encoding, "0.2.0")


def whole(target, encoding="anndata"):
    tag(target, encoding, "0.1.0")
    for name in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
        tag(target.create_group(name), "dict", "0.1.0")


INTEGERS = (
    ("i1", "Int8", [-128, 127, 0, 1, -1, 2, 3]),
    ("i2", "Int16", [-32768, 32767, 0, 1, -1, 2, 3]),
    ("i4", "Int32", [-(2**31), 2**31 - 1, 0, 1, -1, 2, 3]),
    ("i8", "Int64", [-(2**63), 2**63 - 1, 2**53 + 1, -(2**53) - 1, -1, 2, 3]),
    ("u1", "UInt8", [0, 255, 1, 2, 3, 4, 5]),
    ("u2", "UInt16", [0, 65535, 1, 2, 3, 4, 5]),
    ("u4", "UInt32", [0, 2**32 - 1, 1, 2, 3, 4, 5]),
    ("u8", "UInt64", [0, 2**64 - 1, 2**53 + 1, 2**63, 3, 4, 5]),
)
NAN, INF = float("nan"), float("inf")
LABELS = ["a-1", "b,1", 'c"1', "größe", "", "細胞", "g 1"]
WORDS = ["plain", "a, b", 'say "so"', "two\nlines", "größer 🧬", "", "carriage\r\nreturn"]


def every_kind(obs):
    obs.array("flag", "Boolean", "?", [True, False, True, True, False, False, True])
    for dtype, type_name, values in INTEGERS:
        obs.array("integer_" + dtype, type_name, "<" + dtype, values)
    obs.floats("float_f2", "Float16", "<f2", [0.1, -0.0, 65504, 6e-8, NAN, INF, -INF])
    obs.floats("float_f4", "Float32", "<f4", [0.1, -0.0, 3.4028235e38, 1e-45, NAN, INF, -INF])
    obs.floats("float_f8", "Float64", "<f8", [0.1, -0.0, 1.7976931348623157e308, 5e-324, NAN, INF, -INF])
    obs.floats("float_be", "Float64", ">f8", [1 / 3, 2 / 3, 1e16, 1e-7, 123456789.125, -1e300, 1])
    obs.complex("complex_8", "Complex(Float32)", "<c8", [0.1 + 2j, -1j, 0, 1, -3 - 4j, 5 + 0.1j, 1e10])
    obs.complex("complex_16", "Complex(Float64)", "<c16", [0.1 + 2j, -1j, 0, 1, -3 - 4j, 5 + 0.1j, 1e100])
    obs.strings("words", WORDS)
    fixed = [b"ACG", b"T", b"", b"GG", b"\xff\x00\x01", b"AC", b"CCC"]
    array(obs.group, "fixed", np.array(fixed, "S3"))
    obs.expect("fixed", "Binary", [value.hex() for value in fixed])
    codes = np.array([0, 1, 2, -1, 1, 0, -1])
    stages = ["early", "mid, or so", "late"]
    obs.categorical("category", "Dictionary(Int8, Utf8)", codes.astype("i1"), WORDS[:3])
    obs.categorical("stage", "Dictionary(Int8, Utf8)", codes.astype("i1"), stages, ordered=True)
    obs.categorical("wide", "Dictionary(Int16, Utf8)", codes.astype("<i2"), stages)
    obs.categorical("wider", "Dictionary(Int32, Utf8)", codes.astype("<i4"), stages)
    obs.categorical("widest", "Dictionary(Int64, Utf8)", codes.astype("<i8"), stages)
    obs.categorical("unsigned", "Dictionary(Int16, Utf8)", np.abs(codes).astype("u1"), stages)
    obs.categorical("of_integers", "Dictionary(Int8, Int64)", codes.astype("i1"), [2**53 + 1, -5, 7], "<i8")
    obs.categorical("of_floats", "Dictionary(Int8, Float64)", codes.astype("i1"), [0.1, INF, -2.5], "f8")
    obs.categorical("of_booleans", "Dictionary(Int8, Boolean)", np.minimum(codes, 1).astype("i1"), [False, True], "?")
    obs.categorical("of_nothing", "Dictionary(Int8, Utf8)", np.full(7, -1, "i1"), [])
    integers = [None, 2**53 + 1, -(2**63), None, 0, 1, 2**63 - 1]
    obs.nullable("maybe_integer", "Int64", "nullable-integer", "<i8", integers, 1)
    obs.nullable("maybe_unsigned", "UInt8", "nullable-integer", "u1", [255, None, 0, None, 0, 1, 2], 1)
    booleans = [True, None, False, None, True, False, None]
    obs.nullable("maybe_boolean", "Boolean", "nullable-boolean", "?", booleans, True)
    words = [None, *WORDS[1:6], None]
    obs.nullable("maybe_words", "Utf8", "nullable-string-array", TEXT, words, "under")


def write_expected(name, frames):
    with open(name, "w", encoding="utf-8") as out:
        json.dump(frames, out, ensure_ascii=False, indent=1)
        out.write("\n")


@case(
    "anndata_frame.h5ad",
    "data frames with a column of every kind of AnnData, and one with broken columns; `anndata_frame.json` has what is in them",
)
def anndata_frame(c):
    with create(c.name, "earliest") as f:
        whole(f)
        frames = {}
        obs = Frame(f, "obs", "cell", LABELS)
        every_kind(obs)
        frames["obs"] = obs.close()
        var = Frame(f, "var", "_index", ["gene 1", "gene 2"])
        frames["var"] = var.close()
        raw = f.create_group("raw")
        tag(raw, "raw", "0.1.0")
        array(raw, "X", np.ones((7, 3), "f4"))
        tag(raw.create_group("varm"), "dict", "0.1.0")
        genes = Frame(raw, "var", "gene", ["gene 1", "gene 2", "gene 3"])
        genes.strings("symbol", ["A", "B", "C"])
        frames["raw/var"] = genes.close()
        scores = Frame(f["obsm"], "scores", "cell", LABELS)
        scores.array("score", "Int64", "<i8", [3, 1, 4, 1, 5, 9, 2])
        frames["obsm/scores"] = scores.close()
        array(f, "X", np.zeros((7, 2), "f4"))
        broken = Frame(f["uns"], "broken", "row", ["a", "b", "c"])
        broken.array("good", "Int64", "<i8", [1, 2, 3])
        broken.categorical("code_high", "", np.array([0, 1, 0], "i1"), ["x", "y"])
        broken.group["code_high/codes"][2] = 2
        broken.array("matrix", "", "<i8", [[1, 2], [3, 4], [5, 6]])
        broken.array("short", "", "<i8", [1, 2])
        broken.strings("absent", ["", "", ""])
        del broken.group["absent"]
        broken.strings("also_good", ["x", "y", "z"])
        held = broken.close()
        frames["uns/broken"] = {name: held[name] for name in ("row", "good", "also_good")}
        nothing = Frame(f["uns"], "nothing", "row", [])
        nothing.array("number", "Float64", "<f8", [])
        frames["uns/nothing"] = nothing.close()
    write_expected("anndata_frame.json", frames)


@case("mudata.h5mu", "MuData: frames of the whole and of two modalities")
def mudata(c):
    with create(c.name, "earliest") as f:
        whole(f, "MuData")
        Frame(f, "obs", "cell", ["a", "b"]).close()
        Frame(f, "var", "gene", ["x", "y"]).close()
        for name, genes in (("rna", ["x"]), ("prot", ["y"])):
            part = f.require_group("mod").create_group(name)
            whole(part)
            cells = Frame(part, "obs", "cell", ["a", "b"])
            cells.strings("kind", [name + " a", name + " b"])
            cells.close()
            Frame(part, "var", "gene", genes).close()
