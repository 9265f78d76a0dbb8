"""Tests exports by engines: a Slurm job array on a private cluster, and GNU parallel."""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import slurm
from optional import needs
from planned import PROGRAM, SAMPLES, Planned, write_zeros


LARGE = 60_000_000


class Cluster(Planned):
    def setUp(self):
        super().setUp()
        self.environment = {
            **os.environ,
            "PATH": f"{os.path.dirname(os.path.realpath(shutil.which(PROGRAM)))}:/usr/sbin:{os.environ['PATH']}",
        }

    def shell(self, code, **more):
        result = subprocess.run(
            ["sh", "-ec", code],
            cwd=self.folder,
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def store(self):
        """Returns a store with one large file, which tasks share, and small ones."""
        store = write_zeros(self.join("store.zarr"), LARGE)
        for i in range(5):
            write_zeros(store, 100 + i, f"small{i}")
        return store

    def assert_is_store(self, folder):
        for name, count in [("a", LARGE), *((f"small{i}", 100 + i) for i in range(5))]:
            with open(os.path.join(folder, f"{name}.csv"), "rb") as file:
                self.assertEqual(file.read(), b"0\n" * count)
        self.target = folder
        self.assert_is_export(self.join("store.zarr"))


@unittest.skipIf(slurm.why_not(), slurm.why_not())
class Slurm(Cluster):
    def setUp(self):
        super().setUp()
        try:
            self.cluster = self.enterContext(slurm.Slurm(self.environment))
        except RuntimeError as error:
            self.skipTest(str(error))
        self.environment = self.cluster.environment

    def submit(self, array, code):
        """Submits the array and waits for all tasks, regardless of their exit codes."""
        subprocess.run(
            [
                "sbatch",
                "--wait",
                "--array",
                array,
                "--output",
                self.join("%a.log"),
                "--chdir",
                self.folder,
                "--wrap",
                code,
            ],
            env=self.environment,
            capture_output=True,
            timeout=300,
            check=False,
        )

    def test_an_array_exports_a_store(self):
        """Tests that a task killed midway and run again, and two tasks run twice, give the same bytes."""
        store = self.store()
        count = int(self.shell(f"plainfs export --plan --tasks 4 {store} plan.json"))
        task = "plainfs export --task plan.json out"
        kill = f"if [ $SLURM_ARRAY_TASK_ID = 2 ]; then timeout -s KILL 0.05 {task}; else {task}; fi"
        self.submit(f"1-{count}", kill)
        self.path, self.target = self.join("plan.json"), self.join("out")
        self.assertEqual(self.status()["missing"], [2], self.cluster.log())
        self.fails(75, "export", "--finish", self.path, self.target, mentions="not done yet: 2")
        self.submit("1-3", task)
        self.shell("plainfs export --finish plan.json out")
        self.assert_is_store(self.join("out"))

    def test_an_array_exports_a_zarr_folder(self):
        pbmc = os.path.join(SAMPLES, "pbmc.h5ad")
        count = int(self.shell(f"plainfs export --plan --tasks 3 {pbmc} anndata.zarr plan.json"))
        self.submit(f"1-{count}", "plainfs export --task plan.json out")
        self.shell("plainfs export --finish plan.json out")
        self.shell(f"plainfs export --quiet {pbmc} whole.zarr && diff -r whole.zarr out/anndata.zarr")


@needs("parallel")
class Parallel(Cluster):
    def test_shares_an_export(self):
        self.shell(
            f"seq $(plainfs export --plan --tasks 3 {self.store()} plan.json) | "
            "parallel plainfs export --task {} plan.json out && "
            "plainfs export --finish plan.json out"
        )
        self.assert_is_store(self.join("out"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
