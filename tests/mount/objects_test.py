"""Random R objects: an R process makes them, and compares every value of the text and of the .rds files of a mount.

By hand: objects_test.py --count 300 [--seed N].
"""
import os
import subprocess
import sys

from mounted import Folder, Mount, main
from optional import needs_r

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "objects.R")
COUNT, SEED = 60, 41


@needs_r("Matrix")
class Objects(Folder):
    def compare(self, count, kind="plain", change=None):
        """Returns the output of R: the lines of differences, and the last line."""
        folder = self.empty("objects")
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        with subprocess.Popen(
            ["Rscript", SCRIPT, str(SEED), str(count), folder, kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        ) as r:
            self.assertEqual(r.stdout.readline(), "made\n")
            if change:
                change(folder)
            with Mount(folder, "-o", "views=csv,npy,mtx,tsv,rds,seurat") as mount:
                printed, _ = r.communicate(mount.path + "\n")
        *lines, last = printed.splitlines()
        return lines, last

    def check(self, count, kind, least):
        """Checks that every object of a kind is shown correctly. least: the minimal average number of values of
        each."""
        lines, last = self.compare(count, kind)
        self.assertEqual(lines, [])
        self.assertTrue(last.endswith(f"values of {count} objects"), last)
        self.assertGreater(int(last.split()[1]), least * count)

    def test_every_value_matches_r(self):
        self.check(COUNT, "plain", 1000)

    @needs_r("Seurat")
    def test_every_value_of_seurat_objects_matches_r(self):
        self.check(COUNT // 10, "seurat", 200)

    @needs_r("SingleCellExperiment")
    def test_every_value_of_experiments_matches_r(self):
        self.check(COUNT // 10, "experiment", 50)

    def test_another_value_is_reported(self):
        """The canary: each object is replaced by the one before it."""

        def change(folder):
            names = sorted(os.listdir(folder))
            for name, other in zip(names, names[1:] + names[:1]):
                os.rename(os.path.join(folder, name), os.path.join(folder, other + ".new"))
            for name in names:
                os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))

        lines, _ = self.compare(12, change=change)
        self.assertGreaterEqual(len({line.split("/")[1].split(".")[0] for line in lines}), 11, lines)


if __name__ == "__main__":
    for option in ("--count", "--seed"):
        if option in sys.argv:
            at = sys.argv.index(option)
            globals()[option[2:].upper()] = int(sys.argv[at + 1])
            del sys.argv[at : at + 2]
    main()
