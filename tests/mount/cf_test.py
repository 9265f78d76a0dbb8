#!/usr/bin/env python3
"""CF data as NetCDF files and tables: ncdump, CDO and scipy read the written values."""
import os
import subprocess

from mounted import PROGRAM, Folder, Mount, main, run
from optional import needs, needs_modules

try:
    import h5py
    import numpy
    import zarr
    from scipy.io import netcdf_file
except ImportError:
    zarr = None


@needs_modules("numpy", "zarr", "scipy")
class Cf(Folder):
    """A packed field over time, latitude and longitude, in Zarr v2 as written by xarray."""

    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(3)
        self.path = os.path.join(self.folder, "t.zarr")
        root = zarr.open_group(self.path, mode="w")
        self.field = random.integers(-3000, 3000, (12, 5, 4)).astype("i2")
        self.field[2, 1, 1] = -32767
        self.latitude = numpy.linspace(50, 46, 5).astype("f4")

        def add(name, values, dimensions, **attributes):
            array = root.create_dataset(name, data=values, chunks=True, fill_value=attributes.pop("fill", None))
            array.attrs.update(_ARRAY_DIMENSIONS=dimensions, **attributes)

        add(
            "t2m",
            self.field,
            ["time", "latitude", "longitude"],
            fill=-32767,
            scale_factor=0.01,
            add_offset=273.15,
            units="K",
        )
        add("time", numpy.arange(12, dtype="i8") * 6, ["time"], units="hours since 2020-01-01", calendar="standard")
        add("latitude", self.latitude, ["latitude"], units="degrees_north")
        add("longitude", numpy.array([5.0, 5.5, 6.0, 6.5]), ["longitude"], units="degrees_east")
        zarr.consolidate_metadata(self.path)

    def read(self, mount, name):
        with open(mount.join(name), encoding="utf-8") as file:
            return file.read()

    def test_dataset_has_every_variable_as_stored(self):
        with Mount(self.path) as mount:
            self.assertEqual([name for name in os.listdir(mount.path) if name.endswith(".nc")], ["dataset.nc"])
            with netcdf_file(mount.join("dataset.nc"), mmap=False) as file:
                numpy.testing.assert_array_equal(file.variables["t2m"][:], self.field)
                numpy.testing.assert_array_equal(file.variables["latitude"][:], self.latitude)
                self.assertEqual(file.variables["time"][:].dtype, numpy.dtype(">i4"))
                self.assertEqual(file.variables["t2m"]._FillValue, -32767)

    def test_variable_file_has_its_coordinates(self):
        with Mount(self.path) as mount:
            with netcdf_file(mount.join("t2m.nc"), mmap=False) as file:
                self.assertEqual(list(file.variables), ["latitude", "longitude", "time", "t2m"])

    # VIEWS 13 "is the part of that table at those coordinates"
    def test_point_and_map_match_the_table(self):
        with Mount(self.path) as mount:
            table = self.read(mount, "t2m.table.csv").splitlines()
            self.assertEqual(len(table), 1 + 12 * 5 * 4)
            point = self.read(mount, "t2m/latitude=47,longitude=5.5.csv").splitlines()
            self.assertEqual(point, table[:1] + [line for line in table[1:] if line.split(",")[1:3] == ["47", "5.5"]])
            step = self.read(mount, "t2m/time=2020-01-01T12.csv").splitlines()
            self.assertEqual(step, table[:1] + [line for line in table[1:] if line.startswith("2020-01-01T12:00:00,")])
            self.assertEqual(sum(line.endswith(",NA") for line in step), 1)
            self.assertEqual(
                self.read(mount, "t2m/time=#2,latitude=~47.3.csv").splitlines()[1:],
                [line for line in step if line.split(",")[1] == "47"],
            )

    # VIEWS 13 "is absent, and the log names the nearest"
    def test_value_without_coordinate_is_absent(self):
        with Mount(self.path) as mount:
            self.assertFalse(os.path.exists(mount.join("t2m/latitude=47.3.csv")))
            self.assertFalse(os.path.exists(mount.join("t2m/level=1.csv")))
            self.assertIn("the nearest is 47", self.read(mount, ".plainfs/log"))

    # VIEWS 13 "A value that occurs twice has all of its rows"
    def test_part_at_a_repeated_value_has_all_rows(self):
        root = zarr.open_group(self.path, mode="a")
        root["time"][5] = 12  # the value of the third
        root["latitude"][3] = 50  # the value of the first
        zarr.consolidate_metadata(self.path)
        with Mount(self.path) as mount:
            table = self.read(mount, "t2m.table.csv").splitlines()
            for part, selected in (
                ("time=2020-01-01T12", lambda row: row.startswith("2020-01-01T12:00:00,")),
                ("latitude=50", lambda row: row.split(",")[1] == "50"),
                (
                    "latitude=~49.9,longitude=5.5,time=2020-01-01T12",
                    lambda row: (row.startswith("2020-01-01T12:00:00,50,5.5,")),
                ),
            ):
                rows = self.read(mount, f"t2m/{part}.csv").splitlines()
                self.assertEqual(rows, table[:1] + [row for row in table[1:] if selected(row)], part)
                self.assertGreater(len(rows), 2)

    # VIEWS 13 "an ordinary group, with a line in the log"
    def test_split_dimension_has_no_dataset(self):
        root = zarr.open_group(self.path, mode="a")
        root.create_dataset("small", data=numpy.zeros((2, 2))).attrs["_ARRAY_DIMENSIONS"] = ["latitude", "longitude"]
        with Mount(self.path) as mount:
            self.assertFalse(os.path.exists(mount.join("dataset.nc")))
            self.assertTrue(os.path.exists(mount.join("t2m.csv")))
            self.assertIn("different lengths", self.read(mount, ".plainfs/log"))

    # VIEWS 13 "stands last; two of these"
    def test_large_variable_is_last(self):
        root = zarr.open_group(self.path, mode="a")
        for name in ("a_large", "b_large"):
            large = root.create_dataset(name, shape=(1 << 30, 2), chunks=(1 << 20, 2), dtype="f4", fill_value=1.5)
            large.attrs["_ARRAY_DIMENSIONS"] = ["cell", "side"]
            if name == "b_large":
                break
            with Mount(self.path) as mount:
                size = os.stat(mount.join("dataset.nc")).st_size
                self.assertGreater(size, 8 << 30)
                with open(mount.join("dataset.nc"), "rb") as file:
                    file.seek(size - 4)
                    self.assertEqual(file.read(), numpy.array(1.5, ">f4").tobytes())
        with Mount(self.path) as mount:
            with self.assertRaises(OSError):
                os.stat(mount.join("dataset.nc"))
            self.assertGreater(os.stat(mount.join("b_large.nc")).st_size, 8 << 30)

    def test_info_has_dimensions_and_times(self):
        text = run(PROGRAM, "info", self.path).stdout.decode()
        self.assertIn("CF dataset", text)
        self.assertIn("time from 2020-01-01T00:00:00 to 2020-01-03T18:00:00 (standard)", text)
        self.assertIn("time × latitude × longitude, K", text)

    # VIEWS 13 "before what describes it"
    def test_data_are_named_before_coordinates(self):
        root = zarr.open_group(self.path, mode="a")
        crs = root.create_dataset("crs", data=numpy.int32(0))
        crs.attrs.update(_ARRAY_DIMENSIONS=[], grid_mapping_name="latitude_longitude")
        bounds = root.create_dataset("latitude_bounds", data=numpy.zeros((5, 2)))
        bounds.attrs["_ARRAY_DIMENSIONS"] = ["latitude", "side"]
        mask = root.create_dataset("a_mask", data=numpy.zeros((5, 4)))
        mask.attrs["_ARRAY_DIMENSIONS"] = ["latitude", "longitude"]
        root["t2m"].attrs["grid_mapping"] = "crs"
        root["latitude"].attrs["bounds"] = "latitude_bounds"
        zarr.consolidate_metadata(self.path)
        printed = run(PROGRAM, "info", self.path).stdout.decode()
        lines = printed.partition("\nto open it")[2].partition("\n\n")[0].splitlines()[1:]
        self.assertRegex(lines[0], r'^  Python  xarray\.open_dataset\(".*/dataset\.nc"\)$')
        self.assertRegex(lines[1], r'^  R       ncdf4::nc_open\(".*/dataset\.nc"\)$')
        self.assertRegex(lines[-1], r"^  shell   head .*/t2m\.table\.csv$")
        for ending, path in (
            (".nc", "dataset.nc"),
            (".csv", "t2m.table.csv"),
            (".rds", "t2m.table.rds"),
            (".parquet", "t2m.table.parquet"),
            (".npy", "t2m.npy"),
            (".mat", "t2m.mat"),
        ):
            written = os.path.join(self.folder, "out" + ending)
            printed = run(PROGRAM, "export", "--level", "0", self.path, written).stderr.decode()
            self.assertIn(f"{path}, ", printed)
            with open(written, "rb") as file:
                self.assertEqual(file.read(), run(PROGRAM, "cat", self.path, path).stdout, path)

    @needs("ncdump")
    def test_ncdump_reads_the_header(self):
        with Mount(self.path) as mount:
            text = subprocess.run(
                ["ncdump", "-h", mount.join("dataset.nc")], capture_output=True, text=True, timeout=60, check=True
            ).stdout
            self.assertIn("short t2m(time, latitude, longitude)", text)
            self.assertIn("t2m:_FillValue = -32767s", text)

    @needs("cdo")
    def test_cdo_reads_the_values(self):
        with Mount(self.path) as mount:
            text = subprocess.run(
                ["cdo", "-s", "outputtab,value,nohead", "-fldmean", "-seltimestep,1", mount.join("t2m.nc")],
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            ).stdout
            unpacked = self.field[0] * 0.01 + 273.15
            weights = numpy.cos(numpy.radians(self.latitude))[:, None] * numpy.ones((5, 4))
            self.assertAlmostEqual(float(text.split()[0]), (unpacked * weights).sum() / weights.sum(), delta=0.05)


