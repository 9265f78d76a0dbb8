#!/usr/bin/env python3
"""Every golden store: each file for another program, read by that program, holds the values of the text beside it.

.h5ad by anndata, 10x.h5 by h5py, .rds by R (one process), .gz by zlib, fragments by tabix. A file that is not exported
must be unsupported or damaged. The number of compared files of each kind is checked. An altered file of each kind must
be reported.
"""
import concurrent.futures
import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from cases import golden_stores
from optional import import_or_exit, needs, needs_modules, needs_r

h5py, numpy = import_or_exit("h5py", "numpy")
try:
    import anndata
    import later_anndata
    import pandas
    import scipy.sparse
except ImportError:
    anndata = None

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ.get("PLAINFS", "plainfs")
DATA = os.environ.get("PLAINFS_TEST_DATA", "")
VIEWS = "csv,mtx,tsv,gz,h5,h5ad,bgzf,rds"

# Stores with an .h5ad of parts that have no equal text in the store: split layers, cells without data.
PUT_TOGETHER = {"r-objects-seurat_v2", "r-objects-seurat_v5_partial", "r-objects-seurat_v5_split"}

COMPARE_RDS = r"""
suppressPackageStartupMessages(library(Matrix))
single <- function(x) readBin(writeBin(x, raw(), size = 4), "double", length(x), size = 4)
half <- function(x) { unit <- 2^(pmax(floor(log2(abs(x))), -14) - 10); ifelse(x == 0, x, round(x / unit) * unit) }
# The text has the digits of the stored type; R's own reading of them may be off by the last bit. least: the
# largest difference to ignore, since R reads a fraction of a second near 1970 as the difference of large numbers.
same_numbers <- function(ours, theirs, least = 0) {
  number <- is.finite(ours)
  if (!identical(ours[!number], theirs[!number])) return(FALSE)
  ours <- ours[number]; theirs <- theirs[number]
  all(abs(ours - theirs) <= pmax(abs(ours) * 2^-51, least)) || all(ours == single(theirs)) || all(ours == half(theirs))
}
# Returns the numbers in `text`. read() converts other texts.
numbers_or <- function(text, read) {
  number <- suppressWarnings(as.double(text))
  other <- is.na(number) & !text %in% c("NA", "NaN")
  number[other] <- as.double(read(text[other]))
  number
}
instants <- function(text) {  # from hours on
  if (length(text) == 0) return(double())
  text <- sub("Z$", "", text)
  whole <- paste0(text, substring("0000-00-00T00:00:00", nchar(text) + 1))
  as.POSIXct(whole, tz = "UTC", format = "%Y-%m-%dT%H:%M:%OS")
}
# Integers of 64 bits, as doubles: their bytes are compared with those that R writes.
wide_integers <- function(ours) {
  words <- matrix(readBin(writeBin(unclass(ours), raw()), "integer", 2 * length(ours)), 2)
  ifelse(is.na(words[2, ]), NA, words[2, ] * 2^32 + words[1, ] %% 2^32)
}
same <- function(ours, text) {
  if (inherits(ours, "Date")) return(same_numbers(floor(as.double(ours)), numbers_or(text, as.Date)))
  if (inherits(ours, "POSIXct")) return(same_numbers(as.double(ours), numbers_or(text, instants), 1e-9))
  if (inherits(ours, "integer64")) ours <- wide_integers(ours)
  if (inherits(ours, "difftime")) ours <- as.double(ours)
  if (is.factor(ours)) ours <- as.character(ours)
  if (is.character(ours)) {
    ours[is.na(ours)] <- "NA"
    return(identical(gsub("\r\n?", "\n", ours), text))
  }
  if (is.complex(ours)) {
    parts <- regmatches(text, regexec("^(.*[^e])([+-].*)i$", text))
    re <- vapply(parts, function(part) as.double(part[2]), 0); im <- vapply(parts, function(part) as.double(part[3]), 0)
    return(same_numbers(Re(ours), re) && same_numbers(Im(ours), im))
  }
  theirs <- suppressWarnings(as(text, typeof(ours)))
  if (is.double(ours)) same_numbers(ours, theirs) else identical(ours, theirs)
}
compare <- function(ours, path) {
  if (length(dim(ours)) != 2) {  # the text has a line for each run of the last dimension
    fields <- scan(path, "", sep = ",", quote = "\"", na.strings = character(), quiet = TRUE, blank.lines.skip = FALSE)
    flat <- as.vector(aperm(ours))
    return(if (length(flat) > 0 && !(length(fields) == length(flat) && same(flat, fields))) "elements")
  }
  if (nrow(ours) == 0 || ncol(ours) == 0) return(NULL)
  rows <- if (is.data.frame(ours) && .row_names_info(ours) <= 0) NULL else rownames(ours)
  columns <- colnames(ours)
  fields <- scan(path, "", sep = ",", quote = "\"", na.strings = character(), quiet = TRUE, blank.lines.skip = FALSE)
  labelled <- !is.null(rows) || !is.null(columns) && !is.data.frame(ours)
  header <- labelled || is.data.frame(ours)
  if (length(fields) != (nrow(ours) + header) * (ncol(ours) + labelled)) return("shape")
  fields <- matrix(fields, nrow = nrow(ours) + header, byrow = TRUE)
  if (is.null(columns)) columns <- as.character(seq_len(ncol(ours)))
  if (is.null(rows)) rows <- as.character(seq_len(nrow(ours)))
  if (header && !identical(gsub("\r\n?", "\n", c(if (labelled) "", columns)), fields[1, ])) return("column names")
  if (header) fields <- fields[-1, , drop = FALSE]
  if (labelled && !identical(gsub("\r\n?", "\n", rows), fields[, 1])) return("row names")
  if (labelled) fields <- fields[, -1, drop = FALSE]
  for (i in seq_len(ncol(ours))) {
    values <- if (is.data.frame(ours)) ours[[i]] else ours[, i, drop = TRUE] |> unname()
    if (!same(values, fields[, i])) return(paste("column", i))
  }
}
of_matrix <- function(ours, path) {
  text <- as(readMM(path), "TsparseMatrix")
  mine <- as(ours, "TsparseMatrix")
  if (!identical(dim(mine), dim(text))) return("dimensions")
  a <- order(mine@j, mine@i); b <- order(text@j, text@i)
  if (!identical(mine@i[a], text@i[b]) || !identical(mine@j[a], text@j[b])) return("places")
  values <- if (.hasSlot(text, "x")) text@x[b] else rep(1, length(b))
  ours <- as.numeric(mine@x)[a]
  values <- as.numeric(values)
  ours[is.na(ours) & is.nan(values)] <- NaN  # as MatrixMarket writes it, but of an R object
  if (!same_numbers(ours, values)) return("values")
  genes <- file.path(dirname(path), "genes.tsv"); cells <- file.path(dirname(path), "barcodes.tsv")
  if (differ(rownames(mine), genes, 2)) return("row names")
  if (differ(colnames(mine), cells, 1)) return("column names")
}
# Names and the lists beside the matrix, in which a tab or the end of a line is a space.
differ <- function(ours, path, field) {
  if (!file_test("-f", path)) return(FALSE)
  text <- vapply(strsplit(readLines(path), "\t", fixed = TRUE), function(fields) c(fields, "", "")[field], "")
  ours[is.na(ours)] <- "NA"
  !identical(gsub("[\t\r\n]", " ", as.character(ours)), text)
}
# Bytes 7 to 10 name the version of R that wrote the file.
rewritten <- function(object, file) {
  copy <- tempfile()
  saveRDS(object, copy, compress = FALSE)
  ours <- readBin(file, "raw", file.size(file)); theirs <- readBin(copy, "raw", file.size(copy))
  unlink(copy)
  if (!identical(ours[-(7:10)], theirs[-(7:10)])) "R writes other bytes"
}
checked <- 0
input <- file("stdin")
for (file in readLines(input)) {
  text <- if (basename(file) == "matrix.rds") sub("rds$", "mtx", file) else sub("rds$", "csv", file)
  problem <- tryCatch({
    ours <- readRDS(file)
    if (isS4(ours)) validObject(ours)
    problem <- rewritten(ours, file)
    if (is.null(problem) && file.exists(text)) {
      checked <- checked + 1
      problem <- if (isS4(ours)) of_matrix(ours, text) else compare(ours, text)
    }
    problem
  }, error = function(e) conditionMessage(e))
  if (!is.null(problem)) cat(file, "\t", problem, "\n", sep = "")
}
cat("checked", checked, "\n")
"""


