#!/usr/bin/env python3
"""Tests the matrices of 10x runs: the parts of each exported file, and what it leaves out."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from optional import needs_modules, needs_r  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
DATA = os.path.join(os.environ["PLAINFS_TEST_DATA"], "tenx-runs")

try:
    import anndata
    import numpy
    import pandas
except ImportError:
    anndata = None

needs_anndata = needs_modules("anndata", "numpy", "pandas")

# Each run with the expectations about its default matrix and the parts of it that `--of` names.
SEGMENTED = "visium_4_segmented"
RUNS = ("outs_v7", "visium_1", "visium_2", "multi", "visium_hd", SEGMENTED, "xenium_2", "xenium_4")


def store_of(case):
    return os.path.join(DATA, case, "store")


def expectations(case):
    for name in sorted(os.listdir(os.path.join(DATA, case))):
        if name.startswith("expected"):
            with open(os.path.join(DATA, case, name)) as file:
                yield json.load(file)


def plainfs(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def copy_of(self, case):
        shutil.copytree(store_of(case), self.path("run"), symlinks=True, copy_function=shutil.copyfile)
        return self.path("run")

    def change(self, name, old, new):
        with open(self.path("run", name)) as file:
            text = file.read()
        self.assertIn(old, text)
        with open(self.path("run", name), "w") as file:
            file.write(text.replace(old, new))

    def export(self, store, target, *arguments):
        """Returns what export writes to standard error."""
        result = plainfs("export", store, self.path(target), *arguments)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stderr.decode()

    def read(self, store, *arguments):
        self.export(store, "out.h5ad", "--force", *arguments)
        return anndata.read_h5ad(self.path("out.h5ad"))

    def refused(self, store):
        result = plainfs("export", store, self.path("refused.h5ad"))
        self.assertNotEqual(result.returncode, 0)
        return result.stderr.decode()


def numbers(rows):
    return numpy.array([[numpy.nan if value is None else value for value in row] for row in rows], float)


@needs_anndata
class Parts(Runs):
    def assert_column(self, column, expected):
        values = [None if pandas.isna(value) else value for value in column.astype(object)]
        if expected["type"] in ("int", "float"):
            wanted = [numpy.nan if value is None else value for value in expected["values"]]
            numpy.testing.assert_allclose(column.to_numpy(float), wanted, rtol=1e-12)
            self.assertEqual(pandas.api.types.is_integer_dtype(column.dtype), expected["type"] == "int")
        else:
            self.assertEqual([value if value is None else str(value) for value in values], expected["values"])
        if expected["type"] == "factor":
            self.assertEqual(list(column.cat.categories.astype(str)), expected["levels"])

    def assert_matrix(self, x, expected):
        self.assertEqual(list(x.shape), expected["shape"])
        self.assertEqual(int((x != 0).sum()), expected["nonzero"])
        for axis, sums in ((1, "row_sums"), (0, "column_sums")):
            numpy.testing.assert_allclose(numpy.asarray(x.sum(axis)).ravel(), expected[sums])

    def assert_tissue(self, built, expected):
        self.assertEqual(set(built), set(expected))
        for library, wanted in expected.items():
            self.assertEqual(
                {name: float(value) for name, value in built[library]["scalefactors"].items()}, wanted["scalefactors"]
            )
            self.assertEqual(dict(built[library]["metadata"]), wanted["metadata"])
            self.assertEqual(set(built[library]["images"]), set(wanted["images"]))
            for name, picture in wanted["images"].items():
                pixels = numpy.ascontiguousarray(built[library]["images"][name])
                self.assertEqual((list(pixels.shape), str(pixels.dtype)), (picture["shape"], picture["dtype"]))
                self.assertEqual(hashlib.sha256(pixels.tobytes()).hexdigest(), picture["sha256"], name)

    def assert_run(self, case, expected):
        of = [] if expected.get("default") or "of" not in expected else ["--of", expected["of"]]
        report = self.export(store_of(case), "out.h5ad", "--force", *of)
        built = anndata.read_h5ad(self.path("out.h5ad"))
        self.assertEqual(list(built.obs_names), expected["obs_names"])
        self.assertEqual(set(built.obs) - set(expected.get("obs_optional", {})), set(expected["obs"]))
        for name, column in expected["obs"].items():
            with self.subTest(column=name):
                self.assert_column(built.obs[name], column)
        optional = expected.get("obsm_taken_or_reported", {})
        self.assertEqual(set(built.obsm) - set(optional), set(expected["obsm"]))
        for name in built.obsm:
            wanted = expected["obsm"].get(name) or optional[name]
            numpy.testing.assert_allclose(built.obsm[name], numbers(wanted), rtol=1e-9, err_msg=name)
        self.assert_matrix(built.X, expected["X"])
        self.assertEqual(list(built.var["gene_ids"]), expected["var"]["gene_ids"])
        self.assertEqual(list(built.var["feature_types"].astype(str)), expected["var"]["feature_types"])
        self.assert_tissue(built.uns.get("spatial", {}), expected["uns_spatial"])
        for part in expected["not_taken"] + expected.get("not_taken_default", []):
            self.assertIn(part, report)

    def test_each_run_is_one_annotated_matrix(self):
        for case in RUNS:
            for expected in expectations(case):
                with self.subTest(run=case, of=expected.get("of")):
                    self.assert_run(case, expected)

    def test_cells_in_parquet_are_those_in_text(self):
        run = self.copy_of("xenium_2")
        expected = self.read(run)
        os.unlink(os.path.join(run, "cells.csv.gz"))
        built = self.read(run)
        self.assertTrue(built.obs.equals(expected.obs))
        numpy.testing.assert_array_equal(built.obsm["spatial"], expected.obsm["spatial"])

    # VIEWS 7 "A run of 10x inside it is one annotated matrix"
    def test_run_in_an_archive_is_the_same_matrix(self):
        for case in ("outs_v7", "visium_1"):
            plain, packed = self.path(case + ".h5ad"), self.path(case + "-packed.h5ad")
            self.export(store_of(case), plain)
            for mode, name, folder in (("w", "run.tar", "sub/outs"), ("w:gz", "run.tar.gz", ".")):
                with self.subTest(case, name=name):
                    archive = self.path(name)
                    with tarfile.open(archive, mode) as built:
                        built.add(store_of(case), folder)
                    self.export(os.path.normpath(os.path.join(archive, folder)), packed, "--force")
                    with open(plain, "rb") as first, open(packed, "rb") as second:
                        self.assertEqual(first.read(), second.read())
            kind = "Visium" if case == "visium_1" else "Cell Ranger"
            self.assertIn(f"kind       {kind}\n", plainfs("info", archive).stdout.decode())

    def test_folder_of_matrixmarket_serves_without_the_h5(self):
        run = self.copy_of("visium_1")
        built = self.read(run)
        os.unlink(os.path.join(run, "filtered_feature_bc_matrix.h5"))
        same = self.read(run)
        self.assertEqual((built.X != same.X).nnz, 0)
        self.assertTrue(built.obs.equals(same.obs))
        self.assertEqual(list(same.uns["spatial"]), ["run"])  # no library is known

    def test_spot_without_a_position_has_missing_values(self):
        run = self.copy_of("visium_2")
        name = self.read(run).obs_names[3]
        with open(self.path("run", "spatial", "tissue_positions.csv")) as file:
            line = next(line for line in file if line.startswith(name))
        self.change(os.path.join("spatial", "tissue_positions.csv"), line, "")
        built = self.read(run)
        self.assertEqual(built.obs["in_tissue"].isna().tolist(), [i == 3 for i in range(built.n_obs)])
        self.assertTrue(numpy.isnan(built.obsm["spatial"][3]).all())

    def test_header_of_positions_is_recognised_under_both_names(self):
        run = self.copy_of("visium_2")
        expected = self.read(run)
        spatial = os.path.join(run, "spatial")
        os.rename(os.path.join(spatial, "tissue_positions.csv"), os.path.join(spatial, "tissue_positions_list.csv"))
        built = self.read(run)
        self.assertTrue(built.obs.equals(expected.obs))
        numpy.testing.assert_array_equal(built.obsm["spatial"], expected.obsm["spatial"])

    def test_damaged_table_fails_the_export(self):
        run = self.copy_of("visium_2")
        positions = os.path.join("spatial", "tissue_positions.csv")
        self.change(positions, "pxl_col_in_fullres", "pxl_col_in_fullres,x")
        self.assertIn("tissue_positions.csv: 7 columns, expected 6", self.refused(run))
        shutil.rmtree(run)
        run = self.copy_of("visium_1")
        clusters = os.path.join("analysis", "clustering", "graphclust", "clusters.csv")
        self.change(clusters, "AATCCGAGCTCACCGG-1", "AACAAGGGCCGCATAT-1")
        self.assertIn("clusters.csv: the barcode AACAAGGGCCGCATAT-1 is repeated", self.refused(run))
        shutil.rmtree(run)
        run = self.copy_of("visium_1")
        self.change(os.path.join("analysis", "umap", "2_components", "projection.csv"), "UMAP-1", "")
        projection = os.path.join("analysis", "umap", "2_components", "projection.csv")
        with open(self.path("run", projection), "a") as file:
            file.write("CCCGCCGGAGGAGCTC-2,1,x\n")
        self.assertEqual(self.read(run).obsm["X_umap"].shape, (22, 2))  # of no cell
        self.change(projection, "CGATCACCATTGAGCG-1,", "CGATCACCATTGAGCG-1,x")
        self.assertIn("a value that is not a number", self.refused(run))


class Folders(Runs):
    def names(self, store, *path):
        return plainfs("ls", "-a", store, *path).stdout.decode().split()

    def test_root_shows_its_files_and_those_of_the_matrix(self):
        store = store_of("visium_1")
        shown = self.names(store)
        self.assertLessEqual(set(os.listdir(store)), set(shown))
        built = {"anndata.h5ad", "anndata.zarr", "seurat.rds", "genes", "by", "pseudobulk"}
        self.assertLessEqual(built, set(shown))
        self.assertEqual(self.names(store, "by/graphclust"), ["1", "2", "3", "4", "5"])
        counts = plainfs("cat", store, "filtered_feature_bc_matrix.h5/matrix/genes/Xkr4.csv").stdout
        self.assertTrue(counts.startswith(b'"",Xkr4\n'))
        self.assertEqual(plainfs("cat", store, "genes/Xkr4.csv").stdout, counts)

    def test_folder_with_a_matrix_alone_is_no_run(self):
        os.mkdir(self.path("run"))
        for name in ("filtered_feature_bc_matrix.h5", "other.h5"):
            shutil.copy(os.path.join(store_of("visium_1"), "filtered_feature_bc_matrix.h5"), self.path("run", name))
        self.assertNotIn("anndata.h5ad", self.names(self.path("run")))
        self.assertIn("--of PATH chooses one", self.refused(self.path("run")))

    def test_info_describes_the_run(self):
        for case, path, lines in (
            ("outs_v7", "", ["kind       Cell Ranger", "library    run7", "software_version cellranger-7.1.0"]),
            ("multi", "per_sample_outs/sample_a/count", ["kind       Cell Ranger", "name       sample_a"]),
            (SEGMENTED, "", ["kind       Visium HD", "cells      segmented_outputs"]),
            (SEGMENTED, "segmented_outputs", ["kind       Visium HD"]),
            ("visium_hd", "binned_outputs/square_008um", ["kind       Visium HD", "bin_size_um 8"]),
        ):
            text = plainfs("info", os.path.join(store_of(case), path)).stdout.decode()
            for line in lines:
                self.assertIn("  " + line + "\n", text, case)
        self.assertNotIn("\nrun ", plainfs("info", store_of("multi")).stdout.decode())


COMPARE = """
suppressMessages(library(Seurat))
arguments <- commandArgs(TRUE)
expected <- jsonlite::fromJSON(arguments[2])
object <- readRDS(arguments[1])
image <- object@images[[1]]
same <- function(a, b) stopifnot(isTRUE(all.equal(a, b, check.attributes = FALSE)))
same(Cells(object), expected$cells)
same(rownames(object), expected$genes)
same(DefaultAssay(object), expected$assay)
same(names(object@images), "slice1")
same(image@key, expected$key)
same(rownames(image@coordinates), expected$coordinates$cells)
for (name in c("tissue", "row", "col", "imagerow", "imagecol")) {
  same(image@coordinates[[name]], expected$coordinates[[name]])
  same(class(image@coordinates[[name]]), expected$coordinate_types[[name]])
}
same(dim(image@image), expected$image$dim)
same(mean(image@image), expected$image$mean)
same(image@spot.radius, expected$spot_radius)
for (name in c("fiducial", "hires", "lowres")) same(image@scale.factors[[name]], expected$scale_factors[[name]])
same(object$nCount_Spatial, expected$meta$nCount_Spatial)
cat("equal")
"""


class Seurat(Runs):
    @needs_r("Seurat", "jsonlite")
    def test_seurat_object_equals_that_of_load10x_spatial(self):
        with open(self.path("compare.R"), "w") as file:
            file.write(COMPARE)
        for case in ("visium_1", "visium_2"):
            self.export(store_of(case), "out.rds", "--force")
            result = subprocess.run(
                ["Rscript", self.path("compare.R"), self.path("out.rds"), os.path.join(DATA, case, "seurat.json")],
                capture_output=True,
                timeout=600,
            )
            self.assertEqual(result.stdout, b"equal", f"{case}: {result.stderr.decode()}")


if __name__ == "__main__":
    unittest.main()
