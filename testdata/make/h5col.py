"""Tables of columns (HEP001), with what a reader must find in them.

NAME.expected.json holds part of what `h5kit h5col dump` prints, from the values that were written; NAME.queries.json holds conditions
with the rows that a plain evaluation of those values gives.
"""

import json

import h5py
import numpy as np

from .case import case

BOOLEAN = h5py.enum_dtype({"FALSE": 0, "TRUE": 1}, basetype="i1")
STATE = h5py.enum_dtype({"OK": 0, "DOUBTFUL": 1, "MISSING": 9}, basetype="u1")
UNSIGNED = np.uint64


def text(value, charset="utf-8"):
    raw = value.encode()
    return np.array(raw, h5py.string_dtype(charset, len(raw) + 1))


def table(parent, name, nrows, generation=None):
    g = parent.create_group(name)
    g.attrs["CLASS"] = text("COLUMN_TABLE", "ascii")
    g.attrs["VERSION"] = text("1.0", "ascii")
    g.attrs["NROWS"] = UNSIGNED(nrows)
    if generation is not None:
        g.attrs["GENERATION"] = UNSIGNED(generation)
    return g


def ordered(g, *names):
    width = max(len(n.encode()) for n in names) + 1
    g.attrs.create("column-order", [n.encode() for n in names], dtype=h5py.string_dtype("utf-8", width))


def column(g, name, values, dtype=None, fill=None, chunks=(4,), **attributes):
    values = np.asarray(values, dtype)
    more = {} if fill is None else {"fillvalue": np.array(fill, values.dtype)[()]}
    d = g.create_dataset(name, data=values, chunks=chunks, maxshape=(None,), **more)
    for key, value in attributes.items():
        d.attrs[key] = text(value) if isinstance(value, str) else value
    return d


def strings(values, nbytes):
    return np.array([v.encode() for v in values], h5py.string_dtype("utf-8", nbytes))


def categorical(g, name, codes, labels, fill, is_ordered=None):
    home = g.require_group("CATEGORIES")
    width = max(len(label.encode()) for label in labels)
    categories = home.create_dataset(name, data=strings(labels, width))
    if is_ordered is not None:
        categories.attrs.create("ordered", is_ordered, dtype=BOOLEAN)
    column(g, name, codes, "i1", fill).attrs["CATEGORIES"] = categories.ref


def offsets(lists):
    return np.cumsum([0] + [0 if part is None else len(part) for part in lists]).astype("u8")


def level(g, lists, kind, nullable):
    """OFFSETS and MASK of a level; the elements of its lists, one after the other."""
    for key, value in kind.items():
        g.attrs[key] = text(value, "ascii")
    g["OFFSETS"] = offsets(lists)
    if nullable:
        g.create_dataset("MASK", data=np.array([part is not None for part in lists], "i1").astype(BOOLEAN))
    return [element for part in lists if part is not None for element in part]


LIST = {"CLASS": "LIST_COLUMN", "KIND": "OFFSETS"}


def string_values(g, values):
    raw = [None if v is None else v.encode() for v in values]
    g["CHARS"] = np.frombuffer(bytes(level(g, raw, {"CLASS": "STRING_VALUES"}, True)), "u1")


def index(g, name, of, kind, data, generation, nrows, **attributes):
    chunks = (*data.shape[:-1], min(1000, data.shape[-1]))
    d = g.require_group("SEARCH_INDEXES").create_dataset(name, data=data, chunks=chunks)
    d.attrs["KIND"] = text(kind, "ascii")
    d.attrs["SOURCE_GENERATION"], d.attrs["SOURCE_NROWS"] = UNSIGNED(generation), UNSIGNED(nrows)
    for key, value in attributes.items():
        d.attrs.create(key, value, dtype=BOOLEAN if isinstance(value, bool) else None)
    linked = list(of.attrs.get("SEARCH_INDEX_LIST", [])) + [d.ref]
    of.attrs.create("SEARCH_INDEX_LIST", linked, dtype=h5py.ref_dtype)
    return d


