# Writes random objects of Seurat (versions 3 to 5) and SingleCellExperiment with every kind of part, and their parts.
# Rscript annotated_stores.R: standard input has a line for each object, KIND TAB SEED TAB FILE.rds TAB PARTS.json. KIND
# is seurat3, seurat4, seurat5 or experiment. The same seed writes the same object.
is_sourced <- TRUE
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE), fixed = TRUE))
source(file.path(here, "annotated_parts.R"))
suppressPackageStartupMessages({
  library(SeuratObject)
  library(Seurat)
  library(SingleCellExperiment)
})
options(warn = -1)

one <- function(x) x[[sample.int(length(x), 1)]]
maybe <- function(p = 0.5) runif(1) < p
count <- function(most) sample.int(most, 1)
some <- function(x, least = 0) x[sort(sample.int(length(x), least - 1 + count(length(x) - least + 1)))]

WORDS <- c("T cell", "B cell", "NK", "na\u00efve", "a,b", "x\"y", "\u03b1-cell", "0", "CD4+ T", "two\nlines", "")
LABELS <- c("batch", "donor", "cell_type", "seurat_clusters", "percent.mt", "Phase", "doublet", "RNA_snn_res.0.8")
KEYS <- c("title", "params", "markers", "a b", "x.y", "gr\u00f6\u00dfe", "colors", "qc", "list", "de", "dates", "fit")
GENES <- c("CD3E", "MS4A1", "NKG7", "GNLY", "LYZ", "MT-CO1", "HLA-DRA", "RP11-34P13.7", "TP53")

with_na <- function(x, p = 0.5) {
  if (length(x) && maybe(p)) x[sample.int(length(x), 1)] <- NA
  x
}
words <- function(n) sample(WORDS, n, TRUE)
a_factor <- function(n) {
  levels <- some(WORDS, 1)
  factor(with_na(sample(levels[seq_len(count(length(levels)))], n, TRUE)), levels = levels, ordered = maybe(0.3))
}
vectors <- list(
  function(n) with_na(sample(c(TRUE, FALSE), n, TRUE)),
  function(n) with_na(sample(-1000:1000, n, TRUE)),
  function(n) with_na(rnorm(n)),
  function(n) c(Inf, -Inf, NaN, -0.5, 1e300)[sample.int(5, n, TRUE)],
  function(n) with_na(words(n)),
  a_factor
)
vector_of <- function(n) one(vectors)(n)

frame_of <- function(names, labels = LABELS, most = 5) {
  labels <- head(sample(labels), count(most))
  values <- setNames(lapply(labels, function(label) vector_of(length(names))), labels)
  structure(values, class = "data.frame", row.names = names)
}

sparse_of <- function(rows, columns, dimnames = NULL) {
  m <- rsparsematrix(rows, columns, 0.4, rand.x = function(n) rpois(n, 3) + 1)
  if (!is.null(dimnames)) dimnames(m) <- dimnames
  m
}

leaves <- list(
  function() vector_of(1),
  function() vector_of(count(5)),
  function() one(WORDS),
  function() matrix(rnorm(6), 2, dimnames = if (maybe()) list(c("p", "q"), NULL)),
  function() array(seq_len(24), c(2, 3, 4)),
  function() matrix(words(6), 3),
  function() sparse_of(4, 3),
  function() frame_of(paste0("r", 1:3)),
  function() complex(real = rnorm(2), imaginary = 1),
  function() integer(),
  function() character(),
  function() list(),
  function() list(1, "b", c(2, 3)),
  function() setNames(rnorm(3), c("a", "b", "c")),
  function() as.Date("2024-02-29") + count(99),
  function() as.POSIXct(1e9 + count(1e6), origin = "1970-01-01", tz = "UTC"),
  function() function(x) x + 1,
  function() NULL
)
tree_of <- function(depth = 0) {
  keys <- head(sample(KEYS), count(if (depth == 0) 6 else 3))
  setNames(lapply(keys, function(key) if (depth < 3 && maybe(0.25)) tree_of(depth + 1) else one(leaves)()), keys)
}

# -- Seurat

normalised <- function(m) {
  m@x <- log1p(m@x)
  m
}

