"""Random NetCDF files against netCDF4-python, cftime, h5py, xarray and ncdump: netcdf_random_test.py [COUNT SEED].

COUNT is 25, PLAINFS_TEST_EFFORT times. The same SEED repeats a file. Prints what was compared."""
import collections
import csv
import math
import os
import re
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from effort import EFFORT  # noqa: E402
from optional import import_or_exit, missing_programs  # noqa: E402

netCDF4, xarray, h5py, numpy = import_or_exit("netCDF4", "xarray", "h5py", "numpy")
import cftime  # noqa: E402  (netCDF4 needs it)
from netcdf_stores import write_store  # noqa: E402

PROGRAM = os.environ.get("PLAINFS", "plainfs")
NANOSECONDS = {
    "days": 86400 * 10**9,
    "hours": 3600 * 10**9,
    "minutes": 60 * 10**9,
    "seconds": 10**9,
    "milliseconds": 10**6,
}
NATURAL = {"u1": "i2", "u2": "i4"}  # the types of unsigned numbers in NetCDF classic


class Difference(Exception):
    pass


def plainfs(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=300, check=False)
    if result.returncode != 0:
        raise Difference(f"{' '.join(arguments)}: {result.returncode}: {result.stderr.decode().strip()}")


def groups_of(group):
    yield group
    for inner in group.groups.values():
        yield from groups_of(inner)


def defining(group, name):
    while name not in group.dimensions:
        group = group.parent
    return group


def default_of(kind):
    return netCDF4.default_fillvals[kind.str[1:] if kind.kind != "S" else "S1"]


class Store:
    """A file and what the oracles read of it."""

    def __init__(self, path):
        self.path = path
        self.file = netCDF4.Dataset(path)
        self.file.set_auto_maskandscale(False)
        self.file.set_auto_chartostring(False)
        self.is_hdf5 = self.file.data_model == "NETCDF4"
        self.stored = h5py.File(path) if self.is_hdf5 else None

    def close(self):
        self.file.close()
        if self.stored:
            self.stored.close()

    def lengths(self, variable):
        group = variable.group()
        return tuple(len(defining(group, name).dimensions[name]) for name in variable.dimensions)

    def raw(self, variable):
        """The stored numbers. netcdf-c 4.9 misplaces those of a variable that is shorter along another dimension than
        its first, which is why h5py reads them."""
        if not self.is_hdf5:
            return numpy.ma.getdata(variable[...])
        shape = self.lengths(variable)
        place = variable.group().path
        name = variable.name
        group = self.stored[place]
        dataset = group["_nc4_non_coord_" + name] if "_nc4_non_coord_" + name in group else group[name]
        fill = variable._FillValue if "_FillValue" in variable.ncattrs() else default_of(variable.dtype)
        values = numpy.full(shape, fill, variable.dtype)
        values[tuple(slice(0, n) for n in dataset.shape)] = dataset[...]
        if dataset.shape == shape or dataset.shape[1:] == shape[1:]:
            own = numpy.ma.getdata(variable[...])
            if own.shape != shape or not same_bits(own, values):
                raise AssertionError(f"the oracles differ in {place}/{name}")
        return values

    def coordinate(self, variable, axis):
        """The variable that labels an axis, or None."""
        name = variable.dimensions[axis]
        group, home = variable.group(), defining(variable.group(), name)
        while group is not None:
            found = group.variables.get(name)
            if found is not None and is_coordinate(found, group) and defining(group, name) is home:
                return found
            group = group.parent
        return None


def rank_of(variable):
    """The number of axes of the decoded values: the last one of texts is left out (stackable() of xarray)."""
    return len(variable.dimensions) - is_text(variable)


def is_text(variable):
    if variable.dtype.kind != "S" or len(variable.dimensions) < 2:
        return False
    last = variable.dimensions[-1]
    if len(defining(variable.group(), last).dimensions[last]) == 0:
        return False
    group = variable.group()
    return all(
        other.name != last
        and (
            last not in other.dimensions
            or other.dtype.kind == "S"
            and last == other.dimensions[-1]
            and last not in other.dimensions[:-1]
        )
        for other in group.variables.values()
    )


def is_coordinate(variable, group):
    return rank_of(variable) == 1 and variable.dimensions[0] == variable.name and variable.group().path == group.path


def fit_double(values):
    return values.dtype.kind not in "iu" or all(int(float(x)) == int(x) for x in numpy.unique(values))


