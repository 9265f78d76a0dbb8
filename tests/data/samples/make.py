#!/usr/bin/env python3
"""Write the sample stores of README.md's first page beside this script: pbmc.h5seurat, pbmc.h5ad, image.zarr, frags.

The same made-up data every time. Needs Debian's python3-h5py, python3-anndata, python3-zarr and python3-pandas;
matrix/, a packed BPCells matrix, is not made here.
"""
import os
import shutil

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse
import zarr

HERE = os.path.dirname(os.path.abspath(__file__))
GENES, CELLS, COMPONENTS = 120, 40, 5
TEXT = h5py.string_dtype()


def path(name):
    full = os.path.join(HERE, name)
    if os.path.isdir(full):
        shutil.rmtree(full)
    elif os.path.exists(full):
        os.remove(full)
    return full


class Study:
    """What all of them hold: counts of genes in cells, and what is known of the cells."""

    def __init__(self):
        rng = np.random.default_rng(20_260_101)
        self.genes = [f"GENE{i + 1}" for i in range(GENES)]
        self.cells = ["".join(rng.choice(list("ACGT"), 8)) + "-1" for _ in range(CELLS)]
        dense = rng.poisson(0.4, (GENES, CELLS))
        self.counts = scipy.sparse.csc_matrix(dense.astype("f8"))
        self.stages = ["low", "mid", "high"]
        self.stage = rng.integers(0, 3, CELLS)
        self.batch = [("first", 'the "new" one', "NA")[i] for i in rng.integers(0, 3, CELLS)]
        self.doublet = rng.integers(0, 3, CELLS)  # 0 FALSE, 1 TRUE, 2 NA
        self.score = np.round(rng.normal(size=CELLS), 3)
        self.score[3] = np.nan
        self.embedding = rng.normal(size=(CELLS, COMPONENTS))
        self.scaled = rng.normal(size=(10, CELLS))


def attribute(group, name, value):
    group.attrs.create(name, np.array([value], dtype=object), dtype=TEXT)


def text(group, name, values):
    group.create_dataset(name, data=np.array(values, dtype=object), dtype=TEXT)


def write_h5seurat(study):
    """As SeuratDisk lays it out: matrices with their dimensions reversed, factors as levels and 1-based values."""
    with h5py.File(path("pbmc.h5seurat"), "w") as f:
        for name, value in (("project", "pbmc"), ("active.assay", "RNA"), ("version", "4.1.3")):
            attribute(f, name, value)
        text(f, "cell.names", study.cells)
        meta = f.create_group("meta.data")
        meta.attrs.create(
            "colnames", np.array(["nCount_RNA", "stage", "batch", "doublet", "score"], dtype=object), dtype=TEXT
        )
        attribute(meta, "_index", "_index")
        meta.attrs.create("logicals", np.array(["doublet"], dtype=object), dtype=TEXT)
        text(meta, "_index", study.cells)
        meta["nCount_RNA"] = np.asarray(study.counts.sum(axis=0)).ravel()
        stage = meta.create_group("stage")
        text(stage, "levels", study.stages)
        stage["values"] = (study.stage + 1).astype("i4")
        text(meta, "batch", study.batch)
        meta["doublet"] = study.doublet.astype("i4")
        meta["score"] = study.score
        rna = f.create_group("assays/RNA")
        attribute(rna, "key", "rna_")
        text(rna, "features", study.genes)
        text(rna, "scaled.features", study.genes[:10])
        counts = rna.create_group("counts")
        counts.attrs.create("dims", np.array([GENES, CELLS], dtype="i4"))
        for name, values in (
            ("data", study.counts.data),
            ("indices", study.counts.indices),
            ("indptr", study.counts.indptr),
        ):
            counts.create_dataset(name, data=values, chunks=True, compression="gzip")
        rna["scale.data"] = study.scaled.T.copy()
        pca = f.create_group("reductions/pca")
        attribute(pca, "active.assay", "RNA")
        attribute(pca, "key", "PC_")
        pca["cell.embeddings"] = study.embedding.T.copy()


def write_h5ad(study):
    obs = pd.DataFrame(index=study.cells)
    obs["n_counts"] = np.asarray(study.counts.sum(axis=0)).ravel()
    obs["stage"] = pd.Categorical.from_codes(study.stage, study.stages, ordered=True)
    obs["batch"] = pd.Categorical(study.batch)
    obs["score"] = study.score
    var = pd.DataFrame({"gene_ids": [f"ENSG{i:011d}" for i in range(GENES)]}, index=study.genes)
    data = anndata.AnnData(study.counts.T.tocsr().astype("f4"), obs=obs, var=var, obsm={"X_pca": study.embedding})
    data.write_h5ad(path("pbmc.h5ad"), compression="gzip")


def write_image():
    y, x = np.mgrid[0:64, 0:48]
    zarr.save_array(path("image.zarr"), (y * 48 + x).astype("u2").reshape(64, 48), chunks=(16, 16))


def write_fragments(study):
    """An unpacked BPCells directory: each array a file with an eight byte header."""
    rng = np.random.default_rng(7)
    folder = path("frags")
    os.makedirs(folder)
    per_chromosome, starts, cells = 50, [], []
    for _ in range(3):
        starts.append(np.sort(rng.integers(1000, 100_000, per_chromosome)))
        cells.append(rng.integers(0, CELLS, per_chromosome))
    start = np.concatenate(starts).astype("<u4")
    end = (start + rng.integers(50, 400, len(start))).astype("<u4")
    blocks = [end[i : i + 128].max() for i in range(0, len(end), 128)]
    end_max = np.maximum.accumulate(np.array(blocks, dtype="<u4"))
    edges = np.arange(4) * per_chromosome
    arrays = {
        "start": start,
        "end": end,
        "cell": np.concatenate(cells).astype("<u4"),
        "end_max": end_max,
        "chr_ptr": np.stack([edges[:-1], edges[1:]], axis=1).ravel().astype("<u8"),
    }
    for name, values in arrays.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write((b"UINT64v1" if values.itemsize == 8 else b"UINT32v1") + values.tobytes())
    for name, lines in (
        ("version", ["unpacked-fragments-v2"]),
        ("cell_names", study.cells),
        ("chr_names", ["chr1", "chr2", "chrX"]),
    ):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)


def main():
    study = Study()
    write_h5seurat(study)
    write_h5ad(study)
    write_image()
    write_fragments(study)


if __name__ == "__main__":
    main()
