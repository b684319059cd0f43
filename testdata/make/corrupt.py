"""Damaged files: a reader must answer with an error, in little time and memory. There is nothing to expect but that."""

import zlib

import numpy as np
from h5py import h5s, h5t

from .case import corrupt
from .elements import Sequences
from .hdf5 import UNLIMITED, attribute, chunk_write, create, dataset, dataset_list, group
from .heaps import Heap, dense_root, hard_or_soft, target
from .image import (
    SIGNATURE,
    UNDEFINED,
    build,
    contiguous,
    dataspace,
    fill,
    group_info,
    integer,
    link,
    link_info,
    lookup3,
    messages1,
    messages2,
    numbers,
    padded,
    patch_at,
    read,
    seal_header,
    small_dataset,
    uint,
)
from .superblocks import small_tree
from .virtual import box, virtual

# ---------------------------------------------------------------- not a file


def written(name, fault, data):
    @corrupt(name, fault)
    def make(c):
        with open(c.name, "wb") as out:
            out.write(data)


written("empty.h5", "an empty file", b"")
written("not_hdf5.h5", "text", b"This is not an HDF5 file.\n" * 50)
written("signature_only.h5", "the signature and nothing else", SIGNATURE)
written("superblock_version.h5", "a superblock of version 9", SIGNATURE + bytes([9, 8, 8]) + bytes(90))
written("superblock_widths.h5", "a superblock that claims offsets of 3 bytes", SIGNATURE + bytes([2, 3, 8]) + bytes(90))

for _low, _cuts in (("earliest", (9, 60, 96, 300, 800, 1500, 3000)), ("v200", (13, 47, 48, 100, 260, 600, 1200))):
    for _cut in _cuts:

        @corrupt(f"truncated_{_low}_{_cut:04}.h5", f"the first {_cut} bytes of a good file (lower bound {_low})")
        def truncated(c, low=_low, cut=_cut):
            with create(c.name, low) as f:
                small_tree(f)
            data = read(c.name)
            with open(c.name, "wb") as out:
                out.write(data[:cut])


# ---------------------------------------------------------------- structures that lead to themselves


def old_group(image, tree=None, heap="heap", name=b"x"):
    """A root group of the old style: header, B-tree, symbol node, local heap; `tree` replaces the B-tree's label."""
    image.superblock2(version=2)
    small_dataset(image, "x", numbers(3))
    names = bytes(8) + padded(name + b"\0")
    image.place("heap data", names + uint(1, 8) + uint(16, 8))
    image.place(
        "heap", b"HEAP" + bytes(4) + image.length(len(names) + 16) + image.length(len(names)) + image.addr("heap data")
    )
    symbol = uint(8, 8) + image.addr("x") + bytes(24)
    image.place("node", b"SNOD" + bytes([1, 0]) + uint(1, 2) + symbol, 8 + 8 * 40)
    image.header1("root", [(0x11, image.addr(tree or "tree") + image.addr(heap))])


def tree_node(image, label, child, level=0, used=1, kind=0, left=None, right=None):
    body = b"TREE" + bytes([kind, level]) + uint(used, 2) + image.addr(left) + image.addr(right)
    image.place(label, body + image.length(0) + image.addr(child) + image.length(8), 24 + 32 * 8 + 33 * 8)


def by_hand(name, fault):
    """Register a function of an image as the maker of a damaged file."""

    def register(make):
        corrupt(name, fault)(lambda c: build(c.name, make))
        return make

    return register


@by_hand("group_btree_cycle.h5", "a group's version 1 B-tree whose only child is itself")
def group_btree_cycle(image):
    old_group(image)
    tree_node(image, "tree", "tree", level=1)


@by_hand(
    "group_btree_cycle_of_two.h5", "two version 1 B-tree nodes that are each other's child, and siblings in a ring"
)
def group_btree_cycle_of_two(image):
    old_group(image)
    tree_node(image, "tree", "second", level=2, left="second", right="second")
    tree_node(image, "second", "tree", level=1, left="tree", right="tree")


