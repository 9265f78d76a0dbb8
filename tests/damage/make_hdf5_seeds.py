#!/usr/bin/python3
"""Writes the seeds of corpus/hdf5_filters (a chunk of each filter), corpus/hdf5_metadata (small files) and
corpus/documents.

    make_hdf5_seeds.py corpus
"""
import io
import os
import struct
import sys

import h5py
import numpy as np

corpus = sys.argv[1]
FILTERS = [1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32015]  # as in fuzz_hdf5_filters.cc


def write(folder, name, data):
    os.makedirs(f"{corpus}/{folder}", exist_ok=True)
    with open(f"{corpus}/{folder}/{name}", "wb") as file:
        file.write(data)


def filter_seed(name, dtype, **options):
    values = (np.arange(24) * 7 % 31).astype(dtype)
    with h5py.File(io.BytesIO(), "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        if options.pop("nbit", False):
            narrow = h5py.h5t.STD_I32LE.copy()
            narrow.set_precision(11)
            properties.set_chunk((24,))
            properties.set_filter(h5py.h5z.FILTER_NBIT)
            built = h5py.h5d.create(file.id, b"x", narrow, h5py.h5s.create_simple((24,)), properties)
            dataset = h5py.Dataset(built)
            dataset[...] = values
        else:
            dataset = file.create_dataset("x", data=values, chunks=(24,), **options)
        file.flush()
        number, _, parameters, _ = dataset.id.get_create_plist().get_filter(0)
        _, chunk = dataset.id.read_direct_chunk((0,))
        head = struct.pack("<BBBBH", FILTERS.index(number), values.itemsize - 1, len(parameters), 1, values.nbytes)
        write("hdf5_filters", name, head + struct.pack(f"<{len(parameters)}I", *parameters) + chunk)


def metadata_seed(name, **options):
    content = io.BytesIO()
    with h5py.File(content, "w", **options) as file:
        dataset = file.create_dataset("x", data=np.arange(12, dtype="<i2").reshape(3, 4), chunks=(2, 2))
        for number in range(4):
            dataset.attrs[f"attribute{number}"] = "text" * number
        header = h5py.h5o.get_info(dataset.id).addr
    data = content.getvalue()
    write("hdf5_metadata", name, struct.pack("<BBHH", 0, 0, header, max(0, data.find(b"GCOL"))) + data)


filter_seed("deflate", "<i4", compression="gzip")
filter_seed("shuffle", "<i4", shuffle=True)
filter_seed("fletcher32", "<i4", fletcher32=True)
filter_seed("scale_offset_integer", "<i4", scaleoffset=0)
filter_seed("scale_offset_real", "<f8", scaleoffset=2)
filter_seed("nbit", "<i4", nbit=True)
filter_seed("lzf", "<i4", compression="lzf")
if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP):
    filter_seed("szip", "<i4", compression="szip")
metadata_seed("earliest", libver="earliest")
metadata_seed("latest", libver="latest")
write("documents", "json", b'{"a":[1,2.5,-0,1e400,"t\\u00e9\\ud83d\\ude00",null,true,NaN],"b":{"c":{}}}')
write(
    "documents",
    "form",
    b'{"class":"ListOffsetArray","offsets":"i64","content":{"class":"NumpyArray","primitive":"int64",'
    b'"inner_shape":[],"parameters":{},"form_key":"node1"},"parameters":{},"form_key":"node0"}',
)
write(
    "documents",
    "list",
    b'{"type":"list","values":[{"type":"integer","values":[1,null],"names":["a","b"]},{"type":"nothing"}],'
    b'"version":"1.2"}',
)
write("documents", "references", b"&#181;&#xB5;&#65;&amp;&#1114112;&#55296;")
