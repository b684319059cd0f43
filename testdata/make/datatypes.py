"""Number types: integers and floats of every shape, time, bit fields, opaque, complex."""

import numpy as np
from h5py import h5t

from .case import BY_HAND, case
from .digest import group_line, integer_kind, known_dataset_line
from .hdf5 import attribute, call, constant, create, dataset, write_raw
from .image import (
    build,
    contiguous,
    dataspace,
    fill,
    group_info,
    integer,
    link,
    link_info,
    uint,
)

NEWER = ("v108", "v200")


def custom_integer(size, order=h5t.ORDER_LE, signed=True, precision=None, offset=0, pads=None):
    """An integer type of any size and precision; pads = (low, high)."""
    t = h5t.STD_I8LE.copy()
    call("H5Tset_size", t, size)
    t.set_order(order)
    t.set_sign(h5t.SGN_2 if signed else h5t.SGN_NONE)
    narrow(t, precision or 8 * size, offset)
    if pads:
        call("H5Tset_pad", t, *pads)
    return t


def narrow(t, precision, offset):
    """Set precision and offset, in the order that suits integers and floats alike."""
    if t.get_class() == h5t.FLOAT:
        call("H5Tset_offset", t, offset)
        call("H5Tset_precision", t, precision)
    else:
        call("H5Tset_precision", t, precision)
        call("H5Tset_offset", t, offset)


def bits_of(values, size, precision=None, offset=0, big=False, ones=False):
    """Integers as element bytes: the value's low bits at `offset`, the pads zeros or ones."""
    precision = precision or 8 * size
    mask = (1 << precision) - 1
    pads = ((1 << 8 * size) - 1) ^ (mask << offset) if ones else 0
    return b"".join((((int(v) & mask) << offset) | pads).to_bytes(size, "big" if big else "little") for v in values)


@case(
    "integers.h5",
    "integers of 1, 2, 4, 8 bytes, signed and unsigned, little- and big-endian, with their extreme values",
)
def integers(c):
    with create(c.name) as f:
        for size in (1, 2, 4, 8):
            for kind in "iu":
                for order in "<>":
                    t = np.dtype(f"{order}{kind}{size}")
                    info = np.iinfo(t)
                    values = np.array([info.min, info.min + 1, 0, 1, info.max - 1, info.max], t)
                    d = dataset(f, f"{kind}{8 * size}{'le' if order == '<' else 'be'}", t, (6,), values)
                    c.expect_read(d, kind + "64")
                    attribute(d, "a", t, (2,), values[:2])


def odd_integer_types():
    """name: (type, size, precision, offset, big-endian, signed)"""
    shapes = [
        (3, 24, 0),
        (5, 40, 0),
        (7, 56, 0),
        (6, 48, 0),
        (4, 20, 6),
        (2, 12, 0),
        (8, 50, 3),
        (4, 31, 1),
        (1, 5, 2),
        (3, 17, 4),
        (16, 60, 8),
    ]
    for size, precision, offset in shapes:
        for signed in (True, False):
            for big in (False, True):
                name = f"{'i' if signed else 'u'}{precision}_at{offset}_in{size}{'be' if big else 'le'}"
                yield name, size, precision, offset, big, signed


@case(
    "integers_odd.h5",
    "integers of 3, 5, 6, 7 and 16 bytes and of partial precision at a bit offset; pads of zeros and of ones; version 2 headers",
)
def integers_odd(c):
    with create(c.name, "v108") as f:
        for name, size, precision, offset, big, signed in odd_integer_types():
            order = h5t.ORDER_BE if big else h5t.ORDER_LE
            low = -(1 << precision - 1) if signed else 0
            high = (1 << precision - signed) - 1
            values = [low, low + 1, 0, 1, 5, high - 1, high]
            for pads in ((h5t.PAD_ZERO, h5t.PAD_ZERO), (h5t.PAD_ONE, h5t.PAD_BACKGROUND)):
                ones = pads[0] == h5t.PAD_ONE
                t = custom_integer(size, order, signed, precision, offset, pads)
                d = dataset(
                    f,
                    name + ("_ones" if ones else ""),
                    t,
                    (7,),
                    raw=bits_of(values, size, precision, offset, big, ones),
                )
                c.expect(d.name, "i64" if signed else "u64", values)


