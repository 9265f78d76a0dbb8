"""libhdf5 in a separate process: a crash costs one file, and nothing else of a mount."""
import errno
import os
import shutil
import signal
import subprocess
import threading
import time

import h5py
import numpy

import mounted
from mounted import PROGRAM, Folder, Mount, run

# Files with one changed byte that crash libhdf5 1.10.8. Later releases may read or refuse them.
ENDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "damage", "corpus", "hdf5_library")


def library_of(pid):
    """Returns the id of the process that runs libhdf5 for the daemon `pid`, or None without such a process."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/stat", encoding="utf-8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{number}/cmdline", "rb") as file:
                is_library = b"serve-libhdf5" in file.read()
        except OSError:
            continue
        if parent == pid and is_library:
            return int(number)
    return None


def write_plain(path):
    with h5py.File(path, "w") as file:
        for name in "abc":
            file[f"group/{name}"] = numpy.arange(4)
            file[f"group/{name}"].attrs["unit"] = name


class Library(Folder):
    def setUp(self):
        super().setUp()
        self.stores = self.empty("stores")
        write_plain(os.path.join(self.stores, "good.h5"))
        write_plain(os.path.join(self.stores, "another.h5"))
        with h5py.File(os.path.join(self.stores, "wide.h5"), "w") as file:
            for number in range(300):  # too many to be read ahead
                file[f"group/{number}"] = number

    def expected(self):
        with Mount(os.path.join(self.stores, "good.h5")) as m:
            return self.everything(m.path)

    def everything(self, path):
        found = {}

        def fail(error):
            raise error

        for folder, _, names in os.walk(path, onerror=fail):
            for name in names:
                if ".plainfs" in folder:
                    continue
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(os.path.join(folder, name), path)] = file.read()
        return found

    def test_library_runs_beside_the_daemon_and_ends_with_it(self):
        with Mount(self.stores) as m:
            os.listdir(m.join("good.h5"))
            library = library_of(m.pid)
            with open(f"/proc/{library}/status", encoding="utf-8") as file:
                status = file.read()
            self.assertRegex(status, r"Name:\s+plainfs-hdf5\n")
            self.assertRegex(status, r"NoNewPrivs:\s+1")
            self.assertRegex(status, r"Seccomp:\s+2")
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(f"/proc/{library}")))

    def test_library_inherits_no_secrets_of_the_environment(self):
        environment = {"AWS_SECRET_ACCESS_KEY": "key-of-nobody", "HDF5_DISABLE_VERSION_CHECK": "1"}
        for name, value in environment.items():
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)
        with Mount(os.path.join(self.stores, "good.h5")) as m:
            self.everything(m.path)
            library = library_of(m.pid)
            if os.geteuid() != 0:
                self.skipTest("who is not root cannot look")
            with open(f"/proc/{library}/environ", "rb") as file:
                words = [word.decode() for word in file.read().split(b"\0") if word]
        self.assertIn("HDF5_DISABLE_VERSION_CHECK=1", words)
        self.assertEqual(
            [word for word in words if not word.startswith(("HDF5_", "LD_", "DYLD_")) and "SAN_OPTIONS=" not in word],
            [],
        )

    def test_repeatedly_killed_library_never_gives_wrong_bytes(self):
        expected = self.expected()
        with Mount(self.stores) as m:
            done = threading.Event()

            def kill_again_and_again():
                while not done.wait(0.05):
                    library = library_of(m.pid)
                    if library:
                        os.kill(library, signal.SIGKILL)

            killer = threading.Thread(target=kill_again_and_again)
            killer.start()
            end = time.monotonic() + 3
            while time.monotonic() < end:
                try:
                    self.assertEqual(self.everything(m.join("good.h5")), expected)
                except OSError as error:
                    self.assertEqual(error.errno, errno.EIO)
            done.set()
            killer.join()
            self.assertEqual(self.everything(m.join("another.h5")), expected)

    def test_healthy_stores_answer_while_others_crash_the_library(self):
        expected = self.expected()
        names = sorted(os.listdir(ENDING))
        self.assertGreater(len(names), 0)
        for name in names:
            shutil.copy(os.path.join(ENDING, name), self.stores)
        with Mount(self.stores) as m:
            for name in names * 3:
                # The result does not matter here.
                run("sh", "-c", 'ls -lR "$1"; find "$1" -type f -exec cat {} +', "sh", m.join(name))
                self.assertEqual(self.everything(m.join("good.h5")), expected)
            self.assertEqual(mounted.daemon_of(m.path), m.pid)
            if "\nlibhdf5 1.10.8\n" in run(PROGRAM, "-V").stdout.decode():
                log = run("cat", m.join(".plainfs", "log")).stdout.decode(errors="surrogateescape")
                self.assertIn("libhdf5 ended while reading this file: signal", log)

    def test_stopped_library_is_an_error_and_recovers(self):
        expected = self.expected()
        with Mount(self.stores) as m:
            os.listdir(m.join("another.h5"))
            library = library_of(m.pid)
            os.kill(library, signal.SIGSTOP)
            with self.assertRaises(OSError) as caught:
                self.everything(m.join("good.h5"))
            self.assertEqual(caught.exception.errno, errno.EIO)
            self.assertEqual(self.everything(m.join("good.h5")), expected)
            self.assertNotEqual(library_of(m.pid), library)

    def ask_stopped(self, m):
        """Starts a process that has requested wide.h5 from the stopped process."""
        os.listdir(m.join("good.h5", "group"))
        os.listdir(m.join("wide.h5"))
        os.kill(library_of(m.pid), signal.SIGSTOP)
        asking = subprocess.Popen(
            ["ls", "-l", m.join("wide.h5", "group")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(asking.wait)
        self.addCleanup(asking.kill)
        waits = 0
        while waits < 4:  # nothing else makes it sleep so long
            self.assertIsNone(asking.poll())
            with open(f"/proc/{asking.pid}/stat", encoding="utf-8") as file:
                waits = waits + 1 if file.read().rsplit(")", 1)[1].split()[0] in "SD" else 0
            time.sleep(0.02)
        return asking

    # The limits are far from the measured time (0.1 s) and from the silence limit of the library (30 s).
    def test_healthy_store_answers_while_another_library_is_stopped(self):
        shutil.copy(os.path.join(self.stores, "good.h5"), os.path.join(self.stores, "unopened.h5"))
        expected = self.expected()
        with Mount(self.stores) as m:
            asking = self.ask_stopped(m)
            begin = time.monotonic()
            self.assertEqual(self.everything(m.join("good.h5")), expected)
            self.assertEqual(self.everything(m.join("unopened.h5")), expected)
            self.assertLess(time.monotonic() - begin, 5)
            self.assertIsNone(asking.poll())
            begin = time.monotonic()
            asking.kill()
            asking.wait()
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual(self.everything(m.join("another.h5")), expected)

    def test_folder_of_stores_is_listed_without_the_library(self):
        with Mount(self.stores) as m:
            for _ in range(2):
                for name in os.listdir(m.path):
                    self.assertTrue(os.path.isdir(m.join(name)))
            self.assertIsNone(library_of(m.pid))
            self.assertEqual(run("find", m.path, "-maxdepth", "1").returncode, 0)
            self.assertIsNone(library_of(m.pid))
            os.listdir(m.join("good.h5"))
            self.assertIsNotNone(library_of(m.pid))

    def test_mount_ends_while_its_library_is_stopped(self):
        with Mount(self.stores) as m:
            self.ask_stopped(m)
            begin = time.monotonic()
            os.kill(m.pid, signal.SIGTERM)
            self.assertTrue(mounted.wait_until(lambda: not os.path.exists(f"/proc/{m.pid}")))
            self.assertLess(time.monotonic() - begin, 5)


if __name__ == "__main__":
    mounted.main()
