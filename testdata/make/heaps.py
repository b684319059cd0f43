"""Fractal heaps and version 2 B-trees in shapes that libhdf5 does not write in small files: dense groups made by hand."""

import zlib

from .case import BY_HAND, case
from .image import (
    build,
    contiguous,
    dataspace,
    encoded,
    fill,
    group_info,
    integer,
    link_body,
    link_info,
    lookup3,
    uint,
)

LINK_ID = 7  # length of a heap ID in a dense group
DATA = bytes([7, 8, 9])


def log2(n):
    return n.bit_length() - 1


class Heap:
    """A fractal heap. `blocks` gives the direct blocks by heap offset (else all there are); objects fill them in order."""

    def __init__(self, label, width=2, start=512, max_direct=1024, blocks=None, rows=0, max_managed=512, deflate=False):
        self.label, self.width, self.start, self.max_direct = label, width, start, max_direct
        self.rows, self.max_managed, self.deflate = rows, max_managed, deflate
        if blocks is None:
            blocks = [offset for _, offset in self.entries(0, rows)] or [0]
        self.contents = {offset: b"" for offset in blocks}
        self.closed = set()  # blocks that take no more objects
        self.huge = []  # (label, the object, the bytes stored)
        self.count = self.tiny = self.tiny_bytes = 0

    # ------------------------------------------------------------ the doubling table

    def block_size(self, row):
        return self.start << max(0, row - 1)

    def row_start(self, row):
        return 0 if row == 0 else self.width * self.start << row - 1

    def is_direct(self, row):
        return row < log2(self.max_direct) - log2(self.start) + 2

    def child_rows(self, row):
        return log2(self.block_size(row)) - log2(self.start) - log2(self.width) + 1

    def entries(self, base, rows):
        """(row, heap offset) of each entry of an indirect block that starts at heap offset `base`."""
        for row in range(rows):
            for column in range(self.width):
                yield row, base + self.row_start(row) + column * self.block_size(row)

    def size_of(self, offset, base=0, rows=None):
        """The size of the direct block at a heap offset."""
        rows = self.rows if rows is None else rows
        if rows == 0:
            return self.start
        for row, at in self.entries(base, rows):
            if at <= offset < at + self.block_size(row):
                return self.block_size(row) if self.is_direct(row) else self.size_of(offset, at, self.child_rows(row))
        raise ValueError(f"no block at {offset}")

    # ------------------------------------------------------------ objects

    def prefix(self, image):
        """Bytes before the objects of a direct block: signature, version, heap address, block offset, checksum."""
        return 5 + image.offsets + 4 + 4

    def add(self, image, value, last=False):
        """Store an object and return its heap ID; `last` moves on to the next block afterwards."""
        self.count += 1
        block = next(
            o
            for o in self.contents
            if o not in self.closed and self.prefix(image) + len(self.contents[o]) + len(value) <= self.size_of(o)
        )
        offset = block + self.prefix(image) + len(self.contents[block])
        self.contents[block] += value
        if last:
            self.closed.add(block)
        return b"\0" + uint(offset, 4) + uint(len(value), 2)

    def add_tiny(self, value):
        self.tiny += 1
        self.tiny_bytes += len(value)
        return bytes([0x20 | len(value) - 1]) + value.ljust(LINK_ID - 1, b"\0")

    def add_huge(self, image, value, direct=False):
        """A huge object: its ID holds its place (direct) or a key of the heap's B-tree."""
        stored = zlib.compress(value) if self.deflate else value
        label = f"{self.label} huge {len(self.huge)}"
        self.huge.append((label, value, stored))
        if direct:
            return b"\x10" + image.addr(label) + image.length(len(stored))
        return b"\x10" + uint(len(self.huge), LINK_ID - 1)

    # ------------------------------------------------------------ bytes

    def place(self, image, huge_direct=False, root=None):
        """Append the header, the blocks and the huge objects; `root` names another root indirect block."""
        pipeline = bytes([2, 1]) + uint(1, 2) + uint(0, 2) + uint(1, 2) + uint(6, 4) if self.deflate else b""
        self.stored = {}
        for offset, content in self.contents.items():
            self.place_direct(image, offset, content)
        if root is None:
            root = self.place_indirect(image, 0, self.rows) if self.rows else f"{self.label} block 0"
        for label, _, stored in self.huge:
            image.place(label, stored)
        tree = self.place_huge_tree(image, huge_direct) if self.huge else None
        total = sum(self.width * self.block_size(row) for row in range(self.rows)) or self.start
        allocated = sum(self.size_of(offset) for offset in self.contents)
        huge_bytes = sum(len(value) for _, value, _ in self.huge)
        body = b"FRHP\0" + uint(LINK_ID, 2) + uint(len(pipeline), 2) + b"\x02" + uint(self.max_managed, 4)
        body += image.length(len(self.huge)) + image.addr(tree) + image.length(0) + image.addr(None)
        body += b"".join(
            image.length(n)
            for n in (total, allocated, total, self.count, huge_bytes, len(self.huge), self.tiny_bytes, self.tiny)
        )
        body += (
            uint(self.width, 2) + image.length(self.start) + image.length(self.max_direct) + uint(32, 2) + uint(1, 2)
        )
        body += image.addr(root) + uint(self.rows, 2)
        if self.deflate:
            body += image.length(0 if self.rows else len(self.stored[0])) + uint(0, 4) + pipeline
        image.checked(self.label, body)

    def place_direct(self, image, offset, content):
        head = b"FHDB\0" + image.addr(self.label) + uint(offset, 4)
        block = (head + bytes(4) + content).ljust(self.size_of(offset), b"\0")
        block = head + uint(lookup3(block), 4) + block[len(head) + 4 :]
        self.stored[offset] = zlib.compress(block) if self.deflate else block
        image.place(f"{self.label} block {offset}", self.stored[offset])

    def place_indirect(self, image, base, rows):
        body = b"FHIB\0" + image.addr(self.label) + uint(base, 4)
        for row, offset in self.entries(base, rows):
            inside = [o for o in self.contents if offset <= o < offset + self.block_size(row)]
            if self.is_direct(row):
                body += image.addr(f"{self.label} block {offset}" if inside else None)
                if self.deflate:
                    body += image.length(len(self.stored[offset]) if inside else 0) + uint(0, 4)
            else:
                body += image.addr(self.place_indirect(image, offset, self.child_rows(row)) if inside else None)
        label = f"{self.label} indirect {base} {rows}"
        image.checked(label, body)
        return label

    def place_huge_tree(self, image, direct):
        """The version 2 B-tree of huge objects: record type 1, 2 (filtered) or 3 (directly addressed)."""
        records = []
        for key, (label, value, stored) in enumerate(self.huge, 1):
            record = image.addr(label) + image.length(len(stored))
            record += uint(0, 4) + image.length(len(value)) if self.deflate else b""
            records.append(record + (b"" if direct else image.length(key)))
        Tree(f"{self.label} huge tree", 3 if direct else 2 if self.deflate else 1, records).place(image)
        return f"{self.label} huge tree"