def min_max(values, missing, chunk, fill):
    kind = [("min", values.dtype), ("max", values.dtype), ("nan_count", "u8"), ("fill_count", "u8"), ("n", "u8")]
    rows = []
    for start in range(0, len(values), chunk):
        part, gone = values[start : start + chunk], missing[start : start + chunk]
        usable = part[~gone]
        low, high = (usable.min(), usable.max()) if usable.size else (fill, fill)
        rows.append((low, high, 0, gone.sum(), part.size))
    return np.array(rows, kind)


def hash128(data, seed):
    """MurmurHash3_x64_128 as (low, high)."""
    full = (1 << 64) - 1
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def rotated(x, n):
        return (x << n | x >> (64 - n)) & full

    def finished(k):
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            k = (k ^ k >> 33) * factor & full
        return k ^ k >> 33

    a = b = seed
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        k1, k2 = (int.from_bytes(data[i : i + 8], "little") for i in (at, at + 8))
        a = (rotated(a ^ rotated(k1 * c1 & full, 31) * c2 & full, 27) + b) * 5 + 0x52DCE729 & full
        b = (rotated(b ^ rotated(k2 * c2 & full, 33) * c1 & full, 31) + a) * 5 + 0x38495AB5 & full
    tail = data[whole:]
    b ^= rotated(int.from_bytes(tail[8:], "little") * c2 & full, 33) * c1 & full
    a ^= rotated(int.from_bytes(tail[:8], "little") * c1 & full, 31) * c2 & full
    a, b = a ^ len(data), b ^ len(data)
    a = a + b & full
    b = a + b & full
    a, b = finished(a), finished(b)
    a = a + b & full
    return a, a + b & full


def bloom(chunks, k, nbytes, seed):
    filters = np.zeros((len(chunks), nbytes), "u1")
    for row, values in zip(filters, chunks):
        for value in values:
            a, b = hash128(value, seed)
            for i in range(k):
                bit = (a + i * b) % (1 << 64) % (8 * nbytes)
                row[bit >> 3] |= 1 << (bit & 7)
    return filters


def expect(c, tables, queries):
    """Write what must be found beside the file."""
    stem = c.name.removesuffix(".h5")
    with open(stem + ".expected.json", "w", encoding="utf-8") as out:
        out.write(json.dumps({"tables": tables}, ensure_ascii=False, indent=1) + "\n")
    with open(stem + ".queries.json", "w", encoding="utf-8") as out:
        rows = (json.dumps(q, ensure_ascii=False) for q in queries)
        out.write("[\n" + ",\n".join(rows) + "\n]\n")


def known(name, kind, values):
    return {"name": name, "kind": kind, "values": values}


