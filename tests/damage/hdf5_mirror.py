"""Changed HDF5 files of five kinds by the thousand, mounted in a mirror beside a healthy HDF5 store and a healthy
BPCells store.

    hdf5_mirror.py [--count N] [--seed N] [--only NUMBER] [--keep FOLDER] [--batch N] [--readers N]

Everything in every changed file is read twice. It may be unchanged, an error, another value, or no store, which is
shown as a plain file. It must not differ in size from its stat, differ in the second read, or hang. The healthy stores
give their bytes throughout, never an error, within 35 seconds (libhdf5's process may be silent for 30 before it is
ended), and the daemon survives. Failures are named by number. --only NUMBER with the same --seed generates and reads
that file alone, and --keep keeps the failures. Exits with 1 after a failure, with 77 if FUSE is unavailable.
"""
import argparse
import collections
import contextlib
import errno
import hashlib
import multiprocessing
import os
import queue
import re
import shutil
import stat
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mount"))
from mounted import PROGRAM, daemon_of, is_mounted, run, wait_until, why_not  # noqa: E402
from effort import EFFORT  # noqa: E402  after mounted, which sets its path
from hdf5_variants import KINDS, Original, Variant, store_of  # noqa: E402

HEALTHY = {"healthy_hdf5": "hdf5/numeric", "healthy_bpcells": "bpcells/mat_packed_uint_col"}
# Directory of the mount itself, not of the store.
OWN = ".plainfs"
MAX_READ = 1 << 20  # at each end of a file
MAX_SILENCE = 35
MAX_READING = 120  # for a changed file: several questions may be silent for 30 seconds each


# Reading


class Wrong(Exception):
    pass


def digest(content):
    return hashlib.blake2b(content, digest_size=16).digest()


def read_ends(descriptor, size):
    """Returns the whole file, or both ends of a large one, and one byte past its end."""
    found = []
    for start, end in ((0, size),) if size <= 2 * MAX_READ else ((0, MAX_READ), (size - MAX_READ, size)):
        while start < end + (end == size):
            piece = os.pread(descriptor, min(MAX_READ, end - start + (end == size)), start)
            found.append(piece)
            start += len(piece)
            if not piece:
                break
        if start != end:
            raise Wrong(f"has {start} bytes where stat gives {size}")
    return b"".join(found)


