"""The measurements of one mount are known to the next, and never make it show anything else."""
import errno
import gzip
import json
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import h5py
import numpy

import sizes_file
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, daemon_of, in_own_namespace, main, run, wait_until

SEURAT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5seurat")

FRAGMENTS = os.path.join(os.path.dirname(SEURAT), "frags")


def sizes(mount):
    """Returns path -> size of every file."""
    return {
        os.path.relpath(os.path.join(at, name), mount.path): os.lstat(os.path.join(at, name)).st_size
        for at, _, names in os.walk(mount.path)
        for name in names
    }


def work(mount):
    """Returns the work done for all requests so far."""
    stats = json.loads(mount.read(".plainfs", "stats.json"))
    return {name: stats[name] for name in ("chunks_decoded", "text_blocks_measured")}


def write_doubles(store, chunks):
    """Writes a Zarr array of many numbers that take long to measure: one chunk of 8 MB under many names."""
    array = {
        "zarr_format": 2,
        "shape": [chunks * 10**6],
        "chunks": [10**6],
        "dtype": "<f8",
        "compressor": None,
        "fill_value": 0,
        "order": "C",
        "filters": None,
    }
    os.makedirs(os.path.join(store, "a"))
    for name, content in ((".zgroup", {"zarr_format": 2}), ("a/.zarray", array)):
        with open(os.path.join(store, name), "w", encoding="ascii") as file:
            json.dump(content, file)
    first = os.path.join(store, "a", "0")
    numpy.random.default_rng(0).random(10**6).tofile(first)
    for chunk in range(1, chunks):
        os.link(first, os.path.join(store, "a", str(chunk)))


