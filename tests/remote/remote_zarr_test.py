"""Remote Zarr stores: folders without a document, and files beside the keys."""
import contextlib
import functools
import http.server
import json
import os
import threading
import unittest

from remote import RemoteTest, environment, run, signing
from store_server import StoreServer

GROUP = {"zarr_format": 2}
ARRAY = {
    "zarr_format": 2,
    "shape": [2, 2],
    "chunks": [1, 2],
    "dtype": "|i1",
    "compressor": None,
    "filters": None,
    "order": "C",
    "fill_value": 0,
}
PART = b"PAR1 part of a table PAR1"
# Points of a SpatialData, a group without a document, and an array with keys that differ from its metadata.
DOCUMENTS = {
    ".zgroup": GROUP,
    "points/.zgroup": GROUP,
    "points/dots/.zgroup": GROUP,
    "points/dots/.zattrs": {"encoding-type": "ngff:points"},
    "row/well/a/.zarray": ARRAY,
    "nested/.zarray": {**ARRAY, "dimension_separator": "."},
}
FILES = {
    "points/dots/points.parquet/part.0.parquet": PART,
    "points/dots/points.parquet/part.1.parquet": PART * 2,
    "notes.txt": b"notes",
    "row/well/a/0.0": b"\1\2",
    "row/well/a/1.0": b"\3\4",
    "nested/0/0": b"\5\6",
}


