"""Sizes beside a store, computed once by one user and found by all others."""
import os
import shutil
import time
import unittest

from remote import RemoteTest, environment, given_bytes, listed_sizes, run, signing
from remote_requests_test import write_h5ad
from store_server import StoreServer


class Beside(RemoteTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("served", "lab"))
        self.store = self.path("served", "lab", "x.h5ad")
        write_h5ad(self.store)
        time.sleep(0.03)  # a tick of the file system's clock: recently written files have no index
        self.users = 0

    def user(self):
        """Returns the options of a user that has never read the store."""
        self.users += 1
        return ["-o", f"index={self.path(f'user{self.users}')}"]

    def check_others(self, server, url, **more):
        """Checks that everything is listed with its size and that almost nothing is read for it."""
        local = run("ls", "-lR", self.store).stdout
        server.requests.clear()
        listed = run("ls", "-lR", *self.user(), url, **more)
        self.assertEqual((listed.returncode, listed.stderr), (0, b""))
        self.assertEqual(listed_sizes(listed.stdout), listed_sizes(local))
        self.assertIn(b"matrix.mtx", listed.stdout)
        self.assertLess(given_bytes(server), os.path.getsize(self.store) / 8)
        for name in ("obs.csv", "X/matrix.mtx"):
            self.assertEqual(run("cat", *self.user(), url, name, **more).stdout, run("cat", self.store, name).stdout)

    def test_index_is_put_into_the_bucket(self):
        server = self.served(StoreServer(self.path("served"), s3=True))
        url, keys = "s3://lab/x.h5ad", signing(server)
        self.assertNotIn(b"obs.csv", run("ls", *self.user(), url, env=keys).stdout)
        done = run("index", "--beside", *self.user(), url, env=keys)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rb"^[\d,]+ files in s3://lab/x\.h5ad\.plainfs\n$")
        self.check_others(server, url, env=keys)
        self.assertNotIn(b"obs.csv", run("ls", "-o", "index=none", url, env=keys).stdout)
        # It is not used for another version of the store.
        server.change("/lab/x.h5ad")
        self.assertNotIn(b"obs.csv", run("ls", *self.user(), url, env=keys).stdout)
        self.assertEqual(
            run("cat", *self.user(), url, "obs.csv", env=keys).stdout, run("cat", self.store, "obs.csv").stdout
        )

    def test_missing_write_permission_is_reported(self):
        server = self.served(StoreServer(self.path("served"), s3=True, anonymous=True))
        server.pages["/lab/x.h5ad.plainfs"] = lambda handler: handler.refuse(403, "AccessDenied")
        done = run(
            "index",
            "--beside",
            *self.user(),
            "-o",
            "no_sign",
            "s3://lab/x.h5ad",
            env=environment(AWS_ENDPOINT_URL=server.url),
        )
        self.assertEqual(done.returncode, 16)
        self.assertIn(b"403 AccessDenied", done.stderr)
        # A refusal of the server to reveal whether there is one is not reported.
        listed = run(
            "ls", *self.user(), "-o", "no_sign", "s3://lab/x.h5ad", env=environment(AWS_ENDPOINT_URL=server.url)
        )
        self.assertEqual((listed.returncode, listed.stderr), (0, b""))

    def test_index_of_a_web_store_is_written_here_and_found_there(self):
        server = self.served(StoreServer(self.path("served")))
        url = server.url + "/lab/x.h5ad"
        done = run("index", "--beside", *self.user(), url, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"files in x.h5ad.plainfs; copy it to {url}.plainfs\n".encode(), done.stdout)
        shutil.move(self.path("x.h5ad.plainfs"), self.store + ".plainfs")
        self.check_others(server, url)
        # An invalid index is ignored, for example from a server with a page for every address.
        with open(self.store + ".plainfs", "w", encoding="ascii") as file:
            file.write("<html>nothing here</html>" * 9)
        listed = run("ls", *self.user(), url)
        self.assertEqual(listed.returncode, 0)
        self.assertNotIn(b"obs.csv", listed.stdout)

    def test_index_of_a_local_file(self):
        done = run("index", "--beside", *self.user(), self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"files in {self.store}.plainfs".encode(), done.stdout)
        os.makedirs(self.path("folder.zarr"))
        with open(self.path("folder.zarr", ".zgroup"), "w", encoding="ascii") as file:
            file.write('{"zarr_format": 2}')
        done = run("index", "--beside", *self.user(), self.path("folder.zarr"))
        self.assertEqual(done.returncode, 15)
        self.assertIn(b": a folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
