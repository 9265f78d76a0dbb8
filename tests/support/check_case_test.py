"""check_case.py must detect faults: each test spoils a correct folder in one place."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_case.py")


def write(folder, name, text=""):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class CheckCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="plainfs-test-")
        self.addCleanup(shutil.rmtree, folder)
        self.case, self.actual = os.path.join(folder, "case"), os.path.join(folder, "actual")
        for where in (os.path.join(self.case, "expected"), self.actual):
            write(where, "a/x.csv", "1\n2\n")
            write(where, "a/x.npy", "no array, but the same")
        write(self.case, "store/OBJECT", "passed through")
        write(self.actual, "OBJECT", "passed through")
        os.symlink("x.csv", os.path.join(self.actual, "a", "y.csv"))
        write(self.case, "links.txt", "a/y.csv -> x.csv\n")
        self.assertIn("3 passed, 0 failed", self.judge(0))

    def judge(self, code):
        result = subprocess.run([sys.executable, CHECK, self.case, self.actual], capture_output=True)
        output = (result.stdout + result.stderr).decode()
        self.assertEqual(result.returncode, code, output)
        return output

    def test_wrong_byte(self):
        write(self.actual, "a/x.csv", "1\n3\n")
        self.assertIn("FAIL a/x.csv: 4 bytes expected", self.judge(1))

    def test_missing_file(self):
        os.unlink(os.path.join(self.actual, "a", "x.npy"))
        self.assertIn("FAIL a/x.npy", self.judge(1))

    def test_unexpected_file(self):
        write(self.actual, "a/z.csv")
        self.assertIn("FAIL a/z.csv: not expected", self.judge(1))

    def test_unexpected_link(self):
        os.symlink("a", os.path.join(self.actual, "b"))
        self.assertIn("FAIL b: not expected", self.judge(1))

    def test_changed_own_file(self):
        write(self.actual, "OBJECT", "changed")
        self.assertIn("FAIL OBJECT: not expected", self.judge(1))

    def test_other_link(self):
        write(self.case, "links.txt", "a/y.csv -> x.npy\n")
        self.assertIn("FAIL a/y.csv", self.judge(1))

    def test_every_view_must_fail(self):
        write(self.case, "errors.txt", "a/x.*\tEIO\n")
        output = self.judge(1)
        self.assertIn("FAIL a/x.csv: expected EIO, got ok", output)
        self.assertIn("FAIL a/x.npy: expected EIO, got ok", output)

    def test_damaged_store_may_show_more(self):
        write(self.case, "outcome.txt", "a/x.csv ok\n")
        write(self.actual, "a/z.csv")
        self.judge(0)

    def test_forbidden_file(self):
        write(self.case, "outcome.txt", "a/x.csv not listed\n")
        self.assertIn("FAIL a/x.csv: expected not listed, got ok", self.judge(1))

    def test_missing_warning(self):
        write(self.case, "outcome.txt", "log: broken\n")
        write(self.actual, ".plainfs/log", "all is well\n")
        self.assertIn("FAIL log: broken", self.judge(1))

    def test_prose(self):
        write(self.case, "outcome.txt", "it may fail\n")
        self.assertIn("no statement that can be checked", self.judge(1))


if __name__ == "__main__":
    unittest.main()