@needs_modules("numpy", "zarr", "scipy")
class Attributes(Folder):
    def write(self, values, **attributes):
        self.path = os.path.join(self.folder, "a.zarr")
        root = zarr.open_group(self.path, mode="w")
        root.create_dataset("v", data=values, fill_value=None).attrs.update(_ARRAY_DIMENSIONS=["x"], **attributes)

    def test_unsigned_numbers_that_are_signed_ones(self):
        self.write(numpy.array([1, 254, 255], "u1"), _Unsigned="false", _FillValue=-1, valid_range=[200, 255])
        with Mount(self.path) as mount:
            self.assertEqual(mount.read("v.table.csv"), b"x,v\n0,1\n1,-2\n2,NA\n")
            with netcdf_file(mount.join("dataset.nc"), mmap=False) as file:
                variable = file.variables["v"]
                self.assertEqual((variable[:].dtype.kind, variable[:].tolist()), ("i", [1, -2, -1]))
                self.assertEqual((int(variable._FillValue), variable.valid_range.tolist()), (-1, [-56, -1]))
                self.assertFalse(hasattr(variable, "_Unsigned"))

    def test_scale_factor_of_text_is_reported(self):
        self.write(numpy.array([1, 2], "i2"), scale_factor="0.5")
        text = run(PROGRAM, "check", self.path).stdout.decode()
        self.assertIn("notice: /: v: scale_factor is a text and not applied", text)


