"""Random reads of two mounts while their server fails at random, compared with an export of the same stores.

    server_faults.py [--seconds N] [--readers N] [--rate R] [--seed N]

A share R of the replies is a fault: an error of the server, 403, a connection that is closed, a body that is cut short,
slow, of another length, at another place, of another version or encoded, or a reply without ranges. Every byte that a
reader gets must be right; an error is right too. Now and then the store is opened again. The mounts must live, and at
the end, without faults, every file must be whole. Exits with 1 after a failure, with 77 if FUSE is unavailable.
"""
import argparse
import collections
import multiprocessing
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "mount"), os.path.join(HERE, "..", "support")]
from mounted import PROGRAM, daemon_of, is_mounted, wait_until, why_not  # noqa: E402
from effort import EFFORT  # noqa: E402
from soak import Reader, Watch, threads_of  # noqa: E402
from store_server import Fault, StoreServer  # noqa: E402

STORES = ("x.h5", "x.zarr")
KINDS = {
    "500": lambda dice: Fault("status", status=500),
    "502": lambda dice: Fault("status", status=502),
    "503": lambda dice: Fault("status", status=503, code="SlowDown"),
    "429": lambda dice: Fault("status", status=429, retry_after=1),
    "403": lambda dice: Fault("status", status=403, code="AccessDenied"),
    "reset": lambda dice: Fault("hang up"),
    "short body": lambda dice: Fault("cut", bytes=dice.choice((0, 1, 1000, 70_000))),
    "slow": lambda dice: Fault("slow", seconds=dice.random()),
    "stalled": lambda dice: Fault("stall", seconds=dice.random()),
    "wrong length": lambda dice: Fault("wrong length", more=dice.choice((-1000, -1, 1, 1000))),
    "wrong range": lambda dice: Fault("wrong range", shift=dice.choice((1, 512))),
    "no ranges": lambda dice: Fault("no ranges"),
    "another version": lambda dice: Fault("other version"),
    "encoded": lambda dice: Fault("encoded"),
}


class FailingServer(StoreServer):
    def __init__(self, root, rate, seed):
        super().__init__(root)
        self.rate, self.dice, self.counts = rate, random.Random(seed), collections.Counter()

    def fault_for(self, path):
        with self.lock:
            self.requests.clear()  # half an hour has many
            self.authorizations.clear()
            self.counts["requests"] += 1
            if self.dice.random() >= self.rate:
                return None
            kind = self.dice.choice(list(KINDS))
            self.counts[kind] += 1
            return KINDS[kind](self.dice)


class ForgivingReader(Reader):
    """Counts errors, which are right."""

    def read_one(self):
        path = self.random.choice(self.files)
        start = time.monotonic()
        wrong = None
        try:
            with open(os.path.join(self.mountpoint, path), "rb", buffering=0) as shown:
                wrong = self.compare(path, shown)
        except OSError as error:
            self.found[error.strerror] += 1
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.found["reads"] += 1
        if wrong:
            self.wrong.append(f"{path}: {wrong}")


def write_stores(folder):
    import zarr

    dice = numpy.random.default_rng(1)
    arrays = {
        "matrix": (dice.normal(size=(600, 400)), (60, 100)),
        "counts": (dice.integers(0, 9, 300_000), (20_000,)),
        "names": (numpy.array([f"name{i}" for i in range(20_000)], dtype="S9"), (3_000,)),
    }
    with h5py.File(os.path.join(folder, "x.h5"), "w") as file:
        for name, (values, chunks) in arrays.items():
            file.create_dataset(f"{name}/{name}", data=values, chunks=chunks, compression="gzip")
            file[name].attrs["of"] = name
    group = zarr.open_group(os.path.join(folder, "x.zarr"), "w")
    for name, (values, chunks) in arrays.items():
        group.create_group(name).array(name, values, chunks=chunks, fill_value=None)
        group[name].attrs["of"] = name
    zarr.consolidate_metadata(group.store)


def export(store, folder):
    """Returns the names of the exported files."""
    subprocess.run([PROGRAM, "export", store, folder], capture_output=True, check=True)
    return sorted(
        os.path.relpath(os.path.join(at, name), folder)
        for at, _, names in os.walk(folder)
        for name in names
        if not os.path.islink(os.path.join(at, name)) and not name.endswith(".gz") and "provenance" not in name
    )


