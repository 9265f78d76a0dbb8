"""A mount created by another program: an open /dev/fuse as mountpoint, /dev/fd/N, as passed by mount.fuse3 -o
drop_privileges and Apptainer, or over a socket, as passed to the container of a cluster."""
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, run
from optional import needs

MS_RDONLY, MS_NOSUID, MS_NODEV = 1, 2, 4
WHOLE = shutil.which(PROGRAM)
LIBC = ctypes.CDLL(None, use_errno=True)
H5 = os.path.join(DATA, "bpcells", "mat_h5_root", "store.h5")


@unittest.skipUnless(os.geteuid() == 0, "only root mounts for others")
class HandedOver(Folder):
    def setUp(self):
        super().setUp()
        self.point = self.empty("m")
        self.fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fuse},rootmode=40000,user_id=0,group_id=0,default_permissions,allow_other"
        if (
            LIBC.mount(
                b"plainfs", self.point.encode(), b"fuse.plainfs", MS_RDONLY | MS_NOSUID | MS_NODEV, options.encode()
            )
            != 0
        ):
            self.fail(os.strerror(ctypes.get_errno()))
        self.addCleanup(LIBC.umount2, self.point.encode(), 2)
        self.process = None

    def close(self):
        if self.fuse is not None:
            os.close(self.fuse)
        self.fuse = None

    def tearDown(self):
        LIBC.umount2(self.point.encode(), 2)
        self.close()
        if self.process:
            self.process.wait(timeout=30)
            self.process.stderr.close()

    def start(self, *words, user=None):
        """Starts plainfs with the descriptor. Other processes close it."""
        privileges = (
            []
            if user is None
            else [
                "setpriv",
                f"--reuid={user}",
                f"--regid={user}",
                "--clear-groups",
                "--bounding-set=-all",
                "--no-new-privs",
            ]
        )
        self.process = subprocess.Popen(
            [*privileges, *words, f"/dev/fd/{self.fuse}"], pass_fds=[self.fuse], stderr=subprocess.PIPE
        )
        self.close()

    def is_served(self):
        try:
            return bool(os.listdir(self.point))
        except OSError:
            return False

    def check_served(self, store):
        with Mount(store) as mount:
            self.assertEqual(run("diff", "-r", mount.path, self.point).returncode, 0)

    def test_is_served_in_the_foreground(self):
        self.start(WHOLE, "-f", SAMPLE)
        self.check_served(SAMPLE)
        self.assertEqual(run("umount", self.point).returncode, 0)
        self.assertEqual(self.process.wait(), 0)

    def test_is_served_in_the_background(self):
        self.start(WHOLE, SAMPLE)
        self.assertEqual(self.process.wait(), 0, self.process.stderr.read())
        with open(os.path.join(self.point, ".plainfs", "info.json"), encoding="utf-8") as file:
            pid = json.load(file)["pid"]
        self.check_served(SAMPLE)
        self.assertEqual(run("umount", self.point).returncode, 0)
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(f"/proc/{pid}")))

    @needs("setpriv")
    def test_serves_without_privileges(self):
        store = self.copy_of(H5, "store.h5")
        own = os.path.join(self.folder, "plainfs")
        shutil.copy(WHOLE, own)
        os.chmod(self.folder, 0o755)
        self.start(own, "-f", "-o", "allow_other", store, user=65534)
        self.check_served(store)

    def test_a_signal_ends_it(self):
        self.start(WHOLE, "-f", SAMPLE)
        self.assertTrue(self.is_served())
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(), 0)
        with self.assertRaises(OSError):  # the mounter unmounts it
            os.listdir(self.point)

    def test_is_reloaded(self):
        store = self.copy_of(H5, "store.h5")
        self.start(WHOLE, "-f", store)
        self.assertTrue(self.is_served())
        time.sleep(0.02)  # a tick of the file system's clock
        shutil.copy(os.path.join(DATA, "bpcells", "mat_h5_groups", "store.h5"), store)
        self.assertEqual(run(WHOLE, "reload", self.point).returncode, 0)
        self.check_served(store)

    def test_is_listed(self):
        self.start(WHOLE, "-f", SAMPLE)
        self.assertTrue(self.is_served())
        rows = [row for row in json.loads(run(WHOLE, "ps", "--json").stdout) if row["pid"] == self.process.pid]
        self.assertEqual(
            [(row["store"], row["mountpoint"][:8]) for row in rows], [(os.path.realpath(SAMPLE), "/dev/fd/")]
        )

    def test_unopenable_store_ends_the_mount(self):
        self.start(WHOLE, "-f", "/no/store")
        self.assertEqual(self.process.wait(), 11)
        with self.assertRaises(OSError):
            os.listdir(self.point)

    def test_writing_is_refused(self):
        LIBC.mount(None, self.point.encode(), None, 32, None)  # MS_REMOUNT: no longer read-only
        self.start(WHOLE, "-f", SAMPLE)
        self.assertTrue(self.is_served())
        for flags in (os.O_WRONLY, os.O_RDWR):
            with self.assertRaises(OSError) as caught:
                os.open(os.path.join(self.point, "matrix.mtx"), flags)
            self.assertIn(caught.exception.errno, (30, 13))

    def test_idle_time_is_left_to_the_mounter(self):
        self.start(WHOLE, "-f", "-o", "timeout=1", SAMPLE)
        self.assertEqual(self.process.wait(), 1)
        self.assertIn(b"another program, which must unmount it", self.process.stderr.read())