def content(path):
    with open(path, "rb") as file:
        return file.read()


SPELLED = {b"NA": b"NaN", b"TRUE": b"1", b"FALSE": b"0"}


def numbers_differ(ours, words):
    """Compares each number with its word, exactly in the stored type."""
    words = [SPELLED.get(word, word) for word in words]
    if len(ours) != len(words):
        return True
    if ours.dtype.kind in "iub":  # to the last digit, which no double holds
        return [str(int(value)).encode() for value in ours] != words
    theirs = numpy.array(words, "S").astype("f8") if words else numpy.zeros(0)
    return not numpy.array_equal(ours, theirs.astype(ours.dtype), equal_nan=True)


def entries_of(path):
    """Returns (rows, columns, [(row, column, word)]) of a MatrixMarket file."""
    lines = [line.split() for line in content(path).splitlines() if not line.startswith(b"%")]
    return (
        int(lines[0][0]),
        int(lines[0][1]),
        [(int(line[0]) - 1, int(line[1]) - 1, line[2] if len(line) > 2 else b"1") for line in lines[1:]],
    )


def texts(dataset):
    """Returns texts of fixed length, up to the first NUL."""
    values = dataset[()]
    return [
        value.tobytes().split(b"\0")[0] if hasattr(value, "tobytes") else bytes(value)
        for value in values.astype(f"S{dataset.dtype.itemsize}")
    ]


