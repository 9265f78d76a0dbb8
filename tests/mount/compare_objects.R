# Functions that compare an R object with its files in a mount, for objects.R: check(object, path) prints a line for
# each difference. compared counts the values.
mountpoint <- ""
compared <- 0

differs <- function(path, reason) cat(sub(mountpoint, "", path, fixed = TRUE), "\t", reason, "\n", sep = "")

fields_of <- function(path) {
  fields <- scan(path, "", sep = ",", quote = "\"", na.strings = character(), quiet = TRUE, blank.lines.skip = FALSE,
                 encoding = "UTF-8")
  enc2utf8(fields)
}

same_numbers <- function(ours, theirs) {
  finite <- is.finite(ours)
  identical(ours[!finite], theirs[!finite]) && all(abs(ours[finite] - theirs[finite]) <= abs(ours[finite]) * 2^-51)
}

# Returns the text of times. An infinite or NaN time is shown as its number.
time_text <- function(times) {
  text <- if (inherits(times, "Date")) as.character(times) else format(times, "%Y-%m-%dT%H:%M:%SZ", tz = "UTC")
  numbers <- as.double(times)
  ifelse(is.infinite(numbers) | is.nan(numbers), as.character(numbers), text)
}

same_text <- function(ours, fields) {
  compared <<- compared + length(ours)
  if (inherits(ours, c("Date", "POSIXct"))) ours <- time_text(ours)
  if (is.factor(ours)) ours <- as.character(ours)
  if (is.raw(ours)) ours <- as.integer(ours)
  ours <- unname(as.vector(ours))
  if (length(ours) != length(fields)) return(FALSE)
  if (is.character(ours)) {
    ours[is.na(ours)] <- "NA"
    return(identical(enc2utf8(ours), fields))
  }
  if (is.double(ours)) return(same_numbers(ours, as.double(fields)))
  identical(ours, as(fields, typeof(ours)))
}

names_or_numbers <- function(names, count) if (is.null(names)) as.character(seq_len(count)) else names

check_matrix_text <- function(x, file) {
  fields <- fields_of(file)
  labelled <- !is.null(rownames(x)) && nrow(x) > 0 || !is.null(colnames(x)) && ncol(x) > 0
  if (labelled) {
    m <- matrix(fields, nrow(x) + 1, byrow = TRUE)
    rows <- names_or_numbers(rownames(x), nrow(x))
    columns <- names_or_numbers(colnames(x), ncol(x))
    if (!identical(m[1, -1], columns) || !identical(m[-1, 1], rows)) differs(file, "labels")
    fields <- as.vector(t(m[-1, -1, drop = FALSE]))
  }
  if (!same_text(as.vector(t(x)), fields)) differs(file, "values")
}

check_text <- function(x, path) {
  file <- paste0(path, ".csv")
  if (!file.exists(file)) return(differs(file, "is not there"))
  if (length(dim(x)) == 2) return(check_matrix_text(x, file))
  fields <- fields_of(file)
  if (!is.null(dim(x))) {
    x <- as.vector(aperm(x))
  } else if (!is.null(names(x))) {
    m <- matrix(fields, length(x) + 1, byrow = TRUE)
    if (!identical(m[-1, 1], names(x))) differs(file, "names")
    fields <- m[-1, 2]
  }
  if (!same_text(x, fields)) differs(file, "values")
}

# Returns x as stored in an .rds file of a mount: factors as their labels, bytes as integers, everything else unchanged.
as_shown <- function(x) {
  if (is.factor(x)) return(as.character(x))
  if (is.raw(x)) return(as.integer(x))
  x
}

# Returns the type, class, time zone and units of times; NULL for anything else.
about_times <- function(x) {
  if (inherits(x, c("Date", "POSIXct", "difftime"))) c(typeof(x), class(x), attr(x, "tzone"), attr(x, "units"))
}

same_value <- function(ours, theirs) {
  compared <<- compared + length(ours)
  if (!identical(about_times(ours), about_times(theirs))) return(FALSE)
  ours <- unname(as.vector(as_shown(ours)))
  theirs <- unname(as.vector(if (is.factor(theirs)) as.character(theirs) else theirs))
  if (is.double(ours) || is.double(theirs)) return(identical(as.double(ours), as.double(theirs)))
  identical(ours, theirs)
}

side_names <- function(x) {
  names <- unname(dimnames(x))
  if (length(unlist(names))) names
}

same_frame <- function(ours, theirs) {
  is.data.frame(theirs) && identical(names(ours), names(theirs)) &&
    all(mapply(same_value, as.list(ours), as.list(theirs))) &&
    (.row_names_info(ours) <= 0 || identical(rownames(ours), rownames(theirs)))
}

same_array <- function(ours, theirs) {
  same_value(ours, theirs) &&
    (length(dim(ours)) < 2 || identical(dim(ours), dim(theirs)) && identical(side_names(ours), side_names(theirs)))
}

check_rds <- function(x, path) {
  file <- paste0(path, ".rds")
  if (!file.exists(file)) return(NULL)
  same <- if (is.data.frame(x)) same_frame else same_array
  if (!isTRUE(same(x, readRDS(file)))) differs(file, "values")
}