def same_bits(a, b):
    if a.dtype.kind == "S":
        return a.tobytes() == b.astype(a.dtype).tobytes()
    return numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def scaled_type(kind, attributes):
    """The type in which numbers are unpacked: xarray's, of which a float is one that holds the stored numbers."""
    is_small = kind == "f4" or kind.kind in "iu" and kind.itemsize <= 2
    is_float = is_small and all(numpy.asarray(each).dtype == "f4" for each in attributes)
    return numpy.float32 if is_float else numpy.float64


def missing_in(variable, values, is_time):
    names = variable.ncattrs()
    missing = numpy.zeros(values.shape, bool)
    for name in ("_FillValue", "missing_value"):
        if name not in names:
            continue
        for number in numpy.atleast_1d(variable.getncattr(name)):
            if values.dtype.kind == "f":
                number = values.dtype.type(number)
                missing |= values == number
                if numpy.isnan(number):
                    missing |= numpy.isnan(values)
            elif float(number) == int(number) and int(number) in (int(x) for x in numpy.unique(values)):
                missing |= values == values.dtype.type(int(number))
    if is_time and "_FillValue" not in names and values.dtype.itemsize > 1:
        missing |= values == values.dtype.type(default_of(values.dtype))
    return missing


def without_packing(units):
    return re.sub(r"(\d{4})(\d\d)(\d\d)$", r"\1-\2-\3", units)  # cftime does not read 19991231


def is_time(variable):
    if " since " not in getattr(variable, "units", ""):
        return False
    try:  # the date may not exist in the calendar
        cftime.num2date(0, without_packing(variable.units), getattr(variable, "calendar", "standard"))
        return True
    except ValueError:
        return False


def decoded(store, variable):
    """Returns a list of fields, in C order: floats, times as (calendar, nanoseconds), texts, None for missing."""
    values = store.raw(variable)
    if is_text(variable):
        width = values.shape[-1]
        texts = numpy.ascontiguousarray(values).view(f"S{width}").reshape(values.shape[:-1]) if values.size else []
        return [bytes(text).decode() for text in numpy.ravel(texts)]
    if values.dtype.kind == "S":
        return [bytes(each).decode("latin-1") for each in values.ravel()]
    missing = missing_in(variable, values, is_time(variable))
    numbers = values
    if getattr(variable, "_Unsigned", "") == "true" and values.dtype.kind == "i":
        numbers = values.view(values.dtype.str.replace("i", "u"))
    attributes = [variable.getncattr(name) for name in ("scale_factor", "add_offset") if name in variable.ncattrs()]
    if attributes:
        kind = scaled_type(values.dtype, attributes)
        with numpy.errstate(all="ignore"):
            numbers = numbers.astype(kind)
            if "scale_factor" in variable.ncattrs():
                numbers = numbers * kind(variable.scale_factor)
            if "add_offset" in variable.ncattrs():
                numbers = numbers + kind(variable.add_offset)
    fields = [None if gone else number for number, gone in zip(numbers.ravel(), missing.ravel())]
    return [time_of(variable, field) for field in fields] if is_time(variable) else fields


class Time:
    """A date of cftime, and the microseconds within which a text may show it."""

    def __init__(self, date, tolerance):
        self.date = date
        self.tolerance = tolerance

    def __repr__(self):
        return f'{self.date} within {self.tolerance} us'


def time_of(variable, count):
    """Returns a Time, None for a missing one, 'far' for one that no calendar reaches."""
    if count is None or count != count:
        return None
    if isinstance(count, numpy.floating) and float(count) == -(2.0**63):
        return None
    unit = NANOSECONDS[variable.units.split()[0]]
    if abs(float(count)) * unit > 3e20 or math.isinf(float(count)):
        return 'far'
    # cftime rounds in each step of its arithmetic; a real stands for all times that round to it.
    tolerance = 20 + (abs(float(numpy.spacing(count))) * unit / 1000 if isinstance(count, numpy.floating) else 0)
    count = int(count) if isinstance(count, numpy.integer) else float(count)
    calendar = getattr(variable, 'calendar', 'standard')
    try:
        date = cftime.num2date(count, without_packing(variable.units), calendar, only_use_cftime_datetimes=True)
        return Time(date, tolerance)
    except (ValueError, OverflowError):
        return 'far'


