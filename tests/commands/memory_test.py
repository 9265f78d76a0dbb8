"""Tests that the memory of a command is bounded by the bytes that its store has."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from optional import needs_modules  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ["PLAINFS"]
COUNT = 3_000_000
# Runs a command from a small process: the peak of a child includes the memory of the process that starts it.
PEAK = """
import os, sys
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""
LIMIT = 260 << 20


def word(number):
    return struct.pack(">I", number)


def write_netcdf(path, attribute):
    """Writes a NetCDF classic file with one attribute of bytes."""
    with open(path, "wb") as file:
        file.write(b"CDF\1" + word(0) * 3 + word(12) + word(1) + word(1) + b"a\0\0\0" + word(1))
        file.write(word(len(attribute)) + attribute + b"\0" * (-len(attribute) % 4) + word(0) * 2)


def write_hdf5(path, attribute):
    import h5py
    import numpy

    with h5py.File(path, "w", libver="latest") as file:
        file.attrs.create("a", numpy.frombuffer(attribute, "i1"))


def write_zarr(path, text):
    os.mkdir(path)
    for name, content in ((".zgroup", '{"zarr_format":2}'), (".zattrs", text)):
        with open(os.path.join(path, name), "w", encoding="ascii") as file:
            file.write(content)


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def peak_of(self, *arguments):
        """Runs a command that must succeed. Returns its peak of resident bytes and what it printed."""
        done = subprocess.run([sys.executable, "-c", PEAK, PROGRAM, *arguments], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stderr.split()[-1]) << 10, done.stdout

    def check(self, store):
        peak, _ = self.peak_of("ls", store)
        self.assertLess(peak, LIMIT // 2, "ls")
        peak, text = self.peak_of("cat", store, ".attrs.json")
        self.assertEqual(text, b'{".":{"a":[' + b",".join([b"1"] * COUNT) + b"]}}\n")
        self.assertLess(peak, LIMIT, "cat")

    def test_attribute_of_many_numbers_in_netcdf_classic(self):
        write_netcdf(self.path("a.nc"), b"\1" * COUNT)
        self.check(self.path("a.nc"))

    @needs_modules("h5py")
    def test_attribute_of_many_numbers_in_hdf5(self):
        write_hdf5(self.path("a.h5"), b"\1" * COUNT)
        self.check(self.path("a.h5"))

    def test_attribute_of_many_numbers_in_zarr(self):
        write_zarr(self.path("a.zarr"), '{"a":[' + ",".join(["1"] * COUNT) + "]}")
        self.check(self.path("a.zarr"))


if __name__ == "__main__":
    unittest.main()
