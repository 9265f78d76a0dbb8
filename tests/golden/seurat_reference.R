# Creates Seurat's own objects from the parts of a store, for a comparison with seurat.rds. The parts are read with
# hdf5r from anndata.h5ad (plainfs code does not touch them after that) and assembled by CreateSeuratObject,
# CreateAssayObject, CreateDimReducObject and as.Graph.
# Standard input: one line per file, KIND TAB seurat.rds TAB its sources. Prints a line for each difference, and finally
# the number of files.
suppressPackageStartupMessages({
  library(hdf5r)
  library(Matrix)
  library(Seurat)
})
options(warn = -1)

utf8 <- function(x) {
  Encoding(x) <- "UTF-8"
  x
}
# NULL also for a list of no columns, which hdf5r cannot read.
attribute <- function(object, name)
  if (object$attr_exists(name)) tryCatch(h5attr(object, name), error = function(e) NULL)
is_group <- function(object) inherits(object, "H5Group")
# R's representation of numbers of that type. A missing one is the least, as hdf5r reads it.
number <- function(set, values) {
  type <- set$get_type()
  if (inherits(type, "H5T_ENUM") || is.logical(values)) return(as.logical(as.character(values)))
  if (!inherits(type, "H5T_INTEGER")) return(as.double(values))
  signed <- type$get_sign() == h5const$H5T_SGN_2
  if (type$get_size() == 8) return(wide_number(values, signed))
  if (type$get_size() == 4 && !signed) return(as.double(values))
  if (anyNA(values)) ifelse(is.na(values), -2^31, values) else as.integer(values)
}
# Integers of 64 bits, which R keeps as doubles, integer64 or text. hdf5r reads all integers beyond the greatest
# integer64 as that one. Those of the stores are the greatest unsigned one.
wide_number <- function(values, signed) {
  if (!inherits(values, "integer64")) return(as.double(values))
  text <- as.character(values)
  beyond <- if (signed) is.na(values) else text == "9223372036854775807"
  if (any(beyond)) return(ifelse(beyond, if (signed) "-9223372036854775808" else "18446744073709551615", text))
  if (any(abs(as.double(values)) > 2^53)) values else as.double(values)
}
values_of <- function(set) {
  values <- if (prod(set$dims) == 0) {
    if (inherits(set$get_type(), "H5T_STRING")) character() else integer()
  } else set[]
  if (is.character(values)) utf8(values) else number(set, values)
}
column <- function(object) {
  if (!is_group(object)) return(values_of(object))
  kind <- attribute(object, "encoding-type")
  if (kind == "categorical") {
    levels <- as.character(values_of(object[["categories"]]))
    codes <- as.integer(object[["codes"]][]) + 1L
    codes[codes == 0] <- NA
    ordered <- isTRUE(as.logical(as.character(attribute(object, "ordered"))))
    return(structure(codes, levels = levels, class = c(if (ordered) "ordered", "factor")))
  }
  values <- values_of(object[["values"]])
  values[as.logical(as.character(object[["mask"]][]))] <- NA
  values
}
frame <- function(group) {
  index <- as.character(values_of(group[[attribute(group, "_index")]]))
  names <- attribute(group, "column-order")
  columns <- list()
  for (name in if (length(names)) utf8(names)) {
    values <- column(group[[name]])
    # A record is JSON in the .h5ad, and one column per member in R.
    if (is.character(values) && length(values) && all(startsWith(values, "{")) && all(!is.na(values))) {
      records <- jsonlite::fromJSON(paste0("[", paste(values, collapse = ","), "]"))
      columns[paste0(name, ".", names(records))] <-
        lapply(records, function(values) structure(values, is_record = TRUE))
    } else columns[[name]] <- values
  }
  list(index = index, columns = columns)
}
with_rows <- function(columns, rows)
  structure(columns, names = as.character(names(columns)), class = "data.frame", row.names = rows)
