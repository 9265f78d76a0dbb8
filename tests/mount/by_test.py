#!/usr/bin/env python3
"""by/COLUMN/LEVEL/: the cells of one level equal anndata's slice of the same store, and programs that walk a mount do
not enter it."""
import errno
import gzip
import os
import random
import shutil
import subprocess
import warnings

import mounted
from anndata_test import FIRST, END, annotated
from mounted import DATA, Folder, Mount, run
from cases import GOOD, a_third, cases
from optional import has_program, missing_programs, needs_modules, needs_r, skip_rest

warnings.simplefilter("ignore")
try:
    import anndata
    import later_anndata  # noqa: F401
    import numpy as np
    import pandas as pd
    import scipy.sparse
except ImportError:
    anndata = None

MAX_LEVELS = 2  # levels read per column, so that a store does not take longer than its text

VALID = r"""
suppressPackageStartupMessages(library(Seurat))
for (file in commandArgs(TRUE)) {
  object <- readRDS(file)
  stopifnot(validObject(object), ncol(object) == nrow(read.csv(file.path(dirname(file), "obs.csv"))))
  cat(ncol(object), "")
}
"""


def encoded(text):
    """Returns a level as the name of a directory; None if VIEWS 1 would cut it."""
    if text == "":
        return "%00"
    if text in (".", ".."):
        return text.replace(".", "%2E")
    if "/" in text or "\0" in text:
        text = text.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")
    return text if len(text.encode()) <= 255 else None


def shown(value):
    return {True: "TRUE", False: "FALSE"}[bool(value)] if isinstance(value, (bool, np.bool_)) else str(value)


def levels(series):
    """Returns the listed levels of a column: their texts, and the cells of each. None if numbers are not listed."""
    known = series.notna().to_numpy()
    if isinstance(series.dtype, pd.CategoricalDtype):
        labels = list(series.cat.categories)
        if any(isinstance(label, (float, np.floating)) for label in labels):
            return None  # its spelling has its own test
        return [
            (shown(label), (series.cat.codes == code).to_numpy())
            for code, label in enumerate(labels)
            if (series.cat.codes == code).any()
        ]
    if series.dtype == object or isinstance(series.dtype, pd.StringDtype):
        texts = sorted({text for text in series[known]}, key=str.encode)
        return [(text, (series == text).to_numpy() & known) for text in texts]
    if pd.api.types.is_bool_dtype(series.dtype):
        filled = series.fillna(False).to_numpy(dtype=bool)
        return [(name, which) for name, which in (("FALSE", ~filled & known), ("TRUE", filled & known)) if which.any()]
    return None


