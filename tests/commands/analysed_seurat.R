# The analysis of Seurat on both sides of a conversion.
# Rscript analysed_seurat.R make FILE.rds: writes an object after the usual steps.
# Rscript analysed_seurat.R use FILE.rds MADE.rds: holds a converted object against the one that was made, and goes on
# with the analysis. Prints what differs, and "used" at the end.
suppressPackageStartupMessages(library(Seurat))
options(warn = -1)
arguments <- commandArgs(TRUE)

make <- function() {
  set.seed(1)
  cells <- paste0("CELL", 1:60)
  genes <- paste0("Gene", 1:50)
  high <- outer(1:50, 1:60, function(gene, cell) ifelse(gene <= 15 & cell <= 30, 6, 1))
  counts <- matrix(rpois(50 * 60, high), 50, dimnames = list(genes, cells))
  x <- CreateSeuratObject(as(counts, "dgCMatrix"), project = "study")
  x <- NormalizeData(x, verbose = FALSE)
  x <- FindVariableFeatures(x, nfeatures = 25, verbose = FALSE)
  x <- ScaleData(x, features = genes, verbose = FALSE)
  x <- RunPCA(x, npcs = 5, verbose = FALSE, approx = FALSE)
  x <- FindNeighbors(x, dims = 1:5, k.param = 8, verbose = FALSE)
  x <- FindClusters(x, resolution = 0.5, verbose = FALSE)
  proteins <- matrix(rpois(180, 40), 3, dimnames = list(paste0("CD", 1:3), cells))
  x[["ADT"]] <- CreateAssayObject(counts = as(proteins, "dgCMatrix"))
  x <- RenameIdents(x, "0" = "T cell")
  Misc(x, "title") <- "a study"
  x
}

is_same <- function(what, found, expected) {
  same <- all.equal(found, expected, check.attributes = FALSE)
  if (!isTRUE(same)) cat(what, ":", paste(same, collapse = "; "), "\n")
}

use <- function(x, made) {
  is_same("Idents", as.character(Idents(x)), as.character(Idents(made)))
  is_same("levels of Idents", levels(Idents(x)), levels(Idents(made)))
  is_same("VariableFeatures", VariableFeatures(x), VariableFeatures(made))
  is_same("Stdev", Stdev(x, "pca"), Stdev(made, "pca"))
  loadings <- Loadings(made, "pca")
  is_same("Loadings", Loadings(x, "pca")[rownames(loadings), ], loadings)
  is_same("Embeddings", Embeddings(x, "pca"), Embeddings(made, "pca"))
  is_same("Misc", Misc(x, "title"), Misc(made, "title"))
  is_same("counts", as.matrix(GetAssayData(x, "counts")), as.matrix(GetAssayData(made, "counts")))
  is_same("graph", as.matrix(x[["RNA_snn"]]), as.matrix(made[["RNA_snn"]]))
  markers <- FindMarkers(x, ident.1 = levels(Idents(x))[1], verbose = FALSE)
  expected <- FindMarkers(made, ident.1 = levels(Idents(made))[1], verbose = FALSE)
  is_same("FindMarkers", markers[rownames(expected), ], expected)
  plot <- DimPlot(x, reduction = "pca")
  if (!inherits(plot, "ggplot")) cat("DimPlot:", class(plot), "\n")
  x <- ScaleData(x, verbose = FALSE)
  again <- RunPCA(x, npcs = 5, verbose = FALSE, approx = FALSE)
  is_same("RunPCA", abs(Embeddings(again, "pca")), abs(Embeddings(made, "pca")))
  again <- FindNeighbors(again, dims = 1:5, k.param = 8, verbose = FALSE)
  is_same("FindNeighbors", as.matrix(again[["RNA_snn"]]), as.matrix(made[["RNA_snn"]]))
  again <- FindClusters(x, resolution = 0.5, verbose = FALSE)  # with the graph of the file
  is_same("FindClusters", as.character(again$seurat_clusters), as.character(made$seurat_clusters))
  cat("used\n")
}

if (arguments[1] == "make") saveRDS(make(), arguments[2]) else use(readRDS(arguments[2]), readRDS(arguments[3]))
