"""Replacing files that belong together (out.bed, out.bim, out.fam), while one of the calls that change names fails or
the program is killed before it (faults.c): all of them are old, or all are new. The process that makes them whole after
a kill writes to the same standard error: when that ends, it has done its work."""
import hashlib
import itertools
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
SUBSETS = [names for count in range(4) for names in itertools.combinations(NAMES, count)]
MAX_CALLS = 20  # that change names in one export


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

    def export(self, *options, at=None, keeper=0):
        environment = dict(os.environ)
        if at is not None:
            faults = {"FAULTS_KINDS": "none", "FAULTS_NAME": str(at), "FAULTS_KEEPER": str(keeper)}
            environment.update({"LD_PRELOAD": FAULTS, **faults})
        return subprocess.run(
            [PROGRAM, "export", *options, STORE, os.path.join(self.folder, NAMES[0])],
            env=environment,
            capture_output=True,
            timeout=120,
            check=False,
            start_new_session=True,
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

    def each_call(self, names, at, check, options=("--force",), keeper=0):
        """Calls check(old, result) after exports with a fault at each call, until one has none. Returns its number."""
        for number in range(1, MAX_CALLS):
            with self.subTest(call=number, existing=names):
                old = self.write_old(names)
                result = self.export(*options, at=at(number), keeper=keeper)
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

    # VIEWS 14 "Should the program be killed while they are, another process makes them whole at once"
    def test_killed_export_leaves_all_old_or_all_new(self):
        def check(old, result):
            self.assertEqual(result.returncode, -signal.SIGKILL)
            self.assertIn(self.state(), (old, self.new))
            if b"whole again" in result.stderr:
                self.assertEqual(self.hidden(), [])

        calls = [self.each_call(names, lambda number: number, check) - 1 for names in SUBSETS]
        for failing in (-1, -2):  # calls of that process, which tries again
            calls.append(self.each_call(NAMES, lambda number: number, check, keeper=failing) - 1)
        self.assertGreaterEqual(sum(calls), 100)

    # VIEWS 14 "if that is killed, too, the next export to the same TARGET does so before it does anything else"
    def test_killed_keeper_is_replaced_by_the_next_export(self):
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

        for keeper in (1, 2, 4):
            calls = self.each_call(NAMES, lambda number: number, check, keeper=keeper)
            self.assertGreater(calls, 2 * len(NAMES))

    def test_free_places_are_free_again(self):
        def check(old, result):
            self.assertEqual(result.returncode, -signal.SIGKILL)
            again = self.export()
            if again.returncode == 0:  # the places were put back and are free
                self.assertEqual(self.state(), self.new)
            else:
                self.assertIn(self.state(), (old, self.new))

        self.each_call((), lambda number: number, check, (), keeper=1)
        self.each_call(NAMES[:1], lambda number: number, check, keeper=1)


if __name__ == "__main__":
    unittest.main()