# Genes by cells.
by_column <- function(group, rows, columns) {
  parts <- list(
    i = as.integer(group[["indices"]][]),
    p = as.integer(group[["indptr"]][]),
    x = as.double(group[["data"]][])
  )
  if (!length(parts$i)) parts[c("i", "x")] <- list(integer(), double())
  if (is.logical(group[["data"]][])) parts$x <- as.double(as.logical(group[["data"]][]))
  sorted <- order(rep(seq_along(parts$p[-1]), diff(parts$p)), parts$i)
  of <- function(dim) new("dgCMatrix", i = parts$i[sorted], p = parts$p, x = parts$x[sorted], Dim = dim)
  m <- if (attribute(group, "encoding-type") == "csr_matrix")
    of(c(length(rows), length(columns)))
  else
    as(as(t(of(c(length(columns), length(rows)))), "CsparseMatrix"), "generalMatrix")
  m@Dimnames <- list(rows, columns)
  m
}
matrix_of <- function(object, rows, columns) {
  if (is_group(object)) return(by_column(object, rows, columns))
  m <- object[,, drop = FALSE]
  if (is.factor(m)) m <- as.logical(as.character(m))
  matrix(as.double(m), length(rows), length(columns), dimnames = list(rows, columns))
}
sample_of <- function(m) head(if (is.matrix(m)) as.vector(m) else m@x, 65536)
like_counts <- function(m) {
  x <- sample_of(m)
  all(is.finite(x)) && all(x >= 0) && all(x == floor(x))
}
is_scaled <- function(m) any(sample_of(m) < 0, na.rm = TRUE)
# Seurat accepts no empty name: each becomes the first unused one of X, X.1, X.2, ...
filled <- function(names) {
  free <- setdiff(c("X", paste0("X.", seq_along(names))), names)
  names[names == ""] <- head(free, sum(names == ""))
  names
}
features <- function(names) {
  make.unique(gsub("|", "-", gsub("_", "-", make.unique(filled(names))), fixed = TRUE))
}
key_of <- function(name) {
  known <- c(pca = "PC_", umap = "UMAP_", tsne = "tSNE_")
  if (name %in% names(known)) known[[name]] else paste0(gsub("[^0-9A-Za-z]", "", name), "_")
}

# counts, data, scaled, and their genes: "Which matrix" of formats/seurat-rds.md. is_counts: X is the assay "counts" of
# an experiment.
choose <- function(root, genes, cells, is_counts) {
  has <- function(path) {
    group <- root
    for (name in strsplit(path, "/")[[1]]) {
      if (!name %in% names(group)) return(FALSE)
      group <- group[[name]]
    }
    TRUE
  }
  of <- function(path, rows = genes) if (has(path)) matrix_of(root[[path]], rows, cells)
  normalised <- NULL
  for (name in c("data", "logcounts", "log_normalized"))
    if (is.null(normalised)) normalised <- of(paste0("layers/", name))
  x <- of("X")
  counts <- of("layers/counts")
  scaled <- NULL
  from_raw <- FALSE
  if (is_counts) {
    counts <- x
    x <- of("layers/logcounts")
  }
  raw_genes <- if (has("raw/var")) frame(root[["raw/var"]])$index
  raw <- if (has("raw/X")) of("raw/X", raw_genes)
  same <- identical(raw_genes, genes)
  if (!is.null(x) && is.null(counts) && like_counts(x)) {
    counts <- x
    data <- if (is.null(normalised)) x else normalised
  } else if (is.matrix(x) && is_scaled(x) && (!is.null(raw) || !is.null(counts) || !is.null(normalised))) {
    scaled <- x  # a sparse one is data
    if (!is.null(raw) && !(same && !is.null(counts))) {
      data <- raw
      from_raw <- TRUE
      counts <- if (like_counts(raw)) raw
    } else data <- if (!is.null(raw) && !like_counts(raw)) raw else if (!is.null(normalised)) normalised else counts
  } else if (!is.null(x)) {
    data <- x
    if (is.null(counts) && !is.null(raw) && same && like_counts(raw)) counts <- raw
  } else if (!is.null(counts)) data <- counts
  else {
    data <- raw
    from_raw <- TRUE
    if (like_counts(raw)) counts <- raw
  }
  if (is.null(scaled))
    for (name in c("scale.data", "scaled", "scaledata"))
      if (is.null(scaled) && is.matrix(of(paste0("layers/", name)))) scaled <- of(paste0("layers/", name))
  uses_raw <- !is.null(raw) && (identical(counts, raw) || identical(data, raw))
  list(counts = counts, data = data, scaled = scaled, from_raw = from_raw, uses_raw = uses_raw)
}
sparse <- function(m, names) {
  if (is.matrix(m)) m <- as.sparse(m)
  rownames(m) <- names
  m
}

