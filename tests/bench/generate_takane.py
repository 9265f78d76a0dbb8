#!/usr/bin/env python3
"""Write a single-cell experiment like alabaster, for the benchmark.

    generate_takane.py OUT [--features N] [--cells N] [--nonzeros N]

The counts are those of generate_h5seurat.py, by column (assays/0) and by row (assays/1), in the narrowest sufficient
types, in chunks of 10,000 values, shuffled and deflated at level 6. The names are in row_data and column_data.
"""
import argparse
import json
import os

import h5py
import numpy as np
import scipy.sparse

from generate_h5seurat import sparse_columns


def write_object(folder, kind, **more):
    os.makedirs(folder)
    properties = {
        name: {"version": "1.0", **more} if name == "summarized_experiment" else {"version": "1.0"} for name in kind
    }
    with open(os.path.join(folder, "OBJECT"), "w", encoding="ascii") as file:
        json.dump({"type": kind[-1], **properties}, file)


def write_text_attribute(group, name, value):
    group.attrs.create(name, value, dtype=h5py.string_dtype())


def write_vector(group, name, values):
    chunks = (min(10_000, len(values)),)
    group.create_dataset(name, data=values, chunks=chunks, shuffle=True, compression="gzip", compression_opts=6)


def write_frame(folder, names):
    write_object(folder, ["data_frame"])
    with h5py.File(os.path.join(folder, "basic_columns.h5"), "w") as file:
        frame = file.create_group("data_frame")
        frame.attrs["row-count"] = np.uint64(len(names))
        frame.create_dataset("column_names", (0,), dtype=h5py.string_dtype())
        write_vector(frame, "row_names", np.array(names, dtype="S"))
        frame.create_group("data")


def write_matrix(folder, matrix, layout):
    write_object(folder, ["compressed_sparse_matrix"])
    with h5py.File(os.path.join(folder, "matrix.h5"), "w") as file:
        group = file.create_group("compressed_sparse_matrix")
        write_text_attribute(group, "layout", layout)
        write_text_attribute(group, "type", "number")
        minors = matrix.shape[0 if layout == "CSC" else 1]
        write_vector(group, "data", matrix.data.astype(np.min_scalar_type(int(matrix.data.max()))))
        write_vector(group, "indices", matrix.indices.astype("u2" if minors < 2**16 else "u4"))
        write_vector(group, "indptr", matrix.indptr.astype("u8"))
        group["shape"] = np.array(matrix.shape, "u4")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--features", type=int, default=20_000)
    p.add_argument("--cells", type=int, default=10_000)
    p.add_argument("--nonzeros", type=int, default=20_000_000)
    a = p.parse_args()
    rng = np.random.default_rng(20_240_501)

    cells = ["".join(rng.choice(list("ACGT"), 12)) + f"{i:05d}-1" for i in range(a.cells)]
    indices, pointers = sparse_columns(rng, a.features, a.cells, a.nonzeros)
    counts = np.minimum(rng.geometric(0.4, len(indices)), 500)
    matrix = scipy.sparse.csc_matrix((counts, indices, pointers), shape=(a.features, a.cells))

    write_object(
        a.out,
        ["summarized_experiment", "ranged_summarized_experiment", "single_cell_experiment"],
        dimensions=[a.features, a.cells],
    )
    write_frame(os.path.join(a.out, "row_data"), [f"GENE{i + 1}" for i in range(a.features)])
    write_frame(os.path.join(a.out, "column_data"), cells)
    write_matrix(os.path.join(a.out, "assays", "0"), matrix, "CSC")
    write_matrix(os.path.join(a.out, "assays", "1"), matrix.tocsr(), "CSR")
    with open(os.path.join(a.out, "assays", "names.json"), "w", encoding="ascii") as file:
        json.dump(["counts", "by_row"], file)


if __name__ == "__main__":
    main()
