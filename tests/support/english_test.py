"""Comments, messages, pages and names of tests are in plain English: plain_english.py finds only what ALLOWED lists."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from plain_english import all_findings, findings_in

ALLOWED = {}  # (path, words): reason

CANARY = {
    "// What the file holds.\nint x;  // whoever asks is told so\n": ["What …", "told", "whoever"],
    "// Returns the file, if there is one.\nthrow damaged(\"nobody knows {}\", x);\n": ["nobody"],
    "BOOST_AUTO_TEST_CASE(a_name_that_is_wrong) {\n": ["that_is"],
    "BOOST_AUTO_TEST_CASE(files_keep_what_was_read) {\n": ["what"],
    "const char kText[] =\n    R\"(One line.\nThe program tells it.\n)\";\n": ["tells"],
    'constexpr int kMostNames = 5;  // kMostNames\nbool is_there(Made made);\nmost("kMostNames");\n': [
        "Made",
        "is_there",
        "kMostNames",
        "made",
    ],
    "int kMost = 5;\nvoid look_what_is_there(Text shown_words);\nBOOST_TEST(has_words(text));\n": [
        "kMost",
        "look_what_is_there",
        "shown_words",
    ],
    "int most_bytes_ = 5;\nvoid made_page(MadeFile file, Text words_for_it, bool at_most);\n": [
        "MadeFile",
        "made_page",
        "most_bytes_",
        "words_for_it",
    ],
    'class OneWay {};\nPath way_back = ways("made");\nmade_unique(names, is_elsewhere);\n': [
        "OneWay",
        "is_elsewhere",
        "way_back",
        "ways",
    ],
    "BOOST_AUTO_TEST_CASE(links_on_the_way_are_followed) {\n": [],
    "// Returns false unless the reader has read all.\n": [],
}


class English(unittest.TestCase):
    def test_nothing_is_found_but_exceptions(self):
        found = [finding for finding in all_findings() if (finding.path, finding.words.lower()) not in ALLOWED]
        self.assertEqual([f"{f.path}:{f.line}: {f.words}: {f.text}" for f in found], [])

    def test_every_exception_is_needed(self):
        found = {(finding.path, finding.words.lower()) for finding in all_findings()}
        self.assertEqual([exception for exception in ALLOWED if exception not in found], [])

    def test_words_are_found_in_each_kind_of_text(self):
        for text, words in CANARY.items():
            path = "tests/unit/x_test.cc" if "BOOST" in text else "fs/x.cc"
            self.assertEqual(sorted(finding.words for finding in findings_in(path, text)), sorted(words))


if __name__ == "__main__":
    unittest.main()
