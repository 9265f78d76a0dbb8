#!/usr/bin/env python3
"""Tests `plainfs export STORE [PATH] TARGET` to one file."""
import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from cases import cases
from commands_test import write_fragments
from optional import needs_modules
from written_tree import tree

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
SAMPLES = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "data", "samples"))
PBMC = os.path.join(SAMPLES, "pbmc.h5ad")
SEURAT = os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")  # its assays are ADT and the active RNA
VARIANTS = os.path.join(DATA, "vcf-zarr", "types", "store.zarr")
LAYERS_ON_DISK = os.path.join(DATA, "r-objects", "seurat_v5_bpcells", "store.rds")


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120, **more)


def cat(store, path):
    done = run("cat", store, path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write_text(group, name, texts):
    import h5py

    data = group.create_dataset(name, data=texts, dtype=h5py.string_dtype())
    data.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})


def write_frame(parent, name, index):
    frame = parent.create_group(name)
    frame.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
    frame.attrs.create("column-order", [], dtype="f8")
    write_text(frame, "_index", index)


def write_mudata(path, modalities, cells=None):
    """Writes a MuData. modalities: the genes of each, in the order of mod-order. cells: their numbers if not 3."""
    import h5py
    import numpy

    with h5py.File(path, "w") as file:
        file.attrs.update({"encoding-type": "MuData", "encoding-version": "0.1.0", "axis": 0})
        write_frame(file, "obs", ["c1", "c2", "c3"])
        write_frame(file, "var", [gene for genes in modalities.values() for gene in genes])
        mod = file.create_group("mod")
        mod.attrs.create("mod-order", list(modalities), dtype=h5py.string_dtype())
        for name, genes in modalities.items():
            modality = mod.create_group(name)
            modality.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
            count = (cells or {}).get(name, 3)
            write_frame(modality, "obs", [f"c{number + 1}" for number in range(count)])
            write_frame(modality, "var", genes)
            values = numpy.arange(count * len(genes), dtype="f4").reshape(count, len(genes))
            matrix = modality.create_dataset("X", data=values)
            matrix.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(self.temporary.cleanup)

    def at(self, *names):
        return os.path.join(self.temporary.name, *names)

    def write(self, *names, text):
        with open(self.at(*names), "w", encoding="utf-8") as file:
            file.write(text)

    def exported(self, *arguments):
        """Returns the contents that an export writes into one file in its own folder."""
        target = arguments[-1]
        done = run("export", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(os.path.dirname(target)).count(os.path.basename(target)), 1)
        self.assert_no_parts()
        return read(target)

    def exported_folder(self, store, target, folder):
        """Exports the store, and checks that a folder of its mount is written."""
        done = run("export", store, target)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"\n{folder}, ", f"\n{done.stderr.decode()}")

    def refused(self, code, *arguments):
        done = run("export", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assert_no_parts()
        return done.stderr.decode()

    def assert_no_parts(self):
        self.assertFalse([name for name in os.listdir(self.at()) if "plainfs-part" in name])


class Choice(Folder):
    """Tests which file is written, and where."""

    # VIEWS 14: with a PATH that is one file of the mount, that file is written to TARGET, whatever its ending.
    def test_one_path_writes_that_file(self):
        for target in ("out.csv", "out", "out.txt"):
            self.assertEqual(self.exported(PBMC, "obs.csv", self.at(target)), cat(PBMC, "obs.csv"))
        self.assertEqual(self.exported(os.path.join(PBMC, "obs.csv"), self.at("joined.csv")), cat(PBMC, "obs.csv"))

    def test_folder_keeps_the_place_of_a_path(self):
        os.mkdir(self.at("there"))
        for target in ("there", "new/"):
            self.assertEqual(run("export", PBMC, "obs.csv", self.at(target)).returncode, 0)
            self.assertEqual(list(tree(self.at(target))), ["obs.csv"])

    def test_file_ending_chooses_the_format(self):
        for ending, path in (
            (".h5ad", "anndata.h5ad"),
            (".rds", "seurat.rds"),
            (".h5", "X/10x/10x.h5"),
            (".mtx", "X/matrix.mtx"),
            (".csv", "obs.csv"),
            (".parquet", "obs.parquet"),
            (".xlsx", "workbook.xlsx"),
            (".H5AD", "anndata.h5ad"),
            (".npy", "obsm/X_pca.npy"),
            (".mat", "obsm/X_pca.mat"),
        ):
            with self.subTest(ending):
                self.assertEqual(self.exported("--level", "0", PBMC, self.at("out" + ending)), cat(PBMC, path))

    def test_default_part_is_named(self):
        done = run("export", "--level=0", SEURAT, self.at("out.rds"))
        self.assertIn(
            f"seurat.rds, {len(cat(SEURAT, 'seurat.rds')) / 1000:.3g} kB of data: into {self.at('out.rds')}; ",
            done.stderr.decode(),
        )
        done = run("export", "--level=0", SEURAT, self.at("out.h5ad"))
        self.assertIn("assays/RNA.h5ad, ", done.stderr.decode())
        self.assertIn("; --of PATH chooses another: assays/ADT.h5ad; a .h5mu has all of them\n", done.stderr.decode())
        self.assertEqual(read(self.at("out.h5ad")), cat(SEURAT, "assays/RNA.h5ad"))
        done = run("export", "--level=0", SEURAT, self.at("out.mtx"))
        self.assertIn("assays/RNA/counts/matrix.mtx, ", done.stderr.decode())

    @needs_modules("h5py")
    def test_mudata_default_is_the_first_of_mod_order(self):
        store = self.at("multiome.h5mu")
        write_mudata(store, {"rna": ["g1", "g2"], "atac": ["p1"], "zzz": ["q1"]})
        for ending, path in (
            (".h5ad", "mod/rna/anndata.h5ad"),
            (".rds", "seurat.rds"),
            (".mtx", "mod/rna/X/matrix.mtx"),
            (".h5", "mod/rna/X/10x/10x.h5"),
        ):
            with self.subTest(ending):
                self.assertEqual(self.exported("--level=0", store, self.at("out" + ending)), cat(store, path))
        self.exported_folder(store, self.at("out.zarr"), "mod/rna/anndata.zarr")
        self.assertIn(b"# AnnData: mod/rna/anndata.h5ad, or 2 more", run("info", store).stdout)
        self.assertEqual(run("cat", store, "--gene", "g2").stdout, cat(store, "mod/rna/X/genes/g2.csv"))

    @needs_modules("h5py")
    def test_modalities_of_other_cells_are_exported_alone(self):
        store = self.at("multiome.h5mu")
        write_mudata(store, {"rna": ["g1", "g2"], "atac": ["p1"]}, cells={"atac": 2})
        self.assertEqual(self.exported("--level=0", store, self.at("o.rds")), cat(store, "mod/rna/seurat.rds"))

    def test_seurat_default_is_an_assay_not_a_layer(self):
        for ending in (".h5ad", ".rds"):
            path = {".h5ad": "assays/RNA.h5ad", ".rds": "seurat.rds"}[ending]
            with self.subTest(ending):
                out = self.at("out" + ending)
                self.assertEqual(self.exported("--level=0", LAYERS_ON_DISK, out), cat(LAYERS_ON_DISK, path))
        self.exported_folder(LAYERS_ON_DISK, self.at("out.zarr"), "assays/RNA.zarr")

    def test_option_of_chooses_a_part(self):
        for part, ending, path in (
            ("var", ".csv", "var.csv"),
            ("var.csv", ".parquet", "var.parquet"),
            ("var.csv", ".xlsx", "var.xlsx"),
            ("obsm/X_pca", ".npy", "obsm/X_pca.npy"),
            ("by/stage/high", ".h5ad", "by/stage/high/anndata.h5ad"),
            ("X", ".rds", "X/matrix.rds"),
            ("X/", ".mtx", "X/matrix.mtx"),
            ("X/matrix.mtx", ".h5", "X/10x/10x.h5"),
            ("/", ".h5ad", "anndata.h5ad"),
        ):
            with self.subTest(part):
                target = self.at(part.replace("/", "_") + ending)
                self.assertEqual(self.exported("--level=0", f"--of={part}", PBMC, target), cat(PBMC, path))
        self.assertEqual(
            self.exported("--level=0", PBMC, "by/stage/high", self.at("high.h5ad")),
            cat(PBMC, "by/stage/high/anndata.h5ad"),
        )

    def test_part_without_that_format_is_refused(self):
        printed = self.refused(1, PBMC, "--of", "obs", self.at("out.h5ad"))
        self.assertIn(f"{PBMC}: obs cannot be written as .h5ad", printed)
        printed = self.refused(11, PBMC, "--of", "obz.csv", self.at("out.csv"))
        self.assertIn("obz.csv does not exist; did you mean obs.csv?", printed)

    def test_unknown_ending_lists_the_valid_ones(self):
        for name in ("out.docx", "out.vcf"):
            printed = self.refused(1, PBMC, self.at(name))
            self.assertIn(f"{self.at(name)}: {PBMC} cannot be written in this format; ", printed)
            self.assertIn("possible extensions: .h5ad .rds .zarr .zarr.zip .h5 ", printed)
            self.assertNotIn(".bed", printed)
            self.assertFalse(os.listdir(self.at()))

    def test_name_without_ending_is_a_folder(self):
        for name in ("out", "out.2", "2026.11"):
            self.assertEqual(run("export", PBMC, self.at(name)).returncode, 0)
            self.assertIn("obs.csv", tree(self.at(name)))

    def test_folder_of_stores_is_not_guessed(self):
        os.mkdir(self.at("lab"))
        for name in ("a.h5ad", "b.h5ad"):
            shutil.copy(PBMC, self.at("lab", name))
        printed = self.refused(1, self.at("lab"), self.at("out.rds"))
        self.assertIn("2 stores can be written in this format; --of PATH chooses one: a.h5ad b.h5ad", printed)
        self.assertEqual(
            self.exported("--level=0", "--of", "b.h5ad", self.at("lab"), self.at("b.rds")), cat(PBMC, "seurat.rds")
        )

    # saveHDF5SummarizedExperiment() writes se.rds, with its assays in assays.h5.
    @needs_modules("h5py")
    def test_object_of_a_folder_comes_before_arrays_beside_it(self):
        import h5py

        os.mkdir(self.at("saved"))
        shutil.copy(PBMC, self.at("saved", "se.h5ad"))
        with h5py.File(self.at("saved", "assays.h5"), "w") as file:
            file["assay001"] = [[1, 2], [3, 4]]
        for ending, path in ((".rds", "seurat.rds"), (".csv", "obs.csv")):
            self.assertEqual(
                self.exported("--level=0", self.at("saved"), self.at("out" + ending)), cat(PBMC, path), ending
            )

    def test_named_views_are_files_of_a_folder(self):
        self.assertEqual(run("export", "--views=csv", PBMC, self.at("out.h5ad")).returncode, 0)
        self.assertIn("obs.csv", tree(self.at("out.h5ad")))

    def test_several_paths_into_one_file_are_refused(self):
        printed = self.refused(1, PBMC, "obs.csv", "var.csv", self.at("out.csv"))
        self.assertIn("out.csv: several files need a folder: ", printed)

    def test_options_of_a_file_are_refused_for_a_folder(self):
        printed = self.refused(1, "--level=3", PBMC, self.at("out/"))
        self.assertIn(
            "--without, --level, --zarr-format, --dry-run, --quiet and --force are for an export to one file", printed
        )
        self.assertIn(
            "--level ten: expected a number from 0 to 9", self.refused(1, "--level", "ten", PBMC, self.at("a.rds"))
        )


class Compression(Folder):
    def test_rds_is_one_gzip_stream_of_the_bytes(self):
        shown = cat(PBMC, "seurat.rds")
        for level in ([], ["--level", "1"], ["--level=9"]):
            target = self.at(f"out{len(level)}{level}.rds")
            stream = self.exported(*level, PBMC, target)
            inflate = zlib.decompressobj(31)
            self.assertEqual(inflate.decompress(stream), shown)
            self.assertTrue(inflate.eof)
            self.assertEqual(inflate.unused_data, b"")
            self.assertLess(len(stream), len(shown) / 2)

    def test_text_under_the_name_of_a_gzip_file_is_compressed(self):
        for path, target in (("obs.csv", "a.csv.gz"), ("X/matrix.mtx", "b.mtx.gz")):
            self.assertEqual(gzip.decompress(self.exported(PBMC, path, self.at(target))), cat(PBMC, path))
        self.assertEqual(gzip.decompress(self.exported(PBMC, self.at("default.csv.gz"))), cat(PBMC, "obs.csv"))

    def test_variants_have_an_index_of_their_own_members(self):
        for level in ("0", "6"):
            target = self.at(f"{level}.vcf.gz")
            self.assertEqual(
                gzip.decompress(self.exported("--level", level, VARIANTS, target)), cat(VARIANTS, "variants.vcf")
            )
            self.assertTrue(os.path.exists(target + ".tbi"))
            if shutil.which("tabix"):
                lines = cat(VARIANTS, "variants.vcf").decode().splitlines()
                contig = lines[-1].split("\t")[0]
                found = subprocess.run(["tabix", target, contig], capture_output=True, text=True, check=True).stdout
                self.assertEqual(found.splitlines(), [line for line in lines if line.split("\t")[0] == contig])

    def test_unbuildable_index_is_left_out(self):
        store = self.at("frags")
        write_fragments(store, [9, 5, 1], [10, 6, 2])  # one per chromosome
        self.assertEqual(gzip.decompress(self.exported(store, self.at("good.tsv.gz"))), cat(store, "fragments.tsv"))
        self.assertTrue(os.path.exists(self.at("good.tsv.gz.tbi")))
        shutil.rmtree(store)
        write_fragments(store, [9, 5, 1, 0, 8, 7], [10, 6, 2, 1, 9, 8])  # two, in descending order
        done = run("export", store, self.at("out.tsv.gz"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fragments.tsv.gz.tbi: not supported: ", done.stderr.decode())
        self.assertEqual(gzip.decompress(read(self.at("out.tsv.gz"))), cat(store, "fragments.tsv"))
        self.assertEqual(sorted(os.listdir(self.at())), ["frags", "good.tsv.gz", "good.tsv.gz.tbi", "out.tsv.gz"])

    def test_companion_files_are_written_beside_the_file(self):
        self.exported(VARIANTS, self.at("out.bed"))
        self.exported(VARIANTS, self.at("out.bgen"))
        self.assertEqual(
            {name: read(self.at(name)) for name in sorted(os.listdir(self.at()))},
            {
                "out.bed": cat(VARIANTS, "plink.bed"),
                "out.bgen": cat(VARIANTS, "genotypes.bgen"),
                "out.bim": cat(VARIANTS, "plink.bim"),
                "out.fam": cat(VARIANTS, "plink.fam"),
                "out.sample": cat(VARIANTS, "genotypes.sample"),
            },
        )

    def test_zarr_is_a_folder(self):
        self.assertEqual(run("export", "--zarr-format", "2", "--level", "0", PBMC, self.at("out.zarr")).returncode, 0)
        self.assertEqual(os.listdir(self.at()), ["out.zarr"])
        written = tree(self.at("out.zarr"))
        self.assertEqual(written[".zmetadata"], cat(PBMC, "anndata.zarr/.zmetadata"))
        self.assertEqual(written["X/data/0"], cat(PBMC, "anndata.zarr/X/data/0"))
        self.assertIn("already exists; --force replaces it", self.refused(16, PBMC, self.at("out.zarr")))
        self.assertEqual(run("export", "--force", SEURAT, self.at("out.zarr")).returncode, 0)
        self.assertEqual(os.listdir(self.at()), ["out.zarr"])
        os.mkdir(self.at("own.zarr"))
        self.assertIn("contains something else", self.refused(16, "--force", PBMC, self.at("own.zarr")))


class Place(Folder):
    """Tests the content of the target before and after."""

    def test_existing_file_is_replaced_only_with_force(self):
        target = self.at("out.csv")
        with open(target, "w", encoding="ascii") as file:
            file.write("mine\n")
        printed = self.refused(16, PBMC, "obs.csv", target)
        self.assertEqual(printed, f"plainfs: {target}: already exists; --force replaces it\n")
        self.assertEqual(read(target), b"mine\n")
        self.assertEqual(self.exported("--force", PBMC, "obs.csv", target), cat(PBMC, "obs.csv"))

    def test_existing_companion_is_not_replaced(self):
        with open(self.at("out.fam"), "w", encoding="ascii") as file:
            file.write("mine\n")
        self.assertIn("out.fam: already exists", self.refused(16, VARIANTS, self.at("out.bed")))
        self.assertEqual(os.listdir(self.at()), ["out.fam"])

    def test_store_is_never_replaced(self):
        store = self.at("pbmc.h5ad")
        shutil.copy(PBMC, store)
        os.symlink(store, self.at("link.h5ad"))
        for target in (store, self.at("link.h5ad")):
            self.assertIn("the store itself", self.refused(16, "--force", store, target))
        self.assertEqual(read(store), read(PBMC))

    # VIEWS 14 "a Zarr folder gets no new members"
    # VIEWS 14 "by whatever name, link or hard link"
    def test_folder_being_read_is_never_replaced(self):
        store = self.at("a.zarr")
        self.assertEqual(run("export", PBMC, store).returncode, 0)
        os.symlink("a.zarr", self.at("link.zarr"))
        os.makedirs(self.at("whole.zarr", "tables"))
        self.write("whole.zarr", ".zgroup", text='{"zarr_format": 2}')
        shutil.copytree(store, self.at("whole.zarr", "tables", "table"))
        before = tree(self.at())
        for arguments, reason in (
            ((store, store), "the store itself"),
            ((self.at("link.zarr"), store), "the store itself"),
            ((store, self.at("link.zarr")), "the store itself"),
            ((self.at("whole.zarr", "tables", "table"), self.at("whole.zarr")), "whole.zarr: contains "),
            ((store, self.at("a.zarr", "new.h5ad")), "in the store"),
            ((store, self.at("a.zarr", "new.zarr")), "in the store"),
            ((store, self.at("a.zarr", "")), "in the store"),
            ((self.at("whole.zarr"), self.at("whole.zarr", "tables", "out", "")), "in the store"),
        ):
            force = ["--force"] if arguments[1].endswith((".h5ad", ".zarr")) else []
            with self.subTest(arguments=arguments):
                self.assertIn(reason, self.refused(16, *force, *arguments))
                self.assertEqual(tree(self.at()), before)

    # VIEWS 14 "In a folder that is read as a store nothing is replaced"
    def test_other_folder_of_a_store_gets_new_files_only(self):
        store = self.at("store")
        shutil.copytree(os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store"), store)
        self.assertEqual(run("export", store, os.path.join(store, "new.mtx")).returncode, 0)
        before = tree(store)
        for name in ("new.mtx", "val.npy"):
            self.write("store", name, text="mine")
            before[name] = b"mine"
            self.assertIn("in the store", self.refused(16, "--force", store, os.path.join(store, name)))
            self.assertEqual(tree(store), before)

    def test_store_of_a_folder_is_never_replaced(self):
        os.mkdir(self.at("folder"))
        store = self.at("folder", "a.h5ad")
        shutil.copy(PBMC, store)
        os.link(store, self.at("hard.h5ad"))
        self.assertEqual(run("export", PBMC, self.at("folder", "b.zarr")).returncode, 0)
        before = tree(self.at())
        folder = self.at("folder")
        for arguments in (
            ("--of", "a.h5ad", folder, store),
            ("--of", "a.h5ad", folder, self.at("hard.h5ad")),
            (folder, "a.h5ad/anndata.h5ad", store),
            (folder, "a.h5ad", store),
            ("--of", "b.zarr", folder, self.at("folder", "b.zarr")),
        ):
            with self.subTest(arguments=arguments):
                self.refused(16, "--force", *arguments)
                self.assertEqual(tree(self.at()), before)
        # A folder of stores is no store: files beside those that are read are written.
        self.assertEqual(run("export", "--of", "a.h5ad", folder, self.at("folder", "c.rds")).returncode, 0)
        self.assertEqual(run("export", folder, self.at("folder", "out", "")).returncode, 0)
        written = run("export", folder, os.path.join(folder, ""))
        self.assertEqual(written.returncode, 16, written.stderr)
        self.assertEqual(read(store), read(PBMC))

    def test_file_beside_an_object_is_never_replaced(self):
        with h5py.File(self.at("a.h5"), "w") as file:
            file.create_dataset("values", data=range(1000), dtype="i4", external=[(self.at("beside.npy"), 0, 4000)])
        before = read(self.at("beside.npy"))
        printed = self.refused(16, "--force", self.at("a.h5"), "values.npy", self.at("beside.npy"))
        self.assertIn("beside.npy: is read by this command; choose another name", printed)
        self.assertEqual(read(self.at("beside.npy")), before)

    def test_plan_never_replaces_the_store(self):
        store = self.at("a.h5ad")
        shutil.copy(PBMC, store)
        self.assertIn("the store itself", self.refused(16, "--plan", store, store))
        self.assertEqual(read(store), read(PBMC))
        folder = self.at("a.zarr")
        self.assertEqual(run("export", PBMC, folder).returncode, 0)
        self.assertEqual(run("export", "--plan", folder, self.at("plan")).returncode, 0)
        self.assertIn("in the store", self.refused(16, "--task", "1", self.at("plan"), folder))

    def test_archive_never_goes_into_the_store(self):
        store = self.at("a.h5ad")
        shutil.copy(PBMC, store)
        with open(store, "ab") as out:
            done = subprocess.run([PROGRAM, "export", "--tar", store, "-"], stdout=out, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"standard output is the file that is read", done.stderr)
        self.assertEqual(read(store), read(PBMC))

    def test_special_file_is_not_replaced(self):
        os.mkfifo(self.at("pipe.csv"))
        self.assertIn("not a regular file", self.refused(16, "--force", PBMC, "obs.csv", self.at("pipe.csv")))

    def test_missing_folder_is_named(self):
        printed = self.refused(16, PBMC, "obs.csv", self.at("no", "out.csv"))
        self.assertIn("no/out.csv: No such file or directory", printed)

    def test_failing_read_leaves_nothing(self):
        for case, store in cases(DATA, ["bad/anndata", "bad/tenx"]):
            for name in ("out.rds", "out.h5ad", "out.h5", "out.zarr", "out.parquet"):
                done = run("export", store, self.at(name))
                self.assertEqual(os.listdir(self.at()), [name] if done.returncode == 0 else [], case)
                if done.returncode == 0:
                    shutil.rmtree(self.at(name)) if os.path.isdir(self.at(name)) else os.unlink(self.at(name))


def zeros_store(folder, megabytes):
    """Writes a store with one array, a.csv, of lines "0": two bytes for each one stored, in chunks of 1 MiB."""
    store = os.path.join(folder, "large.zarr")
    os.makedirs(os.path.join(store, "a"))
    for name, content in (
        (".zgroup", {"zarr_format": 2}),
        (
            "a/.zarray",
            {
                "zarr_format": 2,
                "shape": [megabytes << 20],
                "chunks": [1 << 20],
                "dtype": "|u1",
                "compressor": None,
                "filters": None,
                "order": "C",
                "fill_value": 0,
            },
        ),
    ):
        with open(os.path.join(store, name), "w", encoding="utf-8") as file:
            json.dump(content, file)
    for chunk in range(megabytes):
        with open(os.path.join(store, "a", str(chunk)), "wb") as file:
            file.write(bytes(1 << 20))
    return store


class Stopped(Folder):
    """Tests interrupted exports: the target is absent, or the file is complete."""

    MEGABYTES = 6

    def setUp(self):
        super().setUp()
        os.mkdir(self.at("out"))
        self.store = zeros_store(self.at(), self.MEGABYTES)
        self.target = self.at("out", "a.csv.gz")
        self.command = [PROGRAM, "export", "-o", "threads=1,cache_size=1m", self.store, "a.csv", self.target]

    def part_size(self):
        return max(
            (os.path.getsize(self.at("out", name)) for name in os.listdir(self.at("out")) if "plainfs-part" in name),
            default=-1,
        )

    def begun(self, size=1):
        """Returns a paused export that has written some bytes. A fast one may have ended already."""
        export = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        while export.poll() is None and self.part_size() < size:
            time.sleep(0.001)
        if export.poll() is None:
            export.send_signal(signal.SIGSTOP)
        return export

    def is_whole(self):
        return gzip.decompress(read(self.target)) == b"0\n" * (self.MEGABYTES << 20)

    def test_signal_leaves_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                export = self.begun()
                export.send_signal(number)
                export.send_signal(signal.SIGCONT)
                printed = export.communicate()[1].decode()
                self.assertEqual(export.returncode, -number, printed)
                self.assertIn(f"plainfs: {self.target}: stopped by a signal; nothing was written\n", printed)
                self.assertEqual(os.listdir(self.at("out")), [])

    def test_ignored_signal_stops_nothing(self):
        export = subprocess.Popen(
            self.command, stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        )
        while export.poll() is None and self.part_size() < 1:
            time.sleep(0.001)
        export.send_signal(signal.SIGHUP)
        self.assertEqual(export.wait(), 0)
        self.assertTrue(self.is_whole())

    def test_killed_export_leaves_no_partial_file(self):
        chance = random.Random(60)
        for _ in range(6):
            export = self.begun(chance.randrange(1, 60_000))
            export.kill()
            export.communicate()
            left = os.listdir(self.at("out"))
            if os.path.exists(self.target):
                self.assertTrue(self.is_whole())
                os.unlink(self.target)
            else:
                self.assertLessEqual(len(left), 1)
                self.assertTrue(all(re.fullmatch(r"\.[0-9a-f]{32}\.plainfs-part", name) for name in left), left)
        done = subprocess.run(self.command, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.at("out")), ["a.csv.gz"])
        self.assertTrue(self.is_whole())

    def test_two_exports_to_one_file_are_refused(self):
        export = self.begun()
        self.addCleanup(export.kill)
        printed = run(*self.command[1:])
        self.assertEqual(printed.returncode, 16)
        self.assertIn(f"{self.target}: another export is writing it", printed.stderr.decode())
        export.send_signal(signal.SIGCONT)
        export.communicate()
        self.assertEqual(export.returncode, 0)
        self.assertTrue(self.is_whole())

    def test_changed_store_leaves_nothing(self):
        export = self.begun()
        for chunk in range(self.MEGABYTES):
            with open(os.path.join(self.store, "a", str(chunk)), "r+b") as file:
                file.truncate(1000)
        export.send_signal(signal.SIGCONT)
        printed = export.communicate()[1].decode()
        self.assertNotEqual(export.returncode, 0, printed)
        self.assertIn("nothing was written", printed)
        self.assertEqual(os.listdir(self.at("out")), [])

    def test_file_created_meanwhile_is_kept(self):
        export = self.begun()
        with open(self.target, "w", encoding="ascii") as file:
            file.write("mine")
        export.send_signal(signal.SIGCONT)
        printed = export.communicate()[1].decode()
        self.assertEqual(export.returncode, 16)
        self.assertIn("something else was created there in the meantime", printed)
        self.assertEqual(read(self.target), b"mine")
        self.assertEqual(os.listdir(self.at("out")), ["a.csv.gz"])

    def in_small_folder(self, options, script):
        """Returns the output of a shell script with a separate file system at out/, or a reason to skip."""
        words = [
            "unshare",
            "-m",
            "sh",
            "-ec",
            f'mount -t tmpfs -o {options} none "$1"/out; cd "$1"/out; {script}',
            "sh",
            self.at(),
        ]
        if (
            subprocess.run(
                ["unshare", "-m", "mount", "-t", "tmpfs", "none", self.at("out")], capture_output=True
            ).returncode
            != 0
        ):
            self.skipTest("no file system may be mounted here")
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            env={**os.environ, "PROGRAM": PROGRAM, "STORE": self.store, "PBMC": PBMC},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_full_disk_leaves_nothing(self):
        for arguments in (
            '"$STORE" a.csv a.csv',
            '"$STORE" a.csv a.csv.gz',
            '"$PBMC" a.h5ad',
            '"$PBMC" a.rds',
            '"$PBMC" a.zarr',
        ):
            printed = self.in_small_folder("size=4k", f'"$PROGRAM" export {arguments} 2>&1 && echo done; ls -A')
            self.assertIn("No space left on device", printed, arguments)
            self.assertTrue(printed.endswith("device\n"), printed)

    def test_read_only_folder_is_refused(self):
        printed = self.in_small_folder("ro", '"$PROGRAM" export "$PBMC" obs.csv a.csv 2>&1 || echo "$?"; ls -A')
        self.assertIn("a.csv: Read-only file system\n16\n", printed)


if __name__ == "__main__":
    unittest.main()
