"""The life of a mount: idle, killed, created by mount(8)."""
import errno
import json
import os
import signal
import subprocess
import zlib

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, run

H5 = os.path.join(DATA, "bpcells", "mat_h5_root", "store.h5")


class Lifecycle(Folder):
    def fails_with_eio(self, action):
        with self.assertRaises(OSError) as caught:
            action()
        self.assertEqual(caught.exception.errno, errno.EIO)

    def log_of(self, mount):
        return run("cat", mount.join(".plainfs", "log")).stdout.decode()

    def test_an_idle_mount_ends(self):
        with Mount(SAMPLE, "-o", "timeout=1") as m:
            self.assertTrue(os.listdir(m.path))
            self.assertTrue(mounted.wait_until(lambda: not mounted.is_mounted(m.path)))

    def test_monitoring_does_not_keep_a_mount_from_being_idle(self):
        with Mount(SAMPLE, "-o", "timeout=1") as m:
            self.assertTrue(os.listdir(m.path))

            def is_unmounted():
                os.statvfs(m.path)
                run(PROGRAM, "ps", "--json")
                return not mounted.is_mounted(m.path)

            self.assertTrue(mounted.wait_until(is_unmounted))

    def test_an_open_file_keeps_a_mount_from_being_idle(self):
        with Mount(SAMPLE, "-o", "timeout=1") as m:
            with open(m.join("matrix.mtx"), "rb") as file:
                self.assertFalse(mounted.wait_until(lambda: not mounted.is_mounted(m.path), 3))
                self.assertTrue(file.read(10))
            self.assertTrue(mounted.wait_until(lambda: not mounted.is_mounted(m.path)))

    def test_a_shell_inside_keeps_a_mount_from_being_idle(self):
        with Mount(SAMPLE, "-o", "timeout=1") as m:
            shell = subprocess.Popen(["sleep", "60"], cwd=m.path)
            try:
                self.assertFalse(mounted.wait_until(lambda: not mounted.is_mounted(m.path), 3))
            finally:
                shell.kill()
                shell.wait()
            self.assertTrue(mounted.wait_until(lambda: not mounted.is_mounted(m.path)))

    def test_stale_mountpoint_of_a_killed_daemon_is_named(self):
        with Mount(SAMPLE, "-o", "sandbox=none") as m:  # in a sandbox, another process cleans up
            os.kill(m.pid, signal.SIGKILL)
            self.assertTrue(mounted.wait_until(lambda: mounted.daemon_of(m.path) is None))
            result = run(PROGRAM, SAMPLE, m.path)
            self.assertEqual(result.returncode, 4)
            self.assertIn(f"fusermount3 -u {m.path}", result.stderr.decode())
            self.assertEqual(run("fusermount3", "-u", m.path).returncode, 0)
            self.assertEqual(run(PROGRAM, SAMPLE, m.path).returncode, 0)
            self.assertTrue(os.listdir(m.path))

    def test_only_a_directory_of_the_store_is_mounted(self):
        store = os.path.join(DATA, "bpcells", "mat_h5_groups", "store.h5")
        with Mount(store) as whole:
            name = next(n for n in sorted(os.listdir(whole.path)) if os.path.isdir(whole.join(n)))
            with Mount(store, "-o", f"subdir={name}") as part:
                self.assertEqual(sorted(os.listdir(part.path)), sorted(os.listdir(whole.join(name))))
        point = self.empty("m")
        result = run(PROGRAM, "-o", "subdir=no/where", store, point)
        self.assertEqual(result.returncode, 11)
        self.assertIn(b"no/where", result.stderr)

    def test_default_mountpoint_is_created_and_removed(self):
        store = self.copy_of(H5, "pbmc.h5")
        result = run(PROGRAM, store)
        self.assertEqual(result.returncode, 0, result.stderr)
        point = os.path.join(self.folder, "pbmc")
        self.assertEqual(result.stdout.decode(), point + "\n")
        self.assertTrue(os.listdir(point))
        run("fusermount3", "-u", point)
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(point)))
        os.makedirs(os.path.join(point, "mine"))
        self.assertEqual(run(PROGRAM, store).stdout.decode(), point + "-1\n")
        # `plainfs ps` of another test may look into the mount at this moment.
        self.assertTrue(mounted.wait_until(lambda: run("fusermount3", "-u", point + "-1").returncode == 0))
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(point + "-1")))
        self.assertTrue(os.path.exists(point))

    def test_failed_mount_removes_the_created_mountpoint(self):
        run(PROGRAM, "-o", "fsname=", os.path.join(self.folder, "nothing.h5"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_mount_over_its_own_store_is_refused(self):
        store = self.copy_of(SAMPLE)
        for point in (store, self.folder):
            result = run(PROGRAM, store, point)
            self.assertEqual(result.returncode, 4, result.stderr)

    def test_it_works_with_a_minimal_environment(self):
        point = self.empty("m")
        result = run(PROGRAM, SAMPLE, point, env={"PATH": "/bin:/usr/bin"}, cwd="/")
        self.addCleanup(mounted.unmount, point)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(os.listdir(point))

    def test_mount_helpers_mount(self):
        for name in ("mount.plainfs", "mount.fuse.plainfs"):
            helper = os.path.join(self.folder, name)
            os.symlink(PROGRAM, helper)
            point = self.empty("m" + name)
            self.addCleanup(mounted.unmount, point)
            result = run(helper, SAMPLE, point, "-n", "-o", "rw,noexec,nosuid,nodev,user,_netdev,x-systemd.automount")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(os.listdir(point))

    def test_a_line_of_the_mount_table_mounts(self):
        if os.geteuid() != 0:
            self.skipTest("mount(8) is for root")
        point, table = self.empty("m"), os.path.join(self.folder, "fstab")
        # The type fuse.plainfs needs an installed helper. Its other form names the program.
        with open(table, "w") as file:
            file.write(
                f"{PROGRAM}#{SAMPLE} {point} fuse ro,noauto,nofail,_netdev,x-systemd.automount,cache_size=8m 0 0\n"
            )
        self.addCleanup(mounted.unmount, point)
        result = run("mount", "-T", table, point)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(os.listdir(point))

    def test_options_of_fuse_are_taken(self):
        for option in (
            "allow_other,default_permissions",
            "auto_unmount",
            "fsname=x,subtype=y",
            "noatime,noexec,nosuid,nodev",
            "entry_timeout=0,attr_timeout=0,negative_timeout=1",
        ):
            if os.geteuid() != 0 and "allow_other" in option:
                continue
            with Mount(SAMPLE, "-o", option) as m:
                self.assertTrue(m.read("matrix.mtx"), option)

    def test_auto_unmount_clears_up_after_a_kill(self):
        # fusermount3 learns of the end from a socket and then opens the mountpoint once. If the kernel has not closed
        # /dev/fuse by then, it leaves the mount: on a busy machine one of 200.
        def is_cleared_up():
            with Mount(SAMPLE, "-o", "auto_unmount,sandbox=none") as m:
                os.kill(m.pid, signal.SIGKILL)
                return mounted.wait_until(lambda: not mounted.is_mounted(m.path))

        self.assertTrue(any(is_cleared_up() for _ in range(3)))

    def test_owner_group_and_umask_may_be_chosen(self):
        with Mount(SAMPLE, "-o", "uid=4321,gid=1234,umask=0077") as m:
            status = os.stat(m.join("matrix.mtx"))
            self.assertEqual((status.st_uid, status.st_gid, status.st_mode & 0o777), (4321, 1234, 0o600))

    def test_views_may_be_chosen(self):
        with Mount(SAMPLE, "-o", "views=csv,bin") as m:
            self.assertEqual({os.path.splitext(name)[1] for name in os.listdir(m.path)}, {".csv", ".bin"})

    def test_files_of_unchosen_views_are_absent(self):
        with Mount(SAMPLE, "-o", "views=json") as m:
            self.assertEqual(set(os.listdir(m.path)) - {".attrs.json"}, set())

    def test_memory_of_a_large_chunk_is_released(self):
        def anonymous_mib():
            with open(f"/proc/{m.pid}/status", encoding="ascii") as status:
                return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024

        store = self.empty("large.zarr")
        mib = 24  # more than fits into the cache
        with open(os.path.join(store, ".zarray"), "w", encoding="ascii") as file:
            json.dump(
                {
                    "zarr_format": 2,
                    "shape": [mib << 17],
                    "chunks": [mib << 17],
                    "dtype": "<f8",
                    "order": "C",
                    "fill_value": 0,
                    "compressor": {"id": "zlib", "level": 1},
                    "filters": None,
                },
                file,
            )
        values = bytes(range(256)) * (mib << 12)
        with open(os.path.join(store, "0"), "wb") as file:
            file.write(zlib.compress(values, 1))
        with Mount(store, "-o", "cache_size=1m") as m:
            (name,) = (name for name in os.listdir(m.path) if name.endswith(".npy"))
            self.assertTrue(m.read(name).endswith(values))
            self.assertTrue(mounted.wait_until(lambda: anonymous_mib() < mib, 20), anonymous_mib())

    def test_the_log_may_go_to_a_file(self):
        log = os.path.join(self.folder, "log")
        store = os.path.join(DATA, "bad", "bpcells", "val_data_cut4", "store")
        with Mount(store, "-o", f"log_file={log}") as m:
            self.fails_with_eio(lambda: m.read("val.csv"))
        with open(log) as file:
            self.assertIn("/val.csv: ", file.read())


if __name__ == "__main__":
    mounted.main()
