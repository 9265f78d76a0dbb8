"""Tests count_results.py on results written here: its counts, and its output for skipped tests."""
import os
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import quoteattr, escape

import count_results
import optional

UNITTEST = """{lines}
----------------------------------------------------------------------
Ran {ran} tests in 0.1s

OK (skipped={skipped})
"""


def case(name, output, inner="", status="run"):
    return (
        f'<testcase name={quoteattr(name)} time="1.5" status="{status}">{inner}'
        f"<system-out>{escape(output)}</system-out></testcase>"
    )


def skips(*reasons, ran=5):
    lines = "\n".join(f"test_{i} (__main__.X.test_{i}) ... skipped {reason!r}" for i, reason in enumerate(reasons))
    return UNITTEST.format(lines=lines, ran=ran, skipped=len(reasons))


class Results(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def written(self, name, *cases):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("<testsuite>" + "".join(cases) + "</testsuite>")
        return path

    def printed(self, *arguments):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "count_results.py")
        done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def test_cases_of_programs_are_counted(self):
        boost = "7 test cases out of 8 passed\n1 test case out of 8 failed\n"
        lines = self.printed(
            self.written(
                "a.xml",
                case("unit", boost, status="fail"),
                case("script", "fine"),
                case("python", skips("this needs root")),
            )
        )
        self.assertEqual(lines[0], "failed: unit")
        self.assertEqual(lines[-1], "12 passed, 1 failed, 1 skipped")

    def test_skipped_package_names_its_install_command(self):
        seurat, octave, both = (
            "not installed: R's Seurat",
            "not installed: octave-cli",
            "not installed: R's Seurat, octave-cli",
        )
        program = case("whole", "skipped: not installed: npm's zarrita\n", inner="<skipped/>")
        lines = self.printed(
            self.written("a.xml", case("one", skips(seurat, octave)), case("two", skips(seurat, both)), program)
        )
        self.assertIn("skipped without R's Seurat: 3 in one, two", lines)
        self.assertIn("skipped without octave-cli: 2 in one, two", lines)
        self.assertIn("skipped without npm's zarrita: 1 in whole", lines)
        self.assertEqual(lines[-2], "to run these too: scripts/setup readers recipes && scripts/test --skipped")
        self.assertEqual(lines[-1], "6 passed, 0 failed, 5 skipped")

    def test_other_reasons_need_no_command(self):
        lines = self.printed(
            self.written("a.xml", case("one", skips("it's for \"root\"", "not installed: bigWigInfo")))
        )
        self.assertIn("skipped: it's for \"root\": 1 in one", lines)
        self.assertIn("skipped without bigWigInfo, which this system has no package of: 1 in one", lines)
        self.assertFalse([line for line in lines if "scripts/setup" in line])

    def test_repeated_tests_count_once(self):
        first = self.written("a.xml", case("one", skips("not installed: octave-cli")), case("two", skips(ran=3)))
        second = self.written("b.xml", case("one", skips()))
        lines = self.printed(first, second)
        self.assertEqual(lines[-1], "8 passed, 0 failed, 0 skipped")
        self.assertFalse([line for line in lines if line.startswith("skipped")])
        failed = self.written("c.xml", case("one", "", status="fail"))
        self.assertEqual(self.printed(first, failed)[-1], "3 passed, 1 failed, 0 skipped")
        self.assertEqual(self.printed(failed, second)[-1], "5 passed, 1 failed, 0 skipped")

    def test_only_newly_installed_needs_run_again(self):
        path = self.written(
            "a.xml",
            case("now", skips("not installed: sh")),
            case("later", skips("not installed: no-such-program")),
            case("root", skips("this needs root")),
        )
        self.assertEqual(self.printed("--skipped", path), ["^(now)$"])
        self.assertEqual(self.printed("--skipped", self.written("b.xml", case("root", skips("this needs root")))), [""])


class Packages(unittest.TestCase):
    def test_needs_of_tests_have_a_part_of_setup(self):
        for missing, part in (
            ("R's Seurat", "recipes"),
            ("R's SingleCellExperiment", "recipes"),
            ("npm's axe-core", "readers"),
            ("python's dask", "recipes"),
            ("python's h5py", "test"),
            ("tabix", "test"),
            ("clang-format", "check"),
        ):
            self.assertEqual(optional.part_of(missing), part, missing)

    def test_reason_names_the_missing_package(self):
        self.assertEqual(optional.missing_programs("sh", "no-such-program"), "not installed: no-such-program")
        self.assertEqual(count_results.missing_in("not installed: a, R's b"), ["a", "R's b"])
        self.assertEqual(optional.missing_modules("os", "no_such_module"), "not installed: python's no_such_module")


if __name__ == "__main__":
    unittest.main()
