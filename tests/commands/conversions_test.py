#!/usr/bin/env python3
"""Tests that a conversion keeps every part of a store, or names it, with the genuine readers of the written files."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from optional import missing_modules, needs_modules, needs_r  # noqa: E402

if not missing_modules("anndata", "h5py", "numpy", "zarr"):
    from annotated_parts import parts_of  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
USAGE = 1  # fs/command_line/exit_code.h
PARTS = os.path.join(os.environ["PLAINFS_TEST_DATA"], "conversions")
STORES = {
    "anndata_whole": "store.h5ad",
    "anndata_scanpy": "store.h5ad",
    "seurat_whole": "store.rds",
    "sce_whole": "store.rds",
}
# Parts that the checkers do not find or that no target names: the place of a list without names, an index of row
# numbers, a NULL among slots, and loadings that the checker does not compare by gene.
ACCEPTED = {
    "misc/unnamed",
    "metadata/markers/#names",
    "tools/Mine/table/#names",
    "neighbors/RNA.nn/alg.idx",
    "reductions/pca/feature.loadings.projected",
    "reductions/pca/jackstraw/empirical.p.values.full",
    "colData/mat",  # the two of an experiment: test_parts_of_an_experiment_are_in_the_seurat_object
    "reducedDims/PCA/@varExplained",
}

needs_anndata = needs_modules("anndata", "h5py", "numpy", "zarr")


def plainfs(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)


def unnamed(report, lines):
    """Returns the parts of a checker's report that are neither in the file nor in a line."""
    named = {"altExps/ADT/"} if "/alternative_experiments/ADT: not in" in lines else set()
    missing = {line.split()[1] for line in report.splitlines() if line.endswith("NOT NAMED")}
    return {part for part in missing - ACCEPTED if not any(part.startswith(name) for name in named)}


