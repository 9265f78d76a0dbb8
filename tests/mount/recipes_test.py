#!/usr/bin/env python3
"""The recipes of README.md on a mount, each where its program is installed."""
import os
import shutil
import subprocess
import unittest

from mounted import DATA, Folder, Mount, main, run

SEURAT = os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")
SEURAT_EXPECTED = os.path.join(DATA, "h5seurat", "everything", "expected")
FRAGMENTS = os.path.join(os.path.dirname(__file__), "..", "data", "samples", "frags")
IMAGE = os.path.join(DATA, "zarr", "v2_root_array", "store.zarr")
NWB = os.path.join(DATA, "hdmf-zarr", "ecephys_pickle", "store.zarr")


def needs(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def has_r_package(name):
    return shutil.which("Rscript") and run("Rscript", "-e", f"stopifnot(requireNamespace('{name}', quietly = TRUE))").returncode == 0


def shell(command, folder, **more):
    result = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120, **more)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout


class Seurat(Folder):
    def setUp(self):
        super().setUp()
        self.mount = self.enterContext(Mount(SEURAT))

    def counts(self):
        """The matrix from its raw parts, as numpy reads them."""
        import numpy
        import scipy.sparse
        parts = [numpy.load(self.mount.join("assays", "RNA", "counts", name + ".npy")) for name in ("data", "indices", "indptr")]
        rows = len(self.mount.read("assays", "RNA", "counts", "genes.tsv").splitlines())
        return scipy.sparse.csc_matrix(tuple(parts), shape=(rows, len(parts[2]) - 1))

    def test_scipy_reads_the_matrix_with_its_names(self):
        import scipy.io
        matrix = scipy.io.mmread(self.mount.join("assays", "RNA", "counts", "matrix.mtx")).tocsc()
        self.assertEqual((matrix != self.counts()).nnz, 0)
        self.assertEqual(matrix.shape[0], len(self.mount.read("assays", "RNA", "counts", "genes.tsv").splitlines()))
        self.assertEqual(self.mount.read("assays", "RNA", "counts", "barcodes.tsv"), self.mount.read("cell.names.csv"))

    def test_pandas_reads_the_cells_table(self):
        import pandas
        meta = pandas.read_csv(self.mount.join("meta.data.csv"), index_col=0)
        self.assertEqual(list(meta.index), self.mount.read("cell.names.csv").decode().split("\n")[:-1])
        self.assertEqual(meta.loc["AAAC-1", "batch"], 'b"3')
        self.assertEqual(list(meta["nCount_RNA"]), [int(n) for n in self.counts().sum(axis=0).A1])

    def test_anndata_puts_both_together(self):
        try:
            import anndata
        except ImportError:
            self.skipTest("not installed: anndata")
        import pandas
        import scipy.io
        folder = self.mount.join("assays", "RNA", "counts")
        meta = pandas.read_csv(self.mount.join("meta.data.csv"), index_col=0)
        adata = anndata.AnnData(scipy.io.mmread(folder + "/matrix.mtx").T.tocsr(), obs=meta)
        adata.var_names = pandas.read_csv(folder + "/genes.tsv", sep="\t", header=None)[0]
        self.assertEqual(list(adata.obs_names), list(meta.index))
        self.assertEqual(adata.X.sum(), self.counts().sum())

    @unittest.skipUnless(has_r_package("Seurat"), "not installed: Seurat")
    def test_seurat_reads_the_directory(self):
        code = 'm <- Seurat::Read10X("assays/RNA/counts"); cat(dim(m), sum(m), colnames(m)[1], "\\n")'
        rows, columns, total, first = shell(f"Rscript -e '{code}' 2>/dev/null", self.mount.path).split()
        counts = self.counts()
        self.assertEqual((int(rows), int(columns), float(total)), (*counts.shape, counts.sum()))
        self.assertEqual(first.encode(), self.mount.read("cell.names.csv").split(b"\n")[0])

    @needs("Rscript")
    def test_r_reads_the_cells_table(self):
        code = 'm <- read.csv("meta.data.csv", row.names = 1); cat(rownames(m)[1], sum(m$nCount_RNA), class(m$keep), "\\n")'
        first, total, kind = shell(f"Rscript -e '{code}'", self.mount.path).split()
        self.assertEqual((first, float(total), kind), ("AAAC-1", self.counts().sum(), "logical"))

    @unittest.skipUnless(has_r_package("data.table"), "not installed: data.table")
    def test_fread_reads_the_cells_table(self):
        code = 'm <- data.table::fread("meta.data.csv"); cat(nrow(m), sum(m$nCount_RNA), class(m$keep), "\\n")'
        rows, total, kind = shell(f"Rscript -e '{code}'", self.mount.path).split()
        self.assertEqual((int(rows), float(total), kind), (self.counts().shape[1], self.counts().sum(), "logical"))

    @needs("octave-cli")
    def test_octave_reads_the_matrix(self):
        code = ('a = dlmread("assays/RNA/counts/matrix.mtx", " ", 1, 0); '
                's = sparse(a(2:end, 1), a(2:end, 2), a(2:end, 3), a(1, 1), a(1, 2)); disp([size(s) full(sum(s(:)))])')
        numbers = [float(n) for n in shell(f"octave-cli --quiet --eval '{code}'", self.mount.path).split()]
        self.assertEqual(numbers, [*self.counts().shape, self.counts().sum()])

    def test_awk_sums_the_counts_of_a_cell(self):
        out = shell("awk 'NR > 2 { n[$2] += $3 } END { for (c in n) print c, n[c] }' assays/RNA/counts/matrix.mtx", self.mount.path)
        sums = dict(map(int, line.split()) for line in out.splitlines())
        self.assertEqual([sums.get(i + 1, 0) for i in range(self.counts().shape[1])], [int(n) for n in self.counts().sum(axis=0).A1])