# Levels in byte order, like in seurat.rds: Seurat sorts them by locale.
by_bytes <- function(identities) {
  structure(factor(as.character(identities), sort(levels(identities), method = "radix")), names = names(identities))
}

build <- function(root, assay = "RNA", is_counts = FALSE) {
  obs <- frame(root[["obs"]])
  var <- frame(root[["var"]])
  cells <- make.unique(filled(obs$index))
  own <- var$index
  chosen <- choose(root, own, cells, is_counts)
  meta <- if (chosen$from_raw) frame(root[["raw/var"]]) else var
  names <- features(meta$index)
  renamed <- names[match(own, meta$index)]
  data <- sparse(chosen$data, names)
  if (!is.null(chosen$counts)) {
    counts <- sparse(chosen$counts, names)
    object <- CreateSeuratObject(counts, assay = assay)
    if (!identical(data, counts)) object <- SetAssayData(object, "data", data, assay = assay)
  } else {
    made <- CreateAssayObject(data = data)
    Key(made) <- paste0(tolower(gsub("[^0-9A-Za-z]", "", assay)), "_")
    object <- CreateSeuratObject(made, assay = assay)
  }
  object@assays[[assay]]@key <- paste0(tolower(gsub("[^0-9A-Za-z]", "", assay)), "_")
  object@active.ident <- by_bytes(object@active.ident)
  object@meta.data$orig.ident <- by_bytes(object@meta.data$orig.ident)
  for (name in names(obs$columns)) object@meta.data[[name]] <- obs$columns[[name]]
  if (!is.null(chosen$scaled)) {
    scaled <- as.matrix(chosen$scaled)
    rownames(scaled) <- renamed
    object <- SetAssayData(
      object, "scale.data", scaled[order(match(rownames(scaled), names)), , drop = FALSE], assay = assay
    )
  }
  # Columns of var and raw/var beside those of the features, NA for genes that they do not have.
  others <- if (chosen$from_raw) var else if ("raw" %in% names(root) && chosen$uses_raw) frame(root[["raw"]][["var"]])
  for (name in setdiff(names(others$columns), names(meta$columns)))
    meta$columns[[name]] <- others$columns[[name]][match(meta$index, others$index)]
  if (length(meta$columns)) object@assays[[assay]]@meta.features <- with_rows(meta$columns, names)
  variable <- var$columns[["highly_variable"]]
  if (is.logical(variable) && any(variable, na.rm = TRUE)) {
    chosen_genes <- which(variable)
    rank <- var$columns[["highly_variable_rank"]]
    if (is.numeric(rank)) chosen_genes <- chosen_genes[order(rank[chosen_genes])]
    object@assays[[assay]]@var.features <- renamed[chosen_genes]
  }
  for (name in c("active.ident", "ident", "orig.ident"))
    if (is.factor(object@meta.data[[name]])) {
      object@active.ident <- structure(object@meta.data[[name]], names = cells)
      if (name != "orig.ident") object@meta.data[[name]] <- NULL
      break
    }
  add_parts(object, root, assay, cells, renamed)
}
# Divides the assay of counts of several types of features into one for each type, gene expression first.
divided <- function(object, assay) {
  about <- object@assays[[assay]]@meta.features
  counts <- object@assays[[assay]]@counts
  kinds <- unique(as.character(about$feature_types))
  if (length(kinds) < 2 || !length(counts)) return(object)
  made <- NULL
  for (kind in c(intersect("Gene Expression", kinds), setdiff(kinds, "Gene Expression"))) {
    rows <- about$feature_types == kind
    name <- switch(kind, "Gene Expression" = assay, "Antibody Capture" = "ADT", Peaks = "ATAC", kind)
    own <- CreateAssayObject(counts[rows, , drop = FALSE])
    Key(own) <- paste0(tolower(gsub("[^0-9A-Za-z]", "", name)), "_")
    own@meta.features <- about[rows, , drop = FALSE]
    if (is.null(made)) made <- CreateSeuratObject(own, assay = name)
    else made[[name]] <- own
  }
  made@active.ident <- by_bytes(made@active.ident)
  made@meta.data$orig.ident <- by_bytes(made@meta.data$orig.ident)
  made
}
# The standard deviations of a reduction, or the roots of its variances.
deviations <- function(root, name, count) {
  group <- if (name %in% names(root[["uns"]])) root[["uns"]][[name]]
  of <- function(part)
    if (is_group(group) && part %in% names(group) && !is_group(group[[part]]) &&
        identical(group[[part]]$dims, as.integer(count))) as.double(group[[part]][])
  stdev <- of("stdev")
  variance <- of("variance")
  if (!is.null(stdev)) stdev else if (!is.null(variance)) sqrt(variance) else numeric()
}
add_parts <- function(object, root, assay, cells, renamed) {
  members <- function(name) if (name %in% names(root)) names(root[[name]])
  # Layers without a slot are assays, and the names of all parts of an object differ.
  slots <- c("counts", "data", "logcounts", "log_normalized", "scale.data", "scaled", "scaledata")
  free <- function(name) if (name %in% setdiff(members("layers"), slots)) paste0(name, ".1") else name
  for (name in members("obsm")) {
    set <- root[["obsm"]][[name]]
    if (is_group(set) || length(set$dims) != 2 || set$dims[1] == 0 ||
        !inherits(set$get_type(), c("H5T_INTEGER", "H5T_FLOAT"))) next
    of <- function(set, rows) {
      m <- t(set[,, drop = FALSE])
      matrix(as.double(m), length(rows))
    }
    embeddings <- of(set, cells)
    stored <- sub("^X_(?=.)", "", name, perl = TRUE)
    short <- free(stored)
    key <- key_of(short)
    dimnames(embeddings) <- list(cells, paste0(key, seq_len(ncol(embeddings))))
    loadings <- new("matrix")
    beside <- if (stored == "pca") "PCs" else stored
    if (beside %in% members("varm") && !is_group(root[["varm"]][[beside]]) &&
        root[["varm"]][[beside]]$dims[1] == ncol(embeddings)) {
      loadings <- of(root[["varm"]][[beside]], renamed)
      dimnames(loadings) <- list(renamed, colnames(embeddings))
      loadings <- loadings[rowSums(is.na(loadings) | loadings != 0) > 0, , drop = FALSE]
      if (!nrow(loadings)) loadings <- new("matrix")
    }
    object[[short]] <- CreateDimReducObject(
      embeddings, loadings, stdev = deviations(root, stored, ncol(embeddings)), key = key, assay = assay,
      global = short %in% c("umap", "tsne")
    )
  }
  for (name in members("obsp")) {
    if (!is_group(root[["obsp"]][[name]])) next
    graph <- as.Graph(as(as(t(by_column(root[["obsp"]][[name]], cells, cells)), "CsparseMatrix"), "generalMatrix"))
    DefaultAssay(graph) <- assay
    snn <- paste0(assay, "_snn")
    object[[free(if (name == "connectivities" && !snn %in% members("obsp")) snn else name)]] <- graph
  }
  object
}
# Several assays: the object of the first one with the others, nCount_ and nFeature_ of each, then the columns of the
# root.
join <- function(files, obs) {
  objects <- lapply(names(files), function(name) {
    file <- H5File$new(files[[name]], "r")
    on.exit(file$close_all())
    build(file, name)
  })
  whole <- objects[[1]]
  meta <- whole@meta.data["orig.ident"]
  for (i in seq_along(objects)) {
    name <- names(files)[i]
    whole@assays[[name]] <- objects[[i]]@assays[[name]]
    sums <- objects[[i]]@meta.data
    for (sum in paste0(c("nCount_", "nFeature_"), name))
      if (sum %in% names(sums)) meta[[sum]] <- sums[[sum]]
  }
  for (name in names(obs)) meta[[name]] <- obs[[name]]
  whole@meta.data <- meta
  for (i in seq_along(objects)[-1]) {
    for (name in names(objects[[i]]@reductions))
      whole@reductions[[
        if (name %in% names(whole@reductions)) paste0(names(files)[i], ".", name) else name
      ]] <- objects[[i]]@reductions[[name]]
    for (name in names(objects[[i]]@graphs))
      whole@graphs[[
        if (name %in% names(whole@graphs)) paste0(names(files)[i], ".", name) else name
      ]] <- objects[[i]]@graphs[[name]]
  }
  whole
}

