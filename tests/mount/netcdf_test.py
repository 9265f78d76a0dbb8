#!/usr/bin/env python3
"""NetCDF files that netCDF4-python writes, in their classic and their HDF5 form, against what it reads of them."""
import os
import subprocess

from mounted import PROGRAM, Folder, Mount, main, run
from optional import needs, needs_modules

try:
    import netCDF4
    import numpy
except ImportError:
    netCDF4 = None

FORMATS = ("NETCDF4", "NETCDF3_CLASSIC")


class Written(Folder):
    def write(self, name, form="NETCDF4"):
        self.path = os.path.join(self.folder, name)
        return netCDF4.Dataset(self.path, "w", format=form)

    def cat(self, name):
        result = run(PROGRAM, "cat", self.path, name)
        self.assertEqual(result.returncode, 0, f"{name}: {result.stderr.decode()}")
        return result.stdout.decode()

    def assert_lines(self, name, *lines):
        self.assertEqual(self.cat(name).splitlines(), list(lines), name)


@needs_modules("netCDF4", "numpy")
class Groups(Written):
    """A dimension belongs to the group that defines it."""

    def setUp(self):
        super().setUp()
        with self.write("levels.nc") as file:
            file.createDimension("x", 4)
            file.createDimension("time", None)
            file.createVariable("x", "f8", ("x",))[:] = [0, 10, 20, 30]
            time = file.createVariable("time", "f8", ("time",))
            time.units = "days since 2000-01-01"
            time[:] = [0, 1, 2]
            half = file.createGroup("half")
            half.createDimension("x", 2)
            half.createVariable("x", "f8", ("x",))[:] = [5, 25]
            half.createVariable("v", "i4", ("x",))[:] = [11, 12]
            bare = file.createGroup("bare")
            bare.createDimension("x", 2)
            bare.createVariable("v", "i4", ("x",))[:] = [21, 22]
            equal = file.createGroup("equal")
            equal.createDimension("x", 4)
            equal.createVariable("v", "i4", ("x",))[:] = [1, 2, 3, 4]
            station = file.createGroup("station")
            station.createDimension("time", None)
            own = station.createVariable("time", "f8", ("time",))
            own.units = "days since 2000-01-01"
            own[:] = [100]
            station.createVariable("v", "i4", ("time",))[:] = [31]
            other = file.createGroup("other")
            other.createDimension("y", 2)
            other.createVariable("x", "i4", ("y",))[:] = [7, 8]
            other.createVariable("v", "i4", ("x",))[:] = [41, 42, 43, 44]

    # VIEWS 13 "A dimension is that of the group that defines it"
    def test_equal_names_in_groups_are_other_dimensions(self):
        with Mount(self.path) as mount:
            self.assertEqual(mount.read("half", "v.csv"), b"11\n12\n")
            self.assertEqual(numpy.load(mount.join("half", "v.npy")).tolist(), [11, 12])
            self.assertEqual(mount.read("half", "x.csv"), b"5\n25\n")
            self.assertEqual(mount.read("half", "v.table.csv"), b"x,v\n5,11\n25,12\n")
            self.assertEqual(mount.read("bare", "v.table.csv"), b"x,v\n0,21\n1,22\n")
            self.assertEqual(mount.read("equal", "v.table.csv").split()[1:3], [b"0,1", b"1,2"])
            self.assertEqual(mount.read("station", "v.table.csv"), b"time,v\n2000-04-10T00:00:00,31\n")
            with netCDF4.Dataset(mount.join("half", "v.nc")) as file:
                self.assertEqual(len(file.dimensions["x"]), 2)

    def test_variable_without_the_dimension_hides_no_coordinate(self):
        self.assert_lines("other/v.table.csv", "x,v", "0,41", "10,42", "20,43", "30,44")
        self.assert_lines("other/x.csv", "7", "8")

    def test_longest_variable_of_any_group_sets_the_length(self):
        with self.write("unlimited.nc") as file:
            file.createDimension("bare", None)
            file.createDimension("time", None)
            file.createVariable("time", "f8", ("time",))[:] = [1, 2]
            file.createVariable("short", "i4", ("bare",))[:] = [1]
            inner = file.createGroup("inner")
            inner.createVariable("long", "i4", ("bare",))[:] = [1, 2, 3]
            inner.createVariable("late", "u1", ("time",))[:] = [1, 2, 3, 4]
            inner.createGroup("deep").createVariable("early", "u2", ("time",))[:] = [5]
        self.assert_lines("short.csv", "1", "-2147483647", "-2147483647")
        self.assert_lines("time.csv", "1", "2", "9.969209968386869e+36", "9.969209968386869e+36")
        self.assert_lines("inner/long.csv", "1", "2", "3")
        self.assert_lines("inner/deep/early.csv", "5", "65535", "65535", "65535")

    def test_short_unsigned_variable_continues_with_its_default(self):
        with self.write("unsigned.nc") as file:
            file.createDimension("t", None)
            file.createVariable("all", "i4", ("t",))[:] = [1, 2, 3]
            for name in ("u1", "u2", "u4", "u8", "i1", "i8"):
                file.createVariable(name, name, ("t",))[0] = 1
        for name in ("u1", "u2", "u4", "u8", "i1", "i8"):
            self.assert_lines(f"{name}.csv", "1", *[str(netCDF4.default_fillvals[name])] * 2)


