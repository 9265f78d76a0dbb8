#!/usr/bin/env python3
"""The files that other programs open without any option, each read by its own program if that is installed."""
import errno
import gzip
import json
import os
import random
import shutil
import struct
import subprocess
import unittest

from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import missing_modules, missing_r, needs, needs_modules, needs_r  # after mounted, which sets its path

SEURAT = os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")
MATRIX = os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store")
BY_ROW = os.path.join(DATA, "bpcells", "mat_packed_uint_row", "store")
SAMPLE_SEURAT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5seurat")
FORMATS = ("anndata", "bpcells", "h5seurat", "hdf5", "loom", "nwb", "takane", "takane-objects", "tenx", "zarr")

COMPARE_MATRIX = """
suppressPackageStartupMessages(library(Matrix))
folder <- commandArgs(TRUE)
ours <- readRDS(file.path(folder, "matrix.rds"))
text <- readMM(file.path(folder, "matrix.mtx"))
stopifnot(identical(dim(ours), dim(text)), all.equal(unname(as.matrix(ours)), as.matrix(text)))
genes <- file.path(folder, "genes.tsv")
cells <- file.path(folder, "barcodes.tsv")
if (file.exists(genes)) {
  shown <- read.delim(genes, header = FALSE, quote = "", na.strings = NULL)[[2]]
  stopifnot(identical(rownames(ours), shown))
}
if (file.exists(cells)) stopifnot(identical(colnames(ours), readLines(cells)))
"""

COMPARE_TABLE = """
root <- commandArgs(TRUE)
table <- readRDS(file.path(root, "meta.data.rds"))
text <- read.csv(file.path(root, "meta.data.csv"), row.names = 1, check.names = FALSE, na.strings = character(),
  colClasses = "character")
stopifnot(is.data.frame(table), identical(names(table), names(text)), identical(rownames(table), rownames(text)))
for (column in names(table)) {
  ours <- table[[column]]
  if (is.factor(ours) || is.character(ours)) {
    ours <- as.character(ours)
    ours[is.na(ours)] <- "NA"
    ours <- gsub("\\r", "\\n", ours)  # as read.csv does
    theirs <- text[[column]]
  } else {
    theirs <- as(text[[column]], class(ours))
  }
  stopifnot(identical(ours, theirs))
}
stopifnot(any(vapply(table, is.factor, TRUE)))
"""