# An .h5ad has no missing text except in a categorical, and no NA except NaN among reals.
same_column <- function(ours, theirs) {
  if (inherits(ours, "Date")) ours <- format(ours)  # AnnData has no such type
  if (!is.null(attr(theirs, "is_record")))
    return(
      if (is.numeric(ours)) isTRUE(all.equal(as.double(ours), as.double(theirs), tolerance = 1e-7))
      else identical(ours, as.vector(theirs))
    )
  if (is.character(ours) && anyNA(ours) && is.factor(theirs)) theirs <- as.character(theirs)
  if (is.double(ours) && is.double(theirs)) ours[is.na(ours)] <- theirs[is.na(theirs)] <- NaN
  identical(ours, theirs)
}
# A sparse matrix has no NA except NaN either.
same_part <- function(ours, theirs) {
  for (m in c("ours", "theirs"))
    if (is(get(m), "dgCMatrix")) {
      value <- get(m)
      value@x[is.na(value@x)] <- NaN
      assign(m, value)
    }
  identical(ours, theirs)
}
same_frame <- function(a, b)
  identical(names(a), names(b)) &&
    all(mapply(same_column, as.list(a), as.list(b))) &&
    identical(attr(a, "row.names"), attr(b, "row.names")) &&
    identical(class(a), class(b))
