#!/usr/bin/env python3
"""Every line that `plainfs info` prints under "to write it as one file": the file is written and its reader opens it.
Written at --level=0, it has the bytes of the mount. A file that the mount refuses, too, is refused with the reason.

    pairs_test.py --table   prints a table of all kinds of golden stores and extensions: how many pairs were right, and
                            how many plainfs or the reader refused
"""
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import optional  # noqa: E402
from cases import golden_stores  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")  # what one test has measured is not for the next one
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
MJS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "mount", "npm", "read.mjs")
LINE = re.compile(
    r"  plainfs export (?P<words>.*?)\s+# (?P<what>[^:]+): (?P<path>.+?)" r"(?:, or \d+ more with --of PATH)?$"
)

Pair = collections.namedtuple("Pair", "kind store extension path what")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, timeout=300, **more)


def pairs_of(kind, store):
    lines = run(PROGRAM, "info", store, text=True).stdout.splitlines()
    for found in filter(None, map(LINE.fullmatch, lines)):
        target = shlex.split(found["words"])[-1]
        extension = re.search(r"(\.ome\.tif|\.vcf\.gz|\.tsv\.gz|\.zarr\.zip|\.\w+)$", target)[1]
        if ".parquet/" not in found["path"]:  # a file that the store has itself
            yield Pair(kind, store, extension, found["path"], found["what"])


def all_pairs():
    for name, store in golden_stores(DATA):
        yield from pairs_of(re.sub(r"-[^-]*$", "", name), store)


def read_anndata(path):
    import anndata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (anndata.read_zarr if path.endswith(".zarr") else anndata.read_h5ad)(path)


def read_mudata(path):
    import h5py
    from anndata.experimental import read_elem

    with warnings.catch_warnings(), h5py.File(path) as file:
        warnings.simplefilter("ignore")
        for name in file["mod"]:
            read_elem(file["mod"][name])


def read_archive(path):
    import anndata
    import zarr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.read_zarr(zarr.ZipStore(path, mode="r"))


def read_tenx(path):
    import h5py

    with h5py.File(path) as file:
        matrix = file["matrix"]
        assert matrix["indptr"].shape == (matrix["shape"][1] + 1,) and len(matrix["data"]) == matrix["indptr"][-1]


def read_loom(path):
    import h5py

    with h5py.File(path) as file:
        genes, cells = file["matrix"].shape
        for group, length in (("row_attrs", genes), ("col_attrs", cells)):
            assert all(len(values) == length for values in file[group].values()), group


class Refused(Exception):
    """The reader does not support valid content."""


def read_mtx(path):
    import scipy.io

    try:
        scipy.io.mmread(path)
    except ValueError as error:
        if "b'NA'" in str(error):
            raise Refused("scipy reads no NA") from error
        raise


def read_npy(path):
    import numpy

    numpy.load(path, allow_pickle=False)


def read_mat(path):
    import scipy.io

    scipy.io.loadmat(path)


def read_csv(path):
    import csv

    with open(path, encoding="utf-8", newline="") as file:
        widths = {len(row) for row in csv.reader(file, strict=True)}
    assert len(widths) <= 1, widths


def read_xlsx(path):
    import openpyxl

    assert all(sheet.max_row >= 1 for sheet in openpyxl.load_workbook(path))


def read_tsv(path):
    with open(path, encoding="utf-8") as file:
        widths = {line.count("\t") for line in file}
    assert len(widths) <= 1, widths


def by_program(*command):
    def read(path):
        done = run(*command, path)
        assert done.returncode == 0, done.stderr

    return read


def plink(stem, *words):
    done = run("plink2", *words, "--allow-extra-chr", "--freq", "--out", stem + "-seen", text=True)
    for why in ("split chromosome", "Empty .bgen file", "fewer tokens"):  # variants out of order, or none
        if why in done.stdout + done.stderr.replace("\n", " "):
            raise Refused("plink: " + why)
    assert done.returncode == 0, done.stderr + done.stdout


def read_bed(path):
    stem = path.removesuffix(".bed")
    if os.path.exists(stem + ".bim"):
        plink(stem, "--bfile", stem)
    else:
        read_tsv(path)


def read_bgen(path):
    stem = path.removesuffix(".bgen")
    plink(stem, "--bgen", path, "ref-first", "--sample", stem + ".sample")


def with_index(read):
    def read_if_indexed(path):
        if not os.path.exists(path + ".tbi") and not os.path.exists(path + ".csi"):
            raise Refused("unsorted variants or invalid fragments have no index")
        read(path)

    return read_if_indexed


def modules(*names):
    return lambda: all(map(optional.has_module, names))


def program(name):
    return lambda: optional.has_program(name)


# extension: (reader, whether it is here)
READERS = {
    ".h5ad": (read_anndata, modules("anndata")),
    ".zarr": (read_anndata, modules("anndata", "zarr")),
    ".zarr.zip": (read_archive, modules("anndata", "zarr")),
    ".loom": (read_loom, modules("h5py")),
    ".h5mu": (read_mudata, modules("anndata", "h5py")),
    ".h5": (read_tenx, modules("h5py")),
    ".mtx": (read_mtx, modules("scipy")),
    ".npy": (read_npy, modules("numpy")),
    ".mat": (read_mat, modules("scipy")),
    ".csv": (read_csv, lambda: True),
    ".xlsx": (read_xlsx, modules("openpyxl")),
    ".tsv": (read_tsv, lambda: True),
    ".nc": (by_program("ncdump", "-s"), program("ncdump")),
    ".vcf": (by_program("bcftools", "view", "-H"), program("bcftools")),
    ".vcf.gz": (with_index(by_program("bcftools", "index", "--stats")), program("bcftools")),
    ".tsv.gz": (with_index(by_program("tabix", "-l")), program("tabix")),
    ".bed": (read_bed, program("plink2")),
    ".bgen": (read_bgen, program("plink2")),
    ".ome.tif": (by_program("vipsheader"), program("vipsheader")),
}
TOGETHER = (".rds", ".parquet")  # readers that are started once for all files


