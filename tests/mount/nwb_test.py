#!/usr/bin/env python3
"""What is told of an NWB file that pynwb wrote, and random tables in its layout held against what was written."""
import csv
import json
import os
import unittest

from mounted import DATA, Folder, Mount, main

try:
    import numpy
    import h5py
except ImportError:
    h5py = None
try:
    import numcodecs
    import zarr
except ImportError:
    zarr = None

csv.field_size_limit(1 << 30)
STORE = os.path.join(DATA, "nwb", "ecephys", "store.nwb")


class Info(unittest.TestCase):
    def test_info_names_the_tables(self):
        with Mount(STORE) as mount:
            info = json.loads(mount.read(".plainfs", "info.json"))
        self.assertEqual((info["format"], info["container"], info["version"]), ("NWB", "HDF5", "2.7.0"))
        self.assertEqual(info["nwb"]["tables"]["/units"]["rows"], 4)
        self.assertIn("start_time", info["nwb"]["tables"]["/intervals/trials"]["columns"])


class Hdf5Table:
    """A group t of an HDF5 file."""

    def __init__(self, path):
        self.file = h5py.File(path, "w")
        self.group = self.file.create_group("t")

    def put(self, name, values, chunks=None):
        kind = {"dtype": h5py.string_dtype()} if values.dtype == object else {}
        self.group.create_dataset(name, data=values, chunks=chunks, compression=chunks and 4, **kind)

    def refer(self, name, target):
        self.group[name].attrs["target"] = self.group[target].ref

    def end(self, names):
        self.group.attrs["colnames"] = names
        self.file.close()


class ZarrTable:
    """The same in a Zarr store, as hdmf-zarr writes it."""

    IS_3 = zarr and int(zarr.__version__.split(".")[0]) >= 3  # of zarr-python

    def __init__(self, path):
        form = {"zarr_format": 2} if self.IS_3 else {}
        self.group = zarr.open_group(path, mode="w", **form).create_group("t")

    def put(self, name, values, chunks=None):
        if self.IS_3:
            self.group.create_array(name, shape=values.shape, dtype=str if values.dtype == object else values.dtype,
                                    chunks=chunks or tuple(max(1, extent) for extent in values.shape))[...] = values
            return
        kind = {"object_codec": numcodecs.VLenUTF8()} if values.dtype == object else {}
        self.group.create_dataset(name, data=values, chunks=chunks or True, **kind)

    def refer(self, name, target):
        self.group[name].attrs["target"] = {"zarr_dtype": "object", "value": {"path": f"/t/{target}", "source": "."}}

    def end(self, names):
        self.group.attrs["colnames"] = names


class RandomTables(Folder):
    def write(self, table, random):
        """A table of every kind of column; returns its rows, how many numbers each has, and the cells that JSON has to give, by column."""
        rows = int(random.integers(0, 40))

        def chunked(name, values):
            table.put(name, values, (int(random.integers(1, len(values) + 1)), *values.shape[1:]) if values.size else None)

        def index(name, target, counts):
            ends = numpy.cumsum(counts)
            table.put(name, ends.astype(numpy.min_scalar_type(int(ends[-1]) if len(ends) else 0)))
            table.refer(name, target)

        def shared_out(things):
            """How many of the things each row has."""
            return numpy.bincount(random.integers(0, rows, things), minlength=rows) if rows else numpy.zeros(0, int)

        def parts(values, counts):
            return [values[end - count:end] for end, count in zip(numpy.cumsum(counts), counts)]

        table.put("id", numpy.arange(rows) * 3)
        counts = random.integers(0, [3, 30, 40_000][random.integers(3)], rows) * (random.random(rows) < 0.7)
        numbers = random.integers(-1000, 1000, counts.sum()) / 8
        chunked("numbers", numbers)
        index("numbers_index", "numbers", counts)

        inner = random.integers(0, 4, int(random.integers(0, 3 * rows + 1)))
        deep = random.integers(0, 99, (inner.sum(), 2)).astype("i2")
        chunked("deep", deep)
        outer = shared_out(len(inner))
        index("deep_index", "deep", inner)
        index("deep_index_index", "deep_index", outer)

        grid = random.integers(0, 2, (rows, 2, 3)).astype(bool)
        chunked("grid", grid)

        sizes = shared_out(int(counts.sum() % 500))
        words = numpy.array(["a,b", 'say "no"', "", "NA", "é\tx", "z\n"], dtype=object)[random.integers(0, 6, sizes.sum())]
        table.put("words", words)
        index("words_index", "words", sizes)
        cells = {"numbers": [part.tolist() for part in parts(numbers, counts)],
                 "deep": parts([part.tolist() for part in parts(deep, inner)], outer),
                 "grid": grid.tolist(),
                 "words": [list(part) for part in parts(words, sizes)]}
        table.end(list(cells))
        return rows, counts, cells

    def check(self, path, rows, counts, cells):
        with Mount(path) as mount:
            with open(mount.join("t.csv"), newline="", encoding="utf-8") as file:
                table = list(csv.reader(file))
            self.assertEqual(table[0], ["id", *cells])
            self.assertEqual([row[0] for row in table[1:]], [str(3 * row) for row in range(rows)])
            for column, (name, want) in enumerate(cells.items(), 1):
                self.assertEqual([json.loads(row[column]) for row in table[1:]], want, name)
            lines = [line.split("\t") for line in mount.read("t", "numbers.tsv").decode().splitlines()]
            self.assertEqual([line[0] for line in lines], [str(3 * row) for row in numpy.repeat(range(rows), counts)])
            self.assertEqual([float(line[1]) for line in lines], [n for cell in cells["numbers"] for n in cell])

    @unittest.skipUnless(h5py, "not installed: h5py")
    def test_every_cell_of_hdf5_is_what_was_written(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                path = os.path.join(self.folder, f"{seed}.h5")
                self.check(path, *self.write(Hdf5Table(path), numpy.random.default_rng(seed)))

    @unittest.skipUnless(zarr, "not installed: zarr")
    def test_every_cell_of_zarr_is_what_was_written(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                path = os.path.join(self.folder, f"{seed}.zarr")
                self.check(path, *self.write(ZarrTable(path), numpy.random.default_rng(seed)))


if __name__ == "__main__":
    main()
