# Makes R objects at random, saves them, and holds what a mount of their folder shows against them: every value of the text and of the .rds files.
# Arguments: SEED COUNT FOLDER. Prints "made" and waits for a line with the mountpoint; then a line for each thing that differs, and last how many values were compared.
suppressPackageStartupMessages(library(Matrix))
options(warn = -1)
has <- function(package) requireNamespace(package, quietly = TRUE)
arguments <- commandArgs(TRUE); set.seed(as.integer(arguments[1])); count <- as.integer(arguments[2]); folder <- arguments[3]

one <- function(x) x[[sample.int(length(x), 1)]]
maybe <- function(p = 0.5) runif(1) < p
some <- function(most = 40) sample.int(most, 1)
words <- function(n) replicate(n, paste(sample(c(letters, LETTERS, " ", ",", "\"", "\u00e9", "\u4e2d", "1"), some(8), TRUE), collapse = ""))
unique_words <- function(n) make.unique(paste0("n", sample.int(99, n, TRUE)))
with_na <- function(x) { if (maybe()) x[sample.int(length(x), max(1, length(x) %/% 8))] <- NA; x }
numbers <- function(n) with_na(one(list(rnorm(n), round(runif(n, -1e6, 1e6)), rexp(n) * 10^sample(-300:300, n, TRUE), c(NaN, Inf, -Inf, 0, -0.1)[sample.int(5, n, TRUE)])))
text <- function(n) { x <- with_na(words(n)); if (maybe(0.2)) x[1] <- "NA"; x }
atoms <- list(logical = function(n) with_na(sample(c(TRUE, FALSE), n, TRUE)), integer = function(n) with_na(sample(-.Machine$integer.max:.Machine$integer.max, n, TRUE)),
              double = numbers, character = text, raw = function(n) as.raw(sample(0:255, n, TRUE)), sequence = function(n) seq_len(n) + 0L, real_sequence = function(n) as.double(seq_len(n)),
              deferred = function(n) as.character(seq_len(n)), date = function(n) as.Date(sample(-20000:40000, n, TRUE), "1970-01-01"),
              time = function(n) as.POSIXct(sample(-1e9:2e9, n, TRUE), "1970-01-01", tz = one(c("UTC", "Europe/Berlin"))),
              factor = function(n) factor(with_na(sample(c("a", "b,c", "\u00fc"), n, TRUE)), ordered = maybe(0.3)))
atom <- function(n = some()) one(atoms)(n)
plain <- function(n) atoms[[sample(c("logical", "integer", "double", "character"), 1)]](n)
vector_ <- function() { x <- atom(); if (maybe(0.3)) names(x) <- unique_words(length(x)); x }
long <- function() one(list(numbers(30000), words(12000), seq_len(50000)))
matrix_ <- function() { r <- some(12); k <- some(6); x <- matrix(plain(r * k), r, k); if (maybe()) dimnames(x) <- list(if (maybe()) unique_words(r), if (maybe()) unique_words(k)); x }
array_ <- function() array(plain(24), c(2, 3, 4))
frame_ <- function(n = some(), columns = some(5)) {
  x <- as.data.frame(setNames(lapply(seq_len(columns), function(i) atom(n)), unique_words(columns)), stringsAsFactors = FALSE, optional = TRUE)
  if (maybe()) row.names(x) <- unique_words(n)
  x
}
sparse_ <- function(r = some(30), k = some(12)) {
  m <- rsparsematrix(r, k, 0.3); if (maybe()) m@x <- abs(round(m@x)) + 1
  if (maybe(0.7)) dimnames(m) <- list(unique_words(r), unique_words(k))
  m
}
sparse_kind <- function() one(list(sparse_, function() as(sparse_(), "RsparseMatrix"), function() as(sparse_(), "TsparseMatrix"), function() as(sparse_(), "lMatrix"), function() as(sparse_(), "nMatrix"),
                                   function() forceSymmetric(rsparsematrix(8, 8, 0.3), one(c("U", "L"))), function() triu(rsparsematrix(7, 7, 0.4)), function() Diagonal(some(6))))()