# The metadata without the columns that count the values of an alternative experiment, which is in no anndata.h5ad,
# where they are those of its assay.
without_counts <- function(ours, theirs) {
  meta <- ours@meta.data
  for (name in setdiff(names(ours@assays), names(theirs@assays))) {
    counts <- ours@assays[[name]]@counts
    columns <- paste0(c("nCount_", "nFeature_"), name)
    if (all(columns %in% names(meta)) && identical(as.double(meta[[columns[1]]]), as.double(colSums(counts))) &&
        identical(as.double(meta[[columns[2]]]), as.double(colSums(counts != 0))))
      meta[columns] <- NULL
  }
  meta
}
differences <- function(ours, theirs) {
  found <- character()
  for (slot in setdiff(slotNames(theirs), c("misc", "tools", "commands"))) {  # conversions_test.py compares these
    a <- slot(ours, slot)
    b <- slot(theirs, slot)
    if (slot == "graphs" && length(b)) {  # old graphs come in the order of uns
      a <- a[order(names(a))]
      b <- b[order(names(b))]
    }
    if (slot == "assays") {
      if (!all(names(b) %in% names(a))) found <- c(found, "names of assays")
      else for (name in names(b)) for (part in setdiff(slotNames(b[[name]]), "misc")) {
        same <- if (part == "meta.features")
          same_frame(slot(a[[name]], part), slot(b[[name]], part))
        else
          same_part(slot(a[[name]], part), slot(b[[name]], part))
        if (!same) found <- c(found, paste0("assays$", name, "@", part))
      }
    } else if (slot == "meta.data") {
      if (!same_frame(without_counts(ours, theirs), b)) found <- c(found, slot)
    } else if (!identical(a, b)) found <- c(found, slot)
  }
  found
}
# For an h5Seurat file, exported beside it: each part equals the file of that part.
stored_differences <- function(ours, folder) {
  found <- character()
  same <- function(what, object, path) {
    path <- file.path(folder, path)
    if (!file.exists(path)) return(NULL)
    theirs <- readRDS(path)
    if (is.matrix(theirs)) {
      storage.mode(theirs) <- "double"
      if (is.null(rownames(theirs))) theirs <- new("matrix") + 0  # names of the wrong length: left out
      else if (is.null(colnames(theirs))) colnames(theirs) <- colnames(object)  # the file has no key
    }
    if (!(if (is.data.frame(theirs)) same_frame(object, theirs) else identical(object, theirs)))
      found <<- c(found, what)
  }
  same("meta.data", ours@meta.data, "meta.data.rds")
  for (name in names(ours@assays)) {
    assay <- ours@assays[[name]]
    at <- file.path("assays", name)
    for (part in c("counts", "data")) {
      same(part, slot(assay, part), file.path(at, part, "matrix.rds"))
      same(part, slot(assay, part), file.path(at, paste0(part, ".rds")))
    }
    same("scale.data", assay@scale.data, file.path(at, "scale.data.rds"))
    same("meta.features", assay@meta.features, file.path(at, "meta.features.rds"))
  }
  for (name in names(ours@reductions))
    for (part in c("cell.embeddings", "feature.loadings", "feature.loadings.projected"))
      same(paste(name, part), slot(ours@reductions[[name]], part), file.path("reductions", name, paste0(part, ".rds")))
  for (name in names(ours@graphs))
    same(paste("graph", name), as(ours@graphs[[name]], "dgCMatrix"), file.path("graphs", name, "matrix.rds"))
  found
}
# For an R object that is the store itself: its content as R reads it, for any version, without its classes. NULL: only
# BPCells reads it.
joined_layers <- function(assay, name) {
  all <- attr(assay, "layers")
  has <- lapply(c(features = "features", cells = "cells"), function(side) unclass(attr(assay, side)))
  layers <- if (name %in% names(all)) name else grep(paste0("^", name, "[.]"), names(all), value = TRUE)
  if (!length(layers)) return(new("matrix"))
  rows <- rownames(has$features)
  m <- matrix(0, length(rows), nrow(has$cells), dimnames = list(rows, rownames(has$cells)))
  for (layer in layers) {
    if (!class(all[[layer]])[1] %in% c("dgCMatrix", "matrix")) return(NULL)
    m[has$features[, layer], has$cells[, layer]] <- as.matrix(all[[layer]])
  }
  if (name == "scale.data") m[has$features[, layers], , drop = FALSE] else m
}
assays_of <- function(object) {
  dense <- function(m) if (is.null(m) || !length(m)) new("matrix") else as.matrix(m)
  if (!is.null(attr(object, "raw.data"))) {
    data <- dense(attr(object, "data"))
    return(list(RNA = list(
      counts = as.matrix(attr(object, "raw.data")[rownames(data), colnames(data)]),
      data = data,
      scale.data = dense(attr(object, "scale.data")),
      variable = attr(object, "var.genes")
    )))
  }
  lapply(attr(object, "assays"), function(assay) {
    meta <- attr(assay, "meta.data")
    variable <- if (is.null(meta))
      attr(assay, "var.features")
    else
      meta$var.features[order(meta$var.features.rank, na.last = NA)]
    parts <- if (is.null(meta))
      lapply(list(counts = "counts", data = "data", scale.data = "scale.data"), function(name) dense(attr(assay, name)))
    else
      lapply(c(counts = "counts", data = "data", scale.data = "scale.data"), function(name) joined_layers(assay, name))
    if (!is.null(parts$data) && !length(parts$data)) parts$data <- parts$counts
    c(parts, list(variable = if (length(variable)) variable else logical(0)))
  })
}
object_differences <- function(ours, store, name, folder) {
  object <- if (nzchar(name)) {
    all <- new.env()
    load(store, all)
    all[[name]]
  } else readRDS(store)
  found <- character()
  expect <- function(what, same) if (!isTRUE(same)) found <<- c(found, what)
  meta <- attr(object, "meta.data")
  ident <- attr(object, "active.ident")
  if (is.null(ident)) ident <- attr(object, "ident")
  plain <- meta[!vapply(meta, is.list, TRUE)]
  plain[] <- lapply(plain, function(column) {
    names(column) <- NULL
    column
  })
  expect(
    "meta.data",
    identical(rownames(ours@meta.data), rownames(meta)) &&
      all(mapply(identical, as.list(ours@meta.data)[names(plain)], as.list(plain)))
  )
  expect(
    "active.ident",
    identical(as.character(ours@active.ident), as.character(ident)) &&
      identical(levels(ours@active.ident), levels(ident))
  )
  reductions <- attr(object, "reductions")
  if (is.null(reductions)) reductions <- attr(object, "dr")
  graphs <- attr(object, "graphs")
  if (is.null(graphs)) graphs <- list(snn = attr(object, "snn"))
  of_images <- if (length(attr(object, "images"))) "spatial"  # coordinates, which are not a reduction there
  expect(
    "names of reductions",
    identical(as.character(names(ours@reductions)), c(as.character(names(reductions)), of_images))
  )
  for (part in names(reductions)) {
    mine <- ours@reductions[[part]]
    theirs <- reductions[[part]]
    loadings <- attr(theirs, "feature.loadings")
    if (is.null(loadings)) loadings <- attr(theirs, "gene.loadings")
    expect(
      part,
      identical(unname(mine@cell.embeddings), unname(attr(theirs, "cell.embeddings"))) &&
        identical(rownames(mine@feature.loadings), rownames(loadings)) &&
        all(mine@feature.loadings == loadings)
    )
  }
  for (part in names(graphs))
    expect(
      part,
      identical(unname(as.matrix(ours@graphs[[part]])), unname(as.matrix(as(graphs[[part]], "CsparseMatrix"))))
    )
  assays <- assays_of(object)
  expect("names of assays", setequal(names(ours@assays), names(assays)))
  for (name in names(assays)) {
    theirs <- assays[[name]]
    mine <- ours@assays[[name]]
    for (part in c("counts", "data", "scale.data"))
      if (!is.null(theirs[[part]]))
        expect(
          paste(name, part),
          identical(
            if (length(theirs[[part]])) as.matrix(slot(mine, part)) + 0 else 0,
            if (length(theirs[[part]])) theirs[[part]] + 0 else 0
          )
        )
    expect(paste(name, "variable"), identical(mine@var.features, theirs$variable))
    if (is.null(theirs$data)) next
    file <- H5File$new(file.path(folder, "assays", paste0(name, ".h5ad")), "r")
    rows <- rownames(theirs$data)
    cells <- colnames(theirs$data)
    with_nan <- function(m) {
      m <- as.matrix(m) + 0
      m[is.na(m)] <- NaN
      unname(m)
    }
    expect(paste(name, "X"), identical(with_nan(matrix_of(file[["X"]], rows, cells)), with_nan(theirs$data)))
    expect(
      paste(name, "has layers/counts"),
      "layers/counts" %in% list.groups(file) || "layers/counts" %in% list.datasets(file) || !length(theirs$counts) ||
        is.null(attr(object, "raw.data")) && identical(theirs$counts, theirs$data)
    )
    if ("layers" %in% names(file))
      for (layer in names(file[["layers"]]))
        expect(
          paste(name, layer),
          identical(with_nan(matrix_of(file[["layers"]][[layer]], rows, cells)), with_nan(theirs[[layer]]))
        )
    obs <- frame(file[["obs"]])
    expect(
      paste(name, "obs"),
      identical(obs$index, cells) && all(mapply(same_column, as.list(plain), obs$columns[names(plain)]))
    )
    expect(paste(name, "var"), identical(frame(file[["var"]])$index, rows))
    if ("obsm" %in% names(file))
      for (part in setdiff(names(file[["obsm"]]), of_images))
        expect(
          paste(name, part),
          identical(
            with_nan(t(file[["obsm"]][[part]][,, drop = FALSE])),
            with_nan(attr(reductions[[sub("^X_", "", part)]], "cell.embeddings"))
          )
        )
    if ("obsp" %in% names(file))
      for (part in names(file[["obsp"]])) {
        stored <- if (part %in% names(graphs)) part else sub("^connectivities$", paste0(name, "_snn"), part)
        expect(
          paste(name, part),
          identical(
            with_nan(t(by_column(file[["obsp"]][[part]], cells, cells))),
            with_nan(as(graphs[[stored]], "CsparseMatrix"))
          )
        )
      }
    file$close_all()
  }
  found
}
written_again <- function(object, file) {
  copy <- tempfile()
  on.exit(unlink(copy))
  saveRDS(object, copy, compress = FALSE)
  # Bytes 7 to 10 contain the version of R that wrote the file.
  identical(readBin(file, "raw", file.size(file))[-(7:10)], readBin(copy, "raw", file.size(copy))[-(7:10)])
}

