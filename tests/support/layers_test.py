"""The order of the rooms: no file includes one of a higher room, or of another room on the same line."""
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


# From the lowest. A room may include those of the lines above its own, and itself.
ORDER = re.search(r"Lower rooms never include higher ones:\n\n((?:    .*\n)+)", read("formats", "README.md"))[1]
RANK = {room: rank for rank, line in enumerate(ORDER.split("\n")) for room in line.split()}
# Headers that only some rooms may include: the beginning of the header, the beginning of the paths.
ONLY_IN = {
    "hdf5.h": ("formats/containers/hdf5/library/", "fs/info.cc"),
    "fuse": ("fs/mount/", "fs/info.cc"),
    "curl/": ("formats/core/remote/",),
    "openssl/": ("formats/core/remote/",),
}
MAX_LINES_OF_A_FUNCTION = 60
MANY_LINES = 600  # per file: worth a look, not a fault
# Headers that Macs lack, which must be between #ifdef and #endif.
OF_LINUX = re.compile(
    r"#include <(linux/|sys/(prctl|signalfd|syscall|sysmacros|eventfd|epoll|inotify|sendfile|statfs|vfs)\.h|"
    r"malloc\.h|mntent\.h|endian\.h|byteswap\.h|features\.h)"
)


def sources():
    for top in ("cache", "formats", "fs"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith((".cc", ".h")):
                    path = os.path.relpath(os.path.join(folder, name), ROOT)
                    yield path, read(path)


def room_of(path):
    """Returns the room of a path. formats/registry.h is its own room, fs/filesystem.h belongs to the room fs, and a
    folder in a room belongs to the room unless it is one itself."""
    stem, folder = os.path.splitext(path)[0], os.path.dirname(path)
    if stem in RANK:
        return stem
    while folder not in RANK and os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder


def pages():
    """Yields the pages that explain the sources."""
    yield from ("README.md", "CONTRIBUTING.md", "SECURITY.md", "fs/READING.md")
    yield from (f"docs/{name}" for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md"))
    for top in ("cache", "formats", "fs"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            if "README.md" in names:
                yield os.path.relpath(os.path.join(folder, "README.md"), ROOT)


def functions(text):
    """Yields the first line and the number of lines of every function outside of classes or in one. clang-format has
    formatted the source: a function ends at a line with only a brace, and begins at the last line before it with the
    same or less indentation."""
    lines = text.split("\n")
    found = []
    for end, line in enumerate(lines):
        indent = {"}": "", "  }": "  "}.get(line)
        if indent is None:
            continue
        begin = end - 1
        while begin >= 0 and not re.match(indent + r"[^\s/#]", lines[begin]):
            begin -= 1
        found.append((lines[begin].strip(), end - begin + 1))
    return found


class Layers(unittest.TestCase):
    def test_no_include_leads_upwards(self):
        wrong = []
        for path, text in sources():
            room = room_of(path)
            self.assertIn(room, RANK, f"{path}: its room is not in the order above")
            for header in re.findall(r'^#include "([^"]+)"', text, re.M):
                other = room_of(header)
                self.assertIn(other, RANK, f"{path} includes {header}")
                if other != room and RANK[other] >= RANK[room]:
                    wrong.append(f"{path} includes {header}")
        # main assembles everything.
        self.assertEqual([line for line in wrong if not line.startswith("fs/main.cc ")], [])

    def test_headers_include_no_cycle(self):
        includes = {path: re.findall(r'^#include "([^"]+)"', text, re.M) for path, text in sources()}
        done, in_progress = set(), []

        def visit(path):
            self.assertNotIn(path, in_progress, " -> ".join(in_progress + [path]))
            if path in done or path not in includes:
                return
            in_progress.append(path)
            for header in includes[path]:
                visit(header)
            in_progress.pop()
            done.add(path)

        for path in includes:
            visit(path)

    def test_headers_begin_with_their_class(self):
        """A header begins with a comment, which has a word of the header's name if that is a class that it declares."""
        wrong = []
        for path, text in sources():
            if path.endswith(".h"):
                opening = text.partition("#pragma once")[0].lower()
                stem = os.path.splitext(os.path.basename(path))[0]
                names = "|".join(word[:4] for word in stem.split("_"))
                classes = re.findall(r"^(?:class|struct) (?:\w+\([^)]*\) )?(\w+)[^;]*\{", text, re.M)
                is_named = stem.replace("_", "") in [name.lower() for name in classes]
                if not opening or (is_named and not re.search(rf"\b({names})", opening)):
                    wrong.append(path)
        self.assertEqual(wrong, [])

    def test_no_function_is_long(self):
        long = {
            f"{path}: {first}": lines
            for path, text in sources()
            for first, lines in functions(text)
            if lines > MAX_LINES_OF_A_FUNCTION
        }
        self.assertEqual(long, {})

    def test_functions_are_found(self):
        text = "int f() {\n  return 1;\n}\n\nclass C {\n  C()\n      : a_(1) {\n    a();\n  }\n};\n"
        self.assertEqual(functions(text), [("int f() {", 3), ("C()", 4)])

    def test_long_files_are_reported(self):
        for path, text in sources():
            if text.count("\n") > MANY_LINES:
                print(f"{path} has {text.count(chr(10))} lines")

    def test_every_format_has_its_facts(self):
        kinds = [os.path.join(ROOT, "formats", kind) for kind in ("containers", "schemas")]
        formats = {name for kind in kinds for name in os.listdir(kind) if os.path.isdir(os.path.join(kind, name))}
        without = [
            name
            for name in sorted(formats)
            if not any(os.path.exists(os.path.join(kind, name, "FORMAT.md")) for kind in kinds)
        ]
        self.assertEqual(without, [])

    def test_every_room_has_a_paragraph(self):
        for folder in ("formats/core", "formats/containers", "formats/schemas", "fs"):
            text = read(folder, "README.md")
            rooms = [
                name
                for name in sorted(os.listdir(os.path.join(ROOT, folder)))
                if os.path.isdir(os.path.join(ROOT, folder, name))
            ]
            self.assertEqual([room for room in rooms if f"**`{room}`**" not in text], [], folder)

    def test_paths_named_in_pages_exist(self):
        """A path in backticks is below the root, the page's folder, fs or formats, with or without .h and .cc."""
        gone = []
        for page in pages():
            bases = [os.path.join(ROOT, base) for base in ("", os.path.dirname(page), "fs", "formats")]
            for path in re.findall(r"`([a-z][\w.]*/[\w./]*)`", read(page)):
                first = path.partition("/")[0]
                if first == "build" or "NAME" in path or not any(os.path.isdir(os.path.join(b, first)) for b in bases):
                    continue
                if not any(os.path.exists(os.path.join(b, path) + end) for b in bases for end in ("", ".h", ".cc")):
                    gone.append(f"{page}: {path}")
        self.assertEqual(gone, [])

    def test_headers_of_linux_are_for_linux_alone(self):
        bare = []
        for path, text in sources():
            depth = 0
            for line in text.split("\n"):
                depth += line.startswith("#if")
                depth -= line.startswith("#endif")
                if depth == 0 and OF_LINUX.match(line):
                    bare.append(f"{path}: {line}")
        self.assertEqual(bare, [])

    def test_foreign_headers_stay_in_their_room(self):
        wrong = []
        for path, text in sources():
            for header in re.findall(r"^#include <([^>]+)>", text, re.M):
                for start, rooms in ONLY_IN.items():
                    if header.startswith(start) and not path.startswith(rooms):
                        wrong.append(f"{path} includes {header}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