not_data <- function() one(list(function(x) x, quote(a + b), new.env(), y ~ x, sum, NULL))
list_ <- function(depth = 0) {
  n <- some(5); x <- lapply(seq_len(n), function(i) if (maybe(0.15)) not_data() else object(depth + 1))
  if (maybe(0.8)) names(x) <- ifelse(runif(n) < 0.1, "", sample(letters[1:6], n, TRUE))
  x
}
setClass("Holder", slots = c(a = "ANY", b = "ANY", f = "ANY"))
holder <- function(depth) new("Holder", a = object(depth + 1), b = object(depth + 1), f = not_data())
object <- function(depth = 0) { kinds <- list(vector_, vector_, matrix_, frame_, sparse_kind, array_); if (depth < 3) kinds <- c(kinds, function() list_(depth), function() holder(depth)); one(kinds)() }
seurat_ <- function() {
  cells <- 10 + some(20); genes <- 10 + some(30)
  m <- abs(round(rsparsematrix(genes, cells, 0.4) * 3)) + rsparsematrix(genes, cells, 0.05, rand.x = function(n) rep(1, n)); dimnames(m) <- list(paste0("Gene", seq_len(genes)), paste0("CELL", seq_len(cells)))
  x <- SeuratObject::CreateSeuratObject(as(m, "dgCMatrix")); x <- Seurat::NormalizeData(x, verbose = FALSE)
  x@meta.data <- cells_frame(x@meta.data, cells)
  e <- matrix(rnorm(cells * 3), cells, dimnames = list(colnames(x), paste0("PC_", 1:3)))
  x[["pca"]] <- SeuratObject::CreateDimReducObject(e, key = "PC_", assay = "RNA")
  x
}
cells_frame <- function(frame, n) { for (i in seq_len(some(4))) frame[[paste0("extra", i)]] <- atom(n); frame }
experiment_ <- function() {
  cells <- some(20); genes <- some(20); m <- rsparsematrix(genes, cells, 0.4); dimnames(m) <- list(paste0("g", seq_len(genes)), paste0("c", seq_len(cells)))
  about <- frame_(cells)[, 1, drop = FALSE]; rownames(about) <- colnames(m)
  x <- SingleCellExperiment::SingleCellExperiment(list(counts = m, dense = as.matrix(m) * 2), colData = about)
  SingleCellExperiment::reducedDim(x, "PCA") <- matrix(rnorm(cells * 2), cells)
  x
}
roots <- c(list(vector_, long, matrix_, array_, frame_, sparse_kind, list_, list_, function() holder(0), function() list(deep = list(long = long()))), if (has("Seurat")) list(seurat_), if (has("SingleCellExperiment")) list(experiment_))

objects <- list()
for (i in seq_len(count)) {
  x <- roots[[(i - 1) %% length(roots) + 1]]()
  while (is.list(x) && !is.data.frame(x) && all(vapply(x, function(y) is.null(y) || is.function(y) || is.language(y) || is.environment(y), TRUE))) x <- list_()
  # What the text form and version 2 have is the same, but for the digits of doubles and for ALTREP.
  form <- one(list(list(), list(compress = "bzip2"), list(compress = "xz"), list(compress = FALSE), list(version = 2), list(ascii = NA, compress = FALSE)))
  do.call(saveRDS, c(list(x, file.path(folder, sprintf("%03d.rds", i))), form))
  objects[[sprintf("%03d.rds", i)]] <- x
}
cat("made\n"); flush(stdout())

