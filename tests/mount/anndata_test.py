#!/usr/bin/env python3
"""Random AnnData objects, written and read by the anndata package: every view of a mount shows the values it reads.

The seeds are fixed; ANNDATA_SEEDS=FIRST:END runs others.
"""
import json
import os
import random
import shutil

import mounted
from mounted import DATA, Folder, Mount, run
from optional import needs_modules

try:
    import warnings

    warnings.simplefilter("ignore")
    import anndata
    import numpy as np
    import pandas as pd
    import scipy.sparse
except ImportError as error:
    anndata = None
    reason = str(error)

STRANGE = ["NA", "", "a,b", 'say "x"', "two\nlines", "żółw", "TAB\there", "-1", "nan", " blank "]
FIRST, END = map(int, os.environ.get("ANNDATA_SEEDS", "0:10").split(":"))


# -- creating one


def texts(rng, count, prefix):
    return [rng.choice(STRANGE) if rng.random() < 0.1 else f"{prefix}{rng.randrange(50)}" for _ in range(count)]


def numbers(rng, shape, dtype, zeros=0.0):
    dtype = np.dtype(dtype)
    generator = np.random.default_rng(rng.randrange(1 << 30))
    if dtype.kind == "f":
        values = (generator.standard_normal(shape) * 10.0 ** generator.integers(-8, 9, shape)).astype(dtype)
        special = generator.random(shape)
        values[special < 0.02] = np.nan
        values[(special >= 0.02) & (special < 0.03)] = np.inf
        values[(special >= 0.03) & (special < 0.05)] = -0.0
    elif dtype.kind == "b":
        values = generator.random(shape) < 0.5
    else:
        info = np.iinfo(dtype)
        values = generator.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    if zeros:
        values[generator.random(shape) < zeros] = 0
    return values


def column(rng, count):
    kind = rng.choice(["cat", "ordered", "numbers", "truths", "text", "nullable", "maybe", "float", "int", "bool"])
    generator = np.random.default_rng(rng.randrange(1 << 30))
    if kind in ("cat", "ordered"):
        labels = sorted(set(texts(rng, rng.randrange(1, 20), "label")))
        return pd.Categorical.from_codes(generator.integers(-1, len(labels), count), labels, ordered=kind == "ordered")
    if kind == "numbers":
        labels = np.unique(numbers(rng, 5, rng.choice(["i4", "u1", "f8"])))
        labels = labels[~pd.isna(labels)]
        return pd.Categorical.from_codes(generator.integers(-1, len(labels), count), labels)
    if kind == "truths":
        return pd.Categorical.from_codes(generator.integers(-1, 2, count), [False, True])
    if kind == "text":  # anndata turns repeated ones into a categorical
        return [f"{t}{i}" if rng.random() < 0.9 else t for i, t in enumerate(texts(rng, count, "t"))]
    if kind == "nullable":
        dtype = rng.choice(["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"])
        values = pd.array(numbers(rng, count, dtype.lower()), dtype=dtype)
        values[generator.random(count) < 0.2] = pd.NA
        return values
    if kind == "maybe":
        values = pd.array(generator.random(count) < 0.5, dtype="boolean")
        values[generator.random(count) < 0.2] = pd.NA
        return values
    if kind == "float":
        return numbers(rng, count, rng.choice(["f4", "f8"]))
    if kind == "int":
        return numbers(rng, count, rng.choice(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]))
    return numbers(rng, count, "bool")


def frame(rng, index, columns):
    built = {
        f"{rng.choice(['c', 'pct.mito', 'a b', 'x,y', 'ż', '_private'])}{i}": column(rng, len(index))
        for i in range(columns)
    }
    return pd.DataFrame(built, index=index)


def matrix(rng, rows, columns, kinds=("csr", "csc", "dense")):
    dense = numbers(rng, (rows, columns), rng.choice(["f4", "f8", "i4", "i8", "bool"]), zeros=rng.choice([0.5, 0.95]))
    kind = rng.choice(kinds)
    if kind == "dense":
        return dense
    built = (scipy.sparse.csr_matrix if kind == "csr" else scipy.sparse.csc_matrix)(dense)
    if built.nnz and rng.random() < 0.3:
        built.data[rng.randrange(built.nnz)] = 0  # stored, and kept
    return built