def lists(folder):
    """Returns the names and barcodes of the text."""
    genes = [line.split(b"\t") for line in content(os.path.join(folder, "genes.tsv")).split(b"\n")[:-1]]
    return genes, content(os.path.join(folder, "barcodes.tsv")).split(b"\n")[:-1]


def tenx_differences(folder, file):
    """Returns the differences between a 10x.h5 and the text of `folder`, except for characters that are blanks in every
    .tsv."""
    found, group = [], file["matrix"]
    genes, cells = lists(folder)
    rows, columns, entries = entries_of(os.path.join(folder, "matrix.mtx"))
    if list(group["shape"][()]) != [rows, columns]:
        found.append("shape")
    for name, want in (
        ("features/id", [line[0] for line in genes]),
        ("features/name", [line[1] for line in genes]),
        ("barcodes", cells),
    ):
        if [re.sub(rb"[\t\r\n]", b" ", text) for text in texts(group[name])] != want:
            found.append(name)
    with gzip.open(os.path.join(folder, "10x", "features.tsv.gz")) as features:
        if texts(group["features/feature_type"]) != [line.rstrip(b"\n").split(b"\t")[2] for line in features]:
            found.append("features/feature_type")
    columns_of = numpy.repeat(numpy.arange(columns), numpy.diff(group["indptr"][()]))
    indices, data = group["indices"][()], group["data"][()]
    ours = sorted(range(len(data)), key=lambda at: (columns_of[at], indices[at]))  # stable at one place
    entries.sort(key=lambda entry: (entry[1], entry[0]))
    if [(indices[at], columns_of[at]) for at in ours] != [entry[:2] for entry in entries]:
        found.append("places")
    elif numbers_differ(data[ours], [entry[2] for entry in entries]):
        found.append("data")
    return found


def fields_of(path):
    """Returns the lines of a .csv as lists of fields, in bytes, without quotes."""
    with open(path, encoding="utf-8", newline="") as file:
        return [[field.encode() for field in line] for line in csv.reader(file)]


def column_differs(group, name, words):
    """Compares a column of an AnnData frame with the words of the .csv."""
    item = group[name]
    if isinstance(item, h5py.Group):
        missing = item["mask"][()] if "mask" in item else item["codes"][()] < 0
        values = item["values"] if "values" in item else item["categories"]
        if "codes" in item:
            spelled = texts(values) if values.dtype.kind in "SO" else values[()]
            values = [spelled[code] if code >= 0 else None for code in item["codes"][()]]
        else:
            values = values[()]
    else:
        values = texts(item) if item.dtype.kind in "SO" else item[()]
        missing = numpy.zeros(len(values), bool)
    if len(values) != len(words):
        return True
    return any(word != b"NA" if gone else not is_same(value, word) for value, word, gone in zip(values, words, missing))


def is_same(value, word):
    if isinstance(value, bytes):
        return value.replace(b"\r\n", b"\n") == word.replace(b"\r\n", b"\n")
    if isinstance(value, numpy.bool_):
        return word == (b"TRUE" if value else b"FALSE")
    if value.dtype.kind in "iu":
        return str(int(value)).encode() == word
    if word == b"NA":
        return bool(numpy.isnan(value))
    return numpy.array_equal(value, value.dtype.type(float(word)), equal_nan=True)


