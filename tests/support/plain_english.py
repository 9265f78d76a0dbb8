"""Finds words that make the project's English hard to read: in comments, messages, pages and the names of tests.

    python3 tests/support/plain_english.py [PATH …]

prints "path:line: kind: words: text" for each finding in the files at PATH (default: all), and their number.
"""
import collections
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GENERATED = {".git", ".cache", "__pycache__", "node_modules"}  # folders
NOT_ENGLISH = (
    "tests/data/",
    "tests/support/plain_english",
    "debian/",
    "LICENSE",
    "tests/golden/sentences.txt",
    "tests/support/promises.txt",
)

WORDS = re.compile(
    r"\b(who|whoever|whom|whose|somebody|nobody|anybody|someone|anew|elsewhere|tells?|telling|told|says?|said|"
    r"is none|are none|that (?:is|are) no|from any place)\b",
    re.IGNORECASE,
)
OPENINGS = re.compile(r"(What|Of|The same|As|Those|Where|Who|Whoever|By|That)\b(?! follows:)")
RAW_STRING = re.compile(r'\bR"(\w*)\((.*?)\)\1"', re.DOTALL)  # of C++
NAME_WORDS = re.compile(
    r"(^|_)(who|whoever|whom|whose|somebody|nobody|anybody|anew|elsewhere|tells?|told|says?|said|what|"
    r"is_none|that_is)(_|$)"
)

# Words in the names of constants and functions of C++ that a native reader would not use, and those to use instead.
IDENTIFIERS = re.compile(
    r"\b(kMost(?:[A-Z]\w*)?|most_(?!of_|common\b)\w*|\w*(?:Made|Way|There|Told|Elsewhere)(?:[A-Z]\w*)?|"
    r"(?:\w+_)?(?:made(?!_unique)|ways?|there|told|tells?|says?|said|anew|elsewhere)(?:_\w*)?|"
    r"(?!has_)\w+_words_?|words_\w+)\b"
)

Finding = collections.namedtuple("Finding", "path line kind words text")


def blocks(lines, marker):
    """Yields (line number, lines) of each comment of whole lines, and of each comment behind code."""
    begun, words = 0, []
    for number, line in enumerate([*lines, ""], 1):
        stripped = line.strip()
        if stripped.startswith(marker) and not stripped.startswith("#!"):
            if not words:
                begun = number
            words.append(stripped[len(marker) :].lstrip("/").strip())
            continue
        if words:
            yield begun, words
            words = []
        if marker == "//":
            behind = re.search(r'(?<!:)//(?=\s)\s*(.*)$', re.sub(r'"(?:\\.|[^"\\])*"', '""', line))
        else:
            behind = re.search(r'\s#\s+(.*)$', re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', '""', line))
        if behind:
            yield number, [behind[1]]


def docstrings(text):
    for found in re.finditer(r'"""(.*?)"""', text, re.DOTALL):
        yield text.count("\n", 0, found.start()) + 1, found[1].splitlines()


def messages(lines):
    """Yields (line number, [text]) of each string of C++ with a space, which a user may read."""
    for number, line in enumerate(lines, 1):
        code = re.sub(r"//\s.*$", "", line)
        if code.lstrip().startswith(("//", "#include")):
            continue
        for found in re.finditer(r'"((?:\\.|[^"\\])*)"', code):
            if " " in found[1].strip():
                yield number, [found[1]]


def raw_strings(text):
    """Yields (line number, lines) of each raw string of C++, such as the README.txt of a mount."""
    for found in RAW_STRING.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[2].splitlines()


def prose(lines):
    """Yields (line number, [text]) of each line of a page outside of code."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, [re.sub(r"`[^`]*`", "``", line)]


def names(path, lines):
    pattern = r"^\s*(?:BOOST_\w*TEST_CASE\w*\((\w+)|BOOST_\w*TEST_CASE\w*\((\w+)\s*,|def (test_\w+))"
    for number, line in enumerate(lines, 1):
        found = re.match(pattern, line)
        if found:
            yield number, next(group for group in found.groups() if group)


def identifiers(text):
    """Yields (line number, code) of each line of C++ without its texts, its comments and the names of tests."""
    text = RAW_STRING.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        if not re.match(r"\s*BOOST_\w*TEST_CASE", line):
            yield number, re.sub(r'//.*$|#include.*$', "", re.sub(r'"(?:\\.|[^"\\])*"', '""', line))


def findings_in(path, text):
    """Returns the findings in the text of a file; path determines which parts of it are English."""
    lines = text.splitlines()
    ending = os.path.splitext(path)[1]
    script = lines and lines[0].startswith("#!")
    found = []

    def add(kind, parts, openings):
        for begun, part in parts:
            for number, line in enumerate(part, begun):
                for match in WORDS.finditer(line):
                    found.append(Finding(path, number, kind, match[0], line))
            opening = openings and OPENINGS.match(" ".join(part))
            if opening:
                found.append(Finding(path, begun, kind, opening[0] + " …", part[0]))

    if ending in (".cc", ".h"):
        for number, code in identifiers(text):
            for match in IDENTIFIERS.finditer(code):
                found.append(Finding(path, number, "identifier", match[0], code))
        add("comment", blocks(lines, "//"), True)
        if not path.startswith("tests/"):
            add("message", messages(lines), False)
            add("message", raw_strings(text), False)
    elif ending in (".py", ".sh", ".R", ".cmake") or script or os.path.basename(path) == "CMakeLists.txt":
        add("comment", blocks(lines, "#"), True)
        if ending == ".py":
            add("comment", docstrings(text), True)
    elif ending in (".md", ".1", ".5"):
        add("page", prose(lines), False)
    if path.startswith(("fs/completion/", "fs/systemd/")):
        add("message", [(1, lines)], False)
    if path.startswith("tests/"):
        for number, name in names(path, lines):
            words = NAME_WORDS.search(name)
            if words:
                found.append(Finding(path, number, "name", words[2], name))
            if len(name) > 70:
                found.append(Finding(path, number, "name", "over 70 characters", name))
    return found


def sources(paths=()):
    """Returns the files of the tree at or below `paths`, without those of builds. The tree may be no clone of git."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        at_root = folder == ROOT
        folders[:] = [name for name in folders if name not in GENERATED and not (at_root and name.startswith("build"))]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    return sorted(
        path
        for path in found
        if not path.startswith(NOT_ENGLISH)
        and (not paths or any(path == start or path.startswith(start.rstrip("/") + "/") for start in paths))
    )


def all_findings(paths=()):
    found = []
    for path in sources(paths):
        try:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                found += findings_in(path, file.read())
        except UnicodeDecodeError:
            pass  # not a text
    return found


if __name__ == "__main__":
    every = all_findings(sys.argv[1:])
    for finding in every:
        print(f"{finding.path}:{finding.line}: {finding.kind}: {finding.words}: {finding.text}")
    print(len(every))
