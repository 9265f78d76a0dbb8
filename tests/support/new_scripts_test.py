"""Runs scripts/new-schema and scripts/new-view in a copy of the tree: afterwards the rules of the sources hold and the
new files compile. scripts/golden repacks a case unchanged, and reports the cases it refuses."""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from optional import missing_programs, skip_rest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("PLAINFS_BUILD", "")  # a configured build of ROOT


def run(copy, *words, **variables):
    return subprocess.run(
        words, cwd=copy, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, **variables}
    )


def text_of(copy, path):
    with open(os.path.join(copy, path), encoding="utf-8") as file:
        return file.read()


def not_looked_at(folder, names):
    """Returns the files that neither the scripts nor the rules read: the stores have 5 MB, of which the rules need only
    the names."""
    return [n for n in names if n in ("__pycache__", "corpus", "samples", "files") or n.endswith(".tar.xz")]


def after_option(words, i):
    """Returns the words among which words[i] has its file, for g++ and clang."""
    return words[i + 1 : i + 1 + {"-include": 2, "-include-pch": 2, "-Xclang": 3}.get(words[i], 0)]


class Copied(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.temporary = temporary.name
        self.copy = os.path.join(temporary.name, "tree")

    def output_of(self, *words, **variables):
        result = run(self.copy, *words, **variables)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        return result.stdout

    def refused(self, why, *words, **variables):
        result = run(self.copy, *words, **variables)
        self.assertNotEqual(result.returncode, 0, words)
        self.assertIn(why, result.stderr, words)
        self.assertEqual(result.stdout, "", words)


class New(Copied):
    def setUp(self):
        super().setUp()
        for top in ("cache", "docs", "formats", "fs", "scripts", "tests"):
            shutil.copytree(
                os.path.join(ROOT, top), os.path.join(self.copy, top), ignore=not_looked_at, copy_function=shutil.copy
            )
        for archive in os.listdir(os.path.join(ROOT, "tests", "data")):
            if archive.endswith(".tar.xz"):
                with open(os.path.join(self.copy, "tests", "data", archive), "wb"):
                    pass
        os.mkdir(os.path.join(self.copy, "tests", "damage", "corpus"))  # a page names it
        for page in (".clang-format", "CONTRIBUTING.md", "README.md", "SECURITY.md"):
            shutil.copy(os.path.join(ROOT, page), self.copy)

    def state(self):
        return {
            os.path.join(folder, name): os.stat(os.path.join(folder, name)).st_mtime_ns
            for folder, _, names in os.walk(self.copy)
            for name in names
        }

    def test_new_files_keep_the_rules_and_compile(self):
        before = self.state()
        self.output_of("scripts/new-schema", "tally_store")
        self.output_of("scripts/new-schema", "zebra")
        self.output_of("scripts/new-view", "tally")
        self.output_of("scripts/new-view", "zebra_lines")
        sources = sorted(
            path for path, when in self.state().items() if before.get(path) != when and path.endswith((".cc", ".h"))
        )
        # Source, header and test of each, and the tables of schemas, of forms and of files.
        self.assertEqual(len(sources), 4 * 3 + 3)
        for rules in ("layers", "views", "security"):
            with self.subTest(rules):
                kept = run(self.copy, sys.executable, "-B", f"tests/support/{rules}_test.py", PLAINFS_TEST_DATA="")
                self.assertEqual(kept.returncode, 0, kept.stderr)
        with self.subTest("lists"):
            self.check_lists()
        with self.subTest("pages"):
            self.check_pages("tally", "zebra_lines")
        with self.subTest("compiles"):
            self.check_compiles([path for path in sources if path.endswith(".cc") and "zebra" not in path])
        skip_rest(self, missing_programs("clang-format"))
        with self.subTest("format"):
            self.output_of("clang-format", "--dry-run", "-Werror", *sources)

    def check_lists(self):
        """Checks that the pages have the names of the views in the table."""
        names = set(re.findall(r'^    \{"(\w+)", rows_of', text_of(self.copy, "fs/views/views.cc"), re.M))
        self.assertLessEqual({"csv", "tally", "zebra_lines"}, names)
        for name in names:
            self.assertRegex(text_of(self.copy, "fs/man/plainfs.1"), rf"(?m)^\.BR? {name}\b", name)
            self.assertIn(
                f"`{name}`", re.search(r"chooses among.*?is all of them", text_of(self.copy, "fs/VIEWS.md"), re.S)[0]
            )
        if shutil.which("groff"):
            self.output_of("groff", "-man", "-Tutf8", "-ww", "-z", "fs/man/plainfs.1")

    def check_pages(self, *names):
        """Checks that nothing but the entries of these views was added to the pages, and nothing was changed."""
        for path, added in (
            ("fs/VIEWS.md", ("| `{0}` | `NAME.{0}` | |\n", ", `{0}`", "- **`{0}`** offers no file yet.\n")),
            ("fs/man/plainfs.1", (".TP\n.B {0}\n(no file yet).\n",)),
        ):
            page = text_of(self.copy, path)
            for name in names:
                for each in added:
                    self.assertEqual(page.count(each.format(name)), 1, (path, each, name))
                    page = page.replace(each.format(name), "")
            self.assertEqual(page, text_of(ROOT, path), path)

    def check_compiles(self, sources):
        """Compiles the sources like the build: with the flags of a source in the same folder, or of a similar test."""
        commands_path = os.path.join(BUILD, "compile_commands.json")
        if not BUILD or not os.path.exists(commands_path):
            self.skipTest("no configured build (PLAINFS_BUILD)")
        with open(commands_path, encoding="utf-8") as file:
            commands = json.load(file)
        like = {
            "formats/schemas/": "plainfs_formats.dir",
            "formats/registry.cc": "plainfs_formats.dir",
            "fs/views/": "plainfs_views.dir",
            "tests/unit/tally": "unit_loom.dir",
            "tests/unit/fs_views/": "unit_views.dir",
        }

        def compiled(source):
            path = os.path.relpath(source, self.copy)
            target = next(target for start, target in like.items() if path.startswith(start))
            words = shlex.split(
                next(
                    c["command"]
                    for c in commands
                    if f"/{target}/" in c["command"]
                    and not c["file"].endswith(".cxx.in")
                    and "cmake_pch" not in c["file"]
                )
            )
            kept = [
                word
                for i, word in enumerate(words[:-4])
                if "cmake_pch" not in word and not any("cmake_pch" in after for after in after_option(words, i))
            ]
            self.assertEqual((words[-4], words[-2]), ("-o", "-c"))
            flags = [f"-I{self.copy}" if word == f"-I{ROOT}" else word for word in kept]
            return path, run(self.copy, *flags, "-O0", "-Werror", "-fsyntax-only", source)

        with concurrent.futures.ThreadPoolExecutor(2) as two:
            for path, result in two.map(compiled, sources):
                self.assertEqual((result.returncode, result.stderr), (0, ""), path)

    def test_existing_or_invalid_name_is_refused(self):
        before = self.state()
        for name in ("loom", "hdf5", "base", "annotated", "views"):
            self.refused("already", "scripts/new-schema", name)
        for name in ("csv", "csv_table", "table", "parquet"):
            self.refused("already", "scripts/new-view", name)
        for script in ("scripts/new-schema", "scripts/new-view"):
            for name in ("", "Loom", "1a", "../a", "a__b", "a_", "a b", "é", "a" * 25):
                self.refused("name is small letters" if len(name) < 25 else "longer than", script, name)
            for name in ("class", "plainfs", "while"):
                self.refused("is a word of C++", script, name)
            self.refused("one name is wanted", script)
            self.refused("one name is wanted", script, "a", "b")
        self.refused("is all views", "scripts/new-view", "all")
        with open(os.path.join(self.copy, "fs", "man", "plainfs.1"), "w", encoding="utf-8") as file:
            file.write("another page\n")
        before = self.state()
        self.refused("fs/man/plainfs.1: the list", "scripts/new-view", "tally")
        self.assertEqual(self.state(), before)


class Golden(Copied):
    """Runs the script in a tree with only its required files."""

    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.copy, "tests", "data"))
        shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(self.copy, "scripts"))
        shutil.copytree(
            os.path.join(ROOT, "tests", "support"), os.path.join(self.copy, "tests", "support"), ignore=not_looked_at
        )
        for suite in ("loom", "bad-loom"):
            shutil.copy(os.path.join(ROOT, "tests", "data", f"{suite}.tar.xz"), self.archive(suite))
            run(self.copy, "tar", "xf", self.archive(suite), "-C", self.temporary)
        self.case = os.path.join(self.temporary, "loom", "v2")

    def archive(self, suite):
        return os.path.join(self.copy, "tests", "data", f"{suite}.tar.xz")

    def bytes_of(self, suite):
        with open(self.archive(suite), "rb") as file:
            return file.read()

    def test_repacked_case_is_unchanged(self):
        for suite, folder in (("loom", "loom"), ("bad-loom", os.path.join("bad", "loom"))):
            names = os.listdir(os.path.join(self.temporary, folder))
            self.assertEqual(self.output_of("scripts/golden", "list", suite).split(), sorted(names))
            listing, packed = self.output_of("tar", "tvf", self.archive(suite)), self.bytes_of(suite)
            case = os.path.join(self.temporary, folder, names[0])
            os.utime(case, (1, 1))
            self.output_of("scripts/golden", "add", case, suite, PLAINFS="none")
            self.assertEqual(self.output_of("tar", "tvf", self.archive(suite)), listing)
            if suite == "loom":
                first = self.bytes_of(suite)
                self.output_of("scripts/golden", "add", os.path.relpath(case, self.copy), suite, PLAINFS="none")
                self.assertEqual(self.bytes_of(suite), first)
                self.assertNotEqual(packed, b"")

    def test_a_new_suite_is_listed(self):
        output = self.output_of("scripts/golden", "add", self.case, "bad-other", PLAINFS="none")
        self.assertIn("it is a new suite", output)
        self.assertIn("bad/other/v2/expected/", self.output_of("tar", "tf", self.archive("bad-other")))
        self.assertRegex(self.output_of("scripts/golden", "list"), r"(?m)^bad-other +1 cases")

    def program(self, *lost, more=()):
        """Returns a plainfs that exports the expected files of the case, without `lost` and with `more`."""
        path = os.path.join(self.temporary, "plainfs")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                '#!/bin/sh\nfor to; do :; done\n[ "$1" = export ] || exit 2\n'
                f'cp -R "{self.case}/expected" "$to"\ncd "$to"\n'
            )
            file.writelines([f"rm {name}\n" for name in lost] + [f"echo 1 >{name}\n" for name in more])
        os.chmod(path, 0o755)
        return path

    def test_additional_files_are_listed_in_others(self):
        for name in os.listdir(self.case):
            if name.endswith(".txt"):
                os.remove(os.path.join(self.case, name))
        expected = sorted(name for name in os.listdir(os.path.join(self.case, "expected")) if name.endswith(".csv"))
        output = self.output_of(
            "scripts/golden", "add", self.case, "loom", PLAINFS=self.program(more=("zz.npy", "more.csv"))
        )
        self.assertIn("2 paths are new in others.txt, 0 are not", output)
        self.assertEqual(text_of(self.case, "others.txt"), "more.csv\nzz.npy\n")
        self.assertEqual(self.output_of("tar", "xOf", self.archive("loom"), "loom/v2/others.txt"), "more.csv\nzz.npy\n")
        output = self.output_of(
            "scripts/golden", "add", self.case, "loom", PLAINFS=self.program(expected[0], more=("zz.npy",))
        )
        self.assertIn("0 paths are new in others.txt, 2 are not", output)
        self.assertIn(f"FAIL {expected[0]}: ", output)
        self.assertIn("FAIL more.csv: expected ok, got not listed", output)

    def test_invalid_case_is_refused(self):
        before, empty = self.bytes_of("loom"), os.path.join(self.temporary, "empty")
        os.mkdir(empty)
        for suite in ("", "Loom", "a/b", "../loom", "bad-"):
            self.refused("no name of a suite", "scripts/golden", "add", self.case, suite, PLAINFS="none")
        self.refused("there is no store", "scripts/golden", "add", empty, "loom", PLAINFS="none")
        os.mkdir(os.path.join(empty, "store"))
        self.refused("nothing to hold the store against", "scripts/golden", "add", empty, "loom", PLAINFS="none")
        with open(os.path.join(empty, "outcome.txt"), "w", encoding="utf-8") as file:
            file.write("as one likes it\n")
        self.refused("no statement that can be checked", "scripts/golden", "add", empty, "loom", PLAINFS="none")
        self.refused("does not open the store", "scripts/golden", "add", self.case, "loom", PLAINFS="/bin/false")
        self.refused("no plainfs is built", "scripts/golden", "add", self.case, "loom", PLAINFS="")
        self.refused("there is no suite", "scripts/golden", "list", "nothing")
        self.refused("list or add", "scripts/golden", "remove")
        with open(os.path.join(self.copy, "tests", "data", "large"), "wb") as file:
            file.truncate(25_000_000)
        self.refused(
            "more than 25000000; nothing was packed", "scripts/golden", "add", self.case, "loom", PLAINFS="none"
        )
        self.assertEqual(self.bytes_of("loom"), before)


if __name__ == "__main__":
    unittest.main()