def read_twice(path):
    """Returns a digest of a file. Raises OSError, or Wrong if the second read differs."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        first = read_ends(descriptor, size)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)  # otherwise the kernel would return its cached copy
        if read_ends(descriptor, size) != first:
            raise Wrong("reads otherwise the second time")
        return size, digest(first)
    finally:
        os.close(descriptor)


def walk(top, found, say=lambda path: None, below="", depth=0):
    """Adds everything below `top` to `found`: path -> digest of a file, target of a link, or number of an error."""
    say(below)
    try:
        entries = list(os.scandir(os.path.join(top, below)))
    except OSError as error:
        found[below + "/"] = error.errno
        return
    found[below + "/"] = "folder"
    for entry in entries:
        path = os.path.join(below, entry.name)
        if entry.name == OWN:
            continue
        say(path)
        try:
            if entry.is_symlink():
                found[path] = os.readlink(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if depth < 40:
                    walk(top, found, say, path, depth + 1)
            else:
                found[path] = read_twice(entry.path)
        except Wrong as wrong:
            raise Wrong(f"{path}: {wrong}") from wrong
        except OSError as error:
            found[path] = error.errno


def shown_by(path):
    """Returns the content shown for the file at `path`: path -> as in walk; {"": digest} if it is not recognised as a
    store."""
    found = {}
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            walk(path, found)
        else:
            found[""] = read_twice(path)
    except OSError as error:
        found[""] = error.errno
    return found


def outcome(good, now):
    if list(now) == [""]:
        return "error" if isinstance(now[""], int) else "no store"
    is_error = any(isinstance(value, int) for value in now.values()) or any(path not in now for path in good)
    if any(not isinstance(value, int) and good.get(path) != value for path, value in now.items()):
        return "changed"
    return "error" if is_error else "same"


# The healthy stores: read in a separate process, so that the readers do not delay it


class Healthy:
    def __init__(self, mountpoint, good):
        self.mountpoint, self.good = mountpoint, good
        self.stop = multiprocessing.Event()
        self.now = multiprocessing.Value("d", 0.0)  # start of the pending question; 0: none
        self.results = multiprocessing.Queue()
        self.process = multiprocessing.Process(target=self.compare_all, daemon=True)
        self.process.start()

    def answer(self, question, path):
        started = time.monotonic()
        self.now.value = started
        try:
            found = question(os.path.join(self.mountpoint, path))
        except (OSError, Wrong) as error:
            found = error
        self.now.value = 0
        self.slowest = max(self.slowest, time.monotonic() - started)
        return found

    def compare(self, path, expected):
        found = self.answer(lambda at: sorted(os.listdir(at)) if isinstance(expected, list) else read_twice(at), path)
        if found != expected and len(self.wrong) < 20:
            self.wrong.append(f"{path}: {found!r} instead of {expected!r}")

    def compare_all(self):
        self.slowest, self.wrong, rounds = 0.0, [], 0
        while not rounds or not self.stop.is_set():
            for store, files in self.good.items():
                for path, expected in files.items():
                    self.compare(os.path.join(store, path), expected)
            rounds += 1
            self.stop.wait(0.02)  # otherwise it takes half of the time of the others
        self.results.put((self.slowest, self.wrong, rounds))

    def silence(self):
        began = self.now.value
        return time.monotonic() - began if began else 0

    def end(self):
        self.stop.set()
        try:
            return self.results.get(timeout=MAX_SILENCE)
        except queue.Empty:
            return self.silence(), ["no answer"], 0


def good_of_healthy(folder):
    """Returns store -> path -> digest or list, from two exports."""
    good = {}
    for name, case in HEALTHY.items():
        export = os.path.join(folder, name)
        os.makedirs(export)
        built = run(
            "sh",
            "-c",
            '"$1" export --tar --views=listed "$2" - | tar -xf - -C "$3"',
            "sh",
            PROGRAM,
            store_of(case),
            export,
        )
        if built.returncode != 0:
            raise RuntimeError(f"export of {case}: {built.stderr.decode()}")
        files = good[os.path.basename(healthy_name(name))] = {}
        for at, folders, names in os.walk(export):
            inside = os.path.relpath(at, export)
            files[inside] = sorted(folders + names)
            for file in names:
                if not os.path.islink(os.path.join(at, file)):
                    files[os.path.normpath(os.path.join(inside, file))] = read_twice(os.path.join(at, file))
    return good


def healthy_name(name):
    return name + os.path.splitext(store_of(HEALTHY[name]))[1]


def put_healthy(folder):
    for name in HEALTHY:
        store, target = store_of(HEALTHY[name]), os.path.join(folder, healthy_name(name))
        (shutil.copytree if os.path.isdir(store) else shutil.copy)(store, target)


# One mount


class Mirror:
    """A mounted folder: with Mirror(folder) as mirror."""

    def __init__(self, folder):
        self.folder = folder
        self.path, self.log = folder + ".mount", folder + ".log"

    def __enter__(self):
        os.mkdir(self.path)
        built = run(PROGRAM, "-o", f"cache_size=4m,log_file={self.log}", self.folder, self.path)
        if built.returncode != 0:
            raise RuntimeError(f"the mirror is not mounted: {built.stderr.decode()}")
        self.pid = daemon_of(self.path)
        return self

    def is_alive(self):
        return self.pid is not None and daemon_of(self.path) == self.pid

    def endings(self):
        with open(self.log, "rb") as log:
            return collections.Counter(
                int(number)
                for number in re.findall(rb"/(\d+)\.[^\n]*libhdf5 ended while reading this file: ", log.read())
            )

    def __exit__(self, *_):
        if is_mounted(self.path):
            run("fusermount3", "-u", "-z", self.path)
        wait_until(lambda: not os.path.exists(f"/proc/{self.pid}"), 60)
        os.rmdir(self.path)


class Readers:
    """Threads that read the variants of a mirror."""

    def __init__(self, mirror, variants, count):
        self.mirror = mirror
        self.left = list(reversed(variants))
        self.found = []  # (variant, outcome, seconds)
        self.wrong = []  # (variant, what)
        self.began = {}  # thread -> (time, variant)
        self.threads = [threading.Thread(target=self.read_all, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def read_all(self):
        with contextlib.suppress(IndexError):
            while True:
                self.read(self.left.pop())

    def read(self, variant):
        began = time.monotonic()
        self.began[threading.get_ident()] = (began, variant)
        try:
            now = shown_by(os.path.join(self.mirror.path, variant.name))
            if errno.ENOTCONN in now.values():
                self.wrong.append((variant, "the mount is gone"))
            if isinstance(now.get(""), tuple) and now[""] != (len(variant.bytes), digest(variant.bytes)):
                self.wrong.append((variant, "is shown as it is, with other bytes"))
            self.found.append((variant, outcome(variant.original.good, now), time.monotonic() - began))
        except Wrong as wrong:
            self.wrong.append((variant, str(wrong)))
        del self.began[threading.get_ident()]

    def wait(self, healthy):
        while any(thread.is_alive() for thread in self.threads):
            for began, variant in list(self.began.values()):
                if time.monotonic() - began > MAX_READING:
                    self.wrong.append((variant, f"is not read within {MAX_READING:.0f} seconds"))
                    return
            if healthy.silence() > MAX_SILENCE:
                self.wrong += [
                    (variant, "the healthy stores are silent meanwhile") for _, variant in list(self.began.values())
                ]
                return
            for thread in self.threads:
                thread.join(0.1)


class Totals:
    def __init__(self):
        self.outcomes = collections.Counter()  # (kind, outcome)
        self.endings = collections.Counter()  # kind
        self.slowest = collections.defaultdict(float)  # kind: seconds of a file
        self.healthy_slowest, self.healthy_rounds = 0.0, 0
        self.wrong = []

    def table(self):
        lines = [
            f"{'kind':10}{'files':>8}{'same':>8}{'error':>8}{'changed':>9}{'no store':>10}"
            f"{'libhdf5 ended':>15}{'slowest file':>14}"
        ]
        for kind in KINDS:
            counts = [self.outcomes[kind, outcome] for outcome in ("same", "error", "changed", "no store")]
            lines.append(
                f"{kind:10}{sum(counts):8}{counts[0]:8}{counts[1]:8}{counts[2]:9}{counts[3]:10}"
                f"{self.endings[kind]:15}{self.slowest[kind]:12.2f} s"
            )
        lines.append(
            f"the healthy stores were compared {self.healthy_rounds} times; "
            f"their slowest answer took {self.healthy_slowest:.2f} s; "
            f"{len(self.wrong)} failed"
        )
        return "\n".join(lines)


def keep(folder, variant):
    if folder:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, variant.name), "wb") as file:
            file.write(variant.bytes)


def one_batch(options, numbers, originals, good, folder, totals):
    os.mkdir(folder)
    put_healthy(folder)
    variants = [Variant(number, options.seed, originals) for number in numbers]
    by_number = {variant.number: variant for variant in variants}
    for variant in variants:
        with open(os.path.join(folder, variant.name), "wb") as file:
            file.write(variant.bytes)
    wrong = []
    with Mirror(folder) as mirror:
        healthy = Healthy(mirror.path, good)
        readers = Readers(mirror, variants, options.readers)
        readers.wait(healthy)
        slowest, complaints, rounds = healthy.end()
        totals.healthy_slowest = max(totals.healthy_slowest, slowest)
        totals.healthy_rounds += rounds
        if slowest > MAX_SILENCE:
            complaints.append(f"silent for {slowest:.1f} seconds")
        around = f"among {numbers[0]} to {numbers[-1]}"
        wrong += [f"{around}: healthy store: {complaint}" for complaint in complaints]
        wrong += [f"{variant}: {what}" for variant, what in readers.wrong]
        if not mirror.is_alive():
            wrong.append(f"{around}: the daemon has ended")
        for variant, _ in readers.wrong:
            keep(options.keep, variant)
    for variant, found, seconds in readers.found:
        totals.outcomes[variant.kind, found] += 1
        totals.slowest[variant.kind] = max(totals.slowest[variant.kind], seconds)
        if seconds > options.slow or options.only is not None:
            print(f"{variant}: {found}, {seconds:.1f} s", flush=True)
    for number, times in mirror.endings().items():
        if number in by_number:
            totals.endings[by_number[number].kind] += times
    for line in wrong:
        print(line, flush=True)
    totals.wrong += wrong
    shutil.rmtree(folder)
    os.remove(mirror.log)


def learn(originals, folder):
    """Learns what the unchanged originals show."""
    os.mkdir(folder)
    everything = [original for kind in originals.values() for original in kind]
    names = {original.case: f"{i}{os.path.splitext(original.path)[1]}" for i, original in enumerate(everything)}
    for original in everything:
        shutil.copy(original.path, os.path.join(folder, names[original.case]))
    with Mirror(folder) as mirror:
        for original in everything:
            original.good = shown_by(os.path.join(mirror.path, names[original.case]))
            if not original.good or "" in original.good:
                raise RuntimeError(f"{original.case} is not shown as a store")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number to begin with")
    parser.add_argument("--only", type=int, help="the number of one file")
    parser.add_argument("--keep", help="where to keep what fails")
    parser.add_argument("--batch", type=int, default=200, help="files a mount")
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--slow", type=float, default=20, help="name files that take longer, in seconds")
    return parser.parse_args()


def main():
    options = parsed()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    numbers = (
        [options.only]
        if options.only is not None
        else list(range(options.first, options.first + options.count * EFFORT))
    )
    folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-mirror-"))
    totals, started, done = Totals(), time.monotonic(), 0
    try:
        originals = {kind: [Original(case) for case in cases] for kind, cases in KINDS.items()}
        learn(originals, os.path.join(folder, "originals"))
        good = good_of_healthy(folder)
        while done < len(numbers):
            batch = numbers[done : done + options.batch]
            one_batch(options, batch, originals, good, os.path.join(folder, f"batch{done}"), totals)
            done += len(batch)
            if options.only is None and (done // options.batch) % 10 == 0:
                print(f"{done} files in {time.monotonic() - started:.0f} s, {len(totals.wrong)} failed", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(totals.table())
    return 1 if totals.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
