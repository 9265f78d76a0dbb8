"""Tests the installed program if it was built with PLAINFS_FUSE=OFF: it does not need libfuse, reports this when it
would mount, and reads stores."""
import os
import subprocess
import sys
import tempfile
import unittest

PREFIX = sys.argv.pop(1)
PROGRAM = os.path.join(PREFIX, "bin", "plainfs")
SAMPLE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "samples", "pbmc.h5ad")


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False)


class WithoutFuse(unittest.TestCase):
    def test_program_does_not_link_libfuse(self):
        needed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertIn("libcurl", needed)
        self.assertNotIn("fuse", needed)
        self.assertIn("libfuse none\n", run("--version").stdout)
        self.assertFalse(os.path.lexists(os.path.join(PREFIX, "sbin", "mount.plainfs")))

    def test_mounting_without_fuse_lists_alternatives(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            for arguments in ((SAMPLE, folder), ("run", SAMPLE, "--", "true")):
                refused = run(*arguments)
                self.assertEqual(refused.returncode, 4)
                self.assertIn("was built without FUSE", refused.stderr)
                self.assertIn("plainfs ls, cat, export", refused.stderr)

    def test_stores_are_read(self):
        self.assertIn("obs.csv\n", run("ls", SAMPLE).stdout)
        self.assertTrue(run("cat", SAMPLE, "obs.csv").stdout.startswith('"",'))


if __name__ == "__main__":
    unittest.main()
