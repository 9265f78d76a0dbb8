#!/usr/bin/env python3
"""Hides the programs and packages that `scripts/setup build test package` does not install: hide_optional.py FOLDER

Writes FOLDER/environment.cmake, which ctest includes for PLAINFS_TEST_READERS=none. It sets PATH to a folder with all
other programs, PYTHONPATH to a folder of modules that cannot be imported, and R's folders to that of R itself.
"""
import os
import shlex
import shutil
import subprocess
import sys

from optional import PACKAGES, PARTS, REQUIRED, packages_of_part, part_of


def hidden_packages():
    parts = {part: packages_of_part(part) for part in PARTS}
    required = frozenset().union(*(parts[part] for part in REQUIRED))
    return sorted(frozenset().union(*parts.values()) - required)


def programs_of(packages):
    """Returns the names of the installed programs of these packages."""
    listed = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True, check=False).stdout.splitlines()
    folders = ("/bin", "/sbin", "/usr/bin", "/usr/sbin")
    return {os.path.basename(path) for path in listed if os.path.dirname(path) in folders}


def hidden(packages):
    """Returns the names of the programs and Python modules to hide."""
    optional = [name for name in PACKAGES if part_of(name) not in (None, *REQUIRED)]
    modules = {name.removeprefix("python's ") for name in optional if name.startswith("python's ")}
    modules |= {package.removeprefix("python3-") for package in packages if package.startswith("python3-")}
    return {name for name in optional if "'s " not in name} | programs_of(packages), modules


def is_script(path):
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def link_program(path, link):
    """Links to a program. A script is called by its own path, because it may look for its parts beside it."""
    if not is_script(path):
        os.symlink(path, link)
        return
    with open(link, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec {shlex.quote(path)} "$@"\n')
    os.chmod(link, 0o755)


def link_programs(folder, but):
    os.makedirs(folder)
    for place in [*os.environ["PATH"].split(":"), "/usr/sbin", "/sbin"]:
        for name in os.listdir(place) if os.path.isdir(place) else []:
            link = os.path.join(folder, name)
            if name not in but and not os.path.lexists(link):
                link_program(os.path.join(place, name), link)


def write_modules(folder, names):
    os.makedirs(folder)
    for name in names:
        with open(os.path.join(folder, name + ".py"), "w", encoding="ascii") as file:
            file.write(f'raise ModuleNotFoundError("hidden by PLAINFS_TEST_READERS=none: {name}")\n')


def main():
    folder = os.path.abspath(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    programs, modules = hidden(hidden_packages())
    link_programs(os.path.join(folder, "bin"), programs)
    write_modules(os.path.join(folder, "python"), modules)
    found = subprocess.run(["R", "RHOME"], capture_output=True, text=True, check=False) if shutil.which("R") else None
    library = os.path.join(found.stdout.strip(), "library") if found else ""
    with open(os.path.join(folder, "environment.cmake"), "w", encoding="utf-8") as file:
        for name, value in (
            ("PATH", f"{folder}/bin"),
            ("PYTHONPATH", f"{folder}/python"),
            ("R_LIBS_SITE", library),
            ("R_LIBS_USER", library),
        ):
            file.write(f'set(ENV{{{name}}} "{value}")\n')


if __name__ == "__main__":
    main()
