#!/usr/bin/env python3
"""genes/, cells/ and pseudobulk/ of a mount: the golden cases, the results of anndata and pandas for random stores, and
that programs which walk a mount do not enter them."""
import glob
import io
import itertools
import json
import os
import shutil
import random
import re
import subprocess
import warnings

import mounted
from mounted import DATA, PROGRAM, Folder, Mount, run
from cases import PARTS, store_of
from check_case import check_case
from optional import has_program, missing_programs, needs, needs_modules, skip_rest

warnings.simplefilter("ignore")
try:
    import h5py
    import anndata
    import numpy as np
    import pandas as pd
    import scipy.sparse
except ImportError:
    anndata = None


class Cases(Folder):
    """Every golden case through a real mount."""

    def check(self, case):
        with Mount(store_of(case)) as m:
            passed, problems = check_case(case, m.path)
            self.assertEqual(problems, [])
            self.assertGreater(passed, 0)


class Walks(Folder):
    STORE = os.path.join(DATA, "parts", "csc_int_layers", "store.h5ad")
    FOUND = {"genes", "cells", "pseudobulk"}

    def test_tree_walkers_do_not_enter_parts(self):
        with Mount(self.STORE) as m:
            self.assertTrue(os.path.isdir(m.join("X", "genes")))
            self.assertEqual(m.read("X", "genes", "CD3D.csv")[:8], b'"",CD3D\n')
            paths = run("find", m.path).stdout.decode().splitlines()
            self.assertGreater(len(paths), 50)
            walked = run("du", "-a", m.path).stdout.decode().splitlines()
            target = os.path.join(self.folder, "copy")
            self.assertEqual(run("cp", "-r", m.path, target).returncode, 0)
            copied = [os.path.join(folder, name) for folder, names, files in os.walk(target) for name in names + files]
            packed = run("tar", "-cf", os.path.join(self.folder, "all.tar"), "-C", m.path, ".")
            self.assertEqual(packed.returncode, 0)
            packed = run("tar", "-tf", os.path.join(self.folder, "all.tar")).stdout.decode().splitlines()
            searched = []
            if has_program("rg"):
                searched = run("rg", "-uuu", "--files", m.path).stdout.decode().splitlines()
                self.assertGreater(len(searched), 40)
                hits = run("rg", "-uuu", "-a", "-l", "^\"\",CD3D$", m.path).stdout.decode().splitlines()
                self.assertEqual(hits, [])  # the header of a file of genes/
            for path in paths + walked + copied + packed + searched:
                self.assertFalse(self.FOUND & set(path.split("/")), path)
            skip_rest(self, missing_programs("rg"))

    def test_dense_matrices_of_assays_have_them_too(self):
        """Tests matrices with a directory that holds nothing else, and that is found like them."""
        for case, matrix in (
            ("r-objects/seurat_v4", "assays/RNA/scale.data"),
            ("r-objects/sce", "assays/dense"),
            ("r-objects/seurat_v5", "assays/RNA/layers/scale.data"),
            ("h5seurat/dense_data", "assays/INT/data"),
        ):
            (store,) = glob.glob(os.path.join(DATA, case, "store*"))
            with self.subTest(case), Mount(store) as m:
                lines = [line.split(",") for line in m.read(matrix + ".csv").decode().splitlines()]
                cells, genes = lines[0][1:], [line[0] for line in lines[1:]]
                self.assertNotIn(os.path.basename(matrix), os.listdir(m.join(os.path.dirname(matrix))))
                self.assertEqual(os.listdir(m.join(matrix)), [])
                self.assertEqual(
                    [name[:-4] for name in os.listdir(m.join(matrix, "genes")) if name.endswith(".csv")], genes
                )
                for gene, line in list(zip(genes, lines[1:]))[:5]:
                    want = "".join(f"{cell},{value}\n" for cell, value in zip(cells, line[1:]))
                    self.assertEqual(m.read(matrix, "genes", gene + ".csv").decode(), f'"",{gene}\n' + want)
                output = run(PROGRAM, "info", store, matrix).stdout.decode()
                self.assertRegex(output, rf"  {re.escape(matrix)}/genes/ +one gene: ")
                want = "".join(f"{gene},{line[1]}\n" for gene, line in zip(genes, lines[1:]))
                self.assertEqual(m.read(matrix, "cells", cells[0] + ".csv").decode(), f'"",{cells[0]}\n' + want)
            with self.subTest(case), Mount(store, "-o", "parts") as m:
                self.assertEqual(set(os.listdir(m.join(matrix))), {"genes", "cells"})

    def test_parts_are_listed_on_request(self):
        with Mount(self.STORE, "-o", "parts") as m:
            self.assertLessEqual({"genes", "cells", "matrix.mtx", "10x"}, set(os.listdir(m.join("X"))))
            self.assertIn("pseudobulk", os.listdir(m.path))
            self.assertNotIn("bpcells", os.listdir(m.join("X")))

    @needs_modules("anndata")
    def test_listing_with_sizes_makes_few_lookups(self):
        """Tests that the listing itself returns sizes (READDIRPLUS) once all are known, and that they equal those of
        lookups."""
        cells = [f"cell{i}" for i in range(600)]
        data = anndata.AnnData(
            scipy.sparse.random(len(cells), 9, 0.3, "csr", "float32", random_state=5),
            dtype="float32",
            obs=pd.DataFrame(index=cells),
        )
        store, target = os.path.join(self.folder, "cells.h5ad"), self.empty("mounted")
        data.write_h5ad(store)
        names = [cell + extension for cell in cells for extension in (".csv", ".npy")]
        with Mount(store) as m:
            sizes = {name: os.stat(m.join("X", "cells", name)).st_size for name in names}
        with open(os.path.join(self.folder, "asked"), "w+b") as printed:
            daemon = subprocess.Popen(
                [PROGRAM, "-f", "-d", "-o", "parts", store, target], stdout=printed, stderr=printed
            )
            mounted.wait_until(lambda: os.path.ismount(target))
            for name in names[:200]:
                os.stat(os.path.join(target, "X", "cells", name))
            begin = os.path.getsize(printed.name)
            lines = run("ls", "-l", os.path.join(target, "X", "cells")).stdout.decode().splitlines()[1:]
            self.assertEqual(run("fusermount3", "-u", target).returncode, 0)
            self.assertEqual(daemon.wait(timeout=20), 0)
            printed.seek(begin)
            asked = printed.read()
        self.assertEqual({line.split()[-1]: int(line.split()[4]) for line in lines}, sizes)
        self.assertIn(b"READDIRPLUS", asked)
        self.assertLess(asked.count(b"opcode: LOOKUP"), len(names) / 4)

    def names_held(self, m):
        counters = json.loads(m.read(".plainfs", "stats.json"))
        return counters["inodes"], counters["part_inodes"]

    def test_listed_parts_allocate_no_names(self):
        """Tests that parts keep no names, however often they are listed and read."""
        with Mount(self.STORE, "-o", "parts") as m:
            genes = m.join("X", "genes")
            os.listdir(genes)
            before = self.names_held(m)[0]
            for _ in range(3):
                entries = list(os.scandir(genes))
                self.assertGreater(len(entries), 8)
                for entry in entries:
                    self.assertEqual(entry.stat().st_ino, os.stat(entry.path).st_ino)
                    self.assertEqual(len(m.read("X", "genes", entry.name)), entry.stat().st_size)
            names, parts = self.names_held(m)
            self.assertEqual(names, before)
            self.assertGreaterEqual(parts, len(entries))

    @needs_modules("anndata")
    def test_parts_follow_the_reopened_store(self):
        """Tests another store with another gene at a place."""
        store, other = (os.path.join(self.folder, name) for name in ("s.h5ad", "other.h5ad"))
        shutil.copy(self.STORE, store)
        shutil.copy(self.STORE, other)
        with h5py.File(other, "r+") as file:
            names = file["var/" + file["var"].attrs["_index"]]
            names[...] = names[...][::-1]
        with Mount(other) as m:
            wanted = {name: m.read("X", "genes", name) for name in os.listdir(m.join("X", "genes"))}
        with Mount(store, "-o", "on_change=reopen") as m:
            before = {name: m.read("X", "genes", name) for name in os.listdir(m.join("X", "genes"))}
            self.assertNotEqual(before, wanted)
            os.rename(other, store)
            self.assertEqual({name: m.read("X", "genes", name) for name in os.listdir(m.join("X", "genes"))}, wanted)

    def test_log_names_the_labels_of_an_ambiguous_name(self):
        with Mount(os.path.join(DATA, "parts", "dup_names_ids", "store.h5ad")) as m:
            with self.assertRaises(OSError):
                os.stat(m.join("X", "genes", "CD3D.csv"))
            self.assertIn(b"2 genes have the name CD3D: ENSG00000, ENSG00007", m.read(".plainfs", "log"))

    def test_attribute_names_the_summed_matrix(self):
        with Mount(self.STORE) as m:
            self.assertEqual(os.getxattr(m.join("pseudobulk", "type.csv"), "user.matrix"), b"layers/counts")


