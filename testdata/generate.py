#!/usr/bin/env python3
"""Make the HDF5 test files, the digests libhdf5 gives of them, and the values readers must find.

python generate.py                everything
python generate.py --only TEXT    only files whose name contains TEXT (values.json and README.md are left alone)
python generate.py --check        compare the committed digests with what libhdf5 reads from the committed files
python generate.py --verify FILE  decode the chunks that another encoder wrote; make/verify.py says what FILE holds
"""

import argparse
import importlib
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from make import case, digest, far, image, readme, verify

MODULES = (
    "superblocks",
    "headers",
    "groups",
    "heaps",
    "attributes",
    "datatypes",
    "elements",
    "strings",
    "references",
    "layouts",
    "chunks",
    "virtual",
    "fills",
    "filters",
    "plugins",
    "producers",
    "anndata_eras",
    "h5col",
    "frames",
    "corrupt",
)
for module in MODULES:
    importlib.import_module("make." + module)


def expected_lines(one, name):
    """The digest of `name`: from known values, or as libhdf5 reads it with its known mistakes put right."""
    if one.lines is not None:
        return one.lines
    lines = digest.digest(name)
    return [corrected(line, one.corrections.get(line["path"], {})) for line in lines]


def corrected(line, keys):
    """The line with some keys replaced; a hash takes the place of an error."""
    if "xxh3" in keys:
        line = {("xxh3" if key == "error" else key): value for key, value in line.items()}
    return {**line, **keys}


def make_one(one):
    os.chdir(os.path.join(HERE, one.folder))
    one.maker(one)
    for name in (one.name, *one.companions):
        if os.path.exists(name) and name != "cache_image.h5":  # whose headers lie under another checksum
            image.settle_times(name)
    for name in one.digests:
        with open(name + ".digest", "w", encoding="utf-8") as out:
            out.write(digest.dump(expected_lines(one, name)))


def make_all(only):
    failed = []
    for one in case.CASES:
        if only in one.name:
            try:
                make_one(one)
            except Exception as error:
                where = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
                print(f"{one.name}: {error!r} at {' '.join(where)}", file=sys.stderr)
                failed.append(one.name)
    for name, maker in far.MAKERS.items():
        if only in name:
            maker(os.path.join(HERE, "far", name))
    if not only:
        case.write_values(os.path.join(HERE, "values.json"), case.CASES)
        readme.write(os.path.join(HERE, "README.md"), case.CASES)
    return failed


def check_all(only):
    """Digests that are known without libhdf5 cannot be checked here; the others must agree."""
    failed = []
    for one in case.CASES:
        if only in one.name and not one.by_values:
            os.chdir(os.path.join(HERE, one.folder))
            for name in one.digests:
                with open(name + ".digest", encoding="utf-8") as file:
                    if file.read() != digest.dump(expected_lines(one, name)):
                        failed.append(name)
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verify", metavar="FILE", nargs="?", const="-")
    options = parser.parse_args()
    if options.verify:
        sys.exit(not verify.verify_all(options.verify))
    wrong = (check_all if options.check else make_all)(options.only)
    for name in wrong:
        print("failed:", name)
    print(f"{len(case.CASES)} cases, {len(wrong)} failed")
    sys.exit(bool(wrong))
