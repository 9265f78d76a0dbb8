# Lists the parts of R objects, as annotated_parts.py does for other stores: parts_of(x) returns their texts by path.
# Matrices of an assay are cells by genes, all others as they are. Loadings have also PATH/#loadings, the
# genes' rows that are not all zero, and an assay #variable, its variable features in their order, and #scaled, the
# metadata of the genes that have scaled data.
suppressPackageStartupMessages({
  library(methods)
  library(Matrix)
})

quoted <- function(text) {
  text <- enc2utf8(as.character(text))
  for (pair in list(c("\\", "\\\\"), c("\"", "\\\""), c("\n", "\\n"), c("\r", "\\r"), c("\t", "\\t")))
    text <- gsub(pair[1], pair[2], text, fixed = TRUE)
  paste0("\"", text, "\"", recycle0 = TRUE)
}

numbers <- function(x) {
  x <- as.double(x) + 0
  made <- sprintf("%.17g", x)
  made[made == "-0"] <- "0"
  made[is.na(x)] <- "NA"
  made[is.nan(x)] <- "NaN"
  made[!is.na(x) & x == Inf] <- "Inf"
  made[!is.na(x) & x == -Inf] <- "-Inf"
  made
}

elements <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  if (is.character(x)) ifelse(is.na(x), "NA", quoted(x))
  else if (is.logical(x)) ifelse(is.na(x), "NA", ifelse(x, "TRUE", "FALSE"))
  else if (is.complex(x)) sprintf("%.17g%+.17gi", Re(x) + 0, Im(x) + 0)
  else numbers(unclass(x))
}

matrix_text <- function(m) {
  if (is(m, "sparseMatrix")) {
    m <- as(as(m, "generalMatrix"), "TsparseMatrix")
    values <- if (is(m, "nsparseMatrix")) rep(1, length(m@i)) else as.double(m@x)
    cells <- data.frame(i = m@i, j = m@j, x = values)
    if (anyDuplicated(cells[c("i", "j")])) cells <- aggregate(x ~ i + j, cells, sum)
  } else {
    m <- as.matrix(m)
    kept <- which(is.na(m) | m != 0)
    cells <- data.frame(i = (kept - 1) %% nrow(m), j = (kept - 1) %/% max(1, nrow(m)), x = as.double(m[kept]))
  }
  cells <- cells[is.na(cells$x) | cells$x != 0, ]
  cells <- cells[order(cells$i, cells$j), ]
  lines <- if (nrow(cells)) sprintf("%d %d %s", as.integer(cells$i), as.integer(cells$j), numbers(cells$x))
  c(sprintf("matrix %d %d", nrow(m), ncol(m)), lines)
}

array_text <- function(x) {
  dims <- dim(x)
  if (length(dims) == 2 && !is.character(x) && !is.complex(x)) return(matrix_text(x))
  if (length(dims) < 2) return(elements(as.vector(x)))
  values <- as.vector(aperm(unclass(x), rev(seq_along(dims))))
  c(paste("array", paste(dims, collapse = " ")), elements(values))
}

factor_text <- function(x) {
  levels <- quoted(levels(x))
  labels <- ifelse(is.na(x), "NA", levels[as.integer(x)])
  c(if (is.ordered(x)) "ordered" else "factor", paste("level", levels, recycle0 = TRUE), labels)
}

# Seconds since 1970, and the text.
time_text <- function(x) {
  seconds <- as.double(x) * if (inherits(x, "Date")) 86400 else 1
  paste("time", numbers(seconds), elements(format(x)))
}

# The texts of a list without names: of vectors, or of records.
json_text <- function(x) {
  if (is.null(x)) return("null")
  if (!is.list(x)) return(paste0("[", paste(elements(x), collapse = ","), "]"))
  values <- vapply(x, json_text, "")
  if (is.null(names(x))) return(paste0("[", paste(values, collapse = ","), "]"))
  paste0("{", paste(paste0(quoted(names(x)), ":", values), collapse = ","), "}")
}

loadings_text <- function(m) {
  m <- m[apply(m, 1, function(row) any(!is.na(row) & row != 0)), , drop = FALSE]
  m <- m[order(rownames(m), method = "radix"), , drop = FALSE]
  paste(quoted(rownames(m)), apply(m, 1, function(row) paste(numbers(row), collapse = " ")), recycle0 = TRUE)
}