class Mounted:
    """A store of the server, its readers, and what they must find."""

    def __init__(self, server, name, folder, options):
        kind = name.partition(".")[2]
        self.export, self.point = os.path.join(folder, "export-" + kind), os.path.join(folder, "mount-" + kind)
        self.files = export(os.path.join(server.root, name), self.export)
        os.mkdir(self.point)
        settings = f"index=none,cache_size=1m,remote_timeout=5,log_file={self.point}.log"
        environment = {**os.environ, "AWS_MAX_ATTEMPTS": "3"}
        subprocess.run([PROGRAM, "-o", settings, f"{server.url}/{name}", self.point], check=True, env=environment)
        self.pid = daemon_of(self.point)
        self.watch, self.results, self.stop = Watch(), multiprocessing.Queue(), multiprocessing.Event()
        self.readers = [
            multiprocessing.Process(
                target=ForgivingReader(self.point, self.export, self.files, options.seed * 1009 + i).run,
                args=(self.stop, self.results),
            )
            for i in range(options.readers)
        ]

    def lives(self):
        self.watch.look(self.pid)
        return os.path.exists(f"/proc/{self.pid}") and is_mounted(self.point)

    def end(self, found, wrong):
        """Ends the readers. Adds what they found."""
        self.stop.set()
        slowest = 0.0
        for _ in self.readers:
            try:
                more, bad, longest = self.results.get(timeout=120)
            except queue.Empty:
                wrong.append(f"a reader of {self.point} does not end: {threads_of(self.pid)}")
                continue
            found += more
            wrong += bad
            slowest = max(slowest, longest)
        return slowest

    def whole_files(self):
        """Returns the files that are not right without faults."""
        done = subprocess.run([PROGRAM, "reload", self.point], capture_output=True, check=False)
        reader = Reader(self.point, self.export, self.files, 0)
        bad = [] if done.returncode == 0 else [f"reload: {done.stderr.decode()}"]
        for path in self.files:
            try:
                with open(os.path.join(self.point, path), "rb") as shown, open(
                    os.path.join(self.export, path), "rb"
                ) as good:
                    if shown.read() != good.read():
                        bad.append(f"{path}: other bytes after the faults")
            except OSError as error:
                bad.append(f"{path}: {error.strerror} after the faults ({reader.reason(path)})")
        return bad


def run(options, folder):
    found, wrong, slowest = collections.Counter(), [], 0.0
    stores = os.path.join(folder, "stores")
    os.mkdir(stores)
    write_stores(stores)
    dice = random.Random(options.seed)
    mounts = []
    try:
        with FailingServer(stores, 0, options.seed) as server:
            mounts = [Mounted(server, name, folder, options) for name in STORES]
            for mount in mounts:
                for reader in mount.readers:
                    reader.start()
            server.rate = options.rate
            end = time.monotonic() + options.seconds * EFFORT
            while time.monotonic() < end and all(mount.lives() for mount in mounts):
                time.sleep(min(1, max(0, end - time.monotonic())))
                for mount in mounts:
                    if dice.random() < 0.2:
                        os.kill(mount.pid, signal.SIGUSR1)
                        found["opened again"] += 1
            slowest = max(mount.end(found, wrong) for mount in mounts)
            server.rate = 0
            for mount in mounts:
                wrong += mount.whole_files() if mount.lives() else [f"{mount.point}: the mount has ended"]
            found += server.counts
    finally:
        for mount in mounts:
            if is_mounted(mount.point):
                subprocess.run(["fusermount3", "-u", "-z", mount.point], check=False)
            wait_until(lambda: daemon_of(mount.point) is None, 10)
    memory = max((mount.watch.max_kib / 1024 for mount in mounts), default=0)
    return found, wrong, slowest, memory


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--readers", type=int, default=4, help="of each store")
    parser.add_argument("--rate", type=float, default=0.1, help="of faults among replies")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-soak-"))
    start = time.monotonic()
    try:
        found, wrong, slowest, memory = run(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for line in wrong[:20]:
        print(line)
    print(
        f"{time.monotonic() - start:.0f} s, slowest read {slowest:.1f} s, {memory:.0f} MiB, {len(wrong)} wrong;",
        ", ".join(f"{name}: {count}" for name, count in sorted(found.items())),
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