class Tree:
    """A version 2 B-tree of the given depth over sorted records."""

    def __init__(self, label, kind, records, node_size=512, depth=0):
        self.label, self.kind, self.records, self.node_size, self.depth = label, kind, records, node_size, depth
        self.nodes = 0

    def widths(self, image):
        """For each level: (most records in a node, most records below it, bytes of such a total)."""
        size = len(self.records[0])
        leaf = (self.node_size - 10) // size
        levels = [(leaf, leaf, 0)]
        for _ in range(self.depth):
            pointer = image.offsets + encoded(leaf) + levels[-1][2]
            most = (self.node_size - 10 - pointer) // (size + pointer)
            total = (most + 1) * levels[-1][1] + most
            levels.append((most, total, encoded(total)))
        return levels

    def place(self, image):
        self.levels = self.widths(image)
        root, count, total = self.node(image, self.records, self.depth)
        image.checked(
            self.label,
            b"BTHD"
            + bytes([0, self.kind])
            + uint(self.node_size, 4)
            + uint(len(self.records[0]), 2)
            + uint(self.depth, 2)
            + bytes([100, 40])
            + image.addr(root)
            + uint(count, 2)
            + image.length(total),
        )

    def node(self, image, records, depth):
        """Append a node and what is below it; returns its label, its own and its total number of records."""
        label = f"{self.label} node {self.nodes}"
        self.nodes += 1
        if depth == 0:
            image.checked(label, b"BTLF" + bytes([0, self.kind]) + b"".join(records), self.node_size)
            return label, len(records), len(records)
        children = min(self.levels[depth][0] + 1, max(2, -(-len(records) // (self.levels[depth - 1][1] // 2))))
        share = (len(records) - (children - 1)) / children
        own, pointers, first = [], b"", 0
        for i in range(children):
            end = len(records) if i + 1 == children else round((i + 1) * share) + i
            child, count, total = self.node(image, records[first:end], depth - 1)
            pointers += image.addr(child) + uint(count, encoded(self.levels[0][0]))
            pointers += uint(total, self.levels[depth - 1][2]) if depth > 1 else b""
            own += records[end : end + 1]
            first = end + 1
        image.checked(label, b"BTIN" + bytes([0, self.kind]) + b"".join(own) + pointers, self.node_size)
        return label, len(own), len(records)


# ---------------------------------------------------------------- dense groups on top of them


def target(image):
    """The object every hard link leads to."""
    image.place("x data", DATA)
    image.header2("x", [dataspace(image, [3]), integer(1, signed=False), fill(), contiguous(image, "x data", 3)])


def name_record(name, heap_id):
    return uint(lookup3(name), 4) + heap_id


def sorted_records(named_ids):
    """Records of a name index: by hash, then by name."""
    return [name_record(n, i) for n, i in sorted(named_ids, key=lambda pair: (lookup3(pair[0]), pair[0]))]


def hard_or_soft(image, number, name):
    return link_body(name, "x" if number % 2 == 0 else b"/target of " + name, image)


def dense_root(image, heap, named_ids, node_size=512, depth=0, version=3, **place):
    heap.place(image, **place)
    Tree("names", 5, sorted_records(named_ids), node_size, depth).place(image)
    image.header2("root", [link_info(image, heap.label, "names"), group_info()])


@case(
    "heap_nested_indirect.h5",
    "fractal heap with direct blocks below child and grandchild indirect blocks (table width 2, blocks of 512 to 1024)",
    BY_HAND,
)
def heap_nested_indirect(c):
    # by rows: direct 512, direct 1024, in a child indirect block, in a child of a child
    blocks = (0, 3072, 5120, 31232)

    def make(image):
        image.superblock2()
        target(image)
        heap = Heap("heap", blocks=blocks, rows=6)
        names = [b"link %d" % i for i in range(8)]
        ids = [(n, heap.add(image, hard_or_soft(image, i, n), last=i % 2 == 1)) for i, n in enumerate(names)]
        dense_root(image, heap, ids)

    build(c.name, make)


def filtered_heap(path, rows, blocks):
    def make(image):
        image.superblock2()
        target(image)
        heap = Heap("heap", blocks=blocks, rows=rows, deflate=True)
        names = [b"link %d" % i for i in range(6)]
        ids = [
            (n, heap.add(image, hard_or_soft(image, i, n), last=rows > 0 and i % 2 == 1)) for i, n in enumerate(names)
        ]
        for i in range(2):
            name = b"huge %d " % i + b"h" * 600
            ids.append((name, heap.add_huge(image, link_body(name, "x", image, width=2))))
        dense_root(image, heap, ids)

    build(path, make)


@case(
    "heap_filtered.h5",
    "fractal heap with a deflate filter: blocks below a root indirect block, huge objects filtered on their own (B-tree type 2)",
    BY_HAND,
)
def heap_filtered(c):
    filtered_heap(c.name, 2, (0, 512, 1536))


@case(
    "heap_filtered_root_block.h5",
    "filtered fractal heap whose root is a direct block (its stored size and mask are in the header)",
    BY_HAND,
)
def heap_filtered_root_block(c):
    filtered_heap(c.name, 0, (0,))


@case("heap_huge_indirect.h5", "huge objects found by key through a version 2 B-tree of type 1", BY_HAND)
def heap_huge_indirect(c):
    def make(image):
        image.superblock2()
        target(image)
        heap = Heap("heap")
        ids = [(n, heap.add(image, hard_or_soft(image, i, n))) for i, n in enumerate((b"small 0", b"small 1"))]
        for i in range(5):
            name = b"huge %d " % i + b"h" * 600
            ids.append((name, heap.add_huge(image, link_body(name, "x", image, width=2))))
        dense_root(image, heap, ids)

    build(c.name, make)


@case(
    "heap_tiny_and_direct_huge.h5",
    "tiny objects (inside the heap ID) and huge objects whose ID is their address (B-tree type 3): addresses of 2, "
    "lengths of 4 bytes",
    BY_HAND,
)
def heap_tiny_and_direct_huge(c):
    def make(image):
        image.superblock2()
        target(image)
        heap = Heap("heap")
        ids = [(n, heap.add_tiny(link_body(n, "x", image))) for n in (b"t", b"u")]
        ids += [(n, heap.add(image, link_body(n, "x", image))) for n in (b"managed", b"other")]
        for i in range(2):
            name = b"huge %d " % i + b"h" * 600
            ids.append((name, heap.add_huge(image, link_body(name, "x", image, width=2), direct=True)))
        dense_root(image, heap, ids, huge_direct=True)

    build(c.name, make, offsets=2, lengths=4)


@case(
    "btree2_depth_3.h5",
    "version 2 B-tree of depth 3 (nodes of 128 bytes): pointer fields of every width; 400 links",
    BY_HAND,
)
def btree2_depth_3(c):
    def make(image):
        image.superblock2()
        target(image)
        heap = Heap("heap", width=4, max_direct=65536, rows=4)
        names = [b"name %03d" % i for i in range(400)]
        ids = [(n, heap.add(image, hard_or_soft(image, i, n))) for i, n in enumerate(names)]
        dense_root(image, heap, ids, 128, 3)

    build(c.name, make)
