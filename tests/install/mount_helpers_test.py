#!/usr/bin/env python3
"""Tests mount(8) and a mount table with the installed helpers.

    mount_helpers_test.py PREFIX

mount(8) looks for helpers only in /sbin. So the test runs in its own mount namespace, with a /sbin that also holds the
helpers of PREFIX. Exits with 77, skipped, if that or FUSE is not permitted.
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

PREFIX = os.path.abspath(sys.argv.pop(1))
STORE = os.path.join(os.environ["PLAINFS_TEST_DATA"], "bpcells", "mat_packed_uint_col", "store")
INSIDE = "PLAINFS_TEST_NAMESPACE"
HELPERS = ("mount.plainfs", "mount.fuse.plainfs")
# The environment of systemd's units and of mount(8) at boot.
ENVIRONMENT = {"PATH": "/bin:/usr/bin"}


def run(*words):
    return subprocess.run(
        words, env=ENVIRONMENT, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )


def add_helpers(folder):
    """Mounts a folder over /sbin that has links to all its files and to the helpers."""
    sbin = os.path.realpath("/sbin")
    before, after = os.path.join(folder, "before"), os.path.join(folder, "after")
    os.mkdir(before)
    os.mkdir(after)
    subprocess.run(["mount", "--bind", sbin, before], check=True)
    for name in os.listdir(before):
        os.symlink(os.path.join(before, name), os.path.join(after, name))
    for name in HELPERS:
        helper = os.path.join(after, name)
        if os.path.lexists(helper):
            os.unlink(helper)
        os.symlink(os.path.join(PREFIX, "sbin", name), helper)
    subprocess.run(["mount", "--bind", after, sbin], check=True)


class Helpers(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(self.temporary.cleanup)
        self.point = os.path.join(self.temporary.name, "m")
        os.mkdir(self.point)
        self.addCleanup(subprocess.run, ["umount", "-l", self.point], capture_output=True)

    def table(self, *fields):
        path = os.path.join(self.temporary.name, "fstab")
        with open(path, "w", encoding="utf-8") as file:
            file.write("  ".join(fields) + "\n")
        return path

    def mounted(self):
        """Returns the line of the mount table, or None."""
        with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
            return next((line.split() for line in mounts if line.split()[4] == self.point), None)

    def assert_mounted(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        line = self.mounted()
        self.assertEqual(line[line.index("-") + 1 :][:2], ["fuse.plainfs", STORE])
        self.assertIn("ro", line[5].split(","))
        with open(os.path.join(self.point, "shape.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "900\n60\n")
        self.assertEqual(run("umount", self.point).returncode, 0)
        self.assertIsNone(self.mounted())

    def test_mount_helpers_run_the_program(self):
        for name in HELPERS:
            self.assertEqual(os.readlink(os.path.join(PREFIX, "sbin", name)), "../bin/plainfs")

    def test_mount_by_type(self):
        for kind in ("plainfs", "fuse.plainfs"):
            self.assert_mounted(run("mount", "-t", kind, STORE, self.point))
            self.assert_mounted(
                run("mount", "-t", kind, STORE, self.point, "-o", "ro,cache_size=8m,allow_other,noexec")
            )

    def test_lines_of_a_mount_table(self):
        for kind in ("plainfs", "fuse.plainfs"):
            for options in (
                "defaults",
                "ro,noauto,nofail,user,_netdev,x-systemd.automount,x-gvfs-show,cache_size=8m,allow_other",
            ):
                table = self.table(STORE, self.point, kind, options, "0", "0")
                self.assert_mounted(run("mount", "-T", table, self.point))
            self.assert_mounted(run("mount", "-a", "-T", self.table(STORE, self.point, kind, "ro", "0", "0")))

    def test_failures_have_the_codes_of_mount_and_a_reason(self):
        for code, words, *arguments in (
            (32, "/no/such/store", "/no/such/store"),
            (32, "unknown format", "/etc/passwd"),
            (1, "unknown option: colour", STORE, "-o", "colour=red"),
        ):
            result = run("mount", "-t", "plainfs", arguments[0], self.point, *arguments[1:])
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(words, result.stderr)
            self.assertIsNone(self.mounted())

    def test_missing_store_passes_with_nofail(self):
        for options, code in (("ro", 32), ("ro,nofail", 0), ("defaults,nofail", 0)):
            table = self.table("/no/such/store", self.point, "plainfs", options, "0", "0")
            for words in (("mount", "-a", "-T", table), ("mount", "-T", table, self.point)):
                result = run(*words)
                self.assertEqual((result.returncode, result.stderr == ""), (code, code == 0), options)
        result = run("mount", "-t", "plainfs", "-o", "nofail", "/etc/passwd", self.point)
        self.assertEqual(result.returncode, 32)

    def test_a_fake_mount_mounts_nothing(self):
        result = run("mount", "-f", "-t", "plainfs", STORE, self.point)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        time.sleep(0.1)
        self.assertIsNone(self.mounted())


def main():
    if INSIDE not in os.environ:
        if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
            print("skipped: this needs root and /dev/fuse")
            return 77
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            print("skipped: no mount namespace may be made")
            return 77
        return subprocess.run(
            ["unshare", "-m", sys.executable, os.path.abspath(__file__), PREFIX], env={**os.environ, INSIDE: "1"}
        ).returncode
    with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
        add_helpers(folder)
        outcome = unittest.main(verbosity=2, exit=False).result
        for path in (os.path.realpath("/sbin"), os.path.join(folder, "before")):
            subprocess.run(["/bin/umount", path], check=True)
    return 0 if outcome.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
