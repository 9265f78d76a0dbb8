"""`plainfs export` of every fixture with random failures (faults.c) or shortages, compared with an export without
faults.

A file is unchanged or absent. The exit code reports missing files. Nothing exists that a good export lacks. No run
crashes or hangs. If only the index or the temporary folder cannot be written, or calls are slow, an export is complete.
libhdf5 reports some failed allocations as damage, and the store is then shown as a damaged one. In runs of the kind
"library" these are counted ("misled"), and only crashes, hangs and other exit codes are wrong.

    faults_test.py [--kind KIND] [--runs N] [--seed N] [--jobs N] [--keep] [CASE...]     CASE: part of a case's path

--kind may be given more than once; without it there are some runs of each:

    calls               system calls that read the store fail
    memory, library     no memory, in plainfs or in libhdf5's process
    threads, delays     threads do not start, calls take long
    all                 all of these at once
    descriptors         no more than 64 are open at once
    full_index          the folder of the index is full (needs root, like the next two)
    readonly_index      it is read-only
    readonly_temporary  TMPDIR is read-only
"""
import argparse
import collections
import concurrent.futures
import filecmp
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import EFFORT  # noqa: E402

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
FAULTS = os.environ["PLAINFS_FAULTS"]  # the library

LONGEST_RUN = 120  # seconds
RATES = (300, 1000, 3000, 10000, 30000, 100000)  # of a million calls
MEMORY_RATES = (3, 10, 30, 100, 300, 1000, 3000, 10000)  # allocations are more frequent
THREAD_RATES = (100000, 300000, 1000000)  # thread starts are rare
FAILED = range(11, 17)  # exit codes of plainfs itself
MAX_DESCRIPTORS = 64
FULL_ROOM, LEFT_ROOM = 256 << 10, 16 << 10  # bytes of a full folder, and the room left for a few files

# FAULTS_KINDS of the program and of libhdf5's process, and how many calls in a million fail.
INJECTED = {
    "calls": ("calls", "none", RATES),
    "memory": ("memory", "none", MEMORY_RATES),
    "library": ("none", "memory", MEMORY_RATES),
    "threads": ("threads", "none", THREAD_RATES),
    "delays": ("delays", "delays", (3000, 30000)),
    "all": ("calls,memory,threads,delays", "delays", (30, 300, 3000)),
}
SHORT = ("descriptors", "full_index", "readonly_index", "readonly_temporary")
HARMLESS = ("delays", "full_index", "readonly_index", "readonly_temporary")  # an export is complete


def stores():
    """Returns all stores of the fixtures, by their path in DATA, and the fixtures of a format as one mirror."""
    found = []
    for folder, folders, files in os.walk(DATA):
        names = [name for name in folders + files if name == "store" or name.startswith("store.")]
        for name in names:
            found.append(os.path.relpath(os.path.join(folder, name), DATA))
        folders[:] = [name for name in folders if name not in names and name != "expected"]
    return sorted(found) + ["hdf5/links", "hdf5/unopenable"]


def export(store, target, extra=None, max_descriptors=None):
    environment = {**os.environ, **(extra or {})}
    limited = ["sh", "-c", f'ulimit -n {max_descriptors} && exec "$@"', "sh"] if max_descriptors else []
    return subprocess.run(
        [*limited, PROGRAM, "export", "-o", "threads=2,views=listed", store, target],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        timeout=LONGEST_RUN,
    )


def tree(folder):
    """Returns the kind of every path below `folder`."""
    kinds = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            kind = "link" if os.path.islink(path) else "folder" if os.path.isdir(path) else "file"
            kinds[os.path.relpath(path, folder)] = kind
    return kinds


def difference(good, good_tree, result, target):
    """Returns the fault of a run, or None."""
    if result.returncode != 0 and result.returncode not in FAILED:
        return f"ended with {result.returncode}: {result.stderr.decode(errors='replace')[-300:]}"
    found = tree(target) if os.path.isdir(target) else {}
    for path, kind in found.items():
        if path not in good_tree:
            return f"{path} should not be there"
        if kind != good_tree[path]:
            return f"{path} is a {kind}"
        mine, other = os.path.join(target, path), os.path.join(good, path)
        if kind == "file" and not filecmp.cmp(mine, other, shallow=False):
            return f"{path} has other bytes"
        if kind == "link" and os.readlink(mine) != os.readlink(other):
            return f"{path} leads to {os.readlink(mine)}"
    missing = sorted(set(good_tree) - set(found))
    if missing and result.returncode == 0:
        return f"{missing[0]} and {len(missing) - 1} more are missing, but the exit code is 0"
    return None


class Mounts:
    """Full and read-only folders, for root, because file modes do not restrict root."""

    def __init__(self, folder):
        self.folder = folder
        self.mounted = []

    def mount(self, name, options):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        command = ["mount", "-t", "tmpfs", "-o", options, "plainfs-faults", path]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
            return None
        self.mounted.append(path)
        return path

    def unmount(self):
        for path in self.mounted:
            subprocess.run(["umount", path], check=False)