@needs_modules("anndata")
class Slices(Folder):
    """Compares random matrices, written by anndata, with its own slices of them."""

    KINDS = ("csr", "csc", "dense")
    SEED = 20261125

    def built(self, kind, rng):
        cells, genes = rng.randint(30, 400), rng.randint(20, 300)
        numbers = np.random.default_rng(rng.randint(0, 1 << 30))
        values = numbers.poisson(0.7, (cells, genes)) * rng.choice((1, 1000, 12345))
        values = values.astype(rng.choice(("int32", "int64", "float32", "float64")))
        if values.dtype.kind == "f" and rng.random() < 0.5:
            values = np.log1p(values)
        x = values if kind == "dense" else scipy.sparse.csr_matrix(values).asformat(kind)
        obs = pd.DataFrame(index=[f"cell {i}" for i in range(cells)])
        obs["type"] = pd.Categorical(numbers.choice(["T", "B", "a_b", "NK"], cells), ["NK", "unused", "T", "B", "a_b"])
        obs["donor"] = numbers.choice(["d10", "d9"], cells)
        obs["n"] = numbers.integers(0, 3, cells)
        var = pd.DataFrame(index=[f"g{i}" for i in range(genes)])
        return anndata.AnnData(x, obs=obs, var=var, dtype=x.dtype)

    def stored(self, data, rng, name):
        path = os.path.join(self.folder, name)
        data.write_h5ad(path, compression=rng.choice((None, "gzip")))
        return path

    def test_parts_match_anndata_slices(self):
        rng = random.Random(self.SEED)
        for turn, kind in enumerate(self.KINDS * 2):
            data = self.built(kind, rng)
            dense = np.asarray(data.X.todense() if kind != "dense" else data.X)
            with Mount(self.stored(data, rng, f"{turn}.h5ad"), *(("-o", "cache_size=1m") if turn > 2 else ())) as m:
                genes = [rng.choice(data.var_names) for _ in range(12)]
                for gene in genes:
                    text = pd.read_csv(m.join("X", "genes", gene + ".csv"), index_col=0, float_precision="round_trip")
                    self.assertEqual(list(text.index), list(data.obs_names))
                    want = np.asarray(data[:, gene].X.todense() if kind != "dense" else data[:, gene].X).ravel()
                    np.testing.assert_array_equal(text[gene].to_numpy().astype(dense.dtype), want)
                    values = np.load(m.join("X", "genes", gene + ".npy"))
                    self.assertEqual(values.dtype, dense.dtype)
                    np.testing.assert_array_equal(values, want)
                several = sorted(set(genes[:4]), key=genes.index)
                np.testing.assert_array_equal(
                    np.load(m.join("X", "genes", ",".join(several) + ".npy")).reshape(len(dense), -1),
                    dense[:, [data.var_names.get_loc(gene) for gene in several]],
                )
                for cell in rng.sample(list(data.obs_names), 5):
                    values = np.load(m.join("X", "cells", cell + ".npy"))
                    np.testing.assert_array_equal(values, dense[data.obs_names.get_loc(cell)])
                # Every size, including those from one pass, is the length of the read.
                for name in os.listdir(m.join("X", "genes")):
                    path = m.join("X", "genes", name)
                    size = os.stat(path).st_size
                    if rng.random() < 0.2 or name.endswith("7.csv"):
                        with open(path, "rb") as file:
                            self.assertEqual(len(file.read()), size, name)

    def test_log_reports_sums_of_other_values_than_counts(self):
        notice = b"/pseudobulk/: no matrix has counts (whole numbers from 0 on); these are sums of X"
        data = self.built("csr", random.Random(self.SEED))
        for is_scaled in (False, True):
            data.X = np.abs(np.round(np.asarray(data.X.todense()))) if not is_scaled else data.X - data.X.mean()
            with self.subTest(is_scaled=is_scaled), Mount(self.stored(data, random, f"{is_scaled}.h5ad")) as m:
                self.assertIn("type.csv", os.listdir(m.join("pseudobulk")))
                self.assertNotIn(notice, m.read(".plainfs", "log"))
                m.read("pseudobulk", "type.csv")
                self.assertEqual(notice in m.read(".plainfs", "log"), is_scaled)

    @staticmethod
    def levels(column):
        if isinstance(column.dtype, pd.CategoricalDtype):
            return list(column.cat.categories)
        return sorted(set(column), key=lambda level: level.encode() if isinstance(level, str) else level)

    def test_sums_match_pandas(self):
        rng = random.Random(self.SEED + 1)
        for turn, kind in enumerate(self.KINDS * 2):
            data = self.built(kind, rng)
            frame = pd.DataFrame(
                np.asarray(data.X.todense() if kind != "dense" else data.X), data.obs_names, data.var_names
            )
            frame = frame.astype("float64" if frame.dtypes.iloc[0].kind == "f" else "int64")
            with Mount(self.stored(data, rng, f"{turn}.h5ad"), *(("-o", "cache_size=1m") if turn > 2 else ())) as m:
                for columns in (["type"], ["donor"], ["n"], ["type", "donor"], ["n", "type", "donor"]):
                    name = "+".join(columns)
                    got = pd.read_csv(
                        io.BytesIO(m.read("pseudobulk", name + ".csv")), index_col=0, float_precision="round_trip"
                    )
                    cells = pd.read_csv(
                        io.BytesIO(m.read("pseudobulk", name + ".cells.csv")), index_col=0, float_precision="round_trip"
                    )
                    groups = {}
                    for pair in itertools.product(*(self.levels(data.obs[column]) for column in columns)):
                        mask = np.logical_and.reduce(
                            [(data.obs[column] == level).to_numpy() for column, level in zip(columns, pair)]
                        )
                        if mask.any():
                            groups["_".join(map(str, pair))] = mask
                    self.assertEqual(list(got.columns), list(groups))
                    self.assertEqual(list(got.index), list(data.var_names))
                    want = np.array([frame[mask].sum().to_numpy() for mask in groups.values()]).T
                    if frame.dtypes.iloc[0].kind == "i":
                        np.testing.assert_array_equal(got.to_numpy(), want)
                    else:
                        np.testing.assert_allclose(got.to_numpy(), want, rtol=1e-12)
                    self.assertEqual(list(cells["cells"]), [mask.sum() for mask in groups.values()])
                    self.assertEqual(list(cells.index.astype(str)), list(groups))

    @needs("Rscript")
    def test_r_reads_the_sums(self):
        rng = random.Random(self.SEED + 2)
        data = self.built("csr", rng)
        with Mount(self.stored(data, rng, "r.h5ad")) as m:
            script = (
                "x <- readRDS(commandArgs(TRUE)[1]); "
                "y <- as.matrix(read.csv(commandArgs(TRUE)[2], row.names = 1, check.names = FALSE));"
                "stopifnot(is.matrix(x), identical(dimnames(x), dimnames(y)), all(x == y)); "
                "cat(dim(x))"
            )
            got = run(
                "Rscript", "-e", script, m.join("pseudobulk", "type+donor.rds"), m.join("pseudobulk", "type+donor.csv")
            )
            self.assertEqual(got.returncode, 0, got.stderr.decode())
            self.assertEqual(got.stdout.decode().split()[0], str(data.n_vars))


def add_tests():
    for suite in PARTS:
        folder = os.path.join(DATA, suite)
        for name in sorted(os.listdir(folder)):
            case = os.path.join(folder, name)
            setattr(Cases, f"test_{suite}_{name}", lambda self, case=case: self.check(case))


if mounted.DATA:
    add_tests()
if __name__ == "__main__":
    mounted.main()
