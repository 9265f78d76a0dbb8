"""Random reads of a mirror of all fixtures by many readers at once, compared with an export. The store is reopened
(SIGUSR1) during the reads, and unmounted and mounted again between rounds.

    soak.py [--seconds N] [--readers N] [--cache SIZE] [--descriptors N] [--round N] [--seed N] [SUITE...]

The mirror holds the stores of the suites (all, or the named ones) without their expected files. It and its export are
made once, in tests/soak of the build folder, and again if the program or the stores are newer or the budget is another.
Every byte must match the export, every error must be one that the export has met, and memory must stay within the
cache's budget plus 80 MiB (32 readers have needed 69 within an hour, 61 within minutes). Exits with 1 after a failure,
with 77 if FUSE is unavailable.
"""
import argparse
import collections
import contextlib
import fcntl
import glob
import multiprocessing
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mount"))
from mounted import DATA, PROGRAM, daemon_of, is_mounted, wait_until, why_not  # noqa: E402
from effort import EFFORT  # noqa: E402  after mounted, which sets its path

ROOM_MIB = 80  # in addition to the budget
MAX_READ = 1 << 20


def mib(text):
    units = {"k": 1 / 1024, "m": 1, "g": 1024}
    return float(text[:-1]) * units[text[-1]]


def newest(folder):
    return max(os.stat(at).st_mtime_ns for at, _, _ in os.walk(folder))


def make_mirror(suites, folder):
    """Links the stores of the suites without their expected texts: a mirror of half the files."""
    for suite in suites:
        shutil.copytree(
            os.path.join(DATA, suite),
            os.path.join(folder, suite),
            symlinks=True,
            copy_function=os.link,
            ignore=shutil.ignore_patterns("expected"),
        )


def mirror_and_export(suites, cache):
    """Returns a mirrored folder, and the files of an export of it with the same budget of the cache: a store of larger
    blocks does not open."""
    folder = os.path.join(DATA, "..", "soak", "-".join(suites) or "all")
    mirror, export, built = (os.path.join(folder, name) for name in ("mirror", "export", "made"))
    suites = suites or sorted(
        name for name in os.listdir(DATA) if os.path.isdir(os.path.join(DATA, name, "")) and name != "CMakeFiles"
    )
    state = f"{cache} {os.stat(PROGRAM).st_mtime_ns} {max(newest(os.path.join(DATA, suite)) for suite in suites)}"
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another soak over the same suites may start now
        if not os.path.exists(built) or open(built, encoding="ascii").read() != state:
            shutil.rmtree(folder, ignore_errors=True)
            make_mirror(suites, mirror)
            subprocess.run(
                [PROGRAM, "export", "--views=listed", "-o", f"cache_size={cache}", mirror, export],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            with open(built, "w", encoding="ascii") as out:
                out.write(state)
    files = []
    for at, _, names in os.walk(export):
        files += [
            os.path.relpath(os.path.join(at, name), export)
            for name in names
            if not os.path.islink(os.path.join(at, name)) and not name.endswith((".gz", ".tbi", ".csi"))
        ]  # an export deflates these
    return os.path.realpath(mirror), os.path.realpath(export), sorted(files)


def read_all(descriptor, length, offset):
    """Reads a range. A read that meets an error after its first page returns the bytes before it, and the next one
    fails."""
    got = b""
    while len(got) < length:
        more = os.pread(descriptor, length - len(got), offset + len(got))
        if not more:
            break
        got += more
    return got


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
                length = min(self.random.choice((1, 100, 4096, 65536, MAX_READ)), size - offset)
                got = read_all(shown.fileno(), length, offset)
                self.found["bytes"] += len(got)
                if got != os.pread(good.fileno(), length, offset):
                    return (
                        f"other bytes at {offset}, {len(got)} of {length}; "
                        f"now of {os.fstat(shown.fileno()).st_size} bytes, not {size}"
                    )
        return None

    def times_reopened(self):
        while True:
            with contextlib.suppress(OSError):  # opened before the store was reopened
                with open(os.path.join(self.mountpoint, ".plainfs", "stats.json"), encoding="utf-8") as stats:
                    return int(re.search(r'"reopened": *(\d+)', stats.read()).group(1))

    def reason(self, path):
        try:
            return os.getxattr(os.path.join(self.mountpoint, path), "user.plainfs.error").decode()
        except OSError as error:
            return f"no reason: {error.strerror}"

    def read_one(self):
        path = self.random.choice(self.files)
        start = time.monotonic()
        # A file opened before the store was reopened fails. Opened again, it must not.
        attempts = 0
        while attempts < 3:
            times = self.times_reopened()
            try:
                with open(os.path.join(self.mountpoint, path), "rb", buffering=0) as shown:
                    wrong = self.compare(path, shown)
                break
            except OSError as error:
                attempts += self.times_reopened() == times
                wrong = (
                    f"{error.strerror} in {attempts} attempts during which the store was not opened again "
                    f"({self.reason(path)})"
                )
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
    """The maximum memory and descriptors of the daemon so far."""

    def __init__(self):
        self.max_kib = 0
        self.max_descriptors = 0

    def look(self, pid):
        try:
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                fields = dict(line.split(":", 1) for line in status)
            self.max_kib = max(self.max_kib, int(fields["VmHWM"].split()[0]))
            self.max_descriptors = max(self.max_descriptors, len(os.listdir(f"/proc/{pid}/fd")))
        except (OSError, KeyError):
            pass


def mount(mirror, mountpoint, options):
    def limit():
        if options.descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (options.descriptors, options.descriptors))

    subprocess.run(
        [PROGRAM, "-o", f"cache_size={options.cache},log_file={mountpoint}.log", mirror, mountpoint],
        check=True,
        preexec_fn=limit,
    )
    return daemon_of(mountpoint)


