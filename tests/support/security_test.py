"""Every promise of SECURITY.md names a test that shows it, in promises.txt: "words of the sentence" TEST [TEST …]. A
row of a table is one promise. Sentences about the model, about exclusions and about testing are not promises. A
sentence between the promises that promises nothing is named with the reason."""
import os
import re
import unittest

from cases import SUITES
from views import read, sentences
from views_test import test_names

SECTIONS = (
    "What is promised",
    "What each format's parser is exposed to",
    "libhdf5 in a process of its own",
    "The daemon in a sandbox",
    "Over HTTP",
)

NO_PROMISES = ("advice", "states a limit", "states a limit on other systems")


def promises():
    found = []
    for part in re.split(r"(?m)^## ", read("SECURITY.md")):
        heading, _, text = part.partition("\n")
        if heading in SECTIONS:
            text = "\n" + re.sub(r"(?m)^\d+\. ", "- ", text)
            found.append([sentence for _, sentence in sentences(text) if not sentence.startswith("Not promised:")])
    return found


def named():
    """Yields (words of a promise, names of its tests)."""
    for line in read("tests", "support", "promises.txt").splitlines():
        if line and not line.startswith("#"):
            words = re.fullmatch(r'"([^"]+)" (.+)', line)
            if not words:
                raise ValueError(f'{line!r} is not: "WORDS" TEST …')
            yield words[1], words[2].split()


class Security(unittest.TestCase):
    def test_every_section_is_there(self):
        self.assertEqual(len(promises()), len(SECTIONS), SECTIONS)
        for section in promises():
            self.assertGreater(len(section), 5)

    def test_every_promise_is_named_once(self):
        every = sum(promises(), [])
        found = []
        for words, _ in named():
            matching = [promise for promise in every if words in promise]
            self.assertEqual(len(matching), 1, f"{words!r}: so many promises of SECURITY.md say so")
            found += matching
        self.assertEqual(
            [promise for promise in every if promise not in found],
            [],
            "add them to tests/support/promises.txt with their tests",
        )

    def test_named_tests_exist(self):
        cases = test_names()
        for words, tests in named():
            if tests[0] == "-":
                self.assertIn(" ".join(tests[1:]), NO_PROMISES, words)
                continue
            for name in tests:
                suite, _, case = name.partition("/")
                with self.subTest(words, test=name):
                    if not case:
                        self.assertIn(name, cases)
                        continue
                    self.assertIn(suite, SUITES)
                    data = os.environ.get("PLAINFS_TEST_DATA")
                    if data:
                        self.assertTrue(os.path.isdir(os.path.join(data, re.sub("^bad-", "bad/", suite), case)))


if __name__ == "__main__":
    unittest.main()
