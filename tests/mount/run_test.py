"""Mounts for one command (`plainfs run`), existing mounts (`ps`), and unmounting (`umount`)."""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, run

H5 = os.path.join(DATA, "bpcells", "mat_h5_root", "store.h5")
WHOLE = shutil.which(PROGRAM)


class Run(Folder):
    def setUp(self):
        super().setUp()
        self.temporary = self.empty("tmp")
        self.environment = {**os.environ, "TMPDIR": self.temporary}

    def run_with(self, *words, **more):
        return run(WHOLE, "run", *words, env=self.environment, **more)

    def tearDown(self):
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertFalse(mounted.is_mounted(self.temporary))

    def test_command_sees_the_files_of_a_mount(self):
        with Mount(SAMPLE) as mount:
            expected = mount.read("matrix.mtx")
        for words in (
            ["cat", "{}/matrix.mtx"],
            ["sh", "-c", 'cat "$PLAINFS_MOUNT/matrix.mtx"'],
            ["sh", "-c", 'cat "$PLAINFS_MOUNT_1/matrix.mtx"'],
            ["dd", "if={}/matrix.mtx", "status=none"],
        ):
            result = self.run_with(SAMPLE, "--", *words)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, expected, b""), words)

    def test_other_processes_do_not_see_it(self):
        process = subprocess.Popen(
            [WHOLE, "run", SAMPLE, "--", "sh", "-c", "echo $PLAINFS_MOUNT; read line"],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        path = process.stdout.readline().strip()
        self.assertFalse(mounted.is_mounted(path))
        self.assertEqual(os.listdir(path), [])
        self.assertEqual(os.stat(os.path.dirname(path)).st_mode & 0o777, 0o700)
        process.communicate("\n")
        self.assertEqual(process.returncode, 0)

    def test_it_works_in_a_chroot(self):
        """There / is no mount point, so that its mounts cannot be made private."""
        root = self.empty("root")
        script = """
            mount --make-rshared /
            for folder in usr bin sbin lib lib64 etc dev proc; do
              if [ -e /$folder ]; then mkdir "$1/$folder"; mount --rbind "/$folder" "$1/$folder"; fi
            done
            mkdir "$1/tmp" "$1/store" "$1/program"
            mount --bind "$2" "$1/store"
            mount --bind "$3" "$1/program"
            chroot "$1" /usr/bin/env PATH=/usr/bin:/bin /program/plainfs run /store -- head -1 {}/matrix.mtx
            ls "$1/tmp"
            ! grep -q "$1/tmp" /proc/self/mountinfo"""
        result = mounted.in_own_namespace(script, root, SAMPLE, os.path.dirname(os.path.realpath(WHOLE)))
        if result is None:
            self.skipTest("no private mounts here")
        self.assertEqual((result.returncode, result.stdout[:14]), (0, b"%%MatrixMarket"), result.stderr)
        self.assertEqual(result.stdout.count(b"\n"), 1)

    def test_read_only_temporary_folder_is_named_with_the_remedy(self):
        script = 'mount -t tmpfs -o ro tmpfs "$1"; TMPDIR="$1" exec "$2" run "$3" -- true'
        result = mounted.in_own_namespace(script, self.temporary, WHOLE, SAMPLE)
        if result is None:
            self.skipTest("no private mounts here")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(b"Read-only file system; TMPDIR names another folder", result.stderr)

    def test_several_stores(self):
        result = self.run_with(
            SAMPLE, H5, "--", "sh", "-c", 'echo "$0" "$PLAINFS_MOUNT_2"; ls "$PLAINFS_MOUNT" >/dev/null', "{2}"
        )
        first, second = result.stdout.decode().split()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(first, second)
        self.assertEqual(self.run_with(SAMPLE, SAMPLE, "--", "cmp", "{1}/matrix.mtx", "{2}/matrix.mtx").returncode, 0)

    def test_only_words_with_the_placeholder_first_are_replaced(self):
        words = ["a{}", "{}b", "{3}", "{0}", "x={}y", "print('{}'.format(1))", "a=b={}"]
        result = self.run_with(SAMPLE, "--", "printf", "%s\n", *words)
        self.assertEqual(result.stdout.decode().split("\n")[:-1], words)

    def test_the_exit_code_is_the_commands(self):
        for code, words in (
            (0, ["true"]),
            (7, ["sh", "-c", "exit 7"]),
            (128 + 9, ["sh", "-c", "kill -9 $$"]),
            (127, ["no-such-command"]),
            (126, ["/"]),
        ):
            self.assertEqual(self.run_with(SAMPLE, "--", *words).returncode, code, words)

    def test_mistake_is_reported_and_nothing_runs(self):
        for code, word, words in (
            (11, b"no such file", ["/no/store", "--", "touch", "ran"]),
            (1, b"run: expected", [SAMPLE]),
            (1, b"run: expected", ["--", "touch", "ran"]),
            (1, b"run: expected", [SAMPLE, "--"]),
            (13, b"unknown format", ["/etc/passwd", "--", "touch", "ran"]),
            (1, b"unknown option", ["-o", "nonsense", SAMPLE, "--", "touch", "ran"]),
        ):
            result = self.run_with(*words, cwd=self.folder)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(word, result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "ran")))

    def started(self, code):
        process = subprocess.Popen(
            [WHOLE, "run", SAMPLE, "--", "sh", "-c", code],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_leftovers_of_a_killed_run_are_removed_by_the_next(self):
        living = self.started("echo ready; read line; ls $PLAINFS_MOUNT")
        killed = self.started("echo ready; exec sleep 0.2")
        killed.kill()
        killed.communicate()
        deadline = time.monotonic() + 20 * mounted.PATIENCE
        while len(os.listdir(self.temporary)) > 1 and time.monotonic() < deadline:  # until its server has ended
            self.assertEqual(self.run_with(SAMPLE, "--", "true").returncode, 0)
        self.assertEqual(len(os.listdir(self.temporary)), 1)
        shown = living.communicate("\n")[0]
        self.assertIn("matrix.mtx", shown)

    def test_signals_are_forwarded_to_the_command(self):
        for name in ("TERM", "INT", "HUP", "USR1", "USR2", "QUIT"):
            process = self.started(
                f"trap 'ls $PLAINFS_MOUNT >/dev/null && exit 5' {name}; echo ready; while :; do sleep 0.05; done"
            )
            process.send_signal(getattr(signal, f"SIG{name}"))
            self.assertEqual(process.wait(), 5, name)
            process.stdout.close()

    def test_ctrl_c_reaches_the_command_once(self):
        code = (
            "trap 'echo caught' INT; echo ready; read line; read line; ls $PLAINFS_MOUNT >/dev/null && echo still there"
        )
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(WHOLE, [WHOLE, "run", SAMPLE, "--", "sh", "-c", code], self.environment)
        output = b""

        def wait_for(word):
            nonlocal output
            while word not in output:
                output += os.read(terminal, 4096)

        wait_for(b"ready")
        os.write(terminal, b"\x03")
        wait_for(b"caught")
        os.write(terminal, b"\n\n")
        wait_for(b"still there")
        os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual(output.count(b"caught"), 1)

    def test_killed_run_leaves_no_process(self):
        process = self.started("echo ready; echo $$; exec sleep 1000")
        command = int(process.stdout.readline())
        servers = [
            row["pid"]
            for row in json.loads(run(WHOLE, "ps", "--json").stdout)
            if row["mountpoint"].startswith(self.temporary)
        ]
        self.assertEqual(len(servers), 1)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(f"/proc/{servers[0]}")))
        os.kill(command, signal.SIGKILL)
        shutil.rmtree(self.temporary)  # it leaves empty directories
        os.mkdir(self.temporary)

    def test_background_children_are_not_waited_for(self):
        start = time.monotonic()
        result = self.run_with(SAMPLE, "--", "sh", "-c", "cd $PLAINFS_MOUNT && sleep 20 >/dev/null 2>&1 & sleep 0.2")
        self.assertEqual(result.returncode, 0)
        self.assertLess(time.monotonic() - start, 15 * mounted.PATIENCE)