@case(
    "stations.h5",
    "a table of six rows with reserved storage behind them: columns of every common kind, lists at two levels, and all kinds of search indexes",
    folder="h5col",
    digests=(),
)
def stations(c):
    names = ["Basel", "Davos", "", "Genf", "Säntis", "Chur"]
    heights = [316, 1594, 2472, 373, 2502, -32767]
    warmth = [10.5, float("nan"), -1.25, 11.0, 9.969209968386869e36, 10.0]
    active = [True, True, False, True, False, True]
    regions, codes = ["Alps", "Jura", "Plateau"], [1, 0, 0, 2, 0, -1]
    states = [0, 1, 9, 0, 0, 1]
    readings = [[1, 2], [], None, [3, -32767], [4], []]
    tags = [["a", None], None, [""], [], ["é", "b"], ["a"]]
    with h5py.File(c.name, "w", libver="latest") as f:
        g = table(f, "stations", 6, generation=3)
        g.attrs["TITLE"] = text("Stations")
        name = column(g, "name", strings(names + ["reserved"], 12), fill=b"")
        height = column(g, "height", heights + [1], "i2", -32767, units="m")
        column(g, "warmth", warmth + [0], ">f8", 9.969209968386869e36, units="degC")
        column(g, "active", np.array(active + [True], "i1").astype(BOOLEAN))
        categorical(g, "region", codes + [0], regions, -1, True)
        column(g, "state", np.array(states + [0], "u1").astype(STATE), fill=9)
        lists = g.create_group("readings")
        lists.create_dataset("VALUES", data=np.array(level(lists, readings, LIST, True), "i2"), fillvalue=np.int16(-32767))
        lists = g.create_group("tags")
        string_values(lists.create_group("VALUES"), level(lists, tags, LIST, True))
        ordered(g, "name", "height", "warmth", "active", "region", "state", "readings", "tags")
        g.attrs.create("INDEX_COLUMNS", [name.ref], dtype=h5py.ref_dtype)
        g.attrs["_index"] = text("name")
        gone = np.array(heights) == -32767
        bounds = min_max(np.array(heights, "i2"), gone, 4, -32767)
        index(g, "height bounds", height, "CHUNK_MINMAX", bounds, 3, 6)
        order = sorted(range(6), key=lambda i: (not names[i], names[i].encode(), i))
        tails = {"nan_tail_length": UNSIGNED(0), "fill_tail_length": UNSIGNED(1), "ordered": True}
        index(g, "names in order", name, "SORTED_ROWS", np.array(order, "u1"), 3, 6, **tails)
        filters = bloom([[n.encode() for n in part if n] for part in (names[:4], names[4:])], 3, 8, 7)
        attributes = {"k": np.uint16(3), "m_bits": UNSIGNED(64), "seed": np.uint32(7)}
        d = index(g, "name filters", name, "CHUNK_BLOOM", filters, 3, 6, **attributes)
        d.attrs["hash_family"] = text("murmur3_x64_128_double", "ascii")
        bits = np.packbits([[code == k for code in codes] for k in range(3)], axis=1, bitorder="little")
        d = index(g, "regions", g["region"], "BITMAP", bits, 3, 6, exhaustive=True)
        d.attrs["VALUES"] = g["SEARCH_INDEXES"].create_dataset("regions values", data=np.arange(3, dtype="i1")).ref
        index(g, "stale", height, "SORTED_ROWS", np.arange(6, dtype="u1"), 2, 6, **tails)
    null_at = [None if h == -32767 else h for h in heights]
    columns = [
        known("name", "string", [n or None for n in names]),
        known("height", "int", null_at),
        known("warmth", "float", [10.5, "NaN", -1.25, 11.0, None, 10.0]),
        known("active", "boolean", active),
        known("region", "categorical", [None if k < 0 else regions[k] for k in codes]),
        known("state", "enum", ["OK", "DOUBTFUL", None, "OK", "OK", "DOUBTFUL"]),
        known("readings", "list", [[1, 2], [], None, [3, None], [4], []]),
        known("tags", "list", tags),
    ]
    queries = [
        ({"op": ">=", "column": "height", "value": 500}, [i for i, h in enumerate(null_at) if h is not None and h >= 500]),
        ({"op": "!=", "column": "name", "value": "Genf"}, [0, 1, 4, 5]),
        ({"op": "not", "arg": {"op": "<", "column": "warmth", "value": 10.5}}, [0, 1, 3]),
        ({"op": "==", "column": "region", "value": "Alps"}, [1, 2, 4]),
        ({"op": "is_null", "column": "tags"}, [1]),
    ]
    title = {"table": "/stations", "nrows": 6, "title": "Stations", "index_columns": ["name"], "_index": "name"}
    queries = [{"table": "/stations", "where": where, "rows": rows} for where, rows in queries]
    expect(c, [{**title, "columns": columns}], queries)