input <- file("stdin"); open(input); mountpoint <- readLines(input, 1)
compared <- 0
differs <- function(path, what) cat(sub(mountpoint, "", path, fixed = TRUE), "\t", what, "\n", sep = "")
fields_of <- function(path) enc2utf8(scan(path, "", sep = ",", quote = "\"", na.strings = character(), quiet = TRUE, blank.lines.skip = FALSE, encoding = "UTF-8"))
same_numbers <- function(ours, theirs) { n <- is.finite(ours); identical(ours[!n], theirs[!n]) && all(abs(ours[n] - theirs[n]) <= abs(ours[n]) * 2^-51) }
same_text <- function(ours, fields) {
  compared <<- compared + length(ours)
  if (inherits(ours, "POSIXct")) ours <- format(ours, "%Y-%m-%dT%H:%M:%SZ", tz = "UTC")
  if (is.factor(ours) || inherits(ours, "Date")) ours <- as.character(ours)
  if (is.raw(ours)) ours <- as.integer(ours)
  ours <- as.vector(ours)
  if (length(ours) != length(fields)) return(FALSE)
  if (is.character(ours)) { ours[is.na(ours)] <- "NA"; return(identical(enc2utf8(unname(ours)), fields)) }
  if (is.double(ours)) return(same_numbers(unname(ours), as.double(fields)))
  identical(unname(ours), as(fields, typeof(ours)))
}
check_text <- function(x, path) {
  file <- paste0(path, ".csv")
  if (!file.exists(file)) return(differs(file, "is not there"))
  fields <- fields_of(file); d <- dim(x)
  if (length(d) == 2) {
    labelled <- !is.null(rownames(x)) && nrow(x) > 0 || !is.null(colnames(x)) && ncol(x) > 0
    if (labelled) {
      m <- matrix(fields, nrow(x) + 1, byrow = TRUE)
      names <- list(if (is.null(rownames(x))) as.character(seq_len(nrow(x))) else rownames(x), if (is.null(colnames(x))) as.character(seq_len(ncol(x))) else colnames(x))
      if (!identical(m[1, -1], names[[2]]) || !identical(m[-1, 1], names[[1]])) differs(file, "labels")
      fields <- as.vector(t(m[-1, -1, drop = FALSE]))
    }
    return(if (!same_text(as.vector(t(x)), fields)) differs(file, "values"))
  }
  if (!is.null(d)) return(if (!same_text(as.vector(aperm(x)), fields)) differs(file, "values"))
  if (!is.null(names(x))) {
    m <- matrix(fields, length(x) + 1, byrow = TRUE)
    if (!identical(m[-1, 1], names(x))) differs(file, "names")
    fields <- m[-1, 2]
  }
  if (!same_text(x, fields)) differs(file, "values")
}
# What an .rds of ours holds: dates and times as text, truth values and numbers as they are.
meant <- function(x) {
  if (inherits(x, "POSIXct")) return(format(x, "%Y-%m-%dT%H:%M:%SZ", tz = "UTC"))
  if (inherits(x, "Date") || is.factor(x)) return(as.character(x))
  if (is.raw(x)) return(as.integer(x))
  x
}
same_value <- function(ours, theirs) {
  compared <<- compared + length(ours)
  ours <- as.vector(meant(ours)); theirs <- as.vector(if (is.factor(theirs)) as.character(theirs) else theirs)
  if (is.double(ours) || is.double(theirs)) identical(as.double(unname(ours)), as.double(unname(theirs))) else identical(unname(ours), unname(theirs))
}
side_names <- function(x) { names <- unname(dimnames(x)); if (length(unlist(names))) names }
check_rds <- function(x, path) {
  file <- paste0(path, ".rds")
  if (!file.exists(file)) return(NULL)
  theirs <- readRDS(file)
  same <- if (is.data.frame(x)) is.data.frame(theirs) && identical(names(x), names(theirs)) && all(mapply(same_value, as.list(x), as.list(theirs))) && (.row_names_info(x) <= 0 || identical(rownames(x), rownames(theirs)))
          else same_value(x, theirs) && (length(dim(x)) < 2 || identical(dim(x), dim(theirs)) && identical(side_names(x), side_names(theirs)))
  if (!isTRUE(same)) differs(file, "values")
}
check_frame <- function(x, path, names = if (.row_names_info(x) > 0) rownames(x)) {
  file <- paste0(path, ".csv"); fields <- matrix(fields_of(file), nrow(x) + 1, byrow = TRUE)
  if (!is.null(names)) { if (!identical(fields[-1, 1], names)) differs(file, "row names"); fields <- fields[, -1, drop = FALSE] }
  if (!identical(fields[1, ], names(x))) return(differs(file, "columns"))
  for (i in seq_along(x)) if (!same_text(x[[i]], fields[-1, i])) differs(file, paste("column", names(x)[i]))
  check_rds(x, path)
  for (name in names(x)) if (!file.exists(file.path(path, paste0(name, ".csv")))) differs(file.path(path, name), "is not there")
}
check_sparse <- function(x, path) {
  theirs <- readMM(file.path(path, "matrix.mtx")); compared <<- compared + length(x)
  if (!identical(unname(as.matrix(x)) + 0, unname(as.matrix(theirs)) + 0)) differs(path, "matrix.mtx")
  file <- file.path(path, "matrix.rds")
  if (file.exists(file) && !identical(unname(as.matrix(readRDS(file))) + 0, unname(as.matrix(x)) + 0)) differs(path, "matrix.rds")
  names <- file.path(path, "genes.tsv")
  if (!is.null(rownames(x)) && !identical(vapply(strsplit(readLines(names), "\t"), `[`, "", 2), rownames(x))) differs(names, "names")
}
no_data <- function(x) is.null(x) || is.function(x) || is.language(x) || is.environment(x)
check <- function(x, path) {
  if (no_data(x)) return(if (length(Sys.glob(paste0(path, c(".csv", ".npy", "/"))))) differs(path, "is there"))
  if (is.data.frame(x)) return(check_frame(x, path))
  if (is(x, "sparseMatrix")) return(check_sparse(x, path))
  if (isVirtualClass("Seurat") || inherits(x, "Seurat")) return(check_seurat(x, path))
  if (inherits(x, "SummarizedExperiment")) return(check_experiment(x, path))
  if (is.list(x)) return(check_list(x, path))
  if (isS4(x)) { for (slot in slotNames(x)) check(slot(x, slot), file.path(path, slot)); return() }
  check_text(x, path); check_rds(x, path)
  if (is.factor(x) && !same_text(levels(x), fields_of(file.path(path, "levels.csv")))) differs(path, "levels")
}
check_list <- function(x, path) {
  given <- character()
  for (i in seq_along(x)) {
    wanted <- if (is.null(names(x)) || !nzchar(names(x)[i])) as.character(i) else names(x)[i]
    if (no_data(x[[i]])) next
    name <- wanted; k <- 2
    while (name %in% given) { name <- paste0(wanted, "~", k); k <- k + 1 }
    given <- c(given, name); check(x[[i]], file.path(path, name))
  }
}
check_seurat <- function(x, path) {
  for (part in c("counts", "data")) check_sparse(slot(x@assays$RNA, part), file.path(path, "assays", "RNA", part))
  check_frame(x@meta.data, file.path(path, "meta.data"), rownames(x@meta.data))
  check(x@reductions$pca@cell.embeddings, file.path(path, "reductions", "pca", "cell.embeddings"))
  again <- readRDS(file.path(path, "seurat.rds"))
  if (!identical(again@assays$RNA@data, x@assays$RNA@data) || !identical(again@assays$RNA@counts, x@assays$RNA@counts)) differs(path, "seurat.rds")
}
check_experiment <- function(x, path) {
  check_sparse(SummarizedExperiment::assay(x, 1), file.path(path, "assays", "counts"))
  check(SummarizedExperiment::assay(x, 2), file.path(path, "assays", "dense"))
  check_frame(as.data.frame(SummarizedExperiment::colData(x), optional = TRUE), file.path(path, "column_data"), colnames(x))
  if (!same_text(t(SingleCellExperiment::reducedDim(x, "PCA")), as.vector(t(matrix(fields_of(file.path(path, "reduced_dimensions", "PCA.csv")), ncol(x) + 1, byrow = TRUE)[-1, -1])))) differs(path, "PCA")
}
for (name in names(objects)) {
  x <- objects[[name]]; at <- file.path(mountpoint, name)
  root <- if (is.data.frame(x)) file.path(at, "table") else if (is.atomic(x) || is(x, "denseMatrix")) file.path(at, "array") else at
  tryCatch(check(x, root), error = function(e) differs(at, conditionMessage(e)))
}
cat("compared", compared, "values of", length(objects), "objects\n")
