"""Shared helpers for tests of planned exports. The program and the data come from the environment: PLAINFS and
PLAINFS_TEST_DATA."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from written_tree import tree

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
for name in ("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "SGE_TASK_ID", "LSB_JOBINDEX", "PMI_RANK"):
    os.environ.pop(name, None)
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
SAMPLES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "samples")


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=300, **more)


def write_zeros(store, count, name="a"):
    """Writes a Zarr store with one array of unstored bytes: 2 bytes of text each."""
    path = os.path.join(store, name)
    os.makedirs(path)
    for file, content in (
        (os.path.join(store, ".zgroup"), {"zarr_format": 2}),
        (
            os.path.join(path, ".zarray"),
            {
                "zarr_format": 2,
                "shape": [count],
                "chunks": [1 << 16],
                "dtype": "|u1",
                "compressor": None,
                "filters": None,
                "order": "C",
                "fill_value": 0,
            },
        ),
    ):
        with open(file, "w", encoding="utf-8") as out:
            json.dump(content, out)
    return store


class Planned(unittest.TestCase):
    """A test with a temporary folder, a store to export, a plan and a target directory."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.target, self.path = self.join("out"), self.join("plan.json")

    def join(self, *names):
        return os.path.join(self.folder, *names)

    def succeeds(self, *arguments, **more):
        result = run(*arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def fails(self, code, *arguments, mentions=(), **more):
        result = run(*arguments, **more)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        for word in [mentions] if isinstance(mentions, str) else mentions:
            self.assertIn(word, result.stderr.decode())
        return result

    def plan(self, store, *options):
        count = int(self.succeeds("export", "--plan", *options, store, self.path))
        with open(self.path, encoding="utf-8") as file:
            plan = json.load(file)
        self.assertEqual(count, len(plan["tasks"]))
        return plan

    def task(self, number, **more):
        return self.succeeds("export", "--task", str(number), self.path, self.target, **more)

    def finish(self, *options):
        self.succeeds("export", "--finish", *options, self.path, self.target)

    def status(self):
        return json.loads(self.succeeds("export", "--status", self.path, self.target))

    def assert_is_export(self, store, *options):
        """Checks that the target holds exactly what a plain export of the store writes."""
        whole = self.join("whole")
        self.succeeds("export", *options, store, whole)
        expected, found = tree(whole, whole=True), tree(self.target, whole=True)
        self.assertEqual(sorted(found), sorted(expected))
        for path, content in expected.items():
            self.assertTrue(found[path] == content, path)
