#!/usr/bin/env python3
"""What is told of an NWB file that pynwb wrote, and random tables in its layout held against what was written."""
import csv
import json
import os
import unittest

from mounted import DATA, Folder, Mount, main

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

csv.field_size_limit(1 << 30)
STORE = os.path.join(DATA, "nwb", "ecephys", "store.nwb")


class Info(unittest.TestCase):
    def test_info_names_the_tables(self):
        with Mount(STORE) as mount:
            info = json.loads(mount.read(".plainfs", "info.json"))
        self.assertEqual((info["format"], info["container"], info["version"]), ("NWB", "HDF5", "2.7.0"))
        self.assertEqual(info["nwb"]["tables"]["/units"]["rows"], 4)
        self.assertIn("start_time", info["nwb"]["tables"]["/intervals/trials"]["columns"])


@unittest.skipUnless(h5py, "not installed: h5py")
class RandomTables(Folder):
    def write(self, path, random):
        """A table of every kind of column; returns the cells that JSON has to give, by column."""
        rows = int(random.integers(0, 40))
        cells = {}
        with h5py.File(path, "w") as file:
            table = file.create_group("t")

            def index(name, target, counts):
                ends = numpy.cumsum(counts)
                made = table.create_dataset(name, data=ends.astype(numpy.min_scalar_type(int(ends[-1]) if rows else 0)))
                made.attrs["target"] = table[target].ref

            def chunked(name, values):
                chunks = {"chunks": (int(random.integers(1, len(values) + 1)), *values.shape[1:]), "compression": 4}
                table.create_dataset(name, data=values, **(chunks if values.size else {}))

            table["id"] = numpy.arange(rows) * 3
            counts = random.integers(0, [3, 30, 40_000][random.integers(3)], rows) * (random.random(rows) < 0.7)
            numbers = random.integers(-1000, 1000, counts.sum()) / 8
            chunked("numbers", numbers)
            index("numbers_index", "numbers", counts)
            split = numpy.split(numbers, numpy.cumsum(counts)[:-1]) if rows else []
            cells["numbers"] = [list(part) for part in split]

            inner = random.integers(0, 4, int(random.integers(0, 3 * rows + 1)) if rows else 0)
            deep = random.integers(0, 99, (inner.sum(), 2)).astype("i2")
            chunked("deep", deep)
            index("deep_index", "deep", inner) if len(inner) else table.create_dataset("deep_index", data=numpy.zeros(0, "u1"))
            table["deep_index"].attrs["target"] = table["deep"].ref
            outer = numpy.bincount(random.integers(0, rows, len(inner)), minlength=rows) if rows else numpy.zeros(0, int)
            index("deep_index_index", "deep_index", outer)
            lists = [part.tolist() for part in (numpy.split(deep, numpy.cumsum(inner)[:-1]) if len(inner) else [])]
            ends = numpy.cumsum(outer)
            cells["deep"] = [lists[end - count:end] for end, count in zip(ends, outer)]

            grid = random.integers(0, 2, (rows, 2, 3)).astype(bool)
            chunked("grid", grid)
            cells["grid"] = grid.tolist()

            words = numpy.array(["a,b", 'say "no"', "", "NA", "é\tx", "z\n"], dtype=object)[random.integers(0, 6, counts.sum() % 500)]
            sizes = numpy.bincount(random.integers(0, rows, len(words)), minlength=rows) if rows else numpy.zeros(0, int)
            words = words[:sizes.sum()]
            table.create_dataset("words", data=words, dtype=h5py.string_dtype())
            index("words_index", "words", sizes)
            cells["words"] = [list(words[end - count:end]) for end, count in zip(numpy.cumsum(sizes), sizes)]
            table.attrs["colnames"] = list(cells)
        return rows, counts, cells

    def test_every_cell_is_what_was_written(self):
        for seed in range(12):
            path = os.path.join(self.folder, f"{seed}.h5")
            rows, counts, cells = self.write(path, numpy.random.default_rng(seed))
            with self.subTest(seed=seed), Mount(path) as mount:
                with open(mount.join("t.csv"), newline="", encoding="utf-8") as file:
                    table = list(csv.reader(file))
                self.assertEqual(table[0], ["id", *cells])
                self.assertEqual([row[0] for row in table[1:]], [str(3 * row) for row in range(rows)])
                for column, (name, want) in enumerate(cells.items(), 1):
                    self.assertEqual([json.loads(row[column]) for row in table[1:]], want, name)
                lines = mount.read("t", "numbers.tsv").decode().splitlines()
                self.assertEqual([line.split("\t")[0] for line in lines], [str(3 * row) for row in numpy.repeat(range(rows), counts)])
                self.assertEqual([float(line.split("\t")[1]) for line in lines], [n for cell in cells["numbers"] for n in cell])


if __name__ == "__main__":
    main()
