"""Tests exports that many processes share: --plan, --task, --finish, --status."""
import glob
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest
import zlib

from planned import DATA, PROGRAM, SAMPLES, Planned, run, tree, write_zeros
from effort import EFFORT  # after planned, which sets its path

# The values of the file that tasks share, and the size of its text.
VALUES = 16_000_000 * min(EFFORT, 5)
TEXT_BYTES = 2 * VALUES

MATRIX = os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store")


class Whole(Planned):
    """Tests that all tasks, in any order and repeated, plus one finish equal an export."""

    def check(self, store, *options, tasks=5):
        plan = self.plan(store, "--tasks", str(tasks), *options)
        self.assertEqual(len(plan["tasks"]), tasks)
        numbers = list(range(1, tasks + 1)) + [2]
        random.Random(1).shuffle(numbers)
        for number in numbers:
            self.task(number)
        self.finish()
        self.assert_is_export(store, *options)

    def test_hdf5_store_by_tasks(self):
        self.check(os.path.join(SAMPLES, "pbmc.h5seurat"))

    def test_zarr_store_by_tasks(self):
        self.check(os.path.join(DATA, "zarr", "v2_dtypes", "store.zarr"))

    def test_links_by_tasks(self):
        self.check(os.path.join(DATA, "hdf5", "links", "store.h5"))

    def test_folder_of_stores_by_tasks(self):
        os.mkdir(self.join("stores"))
        shutil.copy(os.path.join(SAMPLES, "pbmc.h5ad"), self.join("stores"))
        shutil.copytree(MATRIX, self.join("stores", "matrix"))
        with open(self.join("stores", "notes"), "w", encoding="ascii") as file:
            file.write("text\n" * 1000)
        self.check(self.join("stores"))

    def test_with_options(self):
        self.check(os.path.join(SAMPLES, "image.zarr"), "--views", "csv+bin", "-o", "header", tasks=2)

    def test_part_of_a_store_by_tasks(self):
        store = os.path.join(SAMPLES, "pbmc.h5seurat")
        self.succeeds("export", "--plan", "--tasks", "2", store, "assays", "meta.data.csv", self.path)
        self.task(1)
        self.task(2)
        self.finish()
        self.succeeds("export", store, "assays", "meta.data.csv", self.join("whole"))
        self.assertEqual(tree(self.target, whole=True), tree(self.join("whole"), whole=True))

    def test_more_tasks_than_work(self):
        self.check(write_zeros(self.join("small.zarr"), 3), tasks=9)
        self.task(9)
        self.assertNotIn(".plainfs", os.listdir(self.target))

    def test_number_of_tasks_from_their_size(self):
        store = write_zeros(self.join("s.zarr"), 5_000_000)
        plan = self.plan(store, "--task-size", "4m")
        self.assertEqual(len(plan["tasks"]), 4)  # 10 MB of csv, 5 of npy

    def test_beside_existing_files(self):
        store = os.path.join(SAMPLES, "pbmc.h5seurat")
        self.succeeds("export", store, "meta.data.csv", "assays/RNA/counts/matrix.mtx", self.target)
        self.check(store)

    def test_names_with_equal_checksums(self):
        """Tests that names with the same CRC-32 work if their files also have the same size."""
        store = self.join("cells.zarr")
        for name in ("AGCTGTCTCATATCGG-1", "CATGTTTTTCACCGAC-1"):
            write_zeros(store, 128, name)
        self.assertEqual(zlib.crc32(b"AGCTGTCTCATATCGG-1.csv"), zlib.crc32(b"CATGTTTTTCACCGAC-1.npy"))
        plan = self.plan(store, "--tasks", "3", "--views", "csv+npy")
        self.assertEqual([file["bytes"] for file in plan["files"]], [256] * 4)
        self.check(store, "--views", "csv+npy", tasks=3)

    def test_too_long_part_of_an_empty_file(self):
        store = self.join("folder")
        os.mkdir(store)
        shutil.copytree(MATRIX, os.path.join(store, "matrix"))
        with open(os.path.join(store, "empty"), "wb"):
            pass
        plan = self.plan(store, "--tasks", "1")
        number = [file["path"] for file in plan["files"]].index("empty")
        self.task(1)
        (part,) = [name for name in os.listdir(self.target) if name.endswith(f"-{number}.plainfs-part")]
        with open(os.path.join(self.target, part), "ab") as file:
            file.write(b"x")
        self.fails(75, "export", "--finish", self.path, self.target, mentions="its part has 1 bytes, expected 0")
        self.task(1)
        self.finish()
        self.assert_is_export(store)

    def test_fragments_by_level_and_their_coverage(self):
        """Tests that the content of the files of -o cells= and -o genome= is part of the plan, because by/ and
        coverage.bw are generated from it."""
        store, cells, genome = (
            os.path.join(DATA, "bpcells", "frag_packed", "store"),
            self.join("cells.csv"),
            self.join("genome"),
        )
        fragments = [line.split("\t") for line in self.succeeds("cat", store, "fragments.tsv").splitlines()]
        with open(cells, "w", encoding="utf-8") as file:
            file.write(
                '"",type\n'
                + "".join(f'"{cell}",{"TB"[i % 2]}\n' for i, cell in enumerate(sorted({line[3] for line in fragments})))
            )
        with open(genome, "w", encoding="utf-8") as file:
            file.write("".join(f"{name}\t4000000000\n" for name in sorted({line[0] for line in fragments})))
        options, paths = ("-o", "cells=" + cells, "-o", "genome=" + genome), ("by/type/T/fragments.tsv", "chrom.sizes")
        self.succeeds("export", "--plan", "--tasks", "2", *options, store, *paths, self.path)
        for number in (1, 2):
            self.task(number)
        self.finish()
        for path in paths:
            with open(os.path.join(self.target, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), self.succeeds("cat", *options, store, path), path)
        for path in (genome, cells):
            with open(path, "a", encoding="utf-8") as file:
                file.write('other\t1\n' if path == genome else '"other",T\n')
            self.fails(
                12,
                "export",
                "--task",
                "1",
                self.path,
                self.join("again"),
                mentions=f"{path}: has changed since the export was planned",
            )

    def test_repeated_path(self):
        store = write_zeros(self.join("s.zarr"), 10)
        self.succeeds("export", "--plan", "--tasks", "1", store, "a.csv", "a.csv", self.path)
        self.task(1)
        self.finish()
        self.assertEqual(os.listdir(self.target), ["a.csv"])
        result = run("export", store, "a.csv", "a.csv", self.join("whole"))
        self.assertEqual(
            (result.returncode, b"\n1 file written, 0 already there" in result.stderr), (0, True), result.stderr
        )

    def test_file_named_like_a_part_is_left_out(self):
        name = f".{'0' * 32}-1.plainfs-part"
        os.mkdir(self.join("folder"))
        shutil.copytree(MATRIX, self.join("folder", "matrix"))
        with open(self.join("folder", name), "w", encoding="ascii") as file:
            file.write("text\n")
        mentions = name + ": not supported: the name is reserved for unfinished files of an export"
        self.fails(15, "export", "--plan", "--tasks", "1", self.join("folder"), self.path, mentions=mentions)
        self.fails(15, "export", self.join("folder"), self.join("plain"), mentions=mentions)
        self.assertEqual(os.listdir(self.join("plain")), ["matrix"])
        with open(self.path, encoding="utf-8") as file:
            self.assertNotIn(name, [planned["path"] for planned in json.load(file)["files"]])

    def test_a_task_after_the_end_leaves_nothing(self):
        self.check(MATRIX, tasks=3)
        for number in (1, 2, 3):
            self.task(number)
        self.finish()
        self.assert_is_export(MATRIX)
        self.assertTrue(self.status()["finished"])


