#!/usr/bin/env python3
"""Tests stores that are shown as one (--join): random ones against anndata.concat and R's merge of Seurat objects, and
what commands, mounts and plans do with them.

The seeds are fixed; JOIN_SEEDS=FIRST:END runs others.
"""
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from optional import needs_modules, needs_r  # noqa: E402
from store_server import StoreServer  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
FIRST, END = map(int, os.environ.get("JOIN_SEEDS", "0:12").split(":"))
MAX_STORES = 12
CHANGED = 16  # exit status
GENES = [f"g{i:02}" for i in range(14)]

try:
    import warnings

    warnings.simplefilter("ignore")
    import anndata
    import h5py
    import numpy
    import pandas
    import scipy.io
    import scipy.sparse
except ImportError:
    anndata = None

needs_anndata = needs_modules("anndata", "numpy", "pandas", "scipy", "h5py")


def plainfs(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=300, **more)


# -- random stores


def obs_columns(generator, count):
    """Some columns of some kinds, each of the kinds that concat can join with the others of its name."""
    letters = list("abcdef")
    generator.shuffle(letters)
    all_columns = {
        "count": generator.integers(0, 9, count),
        "share": generator.random(count).astype(generator.choice(["f4", "f8"])),
        "is_good": generator.random(count) < 0.5,
        "group": pandas.Categorical(generator.choice(letters[:4], count)),
        "note": generator.choice(["x", "yy", "zzz"], count).astype(object),
        "level": pandas.Categorical(generator.choice(list("lmh"), count), categories=list("lmh"), ordered=True),
    }
    return {name: values for name, values in all_columns.items() if generator.random() < 0.8}


def random_counts(generator, cells, genes):
    dense = generator.integers(1, 50, (cells, len(genes))) * (generator.random((cells, len(genes))) < 0.3)
    return scipy.sparse.csr_matrix(dense.astype(generator.choice(["f4", "f8", "i2", "i4", "i8"])))


def random_genes(generator):
    genes = [gene for gene in GENES if generator.random() < 0.8] or GENES[:1]
    if generator.random() < 0.4:
        generator.shuffle(genes)
    return genes


def random_store(generator, number):
    """An AnnData with a random choice of parts. Cells have names that other stores have too, and twice."""
    cells, genes = int(generator.integers(1, 30)), random_genes(generator)
    counts = random_counts(generator, cells, genes)
    matrix = {"csr": counts, "csc": counts.tocsc(), "dense": counts.toarray()}[
        generator.choice(["csr", "csc", "dense"])
    ]
    obs = pandas.DataFrame(obs_columns(generator, cells), index=[f"c{generator.integers(0, 40)}" for _ in range(cells)])
    var = pandas.DataFrame({"length": [int(gene[1:]) * 7 for gene in genes]}, index=genes)
    if generator.random() < 0.7:
        var["half"] = pandas.Categorical(["a" if gene < "g07" else "b" for gene in genes])
    store = anndata.AnnData(matrix, obs=obs, var=var, dtype=matrix.dtype)
    if generator.random() < 0.7:
        store.layers["twice"] = counts * 2
    if generator.random() < 0.8:
        store.obsm["X_pca"] = generator.random((cells, int(generator.integers(2, 5)))).astype("f4")
    if generator.random() < 0.8:
        store.obsp["near"] = scipy.sparse.csr_matrix((generator.random((cells, cells)) < 0.2).astype("f4"))
    if generator.random() < 0.3:
        store.raw = anndata.AnnData(counts, obs=obs, var=var, dtype=counts.dtype)
    store.uns["run"] = {"number": number}
    return store


def plain_store(generator):
    """An AnnData with what a MEX folder or a file of Cell Ranger can hold."""
    genes, cells = random_genes(generator), int(generator.integers(1, 30))
    counts = random_counts(generator, cells, genes).astype("i4")
    obs = pandas.DataFrame(index=[f"c{i}-1" for i in range(cells)])
    return anndata.AnnData(counts, obs=obs, var=pandas.DataFrame(index=genes), dtype="i4")


def write_lines(path, lines):
    with gzip.open(path, "wt") as file:
        file.writelines(line + "\n" for line in lines)


def write_mex(store, path):
    os.mkdir(path)
    with gzip.open(os.path.join(path, "matrix.mtx.gz"), "wb") as file:
        scipy.io.mmwrite(file, store.X.T.astype("i8"), field="integer")
    write_lines(os.path.join(path, "features.tsv.gz"), [f"ENS{g}\t{g}\tGene Expression" for g in store.var_names])
    write_lines(os.path.join(path, "barcodes.tsv.gz"), store.obs_names)


