#!/usr/bin/env python3
"""The README's recipes on an NWB file that pynwb wrote, and random tables in its layout held against what h5py reads."""
import csv
import json
import os
import shutil
import unittest

from mounted import DATA, Folder, Mount, main, run

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

csv.field_size_limit(1 << 30)
STORE = os.path.join(DATA, "nwb", "ecephys", "store.nwb")


@unittest.skipUnless(h5py, "not installed: h5py")
class Recipes(Folder):
    def setUp(self):
        super().setUp()
        mount = self.enterContext(Mount(STORE))
        os.symlink(mount.path, os.path.join(self.folder, "nwb"))
        with h5py.File(STORE) as file:
            units = file["units"]
            ends = units["spike_times_index"][:].astype(int)
            times = units["spike_times"][:]
            self.spikes = {int(i): times[b:e] for i, b, e in zip(units["id"][:], [0, *ends], ends)}

    def test_awk_prints_the_spikes_of_a_unit(self):
        result = run("sh", "-c", "awk -F'\\t' '$1 == 21 { print $2 }' nwb/units/spike_times.tsv", cwd=self.folder)
        self.assertEqual([float(line) for line in result.stdout.split()], list(self.spikes[21]))

    @unittest.skipUnless(shutil.which("Rscript"), "not installed: R")
    def test_r_splits_the_spikes_by_unit(self):
        code = """
            spikes <- read.delim("nwb/units/spike_times.tsv", header = FALSE, col.names = c("id", "time"))
            by_unit <- split(spikes$time, spikes$id)
            for (unit in names(by_unit)) cat(unit, length(by_unit[[unit]]), sum(by_unit[[unit]]), "\\n")
        """
        result = run("Rscript", "-e", code, cwd=self.folder)
        found = [line.split() for line in result.stdout.decode().splitlines()]
        self.assertEqual([(int(i), int(n)) for i, n, _ in found], [(i, len(s)) for i, s in self.spikes.items() if len(s)])
        for unit, _, total in found:
            self.assertAlmostEqual(float(total), self.spikes[int(unit)].sum(), delta=0.01)

    def test_pandas_reads_the_trials(self):
        import pandas
        trials = pandas.read_csv(os.path.join(self.folder, "nwb/intervals/trials.csv"), index_col="id")
        trials["tags"] = trials["tags"].map(json.loads)
        self.assertEqual(list(trials["tags"]), [["x"], [], ["y", "z"]])
        self.assertEqual(list(trials["start_time"]), [0, 0.1, 0.2])


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
