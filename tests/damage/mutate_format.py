#!/usr/bin/env python3
"""Changes the small golden stores of one format at random: mutate_format.py PROGRAM DATA FORMAT COUNT SEED.

PLAINFS_TEST_EFFORT multiplies COUNT."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from cases import cases, refused
from effort import EFFORT

MAX_BYTES = 300_000


def size_of(store):
    if os.path.isfile(store):
        return os.path.getsize(store)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(store) for name in names)


def readable_stores(data, suite):
    """Returns the stores of the cases of a suite, or the files of one that has no cases."""
    folder = os.path.join(data, suite)
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    files = [path for path in files if os.path.isfile(path)]
    return files or [store for case, store in cases(data, [suite]) if not refused(case)]


def main():
    program, data, suite, count, seed = sys.argv[1:]
    if not os.path.isdir(os.path.join(data, suite)):
        sys.exit(f"mutate: no golden cases of {suite}")
    readable = sorted(readable_stores(data, suite), key=size_of)
    # The smallest table of PyTables has several megabytes.
    stores = [store for store in readable if size_of(store) <= MAX_BYTES] or readable[:1]
    # Only a few changes of each, so that the fixed set of the tests covers many stores.
    sys.exit(subprocess.run([program, str(int(count) * EFFORT), seed, *stores], check=False).returncode)


if __name__ == "__main__":
    main()
