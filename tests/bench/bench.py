#!/usr/bin/env python3
"""Measure plainfs beside the alternatives and print one table.

Each number is the median of several runs. A run measures everything once, so that plainfs and its alternatives
alternate. Reads are cold for plainfs (a fresh mount, without an index) and warm for the store (in the page cache).
`transport` is a FUSE file system of the same size with bytes that cost nothing. Speeds are of the file under the
mountpoint, unless a row states otherwise. `--against REF` also builds another commit and alternates the two. A second
table compares them.
"""
import argparse
import collections
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from measure import MIB, Mount, cat, median_of, percentile, random_reads, seconds_of, timed, warm

HERE = os.path.dirname(os.path.abspath(__file__))

H5PY = """
import sys, time, h5py
f = h5py.File(sys.argv[1], "r")
start = time.perf_counter()
for name in sys.argv[2:]: f[name][()]
print(time.perf_counter() - start)
"""
ZARR_PYTHON = """
import sys, time, zarr
start = time.perf_counter()
zarr.open_array(sys.argv[1], mode="r")[:]
print(time.perf_counter() - start)
"""
PANDAS = """
import sys, time, pandas, zarr
rows = zarr.open_array(sys.argv[1], mode="r")[:int(sys.argv[2])]
start = time.perf_counter()
pandas.DataFrame(rows).to_csv("/dev/null", header=False, index=False)
print(time.perf_counter() - start)
"""
READ_H5AD = """
import sys, time, warnings, anndata
warnings.simplefilter("ignore")
start = time.perf_counter()
anndata.read_h5ad(sys.argv[1])
print(time.perf_counter() - start)
"""
OBS_TO_CSV = """
import sys, time, warnings, anndata
warnings.simplefilter("ignore")
start = time.perf_counter()
anndata.read_h5ad(sys.argv[1], backed="r").obs.to_csv("/dev/null")
print(time.perf_counter() - start)
"""
MMREAD = """
import sys, time, scipy.io
start = time.perf_counter()
scipy.io.mmread(sys.argv[1]).tocsr()
print(time.perf_counter() - start)
"""
ONE_GENE = """
import sys, time, anndata
start = time.perf_counter()
anndata.read_h5ad(sys.argv[1], backed="r")[:, sys.argv[2]].X[:]
print(time.perf_counter() - start)
"""
# Writes a table that is in memory, row by row, which is the fastest way of openpyxl.
OPENPYXL = """
import sys, time, warnings, anndata, openpyxl
warnings.simplefilter("ignore")
obs = anndata.read_h5ad(sys.argv[1], backed="r").obs
rows = [tuple(row) for row in obs.astype(object).itertuples()]
start = time.perf_counter()
book = openpyxl.Workbook(write_only=True)
sheet = book.create_sheet("cells")
sheet.append(["", *obs.columns])
for row in rows: sheet.append(row)
book.save(sys.argv[2])
print(time.perf_counter() - start)
"""
LOOMPY = """
import sys, time, warnings, anndata, loompy
warnings.simplefilter("ignore")
store = anndata.read_h5ad(sys.argv[1])
genes, names = store.X.T.tocoo(), {"Gene": store.var_names.values}
start = time.perf_counter()
loompy.create(sys.argv[2], genes, names, {"CellID": store.obs_names.values})
print(time.perf_counter() - start)
"""
# Writes two modalities one after another, as mudata does.
WRITE_TWICE = """
import sys, time, warnings, anndata
warnings.simplefilter("ignore")
store = anndata.read_h5ad(sys.argv[1])
start = time.perf_counter()
for ending in ("1", "2"): store.write_h5ad(sys.argv[2] + ending, compression="gzip")
print(time.perf_counter() - start)
"""
WRITE_ZARR = """
import sys, time, warnings, anndata
warnings.simplefilter("ignore")
store = anndata.read_h5ad(sys.argv[1])
start = time.perf_counter()
store.write_zarr(sys.argv[2])
print(time.perf_counter() - start)
"""
# Prints the seconds that an R expression takes on the file f, without the start of R.
R_SECONDS = (
    'suppressPackageStartupMessages(library(Matrix)); f <- commandArgs(TRUE)[1]; cat(system.time(%s)[["elapsed"]])'
)


class Table:
    def __init__(self):
        self.lines = [("what", "plainfs", "beside it", "ratio")]
        self.rows = []  # for --json

    def heading(self, text):
        self.lines.append((text,))

    def row(self, what, ours, beside="", ratio=""):
        heading = next((line[0] for line in reversed(self.lines) if len(line) == 1), "")
        self.rows.append({"of": heading, "what": what, "plainfs": ours, "beside": beside, "ratio": ratio or None})
        self.lines.append(("  " + what, ours, beside, f"{ratio:.2f}" if isinstance(ratio, float) else ratio))

    def __str__(self):
        rows = [line for line in self.lines if len(line) > 1]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in self.lines)


def read(path):
    """Reads a file like cat, without starting a program."""
    with open(path, "rb") as file:
        file.read()


def rate(size, seconds):
    return f"{size / 1e6 / seconds:.0f} MB/s"


