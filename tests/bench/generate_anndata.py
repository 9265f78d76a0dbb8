#!/usr/bin/env python3
"""Write an .h5ad with the anndata package, for the benchmark.

    generate_anndata.py OUT sparse|cells|dense [--cells N] [--genes N] [--nonzeros N] [--columns N] [--clusters N]

sparse: X in csr with small counts (float32, gzip). With --clusters, obs has a column with N random labels.
cells: obs with many columns of every kind, without X (gzip).
dense: X in float32, one fifth nonzero, uncompressed as anndata writes it.
The values come from a fixed seed.
"""
import argparse

import anndata
import numpy as np
import pandas as pd
import scipy.sparse


def names(rng, count):
    letters = rng.choice(np.frombuffer(b"ACGT", "S1"), (count, 16))
    return pd.Index([row.tobytes().decode() + f"-{i}" for i, row in enumerate(letters)])


def sparse(rng, cells, genes, nonzeros):
    """Returns a csr matrix with the same number of entries in each row, distinct and sorted."""
    per_cell = nonzeros // cells
    stride = genes // per_cell
    indices = (
        np.arange(per_cell, dtype="i4") * stride + rng.integers(0, stride, (cells, per_cell), dtype="i4")
    ).ravel()
    values = np.minimum(rng.geometric(0.4, len(indices)), 500).astype("f4")
    return scipy.sparse.csr_matrix((values, indices, np.arange(cells + 1) * per_cell), shape=(cells, genes))


def column(rng, cells, i):
    if i % 3 == 0:
        return pd.Categorical.from_codes(rng.integers(-1, 20, cells), [f"cluster {k}" for k in range(20)])
    return rng.standard_normal(cells).astype("f8" if i % 2 else "f4") if i % 3 == 1 else rng.integers(0, 30_000, cells)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("kind", choices=["sparse", "cells", "dense"])
    p.add_argument("--cells", type=int, default=10_000)
    p.add_argument("--genes", type=int, default=20_000)
    p.add_argument("--nonzeros", type=int, default=20_000_000)
    p.add_argument("--columns", type=int, default=30)
    p.add_argument("--clusters", type=int, default=0)
    a = p.parse_args()
    rng = np.random.default_rng(20_240_501)
    obs = pd.DataFrame(index=names(rng, a.cells))
    var = pd.DataFrame(index=[f"GENE{i + 1}" for i in range(a.genes)])
    if a.kind == "cells":
        obs = pd.DataFrame({f"column {i}": column(rng, a.cells, i) for i in range(a.columns)}, index=obs.index)
        adata = anndata.AnnData(None, obs=obs, var=var.iloc[:10])
    elif a.kind == "sparse":
        if a.clusters:
            obs["cluster"] = pd.Categorical.from_codes(
                rng.integers(0, a.clusters, a.cells), [str(k) for k in range(a.clusters)]
            )
        adata = anndata.AnnData(sparse(rng, a.cells, a.genes, a.nonzeros), obs=obs, var=var, dtype="f4")
    else:
        x = np.empty((a.cells, a.genes), "f4")
        for row in x:
            row[:] = np.where(rng.random(a.genes) < 0.2, rng.gamma(2, 1, a.genes), 0)
        adata = anndata.AnnData(x, obs=obs, var=var, dtype="f4")
    adata.write_h5ad(a.out, compression=None if a.kind == "dense" else "gzip")


if __name__ == "__main__":
    main()
