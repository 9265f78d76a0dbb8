#!/usr/bin/env python3
"""Compare the installed manual and shell completions with `plainfs --help`.

    papers_test.py PREFIX SOURCE_FOLDER
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from optional import needs

PREFIX, SOURCE = sys.argv.pop(1), sys.argv.pop(1)
PROGRAM = os.path.join(PREFIX, "bin", "plainfs")
MANUAL = os.path.join(PREFIX, "share", "man", "man1", "plainfs.1")
BASH = os.path.join(PREFIX, "share", "bash-completion", "completions", "plainfs")
STORE = os.path.join(SOURCE, "tests", "data", "samples", "matrix")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def completed(line):
    """Returns the completions that bash offers at the end of the line."""
    script = (
        """source "$1"; compopt() { :; }; COMP_LINE=$2 COMP_POINT=${#2}; _plainfs; printf '%s\\n' "${COMPREPLY[@]}" """
    )
    environment = {**os.environ, "PATH": os.path.join(PREFIX, "bin") + ":" + os.environ["PATH"]}
    result = subprocess.run(["bash", "-c", script, "bash", BASH, line], env=environment, capture_output=True, text=True)
    assert result.stderr == "", result.stderr
    return result.stdout.split()


def plain(roff):
    """Returns the text of a manual page without its font changes."""
    return re.sub(r"\\f.", "", roff).replace("\\-", "-")


class Papers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.help = subprocess.run([PROGRAM, "--help"], check=True, capture_output=True, text=True).stdout
        cls.manual = plain(read(MANUAL))
        # "-o cache_size=BYTES" and "-f, -o foreground", at the beginning of each line of the help
        cls.options = re.findall(r"^  ((?:-\w, )?-o [\w=:\[\]]+)", cls.help, re.M)
        cls.names = {re.search(r"-o (\w+)", option)[1] for option in cls.options}

    def test_help_has_options(self):
        self.assertGreater(len(self.options), 20)

    def test_manual_has_the_options_of_help(self):
        headings = re.findall(r"^\.TP\n((?:-\w, )?-o [\w=:\[\]]+)$", self.manual, re.M)
        self.assertEqual(sorted(headings), sorted(self.options))

    @needs("groff")
    def test_manual_is_set_without_a_warning(self):
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", MANUAL], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_commands_print_the_help(self):
        for command in ("ls", "cat", "export", "info", "check", "index", "reload", "run", "serve", "ps", "umount"):
            for option in ("-h", "--help"):
                result = subprocess.run([PROGRAM, command, option], capture_output=True, text=True)
                self.assertEqual(result.returncode, 0)
                usage = result.stdout.split("\n\n")[0].replace("usage: ", "       ").splitlines()
                self.assertEqual(
                    usage, [line for line in self.help.splitlines() if line.startswith(f"       plainfs {command} ")]
                )

    def test_manual_has_the_usage_of_help(self):
        synopsis = self.manual[self.manual.index(".nf") : self.manual.index(".fi")].split("\n")
        usage = [
            line.removeprefix("usage:").strip() for line in re.findall(r"^(?:usage:|      ) plainfs.*", self.help, re.M)
        ]
        self.assertEqual([line for line in synopsis if line.startswith("plainfs")], usage)

    def test_manual_has_every_exit_status(self):
        codes = re.findall(r"^  k\w+ = (\d+),", read(SOURCE, "fs", "command_line", "exit_code.h"), re.M)
        section = self.manual[self.manual.index(".SH EXIT STATUS") : self.manual.index(".SH EXAMPLES")]
        self.assertEqual(re.findall(r"^\.TP\n(\d+)$", section, re.M), codes)

    def test_bash_completes_the_options_of_help(self):
        self.assertEqual(
            sorted(completed("plainfs -o ")),
            sorted(name + ("=" if f"-o {name}=" in self.help else "") for name in self.names),
        )

    def test_bash_completes_a_line(self):
        self.assertEqual(completed("plainfs -o ro,cache"), ["ro,cache_size="])
        self.assertEqual(completed("plainfs -o log_level=w"), ["warning"])
        self.assertEqual(completed("plainfs export --pl"), ["--plan"])
        self.assertIn("check", completed("plainfs ch"))
        self.assertEqual(completed(f"plainfs cat {STORE} matrix.m"), ["matrix.mtx"])


if __name__ == "__main__":
    unittest.main()
