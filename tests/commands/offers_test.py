#!/usr/bin/env python3
"""The files that plainfs suggests for every golden store: the first line of `plainfs info` and its lines to open the
store, the default of `plainfs export` for each ending and the lines of the page, compared with offers.txt.
`offers_test.py --write` writes that file: review the difference row by row."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("support", "serve"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))
from cases import golden_stores
from server import Server

PROGRAM, DATA = os.environ["PLAINFS"], os.environ["PLAINFS_TEST_DATA"]
EXPECTED = os.path.join(HERE, "offers.txt")
WITHOUT_A_STORE = {".ome.tif", ".zarr.zip"}  # no golden store has an image; an archive is offered as its folder
QUOTED = re.compile(r'"([^"]*)"')
WRITTEN = re.compile(r"# .*?: (.*?)(?:, or \d+ more with --of PATH)?$")


def lines_to_open(printed, mountpoint):
    """Returns "Python numpy.load(a.npy, mmap_mode="r")" for each line below "to open it", without the mountpoint."""
    lines = printed.partition("\nto open it")[2].partition("\n\n")[0].splitlines()[1:4]
    return [" ".join(re.sub(rf"{re.escape(mountpoint)}(\.plain)?/", "", line).split()) for line in lines]


def exports(printed):
    """Returns "obs.csv" for each line below "to write it as one file"."""
    found = []
    for line in printed.partition("to write it as one file:\n")[2].splitlines():
        if not line.startswith("  plainfs export "):
            break
        found.append(WRITTEN.search(line)[1])
    return found


def rows_of(link):
    """Returns the rows of a store as `plainfs info` prints them."""
    done = subprocess.run([PROGRAM, "info", link], capture_output=True, timeout=120, cwd=os.path.dirname(link))
    printed = done.stdout.decode()
    mountpoint = os.path.splitext(os.path.basename(link))[0]
    written = exports(printed)
    first = printed.partition("\n")[0]
    return (
        [f"info    {first}"]
        + [f"open    {line}" for line in lines_to_open(printed, mountpoint)]
        + (["export  " + ", ".join(written)] if written else [])
    )


def page_rows(server, name):
    """Returns "page R obs.rds, Python obs.csv" for the lines of a page, without its address."""
    answer = server.ask(f"{name}/?json", Accept="application/json")
    if answer.status != 200:
        return [f"page    {answer.status}"]
    address = f"{server.url}{name}/"
    lines = json.loads(answer.body).get("open_with", [])
    texts = [
        f"{line['with']} {QUOTED.search(line['text'])[1].replace(address, '')}"
        for line in lines
        if line["with"] not in ("All of it", "H5Web")
    ]
    return ["page    " + ", ".join(texts)] if texts else []


def table():
    """Returns the whole table."""
    with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
        links = []
        for name, store in golden_stores(DATA):
            ending = os.path.basename(store)[len("store") :]
            links.append(os.path.join(folder, name + ending))
            os.symlink(store, links[-1])
        with ThreadPoolExecutor(2) as workers:
            shown = list(workers.map(rows_of, links))
        text = []
        with Server(*links) as server:
            for link, rows in zip(links, shown):
                name = os.path.basename(link)
                text += [name] + [f"  {row}" for row in rows + page_rows(server, name)]
    return "".join(line.rstrip() + "\n" for line in text)


class Offers(unittest.TestCase):
    maxDiff = None

    def test_every_store_offers_the_files_of_the_table(self):
        with open(EXPECTED, encoding="utf-8") as file:
            self.assertEqual(table(), file.read())

    def test_every_ending_is_the_default_of_a_store(self):
        done = subprocess.run([PROGRAM, "export", "--help"], capture_output=True, timeout=60, check=True)
        endings = re.search("Extensions of FILE:(.*)", done.stdout.decode())[1].split()
        with open(EXPECTED, encoding="utf-8") as file:
            files = [name for line in file if line.startswith("  export") for name in line.split()[1:]]
        absent = {ending for ending in endings if not any(name.rstrip(",").endswith(ending) for name in files)}
        self.assertEqual(absent, WITHOUT_A_STORE)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with open(EXPECTED, "w", encoding="utf-8") as out:
            out.write(table())
    else:
        unittest.main()
