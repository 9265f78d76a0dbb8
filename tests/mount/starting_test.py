"""How a mount starts, fails to start, and ends: exit codes and the one line on standard error."""
import contextlib
import os
import pwd
import signal
import subprocess

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, run


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

    def test_a_store_that_does_not_exist(self):
        point = self.empty("m")
        self.refused(11, ["/no/such/store", "no such file"], "/no/such/store", point)
        self.assertFalse(mounted.is_mounted(point))

    def test_a_store_of_no_known_format(self):
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
        # root may read everything, so it is tried as nobody
        nobody = pwd.getpwnam("nobody")
        os.chmod(self.folder, 0o755)
        program = self.copy_of(PROGRAM)
        point = self.empty("m")
        os.chown(point, nobody.pw_uid, nobody.pw_gid)
        result = run(program, store, point, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
        self.assertEqual(result.returncode, 12, result.stderr)
        self.assertIn(b"ermission", result.stderr)

    def test_a_mountpoint_that_is_missing_or_no_directory(self):
        missing = os.path.join(self.folder, "missing")
        self.refused(4, [missing], SAMPLE, missing)
        file = os.path.join(self.folder, "file")
        open(file, "w").close()
        self.refused(4, [file, "not a directory"], SAMPLE, file)

    def test_a_busy_mountpoint(self):
        with Mount(SAMPLE) as m:
            self.refused(4, [m.path, "busy"], SAMPLE, m.path)
            self.assertTrue(m.read("matrix.mtx"))

    def test_options_that_are_wrong(self):
        self.refused(1, ["colour"], "-o", "colour=red", SAMPLE, self.empty("m"))
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

    def test_signals_unmount_with_files_open(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with Mount(SAMPLE) as m:
                file = os.open(m.join("matrix.mtx"), os.O_RDONLY)
                os.read(file, 10)
                os.kill(m.pid, number)
                self.assertTrue(mounted.wait_until(lambda: not mounted.is_mounted(m.path)), number)
                self.assertTrue(mounted.wait_until(lambda: mounted.daemon_of(m.path) is None), number)
                with contextlib.suppress(OSError):  # ENOTCONN, as of every FUSE mount that has ended
                    os.close(file)

    def test_a_single_thread_ends_on_a_signal(self):
        with Mount(SAMPLE, "-s") as m:
            os.kill(m.pid, signal.SIGTERM)
            self.assertTrue(mounted.wait_until(lambda: mounted.daemon_of(m.path) is None))

    def test_the_daemon_holds_no_directory_and_no_terminal(self):
        with Mount(SAMPLE) as m:
            self.assertEqual(os.readlink(f"/proc/{m.pid}/cwd"), "/")
            for stream in range(3):
                self.assertEqual(os.readlink(f"/proc/{m.pid}/fd/{stream}"), "/dev/null")


if __name__ == "__main__":
    mounted.main()
