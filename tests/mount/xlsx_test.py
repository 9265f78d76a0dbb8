#!/usr/bin/env python3
"""NAME.xlsx beside every table, read by openpyxl, readxl and LibreOffice: every value matches NAME.csv."""
import csv
import datetime
import glob
import io
import json
import math
import os
import random
import re
import subprocess
import zipfile
from xml.etree import ElementTree

from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import needs, needs_modules, needs_r
from parquet_test import SUITES, fields_of

HERE = os.path.dirname(os.path.abspath(__file__))
PBMC = os.path.join(HERE, "..", "data", "samples", "pbmc.h5ad")
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# Names of genes that Excel takes for dates or numbers when it opens a .csv, and texts that look like formulas.
MISREAD = (
    "MARCH1 SEPT2 DEC1 OCT4 NOV1 APR2 MAR3 FEB1 2-Mar 2310009E13 00123 1E5 TRUE FALSE NA #N/A =1+1 +1 -2+3 @SUM(A1)"
).split()
HOSTILE = ["", " ", " a ", "a  b", "a\tb", "a\nb", "a\r\nb", "<b>&amp;</b>", "]]>", '"', "'", ",", "\x01\x1f"]
HOSTILE += ["_x0041_", "a_x1_", "_x000D_", "_x12345_", "\ufffe\uffff", "é", "\U0001f600", "\u2028"]