@by_hand("group_heap_is_itself.h5", "a symbol table whose local heap is its own B-tree")
def group_heap_is_itself(image):
    old_group(image, heap="tree")
    tree_node(image, "tree", "node")


@by_hand(
    "group_heap_data_is_heap.h5",
    "a local heap whose data segment is the heap's own header, and whose free list ends nowhere",
)
def group_heap_data_is_heap(image):
    old_group(image, heap="bad heap")
    image.place("bad heap", b"HEAP" + bytes(4) + image.length(1 << 40) + image.length(0) + image.addr("bad heap"))
    tree_node(image, "tree", "node")


@by_hand("symbol_count.h5", "a symbol node that claims 65535 entries")
def symbol_count(image):
    old_group(image, tree="bad tree")
    image.place("bad node", b"SNOD" + bytes([1, 0]) + uint(65535, 2) + uint(8, 8) + image.addr("x") + bytes(24))
    tree_node(image, "bad tree", "bad node")


@by_hand("symbol_nodes_repeated.h5", "a version 1 B-tree node all of whose 32 children are one symbol node")
def symbol_nodes_repeated(image):
    old_group(image, tree="bad tree")
    symbols = b"".join(uint(8, 8) + image.addr("x") + bytes(24) for _ in range(8))
    image.place("full node", b"SNOD" + bytes([1, 0]) + uint(8, 2) + symbols)
    body = b"TREE" + bytes([0, 0]) + uint(32, 2) + image.addr(None) + image.addr(None)
    children = b"".join(image.addr("full node") + image.length(8) for _ in range(32))
    image.place("bad tree", body + image.length(0) + children)


@by_hand("group_btree_count.h5", "a version 1 B-tree node that claims 65535 entries")
def group_btree_count(image):
    old_group(image)
    tree_node(image, "tree", "node", used=65535)


@by_hand("name_outside_heap.h5", "a symbol whose name lies beyond the local heap")
def name_outside_heap(image):
    old_group(image, tree="bad tree")
    image.place("bad node", b"SNOD" + bytes([1, 0]) + uint(1, 2) + uint(1 << 50, 8) + image.addr("x") + bytes(24), 328)
    tree_node(image, "bad tree", "bad node")


@by_hand("continuation_cycle_1.h5", "a version 1 header whose continuation block continues in itself")
def continuation_cycle_1(image):
    image.superblock2()
    image.header1("root", [link_info(image), group_info(), image.continue_at("block", 24)])
    image.continuation1("block", [image.continue_at("block", 24)])


@by_hand("continuation_cycle_2.h5", "a version 2 header whose continuation blocks continue in each other")
def continuation_cycle_2(image):
    image.superblock2()
    image.header2("root", [link_info(image), group_info(), image.continue_at("one", 28)])
    image.continuation2("one", [image.continue_at("two", 28)])
    image.continuation2("two", [image.continue_at("one", 28)])


@by_hand("continuation_length.h5", "a continuation block of 2^62 bytes")
def continuation_length(image):
    image.superblock2()
    image.header2("root", [link_info(image), group_info(), image.continue_at("root", 1 << 62)])


@by_hand("btree2_cycle.h5", "a version 2 B-tree whose internal node is its own child (checksums right)")
def btree2_cycle(image):
    image.superblock2()
    target(image)
    heap = Heap("heap")
    record = uint(lookup3(b"x"), 4) + heap.add(image, hard_or_soft(image, 0, b"x"))
    heap.place(image)
    image.checked("node", b"BTIN" + bytes([0, 5]) + record + (image.addr("node") + uint(1, 1)) * 2, 512)
    image.checked(
        "names",
        b"BTHD"
        + bytes([0, 5])
        + uint(512, 4)
        + uint(11, 2)
        + uint(1, 2)
        + bytes([100, 40])
        + image.addr("node")
        + uint(1, 2)
        + image.length(1000),
    )
    image.header2("root", [link_info(image, "heap", "names"), group_info()])


