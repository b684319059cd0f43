"""Files shaped like those of well-known producers: netCDF-4, MATLAB 7.3, pandas, AnnData."""

import h5py
import numpy as np

from .case import LIBRARY, case
from .elements import Sequences, fixed_string, variable_string
from .hdf5 import TRACKED_AND_INDEXED, attribute, create, dataset, dataset_list, group


@case(
    "pbmc_small.h5ad",
    "a file of the anndata package (0.12.14): categorical, nullable and string columns, csr and csc matrices, raw, obsm, varm, "
    "obsp, uns (written by make/anndata_file.py)",
    "anndata",
    folder=".",
)
def pbmc_small(c):
    pass


@case(
    "producer_netcdf4.h5",
    "like a netCDF-4 file: dimension scales, a dimension without variable, an unlimited one, DIMENSION_LIST (sequences of "
    "references), REFERENCE_LIST (compounds), creation order, string variable",
)
def producer_netcdf4(c):
    def tracked(plist):
        plist.set_link_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
        plist.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)

    with create(c.name, "v110", setup=tracked) as f:
        attribute(f, "_NCProperties", fixed_string(22), (), raw=b"version=2,netcdf=4.9.2")
        time = netcdf_variable(f, "time", "<f8", (4,), np.arange(4) / 2, (None,), (512,))
        lat = netcdf_variable(f, "lat", "<f4", (3,), np.linspace(-45, 45, 3))
        lon = netcdf_variable(f, "lon", "<f4", (5,), np.linspace(0, 288, 5))
        bare = netcdf_variable(f, "nv", ">f4", (2,), None)
        scales = (
            ("time", time),
            ("lat", lat),
            ("lon", lon),
            ("This is a netCDF dimension but not a netCDF variable.         2", bare),
        )
        for i, (name, scale) in enumerate(scales):
            scale.make_scale(name)
            scale.attrs["_Netcdf4Dimid"] = np.int32(i)
        lat.attrs["units"] = np.bytes_("degrees_north")
        wind = netcdf_variable(
            f,
            "wind",
            "<f4",
            (4, 3, 5),
            np.arange(60).reshape(4, 3, 5),
            (None, 3, 5),
            (1, 3, 5),
            np.float32(9.96921e36),
            4,
        )
        wind.attrs["_FillValue"] = np.array([9.96921e36], "<f4")
        wind.attrs["valid_range"] = np.array([-100, 100], "<f4")
        bounds = netcdf_variable(f, "lat_bnds", "<f4", (3, 2), np.arange(6).reshape(3, 2))
        station = netcdf_variable(f, "station", variable_string(h5py.h5t.CSET_UTF8), (3,), None)
        station[...] = np.array(["Köln", "", "Zürich"], dtype=object)
        for variable, over in ((wind, (time, lat, lon)), (bounds, (lat, bare)), (station, (lat,))):
            for i, scale in enumerate(over):
                variable.dims[i].attach_scale(scale)
        g = group(f, "group", order=TRACKED_AND_INDEXED)
        netcdf_variable(g, "deep", "<i8", (), np.array(7))


def netcdf_variable(parent, name, kind, shape, data, maxshape=None, chunk=None, fill=None, level=None):
    plist = dataset_list(chunk=chunk, fill=fill)
    plist.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    if level:
        plist.set_shuffle()
        plist.set_deflate(level)
    return dataset(parent, name, kind, shape, data, maxshape, plist)


@case(
    "producer_matlab.mat",
    "like a MATLAB 7.3 file: 512-byte user block with the MATLAB header, class attributes, text as uint16, cell array of "
    "references into #refs#, struct, logical, empty and complex values",
    LIBRARY,
)
def producer_matlab(c):
    header = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Thu Jan  1 00:00:00 1970 HDF5 schema 1.00 ."
    with create(c.name, userblock=512) as f:
        refs = group(f, "#refs#")
        first = matlab(refs, "a", "double", np.arange(6.0).reshape(2, 3))
        second = matlab(refs, "b", "char", np.array([[ord(x)] for x in "naïve"], "<u2"), MATLAB_int_decode=np.int32(2))
        matlab(f, "x", "double", np.linspace(0, 1, 12).reshape(4, 3))
        matlab(f, "flag", "logical", np.array([[1]], "u1"), MATLAB_int_decode=np.int32(1))
        matlab(f, "empty", "double", np.array([0, 0], "<u8"), MATLAB_empty=np.uint8(1))
        pair = np.dtype([("real", "<f8"), ("imag", "<f8")])
        matlab(f, "z", "double", np.array([[(1, 2)], [(3, -4)]], pair))
        cell = dataset(f, "cell", h5py.ref_dtype, (2, 1), np.array([[first.ref], [second.ref]], dtype=h5py.ref_dtype))
        matlab_class(cell, "cell")
        s = group(f, "s")
        matlab_class(s, "struct")
        keep = Sequences()
        letter = fixed_string(1)
        attribute(
            s,
            "MATLAB_fields",
            h5py.h5t.vlen_create(letter),
            (2,),
            raw=keep.sequence(b"one", 3) + keep.sequence(b"xy", 2),
        )
        matlab(s, "one", "single", np.array([[1.5]], "<f4"))
        matlab(s, "xy", "int8", np.array([[-1], [2]], "i1"))
    with open(c.name, "r+b") as out:
        out.write(header.ljust(116) + bytes(8) + b"\x00\x02IM")
    c.expect("/cell", "reference", ["/#refs#/a", "/#refs#/b"])


def matlab_class(target, name):
    attribute(target, "MATLAB_class", fixed_string(len(name)), (), raw=name.encode())


def matlab(parent, name, kind, data, **attributes):
    d = dataset(parent, name, data.dtype, data.shape, data)
    matlab_class(d, kind)
    for key, value in attributes.items():
        d.attrs[key] = value
    return d


@case(
    "producer_pandas.h5",
    "like a PyTables table of pandas: compound rows, fixed strings, attributes with pickled bytes and version numbers",
)
def producer_pandas(c):
    row = np.dtype([("index", "<i8"), ("values_block_0", "<f8", (2,)), ("values_block_1", "S8", (1,))])
    with create(c.name) as f:
        f.attrs["PYTABLES_FORMAT_VERSION"] = np.bytes_("2.1")
        g = group(f, "df")
        g.attrs["pandas_type"] = np.bytes_("frame_table")
        plist = dataset_list(chunk=(16,))
        plist.set_shuffle()
        plist.set_deflate(9)
        rows = np.array([(i, (i / 2, -i), (b"row %d" % i,)) for i in range(20)], row)
        d = dataset(g, "table", row, (20,), rows, (None,), plist)
        d.attrs["CLASS"] = np.bytes_("TABLE")
        d.attrs["FIELD_0_FILL"] = np.int64(0)
        attribute(d, "info", fixed_string(10), (), raw=b"(dp1\n.\0\0\0\0")
