#!/usr/bin/env python3
"""Every golden store: each file of another program, read by what reads it, holds the values of the text beside it.

The .rds are compared by mount_native, in one process of R. Here are 10x/ and the .h5ad; fragments by tabix are in mount_native too.
"""
import csv
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: h5py or numpy is missing")
    sys.exit(77)

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ.get("PLAINFS", "plainfs")
DATA = os.environ.get("PLAINFS_TEST_DATA", "")
VIEWS = "csv,mtx,tsv,gz,h5,h5ad,bgzf"


def stores():
    for at, folders, names in sorted(os.walk(DATA)):
        if "expected" not in folders or os.sep + "bad" + os.sep in at:
            continue
        folders.clear()
        for name in sorted(os.listdir(at)):
            if name == "store" or name.startswith("store."):
                yield os.path.relpath(at, DATA).replace(os.sep, "-"), os.path.join(at, name)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def numbers_differ(ours, words):
    """Each number against its word, as exactly as the stored type has it."""
    theirs = numpy.array([b"NaN" if word == b"NA" else word for word in words]).astype("f8")
    if len(ours) != len(theirs):
        return True
    if ours.dtype.kind in "iub":  # to the last digit, which no double has
        return [int(value) for value in ours] != [int(word) for word in words]
    return not numpy.array_equal(ours, theirs.astype(ours.dtype), equal_nan=True)


def entries_of(path):
    """(rows, columns, [(row, column, word)]) of a MatrixMarket file."""
    lines = [line.split() for line in content(path).splitlines() if not line.startswith(b"%")]
    return int(lines[0][0]), int(lines[0][1]), [(int(line[0]) - 1, int(line[1]) - 1, line[2] if len(line) > 2 else b"1") for line in lines[1:]]


def texts(dataset):
    """Of fixed length, up to the first NUL."""
    values = dataset[()]
    return [value.tobytes().split(b"\0")[0] if hasattr(value, "tobytes") else bytes(value) for value in values.astype(f"S{dataset.dtype.itemsize}")]


def lists(folder):
    """The names and barcodes of the text."""
    genes = [line.split(b"\t") for line in content(os.path.join(folder, "genes.tsv")).split(b"\n")[:-1]]
    return genes, content(os.path.join(folder, "barcodes.tsv")).split(b"\n")[:-1]


def tenx_differences(folder, file):
    """What a 10x.h5 and the text of folder do not agree in, but for what is a space in every .tsv."""
    found, group = [], file["matrix"]
    genes, cells = lists(folder)
    rows, columns, entries = entries_of(os.path.join(folder, "matrix.mtx"))
    if list(group["shape"][()]) != [rows, columns]:
        found.append("shape")
    for name, want in (("features/id", [line[0] for line in genes]), ("features/name", [line[1] for line in genes]), ("barcodes", cells)):
        if [re.sub(rb"[\t\r\n]", b" ", text) for text in texts(group[name])] != want:
            found.append(name)
    with gzip.open(os.path.join(folder, "10x", "features.tsv.gz")) as features:
        if texts(group["features/feature_type"]) != [line.rstrip(b"\n").split(b"\t")[2] for line in features]:
            found.append("features/feature_type")
    columns_of = numpy.repeat(numpy.arange(columns), numpy.diff(group["indptr"][()]))
    indices, data = group["indices"][()], group["data"][()]
    ours = sorted(range(len(data)), key=lambda at: (columns_of[at], indices[at]))  # stable, as the entries of one place are
    entries.sort(key=lambda entry: (entry[1], entry[0]))
    if [(indices[at], columns_of[at]) for at in ours] != [entry[:2] for entry in entries]:
        found.append("places")
    elif numbers_differ(data[ours], [entry[2] for entry in entries]):
        found.append("data")
    return found


def fields_of(path):
    """The lines of a .csv as lists of fields, in bytes, each where it is quoted without its quotes."""
    with open(path, encoding="utf-8", newline="") as file:
        return [[field.encode() for field in line] for line in csv.reader(file)]


def column_differs(group, name, words):
    """A column of a frame of AnnData against the words of the .csv."""
    item = group[name]
    if isinstance(item, h5py.Group):
        missing = item["mask"][()] if "mask" in item else item["codes"][()] < 0
        values = item["values"] if "values" in item else item["categories"]
        if "codes" in item:
            spelled = texts(values) if values.dtype.kind in "SO" else values[()]
            values = [spelled[code] if code >= 0 else None for code in item["codes"][()]]
        else:
            values = values[()]
    else:
        values = texts(item) if item.dtype.kind in "SO" else item[()]
        missing = numpy.zeros(len(values), bool)
    if len(values) != len(words):
        return True
    return any(word != b"NA" if gone else not is_same(value, word) for value, word, gone in zip(values, words, missing))


