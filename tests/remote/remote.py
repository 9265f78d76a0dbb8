"""Shared helpers for tests of remote stores: the program run on a URL, in an environment without any keys."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from store_server import KEYS

PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
PATIENCE = max(1.0, 4 * os.getloadavg()[0] / (os.cpu_count() or 1))
HAS_FUSE = "PLAINFS_WITHOUT_FUSE" not in os.environ and os.access("/dev/fuse", os.W_OK) and shutil.which("fusermount3")
KEY_ID, SECRET = next(iter(KEYS.items()))


def environment(**more):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("AWS_") and not name.lower().endswith("_proxy")
    }
    return {**kept, "HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true", **more}


def signing(server, **more):
    """Returns the environment of a user with the server's keys."""
    return environment(
        **{"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": server.url, **more}
    )


def run(*arguments, timeout=120, **more):
    more.setdefault("env", environment())
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=timeout * PATIENCE, **more)


def unmount(path):
    """Unmounts even while another process, such as one that scans every mount of the machine, has it open."""
    if subprocess.run(["umount", path], capture_output=True).returncode != 0:
        subprocess.run(["umount", "-l", path], capture_output=True)


def given_bytes(server):
    """Returns the number of bytes that the server has sent of existing objects."""
    given = 0
    for path, asked, status in server.requests:
        if status == 206:
            first, last = map(int, asked.removeprefix("bytes=").split("-"))
            given += min(last + 1, os.path.getsize(server.root + path)) - first
    return given


def listed_sizes(listing):
    """Returns (size, name) of each file that `ls -l` has listed, sorted."""
    return sorted(
        line.split()[1 :: len(line.split()) - 2] for line in listing.decode().splitlines() if line.startswith("-")
    )


class RemoteTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def served(self, server):
        self.enterContext(server)
        return server

    if not hasattr(unittest.TestCase, "enterContext"):  # before Python 3.11

        def enterContext(self, manager):
            self.addCleanup(manager.__exit__, None, None, None)
            return manager.__enter__()
