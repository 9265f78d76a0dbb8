"""Files of a mount through common tools."""
import errno
import mmap
import os
import random
import subprocess
import threading

import mounted
from mounted import SAMPLE, Folder, Mount, run

EXPECTED = os.path.join(os.path.dirname(SAMPLE), "expected")


def expected(*names):
    with open(os.path.join(EXPECTED, *names), "rb") as file:
        return file.read()


class Reading(Folder):
    def test_ls_shows_exact_sizes_and_modes(self):
        with Mount(SAMPLE) as m:
            lines = run("ls", "-ln", m.path).stdout.decode().splitlines()[1:]
            shown = {line.split()[-1]: line.split() for line in lines}
            for name in os.listdir(EXPECTED):
                if name.startswith("."):
                    continue
                self.assertEqual(int(shown[name][4]), len(expected(name)), name)
                self.assertEqual(shown[name][0], "-rw-r--r--", name)
                self.assertEqual(shown[name][2:4], [str(os.getuid()), str(os.getgid())])
            self.assertEqual(os.stat(m.path).st_mode & 0o7777, 0o755)

    def test_header_for_every_array_is_optional(self):
        with Mount(SAMPLE, "-o", "header") as m:
            self.assertEqual(m.read("shape.csv"), b"value\n" + expected("shape.csv"))

    def test_times_and_blocks_match_the_store(self):
        store = self.copy_of(SAMPLE)
        os.utime(store, (1_500_000_000, 1_500_000_000))
        with Mount(store) as m:
            status = os.stat(m.join("matrix.mtx"))
            self.assertEqual(status.st_mtime, 1_500_000_000)
            self.assertEqual(status.st_blocks, (status.st_size + 511) // 512)
            self.assertEqual(os.stat(m.path).st_mtime, 1_500_000_000)

    def test_cp_copies_everything(self):
        with Mount(SAMPLE) as m:
            target = os.path.join(self.folder, "copy")
            self.assertEqual(run("cp", "-a", m.path, target).returncode, 0)
            for name in os.listdir(EXPECTED):
                if not name.endswith(".npy") and name != ".attrs.json":
                    with open(os.path.join(target, name), "rb") as file:
                        self.assertEqual(file.read(), expected(name), name)

    def test_tail_reads_the_end(self):
        with Mount(SAMPLE) as m:
            tail = run("tail", "-c", "100", m.join("matrix.mtx"))
            self.assertEqual((tail.returncode, tail.stderr, tail.stdout), (0, b"", expected("matrix.mtx")[-100:]))

    def test_dd_reads_at_odd_offsets(self):
        want = expected("matrix.mtx")
        with Mount(SAMPLE) as m:
            for skip, count in ((1, 7), (13, 4097), (len(want) - 5, 100), (len(want) + 5, 3)):
                got = run(
                    "dd", f"if={m.join('matrix.mtx')}", "bs=1", f"skip={skip}", f"count={count}", "status=none"
                ).stdout
                self.assertEqual(got, want[skip : skip + count])

    def test_direct_reads_agree_with_cached_ones(self):
        want = expected("matrix.mtx")
        rng = random.Random(3)
        with Mount(SAMPLE) as m:
            fd = os.open(m.join("matrix.mtx"), os.O_RDONLY)
            try:
                for _ in range(200):
                    at, size = rng.randrange(len(want) + 10), rng.choice((1, 10, 4096, 70000))
                    self.assertEqual(os.pread(fd, size, at), want[at : at + size])
            finally:
                os.close(fd)

    def test_mmap_shows_the_file(self):
        with Mount(SAMPLE) as m, open(m.join("matrix.mtx"), "rb") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                self.assertEqual(mapped[:], expected("matrix.mtx"))

    def test_two_mounts_of_one_store_at_once(self):
        with Mount(SAMPLE) as a, Mount(SAMPLE) as b:
            self.assertEqual(a.read("matrix.mtx"), b.read("matrix.mtx"))

    def test_sixteen_parallel_readers_agree(self):
        want = expected("matrix.mtx")
        wrong = []

        def read_all(path, seed):
            rng = random.Random(seed)
            with open(path, "rb", buffering=0) as file:
                for _ in range(50):
                    at = rng.randrange(len(want))
                    if os.pread(file.fileno(), 5000, at) != want[at : at + 5000]:
                        wrong.append(at)
            with open(path, "rb") as file:
                if file.read() != want:
                    wrong.append(-1)

        with Mount(SAMPLE) as m:
            threads = [threading.Thread(target=read_all, args=(m.join("matrix.mtx"), i)) for i in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_unmount_and_mount_again(self):
        for _ in range(3):
            with Mount(SAMPLE) as m:
                self.assertEqual(m.read("barcodes.tsv"), expected("barcodes.tsv"))
                self.assertEqual(mounted.unmount(m.path).returncode, 0)
                self.assertTrue(mounted.wait_until(lambda: mounted.daemon_of(m.path) is None))

    def test_every_write_is_refused_as_read_only(self):
        def refused(action):
            with self.assertRaises(OSError) as caught:
                action()
            self.assertEqual(caught.exception.errno, errno.EROFS)

        with Mount(SAMPLE) as m:
            name, new = m.join("matrix.mtx"), m.join("new")
            refused(lambda: open(name, "r+b"))
            refused(lambda: open(name, "ab"))
            refused(lambda: open(new, "wb"))
            refused(lambda: os.truncate(name, 0))
            refused(lambda: os.unlink(name))
            refused(lambda: os.mkdir(new))
            refused(lambda: os.rename(name, new))
            refused(lambda: os.symlink("x", new))
            refused(lambda: os.link(name, new))
            refused(lambda: os.chmod(name, 0o600))
            refused(lambda: os.utime(name))
            refused(lambda: os.setxattr(name, "user.x", b"1"))
            refused(lambda: os.mkfifo(new))

    def test_absent_names_are_not_found(self):
        with Mount(SAMPLE) as m:
            with self.assertRaises(FileNotFoundError):
                os.stat(m.join("nothing"))

    def test_version_is_an_extended_attribute_of_the_root(self):
        with Mount(SAMPLE) as m:
            self.assertIn("user.version", os.listxattr(m.path))
            self.assertEqual(os.getxattr(m.path, "user.version"), b"packed-uint-matrix-v2")
            with self.assertRaises(OSError) as caught:
                os.getxattr(m.path, "user.none")
            self.assertEqual(caught.exception.errno, errno.ENODATA)

    def test_labels_and_access_lists_are_not_supported(self):
        """Tests ls -l, which requests both: only once if the file system reports that it has none, otherwise for each
        file."""
        with Mount(SAMPLE) as m:
            for name in ("security.selinux", "system.posix_acl_access"):
                with self.assertRaises(OSError) as caught:
                    os.getxattr(m.join("matrix.mtx"), name)
                self.assertEqual(caught.exception.errno, errno.ENOTSUP)

    def test_tar_reads_as_many_bytes_as_stat_reports(self):
        with Mount(SAMPLE) as m:
            archive = subprocess.run(["tar", "-C", m.path, "-cf", "-", "."], capture_output=True, timeout=60)
            self.assertEqual((archive.returncode, archive.stderr), (0, b""))


if __name__ == "__main__":
    mounted.main()
