"""A daemon in a sandbox shows the same as another, and is unmounted in the same way."""
import json
import os
import signal
import shutil
import subprocess
import sys
import unittest

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, is_mounted, run, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
STORES = ("bpcells/mat_packed_uint_col", "h5seurat/spec_minimal", "anndata/dense_h5ad", "zarr/v3_sharding")


def status_of(process):
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def children_of(process):
    found = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
            found += [int(word) for word in file.read().split()]
    return found


def process_of(mount):
    return json.loads(mount.read(".plainfs/info.json"))["pid"]


def everything(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            if os.path.basename(at) != ".plainfs":
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


@unittest.skipIf(
    "sandbox: " in run(PROGRAM, "-o", "sandbox=required", SAMPLE, "/dev/null").stderr.decode(),
    "this system has no Landlock",
)
class Sandbox(Folder):
    def mirror(self):
        """Returns a copy of some stores of several formats in one folder."""
        mirror = self.empty("mirror")
        for number, name in enumerate(STORES):
            folder = os.path.join(DATA, name)
            store = next(entry for entry in os.listdir(folder) if entry.split(".")[0] == "store")
            os.rename(
                self.copy_of(os.path.join(folder, store)),
                os.path.join(mirror, str(number) + os.path.splitext(store)[1]),
            )
        return mirror

    def test_shows_the_same_as_without_sandbox(self):
        mirror = self.mirror()
        with Mount(mirror, "-o", "sandbox=none") as without, Mount(mirror, "-o", "sandbox=required") as m:
            self.assertEqual(status_of(process_of(without))["Seccomp"], "0")
            expected = everything(without.path)
            self.assertTrue(len(expected) > 40)
            self.assertEqual(everything(m.path), expected)

    def test_daemon_and_library_are_confined_by_default(self):
        with Mount(self.mirror()) as m:
            everything(m.path)
            daemon = process_of(m)
            library = [child for child in children_of(daemon) if status_of(child)["Name"] == "plainfs-hdf5"]
            self.assertEqual(len(library), 1)
            for process in [daemon] + library:
                self.assertEqual((status_of(process)["NoNewPrivs"], status_of(process)["Seccomp"]), ("1", "2"))
            os.kill(library[0], signal.SIGKILL)  # the sandbox starts another one
            self.assertTrue(wait_until(lambda: self.shows_all(m)))

    def shows_all(self, m):
        run(PROGRAM, "reload", m.path)
        try:
            return bool(everything(m.path))
        except OSError:
            return False

    def test_exchanged_store_is_reopened(self):
        store = self.copy_of(SAMPLE)
        with Mount(store, "-o", "sandbox=required,on_change=reopen") as m:
            before = everything(m.path)
            os.rename(store, store + ".old")
            shutil.copytree(store + ".old", store)
            self.assertTrue(wait_until(lambda: self.shows_all(m)))
            self.assertEqual(everything(m.path), before)

    def test_ends_the_same_as_without_sandbox(self):
        store = self.copy_of(SAMPLE)
        for end in ("umount", "signal", "idle"):
            with Mount(store, "-o", "sandbox=required" + (",timeout=1" if end == "idle" else "")) as m:
                daemon = process_of(m)
                keepers = [child for child in children_of(daemon) if status_of(child)["Name"] == "plainfs-mounts"]
                self.assertEqual(len(keepers), 1)
                if end == "umount":
                    self.assertEqual(run(PROGRAM, "umount", m.path).returncode, 0)
                elif end == "signal":
                    with open(m.join("val.csv"), "rb"):
                        os.kill(daemon, signal.SIGTERM)
                        self.assertTrue(wait_until(lambda: not is_mounted(m.path)))
                self.assertTrue(wait_until(lambda: not is_mounted(m.path)), end)

                def gone(process):
                    return not os.path.exists(f"/proc/{process}") or status_of(process)["State"].startswith("Z")

                # Not at once if a mount namespace of another test has a copy of the mount.
                self.assertTrue(
                    wait_until(lambda: all(gone(process) for process in [daemon] + keepers), seconds=60), end
                )

    def test_unnamed_mountpoint_is_created_and_removed(self):
        store = self.copy_of(SAMPLE)
        os.rename(store, store + ".bpcells")
        result = run(PROGRAM, "-o", "sandbox=required", store + ".bpcells")
        self.assertEqual(result.returncode, 0, result.stderr)
        path = result.stdout.decode().strip()
        self.assertTrue(is_mounted(path))
        self.assertEqual(run(PROGRAM, "umount", path).returncode, 0)
        self.assertTrue(wait_until(lambda: not os.path.exists(path)))

    def test_writes_its_log_and_its_index(self):
        log, index = os.path.join(self.folder, "log"), os.path.join(self.folder, "made", "index")
        with Mount(
            self.mirror(), "-o", f"sandbox=required,log_file={log},index={index},log_level=info,index_ahead"
        ) as m:
            everything(m.path)
        self.assertTrue(wait_until(lambda: "unmounted" in self.text_of(log)))
        self.assertTrue(os.listdir(index))

    def test_system_log_is_reached_after_its_restart(self):
        # With a separate /dev, with a log that is a file of this test.
        script = (
            'mount -t tmpfs none "$1"; '
            'cp -a /dev/null /dev/zero /dev/urandom /dev/fuse "$1"; '
            'mount --bind "$1" /dev; shift; exec "$@"'
        )
        result = mounted.in_own_namespace(
            script,
            self.empty("dev"),
            sys.executable,
            os.path.join(HERE, "system_log.py"),
            PROGRAM,
            SAMPLE,
            self.empty("point"),
        )
        if result is None:
            self.skipTest("no mount namespace may be made")
        self.assertEqual(result.returncode, 0, result.stderr)
        before, after = result.stdout.decode().splitlines()
        self.assertRegex(before, r"^<14>.* plainfs\[\d+\]: mounted .*, process \d+$")
        self.assertRegex(after, r"^<14>.* plainfs\[\d+\]: unmounted ")
        self.assertEqual(
            before.split("[")[1].split("]")[0], before.split()[-1], "the daemon's number, not of who writes for it"
        )

    def text_of(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_failed_mount_is_reported(self):
        result = run(PROGRAM, "-o", "sandbox=required", SAMPLE, os.path.join(self.folder, "absent"))
        self.assertEqual(result.returncode, run(PROGRAM, SAMPLE, os.path.join(self.folder, "absent")).returncode)
        self.assertIn(b"absent", result.stderr)

    def test_run_does_not_confine_the_command(self):
        result = subprocess.run(
            [
                PROGRAM,
                "run",
                "-o",
                "sandbox=required",
                SAMPLE,
                "--",
                "sh",
                "-c",
                "cat {}/val.csv | wc -c; ls / | wc -l",
            ],
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    mounted.main()