@case(
    "large.h5",
    "a table of 20000 rows in chunks, large enough for indexes to cost less than reading a column",
    folder="h5col",
    digests=(),
)
def large(c):
    n, chunk, fill = 20000, 100, -2147483647
    random = np.random.default_rng(7)
    times = np.arange(n, dtype="i4") * 3 + random.integers(0, 3, n).astype("i4")
    values = random.integers(-1000, 1000, n).astype("i4")
    values[::97] = fill
    kinds = random.integers(0, 4, n).astype("u1")
    with h5py.File(c.name, "w", libver="latest") as f:
        g = table(f, "large", n, generation=0)
        packed = {"chunks": (chunk,), "fill": fill}
        time = column(g, "time", times, "i4", **packed)
        value = column(g, "value", values, "i4", **packed)
        kind = column(g, "kind", kinds, "u1", 255, chunks=(chunk,))
        ordered(g, "time", "value", "kind")
        index(g, "time", time, "CHUNK_MINMAX", min_max(times, np.zeros(n, bool), chunk, fill), 0, n)
        gone = np.flatnonzero(values == fill)
        order = np.concatenate([np.setdiff1d(np.argsort(values, kind="stable"), gone, assume_unique=True), gone])
        tails = {"nan_tail_length": UNSIGNED(0), "fill_tail_length": UNSIGNED(gone.size), "ordered": True}
        index(g, "value", value, "SORTED_ROWS", order.astype("u2"), 0, n, **tails)
        bits = np.packbits([kinds == k for k in range(4)], axis=1, bitorder="little")
        d = index(g, "kind", kind, "BITMAP", bits, 0, n, exhaustive=True)
        d.attrs["VALUES"] = g["SEARCH_INDEXES"].create_dataset("kinds", data=np.arange(4, dtype="u1")).ref
    there = values != fill
    asked = [
        (("value", "==", 417), there & (values == 417)),
        (("value", "<", -990), there & (values < -990)),
        (("value", ">=", 990), there & (values >= 990)),
        (("time", ">", 59000), times > 59000),
        (("kind", "==", 3), kinds == 3),
    ]
    queries = [({"op": op, "column": name, "value": v}, rows) for (name, op, v), rows in asked]
    both = {"op": "and", "args": [queries[1][0], queries[4][0], {"op": "<", "column": "time", "value": 20000}]}
    queries.append((both, asked[1][1] & asked[4][1] & (times < 20000)))
    either = {"op": "or", "args": [queries[1][0], queries[2][0]]}
    queries.append((either, asked[1][1] | asked[2][1]))
    queries = [{"table": "/large", "where": where, "rows": np.flatnonzero(rows).tolist()} for where, rows in queries]
    expect(c, [{"table": "/large", "nrows": n, "column_names": ["time", "value", "kind"]}], queries)


@case(
    "kinds.h5",
    "tables of columns of every width and of rarer kinds: bytes, labels that are numbers, lists of lists; and of kinds that Arrow has no form for",
    folder="h5col",
    digests=(),
)
def kinds(c):
    grades = h5py.enum_dtype({"LOW": -2, "NONE": -1, "HIGH": 300}, basetype=">i2")
    flags = [[[True, False], []], [], None, [None, [True]], [[False]]]
    words = [[["a", None], []], None, [], [["é"], None], [["b", "c"], ["d"]]]
    marks = [["LOW"], [], ["HIGH", None], None, ["LOW", "LOW"]]
    codes = {"LOW": -2, "HIGH": 300, None: -1}
    columns = []
    with h5py.File(c.name, "w", libver="latest") as f:
        g = table(f, "kinds", 5)
        for kind in ("i1", ">i2", "<i4", ">i8", "u1", "<u2", ">u4", "<u8"):
            info = np.iinfo(kind)
            values = [info.min, 0, 1, 7, info.max]
            column(g, kind.strip("<>"), values + [5], kind, 7)
            columns.append(known(kind.strip("<>"), "int", [None if v == 7 else int(v) for v in values]))
        for kind in ("<f2", ">f4", "<f8"):
            info = np.finfo(kind)
            values = [float(info.min), -0.0, float(np.dtype(kind).type(0.1)), float("nan"), float(info.tiny)]
            column(g, kind.strip("<>"), values + [5], kind, float("nan"))
            columns.append(known(kind.strip("<>"), "float", values[:3] + [None] + values[4:]))
        raw = [b"\x00\x01\x02", b"abc", b"\xff\xff\xff", b"\x00\x00\x00", b"\x00\x01\x02"]
        column(g, "raw", np.array(raw + [b"xyz"], "V3"), fill=b"\xff\xff\xff")
        columns.append(known("raw", "opaque", [None if v == b"\xff\xff\xff" else v.hex() for v in raw]))
        string = h5py.string_dtype()
        texts = ["", "long " * 9, "-", "é", "z"]
        g.create_dataset("text", data=np.array(texts + ["no"], object), dtype=string, fillvalue="-", chunks=(4,), maxshape=(None,))
        columns.append(known("text", "vlen_string", [None if v == "-" else v for v in texts]))
        labels = g.create_group("CATEGORIES").create_dataset("year", data=np.array([1999, 2004, 2026], "<i4"))
        column(g, "year", [2, 0, 65535, 1, 2, 0], "<u2", 65535).attrs["CATEGORIES"] = labels.ref
        columns.append(known("year", "categorical", [2026, 1999, None, 2004, 2026]))
        column(g, "grade", np.array([300, -2, -1, 300, -2, -2], ">i2").astype(grades), fill=-1)
        columns.append(known("grade", "enum", ["HIGH", "LOW", None, "HIGH", "LOW"]))
        lists = g.create_group("flags")
        inner = level(lists, flags, LIST, True)
        lists = lists.create_group("VALUES")
        lists["VALUES"] = np.array(level(lists, inner, LIST, True), "i1").astype(BOOLEAN)
        columns.append(known("flags", "list", flags))
        lists = g.create_group("words")
        inner = level(lists, words, LIST, True)
        lists = lists.create_group("VALUES")
        string_values(lists.create_group("VALUES"), level(lists, inner, LIST, True))
        columns.append(known("words", "list", words))
        lists = g.create_group("marks")
        leaf = np.array([codes[mark] for mark in level(lists, marks, LIST, True)], ">i2").astype(grades)
        lists.create_dataset("VALUES", data=leaf, fillvalue=np.array(-1, ">i2").astype(grades)[()])
        columns.append(known("marks", "list", marks))
        ordered(g, *(one["name"] for one in columns))
        g = table(f, "others", 2)
        column(g, "pair", np.array([(1, 2.0), (3, 4.0)], [("a", "i4"), ("b", "f8")]))
        column(g, "link", np.array([f.ref, g.ref], h5py.ref_dtype))
        sequences = g.create_dataset("sequence", (2,), h5py.vlen_dtype("i4"))
        sequences[0], sequences[1] = [1, 2], []
        column(g, "unnamed", np.array([300, 5], ">i2").astype(grades), fill=-1)
        column(g, "sound", [1, 2], "i4", -1)
    expect(c, [{"table": "/kinds", "nrows": 5, "columns": columns}, {"table": "/others", "nrows": 2}], [])