@needs_modules("netCDF4", "numpy")
class Texts(Written):
    # VIEWS 7 "unless something other than texts lies along that axis"
    def test_characters_are_texts_in_every_format(self):
        for form in FORMATS:
            with self.write(f"{form}.nc", form) as file:
                for name, length in (("profile", 2), ("level", 3), ("DATE", 4), ("station", 2)):
                    file.createDimension(name, length)
                file.createVariable("date", "S1", ("profile", "DATE"))[:] = [list("2020"), list("2021")]
                file.createVariable("updated", "S1", ("DATE",))[:] = list("1999")
                file.createVariable("quality", "S1", ("profile", "level"))[:] = [list("123"), list("444")]
                file.createVariable("depth", "f4", ("profile", "level"))[:] = 1
                file.createVariable("station", "S1", ("station", "DATE"))[:] = [list("ab\0\0"), list("x,y\0")]
                file.createVariable("v", "i4", ("station",))[:] = [1, 2]
            self.assert_lines("date.csv", "2020", "2021")
            self.assert_lines("date.table.csv", "profile,date", "0,2020", "1,2021")
            self.assert_lines("updated.csv", "1", "9", "9", "9")
            self.assert_lines("quality.csv", "1,2,3", "4,4,4")
            self.assert_lines(
                "quality.table.csv",
                "profile,level,quality",
                *[f"{profile},{level},{'123444'[3 * profile + level]}" for profile in (0, 1) for level in (0, 1, 2)],
            )
            self.assert_lines("v.table.csv", "station,v", "ab,1", '"x,y",2')
            with Mount(self.path) as mount:
                self.assertEqual(mount.read("v", "station=ab.csv"), b"station,v\nab,1\n")
                self.assertEqual(numpy.load(mount.join("date.npy")).shape, (2, 4))


@needs_modules("netCDF4", "numpy")
class Times(Written):
    # VIEWS 13 "A time that was never written is"
    def test_unwritten_times_are_missing(self):
        for form in FORMATS:
            for kind in ("f8", "f4", "i4", "i2"):
                with self.write(f"{form}_{kind}.nc", form) as file:
                    file.createDimension("time", None)
                    time = file.createVariable("time", kind, ("time",))
                    time.units = "hours since 2020-01-01"
                    file.createVariable("v", "i4", ("time",))[:] = [1, 2, 3]
                    time[:2] = [0, 1]
                self.assert_lines("v.table.csv", "time,v", "2020-01-01T00:00:00,1", "2020-01-01T01:00:00,2", "NA,3")
                text = run(PROGRAM, "info", self.path).stdout.decode()
                self.assertIn("time from 2020-01-01T00:00:00 to 2020-01-01T01:00:00", text)

    def test_time_too_far_for_a_date_is_its_number(self):
        with self.write("far.nc") as file:
            file.createDimension("time", 3)
            time = file.createVariable("time", "f8", ("time",))
            time.units = "days since 2020-01-01"
            time[:] = [0, 1e30, -9.223372036854775808e18]
            file.createVariable("v", "i4", ("time",))[:] = [1, 2, 3]
        self.assert_lines("v.table.csv", "time,v", "2020-01-01T00:00:00,1", "1e+30,2", "NA,3")

    def test_scale_of_float_keeps_the_digits_of_wide_values(self):
        with self.write("scaled.nc") as file:
            file.createDimension("time", 3)
            time = file.createVariable("time", "f8", ("time",))
            time.units = "seconds since 1970-01-01"
            number = file.createVariable("id", "i4", ("time",))
            mixed = file.createVariable("mixed", "i2", ("time",))
            small = file.createVariable("small", "i2", ("time",))
            for variable in (time, number, small):
                variable.scale_factor = numpy.float32(2 if variable is number else 1 if variable is time else 0.1)
                variable.add_offset = numpy.float32(0)
            mixed.scale_factor, mixed.add_offset = numpy.float32(0.1), 100.0
            file.set_auto_maskandscale(False)
            time[:] = [1600000001, 1600000050.5, 1600000100]
            number[:] = [123456789, 2147483647, -7]
            mixed[:] = [-1290, 1, 2]
            small[:] = [1, 2, 3]
        with netCDF4.Dataset(self.path) as file:
            expected = {"id": [repr(float(x)) for x in file["id"][:]]}
        # as xarray: a double where the offset is one, with the exact value of the float
        expected["mixed"] = [repr(float(x)) for x in numpy.array([-1290, 1, 2]) * float(numpy.float32(0.1)) + 100]
        rows = self.cat("id.table.csv").splitlines()[1:]
        self.assertEqual(
            [row.split(",")[0] for row in rows], ["2020-09-13T12:26:41", "2020-09-13T12:27:30.5", "2020-09-13T12:28:20"]
        )
        for name, values in expected.items():
            shown = [repr(float(row.split(",")[1])) for row in self.cat(f"{name}.table.csv").splitlines()[1:]]
            self.assertEqual(shown, values, name)
        self.assertEqual(
            [row.split(",")[1] for row in self.cat("small.table.csv").splitlines()[1:]], ["0.1", "0.2", "0.3"]
        )