@unittest.skipUnless(
    os.geteuid() == 0 and shutil.which("setpriv"), "setpriv, as root, makes an ordinary user of a test"
)
class OrdinaryUser(Folder):
    """The tests above for an unprivileged user, with the sole right to create user namespaces."""

    # Whatever the modes of /dev/fuse are here, an ordinary user gets those of udev.
    SCRIPT = """chmod 755 "$1"; mknod -m 666 "$1/fuse" c 10 229; mount --bind "$1/fuse" /dev/fuse; shift
        exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --no-new-privs "$@" """

    def as_nobody(self, *words):
        temporary = self.empty("tmp")
        os.chmod(temporary, 0o777)
        own = os.path.join(self.folder, "plainfs")
        shutil.copy(WHOLE, own)
        os.chmod(self.folder, 0o755)
        return subprocess.run(
            ["unshare", "-m", "sh", "-ec", self.SCRIPT, "sh", self.folder, "env", f"TMPDIR={temporary}", own, *words],
            capture_output=True,
            timeout=60,
        )

    def store(self):
        store = self.copy_of(H5, "store.h5")
        os.chmod(store, 0o644)
        return store

    def test_runs_in_a_user_namespace(self):
        if run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "unshare", "-U", "true").returncode != 0:
            self.skipTest("user namespaces are off")
        result = self.as_nobody(
            "run", self.store(), "--", "sh", "-c", "id -u; cat $PLAINFS_MOUNT/*.csv | head -1; exit 3"
        )
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(result.stdout.split()[0], b"65534")
        shutil.rmtree(os.path.join(self.folder, "tmp"))
        os.unlink(os.path.join(self.folder, "fuse"))
        result = self.as_nobody(
            "run",
            os.path.join(self.folder, "store.h5"),
            "--",
            "cp",
            "-r",
            "{}",
            os.path.join(self.folder, "tmp", "copy"),
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        with Mount(os.path.join(self.folder, "store.h5")) as mount:
            self.assertEqual(run("diff", "-r", mount.path, os.path.join(self.folder, "tmp", "copy")).returncode, 0)
        self.assertEqual(os.listdir(os.path.join(self.folder, "tmp")), ["copy"])

    def test_missing_user_namespaces_suggest_a_remedy(self):
        """Runs as root of a user namespace, without its capabilities, and with a separate limit."""
        script = 'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --no-new-privs "$@"'
        result = run("unshare", "-Ur", "sh", "-ec", script, "sh", WHOLE, "run", SAMPLE, "--", "true")
        if b"plainfs" not in result.stderr:
            self.skipTest("a user namespace cannot be limited here: " + result.stderr.decode())
        self.assertEqual(result.returncode, 4, result.stderr)
        for word in (b"private mounts are not allowed here", b"user.max_user_namespaces", b"plainfs STORE MOUNTPOINT"):
            self.assertIn(word, result.stderr)


class List(Folder):
    def rows(self):
        return json.loads(run(WHOLE, "ps", "--json").stdout)

    def test_ps_lists_mounts(self):
        with Mount(SAMPLE) as first, Mount(H5) as second:
            rows = {row["mountpoint"]: row for row in self.rows()}
            for mount, store in ((first, SAMPLE), (second, H5)):
                row = rows[mount.path]
                self.assertEqual((row["pid"], row["store"]), (mount.pid, os.path.realpath(store)))
                self.assertGreater(row["memory_bytes"], 1 << 20)
                self.assertLess(row["uptime_seconds"], 3600)
            for letters, version in (((), ""), (("-l",), r"\d+\.\d+\.\d+.* ")):
                text = run(WHOLE, "ps", *letters).stdout.decode()
                start = rf"(?m)^ *{first.pid} +\d+:\d\d +[\d.]+ MB  ready +{version}"
                self.assertRegex(text, rf"{start}{re.escape(os.path.realpath(SAMPLE))} -> {re.escape(first.path)}$")
        self.assertNotIn(first.path, [row["mountpoint"] for row in self.rows()])

    def test_shows_a_mount_without_its_program(self):
        with Mount(SAMPLE, "-o", "sandbox=none") as mount:
            os.kill(mount.pid, signal.SIGKILL)
            self.assertTrue(mounted.wait_until(lambda: mounted.daemon_of(mount.path) is None))
            row = next(row for row in self.rows() if row["mountpoint"] == mount.path)
            self.assertEqual((row["pid"], row["store"]), (None, os.path.realpath(SAMPLE)))
            self.assertRegex(run(WHOLE, "ps").stdout.decode(), rf"(?m)^ +- +- +-  .* -> {re.escape(mount.path)}$")
            self.assertEqual(run(WHOLE, "umount", mount.path).returncode, 0)

    def test_takes_no_names(self):
        self.assertEqual(run(WHOLE, "ps", "x").returncode, 1)


class Unmount(Folder):
    def test_unmounts_several(self):
        with Mount(SAMPLE) as first, Mount(H5) as second:
            os.symlink(second.path, os.path.join(self.folder, "link"))
            result = run(WHOLE, "umount", first.path + "/", os.path.join(self.folder, "link"))
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertFalse(mounted.is_mounted(first.path) or mounted.is_mounted(second.path))

    def test_busy_mount_is_named(self):
        with Mount(SAMPLE) as first, Mount(H5) as second:
            with open(first.join("matrix.mtx"), "rb"):
                result = run(WHOLE, "umount", first.path, second.path)
            self.assertEqual(result.returncode, 75)
            self.assertIn(f"{first.path}: busy", result.stderr.decode())
            self.assertIn(f"fusermount3 -uz {first.path}", result.stderr.decode())
            self.assertFalse(mounted.is_mounted(second.path))
            self.assertEqual(run(WHOLE, "umount", first.path).returncode, 0)

    def test_other_mounts_are_kept(self):
        for path, code, word in (
            (self.folder, 11, "nothing is mounted there"),
            ("/no/where", 11, "nothing is mounted there"),
            ("/proc", 1, "not a FUSE mount but proc"),
        ):
            result = run(WHOLE, "umount", path)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(word, result.stderr.decode())
        self.assertEqual(run(WHOLE, "umount").returncode, 1)

    def test_unmounts_where_proc_is_missing(self):
        script = (
            '"$1" "$2" "$3"; mount -t tmpfs none /proc; "$1" umount "$3"; ls "$3"; '
            'mkdir "$3/x"; if "$1" umount "$3/x"; then exit 1; fi; mount -t tmpfs none "$3"; "$1" umount "$3"'
        )
        result = mounted.in_own_namespace(script, WHOLE, SAMPLE, self.empty("mountpoint"))
        if result is None:
            self.skipTest("no private mounts here")
        self.assertEqual((result.returncode, result.stdout), (11, b""), result.stderr)
        self.assertEqual(result.stderr.decode().count("nothing is mounted there"), 2)

    @unittest.skipUnless(
        os.geteuid() == 0 and shutil.which("setpriv"), "setpriv, as root, makes an ordinary user of a test"
    )
    def test_mount_of_another_user_stays(self):
        own = os.path.join(self.folder, "plainfs")
        shutil.copy(WHOLE, own)
        os.chmod(self.folder, 0o755)
        with Mount(SAMPLE) as mount:
            os.chmod(os.path.dirname(mount.path), os.stat(os.path.dirname(mount.path)).st_mode)
            result = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", own, "umount", mount.path)
            self.assertEqual(result.returncode, 12, result.stderr)
            self.assertIn(b"another user", result.stderr)
            self.assertTrue(mounted.is_mounted(mount.path))

    @unittest.skipUnless(
        os.geteuid() == 0 and shutil.which("setpriv"), "setpriv, as root, makes an ordinary user of a test"
    )
    def test_user_unmounts_by_the_helper_of_fuse_2(self):
        user, point, programs = self.mounted_by_user()
        helper = os.path.join(programs, "fusermount")
        shutil.copy(shutil.which("fusermount3"), helper)
        os.chmod(helper, 0o4755)
        result = run(*user, "umount", point, env={**os.environ, "PATH": programs})
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertFalse(mounted.is_mounted(point))

    @unittest.skipUnless(
        os.geteuid() == 0 and shutil.which("setpriv"), "setpriv, as root, makes an ordinary user of a test"
    )
    def test_helper_that_refuses_gives_the_reason(self):
        user, point, programs = self.mounted_by_user()
        helper = os.path.join(programs, "fusermount")
        for script, code, message in (
            ("echo 'fusermount: failed to open /etc/mtab: No such file or directory' >&2; exit 1", 12, None),
            ("exit 1", 12, "fusermount gives no reason"),
            ("echo 'fusermount: failed to unmount x: Device or resource busy' >&2; exit 1", 75, "busy: a process"),
        ):
            with open(helper, "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(helper, 0o755)
            result = run(*user, "umount", point, env={**os.environ, "PATH": programs})
            self.assertEqual(result.returncode, code, result.stderr)
            wanted = message or "fusermount: failed to open /etc/mtab: No such file or directory\n"
            self.assertTrue(result.stderr.decode().startswith(f"plainfs: {point}: {wanted}"), result.stderr)
            self.assertEqual(result.stderr.count(b"\n"), 1)

    def mounted_by_user(self):
        """Mounts as an ordinary user. Returns its command, the mountpoint, and an empty folder of programs."""
        own = os.path.join(self.folder, "plainfs")
        shutil.copy(WHOLE, own)
        store, point, programs = self.copy_of(SAMPLE), self.empty("mountpoint"), self.empty("programs")
        os.chmod(self.folder, 0o755)
        os.chown(point, 65534, 65534)
        self.addCleanup(run, "umount", "-l", point)
        user = [shutil.which("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups", own]
        result = run(*user, store, point)
        if result.returncode == 3:
            self.skipTest(result.stderr.decode())
        self.assertEqual(result.returncode, 0, result.stderr)
        return user, point, programs


if __name__ == "__main__":
    mounted.main()
