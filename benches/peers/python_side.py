"""A side of a row of `peers` that is written in Python: `python_side.py TASK SIDE FILE` keeps to what `src/turns.rs` says.

SIDE is `anndata`, `h5py` (what a careful user of h5py and NumPy would write), or `h5py, whole` (whole columns, and nothing
but arrays).
"""

import sys
import time
import warnings

import h5py
import numpy as np

warnings.simplefilter("ignore")
FACTOR = np.uint64(0x9E3779B97F4A7C15)
MATRIX_ROWS = 1_000
BLOCK = 2_000_000  # entries of a sparse matrix that are read at once
ROWS = 2_000  # rows of about as many entries


class Cannot(Exception):
    """The side has no way to do it."""


class Tally:
    """Sums up what is read, with the clock stopped, as `src/tally.rs` does."""

    def __init__(self):
        self.sum, self.places, self.stopped = int(FACTOR), [0, 0, 0], 0

    def placed(self, lane, words):
        begin = time.perf_counter_ns()
        words = np.asarray(words).astype(np.uint64)
        place = np.arange(self.places[lane], self.places[lane] + words.size, dtype=np.uint64) | np.uint64(lane << 48)
        words = words + place * FACTOR
        words = (words ^ words >> np.uint64(29)) * FACTOR
        self.sum = (self.sum + int((words ^ words >> np.uint64(32)).sum(dtype=np.uint64))) % (1 << 64)
        self.places[lane] += words.size
        self.stopped += time.perf_counter_ns() - begin

    def texts(self, texts):
        begin = time.perf_counter_ns()
        raw = [text.encode() for text in texts]
        lengths, joined = np.array([len(text) for text in raw], np.uint64), np.frombuffer(b"".join(raw), "u1")
        self.stopped += time.perf_counter_ns() - begin
        self.placed(0, lengths)
        self.placed(0, joined)

    def values(self, values):
        values = np.asarray(values)
        if values.dtype.kind in "OTU":
            self.texts(values)
        elif values.dtype.kind == "f":
            self.placed(0, values.view(f"u{values.itemsize}"))
        else:
            self.placed(0, values.astype("i8").view("u8"))

    def entries(self, lengths, indices, values):
        begin = time.perf_counter_ns()
        words = indices.astype("u8") << np.uint64(32) | values.view("u4").astype("u8")
        self.stopped += time.perf_counter_ns() - begin
        self.placed(1, lengths)
        self.placed(2, words)


def numbers_below(bound, count):
    """Numbers that look random (splitmix64), those of `src/round.rs`."""
    state, full = 1, (1 << 64) - 1
    for _ in range(count):
        state = state + 0x9E3779B97F4A7C15 & full
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & full
        z = (z ^ z >> 27) * 0x94D049BB133111EB & full
        yield (z ^ z >> 31) % bound


# ---------------------------------------------------------------- anndata


class AnnData:
    def __init__(self):
        import anndata

        self.read = lambda path: anndata.read_h5ad(path, backed="r")

    def observations(self, path, tally):
        import pandas as pd

        obs = self.read(path).obs
        columns = [obs[name] for name in obs]
        tally.texts(obs.index)
        for column in columns:
            if isinstance(column.dtype, pd.CategoricalDtype):
                tally.texts(column.cat.categories)
                tally.values(column.cat.codes)
            elif isinstance(column.array, pd.arrays.IntegerArray):
                tally.values(column.array._data)
                tally.values(column.isna())
            else:
                tally.values(column)

    def matrix_rows(self, path, tally, lines):
        found = self.read(path).X[lines]
        tally.entries(np.diff(found.indptr), found.indices, found.data)

    def matrix_columns(self, path, tally, lines):
        found = self.read(path).X[:, lines].tocsc()
        tally.entries(np.diff(found.indptr), found.indices, found.data)

    def matrix_stream(self, path, tally):
        for block, _, _ in self.read(path).chunked_X(ROWS):
            tally.entries(np.diff(block.indptr), block.indices, block.data)


# ---------------------------------------------------------------- h5py


