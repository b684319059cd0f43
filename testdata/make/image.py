"""A small builder for HDF5 files made by hand, and the checksums of the format.

A file is built twice by the same function: the first run learns where each label lies, the second
writes the addresses. So a structure may name a block that comes later, and its body is plain bytes.
"""

import struct

import numpy as np

SIGNATURE = b"\x89HDF\r\n\x1a\n"
UNDEFINED = -1


def uint(value, width):
    """A little-endian unsigned integer; -1 is all ones (undefined, unlimited)."""
    return (value % (1 << 8 * width)).to_bytes(width, "little")


def padded(data, multiple=8):
    return data + bytes(-len(data) % multiple)


def lookup3(data, initial=0):
    """Jenkins lookup3, hashlittle(): the metadata checksum and the hash of names."""
    mask = 0xFFFFFFFF

    def rot(x, k):
        return (x << k | x >> 32 - k) & mask

    a = b = c = (0xDEADBEEF + len(data) + initial) & mask
    if not data:
        return c
    blocks = max(0, (len(data) - 1) // 12)
    for at in range(0, 12 * blocks, 12):
        x, y, z = struct.unpack_from("<III", data, at)
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        for k, l, m in ((4, 6, 8), (16, 19, 4)):
            a = (a - c & mask) ^ rot(c, k)
            c = c + b & mask
            b = (b - a & mask) ^ rot(a, l)
            a = a + c & mask
            c = (c - b & mask) ^ rot(b, m)
            b = b + a & mask
    x, y, z = struct.unpack("<III", data[12 * blocks :].ljust(12, b"\0"))
    a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
    for k, l, m in ((14, 11, 25), (16, 4, 14)):
        c = (c ^ b) - rot(b, k) & mask
        a = (a ^ c) - rot(c, l) & mask
        b = (b ^ a) - rot(a, m) & mask
    return (c ^ b) - rot(b, 24) & mask


def fletcher32(data):
    """The checksum of the fletcher32 filter: 16-bit words taken big-endian."""
    first = second = 0
    for at in range(0, len(data), 2):
        first += int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big")
        first = (first & 0xFFFF) + (first >> 16)
        second += first
        second = (second & 0xFFFF) + (second >> 16)
    return second << 16 | first


def encoded(limit):
    """Bytes needed for any value up to `limit`."""
    return max(0, limit.bit_length() - 1) // 8 + 1


class Image:
    """The bytes of a file, with labels for the places in it."""

    def __init__(self, labels, offsets=8, lengths=8):
        self.known, self.offsets, self.lengths = labels, offsets, lengths
        self.labels = {}
        self.data = bytearray()

    def at(self, label):
        """The address of a label; None is the undefined address."""
        return UNDEFINED if label is None else self.known.get(label, 0)

    def addr(self, label):
        """An address field."""
        return uint(self.at(label), self.offsets)

    def length(self, value):
        """A length field."""
        return uint(value, self.lengths)

    def place(self, label, data, size=None, align=8):
        """Append a block, zero-filled up to `size`, and give its place a label."""
        self.data += bytes(-len(self.data) % align)
        self.labels[label] = len(self.data)
        self.data += data if size is None else data.ljust(size, b"\0")

    def checked(self, label, data, size=None):
        """Append a block followed by its checksum."""
        self.place(label, data + uint(lookup3(data), 4), size)

    # ------------------------------------------------------------ file level

    def superblock2(self, root="root", version=3, extension=None, flags=0):
        self.checked(
            "superblock",
            SIGNATURE
            + bytes([version, self.offsets, self.lengths, flags])
            + uint(0, self.offsets)
            + self.addr(extension)
            + self.addr("end")
            + self.addr(root),
        )

    def superblock0(self, root="root", leaf_k=4, internal_k=16, flags=0):
        self.place(
            "superblock",
            SIGNATURE
            + bytes([0, 0, 0, 0, 0, self.offsets, self.lengths, 0])
            + uint(leaf_k, 2)
            + uint(internal_k, 2)
            + uint(flags, 4)
            + uint(0, self.offsets)
            + self.addr(None)
            + self.addr("end")
            + self.addr(None)
            + uint(0, self.offsets)
            + self.addr(root)
            + bytes(24),
        )

    def finish(self):
        self.labels["end"] = len(self.data)
        return bytes(self.data)

    # ------------------------------------------------------------ object headers

    def header2(self, label, messages, order=False, gap=0, times=None, attribute_phase=None):
        """A version 2 object header with one chunk. A message is (type, body) or (type, body, flags)."""
        body = messages2(messages, order) + bytes(gap)
        flags = 2 | 4 * order | 32 * (times is not None) | 16 * (attribute_phase is not None)
        prefix = b"OHDR" + bytes([2, flags])
        prefix += b"".join(uint(t, 4) for t in times or ()) + b"".join(uint(n, 2) for n in attribute_phase or ())
        self.checked(label, prefix + uint(len(body), 4) + body)

    def continuation2(self, label, messages, order=False, gap=0):
        self.checked(label, b"OCHK" + messages2(messages, order) + bytes(gap))

    def header1(self, label, messages, references=1, count=None):
        """A version 1 object header with one chunk; `count` counts the messages of all chunks."""
        body = messages1(messages)
        self.place(
            label,
            b"\x01\0"
            + uint(len(messages) if count is None else count, 2)
            + uint(references, 4)
            + uint(len(body), 4)
            + bytes(4)
            + body,
        )

    def continuation1(self, label, messages):
        self.place(label, messages1(messages))

    def continue_at(self, label, length):
        """A continuation message."""
        return 0x10, self.addr(label) + self.length(length)


def messages2(messages, order=False):
    out = b""
    for number, (kind, body, *flags) in enumerate(messages):
        out += uint(kind, 1) + uint(len(body), 2) + uint(flags[0] if flags else 0, 1)
        out += (uint(number, 2) if order else b"") + body
    return out


def messages1(messages):
    out = b""
    for kind, body, *flags in messages:
        body = padded(body)
        out += uint(kind, 2) + uint(len(body), 2) + uint(flags[0] if flags else 0, 1) + bytes(3) + body
    return out


def assemble(make, **widths):
    """Run `make(image)` until the labels stand still; gives the bytes and the labels."""
    labels = {}
    while True:
        image = Image(labels, **widths)
        make(image)
        data = image.finish()
        if image.labels == labels:
            return data, labels
        labels = image.labels


def build(path, make, **widths):
    """Assemble a file and write it; gives the labels."""
    data, labels = assemble(make, **widths)
    with open(path, "wb") as out:
        out.write(data)
    return labels


# ---------------------------------------------------------------- message bodies


def dataspace(image, dims, maxdims=None):
    body = bytes([2, len(dims), 1 if maxdims else 0, 1 if dims else 0])
    return 0x01, body + b"".join(image.length(d) for d in tuple(dims) + tuple(maxdims or ()))


def integer(size=4, signed=True, big=False):
    return 0x03, bytes([0x10, big | signed << 3, 0, 0]) + uint(size, 4) + uint(0, 2) + uint(8 * size, 2)


def fill(value=b"", flags=0x0A):
    """Fill value, version 3: late allocation, written if set."""
    return 0x05, bytes([3, flags | 0x20 * bool(value)]) + (uint(len(value), 4) + value if value else b"")


def contiguous(image, label, size):
    return 0x08, bytes([3, 1]) + image.addr(label) + image.length(size)


def link_info(image, heap=None, names=None):
    return 0x02, bytes([0, 0]) + image.addr(heap) + image.addr(names)


def group_info():
    return 0x0A, bytes([0, 0])


def link_body(name, target, image=None, width=1, charset=None, order=None):
    """A link message's body: `target` is a label (hard link) or a soft link's path as bytes."""
    soft = isinstance(target, bytes)
    flags = {1: 0, 2: 1, 4: 2, 8: 3}[width] | 8 * soft | 4 * (order is not None) | 16 * (charset is not None)
    body = bytes([1, flags]) + (b"\x01" if soft else b"")
    body += (uint(order, 8) if order is not None else b"") + (bytes([charset]) if charset is not None else b"")
    body += uint(len(name), width) + name
    return body + (uint(len(target), 2) + target if soft else image.addr(target))


def link(name, target, image=None, **how):
    return 0x06, link_body(name, target, image, **how)


def number_attribute(name, value):
    """A scalar i32 attribute, version 3."""
    kind = integer(4)[1]
    scalar = bytes([2, 0, 0, 0])
    return 0x0C, bytes([3, 0]) + uint(len(name) + 1, 2) + uint(len(kind), 2) + uint(
        len(scalar), 2
    ) + b"\0" + name + b"\0" + kind + scalar + uint(value, 4)


def numbers(count, width=4, first=0):
    """`count` consecutive little-endian integers, as bytes."""
    return np.arange(first, first + count).astype(f"<i{width}").tobytes()


def small_dataset(image, label, data, width=4):
    """A one-dimensional contiguous integer dataset with a version 2 header, and its data."""
    image.place(label + " data", data)
    image.header2(
        label,
        [dataspace(image, [len(data) // width]), integer(width), fill(), contiguous(image, label + " data", len(data))],
    )


# ---------------------------------------------------------------- patching


def patch(path, old, new, count=1):
    """Replace bytes that must occur exactly `count` times."""
    with open(path, "rb") as file:
        data = file.read()
    if data.count(old) != count:
        raise ValueError(f"{path}: {old!r} occurs {data.count(old)} times, not {count}")
    with open(path, "wb") as out:
        out.write(data.replace(old, new))


def patch_at(path, position, new):
    with open(path, "r+b") as file:
        file.seek(position)
        file.write(new)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def seal_superblock(path, at=0):
    """Recompute the checksum of a version 2 or 3 superblock (8-byte offsets)."""
    patch_at(path, at + 44, uint(lookup3(read(path)[at : at + 44]), 4))


def header2_extent(data, at):
    """(start of the messages, position of the checksum) of a version 2 object header."""
    flags = data[at + 5]
    start = at + 6 + 16 * bool(flags & 32) + 4 * bool(flags & 16)
    width = 1 << (flags & 3)
    return start + width, start + width + int.from_bytes(data[start : start + width], "little")


def settle_times(path, now=1600000000):
    """Set the times in version 2 object headers to a fixed one: libhdf5 stores the clock's in some of its own headers."""
    data = read(path)
    at = data.find(b"OHDR\x02")
    while at >= 0:
        _, end = header2_extent(data, at)
        whole = data[at + 5] & 0x20 and data[end : end + 4] == uint(lookup3(data[at:end]), 4)
        if whole and int.from_bytes(data[at + 6 : at + 10], "little") > now:
            patch_at(path, at + 6, uint(now, 4) * 4)
            seal_header(path, at)
        at = data.find(b"OHDR\x02", at + 1)


def seal_header(path, at):
    """Recompute the checksum of a version 2 object header's first chunk."""
    data = read(path)
    _, end = header2_extent(data, at)
    patch_at(path, end, uint(lookup3(data[at:end]), 4))
