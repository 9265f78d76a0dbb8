"""Random reads of a mirror of all fixtures by many readers at once, compared with an export; the store is reopened
(SIGUSR1) under them, and unmounted and mounted again between rounds.

    soak.py [--seconds N] [--readers N] [--cache SIZE] [--descriptors N] [--round N] [--seed N]

Every byte must be the export's, every error one that the export has met, and memory stays within the cache's budget and
64 MiB. Ends with 1 where that is not so, with 77 where FUSE cannot be used.
"""
import argparse
import collections
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mount"))
from mounted import DATA, PROGRAM, daemon_of, is_mounted, wait_until, why_not  # noqa: E402

ROOM_MIB = 64  # beside the budget
MOST_READ = 1 << 20


def mib(text):
    units = {"k": 1 / 1024, "m": 1, "g": 1024}
    return float(text[:-1]) * units[text[-1]]


def export_of(folder):
    """What the mirror must show: the export, and the paths whose reading fails."""
    target = os.path.join(folder, "export")
    result = subprocess.run([PROGRAM, "export", DATA, target], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    files = []
    for at, _, names in os.walk(target):
        files += [os.path.relpath(os.path.join(at, name), target) for name in names if not os.path.islink(os.path.join(at, name))]
    return target, sorted(files), result


class Reader:
    """One process: opens a file at random, reads some of it, and compares."""

    def __init__(self, mountpoint, export, files, seed):
        self.mountpoint, self.export, self.files = mountpoint, export, files
        self.random = random.Random(seed)
        self.found = collections.Counter()
        self.wrong = []
        self.slowest = 0.0

    def compare(self, path, shown):
        with open(os.path.join(self.export, path), "rb") as good:
            size = os.fstat(good.fileno()).st_size
            if self.random.random() < 0.3 and os.fstat(shown.fileno()).st_size != size:
                return f"{os.fstat(shown.fileno()).st_size} bytes, not {size}"
            for _ in range(self.random.randint(1, 4)):
                offset = self.random.randrange(size + 1)
                length = min(self.random.choice((1, 100, 4096, 65536, MOST_READ)), size - offset)
                got = os.pread(shown.fileno(), length, offset)
                self.found["bytes"] += len(got)
                if got != os.pread(good.fileno(), length, offset):
                    return f"other bytes at {offset}, {len(got)} of {length}"
        return None

    def read_one(self):
        path = self.random.choice(self.files)
        start = time.monotonic()
        # A file that was opened before the store was reopened fails; opened anew it must not.
        for attempt in range(4):
            try:
                with open(os.path.join(self.mountpoint, path), "rb", buffering=0) as shown:
                    wrong = self.compare(path, shown)
                break
            except OSError as error:
                wrong = f"{error.strerror} in {attempt + 1} attempts"
                self.found["again"] += 1
                time.sleep(0.05)
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.found["reads"] += 1
        if wrong:
            self.wrong.append(f"{path}: {wrong}")

    def run(self, stop, results):
        while not stop.is_set() and len(self.wrong) < 20:
            self.read_one()
        results.put((self.found, self.wrong, self.slowest))


class Watch:
    """The most memory and descriptors that the daemon has had."""

    def __init__(self):
        self.most_kib = 0
        self.most_descriptors = 0

    def look(self, pid):
        try:
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                fields = dict(line.split(":", 1) for line in status)
            self.most_kib = max(self.most_kib, int(fields["VmHWM"].split()[0]))
            self.most_descriptors = max(self.most_descriptors, len(os.listdir(f"/proc/{pid}/fd")))
        except (OSError, KeyError):
            pass


def mount(mountpoint, options):
    def limit():
        if options.descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (options.descriptors, options.descriptors))
    subprocess.run([PROGRAM, "-o", f"cache_size={options.cache}", DATA, mountpoint], check=True, preexec_fn=limit)
    return daemon_of(mountpoint)


def one_round(options, number, mountpoint, export, files, watch, end):
    pid = mount(mountpoint, options)
    stop, results = multiprocessing.Event(), multiprocessing.Queue()
    readers = [multiprocessing.Process(target=Reader(mountpoint, export, files, options.seed * 1000003 + number * 1009 + i).run, args=(stop, results))
               for i in range(options.readers)]
    for reader in readers:
        reader.start()
    round_end = min(end, time.monotonic() + options.round)
    while time.monotonic() < round_end:
        time.sleep(min(1, max(0, round_end - time.monotonic())))
        watch.look(pid)
        if random.random() < 0.5:
            os.kill(pid, signal.SIGUSR1)
    stop.set()
    told = [results.get(timeout=120) for _ in readers]
    for reader in readers:
        reader.join()
    watch.look(pid)
    subprocess.run(["fusermount3", "-u", mountpoint], check=True)
    if not wait_until(lambda: daemon_of(mountpoint) is None, 10):
        told.append((collections.Counter(), [f"the program (pid {pid}) is still there after it was unmounted"], 0))
    return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--readers", type=int, default=32)
    parser.add_argument("--cache", default="1m")
    parser.add_argument("--descriptors", type=int, help="ulimit -n of the mount")
    parser.add_argument("--round", type=float, default=15, help="seconds between unmounts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-soak-"))
    mountpoint = os.path.join(folder, "mount")
    os.mkdir(mountpoint)
    random.seed(options.seed)
    total, wrong, slowest, watch, rounds = collections.Counter(), [], 0.0, Watch(), 0
    start = time.monotonic()
    try:
        export, files, _ = export_of(folder)
        end = time.monotonic() + options.seconds
        while time.monotonic() < end and not wrong:
            for found, bad, longest in one_round(options, rounds, mountpoint, export, files, watch, end):
                total += found
                wrong += bad
                slowest = max(slowest, longest)
            rounds += 1
    finally:
        if is_mounted(mountpoint):
            subprocess.run(["fusermount3", "-u", "-z", mountpoint], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    most = mib(options.cache) + ROOM_MIB
    if watch.most_kib / 1024 > most:
        wrong.append(f"{watch.most_kib / 1024:.0f} MiB of memory, {most:.0f} are allowed")
    for line in wrong[:20]:
        print(line)
    print(f"{time.monotonic() - start:.0f} s, {rounds} mounts, {len(files)} files: {total['reads']} reads, {total['bytes'] / 1e6:.0f} MB compared, "
          f"{total['again']} opened again, {len(wrong)} wrong; slowest {slowest:.2f} s, {watch.most_kib / 1024:.1f} MiB, {watch.most_descriptors} descriptors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
