#!/usr/bin/env python3
"""Write an h5Seurat file with SeuratDisk's layout, for the benchmark.

    generate_h5seurat.py OUT [--features N] [--cells N] [--nonzeros N] [--scaled N]

Every dataset is chunked to 8 KiB and deflated at level 4, as SaveH5Seurat leaves it; matrices have their dimensions
reversed. The values come from a fixed seed: counts are small and skewed, scale.data is normal.
"""
import argparse

import h5py
import numpy as np

CHUNKS = {("f8", 1): (1024,), ("i4", 1): (2048,), ("O", 1): (1024,), ("f8", 2): (32, 32)}


def write(group, name, values):
    values = np.asarray(values)
    text = values.dtype.kind in "UO"
    kind = "O" if text else values.dtype.str[1:]
    group.create_dataset(
        name,
        data=values.astype(object) if text else values,
        dtype=h5py.string_dtype() if text else values.dtype,
        chunks=CHUNKS[kind, values.ndim],
        maxshape=(None,) * values.ndim,
        compression="gzip",
        compression_opts=4,
    )


def write_attribute(group, name, value):
    group.attrs.create(name, np.array([value], dtype=object), dtype=h5py.string_dtype())


def sparse_columns(rng, features, cells, nonzeros):
    """Returns sorted indices of distinct rows for each of the cells, and the column pointers."""
    per_cell = nonzeros // cells
    stride = features // per_cell
    rows = np.arange(per_cell, dtype=np.int32) * stride
    indices = np.concatenate([rows + rng.integers(0, stride, per_cell, dtype=np.int32) for _ in range(cells)])
    return indices, np.arange(cells + 1, dtype=np.int32) * per_cell


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--features", type=int, default=20_000)
    p.add_argument("--cells", type=int, default=10_000)
    p.add_argument("--nonzeros", type=int, default=20_000_000)
    p.add_argument("--scaled", type=int, default=2_000, help="features in scale.data")
    a = p.parse_args()
    rng = np.random.default_rng(20_240_501)

    features = [f"GENE{i + 1}" for i in range(a.features)]
    cells = ["".join(rng.choice(list("ACGT"), 12)) + f"{i:05d}-1" for i in range(a.cells)]
    indices, pointers = sparse_columns(rng, a.features, a.cells, a.nonzeros)
    counts = np.minimum(rng.geometric(0.4, len(indices)), 500).astype("f8")

    with h5py.File(a.out, "w") as f:
        for name, value in (("project", "bench"), ("active.assay", "RNA"), ("version", "4.1.3")):
            write_attribute(f, name, value)
        write(f, "cell.names", cells)
        meta = f.create_group("meta.data")
        meta.attrs.create("colnames", np.array(["nCount_RNA"], dtype=object), dtype=h5py.string_dtype())
        write_attribute(meta, "_index", "_index")
        write(meta, "_index", cells)
        write(meta, "nCount_RNA", np.add.reduceat(counts, pointers[:-1]))
        rna = f.create_group("assays/RNA")
        write_attribute(rna, "key", "rna_")
        write(rna, "features", features)
        matrix = rna.create_group("counts")
        matrix.attrs.create("dims", np.array([a.features, a.cells], dtype="i4"))
        write(matrix, "indices", indices)
        write(matrix, "indptr", pointers)
        write(matrix, "data", counts)
        write(rna, "scaled.features", features[: a.scaled])
        write(rna, "scale.data", rng.standard_normal((a.cells, a.scaled)))


if __name__ == "__main__":
    main()
