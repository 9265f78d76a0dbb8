"""Opens listed and found names of golden stores in random order, in a mount and in `plainfs serve`, while the index is
saved and names are released. A name that a listing gave is never absent, whatever else the request made plainfs do.

    names.py [--steps N] [--seed N] [SUITE...]

The names come from a mount that keeps no index. Each quarter of the steps begins with an empty index. In a mount the
kernel forgets names every few steps, if this process may ask it to. Exits with 1 after a failure, with 77 if FUSE is
unavailable.
"""
import argparse
import collections
import contextlib
import os
import random
import shutil
import sys
import tempfile
import urllib.parse

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "mount"), os.path.join(HERE, "..", "serve")]
from mounted import Mount, why_not  # noqa: E402
from effort import EFFORT  # noqa: E402  after mounted, which sets its path
from server import Server  # noqa: E402
from soak import make_mirror  # noqa: E402

FOUND = ("by", "pseudobulk", "genes", "cells", "anndata.zarr", "bpcells", "10x")
MAX_OF_A_FOLDER = 10
DEEPEST = 6
BETWEEN_DROPS = 40


def write_store(path, cells=20000, genes=400, each=50):
    """Writes an AnnData file that takes a while to measure, so that the index is saved."""
    with h5py.File(path, "w") as file:

        def encode(member, kind, version="0.1.0"):
            member.attrs["encoding-type"], member.attrs["encoding-version"] = kind, version
            return member

        encode(file, "anndata")
        for name, count in (("obs", cells), ("var", genes)):
            frame = encode(file.create_group(name), "dataframe", "0.2.0")
            frame.attrs["_index"], frame.attrs["column-order"] = "_index", ["kind"]
            for column, names in (("_index", range(count)), ("kind", (i % 5 for i in range(count)))):
                text = frame.create_dataset(column, data=[f"{name}{i}" for i in names])
                encode(text, "string-array", "0.2.0")
        for name in ("X", "layers/a", "layers/b"):
            group = encode(file.create_group(name), "csr_matrix")
            group.attrs["shape"] = [cells, genes]
            group["data"] = numpy.ones(cells * each, "f4")
            group["indices"] = numpy.tile(numpy.arange(0, genes, genes // each, dtype="i4"), cells)
            group["indptr"] = numpy.arange(0, cells * each + 1, each, dtype="i4")


def names_below(root, numbers):
    """Returns the paths of files in the mount at root: those that listings give, and what is found by name."""
    paths = []

    def walk(path, depth):
        try:
            names = os.listdir(os.path.join(root, path))
        except OSError:
            return  # a damaged group or a name of FOUND that is missing here
        if len(names) > MAX_OF_A_FOLDER:
            names = numbers.sample(sorted(names), MAX_OF_A_FOLDER)
        for name in sorted({*names, *FOUND}):
            below = os.path.join(path, name)
            whole = os.path.join(root, below)
            if os.path.isdir(whole):
                if depth < DEEPEST and not os.path.islink(whole):
                    walk(below, depth + 1)
            elif name not in FOUND:
                paths.append(below)

    walk("", 0)
    return sorted(paths)


def drop_names():
    """Makes the kernel forget names, if this process may."""
    with contextlib.suppress(OSError):
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as drop:
            drop.write("2")


class Random:
    """The next names to open: each kind of file as often as any other."""

    def __init__(self, paths, seed):
        self.numbers = random.Random(seed)
        self.kinds = collections.defaultdict(list)
        for path in paths:
            parts = path.split("/")
            found = next((name for name in FOUND if name in parts[:-1]), parts[-1])
            self.kinds[parts[0], found].append(path)
        self.all = sorted(self.kinds)

    def next(self):
        return self.numbers.choice(self.kinds[self.numbers.choice(self.all)])


def in_mount(mirror, index, paths, steps, found):
    """Returns the names that were absent in a mount."""
    wrong = []
    with Mount(mirror, "-o", f"index={index}") as mount:
        for step in range(steps):
            path = paths.next()
            whole = mount.join(path)
            try:
                if paths.numbers.random() < 0.5:
                    os.stat(whole)
                else:
                    with open(whole, "rb", buffering=0) as file:
                        file.seek(-1, os.SEEK_END)
                        file.read(1)
            except FileNotFoundError as error:
                wrong.append(f"mount: {path}: {error.strerror}")
            except OSError:
                found["errors"] += 1
            if step % BETWEEN_DROPS == 0:
                drop_names()
    return wrong


def in_server(mirror, index, paths, steps, found):
    """Returns the names that were absent for a client of the server."""
    wrong = []
    with Server("--listen", "127.0.0.1:0", "-o", f"index={index}", mirror) as server:
        for _ in range(steps):
            path = paths.next()
            answer = server.ask("/".join(urllib.parse.quote(part) for part in path.split("/")), Range="bytes=0-9")
            if answer.status == 404:
                wrong.append(f"serve: {path}: {answer.body.decode().strip()}")
            elif answer.status >= 400:
                found[f"status {answer.status}"] += 1
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("suites", nargs="*", default=["anndata", "h5seurat", "tenx"], help="folders of the test data")
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-names-"))
    found, wrong = collections.Counter(), []
    try:
        mirror = os.path.join(folder, "mirror")
        os.mkdir(mirror)
        make_mirror(options.suites, mirror)
        write_store(os.path.join(mirror, "large.h5ad"))
        with Mount(mirror) as mount:
            paths = Random(names_below(mount.path, random.Random(options.seed)), options.seed)
        steps = options.steps * EFFORT // 8
        for quarter in range(4):
            for show in (in_mount, in_server):
                index = os.path.join(folder, f"index-{quarter}-{show.__name__}")
                wrong += show(mirror, index, paths, steps, found)
                if not os.listdir(index):
                    wrong.append(f"{show.__name__}: no index was saved")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for line in wrong[:20]:
        print(line)
    count = sum(map(len, paths.kinds.values()))
    print(f"{count} names, {8 * steps} steps, {len(wrong)} absent; {dict(found)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
