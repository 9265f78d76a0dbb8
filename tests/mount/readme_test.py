#!/usr/bin/env python3
"""Every block of code in README.md and docs/, run unchanged, with a check of the result. Blocks that cannot run here
are named with a reason."""
import ast
import glob
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import unittest

from mounted import DATA, PROGRAM, Folder, Mount, main, wait_until
import slurm  # after mounted, which sets its path
from optional import missing_r, needs, needs_modules, needs_r, skip_rest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from server import Server  # after mounted, which sets the program to run

SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SAMPLES = os.path.join(SOURCE, "tests", "data", "samples")
STORES = {
    "pbmc": os.path.join(SAMPLES, "pbmc.h5seurat"),
    "adata": os.path.join(SAMPLES, "pbmc.h5ad"),
    "frags": os.path.join(SAMPLES, "frags"),
    "image": os.path.join(SAMPLES, "image.zarr"),
    "tenx": os.path.join(DATA, "tenx", "v2_feature_types", "store.h5"),
    "loom": os.path.join(DATA, "loom", "v3_layers_graphs", "store.loom"),
    "nwb": os.path.join(DATA, "nwb", "ecephys", "store.nwb"),
    "sce": os.path.join(DATA, "takane-objects", "single_cell", "store"),
    "ranged": os.path.join(DATA, "takane-objects", "ranged", "store"),
    "variants": os.path.join(DATA, "vcf-zarr", "bio2zarr_0_1_6", "store.zarr"),
    "era5": os.path.join(DATA, "xarray", "era5_v2", "store.zarr"),
}

STORE = "pbmc.h5seurat"  # in the blocks that share an export
JOINED = "--join outer @samples.txt"  # in its place

# The first words of the blocks that no test here runs.
NOT_RUN = {
    "scripts/package": (
        "installs packages, builds the program and every test, of which this is one, and installs to /usr/local; "
        "tests/install looks at that"
    ),
    "data.lab.example Authorization": "the content of a file; tests/remote writes one for its own server",
    "// export.nf": "is a workflow of Nextflow, of which this system has no package",
    "apiVersion: batch/v1": "is a job of a cluster",
    "apiVersion: v1": "is a pod of a cluster; handed_test.py passes the descriptor of a mount as its driver does",
    "/srv/pbmc  *.lab.example": "is a line of /etc/exports of a server",
    "plainfs https://HOST": "names servers that are nowhere; tests/remote runs the like against its own",
}


def pages():
    """Yields the text of README.md and of each page of docs/."""
    for path in (os.path.join(SOURCE, "README.md"), *sorted(glob.glob(os.path.join(SOURCE, "docs", "*.md")))):
        with open(path, encoding="utf-8") as file:
            yield file.read()


def blocks():
    """Yields (language, code) of each block of those pages."""
    return [found for page in pages() for found in re.findall(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S)]


def block(start):
    """Returns the code of the block that begins with `start`."""
    found = [code for _, code in blocks() if code.startswith(start)]
    assert len(found) == 1, f"{len(found)} blocks begin with {start}"
    return found[0]


class Blocks(unittest.TestCase):
    def test_every_block_is_run_or_named(self):
        with open(os.path.abspath(__file__), encoding="utf-8") as file:
            calls = [
                node
                for node in ast.walk(ast.parse(file.read()))
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "block"
            ]
        starts = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)} | set(NOT_RUN)
        for language, code in blocks():
            first = code.split("\n")[0]
            self.assertTrue(language, first)
            self.assertEqual(len([start for start in starts if code.startswith(start)]), 1, first)
        for start in starts:
            self.assertTrue(block(start))

    def test_no_code_hides_outside_of_the_blocks(self):
        for page in pages():
            text = re.sub(r"^```\w*\n.*?^```$", "", page, flags=re.M | re.S)
            self.assertEqual(re.findall(r"^(?:    |\t).*", text, re.M), [])

    def test_every_link_leads_somewhere(self):
        for path in (os.path.join(SOURCE, "README.md"), *sorted(glob.glob(os.path.join(SOURCE, "docs", "*.md")))):
            with open(path, encoding="utf-8") as file:
                links = re.findall(r"\]\(([^)#:]+)\)", file.read())
            for link in links:
                self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), link)), f"{path}: {link}")
            if path.endswith("README.md"):
                listed = {os.path.join(SOURCE, link) for link in links}
        self.assertEqual(set(glob.glob(os.path.join(SOURCE, "docs", "*.md"))) - listed, set())

    def test_the_first_page_is_read_in_a_minute(self):
        self.assertLessEqual(len(next(pages()).splitlines()), 120)


