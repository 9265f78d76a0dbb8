"""A store mounted for a test, and shared helpers for tests of mounts.

The program and the data come from the environment: PLAINFS, PLAINFS_TEST_DATA. A test program exits with code 77 if
FUSE is unavailable.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ.get("PLAINFS", "plainfs")
DATA = os.environ.get("PLAINFS_TEST_DATA", "")
SAMPLE = os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store")

# Deadlines are those of an idle machine, multiplied on a busy one.
PATIENCE = max(1.0, 4 * os.getloadavg()[0] / (os.cpu_count() or 1))


def run(*arguments, **more):
    return subprocess.run(list(arguments), capture_output=True, timeout=60, **more)


def is_mounted(path):
    """Checks the mount table and not the mount itself, which may be dead."""
    with open("/proc/self/mountinfo", "rb") as mounts:
        return any(line.split()[4].decode("unicode_escape") == os.path.realpath(path) for line in mounts)


def in_own_namespace(script, *arguments):
    """Runs a shell script, with $1 and so on, in a private mount namespace; None if that is not permitted."""
    if run("unshare", "-m", "true").returncode != 0:
        return None
    return run("unshare", "-m", "sh", "-ec", script, "sh", *arguments)


def unmount(path):
    helper = ["umount", path] if os.geteuid() == 0 else ["fusermount3", "-u", path]
    return run(*helper)


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def daemon_of(mountpoint):
    """Returns the process id of the plainfs that serves `mountpoint`."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if os.path.basename(words[0]) == os.path.basename(PROGRAM).encode() and mountpoint.encode() in words:
            return int(pid)
    return None


class Mount:
    """with Mount(store) as path: ... – always unmounted at the end."""

    def __init__(self, store, *options):
        self.store = store
        self.options = options
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-test-"))

    def __enter__(self):
        result = run(PROGRAM, *self.options, self.store, self.path)
        if result.returncode != 0:
            os.rmdir(self.path)
            raise AssertionError(f"mount of {self.store} failed with {result.returncode}: {result.stderr.decode()}")
        self.pid = daemon_of(self.path)
        return self

    def join(self, *names):
        return os.path.join(self.path, *names)

    def read(self, *names):
        with open(self.join(*names), "rb") as file:
            return file.read()

    def __exit__(self, *_):
        if is_mounted(self.path):
            run("fusermount3", "-u", "-z", self.path)
        wait_until(lambda: daemon_of(self.path) is None)
        os.rmdir(self.path)


class Folder(unittest.TestCase):
    """A test with a temporary folder, self.folder."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def copy_of(self, store, name=None):
        target = os.path.join(self.folder, name or os.path.basename(store))
        if os.path.isdir(store):
            shutil.copytree(store, target)
        else:
            shutil.copy(store, target)
        return target

    def empty(self, name):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        return path


def why_not():
    """Returns the reason why mounts cannot be tested here, or None."""
    if "PLAINFS_WITHOUT_FUSE" in os.environ:
        return "plainfs is built without FUSE"
    if not os.path.exists("/dev/fuse"):
        return "/dev/fuse is missing"
    if shutil.which("fusermount3") is None:
        return "fusermount3 is missing"
    try:
        with Mount(SAMPLE):
            return None
    except AssertionError as error:
        text = str(error)
        refused = "Operation not permitted" in text or "Permission denied" in text
        return text if refused else None


def main():
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
