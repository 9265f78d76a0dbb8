"""Mounting, timing and reading for the rows of the benchmark."""
import contextlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20

# A fresh mount is cold: it finds no measurements of an earlier one. Rows about the index override this.
os.environ["PLAINFS_INDEX"] = "none"


class Mount:
    """A program that stays in the foreground and serves a mountpoint until the with block ends."""

    def __init__(self, command):
        self.command = command

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        self.process = subprocess.Popen(
            [*self.command, self.path, "-f"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not os.path.ismount(self.path):
            if self.process.poll() is not None:
                raise RuntimeError(f"{' '.join(self.command)}: exit status {self.process.returncode}")
            time.sleep(0.001)
        return self

    def __exit__(self, *unused):
        subprocess.run(["fusermount3", "-u", self.path], check=True)
        self.process.wait()
        self.folder.cleanup()

    def file(self, name):
        return os.path.join(self.path, name)

    def user_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as f:
            return int(f.read().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")

    def peak_rss(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))


@contextlib.contextmanager
def stopwatch():
    seconds = [0.0]
    start = time.perf_counter()
    yield seconds
    seconds[0] = time.perf_counter() - start


def timed(work, *arguments):
    with stopwatch() as seconds:
        work(*arguments)
    return seconds[0]


def cat(path):
    with open(os.devnull, "wb") as null:
        subprocess.run(["cat", path], stdout=null, check=True)


def warm(path):
    """Brings a store into the page cache."""
    for folder, _, files in os.walk(path):
        for name in files:
            cat(os.path.join(folder, name))
    if os.path.isfile(path):
        cat(path)


def random_reads(path, count, size=4096, seed=1):
    """Returns the seconds of each of `count` reads at random places."""
    rng = random.Random(seed)
    end = os.stat(path).st_size - size
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        return [timed(os.pread, descriptor, size, rng.randrange(end)) for _ in range(count)]
    finally:
        os.close(descriptor)


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def median_of(samples):
    """Returns the median of each key over a list of dictionaries."""
    return {key: statistics.median(s[key] for s in samples) for key in samples[0]}


def seconds_of(code, *arguments):
    """Returns the output of a separate Python program: the seconds that it measured without its imports."""
    out = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True).stdout
    return float(out)
