"""The sentences of fs/VIEWS.md, and the tests that show them.

A test names a sentence by quoting a part of it, in a comment: VIEWS 2 "without a trailing". Sentences shown by golden
cases are named in tests/golden/sentences.txt, untested ones in tests/golden/untested.txt.

    views.py          prints the sentences that no test names
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MARKER = re.compile(r'VIEWS (\d+(?:\.\d+)?) "([^"\n]+)"')


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """Yields (section, paragraph, list item or table row), with the lines of each joined."""
    section, block = "0", []
    text = re.sub(r"\n\|.*\n\|[-| ]+\|\n", "\n", text)  # the heads of tables
    for line in text.split("\n") + [""]:
        heading = re.match(r"#+ (?:(\d+(?:\.\d+)?)\.? )?", line)
        starts = not line.strip() or heading or re.match(r"- |\|", line)
        if starts and block:
            yield section, " ".join(block)
            block = []
        if heading:
            section = heading[1] or section
        elif line.strip():
            block.append(re.sub("^- ", "", line.strip()))


def sentences(text):
    """Returns [(section, sentence)]. A row of a table is one. A lead of a word or two ("Numbers.") belongs to the
    sentence after it."""
    found = []
    for section, block in blocks(text):
        parts = [block] if block.startswith("|") else re.split(r"(?<=\.)\s+(?=[A-Z`(])", block)
        lead = ""
        for part in parts:
            if part.count(" ") < 2 and part.endswith(".") and part != parts[-1]:
                lead += part + " "
                continue
            found.append((section, lead + part))
            lead = ""
    return found


def markers():
    """Yields (file, section, phrase) of every test."""
    for folder, _, names in os.walk(os.path.join(ROOT, "tests")):
        for name in sorted(names):
            if name.endswith((".cc", ".h", ".py")) and name not in ("views.py", "views_test.py"):
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                for section, phrase in MARKER.findall(re.sub(r"\n\s*(?://|#) ?", " ", read(path))):
                    yield path, section, phrase


def named(phrase_lines):
    """Yields (section, phrase, rest) of each line `2 "without a trailing" …`."""
    for line in phrase_lines.splitlines():
        if line and not line.startswith("#"):
            found = re.fullmatch(r'(\d+(?:\.\d+)?) "([^"]+)"(?: (.*))?', line)
            if not found:
                raise ValueError(f"{line!r} is not: SECTION \"PHRASE\" …")
            yield found[1], found[2], found[3]


def sentence_of(all_sentences, section, phrase):
    """Returns the one sentence of the section that contains `phrase`; raises ValueError."""
    found = [s for s in all_sentences if s[0] == section and phrase in s[1]]
    if len(found) != 1:
        raise ValueError(f'VIEWS {section} "{phrase}": {len(found)} sentences of that section say so')
    return found[0]


def main():
    every = sentences(read("fs", "VIEWS.md"))
    output = [(section, phrase) for _, section, phrase in markers()]
    output += [(section, phrase) for section, phrase, _ in named(read("tests", "golden", "sentences.txt"))]
    output = {sentence_of(every, *one) for one in output}
    for section, sentence in every:
        if (section, sentence) not in output:
            print(section, sentence)


if __name__ == "__main__":
    sys.exit(main())