def shown_time(text):
    """Returns (year, month, day, microseconds of the day)."""
    found = re.fullmatch(r"(-?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?", text)
    if not found:
        return None
    year, month, day, hour, minute, second = (int(x) for x in found.groups()[:6])
    micro = round(float(found[7] or 0) * 1e6)
    return year, month, day, ((hour * 60 + minute) * 60 + second) * 10**6 + micro


def fits_time(text, expected):
    shown, date = shown_time(text), expected.date
    if shown is None:
        return False
    micro = ((date.hour * 60 + date.minute) * 60 + date.second) * 10**6 + date.microsecond
    if shown[:3] == (date.year, date.month, date.day):
        return abs(shown[3] - micro) <= expected.tolerance
    day = 86400 * 10**6  # rounded to the next day
    return min(abs(shown[3] - micro - day), abs(shown[3] + day - micro)) <= expected.tolerance


def fits(text, is_quoted, expected):
    if expected is None:
        return text == "NA" and not is_quoted
    if isinstance(expected, str):
        return expected == "far" or text == expected
    if isinstance(expected, Time):
        return fits_time(text, expected)
    if isinstance(expected, numpy.integer):
        return text == str(expected)
    number = float(text)
    return type(expected)(number) == expected or number != number and expected != expected


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


class Comparison:
    def __init__(self, seed, folder):
        self.counts = collections.Counter()
        self.seed = seed
        self.source = os.path.join(folder, "store.nc")
        self.target = os.path.join(folder, "shown")
        self.parts = os.path.join(folder, "parts")
        self.form = write_store(self.source, seed)
        self.store = Store(self.source)

    def run(self):
        plainfs("export", "--views=npy,nc", self.source, self.target)
        tables = [
            (group.path.strip("/"), variable)
            for group in groups_of(self.store.file)
            for variable in group.variables.values()
            if rank_of(variable) > 0 and not is_coordinate(variable, group)
        ]
        for group in groups_of(self.store.file):
            self.compare_arrays(group)
            self.compare_file(group)
        names = [os.path.join(place, f"{variable.name}.table.csv") for place, variable in tables]
        if names:
            plainfs("export", self.source, *names, self.parts + "/")
        for (place, variable), name in zip(tables, names):
            self.compare_table(variable, os.path.join(self.parts, name))
        self.compare_parts(tables)
        if self.form != "NETCDF3_64BIT_DATA":
            self.compare_with_xarray(tables)
            self.compare_zarr([variable for place, variable in tables if not place])
        self.store.close()
        return self.counts

    def compare_arrays(self, group):
        for variable in group.variables.values():
            expected = self.store.raw(variable)
            path = os.path.join(self.target, group.path.strip("/"), variable.name + ".npy")
            shown = numpy.load(path)
            kind = shown.dtype.kind == "S" and shown.dtype or expected.dtype.newbyteorder("=")
            if shown.shape != expected.shape or not same_bits(shown.astype(kind), expected.astype(kind)):
                raise Difference(f"{group.path}/{variable.name}.npy: {shown!r}, expected {expected!r}")
            self.counts["values of .npy"] += expected.size

    def compare_file(self, group):
        path = os.path.join(self.target, group.path.strip("/"), "dataset.nc")
        has_axes = any(variable.dimensions for variable in group.variables.values())
        if not os.path.exists(path):
            empty = {n for v in group.variables.values() for n in v.dimensions if 0 in self.store.lengths(v)}
            if has_axes and not empty:
                raise Difference(f"{group.path}: no dataset.nc")
            return
        text = subprocess.run(["ncdump", path], capture_output=True, timeout=60, check=False)
        if text.returncode != 0:
            raise Difference(f"{group.path}/dataset.nc: ncdump: {text.stderr.decode()}")
        with netCDF4.Dataset(path) as file:
            file.set_auto_maskandscale(False)
            for variable in group.variables.values():
                if variable.name not in file.variables:
                    if not fit_double(self.store.raw(variable)):
                        self.counts["variables with integers that no double holds"] += 1
                        continue
                    raise Difference(f"{group.path}/dataset.nc: no {variable.name}")
                self.compare_variable(variable, file[variable.name], group.path)

    def compare_variable(self, variable, shown, place):
        name = f"{place}/dataset.nc: {variable.name}"
        expected, values = self.store.raw(variable), numpy.ma.getdata(shown[...])
        if shown.dimensions != variable.dimensions or not same_bits(
            values, expected if expected.dtype.kind == "S" else expected.astype(values.dtype)
        ):
            raise Difference(f"{name}: {values!r}, expected {expected!r}")
        if variable.dtype.kind != "S" and not numpy.array_equal(
            values.astype(expected.dtype), expected, equal_nan=expected.dtype.kind == "f"
        ):
            raise Difference(f"{name}: {values!r} is not {expected!r}")
        for attribute in variable.ncattrs():
            a, b = variable.getncattr(attribute), shown.getncattr(attribute)
            if attribute == 'missing_value' and expected.dtype.kind == 'f':
                a = a.astype(expected.dtype)  # dataset.nc has the type of the variable
            if not numpy.array_equal(numpy.asarray(a), numpy.asarray(b), equal_nan=not isinstance(a, str)):
                raise Difference(f"{name}:{attribute}: {b!r}, expected {a!r}")
            self.counts["attributes of dataset.nc"] += 1
        self.counts["values of dataset.nc"] += expected.size

    def compare_table(self, variable, path):
        name = f"{variable.group().path}/{os.path.basename(path)}"
        rows = rows_of(path)
        rank = rank_of(variable)
        shape = self.store.lengths(variable)[:rank]
        fields = decoded(self.store, variable)
        labels = []
        for axis in range(rank):
            coordinate = self.store.coordinate(variable, axis)
            labels.append(decoded(self.store, coordinate) if coordinate is not None else None)
        if rows[0] != [*variable.dimensions[:rank], variable.name] or len(rows) != 1 + len(fields):
            raise Difference(f"{name}: {rows[0]}, {len(rows) - 1} rows, expected {len(fields)}")
        for row, index, field in zip(rows[1:], numpy.ndindex(*shape), fields):
            for axis, place in enumerate(index):
                wanted = labels[axis][place] if labels[axis] is not None else numpy.int64(place)
                if not fits(row[axis], isinstance(wanted, str), wanted):
                    raise Difference(f"{name}: {row}: {variable.dimensions[axis]} {wanted!r}")
            if not fits(row[rank], isinstance(field, str), field):
                raise Difference(f"{name}: {row}: {field!r}")
        self.counts["fields of tables"] += (rank + 1) * len(fields)

    def compare_parts(self, tables):
        """The part at the first coordinate of each table has all of its rows."""
        wanted = []
        for place, variable in tables:
            table = rows_of(os.path.join(self.parts, place, variable.name + ".table.csv"))
            dimension = variable.dimensions[0]
            value = table[1][0] if len(table) > 1 else ""
            if re.fullmatch(r"[-A-Za-z0-9.:]+", value) and value != "NA":
                same = [row for row in table[1:] if row[0] == value]
                wanted.append((os.path.join(place, variable.name, f"{dimension}={value}.csv"), table[:1] + same))
        if not wanted:
            return
        plainfs("export", self.source, *[name for name, _ in wanted], self.parts + "/")
        for name, rows in wanted:
            if rows_of(os.path.join(self.parts, name)) != rows:
                raise Difference(f"{name}: {rows_of(os.path.join(self.parts, name))}, expected {rows}")
            self.counts["parts"] += 1

    def compare_with_xarray(self, tables):
        """Packed and missing numbers as xarray reads them, of variables as long as their dimensions."""
        by_group = collections.defaultdict(list)
        for place, variable in tables:
            by_group[place].append(variable)
        for place, variables in by_group.items():
            try:
                with xarray.open_dataset(
                    self.source, group=place or None, engine="netcdf4", decode_times=False, concat_characters=False
                ) as dataset:
                    for variable in variables:
                        self.compare_numbers(variable, dataset[variable.name], place)
            except (ValueError, OverflowError, TypeError, NotImplementedError):
                self.counts["groups that xarray refuses"] += 1

    def compare_zarr(self, variables):
        """The tables of the root, as xarray writes it in Zarr, are those of the file."""
        path = os.path.join(os.path.dirname(self.source), 'store.zarr')
        try:
            with xarray.open_dataset(
                self.source, engine='netcdf4', mask_and_scale=False, decode_times=False, concat_characters=False
            ) as dataset:
                dataset.to_zarr(path)
        except (ValueError, OverflowError, TypeError, NotImplementedError):
            self.counts['roots that xarray cannot write in Zarr'] += 1
            return
        variables = [each for each in variables if each.dtype.kind != 'S' and not self.is_short(each)]
        names = [variable.name + '.table.csv' for variable in variables]
        if not names:
            return
        plainfs('export', path, *names, os.path.join(self.parts, 'zarr') + '/')
        for variable, name in zip(variables, names):
            rows = rows_of(os.path.join(self.parts, 'zarr', name))
            expected = rows_of(os.path.join(self.parts, name))
            if len(rows) != len(expected) or rows[0] != expected[0]:
                raise Difference(f'{name} in Zarr: {len(rows)} rows of {rows[0]}, expected {len(expected)}')
            columns = [self.store.coordinate(variable, axis) for axis in range(rank_of(variable))] + [variable]
            for row, wanted in zip(rows[1:], expected[1:]):
                for column, text, own in zip(columns, row, wanted):
                    if column is not None and not self.is_equal_in_zarr(column, text, own):
                        raise Difference(f'{name} in Zarr: {row}, expected {wanted}')
            self.counts['rows of Zarr'] += len(rows) - 1

    def is_short(self, variable):
        """Returns whether a variable, or a coordinate of it, is shorter than its dimensions."""
        columns = [self.store.coordinate(variable, axis) for axis in range(rank_of(variable))] + [variable]
        return any(each is not None and self.stored_shape(each) != self.store.lengths(each) for each in columns)

    def is_equal_in_zarr(self, variable, text, own):
        """Compares fields. Characters are not texts in Zarr without a mark, NetCDF alone has a default fill value,
        xarray makes NaN the missing value of reals, and attributes of Zarr are doubles."""
        is_packed = 'scale_factor' in variable.ncattrs() or 'add_offset' in variable.ncattrs()
        if variable.dtype.kind == 'S' or is_time(variable) and (is_packed or own == 'NA') or text == own:
            return True
        if {text, own} == {'NA', 'NaN'}:
            return True
        try:
            size = self.size_of(variable)
            return math.isclose(float(text), float(own), rel_tol=1e-5, abs_tol=1e-5 * size)
        except ValueError:
            return False

    def compare_numbers(self, variable, read, place):
        shape = self.store.lengths(variable)
        stored = self.stored_shape(variable)
        if variable.dtype.kind == "S" or is_time(variable) or stored != shape:
            return
        rows = rows_of(os.path.join(self.parts, place, variable.name + ".table.csv"))[1:]
        expected = read.values.ravel()
        # xarray 2023 unpacks some in float that others unpack in double, and the reverse
        names = [name for name in ('scale_factor', 'add_offset') if name in variable.ncattrs()]
        is_float = scaled_type(variable.dtype, [variable.getncattr(name) for name in names]) is numpy.float32
        tolerance = 1e-5 if is_float or expected.dtype == 'f4' else 1e-12
        for row, number in zip(rows, expected):
            shown = float("nan") if row[-1] == "NA" else float(row[-1])
            if abs(shown) > 2**53:  # xarray looks for missing integers in double
                continue
            if not (shown != shown and number != number) and not math.isclose(
                shown, number, rel_tol=tolerance, abs_tol=tolerance * self.size_of(variable)
            ):
                raise Difference(f"{place}/{variable.name}: {row}, xarray {number!r}")
        self.counts["numbers of xarray"] += len(rows)

    def stored_shape(self, variable):
        if not self.store.is_hdf5:
            return self.store.lengths(variable)
        group = self.store.stored[variable.group().path]
        return (group.get("_nc4_non_coord_" + variable.name) or group[variable.name]).shape

    @staticmethod
    def size_of(variable):
        return 1 + abs(float(getattr(variable, "add_offset", 0)))


def compare(seed):
    with tempfile.TemporaryDirectory(prefix="plainfs-netcdf-") as folder:
        return Comparison(seed, folder).run()


def main():
    if missing_programs("ncdump"):
        print("skipped: " + missing_programs("ncdump"))
        sys.exit(77)
    warnings.simplefilter("ignore")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 25 * EFFORT
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    counts, differences = collections.Counter(), 0
    for seed in range(first, first + count):
        try:
            counts += compare(seed)
        except Difference as difference:
            differences += 1
            print(f"seed {seed}: {difference}", flush=True)
    for what, number in sorted(counts.items()):
        print(f"{number:,} {what}")
    print(f"{count} files, {differences} with a difference")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