@case(
    "integers_odd_old.h5",
    "integers of 3 bytes and of 20 bits in 4, in version 1 headers, also in attributes and compounds",
)
def integers_odd_old(c):
    with create(c.name) as f:
        values = [-(1 << 19), -1, 0, 5, (1 << 19) - 1]
        for big in (False, True):
            order = h5t.ORDER_BE if big else h5t.ORDER_LE
            t = custom_integer(4, order, True, 20, 7)
            end = "be" if big else "le"
            raw = bits_of(values, 4, 20, 7, big)
            d = dataset(f, "i20" + end, t, (5,), raw=raw)
            attribute(d, "a", t, (5,), raw=raw)
            c.expect("/i20" + end, "i64", values)
            c.expect(f"/i20{end}@a", "i64", values)
            three = custom_integer(3, order)
            dataset(f, "i24" + end, three, (5,), raw=bits_of(values, 3, big=big))
            c.expect("/i24" + end, "i64", values)


@case("integers_wide.h5", "integers of 16 bytes with values beyond 64 bits")
def integers_wide(c):
    with create(c.name, "v200") as f:
        values = [-(1 << 127), -1, 0, 1 << 100, (1 << 127) - 1]
        for big in (False, True):
            t = custom_integer(16, h5t.ORDER_BE if big else h5t.ORDER_LE)
            dataset(f, "be" if big else "le", t, (5,), raw=bits_of(values, 16, big=big))


# ---------------------------------------------------------------- floats


def custom_float(size, order, fields, bias, precision=None, offset=0, norm=h5t.NORM_IMPLIED):
    """A float type; fields = (sign position, exponent position, size, mantissa position, size)."""
    t = h5t.IEEE_F64LE.copy()
    precision = precision or 8 * size
    if size > 8:
        call("H5Tset_size", t, size)
        call("H5Tset_precision", t, precision)
    call("H5Tset_fields", t, *fields)
    call("H5Tset_precision", t, precision + offset)
    call("H5Tset_size", t, size)
    if offset:
        narrow(t, precision, offset)  # may widen the type on its way
        call("H5Tset_size", t, size)
    call("H5Tset_ebias", t, bias)
    call("H5Tset_norm", t, norm)
    t.set_order(order)
    return t


SHAPES = {  # name: size, fields, bias, precision, offset
    "bf16": (2, (15, 7, 8, 0, 7), 127, 16, 0),
    "f24": (3, (23, 16, 7, 0, 16), 63, 24, 0),
    "f8": (1, (7, 3, 4, 0, 3), 7, 8, 0),
    "f20_at4_in4": (4, (23, 17, 6, 4, 13), 31, 20, 4),
    "f128": (16, (127, 112, 15, 0, 112), 16383, 128, 0),
    "wide_exponent": (8, (63, 48, 15, 0, 48), 16383, 64, 0),
}
SAMPLES = np.array(
    [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        3.141592653589793,
        1e-3,
        240.0,
        -7.25,
        np.inf,
        -np.inf,
        np.nan,
        65504.0,
        6e-8,
        1e30,
        -1e-30,
        5e-324,
        1.7e308,
    ]
)


@case(
    "floats.h5",
    "half, single and double floats, little- and big-endian: zeros of both signs, infinities, NaN, subnormals",
)
def floats(c):
    with create(c.name) as f:
        with np.errstate(all="ignore"):
            for size in (2, 4, 8):
                for order in "<>":
                    t = np.dtype(f"{order}f{size}")
                    tiny = np.finfo(t).smallest_subnormal
                    values = np.concatenate([SAMPLES.astype(t), np.array([tiny, 3 * tiny, np.finfo(t).max], t)])
                    d = dataset(f, f"f{8 * size}{'le' if order == '<' else 'be'}", t, values.shape, values)
                    c.expect_read(d, "f64")