class Conversions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def at(self, name):
        return os.path.join(self.folder, name)

    def store(self, case):
        return os.path.join(PARTS, case, STORES[case])

    def export(self, *arguments):
        done = plainfs("export", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def check(self, case, target, program):
        """Exports a store, and lets the reader of the file hold it against the list of parts."""
        out = self.at(f"{case}.{target}")
        version = ("--zarr-format", "2") if target == "zarr" else ()  # its reader is zarr-python 2
        self.lines = self.export(*version, self.store(case), out)
        with open(self.at("lines"), "w") as file:
            file.write(self.lines)
        done = subprocess.run(
            [*program, os.path.join(PARTS, case, "parts.json"), out, self.at("lines")],
            capture_output=True,
            text=True,
        )
        self.assertIn("parts", done.stdout, done.stderr)
        return done.stdout

    @needs_anndata
    def test_every_part_is_in_the_anndata_or_named(self):
        # VIEWS 10 "`uns` has the dicts, arrays"
        # VIEWS 10 "Each part of the store that is not in the file has a line"
        for case in STORES:
            for target in ("h5ad", "zarr"):
                with self.subTest(case, target=target):
                    report = self.check(case, target, [sys.executable, os.path.join(PARTS, "check_parts.py")])
                    self.assertEqual(unnamed(report, self.lines), set(), report)

    @needs_anndata
    def test_anndata_keeps_every_part_in_another_container(self):
        for case in ("anndata_whole", "anndata_scanpy"):
            report = self.check(case, "zarr", [sys.executable, os.path.join(PARTS, "check_parts.py")])
            with open(os.path.join(PARTS, case, "parts.json")) as parts:
                count = len(json.load(parts)["parts"])
            self.assertIn(f"parts {count}: equal {count},", report)

    @needs_r("Seurat", "jsonlite")
    def test_every_part_is_in_the_seurat_object_or_named(self):
        # VIEWS 10 "Lists of R are as stored"
        for case in STORES:
            with self.subTest(case):
                report = self.check(case, "rds", ["Rscript", os.path.join(PARTS, "check_parts.R")])
                self.assertEqual(unnamed(report, self.lines), set(), report)

    @needs_r("Seurat")
    def test_parts_of_an_experiment_are_in_the_seurat_object(self):
        self.export(self.store("sce_whole"), self.at("out.rds"))
        code = """
            o <- readRDS(commandArgs(TRUE)[1])
            cat(names(o@reductions), names(o@assays), o@misc$pca$varExplained, o@reductions$pca@stdev^2)
        """
        done = subprocess.run(["Rscript", "-e", code, self.at("out.rds")], capture_output=True, text=True)
        self.assertEqual(done.stdout, "pca umap tsne mat gene corrected ADT 9 5 2 1 9 5 2 1", done.stderr)

    @needs_anndata
    def test_parts_come_back_from_the_seurat_object(self):
        # VIEWS 10 "An assay with the features of the active one"
        # VIEWS 10 "The members of `misc$obsm`"
        # VIEWS 10 "The reduction `spatial` is"
        self.export(self.store("anndata_whole"), self.at("a.rds"))
        lines = self.export(self.at("a.rds"), self.at("back.h5ad"))
        named = [line for line in lines.splitlines() if "not in" in line]
        self.assertEqual(named, ["plainfs: notice: /misc/nothing: not in RNA.h5ad: it has no value"])
        before, after = parts_of(self.store("anndata_whole")), parts_of(self.at("back.h5ad"))
        changed = {path for path, part in before.items() if path not in after or after[path].text != part.text}
        by_nature = {path for path in before if path.endswith(("#order", "#index-name"))}
        others = {
            "layers/scaled",  # it is `scale.data`
            "obsm/airr",  # lists of vectors, as are other awkward arrays
            "uns/ragged",
            "uns/nothing",
            "uns/nullable",  # NA is NaN
            "uns/texts_or_none",  # a categorical
        }
        self.assertEqual(changed - by_nature, others)
        self.assertEqual(after["layers/scale.data"].text, before["layers/scaled"].text)

    @needs_anndata
    def test_sparse_matrix_is_a_labelled_csv(self):
        # VIEWS 5 "`matrix.csv` of a sparse matrix is unlisted"
        import h5py
        import pandas
        from anndata.experimental import read_elem

        done = self.export("--of", "X", self.store("anndata_whole"), self.at("x.csv"))
        self.assertIn("X/matrix.csv", done)
        self.assertRegex(done, r"wrote \S*x\.csv, [0-9.]+ kB in 0:\d\d")
        with h5py.File(self.store("anndata_whole")) as file:
            matrix, obs, var = (read_elem(file[name]) for name in ("X", "obs", "var"))
        read = pandas.read_csv(self.at("x.csv"), index_col=0)
        self.assertEqual(list(read.index), list(var.index))
        self.assertEqual(list(read.columns), list(obs.index))
        self.assertTrue((read.to_numpy().astype("f4") == matrix.toarray().T).all())

    @needs_anndata
    def test_identities_and_variable_features_are_columns(self):
        # VIEWS 10 "The identities of the cells are the column `ident`"
        import anndata

        self.export(self.store("seurat_whole"), self.at("out.h5ad"))
        built = anndata.read_h5ad(self.at("out.h5ad"))
        self.assertIn("ident", built.obs)
        self.assertEqual(built.var["highly_variable"].sum(), 12)
        ranks = built.var["highly_variable_rank"].dropna().sort_values()
        self.assertEqual(ranks.tolist(), list(range(12)))
        self.assertEqual(built.uns["neighbors"]["connectivities_key"], "connectivities")
        self.assertIn("connectivities", built.obsp)
        self.assertEqual(len(built.uns["pca"]["stdev"]), 12)

    @needs_anndata
    @needs_r("Seurat")
    def test_null_and_missing_text_are_left_out_with_a_line(self):
        # VIEWS 10 "A null dataspace of another format"
        import anndata

        code = """
            counts <- matrix(1:6, 2, dimnames = list(c("g1", "g2"), c("c1", "c2", "c3")))
            o <- SeuratObject::CreateSeuratObject(Matrix::Matrix(counts, sparse = TRUE))
            o@misc <- list(text = NA_character_, truth = NA, number = NA_real_, none = NULL, inner = list(NULL, 1))
            saveRDS(o, commandArgs(TRUE)[1])
        """
        subprocess.run(["Rscript", "-e", code, self.at("o.rds")], check=True, capture_output=True)
        lines = self.export(self.at("o.rds"), self.at("o.h5ad"))
        built = anndata.read_h5ad(self.at("o.h5ad"))
        self.assertNotIn("text", built.uns)
        zarr_lines = self.export(self.at("o.rds"), self.at("o.zarr")).replace("RNA.zarr", "RNA.h5ad").splitlines()
        self.assertLess({line for line in zarr_lines if "not in" in line}, set(lines.splitlines()))
        store = os.path.join(os.environ["PLAINFS_TEST_DATA"], "h5seurat", "odd_members", "store.h5seurat")
        lines += self.export(store, self.at("odd.h5ad"))
        self.assertRegex(lines, "/misc/none: not in .*: it has no value")
        self.assertRegex(lines, "/misc/inner/1: not in .*: it has no value")
        self.assertRegex(lines, "/misc/nulls: not in .*: it has no value")
        self.assertRegex(lines, "/misc/text: not in .*: AnnData has no missing text but in columns")
        self.assertTrue(math.isnan(built.uns["number"]) and math.isnan(built.uns["truth"]))

    @needs_anndata
    def test_loom_graphs_and_attributes_are_in_the_anndata(self):
        import anndata

        store = os.path.join(os.environ["PLAINFS_TEST_DATA"], "loom", "v3_layers_graphs", "store.loom")
        self.export(store, self.at("out.h5ad"))
        built = anndata.read_h5ad(self.at("out.h5ad"))
        self.assertTrue(len(built.obsp) + len(built.varp) > 0)
        self.assertIn("LOOM_SPEC_VERSION", built.uns)

    def test_layer_and_parts_are_chosen(self):
        # VIEWS 14 "`--layer NAME` is the layer"
        done = self.export("--layer", "spliced", "--without", "uns", self.store("anndata_whole"), self.at("a.h5ad"))
        self.assertNotIn("/uns", done)
        listed = plainfs("ls", self.at("a.h5ad"), "layers").stdout
        self.assertIn("X", listed.split())
        wrong = plainfs("export", "--layer", "nothing", self.store("anndata_whole"), self.at("b.h5ad"))
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("there is no layer nothing; layers: ", wrong.stderr)

    def test_assay_is_chosen(self):
        # VIEWS 14 "`--assay NAME` selects"
        done = self.export("--assay", "ADT", self.store("seurat_whole"), self.at("a.h5ad"))
        self.assertIn("assays/ADT.h5ad", done)
        wrong = plainfs("export", "--assay", "ATAC", self.store("seurat_whole"), self.at("b.h5ad"))
        self.assertEqual(wrong.returncode, USAGE)
        self.assertIn("there is no assay or modality ATAC", wrong.stderr)

    def test_dry_run_writes_nothing(self):
        # VIEWS 14 "`--dry-run` prints"
        done = self.export("--dry-run", self.store("seurat_whole"), self.at("a.h5ad"))
        self.assertIn("nothing was written", done)
        self.assertIn("/assays/ADT: not in RNA.h5ad", done)
        self.assertFalse(os.path.exists(self.at("a.h5ad")))

    def test_quiet_prints_errors_alone(self):
        self.assertEqual(self.export("--quiet", self.store("seurat_whole"), self.at("a.h5ad")), "")
        self.assertTrue(os.path.exists(self.at("a.h5ad")))

    def test_words_of_other_converters_name_the_option(self):
        for word, here in (("--overwrite", "--force"), ("--gzip=4", "--level N")):
            name = word.partition("=")[0]
            done = plainfs("export", word, self.store("anndata_whole"), self.at("a.h5ad"))
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(f"unknown option: {name}; here it is {here}", done.stderr)
        done = plainfs("export", self.store("anndata_whole"), "-o", "out.rds")
        self.assertIn("-o out.rds: the file to write is the last argument", done.stderr)

    def test_two_files_are_taken_for_a_conversion(self):
        done = plainfs(self.store("anndata_whole"), self.at("b.rds"))
        self.assertIn("to convert: plainfs export ", done.stderr)

    def test_matrix_market_has_its_names_beside_it(self):
        # VIEWS 14 "`genes.tsv` and `barcodes.tsv` of `.mtx`"
        self.export(self.store("anndata_whole"), self.at("a.mtx"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.barcodes.tsv", "a.genes.tsv", "a.mtx"])

    def test_last_line_has_the_sizes(self):
        done = self.export(self.store("anndata_whole"), self.at("a.rds"))
        self.assertRegex(done, r"wrote \S*a\.rds, [0-9.]+ kB \([0-9.]+ kB uncompressed\) in 0:\d\d")
        # The data of a small store are fewer bytes than the places of its objects.
        done = self.export(self.store("anndata_whole"), self.at("a.h5ad"))
        self.assertRegex(done, r"wrote \S*a\.h5ad, [0-9.]+ kB in 0:\d\d")

    def test_check_of_a_sound_store_succeeds(self):
        for case in STORES:
            done = plainfs("check", self.store(case))
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # so that skipped tests are counted
