#!/usr/bin/python3
"""Writes the seeds of corpus/zarr, small arrays of the golden stores, and of corpus/zip, one archive per method.

    make_store_seeds.py FIXTURES corpus
"""
import io
import os
import sys
import zipfile

fixtures, corpus = sys.argv[1:]
LARGEST = 2600
ROOT = b'{"zarr_format":2}'
CASES = [
    "zarr/v2_dtypes",
    "zarr/v2_filters",
    "zarr/v2_compressors",
    "zarr/v2_layout",
    "zarr/v2_objects",
    "zarr/v2_structured",
    "zarr/v2_fill",
    "zarr/v3_array_codecs",
    "zarr/v3_codecs",
    "zarr/v3_numcodecs",
    "zarr/v3_rectilinear",
    "zarr/v3_sharding",
    "zarr/v3_strings",
    "zarr/v3_struct",
    "zarr/v3_transpose",
    "zarr/v3_groups",
    "hdmf-zarr/builders_06",
    "hdmf-zarr/builders_pickle",
    "hdmf-zarr/object_codecs",
]
A_CASE = 4


def entry(key, value):
    return b"%s %d\n%s" % (os.fsencode(key), len(value), value)


def bundle(folder, name):
    out = entry(".zgroup", ROOT)
    for place, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(place, file)
            with open(path, "rb") as f:
                out += entry(os.path.join(name, os.path.relpath(path, folder)), f.read())
    return out


os.makedirs(f"{corpus}/zarr", exist_ok=True)
for case in CASES:
    store = f"{fixtures}/{case}/store.zarr"
    if os.path.isdir(store + "/grp"):
        store += "/grp"
    built = 0
    for name in sorted(os.listdir(store)):
        if not os.path.isdir(f"{store}/{name}"):
            continue
        seed = bundle(f"{store}/{name}", "a")
        if len(seed) > LARGEST or built == A_CASE:
            continue
        built += 1
        with open(f"{corpus}/zarr/{os.path.basename(case)}_{name.replace('.', '_')}", "wb") as f:
            f.write(seed)

links = (
    b'{"zarr_link":[{"name":"x","source":"../b.zarr","path":"/a/../b"},{"name":"x","path":"/a"},7],'
    b'"r":{"zarr_dtype":"object","value":{"source":".","path":"/a"}}}'
)
with open(f"{corpus}/zarr/links", "wb") as f:
    f.write(entry(".zgroup", ROOT) + entry(".zattrs", links) + entry("a/.zgroup", ROOT))

os.makedirs(f"{corpus}/zip", exist_ok=True)
for name, method in [
    ("stored", zipfile.ZIP_STORED),
    ("deflated", zipfile.ZIP_DEFLATED),
    ("bzip2", zipfile.ZIP_BZIP2),
    ("lzma", zipfile.ZIP_LZMA),
]:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as z:
        z.comment = b"a comment"
        z.writestr(".zgroup", ROOT)
        z.writestr("a/0", bytes(range(64)) * 4)
        with z.open("a/.zarray", "w", force_zip64=True) as member:
            member.write(b"{}" * 20)
    with open(f"{corpus}/zip/{name}", "wb") as f:
        f.write(archive.getvalue())
