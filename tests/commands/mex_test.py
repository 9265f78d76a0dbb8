#!/usr/bin/env python3
"""Tests matrices in MatrixMarket with their names, against the programs that read and write them."""
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from cases import a_third, golden_stores  # noqa: E402
from optional import needs_modules, needs_r  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
SAMPLES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "samples")

# Stores and the folder of a matrix of genes by cells in them.
MATRICES = {
    "anndata": (os.path.join(SAMPLES, "pbmc.h5ad"), "X"),
    "loom": (os.path.join(DATA, "loom", "v3_layers_graphs", "store.loom"), "matrix"),
    "tenx": (os.path.join(DATA, "tenx", "v2_feature_types", "store.h5"), "matrix"),
    "bpcells": (os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store"), ""),
    "h5seurat": (os.path.join(SAMPLES, "pbmc.h5seurat"), "assays/RNA/counts"),
}
# Suites of golden stores with matrices.
WITH_MATRICES = ("anndata", "bpcells", "h5seurat", "loom", "mex", "parts", "r", "takane", "tenx")
NAMES = ("matrix.mtx", "barcodes.tsv", "features.tsv")

try:
    import anndata
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    anndata = None

needs_anndata = needs_modules("anndata", "numpy", "scipy")


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr.decode()}")
    return done.stdout


def cat(store, path):
    return run("cat", store, path)