@needs_modules("netCDF4", "numpy")
class Files(Written):
    @needs("nccopy")
    def test_dataset_without_records_equals_nccopy(self):
        with self.write("empty.nc") as file:
            file.createDimension("time", None)
            file.createDimension("x", 3)
            file.createVariable("time", "f8", ("time",))
            file.createVariable("v", "f4", ("time", "x"))
            file.createVariable("s", "i2", ("time",))
            file.createVariable("x", "i2", ("x",))[:] = [1, 2, 3]
        with Mount(self.path) as mount:
            # in the order of plainfs: that of the names
            sorted_path = os.path.join(self.folder, "sorted.nc")
            with netCDF4.Dataset(sorted_path, "w", format="NETCDF3_64BIT_OFFSET") as file:
                file.createDimension("time", None)
                file.createDimension("x", 3)
                file.createVariable("s", "i2", ("time",))
                file.createVariable("time", "f8", ("time",))
                file.createVariable("v", "f4", ("time", "x"))
                file.createVariable("x", "i2", ("x",))[:] = [1, 2, 3]
            copied = os.path.join(self.folder, "copied.nc")
            subprocess.run(["nccopy", "-k", "64-bit offset", sorted_path, copied], check=True, timeout=60)
            with open(copied, "rb") as file:
                self.assertEqual(mount.read("dataset.nc"), file.read())
            for name in ("dataset.nc", "v.nc", "s.nc"):
                with netCDF4.Dataset(mount.join(name)) as file:
                    self.assertTrue(file.dimensions["time"].isunlimited(), name)
            with netCDF4.Dataset(mount.join("v.nc")) as file:
                self.assertEqual(file["x"][:].tolist(), [1, 2, 3])

    # VIEWS 13 "Dimensions without a variable"
    def test_dimensions_without_a_variable_are_in_the_dataset(self):
        for form in FORMATS:
            with self.write(f"{form}.nc", form) as file:
                file.createDimension("lat", 7)
                file.createDimension("x", 2)
                file.createDimension("lon", 9)
                file.createVariable("x", "i4", ("x",))[:] = [1, 2]
                file["x"].compress = "lat lon"
            with Mount(self.path) as mount, netCDF4.Dataset(mount.join("dataset.nc")) as file:
                self.assertEqual(
                    {name: len(each) for name, each in file.dimensions.items()}, {"lat": 7, "x": 2, "lon": 9}
                )

    def test_check_of_a_sound_store_passes_whatever_a_format_cannot_hold(self):
        with self.write("sound.nc") as file:
            file.createDimension("x", 2)
            file.createVariable("least", "i4", ("x", "x"))[:] = [[-(2**31), 1], [1, 2]]
            file.createVariable("wide", "i8", ("x",))[:] = [2**62 + 1, 1]
        result = run(PROGRAM, "check", self.path)
        self.assertEqual(result.returncode, 0, result.stdout.decode())
        self.assertRegex(result.stdout.decode(), r"notice: .*wide")
        self.assertIn("notice: /least.rds: not supported: R's integers", result.stdout.decode())

    # VIEWS 13 "A dimension without elements is its record dimension"
    def test_second_dimension_without_elements_leaves_no_dataset(self):
        with self.write("two.nc") as file:
            file.createDimension("a", None)
            file.createDimension("b", None)
            file.createVariable("v", "i4", ("a", "b"))
        result = run(PROGRAM, "check", self.path)
        self.assertEqual(result.returncode, 0, result.stdout.decode())
        self.assertIn("notice: /: no dataset.nc: dimension b has no elements", result.stdout.decode())
        self.assertNotIn(b"dataset.nc", run(PROGRAM, "ls", self.path).stdout)

    # VIEWS 13 "with a fraction stays"
    def test_fractional_missing_value_of_integers_stays_real(self):
        with self.write("fraction.nc") as file:
            file.createDimension("x", 3)
            for name, attribute, value in (
                ("missing", "missing_value", -999.99),
                ("list", "missing_value", [1, 2.5]),
                ("range", "valid_range", [0.5, 150.5]),
                ("whole", "missing_value", -999.0),
            ):
                file.createVariable(name, "i2", ("x",))[:] = [-999, 1, 2]
                file[name].setncattr(attribute, value)
        with Mount(self.path) as mount, netCDF4.Dataset(mount.join("dataset.nc")) as file:
            file.set_auto_maskandscale(False)
            self.assertEqual(float(file["missing"].missing_value), -999.99)
            self.assertEqual(file["list"].missing_value.tolist(), [1, 2.5])
            self.assertEqual(file["range"].valid_range.tolist(), [0.5, 150.5])
            self.assertEqual(file["whole"].missing_value.dtype, numpy.dtype("i2"))


if __name__ == "__main__":
    main()
