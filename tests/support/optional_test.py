"""Every test declares its needs with optional.py, and each need is in a part of scripts/setup."""
import ast
import glob
import os
import re
import unittest

import optional

# Programs on every system that can build plainfs: of Debian's essential packages, and what its compiler needs.
EVERYWHERE = set(
    """awk bash cat cc chattr cp dd df diff dpkg du find gzip head ldd losetup ls mount node nsenter readelf rm
    setpriv sh sha256sum sleep tail tar timeout touch umount unshare zcat""".split()
)
KINDS = {
    "needs": "",
    "missing_programs": "",
    "needs_r": "R's ",
    "missing_r": "R's ",
    "needs_modules": "python's ",
    "missing_modules": "python's ",
    "import_or_exit": "python's ",
    "needs_npm": "npm's ",
    "missing_npm": "npm's ",
}
TESTS = os.path.join(optional.SOURCE, "tests")


def sources():
    """Yields (path, text) of every Python file of the tests except optional.py itself."""
    for path in sorted(glob.glob(os.path.join(TESTS, "**", "*.py"), recursive=True)):
        if (
            not os.path.basename(path).startswith(("optional", "count_results", "hide_optional"))
            and "node_modules" not in path
        ):
            with open(path, encoding="utf-8") as file:
                yield os.path.relpath(path, TESTS), file.read()


def started(text):
    """Returns the programs that a source starts by a constant name, by subprocess or the run() of mounted.py."""
    tree = ast.parse(text)
    own = any(
        isinstance(node, ast.ImportFrom) and node.module == "mounted" and any(name.name == "run" for name in node.names)
        for node in ast.walk(tree)
    )
    found = set()
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        first = call.args[0]
        if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", None) == "subprocess":
            first = first.elts[0] if isinstance(first, (ast.List, ast.Tuple)) and first.elts else None
        elif not (own and isinstance(call.func, ast.Name) and call.func.id == "run"):
            first = None
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value[0].isalpha():
            found.add(first.value)
    return found


def named(text):
    """Returns the declared needs of a source: "octave-cli", "R's Seurat"."""
    calls = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return {
        KINDS[call.func.id] + argument.value
        for call in calls
        if call.func.id in KINDS
        for argument in call.args
        if isinstance(argument, ast.Constant)
    }


class Optional(unittest.TestCase):
    def test_every_need_is_installed_by_a_part_of_setup(self):
        found = {}
        for path, text in sources():
            for name in named(text) | started(text):
                found.setdefault(name, path)
        self.assertGreater(len(found), 40)
        unknown = {
            name: path
            for name, path in found.items()
            if not optional.part_of(name) and name not in EVERYWHERE and optional.PACKAGES.get(name, name)
        }
        self.assertEqual(unknown, {})

    def test_started_programs_are_found(self):
        text = 'from mounted import run\nrun("umount", x)\nsubprocess.run(["git", "log"])\nrun(PROGRAM)\nx.run("no")'
        self.assertEqual(started(text), {"git", "umount"})

    def test_no_test_searches_for_packages_itself(self):
        own = re.compile(r"requireNamespace|system\.file\(package|skip\w*\(.*(?:is not|not) installed|node_modules")
        found = {path: own.search(text)[0] for path, text in sources() if own.search(text)}
        self.assertEqual(found, dict.fromkeys(("serve/browser_test.py", "support/plain_english.py"), "node_modules"))


if __name__ == "__main__":
    unittest.main()