def busy_seconds(pid):
    """Returns the time of processors that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


NOTHING = {"chunks_decoded": 0, "text_blocks_measured": 0}


class Index(Folder):
    def setUp(self):
        super().setUp()
        self.index = os.path.join(self.folder, "index")
        self.store = os.path.join(self.folder, "store.h5")
        self.write(1)

    def write(self, seed):
        """Writes a store with sizes that take a while to compute: texts of some megabytes from compressed chunks."""
        numbers = numpy.random.default_rng(seed)
        with h5py.File(self.store, "w") as file:
            file.create_dataset("values", data=numbers.random((8000, 100)), chunks=(100, 100), compression="gzip")
            file.create_dataset("names", data=[f"n{number}" for number in numbers.integers(0, 10**6, 20000)])
            file.create_dataset("g/whole", data=numbers.integers(0, 10**6, 3000000), chunks=(100000,))
        time.sleep(0.1)  # recently written files are not kept

    def mount(self, *options, store=None):
        return Mount(store or self.store, "-o", f"index={self.index}", *options)

    def files(self):
        return [os.path.join(self.index, name) for name in os.listdir(self.index)] if os.path.isdir(self.index) else []

    def test_second_mount_measures_nothing(self):
        with self.mount() as mount:
            first = sizes(mount)
            whole = {name: mount.read(name) for name in first}
            self.assertGreater(work(mount)["text_blocks_measured"], 10)
        self.assertEqual(len(self.files()), 1)
        with self.mount() as mount:
            self.assertEqual(sizes(mount), first)
            self.assertEqual(work(mount), NOTHING)
            self.assertEqual({name: mount.read(name) for name in first}, whole)
            self.assertEqual(work(mount)["text_blocks_measured"], 0)
        with self.mount("-o", "cache_size=1m") as mount:  # other blocks, the same text
            self.assertEqual({name: mount.read(name) for name in first}, whole)
        self.assertEqual({name: len(text) for name, text in whole.items()}, first)

    def write_object(self, path, seed):
        """Writes a compressed list: 80 MB of numbers, because a shorter pass is not kept, and some names."""
        numbers = numpy.random.default_rng(seed).bytes(80 << 20)

        def integer(*values):
            return struct.pack(f">{len(values)}i", *values)

        names = b"".join(integer(64 << 12 | 9, 8) + b"%08d" % number for number in range(20000))
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(b"X\n" + integer(3, 0x40202, 0x30500, 5) + b"UTF-8" + integer(19, 2))
            file.write(integer(13, len(numbers) // 4) + numbers + integer(16, 20000) + names)
        time.sleep(0.1)  # recently written files are not kept
        return numbers

    def test_second_mount_of_an_r_object_makes_no_pass(self):
        store = os.path.join(self.folder, "object.rds")
        numbers = self.write_object(store, 1)

        def read(mount):
            return json.loads(mount.read(".plainfs", "stats.json"))["source_bytes_read"]

        with self.mount(store=store) as mount:
            names = sorted(os.listdir(mount.path))
            self.assertGreater(read(mount), 80 << 20)
            self.assertEqual(
                mount.read("1.npy")[-len(numbers) :], numpy.frombuffer(numbers, ">i4").astype("<i4").tobytes()
            )
            second = mount.read("2.csv")
        with self.mount(store=store) as mount:
            self.assertEqual(sorted(os.listdir(mount.path)), names)
            self.assertLess(read(mount), 2 << 20)
            self.assertEqual(mount.read("2.csv"), second)
            self.assertEqual(
                mount.read("1.npy")[-len(numbers) :], numpy.frombuffer(numbers, ">i4").astype("<i4").tobytes()
            )
        numbers = self.write_object(store, 2)
        with self.mount(store=store) as mount:
            self.assertGreater(read(mount), 80 << 20)
            self.assertEqual(
                mount.read("1.npy")[-len(numbers) :], numpy.frombuffer(numbers, ">i4").astype("<i4").tobytes()
            )

    def test_rewritten_store_is_measured_again(self):
        with self.mount() as mount:
            first = sizes(mount)
        self.write(2)
        with self.mount() as mount:
            self.assertGreater(work(mount)["text_blocks_measured"] + len(sizes(mount)), 0)
            self.assertNotEqual(sizes(mount), first)
            self.assertEqual({name: len(mount.read(name)) for name in first}, sizes(mount))
        with self.mount() as mount:
            sizes(mount)
            self.assertEqual(work(mount), NOTHING)

    def test_other_options_have_sizes_of_their_own(self):
        with self.mount() as mount:
            plain = sizes(mount)
        with self.mount("-o", "header") as mount:
            headed = sizes(mount)
            self.assertEqual(headed["names.csv"], plain["names.csv"] + len("value\n"))
            self.assertEqual({name: len(mount.read(name)) for name in headed}, headed)
        self.assertEqual(len(self.files()), 2)

    def test_index_command_builds_it_in_advance(self):
        for store in (SEURAT, SAMPLE, self.store):
            result = run(PROGRAM, "index", "-o", f"index={self.index}", store)
            self.assertEqual((result.returncode, re.sub(rb"measuring: .*\n", b"", result.stderr)), (0, b""))
            self.assertIn(b" files in ", result.stdout)
            with self.mount(store=store) as mount:
                first = sizes(mount)
                self.assertEqual(work(mount), NOTHING, store)
            with Mount(store) as mount:
                self.assertEqual(sizes(mount), first)

    def test_parts_are_measured_by_several_runs(self):
        """Tests that three machines share the pass, and that a mount finds nothing left to measure."""
        options = ("-o", f"index={self.index},cache_size=1m")  # with which these texts have several parts
        runs = [
            subprocess.Popen(
                [PROGRAM, "index", *options, "--part", f"{part}/3", self.store],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            for part in (1, 2, 3)
        ]
        for part, run_of_part in enumerate(runs, 1):
            text = run_of_part.communicate()[0].decode()
            self.assertEqual(run_of_part.returncode, 0)
            self.assertRegex(text, rf"^part {part} of 3 of [\d,]+ files in ")
        with self.mount("-o", "cache_size=1m") as mount:
            first = sizes(mount)
            self.assertEqual(work(mount)["text_blocks_measured"], 0)
            text = mount.read("values.csv")
        with Mount(self.store) as mount:
            self.assertEqual(sizes(mount), first)
            self.assertEqual(mount.read("values.csv"), text)

    def test_part_measures_its_share(self):
        options = ("-o", f"index={self.index},cache_size=1m")
        with self.mount("-o", "cache_size=1m") as mount:
            sizes(mount)
            whole = work(mount)["text_blocks_measured"]
        for path in self.files():
            os.remove(path)
        self.assertEqual(run(PROGRAM, "index", *options, "--part", "2/4", self.store).returncode, 0)
        with self.mount("-o", "cache_size=1m") as mount:
            sizes(mount)
            left = work(mount)["text_blocks_measured"]
        self.assertTrue(whole * 0.6 < left < whole * 0.9, f"{left} of {whole}")

    def test_malformed_part_is_refused(self):
        for part in ("0/3", "4/3", "1", "x/y", "1/0"):
            result = run(PROGRAM, "index", "--part", part, self.store)
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"expected I/N with I from 1 to N", result.stderr)

    def test_interrupted_pass_goes_on(self):
        """Stops an index and a plan that would take long. What they have measured is kept, and each goes on."""
        store = os.path.join(self.folder, "large.zarr")
        write_doubles(store, 2000)
        time.sleep(0.1)
        kept = []
        for command in (("index",), ("index",), ("export", "--plan")):
            line = [PROGRAM, *command, "-o", f"index={self.index}", store]
            if command[0] == "export":
                line.append(os.path.join(self.folder, "plan"))
            process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.assertTrue(wait_until(lambda: busy_seconds(process.pid) > 1, 60))
            process.send_signal(signal.SIGINT)
            text = process.communicate()[1].decode()
            self.assertEqual(process.returncode, -signal.SIGINT, text)
            self.assertIn("the sizes measured so far are kept, and the next pass measures the rest", text)
            kept.append(sum(os.path.getsize(path) for path in self.files()))
        self.assertEqual(kept, sorted(set(kept)))

    def test_index_beside_the_store_serves_all_users(self):
        done = run(PROGRAM, "index", "--beside", "-o", f"index={self.index}", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        with self.mount() as mount:
            whole = {name: mount.read(name) for name in sizes(mount)}
        shutil.rmtree(self.index)
        with self.mount() as mount:
            self.assertEqual(sizes(mount), {name: len(content) for name, content in whole.items()})
            self.assertEqual(work(mount), NOTHING)
        # A wrong entry causes one error, and is not trusted again, even by the next mount.
        with open(self.store + ".plainfs", "rb") as file:
            index = sizes_file.decode(file.read())
        for name, forged in self.forged(index, lambda number: number + 1):
            shutil.rmtree(self.index, ignore_errors=True)
            with open(self.store + ".plainfs", "wb") as file:
                file.write(forged)
            with self.mount() as mount:
                if not self.check_one_error(mount, name, whole[name]):
                    continue
            with self.mount() as mount:
                self.assertEqual(os.stat(mount.join(name)).st_size, len(whole[name]))
                self.assertEqual(mount.read(name), whole[name])
        # An index of an earlier version of the store, or of another owner, is not trusted either.
        with open(self.store + ".plainfs", "wb") as file:
            file.write(sizes_file.encode(index))
        if os.geteuid() == 0:
            os.chown(self.store + ".plainfs", 12345, 12345)
            shutil.rmtree(self.index, ignore_errors=True)
            with self.mount() as mount:
                sizes(mount)
                self.assertNotEqual(work(mount), NOTHING)
            os.chown(self.store + ".plainfs", 0, 0)
        self.write(2)
        shutil.rmtree(self.index, ignore_errors=True)
        with self.mount() as mount:
            sizes(mount)
            self.assertNotEqual(work(mount), NOTHING)

    def test_folder_of_stores_has_one_index_each(self):
        folder = self.empty("stores")
        shutil.copy(self.store, folder)
        shutil.copytree(SAMPLE, os.path.join(folder, "matrix"))
        time.sleep(0.1)
        self.assertEqual(run(PROGRAM, "index", "-o", f"index={self.index}", folder).returncode, 0)
        self.assertEqual(len(self.files()), 2)
        with self.mount(store=folder) as mount:
            sizes(mount)
            self.assertEqual(work(mount), NOTHING)
        os.utime(os.path.join(folder, "store.h5"))
        with self.mount(store=folder) as mount:
            sizes(mount)
            self.assertGreater(work(mount)["text_blocks_measured"], 10)
        with self.mount("-o", "subdir=matrix", store=folder) as mount:
            sizes(mount)
            self.assertEqual(work(mount), NOTHING)

    def test_added_chunk_discards_the_index(self):
        store = (
            self.copy_of(os.path.join(DATA, "zarr", "v2_fill_missing", "store"))
            if os.path.isdir(os.path.join(DATA, "zarr", "v2_fill_missing"))
            else self.zarr()
        )
        time.sleep(0.1)
        self.assertEqual(run(PROGRAM, "index", "-o", f"index={self.index}", store).returncode, 0)
        with self.mount(store=store) as mount:
            sizes(mount)
            self.assertEqual(work(mount)["text_blocks_measured"], 0)
        with open(os.path.join(store, "a", "1"), "wb") as file:
            file.write(numpy.full(100, 12345, "<i4").tobytes())
        with self.mount(store=store) as mount:
            self.assertEqual(sizes(mount)["a.csv"], 100 * 2 + 100 * 6)

    def dense(self):
        """Writes a dense matrix of cells by genes with names, which is also shown as .mtx, 10x.h5 and .h5ad."""
        path = os.path.join(self.folder, "dense.h5ad")
        numbers = numpy.random.default_rng(3).integers(0, 4, (500, 40)).astype("<i4")
        with h5py.File(path, "w") as file:
            file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
            matrix = file.create_dataset("X", data=numbers)
            matrix.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
            for name, count in (("obs", 500), ("var", 40)):
                frame = file.create_group(name)
                frame.attrs.update(
                    {
                        "encoding-type": "dataframe",
                        "encoding-version": "0.2.0",
                        "_index": "_index",
                        "column-order": numpy.array([], "S1"),
                    }
                )
                names = frame.create_dataset("_index", data=[f"{name}{i}" for i in range(count)])
                names.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
        time.sleep(0.1)
        return path

    def zarr(self):
        """Writes an array of two chunks, the second absent."""
        store = self.empty("store.zarr")
        os.mkdir(os.path.join(store, "a"))
        for name, content in (
            (".zgroup", {"zarr_format": 2}),
            (
                "a/.zarray",
                {
                    "zarr_format": 2,
                    "shape": [200],
                    "chunks": [100],
                    "dtype": "<i4",
                    "compressor": None,
                    "fill_value": 0,
                    "filters": None,
                    "order": "C",
                },
            ),
        ):
            with open(os.path.join(store, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        with open(os.path.join(store, "a", "0"), "wb") as file:
            file.write(numpy.full(100, 1, "<i4").tobytes())
        return store

    def test_a_damaged_or_foreign_index_is_not_used(self):
        with self.mount() as mount:
            first = sizes(mount)
        (path,) = self.files()
        with open(path, "r+b") as file:
            file.seek(40)
            file.write(b"damage")
        with self.mount() as mount:
            self.assertEqual(sizes(mount), first)
            self.assertGreater(work(mount)["text_blocks_measured"], 10)
            self.assertIn(b"the index of sizes cannot be read", mount.read(".plainfs", "log"))
        with self.mount() as mount:
            sizes(mount)
            self.assertEqual(work(mount), NOTHING)
        if os.geteuid() != 0:
            return
        os.chown(path, 12345, 12345)
        with self.mount() as mount:
            self.assertEqual(sizes(mount), first)
            self.assertGreater(work(mount)["text_blocks_measured"], 10)

    def test_two_mounts_add_to_one_index(self):
        with self.mount() as one, self.mount() as other:
            os.stat(one.join("values.csv"))
            os.stat(other.join("g", "whole.csv"))
        with self.mount() as mount:
            os.stat(mount.join("values.csv"))
            os.stat(mount.join("g", "whole.csv"))
            self.assertEqual(work(mount), NOTHING)

    def test_unwritable_index_changes_nothing_else(self):
        with open(self.index, "w", encoding="utf-8") as file:
            file.write("no folder")
        with self.mount() as mount:
            first = sizes(mount)
            self.assertIn(b"the index of sizes cannot be", mount.read(".plainfs", "log"))
        os.unlink(self.index)
        with Mount(self.store) as mount:
            self.assertEqual(sizes(mount), first)
        self.assertEqual(self.files(), [])

    def test_full_disk_leaves_no_index(self):
        os.mkdir(self.index)
        done = in_own_namespace(
            'mount -t tmpfs -o size=64k none "$1"; cat /dev/zero >"$1/full" 2>/dev/null || true; '
            '"$2" ls -lR -o index="$1" "$3" >/dev/null; ls -A "$1"',
            self.index,
            shutil.which(PROGRAM),
            self.store,
        )
        if done is None:
            self.skipTest("no namespace of its own")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"full\n", b""))

    def check_one_error(self, mount, name, whole):
        """Checks that a wrong index causes at most one error, and otherwise only the right bytes."""

        def read():
            try:
                return mount.read(name)
            except OSError as error:
                self.assertIn(error.errno, (errno.EIO, errno.ESTALE), name)
                return None

        first = read()
        if first is not None and first == whole:
            return False
        self.assertIsNone(first, name)
        self.assertEqual(read(), whole, name)
        self.assertEqual(os.stat(mount.join(name)).st_size, len(whole), name)
        return True

    def test_undetected_change_is_a_single_error(self):
        """Writes through a mapping that stays open, which changes no time of the file."""
        store = self.zarr()
        chunk = os.path.join(store, "a", "0")
        with open(chunk, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            mapped[0:4] = numpy.int32(2).tobytes()
            mapped.flush()
            mapped[0:4] = numpy.int32(3).tobytes()  # the page is dirty: later writes cause no event
            time.sleep(0.1)
            self.assertEqual(run(PROGRAM, "index", "-o", f"index={self.index}", store).returncode, 0)
            before = os.stat(chunk)
            mapped[0:4] = numpy.int32(123456).tobytes()
            after = os.stat(chunk)
            if (before.st_mtime_ns, before.st_ctime_ns) != (after.st_mtime_ns, after.st_ctime_ns):
                self.skipTest("this file system tells of every write")
            whole = ("123456\n" + 99 * "1\n" + 100 * "0\n").encode()
            with self.mount(store=store) as mount:
                self.assertEqual(os.stat(mount.join("a.csv")).st_size, len(whole) - 5)
                self.assertTrue(self.check_one_error(mount, "a.csv", whole))
                self.assertEqual(mount.read("a.csv"), whole)
            with self.mount(store=store) as mount:
                self.assertEqual(os.stat(mount.join("a.csv")).st_size, len(whole))
                self.assertEqual(mount.read("a.csv"), whole)

    def known(self):
        """Returns the paths in the index: a long pass is kept before the others are made."""
        for path in self.files():
            if path.endswith(".sizes"):
                with open(path, "rb") as file:
                    return {name for name, _ in sizes_file.decode(file.read()).entries}
        return set()

    def forged(self, index, change):
        """Yields the index with one number changed after the other, with valid checksums: change(number) of each."""
        kinds = set()
        for at, (entry, measured) in enumerate(index.entries):
            kind = os.path.basename(entry).split(".", 1)[-1]
            if kind in kinds:  # one of each is enough
                continue
            kinds.add(kind)
            places = range(len(measured.numbers))
            for number in [*places[:2], *places[-2:]] if len(places) > 4 else places:
                changed = sizes_file.copy(index)
                numbers = changed.entries[at][1].numbers
                numbers[number] = change(numbers[number])
                yield entry, sizes_file.encode(changed)

    def test_any_altered_number_still_gives_the_right_bytes(self):
        for store in (SEURAT, FRAGMENTS, self.dense()):
            shutil.rmtree(self.index, ignore_errors=True)
            with self.mount(store=store) as mount:
                whole = {name: mount.read(name) for name in sizes(mount)}
            self.assertEqual(run(PROGRAM, "index", "-o", f"index={self.index}", store).returncode, 0)
            (path,) = self.files()
            with open(path, "rb") as file:
                index = sizes_file.decode(file.read())
            errors = 0
            for change in (lambda number: number + 1, lambda number: max(number - 1, 0)):
                for name, forged in self.forged(index, change):
                    with open(path, "wb") as file:
                        file.write(forged)
                    with self.mount(store=store) as mount:
                        errors += self.check_one_error(mount, name, whole[name])
            self.assertGreater(errors, 4, store)

    def test_index_is_built_in_the_background(self):
        with self.mount("-o", "index_ahead") as mount:
            self.assertTrue(wait_until(lambda: {"values.csv", "names.csv", "g/whole.csv"} <= self.known(), 60))
            self.assertTrue(mount.read("names.csv"))
        with self.mount() as mount:
            sizes(mount)
            self.assertEqual(work(mount), NOTHING)

    def test_mount_ends_during_indexing(self):
        with self.mount("-o", "index_ahead") as mount:
            os.stat(mount.join("values.csv"))

    def test_ended_mount_keeps_the_sizes_measured_so_far(self):
        store = os.path.join(self.folder, "large.zarr")
        write_doubles(store, 2000)
        time.sleep(0.1)
        with self.mount(store=store) as mount:
            script = "import os, sys; os.stat(sys.argv[1])"
            asking = subprocess.Popen([sys.executable, "-c", script, mount.join("a.csv")], stderr=subprocess.PIPE)
            self.addCleanup(asking.communicate)
            daemon = daemon_of(mount.path)
            self.assertTrue(wait_until(lambda: busy_seconds(daemon) > 1, 60))
            os.kill(daemon, signal.SIGTERM)
            self.assertTrue(wait_until(lambda: daemon_of(mount.path) is None))
            self.assertTrue(wait_until(lambda: not os.path.exists(f"/proc/{daemon}")))
        (path,) = self.files()
        with open(path, "rb") as file:
            self.assertTrue(b" in part" in file.read())

    def test_no_index_is_kept_with_index_none(self):
        environment = {**os.environ, "XDG_CACHE_HOME": self.index}
        for name, options in (("PLAINFS_INDEX", []), ("OTHER", ["-o", "index=none"])):
            plain = {key: value for key, value in environment.items() if key != "PLAINFS_INDEX"}
            result = subprocess.run(
                [PROGRAM, "ls", "-lR", *options, self.store],
                capture_output=True,
                env={**plain, name: "none"},
                check=True,
            )
            self.assertEqual(self.files(), [])
        subprocess.run([PROGRAM, "ls", "-lR", self.store], capture_output=True, env=plain, check=True)
        self.assertEqual([os.path.basename(path) for path in self.files()], ["plainfs"])
        result = run(PROGRAM, "index", "-o", "index=none", self.store)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"no folder to keep it in", result.stderr)


if __name__ == "__main__":
    sys.exit(main())