class Recipe(Folder):
    def mount(self, *names):
        for name in names:
            mount = self.enterContext(Mount(STORES[name]))
            os.symlink(mount.path, os.path.join(self.folder, name))

    def environment(self):
        tools = os.path.join(self.folder, "tools")
        if not os.path.isdir(tools):
            os.mkdir(tools)
            os.symlink(os.path.realpath(shutil.which(PROGRAM)), os.path.join(tools, "plainfs"))
        return {**os.environ, "PATH": f"{tools}:/usr/bin:{os.environ['PATH']}"}

    def run_in_folder(self, *words, **more):
        result = subprocess.run(
            words, cwd=self.folder, env={**self.environment(), **more}, capture_output=True, text=True, timeout=300
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def shell(self, code, **more):
        return self.run_in_folder("sh", "-ec", code, **more)

    def r(self, code, prints):
        """Runs `code` in R and then the second argument. Returns the lines printed by the latter."""
        path = os.path.join(self.folder, "recipe.R")
        with open(path, "w", encoding="utf-8") as file:
            file.write(code + 'cat("\\n#\\n")\n' + prints)
        return self.run_in_folder("Rscript", path).split("\n#\n")[1].splitlines()

    def python(self, *codes):
        """Returns the variables that the recipes leave."""
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names = {}
        for code in codes:
            exec(code, names)
        return names


@needs_modules("h5py", "numpy")
class Seurat(Recipe):
    """The study generated by make.py of the samples."""

    def setUp(self):
        super().setUp()
        import h5py
        import numpy

        with h5py.File(STORES["pbmc"]) as file:

            def text(name):
                return [value.decode() for value in file[name][:]]

            self.cells, self.genes = text("cell.names"), text("assays/RNA/features")
            meta = file["meta.data"]
            self.batch, self.levels = text("meta.data/batch"), text("meta.data/stage/levels")
            self.stage = [self.levels[value - 1] for value in meta["stage/values"][:]]
            self.doublet = [{0: False, 1: True, 2: None}[value] for value in meta["doublet"][:]]
            self.score, self.total = meta["score"][:], meta["nCount_RNA"][:]
            self.counts = file["assays/RNA/counts/data"][:]
            self.scaled = file["assays/RNA/scale.data"][:].T
        self.assertIn("NA", self.batch)
        self.assertIn('the "new" one', self.batch)
        self.numpy = numpy

    @needs_r("Seurat")
    def test_r_puts_a_seurat_object_together(self):
        self.mount("pbmc")
        prints = """
            cat(dim(counts), sum(counts), sum(scaled), class(meta$doublet), class(meta$nCount_RNA), "\\n")
            cat(levels(seurat$stage), "\\n", as.character(seurat$stage), "\\n", cells, "\\n", colnames(seurat), "\\n")
            cat(colnames(scaled), "\\n")
            cat(dim(SeuratObject::GetAssayData(seurat, slot = "scale.data")), "")
            cat(ifelse(is.na(meta$doublet), "NA", meta$doublet), "\\n")"""
        lines = [line.split() for line in self.r(block('counts <- Seurat::Read10X("pbmc/assays/RNA/counts")'), prints)]
        rows, columns, total, scaled, kind, count_kind = lines[0]
        self.assertEqual((int(rows), int(columns), float(total)), (len(self.genes), len(self.cells), self.counts.sum()))
        self.assertAlmostEqual(float(scaled), self.scaled.sum(), places=4)
        self.assertEqual((kind, count_kind), ("logical", "integer"))
        self.assertEqual(lines[1:6], [self.levels, self.stage, self.cells, self.cells, self.cells])
        self.assertEqual(
            lines[6],
            [*map(str, self.scaled.shape), *({None: "NA", True: "TRUE", False: "FALSE"}[v] for v in self.doublet)],
        )

    @needs_r("Matrix")
    def test_r_reads_its_own_files(self):
        self.mount("pbmc")
        prints = """
            cat(class(counts), dim(counts), sum(counts), dim(scaled), sum(scaled), "\\n")
            cat(levels(meta$stage), "\\n", as.character(meta$stage), "\\n", rownames(meta), "\\n")
            cat(colnames(counts), "\\n", rownames(counts), "\\n")
            cat(ifelse(is.na(meta$doublet), "NA", meta$doublet), "\\n")
            cat(meta$batch, sep = "\\n")"""
        lines = self.r(block("library(Matrix)"), prints)
        kind, rows, columns, total, *scaled = lines[0].split()
        self.assertEqual(
            (kind, int(rows), int(columns), float(total)),
            ("dgCMatrix", len(self.genes), len(self.cells), self.counts.sum()),
        )
        self.assertEqual([int(n) for n in scaled[:2]], list(self.scaled.shape))
        self.assertAlmostEqual(float(scaled[2]), self.scaled.sum(), places=3)
        self.assertEqual(
            [line.split() for line in lines[1:6]], [self.levels, self.stage, self.cells, self.cells, self.genes]
        )
        self.assertEqual(
            lines[6].split(), [{None: "NA", True: "TRUE", False: "FALSE"}[value] for value in self.doublet]
        )
        self.assertEqual(lines[7:], self.batch)

    @needs_r("Seurat", "hdf5r")
    def test_seurat_reads_10x_s_files(self):
        self.mount("pbmc")
        prints = 'cat(dim(counts), sum(counts), "\\n"); stopifnot(identical(as.matrix(counts), as.matrix(again)))'
        output = self.r(block('counts <- Seurat::Read10X("pbmc/assays/RNA/counts/10x")'), prints)[0].split()
        self.assertEqual([float(n) for n in output], [len(self.genes), len(self.cells), self.counts.sum()])

    @needs_modules("anndata")
    def test_anndata_reads_an_assay(self):
        self.mount("pbmc")
        names = self.python(block("import anndata\n"))
        self.addCleanup(names["backed"].file.close)
        self.assertEqual((list(names["backed"].obs_names), list(names["backed"].var_names)), (self.cells, self.genes))
        chosen = [cell for cell, score in zip(self.cells, self.score) if score > 0]
        self.assertEqual(list(names["cells"].obs_names), chosen)
        self.assertEqual(names["cells"].X.shape, (len(chosen), len(self.genes)))
        self.assertEqual(list(names["backed"].obs["stage"].cat.categories), self.levels)

    @needs_r("data.table")
    def test_fread_keeps_quotes_and_the_text_na(self):
        self.mount("pbmc")
        prints = """
            cat(meta$batch, sep = "\\n")
            cat(sum(is.na(meta$batch)), sum(is.na(meta$doublet)), class(meta$doublet), names(meta), "\\n")"""
        lines = self.r(block("meta <- data.table::fread"), prints)
        self.assertEqual(lines[:-1], self.batch)
        self.assertEqual(
            lines[-1].split(),
            ["0", str(self.doublet.count(None)), "logical", "V1", "nCount_RNA", "stage", "batch", "doublet", "score"],
        )

    @needs_modules("anndata", "pandas", "scipy")
    def test_python_reads_the_frame_and_writes_an_anndata(self):
        import anndata

        self.mount("pbmc", "image")
        names = self.python(block("import glob"), block('folder = "pbmc'))
        meta = names["meta"]
        self.assertEqual(
            (list(meta.index), list(names["cells"]), list(meta["batch"])), (self.cells, self.cells, self.batch)
        )
        self.assertEqual((list(meta["stage"]), list(meta["stage"].cat.categories)), (self.stage, self.levels))
        self.numpy.testing.assert_array_equal(meta["score"], self.score)
        self.assertEqual([None if value != value else value for value in meta["doublet"]], self.doublet)
        self.assertEqual(names["part"].tolist(), [[y * 48 + x for x in range(5, 8)] for y in range(10, 20)])
        copy = anndata.read_h5ad(os.path.join(self.folder, "copy.h5ad"))
        self.assertEqual((list(copy.obs_names), list(copy.var_names)), (self.cells, self.genes))
        self.assertEqual((list(copy.obs["stage"].cat.categories), list(copy.obs["stage"])), (self.levels, self.stage))
        self.assertEqual(list(copy.obs["batch"]), self.batch)
        self.assertEqual([None if value != value else bool(value) for value in copy.obs["doublet"]], self.doublet)
        self.assertEqual(list(copy.X.sum(axis=1).A1), list(self.total))

    @needs("octave-cli")
    def test_octave_reads_the_matrix(self):
        self.mount("pbmc")
        code = block('a = dlmread("pbmc') + "disp([size(counts) full(sum(counts(:)))])"
        numbers = [float(n) for n in self.run_in_folder("octave-cli", "--quiet", "--eval", code).split()]
        self.assertEqual(numbers, [len(self.genes), len(self.cells), self.counts.sum()])

    @needs("bedtools", "tabix")
    def test_the_shell_sums_sorts_and_copies(self):
        self.mount("pbmc", "frags")
        with open(os.path.join(self.folder, "peaks.bed"), "w", encoding="ascii") as file:
            file.write("chr2\t5000\t50000\n")
        lines = self.shell(block("awk 'NR > 2 { n[$2] += $3 }")).splitlines()
        sums = dict(map(int, line.split()) for line in lines[: len(self.cells)])
        self.assertEqual([sums[i + 1] for i in range(len(self.cells))], list(self.total))
        with open(os.path.join(self.folder, "frags", "fragments.tsv"), encoding="ascii") as file:
            fragments = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(int(lines[len(self.cells)]), max(int(f[2]) - int(f[1]) for f in fragments))
        rest = [line.split("\t") for line in lines[len(self.cells) + 1 :]]

        def overlap(first, last):
            return [f for f in fragments if f[0] == "chr2" and int(f[1]) < last and int(f[2]) > first]

        in_peaks, in_region = overlap(5000, 50000), overlap(999, 20000)
        self.assertTrue(in_peaks and in_region)
        self.assertEqual(
            (sorted(rest[: len(in_peaks)]), sorted(rest[len(in_peaks) :])), (sorted(in_peaks), sorted(in_region))
        )
        features = self.shell("gzip -dc counts/features.tsv.gz").splitlines()
        self.assertEqual(
            [line.split("\t") for line in features], [[gene, gene, "Gene Expression"] for gene in self.genes]
        )
        self.assertEqual(self.shell("gzip -dc counts/matrix.mtx.gz | cmp - pbmc/assays/RNA/counts/matrix.mtx"), "")
        skip_rest(self, missing_r("Seurat"))
        total = self.run_in_folder("Rscript", "-e", 'm <- Seurat::Read10X("counts"); cat(dim(m), sum(m))').split()
        self.assertEqual([float(n) for n in total], [len(self.genes), len(self.cells), self.counts.sum()])

    def copy_store(self, *names):
        for name in names:
            shutil.copy(STORES[name], self.folder)
        time.sleep(0.1)  # recently written files are not kept

    def assert_is_export(self, name, store=STORE):
        self.shell(f"plainfs export {store} whole")
        self.assertEqual(self.shell(f"diff -r {name} whole"), "")

    def copy_samples(self):
        """Copies three stores of different formats, and lists them in samples.txt."""
        self.copy_store("pbmc", "adata", "loom")
        with open(os.path.join(self.folder, "samples.txt"), "w", encoding="utf-8") as file:
            file.write("pbmc.h5seurat\tone\npbmc.h5ad\ttwo\nstore.loom\tthree\n")

    @unittest.skipIf(slurm.why_not(), slurm.why_not())
    def test_a_job_array_exports(self):
        self.copy_store("pbmc")
        try:
            with slurm.Slurm(self.environment()) as cluster:
                self.shell(block("n=$(plainfs export --plan"), **cluster.environment)
        except RuntimeError as error:
            self.skipTest(str(error))
        self.assert_is_export("out")

    @unittest.skipIf(slurm.why_not(), slurm.why_not())
    def test_a_job_array_exports_joined_stores(self):
        self.copy_samples()
        code = block("n=$(plainfs export --plan").replace(STORE, f"--tasks 5 {JOINED}")
        try:
            with slurm.Slurm(self.environment()) as cluster:
                self.shell(code, **cluster.environment)
        except RuntimeError as error:
            self.skipTest(str(error))
        self.assert_is_export("out", JOINED)

    @needs("parallel")
    def test_parallel_exports(self):
        self.copy_store("pbmc")
        self.shell(block("seq $(plainfs export --plan"))
        self.assert_is_export("copy")

    def test_machines_find_the_sizes_together(self):
        self.copy_store("pbmc")
        self.shell(block("for task in 1 2 3"))
        with open(os.path.join(self.folder, "sized.json"), encoding="utf-8") as plan:
            self.assertEqual(len(json.load(plan)["tasks"]), 4)

    def test_tasks_write_whole_shards(self):
        self.copy_store("pbmc")
        self.shell(block("plainfs export --plan --tasks 2"))
        self.shell("plainfs export pbmc.h5seurat whole.zarr")
        self.assertEqual(self.shell("diff -r zarr/assays/RNA.zarr whole.zarr"), "")

    @needs("snakemake")
    def test_snakemake_exports(self):
        self.copy_store("pbmc")
        with open(os.path.join(self.folder, "Snakefile"), "w", encoding="utf-8") as file:
            file.write(block("# Snakefile"))
        self.run_in_folder("snakemake", "--cores", "2", "--quiet", HOME=self.folder)
        self.assert_is_export("pbmc")

    @needs("snakemake")
    def test_snakemake_exports_joined_stores(self):
        self.copy_samples()
        code = block("# Snakefile").replace(STORE, "samples.txt").replace("4 {input}", "4 --join outer @{input}")
        with open(os.path.join(self.folder, "Snakefile"), "w", encoding="utf-8") as file:
            file.write(code)
        self.run_in_folder("snakemake", "--cores", "2", "--quiet", HOME=self.folder)
        self.assert_is_export("pbmc", JOINED)

    @needs_modules("distributed")
    def test_dask_exports(self):
        self.copy_store("pbmc")
        with open(os.path.join(self.folder, "tasks.py"), "w", encoding="utf-8") as file:
            file.write(block("# Dask"))
        self.run_in_folder(sys.executable, "tasks.py", HOME=self.folder)
        self.assert_is_export("exported")

    @needs_modules("distributed")
    def test_dask_exports_joined_stores(self):
        self.copy_samples()
        with open(os.path.join(self.folder, "tasks.py"), "w", encoding="utf-8") as file:
            file.write(block("# Dask").replace(f'"{STORE}"', '"--join", "outer", "@samples.txt"'))
        self.run_in_folder(sys.executable, "tasks.py", HOME=self.folder)
        self.assert_is_export("exported", JOINED)

    @needs("tar")
    def test_an_archive_is_unpacked(self):
        self.copy_store("pbmc")
        self.shell(block("mkdir unpacked"))
        self.assert_is_export("unpacked")

    def test_a_command_has_a_mount_of_its_own(self):
        self.copy_store("pbmc", "adata")
        lines = self.shell(block("plainfs run pbmc")).splitlines()
        with open(os.path.join(self.folder, "meta"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines[:2]) + "\n")
        self.assertEqual(self.shell("plainfs cat pbmc.h5seurat meta.data.csv | head -2 | cmp - meta"), "")
        self.assertTrue({"meta.data.csv", "obs.csv"} <= set(lines))

    @needs("mount.fuse3")
    @unittest.skipUnless(os.geteuid() == 0, "only root mounts for others")
    def test_a_mount_is_handed_over(self):
        self.copy_store("pbmc")
        os.mkdir(os.path.join(self.folder, "mnt"))
        self.addCleanup(subprocess.run, ["umount", "-l", os.path.join(self.folder, "mnt")], capture_output=True)
        self.shell(block("mount.fuse3"))
        self.shell("mkdir whole && plainfs export --tar --views=listed pbmc.h5seurat - | tar -xf - -C whole")
        self.assertEqual(self.shell("diff -r mnt whole"), "")
        self.shell("plainfs umount mnt")

    @needs_modules("anndata")
    def test_tour_matches_the_page(self):
        os.makedirs(os.path.join(self.folder, "tests", "data"))
        shutil.copytree(SAMPLES, os.path.join(self.folder, "tests", "data", "samples"))
        steps = [step.split("\n", 1) for step in block("$ cd tests/data/samples").removeprefix("$ ").split("\n$ ")]
        out = self.shell("".join(f"{command}\necho '#'\n" for command, *_ in steps), PYTHONWARNINGS="ignore").split(
            "#\n"
        )[:-1]
        output = [text.replace(os.path.realpath(self.folder), "") for text in out]
        self.assertEqual(
            output,
            [
                "".join(answer and f"{answer[0].rstrip()}\n" for answer in [more] if answer and answer[0].strip())
                for _, *more in steps
            ],
        )

    def test_picture_matches_the_mount(self):
        self.mount("adata")
        folder = "adata"
        for line in block("pbmc/  ").splitlines()[1:]:
            depth, names, use = re.fullmatch(r"((?:│   )?)[├└]── (\S+)(.*)", line).groups()
            folder = os.path.join("adata", "X") if depth else "adata"
            beside = re.findall(r"\((\S+?):|\((\S+\.npy)\)", use)
            for name in [
                names,
                *(a or b for a, b in beside),
                *re.findall(r"(\S+\.parquet):", use),
                *re.findall(r"(?:genes|barcodes)\.tsv", use),
            ]:
                at = os.path.join(self.folder, folder, "obsm" if name.startswith("X_") else "", name)
                self.assertTrue(os.path.exists(at), f"{line}: {name}")


@needs_modules("numpy", "zarr")
class Microscopy(Recipe):
    """docs/imaging.md, with an image of two channels and three levels."""

    def setUp(self):
        super().setUp()
        import numpy
        import ome_zarr

        channels = [{"label": "DAPI", "color": "0000FF"}, {"label": "GFP", "color": "00FF00"}]
        pixels = numpy.arange(2 * 1024 * 1280, dtype="u4").reshape(2, 1024, 1280).astype("u2")
        store = os.path.join(self.folder, "cells.zarr")
        self.levels = ome_zarr.write_image(
            store,
            pixels,
            "cyx",
            (1, 256, 256),
            3,
            version="0.5",
            steps={"y": 0.5, "x": 0.5},
            words={"omero": {"channels": channels}},
        )
        mount = self.enterContext(Mount(store))
        os.symlink(mount.path, os.path.join(self.folder, "cells"))

    def test_store_becomes_the_file_of_the_mount(self):
        self.shell(block("plainfs export cells.zarr"))
        self.assertEqual(self.shell("cmp cells.ome.tif cells/image.ome.tif"), "")

    def test_files_named_on_the_page_exist(self):
        for line in block("cells/  ").splitlines()[1:]:
            name = re.fullmatch(r"[├└]── (\S+) .*", line).group(1)
            self.assertTrue(os.path.isfile(os.path.join(self.folder, "cells", name)), line)

    def test_info_matches_the_page(self):
        command, output = block("$ plainfs info cells.zarr").removeprefix("$ ").split("\n", 1)
        self.assertEqual(self.shell(command), output)

    @needs_modules("tifffile")
    def test_tifffile_reads_a_level_and_a_plane(self):
        names = self.python(block("import tifffile"))
        self.assertEqual(names["overview"].tolist(), self.levels[-1].tolist())
        self.assertEqual(names["gfp"].tolist(), self.levels[0][1].tolist())

    def test_numpy_maps_the_array(self):
        names = self.python(block("import numpy"))
        self.assertEqual(names["corner"].tolist(), self.levels[0][1, :100, :200].tolist())

    @needs("vips", "vipsheader")
    def test_libvips_reads_a_plane(self):
        self.assertEqual(self.shell(block("vipsheader")), "640\n")
        self.assertEqual(self.shell("vipsheader -f width corner.png"), "200\n")


class Climate(Recipe):
    def test_files_named_on_the_page_exist(self):
        self.mount("era5")
        for line in block("plainfs era5.zarr era5").splitlines()[2:]:
            names = re.fullmatch(r"[├└]── (\S+(?:, \S+)*)(?: {2}.*)?", line).group(1).split(", ")
            extensions = re.findall(r"\.\w+(?=[,)])", line.partition("also ")[2])
            for name in [*names, *(names[0].removesuffix(".csv") + extension for extension in extensions)]:
                with self.subTest(name):
                    with open(os.path.join(self.folder, "era5", name), "rb") as file:
                        self.assertTrue(file.read(100))


@needs_modules("anndata")
class OneFile(Recipe):
    """README's first block, and docs/convert.md."""

    def setUp(self):
        super().setUp()
        shutil.copy(STORES["adata"], os.path.join(self.folder, "pbmc.h5ad"))

    def assert_exists(self, *names):
        for name in names:
            self.assertGreater(os.path.getsize(os.path.join(self.folder, name)), 0, name)

    def test_a_store_becomes_other_files(self):
        output = self.shell(block("plainfs info pbmc.h5ad"))
        self.assertIn("  plainfs export pbmc.h5ad pbmc.rds ", output)
        self.assert_exists("seurat.rds", "cells.parquet", "genes.csv", "gene1.csv")

    def test_a_seurat_object_becomes_an_anndata(self):
        self.shell("mkdir GSE1")
        self.write_trio("GSE1/GSM1_S1_")
        self.shell("plainfs export pbmc.h5ad pbmc.rds; rm pbmc.h5ad")
        output = self.shell(block("plainfs export GSE1/GSM1_S1"))
        self.assertIn("  plainfs export pbmc.rds pbmc.h5ad ", output)
        self.assert_exists("pbmc.h5ad")

    def write_trio(self, prefix):
        """Writes the matrix of pbmc.h5ad and its names as GEO has them."""
        for name, shown in (("matrix.mtx", "matrix.mtx"), ("features.tsv", "genes.tsv"), ("barcodes.tsv",) * 2):
            self.shell(f"plainfs cat pbmc.h5ad X/{shown} | gzip > {prefix}{name}.gz")

    def test_a_trio_a_run_and_a_table_are_stores(self):
        self.shell("mkdir GSE1 filtered_feature_bc_matrix")
        self.write_trio("GSE1/GSM1_S1_")
        self.write_trio("filtered_feature_bc_matrix/")
        shutil.copytree(os.path.join(DATA, "tenx-runs", "visium_1", "store"), os.path.join(self.folder, "outs"))
        self.shell("(echo ,c1,c2; echo g1,0,3; echo g2,1,0) | gzip > GSE1_counts.csv.gz")
        matrix = self.shell("plainfs cat pbmc.h5ad X/matrix.mtx; rm pbmc.h5ad")
        self.shell(block("plainfs export filtered_feature_bc_matrix"))
        self.shell(block("plainfs export --join outer --label sample GSE1/GSM1_S1"))
        self.assert_exists("gse1.h5ad", "donors.h5ad")
        for name in ("pbmc.h5ad", "s1.h5ad"):
            self.assertEqual(self.shell(f"plainfs cat {name} X/matrix.mtx"), matrix)
        self.assertIn("X_umap.csv", self.shell("plainfs ls run.h5ad obsm").split())
        self.assertIn("1 2 3", self.shell("plainfs cat counts.rds matrix.mtx").splitlines())

    def test_a_record_of_geo_is_exported_from_its_archive(self):
        self.write_trio("GSM1_S1_")
        self.shell("tar cf GSE1_RAW.tar GSM1_*; rm GSM1_*; gzip -c pbmc.h5ad > GSM2_pbmc.h5ad.gz")
        one_gene = self.shell("plainfs cat pbmc.h5ad X/genes/GENE1.csv")
        self.assertEqual(one_gene, self.shell(block("plainfs export GSE1_RAW.tar")))
        self.assert_exists("s1.h5ad", "gsm2.rds")
        matrix = self.shell("plainfs cat s1.h5ad X/matrix.mtx")
        self.assertEqual(matrix, self.shell("plainfs cat pbmc.h5ad X/matrix.mtx"))

    def test_a_conversion_is_tried_and_chosen(self):
        self.shell("plainfs export pbmc.h5ad pbmc.rds")
        self.shell(block("plainfs export --dry-run"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "pbmc2.h5ad")))
        self.assertNotIn("uns", self.shell("plainfs ls small.rds misc"))
        counts = self.shell("plainfs cat counts.h5ad X/matrix.mtx")
        self.assertEqual(counts, self.shell("plainfs cat pbmc.rds assays/RNA/counts/matrix.mtx"))


