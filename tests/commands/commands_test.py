"""The commands that need no mount, over every golden case."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
CHECK = os.path.join(os.path.dirname(__file__), "..", "support", "check_case.py")
SAMPLE = os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store")
GOOD = ("bpcells", "h5seurat", "hdf5", "hdmf-zarr", "takane", "zarr", "zarr-implementations")
BAD = ("bad/bpcells", "bad/hdmf-zarr", "bad/takane")


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120, **more)


def cases(formats):
    for name in formats:
        folder = os.path.join(DATA, *name.split("/"))
        for case in sorted(os.listdir(folder)):
            path = os.path.join(folder, case)
            stores = [n for n in os.listdir(path) if n == "store" or n.startswith("store.")]
            if stores:
                yield path, os.path.join(path, stores[0])


def lines(case, name):
    path = os.path.join(case, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def tree(folder):
    """path -> content of every file and link below folder."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in files + folders:
            path = os.path.join(root, name)
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


class Commands(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def test_export_of_every_case_is_as_expected(self):
        failures = []
        for case, store in cases(GOOD):
            target = os.path.join(self.folder, os.path.relpath(case, DATA).replace("/", "_"))
            exported = run("export", store, target)
            if not os.path.isdir(os.path.join(case, "expected")) and not lines(case, "links.txt"):
                continue
            # errors.txt is about files that cannot be exported
            plain = os.path.join(self.folder, "case")
            os.makedirs(plain, exist_ok=True)
            for name in ("expected", "links.txt"):
                link = os.path.join(plain, name)
                if os.path.lexists(link):
                    os.unlink(link)
                if os.path.exists(os.path.join(case, name)):
                    os.symlink(os.path.join(case, name), link)
            checked = subprocess.run([sys.executable, CHECK, "--reads", "1", plain, target], capture_output=True)
            if checked.returncode != 0:
                failures.append(f"{case}: {checked.stdout.decode()[-400:]} {exported.stderr.decode()[-200:]}")
        self.assertFalse(failures, "\n".join(failures))

    def test_parts_put_together_are_the_whole(self):
        store = os.path.join(DATA, "h5seurat", "odd_members", "store.h5seurat")
        whole, parts = os.path.join(self.folder, "whole"), os.path.join(self.folder, "parts")
        self.assertEqual(run("export", store, whole).returncode, 0)
        sizes = []
        for number in (1, 2, 3):
            before = sum(map(len, tree(parts).values()))
            self.assertEqual(run("export", "--part", f"{number}/3", store, parts).returncode, 0)
            sizes.append(sum(map(len, tree(parts).values())) - before)
        self.assertEqual(tree(parts), tree(whole))
        self.assertLess(max(sizes), 2 * sum(sizes) / 3)

    def test_export_leaves_what_is_there_and_makes_what_is_not(self):
        target = os.path.join(self.folder, "out")
        self.assertIn(b" 0 there already", run("export", SAMPLE, target).stderr)
        before = tree(target)
        os.unlink(os.path.join(target, "matrix.mtx"))
        with open(os.path.join(target, "val.csv"), "w") as file:
            file.write("of an older store\n")
        result = run("export", SAMPLE, target)
        self.assertIn(b"2 files written", result.stderr)
        self.assertEqual(tree(target), before)
        self.assertFalse([name for name in os.listdir(target) if "plainfs-part" in name])

    def test_export_takes_up_a_part_that_an_interrupted_run_left(self):
        target = os.path.join(self.folder, "out")
        run("export", SAMPLE, target)
        want = tree(target)
        # what it would have written under a temporary name so far, taken from an export that is watched
        os.unlink(os.path.join(target, "matrix.mtx"))
        traced = subprocess.run(["strace", "-f", "-e", "trace=openat", PROGRAM, "export", SAMPLE, target], capture_output=True) \
            if subprocess.run(["sh", "-c", "command -v strace"], capture_output=True).returncode == 0 else None
        if traced is None:
            self.skipTest("strace is missing")
        names = [word.split('"')[1] for word in traced.stderr.decode().splitlines() if "plainfs-part" in word]
        os.unlink(os.path.join(target, "matrix.mtx"))
        with open(names[0], "wb") as file:
            file.write(want["matrix.mtx"][:1000])
        self.assertEqual(run("export", SAMPLE, target).returncode, 0)
        self.assertEqual(tree(target), want)

    def test_export_of_paths_keeps_their_place(self):
        store = os.path.join(DATA, "bpcells", "mat_h5_groups", "store.h5")
        whole = os.path.join(self.folder, "whole")
        run("export", store, whole)
        path = next(name for name in sorted(tree(whole)) if "/" in name)
        target = os.path.join(self.folder, "one")
        self.assertEqual(run("export", store, path, target).returncode, 0)
        self.assertEqual(list(tree(target)), [path])
        self.assertEqual(run("export", "--views", "csv", store, target + "2").returncode, 0)
        self.assertEqual({os.path.splitext(name)[1] for name in tree(target + "2")}, {".csv"})

    def test_export_of_a_damaged_store_copies_the_rest_and_says_so(self):
        store = os.path.join(DATA, "bad", "bpcells", "val_data_cut4", "store")
        target = os.path.join(self.folder, "out")
        result = run("export", store, target)
        self.assertEqual(result.returncode, 14)
        self.assertIn(b"/matrix.mtx: ", result.stderr)
        self.assertIn("genes.tsv", tree(target))
        self.assertNotIn("matrix.mtx", tree(target))

    def test_cat_gives_the_bytes_and_ranges_of_them(self):
        target = os.path.join(self.folder, "out")
        run("export", SAMPLE, target)
        want = tree(target)
        self.assertEqual(run("cat", SAMPLE, "matrix.mtx", "/val.csv").stdout, want["matrix.mtx"] + want["val.csv"])
        for text, part in (("0-9", slice(0, 10)), ("5-5", slice(5, 6)), ("100-", slice(100, None)), ("0-99999999", slice(None))):
            self.assertEqual(run("cat", "--range", text, SAMPLE, "matrix.mtx").stdout, want["matrix.mtx"][part], text)
        for wrong in ("x", "5", "9-5", "-"):
            self.assertEqual(run("cat", "--range", wrong, SAMPLE, "matrix.mtx").returncode, 1, wrong)
        self.assertEqual(run("cat", SAMPLE, "nothing").returncode, 11)
        self.assertEqual(run("cat", SAMPLE).returncode, 1)

    def test_cat_follows_links_but_not_out_of_the_store(self):
        store = os.path.join(DATA, "hdf5", "links", "store.h5")
        self.assertEqual(run("cat", store, "a/up.csv").stdout, run("cat", store, "a/b/d.csv").stdout)
        self.assertEqual(run("cat", store, "softgrp/d.csv").returncode, 0)
        self.assertEqual(run("cat", store, "ext.csv").returncode, 11)
        self.assertEqual(run("cat", store, "loop1").returncode, 11)

    def test_cat_to_a_closed_pipe_ends_quietly(self):
        result = subprocess.run(["sh", "-c", f"'{PROGRAM}' cat '{SAMPLE}' matrix.mtx | head -c 10"], capture_output=True)
        self.assertEqual((result.stdout, result.stderr), (b"%%MatrixMa", b""))

    def test_ls_lists(self):
        target = os.path.join(self.folder, "out")
        run("export", SAMPLE, target)
        self.assertEqual(run("ls", SAMPLE).stdout.decode().splitlines(), sorted(os.listdir(target)))
        shown = [line.split() for line in run("ls", "-l", SAMPLE).stdout.decode().splitlines()]
        self.assertEqual({line[-1]: int(line[1]) for line in shown},
                         {name: os.path.getsize(os.path.join(target, name)) for name in os.listdir(target)})
        links = os.path.join(DATA, "hdf5", "links", "store.h5")
        text = run("ls", "-lR", links).stdout.decode()
        self.assertIn("\na/b:\n", text)
        self.assertIn("cycle -> ..\n", text)
        self.assertEqual(run("ls", links, "a/b/d.csv").stdout, b"a/b/d.csv\n")
        self.assertEqual(run("ls", links, "nothing").returncode, 11)

    def test_info_is_json(self):
        info = json.loads(run("info", SAMPLE).stdout)
        self.assertEqual(info["version"], "packed-uint-matrix-v2")
        self.assertEqual(run("info", "/no/such").returncode, 11)

    def test_check_is_silent_on_the_good_ones(self):
        failures = []
        for case, store in cases(GOOD):
            if lines(case, "errors.txt"):
                continue
            result = run("check", store)
            if (result.returncode, result.stdout) != (0, b""):
                failures.append(f"{case}: {result.stdout[-300:]}{result.stderr[-300:]}")
        self.assertFalse(failures, "\n".join(failures))

    def test_check_names_planted_damage(self):
        failures = []
        for case, store in cases(BAD + GOOD):
            outcome = lines(case, "outcome.txt")
            wanted = [line.rpartition(" ")[0] for line in outcome if line.endswith((" EIO", " ENOTSUP")) and " or " not in line]
            wanted += [line.split("\t")[0].removesuffix(".*") for line in lines(case, "errors.txt")]
            if not wanted:
                continue
            result = run("check", store)
            missing = [path for path in wanted if "/" + path not in result.stdout.decode(errors="replace")]
            if result.returncode not in (14, 15) or missing:
                failures.append(f"{case}: {result.returncode} {missing} {result.stderr.decode()[-200:]}")
        self.assertFalse(failures, "\n".join(failures))


if __name__ == "__main__":
    unittest.main(verbosity=2)
