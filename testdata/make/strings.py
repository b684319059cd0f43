"""Strings: fixed and variable length, every padding and character set."""

from h5py import h5t

from .case import case
from .elements import Sequences, fixed_string, variable_string
from .hdf5 import attribute, create, dataset, dataset_list

PADS = {"nullterm": h5t.STR_NULLTERM, "nullpad": h5t.STR_NULLPAD, "spacepad": h5t.STR_SPACEPAD}
CHARSETS = {"ascii": h5t.CSET_ASCII, "utf8": h5t.CSET_UTF8}


def fixed_values(pad, charset):
    """(element of 8 bytes, the text it holds or None when it is not valid in its character set)"""
    filler = b" " if pad == "spacepad" else b"\0"
    raw = [b"abc", b"", b"full len", b"in\0side", b"blank  ", b" lead"]
    raw += ["größe".encode(), "日本".encode()] if charset == "utf8" else []
    raw += [b"bad \xff\xfe"]
    for value in raw:
        element = value.ljust(8, filler)
        text = element
        if pad == "nullterm":
            text = element.split(b"\0")[0]
        elif pad == "nullpad":
            text = element.rstrip(b"\0")
        else:
            text = element.rstrip(b" ")
        yield element, None if b"\xff" in text else text.decode()


@case(
    "strings_fixed.h5",
    "fixed strings: each padding and character set; full, empty, with an embedded NUL, with blanks, not valid UTF-8",
)
def strings_fixed(c):
    with create(c.name) as f:
        for pad, pad_id in PADS.items():
            for charset, charset_id in CHARSETS.items():
                values = list(fixed_values(pad, charset))
                t = fixed_string(8, pad_id, charset_id)
                name = f"{pad} {charset}"
                raw = b"".join(element for element, _ in values)
                d = dataset(f, name, t, (len(values),), raw=raw)
                attribute(d, "a", t, (), raw=values[0][0])
                c.expect("/" + name, "string", [text for _, text in values])
                c.expect("/" + name + "@a", "string", ["abc"])
        dataset(f, "one byte", fixed_string(1), (3,), raw=b"a\0 ")
        c.expect("/one byte", "string", ["a", "", " "])
        dataset(f, "utf8 bytes marked ascii", fixed_string(8), (1,), raw="größe".encode().ljust(8, b"\0"))
        dataset(f, "two dimensions", fixed_string(2), (2, 2), raw=b"aabbccdd")


@case(
    "strings_variable.h5",
    "variable-length strings: ASCII and UTF-8, each padding, empty, null, never written, long; chunked, in an attribute",
)
def strings_variable(c):
    keep = Sequences()
    with create(c.name) as f:
        values = [b"one", b"", "größe €".encode(), b"x" * 700, b"trailing blanks  "]
        raw = b"".join(keep.string(v) for v in values)
        for name, charset in CHARSETS.items():
            for pad, pad_id in PADS.items():
                t = variable_string(charset)
                t.set_strpad(pad_id)
                d = dataset(f, f"{name} {pad}", t, (5,), raw=raw)
                attribute(d, "a", t, (5,), raw=raw)
        c.expect("/utf8 nullterm", "string", [v.decode() for v in values])
        c.expect("/utf8 nullterm@a", "string", [v.decode() for v in values])
        t = variable_string(CHARSETS["utf8"])
        dataset(f, "null", t, (3,), raw=bytes(8) + keep.string(b"after") + bytes(8))
        c.expect("/null", "string", ["", "after", ""])
        dataset(f, "never", t, (2,))
        c.expect("/never", "string", ["", ""])
        dataset(f, "not utf8", t, (1,), raw=keep.string(b"bad \xff"))
        c.expect("/not utf8", "bytes", [b"bad \xff"])
        plist = dataset_list(chunk=(2,))
        plist.set_deflate(6)
        dataset(f, "chunked", t, (5,), raw=raw, plist=plist)
        c.expect("/chunked", "string", [v.decode() for v in values])
        dataset(f, "scalar", t, (), raw=keep.string("Ü".encode()))
        c.expect("/scalar", "string", ["Ü"])