work <- function(object) {
  has_counts <- length(object@assays[[DefaultAssay(object)]]@counts) > 0
  if (has_counts) object <- NormalizeData(object, verbose = FALSE)
  object <- FindVariableFeatures(
    object, verbose = FALSE, selection.method = if (has_counts) "vst" else "dispersion", nbins = 5
  )
  object <- ScaleData(object, features = rownames(object), verbose = FALSE)
  object <- RunPCA(object, features = rownames(object), npcs = 3, verbose = FALSE)
  object <- FindNeighbors(object, dims = 1:3, k.param = 4, verbose = FALSE)
  object <- RunUMAP(object, dims = 1:3, n.neighbors = 5, n.epochs = 11, verbose = FALSE)
  stopifnot(identical(dim(Embeddings(object, "umap")), c(ncol(object), 2L)), validObject(object, complete = TRUE))
}

checked <- c(matrix = 0, joint = 0, stored = 0, object = 0, genuine = 0, works = 0)
for (line in readLines(file("stdin"))) {
  fields <- strsplit(line, "\t", fixed = TRUE)[[1]]
  kind <- fields[1]
  file <- fields[2]
  problem <- tryCatch({
    ours <- readRDS(file)
    validObject(ours, complete = TRUE)
    found <- switch(kind,
      matrix = {
        store <- H5File$new(fields[3], "r")
        made <- build(store, fields[4], fields[5] == "counts")
        store$close_all()
        differences(ours, if (fields[5] == "types") divided(made, fields[4]) else made)
      },
      joint = differences(
        ours,
        join(
          structure(as.list(fields[-(1:3)][c(FALSE, TRUE)]), names = fields[-(1:3)][c(TRUE, FALSE)]),
          readRDS(fields[3])
        )
      ),
      stored = stored_differences(ours, fields[3]),
      object = object_differences(ours, fields[3], fields[4], fields[5]),
      genuine = differences(ours, readRDS(fields[3])),
      works = {
        work(ours)
        character()
      })
    if (kind != "works" && !written_again(ours, file)) found <- c(found, "R writes other bytes")
    checked[kind] <- checked[kind] + 1
    found
  }, error = function(e) conditionMessage(e))
  if (length(problem)) cat(file, paste(problem, collapse = ", "), "\n")
}
cat("checked", paste(names(checked), checked), "\n")