random_assay <- function(genes, cells) {
  counts <- sparse_of(length(genes), length(cells), list(genes, cells))
  made <- if (maybe(0.85)) CreateAssayObject(counts = counts) else CreateAssayObject(data = normalised(counts))
  if (maybe(0.8)) made@data <- normalised(counts)
  scaled <- if (maybe()) genes else some(genes, 2)
  if (maybe(0.6))
    made@scale.data <- matrix(rnorm(length(scaled) * length(cells)), length(scaled), dimnames = list(scaled, cells))
  if (maybe(0.8)) made@meta.features <- frame_of(genes, c("vst.mean", "chr", "len", "vst.variable", "symbol"))
  if (maybe(0.7)) made@var.features <- sample(some(genes, 1))
  if (maybe(0.3)) made@misc <- list(genome = "GRCh38", tables = one(leaves)())
  made
}

setClass("LogMap", contains = "matrix")
setClass("Assay5", slots = c(
  layers = "list", cells = "LogMap", features = "LogMap", default = "integer", assay.orig = "character",
  meta.data = "data.frame", misc = "list", key = "character"
))

random_assay5 <- function(genes, cells, key) {
  counts <- sparse_of(length(genes), length(cells))
  layers <- list(counts = counts)
  if (maybe(0.8)) layers$data <- normalised(counts)
  for (name in some(c("spliced", "unspliced", "denoised"))) layers[[name]] <- sparse_of(length(genes), length(cells))
  if (maybe(0.4)) layers$scale.data <- matrix(rnorm(length(genes) * length(cells)), length(genes))
  map <- function(names) {
    m <- matrix(TRUE, length(names), length(layers), dimnames = list(names, names(layers)))
    new("LogMap", m)
  }
  about <- frame_of(genes, c("chr", "len", "symbol"))
  if (maybe(0.7)) {
    chosen <- sample(some(genes, 1))
    about$var.features <- ifelse(genes %in% chosen, genes, NA)
    about$var.features.rank <- match(genes, chosen)
  }
  row.names(about) <- NULL
  new("Assay5", layers = layers, cells = map(cells), features = map(genes), default = 1L, assay.orig = character(),
      meta.data = about, misc = if (maybe(0.3)) list(genome = "GRCh38") else list(), key = key)
}

random_reduction <- function(name, key, genes, cells, assay) {
  width <- if (name == "pca") 4 else 2
  columns <- paste0(key, seq_len(width))
  matrix_of <- function(rows) matrix(rnorm(length(rows) * width), length(rows), dimnames = list(rows, columns))
  made <- new("DimReduc", cell.embeddings = matrix_of(cells), assay.used = assay, key = key, global = maybe())
  if (name == "pca" || maybe(0.2)) {
    if (maybe(0.8)) made@feature.loadings <- matrix_of(if (maybe(0.3)) genes else some(genes, 2))
    if (maybe(0.3)) made@feature.loadings.projected <- matrix_of(genes)
    if (maybe(0.8)) made@stdev <- sort(runif(width + one(c(0, 0, 3)), 1, 9), decreasing = TRUE)
    if (maybe(0.4)) made@misc <- list(total.variance = 400)
  }
  if (maybe(0.2)) made@misc$perplexity <- 7
  made@jackstraw <- new("JackStrawData")
  if (name == "pca" && maybe(0.2)) {
    made@jackstraw@empirical.p.values <- matrix(runif(8), 2)
    made@jackstraw@overall.p.values <- matrix(runif(8), 4, dimnames = list(NULL, c("PC", "Score")))
  }
  made
}

random_graph <- function(cells, assay) {
  m <- sparse_of(length(cells), length(cells), list(cells, cells))
  made <- as(m, "Graph")
  slot(made, "assay.used") <- assay
  made
}

random_command <- function(name) {
  new("SeuratCommand", name = name, time.stamp = as.POSIXct(1.7e9, origin = "1970-01-01", tz = "UTC"),
      assay.used = "RNA", call.string = paste0(name, "(x)"), params = list(k.param = 20, dims = 1:4, reduction = "pca"))
}