class Shared(Planned):
    """Tests one file, 32 MB of "0\\n", that all tasks write to."""

    def setUp(self):
        super().setUp()
        self.store = write_zeros(self.join("large.zarr"), VALUES)
        self.built = self.plan(self.store, "--tasks", "4", "--views", "csv")

    def part(self):
        """Returns the file while it is written."""
        names = (
            [name for name in os.listdir(self.target) if name.endswith(".plainfs-part")]
            if os.path.isdir(self.target)
            else []
        )
        return os.path.join(self.target, names[0]) if names else None

    def assert_is_whole(self):
        self.assertEqual(os.listdir(self.target), ["a.csv"])
        with open(os.path.join(self.target, "a.csv"), "rb") as file:
            self.assertEqual(file.read(), b"0\n" * VALUES)
        seconds, nanoseconds = self.built["files"][0]["modified"]
        self.assertEqual(os.stat(os.path.join(self.target, "a.csv")).st_mtime_ns, seconds * 10**9 + nanoseconds)

    def test_each_task_has_its_share_and_all_have_everything(self):
        ranges = [task["ranges"] for task in self.built["tasks"]]
        self.assertEqual([len(of_task) for of_task in ranges], [1] * 4)
        at = 0
        for [[file, first, size]] in ranges:
            self.assertEqual((file, first), (0, at))
            self.assertLess(abs(size - TEXT_BYTES // 4), 1_000_000)
            at += size
        self.assertEqual(at, TEXT_BYTES)
        for number in (3, 1, 4, 2):
            self.task(number)
        self.finish()
        self.assert_is_whole()

    def test_progress_is_reported(self):
        self.assertEqual(self.status()["missing"], [1, 2, 3, 4])
        self.assertFalse(os.path.exists(self.target))
        self.task(2)
        status = self.status()
        self.assertEqual(
            (status["tasks"], status["done"], status["missing"], status["finished"]), (4, 1, [1, 3, 4], False)
        )
        self.assertEqual((status["bytes"], status["done_bytes"]), (TEXT_BYTES, self.built["tasks"][1]["ranges"][0][2]))
        self.assertEqual(os.stat(self.part()).st_size, TEXT_BYTES)
        self.fails(75, "export", "--finish", self.path, self.target, mentions="3 of 4 tasks of")
        self.fails(75, "export", "--finish", self.path, self.target, mentions="not done yet: 1,3-4")
        self.assertNotIn("a.csv", os.listdir(self.target))

    def start(self, number):
        return subprocess.Popen(
            [PROGRAM, "export", "--task", str(number), "-o", "threads=1", self.path, self.target],
            stderr=subprocess.DEVNULL,
        )

    def begun(self, process, offset):
        """Waits until the process has written at `offset`."""
        while process.poll() is None:
            if self.part():
                with open(self.part(), "rb") as file:
                    file.seek(offset)
                    if file.read(1) == b"0":
                        return True
        return False

    def kill_in_the_middle(self, number):
        first, size = self.built["tasks"][number - 1]["ranges"][0][1:]
        while True:
            process = self.start(number)
            self.begun(process, first + size // 4)
            process.send_signal(signal.SIGKILL)
            if process.wait() == -signal.SIGKILL and number in self.status()["missing"]:
                return
            shutil.rmtree(self.target)  # it was faster

    def test_killed_task_is_run_again(self):
        for number in (1, 2, 3, 4):
            self.kill_in_the_middle(number)
        self.assertEqual(self.status()["missing"], [1, 2, 3, 4])
        for number in (1, 2, 3, 4):
            self.task(number)
        self.finish()
        self.assert_is_whole()

    def test_a_half_written_record_is_removed(self):
        """Tests that a task killed while it writes its record leaves nothing behind the end of the export."""
        for number in (1, 2, 3, 4):
            self.task(number)
        (records,) = glob.glob(os.path.join(self.target, ".plainfs", "*"))
        with open(os.path.join(records, ".0123456789abcdef.1234.plainfs-part"), "w", encoding="ascii") as file:
            file.write('{"plan": ')
        self.finish()
        self.assert_is_whole()

    def test_a_task_is_run_twice_at_once(self):
        processes = [self.start(number) for number in (1, 1, 2, 2, 3, 4, 4)]
        self.assertEqual([process.wait() for process in processes], [0] * 7)
        self.finish()
        self.assert_is_whole()

    def test_a_late_run_of_a_task_meets_the_end(self):
        """Stops a task while it writes. Meanwhile another run of it ends and everything is finished. Then the task goes
        on."""
        late = self.start(1)
        self.assertTrue(self.begun(late, 0))
        late.send_signal(signal.SIGSTOP)
        for number in (1, 2, 3, 4):
            self.task(number)
        self.finish()
        late.send_signal(signal.SIGCONT)
        self.assertEqual(late.wait(), 0)
        self.assert_is_whole()

    def test_parts_are_verified(self):
        for number in (1, 2, 3, 4):
            self.task(number)
        with open(self.part(), "r+b") as file:
            file.seek(TEXT_BYTES * 5 // 16)
            file.write(b"1")
        self.fails(
            75,
            "export",
            "--finish",
            "--verify",
            self.path,
            self.target,
            mentions=["differ from what was written", "not done yet: 2"],
        )
        self.assertEqual(self.status()["missing"], [2])
        self.task(2)
        self.finish("--verify")
        self.assert_is_whole()

    def test_missing_part_is_written_again(self):
        for number in (1, 2, 3, 4):
            self.task(number)
        os.unlink(self.part())
        self.fails(75, "export", "--finish", self.path, self.target, mentions="its part is missing")
        for number in (1, 2, 3, 4):
            self.task(number)
        self.finish()
        self.assert_is_whole()

    def test_too_long_part_is_truncated(self):
        for number in (1, 2, 3, 4):
            self.task(number)
        with open(self.part(), "ab") as file:
            file.write(b"x")
        self.fails(
            75,
            "export",
            "--finish",
            self.path,
            self.target,
            mentions=[f"its part has {TEXT_BYTES + 1} bytes, expected {TEXT_BYTES}", "not done yet: 1-4"],
        )
        for number in (1, 2, 3, 4):
            self.task(number)
        self.finish()
        self.assert_is_whole()

    def test_part_removed_meanwhile_is_written_again(self):
        self.task(1)
        self.task(2)
        os.unlink(self.part())
        self.task(3)
        self.task(4)
        self.fails(75, "export", "--finish", self.path, self.target, mentions="not done yet: 1-2")
        self.task(1)
        self.task(2)
        self.finish()
        self.assert_is_whole()

    def test_damaged_record_is_ignored(self):
        for number in (1, 2, 3, 4):
            self.task(number)
        records = os.path.join(self.target, ".plainfs", os.listdir(os.path.join(self.target, ".plainfs"))[0])
        with open(os.path.join(records, "3"), "w", encoding="ascii") as file:
            file.write("{")
        self.assertEqual(self.status()["missing"], [3])
        self.task(3)
        self.finish()
        self.assert_is_whole()

    def test_repeated_plan_resumes(self):
        self.task(1)
        self.plan(self.store, "--tasks", "4", "--views", "csv")
        self.assertEqual(self.status()["missing"], [2, 3, 4])

    def test_plain_export_into_the_same_directory_is_separate(self):
        self.task(4)
        self.succeeds("export", "--views", "csv", self.store, self.target)
        with open(os.path.join(self.target, "a.csv"), "rb") as file:
            self.assertEqual(file.read(), b"0\n" * VALUES)


class Measured(Planned):
    """Tests a text with a size that takes long enough to compute to be worth keeping."""

    def test_sizes_are_computed_once(self):
        """Tests that a task that computes sizes keeps them."""
        store = write_zeros(self.join("s.zarr"), 6_000_000)
        with open(os.path.join(store, "a", ".zarray"), encoding="ascii") as file:
            array = json.load(file) | {"dtype": "<f8"}
        with open(os.path.join(store, "a", ".zarray"), "w", encoding="ascii") as file:
            json.dump(array, file)
        values = random.Random(1)
        chunk = struct.pack("<65536d", *(values.random() for _ in range(65536)))
        for number in range(-(-6_000_000 // 65536)):
            with open(os.path.join(store, "a", str(number)), "wb") as file:
                file.write(chunk)
        time.sleep(0.02)  # recently written files are not remembered
        self.plan(store, "--tasks", "4", "--views", "csv")
        sizes = self.path + ".sizes"
        before = tree(sizes, whole=True)
        self.assertTrue(before)
        self.task(1)
        self.assertEqual(tree(sizes, whole=True), before)
        shutil.rmtree(sizes)
        self.task(2)
        self.assertTrue(os.listdir(sizes))
        for number in (3, 4):
            self.task(number)
        self.finish()
        self.assert_is_export(store, "--views", "csv")


class Refused(Planned):
    def setUp(self):
        super().setUp()
        self.store = write_zeros(self.join("s.zarr"), 1000)
        write_zeros(self.store, 10, "g")

    def test_changed_store(self):
        self.plan(self.store, "--tasks", "2")
        self.task(1)
        time.sleep(0.02)  # a tick of the file system's clock
        with open(os.path.join(self.store, "a", "0"), "wb") as file:
            file.write(bytes(1 << 16))
        self.fails(
            12,
            "export",
            "--task",
            "2",
            self.path,
            self.target,
            mentions=["has changed since it was planned", "plan it again"],
        )
        self.fails(75, "export", "--finish", self.path, self.target)
        self.assertEqual([name for name in os.listdir(self.target) if not name.startswith(".")], [])

    def test_missing_store(self):
        self.plan(self.store, "--tasks", "2")
        shutil.rmtree(self.store)
        self.fails(11, "export", "--task", "1", self.path, self.target)

    def test_invalid_tasks(self):
        self.plan(self.store, "--tasks", "2")
        for number in ("0", "3"):
            self.fails(1, "export", "--task", number, self.path, self.target, mentions="are numbered 1 to 2")
        self.fails(1, "export", "--task", "one", self.path, self.target, mentions="not a number")
        self.fails(1, "export", "--task", self.path, self.target, mentions="no task number")
        self.fails(1, "export", "--plan", "--tasks", "0", self.store, self.path, mentions="at least one task")

    def test_invalid_plans(self):
        self.fails(11, "export", "--task", "1", self.join("no"), self.target, mentions="No such file")
        for text in ("", "x", "[]", "{}", '{"plainfs_plan": 2}', '{"plainfs_plan": 3}'):
            with open(self.path, "w", encoding="ascii") as file:
                file.write(text)
            self.fails(14, "export", "--task", "1", self.path, self.target, mentions=self.path)

    def change_plan(self, change):
        plan = self.plan(self.store, "--tasks", "1")
        change(plan)
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(plan, file)

    def test_plan_that_escapes_the_directory(self):
        for name in ("../a.csv", "/a.csv", "g/../../a.csv", "", "a//b", ".plainfs/1"):
            for kind in ("files", "links", "folders"):

                def change(plan):
                    if kind == "files":
                        plan["files"][0]["path"] = name
                    elif kind == "links":
                        plan["links"].append({"path": name, "text": "x"})
                    else:
                        plan["folders"].append(name)

                self.change_plan(change)
                for command in (["--task", "1"], ["--finish"]):
                    self.fails(14, "export", *command, self.path, self.target, mentions="not a path in a store")
        self.assertFalse(os.path.exists(self.target))

    def test_a_plan_with_a_hole(self):
        def shorter(plan):
            plan["tasks"][0]["ranges"][0][2] -= 1

        def twice(plan):
            plan["tasks"][0]["ranges"].append(plan["tasks"][0]["ranges"][0])

        def beyond(plan):
            plan["tasks"][0]["ranges"][0][2] = 2**63

        for change in (shorter, twice, beyond):
            self.change_plan(change)
            self.fails(
                14, "export", "--task", "1", self.path, self.target, mentions="do not cover each of its bytes once"
            )

    def test_a_link_in_the_way(self):
        os.mkdir(self.join("victim"))
        os.mkdir(self.target)
        os.symlink("../victim", os.path.join(self.target, "g"))
        store = self.join("nested.zarr")
        write_zeros(os.path.join(store, "g"), 10)
        with open(os.path.join(store, ".zgroup"), "w", encoding="ascii") as file:
            file.write('{"zarr_format": 2}')
        self.plan(store, "--tasks", "1")
        self.fails(16, "export", "--task", "1", self.path, self.target, mentions="symbolic link")
        self.assertEqual(os.listdir(self.join("victim")), [])
        for name in (".plainfs",):
            os.symlink(self.join("victim"), os.path.join(self.target, name))
        os.unlink(os.path.join(self.target, "g"))
        self.fails(16, "export", "--task", "1", self.path, self.target, mentions="symbolic link")
        self.assertEqual(os.listdir(self.join("victim")), [])


class Damaged(Planned):
    def test_failure_costs_only_its_file(self):
        store = self.join("s.zarr")
        write_zeros(store, 10, "good")
        write_zeros(store, 10, "bad")
        for name in ("good", "bad"):
            with open(os.path.join(store, name, "0"), "wb") as file:
                file.write(bytes(1 << 16 if name == "good" else 3))
        self.plan(store, "--tasks", "2", "--views", "npy")
        codes = [run("export", "--task", str(number), self.path, self.target).returncode for number in (1, 2)]
        self.assertEqual(sorted(codes), [0, 14])
        self.assertEqual([failed["path"] for failed in self.status()["failed"]], ["bad.npy"])
        self.fails(14, "export", "--finish", self.path, self.target, mentions="bad.npy: ")
        self.assertEqual([name for name in os.listdir(self.target) if not name.startswith(".")], ["good.npy"])


class Zarr(Planned):
    """Tests anndata.zarr/, which tasks write in whole shards."""

    PBMC = os.path.join(SAMPLES, "pbmc.h5ad")

    def setUp(self):
        super().setUp()
        self.written = os.path.join(self.target, "anndata.zarr")

    def plan_zarr(self, *options, store=PBMC):
        self.succeeds("export", "--plan", *options, store, "anndata.zarr", self.path)
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)

    def run_tasks(self, plan):
        for number in random.Random(1).sample(range(1, len(plan["tasks"]) + 1), len(plan["tasks"])):
            self.task(number)

    def assert_is_folder(self, *options, store=PBMC):
        whole = self.join("whole.zarr")
        self.succeeds("export", "--force", "--quiet", *options, store, whole)
        expected, found = tree(whole), tree(self.written)
        self.assertEqual(sorted(found), sorted(expected))
        for path, content in expected.items():
            self.assertTrue(found[path] == content, path)
        self.assertEqual(os.listdir(self.target), ["anndata.zarr"])

    def large(self):
        """Returns an AnnData in Zarr with X of 40 MB, of which one row in a thousand is not zero."""
        store = self.join("large.zarr")
        text = {"encoding-type": "string-array", "encoding-version": "0.2.0"}
        for name, attributes in (
            ("", {"encoding-type": "anndata", "encoding-version": "0.1.0"}),
            *(
                (side, {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "i", "column-order": []})
                for side in ("obs", "var")
            ),
        ):
            os.makedirs(os.path.join(store, name), exist_ok=True)
            for document, content in ((".zgroup", {"zarr_format": 2}), (".zattrs", attributes)):
                with open(os.path.join(store, name, document), "w", encoding="ascii") as file:
                    json.dump(content, file)
        for name, shape, chunks, dtype, attributes in (
            ("X", [10000, 1000], [1000, 1000], "<f4", {"encoding-type": "array", "encoding-version": "0.2.0"}),
            ("obs/i", [10000], [10000], "|S8", text),
            ("var/i", [1000], [1000], "|S8", text),
        ):
            os.makedirs(os.path.join(store, name))
            array = {
                "zarr_format": 2,
                "shape": shape,
                "chunks": chunks,
                "dtype": dtype,
                "compressor": None,
                "filters": None,
                "order": "C",
                "fill_value": 0 if name == "X" else "",
            }
            for document, content in ((".zarray", array), (".zattrs", attributes)):
                with open(os.path.join(store, name, document), "w", encoding="ascii") as file:
                    json.dump(content, file)
        for name, count in (("obs/i", 10000), ("var/i", 1000)):
            with open(os.path.join(store, name, "0"), "wb") as file:
                file.write(b"".join(b"%-8d" % i for i in range(count)).replace(b" ", b"\0"))
        for band in range(10):
            with open(os.path.join(store, "X", f"{band}.0"), "wb") as file:
                file.write(struct.pack("<1000f", *range(band, band + 1000)) + bytes(4 * 999_000))
        time.sleep(0.02)  # recently written files are not remembered
        return store

    def shards_of_x(self, plan):
        return [file["bytes"] for file in plan["files"] if file["path"].startswith("anndata.zarr/X/c/")]

    # VIEWS 14 "writes it compressed, as an export to `.zarr` does"
    def test_tasks_write_the_bytes_of_an_export(self):
        for number, options in enumerate(([], ["--zarr-format", "2"], ["--level", "0"], ["--level", "7"])):
            self.target = self.join(f"out{number}")
            self.written = os.path.join(self.target, "anndata.zarr")
            with self.subTest(options):
                plan = self.plan_zarr("--tasks", "4", *options)
                self.assertEqual([len(task["ranges"]) > 0 for task in plan["tasks"]], [True] * 4)
                self.run_tasks(plan)
                self.task(2)
                self.assertFalse(os.path.exists(os.path.join(self.written, "zarr.json")))
                self.finish("--verify")
                self.assert_is_folder(*options)
                seconds, nanoseconds = plan["files"][0]["modified"]
                for file in plan["files"]:
                    status = os.stat(os.path.join(self.target, file["path"]))
                    self.assertEqual(status.st_mtime_ns, seconds * 10**9 + nanoseconds)

    def test_version_2_without_compression_is_that_of_the_mount(self):
        self.run_tasks(self.plan_zarr("--tasks", "2", "--zarr-format", "2", "--level", "0"))
        self.finish()
        self.succeeds("export", self.PBMC, "anndata.zarr", self.join("shown") + "/")
        self.assertEqual(tree(self.target), tree(self.join("shown")))

    def test_beside_other_files(self):
        self.succeeds("export", "--plan", "--tasks", "3", self.PBMC, "obs", "anndata.zarr", self.path)
        for number in (1, 2, 3):
            self.task(number)
        self.finish()
        self.succeeds("export", self.PBMC, "obs", self.join("obs") + "/")
        shutil.move(os.path.join(self.target, "obs"), self.join("obs of tasks"))
        self.assertEqual(tree(self.join("obs of tasks")), tree(self.join("obs", "obs")))
        self.assert_is_folder()

    # VIEWS 14 "no larger than the share of a task"
    def test_shards_are_no_larger_than_the_share_of_a_task(self):
        store = self.large()
        self.assertEqual(self.shards_of_x(self.plan_zarr("--tasks", "1", store=store)), [40_000_000])
        plan = self.plan_zarr("--task-size", "20m", store=store)
        shards = self.shards_of_x(plan)
        self.assertEqual((len(shards), sum(shards)), (2, 40_000_000))
        self.assertLessEqual(max(shards), 20 << 20)
        self.run_tasks(plan)
        self.finish("--verify")
        for name, folder in (("plan", self.written), ("store", store)):
            self.succeeds("export", "--quiet", "--level", "0", folder, self.join(name + ".h5ad"))
        with open(self.join("plan.h5ad"), "rb") as found, open(self.join("store.h5ad"), "rb") as expected:
            self.assertTrue(found.read() == expected.read())

    def test_killed_task_writes_its_shards_again(self):
        store = self.large()
        plan = self.plan_zarr("--tasks", "2", store=store)
        for number in (1, 2):
            process = subprocess.Popen(
                [PROGRAM, "export", "--task", str(number), "-o", "threads=1", self.path, self.target],
                stderr=subprocess.DEVNULL,
            )
            parts = []
            while process.poll() is None and not parts:
                parts = glob.glob(os.path.join(self.written, "X", "c", "*", ".*.plainfs-part"))
            process.kill()
            process.wait()
        self.fails(75, "export", "--finish", self.path, self.target)
        self.run_tasks(plan)
        self.finish("--verify")
        self.succeeds("export", "--quiet", "--level", "0", self.written, self.join("plan.h5ad"))
        self.succeeds("export", "--quiet", "--level", "0", store, self.join("store.h5ad"))
        with open(self.join("plan.h5ad"), "rb") as found, open(self.join("store.h5ad"), "rb") as expected:
            self.assertTrue(found.read() == expected.read())
        self.assertEqual(glob.glob(os.path.join(self.target, "**", ".*plainfs*"), recursive=True), [])

    def test_a_changed_shard_is_found_and_written_again(self):
        plan = self.plan_zarr("--tasks", "2")
        self.run_tasks(plan)
        number = [file["path"] for file in plan["files"]].index("anndata.zarr/X/data/c/0")
        (part,) = glob.glob(os.path.join(self.written, "X", "data", "c", f".*-{number}.plainfs-part"))
        for change, option in ((lambda data: b"\xff" + data[1:], ["--verify"]), (lambda data: data + b"x", [])):
            with open(part, "rb") as file:
                content = file.read()
            with open(part, "wb") as file:
                file.write(change(content))
            self.fails(75, "export", "--finish", *option, self.path, self.target, mentions="anndata.zarr/X/data/c/0: ")
            (again,) = self.status()["missing"]
            self.task(again)
        self.finish("--verify")
        self.assert_is_folder()

    def test_finished_folder_is_done(self):
        plan = self.plan_zarr("--tasks", "2")
        self.run_tasks(plan)
        self.assertFalse(self.status()["finished"])
        self.finish()
        self.assertTrue(self.status()["finished"])
        before = os.stat(os.path.join(self.written, "zarr.json")).st_ino
        self.run_tasks(plan)
        self.finish()
        self.assertEqual(os.stat(os.path.join(self.written, "zarr.json")).st_ino, before)
        self.assert_is_folder()

    def test_other_level_replaces_a_finished_folder(self):
        for options in (["--level", "1"], ["--level", "9"], ["--level", "0"]):
            plan = self.plan_zarr("--tasks", "2", *options)
            self.assertEqual(self.status()["missing"], [1, 2])
            self.run_tasks(plan)
            self.finish()
            self.assert_is_folder(*options)

    def test_other_version_in_the_way_is_refused(self):
        self.run_tasks(self.plan_zarr("--tasks", "1"))
        self.finish()
        self.plan_zarr("--tasks", "1", "--zarr-format", "2")
        mentions = "anndata.zarr: has zarr.json of another version of Zarr; remove the folder first"
        self.fails(16, "export", "--task", "1", self.path, self.target, mentions=mentions)
        self.assert_is_folder()

    def test_damaged_shard_costs_the_whole_folder(self):
        store = self.large()
        with open(os.path.join(store, "X", "3.0"), "wb") as file:
            file.write(b"x")
        time.sleep(0.02)
        plan = self.plan_zarr("--tasks", "2", store=store)
        for number in (1, 2):
            run("export", "--task", str(number), self.path, self.target)
        self.assertEqual(self.status()["missing"], [])
        self.assertEqual(len(self.status()["failed"]), 1)
        self.fails(14, "export", "--finish", self.path, self.target, mentions=["left incomplete", "X/c/"])
        self.assertFalse(os.path.exists(os.path.join(self.written, "zarr.json")))
        self.assertEqual(len(plan["packed"]), 1)

    # VIEWS 14 "an archive is refused"
    def test_archive_is_refused(self):
        self.fails(
            15,
            "export",
            "--plan",
            self.PBMC,
            "anndata.zarr.zip",
            self.path,
            mentions="tasks cannot share one archive; plan anndata.zarr",
        )

    def test_options_of_zarr_need_a_folder(self):
        for options in (["--level", "3"], ["--zarr-format", "3"]):
            self.fails(1, "export", "--plan", *options, self.PBMC, "obs", self.path, mentions="none is in the plan")

    def test_plans_with_invalid_packed_folders(self):
        def outside(plan):
            plan["packed"][0]["path"] = "obs"

        def unknown(plan):
            plan["files"][0]["packed"] = 1

        def empty(plan):
            plan["packed"].append({**plan["packed"][0], "path": "other.zarr"})

        def divided(plan):
            (ranges,) = [task["ranges"] for task in plan["tasks"]]
            file, first, size = ranges[0]
            ranges[:1] = [[file, first, 1], [file, 1, size - 1]]

        def level(plan):
            plan["packed"][0]["level"] = 10

        for change, mentions in (
            (outside, "does not lie in obs"),
            (unknown, "no packed folder 1"),
            (empty, "other.zarr: a packed folder without files"),
            (divided, "several tasks share a file of a packed folder"),
            (level, "level 10"),
        ):
            plan = self.plan_zarr("--tasks", "1")
            change(plan)
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(plan, file)
            for command in (["--task", "1"], ["--finish"]):
                self.fails(14, "export", *command, self.path, self.target, mentions=mentions)


class Engines(Planned):
    """Tests that each engine passes the number of the task in its own way."""

    def test_task_number_of_every_scheduler(self):
        self.plan(MATRIX, "--tasks", "3")
        for variables, number in (
            ({"SLURM_ARRAY_TASK_ID": "2"}, 2),
            ({"PBS_ARRAY_INDEX": "3"}, 3),
            ({"PBS_ARRAYID": "1"}, 1),
            ({"SGE_TASK_ID": "2"}, 2),
            ({"LSB_JOBINDEX": "2"}, 2),
            ({"PMI_RANK": "2"}, 3),
            ({"OMPI_COMM_WORLD_RANK": "0"}, 1),
            ({"AWS_BATCH_JOB_ARRAY_INDEX": "1"}, 2),
            ({"JOB_COMPLETION_INDEX": "2"}, 3),
            ({"SGE_TASK_ID": "undefined", "LSB_JOBINDEX": "0", "PMI_RANK": "1"}, 2),
        ):
            with self.subTest(variables):
                self.succeeds("export", "--task", self.path, self.target, env={**os.environ, **variables})
                self.assertEqual(self.status()["missing"], sorted({1, 2, 3} - {number}))
                shutil.rmtree(self.target)
        self.succeeds("export", "--task", "1", self.path, self.target, env={**os.environ, "SLURM_ARRAY_TASK_ID": "2"})
        self.succeeds("export", "--task=3", self.path, self.target)
        self.assertEqual(self.status()["missing"], [2])


if __name__ == "__main__":
    unittest.main(verbosity=2)