has_data <- function(m) all(dim(m) > 0)

collector <- function() {
  found <- list()
  put <- function(path, text) found[[path]] <<- paste(text, collapse = "\n")

  frame <- function(x, path) {
    names <- rownames(x)
    is_numbered <- is.null(names) || is.data.frame(x) && .row_names_info(x) < 0
    if (!is_numbered) put(paste0(path, "/#names"), quoted(names))
    put(paste0(path, "/#order"), quoted(colnames(x)))
    for (name in colnames(x)) walk(x[[name]], paste0(path, "/", name))
  }

  walk_list <- function(x, path) {
    names <- names(x)
    if (!length(x)) put(path, "empty")
    else if (is.null(names)) put(paste0(path, "/#unnamed"), json_text(x))
    for (i in seq_along(x)) walk(x[[i]], paste0(path, "/", if (is.null(names) || names[i] == "") i else names[i]))
  }

  walk <- function(x, path) {
    if (is.null(x)) put(path, "null")
    else if (is.factor(x)) put(path, factor_text(x))
    else if (is.data.frame(x) || is(x, "DataFrame")) frame(x, path)
    else if (is(x, "Matrix")) put(path, matrix_text(x))
    else if (is(x, "Rle")) walk(as.vector(x), path)
    else if (is.function(x) || is.environment(x) || is.language(x)) put(path, "function")
    else if (inherits(x, "Date") || inherits(x, "POSIXct")) put(path, time_text(x))
    else if (is.list(x) || is(x, "SimpleList")) walk_list(as.list(x), path)
    else if (isS4(x) && !is.atomic(x)) for (slot in slotNames(x)) walk(slot(x, slot), paste0(path, "/", slot))
    else put(path, array_text(if (isS4(x)) x@.Data else x))
  }

  assay <- function(x, path) {
    at <- function(name) paste0(path, "/", name)
    if (is(x, "Assay5")) {
      features <- rownames(x@features)
      for (name in names(x@layers)) put(at(paste0("layers/", name)), matrix_text(t(x@layers[[name]])))
      put(at("#genes"), quoted(features))
      about <- x@meta.data
      for (name in setdiff(colnames(about), c("var.features", "var.features.rank")))
        walk(about[[name]], at(paste0("meta.features/", name)))
      if (!is.null(about$var.features)) {
        chosen <- which(!is.na(about$var.features.rank))
        put(at("#variable"), quoted(features[chosen[order(about$var.features.rank[chosen])]]))
      }
    } else {
      for (name in c("counts", "data", "scale.data"))
        if (has_data(slot(x, name))) put(at(name), matrix_text(t(slot(x, name))))
      put(at("#genes"), quoted(rownames(x@data)))
      if (has_data(x@scale.data)) put(at("#scaled-genes"), quoted(rownames(x@scale.data)))
      about <- x@meta.features
      for (name in colnames(about)) walk(about[[name]], at(paste0("meta.features/", name)))
      for (name in if (has_data(x@scale.data)) colnames(about))
        walk(about[[name]][match(rownames(x@scale.data), rownames(about))], at(paste0("#scaled/", name)))
      if (length(x@var.features)) put(at("#variable"), quoted(x@var.features))
    }
    if (length(x@misc)) walk(x@misc, at("misc"))
  }

  reduction <- function(x, path) {
    at <- function(name) paste0(path, "/", name)
    put(at("cell.embeddings"), matrix_text(x@cell.embeddings))
    for (name in c("feature.loadings", "feature.loadings.projected")) {
      if (!has_data(slot(x, name))) next
      put(at(name), matrix_text(slot(x, name)))
      put(at(paste0(name, "/#loadings")), loadings_text(slot(x, name)))
    }
    if (length(x@stdev)) put(at("stdev"), numbers(x@stdev))
    if (length(x@misc)) walk(x@misc, at("misc"))
    for (name in slotNames(x@jackstraw)) {
      if (length(slot(x@jackstraw, name))) walk(slot(x@jackstraw, name), at(paste0("jackstraw/", name)))
    }
  }

  seurat <- function(x) {
    for (name in names(x@assays)) assay(x@assays[[name]], paste0("assays/", name))
    frame(x@meta.data, "meta.data")
    put("active.ident", factor_text(x@active.ident))
    put("active.assay", quoted(x@active.assay))
    for (name in names(x@reductions)) reduction(x@reductions[[name]], paste0("reductions/", name))
    for (name in names(x@graphs)) put(paste0("graphs/", name), matrix_text(as(x@graphs[[name]], "dgCMatrix")))
    for (slot in c("neighbors", "images", "commands", "tools", "misc")) {
      if (.hasSlot(x, slot)) for (name in names(slot(x, slot))) walk(slot(x, slot)[[name]], paste0(slot, "/", name))
    }
  }

  reduced_dimension <- function(x, path) {
    about <- attributes(x)
    put(path, matrix_text(matrix(as.vector(x), nrow(x))))
    for (name in setdiff(names(about), c("dim", "dimnames"))) {
      walk(about[[name]], paste0(path, "/@", name))
      if (name == "rotation") put(paste0(path, "/@rotation/#loadings"), loadings_text(about[[name]]))
    }
  }

  experiment <- function(x, path = "") {
    at <- function(name) paste0(path, name)
    for (name in SummarizedExperiment::assayNames(x))
      put(at(paste0("assays/", name)), matrix_text(t(SummarizedExperiment::assay(x, name, withDimnames = FALSE))))
    frame(SummarizedExperiment::colData(x), at("colData"))
    frame(SummarizedExperiment::rowData(x), at("rowData"))
    if (is(x, "RangedSummarizedExperiment") && is(SummarizedExperiment::rowRanges(x), "GRanges")) {
      ranges <- as.data.frame(unname(SummarizedExperiment::rowRanges(x)))
      for (name in colnames(ranges)[1:5]) walk(ranges[[name]], at(paste0("rowRanges/", name)))
    }
    for (name in names(S4Vectors::metadata(x))) walk(S4Vectors::metadata(x)[[name]], at(paste0("metadata/", name)))
    if (!is(x, "SingleCellExperiment")) return()
    for (name in SingleCellExperiment::reducedDimNames(x)) {
      values <- SingleCellExperiment::reducedDim(x, name, withDimnames = FALSE)
      reduced_dimension(values, at(paste0("reducedDims/", name)))
    }
    for (name in SingleCellExperiment::colPairNames(x))
      put(at(paste0("colPairs/", name)), matrix_text(SingleCellExperiment::colPair(x, name, asSparse = TRUE)))
    for (name in SingleCellExperiment::rowPairNames(x))
      put(at(paste0("rowPairs/", name)), matrix_text(SingleCellExperiment::rowPair(x, name, asSparse = TRUE)))
    main <- SingleCellExperiment::mainExpName(x)
    if (!is.null(main)) put(at("mainExpName"), quoted(main))
    for (name in SingleCellExperiment::altExpNames(x))
      experiment(SingleCellExperiment::altExp(x, name), at(paste0("altExps/", name, "/")))
  }

  list(
    add = function(x) {
      if (is(x, "Seurat")) seurat(x)
      else if (is(x, "SummarizedExperiment")) experiment(x)
      else walk(x, "object")
    },
    found = function() found
  )
}

parts_of <- function(x) {
  parts <- collector()
  parts$add(x)
  parts$found()
}

write_parts <- function(x, file) writeLines(jsonlite::toJSON(parts_of(x), auto_unbox = TRUE), file, useBytes = TRUE)

# Rscript annotated_parts.R: standard input has a line for each object, FILE.rds TAB PARTS.json.
if (!exists("is_sourced")) {
  suppressPackageStartupMessages({
    requireNamespace("SeuratObject", quietly = TRUE)
    requireNamespace("SingleCellExperiment", quietly = TRUE)
  })
  lines <- readLines(input <- file("stdin"))
  close(input)
  for (line in lines) {
    files <- strsplit(line, "\t", fixed = TRUE)[[1]]
    x <- readRDS(files[1])
    if (is(x, "Seurat")) suppressWarnings(validObject(x))
    write_parts(x, files[2])
  }
}