@by_hand("btree2_depth.h5", "a version 2 B-tree that claims a depth of 65535")
def btree2_depth(image):
    image.superblock2()
    target(image)
    heap = Heap("heap")
    heap.place(image)
    image.checked(
        "names",
        b"BTHD"
        + bytes([0, 5])
        + uint(512, 4)
        + uint(11, 2)
        + uint(65535, 2)
        + bytes([100, 40])
        + image.addr("names")
        + uint(1, 2)
        + image.length(1000),
    )
    image.header2("root", [link_info(image, "heap", "names"), group_info()])


@by_hand(
    "heap_id_outside.h5",
    "heap IDs that point beyond the fractal heap, of a reserved type, and a huge object that is not there",
)
def heap_id_outside(image):
    image.superblock2()
    target(image)
    ids = [
        (b"far", b"\0" + uint(1 << 31, 4) + uint(40, 2)),
        (b"kind", b"\x30" + bytes(6)),
        (b"huge", b"\x10" + uint(77, 6)),
        (b"long", b"\0" + uint(21, 4) + uint(65535, 2)),
    ]
    dense_root(image, Heap("heap"), ids)


@by_hand("heap_indirect_cycle.h5", "a fractal heap whose indirect block is its own child")
def heap_indirect_cycle(image):
    image.superblock2()
    target(image)
    entries = image.addr(None) * 6 + image.addr("block") * 8
    image.checked("block", b"FHIB\0" + image.addr("cyclic") + uint(0, 4) + entries)
    dense_root(image, Heap("cyclic", rows=7, blocks=()), [(b"x", b"\0" + uint(70000, 4) + uint(20, 2))], root="block")


# ---------------------------------------------------------------- claims that are too large


def dataset_of(name, fault, *messages):
    """A file with the dataset /x made of the given messages (functions of the image)."""

    @by_hand(name, fault)
    def make(image):
        image.superblock2()
        image.place("data", numbers(16))
        image.header2("x", [m(image) if callable(m) else m for m in messages])
        image.header2("root", [link_info(image), group_info(), link(b"x", "x", image)])


HUGE = 1 << 61
STORED = lambda image: contiguous(image, "data", 64)  # noqa: E731
SPACE = lambda image: dataspace(image, [4])  # noqa: E731


def chunk_layout(*dims, index=bytes([1]), width=8):
    """A version 4 layout message whose chunk is at the data."""
    return lambda image: (
        0x08,
        bytes([4, 2, 0, len(dims), width]) + b"".join(uint(d, width) for d in dims) + index + image.addr("data"),
    )