for _low in NEWER:

    @case(
        f"floats_odd_{_low}.h5",
        "bfloat16, 8-, 20- and 24-bit floats, binary128, x87 80-bit in 16 bytes, VAX F and D, a wide exponent: "
        f"both orders; lower bound {_low}",
    )
    def floats_odd(c, low=_low):
        with create(c.name, low) as f:
            for name, (size, fields, bias, precision, offset) in SHAPES.items():
                for order, end in ((h5t.ORDER_LE, "le"), (h5t.ORDER_BE, "be")):
                    write_floats(c, f, name + end, custom_float(size, order, fields, bias, precision, offset))
            for end in ("le", "be"):
                t = h5t.NATIVE_LDOUBLE.copy()
                t.set_order(h5t.ORDER_LE if end == "le" else h5t.ORDER_BE)
                write_floats(c, f, "x87" + end, t)
            for name, bits in (("vax_f", 32), ("vax_d", 64)):
                write_floats(
                    c, f, name, constant(f"H5T_VAX_F{bits}_g"), SAMPLES[np.isfinite(SAMPLES) & (np.abs(SAMPLES) < 1e31)]
                )
            for name in ("le", "be"):
                write_floats(c, f, "predefined bf16" + name, constant(f"H5T_FLOAT_BFLOAT16{name.upper()}_g"))


def without_padding(t, raw):
    """Elements of 80-bit floats in 16 bytes with zeros in the 6 bytes that libhdf5 leaves as they are in memory."""
    elements = np.frombuffer(raw, "u1").reshape(-1, 16).copy()
    elements[:, slice(0, 6) if t.get_order() == h5t.ORDER_BE else slice(10, 16)] = 0
    return elements.tobytes()


def write_floats(c, file, name, t, values=SAMPLES):
    """Write doubles converted by libhdf5, and expect what it converts them back to."""
    d = dataset(file, name, t, values.shape, values)
    raw = np.empty(len(values) * t.get_size(), "u1")
    call("H5Dread", d, t, 0, 0, 0, raw)
    if t.get_size() == 16 and t.get_precision() == 80:
        raw = without_padding(t, raw)
        write_raw(d.id, raw)
    c.expect_read(d, "f64")
    attribute(d, "a", t, (3,), raw=raw[: 3 * t.get_size()])


@case(
    "float_normalisations.h5",
    "floats whose mantissa keeps its leading bit (normalisation 'none' and 'most significant bit set')",
)
def float_normalisations(c):
    with create(c.name, "v108") as f:
        values = SAMPLES[np.isfinite(SAMPLES) & (np.abs(SAMPLES) < 1e31) & (np.abs(SAMPLES) > 1e-31)]
        none = custom_float(4, h5t.ORDER_LE, (31, 23, 8, 0, 23), 127, norm=h5t.NORM_NONE)
        leading = custom_float(4, h5t.ORDER_LE, (31, 23, 8, 0, 23), 127, norm=h5t.NORM_MSBSET)
        write_floats(c, f, "none", none, values)
        # libhdf5 does not convert this one: 1.0 and -1.5, the mantissa's top bit stored and worth 1
        raw = uint(127 << 23 | 1 << 22, 4) + uint(1 << 31 | 127 << 23 | 3 << 21, 4)
        dataset(f, "leading bit", leading, (2,), raw=raw)
        c.expect("/leading bit", "f64", [1.0, -1.5])


# ---------------------------------------------------------------- time, bit fields, opaque, complex


@case("time.h5", "time datatypes of 4 and 8 bytes, both orders")
def time(c):
    seconds = [0, 1000000000, 1700000000]
    with create(c.name) as f:
        for size in (4, 8):
            for end in ("le", "be"):
                t = getattr(h5t, f"UNIX_D{8 * size}{end.upper()}")
                raw = bits_of(seconds, size, big=end == "be")
                dataset(f, f"t{8 * size}{end}", t, (3,), raw=raw)
                c.expect(f"/t{8 * size}{end}", "bytes", [raw])


