# Columns of every type that R has, each with every kind of odd value.
#   column_types.R write FOLDER     saves them as a data frame, frame.rds, and as cells of an experiment, experiment.rds
#   column_types.R read FILE...     prints the columns of each data frame or Seurat object: name, class, type, units and
#                                   time zone, values, separated by tabs; an empty line ends a file
arguments <- commandArgs(TRUE)

# The little-endian words of 64-bit integers in the layout of the package bit64.
integer64 <- function(low, high) {
  words <- as.vector(rbind(low, high))
  structure(readBin(writeBin(words, raw(), endian = "little"), "double", length(low), endian = "little"),
            class = "integer64")
}

odd <- c(NA, NaN, Inf, -Inf)
# Eight rows: plain, missing, NaN, Inf, -Inf, the least, the greatest, empty or 0.
columns <- function() {
  list(
    truth = c(TRUE, NA, FALSE, TRUE, FALSE, TRUE, FALSE, FALSE),
    integer = c(1L, NA, 2:4, -.Machine$integer.max, .Machine$integer.max, 0L),
    real = c(0.1, odd, -.Machine$double.xmax, 5e-324, 0),
    complex = complex(real = c(1, odd, -1e300, 1e-300, 0), imaginary = c(2, odd, 1, 2, 0)),
    text = c("x", NA, "NaN", "Inf", "-Inf", "NA", "a,b", ""),
    factor = factor(c("x", NA, "NA", "Inf", "y", "x", "a,b", "")),
    ordered = factor(c("low", NA, "low", "high", "high", "low", "low", "low"), c("low", "high"), ordered = TRUE),
    date = structure(c(18262.75, odd, -719162, 2932896, 0), class = "Date"),
    day = structure(c(18262L, NA, 1:3, -719162L, 2932896L, 0L), class = c("IDate", "Date")),
    plain_date = structure(c(18262, NA, 1:3, -719162, 2932896, 0), class = "Date"),
    far_date = structure(c(18262, NA, 1:3, -1e300, 9007199254740994, 0), class = "Date"),
    instant = structure(c(1e9 + 0.25, odd, -62135596800, 253402300799, 0), class = c("POSIXct", "POSIXt")),
    second = structure(c(18262L, NA, 1:3, -.Machine$integer.max, .Machine$integer.max, 0L),
                       class = c("POSIXct", "POSIXt"), tzone = "UTC"),
    plain_instant = structure(c(1e9 + 0.25, NA, 1:3, -0.5, 1e9 + 0.123456, 0), class = c("POSIXct", "POSIXt"),
                              tzone = "Europe/Zurich"),
    difftime = structure(c(1.5, odd, -1e300, 1e300, 0), class = "difftime", units = "mins"),
    wide = integer64(c(1L, 0L, 2:4, 1L, -1L, 0L), c(0L, NA, 0L, 0L, 0L, NA, .Machine$integer.max, 0L))
  )
}

write <- function(folder) {
  all <- columns()
  count <- length(all$truth)
  frame <- structure(all, names = names(all), class = "data.frame", row.names = c(NA, -count))
  saveRDS(frame, file.path(folder, "frame.rds"))
  # The slots of SummarizedExperiment, without the package.
  setClass("SimpleList", slots = c(listData = "list"))
  setClass("SimpleAssays", slots = c(data = "SimpleList"))
  setClass("DFrame", slots = c(rownames = "ANY", nrows = "integer", listData = "list"))
  setClass("SummarizedExperiment", slots = c(colData = "DFrame", assays = "SimpleAssays", NAMES = "ANY",
                                             elementMetadata = "DFrame", metadata = "list"))
  cells <- paste0("c", seq_len(count))
  group <- list(group = factor(c("a", rep("b", count - 2), "a")))
  counts <- matrix(1, 2, count, dimnames = list(c("g1", "g2"), cells))
  experiment <- new("SummarizedExperiment",
    colData = new("DFrame", rownames = cells, nrows = count, listData = c(all, group)),
    assays = new("SimpleAssays", data = new("SimpleList", listData = list(counts = counts))),
    NAMES = rownames(counts), elementMetadata = new("DFrame", rownames = NULL, nrows = 2L, listData = list()))
  saveRDS(experiment, file.path(folder, "experiment.rds"))
}

texts_of <- function(values) {
  if (is.factor(values)) values <- as.character(values)
  if (is.character(values)) return(ifelse(is.na(values), "NA", paste0("=", values)))
  if (inherits(values, "integer64")) {
    bytes <- matrix(rev(writeBin(unclass(values), raw(), endian = "little")), 8)
    return(rev(apply(bytes, 2, function(each) paste0("0x", paste(each, collapse = "")))))
  }
  if (is.logical(values)) return(as.character(values))
  values <- unclass(values)
  if (is.complex(values)) return(paste(texts_of(Re(values)), texts_of(Im(values)), sep = ","))
  ifelse(is.na(values) & !is.nan(values), "NA", sprintf("%.17g", values))
}

read <- function(file) {
  frame <- suppressWarnings(readRDS(file))
  if (!is.data.frame(frame)) frame <- attr(frame, "meta.data")
  for (name in names(frame)) {
    column <- frame[[name]]
    about <- c(attr(column, "units"), attr(column, "tzone"))
    about <- vapply(list(class(column), typeof(column), about), paste, "", collapse = " ")
    cat(name, about, texts_of(column), sep = "\t")
    cat("\n")
  }
  cat("\n")
}

if (arguments[1] == "write") write(arguments[2]) else for (file in arguments[-1]) read(file)