@case(
    "broken.h5",
    "a table for each of some broken rules; the name of a table is the rule, and broken.json holds the fault",
    folder="h5col",
    digests=(),
)
def broken(c):
    faults = {}

    def one(rule, fault, column=None):
        faults["/" + rule] = {"rule": rule, "error": fault, "column": column}
        g = table(f, rule, 3)
        return g, globals()["column"](g, "k", [1, 2, 3], "i4", -1)

    with h5py.File(c.name, "w") as f:
        g, _ = one("T3", "UnsupportedVersion")
        g.attrs["VERSION"] = text("2.0", "ascii")
        g, _ = one("T4", "MissingAttribute")
        del g.attrs["NROWS"]
        g, _ = one("T5", "BadExtent", "k")
        g.attrs["NROWS"] = UNSIGNED(5)
        g, _ = one("T6", "BadColumnOrder")
        ordered(g, "k", "k")
        g, _ = one("T7", "BadIndexColumns")
        g.attrs.create("INDEX_COLUMNS", [g.ref], dtype=h5py.ref_dtype)
        g, _ = one("T8", "ForeignObject")
        g["plane"] = np.zeros((2, 2))
        g, _ = one("C1", "BadFill", "v")
        column(g, "v", [1.0, 2.0, 3.0])
        _, d = one("C2", "BadFill", "k")
        d.attrs["valid_min"], d.attrs["valid_max"] = np.int32(-5), np.int32(5)
        g, _ = one("C4", "InvalidUtf8", "s")
        column(g, "s", np.array([b"a", b"\xff", b"b"], h5py.string_dtype("utf-8", 4)), fill=b"")
        g, _ = one("B2", "BadBoolean", "b")
        column(g, "b", np.array([0, 1, 2], "i1").astype(BOOLEAN))
        g, _ = one("K1", "BadCategorical", "c")
        categorical(g, "c", [0, 7, -1], ["x", "y"], -1)
        g, _ = one("L1", "BadListColumn", "l")
        lists = g.create_group("l")
        lists["VALUES"] = np.array(level(lists, [[1], [2], [3]], LIST, False), "i4")
        lists["OFFSETS"][...] = [0, 2, 1, 3]
        g, d = one("S3", "BadSearchIndex", "k")
        d.attrs.create("SEARCH_INDEX_LIST", [d.ref], dtype=h5py.ref_dtype)
        g, d = one("S6", "BadSearchIndex", "k")
        g.attrs["GENERATION"] = UNSIGNED(0)
        tails = {"nan_tail_length": UNSIGNED(0), "fill_tail_length": UNSIGNED(0), "ordered": True}
        index(g, "order", d, "SORTED_ROWS", np.array([2, 1, 0], "u1"), 0, 3, **tails)
    with open("broken.json", "w", encoding="utf-8") as out:
        out.write(json.dumps(faults, indent=1) + "\n")


