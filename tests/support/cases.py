"""The golden cases for the tests of the whole program: the suites, and the place of each case's store."""
import os
import re

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
# The views in the cases. Views for other tools have separate tests.
VIEWS = "csv,npy,mtx,tsv,json,vcf,nc,plink,bgen"

SUITES = sorted(name[: -len(".tar.xz")] for name in os.listdir(SOURCES) if name.endswith(".tar.xz"))
# Cases of files that are found by name in a mount without -o views=: tested in tests/mount/parts_test.py.
PARTS = [name for name in SUITES if name in ("parts", "pseudobulk")]
# Cases with files that are mostly found by name, which no export writes: tested in tests/golden and
# tests/mount/cf_test.py.
FOUND_BY_NAME = [name for name in SUITES if name == "xarray"]
GOOD = [name for name in SUITES if not name.startswith("bad-") and name not in PARTS + FOUND_BY_NAME]
BAD = [re.sub("^bad-", "bad/", name) for name in SUITES if name.startswith("bad-")]

REFUSED = re.compile(r"mount(?: of (\S+))? fails: (.+)")


def store_of(case):
    stores = [name for name in os.listdir(case) if name == "store" or name.startswith("store.")]
    return os.path.join(case, stores[0]) if stores else None


def cases(data, suites):
    """Yields (folder, store) of every case with one store, in the unpacked data."""
    for suite in suites:
        folder = os.path.join(data, *suite.split("/"))
        for name in sorted(os.listdir(folder)):
            case = os.path.join(folder, name)
            store = store_of(case)
            if store:
                yield case, store


def golden_stores(data):
    """Yields (name of a folder, store) of every store of a good case, in the unpacked data."""
    for at, folders, _ in sorted(os.walk(data)):
        if "expected" not in folders or os.sep + "bad" + os.sep in at:
            continue
        folders.clear()
        for name in sorted(os.listdir(at)):
            if name == "store" or name.startswith("store."):
                yield os.path.relpath(at, data).replace(os.sep, "-"), os.path.join(at, name)


def a_third(every, which):
    """Returns a third of the cases. Each way through the whole program (a mount, a mirror, HTTP, an export) takes a
    third, because the tests of the golden program read all of them. PLAINFS_TEST_CASES=all: all of them."""
    every = list(every)
    return every if os.environ.get("PLAINFS_TEST_CASES") == "all" else every[which::3]


def lines(case, name):
    path = os.path.join(case, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def refused(case):
    """Returns the stores that must not mount: path -> words of the message."""
    found = {}
    for line in lines(case, "outcome.txt"):
        output = REFUSED.fullmatch(line)
        if output:
            found[os.path.join(case, output[1]) if output[1] else store_of(case)] = output[2]
    return found


def statements(case):
    """Returns (path, outcome) of errors.txt, others.txt, absent.txt and outcome.txt, and the words of the log."""
    output, words = [], []
    for line in lines(case, "errors.txt"):
        path, code = line.split("\t")
        if code not in ("EIO", "ENOTSUP", "ENOTUNIQ"):
            raise ValueError(f"errors.txt: {line!r}")
        output.append((path, code))
    output += [(line, "ok") for line in lines(case, "others.txt")]
    output += [(line, "not listed") for line in lines(case, "absent.txt")]
    for line in lines(case, "outcome.txt"):
        if found := re.fullmatch(r"(.+?) (ok|EIO|ENOTSUP|not listed)( \(.*\))?", line):
            output.append((found[1], found[2]))
        elif found := re.fullmatch("log: (.+)", line):
            words.append(found[1])
        elif not REFUSED.fullmatch(line):
            raise ValueError(f"outcome.txt: {line!r} is no statement that can be checked")
    return output, words


def views_of(path, actual):
    """Returns the files that a path of a case selects: x.* is every listed view of x, at least one."""
    if not path.endswith(".*"):
        return [path]
    folder, stem = os.path.split(path[:-1])
    try:
        names = os.listdir(os.path.join(actual, folder))
    except OSError:
        names = []
    found = [os.path.join(folder, n) for n in sorted(names) if n.startswith(stem) and "." not in n[len(stem) :]]
    return found or [path[:-1] + "csv"]