class Runs:
    def __init__(self, folder, mounts):
        self.folder = folder
        self.good = {}  # by store: the place, content and outcome of its export
        self.outcomes = collections.defaultdict(collections.Counter)
        self.full = mounts.mount("full", f"size={FULL_ROOM}")
        if self.full:
            with open(os.path.join(self.full, "filled"), "wb") as filled:
                filled.write(bytes(FULL_ROOM - LEFT_ROOM))
        self.readonly = mounts.mount("readonly", "ro")

    def skipped(self, kind):
        """Returns whether this machine lacks a requirement of the kind."""
        return kind == "full_index" and not self.full or kind.startswith("readonly_") and not self.readonly

    def good_export(self, store):
        if store not in self.good:
            target = os.path.join(self.folder, "good", store.replace("/", "%"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            result = export(os.path.join(DATA, store), target)
            self.good[store] = target, tree(target) if os.path.isdir(target) else {}, result.returncode
        return self.good[store]

    def settings(self, kind, source, seed, rate):
        if kind in INJECTED:
            own, library, _ = INJECTED[kind]
            return {
                "LD_PRELOAD": FAULTS,
                "FAULTS_FOLDER": os.path.realpath(source),
                "FAULTS_KINDS": own,
                "FAULTS_SEED": str(seed),
                "FAULTS_RATE": str(rate),
                "HDF5_FAULTS_KINDS": library,
                "HDF5_FAULTS_SEED": str(seed),
                "HDF5_FAULTS_RATE": str(rate),
            }
        return {
            "full_index": {"PLAINFS_INDEX": self.full},
            "readonly_index": {"PLAINFS_INDEX": self.readonly},
            "readonly_temporary": {"TMPDIR": self.readonly},
            "descriptors": {},
        }[kind]

    def run(self, kind, store, seed, rate, target):
        """Returns the fault of the run, or None."""
        good, good_tree, good_code = self.good[store]
        shutil.rmtree(target, ignore_errors=True)
        source = os.path.join(DATA, store)
        try:
            result = export(
                source,
                target,
                self.settings(kind, source, seed, rate),
                MAX_DESCRIPTORS if kind == "descriptors" else None,
            )
        except subprocess.TimeoutExpired:
            return f"still running after {LONGEST_RUN} s"
        wrong = difference(good, good_tree, result, target)
        is_misled = bool(wrong) and kind == "library" and (result.returncode == 0 or result.returncode in FAILED)
        if is_misled:
            wrong = None
        if wrong is None and result.returncode == 0 and good_code != 0:
            wrong = f"ended well, but without faults with {good_code}"
        if wrong is None and kind in HARMLESS and (result.returncode == 0) != (good_code == 0):
            printed = result.stderr.decode(errors="replace")[-300:]
            wrong = f"ended with {result.returncode}, without faults with {good_code}: {printed}"
        self.outcomes[kind][
            "wrong" if wrong else "misled" if is_misled else "same" if result.returncode == good_code else "refused"
        ] += 1
        return wrong

    def output(self):
        return "\n".join(
            f"{kind}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
            for kind, outcomes in self.outcomes.items()
        )


def planned(options, kinds):
    """Yields the kind, store, seed and rate of each run. Always the same for the same options."""
    chosen = [store for store in stores() if not options.cases or any(part in store for part in options.cases)]
    order = random.Random(options.seed)
    todo = []
    for number in range(options.runs * EFFORT):
        if not todo:
            todo = order.sample(chosen, len(chosen))
        kind = kinds[number % len(kinds)]
        rate = order.choice(INJECTED[kind][2]) if kind in INJECTED else 0
        yield kind, todo.pop(), options.seed * 1_000_000 + number, rate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", action="append", choices=[*INJECTED, *SHORT])
    parser.add_argument("--runs", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="keep what a wrong run has written")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="plainfs-faults-")
    mounts = Mounts(folder)
    failures = 0
    try:
        runs = Runs(folder, mounts)
        kinds = options.kind or [*INJECTED, *SHORT]
        for kind in [kind for kind in kinds if runs.skipped(kind)]:
            print(f"skipped: {kind}: no tmpfs can be mounted here")
            kinds = [other for other in kinds if other != kind]
        plan = list(planned(options, kinds)) if kinds else []

        def one(numbered):
            number, (kind, store, seed, rate) = numbered
            target = os.path.join(folder, f"run-{number}")
            wrong = runs.run(kind, store, seed, rate, target)
            if wrong and options.keep and os.path.isdir(target):
                shutil.copytree(target, os.path.join(folder, f"wrong-{seed}"), symlinks=True)
            shutil.rmtree(target, ignore_errors=True)
            if wrong:
                print(f"{store}: {kind} FAULTS_SEED={seed} FAULTS_RATE={rate}: {wrong}", flush=True)
            return bool(wrong)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(runs.good_export, sorted({store for _, store, _, _ in plan})))
            failures = sum(pool.map(one, enumerate(plan)))
        print(runs.output())
        print(f"{len(plan)} runs of {len(runs.good)} stores")
    finally:
        mounts.unmount()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
