#!/usr/bin/env python3
"""Tests the files that keep backups and searches out of a mount, and the description of the mount for users."""
import json
import os
import signal
import subprocess

from mounted import PROGRAM, SAMPLE, Folder, Mount, main, run, wait_until
from optional import needs


class Hidden(Folder):
    def test_backups_that_skip_caches_skip_the_mount(self):
        with Mount(SAMPLE) as mount:
            self.assertFalse({"CACHEDIR.TAG", ".ignore", ".plainfs"} & set(os.listdir(mount.path)))
            with open(mount.join("CACHEDIR.TAG"), encoding="utf-8") as file:
                self.assertTrue(file.read().startswith("Signature: 8a477f597d28d172789f06886806bc55\n"))
            for options, is_in in (((), True), (("--exclude-caches",), False)):
                listed = subprocess.run(
                    f"tar cf - {' '.join(options)} -C {mount.path} . | tar tf -",
                    shell=True,
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
                self.assertEqual("./matrix.mtx" in listed.split("\n"), is_in)

    @needs("rg")
    def test_ripgrep_skips_the_mount(self):
        with Mount(SAMPLE) as mount:
            self.assertEqual(run("rg", "-l", "MatrixMarket", mount.path).returncode, 1)
            self.assertIn(b"matrix.mtx", run("rg", "-l", "--no-ignore", "MatrixMarket", mount.path).stdout)

    def test_a_mirrored_folder_keeps_its_own(self):
        with open(os.path.join(self.folder, ".ignore"), "w", encoding="utf-8") as file:
            file.write("own\n")
        with Mount(self.folder) as mount:
            self.assertEqual(mount.read(".ignore"), b"own\n")
            self.assertTrue(mount.read("CACHEDIR.TAG"))

    def test_readme_explains_each_file(self):
        with Mount(SAMPLE) as mount:
            text = mount.read(".plainfs", "README.txt").decode()
            for name in ("matrix.mtx", "10x/", "anndata.h5ad", "stats.json", ".attrs.json"):
                self.assertIn(name, text)
            self.assertLess(max(map(len, text.splitlines())), 120)

    def test_counters_of_all_mounts_for_programs(self):
        with Mount(SAMPLE) as mount:
            mount.read("matrix.mtx")
            row = next(
                row for row in json.loads(run(PROGRAM, "ps", "--json").stdout) if row["mountpoint"] == mount.path
            )
            self.assertEqual(row["state"], "ready")
            self.assertIn(row["version"], run(PROGRAM, "-V").stdout.decode())
            self.assertGreater(row["counters"]["reads_served"], 0)
            lines = run(PROGRAM, "ps", "--prometheus").stdout.decode().splitlines()
            label = f'{{mountpoint="{mount.path}",store="{os.path.realpath(SAMPLE)}"}}'
            for name, kind in (
                ("plainfs_up", "gauge"),
                ("plainfs_bytes_served_total", "counter"),
                ("plainfs_cache_held_bytes", "gauge"),
            ):
                self.assertIn(f"# TYPE {name} {kind}", lines)
                self.assertTrue([line for line in lines if line.startswith(f"{name}{label} ")], lines)
            for line in lines:
                self.assertRegex(
                    line, r'^(# TYPE plainfs_\w+ (counter|gauge)|plainfs_\w+\{mountpoint="[^"]*",store="[^"]*"\} \d+)$'
                )
            self.assertEqual(len(lines), len(set(lines)))

    def test_moved_log_is_reopened(self):
        log = os.path.join(self.folder, "log")
        for sandbox in ("auto", "none"):
            with Mount(SAMPLE, "-o", f"log_level=info,log_file={log},sandbox={sandbox}") as mount:
                os.rename(log, log + ".1")
                os.kill(mount.pid, signal.SIGHUP)
                self.assertTrue(wait_until(lambda: os.path.exists(log)))
                self.assertTrue(os.listdir(mount.path))
            self.assertTrue(wait_until(lambda: os.path.getsize(log) > 0))
            with open(log, encoding="utf-8") as file:
                self.assertIn("unmounted", file.read())
            with open(log + ".1", encoding="utf-8") as file:
                self.assertNotIn("unmounted", file.read())
            os.remove(log)

    def test_the_nameless_column_may_have_a_name(self):
        store = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5ad")
        for option, head in (([], '"",'), (["-o", "rowname=cell"], "cell,"), (["-o", 'rowname=a"b'], '"a""b",')):
            with Mount(store, *option) as mount:
                for name in ("obs.csv", "X.csv", os.path.join("obsm", "X_umap.csv")):
                    if os.path.exists(mount.join(name)):
                        self.assertTrue(mount.read(name).decode().startswith(head), name)


if __name__ == "__main__":
    main()
