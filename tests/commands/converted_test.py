#!/usr/bin/env python3
"""Tests files of `plainfs export` by opening them in their programs and comparing them with the bytes of the mount."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from optional import needs, needs_modules, needs_npm, needs_r  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
HERE = os.path.dirname(os.path.realpath(__file__))
SAMPLES = os.path.join(HERE, "..", "data", "samples")
READERS = os.path.join(HERE, "..", "mount", "npm")
PBMC = os.path.join(SAMPLES, "pbmc.h5ad")

# One store of each kind that has an AnnData.
STORES = {
    "sample": PBMC,
    "everything": os.path.join(DATA, "anndata", "everything_h5ad", "store.h5ad"),
    "anndata-0.5": os.path.join(DATA, "anndata", "legacy_05", "store.h5ad"),
    "h5seurat": os.path.join(SAMPLES, "pbmc.h5seurat"),
    "loom": os.path.join(DATA, "loom", "v3_layers_graphs", "store.loom"),
    "tenx": os.path.join(DATA, "tenx", "v2_feature_types", "store.h5"),
    "takane": os.path.join(DATA, "takane-objects", "single_cell", "store"),
    "bpcells": os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store"),
}

try:
    import anndata
    import h5py
    import numpy
    import zarr
except ImportError:
    anndata = None

needs_anndata = needs_modules("anndata", "h5py", "numpy", "zarr")


def export(*arguments):
    done = subprocess.run([PROGRAM, "export", *arguments], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return arguments[-1]


def value_of(dataset):
    """Returns the text of a value, in the common form of both texts."""
    value = dataset[()]
    if value.dtype.kind in "OS":
        return [text.decode() if isinstance(text, bytes) else text for text in value.ravel()]
    if value.dtype.names:
        return [[None if field != field else field for field in record] for record in value.ravel().tolist()]
    return (
        value.tolist()
        if value.dtype.kind not in "f"
        else [None if number != number else number for number in value.ravel().tolist()]
    )


def contents(path):
    """Returns {name: content} of an HDF5 file, with the attributes of each object."""
    found = {}

    def add(name, thing):
        attributes = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in thing.attrs.items()}
        found[name] = (attributes, value_of(thing) if isinstance(thing, h5py.Dataset) else None)

    with h5py.File(path, "r") as file:
        add("/", file)
        file.visititems(add)
    return found


def layout(path):
    """Returns {name: storage layout} of an HDF5 file in the order in which its datasets are written."""
    found = []

    def add(name, thing):
        if isinstance(thing, h5py.Dataset) and thing.chunks and thing.id.get_num_chunks() > 0:
            filters = (thing.compression, thing.compression_opts, thing.shuffle)
            found.append(
                (
                    thing.id.get_chunk_info(0).byte_offset,
                    name,
                    (thing.dtype.str, thing.shape, thing.chunks, thing.maxshape, filters),
                )
            )

    with h5py.File(path, "r") as file:
        file.visititems(add)
    return {name: how for _, name, how in sorted(found)}


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(self.temporary.cleanup)

    def at(self, *names):
        return os.path.join(self.temporary.name, *names)

    def both(self, store, name, *options):
        """Returns the compressed file and the one with the mount's bytes."""
        stem, ending = os.path.splitext(name)
        return export(*options, store, self.at(name)), export(
            "--level=0", *options, store, self.at(f"{stem}-plain{ending}")
        )