@contextlib.contextmanager
def plain_server(folder):
    """Yields the address of `python3 -m http.server`: no ranges, and folder pages without a version."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class RemoteZarr(RemoteTest):
    def setUp(self):
        super().setUp()
        self.index = ("-o", "index=" + self.path("index"))
        for name, content in {
            **{name: json.dumps(document).encode() for name, document in DOCUMENTS.items()},
            **FILES,
        }.items():
            path = self.path("lab", "s.zarr", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)

    def consolidate(self, documents=DOCUMENTS):
        with open(self.path("lab", "s.zarr", ".zmetadata"), "w") as file:
            json.dump({"zarr_consolidated_format": 1, "metadata": documents}, file)

    def check_files(self, url, env):
        def cat(name):
            return run("cat", url, name, env=env).stdout

        self.assertEqual(cat("notes.txt"), b"notes")
        self.assertEqual(cat("points/dots/points.parquet/part.1.parquet"), PART * 2)
        self.assertEqual(cat("row/well/a.csv"), b"1,2\n3,4\n")
        self.assertEqual(cat("nested.csv"), b"5,6\n0,0\n")
        listed = run("ls", url, "points/dots/points.parquet", env=env)
        self.assertEqual(listed.stdout.split(), [b"part.0.parquet", b"part.1.parquet"], listed.stderr)
        absent = run("cat", url, "none.txt", env=env)
        self.assertEqual(absent.returncode, 11, absent.stderr)
        info = run("info", url, env=env).stdout.decode()
        self.assertRegex(info, r"format +SpatialData")
        self.assertRegex(info, r'points +\["dots"\]')

    def test_over_http_files_are_found_by_their_names(self):
        self.consolidate()
        server = self.served(StoreServer(self.path("lab")))
        url = server.url + "/s.zarr"
        self.check_files(url, environment())
        listed = run("ls", url)
        self.assertEqual(listed.stdout.split(), [b"nested.npy", b"points", b"row"], listed.stderr)

    def test_over_http_one_chunk_decides_the_key_spelling(self):
        self.consolidate()
        os.remove(self.path("lab", "s.zarr", "row", "well", "a", "1.0"))
        server = self.served(StoreServer(self.path("lab")))
        self.assertEqual(run("cat", server.url + "/s.zarr", "row/well/a.csv").stdout, b"1,2\n0,0\n")
        asked = [path for path, _, _ in server.requests if "/row/well/a/" in path]
        self.assertLessEqual(len(asked), 2 + 3, asked)  # the other spellings of the absent chunk, if that came first

    def test_in_a_bucket_files_are_listed(self):
        server = self.served(StoreServer(self.folder, s3=True))
        for is_consolidated in (False, True):
            with self.subTest(consolidated=is_consolidated):
                if is_consolidated:
                    self.consolidate()
                self.check_files("s3://lab/s.zarr", signing(server))
                listed = run("ls", "s3://lab/s.zarr", env=signing(server))
                self.assertEqual(listed.stdout.split(), [b"nested.npy", b"notes.txt", b"points", b"row"], listed.stderr)

    def test_pythons_own_server_is_enough_for_a_zarr_store(self):
        large = {**ARRAY, "shape": [1_000_000], "chunks": [1_000_000]}
        values = bytes(number % 100 for number in range(1_000_000))  # more than the first requests cover
        os.mkdir(self.path("lab", "s.zarr", "large"))
        for name, content in ((".zarray", json.dumps(large).encode()), ("0", values)):
            with open(self.path("lab", "s.zarr", "large", name), "wb") as file:
                file.write(content)
        self.consolidate({**DOCUMENTS, "large/.zarray": large})
        with plain_server(self.path("lab")) as address:
            for url in (address + "/s.zarr", address + "/s.zarr/"):
                self.assertEqual(run("cat", url, "row/well/a.csv").stdout, b"1,2\n3,4\n")
            shown = run("cat", address + "/s.zarr", "large.npy")
            self.assertTrue(shown.stdout.endswith(values), shown.stderr)

    def check_index(self, url, server, env):
        """Checks that sizes are kept until a chunk changes, and found again in few requests."""

        def listed():
            return run("ls", *self.index, url, "row/well", env=env).stdout.split()

        self.assertEqual(listed(), [b"a.npy"])
        done = run("index", *self.index, url, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        server.requests.clear()
        self.assertIn(b"a.csv", listed())
        fetched = [path for path, _, status in server.requests if status in (200, 206) and "/row/well/a/" in path]
        self.assertEqual([path for path in fetched if path.endswith("0.0")], [])
        server.change("/lab/s.zarr/row/well/a/1.0" if server.s3 else "/s.zarr/row/well/a/1.0")
        self.assertEqual(listed(), [b"a.npy"])

    def test_index_of_a_store_without_listing_is_kept_until_a_chunk_changes(self):
        self.consolidate()
        server = self.served(StoreServer(self.path("lab")))
        self.check_index(server.url + "/s.zarr", server, environment())

    def test_index_of_a_listed_store_is_kept_until_a_chunk_changes(self):
        server = self.served(StoreServer(self.folder, s3=True))
        self.check_index("s3://lab/s.zarr", server, signing(server))

    def test_index_without_strong_versions_is_refused_before_the_pass(self):
        self.consolidate()
        server = self.served(StoreServer(self.path("lab")))
        server.weak = True
        done = run("index", *self.index, server.url + "/s.zarr")
        self.assertEqual(done.returncode, 15, done.stderr)
        self.assertIn(b"the server sends no strong ETags", done.stderr)
        self.assertEqual([path for path, _, _ in server.requests if "/row/well/a/0" in path], [])

    def test_index_of_more_objects_than_can_be_checked_is_refused(self):
        many = {**ARRAY, "shape": [1001, 1], "chunks": [1, 1], "dimension_separator": "."}
        os.mkdir(self.path("lab", "s.zarr", "many"))
        for name, content in {".zarray": json.dumps(many).encode(), **{f"{n}.0": b"\1" for n in range(1001)}}.items():
            with open(self.path("lab", "s.zarr", "many", name), "wb") as file:
                file.write(content)
        self.consolidate({**DOCUMENTS, "many/.zarray": many})
        server = self.served(StoreServer(self.path("lab")))
        done = run("index", *self.index, server.url + "/s.zarr")
        self.assertEqual(done.returncode, 15, done.stderr)
        self.assertIn(b"the store has more than 1000", done.stderr)
        bucket = self.served(StoreServer(self.folder, s3=True))
        done = run("index", *self.index, "s3://lab/s.zarr", env=signing(bucket))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_export_of_a_listed_store_can_be_planned(self):
        server = self.served(StoreServer(self.folder, s3=True))
        env = signing(server)
        plan, target = self.path("plan.json"), self.path("out")
        done = run("export", "--plan", "--tasks", "2", "s3://lab/s.zarr", "row", plan, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        for task in ("1", "2"):
            done = run("export", "--task", task, plan, target, env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("export", "--finish", plan, target, env=env).returncode, 0)
        with open(os.path.join(target, "row", "well", "a.csv"), "rb") as file:
            self.assertEqual(file.read(), b"1,2\n3,4\n")

    def test_missing_consolidated_metadata_are_named_over_http(self):
        server = self.served(StoreServer(self.path("lab")))
        refused = run("ls", server.url + "/s.zarr")
        self.assertIn(b"consolidate_metadata", refused.stderr)


if __name__ == "__main__":
    unittest.main()
