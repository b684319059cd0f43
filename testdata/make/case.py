"""What each test file is, what it proves, and the values a reader must find in it."""

import json
import os
import struct

import numpy as np

from .hdf5 import converted, selection

LIBRARY = "libhdf5"
PATCHED = "libhdf5, then patched"
BY_HAND = "by hand"

CASES = []


class Case:
    """One test file: its maker is called with the case itself."""

    def __init__(
        self, maker, name, proves, made, companions=(), digests=None, by_values=False, corrections=None, folder="files"
    ):
        self.name, self.proves, self.made, self.maker = name, proves, made, maker
        self.companions = companions
        self.folder = folder
        self.digests = (name,) if digests is None else digests  # what the digest is asked for
        self.by_values = by_values  # libhdf5 cannot be asked: the maker gives the lines
        self.lines = None
        self.corrections = corrections or {}  # path -> keys of the digest that libhdf5 reports wrongly
        self.values = {}

    def expect(self, where, kind, values, select=None):
        """A value that the digest cannot express. `where` is "/path", "/path@attribute" or "/path#fact"."""
        entry = {} if select is None else {"select": select}
        entry.update({"as": kind, "values": [plain(kind, v) for v in values]})
        known = self.values.setdefault(where, entry)
        if known is not entry:  # several selections of one dataset
            self.values[where] = (known if isinstance(known, list) else [known]) + [entry]

    def expect_read(self, target, kind, select=None):
        """The elements of an open dataset, or those selected, as libhdf5 converts them to i64, u64 or f64."""
        chosen = None if select is None else selection(target, select)
        self.expect(target.name, kind, converted(target, kind, chosen), select)


def plain(kind, value):
    """A value as JSON: doubles by their bits, bytes in hex."""
    if kind == "f64":
        return struct.pack(">d", value).hex()
    if kind in ("i64", "u64"):
        return int(value)
    if kind == "bytes":
        return bytes(value).hex()
    return value.item() if isinstance(value, np.generic) else value


def case(name, proves, made=LIBRARY, **details):
    """Register the decorated function as the maker of testdata/FOLDER/NAME."""

    def register(maker):
        CASES.append(Case(maker, name, proves, made, **details))
        return maker

    return register


def corrupt(name, fault):
    """Register the maker of a damaged file, testdata/corrupt/NAME."""

    def register(maker):
        CASES.append(Case(maker, name, fault, PATCHED, digests=(), folder="corrupt"))
        return maker

    return register


def write_values(path, cases):
    """All expected values, one line each, sorted."""
    blocks = []
    for one in sorted(cases, key=lambda c: c.name):
        if one.values:
            rows = [
                f"  {json.dumps(k, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}"
                for k, v in sorted(one.values.items())
            ]
            blocks.append(f" {json.dumps(one.name)}: {{\n" + ",\n".join(rows) + "\n }")
    with open(path, "w", encoding="utf-8") as out:
        out.write("{\n" + ",\n".join(blocks) + "\n}\n")


def remove(*names):
    for name in names:
        if os.path.exists(name):
            os.remove(name)