random_slide <- function(cells) {
  at <- function(most) sample.int(most, length(cells), TRUE)
  coordinates <- data.frame(tissue = 1L, row = at(40), col = at(60), imagerow = at(2000) + 0, imagecol = at(2000) + 0,
                            row.names = cells)
  new("VisiumV1", image = array(sample(0:255, 6 * 7 * 3, TRUE) / 255, c(6, 7, 3)),
      scale.factors = scalefactors(spot = 89.5, fiducial = 144.6, hires = 0.17, lowres = 0.05),
      coordinates = coordinates, spot.radius = 0.016, assay = "RNA", key = "slice1_")
}

random_seurat <- function(version) {
  cells <- paste0(sample(c("AAC", "CCG", "GGT"), 6 + count(12), TRUE), sprintf("%03d", seq_len(18))[1:8], "-1")
  cells <- make.unique(cells)
  genes <- c(GENES, paste0("Gene", seq_len(count(15))))
  counts <- sparse_of(length(genes), length(cells), list(genes, cells))
  x <- CreateSeuratObject(counts, project = one(c("study", "pbmc 3k")))
  x@assays$RNA <- random_assay(genes, cells)
  x@assays$RNA@key <- "rna_"
  for (name in some(c("ADT", "SCT"))) {
    own <- if (name == "ADT") paste0("CD", 1:4, "-TotalSeq") else if (maybe()) genes else some(genes, 3)
    x@assays[[name]] <- random_assay(own, cells)
    x@assays[[name]]@key <- paste0(tolower(name), "_")
  }
  if (version == 5) {
    x@assays <- lapply(names(x@assays), function(name) {
      random_assay5(rownames(x@assays[[name]]@data), cells, x@assays[[name]]@key)
    }) |> setNames(names(x@assays))
  }
  about <- frame_of(cells, most = 7)
  x@meta.data[names(about)] <- about
  levels <- c("NK", "T", "B", "Mono")  # Mono is not used
  identities <- factor(sample(levels[1:3], length(cells), TRUE), levels)
  if (maybe(0.3)) identities <- factor(x@meta.data$orig.ident)
  x@active.ident <- setNames(identities, cells)
  keys <- c(pca = "PC_", umap = "UMAP_", tsne = "tSNE_", harmony = "harmony_")
  for (name in some(names(keys)))
    x@reductions[[name]] <- random_reduction(name, keys[[name]], genes, cells, "RNA")
  for (name in some(c("RNA_nn", "RNA_snn", "wsnn"))) x@graphs[[name]] <- random_graph(cells, "RNA")
  if (maybe(0.4))
    x@neighbors$RNA.nn <- new("Neighbor", nn.idx = matrix(sample.int(length(cells), 3 * length(cells), TRUE), ncol = 3),
                              nn.dist = matrix(runif(3 * length(cells)), ncol = 3), alg.idx = NULL,
                              alg.info = list(metric = "euclidean"), cell.names = cells)
  for (name in some(c("NormalizeData.RNA", "FindNeighbors.RNA.pca"))) x@commands[[name]] <- random_command(name)
  if (maybe(0.3) && version != 5) x@images$slice1 <- random_slide(cells)
  x@misc <- if (maybe(0.8)) tree_of() else list()
  x@tools <- if (maybe(0.5)) tree_of(2) else list()
  if (version == 3) as_seurat3(x) else if (version == 5) {
    x@version <- package_version("5.0.1")
    x
  } else x
}

# Returns an object of Seurat 3.0: without the slots that came later.
as_seurat3 <- function(x) {
  x@version <- package_version("3.0.2")
  if (!length(x@images)) attr(x, "images") <- NULL
  for (name in names(x@assays)) attr(x@assays[[name]], "assay.orig") <- NULL
  for (name in names(x@reductions)) attr(x@reductions[[name]], "global") <- NULL
  for (name in names(x@graphs)) attr(x@graphs[[name]], "assay.used") <- NULL
  x
}

# -- SingleCellExperiment

random_ranges <- function(n) {
  places <- IRanges::IRanges(sample.int(1e6, n), width = sample.int(900, n, TRUE))
  GenomicRanges::GRanges(sample(c("chr1", "chrX"), n, TRUE), places, strand = sample(c("+", "-", "*"), n, TRUE))
}

