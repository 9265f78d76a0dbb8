"""The life of requests: no caller waits for a size that another requested, and abandoned work ends."""
import errno
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time

import mounted
from mounted import Folder, Mount

MIB = 1 << 20
CACHE_MIB = 1


def write_array(store, name, shape, chunk, content=None):
    """Writes a Zarr array of int32. Without content all of its chunks are absent."""
    folder = os.path.join(store, name)
    os.makedirs(folder)
    with open(os.path.join(store, ".zgroup"), "w") as file:
        file.write('{"zarr_format":2}')
    with open(os.path.join(folder, ".zarray"), "w") as file:
        json.dump(
            {
                "zarr_format": 2,
                "shape": [shape],
                "chunks": [chunk],
                "dtype": "<i4",
                "compressor": None,
                "filters": None,
                "order": "C",
                "fill_value": 0,
            },
            file,
        )
    for chunk_number, values in enumerate(content or ()):
        with open(os.path.join(folder, str(chunk_number)), "wb") as file:
            file.write(struct.pack(f"<{len(values)}i", *values))


def rss_bytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Asking:
    """A process that calls stat on `path` and prints the result."""

    SCRIPT = """
import os, signal, sys
signal.signal(signal.SIGALRM, lambda *_: None)
if len(sys.argv) > 2:
    signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]), float(sys.argv[2]))
try:
    print(os.stat(sys.argv[1]).st_size)
except OSError as error:
    print(error.errno)
except KeyboardInterrupt:
    print("interrupted")
"""

    def __init__(self, path, *more):
        self.process = subprocess.Popen([sys.executable, "-c", self.SCRIPT, path, *more], stdout=subprocess.PIPE)

    def is_waiting(self):
        """Returns whether it waits in the kernel for a reply."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            state = file.read().rsplit(")", 1)[1].split()[0]
        with open(f"/proc/{self.process.pid}/syscall") as file:
            return state in "SD" and file.read().split()[0] in ("4", "5", "6", "262", "79", "332")

    def wait(self, seconds=10):
        started = time.monotonic()
        output, _ = self.process.communicate(timeout=seconds)
        return output.decode().strip(), time.monotonic() - started

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        if not self.process.stdout.closed:
            self.process.communicate()


class Requests(Folder):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder, "s.zarr")
        write_array(self.store, "endless", 1_000_000_000, 1)
        write_array(self.store, "small", 3, 3, [[1, 2, 3]])

    def ask(self, path, *more):
        """Returns a process that certainly waits for its reply."""
        asking = Asking(path, *more)
        self.addCleanup(asking.end)
        self.assertTrue(mounted.wait_until(asking.is_waiting))
        time.sleep(0.2)
        return asking

    def test_other_names_answer_at_once_while_one_is_sized(self):
        with Mount(self.store, "-o", f"cache_size={CACHE_MIB}m") as m:
            asking = [self.ask(m.join("endless.csv")) for _ in range(20)]
            slowest = 0
            for path in ("small.csv", "small.npy", ".plainfs/stats.json", "endless.npy"):
                started = time.monotonic()
                if path != "endless.npy":
                    self.assertTrue(m.read(path))
                os.stat(m.join(path))
                slowest = max(slowest, time.monotonic() - started)
            started = time.monotonic()
            self.assertIn("small.csv", os.listdir(m.path))
            slowest = max(slowest, time.monotonic() - started)
            self.assertLess(slowest, 0.05 * mounted.PATIENCE)
            self.assertEqual(os.stat(m.join("small.csv")).st_size, 6)
            self.assertTrue(all(one.process.poll() is None for one in asking))

    def test_killed_reader_exits_at_once(self):
        with Mount(self.store) as m:
            for number in (signal.SIGKILL, signal.SIGTERM):
                asking = [self.ask(m.join("endless.csv")) for _ in range(3)]
                for one in asking:
                    one.process.send_signal(number)
                    _, seconds = one.wait()
                    self.assertLess(seconds, 0.5 * mounted.PATIENCE)
                    self.assertEqual(one.process.returncode, -number)

    def test_handled_interrupt_reaches_its_handler(self):
        with Mount(self.store) as m:
            asking = self.ask(m.join("endless.csv"))
            asking.process.send_signal(signal.SIGINT)
            self.assertEqual(asking.wait()[0], "interrupted")

    def test_timer_does_not_disturb_a_waiting_reader(self):
        write_array(self.store, "slow", 300_000, 1)
        with Mount(self.store) as m:
            asking = Asking(m.join("slow.csv"), "0.01")
            self.addCleanup(asking.end)
            self.assertEqual(asking.wait(60)[0], "600000")

    def test_sizing_stops_once_all_readers_have_left(self):
        with Mount(self.store) as m:
            asking = [self.ask(m.join("endless.csv")) for _ in range(2)]
            for one in asking:
                one.end()

            def measured():
                return json.loads(m.read(".plainfs", "stats.json"))["cache_misses"]

            def has_stopped():
                before = measured()
                time.sleep(0.1)
                return measured() == before

            self.assertTrue(mounted.wait_until(has_stopped))

    def test_sigterm_ends_the_daemon_while_files_are_sized(self):
        with Mount(self.store) as m:
            asking = [self.ask(m.join("endless.csv")) for _ in range(2)]
            started = time.monotonic()
            os.kill(m.pid, signal.SIGTERM)
            self.assertTrue(mounted.wait_until(lambda: not os.path.exists(f"/proc/{m.pid}")))
            self.assertLess(time.monotonic() - started, 5 * mounted.PATIENCE)  # sizing it would take for ever
            for one in asking:
                self.assertIn(one.wait()[0], map(str, (errno.ENOTCONN, errno.ECONNABORTED, errno.EINTR)))

    def test_sizing_absent_data_stays_within_the_budget(self):
        with Mount(self.store, "-o", f"cache_size={CACHE_MIB}m") as m:
            self.ask(m.join("endless.csv"))
            worst = 0
            end = time.monotonic() + 5
            while time.monotonic() < end:
                worst = max(worst, rss_bytes(m.pid))
                time.sleep(0.1)
            self.assertLess(worst, (CACHE_MIB + 64) * MIB)

    def test_file_is_sized_once_for_all_callers(self):
        write_array(self.store, "slow", 100_000, 1)
        with Mount(self.store) as m:
            sizes = []

            def ask():
                sizes.append(os.stat(m.join("slow.csv")).st_size)

            threads = [threading.Thread(target=ask) for _ in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sizes, [200_000] * 12)
            blocks = json.loads(m.read(".plainfs", "stats.json"))["text_blocks_measured"]
            self.assertEqual(m.read("slow.csv"), b"0\n" * 100_000)
            self.assertEqual(json.loads(m.read(".plainfs", "stats.json"))["text_blocks_measured"], blocks)

    def test_lookup_during_sizing_leaves_the_size_to_readers(self):
        store = os.path.join(self.folder, "looked-up.zarr")
        write_array(store, "a", 30_000, 1)
        with Mount(store, "-o", "entry_timeout=0") as m:
            path, got, is_open = m.join("a.csv"), [], threading.Event()

            def read():
                descriptor = os.open(path, os.O_RDONLY)
                is_open.set()
                got.append(os.pread(descriptor, 4, 2))  # the size has not been requested before
                os.close(descriptor)

            reader = threading.Thread(target=read)
            reader.start()
            is_open.wait()
            while reader.is_alive():
                os.close(os.open(path, os.O_PATH))
            reader.join()
            self.assertEqual(got, [b"0\n0\n"])

    def test_every_way_to_read_sees_the_size(self):
        expected = b"1\n2\n3\n"

        def tool(*words):
            return lambda path: subprocess.run([*words, path], capture_output=True, check=True).stdout

        def pread(path):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                return os.pread(descriptor, 100, 0)
            finally:
                os.close(descriptor)

        def direct(path):
            return subprocess.run(
                ["dd", f"if={path}", "iflag=direct", "bs=4096"], capture_output=True, check=True
            ).stdout

        for read in (tool("cat"), tool("tail", "-c", "+1"), tool("head", "-c", "100"), pread, direct):
            with Mount(self.store) as m:
                self.assertEqual(read(m.join("small.csv")), expected)


if __name__ == "__main__":
    mounted.main()