@case(
    "sparse.h5",
    "tables that say much in few bytes: millions of rows and of elements that were never written, lists in lists that share their offsets, "
    "and indexes that cost more than the column",
    folder="h5col",
    digests=(),
)
def sparse(c):
    def lazy(g, name, n, chunk, kind="i1", **more):
        return g.create_dataset(name, (n,), kind, chunks=(chunk,), compression="gzip", **more)

    def lists(g, offsets):
        for key, value in LIST.items():
            g.attrs[key] = text(value, "ascii")
        g["OFFSETS"] = offsets
        return g

    with h5py.File(c.name, "w", libver="latest") as f:
        lazy(table(f, "rows", 16_000_000), "x", 16_000_000, 1 << 20, fillvalue=3)
        n = 8_000_000
        one = np.array([0, n], "u8")
        lazy(lists(table(f, "elements", 1).create_group("x"), one), "VALUES", n, 1 << 20, fillvalue=3)
        strings = lists(table(f, "strings", 1).create_group("x"), one).create_group("VALUES")
        strings.attrs["CLASS"], strings.attrs["KIND"] = text("STRING_VALUES", "ascii"), text("OFFSETS", "ascii")
        lazy(strings, "OFFSETS", n + 1, 1 << 20, "u8")
        lazy(strings, "CHARS", 8, 8, "u1")
        n = 1_000_000
        offsets = np.arange(n + 1, dtype="u8")
        offsets = f.create_dataset("each", data=offsets, chunks=(1 << 16,), compression="gzip", shuffle=True)
        at = lists(table(f, "levels", 1).create_group("x"), np.array([0, n], "u8"))
        for _ in range(20):
            at = lists(at.create_group("VALUES"), offsets)
        lazy(at, "VALUES", n, n, fillvalue=3)
        for k in (3, 64, 65):
            name = f"hashes_{k}"
            d = lazy(table(f, name, 1000, 0), "x", 1000, 100, "i8", fillvalue=-1)
            index(f[name], "i", d, "CHUNK_BLOOM", np.full((10, 8), 255, "u1"), 0, 1000, k=np.uint16(k), m_bits=UNSIGNED(64), seed=np.uint32(0))
            f[name + "/SEARCH_INDEXES/i"].attrs["hash_family"] = text("murmur3_x64_128_double")
        g = table(f, "rare", 1000, 0)
        d = lazy(g, "x", 1000, 1, "i8", fillvalue=-1)
        index(g, "i", d, "CHUNK_BLOOM", np.full((1000, 1), 255, "u1"), 0, 1000, k=np.uint16(8), m_bits=UNSIGNED(8), seed=np.uint32(0))
        g["SEARCH_INDEXES/i"].attrs["hash_family"] = text("murmur3_x64_128_double")
        random = np.random.default_rng(7)
        values = random.integers(0, 100, 8001).astype("u1")
        g = table(f, "bits", 8001, 0)
        d = column(g, "x", values, "u1", 255, chunks=(8001,))
        bits = np.packbits([values == k for k in range(100)], axis=1, bitorder="little")
        packed = g.create_group("SEARCH_INDEXES").create_dataset("of all", data=bits, chunks=bits.shape, compression="gzip")
        packed.attrs["KIND"] = text("BITMAP", "ascii")
        packed.attrs["SOURCE_GENERATION"], packed.attrs["SOURCE_NROWS"] = UNSIGNED(0), UNSIGNED(8001)
        packed.attrs["VALUES"] = g["SEARCH_INDEXES"].create_dataset("values", data=np.arange(100, dtype="u1")).ref
        packed.attrs.create("exhaustive", True, dtype=BOOLEAN)
        d.attrs.create("SEARCH_INDEX_LIST", [packed.ref], dtype=h5py.ref_dtype)