dataset_of(
    "extent_huge.h5",
    "a contiguous dataset of 2^61 elements in 64 bytes",
    lambda i: dataspace(i, [HUGE]),
    integer(),
    fill(),
    STORED,
)
dataset_of(
    "extent_overflow.h5",
    "extents whose product overflows 64 bits",
    lambda i: dataspace(i, [1 << 40, 1 << 40]),
    integer(),
    fill(),
    STORED,
)
dataset_of("rank_33.h5", "a dataspace of rank 33", lambda i: dataspace(i, [1] * 33), integer(), fill(), STORED)
dataset_of(
    "extent_above_maximum.h5",
    "a dimension above its maximum",
    lambda i: dataspace(i, [9], [4]),
    integer(),
    fill(),
    STORED,
)
dataset_of(
    "chunk_huge.h5",
    "a chunk of 2^60 elements",
    lambda i: dataspace(i, [1 << 60]),
    integer(),
    fill(),
    chunk_layout(1 << 60, 4),
)
dataset_of("chunk_zero.h5", "a chunk dimension of 0", SPACE, integer(), fill(), chunk_layout(0, 4))
dataset_of(
    "chunk_rank.h5",
    "a chunk with more dimensions than the dataspace",
    SPACE,
    integer(),
    fill(),
    chunk_layout(2, 2, 2, 4),
)
dataset_of(
    "layout_class.h5", "a layout class nobody knows", SPACE, integer(), fill(), (0x08, bytes([3, 9]) + bytes(16))
)
dataset_of(
    "layout_short.h5",
    "a contiguous dataset that is shorter than its dataspace",
    lambda i: dataspace(i, [400]),
    integer(),
    fill(),
    STORED,
)
dataset_of("no_dataspace.h5", "a dataset without dataspace", integer(), fill(), STORED)
dataset_of("no_datatype.h5", "a dataset without datatype", SPACE, fill(), STORED)
dataset_of("type_size_zero.h5", "an integer of 0 bytes", SPACE, integer(0), fill(), STORED)
dataset_of(
    "type_class.h5", "datatype class 15", SPACE, (0x03, bytes([0x1F, 0, 0, 0]) + uint(4, 4) + bytes(8)), fill(), STORED
)
dataset_of(
    "integer_bits.h5",
    "an integer whose bits lie outside its bytes",
    SPACE,
    (0x03, bytes([0x10, 0, 0, 0]) + uint(4, 4) + uint(30, 2) + uint(60, 2)),
    fill(),
    STORED,
)
dataset_of(
    "float_fields.h5",
    "a float whose exponent lies outside its bytes",
    SPACE,
    (
        0x03,
        bytes([0x11, 0x20, 31, 0]) + uint(4, 4) + uint(0, 2) + uint(32, 2) + bytes([200, 60, 0, 255]) + uint(127, 4),
    ),
    fill(),
    STORED,
)
dataset_of(
    "compound_members.h5",
    "a compound that claims 65535 members",
    SPACE,
    (0x03, bytes([0x36, 255, 255, 0]) + uint(4, 4) + b"a\0\0"),
    fill(),
    STORED,
)
dataset_of(
    "compound_outside.h5",
    "a compound member outside the compound",
    SPACE,
    (0x03, bytes([0x36, 1, 0, 0]) + uint(4, 4) + b"a\0\3" + integer()[1]),
    fill(),
    STORED,
)
dataset_of(
    "array_overflow.h5",
    "an array type whose dimensions overflow",
    SPACE,
    (0x03, bytes([0x3A, 0, 0, 0]) + uint(64, 4) + bytes([4]) + uint(UNDEFINED, 4) * 4 + integer()[1]),
    fill(),
    STORED,
)
dataset_of(
    "fill_size.h5",
    "a fill value of 2^31 - 1 bytes",
    SPACE,
    integer(),
    (0x05, bytes([3, 0x29]) + uint((1 << 31) - 1, 4) + bytes(4)),
    STORED,
)
dataset_of(
    "attribute_size.h5",
    "an attribute whose parts exceed its message",
    SPACE,
    integer(),
    fill(),
    STORED,
    (0x0C, bytes([3, 0]) + uint(60000, 2) * 3 + b"\0a\0"),
)
dataset_of(
    "attribute_extent.h5",
    "an attribute of 2^40 elements in 4 bytes",
    SPACE,
    integer(),
    fill(),
    STORED,
    (
        0x0C,
        bytes([3, 0])
        + uint(2, 2)
        + uint(12, 2)
        + uint(12, 2)
        + b"\0a\0"
        + integer()[1]
        + bytes([2, 1, 0, 1])
        + uint(1 << 40, 8)
        + bytes(4),
    ),
)
dataset_of(
    "shared_to_itself.h5",
    "a datatype message shared with its own header",
    SPACE,
    lambda i: (0x03, bytes([3, 2]) + i.addr("x"), 0x02),
    fill(),
    STORED,
)
dataset_of(
    "pipeline_count.h5",
    "a pipeline that claims 255 filters",
    SPACE,
    integer(),
    fill(),
    STORED,
    (0x0B, bytes([2, 255]) + bytes(8)),
)
dataset_of(
    "fixed_array_elsewhere.h5",
    "a fixed array whose header is not one",
    SPACE,
    integer(),
    fill(),
    chunk_layout(2, 4, index=bytes([3, 10])),
)
dataset_of(
    "virtual_elsewhere.h5",
    "a virtual dataset whose mapping lies in a heap that is not one",
    SPACE,
    integer(),
    fill(),
    lambda i: (0x08, bytes([4, 3]) + i.addr("data") + uint(1, 4)),
)


