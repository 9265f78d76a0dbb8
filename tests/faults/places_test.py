"""Replacing files that belong together (out.bed, out.bim, out.fam), while one of the calls that change names fails or
the program is killed before it (faults.c): all of them are old, or all are new."""
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ["PLAINFS"]
STORE = os.path.join(os.environ["PLAINFS_TEST_DATA"], "vcf-zarr", "types", "store.zarr")
FAULTS = os.environ["PLAINFS_FAULTS"]
NAMES = ("out.bed", "out.bim", "out.fam")
MOST_CALLS = 20  # that change names in one export


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Places(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-places-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.assertEqual(self.export().returncode, 0)
        self.new = self.state()
        self.assertEqual(sorted(self.new), sorted(NAMES))

    def export(self, *options, at=None):
        environment = dict(os.environ)
        if at is not None:
            environment.update({"LD_PRELOAD": FAULTS, "FAULTS_KINDS": "none", "FAULTS_NAME": str(at)})
        return subprocess.run(
            [PROGRAM, "export", *options, STORE, os.path.join(self.folder, NAMES[0])],
            env=environment,
            capture_output=True,
            timeout=120,
            check=False,
        )

    def state(self):
        """Returns the digests of the files that are not hidden."""
        return {
            name: digest(os.path.join(self.folder, name))
            for name in os.listdir(self.folder)
            if not name.startswith(".")
        }

    def write_old(self, names):
        """Leaves only these files, with another content each."""
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))
        for name in names:
            with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
                file.write(f"old {name}\n")
        return self.state()

    def hidden(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".")]

    def each_call(self, names, at, check, options=("--force",)):
        """Calls check(old, result) after exports with a fault at each call, until one has none."""
        for number in range(1, MOST_CALLS):
            with self.subTest(call=number, there=names):
                old = self.write_old(names)
                result = self.export(*options, at=at(number))
                if result.returncode == 0:
                    self.assertEqual(self.state(), self.new)
                if result.returncode == 0 and not self.hidden():
                    return number
                check(old, result)
        return self.fail("every call has a fault")

    # VIEWS 14 "are all replaced or none"
    def test_failing_call_leaves_all_old_or_all_new(self):
        def check(old, result):
            self.assertIn(result.returncode, (0, 16))
            self.assertIn(self.state(), (old, self.new))
            if result.returncode == 16:
                self.assertIn(b"Operation not permitted", result.stderr)
                self.assertEqual(self.hidden(), [])

        calls = self.each_call(NAMES, lambda number: -number, check)
        self.assertGreater(calls, 2 * len(NAMES))

    # VIEWS 14 "the next export to the same TARGET makes them whole again before it does anything else"
    def test_killed_export_is_repaired_by_the_next(self):
        def check(old, result):
            self.assertEqual(result.returncode, -signal.SIGKILL)
            found = self.state()
            if NAMES[0] in found:  # else no reader finds the others
                self.assertIn(found, (old, self.new))
            again = self.export()
            self.assertEqual(again.returncode, 16, again.stderr)
            self.assertIn(b"already exists", again.stderr)
            self.assertIn(self.state(), (old, self.new))
            self.assertEqual(self.export("--force").returncode, 0)
            self.assertEqual(self.state(), self.new)
            self.assertEqual(self.hidden(), [])

        calls = self.each_call(NAMES, lambda number: number, check)
        self.assertGreater(calls, 2 * len(NAMES))

    def test_free_places_are_free_again(self):
        def check(old, result):
            self.assertEqual(result.returncode, -signal.SIGKILL)
            again = self.export()
            if again.returncode == 0:  # the places were put back and are free
                self.assertEqual(self.state(), self.new)
            else:
                self.assertIn(self.state(), (old, self.new))

        self.each_call((), lambda number: number, check, ())
        self.each_call(NAMES[:1], lambda number: number, check)


if __name__ == "__main__":
    unittest.main()
