"""However a daemon ends, it leaves no dead mount, and it does not take another mount for its own."""
import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import unittest

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, is_mounted, run, wait_until
from store_server import StoreServer

OTHER = os.path.join(DATA, "bpcells", "mat_packed_double_col", "store")
HAS_KEEPER = "sandbox: " not in run(PROGRAM, "-o", "sandbox=required", SAMPLE, "/dev/null").stderr.decode()
needs_keeper = unittest.skipUnless(HAS_KEEPER, "this system has no Landlock, and so nobody beside the daemon")


def processes_of(mountpoint):
    """Returns the daemons of a mountpoint and their helper processes."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if os.path.basename(words[0]) == os.path.basename(PROGRAM).encode() and mountpoint.encode() in words:
            found.append(int(pid))
    return found


@contextlib.contextmanager
def held(path):
    """Keeps a file open. Closing may fail, as for every ended FUSE mount."""
    file = os.open(path, os.O_RDONLY)
    yield
    with contextlib.suppress(OSError):
        os.close(file)


def waiting_for_requests(pid):
    """Returns the number of idle threads of a daemon."""
    count = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/wchan", encoding="utf-8") as file:
            count += file.read() == "fuse_dev_do_read"
    return count


class Ending(Folder):
    def starts_and_gets(self, number, options):
        """Starts a mount and signals its daemon as soon as it is mounted. Returns after all its processes have
        ended."""
        with open(shutil.which(PROGRAM), "rb") as program:
            if b"/ld-" not in program.read(4096):
                self.skipTest("the program is static and loads no library")
        point = self.empty(f"{options}-{number}")
        self.addCleanup(run, "umount", "-l", point)
        environment = dict(os.environ, LD_PRELOAD=os.environ["PLAINFS_ENDING"], PLAINFS_TEST_SIGNAL=str(int(number)))
        run(PROGRAM, "-o", options, SAMPLE, point, env=environment)
        self.assertTrue(wait_until(lambda: not processes_of(point)), "it goes on")
        return point

    def test_a_signal_right_after_mounting_unmounts(self):
        for options in ("sandbox=required", "sandbox=none") if HAS_KEEPER else ("sandbox=none",):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                point = self.starts_and_gets(number, options)
                self.assertFalse(is_mounted(point), (options, number))
                self.assertEqual(os.listdir(point), [])

    @needs_keeper
    def test_daemon_killed_right_after_mounting_leaves_no_mount(self):
        self.assertFalse(is_mounted(self.starts_and_gets(signal.SIGKILL, "sandbox=required")))

    @needs_keeper
    def test_killed_daemon_leaves_no_mount(self):
        for number in (signal.SIGKILL, signal.SIGSEGV):
            with Mount(SAMPLE) as m:
                with held(m.join("val.csv")):
                    os.kill(m.pid, number)
                    self.assertTrue(wait_until(lambda: not is_mounted(m.path)), number)
                self.assertTrue(wait_until(lambda: not processes_of(m.path)))
                self.assertEqual(os.listdir(m.path), [])
                self.assertEqual(run(PROGRAM, SAMPLE, m.path).returncode, 0)
                self.assertTrue(os.listdir(m.path))

    @unittest.skipUnless(os.geteuid() == 0, "only root cuts the connection")
    def test_daemon_with_stuck_threads_notices_the_unmount(self):
        """Tests a daemon without a free thread that would read the next request and notice that the mount has ended."""
        count = 48  # more than the number of serving threads
        everything = {".zgroup": {"zarr_format": 2}}
        for i in range(count):
            array = {
                "zarr_format": 2,
                "shape": [4],
                "chunks": [4],
                "dtype": "<i4",
                "compressor": None,
                "filters": None,
                "fill_value": 0,
                "order": "C",
            }
            everything[f"a{i}/.zarray"] = array
            os.makedirs(os.path.join(self.folder, "store.zarr", f"a{i}"))
            with open(os.path.join(self.folder, "store.zarr", f"a{i}", "0"), "wb") as file:
                file.write(bytes(16))
        with open(os.path.join(self.folder, "store.zarr", ".zmetadata"), "w", encoding="utf-8") as file:
            json.dump({"zarr_consolidated_format": 1, "metadata": everything}, file)
        with StoreServer(self.folder) as server, Mount(server.url + "/store.zarr") as m:
            os.listdir(m.path)
            server.delay = 60
            readers = [
                subprocess.Popen(["cat", m.join(f"a{i}.npy")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for i in range(count)
            ]
            for reader in readers:
                self.addCleanup(reader.wait)
                self.addCleanup(reader.kill)
            self.assertTrue(wait_until(lambda: waiting_for_requests(m.pid) == 0))
            ctypes.CDLL(None).umount2(m.path.encode(), 1)  # MNT_FORCE
            self.assertTrue(wait_until(lambda: not processes_of(m.path), 30))

    def test_later_mount_at_the_same_place_stays(self):
        for options, number in (
            ("sandbox=required", signal.SIGKILL),
            ("sandbox=required", signal.SIGTERM),
            ("sandbox=none", signal.SIGTERM),
        ):
            if options == "sandbox=required" and not HAS_KEEPER:
                continue
            with self.subTest(options=options, number=number), Mount(SAMPLE, "-o", options) as m:
                first = processes_of(m.path)
                with held(m.join("val.csv")):  # so that its daemon keeps running
                    self.assertEqual(run("fusermount3", "-u", "-z", m.path).returncode, 0)
                    self.assertEqual(run(PROGRAM, OTHER, m.path).returncode, 0)
                    second = m.read("val.csv")
                    os.kill(m.pid, number)
                    self.assertTrue(wait_until(lambda: not set(first) & set(processes_of(m.path))))
                self.assertTrue(is_mounted(m.path))
                self.assertEqual(m.read("val.csv"), second)


if __name__ == "__main__":
    mounted.main()