def time_text(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


class Programs:
    """The measured plainfs, and the one of another commit that it is compared with."""

    def __init__(self, build, against):
        self.paths = {"this": os.path.join(build, "plainfs")}
        if against:
            self.paths[against] = self.built(build, against)
        self.order = list(self.paths)
        self.now = "this"
        self.seconds = collections.defaultdict(lambda: {name: [] for name in self.paths})  # by action

    @staticmethod
    def built(build, commit):
        """Returns the program of that commit, built in a separate folder."""
        root = os.path.join(HERE, "..", "..")
        number = subprocess.run(
            ["git", "-C", root, "rev-parse", "--verify", commit + "^{commit}"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        folder = os.path.join(build, "against", number[:12])
        program = os.path.join(folder, "build", "plainfs")
        if not os.path.exists(program):
            print(f"building {commit} ...", file=sys.stderr, flush=True)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            archive = subprocess.run(["git", "-C", root, "archive", number], check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
            output = os.path.join(folder, "build")
            subprocess.run(
                ["cmake", "-S", folder, "-B", output, "-DCMAKE_BUILD_TYPE=Release"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            subprocess.run(
                ["cmake", "--build", output, "--target", "plainfs", "-j", str(os.cpu_count())],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        return program

    def path(self):
        return self.paths[self.now]

    def each(self, run):
        """Calls run() with each program in turn, in the other order each time, because the order makes a
        difference. Returns the result for this one."""
        result = {}
        for name in self.order:
            self.now = name
            result[name] = run()
        self.order.reverse()
        self.now = "this"
        return result["this"]

    def did(self, what, seconds):
        self.seconds[what][self.now].append(seconds)
        return seconds

    def medians(self):
        return [
            {"what": what, **{name: statistics.median(values) for name, values in by_program.items()}}
            for what, by_program in self.seconds.items()
        ]

    def __str__(self):
        other = list(self.paths)[-1]
        rows = [("what", "this", other, "ratio")]
        rows += [
            (m["what"], time_text(m["this"]), time_text(m[other]), f"{m[other] / m['this']:.2f}")
            for m in self.medians()
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)


class Bench:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.programs = Programs(self.build, options.against)
        self.folder = os.path.join(self.build, "bench-quick" if options.quick else "bench")
        self.table = Table()
        os.makedirs(self.folder, exist_ok=True)

    def store(self, name, command, *arguments):
        """Returns the path of a store. `command OUT arguments` writes it the first time."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            print(f"writing {name} ...", file=sys.stderr, flush=True)
            subprocess.run([*command, path, *arguments], check=True)
        warm(path)
        return path

    def python_store(self, name, script, *arguments):
        partial = os.path.join(self.folder, "writing-" + name)
        shutil.rmtree(partial, ignore_errors=True)

        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            print(f"writing {name} ...", file=sys.stderr, flush=True)
            subprocess.run([sys.executable, os.path.join(HERE, script), partial, *arguments], check=True)
            os.rename(partial, path)
        warm(path)
        return path

    def mount(self, store, *options):
        return Mount([self.programs.path(), *options, store])

    def transport(self, size):
        """Returns the seconds that reading `size` bytes takes if they cost nothing."""
        with Mount([os.path.join(self.build, "tests/bench/null_fuse"), str(size)]) as null:
            return timed(cat, null.file("null"))

    def median(self, run, alone=False):
        """Returns the median of several runs, at least three even if they are slow. alone: not compared with the other
        commit, which may not support it."""
        samples, start = [], time.monotonic()
        while len(samples) < self.options.runs and (
            len(samples) < 3 or time.monotonic() - start < self.options.patience
        ):
            samples.append(run() if alone else self.programs.each(run))
        return median_of(samples)

    def first_cat(self, store, name):
        """Returns the seconds of the cat of a file in a fresh mount, before anything has requested its size."""
        with self.mount(store) as mount:
            return self.programs.did(f"{os.path.basename(store)}/{name}: first cat", timed(cat, mount.file(name)))

    def cold(self, store, name, beside=None):
        """Measures one run: stat and cat of a file in a fresh mount, then the same bytes from the null file system,
        then beside()."""
        with self.mount(store) as mount:
            path = mount.file(name)
            label = f"{os.path.basename(store)}/{name}"
            result = {
                "stat": self.programs.did(f"{label}: first stat", timed(os.stat, path)),
                "cat": self.programs.did(f"{label}: cat after it", timed(cat, path)),
                "size": os.stat(path).st_size,
                "rss": mount.peak_rss(),
            }
        result["null"] = self.transport(int(result["size"]))
        result.update(beside() if beside else {})
        return result

    def random(self, store, name):
        with self.mount(store) as mount:
            os.stat(mount.file(name))
            seconds = random_reads(mount.file(name), self.options.reads)
        label = f"{os.path.basename(store)}/{name}: 4 KiB random reads"
        return {f"p{part}": self.programs.did(f"{label}, p{part}", percentile(seconds, part)) for part in (50, 99)}

    def sequential_rows(self, store, name, first_stat=False):
        m = self.median(lambda: self.cold(store, name))
        if first_stat:
            self.table.row(
                f"{name}: first stat", time_text(m["stat"]), f"its cat {time_text(m['cat'])}", m["stat"] / m["cat"]
            )
        self.table.row(
            f"{name}: cold cat, {m['size'] / 1e6:.0f} MB",
            rate(m["size"], m["cat"]),
            f"transport {rate(m['size'], m['null'])}",
            m["null"] / m["cat"],
        )
        return m

    def bpcells(self):
        scale = 10 if self.options.quick else 1
        generate = os.path.join(self.build, "tests/bench/generate_bpcells")
        nonzeros, count = 50_000_000 // scale, 20_000_000 // scale
        matrix = self.store("matrix", [generate, "matrix", str(nonzeros)])
        fragments = self.store("fragments", [generate, "fragments", str(count)])
        self.table.heading(f"BPCells, packed, {nonzeros / 1e6:g} million nonzeros")
        peak = self.sequential_rows(matrix, "matrix.mtx", first_stat=True)["rss"]
        m = self.median(lambda: self.random(matrix, "matrix.mtx"))
        self.table.row("matrix.mtx: 4 KiB random reads", f"p50 {time_text(m['p50'])}", f"p99 {time_text(m['p99'])}")
        peak = max(peak, self.sequential_rows(matrix, "val.npy")["rss"])
        self.table.heading(f"BPCells, {count / 1e6:g} million fragments")
        peak = max(peak, self.sequential_rows(fragments, "fragments.tsv", first_stat=True)["rss"])
        self.table.row("peak memory of the daemon, all rows above", f"{peak / MIB:.0f} MiB", "cache 256 MiB")

    def hdf5(self):
        small = (
            ["--features", "2000", "--cells", "5000", "--nonzeros", "2000000", "--scaled", "400"]
            if self.options.quick
            else []
        )
        store = self.python_store("seurat.h5seurat", "generate_h5seurat.py", *small)
        counts, dense = ("assays/RNA/counts/indices", "assays/RNA/counts/data"), "assays/RNA/scale.data"

        def beside(*names):
            return lambda: {"h5py": seconds_of(H5PY, store, *names)}

        self.table.heading(
            "h5Seurat as SeuratDisk writes it (8 KiB chunks, deflate 4); ratio = h5py's seconds / plainfs's"
        )
        for name, datasets in (
            ("assays/RNA/counts/matrix.mtx", counts),
            (dense + ".npy", (dense,)),
            (dense + ".csv", (dense,)),
        ):
            m = self.median(
                lambda n=name, d=datasets: {**self.cold(store, n, beside(*d)), "first cat": self.first_cat(store, n)}
            )
            label = name.removeprefix("assays/RNA/")
            cold_cat = m["first cat"]  # sizes, decodes and formats; after a stat the chunks would be cached
            if name.endswith(".mtx"):
                self.table.row(
                    f"{label}: first stat",
                    time_text(m["stat"]),
                    f"its cold cat {time_text(cold_cat)}",
                    m["stat"] / cold_cat,
                )
                self.table.row(f"{label}: cat after the stat", time_text(m["cat"]))
            self.table.row(
                f"{label}: cold cat, {m['size'] / 1e6:.0f} MB",
                time_text(cold_cat),
                f"h5py {time_text(m['h5py'])}",
                m["h5py"] / cold_cat,
            )

    def takane(self):
        small = ["--features", "2000", "--cells", "5000", "--nonzeros", "2000000"] if self.options.quick else []
        seurat = self.python_store(
            "seurat.h5seurat", "generate_h5seurat.py", *small, *(["--scaled", "400"] if small else [])
        )
        store = self.python_store("experiment", "generate_takane.py", *small)
        self.table.heading(
            "takane, an experiment as alabaster writes it; ratio = the seconds of the same matrix in h5Seurat / its own"
        )
        counts = "assays/RNA/counts/matrix.mtx"
        beside = self.median(
            lambda: {"stat": self.cold(seurat, counts)["stat"], "first cat": self.first_cat(seurat, counts)}
        )
        for name, layout in (("assays/counts/matrix.mtx", "CSC"), ("assays/by_row/matrix.mtx", "CSR")):
            m = self.median(lambda n=name: {**self.cold(store, n), "first cat": self.first_cat(store, n)})
            self.table.row(
                f"{name} ({layout}): first stat",
                time_text(m["stat"]),
                f"h5Seurat {time_text(beside['stat'])}",
                beside["stat"] / m["stat"],
            )
            self.table.row(
                f"{name} ({layout}): cold cat, {m['size'] / 1e6:.0f} MB",
                time_text(m["first cat"]),
                f"h5Seurat {time_text(beside['first cat'])}",
                beside["first cat"] / m["first cat"],
            )

    def anndata(self):
        scale = 10 if self.options.quick else 1
        sparse = self.python_store(
            "sparse.h5ad",
            "generate_anndata.py",
            "sparse",
            "--cells",
            str(10_000 // scale),
            "--nonzeros",
            str(20_000_000 // scale),
        )
        cells = self.python_store("cells.h5ad", "generate_anndata.py", "cells", "--cells", str(200_000 // scale))
        dense = self.python_store(
            "dense.h5ad", "generate_anndata.py", "dense", "--cells", str(10_000 // scale), "--genes", "10000"
        )
        self.table.heading(
            "AnnData as anndata writes it, gzip; ratio = its seconds / plainfs's, the first stat and the cat together"
        )
        for store, name, beside, code in (
            (sparse, "X/matrix.mtx", "read_h5ad", READ_H5AD),
            (cells, "obs.csv", "read_h5ad(backed).obs.to_csv", OBS_TO_CSV),
        ):
            m = self.median(
                lambda s=store, n=name, c=code: {
                    **self.cold(s, n, lambda: {"other": seconds_of(c, s)}),
                    "first cat": self.first_cat(s, n),
                }
            )
            self.table.row(
                f"{name}: first stat",
                time_text(m["stat"]),
                f"its cold cat {time_text(m['first cat'])}",
                m["stat"] / m["first cat"],
            )
            self.table.row(
                f"{name}: cold cat, {m['size'] / 1e6:.0f} MB",
                time_text(m["first cat"]),
                f"{beside} {time_text(m['other'])}",
                m["other"] / m["first cat"],
            )
        elements = 10_000 // scale * 10_000 * 4
        self.table.heading(
            f"AnnData, dense float32 X of {elements / 1e6:.0f} MB, one in five not zero; speeds by bytes of X a second"
        )
        for name in ("X/matrix.mtx", "X.csv", "X.npy"):
            m = self.median(lambda n=name: {**self.cold(dense, n), "first cat": self.first_cat(dense, n)})
            self.table.row(f"{name}: first stat", rate(elements, m["stat"]))
            self.table.row(
                f"{name}: cold cat, {m['size'] / 1e6:.0f} MB",
                rate(elements, m["first cat"]),
                f"peak memory {m['rss'] / MIB:.0f} MiB",
            )

    def sizing(self, store, name):
        """Returns the user seconds of the daemon for the pass that finds the size of a text, and for the text after it.
        The cache is too small to keep either."""
        with self.mount(store, "-o", "cache_size=32m,threads=1") as mount:
            path, start = mount.file(name), mount.user_seconds()
            os.stat(path)
            sized = mount.user_seconds()
            cat(path)
            return {"size": sized - start, "write": mount.user_seconds() - sized}

    def sizes(self):
        scale = 10 if self.options.quick else 1
        nonzeros = ("--cells", str(30_000 // scale), "--nonzeros", str(60_000_000 // scale))
        packed = self.python_store("sizes.h5ad", "generate_anndata.py", "sparse", *nonzeros)
        plain = self.store("plain.h5ad", [self.programs.path(), "export", "--level", "0", packed])
        cells = self.python_store("cells.h5ad", "generate_anndata.py", "cells", "--cells", str(200_000 // scale))
        self.table.heading("The pass that finds the size of a text, beside writing it: user seconds of one thread")
        of_plain = [(plain, name) for name in ("X/matrix.mtx", "X/indices.csv", "X/data.csv")]
        for store, name in [*of_plain, (cells, "obs.csv")]:
            m = self.median(lambda s=store, n=name: self.sizing(s, n))
            ratio = m["write"] / m["size"] if m["size"] > 0 else ""
            self.table.row(f"{name}: size", time_text(m["size"]), f"its text {time_text(m['write'])}", ratio)

    def genes(self, store, folder):
        """Returns the times of the first gene of a fresh mount, of the second, which sorts all genes first, and of
        later ones."""
        with tempfile.TemporaryDirectory() as index, self.mount(store, "-o", "index=" + index) as mount:
            seconds = [
                self.programs.did(
                    f"{os.path.basename(store)}: gene {i}",
                    timed(read, mount.file(f"{folder}genes/GENE{1000 + 7 * i}.csv")),
                )
                for i in range(12)
            ]
            return {
                "first": seconds[0],
                "second": seconds[1],
                "next": percentile(seconds[2:], 50),
                "rss": mount.peak_rss(),
            }

    def parts(self):
        scale = 10 if self.options.quick else 1
        cells, genes, nonzeros = 25_000 // scale, 30_000, 48_000_000 // scale
        matrix = self.store(
            "genes",
            [os.path.join(self.build, "tests/bench/generate_bpcells"), "matrix", str(nonzeros)],
            str(genes),
            str(cells),
        )
        sparse = self.python_store(
            "clusters.h5ad",
            "generate_anndata.py",
            "sparse",
            "--cells",
            str(cells),
            "--genes",
            str(genes),
            "--nonzeros",
            str(nonzeros),
            "--clusters",
            "20",
        )
        self.table.heading(
            f"One gene of {genes} in {cells} cells, {nonzeros / 1e6:g} million nonzeros by cell; "
            "ratio = anndata's seconds / plainfs's"
        )
        for store, folder in ((matrix, ""), (sparse, "X/")):
            m = self.median(lambda s=store, f=folder: self.genes(s, f))
            name = os.path.basename(store)
            beside = (
                self.median(lambda: {"other": seconds_of(ONE_GENE, sparse, "GENE1000")}, alone=True)["other"]
                if folder
                else 0
            )
            self.table.row(
                f"{name}: first gene",
                time_text(m["first"]),
                f"backed [:, gene] {time_text(beside)}" if beside else "",
                beside / m["first"] if beside else "",
            )
            self.table.row(
                f"{name}: second gene, which puts all in order",
                time_text(m["second"]),
                f"peak memory {m['rss'] / MIB:.0f} MiB",
            )
            self.table.row(f"{name}: each next gene", time_text(m["next"]))
        self.table.heading("The cells of one of 20 clusters, scattered; ratio = its share of the time for all")
        whole = self.median(lambda: {"first cat": self.first_cat(sparse, "anndata.h5ad")})
        m = self.median(lambda: {"first cat": self.first_cat(sparse, "by/cluster/3/anndata.h5ad")})
        self.table.row(
            "by/cluster/3/anndata.h5ad: cold cat",
            time_text(m["first cat"]),
            f"anndata.h5ad {time_text(whole['first cat'])}",
            m["first cat"] / whole["first cat"],
        )

    def nwb(self):
        scale = 10 if self.options.quick else 1
        units, spikes = 2_000 // scale, 100_000_000 // scale
        store = self.python_store("units.nwb", "generate_nwb.py", "--units", str(units), "--spikes", str(spikes))
        datasets = [f"units/{name}" for name in ("id", "quality", "depth", "spike_times_index", "spike_times")]
        self.table.heading(
            f"NWB, {units:,} units with {spikes / 1e6:g} million spikes (gzip); "
            "ratio = h5py's seconds for the same datasets / plainfs's"
        )
        peak = 0
        for name in ("units.csv", "units/spike_times.tsv"):
            m = self.median(
                lambda n=name: {
                    **self.cold(store, n, lambda: {"h5py": seconds_of(H5PY, store, *datasets)}),
                    "first cat": self.first_cat(store, n),
                }
            )
            h5py = f"h5py {time_text(m['h5py'])}"
            self.table.row(f"{name}: first stat", time_text(m["stat"]), h5py, m["h5py"] / m["stat"])
            self.table.row(f"{name}: cat after the stat", time_text(m["cat"]), h5py, m["h5py"] / m["cat"])
            self.table.row(
                f"{name}: cold cat, {m['size'] / 1e6:.0f} MB",
                time_text(m["first cat"]),
                h5py,
                m["h5py"] / m["first cat"],
            )
            peak = max(peak, m["rss"])
        m = self.median(lambda: self.random(store, "units.csv"))
        self.table.row("units.csv: 4 KiB random reads", f"p50 {time_text(m['p50'])}", f"p99 {time_text(m['p99'])}")
        self.table.row("peak memory of the daemon", f"{peak / MIB:.0f} MiB", "cache 256 MiB")

    @staticmethod
    def r_seconds(expression, path):
        result = subprocess.run(
            ["Rscript", "-e", R_SECONDS % expression, path], capture_output=True, check=True, text=True
        )
        return float(result.stdout)

    def native_seconds(self, store):
        """Reads the same matrix in R and Python, as text and as native files, each in a fresh mount."""
        seconds = {}
        readers = {
            "readRDS": lambda mount: self.r_seconds("readRDS(f)", mount.file("matrix.rds")),
            "readMM": lambda mount: self.r_seconds("readMM(f)", mount.file("matrix.mtx")),
            "read_h5ad": lambda mount: seconds_of(READ_H5AD, mount.file("anndata.h5ad")),
            "mmread": lambda mount: seconds_of(MMREAD, mount.file("matrix.mtx")),
        }
        for name, read in readers.items():
            with self.mount(store) as mount:
                seconds[name] = read(mount)
        return seconds

    def h5ad_seconds(self, store):
        with self.mount(store) as mount:
            return {"ours": seconds_of(READ_H5AD, mount.file("anndata.h5ad")), "store": seconds_of(READ_H5AD, store)}

    def native(self):
        """Measures native files. The first two rows need R with Matrix, scipy and anndata."""
        scale = 10 if self.options.quick else 1
        nonzeros = 50_000_000 // scale
        matrix = self.store(
            "matrix", [os.path.join(self.build, "tests/bench/generate_bpcells"), "matrix", str(nonzeros)]
        )
        self.table.heading(f"Files that tools open, of BPCells, {nonzeros / 1e6:g} million nonzeros")
        m = self.median(lambda: self.native_seconds(matrix))
        for ours, text in (("readRDS", "readMM"), ("read_h5ad", "mmread")):
            self.table.row(
                f"{ours}, end to end",
                time_text(m[ours]),
                f"{text} of matrix.mtx {time_text(m[text])}",
                m[text] / m[ours],
            )
        compressed = self.python_store(
            "sparse.h5ad",
            "generate_anndata.py",
            "sparse",
            "--cells",
            str(10_000 // scale),
            "--nonzeros",
            str(20_000_000 // scale),
        )
        m = self.median(lambda: self.h5ad_seconds(compressed))
        self.table.row(
            "read_h5ad, end to end",
            time_text(m["ours"]),
            f"of the gzip store itself {time_text(m['store'])}",
            m["store"] / m["ours"],
        )
        cells = self.python_store("cells.h5ad", "generate_anndata.py", "cells", "--cells", str(200_000 // scale))
        measured = {
            name: self.sequential_rows(store, name)
            for store, name in (
                (matrix, "matrix.rds"),
                (matrix, "anndata.h5ad"),
                (matrix, "seurat.rds"),
                (matrix, "bpcells/val"),
                (matrix, "anndata.zarr/X/data/0"),
                (cells, "anndata.h5ad"),
                (cells, "obs.parquet"),
            )
        }
        for name in ("seurat.rds", "bpcells/val", "anndata.zarr/X/data/0"):
            h5ad = self.cold(matrix, "anndata.h5ad")["stat"]
            self.table.row(
                f"{name}: first stat",
                time_text(measured[name]["stat"]),
                f"anndata.h5ad {time_text(h5ad)}",
                h5ad / measured[name]["stat"],
            )
        m = self.median(
            lambda: {
                "framed": self.cold(matrix, "10x/matrix.mtx.gz")["cat"],
                "text": self.cold(matrix, "matrix.mtx")["cat"],
            }
        )
        self.table.row(
            "10x/matrix.mtx.gz: cat after the stat",
            time_text(m["framed"]),
            f"matrix.mtx {time_text(m['text'])}",
            m["text"] / m["framed"],
        )

    def exported(self, store, name, *options):
        """Returns the seconds of an export from the store's files in the page cache, and the size of its result."""
        target = os.path.join(self.folder, name)
        command = [self.programs.path(), "export", "--quiet", "--force", *options, store, target]
        seconds = timed(lambda: subprocess.run(command, check=True))
        return self.programs.did(f"{os.path.basename(store)}: export {' '.join((*options, name))}", seconds)

    def size_of(self, name):
        path = os.path.join(self.folder, name)
        walked = [os.path.join(at, file) for at, _, files in os.walk(path) for file in files]
        return sum(os.path.getsize(file) for file in walked or [path])

    def written_by(self, code, store, name):
        """Returns the seconds that a package takes to write a file from values in memory."""
        path = os.path.join(self.folder, name)
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.remove(path)
        return seconds_of(code, store, path)

    def written_row(self, store, ours, theirs, other, code, *options, source=None):
        """Adds a row of an export beside a package that writes the same values, those of `source` or the store."""

        def run():
            return {
                "ours": self.exported(store, ours, *options),
                "other": self.written_by(code, source or store, theirs),
            }

        m = self.median(run)
        shown = [option for option in options if not option.startswith("--of=")]
        self.table.row(
            f"{' '.join((os.path.splitext(ours)[1], *shown))}, {self.size_of(ours) / 1e6:.1f} MB",
            time_text(m["ours"]),
            f"{other} {time_text(m['other'])}",
            m["other"] / m["ours"],
        )

    @staticmethod
    def write_mudata(store, path):
        """Writes a MuData in which two modalities have all of an AnnData."""
        import h5py

        with h5py.File(store) as whole, h5py.File(path, "w") as file:
            file.attrs.update({"encoding-type": "MuData", "encoding-version": "0.1.0", "axis": 0})
            file.create_group("mod").attrs["mod-order"] = ["one", "two"]
            for name in ("one", "two"):
                whole.copy("/", file["mod"], name)
            whole.copy("obs", file)
            whole.copy("var", file)

    def written(self):
        """Measures exports to one file. It needs anndata, openpyxl and loompy."""
        scale = 10 if self.options.quick else 1
        cells = self.python_store(
            "table.h5ad", "generate_anndata.py", "cells", "--cells", str(100_000 // scale), "--columns", "20"
        )
        nonzeros = 20_000_000 // scale
        sparse = self.python_store(
            "sparse.h5ad", "generate_anndata.py", "sparse", "--cells", str(10_000 // scale), "--nonzeros", str(nonzeros)
        )
        small = self.python_store(
            "genes.h5ad",
            "generate_anndata.py",
            "sparse",
            "--cells",
            str(4_000 // scale),
            "--genes",
            "5000",
            "--nonzeros",
            str(2_000_000 // scale),
        )
        double = os.path.join(self.folder, "double.h5mu")
        if not os.path.exists(double):
            self.write_mudata(sparse, double)
        warm(double)
        self.table.heading(
            "Exports to one file, from the page cache, the start of the program included; "
            "ratio = the seconds of the package, from memory, / plainfs's"
        )
        for options in ((), ("--level", "6")):
            self.written_row(cells, "table.xlsx", "other.xlsx", "openpyxl", OPENPYXL, *options, "--of=obs")
        self.written_row(small, "genes.loom", "other.loom", "loompy", LOOMPY)
        for options in ((), ("--zarr-format", "2")):
            self.written_row(sparse, "sparse.zarr", "other.zarr", "anndata write_zarr", WRITE_ZARR, *options)
        self.written_row(double, "again.h5mu", "other.h5ad", "anndata write_h5ad, twice", WRITE_TWICE, source=sparse)
        m = self.median(
            lambda: {
                "zarr": self.exported(sparse, "sparse.zarr"),
                "h5ad": self.exported(sparse, "again.h5ad"),
            }
        )
        self.table.row(".zarr", time_text(m["zarr"]), f".h5ad {time_text(m['h5ad'])}", m["h5ad"] / m["zarr"])

    def vcf(self):
        """Measures the genotypes of a cohort. Ratios are to the null file system. Random reads have no ratio."""
        variants = 20_000 if self.options.quick else 200_000
        calls = self.python_store("calls.vcz", "generate_vcf.py", "--variants", str(variants))
        fields = self.python_store("fields.vcz", "generate_vcf.py", "--variants", str(variants // 20), "--fields")
        self.table.heading(f"VCF Zarr, 1,000 samples x {variants:,} variants")
        self.sequential_rows(calls, "variants.vcf", first_stat=True)
        for name in ("plink.bed", "genotypes.bgen"):
            self.sequential_rows(calls, name)
        m = self.median(lambda: self.random(calls, "plink.bed"))
        self.table.row("plink.bed: 4 KiB random reads", f"p50 {time_text(m['p50'])}", f"p99 {time_text(m['p99'])}")
        self.table.heading(f"VCF Zarr, 1,000 samples x {variants // 20:,} variants, with DP, GQ and AD")
        self.sequential_rows(fields, "variants.vcf", first_stat=True)

    def zarr(self):
        rows, columns = (5_000, 5_000) if self.options.quick else (20_000, 5_000)
        size = rows * columns * 4
        stores = {
            kind: self.python_store(
                f"{kind}.zarr", "generate_zarr.py", kind, "--rows", str(rows), "--columns", str(columns)
            )
            for kind in ("blosc", "zstd", "sharded", "int32")
        }
        self.table.heading(
            f"Zarr, {rows:,} x {columns:,}, chunks 1,000 x 1,000; "
            "ratio to zarr-python and pandas by bytes of array a second"
        )
        for kind, store in stores.items():
            v2 = kind != "sharded"

            def beside(store=store, v2=v2):
                return {"zarr": seconds_of(ZARR_PYTHON, store)} if v2 else {}

            m = self.median(lambda s=store, b=beside: self.cold(s, "array.npy", b))
            other = f"zarr-python {rate(size, m['zarr'])}, " if v2 else ""
            self.table.row(
                f"{kind}: array.npy cold cat",
                rate(m["size"], m["cat"]),
                f"{other}transport {rate(size, m['null'])}",
                m["zarr"] / m["cat"] if v2 else m["null"] / m["cat"],
            )
        some = rows // 20
        for kind in ("blosc", "int32"):

            def pandas(s=stores[kind]):
                return {"pandas": seconds_of(PANDAS, s, str(some)) * rows / some}

            m = self.median(lambda s=stores[kind], p=pandas: self.cold(s, "array.csv", p))
            self.table.row(
                f"{kind}: array.csv cold stat and cat",
                rate(size, m["stat"] + m["cat"]),
                f"pandas to_csv {rate(size, m['pandas'])}",
                m["pandas"] / (m["stat"] + m["cat"]),
            )
        for kind in ("blosc", "sharded"):
            m = self.median(lambda s=stores[kind]: self.row_of(s, rows, columns))
            self.table.row(f"{kind}: one row of {columns:,} values, cold", time_text(m["row"]))

    def listed(self, store, options):
        """Returns the seconds of `ls -lR` on a ready mount."""
        with Mount([self.programs.path(), "-o", options, store]) as mount:
            return timed(lambda: subprocess.run(["ls", "-lR", mount.path], check=True, stdout=subprocess.DEVNULL))

    def first_byte(self, store, options, target):
        """Returns the seconds until an export has written the first byte of a file."""
        shutil.rmtree(target, ignore_errors=True)
        start = time.perf_counter()
        export = subprocess.Popen(
            [self.programs.path(), "export", "-o", options, "--part", "2/2", store, target], stderr=subprocess.DEVNULL
        )
        try:
            while export.poll() is None and not any(
                os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(target) for name in names
            ):
                time.sleep(0.002)
            return time.perf_counter() - start
        finally:
            export.kill()
            export.wait()
            shutil.rmtree(target, ignore_errors=True)

    def with_index(self, store, name, index):
        """Measures one run with an index, with a cold page cache if permitted: head of one text, and random reads of
        it."""
        if os.geteuid() == 0:
            os.sync()
            with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
                file.write("3")
        with Mount([self.programs.path(), "-o", f"index={index}", store]) as mount:
            head = timed(
                lambda: subprocess.run(["head", "-1", mount.file(name)], check=True, stdout=subprocess.DEVNULL)
            )
            reads = random_reads(mount.file(name), self.options.reads)
            return {"head": head, "p50": percentile(reads, 50), "p99": percentile(reads, 99), "rss": mount.peak_rss()}

    def index(self):
        """Measures a second mount of the same store."""
        small = (
            ["--features", "2000", "--cells", "5000", "--nonzeros", "2000000", "--scaled", "400"]
            if self.options.quick
            else []
        )
        seurat = self.python_store("seurat.h5seurat", "generate_h5seurat.py", *small)
        generate = os.path.join(self.build, "tests/bench/generate_bpcells")
        matrix = self.store("matrix", [generate, "matrix", str(50_000_000 // (10 if self.options.quick else 1))])
        self.table.heading("A second mount, with the index of the first")
        with tempfile.TemporaryDirectory() as index:
            for store in (seurat, matrix):
                subprocess.run(
                    [self.programs.path(), "index", "-o", f"index={index}", store],
                    check=True,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            m = self.median(
                lambda: {"first": self.listed(seurat, "index=none"), "second": self.listed(seurat, f"index={index}")},
                alone=True,
            )
            self.table.row(
                "seurat.h5seurat: ls -lR",
                time_text(m["second"]),
                f"the first {time_text(m['first'])}",
                m["first"] / m["second"],
            )
            target = os.path.join(index, "export")
            m = self.median(
                lambda: {
                    "first": self.first_byte(seurat, "index=none", target),
                    "second": self.first_byte(seurat, f"index={index}", target),
                },
                alone=True,
            )
            self.table.row(
                "seurat.h5seurat: export --part 2/2, its first byte",
                time_text(m["second"]),
                f"without {time_text(m['first'])}",
                m["first"] / m["second"],
            )
            for store, name in (
                (seurat, "assays/RNA/counts/matrix.mtx"),
                (seurat, "assays/RNA/scale.data.csv"),
                (matrix, "matrix.mtx"),
            ):
                m = self.median(lambda s=store, n=name: self.with_index(s, n, index), alone=True)
                self.table.row(f"{name}: head -1", time_text(m["head"]), f"peak memory {m['rss'] / MIB:.0f} MiB")
                self.table.row(
                    f"{name}: 4 KiB random reads", f"p50 {time_text(m['p50'])}", f"p99 {time_text(m['p99'])}"
                )

    def one_task_and_two(self, store, options, names):
        """Returns the seconds of one task that does everything and of two tasks that share it. Each is bound to its own
        core."""

        def export(folder, tasks):
            plan = os.path.join(folder, "plan.json")
            subprocess.run(
                [self.programs.path(), "export", "--plan", "--tasks", str(tasks), *options, store, *names, plan],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            start = time.monotonic()
            running = [
                subprocess.Popen(
                    [self.programs.path(), "export", "--task", str(i + 1), plan, os.path.join(folder, "out")],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    preexec_fn=lambda core=core: os.sched_setaffinity(0, {core}),
                )
                for i, core in enumerate(sorted(os.sched_getaffinity(0))[:tasks])
            ]
            if [process.wait() for process in running] != [0] * tasks:
                raise RuntimeError(f"{store}: a task failed")
            return time.monotonic() - start

        seconds = {}
        for name, tasks in (("one", 1), ("two", 2)):
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                seconds[name] = export(folder, tasks)
        return seconds

    def plan(self):
        """Measures the gain from the tasks of a plan. Writes to the disk of the build folder."""
        small = (
            ["--features", "2000", "--cells", "5000", "--nonzeros", "2000000", "--scaled", "400"]
            if self.options.quick
            else []
        )
        seurat = self.python_store("seurat.h5seurat", "generate_h5seurat.py", *small)
        scale = 10 if self.options.quick else 1
        wide = self.python_store(
            "wide.h5ad",
            "generate_anndata.py",
            "sparse",
            "--cells",
            str(80_000 // scale),
            "--nonzeros",
            str(200_000_000 // scale),
        )
        self.table.heading("Tasks of a plan, each bound to a core")
        for store, options, names, what in (
            (seurat, ["-o", "views=csv"], [], "seurat.h5seurat: all .csv"),
            (wide, [], ["X/matrix.mtx"], "wide.h5ad: X/matrix.mtx"),
        ):
            m = self.median(lambda s=store, o=options, n=names: self.one_task_and_two(s, o, n), alone=True)
            self.table.row(
                f"{what}, two tasks", time_text(m["two"]), f"one task {time_text(m['one'])}", m["two"] / m["one"]
            )

    def growth(self):
        """Measures one matrix repeated many times. The rates must not fall as it grows. The large stores take 30 GB and
        are removed after the measurement."""
        once = 102_400_000 // (100 if self.options.quick else 1)
        base = os.path.join(self.folder, "blocks")
        if not os.path.exists(base):
            subprocess.run(
                [
                    os.path.join(self.build, "tests/bench/generate_bpcells"),
                    "matrix",
                    str(once),
                    base,
                    "33000",
                    str(once // 2560),
                ],
                check=True,
            )
        self.table.heading("BPCells, packed, as it grows")
        for times in (1, 49, 196):
            store = os.path.join(self.folder, f"blocks-{times}")
            subprocess.run(
                [sys.executable, os.path.join(HERE, "repeat_bpcells.py"), store, base, str(times)], check=True
            )
            os.sync()  # so that the disk is not busy with earlier writes
            try:
                with self.mount(store) as mount:
                    path = mount.file("matrix.mtx")
                    sized = timed(os.stat, path)
                    part = min(os.stat(path).st_size, 4 << 30)
                    read = timed(
                        lambda: subprocess.run(["head", "-c", str(part), path], check=True, stdout=subprocess.DEVNULL)
                    )
                    self.table.row(
                        f"{times * once / 1e9:.3g} billion nonzeros: first stat, {time_text(sized)}",
                        f"{times * once / sized / 1e6:.0f} million/s",
                    )
                    self.table.row(
                        f"{times * once / 1e9:.3g} billion nonzeros: the first {part / 1e6:.0f} MB",
                        rate(part, read),
                        f"peak memory {mount.peak_rss() / MIB:.0f} MiB",
                    )
            finally:
                shutil.rmtree(store)

    def row_of(self, store, rows, columns):
        with self.mount(store) as mount:

            def read():
                descriptor = os.open(mount.file("array.npy"), os.O_RDONLY)
                os.pread(descriptor, columns * 4, 128 + rows // 2 * columns * 4)
                os.close(descriptor)

            return {"row": timed(read)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument(
        "--rows",
        default="bpcells|index|hdf5|zarr",
        help="the groups that match, . for all: bpcells, index, native, written, hdf5, takane, anndata, "
        "parts, nwb, vcf, zarr, plan, growth (%(default)s, under 4 minutes)",
    )
    p.add_argument("--against", metavar="REF", help="another commit, which is built beside")
    p.add_argument("--json", metavar="FILE", help="write the rows and every measurement there, too")
    p.add_argument(
        "--patience",
        type=float,
        default=8,
        metavar="SECONDS",
        help="of one row, after which three runs do (%(default)s)",
    )
    p.add_argument("--quick", action="store_true", help="small stores, to see that it works")
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--reads", type=int, default=2000, help="random reads a run")
    p.add_argument("--build", default=os.path.join(HERE, "../../build"), help="the build folder")
    options = p.parse_args()
    bench = Bench(options)
    for group in (
        "bpcells",
        "index",
        "native",
        "written",
        "hdf5",
        "takane",
        "anndata",
        "sizes",
        "parts",
        "nwb",
        "vcf",
        "zarr",
        "plan",
        "growth",
    ):
        if re.search(options.rows, group):
            getattr(bench, group)()
    machine = f"{os.cpu_count()} cores, Linux {platform.release()}, medians of up to {options.runs} runs"
    print(machine)
    print(bench.table)
    if options.against:
        print(f"\nAgainst {options.against}, seconds; ratio above 1: this is faster\n{bench.programs}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(
                {"machine": machine, "rows": bench.table.rows, "medians": bench.programs.medians()}, file, indent=1
            )


if __name__ == "__main__":
    main()
