"""R objects at random: a process of R makes them, and holds every value of the text and of the .rds files of a mount against them.

By hand: objects_test.py --count 300 [--seed N].
"""
import os
import shutil
import subprocess
import sys
import unittest

from mounted import Folder, Mount, main

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "random_objects.R")
COUNT, SEED = 60, 41


def has_matrix():
    return shutil.which("Rscript") and subprocess.run(["Rscript", "-e", "stopifnot(requireNamespace('Matrix', quietly = TRUE))"], capture_output=True, timeout=60).returncode == 0


@unittest.skipUnless(has_matrix(), "not installed: R with Matrix")
class Objects(Folder):
    def compare(self, folder, count, seed, change=None):
        """What R says: the lines of what differs, and the last line."""
        os.mkdir(folder)
        with subprocess.Popen(["Rscript", SCRIPT, str(seed), str(count), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ, LC_ALL="C.UTF-8")) as r:
            self.assertEqual(r.stdout.readline(), "made\n")
            if change:
                change(folder)
            with Mount(folder, "-o", "views=csv,npy,mtx,tsv,rds,seurat") as mount:
                said, _ = r.communicate(mount.path + "\n")
        *lines, last = said.splitlines()
        return lines, last

    def test_every_value_is_what_r_has(self):
        lines, last = self.compare(os.path.join(self.folder, "objects"), COUNT, SEED)
        self.assertEqual(lines, [])
        self.assertTrue(last.endswith(f"values of {COUNT} objects"), last)
        self.assertGreater(int(last.split()[1]), 1000 * COUNT)

    def test_another_value_is_told(self):
        """The canary: each object is the one before it."""
        def change(folder):
            names = sorted(os.listdir(folder))
            for name, other in zip(names, names[1:] + names[:1]):
                os.rename(os.path.join(folder, name), os.path.join(folder, other + ".new"))
            for name in names:
                os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))
        lines, _ = self.compare(os.path.join(self.folder, "others"), 12, SEED, change)
        self.assertGreaterEqual(len({line.split("/")[1].split(".")[0] for line in lines}), 11, lines)


if __name__ == "__main__":
    for option in ("--count", "--seed"):
        if option in sys.argv:
            at = sys.argv.index(option)
            globals()[option[2:].upper()] = int(sys.argv[at + 1])
            del sys.argv[at:at + 2]
    main()