random_reduced <- function(name, genes, cells) {
  width <- if (name == "PCA") 4 else 2
  m <- matrix(rnorm(length(cells) * width), ncol = width)
  if (maybe()) dimnames(m) <- list(cells, paste0(name, seq_len(width)))
  if (name == "PCA" && maybe(0.7)) {
    attr(m, "varExplained") <- sort(runif(width, 1, 9), decreasing = TRUE)
    attr(m, "percentVar") <- c(45.5, 25, 10, 5)
    names <- list(sample(genes, 3), paste0("PC", seq_len(width)))
    if (maybe(0.7)) attr(m, "rotation") <- matrix(rnorm(3 * width), 3, dimnames = names)
  }
  m
}

random_pairs <- function(n) {
  from <- sample.int(n, 2 * n, TRUE)
  to <- sample.int(n, 2 * n, TRUE)
  kept <- !duplicated(paste(from, to))
  S4Vectors::SelfHits(from[kept], to[kept], nnode = n, x = runif(sum(kept)))
}

random_experiment <- function() {
  cells <- paste0("CELL", seq_len(5 + count(12)))
  genes <- c(GENES, paste0("Gene", seq_len(count(10))))
  counts <- sparse_of(length(genes), length(cells), list(genes, cells))
  others <- list(
    logcounts = normalised(counts), corrected = as.matrix(counts) - 1.5,
    spliced = sparse_of(length(genes), length(cells)),
    scaledata = matrix(rnorm(length(genes) * length(cells)), length(genes))
  )
  others <- lapply(others, function(m) {
    dimnames(m) <- list(genes, cells)
    m
  })
  x <- SingleCellExperiment(assays = c(list(counts = counts), some(others)))
  if (maybe()) rowRanges(x) <- random_ranges(length(genes))
  rownames(x) <- genes
  about <- frame_of(genes, c("ID", "Symbol", "Type", "is_hvg"), 4)
  rowData(x) <- cbind(rowData(x), DataFrame(about, check.names = FALSE))
  colData(x) <- DataFrame(frame_of(cells, most = 6), row.names = cells, check.names = FALSE)
  if (maybe(0.3)) colData(x)$run <- S4Vectors::Rle(rep(c("A", "B"), c(length(cells) - 3, 3)))
  if (maybe(0.3)) colData(x)$nested <- DataFrame(x = rnorm(length(cells)), y = words(length(cells)))
  if (maybe(0.3)) colData(x)$mat <- matrix(rnorm(2 * length(cells)), ncol = 2)
  if (maybe()) sizeFactors(x) <- runif(length(cells), 0.5, 2)
  if (maybe()) colLabels(x) <- a_factor(length(cells))
  for (name in some(c("PCA", "UMAP", "TSNE", "MNN"))) reducedDim(x, name) <- random_reduced(name, genes, cells)
  metadata(x) <- if (maybe(0.8)) tree_of() else list()
  for (name in some(c("ADT", "Spike Ins"))) {
    own <- paste0(name, "-", seq_len(count(5)))
    counts <- as.matrix(sparse_of(length(own), length(cells), list(own, cells)))
    about <- DataFrame(clone = words(length(own)), row.names = own)
    panel <- if (maybe()) list(panel = "TotalSeq-B") else list()
    altExp(x, name) <- SummarizedExperiment(list(counts = counts), rowData = about, metadata = panel)
  }
  if (maybe()) mainExpName(x) <- "gene"
  if (maybe()) colPair(x, "knn") <- random_pairs(length(cells))
  if (maybe(0.3)) rowPair(x, "coexp") <- random_pairs(length(genes))
  x
}

makers <- list(
  seurat3 = function() random_seurat(3),
  seurat4 = function() random_seurat(4),
  seurat5 = function() random_seurat(5),
  experiment = random_experiment
)

lines <- readLines(input <- file("stdin"))
close(input)
for (line in lines) {
  fields <- strsplit(line, "\t", fixed = TRUE)[[1]]
  set.seed(as.integer(fields[2]))
  x <- makers[[fields[1]]]()
  write_parts(x, fields[4])
  saveRDS(x, fields[3])
}