@unittest.skipUnless(os.geteuid() == 0, "only root mounts for others")
class OverASocket(HandedOver):
    """The descriptor is passed over a socket, as the drivers of Kubernetes do."""

    def start(self, *words, user=None):
        path = os.path.join(self.folder, "socket")
        command = [*words[:-1], "-o", f"fuse_socket={path}", words[-1]]
        if user is not None:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", *command]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE)  # before there is a socket
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path)
            os.chmod(path, 0o666)
            listening.listen()
            listening.settimeout(60)
            peer, _ = listening.accept()
            with peer:
                socket.send_fds(peer, [b'{"volumeName": "data"}'], [self.fuse])
        self.close()


class Refused(Folder):
    def answered(self, answer, *arguments):
        """Runs plainfs with a socket. Calls `answer` with the connection."""
        path = os.path.join(self.folder, "socket")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path)
            listening.listen()
            process = subprocess.Popen(
                [PROGRAM, "-f", "-o", f"fuse_socket={path}", SAMPLE, *arguments], stderr=subprocess.PIPE
            )
            if answer:
                peer, _ = listening.accept()
                with peer:
                    answer(peer)
            _, message = process.communicate(timeout=60)
        os.remove(path)
        return process.returncode, message.decode()

    def test_sockets_without_a_mount(self):
        with open("/dev/null", "rb") as null:
            for answer, words in (
                (lambda peer: None, "socket: the program there closed the connection without a message"),
                (lambda peer: peer.send(b"{}"), "has no descriptor, expected an open /dev/fuse"),
                (lambda peer: socket.send_fds(peer, [b"{}"], [null.fileno()]), ": not an open /dev/fuse"),
            ):
                status, message = self.answered(answer)
                self.assertEqual(status, 4, message)
                self.assertIn(words, message)
        status, message = self.answered(None, self.empty("m"))
        self.assertEqual(status, 1, message)
        self.assertIn("fuse_socket: the mount is made by another program; leave out", message)
        result = run(PROGRAM, "-f", "-o", "fuse_socket=/" + 200 * "a", SAMPLE)
        self.assertEqual((result.returncode, b": a path of more than 107 bytes" in result.stderr), (4, True))
        result = run(PROGRAM, "-f", "-o", "fuse_socket=/dev/null/socket", SAMPLE)
        self.assertEqual((result.returncode, b"Not a directory" in result.stderr), (4, True), result.stderr)

    def test_invalid_descriptor(self):
        result = run(PROGRAM, "-f", SAMPLE, "/dev/fd/77")
        self.assertEqual(result.returncode, 4)
        self.assertIn(b"/dev/fd/77: the descriptor is not open", result.stderr)

    def test_descriptor_of_another_file(self):
        for name, word in ((self.folder, b": not an open /dev/fuse"), ("/dev/null", b": not an open /dev/fuse")):
            descriptor = os.open(name, os.O_RDONLY)
            result = run(PROGRAM, "-f", SAMPLE, f"/dev/fd/{descriptor}", pass_fds=[descriptor])
            os.close(descriptor)
            self.assertEqual(result.returncode, 4)
            self.assertIn(word, result.stderr)

    def test_a_standard_stream(self):
        with open("/dev/fuse", "r+b", buffering=0) as fuse:
            result = run(PROGRAM, "-f", SAMPLE, "/dev/fd/0", stdin=fuse)
        self.assertEqual(result.returncode, 4)
        self.assertIn(b"standard stream", result.stderr)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount.fuse3"), "mount.fuse3, as root, hands over a mount")
class MountFuse(Folder):
    def test_drops_privileges(self):
        point = self.empty("m")
        result = run("mount.fuse3", f"{WHOLE}#{SAMPLE}", point, "-o", "drop_privileges,ro")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.addCleanup(run, "umount", "-l", point)
        with open(os.path.join(point, ".plainfs", "info.json"), encoding="utf-8") as file:
            pid = json.load(file)["pid"]
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            self.assertRegex(file.read(), r"CapEff:\t0+\n")
        with Mount(SAMPLE) as mount:
            self.assertEqual(run("diff", "-r", mount.path, point).returncode, 0)
        self.assertEqual(run("umount", point).returncode, 0)
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(f"/proc/{pid}")))


if __name__ == "__main__":
    mounted.main()