@needs_modules("numpy", "zarr", "scipy")
class NativeTimes(Folder):
    """Arrays of datetime64 and timedelta64, which zarr-python writes as they are."""

    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "native.zarr")
        root = zarr.open_group(self.path, mode="w")
        self.times = numpy.array(["2020-01-01", "2020-02-01T00:00:00.5", "NaT"], "M8[ns]")

        def add(name, values, *dimensions):
            root.create_dataset(name, data=values, fill_value=None).attrs["_ARRAY_DIMENSIONS"] = list(dimensions)

        add("time", self.times, "time")
        add("lead", numpy.array([1, 2], "m8[h]"), "lead")
        add("year", numpy.array(["2020", "2021"], "M8[Y]"), "lead")
        add("valid", self.times[:2].astype("M8[s]"), "lead")
        add("t2m", numpy.arange(6, dtype="f4").reshape(3, 2), "time", "lead")
        add("z", numpy.array([1j, 2]), "lead")

    # VIEWS 13 "are times and spans of a dataset"
    def test_native_times_label_the_rows_of_tables(self):
        with Mount(self.path) as mount:
            self.assertEqual(
                mount.read("t2m.table.csv").decode().splitlines(),
                [
                    "time,lead,t2m",
                    "2020-01-01T00:00:00,1,0",
                    "2020-01-01T00:00:00,2,1",
                    "2020-02-01T00:00:00.5,1,2",
                    "2020-02-01T00:00:00.5,2,3",
                    "NA,1,4",
                    "NA,2,5",
                ],
            )
            self.assertEqual(
                mount.read("valid.table.csv").split()[1:], [b"1,2020-01-01T00:00:00", b"2,2020-02-01T00:00:00"]
            )
            self.assertEqual(mount.read("t2m", "time=2020-01-01,lead=2.csv").split()[1:], [b"2020-01-01T00:00:00,2,1"])

    def test_native_times_are_counts_in_netcdf(self):
        with Mount(self.path) as mount:
            with netcdf_file(mount.join("dataset.nc"), mmap=False) as file:
                time = file.variables["time"]
                self.assertEqual(
                    (time.units, time.calendar), (b"milliseconds since 1970-01-01", b"proleptic_gregorian")
                )
                counts = self.times[:2].astype("M8[ms]").astype("i8")
                numpy.testing.assert_array_equal(time[:], [*counts, numpy.nan])
                self.assertTrue(numpy.isnan(time._FillValue))
                self.assertEqual((file.variables["lead"].units, file.variables["lead"][:].tolist()), (b"hours", [1, 2]))
                self.assertEqual(file.variables["valid"].units, b"seconds since 1970-01-01")
                self.assertEqual(sorted(file.variables), ["lead", "t2m", "time", "valid"])

    # VIEWS 13 "A variable of another type"
    def test_types_that_netcdf_lacks_are_named(self):
        result = run(PROGRAM, "check", self.path)
        text = result.stdout.decode()
        self.assertEqual(result.returncode, 0, text)
        self.assertIn("notice: /: the dataset does not include z (complex128): NetCDF classic has no such type", text)
        self.assertIn("does not include year", text)


@needs_modules("h5py", "numpy", "scipy")
class EarlyNetcdf4(Folder):
    """A NetCDF-4 file without the attributes that libnetcdf has written since 4.1."""

    def test_dimension_without_a_variable_is_no_array(self):
        path = os.path.join(self.folder, "early.nc")
        with h5py.File(path, "w") as file:
            dimension = file.create_dataset("y", data=numpy.zeros(2, ">f4"))
            dimension.make_scale(f"This is a netCDF dimension but not a netCDF variable.{2:10}")
            values = file.create_dataset("_nc4_non_coord_y", data=numpy.array([3, 4], "i4"))
            values.dims[0].attach_scale(dimension)
        with Mount(path) as mount:
            self.assertEqual([name for name in os.listdir(mount.path) if name.endswith(".csv")], ["y.csv"])
            self.assertEqual(mount.read("y.csv"), b"3\n4\n")
            with netcdf_file(mount.join("dataset.nc"), mmap=False) as file:
                numpy.testing.assert_array_equal(file.variables["y"][:], [3, 4])


if __name__ == "__main__":
    main()