def nested_type(depth):
    """An array of an array of ... an integer."""
    body = integer(1)[1]
    for _ in range(depth):
        body = bytes([0x3A, 0, 0, 0]) + uint(1, 4) + bytes([1]) + uint(1, 4) + body
    return 0x03, body


dataset_of("type_nested.h5", "a datatype nested 1000 levels deep", SPACE, nested_type(1000), fill(), STORED)


@by_hand("link_name_length.h5", "a link whose name claims 2^60 bytes")
def link_name_length(image):
    image.superblock2()
    image.header2(
        "root", [link_info(image), group_info(), (0x06, bytes([1, 3]) + uint(1 << 60, 8) + b"x" + image.addr("root"))]
    )


@by_hand("link_to_nowhere.h5", "hard links beyond the file, to the superblock, to the undefined address")
def link_to_nowhere(image):
    image.superblock2()
    places = {b"beyond": uint(1 << 50, 8), b"superblock": uint(0, 8), b"undefined": uint(UNDEFINED, 8)}
    image.header2(
        "root", [link_info(image), group_info()] + [(0x06, bytes([1, 0, len(n)]) + n + a) for n, a in places.items()]
    )


@by_hand("message_outside_header.h5", "a message that runs past its header")
def message_outside_header(image):
    image.superblock2()
    body = bytes([0x0D]) + uint(5000, 2) + b"\0" + b"comment\0"
    image.checked("root", b"OHDR" + bytes([2, 0, len(body)]) + body)


# ---------------------------------------------------------------- files of the library, changed


def changed(name, fault, low="v200"):
    """Register change(data) -> data of a file of the library: new structures, or only a small tree of old ones."""

    def register(change):
        @corrupt(name, fault)
        def make(c):
            everything(c.name, low)
            data = change(bytearray(read(c.name)))
            with open(c.name, "wb") as out:
                out.write(data)

        return change

    return register


def everything(path, low):
    with create(path, low) as f:
        small_tree(f)
        if low == "earliest":
            return
        many = group(f, "many")
        for i in range(40):
            many[f"link {i}"] = f["g"]
            many.attrs[f"attribute {i}"] = np.int32(i)
        for name, rows, maxshape in (("fixed", 40, None), ("extensible", 130, (None, 4)), ("btree", 40, (None, None))):
            dataset(f, name, "<i4", (rows, 4), np.arange(rows * 4).reshape(rows, 4), maxshape, chunk=(1, 2))
        plist = dataset_list()
        plist.set_virtual(box((4,), (0,), (4,)), b"absent.h5", b"x", box((4,), (0,), (4,)))
        dataset(f, "virtual", "<i4", (4,), plist=plist)


for _signature in (
    "OHDR",
    "OCHK",
    "BTHD",
    "BTLF",
    "BTIN",
    "FRHP",
    "FHDB",
    "FHIB",
    "FAHD",
    "FADB",
    "EAHD",
    "EAIB",
    "EADB",
    "EASB",
):

    @changed(f"checksum_{_signature}.h5", f"one bit changed in every {_signature} block, the checksum left as it was")
    def flipped(data, signature=_signature.encode()):
        at = data.find(signature)
        assert at >= 0, signature
        while at >= 0:
            data[at + 12] ^= 0x10
            at = data.find(signature, at + 1)
        return data


@changed("checksum_superblock.h5", "one bit changed in the superblock's end-of-file address")
def checksum_superblock(data):
    data[28] ^= 1
    return data


@changed("global_heap_size.h5", "a global heap collection that claims 2^60 bytes", "earliest")
def global_heap_size(data):
    at = data.find(b"GCOL")
    data[at + 8 : at + 16] = uint(1 << 60, 8)
    return data