@needs_modules("anndata")
class Levels(Folder):
    def same_matrix(self, ours, theirs, where):
        if theirs is None:
            self.assertIsNone(ours, where)
        elif scipy.sparse.issparse(theirs):
            self.assertEqual((ours.format, ours.shape), (theirs.format, theirs.shape), where)
            for part in ("indptr", "indices", "data"):
                np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part), err_msg=where)
        elif isinstance(theirs, pd.DataFrame):
            self.same_frame(ours, theirs, where)
        else:
            np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs), err_msg=where)

    def same_frame(self, ours, theirs, where):
        self.assertEqual(list(ours.index), list(theirs.index), where)
        self.assertEqual(list(ours.columns), list(theirs.columns), where)
        for i in range(len(theirs.columns)):
            a, b = ours.iloc[:, i], theirs.iloc[:, i]
            self.assertEqual(list(a.isna()), list(b.isna()), where)
            self.assertEqual([shown(v) for v in a[a.notna()]], [shown(v) for v in b[b.notna()]], where)
            if self.are_stored and isinstance(b.dtype, pd.CategoricalDtype):
                self.assertEqual(list(a.cat.categories), list(b.cat.categories), where)

    def same_cells(self, ours, whole, which, where):
        """Compares `ours`, the data read from a level, with `whole`, the data of all cells."""
        self.assertEqual(ours.n_obs, which.sum(), where)
        self.same_frame(ours.obs, whole.obs[which], where + " obs")
        self.same_frame(ours.var, whole.var, where + " var")
        self.same_matrix(ours.X, None if whole.X is None else whole.X[which], where + " X")
        self.assertEqual(sorted(ours.layers), sorted(whole.layers), where)
        for name, layer in whole.layers.items():
            self.same_matrix(ours.layers[name], layer[which], f"{where} layers/{name}")
        self.assertEqual(sorted(ours.obsm), sorted(whole.obsm), where)
        for name, part in whole.obsm.items():
            self.same_matrix(ours.obsm[name], part[which], f"{where} obsm/{name}")
        self.assertEqual(ours.raw is None, whole.raw is None, where)
        if whole.raw is not None:
            self.same_matrix(ours.raw.X, whole.raw.X[which], where + " raw/X")
            self.same_frame(ours.raw.var, whole.raw.var, where + " raw/var")

    def check(self, by, whole, rng, is_store=True):
        """Checks every column of whole.obs that is listed in the directory by. Returns the number of levels read.
        is_store: `whole` is the mounted store and not the .h5ad made from it, which stores texts with missing values as
        categories."""
        count = 0
        self.are_stored = is_store
        listed = os.listdir(by)
        for i, column in enumerate(whole.obs.columns):
            series = whole.obs.iloc[:, i]
            wanted = levels(series) if list(whole.obs.columns).count(column) == 1 else None
            name = encoded(column)
            if wanted is None or name not in listed:
                continue
            names = [encoded(text) for text, _ in wanted]
            if None in names or len(set(names)) != len(names):
                continue
            own = os.listdir(os.path.join(by, name))
            self.assertEqual(own if is_store else sorted(own), names if is_store else sorted(names), column)
            for j in sorted(rng.sample(range(len(wanted)), min(MAX_LEVELS, len(wanted)))):
                path = os.path.join(by, name, names[j])
                self.same_cells(anndata.read_h5ad(os.path.join(path, "anndata.h5ad")), whole, wanted[j][1], path)
                count += 1
        return count

    def random(self, seed):
        rng = random.Random(seed)
        adata = annotated(rng)
        if rng.random() < 0.5:
            store = os.path.join(self.folder, "a.h5ad")
            adata.write_h5ad(store, compression=rng.choice([None, "gzip", "lzf"]))
            whole = anndata.read_h5ad(store)
        else:
            store = os.path.join(self.folder, "a.zarr")
            adata.write_zarr(
                store,
                chunks=rng.choice([None, (rng.choice([100, 1000]), 50)]) if adata.n_obs and adata.n_vars else None,
            )
            whole = anndata.read_zarr(store)
        with Mount(store) as mount:
            self.assertEqual(os.path.isdir(mount.join("by")), len(whole.obs.columns) > 0)
            if len(whole.obs.columns) == 0:
                return 0
            count = self.check(mount.join("by"), whole, rng)
            self.assertNotIn(b"damaged", mount.read(".plainfs", "log"))
        return count

    def test_level_of_a_random_store_matches_an_anndata_slice(self):
        self.assertGreater(sum(self.random(seed) for seed in range(FIRST, END)), 20)

    def test_level_of_golden_stores_matches_an_anndata_slice(self):
        read = [self.golden(store) for _, store in a_third(cases(DATA, GOOD), 1)]
        self.assertGreater(sum(count > 0 for count in read), 8)
        self.assertGreater(sum(read), 40)

    def golden(self, store):
        with Mount(store) as mount:
            count = 0
            found = [("", "anndata.h5ad")] if os.path.exists(mount.join("anndata.h5ad")) else []
            if os.path.isdir(mount.join("assays")):
                found += [
                    ("assays/" + name[:-5], "../" + name)
                    for name in os.listdir(mount.join("assays"))
                    if name.endswith(".h5ad")
                ]
            for folder, h5ad in found:
                if not os.path.isdir(mount.join(folder, "by")):
                    continue
                try:
                    whole = anndata.read_h5ad(mount.join(folder, h5ad))
                except OSError:
                    continue  # has its own tests
                count += self.check(mount.join(folder, "by"), whole, random.Random(store), False)
            return count

    def test_tree_walkers_do_not_enter_it(self):
        adata = annotated(random.Random(1))
        while "cat" not in adata.obs or adata.n_obs == 0:
            adata = anndata.AnnData(
                np.eye(4), obs=pd.DataFrame({"cat": pd.Categorical(list("abab"))}, index=list("wxyz")), dtype="f8"
            )
        store = os.path.join(self.folder, "a.h5ad")
        adata.write_h5ad(store)
        with Mount(store) as mount:
            self.assertEqual(os.listdir(mount.join("by", "cat")), ["a", "b"])
            listed = run("find", mount.path).stdout.decode()
            self.assertNotIn("/by", listed)
            tar = run("tar", "-C", mount.path, "-cf", os.path.join(self.folder, "a.tar"), ".")
            self.assertEqual(tar.returncode, 0, tar.stderr)
            self.assertNotIn(b"by/cat", run("tar", "-tf", os.path.join(self.folder, "a.tar")).stdout)
            copy = os.path.join(self.folder, "copy")
            self.assertEqual(run("cp", "-r", mount.path, copy).returncode, 0)
            self.assertFalse(os.path.exists(os.path.join(copy, "by")))
            self.assertNotIn(b"by", run("du", "-a", mount.path).stdout.replace(mount.path.encode(), b""))

    def test_the_cells_of_a_level_are_exported(self):
        adata = anndata.AnnData(
            np.eye(4), obs=pd.DataFrame({"cat": pd.Categorical(list("abab"))}, index=list("wxyz")), dtype="f8"
        )
        store, copy = os.path.join(self.folder, "a.h5ad"), os.path.join(self.folder, "copy")
        adata.write_h5ad(store)
        self.assertEqual(run(mounted.PROGRAM, "export", store, "by/cat", copy).returncode, 0)
        for level, cells in (("a", "wy"), ("b", "xz")):
            read = anndata.read_h5ad(os.path.join(copy, "by", "cat", level, "anndata.h5ad"))
            self.assertEqual("".join(read.obs_names), cells)
        self.assertFalse(os.path.exists(os.path.join(copy, "by", "cat", "a", "by")))
        self.assertFalse(os.path.exists(os.path.join(copy, "X.csv")))


