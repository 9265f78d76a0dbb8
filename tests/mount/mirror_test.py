"""A mirrored folder: stores are directories, everything else passes through."""
import filecmp
import json
import os
import re
import shutil
import subprocess

import mounted
from mounted import DATA, SAMPLE, Folder, Mount, run
from cases import BAD, GOOD, VIEWS, a_third, cases, refused
from check_case import check_case


# Out of the usual limit of 1,024: 256 pooled files, the open stores and current reads.
MAX_DESCRIPTORS = 512


class Mirror(Folder):
    def test_all_cases_in_one_mirror(self):
        with Mount(DATA, "-o", "views=" + VIEWS) as m:
            failures = []
            for case, store in cases(DATA, GOOD + BAD):
                if refused(case) or not os.path.exists(os.path.join(case, "expected")):
                    continue
                if os.path.isfile(store) and store.endswith((".mtx", ".csv.gz", ".parquet")):
                    continue  # a file in a mirror, too
                if os.path.basename(case) in ("hive_partitions", "spatialdata_points"):
                    continue  # a folder of parts, with its table beside it
                if case.endswith("_root_array"):
                    continue  # its .attrs.json differs between a mount and a mirror, in the fixtures too
                passed, problems = check_case(case, m.join(os.path.relpath(store, DATA)), reads=2)
                if problems or not passed:
                    failures.append(f"{case}: {problems}")
            self.assertFalse(failures, "\n".join(failures))
            self.assertLess(len(os.listdir(f"/proc/{m.pid}/fd")), MAX_DESCRIPTORS)

    def test_tools_over_all_cases(self):
        """Tests that tools meet the errors planted there, and no others."""
        same = ("bpcells/mat_packed_uint_col/store/matrix.mtx", "takane/all_types/store/data_frame.csv")
        suites = [*GOOD, *BAD]
        paths = sorted(
            {os.path.relpath(case, DATA) for case, _ in a_third(cases(DATA, suites), 2)}
            .union(os.path.dirname(os.path.dirname(path)) for path in same)
            .union(
                name
                for name in os.listdir(DATA)
                if name not in suites and name != "bad" and os.path.isdir(os.path.join(DATA, name))
            )
        )
        damaged = ("bad/", "_bad/", "/damaged")
        # A mirror takes these folders of plain files for takane objects without the required files.
        look_damaged = re.compile(r"takane(-objects)?/[^/]*/expected/")
        # A truth value is missing there, which MatrixMarket cannot represent.
        damaged += ("tool-files/rds/lgC.v3.rds/matrix.mtx", "tool-files/rds/lgR.v3.rds/matrix.mtx")
        for folder, _, files in os.walk(DATA):
            if "errors.txt" in files:
                damaged += (os.path.relpath(folder, DATA) + "/",)
        with Mount(DATA, "-o", "views=" + VIEWS) as m:
            copy, synced = os.path.join(self.folder, "copy"), os.path.join(self.folder, "synced")
            os.mkdir(copy)
            for command in (
                ["ls", "-lR"],
                ["find", *paths, "-size", "+0"],
                ["grep", "-r", "-l", "MatrixMarket"],
                ["tar", "-cf", os.path.join(self.folder, "a.tar")],
                ["cp", "-a", "--parents", "-t", copy],
                ["rsync", "-aR"],
            ):
                words = {"find": command, "rsync": [*command, *paths, synced]}.get(command[0], command + paths)
                result = subprocess.run(
                    words, cwd=m.path, capture_output=True, timeout=300, env={**os.environ, "LC_ALL": "C"}
                )
                lines = result.stderr.decode(errors="surrogateescape").splitlines()
                self.assertGreater(len(lines), 0, command)
                for line in lines:
                    if line.startswith(("tar: Removing leading", "tar: Exiting", "rsync error:")):
                        continue
                    self.assertRegex(
                        line,
                        "Input/output error|Operation not supported|failed verification|skipping file deletion",
                        command,
                    )
                    is_planted = any(part in line for part in damaged) or look_damaged.search(line)
                    self.assertTrue(is_planted or "IO error" in line, f"{command}: {line}")
                self.assertLess(len(os.listdir(f"/proc/{m.pid}/fd")), MAX_DESCRIPTORS)
            for path in same:
                for target in (copy, synced):
                    self.assertTrue(filecmp.cmp(m.join(path), os.path.join(target, path), shallow=False))
            # Every line of the log names its store.
            for line in run("cat", m.join(".plainfs", "log")).stdout.decode(errors="surrogateescape").splitlines():
                message = line.split(": ", 1)[1]
                if message.startswith((f"mounted {DATA} ", "not completely confined")):
                    continue
                self.assertTrue(message.startswith((DATA + "/", *("/" + name for name in os.listdir(DATA)))), line)

    def test_numpy_maps_arrays_of_stores(self):
        import numpy

        with Mount(DATA) as m:
            store = os.path.relpath(SAMPLE, DATA)
            mapped = numpy.load(m.join(store, "val.npy"), mmap_mode="r")
            self.assertEqual(mapped.tolist(), [int(line) for line in m.read(store, "val.csv").split()])
            del mapped

    def test_other_files_are_the_same(self):
        with open(os.path.join(self.folder, "notes.txt"), "w") as file:
            file.write("notes\n" * 100000)
        os.mkdir(os.path.join(self.folder, "sub"))
        with open(os.path.join(self.folder, "sub", "empty"), "w"):
            pass
        with Mount(self.folder) as m:
            for name in ("notes.txt", "sub/empty"):
                original = os.path.join(self.folder, name)
                self.assertTrue(filecmp.cmp(original, m.join(name), shallow=False))
                self.assertEqual(os.stat(original).st_mtime, os.stat(m.join(name)).st_mtime)

    def test_unopenable_store_passes_through(self):
        unopenable = os.path.join(DATA, "hdf5", "unopenable")
        with Mount(unopenable) as m:
            for name in os.listdir(unopenable):
                self.assertTrue(filecmp.cmp(os.path.join(unopenable, name), m.join(name), shallow=False), name)
            self.assertIn("truncated.h5", run("cat", m.join(".plainfs", "log")).stdout.decode())

    def test_listing_thousands_of_stores_opens_no_store(self):
        for i in range(1500):
            os.symlink(SAMPLE, os.path.join(self.folder, f"s{i}"))
        with Mount(self.folder, "-o", "follow_outside") as m:
            self.assertEqual(len(os.listdir(m.path)), 1500)
            before = json.loads(m.read(".plainfs", "stats.json"))
            self.assertLess(before["source_bytes_read"], 1500 * 64)  # enough to recognise a store
            self.assertEqual(before["chunks_decoded"], 0)
            self.assertLess(len(os.listdir(f"/proc/{m.pid}/fd")), 64)

    def test_a_mountpoint_inside_the_folder_is_left_out(self):
        shutil.copytree(SAMPLE, os.path.join(self.folder, "store"))
        point = self.empty("m")
        result = run(mounted.PROGRAM, self.folder, point)
        self.addCleanup(mounted.unmount, point)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(os.listdir(point), ["store"])
        self.assertEqual(run("find", point, "-name", "matrix.mtx").stdout.decode(), f"{point}/store/matrix.mtx\n")

    def test_links_between_stores_work(self):
        with Mount(os.path.join(DATA, "hdf5", "links")) as m:
            with open(m.join("store.h5", "ext.csv"), "rb") as file:
                self.assertEqual(file.read(), m.read("other.h5", "x", "y.csv"))


if __name__ == "__main__":
    mounted.main()