@changed("global_heap_object.h5", "a global heap object that is longer than its collection", "earliest")
def global_heap_object(data):
    at = data.find(b"GCOL")
    data[at + 24 : at + 32] = uint(1 << 40, 8)
    return data


def chunk_with(name, fault, raw, deflate=True):
    @corrupt(name, fault)
    def make(c):
        with create(c.name) as f:
            plist = dataset_list(chunk=(1000,))
            if deflate:
                plist.set_deflate(6)
            d = dataset(f, "x", "<i4", (2000,), maxshape=(UNLIMITED,), plist=plist)
            chunk_write(d, (0,), zlib.compress(bytes(4000)))
            chunk_write(d, (1000,), raw)


chunk_with(
    "deflate_bomb.h5", "a chunk of 4000 bytes whose stream inflates to 16 MiB", zlib.compress(bytes(16 << 20), 9)
)
chunk_with("deflate_short.h5", "a chunk whose stream gives fewer bytes than the chunk holds", zlib.compress(bytes(100)))
chunk_with("deflate_cut.h5", "a chunk whose stream ends early", zlib.compress(numbers(1000))[:300])
chunk_with("deflate_noise.h5", "a chunk that is no stream at all", b"\xff" * 100)


@corrupt("chunk_btree_cycle.h5", "a chunk's version 1 B-tree whose root is its own child")
def chunk_btree_cycle(c):
    with create(c.name, istore_k=1) as f:
        dataset(f, "x", "<i4", (64,), np.arange(64), chunk=(4,))
    data = read(c.name)
    nodes = [at for at in range(len(data)) if data[at : at + 5] == b"TREE\1"]
    root = max(nodes, key=lambda at: data[at + 5])
    patch_at(c.name, root + 24 + 24, uint(root, 8))


@corrupt("sequences_of_themselves.h5", "sequences of sequences, eight deep: all 200 elements of each are the one heap object")
def sequences_of_themselves(c):
    count = 200
    kind = h5t.STD_I32LE
    for _ in range(8):
        kind = h5t.vlen_create(kind)
    keep = Sequences()
    with create(c.name) as f:
        dataset(f, "x", kind, (), raw=keep.sequence(keep.sequence(b"", 0) * count, count))
    heap = read(c.name).find(b"GCOL")
    patch_at(c.name, heap + 32, (uint(count, 4) + uint(heap, 8) + uint(1, 4)) * count)


@corrupt("virtual_of_itself.h5", "a virtual dataset both of whose mappings lead to the dataset itself")
def virtual_of_itself(c):
    whole = h5s.create_simple((4,))
    with create(c.name, "v110") as f:
        virtual(f, "x", "<i4", (4,), [(whole, ".", "x", whole)] * 2)


@corrupt("virtual_overlap.h5", "200 mappings of 46 bytes each, all of which map the same 250,000 elements one by one")
def virtual_overlap(c):
    import h5py

    n = 250_000
    with h5py.File(c.name, "w", libver="latest") as f:
        f.create_dataset("s", (2 * n,), "i1", chunks=(1 << 16,))
        layout = h5py.VirtualLayout((2 * n,), "i1")
        for _ in range(200):
            layout[0 : 2 * n : 2] = h5py.VirtualSource(".", "s", (2 * n,))[0 : 2 * n : 2]
        f.create_virtual_dataset("v", layout)


def all_as_the_first(c, data, places, size):
    """Give all these places in version 2 headers the bytes of the first."""
    first = data[places[0] : places[0] + size]
    for at in places:
        data[at : at + size] = first
    with open(c.name, "wb") as out:
        out.write(data)
    for at in places:
        seal_header(c.name, data.rindex(b"OHDR", 0, at))