def frame_differences(group, path):
    """Returns the differences between an AnnData frame and its .csv."""
    header, *lines = fields_of(path)
    columns = [name.encode() for name in map(str, group.attrs["column-order"])]
    index = group[group.attrs["_index"]]
    names = texts(index) if index.dtype.kind in "SO" else [b"%d" % number for number in index[()]]
    if len(header) == len(columns) + 1 and header[0] == b"":
        if names != [line[0] for line in lines]:
            return ["index"]
        header, lines = header[1:], [line[1:] for line in lines]
    if header != columns:
        return [f"columns {columns}, not {header}"]
    return [
        name for at, name in enumerate(columns) if column_differs(group, name.decode(), [line[at] for line in lines])
    ]


def series_differs(series, words):
    """Compares a pandas column with the words of the .csv."""
    if len(series) != len(words):
        return True
    values = [series.iloc[at] for at in range(len(series))]
    return any(
        word != b"NA"
        if gone
        else not is_same(value.encode() if isinstance(value, str) else numpy.asarray(value)[()], word)
        for value, word, gone in zip(values, words, series.isna())
    )


def table_differences(table, path):
    """Returns the differences between a pandas data frame and a .csv."""
    header, *lines = fields_of(path)
    if len(header) == table.shape[1] + 1:
        if [spelled(name) for name in table.index] != [line[0].replace(b"\r\n", b"\n") for line in lines]:
            return ["index"]
        header, lines = header[1:], [line[1:] for line in lines]
    if len(lines) != len(table) or header != [str(name).encode() for name in table.columns]:
        return [f"{table.shape} {list(table.columns)}, not {len(lines)} {header}"]
    return [
        name for at, name in enumerate(table.columns) if series_differs(table.iloc[:, at], [line[at] for line in lines])
    ]


def spelled(name):
    return b"NA" if name is None or isinstance(name, float) and numpy.isnan(name) else str(name).encode()


def values_of(path, shape):
    """Returns the words of the .csv of an array, in C order, without its labels."""
    lines = fields_of(path)
    width = int(numpy.prod(shape[1:]))
    if len(shape) == 2 and len(lines) == shape[0] + 1 and len(lines[0]) == width + 1:
        lines = [line[1:] for line in lines[1:]]
    return [word for line in lines for word in line]


def part_differs(ours, base, is_expression, dense_is_turned):
    """Compares a part of an .h5ad with the text of its source: base.csv or base/matrix.mtx, genes by cells if
    `dense_is_turned`. Returns None if there is no such text."""
    if scipy.sparse.issparse(ours):
        text = os.path.join(base, "matrix.mtx")
        if not os.path.isfile(text):
            return None
        rows, columns, entries = entries_of(text)
        ours = (ours.T if is_expression else ours).tocoo()
        order = numpy.lexsort((ours.row, ours.col))  # stable at one place
        entries.sort(key=lambda entry: (entry[1], entry[0]))
        places = list(zip(ours.row[order].tolist(), ours.col[order].tolist()))
        return (
            ours.shape != (rows, columns)
            or places != [entry[:2] for entry in entries]
            or numbers_differ(ours.data[order], [entry[2] for entry in entries])
        )
    if not os.path.isfile(base + ".csv"):
        return None
    if isinstance(ours, pandas.DataFrame):
        return table_differences(ours, base + ".csv") != []
    ours = numpy.asarray(ours.T if is_expression and dense_is_turned else ours)
    words = values_of(base + ".csv", ours.shape)
    if ours.dtype.kind in "iubf":
        return numbers_differ(ours.ravel(), words)
    return [spelled(value) for value in ours.ravel()] != words


def is_expression(part):
    return part == "X" or part.startswith(("layers/", "raw/X"))


def numbered(folder):
    """Returns {name in an .h5ad: folder} of a list of a takane experiment."""
    names = os.path.join(folder, "names.json")
    if not os.path.isfile(names):
        return {}
    with open(names, encoding="utf-8") as file:
        return {
            name.replace("/", "_"): os.path.join(folder, str(number)) for number, name in enumerate(json.load(file))
        }


def obsm_name(reduced):
    """Returns the name in obsm of a reduced dimension of an experiment."""
    if reduced.lower() in ("pca", "umap", "tsne"):
        return "X_" + reduced.lower()
    return reduced if reduced == "spatial" or reduced.startswith("X_") else "X_" + reduced


def reductions(folder):
    """Returns {name in obsm: text without its ending} of the reduced dimensions of an experiment."""
    found = numbered(folder)
    if not found and os.path.isdir(folder):
        names = {os.path.splitext(name)[0] for name in os.listdir(folder) if name.endswith(".csv")}
        found = {name: os.path.join(folder, name) for name in names}
    return {obsm_name(name): path for name, path in found.items()}


