"""The number of requests, and the time that they take on a slow connection."""
import gzip
import json
import mmap
import os
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy

from remote import (
    DATA,
    HAS_FUSE,
    PATIENCE,
    PROGRAM,
    RemoteTest,
    environment,
    given_bytes,
    listed_sizes,
    run,
    signing,
    unmount,
)
from store_server import StoreServer

CELLS, GENES = 4_000, 3_000


def spans_of(server):
    """Returns the first and the last byte of each requested range."""
    return [tuple(map(int, asked.removeprefix("bytes=").split("-"))) for _, asked, _ in server.requests if asked]


def asked_bytes(server):
    return sum(last + 1 - first for first, last in spans_of(server))


def write_h5ad(path, cells=CELLS):
    """Writes a file shaped like one of 100 GB written by anndata: metadata in several places, between megabytes of
    data."""
    text = h5py.string_dtype()
    random = numpy.random.default_rng(7)

    def group(parent, name, **attributes):
        built = parent.create_group(name)
        built.attrs.update({"encoding-version": "0.1.0", **attributes})
        return built

    def frame(file, name, index, columns):
        built = group(file, name, **{"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
        built.attrs.create("column-order", list(columns), dtype=text)
        for column, values in {"_index": index, **columns}.items():
            built[column] = values
            built[column].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})

    with h5py.File(path, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        per_cell = 500
        indices = numpy.sort(
            random.random((cells, GENES)).argpartition(per_cell, axis=1)[:, :per_cell].astype("i4"), axis=1
        )
        matrix = group(file, "X", **{"encoding-type": "csr_matrix", "shape": numpy.array([cells, GENES])})
        matrix.create_dataset("data", data=random.random(cells * per_cell).astype("f4"), chunks=(50_000,))
        matrix.create_dataset("indices", data=indices.ravel(), chunks=(50_000,))
        matrix.create_dataset("indptr", data=numpy.arange(cells + 1) * per_cell)
        frame(
            file,
            "obs",
            numpy.array([f"cell{i}" for i in range(cells)], dtype=object),
            {f"score{i}": random.random(cells) for i in range(12)},
        )
        frame(
            file,
            "var",
            numpy.array([f"gene{i}" for i in range(GENES)], dtype=object),
            {f"mean{i}": random.random(GENES) for i in range(4)},
        )
        for name in ("obsm", "varm", "obsp", "varp", "layers", "uns"):
            group(file, name, **{"encoding-type": "dict"})
        file["obsm/X_pca"] = random.random((cells, 50)).astype("f4")


def write_zarr(folder, chunks, values, is_consolidated=True):
    """Writes a group of one array `x` of float64, uncompressed, of `chunks` chunks of `values` values."""
    documents = {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {"title": "numbers"},
        "x/.zarray": {
            "zarr_format": 2,
            "shape": [chunks * values],
            "chunks": [values],
            "dtype": "<f8",
            "compressor": None,
            "filters": None,
            "fill_value": None,
            "order": "C",
        },
    }
    if is_consolidated:
        documents[".zmetadata"] = {"zarr_consolidated_format": 1, "metadata": dict(documents)}
    os.makedirs(os.path.join(folder, "x"))
    for name, document in documents.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(document, file)
    numbers = numpy.random.default_rng(5).random((chunks, values))
    for number, chunk in enumerate(numbers):
        chunk.tofile(os.path.join(folder, "x", str(number)))


class Requests(RemoteTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        cls.addClassCleanup(cls.shared.cleanup)
        write_h5ad(os.path.join(cls.shared.name, "x.h5ad"))

    def test_r_object_reads_files_beside_it_and_never_above(self):
        case = os.path.join(DATA, "r-objects", "hdf5_se")
        os.mkdir(self.path("deep"))
        for place in ("secret.h5", "deep/assays.h5"):
            shutil.copy(os.path.join(case, "assays.h5"), self.path(place))
        with gzip.open(os.path.join(case, "store.rds")) as file:
            whole = file.read()
        self.assertIn(b"assays.h5", whole)
        for name, named in (("good.rds", b"assays.h5"), ("bad.rds", b"../secret"), ("other.rds", b"/etc/host")):
            with open(self.path("deep", name), "wb") as file:
                file.write(whole.replace(b"assays.h5", named))
        server = self.served(StoreServer(self.folder))

        def cat(name):
            return run("cat", f"{server.url}/deep/{name}", "assays/counts.csv")

        self.assertEqual(
            cat("good.rds").stdout, run("cat", os.path.join(case, "store.rds"), "assays/counts.csv").stdout
        )
        for name, words in (("bad.rds", b"outside the store"), ("other.rds", b"missing, both in the folder")):
            result = cat(name)
            self.assertEqual((result.stdout, words in result.stderr), (b"", True), result.stderr)
        self.assertFalse([path for path, _, _ in server.requests if "secret" in path])

    def test_listing_a_large_h5ad_takes_few_requests(self):
        server = self.served(StoreServer(self.shared.name))
        listed = run("ls", "-Ra", server.url + "/x.h5ad")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertEqual(listed.stdout, run("ls", "-Ra", os.path.join(self.shared.name, "x.h5ad")).stdout)
        self.assertLessEqual(len(server.requests), 8, server.requests)

    def test_first_line_of_a_matrix_takes_few_requests(self):
        server = self.served(StoreServer(self.shared.name))
        run("ls", server.url + "/x.h5ad")
        listing = len(server.requests)
        server.requests.clear()
        line = run("cat", "--range", "0-45", server.url + "/x.h5ad", "X/matrix.mtx")
        self.assertEqual(line.stdout, b"%%MatrixMarket matrix coordinate real general\n", line.stderr)
        self.assertLessEqual(len(server.requests), listing + 5, server.requests)
        # A reader that stops there is not a failure.
        program = subprocess.Popen(
            [PROGRAM, "cat", server.url + "/x.h5ad", "X/matrix.mtx"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        with program.stdout, program.stderr:
            self.assertEqual(program.stdout.readline(), line.stdout)
            program.stdout.close()
            self.assertEqual(program.stderr.read(), b"")
        self.assertIn(program.wait(), (0, -signal.SIGPIPE))

    @unittest.skipUnless(HAS_FUSE, "no FUSE")
    def test_the_first_lines_come_through_a_mount_before_the_size(self):
        server = self.served(StoreServer(self.shared.name))
        os.mkdir(self.path("mount"))
        self.assertEqual(run("-o", "index=none", server.url + "/x.h5ad", self.path("mount")).returncode, 0)
        self.addCleanup(unmount, self.path("mount"))
        matrix = self.path("mount", "X", "matrix.mtx")
        os.listdir(os.path.dirname(matrix))
        server.requests.clear()
        head = subprocess.run(["head", "-n", "100", matrix], capture_output=True, check=True).stdout
        self.assertEqual(head.count(b"\n"), 100)
        self.assertLessEqual(len(server.requests), 6, server.requests)
        # The size is exact from its first request on, and later reads give the whole file.
        whole = run("cat", os.path.join(self.shared.name, "x.h5ad"), "X/matrix.mtx").stdout
        self.assertEqual(whole[: len(head)], head)
        file = os.open(matrix, os.O_RDONLY)
        self.addCleanup(os.close, file)
        self.assertEqual(os.pread(file, 5000, 20_000), whole[20_000:25_000])
        few = len(server.requests)
        self.assertEqual(os.fstat(file).st_size, len(whole))
        self.assertGreater(len(server.requests), few)
        self.assertEqual(os.pread(file, 1000, len(whole) - 10), whole[-10:])
        with open(matrix, "rb") as again:
            self.assertEqual(again.read(), whole)
            self.assertEqual(mmap.mmap(again.fileno(), 0, access=mmap.ACCESS_READ)[-100:], whole[-100:])

    def mounted(self, *options):
        place = tempfile.mkdtemp(prefix="mount-", dir=self.folder)
        self.assertEqual(run(*options, place).returncode, 0)
        self.addCleanup(unmount, place)
        return place

    @unittest.skipUnless(HAS_FUSE, "no FUSE")
    def test_listing_with_every_size_fetches_little(self):
        server = self.served(StoreServer(self.shared.name))
        place = self.mounted("-o", "index=none", server.url + "/x.h5ad")
        listed = subprocess.run(["ls", "-lR", "--color=always", place], capture_output=True, check=True).stdout
        self.assertLess(asked_bytes(server), 2_000_000)
        self.assertLess(len(server.requests), 9)
        self.assertIn(b"data.npy", listed)
        self.assertNotIn(b"matrix.mtx", listed)
        # A reader that knows the name gets the file and its size.
        obs = run("cat", os.path.join(self.shared.name, "x.h5ad"), "obs.csv").stdout
        self.assertEqual(os.stat(os.path.join(place, "obs.csv")).st_size, len(obs))
        with open(os.path.join(place, "obs.csv"), "rb") as file:
            self.assertEqual(file.read(), obs)
        self.assertIn("matrix.mtx.gz", os.listdir(os.path.join(place, "X", "10x")))

    def test_all_sizes_take_each_byte_once(self):
        # With a cache for half of the matrix. Three texts show its numbers.
        server = self.served(StoreServer(self.shared.name))
        url, store, index = (
            server.url + "/x.h5ad",
            os.path.join(self.shared.name, "x.h5ad"),
            "index=" + self.path("index"),
        )
        self.assertEqual(run("index", "-o", "cache_size=8M", "-o", index, url).returncode, 0)
        self.assertLess(given_bytes(server), 1.2 * os.path.getsize(store))
        self.assertEqual(
            listed_sizes(run("ls", "-lR", "-o", index, url).stdout), listed_sizes(run("ls", "-lR", store).stdout)
        )

    def test_a_listing_of_all_sizes_takes_each_byte_once(self):
        server = self.served(StoreServer(self.shared.name))
        url, store, views = (
            server.url + "/x.h5ad",
            os.path.join(self.shared.name, "x.h5ad"),
            ("-o", "views=csv+npy+mtx"),
        )
        for path in ("X", "X/matrix.mtx"):  # the last one is requested by name
            server.requests.clear()
            listed = run("ls", "-l", "-o", "cache_size=8M", "-o", "index=none", *views, url, path).stdout
            self.assertLess(given_bytes(server), 1.2 * os.path.getsize(store))
            self.assertEqual(listed_sizes(listed), listed_sizes(run("ls", "-l", *views, store, path).stdout))

    def test_listing_names_the_place_of_the_texts(self):
        """On a terminal, and in a mount: VIEWS 1 "Such a mount lists"."""
        server = self.served(StoreServer(self.shared.name))
        url = server.url + "/x.h5ad"
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        done = subprocess.run(
            [PROGRAM, "ls", "-o", "index=none", url],
            stdout=subprocess.PIPE,
            stderr=slave,
            env=environment(),
            check=True,
        )
        os.close(slave)
        self.assertNotIn(b"obs.csv", done.stdout)
        self.assertRegex(
            os.read(master, 4096).decode(),
            rf"^plainfs: [\d,]+ files not listed, .*: plainfs ls -a {re.escape(url)}\r\n$",
        )
        self.assertEqual(run("ls", "-o", "index=none", url).stderr, b"")
        if HAS_FUSE:
            place = self.mounted("-o", "index=none", url)
            self.assertIn("README.txt", os.listdir(place))
            with open(os.path.join(place, "README.txt"), encoding="utf-8") as file:
                self.assertIn("obs.csv", file.read())
            self.assertTrue(os.path.exists(os.path.join(place, "obs.csv")))
            self.assertNotIn("README.txt", os.listdir(self.mounted("-o", "index=none", "-o", "views=all", url)))

    @unittest.skipUnless(HAS_FUSE, "no FUSE")
    def test_files_of_an_index_or_option_are_listed(self):
        server = self.served(StoreServer(self.shared.name))
        url, index = server.url + "/x.h5ad", "index=" + self.path("index")
        everything = sorted(os.listdir(self.mounted("-o", "index=none", "-o", "views=all", url)))
        self.assertIn("obs.csv", everything)
        self.assertIn("anndata.zarr", everything)
        self.assertIn(b"found by name and not listed", run("info", "-o", index, url).stdout)
        self.assertEqual(run("index", "-o", index, url).returncode, 0)
        self.assertNotIn(b"obs.csv", run("ls", "-o", "index=none", url).stdout)
        self.assertEqual(run("ls", "-o", index, url).stdout, run("ls", os.path.join(self.shared.name, "x.h5ad")).stdout)

    def test_listing_does_not_wait_for_long(self):
        server = self.served(StoreServer(self.shared.name, delay=0.08))
        began = time.monotonic()
        self.assertEqual(run("ls", "-R", server.url + "/x.h5ad").returncode, 0)
        self.assertLess(time.monotonic() - began, 1.5 * PATIENCE)

    def test_neighbouring_chunks_are_fetched_together(self):
        server = self.served(StoreServer(self.shared.name))
        run("ls", "-R", server.url + "/x.h5ad")
        listing = len(server.requests)
        server.requests.clear()
        read = run("cat", server.url + "/x.h5ad", "X/data.npy")
        self.assertEqual(read.stdout, run("cat", os.path.join(self.shared.name, "x.h5ad"), "X/data.npy").stdout)
        self.assertEqual(len(read.stdout), 128 + 4 * CELLS * 500)
        self.assertLessEqual(len(server.requests), listing + 25, server.requests)  # for 40 chunks

    def test_sequential_reads_request_each_byte_once(self):
        with h5py.File(self.path("whole.h5"), "w") as file:
            file["x"] = numpy.random.default_rng(1).random(4_000_000)
        server = self.served(StoreServer(self.folder))
        read = run("cat", server.url + "/whole.h5", "x.npy")
        self.assertEqual(read.returncode, 0, read.stderr)
        self.assertEqual(len(read.stdout), 128 + 32_000_000)
        spans = spans_of(server)
        self.assertLess(asked_bytes(server), 1.1 * os.path.getsize(self.path("whole.h5")))
        self.assertLess(len(spans), 40, spans)
        self.assertGreater(max(last + 1 - first for first, last in spans), 2 << 20)


class Bounds(RemoteTest):
    """No more requests than fsspec sends with h5py and zarr-python: tests/bench/remote_table.py compares them."""

    def requests_of(self, server, *arguments):
        """Runs a command on the server's store and on the same store of this machine. Returns its requests."""
        command, store, *rest = arguments
        options = ("-a", "-o", "index=none") if command == "ls" else ("-o", "index=none")
        server.requests.clear()
        done = run(command, *options, server.url + "/" + store, *rest)
        own = run(command, *options, self.path(store), *rest)
        self.assertEqual((done.returncode, done.stdout), (0, own.stdout), done.stderr)
        return [(path, asked) for path, asked, _ in server.requests]

    def test_hdf5_of_a_few_megabytes_takes_two_requests(self):
        write_h5ad(self.path("small.h5ad"), 1000)
        size = os.path.getsize(self.path("small.h5ad"))
        server = self.served(StoreServer(self.folder))
        for words in (("ls",), ("cat", "obs.csv"), ("cat", "X/genes/gene7.csv"), ("cat", "X/matrix.mtx")):
            requests = self.requests_of(server, words[0], "small.h5ad", *words[1:])
            self.assertLessEqual(len(requests), 2, requests)
            self.assertEqual(given_bytes(server), size)

    def test_map_of_a_large_hdf5_file_takes_few_requests(self):
        chunks, days, shape = (16, 61, 90), 64, (183, 360)
        with h5py.File(self.path("cf.nc"), "w") as file:
            file.attrs["Conventions"] = "CF-1.8"
            file["time"] = numpy.arange(float(days))
            file["time"].attrs["units"] = "days since 2020-01-01"
            file["lat"], file["lon"] = numpy.linspace(-91, 91, shape[0]), numpy.arange(float(shape[1]))
            values = numpy.random.default_rng(4).random((days, *shape)).astype("f4")
            variable = file.create_dataset("t2m", data=values, chunks=chunks)
            for number, name in enumerate(("time", "lat", "lon")):
                file[name].make_scale(name)
                variable.dims[number].attach_scale(file[name])
        server = self.served(StoreServer(self.folder))
        requests = self.requests_of(server, "cat", "cf.nc", "t2m/time=2020-01-21.csv")
        self.assertLessEqual(len(requests), 6, requests)  # for twelve chunks of 351 kB
        self.assertLess(given_bytes(server), 12 << 20)  # they have 4.2 MB of the 17 MB

    def test_consolidated_zarr_takes_a_request_and_one_a_chunk(self):
        write_zarr(self.path("x.zarr"), 40, 90_000)
        server = self.served(StoreServer(self.folder))
        self.assertEqual(self.requests_of(server, "ls", "x.zarr"), [("/x.zarr/.zmetadata", "bytes=0-262143")])
        self.assertEqual(self.requests_of(server, "cat", "x.zarr", ".attrs.json")[1:], [])
        self.assertEqual(len(self.requests_of(server, "cat", "x.zarr", "x.npy")), 41)

    def test_first_lines_of_tiny_chunks_take_few_requests(self):
        write_zarr(self.path("tiny.zarr"), 3_000, 2)
        server = self.served(StoreServer(self.folder))
        done = run("cat", "-o", "index=none", "--range", "0-60", server.url + "/tiny.zarr", "x.csv")
        own = run("cat", "-o", "index=none", "--range", "0-60", self.path("tiny.zarr"), "x.csv")
        self.assertEqual((done.returncode, done.stdout), (0, own.stdout), done.stderr)
        self.assertLessEqual(len(server.requests), 10, server.requests)

    def test_zarr_is_opened_without_listing_its_chunks(self):
        os.mkdir(self.path("lab"))
        write_zarr(self.path("lab", "x.zarr"), 2_500, 2, is_consolidated=False)
        server = self.served(StoreServer(self.folder, s3=True))
        done = run("ls", "s3://lab/x.zarr", env=signing(server))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len([path for path, _, _ in server.requests if "list-type" in path]), 2, server.requests)
        documents = [path for path, _, _ in server.requests if "list-type" not in path]
        self.assertEqual(len(documents), len(set(documents)), documents)  # none is requested twice
        server.requests.clear()
        write_zarr(self.path("lab", "y.zarr"), 2_500, 2)
        done = run("cat", "s3://lab/y.zarr", ".attrs.json", env=signing(server))
        self.assertIn(b"numbers", done.stdout, done.stderr)
        asked = [path for path, _, _ in server.requests]
        self.assertEqual(asked[0], "/lab/y.zarr/.zmetadata")
        self.assertEqual([path for path in asked[1:] if not path.endswith("prefix=y.zarr%2F")], [])
        self.assertLessEqual(len(asked), 3)


if __name__ == "__main__":
    unittest.main()