class Fragments(Folder):
    def setUp(self):
        super().setUp()
        self.mount = self.enterContext(Mount(FRAGMENTS))

    def test_sort_and_awk_find_the_widest(self):
        import numpy
        out = shell("sort -k1,1 -k2,2n fragments.tsv | awk -F'\\t' '{ print $3 - $2 }' | sort -n | tail -1", self.mount.path)
        start, end = (numpy.load(self.mount.join(name + ".npy")).astype("i8") for name in ("start", "end"))
        self.assertEqual(int(out), (end - 1 - start).max())  # 10x files count the end one less

    @needs("bedtools")
    def test_bedtools_takes_them_as_bed(self):
        peaks = os.path.join(self.folder, "peaks.bed")
        with open(peaks, "w", encoding="ascii") as f:
            f.write("chr2\t0\t100000000\n")
        out = shell(f"bedtools intersect -u -a fragments.tsv -b {peaks} | wc -l", self.mount.path)
        wanted = [line for line in self.mount.read("fragments.tsv").split(b"\n") if line.startswith(b"chr2\t")]
        self.assertTrue(wanted)
        self.assertEqual(int(out), len([line for line in wanted if int(line.split(b"\t")[1]) < 100000000]))


class Arrays(Folder):
    def test_numpy_maps_an_array(self):
        import numpy
        with Mount(IMAGE) as mount:
            mapped = numpy.load(mount.join("array.npy"), mmap_mode="r")
            rows = [line.split(b",") for line in mount.read("array.csv").splitlines()]
            self.assertEqual(float(mapped[-1].ravel()[-1]), float(rows[-1][-1]))