def r(script, *arguments, **more):
    result = subprocess.run(
        ["Rscript", "-e", script, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=dict(os.environ, LC_ALL="C.UTF-8"),
        **more,
    )
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout


def stores():
    for form in filter(lambda form: os.path.isdir(os.path.join(DATA, form)), FORMATS):
        for case in sorted(os.listdir(os.path.join(DATA, form))):
            folder = os.path.join(DATA, form, case)
            for name in sorted(os.listdir(folder)):
                if name == "store" or name.startswith("store."):
                    yield f"{form}-{case}", os.path.join(folder, name)


def files_below(folder, ending):
    return [
        os.path.join(at, name) for at, _, names in os.walk(folder) for name in sorted(names) if name.endswith(ending)
    ]


def bins_at(data, at, wide):
    """Returns {bin: its content} at a place of an index, and the start of the next part."""
    bins, at = {}, at + 4
    for _ in range(struct.unpack_from("<i", data, at - 4)[0]):
        head = struct.unpack_from("<IQi" if wide else "<Ii", data, at)
        at += struct.calcsize("<IQi" if wide else "<Ii")
        bins[head[0]] = head[1:-1], struct.unpack_from(f"<{2 * head[-1]}Q", data, at)
        at += 16 * head[-1]
    return bins, at


def without_depth(bins, depth):
    """Returns bins as (number of levels below, number in the level): newer tabix adds levels on top of the same bins.
    The summary of a whole chromosome has the number after the last bin."""
    starts = [(8**level - 1) // 7 for level in range(depth + 2)]

    def place(number):
        level = max(level for level, start in enumerate(starts) if start <= number)
        return ("all", 0) if number > starts[-1] else (depth - level, number - starts[level])

    return {place(number): output for number, output in bins.items()}


def index_of(path):
    """Returns a .tbi or .csi as its header, without the depth, and {chromosome: (bins, windows)}."""
    with gzip.open(path) as file:
        data = file.read()
    wide = data.startswith(b"CSI")
    names_at = (16 if wide else 8) + 28
    length = struct.unpack_from("<i", data, names_at - 4)[0]
    names, at, found = data[names_at : names_at + length].split(b"\0")[:-1], names_at + length, {}
    header = data[:4], data[4:8] + data[12:names_at] if wide else data[8:names_at]
    at += 4 if wide else 0  # the number of chromosomes
    for name in names:
        bins, at = bins_at(data, at, wide)
        if wide:
            bins = without_depth(bins, struct.unpack_from("<i", data, 8)[0])
        windows = ()
        if not wide:
            count = struct.unpack_from("<i", data, at)[0]
            windows = struct.unpack_from(f"<{count}Q", data, at + 4)
            at += 4 + 8 * count
        found[name] = bins, windows
    return header, found


class Listing(Folder):
    def test_listing_is_free_and_text_and_gz_share_a_pass(self):
        with Mount(MATRIX) as m:

            def counted():
                stats = json.loads(m.read(".plainfs", "stats.json"))
                return stats["chunks_decoded"], stats["text_blocks_measured"], stats["text_blocks_formatted"]

            listed = [name for _, _, names in os.walk(m.path) for name in names]
            self.assertTrue({"matrix.rds", "matrix.mtx.gz", "10x.h5", "anndata.h5ad"} <= set(listed))
            self.assertEqual(counted(), (0, 0, 0))
            os.stat(m.join("matrix.mtx"))
            once = counted()
            self.assertGreater(once[1], 0)
            os.stat(m.join("10x", "matrix.mtx.gz"))
            self.assertEqual(counted(), once)

    def test_files_reuse_chunks_decoded_for_texts(self):
        def is_text(path):
            return path.endswith((".csv", ".mtx", ".tsv"))

        for case in ("csc_zarr2/store.zarr", "csc_h5ad/store.h5ad"):
            with self.subTest(store=case), Mount(os.path.join(DATA, "anndata", case)) as m:

                def decoded():
                    return json.loads(m.read(".plainfs", "stats.json"))["chunks_decoded"]

                files = [
                    os.path.join(at, name) for at, _, names in os.walk(m.path) if ".plainfs" not in at for name in names
                ]
                others = [path for path in files if not is_text(path)]
                self.assertTrue(
                    {m.join("obs.rds"), m.join("anndata.h5ad"), m.join("X", "10x", "10x.h5")} <= set(others)
                )
                for path in filter(is_text, files):
                    os.stat(path)
                once = decoded()
                self.assertGreater(once, 0)
                for path in others:
                    os.stat(path)
                self.assertEqual(decoded(), once)

    def test_fragments_their_framing_and_their_index_share_one_pass(self):
        store = os.path.join(self.folder, "fragments")
        write_fragments(store, {"chr1": [(i * 20, i * 20 + 200) for i in range(30000)]})
        with Mount(store) as m:

            def counted():
                stats = json.loads(m.read(".plainfs", "stats.json"))
                return stats["text_blocks_measured"], stats["text_blocks_formatted"]

            os.stat(m.join("fragments.tsv"))
            once = counted()
            self.assertGreater(once[0], 1)
            for name in ("fragments.tsv.gz", "fragments.tsv.gz.tbi", "fragments.tsv.gz.csi"):
                self.assertGreater(os.stat(m.join(name)).st_size, 0)
            self.assertEqual(counted(), once)


class Rds(Folder):
    @needs_r("Matrix")
    def test_matrices_match_the_text(self):
        for store in (MATRIX, BY_ROW):
            with Mount(store) as m:
                r(COMPARE_MATRIX, m.path)

    @needs_r("Matrix")
    def test_tables_match_the_text(self):
        with Mount(SEURAT) as m:
            r(COMPARE_TABLE, m.path)


class Tenx(Folder):
    def setUp(self):
        super().setUp()
        self.mount = self.enterContext(Mount(MATRIX))

    @needs("gzip")
    def test_gzip_gives_the_text(self):
        for name, text in (("matrix.mtx.gz", "matrix.mtx"), ("barcodes.tsv.gz", "barcodes.tsv")):
            self.assertEqual(run("gzip", "-t", self.mount.join("10x", name)).returncode, 0)
            self.assertEqual(run("gzip", "-dc", self.mount.join("10x", name)).stdout, self.mount.read(text))
        features = gzip.decompress(self.mount.read("10x", "features.tsv.gz")).splitlines()
        self.assertEqual(features, [line + b"\tGene Expression" for line in self.mount.read("genes.tsv").splitlines()])

    @needs_modules("scipy")
    def test_scipy_reads_the_matrix(self):
        import scipy.io

        framed = scipy.io.mmread(self.mount.join("10x", "matrix.mtx.gz")).tocsc()
        self.assertEqual((framed != scipy.io.mmread(self.mount.join("matrix.mtx")).tocsc()).nnz, 0)

    @needs_modules("h5py", "scipy")
    def test_h5py_reads_the_file_like_scanpy(self):
        import h5py
        import scipy.io
        import scipy.sparse

        mount = self.enterContext(Mount(SAMPLE_SEURAT))  # scanpy accepts only ASCII names
        folder = mount.join("assays", "RNA", "counts")
        with h5py.File(os.path.join(folder, "10x", "10x.h5"), "r") as file:
            group = file["matrix"]
            rows, columns = group["shape"][()]
            matrix = scipy.sparse.csr_matrix(
                (group["data"][()], group["indices"][()], group["indptr"][()]), shape=(columns, rows)
            )
            names = group["features/name"][()].astype(str)
            barcodes = group["barcodes"][()].astype(str)
            self.assertEqual(set(group["features/feature_type"][()].astype(str)), {"Gene Expression"})
            self.assertEqual(list(file), ["matrix"])
        text = scipy.io.mmread(os.path.join(folder, "matrix.mtx")).tocsr()
        self.assertEqual((matrix.T.tocsr() != text).nnz, 0)
        self.assertEqual(
            "".join(f"{name}\n" for name in barcodes), mount.read("assays", "RNA", "counts", "barcodes.tsv").decode()
        )
        self.assertEqual(
            "".join(f"{name}\t{name}\n" for name in names), mount.read("assays", "RNA", "counts", "genes.tsv").decode()
        )

    @needs_modules("h5py")
    def test_h5py_reads_the_file_like_seurat(self):
        import h5py

        with h5py.File(self.mount.join("10x", "10x.h5"), "r") as file:
            genomes = [name for name in file if isinstance(file[name], h5py.Group)]
            self.assertEqual(genomes, ["matrix"])
            parts = {
                name: file["matrix/" + name][()]
                for name in ("data", "indices", "indptr", "shape", "features/name", "features/feature_type", "barcodes")
            }
        entries = []
        for cell in range(len(parts["barcodes"])):
            for at in range(parts["indptr"][cell], parts["indptr"][cell + 1]):
                entries.append(b"%d %d %d" % (parts["indices"][at] + 1, cell + 1, parts["data"][at]))
        text = self.mount.read("matrix.mtx").splitlines()
        self.assertEqual(entries, text[-len(entries) :])
        self.assertEqual(list(parts["shape"]), [int(word) for word in text[-len(entries) - 1].split()[:2]])
        self.assertEqual(b"".join(name + b"\n" for name in parts["barcodes"]), self.mount.read("barcodes.tsv"))
        self.assertEqual(
            b"".join(name + b"\t" + name + b"\n" for name in parts["features/name"]), self.mount.read("genes.tsv")
        )

    @needs_modules("h5py", "scipy")
    def test_h5py_reads_a_csr_matrix_like_seurat(self):
        """Reads it like scanpy: cells in rows, with sorted genes."""
        import h5py
        import scipy.io
        import scipy.sparse

        stores = ((BY_ROW, ()), (os.path.join(DATA, "anndata", "csc_zarr2", "store.zarr"), ("X",)))
        for store, place in stores:
            mount = self.enterContext(Mount(store))
            with h5py.File(mount.join(*place, "10x", "10x.h5"), "r") as file, self.subTest(store=store):
                self.assertEqual([name for name in file if isinstance(file[name], h5py.Group)], ["matrix"])
                parts = {
                    name: file["matrix/" + name][()]
                    for name in ("data", "indices", "indptr", "shape", "features/name", "barcodes")
                }
                rows, columns = parts["shape"]
                ours = scipy.sparse.csr_matrix(
                    (parts["data"], parts["indices"], parts["indptr"]), shape=(columns, rows)
                )
                self.assertGreater(ours.nnz, 0)
                for cell in range(columns):
                    genes = parts["indices"][parts["indptr"][cell] : parts["indptr"][cell + 1]]
                    self.assertEqual(list(genes), sorted(genes))  # one may be repeated
                text = scipy.io.mmread(mount.join(*place, "matrix.mtx")).tocsr()
                self.assertEqual((ours.T.tocsr() != text).nnz, 0)
                self.assertEqual(
                    b"".join(name + b"\n" for name in parts["barcodes"]), mount.read(*place, "barcodes.tsv")
                )


def anndata():
    if missing_modules("anndata"):
        raise unittest.SkipTest(missing_modules("anndata"))
    import anndata as module
    import later_anndata  # noqa: F401

    return module


def differences(theirs, ours):
    """Yields the differences between two AnnData objects, except for the allowed types of a column without missing
    values."""
    import numpy
    import pandas
    import scipy.sparse

    found = []

    def frames(a, b, where):
        if (list(a.index), list(a.columns)) != (list(b.index), list(b.columns)):
            found.append(f"{where}: names")
            return
        for name in a.columns:
            x, y = a[name], b[name]
            if (x.dtype == "category") != (y.dtype == "category"):
                found.append(f"{where}.{name}: {x.dtype}, {y.dtype}")
            elif x.dtype == "category" and (list(x.cat.categories), x.cat.ordered) != (
                list(y.cat.categories),
                y.cat.ordered,
            ):
                found.append(f"{where}.{name}: categories")
            elif list(x.isna()) != list(y.isna()) or list(x[~x.isna()]) != list(y[~y.isna()]):
                found.append(f"{where}.{name}: values")

    def values(x):
        x = x.to_memory() if hasattr(x, "to_memory") else x[:] if type(x).__name__ == "Dataset" else x
        return (type(x).__name__, x.toarray()) if scipy.sparse.issparse(x) else ("dense", numpy.asarray(x))

    def parts(a, b, where):
        if a is None or b is None:
            found.extend([where] if a is not b else [])
        elif type(a).__name__ == "Awkward":
            found.extend([where] if a != b else [])
        elif isinstance(a, pandas.DataFrame):
            frames(a, b, where)
        else:
            (kind, x), (other, y) = values(a), values(b)
            if (kind, x.dtype, x.shape) != (other, y.dtype, y.shape) or not numpy.array_equal(
                x, y, equal_nan=x.dtype.kind == "f"
            ):
                found.append(f"{where}: {kind} {x.dtype} {x.shape}, {other} {y.dtype} {y.shape}")

    frames(theirs.obs, ours.obs, "obs")
    frames(theirs.var, ours.var, "var")
    parts(theirs.X, ours.X, "X")
    for room in ("layers", "obsm", "varm", "obsp", "varp"):
        a, b = getattr(theirs, room), getattr(ours, room)
        if sorted(a) != sorted(b):
            found.append(f"{room}: {sorted(a)}, {sorted(b)}")
        for name in set(a) & set(b):
            parts(a[name], b[name], f"{room}/{name}")
    if (theirs.raw is None) != (ours.raw is None):
        found.append("raw")
    elif theirs.raw is not None:
        parts(theirs.raw.X, ours.raw.X, "raw/X")
        frames(theirs.raw.var, ours.raw.var, "raw/var")
    return found


class H5ad(Folder):
    def test_anndata_reads_the_same_as_from_the_store(self):
        module = anndata()
        import warnings

        compared = []
        for name, store in stores():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    theirs = module.read_h5ad(store) if os.path.isfile(store) else module.read_zarr(store)
                except Exception:  # of another version, or no AnnData
                    continue
                file = os.path.join(self.folder, name + ".h5ad")
                with open(file, "wb") as out:
                    output = subprocess.run(
                        [PROGRAM, "cat", store, "anndata.h5ad"], stdout=out, stderr=subprocess.PIPE, timeout=60
                    )
                with self.subTest(store=name):
                    self.assertEqual(output.returncode, 0, output.stderr)
                    for backed in (None, "r") if theirs.X is not None else (None,):
                        ours = module.read_h5ad(file, backed=backed)
                        self.assertEqual(differences(theirs, ours), [])
                        if backed:
                            ours.file.close()
                    compared.append(name)
        self.assertGreater(len(compared), 10)

    @needs_modules("h5py")
    def test_h5py_walks_every_object(self):
        import h5py

        with Mount(SEURAT) as m, h5py.File(m.join("assays", "RNA.h5ad"), "r") as file:
            seen = []
            file.visititems(
                lambda path, item: seen.append(
                    (path, item[()].size if isinstance(item, h5py.Dataset) else dict(item.attrs))
                )
            )
            self.assertTrue(
                {"X/data", "obs/stage/codes", "obsm/X_pca", "layers/counts/indptr"} <= {path for path, _ in seen}
            )

    def test_unreadable_layer_is_not_left_out(self):
        for name in (".zgroup", ".zattrs"):
            store = os.path.join(self.folder, name[1:] + ".zarr")
            shutil.copytree(os.path.join(DATA, "anndata", "csc_zarr2", "store.zarr"), store)
            document = os.path.join(store, "layers", "odd", name)
            os.remove(document)
            os.symlink(name, document)
            result = run(PROGRAM, "cat", store, "anndata.h5ad")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("layers/odd/" + name, str(result.stderr))

    @needs_modules("h5py")
    def test_h5py_reads_x_like_bpcells(self):
        """Follows the steps of BPCells' open_matrix_anndata_hdf5: it takes cells by genes in csr for genes by cells in
        csc."""
        import h5py

        with Mount(MATRIX) as m:
            with h5py.File(m.join("anndata.h5ad"), "r") as file:
                self.assertIsInstance(file["X"], h5py.Group)
                dims, encoding = file["X"].attrs["shape"], file["X"].attrs["encoding-type"]
                self.assertEqual(encoding, "csr_matrix")
                names = {}
                for side in ("obs", "var"):
                    index = file[f"{side}/{file[side].attrs['_index']}"]
                    self.assertEqual(len(index), dims[0 if side == "obs" else 1])
                    # Fixed length: all bytes of the type, up to the first NUL.
                    names[side] = [
                        value.tobytes().split(b"\0")[0] for value in index[()].astype(f"S{index.dtype.itemsize}")
                    ]
                # Unsigned integers, so that none is read as a float of 24 bits.
                self.assertEqual(file["X/data"].dtype.str, "<u4")
                data, indices, indptr = (file["X/" + part][()] for part in ("data", "indices", "indptr"))
            entries = [
                b"%d %d %d" % (indices[at] + 1, cell + 1, data[at])
                for cell in range(dims[0])
                for at in range(indptr[cell], indptr[cell + 1])
            ]
            text = m.read("matrix.mtx").splitlines()
            self.assertEqual(entries, text[-len(entries) :])
            self.assertEqual([int(word) for word in text[-len(entries) - 1].split()[:2]], [dims[1], dims[0]])
            self.assertEqual(b"".join(name + b"\n" for name in names["obs"]), m.read("barcodes.tsv"))
            self.assertEqual(b"".join(name + b"\t" + name + b"\n" for name in names["var"]), m.read("genes.tsv"))

    def test_r_reads_x(self):
        """Reads it like BPCells and zellkonverter, through the available R packages for HDF5."""
        read = {
            "hdf5r": 'f <- hdf5r::H5File$new(file, "r"); get <- function(name) f[[name]][]',
            "rhdf5": "get <- function(name) as.vector(rhdf5::h5read(file, name))",
        }
        packages = [package for package in read if not missing_r(package)]
        if not packages:
            self.skipTest(missing_r("hdf5r"))
        with Mount(SEURAT) as m:
            data = m.read("assays", "RNA", "data", "data.csv").split()
            names = m.read("cell.names.csv").decode().splitlines()
            for package in packages:
                code = f"""
                    file <- commandArgs(TRUE)
                    {read[package]}
                    cat(sprintf("%.17g", get("X/data")), "\n")
                    cat(get("obs/_index"), sep = "\n")
                    cat(get("X/indptr")[1:2], "\n")
                """
                lines = r(code, m.join("assays", "RNA.h5ad")).splitlines()
                self.assertEqual([float(word) for word in lines[0].split()], [float(word) for word in data], package)
                self.assertEqual(lines[1 : 1 + len(names)], names, package)

    def test_anndata_reads_a_matrix_with_its_names(self):
        module = anndata()
        import scipy.io
        import scipy.sparse

        for store, form in ((MATRIX, "csr_matrix"), (BY_ROW, "csc_matrix")):
            with Mount(store) as m:
                for backed in (None, "r"):
                    adata = module.read_h5ad(m.join("anndata.h5ad"), backed=backed)
                    self.assertEqual("".join(f"{name}\n" for name in adata.obs_names).encode(), m.read("barcodes.tsv"))
                    self.assertEqual(
                        "".join(f"{name}\t{name}\n" for name in adata.var_names).encode(), m.read("genes.tsv")
                    )
                    matrix = (adata.to_memory() if backed else adata).X
                    self.assertIsInstance(matrix, getattr(scipy.sparse, form))
                    self.assertEqual((matrix.T.tocsr() != scipy.io.mmread(m.join("matrix.mtx")).tocsr()).nnz, 0)
                    if backed:
                        adata.file.close()

    def test_anndata_reads_an_assay_with_its_metadata(self):
        module = anndata()
        import numpy
        import pandas

        with Mount(SEURAT) as m:
            adata = module.read_h5ad(m.join("assays", "RNA.h5ad"))
            meta = pandas.read_csv(m.join("meta.data.csv"), index_col=0, float_precision="round_trip")
            beside = ["ident", "in_tissue", "array_row", "array_col"]  # the identities, and the spots of the image
            self.assertEqual((list(adata.obs_names), list(adata.obs)), (list(meta.index), list(meta) + beside))
            for name in meta:
                ours, text = adata.obs[name], meta[name]
                if isinstance(ours.dtype, numpy.dtype) and ours.dtype.kind in "fiub":
                    self.assertTrue(
                        numpy.array_equal(
                            ours.to_numpy(), text.to_numpy().astype(ours.dtype), equal_nan=ours.dtype.kind == "f"
                        ),
                        name,
                    )
                else:  # for pandas, empty text and "NA" are missing values
                    same = [
                        (pandas.isna(a) or a in ("", "NA")) if pandas.isna(b) else a == b or str(a) == str(b)
                        for a, b in zip(ours, text)
                    ]
                    self.assertTrue(all(same), name)
            self.assertTrue(any(dtype == "category" for dtype in adata.obs.dtypes))
            embeddings = pandas.read_csv(m.join("reductions", "pca", "cell.embeddings.csv"), index_col=0)
            self.assertTrue(numpy.allclose(adata.obsm["X_pca"], embeddings.values, rtol=1e-6))
            self.assertEqual(adata.X.shape, (len(meta), len(adata.var)))

    def test_anndata_reads_an_experiment(self):
        module = anndata()
        import numpy
        import pandas
        import scipy.io

        with Mount(os.path.join(DATA, "takane-objects", "single_cell", "store")) as m:
            adata = module.read_h5ad(m.join("anndata.h5ad"))
            assays = json.loads(m.read("assays", "names.json"))
            first = scipy.io.mmread(m.join("assays", "0", "matrix.mtx")).toarray()
            self.assertTrue(numpy.array_equal(numpy.asarray(adata.X.todense()), first.T))
            self.assertEqual(list(adata.layers), [name.replace("/", "_") for name in assays[1:]])
            cells = pandas.read_csv(m.join("column_data", "data_frame.csv"), index_col=0)
            genes = pandas.read_csv(m.join("row_data", "data_frame.csv"), index_col=0)
            self.assertEqual((list(adata.obs_names), list(adata.obs)), (list(cells.index), list(cells)))
            self.assertEqual((list(adata.var_names), list(adata.var)), (list(genes.index), list(genes)))
            for name in cells:
                self.assertEqual([str(value) for value in adata.obs[name]], [str(value) for value in cells[name]])
            names = json.loads(m.read("reduced_dimensions", "names.json"))
            in_obsm = ["X_pca" if name == "PCA" else f"X_{name}" for name in names]
            self.assertEqual(list(adata.obsm), in_obsm)
            for number, name in enumerate(in_obsm):
                values = numpy.load(m.join("reduced_dimensions", str(number), "dense_array.npy"))
                self.assertTrue(numpy.array_equal(numpy.asarray(adata.obsm[name]), values))

    def test_anndata_reads_every_file(self):
        module = anndata()
        import warnings

        files = []
        for name, store in stores():
            target = os.path.join(self.folder, name)
            run(PROGRAM, "export", "--views", "h5ad", store, target)
            files += files_below(target, ".h5ad")
        self.assertGreater(len(files), 5)
        for file in files:
            with self.subTest(file=file), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                adata = module.read_h5ad(file)
                self.assertEqual(adata.shape, (len(adata.obs), len(adata.var)))

    @needs("h5dump")
    def test_h5dump_walks_the_file(self):
        with Mount(SEURAT) as m:
            found = run("h5dump", "-A", m.join("assays", "RNA.h5ad"))
            self.assertEqual((found.returncode, found.stderr), (0, b""))


def write_fragments(folder, chromosomes):
    """Writes an unpacked BPCells directory of {name: [(start, end), ...]} in 40 cells."""
    import numpy

    os.mkdir(folder)
    rows = numpy.array([row for part in chromosomes.values() for row in part], "<u4").reshape(-1, 2)
    edges = numpy.cumsum([0] + [len(part) for part in chromosomes.values()])
    arrays = {
        "start": rows[:, 0],
        "end": rows[:, 1],
        "cell": (numpy.arange(len(rows)) % 40).astype("<u4"),
        "end_max": numpy.maximum.accumulate([rows[i : i + 128, 1].max() for i in range(0, len(rows), 128)]).astype(
            "<u4"
        ),
        "chr_ptr": numpy.stack([edges[:-1], edges[1:]], axis=1).ravel().astype("<u8"),
    }
    for name, values in arrays.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write((b"UINT64v1" if values.itemsize == 8 else b"UINT32v1") + values.tobytes())
    for name, lines in (
        ("version", ["unpacked-fragments-v2"]),
        ("cell_names", [f"c{i}" for i in range(40)]),
        ("chr_names", chromosomes),
    ):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)


class Fragments(Folder):
    """Tests of chromosomes within the reach of a .tbi."""

    REACH, INDEX, MAKE_INDEX = 240_000_000, ".tbi", ("tabix", "-p", "bed")

    def setUp(self):
        super().setUp()
        chooser = random.Random(2)
        store = os.path.join(self.folder, "fragments")
        chromosomes = {}
        for name, count, reach in (
            ("chr1", 9000, self.REACH),
            ("chr10", 3000, 200_000),
            ("chr2", 1, self.REACH),
            ("chrX", 6000, self.REACH),
        ):
            starts = sorted(chooser.randrange(reach) for _ in range(count))
            chromosomes[name] = [(start, start + chooser.choice((30, 200, 5000, 400_000))) for start in starts]
        write_fragments(store, chromosomes)
        self.mount = self.enterContext(Mount(store))
        self.file = self.mount.join("fragments.tsv.gz")
        self.lines = self.mount.read("fragments.tsv").decode().splitlines()

    @needs("bgzip")
    def test_bgzip_finds_nothing_wrong(self):
        self.assertEqual(run("bgzip", "-t", self.file).returncode, 0)
        self.assertEqual(run("bgzip", "-dc", self.file).stdout, self.mount.read("fragments.tsv"))

    @needs("gzip")
    def test_gzip_finds_nothing_wrong(self):
        self.assertEqual(run("gzip", "-t", self.file).returncode, 0)
        self.assertEqual(run("zcat", self.file).stdout, self.mount.read("fragments.tsv"))

    @needs("tabix", "awk")
    def test_tabix_matches_awk_on_the_text(self):
        self.assertEqual(sorted(os.listdir(self.mount.path)).count("fragments.tsv.gz" + self.INDEX), 1)
        rows = [line.split("\t") for line in self.lines]
        chooser = random.Random(1)
        found_any = 0
        for _ in range(40):
            name, at = chooser.choice(rows)[:2]
            first, last = max(1, int(at) - chooser.randrange(5000)), int(at) + chooser.choice((1, 20000, 5_000_000))
            found = run("tabix", self.file, f"{name}:{first}-{last}").stdout
            want = run(
                "awk", "-F\t", f'$1 == "{name}" && $2 < {last} && $3 >= {first}', self.mount.join("fragments.tsv")
            ).stdout
            self.assertEqual(found, want)
            found_any += bool(found)
        self.assertGreater(found_any, 20)

    @needs("tabix")
    def test_index_matches_the_one_of_tabix(self):
        copy = os.path.join(self.folder, "copy.tsv.gz")
        shutil.copyfile(self.file, copy)
        self.assertEqual(run(*self.MAKE_INDEX, copy).returncode, 0)
        shown, built = index_of(self.file + self.INDEX), index_of(copy + self.INDEX)
        self.assertEqual(shown[0], built[0])
        self.assertEqual(list(shown[1]), list(built[1]))
        for name in built[1]:  # not compared as a whole: listing the differences would take minutes
            self.assertTrue(shown[1][name] == built[1][name], name)

    @needs("bedtools")
    def test_bedtools_reads_the_first_line_and_the_last(self):
        for line in (self.lines[0], self.lines[-1]):
            found = run(
                "bedtools",
                "intersect",
                "-u",
                "-a",
                self.file,
                "-b",
                "-",
                input=("\t".join(line.split("\t")[:3]) + "\n").encode(),
            )
            self.assertIn(line, found.stdout.decode().splitlines())


class LongChromosomes(Fragments):
    """Tests of a chromosome that only a .csi can hold, like in wheat."""

    REACH, INDEX, MAKE_INDEX = 830_000_000, ".csi", ("tabix", "-C", "-p", "bed")

    def test_tbi_cannot_hold_large_positions(self):
        with self.assertRaises(OSError) as refused:
            self.mount.read("fragments.tsv.gz.tbi")
        self.assertEqual(refused.exception.errno, errno.ENOTSUP)


if __name__ == "__main__":
    main()
