"""Servers that answer 403, or a web page, for objects that do not exist."""
import json
import os
import unittest

from remote import RemoteTest, environment, run
from store_server import StoreServer

ARRAY = {
    "zarr_format": 2,
    "shape": [2, 2],
    "chunks": [1, 2],
    "dtype": "|i1",
    "compressor": None,
    "filters": None,
    "order": "C",
    "fill_value": 9,
}
PAGE = b"<!DOCTYPE html>\n<html>no such page</html>"


def forbid(handler):
    handler.refuse(403, "AccessDenied")


def send_page(handler):
    handler.reply(200, PAGE, [("Content-Type", "text/html"), ("Last-Modified", "Sat, 28 Nov 2026 12:00:00 GMT")])


class RemoteAbsent(RemoteTest):
    def setUp(self):
        super().setUp()
        for name, content in {
            ".zgroup": b'{"zarr_format": 2}',
            "a/.zarray": json.dumps(ARRAY).encode(),
            "a/0.0": b"\1\2",
            "a/1.0": b"\3\4",
        }.items():
            self.write("lab/s.zarr/" + name, content)
        documents = {".zgroup": {"zarr_format": 2}, "a/.zarray": ARRAY}
        consolidated = {"zarr_consolidated_format": 1, "metadata": documents}
        self.write("lab/s.zarr/.zmetadata", json.dumps(consolidated).encode())
        self.write("lab/one.zarr/.zarray", json.dumps(ARRAY).encode())
        self.write("lab/one.zarr/0.0", b"\5\6")
        self.write("lab/one.zarr/1.0", b"\7\x08")

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content)

    def serve(self, answer, folder="lab", **options):
        server = self.served(StoreServer(self.path(folder), **options))
        server.absent = answer
        return server

    def check_cat(self, url, name, expected, *options, env=None):
        shown = run("cat", *options, url, name, env=env or environment())
        self.assertEqual((shown.stdout, shown.returncode), (expected, 0), shown.stderr)

    def test_a_store_opens_where_absent_objects_are_forbidden_or_pages(self):
        for answer in (forbid, send_page):
            server = self.serve(answer)
            with self.subTest(answer=answer.__name__):
                self.check_cat(server.url + "/s.zarr", "a.csv", b"1,2\n3,4\n")
                self.check_cat(server.url + "/one.zarr", "array.csv", b"5,6\n7,8\n")

    def test_a_bucket_without_listing_opens_where_absent_is_forbidden(self):
        server = self.serve(forbid, "", s3=True, listable=False, anonymous=True)
        env = environment(AWS_ENDPOINT_URL=server.url)
        self.check_cat("s3://lab/s.zarr", "a.csv", b"1,2\n3,4\n", "-o", "no_sign", env=env)
        self.check_cat("s3://lab/one.zarr", "array.csv", b"5,6\n7,8\n", "-o", "no_sign", env=env)

    def test_an_absent_chunk_is_an_error_unless_403_means_absent(self):
        os.remove(self.path("lab/s.zarr/a/1.0"))
        server = self.serve(forbid)
        refused = run("cat", server.url + "/s.zarr", "a.csv")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(b"a/1.0: the server returned 403", refused.stderr)
        self.assertIn(b"-o missing=403", refused.stderr)
        self.check_cat(server.url + "/s.zarr", "a.csv", b"1,2\n9,9\n", "-o", "missing=403")

    def test_a_page_in_place_of_a_chunk_is_an_error(self):
        os.remove(self.path("lab/s.zarr/a/1.0"))
        server = self.serve(send_page)
        refused = run("cat", server.url + "/s.zarr", "a.csv")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(b"a/1.0: the server sends a web page (HTML) in its place", refused.stderr)

    def test_a_server_that_forbids_everything_is_refused(self):
        server = self.serve(forbid)
        for name in ("none.zarr", "none.h5ad"):
            refused = run("ls", f"{server.url}/{name}")
            why = f"plainfs: {server.url}/{name}: the server returned 403 AccessDenied\n"
            self.assertEqual(refused.stderr.decode(), why)

    def test_no_further_format_is_looked_for_once_one_is_there(self):
        server = self.serve(forbid)
        run("cat", server.url + "/s.zarr", "a.csv")
        asked = [path for path, _, _ in server.requests if path.count("/") == 2]
        self.assertEqual(len(asked), len(set(asked)), asked)


if __name__ == "__main__":
    unittest.main()
