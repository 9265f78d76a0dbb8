"""A store that changes on disk while mounted: EIO with one line in the log, never a mix of old and new."""
import contextlib
import errno
import json
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import zipfile

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, run
from optional import needs

VALUES, CHUNK = 1000, 100


def zarr_files(value):
    """Returns two arrays of int32 filled with `value`, chunk by chunk."""
    files = {".zgroup": b'{"zarr_format":2}'}
    for name in ("a", "b"):
        files[name + "/.zarray"] = json.dumps(
            {
                "zarr_format": 2,
                "shape": [VALUES],
                "chunks": [CHUNK],
                "dtype": "<i4",
                "compressor": None,
                "filters": None,
                "order": "C",
                "fill_value": 0,
            }
        ).encode()
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
    """Writes a golden store: value 1 is one store, 2 another with the same members."""

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
                folder = tempfile.mkdtemp(dir=self.folder)
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
                        self.close(held)

    def close(self, held):
        """Closes a file. Even that fails for a file that is absent after the store was reopened."""
        with contextlib.suppress(OSError):
            os.close(held)

    def held_is_old(self, held, want):
        """Checks that a file opened before the change fails or gives the old bytes."""
        try:
            self.assertEqual(os.pread(held, 1 << 20, 0), want)
        except OSError as error:
            self.assertIn(error.errno, (errno.EIO, errno.ENOENT))  # the latter if the new store lacks that file

    def fails_as_changed(self, m, first, second, check_held):
        for _ in range(2):
            self.fails_with_eio(lambda: m.read(second))
            self.fails_with_eio(lambda: m.read(first))
        changed = [line for line in self.log_of(m).splitlines() if "has changed since it was mounted" in line]
        self.assertEqual(len(changed), 1, self.log_of(m))
        check_held()
        self.assertEqual(sorted(os.listdir(m.join(".plainfs"))), ["README.txt", "info.json", "log", "stats.json"])

    def shows_what_a_new_mount_shows(self, m, store):
        with Mount(store) as new:
            self.assertEqual(os.listdir(m.path), os.listdir(new.path))
            for name in os.listdir(new.path):
                if os.path.isfile(new.join(name)):
                    self.assertEqual(m.read(name), new.read(name), name)

    def test_replaced_store(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            write(store + ".new", 2)
            os.rename(store, store + ".old")
            os.rename(store + ".new", store)
            self.fails_as_changed(m, first, second, check_held)
            self.reopened(m)
            self.shows_what_a_new_mount_shows(m, store)

    def test_removed_store(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            shutil.rmtree(store) if os.path.isdir(store) else os.unlink(store)
            self.fails_as_changed(m, first, second, check_held)
            os.kill(m.pid, signal.SIGUSR1)
            self.assertTrue(mounted.wait_until(lambda: "cannot be reopened" in self.log_of(m)))
            # Nothing is shown from the old store, even if another one replaces it.
            for _ in range(2):
                self.fails_with_eio(lambda: m.read(second))
                check_held()
                if not os.path.exists(store):
                    write(store, 2)
            self.reopened(m)
            self.shows_what_a_new_mount_shows(m, store)

    def test_truncated_single_file_store(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            if os.path.isdir(store):
                continue
            os.truncate(store, os.path.getsize(store) // 2)
            self.fails_as_changed(m, first, second, check_held)

    def test_single_file_store_rewritten_in_place(self):
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

    def test_changed_file_of_a_directory_store(self):
        """Tests that the part that needs the file fails and the rest stays readable."""

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
                        changed = [
                            line for line in self.log_of(m).splitlines() if "has changed since it was mounted" in line
                        ]
                        self.assertEqual(len(changed), 1, self.log_of(m))

    def test_changed_file_of_a_mirror(self):
        path = os.path.join(self.folder, "notes.txt")
        with open(path, "w") as file:
            file.write("old\n")
        with Mount(self.folder) as m:
            self.assertEqual(m.read("notes.txt"), b"old\n")
            with open(path, "w") as file:
                file.write("something new\n")
            held = os.open(m.join("notes.txt"), os.O_RDONLY)
            self.held_is_old(held, b"old\n")
            self.close(held)
            self.reopened(m)
            self.assertEqual(m.read("notes.txt"), b"something new\n")

    def test_message_names_the_remedy(self):
        store = self.copy_of(os.path.join(DATA, "bpcells", "mat_h5_root", "store.h5"))
        with Mount(store) as m:
            os.utime(store)
            self.fails_with_eio(lambda: m.read("genes.tsv"))
            self.assertIn(
                f"{store}: has changed since it was mounted; "
                f"to reopen it: plainfs reload {m.path}, or kill -USR1 {m.pid}\n",
                self.log_of(m),
            )

    def test_reload_returns_once_the_store_is_reopened(self):
        for m, store, (write, first, second), check_held in self.each_kind():
            write(store + ".new", 2)
            os.rename(store, store + ".old")
            os.rename(store + ".new", store)
            result = run(PROGRAM, "reload", m.path)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", b""))
            self.shows_what_a_new_mount_shows(m, store)
            check_held()

    def test_reload_of_a_missing_path_or_no_mount(self):
        store = self.copy_of(SAMPLE, "s")
        with Mount(store) as m:
            shutil.rmtree(store)
            result = run(PROGRAM, "reload", m.path)
            self.assertEqual(result.returncode, 12)
            self.assertIn(f"plainfs: {m.path}: the store cannot be reopened: {store}", result.stderr.decode())
        for path in (self.folder, "/no/such"):
            result = run(PROGRAM, "reload", path)
            self.assertEqual(
                (result.returncode, result.stderr.decode()), (11, f"plainfs: {path}: not a mount of plainfs\n")
            )

    def test_reload_signals_no_other_process(self):
        other = subprocess.Popen(["sleep", "100"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        os.mkdir(os.path.join(self.folder, ".plainfs"))
        for name, content in (("info.json", {"pid": other.pid}), ("stats.json", {"reopened": 0, "not_reopened": 0})):
            with open(os.path.join(self.folder, ".plainfs", name), "w") as file:
                json.dump(content, file)
        self.assertEqual(run(PROGRAM, "reload", self.folder).returncode, 11)
        self.assertIsNone(other.poll())

    def test_changed_store_reopens_automatically(self):
        for kind, (write, name, first, second) in KINDS.items():
            with self.subTest(kind):
                store = os.path.join(self.empty(kind), name)
                write(store, 1)
                with Mount(store, "-o", "on_change=reopen") as m:
                    old = m.read(second)
                    held = os.open(m.join(second), os.O_RDONLY)
                    self.addCleanup(self.close, held)
                    write(store + ".new", 2)
                    os.rename(store, store + ".old")
                    os.rename(store + ".new", store)
                    self.shows_what_a_new_mount_shows(m, store)
                    self.held_is_old(held, old)

    def test_store_changed_before_its_first_use(self):
        store = self.copy_of(os.path.join(DATA, "h5seurat", "everything", "store.h5seurat"))
        with Mount(store, "-o", "on_change=reopen") as m:
            os.utime(store)
            self.assertTrue(os.listdir(m.join("assays")))
            os.utime(store)
            self.assertTrue(m.read("meta.data.csv"))

    def test_changed_file_is_updated_after_its_first_error(self):
        store = os.path.join(self.folder, "s.zarr")
        write_zarr(store, 1)
        with Mount(store, "-o", "on_change=reopen") as m:
            self.assertEqual(m.read("a.csv"), b"1\n" * VALUES)  # the data already read may still come from memory
            os.stat(m.join("b.npy"))
            write_zarr(store, 2)
            found = []
            for _ in range(3):
                try:
                    found.append(m.read("b.csv"))
                except OSError as error:
                    self.assertEqual(error.errno, errno.EIO)
            self.assertEqual(found[-1], b"2\n" * VALUES)
            self.assertTrue(set(found) <= {b"1\n" * VALUES, b"2\n" * VALUES})

    def test_restored_store_reappears(self):
        store = os.path.join(self.folder, "s.zip")
        write_zip(store, 1)
        with Mount(store, "-o", "on_change=reopen") as m:
            self.assertEqual(m.read("a.csv"), b"1\n" * VALUES)
            os.unlink(store)
            for name in ("a.csv", "b.npy", "none.csv", "a"):
                self.fails_with_eio(lambda name=name: m.read(name))
                self.fails_with_eio(lambda name=name: os.stat(m.join(name)))
            self.fails_with_eio(lambda: os.listdir(m.path))
            write_zip(store, 2)
            self.assertEqual(m.read("a.csv"), b"2\n" * VALUES)

    def test_mirrored_folder_follows_additions_and_removals(self):
        """VIEWS 9 "A mirrored folder then shows"."""

        def shown(m):
            return [name for name in sorted(os.listdir(m.path)) if not name.endswith(".new")]

        first, second = os.path.join(self.folder, "s.zip"), os.path.join(self.folder, "t.zip")
        write_zip(first, 1)
        with Mount(self.folder, "-o", "on_change=reopen") as m:
            self.assertEqual(m.read("s.zip", "a.csv"), b"1\n" * VALUES)
            write_zip(second, 2)
            self.assertEqual(m.read("t.zip", "a.csv"), b"2\n" * VALUES)  # before it is listed
            self.assertEqual(shown(m), ["s.zip", "t.zip"])
            os.unlink(first)
            with self.assertRaises(OSError):
                m.read("s.zip", "b.npy")
            self.assertEqual(shown(m), ["t.zip"])
            write_zip(first, 2)
            self.assertEqual(m.read("s.zip", "a.csv"), b"2\n" * VALUES)
            self.assertEqual(shown(m), ["s.zip", "t.zip"])

    def test_store_completed_after_a_listing_opens(self):
        store, whole = os.path.join(self.folder, "s.zarr.zip"), os.path.join(self.empty("other"), "s.zarr.zip")
        write_zip(whole, 1)
        with open(whole, "rb") as file:
            content = file.read()
        os.mkdir(os.path.join(self.folder, "mirror"))
        store = os.path.join(self.folder, "mirror", "s.zarr.zip")
        with open(store, "wb") as file:
            file.write(content[: len(content) // 2])
        with Mount(os.path.dirname(store), "-o", "on_change=reopen") as m:
            self.assertEqual(os.listdir(m.path), ["s.zarr.zip"])
            self.assertTrue(os.path.isfile(m.join("s.zarr.zip")))
            with open(store, "wb") as file:
                file.write(content)
            self.assertEqual(os.listdir(m.path), ["s.zarr.zip"])
            self.assertEqual(m.read("s.zarr.zip", "a.csv"), b"1\n" * VALUES)

    def state_of(self, m):
        rows = json.loads(run(PROGRAM, "ps", "--json").stdout)
        return next(row["state"] for row in rows if row["mountpoint"] == m.path)

    def files_of(self, store):
        if not os.path.isdir(store):
            return [store]
        return [os.path.join(folder, name) for folder, _, names in os.walk(store) for name in names] + [store]

    def test_a_change_of_metadata_changes_nothing(self):
        """VIEWS 9 "A change of its mode"."""

        def only_access_time(path):
            os.utime(path, ns=(1, os.stat(path).st_mtime_ns))

        def link(path):
            if os.path.isfile(path):
                os.link(path, os.path.join(self.folder, "link"))
                os.unlink(os.path.join(self.folder, "link"))

        def attribute(path):
            with contextlib.suppress(OSError):  # unavailable on some file systems
                os.setxattr(path, "user.note", b"x")

        def touch(path):
            subprocess.run(["touch", "-a", path], check=True)  # opens a file for writing

        changes = (
            lambda path: os.chmod(path, 0o750),
            lambda path: os.chown(path, os.getuid(), os.getgid()),
            link,
            attribute,
            only_access_time,
            touch,
        )
        for m, store, (write, first, second), _ in self.each_kind():
            want = m.read(first)
            for change in changes:
                for path in self.files_of(store):
                    change(path)
                self.assertEqual(m.read(first), want)
                self.assertTrue(os.listdir(m.path))
            self.assertTrue(m.read(second))
            self.assertEqual(self.state_of(m), "ready")
            os.rename(store, store + ".moved")
            self.assertEqual(m.read(first), want)
            self.assertTrue(m.read(second.replace(".npy", ".csv")))
            self.assertEqual(self.state_of(m), "ready")
            self.assertNotIn("has changed", self.log_of(m))

    def test_any_sequence_of_changes_of_metadata_changes_nothing(self):
        """VIEWS 9 "A change of its mode"."""
        chance = random.Random(69)
        for _ in range(4 * os.cpu_count()):  # the reports are late
            self.addCleanup(subprocess.Popen.wait, busy := subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            self.addCleanup(busy.kill)

        def touch(path):
            subprocess.run(["touch", "-a", path], check=True)  # opens a file for writing

        def link(path):
            if os.path.isfile(path):
                os.link(path, path + ".link")
                os.unlink(path + ".link")

        def attribute(path):
            with contextlib.suppress(OSError):  # unavailable on some file systems
                os.setxattr(path, "user.note", b"%d" % chance.randrange(100))

        def access(path):
            status = os.stat(path)
            os.utime(path, ns=(status.st_mtime_ns - chance.randrange(10**9), status.st_mtime_ns))

        changes = {
            "chmod": lambda path: os.chmod(path, chance.choice((0o640, 0o644, 0o750))),
            "chown": lambda path: os.chown(path, os.getuid(), os.getgid()),
            "link": link,
            "setfattr": attribute,
            "utime": access,
            "touch": touch,
            "mv": None,
        }
        mistaken = []  # sequences between two steps of which the daemon did not run
        for m, store, (write, first, second), _ in self.each_kind():
            wanted, place = m.read(first), store
            for _ in range(60):
                done = []
                for _ in range(chance.randrange(1, 7)):
                    done.append(chance.choice(("touch", *changes)))
                    if done[-1] == "utime" and "touch" in done:
                        continue  # an earlier access time hides the touch
                    if done[-1] == "mv":
                        former, place = place, store + chance.choice(("", ".moved", ".other"))
                        os.rename(former, place)
                    else:
                        changes[done[-1]](chance.choice(self.files_of(place)))
                try:
                    self.assertEqual(m.read(first), wanted, done)
                    self.assertEqual(self.state_of(m), "ready", done)
                except OSError:
                    mistaken.append(done)
                    os.rename(place, store)
                    place = store
                    self.assertEqual(run(PROGRAM, "reload", m.path).returncode, 0)
            self.assertTrue(m.read(second))
            if not mistaken:
                self.assertNotIn("has changed", self.log_of(m))
        self.assertLessEqual(len(mistaken), 3, mistaken)

    def test_hidden_write_through_a_mapping_is_a_change(self):
        """VIEWS 9 "even if its writer"."""
        for then in (lambda path: None, lambda path: os.chmod(path, 0o640)):
            store = os.path.join(self.folder, "s.zip")
            write_zip(store, 1)
            os.chmod(store, 0o644)
            with Mount(store) as m:
                self.assertTrue(m.read("a.csv"))
                status = os.stat(store)
                with open(store, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
                    mapped[-1] ^= 1
                os.utime(store, ns=(status.st_atime_ns, status.st_mtime_ns))
                then(store)
                with self.assertRaises(OSError):
                    m.read("b.csv")
            os.unlink(store)

    def test_write_with_a_restored_mtime_is_a_change(self):
        """VIEWS 9 "even if its writer"."""

        def write_in_secret(path):
            status = os.stat(path)
            with open(path, "r+b") as file:
                file.seek(-1, os.SEEK_END)
                file.write(b"?")
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

        for change in (write_in_secret, lambda path: (write_in_secret(path), os.chmod(path, 0o640))):
            for m, store, (write, first, second), check_held in self.each_kind():
                if os.path.isdir(store):
                    continue
                change(store)
                self.fails_as_changed(m, first, second, check_held)
                self.assertEqual(self.state_of(m), "changed")

    def test_an_index_outlives_a_change_of_metadata(self):
        store = os.path.join(self.folder, "s.zip")
        write_zip(store, 1)
        index = ["-o", "index=" + os.path.join(self.folder, "index")]
        time.sleep(0.1)
        self.assertEqual(run(PROGRAM, "index", *index, store).returncode, 0)
        os.chmod(store, 0o640)
        with Mount(store, *index) as m:
            os.stat(m.join("a.csv"))
            self.assertEqual(json.loads(m.read(".plainfs", "stats.json"))["text_blocks_measured"], 0)

    def test_readers_see_either_store_during_a_replacement(self):
        store = os.path.join(self.folder, "s.zip")
        write_zip(store, 1)
        wanted = {f"{value}\n".encode() * VALUES for value in (1, 2)}
        with Mount(store, "-o", "on_change=reopen") as m:
            seen, wrong, is_over = set(), [], threading.Event()

            def read():
                while not is_over.is_set():
                    try:
                        text = m.read("a.csv")
                        seen.add(text)
                        if text not in wanted:
                            wrong.append(text[:40])
                    except OSError as error:
                        # Replaced again while it was opened: the kernel looks up a path again only once.
                        if error.errno not in (errno.EIO, errno.ESTALE):
                            wrong.append(error)

            readers = [threading.Thread(target=read) for _ in range(4)]
            for reader in readers:
                reader.start()
            for round in range(20):
                write_zip(store + ".new", 1 + round % 2)
                os.rename(store + ".new", store)
                time.sleep(0.05)
            is_over.set()
            for reader in readers:
                reader.join()
            self.assertEqual(wrong, [])
            self.assertEqual(m.read("a.csv"), b"2\n" * VALUES)
            self.assertEqual(seen, wanted)

    @needs("squashfuse", "mksquashfs")
    def test_lost_storage_is_named(self):
        stores = self.empty("stores")
        for case, name, copy in (("mat_h5_root", "store.h5", "s.h5"), ("mat_packed_uint_col", "store", "s")):
            self.copy_of(os.path.join(DATA, "bpcells", case, name), os.path.join("stores", copy))
        image, storage = os.path.join(self.folder, "image"), self.empty("storage")
        self.assertEqual(run("mksquashfs", stores, image, "-quiet").returncode, 0)
        self.addCleanup(run, "umount", "-l", storage)
        for name in ("s.h5", "s"):
            server = subprocess.Popen(
                ["squashfuse", "-f", "-o", "attr_timeout=0,entry_timeout=0", image, storage], stderr=subprocess.DEVNULL
            )
            self.assertTrue(mounted.wait_until(lambda: mounted.is_mounted(storage)))
            with Mount(os.path.join(storage, name)) as m:
                self.assertTrue(m.read("genes.tsv"))
                server.kill()
                server.wait()
                self.fails_with_eio(lambda: m.read("val.npy"))
                self.assertIn("Transport endpoint is not connected: the storage of this file fails", self.log_of(m))
                self.assertNotIn("has changed", self.log_of(m))
            run("umount", "-l", storage)

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
