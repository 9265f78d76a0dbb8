#!/usr/bin/env python3
"""Tests the description of an NWB file written by pynwb, and compares random tables in its layout with the written
values."""
import csv
import json
import os
import unittest

from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import needs_modules

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
    """A group t of a Zarr store, as written by hdmf-zarr."""

    IS_3 = zarr and int(zarr.__version__.split(".")[0]) >= 3  # version of zarr-python

    def __init__(self, path):
        form = {"zarr_format": 2} if self.IS_3 else {}
        self.group = zarr.open_group(path, mode="w", **form).create_group("t")

    def put(self, name, values, chunks=None):
        if self.IS_3:
            self.group.create_array(
                name,
                shape=values.shape,
                dtype=str if values.dtype == object else values.dtype,
                chunks=chunks or tuple(max(1, extent) for extent in values.shape),
            )[...] = values
            return
        kind = {"object_codec": numcodecs.VLenUTF8()} if values.dtype == object else {}
        self.group.create_dataset(name, data=values, chunks=chunks or True, **kind)

    def refer(self, name, target):
        self.group[name].attrs["target"] = {"zarr_dtype": "object", "value": {"path": f"/t/{target}", "source": "."}}

    def end(self, names):
        self.group.attrs["colnames"] = names


class RandomTables(Folder):
    def write(self, table, random):
        """Writes a table with every kind of column. Returns its rows, the count of numbers in each, and the expected
        JSON cells, by column."""
        rows = int(random.integers(0, 40))

        def chunked(name, values):
            table.put(
                name, values, (int(random.integers(1, len(values) + 1)), *values.shape[1:]) if values.size else None
            )

        def index(name, target, counts):
            ends = numpy.cumsum(counts)
            table.put(name, ends.astype(numpy.min_scalar_type(int(ends[-1]) if len(ends) else 0)))
            table.refer(name, target)

        def shared_out(things):
            """Returns the number of items in each row."""
            return numpy.bincount(random.integers(0, rows, things), minlength=rows) if rows else numpy.zeros(0, int)

        def parts(values, counts):
            return [values[end - count : end] for end, count in zip(numpy.cumsum(counts), counts)]

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
        words = numpy.array(["a,b", 'say "no"', "", "NA", "é\tx", "z\n"], dtype=object)[
            random.integers(0, 6, sizes.sum())
        ]
        table.put("words", words)
        index("words_index", "words", sizes)
        cells = {
            "numbers": [part.tolist() for part in parts(numbers, counts)],
            "deep": parts([part.tolist() for part in parts(deep, inner)], outer),
            "grid": grid.tolist(),
            "words": [list(part) for part in parts(words, sizes)],
        }
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

    @needs_modules("h5py", "numpy")
    def test_every_cell_of_hdf5_matches_the_written_one(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                path = os.path.join(self.folder, f"{seed}.h5")
                self.check(path, *self.write(Hdf5Table(path), numpy.random.default_rng(seed)))

    @needs_modules("zarr")
    def test_every_cell_of_zarr_matches_the_written_one(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                path = os.path.join(self.folder, f"{seed}.zarr")
                self.check(path, *self.write(ZarrTable(path), numpy.random.default_rng(seed)))

    @needs_modules("h5py", "numpy")
    def test_ragged_columns_may_be_counts(self):
        path = os.path.join(self.folder, "t.h5")
        rows, counts, cells = self.write(Hdf5Table(path), numpy.random.default_rng(3))
        with Mount(path, "-o", "ragged=count") as mount:
            with open(mount.join("t.csv"), newline="", encoding="utf-8") as file:
                table = list(csv.reader(file))
            self.assertEqual(table[0], ["id", "numbers_count", "deep_count", "grid", "words_count"])
            for row, line in enumerate(table[1:]):
                self.assertEqual(int(line[1]), counts[row])
                self.assertEqual(int(line[2]), sum(len(inner) for inner in cells["deep"][row]))
                self.assertEqual(json.loads(line[3]), cells["grid"][row])
                self.assertEqual(int(line[4]), len(cells["words"][row]))
            self.assertEqual(len(mount.read("t", "numbers.tsv").splitlines()), sum(counts))
        output = run(PROGRAM, "ls", "-o", "ragged=some", path)
        self.assertEqual((output.returncode, b"ragged=some" in output.stderr), (1, True))

    @needs_modules("h5py", "numpy")
    def test_info_warns_of_cells_too_long_for_spreadsheets(self):
        for count, is_long in ((5000, False), (10000, True)):  # five characters and a comma each, without the last
            path = os.path.join(self.folder, f"{count}.h5")
            table = Hdf5Table(path)
            table.put("times", numpy.arange(count) % 900 + 100.5)
            table.put("times_index", numpy.array([1, count]))
            table.refer("times_index", "times")
            table.end(["times"])
            output = run(PROGRAM, "info", path).stdout.decode()
            words = (
                f"a cell of times has about {6 * (count - 1) + 1} characters, "
                "but a spreadsheet takes 32767: -o ragged=count"
            )
            self.assertEqual(words in output, is_long, output)
            self.assertNotIn("32767", run(PROGRAM, "info", "-o", "ragged=count", path).stdout.decode())


@needs_modules("h5py", "numpy")
class Series(Folder):
    """Compares timeseries.csv with numpy's result for the same file, computed like pynwb."""

    def write(self, name, data, times, **attributes):
        path = os.path.join(self.folder, f"{name}.nwb")
        with h5py.File(path, "w") as file:
            group = file.create_group("acquisition/s")
            group.attrs["neurodata_type"] = "ElectricalSeries"
            group.create_dataset("data", data=data, chunks=True, compression=4)
            channels = attributes.pop("channel_conversion", None)
            if channels is not None:
                group.create_dataset("channel_conversion", data=channels)
            for attribute, value in attributes.items():
                group["data"].attrs[attribute] = value
            if isinstance(times, tuple):
                group.create_dataset("starting_time", data=times[0]).attrs["rate"] = times[1]
            elif times is not None:
                group.create_dataset("timestamps", data=times)
        return path

    def read(self, mount):
        with open(mount.join("acquisition", "s", "timeseries.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return rows[0], numpy.array([[float(field) for field in row] for row in rows[1:]])

    def test_seconds_and_values_in_their_unit(self):
        random = numpy.random.default_rng(5)
        data = random.integers(-3000, 3000, (5000, 7)).astype("i2")
        factors = random.random(7) + 0.5
        cases = (
            (
                "rate",
                data,
                (0.5, 30000.0),
                {"conversion": 2.34e-6, "offset": 0.25, "unit": "volts", "channel_conversion": factors},
            ),
            ("stamps", data, numpy.sort(random.random(5000)), {"unit": "volts"}),
            ("one", data[:, 0].astype("f4"), (0.0, 3.0), {"conversion": 2.0, "unit": "m"}),
        )
        for name, values, times, attributes in cases:
            with self.subTest(name):
                scale = attributes.get("conversion", 1.0) * attributes.get("channel_conversion", 1.0)
                want = values.astype("f8") * scale + attributes.get("offset", 0.0)
                seconds = numpy.arange(5000) / times[1] + times[0] if isinstance(times, tuple) else times
                path = self.write(name, values, times, **attributes)
                with Mount(path) as mount:
                    head, found = self.read(mount)
                    self.assertNotIn("timeseries.csv", os.listdir(mount.join("acquisition", "s")))
                    self.assertIn("data.npy", os.listdir(mount.join("acquisition", "s")))
                with Mount(path, "-o", "views=csv") as mount:
                    self.assertNotIn("timeseries.csv", os.listdir(mount.join("acquisition", "s")))
                    self.assertIn("data.csv", os.listdir(mount.join("acquisition", "s")))
                    self.assertTrue(os.path.exists(mount.join("acquisition", "s", "timeseries.csv")))
                self.assertEqual(
                    head, ["time", "value"] if want.ndim == 1 else ["time", *(f"value_{i}" for i in range(7))]
                )
                numpy.testing.assert_array_equal(found[:, 0], seconds)
                numpy.testing.assert_array_equal(found[:, 1:], want.reshape(5000, -1))

    def test_info_describes_a_series(self):
        path = self.write("x", numpy.zeros((10, 2), "i2"), (0.5, 30000.0), conversion=2.34e-6, unit="volts")
        output = run(PROGRAM, "info", path).stdout.decode()
        self.assertIn(
            "10 \u00d7 2, 30000 Hz from 0.5 s, \u00d7 2.34e-06 volts: "
            "timeseries.csv has seconds and values in that unit",
            output,
        )

    def test_series_without_times_has_no_such_file(self):
        path = self.write("x", numpy.zeros((10, 2), "i2"), None, unit="volts")
        with Mount(path) as mount:
            self.assertFalse(os.path.exists(mount.join("acquisition", "s", "timeseries.csv")))

    def test_mismatched_times_damage_only_the_series(self):
        path = self.write("x", numpy.zeros((10, 2), "i2"), numpy.arange(9.0), unit="volts")
        with Mount(path) as mount:
            with self.assertRaises(OSError):
                mount.read("acquisition", "s", "timeseries.csv")
            self.assertTrue(mount.read("acquisition", "s", "data.csv"))


if __name__ == "__main__":
    main()
