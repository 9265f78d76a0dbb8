"""A mirrored folder: stores are directories, everything else passes through."""
import filecmp
import os
import shutil
import sys

import mounted
from mounted import DATA, SAMPLE, Folder, Mount, run
from cases_test import CHECK, FORMATS, must_not_mount, store_of


class Mirror(Folder):
    def test_every_case_at_once(self):
        with Mount(DATA) as m:
            failures = []
            for format_name in FORMATS:
                folder = os.path.join(DATA, *format_name.split("/"))
                for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
                    case = os.path.join(folder, name)
                    store = store_of(case)
                    if store is None or must_not_mount(case) or not os.path.exists(os.path.join(case, "expected")):
                        continue
                    if name.endswith("_root_array"):
                        continue  # its .attrs.json differs between a mount and a mirror, in the fixtures too
                    shown = m.join(os.path.relpath(store, DATA))
                    result = run(sys.executable, CHECK, "--reads", "2", case, shown)
                    if result.returncode != 0:
                        failures.append(f"{case}: {result.stdout.decode()[-400:]}")
            self.assertFalse(failures, "\n".join(failures))
            self.assertLess(len(os.listdir(f"/proc/{m.pid}/fd")), 400)

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

    def test_a_store_that_does_not_open_passes_through(self):
        unopenable = os.path.join(DATA, "hdf5", "unopenable")
        with Mount(unopenable) as m:
            for name in os.listdir(unopenable):
                self.assertTrue(filecmp.cmp(os.path.join(unopenable, name), m.join(name), shallow=False), name)
            self.assertIn("truncated.h5", run("cat", m.join(".plainfs", "log")).stdout.decode())

    def test_listing_thousands_of_stores_opens_none(self):
        for i in range(1500):
            os.symlink(SAMPLE, os.path.join(self.folder, f"s{i}"))
        with Mount(self.folder) as m:
            self.assertEqual(len(os.listdir(m.path)), 1500)
            before = m.read(".plainfs", "stats.json")
            self.assertIn(b'"source_bytes_read":0', before)
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