class H5py:
    def observations(self, path, tally):
        with h5py.File(path) as file:
            obs = file["obs"]
            read = [obs[obs.attrs["_index"]].asstr()[:]]
            for name in obs.attrs["column-order"]:
                column = obs[name]
                if isinstance(column, h5py.Dataset):
                    read.append(column.asstr()[:] if column.dtype.kind == "O" else column[:])
                elif "categories" in column:
                    read += [column["categories"].asstr()[:], column["codes"][:]]
                else:
                    read += [column["values"][:], column["mask"][:]]
        for values in read:
            tally.values(values)

    def matrix_rows(self, path, tally, lines):
        """The lines in the order of the file, one after the other."""
        with h5py.File(path) as file:
            group = file["X"]
            pointers, indices, data = group["indptr"][:], group["indices"], group["data"]
            found = {}
            for line in sorted(set(lines)):
                part = slice(pointers[line], pointers[line + 1])
                found[line] = indices[part], data[part]
            lengths = np.array([found[line][0].size for line in lines])
            indices = np.concatenate([found[line][0] for line in lines])
            values = np.concatenate([found[line][1] for line in lines])
        tally.entries(lengths, indices, values)

    matrix_columns = matrix_rows

    def matrix_stream(self, path, tally):
        with h5py.File(path) as file:
            group = file["X"]
            pointers, indices, data = group["indptr"][:], group["indices"], group["data"]
            start = 0
            while start < len(pointers) - 1:
                end = max(start + 1, np.searchsorted(pointers, pointers[start] + BLOCK, "right") - 1)
                part = slice(pointers[start], pointers[end])
                tally.entries(np.diff(pointers[start : end + 1]), indices[part], data[part])
                start = end

    def range(self, path, tally, low, high):
        """By a search in the order."""
        with h5py.File(path) as file:
            table = file["table"]
            level, order = table["level"], table["SEARCH_INDEXES/level_sorted"]
            body = len(order) - int(order.attrs["fill_tail_length"]) - int(order.attrs["nan_tail_length"])

            def place(after):
                start, end = 0, body
                while start < end:
                    middle = (start + end) // 2
                    start, end = (start, middle) if after(level[order[middle]]) else (middle + 1, end)
                return start

            rows = np.sort(order[place(lambda value: value >= low) : place(lambda value: value > high)])
        tally.placed(0, rows)

    def equal(self, path, tally):
        with h5py.File(path) as file:
            bitmap = file["table/SEARCH_INDEXES/station_bitmap"]
            listed = np.flatnonzero(file[bitmap.attrs["VALUES"]][:] == 7)
            bits = bitmap[listed[0]]
            rows = np.flatnonzero(np.unpackbits(bits, count=int(file["table"].attrs["NROWS"]), bitorder="little"))
        tally.placed(0, rows)

    def lists(self, path, tally):
        """An array for each row, as the package h5col gives them."""
        lists, offsets, values, there = self.read_lists(path, True)
        self.tally_lists(tally, offsets, values, there)

    def read_lists(self, path, split):
        with h5py.File(path) as file:
            n = int(file["lists"].attrs["NROWS"])
            column = file["lists/readings"]
            offsets = column["OFFSETS"][: n + 1]
            values, there = column["VALUES"][offsets[0] : offsets[-1]], column["MASK"][:n]
            if not split:
                return None, offsets, values, there
            starts = (offsets - offsets[0]).tolist()
            lists = [values[a:b] if c else None for a, b, c in zip(starts, starts[1:], there.tolist())]
            return lists, offsets, values, there

    def tally_lists(self, tally, offsets, values, there):
        tally.placed(0, offsets - offsets[0])
        tally.placed(1, values.view("u8"))
        tally.placed(2, ~there.astype(bool))


class Whole(H5py):
    observations = matrix_rows = matrix_columns = matrix_stream = None

    def scan(self, path, tally):
        with h5py.File(path) as file:
            signal, count = file["table/signal"], file["table/count"]
            n = int(file["table"].attrs["NROWS"])
            signals, counts = signal[:n], count[:n]
            # NaN is what is missing in the one, and fails the comparison.
            rows = np.flatnonzero((signals > 1.5) & (counts < 15) & (counts != count.fillvalue))
        tally.placed(0, rows)

    def range(self, path, tally, low, high):
        with h5py.File(path) as file:
            level = file["table/level"]
            levels = level[: int(file["table"].attrs["NROWS"])]
            rows = np.flatnonzero((levels >= low) & (levels <= high) & (levels != level.fillvalue))
        tally.placed(0, rows)

    def equal(self, path, tally):
        with h5py.File(path) as file:
            stations = file["table/station"][: int(file["table"].attrs["NROWS"])]
            rows = np.flatnonzero(stations == 7)
        tally.placed(0, rows)

    def lists(self, path, tally):
        self.tally_lists(tally, *self.read_lists(path, False)[1:])


# ---------------------------------------------------------------- rounds


def status(file, key):
    try:
        with open(f"/proc/self/{file}") as lines:
            return next((int(line.split()[1]) for line in lines if line.startswith(key)), "")
    except OSError:
        return ""


def one_round(side, task, arguments, path):
    run = getattr(side, task, None)
    if run is None:
        raise Cannot
    tally = Tally()
    before = status("io", "rchar:") or 0
    begin = time.perf_counter_ns()
    run(path, tally, *arguments)
    taken = time.perf_counter_ns() - begin - tally.stopped
    return f"round {taken} {tally.sum} {(status('io', 'rchar:') or 0) - before}"


def main():
    task, name, path = sys.argv[1:]
    task, *words = task.split(":")
    arguments = [float(word) for word in words]
    if task.startswith("matrix_") and task != "matrix_stream":
        with h5py.File(path) as file:
            arguments = [list(numbers_below(file["X/indptr"].size - 1, int(words[0]) if words else MATRIX_ROWS))]
    side, unfit = None, None
    try:
        side = {"anndata": AnnData, "h5py": H5py, "h5py, whole": Whole}[name]()
    except ImportError as error:
        unfit = error
    for _ in sys.stdin:
        try:
            if unfit:
                raise unfit
            answer = one_round(side, task, arguments, path)
        except Cannot:
            answer = "cannot"
        except Exception as error:  # whatever it is, the row is to be told
            answer = f"failed {type(error).__name__}: {error}".replace("\n", " ")
        print(answer, flush=True)
    print("peak", status("status", "VmHWM:"))


if __name__ == "__main__":
    main()
