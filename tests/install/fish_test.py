#!/usr/bin/env python3
"""Tests the installed completion of fish, by the words that `complete --do-complete` offers for a line.

    fish_test.py PREFIX
"""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from optional import missing_programs

PREFIX = os.environ.get("PREFIX", "")
COMPLETION = os.path.join(PREFIX, "share", "fish", "vendor_completions.d", "plainfs.fish")
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")


def offered(line):
    """Returns the words that fish offers at the end of the line."""
    script = f"set -p PATH {PREFIX}/bin; source {COMPLETION}; complete --do-complete {line!r}"
    result = subprocess.run(
        ["fish", "--no-config", "-c", script], capture_output=True, text=True, timeout=60, cwd=SAMPLES, check=True
    )
    return {words.split("\t")[0] for words in result.stdout.splitlines()}


class Fish(unittest.TestCase):
    def test_commands_are_offered_first(self):
        self.assertLessEqual({"ls", "cat", "export", "umount"}, offered("plainfs "))
        self.assertNotIn("umount", offered("plainfs ls "))

    def test_options_of_o_are_those_of_the_help(self):
        self.assertLessEqual({"index=", "allow_other", "views="}, offered("plainfs -o "))
        self.assertLessEqual({"allow_other,index="}, offered("plainfs -o allow_other,ind"))
        self.assertEqual({"sandbox=auto", "sandbox=required", "sandbox=none"}, offered("plainfs -o sandbox="))

    def test_paths_inside_a_store_are_offered(self):
        self.assertIn("obs.csv", offered("plainfs cat pbmc.h5ad ob"))
        self.assertIn("X/matrix.mtx", offered("plainfs cat pbmc.h5ad X/m"))

    def test_options_belong_to_their_command(self):
        self.assertIn("--tar", offered("plainfs export --t"))
        self.assertNotIn("--tar", offered("plainfs ls --t"))


if __name__ == "__main__":
    PREFIX = sys.argv.pop(1)
    COMPLETION = os.path.join(PREFIX, "share", "fish", "vendor_completions.d", "plainfs.fish")
    if missing_programs("fish"):
        print(f"skipped: {missing_programs('fish')}")
        sys.exit(77)
    unittest.main(verbosity=2)