@case("bitfields.h5", "bit fields of 1, 2, 4, 8 bytes, both orders, and of partial precision")
def bitfields(c):
    with create(c.name, "v108") as f:
        for size in (1, 2, 4, 8):
            for end in ("le", "be"):
                t = getattr(h5t, f"STD_B{8 * size}{end.upper()}")
                values = [1, (0x0123456789ABCDEF >> (64 - 8 * size)), (1 << 8 * size) - 1]
                raw = bits_of(values, size, big=end == "be")
                dataset(f, f"b{8 * size}{end}", t, (3,), raw=raw)
                c.expect(f"/b{8 * size}{end}", "u64", values)
        part = h5t.STD_B16BE.copy()
        narrow(part, 9, 3)
        dataset(f, "partial", part, (3,), raw=bits_of([1, 0x155, 0x1FF], 2, 9, 3, True))
        c.expect("/partial", "u64", [1, 0x155, 0x1FF])


@case("opaque.h5", "opaque elements: with a tag, with an empty tag, a tag of 8 characters, one byte, 300 bytes")
def opaque(c):
    with create(c.name) as f:
        for name, size, tag in (
            ("tag", 5, b"a tag"),
            ("empty", 3, b""),
            ("eight", 8, b"12345678"),
            ("one", 1, b"x"),
            ("big", 300, b"long " * 20),
        ):
            t = h5t.create(h5t.OPAQUE, size)
            t.set_tag(tag)
            raw = bytes(i % 256 for i in range(2 * size))
            d = dataset(f, name, t, (2,), raw=raw)
            attribute(d, "a", t, (), raw=raw[:size])
            c.expect("/" + name, "bytes", [raw[:size], raw[size:]])


@case(
    "complex.h5",
    "complex numbers as a datatype class (HDF5 2.0): 2 x 2, 4, 8 bytes, both orders, in a compound and an array",
)
def complex_class(c):
    with create(c.name, "v200") as f:
        values = np.array([1 + 2j, -0.5j, complex(np.inf, 3)])
        for name in ("F16LE", "F16BE", "F32LE", "F32BE", "F64LE", "F64BE"):
            order = "<" if name.endswith("LE") else ">"
            raw = np.column_stack([values.real, values.imag]).astype(f"{order}f{int(name[1:3]) // 8}").tobytes()
            dataset(f, name.lower(), getattr(h5t, "COMPLEX_IEEE_" + name), (3,), raw=raw)
            c.expect(
                "/" + name.lower(),
                "f64 pairs",
                [f"{np.float64(x).tobytes()[::-1].hex()}" for v in values for x in (v.real, v.imag)],
            )
        pair = h5t.create(h5t.COMPOUND, 24)
        pair.insert(b"n", 0, h5t.STD_I32LE)
        pair.insert(b"z", 8, h5t.COMPLEX_IEEE_F64LE)
        raw = b"".join(uint(i, 4) + bytes(4) + np.array([i, -i], "<f8").tobytes() for i in range(2))
        dataset(f, "compound", pair, (2,), raw=raw)
        rows = h5t.array_create(h5t.COMPLEX_IEEE_F32LE, (2,))
        dataset(f, "array", rows, (2,), raw=np.arange(8).astype("<f4").tobytes())


@case("complex_compound.h5", "complex numbers as h5py writes them: compound {r, i}")
def complex_compound(c):
    with create(c.name) as f:
        pair = np.dtype([("r", "<f8"), ("i", "<f8")])
        dataset(f, "z", pair, (2,), np.array([(1, 2), (0, -0.5)], pair))


@case(
    "datatype_version_0.h5",
    "a datatype message of version 0, as seen in the wild: read like version 1",
    BY_HAND,
    by_values=True,
)
def datatype_version_0(c):
    data = np.arange(5, dtype="<i4").tobytes()

    def make(image):
        kind, body = integer()
        image.superblock2()
        image.place("data", data)
        image.header2("x", [dataspace(image, [5]), (kind, b"\0" + body[1:]), fill(), contiguous(image, "data", 20)])
        image.header2("root", [link_info(image), group_info(), link(b"x", "x", image)])

    build(c.name, make)
    c.lines = [group_line("/"), known_dataset_line("/x", integer_kind(), (5,), data)]
    c.expect("/x", "i64", range(5))