# Checks the columns that a table does not store unchanged, and returns the table as shown.
check_odd_columns <- function(x, path) {
  for (name in names(x)) {
    if (inherits(x[[name]], "POSIXlt")) {
      x[[name]] <- as.POSIXct(x[[name]])
    } else if (is.list(x[[name]])) {
      check_list(x[[name]], file.path(path, name))
      x[[name]] <- NULL
    }
  }
  x
}

check_frame <- function(x, path, row_names = if (.row_names_info(x) > 0) rownames(x)) {
  x <- check_odd_columns(x, path)
  file <- paste0(path, ".csv")
  fields <- matrix(fields_of(file), nrow(x) + 1, byrow = TRUE)
  if (!is.null(row_names)) {
    if (!identical(fields[-1, 1], row_names)) differs(file, "row names")
    fields <- fields[, -1, drop = FALSE]
  }
  if (!identical(fields[1, ], names(x))) return(differs(file, "columns"))
  for (i in seq_along(x)) {
    if (!same_text(x[[i]], fields[-1, i])) differs(file, paste("column", names(x)[i]))
  }
  check_rds(x, path)
  for (name in names(x)) {
    here <- file.path(path, paste0(name, c(".csv", "/year.csv")))
    if (!any(file.exists(here))) differs(file.path(path, name), "is not there")
  }
}

dense_values <- function(x) unname(as.matrix(x)) + 0

check_sparse <- function(x, path) {
  compared <<- compared + length(x)
  if (!identical(dense_values(x), dense_values(readMM(file.path(path, "matrix.mtx"))))) differs(path, "matrix.mtx")
  file <- file.path(path, "matrix.rds")
  if (file.exists(file) && !identical(dense_values(readRDS(file)), dense_values(x))) differs(path, "matrix.rds")
  if (is.null(rownames(x))) return()
  genes <- file.path(path, "genes.tsv")
  if (!identical(vapply(strsplit(readLines(genes), "\t"), `[`, "", 2), rownames(x))) differs(genes, "names")
}

check <- function(x, path) {
  if (has_no_data(x)) {
    if (length(Sys.glob(paste0(path, c(".csv", ".npy", "/"))))) differs(path, "is there")
    return()
  }
  if (is.data.frame(x)) return(check_frame(x, path))
  if (is(x, "sparseMatrix")) return(check_sparse(x, path))
  if (inherits(x, "Seurat")) return(check_seurat(x, path))
  if (inherits(x, "SummarizedExperiment")) return(check_experiment(x, path))
  if (is(x, "Account")) return(check_list(list(owner = x$owner, balance = x$balance), path))
  if (is.environment(x)) return(check_list(variables_of(x), path))
  if (is.list(x)) return(check_list(x, path))
  if (isS4(x)) return(check_slots(x, path))
  if (is.factor(x) && !is.null(dim(x))) x <- matrix(as.character(x), nrow(x), dimnames = dimnames(x))
  check_text(x, path)
  check_rds(x, path)
  if (is.factor(x) && !same_text(levels(x), fields_of(file.path(path, "levels.csv")))) differs(path, "levels")
}

# Returns the variables of an environment, without itself.
variables_of <- function(x) {
  all <- mget(sort(ls(x, all.names = TRUE), method = "radix"), x)
  all[!vapply(all, identical, TRUE, x)]
}

check_slots <- function(x, path) {
  for (slot in slotNames(x)) check(slot(x, slot), file.path(path, slot))
}

check_list <- function(x, path) {
  given <- character()
  for (i in seq_along(x)) {
    if (has_no_data(x[[i]])) next
    wanted <- if (is.null(names(x)) || !nzchar(names(x)[i])) as.character(i) else names(x)[i]
    name <- wanted
    k <- 2
    while (name %in% given) {
      name <- paste0(wanted, "~", k)
      k <- k + 1
    }
    given <- c(given, name)
    check(x[[i]], file.path(path, name))
  }
}

check_seurat <- function(x, path) {
  for (part in c("counts", "data")) check_sparse(slot(x@assays$RNA, part), file.path(path, "assays", "RNA", part))
  check_frame(x@meta.data, file.path(path, "meta.data"), rownames(x@meta.data))
  check(x@reductions$pca@cell.embeddings, file.path(path, "reductions", "pca", "cell.embeddings"))
  again <- readRDS(file.path(path, "seurat.rds"))
  for (part in c("counts", "data")) {
    if (!identical(slot(again@assays$RNA, part), slot(x@assays$RNA, part))) differs(path, paste("seurat.rds:", part))
  }
}

check_experiment <- function(x, path) {
  check_sparse(SummarizedExperiment::assay(x, 1), file.path(path, "assays", "counts"))
  check(SummarizedExperiment::assay(x, 2), file.path(path, "assays", "dense"))
  columns <- as.data.frame(SummarizedExperiment::colData(x), optional = TRUE)
  check_frame(columns, file.path(path, "column_data"), colnames(x))
  fields <- fields_of(file.path(path, "reduced_dimensions", "PCA.csv"))
  reduced <- matrix(fields, ncol(x) + 1, byrow = TRUE)[-1, -1]
  if (!same_text(t(SingleCellExperiment::reducedDim(x, "PCA")), as.vector(t(reduced)))) differs(path, "PCA")
}

root_of <- function(x, path) {
  if (is.data.frame(x)) return(file.path(path, "table"))
  if (is.atomic(x) || is(x, "denseMatrix")) return(file.path(path, "array"))
  path
}