def unescaped(text):
    return re.sub("_x([0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), text)


def sheets_of(path):
    """Returns the cells of each sheet by its name: rows of values, None for an empty cell. Independent of any
    library, so that it is exact for texts that libraries change."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        parts = {name: archive.read(name) for name in archive.namelist()}
    trees = {name: ElementTree.fromstring(content) for name, content in parts.items()}
    shared = [unescaped(item.findtext(MAIN + "t")) for item in trees["xl/sharedStrings.xml"]]
    sheets = {}
    for number, sheet in enumerate(trees["xl/workbook.xml"].iter(MAIN + "sheet"), 1):
        rows = []
        for row in trees[f"xl/worksheets/sheet{number}.xml"].iter(MAIN + "row"):
            assert row.get("r") == str(len(rows) + 1)
            rows.append({re.sub(r"\d", "", cell.get("r")): value_of(cell, shared) for cell in row})
        sheets[sheet.get("name")] = rows
    return sheets


def value_of(cell, shared):
    kind, text = cell.get("t"), cell.findtext(MAIN + "v")
    if kind == "inlineStr":
        return cell.find(MAIN + "is").findtext(MAIN + "t")
    if kind == "s":
        return shared[int(text)]
    if kind == "b":
        return text == "1"
    if cell.get("s") in ("2", "3"):
        return datetime.datetime(1899, 12, 30) + datetime.timedelta(microseconds=round(float(text) * 86400e6))
    return float(text)


def letters(column):
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def is_time(text, value):
    """Compares an ISO 8601 time without a zone or in UTC with one in microseconds."""
    text = text.removesuffix("Z")
    date, _, time = text.partition("T")
    clock, _, fraction = time.partition(".")
    clock = ":".join(([part for part in clock.split(":") if part] + ["00"] * 3)[:3])
    return value == datetime.datetime.fromisoformat(f"{date} {clock}.{fraction.ljust(6, '0')[:6]}")


def is_same(value, text):
    """Compares a cell with the text of a .csv, None if that is missing."""
    if value is None:
        return text in (None, "NaN", "Inf", "-Inf")
    if text is None:
        return False
    if isinstance(value, bool):
        return text == ("TRUE" if value else "FALSE")
    if isinstance(value, datetime.datetime):
        return is_time(text, value)
    if isinstance(value, (int, float)):
        return float(text) == value
    return value == text


def difference(rows, lines):
    """Compares the rows of a sheet, as of sheets_of, with the lines of a .csv."""
    if len(rows) != len(lines):
        return f"{len(rows)} rows, not {len(lines)}"
    for number, (row, line) in enumerate(zip(rows, lines)):
        for column, text in enumerate(line):
            value = row.get(letters(column))
            if not is_same(value, text) and not (number == 0 and value is None and text == ""):
                return f"row {number}, column {column}: {value!r}, not {text!r}"
    return None


def write_random(path, seed, rows=300, texts=None):
    """Writes an .h5ad with columns of each type in obs: random values, and missing ones."""
    import anndata
    import numpy
    import pandas

    rng, pick = numpy.random.default_rng(seed), random.Random(seed)
    texts = texts or MISREAD + HOSTILE
    obs = pandas.DataFrame(index=[pick.choice(texts) + f" {i}" for i in range(rows)])
    obs["gene"] = [pick.choice(texts) for _ in range(rows)]
    obs["count"] = rng.integers(-(2**31), 2**31, rows)
    obs["large"] = rng.integers(-(2**63), 2**63 - 1, rows, dtype="i8") >> rng.integers(0, 60, rows)
    obs["real"] = rng.normal(size=rows) * 10.0 ** rng.integers(-300, 300, rows)
    obs["single"] = rng.normal(size=rows).astype("f4")
    obs["truth"] = rng.random(rows) < 0.5
    obs.loc[obs.index[rng.random(rows) < 0.1], "real"] = math.nan
    obs.loc[obs.index[0], "real"] = math.inf
    levels = sorted(set(pick.choices(texts, k=9)))
    obs["level"] = pandas.Categorical([pick.choice(levels + [None]) for _ in range(rows)], categories=levels)
    obs["perhaps"] = pandas.array([pick.choice([1, -5, None]) for _ in range(rows)], dtype="Int32")
    anndata.AnnData(numpy.zeros((rows, 1), "f4"), obs=obs).write(path)


class XlsxTest(Folder):
    def test_it_is_found_and_not_listed(self):
        with Mount(PBMC) as mount:
            self.assertNotIn("obs.xlsx", os.listdir(mount.path))
            self.assertTrue(os.path.isfile(mount.join("obs.xlsx")))
        with Mount(PBMC, "-o", "views=csv+xlsx") as mount:
            self.assertIn("obs.xlsx", os.listdir(mount.path))

    @needs_modules("anndata")
    def test_values_of_random_tables_are_those_of_the_csv(self):
        for seed in range(4):
            store = os.path.join(self.folder, f"{seed}.h5ad")
            write_random(store, seed, rows=1 + 700 * seed)
            with self.subTest(seed), Mount(store) as mount:
                rows = sheets_of(mount.join("obs.xlsx"))["table"]
                self.assertIsNone(difference(rows, fields_of(mount.join("obs.csv"))))
                self.exported_is_the_same(store, mount)

    def exported_is_the_same(self, store, mount):
        target = os.path.join(self.folder, "out.xlsx")
        done = run(PROGRAM, "export", "--force", "--of", "obs.xlsx", store, target)
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(target) as packed, zipfile.ZipFile(mount.join("obs.xlsx")) as stored:
            self.assertIsNone(packed.testzip())
            self.assertEqual(packed.namelist(), stored.namelist())
            for name in packed.namelist():
                self.assertEqual(packed.getinfo(name).compress_type, zipfile.ZIP_DEFLATED)
                self.assertEqual(stored.getinfo(name).compress_type, zipfile.ZIP_STORED)
                self.assertEqual(packed.read(name), stored.read(name))

    def test_every_table_of_the_golden_stores_matches_its_csv(self):
        found = 0
        for suite in SUITES:
            for case in sorted(glob.glob(os.path.join(DATA, suite, "*"))):
                stores = glob.glob(os.path.join(case, "store*"))
                if not stores:
                    continue
                with Mount(stores[0], "-o", "views=csv+xlsx") as mount:
                    for folder, _, files in os.walk(mount.path):
                        for name in files:
                            if name.endswith(".xlsx") and name[:-5] + ".csv" in files:  # not workbook.xlsx
                                found += 1
                                with self.subTest(store=stores[0], name=os.path.join(folder, name)):
                                    self.check_table(os.path.join(folder, name))
        self.assertGreater(found, 100)

    def check_table(self, path):
        try:
            lines = fields_of(path[:-5] + ".csv")
        except OSError as error:
            with self.assertRaises(OSError) as refused, open(path, "rb") as file:
                file.read()
            self.assertEqual(refused.exception.errno, error.errno)
            return
        [rows] = sheets_of(path).values()
        self.assertIsNone(difference(rows, lines))

    @needs_modules("openpyxl", "anndata")
    def test_openpyxl_reads_the_values_of_the_csv(self):
        import openpyxl

        store = os.path.join(self.folder, "x.h5ad")
        write_random(store, 5, texts=[text for text in MISREAD + HOSTILE if text.isprintable() and "_x" not in text])
        with Mount(store) as mount:
            sheet = openpyxl.load_workbook(mount.join("obs.xlsx")).active
            self.assertEqual((sheet.freeze_panes, sheet.auto_filter.ref), ("A2", "A1:I301"))
            self.assertTrue(sheet["B1"].font.bold)
            self.assertEqual({cell.data_type for cell in sheet["B"]}, {"s"})
            rows = [{letters(i): value for i, value in enumerate(row)} for row in sheet.iter_rows(values_only=True)]
            self.assertIsNone(difference(rows, fields_of(mount.join("obs.csv"))))

    @needs_r("readxl", "jsonlite")
    @needs_modules("anndata")
    def test_readxl_reads_the_values_of_the_csv(self):
        store = os.path.join(self.folder, "x.h5ad")
        write_random(store, 6, texts=[text for text in MISREAD + HOSTILE if text.strip() == text and "\r" not in text])
        script = (
            "x <- suppressMessages(readxl::read_excel(commandArgs(TRUE)[1], trim_ws = FALSE));"
            "cat(jsonlite::toJSON(unname(lapply(x, function(c) if (is.numeric(c)) sprintf('%.17g', c) else c)),"
            "na = 'null', auto_unbox = FALSE))"
        )
        with Mount(store) as mount:
            done = run("Rscript", "-e", script, mount.join("obs.xlsx"))
            self.assertEqual(done.returncode, 0, done.stderr)
            columns = json.loads(done.stdout)
            lines = fields_of(mount.join("obs.csv"))
        self.assertEqual([len(columns), len(columns[0])], [len(lines[0]), len(lines) - 1])
        for number, line in enumerate(lines[1:]):
            for column, text in enumerate(line):
                value = columns[column][number]
                if text == "" and value is None:
                    continue  # readxl takes an empty text for missing
                if column in (2, 4, 5, 8) and value not in (None, "NA"):
                    value = float(value)
                value = None if value == "NA" and column != 0 and text != "NA" else value
                self.assertTrue(is_same(value, text), (number, column, value, text))

    # VIEWS 10 "Dates, and points in time in UTC, are numbers of days"
    @needs_r("readxl")
    def test_readxl_reads_the_dates_of_r(self):
        store = os.path.join(self.folder, "d.rds")
        script = (
            "x <- data.frame(day = as.Date(c('2024-03-01', '1900-03-01', NA, '9999-12-31')),"
            "time = as.POSIXct(c('2024-03-01 13:45:30.25', '1969-12-31 23:59:59', NA, '2000-01-01'), tz = 'UTC'));"
            "f <- commandArgs(TRUE); if (length(f) == 1) saveRDS(x, f) else {"
            "y <- as.data.frame(readxl::read_excel(f[2]));"
            "stopifnot(identical(as.Date(y$day), x$day), all.equal(y$time, x$time, tolerance = 0)) }"
        )
        done = run("Rscript", "-e", script, store)
        self.assertEqual(done.returncode, 0, done.stderr)
        with Mount(store) as mount:
            done = run("Rscript", "-e", script, store, mount.join("table.xlsx"))
            self.assertEqual(done.returncode, 0, done.stderr)

    @needs("soffice")
    @needs_modules("anndata")
    def test_libreoffice_converts_it_to_the_csv(self):
        store = os.path.join(self.folder, "x.h5ad")
        write_random(store, 7, texts=[text for text in MISREAD + HOSTILE if "\r" not in text])
        with Mount(store) as mount:
            done = subprocess.run(
                ["soffice", f"-env:UserInstallation=file://{self.folder}/profile", "--headless", "--convert-to"]
                + ["csv:Text - txt - csv (StarCalc):44,34,76", "--outdir", self.folder, mount.join("obs.xlsx")],
                capture_output=True,
                timeout=300,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.folder, "obs.csv"), encoding="utf-8", newline="") as file:
                found = list(csv.reader(io.StringIO(file.read())))
            lines = fields_of(mount.join("obs.csv"))
        self.assertEqual(len(found), len(lines))
        for line, ours in zip(lines, found):
            for column, (text, value) in enumerate(zip(line, ours)):
                if column in (4, 5) and line is not lines[0] and value:  # it prints at most 15 digits
                    self.assertTrue(math.isclose(float(value), float(text), rel_tol=1e-8, abs_tol=1e-300))
                elif not is_same(value or None, text) and (value, text) != ("", ""):
                    self.fail(f"column {column}: {value!r}, not {text!r}")


class WorkbookTest(Folder):
    def test_workbook_has_the_tables_of_the_store(self):
        with Mount(PBMC) as mount:
            self.assertNotIn("workbook.xlsx", os.listdir(mount.path))
            sheets = sheets_of(mount.join("workbook.xlsx"))
            embeddings = [name[:-4] for name in sorted(os.listdir(mount.join("obsm"))) if name.endswith(".csv")]
            self.assertEqual(list(sheets)[:2] + list(sheets)[-1:], ["cells", "genes", "about"])
            self.assertEqual(sorted(list(sheets)[2:-1]), embeddings)
            obs = fields_of(mount.join("obs.csv"))
            self.assertIsNone(difference(sheets["cells"], obs))
            self.assertIsNone(difference(sheets["genes"], fields_of(mount.join("var.csv"))))
            for name in embeddings:
                lines = fields_of(mount.join("obsm", name + ".csv"))
                width = len(sheets[name][1]) - 1
                columns = ["", *[str(number + 1) for number in range(width)]]
                values = [line[-width:] for line in lines[1 - len(obs) :]]
                named = [columns, *[[line[0], *its] for line, its in zip(obs[1:], values)]]
                self.assertIsNone(difference(sheets[name], named))
            about = [(row["A"], row["B"]) for row in sheets["about"]]
        self.assertEqual(about[:3], [("item", "value"), ("cells", str(len(obs) - 1)), ("genes", about[2][1])])
        self.assertIn(("sheet cells", "one row for each cell"), about)
        self.assertIn(("not in this file", "X"), about)

    def test_export_of_a_store_is_its_workbook(self):
        target = os.path.join(self.folder, "pbmc.xlsx")
        done = run(PROGRAM, "export", PBMC, target)
        self.assertEqual(done.returncode, 0, done.stderr)
        with Mount(PBMC) as mount:
            self.assertEqual(sheets_of(target), sheets_of(mount.join("workbook.xlsx")))
        done = run(PROGRAM, "export", "--of", "obs", "--force", PBMC, target)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(sheets_of(target)), ["table"])

    @needs_modules("anndata")
    def test_odd_embeddings_are_left_out_or_renamed(self):
        import anndata
        import numpy

        store = os.path.join(self.folder, "x.h5ad")
        cells = anndata.AnnData(numpy.zeros((2, 1), "f4"))
        cells.obsm = {"Cells": numpy.eye(2), "a[1]": numpy.eye(2), "cube": numpy.zeros((2, 2, 2))}
        cells.obsm["wide"] = numpy.zeros((2, 16385), "i1")
        cells.write(store)
        with Mount(store) as mount:
            sheets = sheets_of(mount.join("workbook.xlsx"))
            self.assertEqual(sorted(sheets), ["Cells_2", "a_1_", "about", "cells", "genes"])
            self.assertIn("sheet a_1_", {row["A"] for row in sheets["about"]})
            left_out = {row["B"] for row in sheets["about"] if row["A"] == "not in this file"}
            self.assertEqual(left_out, {"X", "obsm/cube", "obsm/wide"})
            self.assertIn("obsm/wide is left out", mount.read(".plainfs", "log").decode())

    def test_every_assay_has_a_workbook(self):
        with Mount(os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")) as mount:
            for assay in ("RNA", "ADT"):
                sheets = sheets_of(mount.join("assays", assay + ".xlsx"))
                self.assertEqual(list(sheets)[:2], ["cells", "genes"])
                self.assertIsNone(difference(sheets["cells"], fields_of(mount.join("meta.data.csv"))))

    # VIEWS 10 "has all of them"
    def test_workbook_of_several_assays_has_all_of_them(self):
        store = os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")
        target = os.path.join(self.folder, "all.xlsx")
        done = run(PROGRAM, "export", store, target)
        self.assertEqual(done.returncode, 0, done.stderr)
        with Mount(store) as mount:
            sheets = sheets_of(mount.join("workbook.xlsx"))
            self.assertEqual(sheets_of(target), sheets)
            names = ["cells", "X_umap", "spatial", "rna genes", "rna X_pca", "prot genes", "about"]
            self.assertEqual(list(sheets), names)
            self.assertIsNone(difference(sheets["cells"], fields_of(mount.join("meta.data.csv"))))
            for assay, modality in (("RNA", "rna"), ("ADT", "prot")):
                own = sheets_of(mount.join("assays", assay + ".xlsx"))
                self.assertEqual(own["genes"], sheets[modality + " genes"])
                for name, rows in own.items():
                    if name not in ("cells", "genes", "about"):
                        (whole,) = {name, "rna " + name, "prot " + name} & set(sheets)
                        self.assertEqual(rows, sheets[whole], name)
            about = [(row["A"], row["B"]) for row in sheets["about"][1:]]
            self.assertEqual([item[6:] for item, _ in about if item.startswith("sheet ")], names[:-1])
            self.assertIn(("genes of prot", "6"), about)
            self.assertIn(("not in this file", "prot/layers/counts"), about)

    def test_workbooks_of_modalities_and_experiments_are_one(self):
        for store, names in (
            ("conversions/sce_whole/store.rds", ["gene cells", "gene genes", "prot genes"]),
            ("anndata/mudata_041/store.h5mu", ["cells", "mod2 genes", "mod1 genes"]),
        ):
            with Mount(os.path.join(DATA, store)) as mount:
                sheets = sheets_of(mount.join("workbook.xlsx"))
                self.assertEqual([name for name in sheets if name.endswith(("cells", "genes"))], names)
        # One matrix with features of two types has one sheet of genes.
        with Mount(os.path.join(DATA, "tenx", "v2_feature_types", "store.h5")) as mount:
            self.assertEqual(list(sheets_of(mount.join("workbook.xlsx"))), ["cells", "genes", "about"])

    def test_genes_and_cells_have_workbooks(self):
        with Mount(PBMC, "-o", "parts") as mount:
            genes = mount.join("X", "genes")
            names = [name[:-4] for name in os.listdir(genes) if name.endswith(".csv")][:2]
            self.assertFalse([name for name in os.listdir(genes) if name.endswith(".xlsx")])
            for name in (names[0], ",".join(names), "../cells/" + os.listdir(mount.join("X", "cells"))[0][:-4]):
                lines = fields_of(os.path.join(genes, name + ".csv"))
                [(sheet, rows)] = sheets_of(os.path.join(genes, name + ".xlsx")).items()
                self.assertEqual(sheet, "cells" if "cells" in name else "genes")
                self.assertIsNone(difference(rows, lines))

    def test_sums_have_workbooks(self):
        with Mount(PBMC, "-o", "parts") as mount:
            sums = mount.join("pseudobulk")
            self.assertFalse([name for name in os.listdir(sums) if name.endswith(".xlsx")])
            names = [name[:-4] for name in os.listdir(sums) if name.count(".") == 1 and name.endswith(".csv")]
            for name in (names[0], "+".join(names[:2])):
                sheets = sheets_of(os.path.join(sums, name + ".xlsx"))
                self.assertEqual(list(sheets), ["sums", "cells"])
                self.assertIsNone(difference(sheets["sums"], fields_of(os.path.join(sums, name + ".csv"))))
                self.assertIsNone(difference(sheets["cells"], fields_of(os.path.join(sums, name + ".design.csv"))))


if __name__ == "__main__":
    main()