@corrupt("virtual_mappings_shared.h5", "61 virtual datasets, all of which have the 300 mappings of one of them")
def virtual_mappings_shared(c):
    import h5py

    with h5py.File(c.name, "w", libver="latest") as f:
        f.create_dataset("s", data=np.arange(300, dtype="i1"))
        for i in range(61):
            layout = h5py.VirtualLayout((300,), "i1")
            for n in range(300 if i == 0 else 1):
                layout[n : n + 1] = h5py.VirtualSource(".", "s", (300,))[n : n + 1]
            f.create_virtual_dataset(f"v{i:02}", layout)
    data = bytearray(read(c.name))
    # A layout message of version 4 and class 3 begins so; heap address and index follow, and the header's checksum.
    places = [at for at in range(len(data) - 14) if data[at : at + 2] == b"\x04\x03" and data[at - 4] == 8]
    assert len(places) == 61, places
    all_as_the_first(c, data, [at + 2 for at in places], 12)


@corrupt("attributes_dense_shared.h5", "41 groups, all of which have the 450 dense attributes of one of them")
def attributes_dense_shared(c):
    with create(c.name, "v110") as f:
        for i in range(41):
            g = group(f, f"g{i:02}")
            for n in range(450 if i == 0 else 9):
                attribute(g, f"a{n:03}", "i1", (), n % 100)
    data = bytearray(read(c.name))
    # An attribute info message of 18 bytes without creation order: flags, version, and the addresses of heap and index.
    places = [at for at in range(len(data) - 26) if data[at : at + 6] == b"\x15\x12\0\x04\0\0"]
    assert len(places) == 41, places
    all_as_the_first(c, data, [at + 6 for at in places], 16)


@corrupt("chunk_btree_key.h5", "a chunk's version 1 B-tree in which one chunk of ten says that it begins far outside the dataset")
def chunk_btree_key(c):
    import h5py

    with h5py.File(c.name, "w", libver="earliest") as f:
        f.create_dataset("x", data=np.arange(1, 101, dtype="<i4"), chunks=(10,))
    data = bytearray(read(c.name))
    node = data.index(b"TREE\x01")
    # Keys of 24 bytes (size, mask, two offsets) and addresses of 8 take turns.
    key = node + 24 + 5 * 32
    assert int.from_bytes(data[key + 8 : key + 16], "little") == 50
    data[key + 8 : key + 16] = (1000).to_bytes(8, "little")
    with open(c.name, "wb") as out:
        out.write(data)


# ---------------------------------------------------------------- what is another object's


def names(n):
    return [b"object %02d" % i for i in range(n)]


@by_hand("continuation_shared.h5", "60 groups whose headers all continue in one block that has links to each of them")
def continuation_shared(image):
    image.superblock2(root="object 00")
    links = [link(name, name.decode(), image) for name in names(60)]
    for name in names(60):
        image.header2(
            name.decode(), [link_info(image), group_info(), image.continue_at("block", len(messages2(links)) + 8)]
        )
    image.continuation2("block", links)


@by_hand("headers_overlap.h5", "60 version 1 headers, each of which has the next in its first message and ends where it ends")
def headers_overlap(image):
    image.superblock2(root="object 00")
    links = messages1([link_info(image), *(link(name, name.decode(), image) for name in names(60))])
    for i, name in enumerate(names(60)):
        inner = 24 * (59 - i)
        prefix = b"\x01\0" + uint(62, 2) + uint(1, 4) + uint(8 + inner + len(links), 4) + bytes(4)
        image.place(name.decode(), prefix + uint(0, 2) + uint(inner, 2) + bytes(4))
    image.place("links", links)