def names(rng, count, prefix):
    built = [f"{prefix}{i}" for i in range(count)]
    for i, strange in enumerate(STRANGE[2:]):
        if i < count and rng.random() < 0.3:
            built[i] = f"{strange}{i}"
    return pd.Index(built, dtype=object)


def annotated(rng):
    """Returns an AnnData of any size, from empty to several chunks per array."""
    cells = rng.choice([0, 1, 7, 300, 3000])
    genes = rng.choice([0, 1, 5, 90, 400])
    obs = frame(rng, names(rng, cells, "cell"), rng.randrange(0, 12))
    var = frame(rng, names(rng, genes, "gene"), rng.randrange(0, 6))
    if rng.random() < 0.5:
        var["gene_ids"] = [f"ENSG{i:08}" for i in range(genes)]
    x = None if rng.random() < 0.1 else matrix(rng, cells, genes)
    adata = anndata.AnnData(x, obs=obs, var=var, dtype=None if x is None else x.dtype)
    for i in range(rng.randrange(3)):
        adata.layers[f"layer{i}"] = matrix(rng, cells, genes)
    for i in range(rng.randrange(3)):
        adata.obsm[f"m{i}"] = matrix(rng, cells, rng.choice([1, 2, 50]), ("dense", "csr"))
        adata.varm[f"m{i}"] = matrix(rng, genes, rng.choice([1, 2, 20]), ("dense", "csc"))
    if cells and rng.random() < 0.5:
        adata.obsm["frame"] = frame(rng, adata.obs_names, 3)
    if cells <= 300 and rng.random() < 0.7:
        adata.obsp["graph"] = matrix(rng, cells, cells, ("csr", "dense"))
    if genes <= 90 and rng.random() < 0.5:
        adata.varp["corr"] = matrix(rng, genes, genes, ("csc", "dense"))
    if x is not None and rng.random() < 0.4:
        counts = matrix(rng, cells, genes + 3, ("csr", "dense"))
        whole = anndata.AnnData(
            counts,
            dtype=counts.dtype,
            var=frame(rng, names(rng, genes + 3, "r"), 2),
            obs=pd.DataFrame(index=adata.obs_names),
        )
        adata.raw = whole
    adata.uns.update(
        {
            "number": rng.random(),
            "count": rng.randrange(100),
            "text": rng.choice(STRANGE[2:]),
            "flag": True,
            "nested": {"deep": {"list": numbers(rng, 5, "i8")}, "words": np.array(texts(rng, 4, "w"), dtype=object)},
            "frame": frame(rng, names(rng, 6, "u"), 3),
            "sparse": matrix(rng, 6, 4, ("csr",)),
            "records": np.array([(1, 2.5), (3, np.nan)], dtype=[("a", "i4"), ("b", "f8")]),
        }
    )
    return adata


# -- comparing a view with the values that the package read


def fields(text):
    """Yields the records of a CSV. A field is (text, whether it was quoted)."""
    records, record, i = [], [], 0
    while i < len(text):
        if text[i] == '"':
            end = i + 1
            while text[end] != '"' or text[end + 1] == '"':
                end += 2 if text[end] == '"' else 1
            record.append((text[i + 1 : end].replace('""', '"'), True))
            i = end + 1
        else:
            end = i
            while text[end] not in ",\n":
                end += 1
            record.append((text[i:end], False))
            i = end
        if text[i] == "\n":
            records.append(record)
            record = []
        i += 1
    return records


def is_value(field, value):
    """Returns whether the field of a CSV equals that value."""
    text, quoted = field
    if value is pd.NA or value is None:
        return field == ("NA", False)
    if isinstance(value, str):
        return text == value and quoted == (value in ("", "NA") or any(c in value for c in ',"\r\n'))
    if quoted:
        return False
    if isinstance(value, (bool, np.bool_)):
        return text == ("TRUE" if value else "FALSE")
    if isinstance(value, (int, np.integer)):
        return text == str(int(value))
    if np.isnan(value):
        return text == "NaN"
    if np.isinf(value):
        return text == ("Inf" if value > 0 else "-Inf")
    read = type(value)(text)
    return read == value and np.signbit(read) == np.signbit(value) and len(text) <= len(repr(value))