def write_tenx(store, path):
    counts = store.X.tocsr()
    with h5py.File(path, "w") as file:
        matrix = file.create_group("matrix")
        matrix["barcodes"] = numpy.array(list(store.obs_names), dtype="S")
        for name, values in (("data", counts.data), ("indices", counts.indices.astype("i8"))):
            matrix[name] = values
        matrix["indptr"] = counts.indptr.astype("i8")
        matrix["shape"] = numpy.array([store.n_vars, store.n_obs], dtype="i4")
        features = matrix.create_group("features")
        features["id"] = numpy.array([f"ENS{g}" for g in store.var_names], dtype="S")
        features["name"] = numpy.array(list(store.var_names), dtype="S")
        features["feature_type"] = numpy.array(["Gene Expression"] * store.n_vars, dtype="S")
        features["genome"] = numpy.array(["hg"] * store.n_vars, dtype="S")
        features["_all_tag_keys"] = numpy.array(["genome"], dtype="S")


def random_stores(seed, folder):
    """Writes three to twelve stores; returns them with their paths."""
    generator = numpy.random.default_rng(seed)
    stores, paths = [], []
    for number in range(int(generator.integers(3, MAX_STORES + 1))):
        form = (
            generator.choice(["h5ad", "h5ad", "zarr", "mex", "tenx"])
            if seed % 3 == 0
            else generator.choice(["h5ad", "zarr"])
        )
        store = random_store(generator, number) if form in ("h5ad", "zarr") else plain_store(generator)
        path = os.path.join(folder, f"s{number}" + {"h5ad": ".h5ad", "zarr": ".zarr", "mex": "", "tenx": ".h5"}[form])
        write = {"h5ad": lambda: store.write_h5ad(path), "zarr": lambda: store.write_zarr(path)}
        write.get(form, lambda: (write_mex if form == "mex" else write_tenx)(store, path))()
        stores.append(store)
        paths.append(path)
    return stores, paths


# -- comparisons


def dense(matrix):
    return matrix.toarray() if scipy.sparse.issparse(matrix) else numpy.asarray(matrix)


def as_texts(values):
    """The values of a column with None for what is missing, whatever type holds them."""
    if isinstance(values.dtype, pandas.CategoricalDtype):
        values = values.astype(object)
    return [None if pandas.isna(v) else float(v) if isinstance(v, (int, float, numpy.number)) else v for v in values]


class Join(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_ok(self, *arguments, **more):
        result = plainfs(*arguments, **more)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr.decode()))
        return result

    def small_stores(self, count=3, **columns):
        paths = []
        for number in range(count):
            generator = numpy.random.default_rng(number)
            store = plain_store(generator)
            for name, values in columns.items():
                store.obs[name] = values[number]
            paths.append(self.path(f"s{number}.h5ad"))
            store.write_h5ad(paths[-1])
        return paths


@needs_anndata
class AgainstConcat(Join):
    # VIEWS 17 "X and the layers have the common type" VIEWS 17 "They are sparse unless all"
    # VIEWS 17 "What a store lacks is no entry" VIEWS 17 "`inner` has the layers"
    def check_matrix(self, shown, expected, genes, place, lacks_some=False):
        self.assertEqual(scipy.sparse.issparse(shown), scipy.sparse.issparse(expected), place)
        if not lacks_some:  # concat fills with zeros of type float64
            self.assertEqual(shown.dtype, expected.dtype, place)
        numpy.testing.assert_array_equal(dense(shown)[:, genes], dense(expected), place)

    # VIEWS 17 "`inner` cuts a member of" VIEWS 17 "The sparse graphs of" VIEWS 17 "`raw` is joined"
    def check_parts(self, shown, expected, genes, stores):
        self.check_matrix(shown.X, expected.X, genes, "X")
        self.assertEqual(set(shown.layers), set(expected.layers))
        for name in expected.layers:
            lacks_some = not all(name in store.layers for store in stores)
            self.check_matrix(shown.layers[name], expected.layers[name], genes, name, lacks_some)
        self.assertEqual(set(shown.obsm), set(expected.obsm))
        for name in expected.obsm:
            numpy.testing.assert_array_equal(shown.obsm[name], numpy.asarray(expected.obsm[name]), name)
        self.assertEqual(set(shown.obsp), set(expected.obsp))
        for name in expected.obsp:
            numpy.testing.assert_array_equal(dense(shown.obsp[name]), dense(expected.obsp[name]), name)
        self.assertEqual(shown.raw is None, expected.raw is None)
        if expected.raw is not None:
            places = shown.raw.var_names.get_indexer(expected.raw.var_names)
            numpy.testing.assert_array_equal(dense(shown.raw.X)[:, places], dense(expected.raw.X))

    def check_cells(self, shown, expected):
        self.assertEqual(list(shown.obs_names), list(expected.obs_names))
        self.assertEqual(set(shown.obs), set(expected.obs))
        self.assertEqual(list(shown.obs["store"].cat.categories), list(expected.obs["store"].cat.categories))
        for name in expected.obs:
            self.assertEqual(as_texts(shown.obs[name]), as_texts(expected.obs[name]), name)

    def check(self, seed, how):
        stores, paths = random_stores(seed, self.path(how))
        keys = [f"s{i}" for i in range(len(stores))]
        target = self.path(how, "joined.h5ad")
        self.run_ok("export", "--join", how, "--label", "store", *paths, target)
        shown = anndata.read_h5ad(target)
        expected = anndata.concat(
            stores, join=how, label="store", keys=keys, index_unique="-", pairwise=True, merge="same"
        )
        self.assertEqual(set(shown.var_names), set(expected.var_names))
        self.check_cells(shown, expected)
        self.check_parts(shown, expected, shown.var_names.get_indexer(expected.var_names), stores)
        for key, store in zip(keys, stores):
            if "run" in store.uns:
                self.assertEqual(shown.uns[key]["run"]["number"], store.uns["run"]["number"])
        if all("length" in store.var for store in stores):
            self.assertEqual(list(shown.var["length"]), [int(gene[1:]) * 7 for gene in shown.var_names])

    # VIEWS 17 "The files are those of anndata"
    def test_random_stores_equal_the_result_of_concat(self):
        for seed in range(FIRST, END):
            for how in ("inner", "outer"):
                with self.subTest(seed=seed, how=how):
                    os.mkdir(self.path(how))
                    self.check(seed, how)
                shutil.rmtree(self.path(how))


