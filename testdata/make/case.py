"""What each test file is, what it proves, and the values a reader must find in it."""
import json
import os
import struct

import numpy as np

LIBRARY = "libhdf5"
PATCHED = "libhdf5, then patched"
BY_HAND = "by hand"

CASES = []


class Case:
    """One test file: its maker is called with the case itself."""

    def __init__(self, name, proves, made, companions, digests, maker):
        self.name, self.proves, self.made, self.maker = name, proves, made, maker
        self.companions = companions
        self.digests = (name,) if digests is None else digests  # what the digest is asked for
        self.lines = None  # the digest from known values, where libhdf5 cannot be asked
        self.corrections = {}  # path -> keys of the digest that libhdf5 reports wrongly
        self.values = {}
        self.corrupt = made is None

    def expect(self, where, kind, values, select=None):
        """A value that the digest cannot express. `where` is "/path", "/path@attribute" or "/path#fact"."""
        entry = {} if select is None else {"select": select}
        entry.update({"as": kind, "values": [plain(kind, v) for v in values]})
        known = self.values.setdefault(where, entry)
        if known is not entry:  # several selections of one dataset
            self.values[where] = (known if isinstance(known, list) else [known]) + [entry]

    def correct(self, path, **keys):
        """Replace keys that libhdf5 reports wrongly in the line of `path`."""
        self.corrections[path] = keys


def plain(kind, value):
    """A value as JSON: doubles by their bits, bytes in hex."""
    if kind == "f64":
        return struct.pack(">d", value).hex()
    if kind in ("i64", "u64"):
        return int(value)
    if kind == "bytes":
        return bytes(value).hex()
    return value.item() if isinstance(value, np.generic) else value


def case(name, proves, made=LIBRARY, companions=(), digests=None):
    """Register the decorated function as the maker of testdata/files/NAME."""
    def register(maker):
        CASES.append(Case(name, proves, made, companions, digests, maker))
        return maker
    return register


def corrupt(name, fault):
    """Register the maker of a damaged file, testdata/corrupt/NAME."""
    def register(maker):
        CASES.append(Case(name, fault, None, (), (), maker))
        return maker
    return register


def write_values(path, cases):
    """All expected values, one line each, sorted."""
    blocks = []
    for one in sorted(cases, key=lambda c: c.name):
        if one.values:
            rows = [f"  {json.dumps(k, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}"
                    for k, v in sorted(one.values.items())]
            blocks.append(f" {json.dumps(one.name)}: {{\n" + ",\n".join(rows) + "\n }")
    with open(path, "w", encoding="utf-8") as out:
        out.write("{\n" + ",\n".join(blocks) + "\n}\n")


def remove(*names):
    for name in names:
        if os.path.exists(name):
            os.remove(name)
