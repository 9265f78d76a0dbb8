"""Every test declares its needs with optional.py, and each need is in a part of scripts/setup."""
import ast
import glob
import os
import re
import unittest

import optional

# Programs on every system that can build plainfs.
EVERYWHERE = {"awk", "bash", "gzip", "losetup", "node", "setpriv", "tar"}
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
            for name in named(text):
                found.setdefault(name, path)
        self.assertGreater(len(found), 40)
        unknown = {
            name: path
            for name, path in found.items()
            if not optional.part_of(name) and name not in EVERYWHERE and optional.PACKAGES.get(name, name)
        }
        self.assertEqual(unknown, {})

    def test_no_test_searches_for_packages_itself(self):
        own = re.compile(r"requireNamespace|system\.file\(package|skip\w*\(.*(?:is not|not) installed|node_modules")
        found = {path: own.search(text)[0] for path, text in sources() if own.search(text)}
        self.assertEqual(found, {"serve/browser_test.py": "node_modules"})  # the path of a file to load


if __name__ == "__main__":
    unittest.main()
