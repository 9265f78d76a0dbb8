""".plainfs: the description of the mount, counters and the log. Listing is free."""
import json
import os
import re
import subprocess
import sys

import mounted
from count_results import missing_in
from mounted import DATA, SAMPLE, Folder, Mount, run
from optional import missing_modules, missing_programs, missing_r, needs_modules, reason, skip_rest

# Stores with best files for different programs.
OPENED = (
    ("anndata", "anndataR", "store.h5ad"),
    ("bpcells", "mat_packed_uint_col", "store"),
    ("h5seurat", "plain", "store.h5seurat"),
    ("r-objects", "sce", "store.rds"),
    ("vcf-zarr", "far", "store.zarr"),
    ("xarray", "era5_v2", "store.zarr"),
)
DAMAGED = os.path.join(DATA, "bad", "bpcells", "val_data_cut4", "store")


def opened(program, text):
    """Returns (why it cannot be run, command) of a line of `plainfs info`."""
    library = re.match(r"\w*", text)[0]
    if program == "Python":
        return missing_modules(library), [sys.executable, "-c", f"import {library}\nassert {text} is not None"]
    if program == "R":
        needed = [library] if "::" in text else []
        return missing_r(*needed), ["Rscript", "-e", f"stopifnot(!is.null({text}))"]
    if program == "shell":
        return missing_programs(library), ["sh", "-c", text]
    return reason([program]), []


class Info(Folder):
    def statistics(self, mount):
        return json.loads(mount.read(".plainfs", "stats.json"))

    def test_info_describes_the_mount(self):
        with Mount(SAMPLE, "-o", "cache_size=8m") as m:
            info = json.loads(m.read(".plainfs", "info.json"))
            self.assertEqual(info["store"], os.path.realpath(SAMPLE))
            self.assertIn("BPCells", info["format"])
            self.assertEqual(info["version"], "packed-uint-matrix-v2")
            self.assertEqual(info["options"]["cache_size"], 8 << 20)
            self.assertIn("plainfs", info["libraries"])

    def test_it_lists_the_matrices_for_seurat(self):
        for store, expected in (
            (("seurat", "full", "full.h5ad"), {"RNA": {"counts": "layers/counts", "data": "X"}}),
            (
                ("r-objects", "sce", "store.rds"),
                {
                    "RNA": {"counts": "assay counts", "data": "assay logcounts"},
                    "ADT": {"counts": "assay counts", "data": "assay counts"},
                },
            ),
            (("r-objects", "seurat_v5", "store.rds"), {"RNA": {"counts": "counts", "data": "data"}}),
            (("r-objects", "vectors", "store.rds"), None),
        ):
            with self.subTest(store=store), Mount(os.path.join(DATA, *store)) as m:
                self.assertEqual(json.loads(m.read(".plainfs", "info.json")).get("seurat.rds"), expected)

    def test_it_is_reachable_but_not_listed(self):
        with Mount(SAMPLE) as m:
            self.assertNotIn(".plainfs", os.listdir(m.path))
            self.assertEqual(sorted(os.listdir(m.join(".plainfs"))), ["README.txt", "info.json", "log", "stats.json"])

    def test_listing_computes_no_sizes(self):
        with Mount(SAMPLE) as m:
            os.listdir(m.path)
            run("find", m.path)
            self.assertEqual(self.statistics(m)["text_blocks_measured"], 0)

    def test_a_second_stat_is_free(self):
        with Mount(SAMPLE, "-o", "attr_timeout=0,entry_timeout=0") as m:
            os.stat(m.join("matrix.mtx"))
            before = self.statistics(m)["text_blocks_measured"]
            os.stat(m.join("matrix.mtx"))
            self.assertEqual(self.statistics(m)["text_blocks_measured"], before)

    def test_counters_grow_and_cat_sees_them(self):
        with Mount(SAMPLE) as m:
            before = json.loads(run("cat", m.join(".plainfs", "stats.json")).stdout)
            m.read("matrix.mtx")
            after = json.loads(run("cat", m.join(".plainfs", "stats.json")).stdout)
            self.assertGreater(after["reads_served"], before["reads_served"])
            self.assertEqual(after["cache_budget_bytes"], 256 << 20)

    def test_counters_cover_libhdf5(self):
        with Mount(os.path.join(DATA, "hdf5", "links")) as m:
            self.assertEqual(self.statistics(m)["libhdf5_processes"], 0)
            os.listdir(m.join("store.h5"))
            self.assertEqual(self.statistics(m)["libhdf5_processes"], 1)
            self.assertGreater(self.statistics(m)["libhdf5_held_bytes"], 0)

    def test_lines_to_open_run_as_printed(self):
        tools, skipped = set(), set()
        for store in OPENED:
            with self.subTest(store=store), Mount(os.path.join(DATA, *store)) as m:
                printed = run(mounted.PROGRAM, "info", m.path).stdout.decode()
                lines = printed.partition("\nto open it, where it is mounted:\n")[2].partition("\n\n")[0].splitlines()
                self.assertTrue(lines)
                for program, text in (line.split(maxsplit=1) for line in lines):
                    missing, command = opened(program, text)
                    if missing:
                        skipped.update(missing_in(missing))
                        continue
                    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
                    self.assertEqual(done.returncode, 0, (text, done.stderr.decode()[-400:]))
                    tools.add(program)
        self.assertIn("shell", tools)
        skip_rest(self, reason(sorted(skipped)) if skipped else "")

    @needs_modules("h5py", "pandas")
    def test_line_for_one_value_reads_it(self):
        import h5py
        import pandas

        store = os.path.join(self.folder, "one.h5")
        with h5py.File(store, "w") as file:
            file["note"] = "a b"
        with Mount(store) as m:
            printed = run(mounted.PROGRAM, "info", m.path).stdout.decode()
            line = re.search(r"(?m)^  Python  (pandas\..*)$", printed)[1]
            table = eval(line, {"pandas": pandas})  # the line as a user pastes it
            self.assertEqual(table.values.tolist(), [["a b"]], line)

    def test_one_error_is_one_line_in_the_log(self):
        with Mount(DAMAGED) as m:
            for _ in range(3):
                with self.assertRaises(OSError):
                    m.read("matrix.mtx")
            log = run("cat", m.join(".plainfs", "log")).stdout.decode()
            self.assertEqual(len([line for line in log.splitlines() if "/matrix.mtx:" in line]), 1, log)
            self.assertGreater(self.statistics(m)["errors"], 0)
            self.assertTrue(m.read("shape.csv"))


if __name__ == "__main__":
    mounted.main()