@by_hand("symbol_nodes_shared.h5", "60 groups of the old style whose symbol tables are one")
def symbol_nodes_shared(image):
    image.superblock2(root="object 00")
    segment = bytes(8) + b"".join(name.ljust(16, b"\0") for name in names(60))
    image.place("segment", segment)
    size = image.length(len(segment))
    image.place("heap", b"HEAP" + bytes(4) + size + image.length(1) + image.addr("segment"))
    parts = [range(first, min(first + 8, 60)) for first in range(0, 60, 8)]
    body = b"TREE" + bytes([0, 0]) + uint(len(parts), 2) + image.addr(None) * 2 + image.length(0)
    for i, part in enumerate(parts):
        symbols = [uint(8 + 16 * n, 8) + image.addr("object %02d" % n) + bytes(24) for n in part]
        image.place("node %d" % i, b"SNOD" + bytes([1, 0]) + uint(len(part), 2) + b"".join(symbols), 8 + 8 * 40)
        body += image.addr("node %d" % i) + image.length(8 + 16 * part[-1])
    image.place("tree", body, 24 + 32 * 8 + 33 * 8)
    for name in names(60):
        image.header1(name.decode(), [(0x11, image.addr("tree") + image.addr("heap"))])


@by_hand("chunk_index_shared.h5", "60 datasets of 200 chunks whose fixed array is one")
def chunk_index_shared(image):
    image.superblock2()
    image.place("data", b"\x07")
    array = bytes([0, 0, 8, 10]) + image.length(200) + image.addr("block")
    image.checked("array", b"FAHD" + array)
    image.checked("block", b"FADB" + bytes([0, 0]) + image.addr("array") + image.addr("data") * 200)
    layout = 0x08, bytes([4, 2, 0, 2, 1, 1, 1, 3, 10]) + image.addr("array")
    for name in names(60):
        image.header2(name.decode(), [dataspace(image, [200]), integer(1), fill(), layout])
    image.header2("root", [link_info(image), group_info(), *(link(name, name.decode(), image) for name in names(60))])


# A deflate filter of level 6, in a pipeline of version 2.
DEFLATE = 0x0B, bytes([2, 1]) + uint(1, 2) + uint(0, 2) + uint(1, 2) + uint(6, 4)


@by_hand("chunks_one_address.h5", "40 chunks, all of which are one deflated chunk")
def chunks_one_address(image):
    noise = bytes(lookup3(bytes([n % 256, n // 256])) % 256 for n in range(1000))
    stored = zlib.compress(noise)
    image.superblock2()
    image.place("chunk", stored)
    body = b"TREE" + bytes([1, 0]) + uint(40, 2) + image.addr(None) * 2
    for i in range(40):
        body += uint(len(stored), 4) + uint(0, 4) + uint(1000 * i, 8) + bytes(8) + image.addr("chunk")
    image.place("tree", body + bytes(8) + uint(40_000, 8) + bytes(8), 24 + 64 * 8 + 65 * 24)
    layout = 0x08, bytes([3, 2, 2]) + image.addr("tree") + uint(1000, 4) + uint(1, 4)
    image.header2("x", [dataspace(image, [40_000]), integer(1), fill(), DEFLATE, layout])
    image.header2("root", [link_info(image), group_info(), link(b"x", "x", image)])


@by_hand("chunks_futile.h5", "40 chunks, all of which are one of 8000 deflated blocks that are empty but for the last")
def chunks_futile(image):
    values = bytes(range(100))
    deflater = zlib.compressobj(wbits=-15)
    last = deflater.compress(values) + deflater.flush()
    stored = b"\x78\x9c" + b"\0\0\0\xff\xff" * 8000 + last + uint(zlib.adler32(values), 4)[::-1]
    assert zlib.decompress(stored) == values
    image.superblock2()
    image.place("chunk", stored)
    # Two bytes are enough for the size of a chunk that becomes 100.
    image.checked("array", b"FAHD" + bytes([0, 1, 14, 10]) + image.length(40) + image.addr("block"))
    element = image.addr("chunk") + uint(len(stored), 2) + uint(0, 4)
    image.checked("block", b"FADB" + bytes([0, 1]) + image.addr("array") + element * 40)
    layout = 0x08, bytes([4, 2, 0, 2, 1, 100, 1, 3, 10]) + image.addr("array")
    image.header2("x", [dataspace(image, [4000]), integer(1), fill(), DEFLATE, layout])
    image.header2("root", [link_info(image), group_info(), link(b"x", "x", image)])
