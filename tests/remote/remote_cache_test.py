"""Blocks kept on disk (-o remote_cache): the same bytes, fewer requests, never those of another version."""
import os
import shutil
import subprocess
import unittest

import numpy

from remote import HAS_FUSE, PATIENCE, PROGRAM, RemoteTest, environment, run, signing
from store_server import StoreServer
from written_tree import tree

SHAPE = (300, 1000)


class Cache(RemoteTest):
    def setUp(self):
        super().setUp()
        self.cache = self.path("cache")
        self.values = numpy.random.default_rng(5).random(SHAPE)
        os.mkdir(self.path("stores"))
        self.write(self.values)

    def write(self, values):
        import h5py

        with h5py.File(self.path("stores", "x.h5"), "w") as file:
            file.create_dataset("x", data=values, chunks=(100, 100))

    def read(self, url, *options, cache=None, size="", **more):
        """Returns x.npy as shown by plainfs."""
        return run(
            "cat",
            "-o",
            f"remote_cache={cache or self.cache}{size and ':' + size}",
            *options,
            "-o",
            "index=none",
            url,
            "x.npy",
            **more,
        )

    def served_store(self, **more):
        return self.served(StoreServer(self.path("stores"), **more))

    def kept(self):
        return [os.path.join(self.cache, name) for name in sorted(os.listdir(self.cache))]

    def assert_shows(self, values, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout[128:], values.tobytes())

    def test_a_second_session_asks_once_and_fetches_nothing(self):
        server = self.served_store()
        self.assert_shows(self.values, self.read(server.url + "/x.h5"))
        self.assertGreater(len(server.requests), 1)
        server.requests.clear()
        self.assert_shows(self.values, self.read(server.url + "/x.h5"))
        self.assertEqual([status for _, _, status in server.requests], [304])

    def test_only_read_blocks_are_cached(self):
        server = self.served_store()
        run("ls", "-o", f"remote_cache={self.cache}", server.url + "/x.h5")
        (listed,) = self.kept()
        some = os.stat(listed).st_blocks * 512
        self.assert_shows(self.values, self.read(server.url + "/x.h5"))
        self.assertLess(some, os.stat(listed).st_blocks * 512 / 2)

    def test_a_new_version_takes_the_place_of_the_old_one(self):
        server = self.served_store()
        self.read(server.url + "/x.h5")
        self.write(self.values + 1)
        self.assert_shows(self.values + 1, self.read(server.url + "/x.h5"))
        server.change("/x.h5")
        self.assert_shows(self.values + 1, self.read(server.url + "/x.h5"))
        self.assertEqual(len(self.kept()), 1)

    def test_store_changed_during_a_read_is_an_error(self):
        server = self.served_store()
        run("ls", "-o", f"remote_cache={self.cache}", server.url + "/x.h5")
        server.pages["/x.h5"] = lambda handler: self.answer_changed(server, handler)
        self.asked = 0
        done = self.read(server.url + "/x.h5")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"changed", done.stderr)

    def answer_changed(self, server, handler):
        """Answers with the cached version, and with another one from the second request on."""
        self.asked += 1
        if self.asked == 2:
            server.change("/x.h5")
        handler.give(server, "/x.h5", None)

    def test_damaged_blocks_are_fetched_again(self):
        server = self.served_store()
        self.read(server.url + "/x.h5")
        (file,) = self.kept()
        size = os.path.getsize(file)
        for place in (0, 20, 40, 4096, 4100, 8192, size // 2, size - 1):
            with open(file, "r+b") as opened:
                opened.seek(place)
                byte = opened.read(1)
                opened.seek(place)
                opened.write(bytes([byte[0] ^ 1]))
            self.assert_shows(self.values, self.read(server.url + "/x.h5"))
        os.truncate(file, size // 3)
        self.assert_shows(self.values, self.read(server.url + "/x.h5"))
        server.requests.clear()
        self.assert_shows(self.values, self.read(server.url + "/x.h5"))
        self.assertEqual(len(server.requests), 1)

    def test_cache_stays_within_its_size(self):
        server = self.served_store()
        for name in "abcd":
            shutil.copy(self.path("stores", "x.h5"), self.path("stores", name + ".h5"))
            self.assert_shows(self.values, self.read(f"{server.url}/{name}.h5", size="6m"))
            self.assertLessEqual(sum(os.stat(file).st_blocks * 512 for file in self.kept()), 6 << 20)
        self.assertGreaterEqual(len(self.kept()), 1)
        # An object larger than that is read nevertheless.
        self.assert_shows(self.values, self.read(server.url + "/x.h5", size="1m", cache=self.path("small")))
        self.assertLessEqual(
            sum(os.stat(entry.path).st_blocks * 512 for entry in os.scandir(self.path("small"))), 1 << 20
        )

    def test_programs_share_the_cache(self):
        server = self.served_store()
        command = [PROGRAM, "cat", "-o", f"remote_cache={self.cache},index=none", server.url + "/x.h5", "x.npy"]
        programs = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            for _ in range(6)
        ]
        for program in programs:
            shown, errors = program.communicate(timeout=60 * PATIENCE)
            self.assertEqual((program.returncode, shown[128:]), (0, self.values.tobytes()), errors)
        self.assertEqual(len(self.kept()), 1)

    def test_uncertain_versions_are_not_kept(self):
        server = self.served_store()
        server.weak = True
        self.assert_shows(self.values, self.read(server.url + "/x.h5"))
        self.assertEqual(self.kept(), [])

    def test_stores_of_many_objects_on_s3(self):
        import zarr

        store = self.path("stores", "bucket", "x.zarr")
        zarr.save(store, self.values)
        server = self.served_store(s3=True)
        env = signing(server)
        expected = tree_of(self, "here", store)
        for session in ("first", "second"):
            server.requests.clear()
            done = run(
                "export",
                "-o",
                f"remote_cache={self.cache},index=none",
                "s3://bucket/x.zarr",
                self.path(session),
                env=env,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(tree(self.path(session)), expected)
        # The objects of the listing are cached. Only two are requested, to find out what the URL names.
        self.assertEqual(
            [path for path, asked, _ in server.requests if "/x.zarr/" in path], ["/bucket/x.zarr/.zmetadata"]
        )

    def test_another_query_is_another_object(self):
        server = self.served_store()
        self.read(server.url + "/x.h5?id=1")
        server.requests.clear()
        self.assert_shows(self.values, self.read(server.url + "/x.h5?id=2"))
        self.assertNotIn(304, [status for _, _, status in server.requests])

    def test_unusable_folder_is_reported(self):
        server = self.served_store()
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        done = self.read(server.url + "/x.h5", cache=self.path("file"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"remote_cache=" + self.path("file").encode() + b": Not a directory", done.stderr)

    @unittest.skipUnless(HAS_FUSE, "no FUSE")
    def test_through_a_mount(self):
        server = self.served_store()
        mountpoint = self.path("mnt")
        os.mkdir(mountpoint)
        for _ in range(2):
            server.requests.clear()
            done = run("-o", f"remote_cache={self.cache},index=none", server.url + "/x.h5", mountpoint)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(mountpoint, "x.npy"), "rb") as file:
                self.assertEqual(file.read()[128:], self.values.tobytes())
            self.assertEqual(run("umount", mountpoint).returncode, 0)
        self.assertEqual([status for _, _, status in server.requests], [304])


def tree_of(test, name, store):
    test.assertEqual(run("export", "-o", "index=none", store, test.path(name)).returncode, 0)
    return tree(test.path(name))


if __name__ == "__main__":
    unittest.main()