@needs_anndata
class Commands(Join):
    def mount(self, *arguments):
        os.mkdir(self.path("mount"))
        self.run_ok(*arguments, self.path("mount"))
        self.addCleanup(plainfs, "umount", self.path("mount"))

    def read(self, *names):
        with open(self.path("mount", *names)) as file:
            return file.read()

    def cat(self, *arguments):
        return self.run_ok("cat", *arguments).stdout.decode()

    def test_a_mount_shows_the_stores_as_one(self):
        # VIEWS 17 "the cells of all stores" VIEWS 17 "Cells are called"
        paths = self.small_stores()
        self.mount("--join", "outer", "--label", "sample", *paths)
        cells = [f"{name}-s{number}" for number, path in enumerate(paths) for name in anndata.read_h5ad(path).obs_names]
        rows = [line.split(",") for line in self.read("obs.csv").splitlines()]
        self.assertEqual(rows[0], ['""', "sample"])
        self.assertEqual(rows[1:], [[cell, cell.rsplit("-", 1)[1]] for cell in cells])
        self.assertEqual(self.read("X", "barcodes.tsv").split(), cells)
        self.assertEqual(sorted(os.listdir(self.path("mount", "by", "sample"))), ["s0", "s1", "s2"])
        self.assertIn("s1", self.read("by", "sample", "s1", "obs.csv"))
        shown = json.loads(self.run_ok("info", "--json", self.path("mount")).stdout)
        self.assertEqual([store["store"] for store in shown["joined"]["stores"]], paths)
        self.assertIn(b"outer", self.run_ok("info", self.path("mount")).stdout)

    def test_every_file_of_mixed_stores_can_be_read(self):
        # VIEWS 17 "A store may be of any format" VIEWS 17 "Opening reads names" VIEWS 17 "A matrix is read as"
        _, paths = random_stores(3, self.folder)
        self.assertGreater(len({os.path.splitext(path)[1] for path in paths}), 2, paths)
        result = self.run_ok("check", "--join", "outer", "--label", "store", *paths)
        self.assertIn(b"all readable", result.stdout + result.stderr)

    def test_a_list_of_stores_has_labels(self):
        # VIEWS 17 "`@FILE` stands for"
        self.small_stores()
        with open(self.path("list"), "w") as file:
            file.write("# two samples\ns0.h5ad\tfirst\ns2.h5ad\tsecond\n")
        obs = self.cat("--join", "inner", "--label", "sample", "@" + self.path("list"), "obs.csv")
        self.assertEqual({line.split(",")[1] for line in obs.splitlines()[1:]}, {"first", "second"})
        self.assertIn("-first,first", obs)

    def test_a_store_that_cannot_be_joined_fails_by_name(self):
        # VIEWS 17 "A store that cannot be opened"
        paths = self.small_stores()
        numpy.save(self.path("plain.npy"), numpy.arange(3))
        anndata.AnnData(obs=pandas.DataFrame(index=["a"]), var=pandas.DataFrame(index=["g"])).write_h5ad(
            self.path("empty.h5ad")
        )
        h5py.File(self.path("other.h5"), "w").create_dataset("x", data=[1])
        for wrong, why in (
            ("plain.npy", b"unknown format"),
            ("absent.h5ad", b"no such file"),
            ("other.h5", b"not a matrix of cells by genes"),
            ("empty.h5ad", b"empty has no X"),
        ):
            result = plainfs("cat", "--join", "outer", *paths, self.path(wrong), "obs.csv")
            self.assertNotEqual(result.returncode, 0, wrong)
            self.assertIn(os.path.splitext(wrong)[0].encode(), result.stderr)
            self.assertIn(why, result.stderr)

    def test_stores_behind_urls_are_joined(self):
        paths = self.small_stores()
        with StoreServer(self.folder) as server:
            urls = [f"{server.url}/{os.path.basename(path)}" for path in paths]
            for file in ("obs.csv", "X/matrix.mtx", "var.csv"):
                self.assertEqual(
                    self.cat("--join", "outer", "--label", "sample", *urls, file),
                    self.cat("--join", "outer", "--label", "sample", *paths, file),
                )
            self.run_ok("export", "--join", "inner", *urls, self.path("remote.h5ad"))
            result = plainfs("ls", "--join", "outer", urls[0], server.url + "/absent.h5ad")
            self.assertIn(f"{server.url}/absent.h5ad: no such file".encode(), result.stderr)
            self.assertEqual(plainfs("ls", "--join", "outer", *urls).returncode, 0)
        self.run_ok("export", "--join", "inner", *paths, self.path("own.h5ad"))
        remote, own = (anndata.read_h5ad(self.path(name)) for name in ("remote.h5ad", "own.h5ad"))
        self.assertEqual((remote.X != own.X).nnz, 0)
        pandas.testing.assert_frame_equal(remote.obs, own.obs)

    def test_a_url_with_a_query_is_not_joined(self):
        # VIEWS 17 "A store may be behind a URL"
        path, url = self.small_stores(1)[0], "https://host.invalid/a.h5ad"
        signed, shared = url + "?sig=hidden", "az://account/container/a.h5ad?sv=1&sig=hidden"
        for words in ((signed, url), (url, signed), (path, signed), (signed, path), (path, shared), (shared, path)):
            result = plainfs("ls", "--join", "outer", *words)
            self.assertIn(b"a URL with a query cannot be joined", result.stderr, words)
            self.assertNotIn(b"hidden", result.stderr)

    def mixed(self, server, paths):
        """Returns the stores with every second one behind a URL, beginning with the first or with the second."""
        urls = [f"{server.url}/{os.path.basename(path)}" for path in paths]
        return [[both[(i + first) % 2] for i, both in enumerate(zip(paths, urls))] for first in (0, 1)]

    def test_stores_behind_urls_are_joined_with_local_ones(self):
        # VIEWS 17 "A store may be behind a URL"
        _, paths = random_stores(3, self.folder)
        paths = [path for path in paths if not os.path.isdir(path)][:4]
        options = ("--join", "outer", "--label", "sample")
        self.assertEqual(len(paths), 4)
        whole = self.run_ok("export", *options, *paths, self.path("own"))
        with StoreServer(self.folder) as server:
            for number, words in enumerate(self.mixed(server, paths)):
                self.run_ok("export", *options, *words, self.path(f"mixed{number}"))
                differences = subprocess.run(
                    ["diff", "-r", self.path("own"), self.path(f"mixed{number}")], capture_output=True
                )
                self.assertEqual((differences.returncode, differences.stdout), (0, b""), whole.stderr)

    def test_a_list_has_stores_of_both_kinds(self):
        paths = self.small_stores()
        words = ("--join", "inner", "--label", "sample")
        with StoreServer(self.folder) as server:
            for name, stores in (("both", ("s0.h5ad", f"{server.url}/s1.h5ad", f"file://{paths[2]}")), ("own", paths)):
                with open(self.path(name), "w") as file:
                    for store, label in zip(stores, ("first", "second", "third")):
                        file.write(f"{store}\t{label}\n")
            both, own = (self.cat(*words, "@" + self.path(name), "obs.csv") for name in ("both", "own"))
        self.assertEqual(both, own)
        self.assertEqual({line.split(",")[1] for line in own.splitlines()[1:]}, {"first", "second", "third"})

    def test_a_mount_shows_stores_of_both_kinds(self):
        paths = self.small_stores()
        with StoreServer(self.folder) as server:
            for number, words in enumerate(self.mixed(server, paths)):
                mountpoint = self.path(f"mount{number}")
                os.mkdir(mountpoint)
                self.run_ok("--join", "outer", "-o", "sandbox=required", *words, mountpoint)
                try:
                    with open(os.path.join(mountpoint, "obs.csv")) as file:
                        self.assertEqual(file.read(), self.cat("--join", "outer", *paths, "obs.csv"))
                    joined = anndata.read_h5ad(os.path.join(mountpoint, "anndata.h5ad"))
                    self.assertEqual(joined.n_obs, sum(anndata.read_h5ad(path).n_obs for path in paths))
                finally:
                    self.run_ok("umount", mountpoint)

    def test_a_local_store_beside_a_remote_one_may_change(self):
        paths = self.small_stores()
        with StoreServer(self.folder) as server:
            url = f"{server.url}/s1.h5ad"
            for number, words in enumerate(((paths[0], url), (url, paths[0]))):
                mountpoint = self.path(f"mount{number}")
                os.mkdir(mountpoint)
                self.run_ok("--join", "outer", *words, mountpoint)
                try:
                    self.assertTrue(os.path.exists(os.path.join(mountpoint, "obs.csv")))
                    shutil.copy(paths[2 - number], self.path("other"))
                    os.replace(self.path("other"), paths[0])
                    with self.assertRaises(OSError), open(os.path.join(mountpoint, "X", "matrix.mtx")) as file:
                        file.read()
                    self.run_ok("reload", mountpoint)
                    with open(os.path.join(mountpoint, "obs.csv")) as file:
                        self.assertEqual(file.read(), self.cat("--join", "outer", *words, "obs.csv"))
                finally:
                    self.run_ok("umount", mountpoint)

    def test_a_plan_has_stores_of_both_kinds(self):
        paths = self.small_stores()
        plan, copy = self.path("plan.json"), self.path("copy")
        with StoreServer(self.folder) as server:
            words = ("--join", "outer", "--label", "sample", *self.mixed(server, paths)[0])
            tasks = int(self.run_ok("export", "--plan", "--tasks", "3", *words, plan).stdout)
            for task in range(1, tasks):
                self.run_ok("export", "--task", str(task), plan, copy)
            server.change("/s1.h5ad")
            changed = plainfs("export", "--task", str(tasks), plan, copy)
            self.assertNotEqual(changed.returncode, 0)
            self.assertIn(f"has changed since it was planned ({server.url}/s1.h5ad)".encode(), changed.stderr)
            server.versions.clear()
            self.run_ok("export", "--task", str(tasks), plan, copy)
            self.run_ok("export", "--finish", "--verify", plan, copy)
            self.run_ok("export", *words, self.path("whole"))
        self.assertEqual(subprocess.run(["diff", "-r", self.path("whole"), copy]).returncode, 0)

    def test_sizes_of_stores_of_both_kinds_are_kept(self):
        paths = self.small_stores()
        index = "index=" + self.path("index")
        with StoreServer(self.folder) as server:
            for words in self.mixed(server, paths):
                for _ in range(100):
                    if plainfs("index", "-o", index, "--join", "outer", *words).returncode != CHANGED:
                        break
                    time.sleep(0.1)
                kept, measured = (
                    self.run_ok("ls", "-lR", "-o", place, "--join", "outer", *stores).stdout.splitlines()
                    for place, stores in ((index, words), ("index=none", paths))
                )
                files = [line for line in measured if line.startswith(b"-")]
                self.assertEqual([line for line in kept if line.startswith(b"-")], files)
                self.assertTrue(any(b"matrix.mtx" in line for line in files))
        self.assertEqual(len(os.listdir(self.path("index"))), 2)

    def test_a_remote_store_names_no_file_beside_a_local_one(self):
        # VIEWS 17 "Such a store can name no file"
        paths = self.small_stores(2)
        os.mkdir(self.path("served"))
        secret, evil = self.path("secret"), self.path("served", "evil.h5ad")
        shutil.copy(paths[1], evil)
        with h5py.File(evil, "a") as file:
            values = file["X/data"][...]
            values.tofile(secret)
            del file["X/data"]
            space = h5py.h5s.create_simple(values.shape)
            built = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            built.set_external(secret.encode(), 0, values.nbytes)
            h5py.h5d.create(file["X"].id, b"data", h5py.h5t.py_create(values.dtype), space, built)
        with StoreServer(self.path("served")) as server:
            words = ("--join", "outer", paths[0], f"{server.url}/evil.h5ad", "X/matrix.mtx")
            result = plainfs("cat", *words)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(b"outside", result.stderr)
            self.assertNotEqual(plainfs("cat", "-o", "follow_outside", *words).returncode, 0)
        self.run_ok("cat", "--join", "outer", paths[0], evil, "-o", "follow_outside", "X/matrix.mtx")

    @unittest.skipUnless(os.geteuid() == 0, "allow_other is for root, or where it is allowed")
    def test_others_have_the_permissions_of_all_stores(self):
        # VIEWS 17 "Files have the time"
        paths = self.small_stores(2)
        os.chmod(paths[0], 0o644)
        for mode in (0o644, 0o600):
            os.chmod(paths[1], mode)
            os.makedirs(self.path("mount"), exist_ok=True)
            self.run_ok("-o", "allow_other", "--join", "outer", *paths, self.path("mount"))
            shown = os.stat(self.path("mount", "obs.csv"))
            self.run_ok("umount", self.path("mount"))
            self.assertEqual(shown.st_mode & 0o077, mode & 0o077)

    def test_files_have_the_time_of_the_latest_store(self):
        # VIEWS 17 "Files have the time"
        paths = self.small_stores()
        for path, seconds in zip(paths, (1_000_000_000, 1_200_000_000, 1_100_000_000)):
            os.utime(path, (seconds, seconds))
        self.mount("--join", "outer", *paths)
        self.assertEqual(os.stat(self.path("mount", "obs.csv")).st_mtime, 1_200_000_000)

    def test_a_column_with_the_name_of_the_label_is_replaced(self):
        # VIEWS 17 "A column of obs with"
        paths = self.small_stores(2, sample=["x", "y"])
        result = self.run_ok("export", "--join", "inner", "--label", "sample", *paths, self.path("all.h5ad"))
        self.assertIn(b"obs/sample: the stores' own column is replaced by --label", result.stderr)
        self.assertEqual(set(anndata.read_h5ad(self.path("all.h5ad")).obs["sample"]), {"s0", "s1"})

    def test_folders_distinguish_files_of_one_name(self):
        # VIEWS 17 "with these names of the stores"
        paths = []
        for name, path in zip(("one", "two", "three"), self.small_stores()):
            os.makedirs(self.path("runs", name, "outs"))
            paths.append(shutil.move(path, self.path("runs", name, "outs", "filtered.h5ad")))
        obs = self.cat("--join", "inner", "--label", "run", *paths, "obs.csv")
        self.assertEqual({line.split(",")[1] for line in obs.splitlines()[1:]}, {"one", "two", "three"})

    def test_the_lines_that_info_prints_can_be_pasted(self):
        # VIEWS 17 "`--join outer|inner"
        paths = self.small_stores()
        printed = self.run_ok("info", "--join", "inner", *paths).stdout.decode()
        line = next(line for line in printed.splitlines() if " joined.rds " in line)
        subprocess.run(
            line.split("#")[0].replace("plainfs", PROGRAM, 1),
            shell=True,
            check=True,
            cwd=self.folder,
            capture_output=True,
        )
        self.assertGreater(os.path.getsize(self.path("joined.rds")), 0)

    def test_a_plan_shares_the_work(self):
        paths = self.small_stores()
        words = ("--join", "outer", "--label", "sample", *paths)
        tasks = int(self.run_ok("export", "--plan", "--tasks", "3", *words, self.path("plan.json")).stdout)
        for task in range(tasks):
            self.run_ok("export", "--task", str(task + 1), self.path("plan.json"), self.path("copy"))
        self.run_ok("export", "--finish", "--verify", self.path("plan.json"), self.path("copy"))
        with open(self.path("copy", "obs.csv")) as file:
            self.assertEqual(file.read(), self.cat(*words, "obs.csv"))

    def kill_while_it_writes(self, task, plan, copy):
        """Returns once a run of the task was killed before it was done."""
        while True:
            process = subprocess.Popen([PROGRAM, "export", "--task", task, plan, copy], stderr=subprocess.DEVNULL)
            while process.poll() is None and not os.path.isdir(copy):
                pass
            process.kill()
            missing = json.loads(plainfs("export", "--status", plan, copy).stdout)["missing"]
            if process.wait() != 0 and int(task) in missing:
                return
            shutil.rmtree(copy)  # it was faster

    def test_killed_task_of_a_joined_plan_is_run_again(self):
        paths = []
        for number in range(3):
            generator = numpy.random.default_rng(number)
            values = scipy.sparse.csr_matrix(generator.integers(0, 3, (3000, 40)).astype("f4"))
            obs = pandas.DataFrame(index=[f"c{i}" for i in range(3000)])
            var = pandas.DataFrame(index=[f"g{i + number}" for i in range(40)])
            paths.append(self.path(f"s{number}.h5ad"))
            anndata.AnnData(values, obs, var).write_h5ad(paths[-1])
        words, plan, copy = ("--join", "outer", *paths), self.path("plan.json"), self.path("copy")
        self.run_ok("export", "--plan", "--tasks", "6", "--views=listed", *words, plan)
        self.kill_while_it_writes("2", plan, copy)
        self.assertEqual(plainfs("export", "--finish", plan, copy).returncode, 75)
        machines = [
            subprocess.Popen(["sh", "-ec", 'for i in $0; do "$1" export --task $i "$2" "$3"; done', *each])
            for each in (("1 2 3", PROGRAM, plan, copy), ("4 5 6", PROGRAM, plan, copy))
        ]
        self.assertEqual([machine.wait() for machine in machines], [0, 0])
        self.run_ok("export", "--finish", "--verify", plan, copy)
        self.run_ok("export", *words, self.path("all.h5ad"))
        (written,) = glob.glob(os.path.join(copy, "**", "*.h5ad"), recursive=True)
        by_tasks, at_once = anndata.read_h5ad(written), anndata.read_h5ad(self.path("all.h5ad"))
        self.assertEqual((by_tasks.X != at_once.X).nnz, 0)
        self.assertEqual(list(by_tasks.obs_names), list(at_once.obs_names))

    def test_a_changed_store_is_an_error_until_it_is_reopened(self):
        paths = self.small_stores()
        self.mount("--join", "outer", *paths)
        before = self.read("obs.csv")
        shutil.copy(paths[0], self.path("new"))
        time.sleep(0.05)
        os.replace(self.path("new"), paths[2])
        with self.assertRaises(OSError):
            self.read("X", "barcodes.tsv")
        self.run_ok("reload", self.path("mount"))
        self.assertNotEqual(self.read("obs.csv"), before)

    def test_sizes_are_kept_for_these_stores_in_this_order(self):
        paths = self.small_stores()
        index = "index=" + self.path("index")
        for words in (("outer", *paths), ("outer", *reversed(paths)), ("inner", *paths)):
            # Sizes of stores that were written just before are not kept: a later change could look the same.
            for _ in range(100):
                if plainfs("index", "-o", index, "--join", *words).returncode != CHANGED:
                    break
                time.sleep(0.1)
            kept = self.run_ok("ls", "-lR", "-o", index, "--join", *words).stdout
            self.assertEqual(kept, self.run_ok("ls", "-lR", "-o", "index=none", "--join", *words).stdout)
        self.assertEqual(len(os.listdir(self.path("index"))), 3)
        self.assertIn(b"--beside is for one store", plainfs("index", "-o", index, "--beside", "--join", *words).stderr)


