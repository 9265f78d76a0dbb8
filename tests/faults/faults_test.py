"""`plainfs export` of every fixture while system calls fail at random (faults.c), against an export without faults.

A file is the same or is not there; what is missing is told by the exit code; nothing is there that a good export has
not; no run crashes or hangs.

    faults_test.py [--runs N] [--seed N] [--keep] [CASE...]     CASE: part of a case's path
"""
import argparse
import collections
import filecmp
import os
import random
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
FAULTS = os.environ["PLAINFS_FAULTS"]  # the library

LONGEST_RUN = 120  # seconds
RATES = (300, 1000, 3000, 10000, 30000, 100000)  # of a million calls
FAILED = range(11, 16)  # exit codes of plainfs's own


def stores():
    """All stores of the fixtures, by their path in DATA; and the fixtures of a format as one mirror."""
    found = []
    for folder, folders, files in os.walk(DATA):
        names = [name for name in folders + files if name == "store" or name.startswith("store.")]
        for name in names:
            found.append(os.path.relpath(os.path.join(folder, name), DATA))
        folders[:] = [name for name in folders if name not in names and name != "expected"]
    return sorted(found) + ["hdf5/links", "hdf5/unopenable"]


def export(store, target, extra=None):
    environment = {**os.environ, **(extra or {})}
    return subprocess.run([PROGRAM, "export", "-o", "threads=2", store, target], stdin=subprocess.DEVNULL, capture_output=True,
                          env=environment, timeout=LONGEST_RUN)


def tree(folder):
    """Every path below folder: what kind it is."""
    kinds = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            kind = "link" if os.path.islink(path) else "folder" if os.path.isdir(path) else "file"
            kinds[os.path.relpath(path, folder)] = kind
    return kinds


def difference(good, good_tree, result, target):
    """What is wrong about a run, or None."""
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


class Runs:
    def __init__(self, folder):
        self.folder = folder
        self.good = {}  # by store: where its export is, what that holds, and how it ended
        self.outcomes = collections.Counter()

    def good_export(self, store):
        if store not in self.good:
            target = os.path.join(self.folder, "good", store)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            result = export(os.path.join(DATA, store), target)
            self.good[store] = target, tree(target) if os.path.isdir(target) else {}, result.returncode
        return self.good[store]

    def run(self, store, seed, rate):
        good, good_tree, good_code = self.good_export(store)
        target = os.path.join(self.folder, "run")
        shutil.rmtree(target, ignore_errors=True)
        source = os.path.join(DATA, store)
        settings = {"LD_PRELOAD": FAULTS, "FAULTS_FOLDER": os.path.realpath(source), "FAULTS_SEED": str(seed), "FAULTS_RATE": str(rate)}
        try:
            result = export(source, target, settings)
        except subprocess.TimeoutExpired:
            return f"still running after {LONGEST_RUN} s"
        wrong = difference(good, good_tree, result, target)
        if wrong is None and result.returncode == 0 and good_code != 0:
            wrong = f"ended well, but without faults with {good_code}"
        self.outcomes["wrong" if wrong else "same" if result.returncode == good_code else "refused"] += 1
        return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep what a wrong run has written")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    chosen = [store for store in stores() if not options.cases or any(part in store for part in options.cases)]
    order = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="plainfs-faults-")
    runs = Runs(folder)
    failures = 0
    try:
        todo = []
        for number in range(options.runs):
            if not todo:
                todo = order.sample(chosen, len(chosen))
            store, rate = todo.pop(), order.choice(RATES)
            seed = options.seed * 1_000_000 + number
            wrong = runs.run(store, seed, rate)
            if wrong:
                failures += 1
                print(f"{store}: FAULTS_SEED={seed} FAULTS_RATE={rate}: {wrong}", flush=True)
                if options.keep:
                    shutil.copytree(os.path.join(folder, "run"), os.path.join(folder, f"wrong-{seed}"), symlinks=True)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(runs.outcomes.items()))
    print(f"{options.runs} runs of {len(runs.good)} stores: {told}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
