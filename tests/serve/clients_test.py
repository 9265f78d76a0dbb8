"""Client programs that read golden stores over HTTP and WebDAV: the bytes match `plainfs cat`."""
import glob
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import DATA, PROGRAM, Server, cat, listed
from optional import needs, needs_modules, needs_npm, NPM, reason  # after server, which sets its path

SEURAT = os.path.join(DATA, "h5seurat", "plain", "store.h5seurat")
MATRIX = os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store")
ANNDATA = os.path.join(DATA, "anndata", "csc_h5ad", "store.h5ad")


class Clients(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def run_here(self, *command, text=None):
        result = subprocess.run(
            command,
            cwd=self.folder,
            input=text,
            capture_output=True,
            timeout=300,
            env={**os.environ, "HOME": self.folder, "RCLONE_CONFIG": os.path.join(self.folder, "none")},
        )
        self.assertEqual(result.returncode, 0, (command, result.stdout[-2000:], result.stderr[-2000:]))
        return result.stdout

    def assert_copy(self, store, folder, but=()):
        """Checks that the files below `folder` are exactly those of the store."""
        found = [os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names]
        found = sorted(name for name in found if os.path.basename(name) not in but)
        self.assertEqual(found, listed(store))
        self.assertGreater(len(found), 3)
        os.mkdir(os.path.join(self.folder, "wanted"))
        self.run_here("sh", "-c", '"$1" export --tar --views=listed "$2" - | tar -xf - -C wanted', "sh", PROGRAM, store)
        for name in found:
            with open(os.path.join(folder, name), "rb") as file, open(
                os.path.join(self.folder, "wanted", name), "rb"
            ) as wanted:
                self.assertEqual(file.read(), wanted.read(), name)

    @needs("wget")
    def test_wget_copies_a_store_by_its_links(self):
        with Server(SEURAT) as server:
            self.run_here("wget", "-q", "-r", "-np", "-nH", "--cut-dirs=1", "-P", "copy", server.url)
        self.assert_copy(SEURAT, os.path.join(self.folder, "copy"), but=("index.html",))

    @needs("aria2c")
    def test_aria2_takes_parts_over_several_connections(self):
        with Server(MATRIX) as server:
            self.run_here(
                "aria2c", "-q", "-x4", "-s4", "-k1M", "--min-split-size=1M", "-o", "x.mtx", server.url + "matrix.mtx"
            )
        with open(os.path.join(self.folder, "x.mtx"), "rb") as file:
            self.assertEqual(file.read(), cat(MATRIX, "matrix.mtx"))

    @needs("rclone")
    def test_rclone_copies_a_store_over_http(self):
        with Server(SEURAT) as server:
            self.run_here("rclone", "copy", f":http,url='{server.url}':", "copy")
        self.assert_copy(SEURAT, os.path.join(self.folder, "copy"))

    @needs("rclone")
    def test_rclone_copies_a_store_over_webdav(self):
        with Server(SEURAT) as server:
            self.run_here("rclone", "copy", f":webdav,vendor=other,url='{server.url}':", "copy")
        self.assert_copy(SEURAT, os.path.join(self.folder, "copy"))

    @needs("cadaver")
    def test_cadaver_lists_and_takes(self):
        with Server(SEURAT) as server:
            output = self.run_here("cadaver", server.url, text=b"ls\nget meta.data.csv x.csv\nquit\n").decode()
        self.assertIn("meta.data.csv", output)
        self.assertIn(f" {len(cat(SEURAT, 'meta.data.csv'))} ", output)
        with open(os.path.join(self.folder, "x.csv"), "rb") as file:
            self.assertEqual(file.read(), cat(SEURAT, "meta.data.csv"))

    @needs("Rscript")
    def test_r_reads_by_url(self):
        code = (
            'x <- readRDS(url("{0}meta.data.rds")); y <- read.csv("{0}meta.data.csv", row.names = 1); '
            'stopifnot(identical(rownames(x), rownames(y)), identical(ncol(x), ncol(y)), nrow(x) > 0); cat(nrow(x))'
        )
        with Server(SEURAT) as server:
            rows = self.run_here("Rscript", "-e", code.format(server.url))
        self.assertEqual(int(rows), cat(SEURAT, "meta.data.csv").count(b"\n") - 1)

    @needs_modules("pandas")
    def test_pandas_reads_by_url(self):
        import pandas

        with Server(SEURAT) as server:
            found = pandas.read_csv(server.url + "meta.data.csv", index_col=0)
        wanted = pandas.read_csv(io.BytesIO(cat(SEURAT, "meta.data.csv")), index_col=0)
        pandas.testing.assert_frame_equal(found, wanted)

    @needs_modules("aiohttp", "fsspec", "h5py")
    def test_h5py_reads_parts_of_a_file_by_fsspec(self):
        import fsspec
        import h5py

        whole = h5py.File(io.BytesIO(cat(ANNDATA, "anndata.h5ad")), "r")
        with Server(ANNDATA) as server, fsspec.open(server.url + "anndata.h5ad", block_size=4096).open() as opened:
            found = h5py.File(opened, "r")
            self.assertEqual(sorted(found), sorted(whole))
            self.assertTrue((found["X/data"][:] == whole["X/data"][:]).all())

    @needs_modules("h5py")
    def test_h5py_reads_parts_of_a_file_by_ros3(self):
        import h5py

        if "ros3" not in h5py.registered_drivers():
            self.skipTest("this h5py has no ros3")
        whole = h5py.File(io.BytesIO(cat(ANNDATA, "anndata.h5ad")), "r")
        with Server(ANNDATA) as server, h5py.File(server.url + "anndata.h5ad", driver="ros3") as found:
            self.assertEqual(sorted(found), sorted(whole))
            for name in ("X/data", "X/indices", "X/indptr"):
                self.assertTrue((found[name][:] == whole[name][:]).all(), name)

    @unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/dev/fuse"), "this needs root and /dev/fuse")
    @needs("mount.davfs")
    def test_davfs2_reads_files_with_the_reported_lengths(self):
        """Reads by name only: on Linux 6.18 it lists no folder of any server."""
        target, cache = os.path.join(self.folder, "mount"), os.path.join(self.folder, "cache")
        os.mkdir(target)
        os.mkdir(cache)
        shutil.chown(cache, group="davfs2")
        os.chmod(cache, 0o770)
        os.chmod(self.folder, 0o755)
        with open(os.path.join(self.folder, "davfs2.conf"), "w", encoding="ascii") as file:
            file.write(f"cache_dir {cache}\nuse_locks 0\nask_auth 0\n")
        with Server(SEURAT) as server:
            self.run_here("mount.davfs", "-o", f"ro,conf={file.name}", server.url, target)
            try:
                for name in ("meta.data.csv", "cell.names.csv", "meta.data.rds"):
                    with open(os.path.join(target, name), "rb") as found:
                        self.assertEqual(found.read(), cat(SEURAT, name), name)
                    self.assertEqual(os.path.getsize(os.path.join(target, name)), len(cat(SEURAT, name)))
            finally:
                self.run_here("umount", target)

    @needs("gio", "dbus-run-session")
    @unittest.skipUnless(
        glob.glob("/usr/lib/*/gvfs/gvfsd-dav") + glob.glob("/usr/libexec/gvfsd-dav"), reason(["gvfsd-dav"])
    )
    def test_gvfs_lists_and_reads(self):
        with Server(SEURAT) as server:
            address = server.url.replace("http://", "dav://")
            output = self.run_here(
                "dbus-run-session",
                "--",
                "sh",
                "-c",
                'gio mount "$1" >&2 && gio list "$1" && echo -- && gio cat "$1/meta.data.csv"; '
                'gio mount -u "$1" >&2',
                "sh",
                address.rstrip("/"),
            )
        names, _, body = output.partition(b"--\n")
        self.assertEqual(body, cat(SEURAT, "meta.data.csv"))
        self.assertLessEqual({b"meta.data.csv", b"assays"}, set(names.split(b"\n")))

    @needs_npm("zarrita")
    @needs_modules("numpy")
    def test_zarrita_reads_the_store_as_zarr(self):
        import numpy

        with Server(ANNDATA) as server:
            output = self.run_here("node", os.path.join(NPM, "zarr.mjs"), text=(server.url + "anndata.zarr\n").encode())
        compared = 0
        for name, found in json.loads(output).items():
            self.assertNotIn("Error", str(found), name)
            if isinstance(found, str) and name + ".npy" in listed(ANNDATA):
                values = numpy.load(io.BytesIO(cat(ANNDATA, name + ".npy")))
                self.assertEqual(found, hashlib.sha256(numpy.ascontiguousarray(values).tobytes()).hexdigest(), name)
                compared += 1
        self.assertGreater(compared, 2)

    @needs_modules("aiohttp", "fsspec", "numpy", "zarr")
    def test_zarr_python_reads_many_chunks_at_once(self):
        """aiohttp opens 100 connections, and fsspec omits each key that is refused."""
        import numpy
        import zarr

        values = numpy.arange(1, 1_000_001, dtype="i4").reshape(1000, 1000)
        stored = zarr.open(os.path.join(self.folder, "a.zarr"), "w", shape=values.shape, chunks=(25, 25), dtype="i4")
        stored[...] = values
        with Server(os.path.join(self.folder, "a.zarr")) as server:
            for _ in range(2):
                found = zarr.open(zarr.storage.FSStore(server.url + ".plainfs/source"), mode="r")[...]
                numpy.testing.assert_array_equal(found, values)

    @needs_modules("aiohttp", "fsspec", "zarr")
    def test_zarr_python_raises_over_http(self):
        """fsspec omits failed keys, and zarr-python 2 would use the fill value for them."""
        import aiohttp  # of fsspec
        import fsspec
        import zarr

        whole = os.path.join(DATA, "anndata", "csc_zarr2", "store.zarr")
        for cut in ("obs/n/0", "var/symbol/0", "X/data/0", "X/.zattrs"):
            path = os.path.join(self.folder, cut.replace("/", "-") + ".zarr")
            shutil.copytree(whole, path)
            os.truncate(os.path.join(path, cut), os.path.getsize(os.path.join(path, cut)) // 2)
            name = cut.rpartition("/")[0] if cut.endswith("0") else "X"
            with self.subTest(cut), Server(path) as server:
                for open_store in (fsspec.get_mapper, zarr.storage.FSStore):
                    root = zarr.open(open_store(server.url + "anndata.zarr"), mode="r")
                    self.assertGreater(root["obs/_index"][:].size, 0)
                    self.assertRaises(Exception, lambda name=name, root=root: root[name][...])
                chunk = f"anndata.zarr/{name}/0"
                self.assertGreaterEqual(server.ask(chunk).status, 500)
                self.assertEqual(server.ask(chunk, User_Agent=f"aiohttp/{aiohttp.__version__}").body, b"")
                found = server.ask(f"anndata.zarr/{name}/", "PROPFIND", Depth="1").body
                self.assertIn(b"/0</D:href>", found)  # if absent, it would be the fill value there, too

    @needs("Rscript")
    @needs_modules("pandas")
    def test_commands_shown_on_a_page_work(self):
        """Runs the lines of a page unchanged, after importing their requirements."""
        with Server(SEURAT) as server:
            page = server.ask("meta.data/", Accept="text/html").body.decode()
            lines = dict(re.findall(r"<b>(\w+)</b><pre[^>]*>(.*?)</pre>", page, re.S))
            lines = {
                program: line.replace("&quot;", '"').replace("&lt;", "<").replace("&amp;", "&")
                for program, line in lines.items()
            }
            self.assertLessEqual({"R", "Python", "Shell"}, set(lines))
            for line in lines.values():
                address = re.search(r'"(http[^"]*)"', line)[1]
                self.assertEqual(urllib.request.urlopen(address).status, 200)
            self.run_here("Rscript", "-e", lines["R"] + "; stopifnot(nrow(x) > 0)")
            self.run_here(sys.executable, "-c", "import pandas\n" + lines["Python"] + "\nassert len(x) > 0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
