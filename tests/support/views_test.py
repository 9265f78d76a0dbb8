"""Every sentence of fs/VIEWS.md has a test that names it, or is in a list that does not grow."""
import os
import re
import unittest

import views
from cases import SUITES
from views import ROOT, named, read, sentence_of, sentences

# May only decrease: a new sentence comes with its test.
MAX_UNTESTED = 0


def test_names():
    found = set()
    for folder, _, names in os.walk(os.path.join(ROOT, "tests")):
        for name in names:
            if name.endswith("_test.cc"):
                found.update(re.findall(r"_TEST_CASE\((\w+)", read(os.path.relpath(os.path.join(folder, name), ROOT))))
            elif name.endswith("_test.py"):
                found.update(re.findall(r"def (test_\w+)", read(os.path.relpath(os.path.join(folder, name), ROOT))))
    return found


# Folders of sources without names of files, and the words in them that are names of something else.
FREE_OF_NAMES = ("command_line", "commands", "completion", "daemon", "index", "mounts", "report", "serve", "tree")
FOLDERS_OF_MATRICES = {"assays", "mod", "alternative_experiments"}
OTHER_NAMES = {
    "fs/serve/pages/cells/several_genes.cc": {"cells"},  # a column of numbers
    "fs/commands/plan/export_plan.cc": {"cells"},  # an option
    "fs/commands/plan/plan_task.cc": {"cells"},
    "fs/command_line/cells_file.cc": {"cells"},
    "fs/command_line/options.cc": {"cells", "genes"},
    "fs/completion/plainfs.bash": {"cells", "genes"},
    "fs/completion/plainfs.fish": {"cells", "genes"},
    "fs/completion/_plainfs": {"cells", "genes"},
    "fs/index/store_index.cc": {"cells", "genes"},
    "fs/report/facts.cc": {"cells"},  # facts
    "fs/report/headline.cc": FOLDERS_OF_MATRICES - {"alternative_experiments"},  # words
    "fs/serve/pages/cells/distribution.cc": {"cells"},
    "fs/serve/pages/folder/instructions.cc": {"anndata.zarr"},  # a type of file of Vitessce
    "fs/serve/pages/folder/subject_page.cc": {"cells", "genes"},
    "fs/serve/pages/model/page_html.cc": {"cells"},
    "fs/serve/pages/model/page_json.cc": {"cells", "by"},
}


def rows():
    """Yields (view, name, rest) of each row of the table of files."""
    table = re.search(r"constexpr FileRow kFiles\[\] = \{\n(.*?)\n\};", read("fs", "views", "views.cc"), re.S)[1]
    for view, name, rest in re.findall(r'\{("\w+"|kPartsView), "([^"]+)", ([^{}]*)\}', table):
        yield view.strip('"').replace("kPartsView", "parts"), name, rest


class Views(unittest.TestCase):
    def setUp(self):
        self.every = sentences(read("fs", "VIEWS.md"))
        self.output = list(named(read("tests", "golden", "sentences.txt")))
        self.untested = list(named(read("tests", "golden", "untested.txt")))

    def find(self, section, phrase):
        try:
            return sentence_of(self.every, section, phrase)
        except ValueError as error:
            self.fail(error)

    def test_every_sentence_is_named(self):
        found = {self.find(section, phrase) for section, phrase, _ in self.output + self.untested}
        found |= {self.find(section, phrase) for _, section, phrase in views.markers()}
        missing = [f"{section} {sentence}" for section, sentence in self.every if (section, sentence) not in found]
        self.assertEqual(missing, [], "add them to tests/golden/sentences.txt with their tests")

    def test_files_are_those_of_the_table(self):
        # Each row of the page, `VIEW | listed files | unlisted files`, lists the files of that view in views.cc.
        built = {(view, name, "kUnlisted" in rest) for view, name, rest in rows()}
        page = set()
        for section, sentence in self.every:
            if section == "1.2" and sentence.startswith("|"):
                view, *columns = [re.findall("`([^`]+)`", cell) for cell in sentence.strip("|").split("|")]
                page |= {(view[0], name, is_unlisted) for is_unlisted in (False, True) for name in columns[is_unlisted]}
        self.assertEqual(page, built)

    def test_no_name_of_a_file_is_read_again(self):
        """A new file needs nothing but its row and its form."""
        names = {re.sub("^(NAME|VAR)", "", os.path.basename(name)) for _, name, _ in rows()} - {""}
        names |= FOLDERS_OF_MATRICES
        for top in FREE_OF_NAMES:
            for folder, _, files in os.walk(os.path.join(ROOT, "fs", top)):
                for file in files:
                    path = os.path.relpath(os.path.join(folder, file), ROOT)
                    code = re.sub(r"//.*|#include.*", "", read(*path.split("/")))
                    literals = set(re.findall(r'"((?:[^"\\\n]|\\.)*)"', code))
                    if top == "completion":
                        literals = set(re.split(r"[\s='\"]", re.sub("#.*", "", code)))
                    literals |= {part for literal in literals for part in literal.split("/")}
                    self.assertEqual(names & literals, OTHER_NAMES.get(path, set()), path)

    def test_named_tests_exist(self):
        cases = test_names()
        for section, phrase, tests in self.output:
            self.assertTrue(tests, f"{section} {phrase}: no test")
            for name in tests.split():
                suite, _, case = name.partition("/")
                if case:
                    self.assertIn(suite, SUITES, name)
                    data = os.environ.get("PLAINFS_TEST_DATA")
                    if data:
                        folder = os.path.join(data, re.sub("^bad-", "bad/", suite), case)
                        self.assertTrue(os.path.isdir(folder), f"no golden case {name}")
                else:
                    self.assertIn(name, cases)

    def test_untested_sentences_become_fewer(self):
        self.assertLessEqual(len(self.untested), MAX_UNTESTED)


if __name__ == "__main__":
    unittest.main()