class Origins:
    """Finds the text of each part of an .h5ad."""

    def __init__(self, path):
        self.folder, self.name = os.path.dirname(path), os.path.basename(path)[: -len(".h5ad")]
        self.is_seurat = self.name != "anndata" or os.path.basename(self.folder) == "assays"
        self.assays = numbered(os.path.join(self.folder, "assays"))
        self.is_loom = os.path.isdir(os.path.join(self.folder, "row_attrs"))
        self.is_experiment = os.path.isfile(os.path.join(self.folder, "column_data.csv"))  # R: named parts
        # AnnData has cells in rows, the others genes.
        self.dense_is_turned = self.is_seurat or self.is_loom or self.is_experiment or bool(self.assays)

    def first_assay(self):
        """Returns the assay that is not a layer."""
        names = {
            os.path.splitext(name)[0] if name.endswith((".csv", ".npy")) else name
            for name in os.listdir(os.path.join(self.folder, "assays"))
        }
        with h5py.File(os.path.join(self.folder, self.name + ".h5ad"), "r") as file:
            return min(name for name in names if "." not in name and name not in file["layers"])

    def loadings(self, name):
        """Returns the text of the loadings that a Seurat object's varm/NAME has."""
        reduction = name.removesuffix("_projected")
        text = "feature.loadings" if name == reduction else "feature.loadings.projected"
        return os.path.join(self.folder, "..", "reductions", "pca" if name == "PCs" else reduction, text)

    def matrix_of(self, assay):
        """Returns the text of the matrix that an assay of a Seurat object is known for."""
        data = os.path.join(self.folder, assay, "data")
        has_data = os.path.isfile(data + ".csv") or os.path.isdir(data)
        return data if has_data else os.path.join(self.folder, assay, "counts")

    def layer(self, name):
        """Returns the text of a layer of a Seurat object: one of the assay, or an assay of that name."""
        own = os.path.join(self.folder, self.name, name)
        return own if os.path.isfile(own + ".csv") or os.path.isdir(own) else self.matrix_of(name)

    def base_of(self, part):
        room, _, name = part.partition("/")

        def at(*names):
            return os.path.join(self.folder, *names)

        if self.is_seurat:
            if part in ("X", "raw/X"):
                return self.matrix_of(self.name if part == "X" else "raw")
            of = {
                "layers": lambda: self.layer(name),
                "raw": lambda: at("..", "misc", part),
                "obsm": lambda: at("..", "reductions", name[len("X_") :], "cell.embeddings"),
                "varm": lambda: self.loadings(name),
                "obsp": lambda: at("..", "graphs", f"{self.name}_snn" if name == "connectivities" else name),
            }
            return of[room]()
        if self.assays:
            of = {
                "X": lambda: next(iter(self.assays.values())),
                "layers": lambda: self.assays[name],
                "obsm": lambda: at("coordinates") if name == "spatial" else reductions(at("reduced_dimensions"))[name],
            }
            item = of[room]()
            inner = [
                os.path.join(item, kind)
                for kind in ("dense_array", "data_frame", "delayed_array")
                if os.path.isfile(os.path.join(item, kind + ".csv"))
            ]
            return inner[0] if inner else item
        if self.is_experiment:
            if room == "obsm":
                of = reductions(at("reduced_dimensions"))
                return at("spatial_coordinates") if name == "spatial" else of.get(name, at(part))
            return at("assays", name or self.first_assay())
        if self.is_loom:
            of = {"obsm": "col_attrs", "varm": "row_attrs", "obsp": "col_graphs", "varp": "row_graphs"}
            return at("matrix") if part == "X" else at(of.get(room, room), name)
        if room == "obsp" and not os.path.isdir(at("obsp")):
            return at("uns", "neighbors", name)  # up to 0.6
        if part == "X" and os.path.isfile(at("matrix.mtx")):
            return self.folder
        if part == "X" and os.path.isfile(at("matrix", "matrix.mtx")):
            return at("matrix")
        return at(part)


def parts_of(matrix):
    """Yields (path, values) of everything in an AnnData except its frames and uns."""
    if matrix.X is not None:
        yield "X", matrix.X
    for room in ("layers", "obsm", "varm", "obsp", "varp"):
        for name, values in getattr(matrix, room).items():
            if not isinstance(values, later_anndata.Awkward):  # it has no single text
                yield f"{room}/{name}", values
    if matrix.raw is not None:
        if matrix.raw.X is not None:
            yield "raw/X", matrix.raw.X
        for name, values in matrix.raw.varm.items():
            yield f"raw/varm/{name}", values


