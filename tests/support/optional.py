"""The programs and packages that tests compare plainfs with.

A test that needs one is skipped without it, with a reason that count_results.py understands: "not installed:
octave-cli, R's Seurat". PLAINFS_TEST_READERS=none hides the packages that `scripts/setup build test package` does not
install (hide_optional.py).
"""
import functools
import glob
import importlib
import json
import os
import shutil
import subprocess
import sys
import unittest

SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
NPM = os.path.join(SOURCE, "tests", "mount", "npm")
HIDDEN = os.environ.get("PLAINFS_TEST_READERS") == "none"
# The parts of scripts/setup that every test machine has, and the optional ones.
REQUIRED = ("build", "test", "package")
PARTS = (*REQUIRED, "recipes", "readers", "check", "bench")

# The Debian package of a program, unless they have the same name, and of a module from another package.
PACKAGES = {
    "aria2c": "aria2",
    "automount": "autofs",
    "bgzip": "tabix",
    "bigWigInfo": None,  # from the Genome Browser: not in Debian
    "bigWigToBedGraph": None,
    "bolt": "bolt-lmm",
    "clang++": "clang",
    "dbus-run-session": "dbus",
    "gdk-pixbuf-thumbnailer": "libgdk-pixbuf2.0-bin",
    "gio": "libglib2.0-bin",
    "gvfsd-dav": "gvfs-backends",
    "fusermount3": "fuse3",
    "groff": "groff-base",
    "h5dump": "hdf5-tools",
    "mkfs.ntfs": "ntfs-3g",
    "mkfs.vfat": "dosfstools",
    "mksquashfs": "squashfs-tools",
    "mlr": "miller",
    "mount.davfs": "davfs2",
    "mount.fuse3": "fuse3",
    "nginx": "nginx-light",
    "nccopy": "netcdf-bin",
    "ncdump": "netcdf-bin",
    "node": "npm",
    "octave-cli": "octave",
    "rg": "ripgrep",
    "python's dask": "python3-distributed",
    "nix-instantiate": "nix-bin",
    "rpmbuild": "rpm",
    "Rscript": "r-base-core",
    "sbatch": "slurm-wlm",
    "sinfo": "slurm-wlm",
    "soffice": "libreoffice-calc-nogui",
    "slurmctld": "slurm-wlm",
    "slurmd": "slurm-wlm",
    "swift-ring-builder": None,  # only run by hand
    "tiffcp": "libtiff-tools",
    "tiffinfo": "libtiff-tools",
    "xmllint": "libxml2-utils",
    "vips": "libvips-tools",
    "vipsheader": "libvips-tools",
}


def has_program(name):
    """True if a program is in PATH or, like a daemon, in /usr/sbin."""
    return shutil.which(name) is not None or not HIDDEN and os.access("/usr/sbin/" + name, os.X_OK)


@functools.cache
def r_packages():
    """Returns the names of the packages that R finds."""
    if not has_program("Rscript"):
        return frozenset()
    output = subprocess.run(
        ["Rscript", "-e", 'cat(.libPaths(), sep = "\\n")'], capture_output=True, text=True, timeout=120, check=True
    )
    found = [glob.glob(os.path.join(folder, "*", "DESCRIPTION")) for folder in output.stdout.splitlines()]
    return frozenset(os.path.basename(os.path.dirname(path)) for paths in found for path in paths)


@functools.cache
def has_module(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def has_npm(package):
    """True if node and this package of tests/mount/npm are installed."""
    return not HIDDEN and has_program("node") and os.path.isdir(os.path.join(NPM, "node_modules", *package.split("/")))


def reason(missing):
    return "not installed: " + ", ".join(missing)


def missing_r(*packages):
    """Returns the reason to skip a test that needs R with these packages; "" if all are installed."""
    if not has_program("Rscript"):
        return reason(["Rscript"])
    missing = [f"R's {package}" for package in packages if package not in r_packages()]
    return reason(missing) if missing else ""


def missing_modules(*names):
    """Like missing_r, for Python's modules."""
    missing = [f"python's {name}" for name in names if not has_module(name)]
    return reason(missing) if missing else ""


def missing_programs(*names):
    """Like missing_r, for programs."""
    missing = [name for name in names if not has_program(name)]
    return reason(missing) if missing else ""


def missing_npm(*packages):
    """Like missing_r, for packages of tests/mount/npm."""
    missing = [f"npm's {package}" for package in packages if not has_npm(package)]
    return reason(missing) if missing else ""


def needs(*programs):
    """Decorates a test or a class of tests: skips it unless these programs are installed."""
    return unittest.skipIf(missing_programs(*programs), missing_programs(*programs))


def needs_r(*packages):
    return unittest.skipIf(missing_r(*packages), missing_r(*packages))


def needs_modules(*names):
    return unittest.skipIf(missing_modules(*names), missing_modules(*names))


def needs_npm(*packages):
    return unittest.skipIf(missing_npm(*packages), missing_npm(*packages))


def answers_of_npm(script, questions):
    """Returns the answer of a program of npm's to each question, a value of JSON."""
    done = subprocess.run(
        ["node", os.path.join(NPM, script)],
        input="\n".join(questions),
        text=True,
        capture_output=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(questions), done.stdout
    return answers


def skip_rest(test, missing):
    """Reports a running test as skipped if `missing` is not empty, after all checks that do not need it."""
    if missing:
        test.skipTest(missing)


def import_or_exit(*names):
    """Returns these Python modules. If one is not installed, ends the program, which ctest counts as skipped."""
    if missing_modules(*names):
        print("skipped: " + missing_modules(*names))
        sys.exit(77)
    return [importlib.import_module(name) for name in names]


def packages_of(missing):
    """Returns the Debian packages for a missing program or module: "octave-cli", "R's Seurat"; empty if Debian has
    none."""
    owner, _, name = missing.rpartition("'s ")
    if missing in PACKAGES:
        return [PACKAGES[missing]] if PACKAGES[missing] else []
    if owner == "R":
        return ["r-cran-" + name.lower(), "r-bioc-" + name.lower()]
    if owner == "python":
        return ["python3-" + name.lower()]
    if owner == "npm":
        return ["npm"]
    return [name]


@functools.cache
def packages_of_part(part):
    output = subprocess.run(
        [os.path.join(SOURCE, "scripts", "setup"), "--list", part], capture_output=True, text=True, check=True
    )
    return frozenset(output.stdout.split())


def part_of(missing):
    """Returns the part of scripts/setup that installs a missing program or module, or None."""
    packages = packages_of(missing)
    return next((part for part in PARTS if any(package in packages_of_part(part) for package in packages)), None)