def is_same(value, word):
    if isinstance(value, bytes):
        return value.replace(b"\r\n", b"\n") == word.replace(b"\r\n", b"\n")
    if isinstance(value, numpy.bool_):
        return word == (b"TRUE" if value else b"FALSE")
    if value.dtype.kind in "iu":
        return int(value) == int(word)
    if word == b"NA":
        return bool(numpy.isnan(value))
    return numpy.array_equal(value, value.dtype.type(float(word)), equal_nan=True)


def frame_differences(group, path):
    """What a frame of AnnData and its .csv do not agree in."""
    header, *lines = fields_of(path)
    columns = [name.encode() for name in map(str, group.attrs["column-order"])]
    index = group[group.attrs["_index"]]
    names = texts(index) if index.dtype.kind in "SO" else [b"%d" % number for number in index[()]]
    if len(header) == len(columns) + 1 and header[0] == b"":
        if names != [line[0] for line in lines]:
            return ["index"]
        header, lines = header[1:], [line[1:] for line in lines]
    if header != columns:
        return [f"columns {columns}, not {header}"]
    return [name for at, name in enumerate(columns) if column_differs(group, name.decode(), [line[at] for line in lines])]


class Native(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        for name, store in stores():
            subprocess.run([PROGRAM, "export", "--views", VIEWS, store, os.path.join(cls.folder, name)], capture_output=True, timeout=60)

    def files(self, *ending):
        path = os.path.join(*ending)
        return [os.path.join(at, name) for at, _, names in os.walk(self.folder) for name in sorted(names) if os.path.join(at, name).endswith(os.sep + path)]

    def test_every_10x_h5_has_the_values_of_the_text(self):
        compared = 0
        for path in self.files("10x", "10x.h5"):
            folder = os.path.dirname(os.path.dirname(path))
            if not all(os.path.isfile(os.path.join(folder, name)) for name in ("matrix.mtx", "genes.tsv", "barcodes.tsv")):
                continue  # which says why
            with self.subTest(file=path[len(self.folder):]), h5py.File(path, "r") as file:
                self.assertEqual(tenx_differences(folder, file), [])
            compared += 1
        self.assertGreater(compared, 20)

    def test_every_gz_has_the_bytes_of_the_text(self):
        compared = 0
        for ending in (("10x", "matrix.mtx.gz"), ("10x", "barcodes.tsv.gz"), ("10x", "features.tsv.gz"), ("fragments.tsv.gz",)):
            for path in self.files(*ending):
                folder = os.path.dirname(path) if len(ending) == 1 else os.path.dirname(os.path.dirname(path))
                is_features = ending[-1] == "features.tsv.gz"
                text = os.path.join(folder, "genes.tsv" if is_features else ending[-1][:-3])
                if not os.path.isfile(text):
                    continue
                with self.subTest(file=path[len(self.folder):]), gzip.open(path) as file:
                    ours = file.read()
                    if is_features:
                        ours = b"".join(line.rpartition(b"\t")[0] + b"\n" for line in ours.split(b"\n")[:-1])
                    self.assertTrue(ours == content(text))
                compared += 1
        self.assertGreater(compared, 60)

    def test_every_frame_of_an_h5ad_has_the_values_of_the_text(self):
        compared = 0
        for path in self.files("anndata.h5ad"):
            folder = os.path.dirname(path)
            with h5py.File(path, "r") as file:
                for side in ("obs", "var", "raw/var"):
                    text = os.path.join(folder, side + ".csv")
                    if side not in file or not os.path.exists(text):
                        continue
                    with self.subTest(file=text[len(self.folder):]):
                        self.assertEqual(frame_differences(file[side], text), [])
                    compared += 1
        self.assertGreater(compared, 20)

    def test_an_altered_file_is_told(self):
        path = next(path for path in self.files("10x", "10x.h5") if h5py.File(path, "r")["matrix/data"].shape[0] > 1)
        folder = os.path.dirname(os.path.dirname(path))
        altered = os.path.join(self.folder, "altered.h5")
        for name in ("data", "indices", "shape", "barcodes", "features/id", "features/name", "features/feature_type"):
            shutil.copyfile(path, altered)
            with h5py.File(altered, "r+") as file:
                dataset = file["matrix/" + name]
                dataset[0] = b"?" if dataset.dtype.kind == "S" else dataset[0] + 1
            with h5py.File(altered, "r") as file:
                self.assertNotEqual(tenx_differences(folder, file), [], name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