class Nwb(Folder):
    """Following links and references with readlink, cat and cut alone."""

    def test_from_a_link_through_a_reference_to_its_target(self):
        with Mount(NWB) as mount:
            electrodes = "general/extracellular_ephys/electrodes"
            group = shell(f"head -n 1 {electrodes}/group.csv", mount.path).strip()
            name = shell(f"head -n 1 {electrodes}/group_name.csv", mount.path).strip()
            self.assertEqual(os.path.basename(group), name)
            device = shell(f"readlink .{group}/device", mount.path).strip()
            self.assertIn("description", shell(f"cat .{group}/{device}/.attrs.json", mount.path))

    def test_from_a_linked_series_to_its_data(self):
        with Mount(NWB) as mount:
            target = shell("readlink acquisition/ts2/data.csv", mount.path).strip()
            data = shell(f"cut -d, -f1 acquisition/ts2/{target}", mount.path)
            self.assertEqual(data, shell("cut -d, -f1 acquisition/ts1/data.csv", mount.path))


def recipe_of(text):
    """The block of code in README.md that holds the text."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md"), encoding="utf-8") as file:
        blocks = file.read().replace("\n    ", "\n\0").split("\n\n")
    return next(block for block in blocks if text in block).replace("\0", "")


class AnnData(Folder):
    """A file of the anndata package, mounted at adata."""

    def setUp(self):
        super().setUp()
        try:
            import anndata
        except ImportError:
            self.skipTest("not installed: anndata")
        import numpy
        import pandas
        import scipy.sparse
        cells, genes = 300, 40
        rng = numpy.random.default_rng(1)
        leiden = pandas.Categorical.from_codes(rng.integers(-1, 3, cells), ["T", "B,naive", "A"])
        obs = pandas.DataFrame({"n": range(cells), "leiden": leiden}, index=[f"c{i}" for i in range(cells)])
        var = pandas.DataFrame({"gene_ids": [f"E{i}" for i in range(genes)]}, index=[f"g{i}" for i in range(genes)])
        counts = scipy.sparse.random(cells, genes, 0.2, "csr", "f4", rng)
        self.stored = anndata.AnnData(counts, obs=obs, var=var, dtype="f4")
        self.stored.obsm["X_pca"] = rng.standard_normal((cells, 5))
        store = os.path.join(self.folder, "a.h5ad")
        self.stored.write_h5ad(store)
        mount = self.enterContext(Mount(store))
        os.symlink(mount.path, os.path.join(self.folder, "adata"))

    @unittest.skipUnless(has_r_package("Matrix"), "not installed: R with Matrix")
    def test_r_reads_the_matrix_and_the_cells_with_their_factors(self):
        says = """
            cat(dim(counts), sum(counts), rownames(counts)[3], colnames(counts)[5], genes$V1[2], class(obs$leiden), sep = "\\n")
            cat("\\n", levels(obs$leiden), as.integer(obs$leiden), sep = "\\n")"""
        with open(os.path.join(self.folder, "recipe.R"), "w", encoding="utf-8") as file:
            file.write(recipe_of('Matrix::readMM("adata/X') + says)
        lines = shell("Rscript recipe.R", self.folder).split()
        leiden = self.stored.obs["leiden"].cat
        self.assertEqual((int(lines[0]), int(lines[1])), self.stored.shape[::-1])
        self.assertAlmostEqual(float(lines[2]), float(self.stored.X.sum()), places=2)
        self.assertEqual(lines[3:7], ["g2", "c4", "E1", "factor"])
        self.assertEqual(lines[7:10], list(leiden.categories))
        self.assertEqual(lines[10:], ["NA" if code < 0 else str(code + 1) for code in leiden.codes])

    def test_python_puts_the_parts_together(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names = {}
        exec(recipe_of('mmread("adata/X'), names)
        adata = names["adata"]
        self.assertEqual((adata.X != self.stored.X).nnz, 0)
        self.assertEqual(list(adata.obs_names), list(self.stored.obs_names))
        self.assertEqual(list(adata.var["gene_ids"]), list(self.stored.var["gene_ids"]))
        self.assertEqual(list(adata.obs["leiden"].fillna("")), list(self.stored.obs["leiden"].astype(object).fillna("")))
        self.assertTrue((adata.obsm["X_pca"] == self.stored.obsm["X_pca"]).all())


if __name__ == "__main__":
    main()