def read_rds(paths):
    script = (
        'suppressPackageStartupMessages(suppressWarnings(library(Matrix))); '
        'for (path in readLines("stdin")) cat(tryCatch({ '
        'x <- readRDS(path); if (isS4(x)) validObject(x); "right" }, error = conditionMessage), "\\n")'
    )
    done = run("Rscript", "-e", script, input="\n".join(paths) + "\n", text=True)
    lines = zip(paths, done.stdout.splitlines(), strict=True)
    # An object of a class without its package was read, and is not checked.
    missing = "unable to find required package"
    return {path: "" if line.strip() == "right" or missing in line else line for path, line in lines}


def read_parquet(paths):
    done = run("node", MJS, input="\n".join(paths) + "\n", text=True)
    answers = (json.loads(line) for line in done.stdout.splitlines())
    # DuckDB's answer; hyparquet needs another package for pages in zstd.
    return {
        path: "" if "rows" in answer else answer.get("error", "no rows")
        for path, answer in zip(paths, answers, strict=True)
    }


class Tried:
    """Writes pairs below a folder and reads them. `wrong` and `refused`: (pair, why)."""

    def __init__(self, folder):
        self.folder, self.unread = folder, collections.Counter()
        self.tried, self.wrong, self.refused = [], [], []
        self.later = {extension: {} for extension in TOGETHER}  # path: pair

    def write(self, pair, name, *options):
        target = os.path.join(self.folder, name + pair.extension)
        if ".zarr" in pair.extension:
            options = (*options, "--zarr-format", "2")  # for zarr-python 2
        done = run(PROGRAM, "export", *options, pair.store, target, text=True)
        return target, done

    def add(self, pair):
        name = f"{len(self.tried)}"
        self.tried.append(pair)
        target, done = self.write(pair, name)
        shown = run(PROGRAM, "cat", pair.store, "./" + pair.path)
        if done.returncode != 0:
            is_refused = "nothing was written" in done.stderr and (shown.returncode != 0 or ".zarr" in pair.extension)
            (self.refused if is_refused else self.wrong).append((pair, done.stderr))
            return
        if pair.extension in self.later:
            self.later[pair.extension][target] = pair
        else:
            self.read(pair, target)
        if os.path.isfile(target) and pair.extension != ".zarr.zip":
            plain, _ = self.write(pair, name + "-plain", "--level=0")
            with open(plain, "rb") as file:
                if file.read() != shown.stdout and pair.extension not in (".vcf.gz", ".tsv.gz"):
                    self.wrong.append((pair, "other bytes than the mount's"))

    def read(self, pair, target):
        reader, is_here = READERS[pair.extension]
        if not is_here():
            self.unread[pair.extension] += 1
            return
        try:
            reader(target)
        except Refused as error:
            self.refused.append((pair, str(error)))
        except Exception as error:  # whatever the reader raises
            self.wrong.append((pair, f"{type(error).__name__}: {error}"))

    def read_later(self):
        has_duckdb = all(map(optional.has_npm, ("@duckdb/node-api", "hyparquet")))
        readers = ((".rds", read_rds, program("Rscript")()), (".parquet", read_parquet, has_duckdb))
        for extension, read, is_here in readers:
            paths = self.later[extension]
            if paths and is_here:
                self.wrong += [(paths[path], why) for path, why in read(list(paths)).items() if why]
            else:
                self.unread[extension] += len(paths)


class Pairs(unittest.TestCase):
    def test_each_kind_is_written_and_read_once_as_each_extension(self):
        chosen = {}
        for pair in all_pairs():
            chosen.setdefault((pair.kind, pair.extension), pair)
        self.assertGreater(len(chosen), 60)
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            tried = Tried(folder)
            for pair in chosen.values():
                tried.add(pair)
            tried.read_later()
        self.assertEqual([(pair.store, pair.extension, why[:300]) for pair, why in tried.wrong], [])


def print_table():
    with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
        tried = Tried(folder)
        for pair in all_pairs():
            tried.add(pair)
        tried.read_later()
    wrong = collections.Counter((pair.kind, pair.extension) for pair, _ in tried.wrong)
    refused = collections.Counter((pair.kind, pair.extension) for pair, _ in tried.refused)
    counts = collections.Counter((pair.kind, pair.extension) for pair in tried.tried)
    extensions = sorted({extension for _, extension in counts})
    print("| kind |", " | ".join(extensions), "|")
    print("| --- |", " | ".join("---" for _ in extensions), "|")
    for kind in sorted({kind for kind, _ in counts}):
        cells = []
        for extension in extensions:
            count = counts[kind, extension]
            right = count - wrong[kind, extension] - refused[kind, extension]
            cells.append(
                f"{right}"
                + (f" + {refused[kind, extension]} refused" if refused[kind, extension] else "")
                + (f" + {wrong[kind, extension]} WRONG" if wrong[kind, extension] else "")
                if count
                else ""
            )
        print(f"| {kind} |", " | ".join(cells), "|")
    print(
        f"{len(tried.tried)} pairs, {len(tried.wrong)} wrong, {len(tried.refused)} refused; "
        f"without a reader here: {dict(tried.unread)}"
    )
    for pair, why in tried.wrong + tried.refused:
        print(f"{pair.store} as {pair.extension} ({pair.path}): {why[:300]}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print_table()
    else:
        unittest.main()
