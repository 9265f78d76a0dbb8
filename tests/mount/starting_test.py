"""The start of a mount, its failures and its end: exit codes and the one line on standard error."""
import contextlib
import errno
import os
import pwd
import resource
import signal
import subprocess
import unittest

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, run
from optional import needs


class Starting(Folder):
    def refused(self, code, words, *arguments, **more):
        result = run(PROGRAM, *arguments, **more)
        text = result.stderr.decode()
        self.assertEqual(result.returncode, code, text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.startswith("plainfs: "), text)
        for word in words:
            self.assertIn(word, text)
        self.assertEqual(result.stdout, b"")
        return text

    def test_absent_store_path(self):
        point = self.empty("m")
        self.refused(11, ["/no/such/store", "no such file"], "/no/such/store", point)
        self.assertFalse(mounted.is_mounted(point))

    def test_store_of_unknown_format(self):
        path = os.path.join(self.folder, "text.h5")
        with open(path, "w") as file:
            file.write("hello")
        self.refused(13, [path], path, self.empty("m"))

    def test_an_unknown_version(self):
        store = self.copy_of(SAMPLE)
        with open(os.path.join(store, "version"), "w") as file:
            file.write("packed-uint-matrix-v9\n")
        self.refused(15, [store, "packed-uint-matrix-v9"], store, self.empty("m"))

    def test_a_damaged_store(self):
        store = os.path.join(DATA, "hdf5", "unopenable", "truncated.h5")
        self.refused(14, [store], store, self.empty("m"))

    def test_an_unreadable_store(self):
        store = self.copy_of(SAMPLE)
        os.chmod(store, 0)
        self.addCleanup(os.chmod, store, 0o700)
        if os.geteuid() != 0:
            self.refused(12, [store, "ermission"], store, self.empty("m"))
            return
        # root may read everything, so this runs as an unprivileged user
        nobody = pwd.getpwnam("nobody")
        os.chmod(self.folder, 0o755)
        program = self.copy_of(PROGRAM)
        point = self.empty("m")
        os.chown(point, nobody.pw_uid, nobody.pw_gid)
        result = run(program, store, point, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
        self.assertEqual(result.returncode, 12, result.stderr)
        self.assertIn(b"ermission", result.stderr)

    def test_missing_mountpoint_or_no_directory(self):
        missing = os.path.join(self.folder, "missing")
        self.refused(4, [missing], SAMPLE, missing)
        file = os.path.join(self.folder, "file")
        open(file, "w").close()
        self.refused(4, [file, "not a directory"], SAMPLE, file)

    def test_a_busy_mountpoint(self):
        with Mount(SAMPLE) as m:
            self.refused(4, [m.path, "busy"], SAMPLE, m.path)
            self.assertTrue(m.read("matrix.mtx"))

    def test_without_fuse_the_other_commands_are_named(self):
        script = 'mount -t tmpfs none /dev; "$1" ls "$2" | grep -qx matrix.mtx; exec "$1" "$2" "$3"'
        result = mounted.in_own_namespace(script, PROGRAM, SAMPLE, self.empty("m"))
        if result is None:
            self.skipTest("no mount namespace may be made")
        self.assertEqual(result.returncode, 3, result.stderr)
        for word in (b"/dev/fuse is missing", b"ls", b"cat", b"export"):
            self.assertIn(word, result.stderr)

    def test_uncreatable_mountpoint(self):
        self.copy_of(SAMPLE, "s.store")
        script = 'mount --bind "$2" "$2"; mount -o remount,bind,ro "$2"; cd "$2"; exec "$1" s.store'
        result = mounted.in_own_namespace(script, PROGRAM, self.folder)
        if result is None:
            self.skipTest("no mount namespace may be made")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(b"cannot create a mountpoint", result.stderr)

    def test_an_empty_folder_of_the_store_s_name_is_used_and_stays(self):
        store = self.copy_of(SAMPLE, "pbmc.store")
        point = self.empty("pbmc")
        for expected in (point, point + "-1"):  # the first name is taken then
            result = run(PROGRAM, store)
            self.addCleanup(mounted.unmount, expected)
            self.assertEqual((result.returncode, result.stdout.decode()), (0, expected + "\n"), result.stderr)
        for path in (point + "-1", point):
            self.assertTrue(mounted.wait_until(lambda: mounted.unmount(path).returncode == 0), path)
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(point + "-1")))
        self.assertTrue(os.path.isdir(point))
        open(os.path.join(point, "mine"), "w").close()
        result = run(PROGRAM, store)
        self.addCleanup(mounted.unmount, point + "-1")
        self.assertEqual(result.stdout.decode(), point + "-1\n")

    @unittest.skipUnless(os.geteuid() == 0, "this needs another user")
    def test_an_empty_folder_of_another_user_is_not_taken(self):
        store = self.copy_of(SAMPLE, "pbmc.store")
        os.chown(self.empty("pbmc"), pwd.getpwnam("nobody").pw_uid, -1)
        result = run(PROGRAM, store)
        point = os.path.join(self.folder, "pbmc-1")
        self.addCleanup(mounted.unmount, point)
        self.assertEqual(result.stdout.decode(), point + "\n", result.stderr)

    def test_stale_mount_at_the_default_mountpoint(self):
        store = self.copy_of(SAMPLE, "pbmc.store")
        os.mkdir(os.path.join(self.folder, "pbmc"))
        with Mount(SAMPLE, "-o", "sandbox=none") as m:
            script = (
                'mount --bind "$4" "$2"; kill -9 "$5"; '
                'while stat "$2" 2>/dev/null >&2; do :; done; '
                '"$1" "$3"; umount "$2-1"; umount -l "$2"'
            )
            result = mounted.in_own_namespace(
                script, PROGRAM, os.path.join(self.folder, "pbmc"), store, m.path, str(m.pid)
            )
            if result is None:
                self.skipTest("no mount namespace may be made")
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertEqual(result.stdout.decode(), os.path.join(self.folder, "pbmc-1\n"))

    def test_failed_fork_for_the_background(self):
        if os.geteuid() != 0:
            self.skipTest("this needs a user without processes")
        nobody = pwd.getpwnam("nobody")
        os.chmod(self.folder, 0o755)
        result = run(
            self.copy_of(PROGRAM),
            SAMPLE,
            self.empty("m"),
            user=nobody.pw_uid,
            group=nobody.pw_gid,
            extra_groups=[],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)),
        )
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn(b"fork", result.stderr)

    @needs("strace")
    def test_later_refusals_of_the_system(self):
        point = self.empty("m")
        self.addCleanup(mounted.unmount, point)
        for code, fault in ((6, "rt_sigaction:error=EINVAL:when=1+"), (7, "clone,clone3:error=EAGAIN:when=2+")):
            result = run("strace", "-f", "-o", "/dev/null", "-e", f"inject={fault}", PROGRAM, SAMPLE, point)
            self.assertEqual(result.returncode, code, f"{fault}: {result.stderr.decode()}")
            self.assertTrue(mounted.wait_until(lambda: not mounted.is_mounted(point)))

    def test_an_absent_chunk_may_be_an_error(self):
        store = os.path.join(self.folder, "s.zarr")
        os.makedirs(os.path.join(store, "a"))
        for name, text in (
            (".zgroup", '{"zarr_format":2}'),
            (
                "a/.zarray",
                '{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4",'
                '"compressor":null,"filters":null,"order":"C","fill_value":7}',
            ),
        ):
            with open(os.path.join(store, name), "w") as file:
                file.write(text)
        with Mount(store) as m:
            self.assertEqual(m.read("a.csv"), b"7\n7\n")
        with Mount(store, "-o", "missing=error") as m:
            with self.assertRaises(OSError) as caught:
                m.read("a.csv")
            self.assertEqual(caught.exception.errno, errno.EIO)
            self.assertIn(b"the chunk is absent", run("cat", m.join(".plainfs", "log")).stdout)

    def test_invalid_options(self):
        self.refused(1, ["unknown option: colour"], "-o", "colour=red", SAMPLE, self.empty("m"))
        self.refused(1, ["unknown option: colour"], "--colour=red", SAMPLE)
        self.refused(1, ["unknown option: -q"], "-q", SAMPLE)
        self.refused(1, ["one argument too many"], SAMPLE, "a", "b")
        self.refused(1, ["expected a store"])
        self.refused(1, ["timeout requires a value"], "-o", "timeout", SAMPLE)
        self.refused(1, ["cache_size"], "-o", "cache_size=many", SAMPLE, self.empty("n"))
        self.refused(1, ["xls"], "-o", "views=xls", SAMPLE, self.empty("o"))

    def test_help_and_version(self):
        result = run(PROGRAM, "--help")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertIn(b"cache_size", result.stdout)
        self.assertEqual(run(PROGRAM, "-V").returncode, 0)

    def test_relative_paths_and_blanks_in_names(self):
        store = self.copy_of(SAMPLE, "my store, 2")
        point = self.empty("mount point")
        self.addCleanup(mounted.unmount, point)
        result = run(PROGRAM, os.path.basename(store), "mount point", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open("/proc/self/mountinfo") as mounts:
            line = next(line for line in mounts if "mount\\040point" in line)
        self.assertIn("fuse.plainfs", line)
        self.assertTrue(os.listdir(point))

    def test_the_foreground_serves_until_it_is_interrupted(self):
        point = self.empty("m")
        daemon = subprocess.Popen([PROGRAM, "-f", SAMPLE, point], stderr=subprocess.PIPE)
        self.assertTrue(mounted.wait_until(lambda: mounted.is_mounted(point)))
        self.assertTrue(os.listdir(point))
        daemon.send_signal(signal.SIGINT)
        self.assertEqual(daemon.wait(10), 0)
        daemon.stderr.close()
        self.assertFalse(mounted.is_mounted(point))

    def test_debugging_prints_requests(self):
        point = self.empty("m")
        daemon = subprocess.Popen([PROGRAM, "-d", SAMPLE, point], stderr=subprocess.PIPE)
        self.addCleanup(daemon.stderr.close)
        self.assertTrue(mounted.wait_until(lambda: mounted.is_mounted(point)))
        self.assertTrue(os.listdir(point))
        self.assertEqual(mounted.unmount(point).returncode, 0)
        self.assertEqual(daemon.wait(10), 0)
        self.assertIn(b"READDIR", daemon.stderr.read())

    def test_signals_unmount_with_files_open(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with Mount(SAMPLE) as m:
                file = os.open(m.join("matrix.mtx"), os.O_RDONLY)
                os.read(file, 10)
                os.kill(m.pid, number)
                self.assertTrue(mounted.wait_until(lambda: not mounted.is_mounted(m.path)), number)
                self.assertTrue(mounted.wait_until(lambda: mounted.daemon_of(m.path) is None), number)
                with contextlib.suppress(OSError):  # ENOTCONN, as for every ended FUSE mount
                    os.close(file)

    def test_the_daemon_holds_no_directory_and_no_terminal(self):
        with Mount(SAMPLE) as m:
            self.assertEqual(os.readlink(f"/proc/{m.pid}/cwd"), "/")
            for stream in range(3):
                self.assertEqual(os.readlink(f"/proc/{m.pid}/fd/{stream}"), "/dev/null")


if __name__ == "__main__":
    mounted.main()