def threads_of(pid):
    """Returns what each thread of a process waits for: its name, its place in the kernel and its system call."""
    threads = []
    for thread in sorted(glob.glob(f"/proc/{pid}/task/*")):
        try:
            texts = [pathlib.Path(thread, name).read_text().strip() for name in ("comm", "wchan", "syscall")]
        except OSError as error:
            texts = [str(error)]
        threads.append(" ".join(texts))
    return f"process {pid}: " + "; ".join(threads)


def one_round(options, number, mountpoint, mirror, export, files, watch, end):
    pid = mount(mirror, mountpoint, options)
    stop, results = multiprocessing.Event(), multiprocessing.Queue()
    readers = [
        multiprocessing.Process(
            target=Reader(mountpoint, export, files, options.seed * 1000003 + number * 1009 + i).run,
            args=(stop, results),
        )
        for i in range(options.readers)
    ]
    for reader in readers:
        reader.start()
    round_end = min(end, time.monotonic() + options.round)
    while time.monotonic() < round_end:
        time.sleep(min(1, max(0, round_end - time.monotonic())))
        watch.look(pid)
        if random.random() < 0.5:
            os.kill(pid, signal.SIGUSR1)
    stop.set()
    output = [results.get(timeout=120) for _ in readers]
    for reader in readers:
        reader.join()
    watch.look(pid)
    subprocess.run(["fusermount3", "-u", mountpoint], check=True)
    if not wait_until(lambda: daemon_of(mountpoint) is None, 10):
        output.append((collections.Counter(), [f"still there after it was unmounted: {threads_of(pid)}"], 0))
    return output


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--readers", type=int, default=32)
    parser.add_argument("--cache", default="1m")
    parser.add_argument("--descriptors", type=int, help="ulimit -n of the mount")
    parser.add_argument("--round", type=float, default=15, help="seconds between unmounts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("suites", nargs="*", help="folders of the test data; all where none is named")
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-soak-"))
    mountpoint = os.path.join(folder, "mount")
    os.mkdir(mountpoint)
    random.seed(options.seed)
    total, wrong, slowest, watch, rounds, printed = collections.Counter(), [], 0.0, Watch(), 0, collections.Counter()
    start = time.monotonic()
    try:
        mirror, export, files = mirror_and_export(options.suites, options.cache)
        start = time.monotonic()
        end = time.monotonic() + options.seconds * EFFORT
        while time.monotonic() < end and not wrong:
            for found, bad, longest in one_round(options, rounds, mountpoint, mirror, export, files, watch, end):
                total += found
                wrong += bad
                slowest = max(slowest, longest)
            rounds += 1
        with open(f"{mountpoint}.log", encoding="utf-8", errors="replace") as log:
            printed = collections.Counter(re.sub(r"^\S+ ", "", line.strip()) for line in log)
    finally:
        if is_mounted(mountpoint):
            subprocess.run(["fusermount3", "-u", "-z", mountpoint], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    most = mib(options.cache) + ROOM_MIB
    if watch.max_kib / 1024 > most:
        wrong.append(f"{watch.max_kib / 1024:.0f} MiB of memory, {most:.0f} are allowed")
    for line in wrong[:20]:
        print(line)
    if wrong:
        for line, times in printed.most_common(20):
            print(f"log, {times} times: {line}")
    print(
        f"{time.monotonic() - start:.0f} s, {rounds} mounts, {len(files)} files: {total['reads']} reads, "
        f"{total['bytes'] / 1e6:.0f} MB compared, {total['again']} opened again, {len(wrong)} wrong; "
        f"slowest {slowest:.2f} s, {watch.max_kib / 1024:.1f} MiB, {watch.max_descriptors} descriptors"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