class Views:
    def __init__(self, test, mount, seed):
        self.test, self.mount, self.rng = test, mount, random.Random(seed)

    def read(self, *path):
        name = self.mount.join(*path)
        with open(name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            some = [(at := self.rng.randrange(size + 1), os.pread(file.fileno(), 500, at)) for _ in range(3)]
            content = file.read()
        self.test.assertEqual(len(content), size, name)
        for at, part in some:
            self.test.assertEqual(part, content[at : at + 500], name)
        return content.decode()

    def column(self, values, *path):
        records = fields(self.read(*path))
        self.test.assertEqual(len(records), len(values), path)
        for (field,), value in zip(records, values):
            self.test.assertTrue(is_value(field, value), f"{path}: {field} is not {value!r}")

    def values_of(self, series):
        if isinstance(series.dtype, pd.CategoricalDtype):
            labels = list(series.cat.categories.to_numpy())
            return [None if code < 0 else labels[code] for code in series.cat.codes]
        return (
            list(series.array)
            if not isinstance(series.to_numpy(), np.ndarray) or series.dtype == object
            else list(series.array if pd.api.types.is_extension_array_dtype(series.dtype) else series.to_numpy())
        )

    def frame(self, df, *path):
        records = fields(self.read(*path[:-1], path[-1] + ".csv"))
        header = [("", True)] + [(c, "," in c) for c in df.columns]
        self.test.assertEqual(records[0], header, path)
        self.test.assertEqual(len(records) - 1, len(df), path)
        columns = [list(df.index)] + [self.values_of(df[c]) for c in df.columns]
        for record, *row in zip(records[1:], *columns):
            for field, value in zip(record, row, strict=True):
                self.test.assertTrue(is_value(field, value), f"{path}: {field} is not {value!r}")
        for c, values in zip(df.columns, columns[1:]):
            self.column(values, *path, c + ".csv")
            if isinstance(df[c].dtype, pd.CategoricalDtype):
                codes = np.load(self.mount.join(*path, c, "codes.npy"))
                np.testing.assert_array_equal(codes, df[c].cat.codes)

    def tsv(self, first, second, *path):
        def flat(name):
            return "".join(" " if c in "\t\r\n" else c for c in name)

        lines = [flat(a) if second is None else flat(a) + "\t" + flat(b) for a, b in zip(first, second or first)]
        self.test.assertEqual(self.read(*path).split("\n"), lines + [""], path)

    def names(self, rows, ids, columns, *path):
        for file, given, second in (("genes.tsv", rows if ids is None else ids, rows), ("barcodes.tsv", columns, None)):
            if (
                rows is not None
                and file == "genes.tsv"
                and len(rows)
                or file == "barcodes.tsv"
                and columns is not None
                and len(columns)
            ):
                self.tsv(list(given), second and list(second), *path, file)
            else:
                self.test.assertFalse(os.path.exists(self.mount.join(*path, file)), path)

    def entries(self, shape, rows, columns, values, *path):
        """Checks that matrix.mtx holds exactly these entries, in this order."""
        whole = values.dtype.kind != "f"
        lines = self.read(*path, "matrix.mtx").split("\n")
        self.test.assertEqual(lines[0], f"%%MatrixMarket matrix coordinate {'integer' if whole else 'real'} general")
        self.test.assertEqual(lines[1], f"{shape[0]} {shape[1]} {len(values)}", path)
        self.test.assertEqual(len(lines), len(values) + 3, path)
        for line, row, column_, value in zip(lines[2:], rows, columns, values):
            r, c, text = line.split(" ")
            self.test.assertEqual((int(r), int(c)), (row + 1, column_ + 1), path)
            number = int(value) if whole else value
            self.test.assertTrue(is_value((text, False), number), f"{path}: {line} is not {value!r}")

    def matrix(self, x, rows, columns, ids, turned, *path):
        """rows, columns: names of x as stored, None = unknown; turned: shown as genes by cells."""
        if scipy.sparse.issparse(x):
            major = np.repeat(np.arange(len(x.indptr) - 1), np.diff(x.indptr))
            r, c = (major, x.indices) if x.format == "csr" else (x.indices, major)
            values = x.data
            for part in ("data", "indices", "indptr"):
                np.testing.assert_array_equal(np.load(self.mount.join(*path, part + ".npy")), getattr(x, part))
        else:
            np.testing.assert_array_equal(np.load(self.mount.join(*path[:-1], path[-1] + ".npy")), x)
            self.dense(x, rows, columns, *path[:-1], path[-1] + ".csv")
            if not turned:
                return
            r, c = np.nonzero(x)
            values = x[r, c]
        if turned:
            self.entries(x.shape[::-1], c, r, values, *path)
            self.names(columns, ids, rows, *path)
        else:
            self.entries(x.shape, r, c, values, *path)
            self.names(rows, None, columns, *path)

    def dense(self, x, rows, columns, *path):
        records = fields(self.read(*path))
        if rows is None and columns is None:
            header, lines = None, [[None, *row] for row in x]
        else:
            header, *lines = records
            records = lines
            shown = [("", True)] + (
                [(str(i + 1), False) for i in range(x.shape[1])] if columns is None else list(columns)
            )
            for field, name in zip(header, shown, strict=True):
                self.test.assertTrue(field == name or is_value(field, name), f"{path}: {field} is not {name}")
        self.test.assertEqual(len(records), len(x), path)
        for i, (record, row) in enumerate(zip(records, x)):
            if header is not None:
                name = str(i + 1) if rows is None else rows[i]
                self.test.assertEqual(record[0][0], name, path)
                record = record[1:]
            for field, value in zip(record, row, strict=True):
                self.test.assertTrue(is_value(field, value), f"{path}: {field} is not {value!r}")

    def element(self, value, *path):
        beside = (*path[:-1], path[-1] + ".csv")
        if isinstance(value, dict):
            self.test.assertEqual(
                sorted(
                    {n.split(".csv")[0].split(".npy")[0].split(".rds")[0] for n in os.listdir(self.mount.join(*path))}
                    - {""}
                    - {".attrs.json"}
                ),
                sorted(value),
                path,
            )
            for name, inner in value.items():
                self.element(inner, *path, name)
        elif isinstance(value, pd.DataFrame):
            self.frame(value, *path)
        elif scipy.sparse.issparse(value):
            self.matrix(value, None, None, None, False, *path)
        elif isinstance(value, np.ndarray) and value.dtype.names:
            records = fields(self.read(*beside))
            self.test.assertEqual([f for f, _ in records[0]], list(value.dtype.names))
            for record, row in zip(records[1:], value, strict=True):
                self.test.assertTrue(all(is_value(f, v) for f, v in zip(record, row)), f"{path}: {record}")
        elif isinstance(value, np.ndarray):
            self.column(list(value), *beside)
        else:
            self.column([value], *beside)

    def all(self, adata):
        cells, genes = list(adata.obs_names), list(adata.var_names)
        ids = list(adata.var["gene_ids"]) if "gene_ids" in adata.var else None
        self.frame(adata.obs, "obs")
        self.frame(adata.var, "var")
        if adata.X is not None:
            self.matrix(adata.X, cells, genes, ids, True, "X")
        else:
            self.test.assertFalse(os.path.exists(self.mount.join("X")))
        for name, x in adata.layers.items():
            self.matrix(x, cells, genes, ids, True, "layers", name)
        for group, axis, both in (
            ("obsm", cells, False),
            ("varm", genes, False),
            ("obsp", cells, True),
            ("varp", genes, True),
        ):
            for name, x in getattr(adata, group).items():
                if isinstance(x, pd.DataFrame):
                    self.frame(x, group, name)
                else:
                    self.matrix(x, axis, axis if both else None, None, False, group, name)
        if adata.raw is not None:
            self.frame(adata.raw.var, "raw", "var")
            self.matrix(adata.raw.X, cells, list(adata.raw.var_names), None, True, "raw", "X")
        self.element(dict(adata.uns), "uns")


@needs_modules("anndata")
class RandomAnnData(Folder):
    def check(self, seed):
        rng = random.Random(seed)
        adata = annotated(rng)
        if rng.random() < 0.5:
            store = os.path.join(self.folder, "a.h5ad")
            adata.write_h5ad(store, compression=rng.choice([None, "gzip", "lzf"]))
            read = anndata.read_h5ad(store)
        else:
            store = os.path.join(self.folder, "a.zarr")
            adata.write_zarr(
                store,
                chunks=rng.choice([None, (rng.choice([100, 1000]), 50)]) if adata.n_obs and adata.n_vars else None,
            )
            read = anndata.read_zarr(store)
        with Mount(store) as mount:
            Views(self, mount, seed).all(read)
            self.assertNotIn(b"damaged", mount.read(".plainfs", "log"))


@needs_modules("anndata")
class AsAWhole(Folder):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        index = names(rng, 2000, "cell")
        obs = frame(rng, index, 100)
        var = frame(rng, names(rng, 30, "gene"), 2)
        x = matrix(rng, 2000, 30, ("csr",)).astype("f4")
        self.adata = anndata.AnnData(x, obs=obs, var=var, dtype="f4")
        self.adata.layers["dense"] = x.toarray()
        self.adata.obsm["X_pca"] = numbers(rng, (2000, 10), "f4")
        self.adata.uns["log"] = {"base": 2.0}

    def test_listing_decodes_nothing(self):
        for store, write in (
            ("a.h5ad", lambda path: self.adata.write_h5ad(path, compression="gzip")),
            ("a.zarr", self.adata.write_zarr),
        ):
            path = os.path.join(self.folder, store)
            write(path)
            with Mount(path) as mount:
                listed = sum(len(files) for _, _, files in os.walk(mount.path))
                statistics = json.loads(mount.read(".plainfs", "stats.json"))
                self.assertGreater(listed, 200)
                self.assertEqual((statistics["chunks_decoded"], statistics["bytes_decoded"]), (0, 0), store)
                self.assertEqual(statistics["text_blocks_measured"], 0, store)
                os.stat(mount.join("obs.csv"))
                self.assertGreater(json.loads(mount.read(".plainfs", "stats.json"))["chunks_decoded"], 0, store)

    def test_info_lists_the_parts(self):
        path = os.path.join(self.folder, "a.h5ad")
        self.adata.write_h5ad(path)
        with Mount(path) as mount:
            info = json.loads(mount.read(".plainfs", "info.json"))
        output = json.loads(run(mounted.PROGRAM, "info", "--json", path).stdout)
        self.assertEqual(info, output | {key: info[key] for key in ("options", "pid", "seurat.rds")})  # only in a mount
        self.assertEqual((info["format"], info["container"]), ("AnnData", "HDF5"))
        self.assertEqual(
            info["anndata"],
            {
                "n_obs": 2000,
                "n_vars": 30,
                "X": "csr",
                "dtype": "float32",
                "layers": ["dense"],
                "obsm": ["X_pca"],
                "varm": [],
                "obsp": [],
                "varp": [],
                "uns": ["log"],
                "raw": None,
                "encoding": "0.8",
            },
        )

    def test_info_lists_the_modalities_of_a_mudata(self):
        with Mount(os.path.join(DATA, "anndata", "mudata_global", "store.h5mu")) as mount:
            info = json.loads(mount.read(".plainfs", "info.json"))
            shown = sorted(os.listdir(mount.join("mod")))
            rows = {name: mount.read("mod", name, "obs.csv").count(b"\n") - 1 for name in shown if name[0] != "."}
        self.assertEqual((info["format"], info["container"]), ("MuData", "HDF5"))
        about = info["mudata"]
        self.assertEqual((about["n_obs"], about["n_vars"], about["axis"]), (9, 9, 0))
        self.assertEqual({name: one["n_obs"] for name, one in about["modalities"].items()}, rows)
        self.assertEqual(about["modalities"]["prot"]["X"], "dense")
        self.assertEqual(about["obsm"], ["X_mofa", "cells_by_topics", "prot", "rna"])
        self.assertEqual(
            (about["varm"], about["obsp"], about["varp"], about["uns"]),
            (["LFs", "prot", "rna"], ["wnn"], ["dense"], ["mofa"]),
        )

    def test_mirror_shows_a_store_under_any_name(self):
        self.adata.write_h5ad(os.path.join(self.folder, "no extension"))
        self.adata.write_zarr(os.path.join(self.folder, "cells.h5"))
        shutil.copy(os.path.join(DATA, "anndata", "mudata_041", "store.h5mu"), os.path.join(self.folder, "x.csv"))
        with Mount(self.folder) as mount:
            self.assertEqual(sorted(os.listdir(mount.path)), ["cells.h5", "no extension", "x.csv"])
            for name in ("cells.h5", "no extension"):
                self.assertEqual(mount.read(name, "X", "barcodes.tsv").count(b"\n"), 2000)
            self.assertIn("genes.tsv", os.listdir(mount.join("x.csv", "mod", "mod1", "X")))


for number in range(FIRST, END):
    setattr(RandomAnnData, f"test_seed_{number}", lambda self, seed=number: self.check(seed))

if __name__ == "__main__":
    mounted.main()