@needs_modules("anndata")
class AnnData(Recipe):
    def setUp(self):
        super().setUp()
        import anndata

        self.stored = anndata.read_h5ad(STORES["adata"])
        self.mount("adata")

    @needs_r("Seurat")
    def test_r_reads_the_whole_object(self):
        prints = 'cat(dim(seurat), levels(seurat$stage), "\\n"); cat(colnames(seurat), "\\n")'
        lines = [line.split() for line in self.r(block('seurat <- readRDS'), prints)]
        self.assertEqual(lines[0], [*map(str, self.stored.shape[::-1]), *self.stored.obs["stage"].cat.categories])
        self.assertEqual(lines[1], list(self.stored.obs_names))

    @needs_r("Seurat")
    def test_r_reads_parts_by_name(self):
        prints = (
            'print_names <- function(names) cat(gsub(" ", "~", names), "\\n"); '
            'cat(sum(gene$GENE1), dim(high), dim(sums), sum(sums), "\\n"); '
            'print_names(colnames(high)); print_names(colnames(sums)); '
            'print_names(paste(groups$batch, groups$stage, sep = "_")); print_names(rownames(groups))'
        )
        numbers, cells, levels, pasted, named = [
            line.split() for line in self.r(block('gene <- read.csv("adata'), prints)
        ]
        high = list(self.stored.obs_names[self.stored.obs["stage"] == "high"])
        genes = self.stored.shape[1]
        obs = self.stored.obs
        kept = self.stored[(obs["batch"].notna() & obs["stage"].notna()).to_numpy()]
        self.assertEqual(
            [float(n) for n in numbers],
            [float(self.stored[:, "GENE1"].X.sum()), genes, len(high), genes, len(levels), float(kept.X.sum())],
        )
        self.assertEqual(cells, high)
        self.assertEqual(
            sorted(levels),
            sorted(
                {f"{batch}_{stage}".replace(" ", "~") for batch, stage in zip(kept.obs["batch"], kept.obs["stage"])}
            ),
        )
        self.assertEqual((levels, levels), (pasted, named))

    def test_the_shell_reads_parts_by_name(self):
        both = (self.stored[:, ["GENE1", "GENE2"]].X.toarray() > 0).all(axis=1).sum()
        output = self.shell(block("awk -F, 'NR > 1 && $2 > 0")).split()
        self.assertEqual([int(n) for n in output], [both, (self.stored.obs["stage"] == "high").sum()])

    def scores(self):
        """Returns stage: (number of scores, their mean)."""
        scores = self.stored.obs.groupby("stage", observed=True)["score"]
        return {stage: (group.count(), group.mean()) for stage, group in scores}

    def check_scores(self, found):
        want = self.scores()
        self.assertEqual(sorted(found), sorted(want))
        for stage, (count, mean) in want.items():
            self.assertEqual(found[stage][0], count)
            self.assertAlmostEqual(found[stage][1], mean, 9)

    @needs("sqlite3")
    def test_sqlite_keeps_types_and_missing_values(self):
        rows = [line.split("|") for line in self.shell(block("sqlite3 obs.db")).splitlines()]
        self.check_scores(
            {stage: (int(count), float(mean)) for stage, count, mean in rows if stage != "NA" or stage in self.scores()}
        )

    @needs("mlr")
    def test_miller_keeps_types_and_missing_values(self):
        rows = json.loads(self.shell(block("mlr --icsv")))
        self.check_scores(
            {
                row["stage"]: (row["score_count"], row["score_mean"])
                for row in rows
                if row["stage"] != "NA" or "NA" in self.scores()
            }
        )

    @needs_r("Matrix")
    def test_r_reads_the_matrix_and_the_cells_with_their_factors(self):
        prints = """
            cat(dim(counts), sum(counts), rownames(counts)[3], colnames(counts)[5], genes$V1[2], sep = "\\n")
            for (f in obs[c("stage", "batch")]) cat("", levels(f), as.integer(f), sep = "\\n")"""
        lines = self.r(block('counts <- Matrix::readMM("adata'), prints)
        self.assertEqual((int(lines[0]), int(lines[1])), self.stored.shape[::-1])
        self.assertEqual(float(lines[2]), float(self.stored.X.sum()))
        self.assertEqual(
            lines[3:6], [self.stored.var_names[2], self.stored.obs_names[4], self.stored.var["gene_ids"][1]]
        )
        wanted = []
        for column in ("stage", "batch"):
            values = self.stored.obs[column].cat
            wanted += ["", *values.categories, *(str(code + 1) for code in values.codes)]
        self.assertEqual(lines[6:], wanted[1 if lines[6] else 0 :])

    @needs_modules("pandas", "scipy")
    def test_python_puts_the_parts_together(self):
        self.mount("pbmc", "image")
        adata = self.python(block("import glob"), block("adata = anndata.AnnData(scipy.io.mmread(\"adata"))["adata"]
        self.assertEqual((adata.X != self.stored.X).nnz, 0)
        self.assertEqual(
            (list(adata.obs_names), list(adata.var_names)), (list(self.stored.obs_names), list(self.stored.var_names))
        )
        for column in ("stage", "batch"):
            self.assertEqual(list(adata.obs[column].cat.categories), list(self.stored.obs[column].cat.categories))
            self.assertEqual(list(adata.obs[column]), list(self.stored.obs[column]))
        self.assertTrue((adata.obsm["X_pca"] == self.stored.obsm["X_pca"]).all())
        adata.write_h5ad(os.path.join(self.folder, "again.h5ad"))


