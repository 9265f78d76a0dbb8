#!/usr/bin/env python3
"""seurat.rds of every golden store: it is valid, equals Seurat's own object of the same parts, and
works with Seurat."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from cases import golden_stores
from optional import missing_r, needs_r

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ.get("PLAINFS", "plainfs")
DATA = os.environ.get("PLAINFS_TEST_DATA", "")
HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCE = os.path.join(HERE, "seurat_reference.R")
SAMPLES = os.path.join(HERE, "..", "data", "samples")
GENUINE = os.path.join(DATA, "seurat")

# The objects that Seurat created, and their sources.
OBJECTS = (
    ("counts_only", "counts_only.h5ad", "seurat.rds", "seurat.rds"),
    ("dense_no_counts", "dense_no_counts.h5ad", "seurat.rds", "seurat.rds"),
    ("full", "full.h5ad", "seurat.rds", "seurat.rds"),
    ("mudata", "mudata.h5mu", "seurat.rds", "seurat.rds"),
    ("mudata", "mudata.h5mu", "mod/rna/seurat.rds", "mod.rna.seurat.rds"),
    ("names", "names.h5ad", "seurat.rds", "seurat.rds"),
    ("raw_scaled", "raw_scaled.h5ad", "seurat.rds", "seurat.rds"),
)

# The reasons of golden stores with an anndata.h5ad but without a readable object: words of the message.
REFUSED = (
    "has an empty name, which Seurat refuses",
    "as one before it, which Seurat refuses",
    "R's integers cannot represent -2147483648",
    "cannot have repeated entries",
    "it has no X, layers/counts or raw/X",
    "it has no cells",
    "no cells, which a Seurat object requires",
    "it has no features",
)


def has_seurat_4():
    """Returns whether the installed Seurat creates objects like the golden ones. Seurat 5 creates others."""
    if missing_r("Seurat"):
        return True  # needs_r reports it
    found = subprocess.run(
        ["Rscript", "-e", "stopifnot(packageVersion('SeuratObject') < '5')"],
        capture_output=True,
        timeout=120,
        check=False,
    )
    return found.returncode == 0


def named(case, target):
    """Writes a BPCells matrix of the golden cases with all names."""
    shutil.copytree(os.path.join(DATA, "bpcells", case, "store"), target)
    for side in ("row_names", "col_names"):
        path = os.path.join(target, side)
        with open(path, "rb") as file:
            names = file.read().split(b"\n")[:-1]
        os.chmod(path, 0o644)
        with open(path, "wb") as file:
            file.write(b"".join((name or b"nameless") + b"\n" for name in names))
    return target


def cat(store, path):
    return subprocess.run([PROGRAM, "cat", store, path], capture_output=True, timeout=60)


class Genuine(unittest.TestCase):
    def test_bytes_equal_those_that_r_writes(self):
        for folder, store, path, expected in OBJECTS:
            with self.subTest(object=folder, path=path), open(os.path.join(GENUINE, folder, expected), "rb") as file:
                result = cat(os.path.join(GENUINE, folder, store), path)
                self.assertEqual(result.stderr, b"")
                self.assertTrue(result.stdout == file.read())

    def test_modality_with_other_cells_has_no_root_object(self):
        store = os.path.join(DATA, "anndata", "mudata_global", "store.h5mu")
        listed = subprocess.run([PROGRAM, "ls", "-R", store], capture_output=True, text=True, timeout=60).stdout
        whole = os.path.join(GENUINE, "mudata", "mudata.h5mu")
        others = subprocess.run([PROGRAM, "ls", "-R", whole], capture_output=True, text=True, timeout=60).stdout
        self.assertEqual((listed.count("seurat.rds"), others.count("seurat.rds")), (2, 3))
        self.assertEqual(cat(store, "seurat.rds").returncode, cat(store, "no such file").returncode)

    def test_stored_object_equals_the_saved_one(self):
        """Compares a stored object with the saved one. h5Seurat does not store that a factor is ordered, so that one
        column has another class."""
        with open(os.path.join(GENUINE, "h5seurat", "seurat.rds"), "rb") as file:
            saved = file.read()

        def text(value):
            return b"\0\4\0\x09" + len(value).to_bytes(4, "big") + value

        ordered = b"\0\0\0\2" + text(b"ordered") + text(b"factor")
        self.assertEqual(saved.count(ordered), 1)
        ours = cat(os.path.join(GENUINE, "h5seurat", "store.h5seurat"), "seurat.rds").stdout
        self.assertTrue(ours == saved.replace(ordered, b"\0\0\0\1" + text(b"factor")))


def r_process(lines):
    return subprocess.run(
        ["Rscript", REFERENCE],
        input="".join("\t".join(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=600,
        env=dict(os.environ, LC_ALL="C.UTF-8"),
    )


@unittest.skipUnless(has_seurat_4(), "the objects are those of Seurat 4")
@needs_r("Seurat", "hdf5r", "jsonlite")
class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.lines, cls.refused = [], {}
        cls.matrix, cls.by_row = (
            named(case, os.path.join(cls.folder, case + ".store"))
            for case in ("mat_packed_uint_col", "mat_unpacked_double_row")
        )
        stores = [*golden_stores(DATA), ("named-by-column", cls.matrix), ("named-by-row", cls.by_row)]
        with ThreadPoolExecutor(2) as two:
            for store, target, output in two.map(cls.export, stores):
                for at, _, names in sorted(os.walk(target)):
                    cls.add(store, target, at, names, output)

    @classmethod
    def export(cls, named_store):
        name, store = named_store
        target = os.path.join(cls.folder, name)
        output = subprocess.run(
            [PROGRAM, "export", "--views", "seurat,h5ad,rds", store, target],
            capture_output=True,
            text=True,
            timeout=60,
        )
        return store, target, output.stderr

    @classmethod
    def add(cls, store, target, at, names, output):
        """Adds the files that R compares with the object of a directory."""
        path = os.path.join(at, "seurat.rds")
        mod = os.path.join(at, "mod")
        if "seurat.rds" not in names:
            assays = os.path.join(at, "assays")
            if (
                "anndata.h5ad" in names
                or os.path.isdir(assays)
                and any(name.endswith(".h5ad") for name in os.listdir(assays))
            ):
                shown = os.path.join("/", os.path.relpath(path, target))
                about = (shown + ":", f"no seurat.rds of {os.path.dirname(shown)}:")
                cls.refused[path] = [line for line in output.splitlines() if any(part in line for part in about)]
        elif "anndata.h5ad" in names:
            assay = os.path.basename(at) if os.path.basename(os.path.dirname(at)) == "mod" else "RNA"
            is_counts = os.path.exists(os.path.join(at, "assays", "counts")) or os.path.exists(
                os.path.join(at, "assays", "counts.csv")
            )
            has_types = os.path.basename(target).startswith(("tenx-", "mex-"))
            x = "counts" if is_counts else "types" if has_types else "X"
            cls.lines.append(("matrix", path, os.path.join(at, "anndata.h5ad"), assay, x))
        elif os.path.isdir(mod):
            order = json.loads(subprocess.run([PROGRAM, "info", "--json", store], capture_output=True).stdout)[
                "mudata"
            ]["modalities"]
            parts = [field for name in order for field in (name, os.path.join(mod, name, "anndata.h5ad"))]
            cls.lines.append(("joint", path, os.path.join(at, "obs.rds"), *parts))
        elif "meta.data.rds" in names:
            is_object = store.endswith((".rds", ".RData"))  # an R object that is the store itself
            cls.lines.append(
                ("object", path, store, os.path.relpath(at, target).strip("."), at)
                if is_object
                else ("stored", path, at)
            )

    def r(self, lines):
        """Returns how many lines of each kind R checked, in two processes at a time."""
        checked = collections.Counter()
        with ThreadPoolExecutor(2) as two:
            for result in two.map(r_process, (lines[0::2], lines[1::2])):
                self.assertEqual(result.returncode, 0, result.stderr)
                *problems, last = result.stdout.splitlines()
                self.assertEqual([problem.replace(self.folder, "") for problem in problems], [])
                words = last.split()[1:]
                checked.update(dict(zip(words[::2], map(int, words[1::2]))))
        return checked

    def test_every_object_equals_one_created_by_seurat(self):
        """Checks that each slot is identical, valid down to the last part, and rewritten by R as the same bytes. Runs
        NormalizeData to RunUMAP on large enough objects."""
        lines = list(self.lines)
        for folder, store, path in (
            ("full", "full.h5ad", "seurat.rds"),
            ("counts_only", "counts_only.h5ad", "seurat.rds"),
            ("mudata", "mudata.h5mu", "seurat.rds"),
            ("h5seurat", "store.h5seurat", "seurat.rds"),
            (SAMPLES, "pbmc.h5ad", "seurat.rds"),
            (SAMPLES, "pbmc.h5seurat", "seurat.rds"),
            ("", self.matrix, "seurat.rds"),
            ("", self.by_row, "seurat.rds"),
        ):
            target = os.path.join(self.folder, f"works-{len(lines)}.rds")
            with open(target, "wb") as file:
                file.write(cat(os.path.join(GENUINE, folder, store), path).stdout)
            lines.append(("works", target))
        checked = self.r(lines)
        self.assertEqual(checked, {kind: sum(line[0] == kind for line in lines) for kind in checked})
        self.assertGreater(checked["matrix"], 40)
        self.assertGreater(checked["joint"], 2)
        self.assertGreater(checked["stored"], 6)
        self.assertGreater(checked["object"], 8)

    def test_missing_object_has_a_reason(self):
        for path, output in self.refused.items():
            with self.subTest(file=path[len(self.folder) :]):
                self.assertTrue(any(words in line for line in output for words in REFUSED), output)

    def test_altered_object_is_reported(self):
        """The canary: counts, names, levels of a factor and a reduction that differ from the store."""
        store = os.path.join(GENUINE, "full", "full.h5ad")
        genuine = os.path.join(GENUINE, "full", "seurat.rds")
        with open(genuine, "rb") as file:
            whole = file.read()
        lines = []
        for before, after in (
            (b"Gene2", b"Gene#"),
            (b"T cell", b"T-cell"),
            (b"CELL0-1", b"CELL0_1"),
            (b"PC_1", b"PC_9"),
        ):
            altered = os.path.join(self.folder, f"altered-{len(lines)}.rds")
            with open(altered, "wb") as file:
                file.write(whole.replace(before, after))
            lines.append(("genuine", altered, genuine))
        lines.append(("genuine", genuine, genuine))
        result = r_process(lines)
        self.assertEqual(len(result.stdout.splitlines()) - 1, len(lines) - 1, result.stdout + result.stderr + store)


if __name__ == "__main__":
    unittest.main(verbosity=2)
