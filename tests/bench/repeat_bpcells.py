#!/usr/bin/env python3
"""Write a packed BPCells matrix with the columns of another one, repeated.

    repeat_bpcells.py OUT MATRIX TIMES

Each column of MATRIX has a multiple of 128 nonzeros, so that its blocks are valid in OUT too. OUT appears when it is
complete.
"""
import os
import shutil
import sys

import numpy as np

HEADER = 8  # bytes: "UINT32v1"
BLOCK = 128  # values


def body(path, kind):
    return np.fromfile(path, kind, offset=HEADER)


def repeated(source, out, name, times):
    """Returns the packed array of that name: data, the first word of each block modulo 2^32, and the places that add
    another 2^32."""
    data = f"{name}_data"
    with open(os.path.join(out, data), "wb") as file:
        with open(os.path.join(source, data), "rb") as given:
            content = given.read()
        file.write(content[:HEADER])
        for _ in range(times):
            file.write(memoryview(content)[HEADER:])
    words = (len(content) - HEADER) // 4
    first = body(os.path.join(source, f"{name}_idx"), "<u4")[:-1].astype("<u8")
    turns, blocks = [0], 0
    with open(os.path.join(out, f"{name}_idx"), "wb") as file:
        file.write(b"UINT32v1")
        for time in range(times):
            here = first + np.uint64(time * words)
            file.write((here & np.uint64(0xFFFFFFFF)).astype("<u4").tobytes())
            for turn in range(len(turns), int(here[-1] >> np.uint64(32)) + 1):
                turns.append(blocks + int(np.searchsorted(here, np.uint64(turn << 32))))
            blocks += len(first)
        end = times * words
        file.write(np.array([end & 0xFFFFFFFF], "<u4").tobytes())
        if end >> 32 == len(turns):
            turns.append(blocks)
    with open(os.path.join(out, f"{name}_idx_offsets"), "wb") as file:
        file.write(b"UINT64v1" + np.array([*turns, blocks + 1], "<u8").tobytes())


def main():
    final, source, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
    out = final + ".partial"
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    pointer = body(os.path.join(source, "idxptr"), "<u8")
    if (pointer % BLOCK).any():
        raise SystemExit("repeat_bpcells: a column that ends inside a block")
    for name in ("index", "val"):
        repeated(source, out, name, times)
    for name, once in (("index_starts", False), ("row_names", True), ("storage_order", True), ("version", True)):
        with open(os.path.join(source, name), "rb") as given:
            content = given.read()
        with open(os.path.join(out, name), "wb") as file:
            file.write(content if once else content[:HEADER] + content[HEADER:] * times)
    with open(os.path.join(out, "idxptr"), "wb") as file:
        file.write(b"UINT64v1" + np.zeros(1, "<u8").tobytes())
        for time in range(times):
            file.write((pointer[1:] + np.uint64(time * int(pointer[-1]))).tobytes())
    rows, columns = body(os.path.join(source, "shape"), "<u4")
    with open(os.path.join(out, "shape"), "wb") as file:
        file.write(b"UINT32v1" + np.array([rows, int(columns) * times], "<u4").tobytes())
    with open(os.path.join(source, "col_names"), "rb") as given:
        names = given.read().split(b"\n")[:-1]
    with open(os.path.join(out, "col_names"), "wb") as file:
        for time in range(times):
            file.write(b"".join(b"%s_%d\n" % (name, time) for name in names))
    os.rename(out, final)


if __name__ == "__main__":
    main()
