#!/usr/bin/env python3
"""Hold the manual and the shell completions against `plainfs --help`.

    papers_test.py PROGRAM SOURCE_FOLDER
"""
import os
import re
import subprocess
import sys
import unittest

PROGRAM, SOURCE = sys.argv.pop(1), sys.argv.pop(1)


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as f:
        return f.read()


def plain(roff):
    """The text of a manual page without its font changes."""
    return re.sub(r"\\f.", "", roff).replace("\\-", "-")


class Papers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.help = subprocess.run([PROGRAM, "--help"], check=True, capture_output=True, text=True).stdout
        cls.manual = plain(read("fs", "man", "plainfs.1"))
        # "-o cache_size=BYTES" and "-f, -o foreground", as each line of the help begins
        cls.options = re.findall(r"^  ((?:-\w, )?-o [\w=]+)", cls.help, re.M)
        cls.names = {re.search(r"-o (\w+)", option)[1] for option in cls.options}

    def test_help_has_options(self):
        self.assertGreater(len(self.options), 20)

    def test_manual_has_the_options_of_help(self):
        headings = re.findall(r"^\.TP\n((?:-\w, )?-o [\w=]+)$", self.manual, re.M)
        self.assertEqual(sorted(headings), sorted(self.options))

    def test_manual_has_the_usage_of_help(self):
        synopsis = self.manual[self.manual.index(".nf"):self.manual.index(".fi")].split("\n")
        usage = [line.removeprefix("usage:").strip() for line in re.findall(r"^(?:usage:|      ) plainfs.*", self.help, re.M)]
        self.assertEqual([line for line in synopsis if line.startswith("plainfs")], usage)

    def test_manual_has_every_exit_status(self):
        codes = re.findall(r"^  k\w+ = (\d+),", read("fs", "exit_code.h"), re.M)
        section = self.manual[self.manual.index(".SH EXIT STATUS"):self.manual.index(".SH EXAMPLES")]
        self.assertEqual(re.findall(r"^\.TP\n(\d+)$", section, re.M), codes)

    def test_bash_completes_the_options_of_help(self):
        words = re.search(r"_plainfs_options='([^']*)'", read("fs", "completion", "plainfs.bash"))[1].split()
        self.assertEqual(sorted(words), sorted(name + ("=" if f"-o {name}=" in self.help else "") for name in self.names))

    def test_zsh_completes_the_options_of_help(self):
        words = re.findall(r"^    '(\w+)\[", read("fs", "completion", "_plainfs"), re.M)
        self.assertEqual(sorted(words), sorted(self.names))


if __name__ == "__main__":
    unittest.main()