def read_anndata(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anndata.read_h5ad(path)


def differs_from_images(matrix, images):
    """Returns whether the coordinates of a cell differ from those of its first Seurat image."""
    places = {}
    for name in os.listdir(images):
        path = os.path.join(images, name, "coordinates.csv")
        if not os.path.isfile(path):
            continue
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                across, down = ("imagecol", "imagerow") if "imagecol" in row else ("x", "y")
                places.setdefault(row[""], (float(row[across]), float(row[down])))
    missing = (numpy.nan, numpy.nan)
    want = numpy.array([places.get(name, missing) for name in matrix.obs_names])
    return not numpy.array_equal(matrix.obsm["spatial"], want, equal_nan=True)


def loadings_differ(ours, genes, base):
    """Compares loadings with the text of some of the genes. The others have zeros."""
    lines = fields_of(base + ".csv")
    zeros = [b"0"] * ours.shape[1]
    rows = {line[0]: line[1:] for line in lines[1:]}
    names = [gene.encode() for gene in genes]
    words = [word for name in names for word in rows.get(name, zeros)]
    return not set(rows) <= set(names) or bool(numbers_differ(numpy.asarray(ours).ravel(), words))


def h5ad_differences(path):
    """Returns ({part: whether it differs}, [parts without a text])."""
    origins, found, alone = Origins(path), {}, []
    matrix = read_anndata(path)
    for part, values in parts_of(matrix):
        if origins.is_seurat and part == "obsm/spatial":
            found[part] = differs_from_images(matrix, os.path.join(origins.folder, "..", "images"))
            continue
        if origins.is_seurat and part.startswith("varm/"):
            found[part] = loadings_differ(values, matrix.var_names, origins.base_of(part))
            continue
        differs = part_differs(values, origins.base_of(part), is_expression(part), origins.dense_is_turned)
        if differs is None:
            alone.append(part)
        else:
            found[part] = bool(differs)
    return found, alone


def gz_differs(path, text, is_features):
    """Compares the output of zlib with a text. Features have a third field, which genes.tsv lacks."""
    with gzip.open(path) as file:
        ours = file.read()
    if is_features:
        ours = b"".join(line.rpartition(b"\t")[0] + b"\n" for line in ours.split(b"\n")[:-1])
    return ours != text


def tabix_differences(folder, text, index):
    """Compares the results of tabix with an index of folder/fragments.tsv.gz with the lines of the text: whole
    chromosomes, and parts of them."""
    by_name = {}
    for line in content(text).splitlines(keepends=True):
        fields = line.split(b"\t")
        by_name.setdefault(fields[0].decode(), []).append((int(fields[1]), int(fields[2]), line))
    asked, want = [], b""
    for name, lines in by_name.items():
        asked.append(name)
        want += b"".join(line for _, _, line in lines)
        for first in (lines[0][0], lines[len(lines) // 2][0]):
            asked.append(f"{name}:{first + 1}-{first + 500}")
            want += b"".join(line for start, end, line in lines if start < first + 500 and end > first)
    with tempfile.TemporaryDirectory(dir=folder) as alone:  # htslib chooses freely between two indexes
        for name in ("fragments.tsv.gz", index):
            os.link(os.path.join(folder, name), os.path.join(alone, name))
        found = (
            subprocess.run(["tabix", os.path.join(alone, "fragments.tsv.gz"), *asked], capture_output=True, timeout=60)
            if asked
            else None
        )
    return [] if found is None or (found.returncode == 0 and found.stdout == want) else [index]


def rewrite(path, change):
    """Writes other bytes under that name. It may be a link to a file that stays."""
    changed = change(content(path))
    os.unlink(path)
    with open(path, "wb") as file:
        file.write(changed)


def other_last_value(text):
    """Changes the last digit of the text."""
    at = max(text.rfind(b"%d" % digit) for digit in range(10))
    if at < 0:
        return text + b"1"
    return text[:at] + b"%d" % ((text[at] - ord("0") + 1) % 10) + text[at + 1 :]


class Native(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

        def export(job):
            subprocess.run(
                [PROGRAM, "export", "--views", VIEWS, job[1], os.path.join(cls.folder, job[0])],
                capture_output=True,
                timeout=60,
            )

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(export, golden_stores(DATA)))

    def files(self, *ending):
        """Returns the files with the name, or, if it begins with a dot, with the ending. Links lead to other files."""
        path = os.path.join(*ending)
        end = path if path.startswith(".") else os.sep + path
        every = (os.path.join(at, name) for at, _, names in os.walk(self.folder) for name in sorted(names))
        return sorted(path for path in every if path.endswith(end) and not os.path.islink(path))

    def test_every_10x_h5_has_the_values_of_the_text(self):
        compared = 0
        for path in self.files("10x", "10x.h5"):
            folder = os.path.dirname(os.path.dirname(path))
            if not all(
                os.path.isfile(os.path.join(folder, name)) for name in ("matrix.mtx", "genes.tsv", "barcodes.tsv")
            ):
                continue  # it gives the reason
            with self.subTest(file=path[len(self.folder) :]), h5py.File(path, "r") as file:
                self.assertEqual(tenx_differences(folder, file), [])
            compared += 1
        self.assertGreater(compared, 20)

    def test_every_gz_has_the_bytes_of_the_text(self):
        compared = 0
        for ending in (
            ("10x", "matrix.mtx.gz"),
            ("10x", "barcodes.tsv.gz"),
            ("10x", "features.tsv.gz"),
            ("fragments.tsv.gz",),
        ):
            for path in self.files(*ending):
                folder = os.path.dirname(path) if len(ending) == 1 else os.path.dirname(os.path.dirname(path))
                is_features = ending[-1] == "features.tsv.gz"
                text = os.path.join(folder, "genes.tsv" if is_features else ending[-1][:-3])
                if not os.path.isfile(text):
                    continue
                with self.subTest(file=path[len(self.folder) :]):
                    self.assertFalse(gz_differs(path, content(text), is_features))
                    self.assertTrue(gz_differs(path, other_last_value(content(text)), is_features))
                compared += 1
        self.assertGreater(compared, 60)

    def test_every_frame_of_an_h5ad_has_the_values_of_the_text(self):
        compared = 0
        for path in self.files("anndata.h5ad"):
            folder = os.path.dirname(path)
            with h5py.File(path, "r") as file:
                for side in ("obs", "var", "raw/var"):
                    text = os.path.join(folder, side + ".csv")
                    if side not in file or not os.path.exists(text):
                        continue
                    with self.subTest(file=text[len(self.folder) :]):
                        self.assertEqual(frame_differences(file[side], text), [])
                    compared += 1
        self.assertGreater(compared, 20)

    @needs_modules("anndata")
    def test_every_h5ad_has_the_values_of_the_text(self):
        compared = {}
        for path in self.files(".h5ad"):
            with self.subTest(file=path[len(self.folder) :]):
                found, alone = h5ad_differences(path)
                if path[len(self.folder) :].split("/")[1] in PUT_TOGETHER:  # seurat_test compares these with R
                    continue
                self.assertEqual([part for part, differs in found.items() if differs], [])
                self.assertEqual(alone, [])
                for part in found:
                    room = part.partition("/")[0]
                    compared[room] = compared.get(room, 0) + 1
        least = {"X": 85, "layers": 60, "obsm": 40, "varm": 15, "obsp": 15, "varp": 10, "raw": 15}
        self.assertEqual({room: count for room, count in least.items() if compared.get(room, 0) < count}, {})

    @needs_modules("anndata")
    def test_altered_h5ad_is_reported(self):
        printed = set()
        for path in self.files(".h5ad"):
            kinds = {
                part: (part.partition("/")[0], type(values).__name__) for part, values in parts_of(read_anndata(path))
            }
            for part, kind in kinds.items():
                copy = path[: -len(".h5ad")] + ".altered"
                shutil.copyfile(path, copy)
                with h5py.File(copy, "r+") as file:
                    dataset = file[part]
                    if isinstance(dataset, h5py.Group):
                        dataset = dataset["data"] if "data" in dataset else None
                    if kind in printed or dataset is None or dataset.size == 0 or dataset.dtype.kind not in "iuf":
                        continue
                    at = (0,) * dataset.ndim
                    dataset[at] = 77 if dataset[at] != 77 else 78
                os.replace(path, path + ".kept")
                os.replace(copy, path)
                try:
                    self.assertEqual([part for part, differs in h5ad_differences(path)[0].items() if differs], [part])
                finally:
                    os.replace(path + ".kept", path)
                printed.add(kind)
        self.assertGreaterEqual(len(printed), 10, printed)

    def test_altered_frame_is_reported(self):
        path, printed = os.path.join(self.folder, "anndata-everything_h5ad", "anndata.h5ad"), set()
        altered = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "altered.h5ad")
        with h5py.File(path, "r") as file:
            names = []
            file["obs"].visititems(
                lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) and item.size else None
            )
        for name in names:
            shutil.copyfile(path, altered)
            with h5py.File(altered, "r+") as file:
                dataset = file["obs/" + name]
                if name.endswith("/codes"):
                    if dataset.parent["categories"].size == 0:
                        continue
                    dataset[0] = -1 if dataset[0] >= 0 else 0
                elif name.endswith("/values"):  # some of these are missing and may then be anything
                    dataset[...] = ~dataset[()] if dataset.dtype.kind == "b" else dataset[()] + 1
                elif name.endswith("/categories"):  # some of these may be unused
                    dataset[...] = [
                        b"?" if dataset.dtype.kind == "S" else not value if dataset.dtype.kind == "b" else value + 1
                        for value in dataset[()]
                    ]
                else:
                    dataset[0] = (
                        b"?"
                        if dataset.dtype.kind == "S"
                        else not dataset[0]
                        if dataset.dtype.kind == "b"
                        else 78
                        if dataset[0] == 77
                        else 77
                    )
                printed.add((dataset.dtype.kind, name.partition("/")[2]))
            with h5py.File(altered, "r") as file:
                self.assertNotEqual(
                    frame_differences(file["obs"], os.path.join(os.path.dirname(path), "obs.csv")), [], name
                )
        self.assertGreaterEqual(len(printed), 8, printed)

    @needs_r("Matrix")
    def test_every_rds_equals_one_written_by_r(self):
        files = self.files(".rds")
        altered = []
        for store, name, texts in (
            ("bpcells-mat_packed_uint_col", "matrix", ("matrix.mtx", "genes.tsv", "barcodes.tsv")),
            ("h5seurat-everything", "meta.data", ("meta.data.csv",)),
            ("anndata-dense_h5ad", "X", ("X.csv",)),
            ("hdf5-numeric", "shapes/d2c", ("shapes/d2c.csv",)),
            ("hdf5-numeric", "shapes/d3", ("shapes/d3.csv",)),
        ):
            for text in texts:
                folder = os.path.join(self.folder, f"altered {len(altered)}")
                shutil.copytree(os.path.join(self.folder, store), folder, symlinks=True)
                rewrite(os.path.join(folder, text), other_last_value)
                altered.append(os.path.join(folder, name + ".rds"))
        result = subprocess.run(
            ["Rscript", "-e", COMPARE_RDS],
            input="\n".join(files + altered) + "\n",
            capture_output=True,
            text=True,
            timeout=300,
            env=dict(os.environ, LC_ALL="C.UTF-8"),
        )
        for path in altered:
            shutil.rmtree(path[: path.index(os.sep, len(self.folder) + 1)])
        self.assertEqual(result.returncode, 0, result.stderr)
        *problems, last = result.stdout.splitlines()
        printed = {problem.partition("\t")[0] for problem in problems}
        self.assertEqual(
            [problem[len(self.folder) :] for problem in problems if problem.partition("\t")[0] not in altered], []
        )
        self.assertEqual([path for path in altered if path not in printed], [])
        self.assertGreater(int(last.split()[1]), 1000)

    @needs("tabix")
    def test_tabix_finds_the_fragments_of_the_text(self):
        compared = 0
        for index in ("fragments.tsv.gz.tbi", "fragments.tsv.gz.csi"):
            for path in self.files(index):
                folder = os.path.dirname(path)
                text = os.path.join(folder, "fragments.tsv")
                with self.subTest(file=path[len(self.folder) :]):
                    self.assertEqual(tabix_differences(folder, text, index), [])
                altered = os.path.join(self.folder, "altered.tsv")
                with open(altered, "wb") as file:
                    file.write(other_last_value(content(text)) if content(text) else b"chr1\t1\t2\tc\t1\n")
                self.assertEqual(tabix_differences(folder, altered, index), [index])
                compared += 1
        self.assertGreater(compared, 15)

    def test_altered_file_is_reported(self):
        path = next(path for path in self.files("10x", "10x.h5") if h5py.File(path, "r")["matrix/data"].shape[0] > 1)
        folder = os.path.dirname(os.path.dirname(path))
        altered = os.path.join(self.folder, "altered.h5")
        for name in ("data", "indices", "shape", "barcodes", "features/id", "features/name", "features/feature_type"):
            shutil.copyfile(path, altered)
            with h5py.File(altered, "r+") as file:
                dataset = file["matrix/" + name]
                dataset[0] = b"?" if dataset.dtype.kind == "S" else dataset[0] + 1
            with h5py.File(altered, "r") as file:
                self.assertNotEqual(tenx_differences(folder, file), [], name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
