#!/usr/bin/env python3
"""Packs the small stores of the golden cases as inputs of fuzz_store, one per file.

    pack_stores.py FIXTURES FOLDER

FIXTURES has SUITE/CASE/store.EXT. A single-file store becomes its bytes. A folder becomes a line "KEY SIZE" and the
bytes of each of its files.
"""
import glob
import os
import sys

MAX_BYTES = 32 << 10  # larger inputs mutate slowly


def packed(store):
    if os.path.isfile(store):
        with open(store, "rb") as file:
            return file.read()
    parts = []
    for folder, folders, names in os.walk(store):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path):  # skips dangling links
                with open(path, "rb") as file:
                    content = file.read()
                parts.append(f"{os.path.relpath(path, store)} {len(content)}\n".encode() + content)
    return b"".join(parts)


fixtures, target = sys.argv[1:]
os.makedirs(target, exist_ok=True)
for store in sorted(glob.glob(os.path.join(fixtures, "*", "*", "store*"))):
    content = packed(store)
    if 0 < len(content) <= MAX_BYTES:
        case = os.path.dirname(store)
        with open(
            os.path.join(target, f"{os.path.basename(os.path.dirname(case))}-{os.path.basename(case)}"), "wb"
        ) as file:
            file.write(content)