@needs_modules("h5py")
class Others(Recipe):
    @needs_r("Matrix")
    def test_r_reads_a_10x_file(self):
        import h5py

        self.mount("tenx")
        prints = (
            'cat(dim(counts), sum(counts), rownames(counts)[2], colnames(counts)[3], '
            'sum(types == "Antibody Capture"), nrow(genes), "\\n")'
        )
        output = self.r(block('counts <- Matrix::readMM("tenx'), prints)[-1].split()
        with h5py.File(STORES["tenx"]) as file:
            matrix = file["matrix"]
            types = [value.decode() for value in matrix["features/feature_type"][:]]
            self.assertEqual([int(n) for n in output[:2]], list(matrix["shape"][:]))
            self.assertEqual(float(output[2]), matrix["data"][:].sum())
            self.assertEqual(output[3:5], [matrix["features/name"][1].decode(), matrix["barcodes"][2].decode()])
            self.assertEqual([int(n) for n in output[5:]], [types.count("Antibody Capture"), len(types)])

    def test_the_shell_counts_in_a_loom_file(self):
        import collections
        import h5py

        self.mount("loom")
        lines = [line.split() for line in self.shell(block("awk 'NR > 2 { n[$1]++ }")).splitlines()]
        with h5py.File(STORES["loom"]) as file:
            on = [int((row != 0).sum()) for row in file["matrix"][:]]
            clusters = collections.Counter(
                value.decode() if isinstance(value, bytes) else str(value) for value in file["col_attrs/Clusters"][:]
            )
        genes = min(10, len([n for n in on if n]))
        self.assertEqual([int(n) for n, _ in lines[:genes]], sorted(on, reverse=True)[:genes])
        self.assertEqual({key: int(n) for n, key in lines[genes:]}, dict(clusters))

    @needs_r("Seurat")
    def test_r_reads_an_assay_and_an_embedding_of_an_experiment(self):
        import h5py

        self.mount("sce")
        prints = (
            'cat(dim(counts), sum(counts), dim(pca), sum(pca), "\\n"); '
            'cat(colnames(counts), "\\n"); cat(rownames(pca), "\\n")'
        )
        numbers, cells, rows = [line.split() for line in self.r(block('counts <- Seurat::Read10X("sce'), prints)]
        with h5py.File(os.path.join(STORES["sce"], "assays", "0", "matrix.h5")) as file:
            matrix = file["compressed_sparse_matrix"]
            self.assertEqual([int(n) for n in numbers[:2]], list(matrix["shape"][:]))
            self.assertEqual(float(numbers[2]), matrix["data"][:].sum())
        with h5py.File(os.path.join(STORES["sce"], "reduced_dimensions", "0", "array.h5")) as file:
            pca = file["dense_array/data"][:].T
            self.assertEqual([int(n) for n in numbers[3:5]], list(pca.shape))
            self.assertAlmostEqual(float(numbers[5]), pca.sum(), places=4)
        with h5py.File(os.path.join(STORES["sce"], "column_data", "basic_columns.h5")) as file:
            names = [name.decode().strip("\0") for name in file["data_frame/row_names"][:]]
        self.assertEqual((cells, rows), (names, names))

    @needs("bedtools")
    def test_bedtools_takes_the_ranges_and_the_sizes(self):
        import h5py

        self.mount("ranged")
        with open(os.path.join(self.folder, "peaks.bed"), "w", encoding="ascii") as file:
            file.write("chr1\t0\t20\n")
        lines = [line.split("\t") for line in self.shell(block("bedtools intersect -u -a ranged")).splitlines()]
        with h5py.File(os.path.join(STORES["ranged"], "row_ranges", "ranges.h5")) as file:
            ranges = file["genomic_ranges"]
            spans = [
                (int(s), int(b) - 1, int(b) - 1 + int(w))
                for s, b, w in zip(ranges["sequence"], ranges["start"], ranges["width"])
            ]
        with h5py.File(os.path.join(STORES["ranged"], "row_ranges", "sequence_information", "info.h5")) as file:
            group = file["sequence_information"]
            sizes = {n.decode().strip("\0"): int(v) for n, v in zip(group["name"][:], group["length"][:])}
        in_peaks = [span for span in spans if span[0] == 0 and span[1] < 20]
        self.assertTrue(in_peaks)
        self.assertEqual(
            [(int(line[1]), int(line[2])) for line in lines if len(line) == 6], [span[1:] for span in in_peaks]
        )
        free = sum(int(line[2]) - int(line[1]) for line in lines if len(line) == 3)
        lengths = list(sizes.values())
        # bedtools adds the bases on both sides of an empty range
        wide = [(s, first - (first == end), end + (first == end)) for s, first, end in spans]
        covered = {(s, at) for s, first, end in wide for at in range(first, min(end, lengths[s]))}
        known = {line.split("\t")[0]: int(line.split("\t")[1]) for line in self.shell("cat genome").splitlines()}
        self.assertTrue(known.items() <= sizes.items())
        self.assertEqual(free, sum(known.values()) - len(covered))

    def spikes(self):
        import h5py

        with h5py.File(STORES["nwb"]) as file:
            units = file["units"]
            ends = units["spike_times_index"][:].astype(int)
            return {int(i): units["spike_times"][begin:end] for i, begin, end in zip(units["id"][:], [0, *ends], ends)}

    def test_awk_prints_the_spikes_of_a_unit(self):
        self.mount("nwb")
        self.assertEqual(
            [float(line) for line in self.shell(block("awk -F'\\t' '$1 == 21")).split()], list(self.spikes()[21])
        )

    def test_a_series_has_seconds_and_values(self):
        self.mount("nwb")
        import h5py

        with h5py.File(STORES["nwb"]) as file:
            data = file["acquisition/ts0/data"][:2]
        lines = self.shell(block("head -3 nwb/acquisition")).splitlines()
        self.assertEqual(lines[0], "time,value")
        self.assertEqual(
            [[float(field) for field in line.split(",")] for line in lines[1:]], [[0, data[0]], [0.1, data[1]]]
        )

    @needs("octave-cli")
    def test_octave_loads_an_array(self):
        self.mount("nwb")
        result = subprocess.run(
            ["octave-cli", "--eval", block('s = load("nwb')],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        self.assertEqual(result.stdout.split(), ["5", "1"])

    @needs("Rscript")
    def test_r_splits_the_spikes_by_unit(self):
        self.mount("nwb")
        lines = self.r(
            block("spikes <- read.delim"), 'for (unit in names(by_unit)) cat(unit, length(by_unit[[unit]]), "\\n")'
        )
        found = [tuple(map(int, line.split())) for line in lines]
        self.assertEqual(found, [(unit, len(times)) for unit, times in self.spikes().items() if len(times)])

    @needs_modules("pandas")
    def test_pandas_reads_the_trials(self):
        self.mount("nwb")
        trials = self.python(block("import json, pandas"))["trials"]
        self.assertEqual(list(trials["tags"]), [["x"], [], ["y", "z"]])


class OfVariants(Recipe):
    @needs("bcftools", "plink2")
    def test_the_shell_counts_alleles(self):
        self.mount("variants")
        lines = self.shell(block("bcftools query -r 19")).splitlines()
        self.assertEqual(lines, ["111 A C 0|0 0|0 0/1", "112 A G,T 1|2 2|1 ./."])
        counts = {}
        for form in ("vcf", "bed", "bgen"):
            with open(os.path.join(self.folder, f"from_{form}.acount"), encoding="utf-8") as file:
                header, *lines = [line.split("\t") for line in file.read().splitlines()]
            rows = [dict(zip(header, line)) for line in lines]
            counts[form] = {
                (row["#CHROM"], row["ID"]): [row[name] for name in ("REF", "ALT", "ALT_CTS", "OBS_CT")]
                for row in rows
                if row["ALT"] != "."
            }
        self.assertEqual(len(counts["bed"]), 1)
        self.assertEqual(counts["bed"], counts["bgen"])
        self.assertEqual(counts["bed"], counts["vcf"])


class Served(Recipe):
    @needs("nginx", "openssl")
    def test_nginx_has_the_certificate(self):
        self.run_in_folder(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=data.example",
            "-addext",
            "subjectAltName=DNS:data.example",
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
        )
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with Server("--host", "data.example", STORES["pbmc"]) as server:
            location = block("location / {").replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
            with open(os.path.join(self.folder, "nginx.conf"), "w", encoding="utf-8") as file:
                file.write(
                    f"""daemon off; pid nginx.pid; error_log error.log; events {{}}
http {{ access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {{ listen 127.0.0.1:{port} ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem;
{location}  }}
}}"""
                )
            context = ssl.create_default_context(cafile=os.path.join(self.folder, "cert.pem"))

            def ask(path):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as plain, context.wrap_socket(
                    plain, server_hostname="data.example"
                ) as safe:
                    safe.sendall(
                        (
                            f"GET {server.path}{path} HTTP/1.1\r\n"
                            f"Host: data.example:{port}\r\n"
                            "Connection: close\r\n\r\n"
                        ).encode()
                    )
                    head, _, body = b"".join(iter(lambda: safe.recv(65536), b"")).partition(b"\r\n\r\n")
                    return head, body

            def serves():
                with socket.socket() as asking:
                    return asking.connect_ex(("127.0.0.1", port)) == 0

            with subprocess.Popen(
                ["nginx", "-p", self.folder, "-c", "nginx.conf"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            ) as nginx:
                try:
                    self.assertTrue(wait_until(serves), nginx.poll())
                    head, page = ask("")
                    self.assertIn(b" 200 ", head.split(b"\r\n")[0] + b" ")
                    self.assertIn(b'href="meta.data.csv"', page)
                    self.assertEqual(ask("meta.data.csv")[1], server.ask("meta.data.csv", Host="data.example").body)
                finally:
                    nginx.terminate()


if __name__ == "__main__":
    main()
