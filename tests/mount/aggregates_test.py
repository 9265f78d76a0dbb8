#!/usr/bin/env python3
"""Tests sums and cells of levels against the programs commonly used for them: Seurat, scuttle and DESeq2, in R."""
import os
import subprocess

import mounted
from mounted import Folder, Mount
from optional import missing_r, needs_modules, skip_rest

try:
    import anndata
    import numpy as np
    import pandas as pd
    import scipy.sparse
except ImportError:
    anndata = None

# Each script gets the mountpoint and prints how much it has compared.
SEURAT = r"""
suppressPackageStartupMessages(library(Seurat))
at <- function(...) file.path(commandArgs(TRUE)[1], ...)
object <- readRDS(at("seurat.rds"))
sums <- function(name) as.matrix(read.csv(at("pseudobulk", paste0(name, ".csv")), row.names = 1, check.names = FALSE))
for (columns in list("type", c("type", "donor"))) {
  theirs <- AggregateExpression(object, assays = "RNA", slot = "counts", group.by = columns, verbose = FALSE)
  theirs <- as.matrix(theirs[[1]])
  ours <- sums(paste(columns, collapse = "+"))
  stopifnot(setequal(colnames(ours), colnames(theirs)), identical(rownames(ours), rownames(theirs)))
  stopifnot(all(ours == theirs[, colnames(ours)]))
  cat(ncol(ours), "")
}
for (level in list.files(at("by", "type"))) {
  theirs <- subset(object, cells = colnames(object)[object$type == level])
  ours <- readRDS(at("by", "type", level, "seurat.rds"))
  stopifnot(validObject(ours), identical(colnames(ours), colnames(theirs)), ncol(ours) > 0)
  stopifnot(identical(GetAssayData(ours, "counts"), GetAssayData(theirs, "counts")))
  stopifnot(identical(as.character(ours$donor), as.character(theirs$donor)))
  stopifnot(all.equal(Embeddings(ours, "pca"), Embeddings(theirs, "pca"), check.attributes = FALSE))
  cat(ncol(ours), "")
}
"""

SCUTTLE = r"""
suppressPackageStartupMessages({library(scuttle); library(Matrix)})
at <- function(...) file.path(commandArgs(TRUE)[1], ...)
counts <- readRDS(at("layers", "counts", "matrix.rds"))
obs <- read.csv(at("obs.csv"), row.names = 1)
for (columns in list("type", c("type", "donor"))) {
  name <- paste(columns, collapse = "+")
  theirs <- sumCountsAcrossCells(counts, ids = S4Vectors::DataFrame(obs[columns]))
  groups <- SummarizedExperiment::colData(theirs)
  labels <- do.call(paste, c(lapply(columns, function(column) as.character(groups[[column]])), sep = "_"))
  sums <- as.matrix(SummarizedExperiment::assay(theirs, "sum"))
  ours <- readRDS(at("pseudobulk", paste0(name, ".rds")))
  cells <- read.csv(at("pseudobulk", paste0(name, ".cells.csv")), row.names = 1)
  stopifnot(setequal(labels, colnames(ours)), identical(rownames(sums), rownames(ours)))
  stopifnot(all(ours[, labels] == sums), all(cells[labels, "cells"] == groups$ncells))
  cat(ncol(ours), "")
}
"""

DESEQ2 = r"""
suppressPackageStartupMessages(library(DESeq2))
path <- file.path(commandArgs(TRUE)[1], "pseudobulk", "type+donor.csv")
counts <- as.matrix(read.csv(path, row.names = 1, check.names = FALSE))
matrix <- readRDS(file.path(commandArgs(TRUE)[1], "pseudobulk", "type+donor.rds"))
stopifnot(identical(dimnames(counts), dimnames(matrix)), all(counts == matrix))
samples <- data.frame(type = factor(sub("_.*", "", colnames(counts))), row.names = colnames(counts))
dds <- DESeq(DESeqDataSetFromMatrix(counts, samples, ~ type), fitType = "mean", quiet = TRUE)
tested <- results(dds)
stopifnot(nrow(tested) == nrow(counts), tested["g0", "padj"] < 1e-3)
cat(sum(!is.na(tested$padj)), "")
"""


@needs_modules("anndata")
class Aggregates(Folder):
    def store(self):
        numbers = np.random.default_rng(42)
        cells, genes = 240, 60
        kind = numbers.choice(["B", "T"], cells)
        mean = np.tile(numbers.gamma(2, 1.5, genes), (cells, 1))
        mean[kind == "T", 0] *= 20  # DESeq2 must find that this one differs
        counts = scipy.sparse.csr_matrix(numbers.poisson(mean).astype("f4"))
        obs = pd.DataFrame(
            {"type": pd.Categorical(kind), "donor": numbers.choice(["d1", "d2", "d3"], cells)},
            index=[f"cell{i}" for i in range(cells)],
        )
        data = anndata.AnnData(
            counts.log1p(), obs=obs, var=pd.DataFrame(index=[f"g{i}" for i in range(genes)]), dtype="f4"
        )
        data.layers["counts"] = counts
        data.obsm["X_pca"] = numbers.standard_normal((cells, 5))
        path = os.path.join(self.folder, "a.h5ad")
        data.write_h5ad(path, compression="gzip")
        return path

    def check(self, script, packages, compared):
        skip_rest(self, missing_r(*packages))
        with Mount(self.store()) as mount:
            result = subprocess.run(["Rscript", "-e", script, mount.path], capture_output=True, timeout=500)
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            self.assertEqual([int(number) for number in result.stdout.split()][: len(compared)], compared)

    def test_seurat_sums_and_subsets_match_the_files(self):
        self.check(SEURAT, ["Seurat"], [2, 6])

    def test_scuttle_sums_and_cell_counts_match_the_files(self):
        self.check(SCUTTLE, ["scuttle"], [2, 6])

    def test_deseq2_reads_the_table(self):
        self.check(DESEQ2, ["DESeq2"], [])


if __name__ == "__main__":
    mounted.main()
