"""A store that changes on disk while it is mounted: EIO with one line in the log, never old and new together."""
import errno
import json
import os
import shutil
import signal
import struct
import zipfile

import mounted
from mounted import DATA, SAMPLE, Folder, Mount, run

VALUES, CHUNK = 1000, 100


def zarr_files(value):
    """Two arrays of int32 that hold value everywhere, one chunk after another."""
    files = {".zgroup": b'{"zarr_format":2}'}
    for name in ("a", "b"):
        files[name + "/.zarray"] = json.dumps({
            "zarr_format": 2, "shape": [VALUES], "chunks": [CHUNK], "dtype": "<i4", "compressor": None, "filters": None,
            "order": "C", "fill_value": 0}).encode()
        for chunk in range(VALUES // CHUNK):
            files[f"{name}/{chunk}"] = struct.pack("<i", value) * CHUNK
    return files


def write_zarr(path, value):
    for name, content in zarr_files(value).items():
        os.makedirs(os.path.dirname(os.path.join(path, name)), exist_ok=True)
        with open(os.path.join(path, name), "wb") as file:
            file.write(content)


def write_zip(path, value):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in zarr_files(value).items():
            archive.writestr(name, content)


def golden(case, name):
    """Writes a golden store; value 1 is one store, 2 another with the same members."""
    def write(path, value):
        source = os.path.join(DATA, "bpcells", case[value - 1], name)
        shutil.copytree(source, path) if os.path.isdir(source) else shutil.copy(source, path)
    return write


# Kind: how to write it, its name, and two of its files.
KINDS = {
    "BPCells": (golden(("mat_packed_uint_col", "mat_packed_double_col"), "store"), "s", "genes.tsv", "val.npy"),
    "HDF5": (golden(("mat_h5_root", "mat_h5_groups"), "store.h5"), "s.h5", "genes.tsv", "val.npy"),
    "Zarr": (write_zarr, "s.zarr", "a.csv", "b.npy"),
    "zip": (write_zip, "s.zip", "a.csv", "b.npy"),
}


class Changes(Folder):
    def fails_with_eio(self, action):
        with self.assertRaises(OSError) as caught:
            action()
        self.assertEqual(caught.exception.errno, errno.EIO)

    def log_of(self, mount):
        return run("cat", mount.join(".plainfs", "log")).stdout.decode()

    def reopened(self, mount):
        os.kill(mount.pid, signal.SIGUSR1)
        self.assertTrue(mounted.wait_until(lambda: "the store was reopened" in self.log_of(mount)), self.log_of(mount))

    def each_kind(self):
        for kind, (write, name, first, second) in KINDS.items():
            with self.subTest(kind):
                folder = self.empty(kind)
                store = os.path.join(folder, name)
                write(store, 1)
                with Mount(store) as m:
                    want = m.read(second)
                with Mount(store) as m:
                    m.read(first)
                    held = os.open(m.join(second), os.O_RDONLY)
                    try:
                        yield m, store, (write, first, second), lambda: self.held_is_old(held, want)
                    finally:
                        os.close(held)

    def held_is_old(self, held, want):
        """What was opened before the change fails or gives the old bytes."""
        try:
            self.assertEqual(os.pread(held, 1 << 20, 0), want)
        except OSError as error:
            self.assertEqual(error.errno, errno.EIO)

    def fails_as_changed(self, m, first, second, check_held):
        for _ in range(2):
            self.fails_with_eio(lambda: m.read(second))
            self.fails_with_eio(lambda: m.read(first))
        changed = [line for line in self.log_of(m).splitlines() if "has changed since it was mounted" in line]
        self.assertEqual(len(changed), 1, self.log_of(m))
        check_held()
        self.assertEqual(sorted(os.listdir(m.join(".plainfs"))), ["info.json", "log", "stats.json"])

    def shows_what_a_new_mount_shows(self, m, store):
        with Mount(store) as new:
            self.assertEqual(os.listdir(m.path), os.listdir(new.path))
            for name in os.listdir(new.path):
                if os.path.isfile(new.join(name)):
                    self.assertEqual(m.read(name), new.read(name), name)

    def test_a_store_that_is_replaced(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            write(store + ".new", 2)
            os.rename(store, store + ".old")
            os.rename(store + ".new", store)
            self.fails_as_changed(m, first, second, check_held)
            self.reopened(m)
            self.shows_what_a_new_mount_shows(m, store)

    def test_a_store_that_is_removed(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            shutil.rmtree(store) if os.path.isdir(store) else os.unlink(store)
            self.fails_as_changed(m, first, second, check_held)
            os.kill(m.pid, signal.SIGUSR1)
            self.assertTrue(mounted.wait_until(lambda: "cannot be reopened" in self.log_of(m)))
            # Nothing is shown by what is known of the old store, also where another one comes to its place.
            for _ in range(2):
                self.fails_with_eio(lambda: m.read(second))
                check_held()
                if not os.path.exists(store):
                    write(store, 2)
            self.reopened(m)
            self.shows_what_a_new_mount_shows(m, store)

    def test_a_store_of_one_file_that_is_cut_off(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            if os.path.isdir(store):
                continue
            os.truncate(store, os.path.getsize(store) // 2)
            self.fails_as_changed(m, first, second, check_held)

    def test_a_store_of_one_file_that_is_rewritten_in_place(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            if os.path.isdir(store):
                continue
            write(store + ".new", 2)
            with open(store + ".new", "rb") as new, open(store, "r+b") as file:
                file.truncate()
                file.write(new.read())
            self.fails_as_changed(m, first, second, check_held)
            self.reopened(m)
            self.shows_what_a_new_mount_shows(m, store)

    def test_a_file_of_a_directory_that_changes(self):
        """The part that needs the file fails, the rest stays readable."""
        def cut(path):
            os.truncate(path, os.path.getsize(path) - 4)

        def rewrite(path):
            with open(path, "r+b") as file:
                file.write(b"\7" * os.path.getsize(path))

        def replace(path):
            shutil.copy(path, path + ".new")
            rewrite(path + ".new")
            os.rename(path + ".new", path)

        for change in (cut, rewrite, replace, os.unlink):
            for name, part in (("BPCells", "val_data"), ("Zarr", "b/3")):
                with self.subTest(f"{name}, {change.__name__}"):
                    write, store, first, second = KINDS[name]
                    store = os.path.join(self.empty(f"{name}-{change.__name__}"), store)
                    write(store, 1)
                    with Mount(store) as m:
                        want = m.read(first)
                        os.stat(m.join(second))
                        change(os.path.join(store, part))
                        self.fails_with_eio(lambda: m.read(second))
                        self.fails_with_eio(lambda: m.read(second.replace(".npy", ".csv")))
                        self.assertEqual(m.read(first), want)
                        changed = [line for line in self.log_of(m).splitlines() if "has changed since it was mounted" in line]
                        self.assertEqual(len(changed), 1, self.log_of(m))

    def test_a_file_that_a_mirror_passes_through(self):
        path = os.path.join(self.folder, "notes.txt")
        with open(path, "w") as file:
            file.write("old\n")
        with Mount(self.folder) as m:
            self.assertEqual(m.read("notes.txt"), b"old\n")
            with open(path, "w") as file:
                file.write("something new\n")
            held = os.open(m.join("notes.txt"), os.O_RDONLY)
            self.held_is_old(held, b"old\n")
            os.close(held)
            self.reopened(m)
            self.assertEqual(m.read("notes.txt"), b"something new\n")

    def test_reopening_shows_new_content_under_old_names(self):
        store = self.copy_of(SAMPLE)
        other = os.path.join(DATA, "bpcells", "mat_packed_double_col", "store")
        with Mount(store) as m, Mount(other) as wanted:
            old = os.stat(m.join("matrix.mtx")).st_size
            shutil.rmtree(store)
            shutil.copytree(other, store)
            self.reopened(m)
            self.assertEqual(m.read("matrix.mtx"), wanted.read("matrix.mtx"))
            self.assertNotEqual(os.stat(m.join("matrix.mtx")).st_size, old)
            self.assertEqual(os.getxattr(m.path, "user.version"), os.getxattr(wanted.path, "user.version"))


if __name__ == "__main__":
    mounted.main()
