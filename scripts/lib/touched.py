#!/usr/bin/env python3
"""Prints the sources of the product that a change touches: touched.py BASE

They are the .cc files in cache, formats and fs that differ from the commit BASE, or that include, directly or
indirectly, a header that differs. If a folder's CMakeLists.txt differs, all its sources count. If a file that affects
every compilation differs, all sources count. Uncommitted changes are included.
"""
import os
import re
import subprocess
import sys

ROOMS = ("cache/", "formats/", "fs/")
DECIDES = {"CMakeLists.txt", "scripts/check", "scripts/lib/touched.py"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.splitlines()


def includes_of(path):
    with open(path, encoding="utf-8") as file:
        return set(INCLUDE.findall(file.read()))


def touched(changed, includes):
    """Returns the files that changed or include one that did. includes: the includes of each file."""
    found, todo = set(), set(changed)
    while todo:
        found |= todo
        todo = {path for path, included in includes.items() if included & todo} - found
    return found


def main():
    files = [
        path
        for path in git("ls-files", "--cached", "--others", "--exclude-standard")
        if path.startswith(ROOMS) and path.endswith((".cc", ".h")) and os.path.exists(path)
    ]
    changed = git("diff", "--name-only", sys.argv[1]) + git("ls-files", "--others", "--exclude-standard")
    lists = {os.path.dirname(path) for path in changed if path.endswith("/CMakeLists.txt")}
    if DECIDES & set(changed):
        changed = files
    changed = changed + [path for path in files if os.path.dirname(path) in lists]
    found = touched(changed, {path: includes_of(path) for path in files})
    for path in files:
        if path in found and path.endswith(".cc"):
            print(path)


if __name__ == "__main__":
    main()