class OfFragments(Folder):
    def test_fragments_of_a_level_are_a_subset_of_all(self):
        store = os.path.join(DATA, "bpcells", "frag_packed", "store")
        with Mount(store) as mount:
            lines = mount.read("fragments.tsv").splitlines(keepends=True)
        cells = sorted({line.split(b"\t")[3].decode() for line in lines})
        self.assertGreater(len(cells), 2)
        table = os.path.join(self.folder, "cells.csv")
        with open(table, "w") as file:
            file.write(
                '"",type,n\n'
                + "".join('"' + cell.replace('"', '""') + f"\",{'TB'[i % 2]},{i}\n" for i, cell in enumerate(cells))
            )
        with Mount(store, "-o", "cells=" + table) as mount:
            self.assertNotIn("by", os.listdir(mount.path))
            self.assertEqual(os.listdir(mount.join("by")), ["type"])
            found = 0
            self.assertEqual(os.listdir(mount.join("by", "type")), ["B", "T"])
            for path, chosen in (("type/T", cells[0::2]), ("type/B", cells[1::2]), ("n/1", cells[1:2])):
                want = [line for line in lines if line.split(b"\t")[3].decode() in chosen]
                self.assertEqual(mount.read("by", path, "fragments.tsv"), b"".join(want))
                self.assertEqual(gzip.decompress(mount.read("by", path, "fragments.tsv.gz")), b"".join(want))
                if has_program("tabix") and self.has_index(mount.join("by", path, "fragments.tsv.gz")):
                    self.tabix(mount.join("by", path, "fragments.tsv.gz"), want)
                    found += 1
            self.assertTrue(found > 0 or not has_program("tabix"))
        self.assertEqual(run(mounted.PROGRAM, "cat", "-o", "cells=/nowhere", store, "fragments.tsv").returncode, 1)
        skip_rest(self, missing_programs("tabix"))

    def has_index(self, path):
        """Returns whether there is an index. It is absent if some fragments of the store end before they begin."""
        try:
            with open(path + ".csi", "rb") as file:
                return file.read(1) != b""
        except OSError as error:
            self.assertEqual(error.errno, errno.ENOTSUP)
            return False

    def tabix(self, path, want):
        """Checks that the index finds exactly the lines that overlap a region."""
        for chromosome in sorted({line.split(b"\t")[0] for line in want}):
            own = [line for line in want if line.split(b"\t")[0] == chromosome and int(line.split(b"\t")[2]) < 1 << 29]
            starts = sorted(int(line.split(b"\t")[1]) for line in own)
            first, last = starts[len(starts) // 3] + 1, starts[2 * len(starts) // 3] + 1
            region = f"{chromosome.decode()}:{first}-{last}"
            inside = [line for line in own if int(line.split(b"\t")[1]) < last and int(line.split(b"\t")[2]) >= first]
            self.assertEqual(run("tabix", path, region).stdout, b"".join(inside), region)


class Objects(Folder):
    @needs_r("Seurat")
    def test_a_level_is_a_seurat_object(self):
        paths = []
        for store, at in (
            ("full/full.h5ad", ""),
            ("counts_only/counts_only.h5ad", ""),
            ("dense_no_counts/dense_no_counts.h5ad", ""),
            ("mudata/mudata.h5mu", "mod/rna"),
            ("h5seurat/store.h5seurat", "assays/RNA"),
        ):
            with Mount(os.path.join(DATA, "seurat", store)) as mount:
                by = mount.join(at, "by")
                for column in os.listdir(by) if os.path.isdir(by) else []:
                    for level in os.listdir(os.path.join(by, column))[:2]:
                        copy = os.path.join(self.folder, str(len(paths)))
                        os.mkdir(copy)
                        for name in ("seurat.rds", "obs.csv"):
                            shutil.copy(os.path.join(by, column, level, name), copy)
                        paths.append(os.path.join(copy, "seurat.rds"))
        self.assertGreater(len(paths), 3)
        result = subprocess.run(["Rscript", "-e", VALID, *paths], capture_output=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertEqual(len(result.stdout.split()), len(paths))


if __name__ == "__main__":
    mounted.main()