@needs_anndata
class Differences(Join):
    """Parts that are left out or changed, with the lines that name them."""

    def pair(self, *stores):
        paths = []
        for number, (genes, ids, obs) in enumerate(stores):
            counts = scipy.sparse.csr_matrix(numpy.arange(1, 2 * len(genes) + 1, dtype="f4").reshape(2, -1))
            var = pandas.DataFrame(index=genes)
            if ids:
                var["gene_ids"] = ids
            store = anndata.AnnData(counts, obs=pandas.DataFrame(obs, index=["c", "d"]), var=var, dtype="f4")
            store.varm["loadings"] = numpy.ones((len(genes), 2))
            paths.append(self.path(f"p{number}.h5ad"))
            store.write_h5ad(paths[-1])
        return paths

    def joined(self, how, *stores):
        """Returns what export writes to standard error, and the file."""
        paths, target = self.pair(*stores), self.path("joined.h5ad")
        result = self.run_ok("export", "--force", "--join", how, *paths, target)
        return result.stderr.decode(), anndata.read_h5ad(target)

    def test_genes_are_in_the_order_of_first_appearance(self):
        # VIEWS 17 "`inner` has those of all stores in the order"
        stores = (["b", "a", "x"], None, {}), (["y", "a", "b"], None, {})
        self.assertEqual(list(self.joined("outer", *stores)[1].var_names), ["b", "a", "x", "y"])
        self.assertEqual(list(self.joined("inner", *stores)[1].var_names), ["b", "a"])

    def test_ids_match_genes_with_other_names(self):
        # VIEWS 17 "Genes are matched by id" VIEWS 17 "Two ids with one name"
        notices, joined = self.joined("outer", (["a", "b"], ["E1", "E2"], {}), (["b2", "a"], ["E2", "E3"], {}))
        self.assertEqual(list(joined.var["gene_ids"]), ["E1", "E2", "E3"])
        self.assertEqual(joined.X.toarray()[2].tolist(), [0, 1, 2])
        self.assertIn("another name for an id, such as b and b2", notices)
        self.assertIn("names stand for several ids, such as a", notices)

    def test_stores_without_common_genes_are_named(self):
        # VIEWS 17 "A notice names stores"
        stores = (["a", "b"], None, {}), (["b", "c"], None, {}), (["E1", "E2"], None, {})
        notices, joined = self.joined("outer", *stores)
        self.assertIn("var: stores that share no gene with another: p2", notices)
        self.assertEqual(joined.n_vars, 5)
        notices, joined = self.joined("inner", *stores)
        self.assertIn("var: no gene is in all stores, so none is left", notices)
        self.assertEqual(joined.n_vars, 0)
        for kept in (stores[:2], stores[2:]):
            self.assertNotIn("no gene", self.joined("outer", *kept)[0])

    def test_a_gene_twice_is_unsupported_if_lists_differ(self):
        # VIEWS 17 "A gene that a store has twice"
        paths = self.pair((["a", "a"], None, {}), (["a", "b"], None, {}))
        result = plainfs("cat", "--join", "outer", *paths, "obs.csv")
        self.assertIn(b"the gene a twice; genes are joined by name, as p0 has no column gene_ids", result.stderr)
        os.mkdir(self.path("mount"))
        refused = plainfs("--join", "outer", *paths, self.path("mount"))
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(b"has the gene a twice", refused.stderr)
        self.run_ok("cat", "--join", "outer", paths[0], paths[0], "X/matrix.mtx")

    def test_entries_keep_their_order(self):
        # VIEWS 17 "The entries of a cell"
        path = self.pair((["a", "b"], None, {}))[0]
        with h5py.File(path, "a") as file:
            file["X/indices"][...] = [1, 0, 0, 1]
        lines = self.run_ok("cat", "--join", "outer", path, path, "X/matrix.mtx").stdout.decode().splitlines()
        self.assertEqual(lines[-8:-6], ["2 1 1", "1 1 2"])

    def test_columns_of_other_kinds_are_text(self):
        # VIEWS 17 "Factors have the levels of all" VIEWS 17 "`inner` has the columns of obs"
        ordered = [
            pandas.Categorical(["l", "h"], categories=levels, ordered=True) for levels in (list("lh"), list("hl"))
        ]
        notices, joined = self.joined(
            "outer",
            (["a"], None, {"mixed": [1, 2], "level": ordered[0], "only": [True, False], "many": [5, 6]}),
            (["a"], None, {"mixed": ["x", "y"], "level": ordered[1]}),
        )
        self.assertIn("obs/mixed: text, because the stores have values of different kinds in it", notices)
        self.assertIn("obs/level: text, because the stores order its levels differently", notices)
        self.assertEqual(list(joined.obs["mixed"]), ["1", "2", "x", "y"])
        self.assertEqual(list(joined.obs["level"]), ["l", "h", "l", "h"])
        self.assertEqual(str(joined.obs["only"].dtype), "boolean")
        self.assertEqual(as_texts(joined.obs["many"]), [5, 6, None, None])
        notices, joined = self.joined("inner", (["a"], None, {"only": [1, 2]}), (["a"], None, {}))
        self.assertEqual(list(joined.obs), [])
        self.assertIn("obs: left out, because not all stores have it: only", notices)

    def test_gene_columns_in_which_stores_differ_are_named(self):
        # VIEWS 17 "Columns of var" VIEWS 17 "`varm` and `varp` are left" VIEWS 17 "`uns` is in"
        paths = self.pair((["a", "b"], None, {}), (["b", "c"], None, {}))
        for path, same, other in zip(paths, (["k1", "k2"], ["k2", "k3"]), ([1, 2], [9, 3])):
            store = anndata.read_h5ad(path)
            store.var["same"], store.var["other"] = same, other
            store.uns["title"] = path
            store.write_h5ad(path)
        outer = self.run_ok("export", "--join", "outer", *paths, self.path("outer.h5ad")).stderr
        self.assertIn(b"var: the stores differ, the first one's values are shown: other", outer)
        self.assertIn(b"varm: left out", outer)
        joined = anndata.read_h5ad(self.path("outer.h5ad"))
        self.assertEqual(list(joined.var["same"]), ["k1", "k2", "k3"])
        self.assertEqual(list(joined.var["other"]), [1, 2, 3])
        self.assertEqual([joined.uns[label]["title"] for label in ("p0", "p1")], paths)
        inner = self.run_ok("export", "--join", "inner", *paths, self.path("inner.h5ad")).stderr
        self.assertIn(b"var: left out, because the stores differ: other", inner)
        self.assertEqual(list(anndata.read_h5ad(self.path("inner.h5ad")).var), ["same"])


