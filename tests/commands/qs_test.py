#!/usr/bin/env python3
"""Files of R's packages qs and qs2, by the genuine writers in every preset: each shows what the .rds file of the same
object shows."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from written_tree import tree  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
DATA = os.path.join(os.environ["PLAINFS_TEST_DATA"], "qs")
OBJECTS = ("frame", "nested", "seurat", "sparse")


class Qs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def plainfs(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120)

    def written(self, store):
        """Returns the files of a store, and what the export printed."""
        target = os.path.join(self.folder, "out")
        shutil.rmtree(target, ignore_errors=True)
        result = self.plainfs("export", store, target + "/")
        return tree(target), result.returncode, result.stderr.decode().replace(store, "STORE")

    def refused(self, code, words, store):
        result = self.plainfs("ls", store)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        self.assertIn(words, result.stderr.decode())

    def changed(self, name, change):
        with open(os.path.join(DATA, name), "rb") as file:
            content = bytearray(file.read())
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(change(content))
        return path

    def test_each_preset_shows_the_files_of_the_rds(self):
        for name in OBJECTS:
            expected = self.written(os.path.join(DATA, name + ".rds"))
            self.assertGreater(len(expected[0]), 0)
            for file in sorted(os.listdir(DATA)):
                if not file.startswith(name + "--") or file.endswith(".qdata"):
                    continue
                with self.subTest(file):
                    shown = self.written(os.path.join(DATA, file))
                    self.assertEqual(sorted(shown[0]), sorted(expected[0]))
                    self.assertEqual([path for path in shown[0] if shown[0][path] != expected[0][path]], [])

    def test_qdata_shows_vectors_lists_and_attributes(self):
        for name in ("frame", "nested"):
            expected, shown = (self.written(os.path.join(DATA, name + end))[0] for end in (".rds", "--d.qdata"))
            self.assertGreater(len(shown), 0)
            self.assertEqual([path for path in shown if shown[path] != expected[path]], [])

    def test_wrong_checksum_is_an_error(self):
        def of_qs(content):
            content[-1] ^= 1
            return content

        def of_qs2(content):
            content[20] ^= 1
            return content

        words = "data do not match their checksum"
        for name, change in (
            ("seurat--high.qs", of_qs),
            ("seurat--archive.qs", of_qs),
            ("seurat--uncompressed.qs", of_qs),
            ("seurat--default.qs2", of_qs2),
            ("nested--d.qdata", of_qs2),
        ):
            with self.subTest(name):
                self.refused(14, words, self.changed(name, change))

    def test_truncated_file_is_an_error(self):
        for name in ("seurat--high.qs", "seurat--archive.qs", "seurat--uncompressed.qs", "seurat--default.qs2"):
            for part in (10, 4, 2):
                with self.subTest(name, part=part):
                    result = self.plainfs("ls", self.changed(name, lambda content: content[: -len(content) // part]))
                    self.assertEqual(result.returncode, 14, result.stderr.decode())

    def test_older_file_without_a_signature_is_read(self):
        path = self.changed("frame--high.qs", lambda content: content[4:])
        self.assertEqual(self.written(path)[0], self.written(os.path.join(DATA, "frame.rds"))[0])

    def test_big_endian_file_is_unsupported(self):
        def other_order(content):
            content[11 if content[3] == 0x0C else 6] = 1
            return content

        for name in ("frame--high.qs", "frame--default.qs2"):
            self.refused(15, "data of a big-endian machine", self.changed(name, other_order))


if __name__ == "__main__":
    unittest.main(verbosity=2)
