#!/usr/bin/env python3
"""NAME.parquet beside every table, read by DuckDB and hyparquet: every value matches NAME.csv."""
import math
import os
import struct

from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import answers_of_npm, needs_npm

HERE = os.path.dirname(os.path.abspath(__file__))
PBMC = os.path.join(HERE, "..", "data", "samples", "pbmc.h5ad")
SUITES = ("anndata", "h5seurat", "hdf5", "loom", "nwb", "takane", "takane-objects", "tenx", "zarr", "r-objects")


def read_all(paths):
    """Returns the output of read.mjs for each file."""
    return answers_of_npm("read.mjs", paths)


def fields_of(path):
    """Returns the lines of a .csv: the text of each field, or None if it is missing."""
    lines, field, line, quoted, was_quoted = [], "", [], False, False
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    i = 0
    while i < len(text):
        c = text[i]
        if c == '"' and quoted and text[i + 1 : i + 2] == '"':
            field += c
            i += 1
        elif c == '"':
            quoted, was_quoted = not quoted, True
        elif not quoted and c in ",\n":
            line.append(None if field == "NA" and not was_quoted else field)
            field, was_quoted = "", False
            if c == "\n":
                lines.append(line)
                line = []
        else:
            field += c
        i += 1
    return lines


def single(value):
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def whole_time(text):
    """Returns an ISO 8601 time of any unit in nanoseconds."""
    date, _, time = text.removesuffix("Z").removesuffix("+00").partition("T")
    clock, _, fraction = time.partition(".")
    clock = ([part for part in clock.split(":") if part] + ["00"] * 3)[:3]
    return date, clock, fraction.ljust(9, "0")


def is_same(kind, ours, text):
    if text is None or ours is None:
        return text is None and ours is None
    if kind == "BOOLEAN":
        return ours.upper() == text
    if kind in ("FLOAT", "DOUBLE"):
        mine, theirs = float(ours), float(text)
        if kind == "FLOAT":
            mine, theirs = single(mine), single(theirs)
        return mine == theirs or math.isnan(mine) and math.isnan(theirs)
    if kind.startswith("TIMESTAMP") or kind == "DATE":
        digits = 6 if kind == "TIMESTAMP WITH TIME ZONE" else 9  # DuckDB stores those in microseconds
        (*mine, fraction), (*theirs, other) = whole_time(ours.replace(" ", "T")), whole_time(text)
        return mine == theirs and fraction[:digits] == other[:digits]
    return ours == text


def is_same_half(ours, text):
    """Compares float16 values: the text has the digits of its own type."""
    try:
        return struct.pack("e", float(ours)) == struct.pack("e", float(text))
    except (TypeError, ValueError, OverflowError):
        return False


def difference(answer, lines):
    if "error" in answer:
        return answer["error"]
    header, body = lines[0], lines[1:]
    if len(answer["rows"]) != len(body) or answer["others"] != len(body):
        return f"{len(answer['rows'])} and {answer['others']} rows, not {len(body)}"
    names = answer["names"]
    if len(names) != len(header):
        return f"columns {names}, not {header}"
    for ours, theirs in zip(names, header):
        theirs = theirs if theirs is not None else "NA"
        if ours != theirs and not ours.startswith(theirs + "_") and not (theirs == "" and ours.startswith("_index")):
            return f"a column {ours}, not {theirs}"
    for number, (row, line) in enumerate(zip(answer["rows"], body)):
        for name, kind, ours, text in zip(names, answer["types"], row, line):
            if not is_same(kind, ours, text) and not (kind == "FLOAT" and is_same_half(ours, text)):
                return f"row {number}, column {name}: {kind} {ours!r}, not {text!r}"
    return None


class ParquetTest(Folder):
    def test_it_is_found_and_not_listed(self):
        with Mount(PBMC) as mount:
            self.assertNotIn("obs.parquet", os.listdir(mount.path))
            self.assertNotIn(b".parquet", run("find", mount.path, "-name", "*.parquet").stdout)
            path = mount.join("obs.parquet")
            whole = mount.read("obs.parquet")
            self.assertEqual(os.path.getsize(path), len(whole))
            self.assertEqual((whole[:4], whole[-4:]), (b"PAR1", b"PAR1"))
            self.assertEqual(run(PROGRAM, "cat", PBMC, "obs.parquet").stdout, whole)
            self.assertEqual(run(PROGRAM, "cat", "--range", "100-199", PBMC, "obs.parquet").stdout, whole[100:200])
        with Mount(PBMC, "-o", "views=csv+parquet") as mount:
            self.assertIn("obs.parquet", os.listdir(mount.path))
            self.assertEqual(mount.read("obs.parquet"), whole)

    @needs_npm("@duckdb/node-api", "hyparquet")
    def test_every_value_matches_the_csv(self):
        files = []
        for suite in SUITES:
            for case in sorted(os.listdir(os.path.join(DATA, suite))):
                folder = os.path.join(DATA, suite, case)
                for store in sorted(os.listdir(folder)):
                    if not store.startswith("store"):
                        continue
                    target = os.path.join(self.folder, f"{suite}-{case}-{store}")
                    run(PROGRAM, "export", "--views", "csv+parquet", os.path.join(folder, store), target)
                    for at, folders, names in os.walk(target):
                        folders[:] = [name for name in folders if not name.endswith(".parquet")]  # those of the store
                        files += [os.path.join(at, name) for name in names if name.endswith(".parquet")]
        files = [file for file in sorted(files) if not os.path.islink(file)]
        self.assertGreater(len(files), 100)
        answers = read_all(files)
        wrong = []
        for file, answer in zip(files, answers, strict=True):
            text = file[: -len(".parquet")] + ".csv"
            found = difference(answer, fields_of(text)) if os.path.exists(text) else "no .csv"
            if found:
                wrong.append(f"{os.path.relpath(file, self.folder)}: {found}")
        self.assertEqual(wrong, [])

    @needs_npm("@duckdb/node-api", "hyparquet")
    def test_readers_read_it_in_place(self):
        with Mount(PBMC) as mount:
            (answer,) = read_all([mount.join("obs.parquet")])
            lines = fields_of(mount.join("obs.csv"))
            self.assertIsNone(difference(answer, lines))
            for column in range(len(lines[0])):  # a wrong value is detected
                wrong = [list(line) for line in lines]
                wrong[7][column] = "1e9"
                self.assertIn("row 6, column ", difference(answer, wrong))


if __name__ == "__main__":
    main()
