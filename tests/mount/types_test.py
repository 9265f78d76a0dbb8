#!/usr/bin/env python3
"""Every type of column, with missing, NaN, infinite, empty and extreme values, in every file made from a table.

Each file is read by its own programs: .rds and seurat.rds by R, .h5ad and anndata.zarr by anndata, .parquet by DuckDB.
"""
import decimal
import math
import os
import subprocess
import warnings

from mounted import PROGRAM, Folder, main, run
from optional import import_or_exit, missing_npm, missing_r, needs_r, skip_rest
from parquet_test import difference, fields_of, read_all

anndata, numpy, pandas, zarr = import_or_exit("anndata", "numpy", "pandas", "zarr")

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "column_types.R")
VIEWS = "csv+npy+rds+seurat+h5ad+zarr+parquet"
R_SECONDS, R_DAYS = ("POSIXct POSIXt", "double", "UTC"), ("Date", "double", "")
R_TEXT, R_NUMBER, R_INTEGER, R_WIDE = (
    ("character", "character", ""),
    ("numeric", "double", ""),
    ("integer", "integer", ""),
    ("integer64", "double", ""),
)
LEVELS = "abbbbbba"  # the cells of level a have no missing or infinite value


def r(*arguments):
    done = subprocess.run(
        ["Rscript", SCRIPT, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=dict(os.environ, LC_ALL="C.UTF-8"),
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def r_columns(*files):
    """Returns {column: ((class, type, units or time zone), values as printed by column_types.R)} of each file."""
    found = []
    for lines in r("read", *files).split("\n\n")[:-1]:
        fields = [line.split("\t") for line in lines.split("\n")]
        found.append(
            {
                name: (tuple(about), values)
                for name, *about, values in [(each[0], each[1], each[2], each[3], each[4:]) for each in fields]
            }
        )
    return found


def export(store, target):
    done = run(PROGRAM, "export", "--views", VIEWS, store, target)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())


def point_in_time(number, unit):
    """Returns a number of days or seconds of R in the form of the .csv. A number outside of time stays a number."""
    if not abs(number) <= 2**53:
        return number
    whole = numpy.datetime_as_string(numpy.datetime64(math.floor(number), unit))
    if unit == "D":
        return str(whole)
    exact = decimal.Decimal(repr(number))  # its shortest exact digits
    _, _, fraction = f"{exact - math.floor(exact):f}".rstrip("0").partition(".")
    return f"{whole}{'.' if fraction else ''}{fraction}Z"


def to_the_second(text):
    """Splits a time of any unit into its date, its clock and the fraction of its second."""
    date, _, time = text.removesuffix("Z").partition("T")
    clock, _, fraction = time.partition(".")
    return date, (clock + "00:00:00"[len(clock) :]), fraction.rstrip("0")


def meant(about, values):
    """Returns R values in Python: None for missing ones, times as the text of a .csv."""
    classes, kind, _ = about
    if kind == "character" or "factor" in classes:
        return [None if value == "NA" else value[1:] for value in values]
    if kind == "logical":
        return [None if value == "NA" else value == "TRUE" for value in values]
    if kind == "complex":
        return [None if value.startswith("NA") else complex(*map(float, value.split(","))) for value in values]
    if classes == "integer64":
        numbers = [int(value, 16) for value in values]
        return [None if number == 2**63 else number - 2**64 * (number > 2**63) for number in numbers]
    numbers = [None if value == "NA" else float(value) for value in values]
    if classes == "integer":
        return [None if number is None else int(number) for number in numbers]
    unit = "D" if "Date" in classes else "s" if "POSIXct" in classes else None
    return [number if unit is None or number is None else point_in_time(number, unit) for number in numbers]


def alone(folder, names):
    """Returns {column: its fields} of the .csv files of single columns."""
    return {name: [line[0] for line in fields_of(os.path.join(folder, name + ".csv"))] for name in names}


def is_nan(value):
    return isinstance(value, (float, complex, numpy.inexact)) and value != value


def is_same_text(text, value):
    """Compares a field of a .csv (None for NA) with a value."""
    if value is None or text is None:
        return value is None and text is None
    if isinstance(value, (bool, numpy.bool_)):
        return text == ("TRUE" if value else "FALSE")
    if isinstance(value, str):
        return text == value
    if isinstance(value, (complex, numpy.complexfloating)):
        return text.endswith("i") and is_same_number(type(value)(complex(text[:-1].lower() + "j")), value)
    if isinstance(value, (float, numpy.floating)):
        return is_same_number(type(value)(text), value)
    return text == str(value)


def is_same_number(ours, value):
    return ours == value or (is_nan(complex(ours)) and is_nan(complex(value)))


def is_same_item(item, value):
    """Compares a value of pandas, which also has NaN for missing reals."""
    is_missing = item is None or item is pandas.NA or is_nan(item)
    if value is None or is_missing:
        return is_missing and (value is None or is_nan(value))
    if isinstance(value, float) and isinstance(item, str):  # not a time
        return is_same_text(item, value)
    if isinstance(value, (complex, numpy.complexfloating)):
        return is_same_number(item, value)
    return item == value and isinstance(item, str) == isinstance(value, str)


def is_same_of_r(ours, value):
    """Compares a value of R, which stores integers as doubles, and numbers without an R type as text."""
    if isinstance(value, str) and isinstance(ours, str):
        return ours == value or to_the_second(ours) == to_the_second(value)
    if isinstance(ours, str):
        return is_same_text(ours, value)
    return ours is value or (None not in (ours, value) and is_same_number(ours, value))


def read_obs(path):
    """Returns the columns of the cells in an .h5ad or .zarr."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (anndata.read_h5ad if path.endswith(".h5ad") else anndata.read_zarr)(path).obs


def columns_of(path):
    """Returns {column: its fields} of a .csv."""
    header, *lines = fields_of(path)
    return {name: [line[at] for line in lines] for at, name in enumerate(header)}


# Returns eight values of a numpy type, in the order of column_types.R. Counts of times that are not a time become None.
def numbers(kind, plain=1):
    information = (numpy.finfo if kind[0] == "f" else numpy.iinfo)(kind)
    low, high = information.min, information.max
    if kind[0] == "f":
        return numpy.array([plain, numpy.nan, numpy.nan, numpy.inf, -numpy.inf, low, high, 0], kind)
    return numpy.array([plain, 0, 2, 3, 4, low, high, 0], kind)


def times(kind, unit, plain=18262, low=-1000, high=4000):
    missing = numpy.iinfo("i8").min
    return numpy.array([plain, missing, 1, 2, 3, low, high, 0], "i8").view(f"{kind}8[{unit}]")


UNITS = {
    "Y": R_TEXT,
    "M": R_TEXT,
    "W": R_DAYS,
    "D": R_DAYS,
    **dict.fromkeys(("h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"), R_SECONDS),
}
MISSING = numpy.array([False, True] + 6 * [False])


def numpy_columns():
    """Returns {name: (how it is written, Python values, R values)}."""
    built = {"truth": ("array", numpy.array([True, False] * 4), ("logical", "logical", ""))}
    for kind, about in {
        "i1": R_INTEGER,
        "i2": R_INTEGER,
        "i4": R_NUMBER,
        "i8": R_TEXT,
        "u1": R_INTEGER,
        "u2": R_INTEGER,
        "u4": R_NUMBER,
        "u8": R_TEXT,
        "f2": R_NUMBER,
        "f4": R_NUMBER,
        "f8": R_NUMBER,
    }.items():
        built[kind] = ("array", numbers(kind), about)
    within = numbers("i4")
    within[5] = -(2**31) + 1
    wide = numbers("i8")
    wide[5] = -(2**63) + 1
    built["i4_of_r"] = ("array", within, R_INTEGER)
    built["i8_exact"] = ("array", within.astype("i8"), R_NUMBER)
    built["i8_wide"] = ("array", wide, R_WIDE)
    built["u8_wide"] = ("array", numpy.array([1, 0, 2, 3, 4, 5, 2**63 - 1, 0], "u8"), R_WIDE)
    for kind in ("c8", "c16"):
        built[kind] = (
            "array",
            numpy.array([1 + 2j, 0, numpy.nan, numpy.inf, -numpy.inf, -1e30, 1e-30, 0], kind),
            ("complex", "complex", ""),
        )
    words = ["x", "NA", "NaN", "Inf", "-Inf", "a,b", 'q"', ""]
    built["text"] = ("string-array", numpy.array(words, object), R_TEXT)
    built["U4"] = ("array", numpy.array(words, "U4"), R_TEXT)
    built["S4"] = ("array", numpy.array(words, "S4"), R_TEXT)
    built["categorical"] = (
        "categorical",
        (numpy.array([0, -1, 1, 2, 0, 1, 2, 3], "i1"), ["x", "NA", "Inf", ""]),
        ("factor", "integer", ""),
    )
    built["ordered"] = (
        "ordered",
        (numpy.array([0, -1, 1, 0, 0, 1, 0, 1], "i1"), ["low", "high"]),
        ("ordered factor", "integer", ""),
    )
    built["nullable"] = ("nullable-integer", (wide, MISSING), R_WIDE)
    built["nullable_truth"] = ("nullable-boolean", (built["truth"][1], MISSING), ("logical", "logical", ""))
    built["nullable_whole"] = ("nullable-integer", (within, ~MISSING & MISSING), R_INTEGER)
    for unit, about in UNITS.items():
        built[f"time_{unit}"] = ("array", times("M", unit), about)
    built["day_far"] = ("array", times("M", "D", high=2**53 + 1), R_TEXT)
    built["second_far"] = ("array", times("M", "s", high=2**53 + 1), R_TEXT)
    built["nano_exact"] = ("array", times("M", "ns", plain=1700000000123456000), R_SECONDS)
    built["nano_digits"] = ("array", times("M", "ns", plain=1700000000123456789), R_TEXT)
    built["span"] = ("array", times("m", "s"), R_NUMBER)
    built["span_wide"] = ("array", times("m", "ns", high=2**63 - 1), R_WIDE)
    return built


def values_of(how, stored):
    """Returns the Python values: None for missing ones, times as the text of a .csv."""
    if how in ("categorical", "ordered"):
        codes, labels = stored
        return [None if code < 0 else labels[code] for code in codes]
    if how.startswith("nullable"):
        values, mask = stored
        return [None if gone else value for value, gone in zip(values.tolist(), mask)]
    if stored.dtype.kind == "M":
        return [None if numpy.isnat(value) else str(value) for value in stored]
    if stored.dtype.kind == "m":
        return [None if numpy.isnat(value) else int(value.astype("i8")) for value in stored]
    if stored.dtype.kind == "S":
        return [value.decode() for value in stored]
    return list(stored) if stored.dtype.kind in "fc" else stored.tolist()


def write_element(group, name, how, stored):
    def put(where, label, values, encoding="array"):
        filters = {"object_codec": zarr.codecs.VLenUTF8()} if values.dtype == object else {}
        where.create_dataset(label, data=values, **filters).attrs.update(
            {"encoding-type": encoding, "encoding-version": "0.2.0"}
        )

    if how in ("categorical", "ordered"):
        codes, labels = stored
        inner = group.create_group(name)
        inner.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0", "ordered": how == "ordered"})
        put(inner, "codes", codes)
        put(inner, "categories", numpy.array(labels, object), "string-array")
    elif how.startswith("nullable"):
        inner = group.create_group(name)
        inner.attrs.update({"encoding-type": how, "encoding-version": "0.1.0"})
        put(inner, "values", stored[0])
        put(inner, "mask", stored[1])
    else:
        put(group, name, stored, how)


def write_frame(group, columns, names):
    group.attrs.update(
        {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index", "column-order": list(columns)}
    )
    write_element(group, "_index", "string-array", numpy.array(names, object))
    for name, (how, stored, _) in columns.items():
        write_element(group, name, how, stored)


def write_anndata(path, columns):
    root = zarr.open_group(path, mode="w")
    root.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    write_element(root, "X", "array", numpy.ones((8, 2), "f4"))
    write_frame(root.create_group("obs"), columns, [f"c{number}" for number in range(8)])
    write_frame(root.create_group("var"), {}, ["g1", "g2"])


def of_seurat(folder):
    """Returns a list with the Seurat object of a folder. R reads it only if it knows the class."""
    return [] if missing_r("Seurat") else [os.path.join(folder, "seurat.rds")]


class TypesTest(Folder):
    def hold(self, expected, path, ours, is_same):
        """Compares each value of each column with the expected one."""
        wrong = [
            f"{path}: {name}, row {row}: {ours[name][row]!r}, not {value!r}"
            for name, values in expected.items()
            for row, value in enumerate(values)
            if not is_same(ours[name][row], value)
        ]
        self.assertEqual(wrong, [])

    def hold_parquet(self, *files):
        skip_rest(self, missing_npm("@duckdb/node-api", "hyparquet"))
        for file, answer in zip(files, read_all(files), strict=True):
            self.assertIsNone(difference(answer, fields_of(file[: -len("parquet")] + "csv")), file)

    def hold_anndata(self, expected, folder, *others):
        for name in ("anndata.h5ad", "anndata.zarr", *others):
            obs = read_obs(os.path.join(folder, name))
            self.hold(expected, name, {column: list(obs[column]) for column in expected}, is_same_item)

    @needs_r()
    def test_every_type_of_r_survives_the_round_trip(self):
        r("write", self.folder)
        target = os.path.join(self.folder, "shown")
        for store in ("frame", "experiment"):
            export(os.path.join(self.folder, store + ".rds"), os.path.join(target, store))
        frame, cells = os.path.join(target, "frame", "table"), os.path.join(target, "experiment", "column_data")
        files = [frame + ".rds", cells + ".rds", *of_seurat(os.path.join(target, "experiment"))]
        stored, *shown = r_columns(os.path.join(self.folder, "frame.rds"), *files)
        for file, columns in zip(files, shown):
            self.assertEqual({name: columns[name] for name in stored}, stored, file)
        expected = {name: meant(*column) for name, column in stored.items()}
        for path in (frame, cells):
            self.hold(expected, path, columns_of(path + ".csv"), is_same_text)
            self.hold(expected, path, alone(path, expected), is_same_text)
        for name in ("date", "day", "instant", "difftime"):
            shown = numpy.load(os.path.join(frame, name + ".npy"))
            self.hold(
                {name: [float(value) for value in stored[name][1] if value != "NA"]},
                name + ".npy",
                {name: numpy.delete(shown, 1)},
                is_same_number,
            )
        self.hold_anndata(expected, os.path.dirname(cells))
        self.hold_parquet(frame + ".parquet", cells + ".parquet")

    def test_every_type_of_numpy_survives_the_round_trip(self):
        columns = numpy_columns()
        expected = {name: values_of(how, stored) for name, (how, stored, _) in columns.items()}
        store, target = os.path.join(self.folder, "store.zarr"), os.path.join(self.folder, "shown")
        write_anndata(store, columns)
        export(store, target)
        obs = os.path.join(target, "obs")
        self.hold(expected, "obs.csv", columns_of(obs + ".csv"), is_same_text)
        self.hold(expected, "obs", alone(obs, expected), is_same_text)
        for name, (how, stored, _) in columns.items():
            if how == "array":
                numpy.testing.assert_array_equal(numpy.load(os.path.join(obs, name + ".npy")), stored, name)
        self.hold_anndata(expected, target)
        types = read_obs(os.path.join(target, "anndata.h5ad")).dtypes
        self.assertEqual(
            [str(types[name]) for name in ("nullable", "nullable_truth", "nullable_whole")],
            ["Int64", "boolean", "Int32"],
        )
        if not missing_r():
            for shown in r_columns(obs + ".rds", *of_seurat(target)):
                self.assertEqual(
                    {name: shown[name][0] for name in columns}, {name: about for name, (_, _, about) in columns.items()}
                )
                self.hold(expected, "obs.rds", {name: meant(*shown[name]) for name in columns}, is_same_of_r)
        self.hold_parquet(obs + ".parquet")
        skip_rest(self, missing_r("Seurat"))

    def test_column_has_one_type_in_all_levels(self):
        columns = numpy_columns()
        columns["group"] = (
            "categorical",
            (numpy.array(["ab".index(level) for level in LEVELS], "i1"), ["a", "b"]),
            None,
        )
        store = os.path.join(self.folder, "store.zarr")
        write_anndata(store, columns)
        folders = ["", "by/group/a", "by/group/b"]
        types, parquet = [], []
        for number, folder in enumerate(folders):
            files = {}
            for name in ("anndata.h5ad", "obs.rds", "obs.parquet"):
                files[name] = os.path.join(self.folder, f"{number}-{name}")
                with open(files[name], "wb") as file:
                    file.write(run(PROGRAM, "cat", store, os.path.join(folder, name)).stdout)
            types.append({name: str(kind) for name, kind in read_obs(files["anndata.h5ad"]).dtypes.items()})
            parquet.append(files["obs.parquet"])
        self.assertEqual(types[1], types[0])
        self.assertEqual(types[2], types[0])
        if not missing_r():
            whole, *levels = r_columns(
                *(os.path.join(self.folder, f"{number}-obs.rds") for number in range(len(folders)))
            )
            for level in levels:
                self.assertEqual(
                    {name: about for name, (about, _) in level.items()},
                    {name: about for name, (about, _) in whole.items()},
                )
        skip_rest(self, missing_npm("@duckdb/node-api", "hyparquet"))
        whole, *levels = [answer["types"] for answer in read_all(parquet)]
        self.assertEqual(levels, [whole, whole])
        skip_rest(self, missing_r())


if __name__ == "__main__":
    main()