class Mex(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write_trio(self, store, place, folder):
        """Writes the folder 10x/ of a matrix to a folder."""
        os.mkdir(folder)
        for name in NAMES:
            with open(os.path.join(folder, name + ".gz"), "wb") as file:
                file.write(cat(store, "/".join(part for part in (place, "10x", name + ".gz") if part)))

    # VIEWS 7 "a store like a 10x `.h5`, with all its files"
    def test_tenx_folder_of_a_store_reads_back_as_the_same_matrix(self):
        for name, (store, place) in MATRICES.items():
            with self.subTest(name):
                first, again = self.path(name), self.path(name + "-again")
                self.write_trio(store, place, first)
                self.write_trio(first, "", again)
                for file in NAMES:
                    with gzip.open(os.path.join(first, file + ".gz")) as a:
                        with gzip.open(os.path.join(again, file + ".gz")) as b:
                            self.assertEqual(a.read(), b.read(), file)
                with gzip.open(os.path.join(first, "matrix.mtx.gz")) as file:
                    self.assertEqual(file.read(), cat(first, "matrix.mtx"))

    def test_every_tenx_folder_of_the_golden_stores_reads_back(self):
        """Takes a third of the stores, like the other ways through the whole program."""
        stores = [(name, store) for name, store in golden_stores(DATA) if name.split("-")[0] in WITH_MATRICES]
        folders = 0
        for name, store in a_third(stores, 1):
            out, again = self.path(name), self.path(name + "-again")
            # Some of the parts of some stores are damaged; then export fails and writes the others.
            subprocess.run([PROGRAM, "export", "--views", "gz", store, out + "/"], capture_output=True, timeout=120)
            for at, _, files in os.walk(out):
                if os.path.basename(at) != "10x" or "matrix.mtx.gz" not in files:
                    continue
                folders += 1
                run("export", "--views", "gz", at, f"{again}-{folders}/")
                for file in files:
                    with gzip.open(os.path.join(at, file)) as a:
                        with gzip.open(f"{again}-{folders}/10x/{file}") as b:
                            self.assertEqual(a.read(), b.read(), f"{at}/{file}")
        self.assertGreater(folders, 50)

    @needs_r("DropletUtils")
    def test_dropletutils_writes_and_reads_the_same_matrix(self):
        script = """
            suppressMessages(library(DropletUtils))
            folder <- commandArgs(TRUE)[1]
            set.seed(7)
            counts <- Matrix::rsparsematrix(40, 25, 0.2, rand.x = function(n) rpois(n, 3) + 1)
            dimnames(counts) <- list(paste0("ENSG", 1:40), paste0("CELL", 1:25, "-1"))
            genes <- paste0("G", 1:40)
            for (version in c("2", "3"))
              write10xCounts(file.path(folder, version), counts, gene.symbol = genes, version = version)
            for (version in c("2", "3")) {
              system2(Sys.getenv("PLAINFS"), c("export", "--views=gz", file.path(folder, version),
                                               paste0(file.path(folder, version), "-shown/")), stderr = FALSE)
              shown <- read10xCounts(file.path(folder, paste0(version, "-shown"), "10x"), col.names = TRUE)
              stopifnot(all(as.matrix(counts(shown)) == as.matrix(counts)))
              stopifnot(all(colnames(shown) == colnames(counts)), all(rownames(shown) == rownames(counts)))
              stopifnot(all(SummarizedExperiment::rowData(shown)$Symbol == genes))
            }
        """
        done = subprocess.run(["Rscript", "-e", script, self.folder], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

    @needs_anndata
    def test_h5ad_has_the_values_that_scipy_reads(self):
        store, place = MATRICES["tenx"]
        self.write_trio(store, place, self.path("trio"))
        run("export", self.path("trio"), self.path("out.h5ad"))
        written = anndata.read_h5ad(self.path("out.h5ad"))
        expected = scipy.io.mmread(self.path("trio", "matrix.mtx.gz")).T
        numpy.testing.assert_array_equal(written.X.toarray(), expected.toarray())
        self.assertEqual(sorted(written.var.columns), ["feature_types", "gene_ids"])

    @needs_anndata
    def test_repeated_and_unsorted_entries_are_added_up_as_scipy_does(self):
        with open(self.path("matrix.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate integer general\n3 2 4\n3 2 1\n1 1 5\n3 2 10\n2 1 7\n")
        for name, lines in (("features.tsv", "a\nb\nc\n"), ("barcodes.tsv", "x\ny\n")):
            with open(self.path(name), "w") as file:
                file.write(lines)
        run("export", self.folder, self.path("out.h5ad"))
        written = anndata.read_h5ad(self.path("out.h5ad")).X.toarray()
        numpy.testing.assert_array_equal(written, scipy.io.mmread(self.path("matrix.mtx")).toarray().T)
        self.assertEqual(cat(self.folder, "matrix.mtx").splitlines()[2], b"3 2 1")

    @needs_anndata
    def test_every_layout_has_the_values_that_scipy_reads(self):
        chance = numpy.random.default_rng(9)
        for i in range(24):
            symmetry = ("general", "symmetric", "skew-symmetric")[i % 3]
            rows, columns = (int(size) for size in chance.integers(1, 30, 2))
            if symmetry != "general":
                columns = rows
            values = chance.integers(-5, 6, (rows, columns)) if i % 2 else chance.normal(size=(rows, columns))
            values[chance.random((rows, columns)) < 0.5] = 0
            lower = numpy.tril(values, -1 if symmetry == "skew-symmetric" else 0)
            if symmetry != "general":
                values = lower + (-1 if symmetry == "skew-symmetric" else 1) * numpy.tril(values, -1).T
            written = values if i % 4 < 2 else scipy.sparse.coo_matrix(values)
            path = self.path(f"{i}.mtx")
            scipy.io.mmwrite(path, written, symmetry=symmetry, precision=17)
            expected, shown = scipy.io.mmread(path), scipy.io.mmread(io.BytesIO(cat(path, "matrix.mtx")))
            expected = expected.toarray() if scipy.sparse.issparse(expected) else expected
            with self.subTest(i=i, symmetry=symmetry):
                numpy.testing.assert_array_equal(shown.toarray(), expected)

    def write_market(self, path, layout, field, symmetry, chance):
        """Writes a random matrix of one field and symmetry, line by line, since scipy does not write all of them."""
        number = {
            "integer": lambda: str(chance.integers(-9, 10)),
            "real": lambda: repr(float(chance.normal())),
            "complex": lambda: f"{float(chance.normal())!r} {float(chance.normal())!r}",
            "pattern": lambda: "",
        }[field]
        rows, columns = (int(size) for size in chance.integers(1, 12, 2))
        columns = columns if symmetry == "general" else rows
        places = [(row, column) for column in range(columns) for row in range(rows)]
        if symmetry != "general":
            places = [(row, column) for row, column in places if row >= column + (symmetry == "skew-symmetric")]
        if layout == "array":
            size, lines = f"{rows} {columns}", [number() for _ in places]
        else:
            chance.shuffle(places)
            places = places[: len(places) // 2]
            size = f"{rows} {columns} {len(places)}"
            lines = [f"{row + 1} {column + 1} {number()}".rstrip() for row, column in places]
        with open(path, "w") as file:
            file.write("\n".join([f"%%MatrixMarket matrix {layout} {field} {symmetry}", size, *lines]) + "\n")

    @needs_anndata
    def test_every_field_and_symmetry_has_the_values_that_scipy_reads(self):
        chance = numpy.random.default_rng(72)
        symmetries = ("general", "symmetric", "skew-symmetric", "hermitian")
        kinds = [
            (layout, field, symmetry)
            for layout in ("coordinate", "array")
            for field in ("integer", "real", "complex", "pattern")
            for symmetry in symmetries
            if not (layout == "array" and field == "pattern")
        ]
        for i in range(3 * len(kinds)):
            layout, field, symmetry = kinds[i % len(kinds)]
            path = self.path(f"{i}.mtx")
            self.write_market(path, layout, field, symmetry, chance)
            with self.subTest(i=i, layout=layout, field=field, symmetry=symmetry):
                expected, shown = scipy.io.mmread(path), cat(path, "matrix.mtx")
                expected = expected.toarray() if scipy.sparse.issparse(expected) else expected
                read = scipy.io.mmread(io.BytesIO(shown))
                numpy.testing.assert_array_equal(read.toarray(), expected)
                self.assertEqual(read.dtype.kind == "c", field == "complex")
                again = self.path(f"{i}-again.mtx")
                with open(again, "wb") as file:
                    file.write(shown)
                self.assertEqual(cat(again, "matrix.mtx"), shown)

    def test_complex_matrix_has_no_files_of_programs_without_them(self):
        names = (("genes.tsv", "a\nb\n"), ("barcodes.tsv", "x\ny\n"))
        text = "%%MatrixMarket matrix coordinate complex general\n2 2 1\n2 1 1.5 -2\n"
        for name, content in (("matrix.mtx", text), *names):
            with open(self.path(name), "w") as file:
                file.write(content)
        listed = run("ls", "-a", self.folder).decode().split()
        shown = sorted(name for name in listed if name[0].islower())
        self.assertEqual(shown, ["barcodes.tsv", "genes.tsv", "matrix.mtx"])
        self.assertEqual(cat(self.folder, "matrix.mtx").decode(), text)
        checked = subprocess.run([PROGRAM, "check", self.folder], capture_output=True, text=True, timeout=120)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn("complex128", checked.stdout + checked.stderr)

    def test_table_in_a_folder_stays_a_file(self):
        with open(self.path("counts.csv"), "w") as file:
            file.write(",c1,c2\ng1,0,2\n")
        self.assertEqual(cat(self.folder, "counts.csv"), b",c1,c2\ng1,0,2\n")
        self.assertEqual(cat(self.path("counts.csv"), "matrix.mtx").splitlines()[-1], b"1 2 2")

    @needs_anndata
    def test_columns_of_the_cells_are_obs(self):
        for name, text in (
            ("count_matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n3 1 2\n1 1 4\n3 1 2\n"),
            ("all_genes.csv", "gene_id,gene_name,genome\nENSG00000000001,A,hg38\n"),
            ("cell_metadata.csv", "bc_wells,sample,genes,share\n01_01,s1,4,0.5\n01_02,s2,0,\n01_03,s1,2,1\n"),
        ):
            with open(self.path(name), "w") as file:
                file.write(text)
        run("export", self.folder, self.path("out.h5ad"))
        obs = anndata.read_h5ad(self.path("out.h5ad")).obs
        self.assertEqual(obs["sample"].tolist(), ["s1", "s2", "s1"])
        self.assertEqual(obs["genes"].tolist(), [4, 0, 2])
        self.assertEqual(obs["share"].isna().tolist(), [False, True, False])
        self.assertEqual(run("ls", "-a", self.folder, "by/sample").split(), [b"s1", b"s2"])

    @needs_anndata
    def test_files_with_a_prefix_are_a_store_by_their_prefix(self):
        store, place = MATRICES["anndata"]
        self.write_trio(store, place, self.path("trio"))
        os.mkdir(self.path("record"))
        for name in NAMES:
            shutil.copy(self.path("trio", name + ".gz"), self.path("record", f"GSM1_S1_{name}.gz"))
        listed = run("ls", self.path("record")).decode().split()
        self.assertEqual(listed, ["GSM1_S1"] + [f"GSM1_S1_{name}.gz" for name in sorted(NAMES)])
        run("export", self.path("record", "GSM1_S1"), self.path("a.h5ad"))
        run("export", self.path("trio"), self.path("b.h5ad"))
        with open(self.path("a.h5ad"), "rb") as a, open(self.path("b.h5ad"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    # VIEWS 7 "`-o orientation=cells` or `genes` decides"
    @needs_anndata
    def test_cells_in_rows_are_read_by_option(self):
        with open(self.path("counts.txt"), "w") as file:
            file.write("\tg1\tg2\nc1\t1\t0\nc2\t0\t3\nc3\t4\t5\n")
        run("export", "-o", "orientation=cells", self.path("counts.txt"), self.path("out.h5ad"))
        written = anndata.read_h5ad(self.path("out.h5ad"))
        self.assertEqual((list(written.obs_names), list(written.var_names)), (["c1", "c2", "c3"], ["g1", "g2"]))
        numpy.testing.assert_array_equal(written.X.toarray(), [[1, 0], [0, 3], [4, 5]])
        run("export", "--plan", "-o", "orientation=cells", self.path("counts.txt"), self.path("plan.json"))
        with open(self.path("plan.json")) as file:
            self.assertIs(json.load(file)["options"]["genes_in_rows"], False)
        shown = run("info", "-o", "orientation=cells", self.path("counts.txt")).decode()
        self.assertIn("after plainfs -o orientation=cells ", shown)
        for line in re.findall(r"(?m)^  plainfs export .*", shown):
            self.assertTrue(line.startswith("  plainfs export -o orientation=cells "), line)

    # VIEWS 7 "exports one sample of a record"
    @needs_anndata
    def test_each_sample_of_a_record_of_geo_is_read_as_its_own_files_are(self):
        chance = numpy.random.default_rng(11)
        members = {}
        for sample in range(1, 6):
            counts = scipy.sparse.random(60, 10 * sample, 0.2, random_state=chance).tocoo()
            counts.data = chance.integers(1, 50, counts.nnz)
            text = io.BytesIO()
            scipy.io.mmwrite(text, counts.astype(int))
            names = {"matrix.mtx": text.getvalue()}
            names["features.tsv"] = "".join(f"ENSG{i:011}\tG{i}\tGene Expression\n" for i in range(60)).encode()
            names["barcodes.tsv"] = "".join(f"CELL{i}-{sample}\n" for i in range(10 * sample)).encode()
            members.update({f"GSM{7000 + sample}_S{sample}_{name}.gz": data for name, data in names.items()})
        # GEO orders the members by name; each is one gzip stream with its name.
        with tarfile.open(self.path("GSE1_RAW.tar"), "w", format=tarfile.GNU_FORMAT) as archive:
            for name, data in sorted(members.items()):
                with gzip.open(self.path(name), "wb") as file:
                    file.write(data)
                archive.add(self.path(name), name)
        for sample in range(1, 6):
            name = f"GSM{7000 + sample}_S{sample}"
            run("export", self.path("GSE1_RAW.tar", name), self.path("out.h5ad"), "--force")
            written = anndata.read_h5ad(self.path("out.h5ad"))
            expected = scipy.io.mmread(self.path(f"{name}_matrix.mtx.gz")).toarray().T
            numpy.testing.assert_array_equal(written.X.toarray(), expected)
            self.assertEqual(list(written.obs_names), [f"CELL{i}-{sample}" for i in range(10 * sample)])
            self.assertEqual(list(written.var_names), [f"G{i}" for i in range(60)])
            self.assertEqual(written.var["gene_ids"].iloc[7], "ENSG00000000007")

    # VIEWS 7 "If the name of the directory is taken"
    def test_taken_name_leaves_a_prefix_without_a_directory(self):
        store, place = MATRICES["anndata"]
        self.write_trio(store, place, self.path("trio"))
        os.mkdir(self.path("record"))
        os.mkdir(self.path("record", "GSM1"))
        for name in NAMES:
            shutil.copy(self.path("trio", name + ".gz"), self.path("record", f"GSM1_{name}.gz"))
        self.assertEqual(len(run("ls", self.path("record")).split()), 4)
        self.assertIn(b"has no directory, because the name is taken", run("check", self.path("record")))

    # VIEWS 7 "Several matrices of one folder with the same sides are layers"
    @needs_anndata
    def test_matrices_of_velocyto_are_layers(self):
        text = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 {}\n"
        for number, name in enumerate(("spliced", "unspliced", "ambiguous"), 1):
            with open(self.path(name + ".mtx"), "w") as file:
                file.write(text.format(number))
        for name, lines in (("features.tsv", "g1\tA\ng2\tB\n"), ("barcodes.tsv", "x\ny\n")):
            with open(self.path(name), "w") as file:
                file.write(lines)
        run("export", self.folder, self.path("out.h5ad"))
        written = anndata.read_h5ad(self.path("out.h5ad"))
        self.assertEqual(sorted(written.layers), ["ambiguous", "spliced", "unspliced"])
        self.assertEqual(written.X.toarray()[0, 0], 1)
        self.assertEqual(written.layers["unspliced"].toarray()[0, 0], 2)

    @needs_r("Seurat")
    def test_seurat_reads_the_same_matrix(self):
        store, place = MATRICES["tenx"]
        self.write_trio(store, place, self.path("trio"))
        run("export", "--of", "seurat.rds", self.path("trio"), self.path("out.rds"))
        script = """
          arguments <- commandArgs(TRUE)
          read <- Seurat::Read10X(arguments[1], unique.features = FALSE)
          if (is.list(read)) read <- do.call(rbind, read)
          object <- readRDS(arguments[2])
          sums <- vapply(Seurat::Assays(object), function(assay) sum(object[[assay]]@counts), 0)
          stopifnot(sum(read) == sum(sums), identical(colnames(read), colnames(object)))
        """
        done = subprocess.run(
            ["Rscript", "-e", script, self.path("trio"), self.path("out.rds")],
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