@needs_anndata
class Hdf5(Folder):
    def test_h5ad_has_the_layout_of_anndata(self):
        for name in ("sample", "loom"):  # without columns of text, which write_h5ad() makes categorical
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours = export(STORES[name], self.at(f"{name}.h5ad"))
                anndata.read_h5ad(ours).write_h5ad(self.at("theirs.h5ad"), compression="gzip")
                self.assertEqual(list(layout(ours).items()), list(layout(self.at("theirs.h5ad")).items()))

    def test_h5ad_matches_the_mount(self):
        for name, store in STORES.items():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours, plain = self.both(store, f"{name}.h5ad")
                self.assertEqual(contents(ours), contents(plain))
                anndata.read_h5ad(ours)

    def test_level_is_noted_in_the_filters(self):
        for level in (1, 9):
            ours = export(f"--level={level}", PBMC, self.at(f"{level}.h5ad"))
            self.assertEqual({filters[1] for *_, filters in layout(ours).values()}, {level})

    def zarr_store(self):
        """Returns an AnnData with a layer and a column of text, in Zarr."""
        cells = anndata.AnnData(numpy.arange(6, dtype="f4").reshape(3, 2), dtype="f4")
        cells.obs["note"] = ["a", "b", "c"]
        cells.layers["counts"] = cells.X
        cells.write_zarr(self.at("cells.zarr"))
        return self.at("cells.zarr")

    def test_left_out_column_is_printed(self):
        store = self.zarr_store()
        zarr.open_group(store)["obs/note"][1] = "b\0"
        done = subprocess.run(
            [PROGRAM, "export", store, self.at("out.h5ad")], capture_output=True, text=True, timeout=120
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("plainfs: notice: /obs/note: not in the .h5ad: text 1 contains a NUL", done.stderr)
        self.assertEqual(list(anndata.read_h5ad(self.at("out.h5ad")).obs), [])

    def test_data_of_an_unknown_codec_are_not_left_out(self):
        for part in ("layers/counts", "obs/note"):
            store = self.zarr_store()
            path = os.path.join(store, part, ".zarray")
            with open(path, encoding="utf-8") as file:
                document = {**json.load(file), "compressor": {"id": "nonesuch"}}
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
            done = subprocess.run(
                [PROGRAM, "export", store, self.at("out.h5ad")], capture_output=True, text=True, timeout=120
            )
            self.assertEqual(done.returncode, 15, done.stderr)
            self.assertIn('codec "nonesuch"', done.stderr)
            self.assertFalse(os.path.exists(self.at("out.h5ad")))
            shutil.rmtree(store)

    def test_tenx_has_the_chunks_of_cell_ranger(self):
        ours, plain = self.both(PBMC, "out.h5")
        self.assertEqual(contents(ours), contents(plain))
        for name, (_, _, chunks, longest, filters) in layout(ours).items():
            self.assertEqual((chunks, longest, filters), ((80_000,), (None,), ("gzip", 4, True)), name)


class R(Folder):
    SAME = """
        paths <- commandArgs(TRUE)
        ours <- readRDS(paths[1])
        stopifnot(identical(ours, readRDS(paths[2])))
        cat(class(ours)[1])
    """
    TENX = """
        paths <- commandArgs(TRUE)
        ours <- Seurat::Read10X_h5(paths[1])
        stopifnot(identical(ours, Seurat::Read10X_h5(paths[2])), ncol(ours) == 40)
        cat("same")
    """

    def output_of(self, script, *paths):
        done = subprocess.run(["Rscript", "-e", script, *paths], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @needs_r("Seurat")
    def test_rds_is_the_object_of_the_mount(self):
        script = "suppressPackageStartupMessages(library(SeuratObject)); " + self.SAME
        self.assertEqual(self.output_of(script, *self.both(PBMC, "out.rds")), "Seurat")
        self.assertEqual(self.output_of(script, *self.both(STORES["bpcells"], "matrix.rds")), "dgCMatrix")
        self.assertEqual(self.output_of(script, *self.both(PBMC, "obs.rds", "--of=obs")), "data.frame")

    @needs_r("Seurat", "hdf5r")
    def test_seurat_reads_the_10x_file(self):
        self.assertEqual(self.output_of(self.TENX, *self.both(PBMC, "out.h5")), "same")


class Parquet(Folder):
    @needs("node")
    @needs_npm("@duckdb/node-api")
    def test_duckdb_reads_pages_of_zstd(self):
        ours, plain = self.both(PBMC, "obs.parquet")
        done = subprocess.run(
            ["node", os.path.join(READERS, "read.mjs")],
            input=f"{ours}\n{plain}\n",
            text=True,
            capture_output=True,
            timeout=300,
            check=True,
        )
        mine, theirs = (json.loads(line) for line in done.stdout.splitlines())
        self.assertEqual(mine.get("rows"), theirs["rows"])  # hyparquet, which read.mjs asks too, has no zstd


class Genotypes(Folder):
    STORE = os.path.join(DATA, "vcf-zarr", "bio2zarr_0_1_6", "store.zarr")

    @needs("bcftools")
    def test_bcftools_reads_the_variants(self):
        target = export(self.STORE, self.at("out.vcf.gz"))
        text = subprocess.run(
            [PROGRAM, "cat", self.STORE, "variants.vcf"], capture_output=True, text=True, check=True
        ).stdout
        seen = subprocess.run(
            ["bcftools", "view", "--no-version", target], capture_output=True, text=True, check=True
        ).stdout
        lines = [[line for line in whole.splitlines() if not line.startswith("##")] for whole in (seen, text)]
        self.assertEqual(len(lines[0]), len(lines[1]))
        for chrom in {line.split("\t")[0] for line in lines[1][1:]}:
            found = subprocess.run(
                ["bcftools", "view", "-H", "-r", chrom, target], capture_output=True, text=True, check=True
            ).stdout
            self.assertEqual(found.count("\n"), sum(line.startswith(chrom + "\t") for line in lines[1]))

    @needs("plink2")
    def test_plink_reads_the_genotypes(self):
        export(self.STORE, self.at("out.bed"))
        export(self.STORE, self.at("out.bgen"))
        for words in (
            ["--bfile", self.at("out")],
            ["--bgen", self.at("out.bgen"), "ref-first", "--sample", self.at("out.sample")],
        ):
            done = subprocess.run(
                ["plink2", *words, "--allow-extra-chr", "--autosome", "--freq", "--out", self.at("seen")],
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # so that skipped tests are counted