MERGE = """
suppressMessages(library(Seurat))
arguments <- commandArgs(TRUE)
objects <- lapply(arguments[-1], readRDS)
merged <- merge(objects[[1]], objects[-1])
joined <- readRDS(arguments[1])
expected <- GetAssayData(merged, slot = "counts")
shown <- GetAssayData(joined, slot = "counts")
stopifnot(setequal(rownames(expected), rownames(shown)), ncol(expected) == ncol(shown))
stopifnot(all(as.matrix(expected) == as.matrix(shown)[rownames(expected), ]))
"""


@needs_anndata
class AgainstMerge(Join):
    @needs_r("Seurat")
    def test_counts_are_those_of_merged_seurat_objects(self):
        for seed in range(3):
            generator = numpy.random.default_rng(seed)
            paths, objects = [], []
            for number in range(3):
                paths.append(self.path(f"{seed}-{number}.h5ad"))
                objects.append(self.path(f"{seed}-{number}.rds"))
                store = plain_store(generator)
                store.obs_names = [f"{name}x{number}" for name in store.obs_names]
                store.write_h5ad(paths[-1])
                self.run_ok("export", paths[-1], objects[-1])
            self.run_ok("export", "--join", "outer", *objects, self.path(f"{seed}.rds"))
            result = subprocess.run(
                ["Rscript", "-e", MERGE, self.path(f"{seed}.rds"), *objects], capture_output=True, timeout=300
            )
            self.assertEqual(result.returncode, 0, result.stderr.decode())


if __name__ == "__main__":
    unittest.main(warnings="ignore")
