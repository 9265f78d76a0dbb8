#!/usr/bin/env python3
"""Tests the installed completions in real shells: the line after Tab was pressed.

    completion_test.py PREFIX
"""
import os
import pty
import select
import shutil
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from optional import needs

PREFIX = os.path.abspath(sys.argv.pop(1))
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")
BASH = os.path.join(PREFIX, "share", "bash-completion", "completions", "plainfs")
ZSH = os.path.join(PREFIX, "share", "zsh", "site-functions")

CURSOR = "\N{FULL BLOCK}"  # the place of Tab, if not at the end

# The typed text, the text that Tab adds, and the text that zsh adds if it differs.
LINES = (
    ("plainfs ch", "eck "),
    ("plainfs export --pa", "rt"),  # or --parts
    ("plainfs export --fin", "ish "),
    ("plainfs export --task 3 logf", "ile "),
    ("plainfs ps --js", "on "),
    ("plainfs umo", "unt "),
    ("plainfs umount outd", "ir/"),
    ("plainfs info --js", "on "),
    ("plainfs ls pbmc.h", "5seurat "),
    ("plainfs ls pbmc.h5seurat", " "),
    ("plainfs -f pbmc.h", "5seurat "),
    ("plainfs pbmc.h5seurat outd", "ir/"),
    # paths inside a store
    ("plainfs ls pbmc.h5seurat ass", "ays/"),
    ("plainfs ls -l pbmc.h5seurat red", "uctions/"),
    ("plainfs ls pbmc.h5seurat assays/RNA/co", "unts/"),
    ("plainfs cat pbmc.h5seurat cell", ".names.csv "),
    ("plainfs cat --range 0-5 pbmc.h5seurat cell", ".names.csv "),
    ("plainfs cat pbmc.h5seurat cell.names.csv assays/RNA/feat", "ures.csv "),
    ("plainfs export pbmc.h5seurat ass", "ays/"),
    ("plainfs export pbmc.h5seurat assays outd", "ir/"),
    ("plainfs ls pbmc.h5seurat/ass", "ays/"),
    ("plainfs cat pbmc.h5seurat/assays/RNA/feat", "ures.csv "),
    ('plainfs ls "a b/p q.h5seurat" ass', "ays/"),
    ("plainfs ls a\\ b/p\\ q.h5seurat ass", "ays/"),
    ('plainfs ls "$PWD/pbmc.h5seurat" ass', "ays/"),
    ("plainfs ls ${PWD}/pbmc.h5seurat ass", "ays/"),
    ("plainfs ls $store ass", "ays/"),
    ("plainfs ls ~+/pbmc.h5seurat ass", "ays/"),
    ("plainfs ls ~/home.h5seurat ass", "ays/"),
    ("plainfs ls ~/home.h", "5seurat "),
    ("plainfs ls ~/home.h5seurat/ass", "ays/"),
    ('plainfs ls "$(touch ran)pbmc.h5seurat" ass', ""),
    ("plainfs ls $(touch ran) ass", ""),
    # a store that is a folder
    ("plainfs ls image.z", "arr/"),
    ("plainfs ls image.zarr/array.c", "sv "),
    ("plainfs ls image.zarr array.c", "sv "),
    ("plainfs ls image.zarr/no", ""),
    # names that a shell quotes
    ("plainfs ls odd.zarr with", "\\ space/"),
    ("plainfs ls odd.zarr with\\ sp", "ace/"),
    ("plainfs ls odd.zarr with\\ space/in", "side/"),
    ("plainfs ls odd.zarr 'with sp", "ace/'", "ace/"),
    ("plainfs ls odd.zarr quote", "\\'s/"),
    ("plainfs ls odd.zarr quote\\'s/in", "side/"),
    ("plainfs ls odd.zarr dollar", "\\$PWD/"),
    ('plainfs ls odd.zarr "dollar', '\\$PWD/"', "\\$PWD/"),
    ("plainfs ls odd.zarr 'quote", "'\\''s/'", "'\\''s/"),
    ("plainfs ls odd.zarr tick", "\\`touch\\ ran\\`/"),
    ("plainfs export odd.zarr with", "\\ space/"),
    ("plainfs ls it\\'s.h", "5ad "),
    ("plainfs ls pb:1.h", "5ad "),
    ("plainfs ls pb:1.h5ad/obs.r", "ds "),
    ("plainfs ls pb\\:1.h5ad obs.r", "ds "),
    ("plainfs ls pb:1.h5ad obs.r", "ds "),
    ("plainfs info pbmc.h5seurat/ass", "ays/"),
    ("plainfs check pbmc.h5seurat meta.data.c", "sv "),
    ("plainfs reload outd", "ir/"),
    # run
    ("plainfs run pbmc.h", "5seurat "),
    ("plainfs run pbmc.h5seurat -- plainf", "s "),
    ("plainfs run pbmc.h5seurat -- cat plainf", "ile "),
    # options
    ("plainfs -o on_change=r", "eopen "),
    ("plainfs -o ca", "che_size="),
    ("plainfs -o ro,ca", "che_size="),
    ("plainfs -o log_level=w", "arning "),
    ("plainfs -o missing=e", "rror "),
    ("plainfs -o log_file=logf", "ile "),
    ("plainfs -o views=np", "y ", "y"),
    ("plainfs -o views=csv,np", "y ", "y"),
    ("plainfs -o views=csv+np", "y ", "y"),
    ("plainfs -o views=csv,log_l", "evel="),
    ("plainfs -o views=csv,ro,ca", "che_size="),
    ("plainfs -o uid=nobo", "dy "),
    ("plainfs -o gid=nogr", "oup "),
    (f"plainfs -o subdir=ass{CURSOR} pbmc.h5seurat", "ays/"),
    (f"plainfs -o ro,subdir=assays/R{CURSOR} pbmc.h5seurat outdir", "NA/"),
    (f"plainfs -o subdir=cell{CURSOR} pbmc.h5seurat", ""),
    ("plainfs ls pbmc.h5seurat -o subdir=ass", "ays/"),
    ("plainfs -o subdir=outd", ""),
    ("plainfs ls -o header pbmc.h5seurat ass", "ays/"),
    ("plainfs ls -lR -o header pbmc.h5seurat ass", "ays/"),
    ("plainfs ls -o hdf5_p", "lugins ", "lugins"),
    ("plainfs --ca", "che_size="),
    ("plainfs --cache-s", "ize="),
    ("plainfs --cache_size=", ""),
    ("plainfs --log_level=", ""),
    ("plainfs --log_level=w", "arning "),
    ("plainfs --log-level=w", "arning "),
    ("plainfs --log_level w", "arning "),
    ("plainfs --log_file=logf", "ile "),
    ("plainfs --views=np", "y ", "y"),
    ("plainfs --views=csv+np", "y ", "y"),
    ("plainfs --on_change=re", "open "),
    ("plainfs --uid=nobo", "dy "),
    ("plainfs --index=no", "ne "),
    ("plainfs --index=outd", "ir/"),
    (f"plainfs --subdir=ass{CURSOR} pbmc.h5seurat", "ays/"),
    ("plainfs --fsn", "ame="),
    ("plainfs export pbmc.h5seurat x.par", "quet "),
    ("plainfs export pbmc.h5seurat x.h5a", "d "),
    ("plainfs export --views csv+np", "y ", "y"),
    ("plainfs export --views csv pbmc.h5seurat ass", "ays/"),
    ("plainfs ls --log-level info pbmc.h5seurat ass", "ays/"),
    ("plainfs ls --header pbmc.h5seurat ass", "ays/"),
    ("plainfs info --views=np", "y ", "y"),
)

BASHRC = """set +o history
source '{completion}'
show() {{ printf '%s' "$READLINE_LINE" >"$SHOWN"; }}
bind -x '"\\C-t": show'
store=pbmc.h5seurat
PS1='@ready@ '
"""
ZSHRC = """fpath=('{completion}' $fpath)
autoload -Uz compinit; compinit -u -d "$HOME/dump"
show() {{ print -rn -- "$BUFFER" >"$SHOWN" }}
zle -N show; bindkey '^T' show
store=pbmc.h5seurat
PS1='@ready@ '
"""


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, name, folder, home):
        self.shown = os.path.join(home, "shown")
        with open(os.path.join(home, ".zshrc" if name == "zsh" else "bashrc"), "w", encoding="utf-8") as file:
            file.write(ZSHRC.format(completion=ZSH) if name == "zsh" else BASHRC.format(completion=BASH))
        words = (
            ["zsh", "-i"] if name == "zsh" else ["bash", "--noprofile", "--rcfile", os.path.join(home, "bashrc"), "-i"]
        )
        environment = {
            "PATH": f"{PREFIX}/bin:/usr/bin:/bin",
            "TERM": "vt100",
            "HOME": home,
            "SHOWN": self.shown,
            "LC_ALL": "C.UTF-8",
        }
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        self.wait(lambda output: b"@ready@ " in output)

    def wait(self, is_done):
        output, end = b"", time.monotonic() + 30
        while not is_done(output):
            if time.monotonic() > end:
                raise AssertionError(f"the shell does not answer: {output}")
            if select.select([self.terminal], [], [], 0.05)[0]:
                output += os.read(self.terminal, 4096)

    def completed(self, before, behind=""):
        if os.path.exists(self.shown):
            os.remove(self.shown)
        os.write(self.terminal, f"{before}{behind}".encode() + b"\x02" * len(behind) + b"\t\x14")
        self.wait(
            lambda _: os.path.exists(self.shown) and os.path.getsize(self.shown) >= len(f"{before}{behind}".encode())
        )
        os.write(self.terminal, b"\x05\x15")  # an empty line again
        with open(self.shown, encoding="utf-8") as file:
            return file.read()

    def close(self):
        os.kill(self.pid, 9)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


class Completion(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.folder, self.home = (os.path.join(temporary.name, name) for name in ("work", "home"))
        os.makedirs(self.home)
        os.makedirs(os.path.join(self.folder, "a b"))
        os.mkdir(os.path.join(self.folder, "outdir"))
        for sample, path in (
            ("pbmc.h5seurat", "pbmc.h5seurat"),
            ("pbmc.h5seurat", "a b/p q.h5seurat"),
            ("pbmc.h5seurat", "../home/home.h5seurat"),
            ("pbmc.h5ad", "pb:1.h5ad"),
            ("pbmc.h5ad", "it's.h5ad"),
        ):
            shutil.copy(os.path.join(SAMPLES, sample), os.path.join(self.folder, path))
        shutil.copytree(os.path.join(SAMPLES, "image.zarr"), os.path.join(self.folder, "image.zarr"))
        for group in (
            "",
            "with space",
            "with space/inside",
            "quote's",
            "quote's/inside",
            "dollar$PWD",
            "tick`touch ran`",
        ):
            os.makedirs(os.path.join(self.folder, "odd.zarr", group))
            with open(os.path.join(self.folder, "odd.zarr", group, ".zgroup"), "w", encoding="utf-8") as file:
                file.write('{"zarr_format": 2}')
        for name in ("logfile", "plainfile"):
            with open(os.path.join(self.folder, name), "wb"):
                pass

    def check(self, name):
        shell = Shell(name, self.folder, self.home)
        self.addCleanup(shell.close)
        for line, *added in LINES:
            with self.subTest(line):
                before, _, behind = line.partition(CURSOR)
                self.assertEqual(shell.completed(before, behind), before + added[-1 if name == "zsh" else 0] + behind)
        self.assertNotIn("ran", os.listdir(self.folder))

    @needs("bash")
    def test_bash(self):
        self.check("bash")

    @needs("zsh")
    def test_zsh(self):
        self.check("zsh")


if __name__ == "__main__":
    unittest.main()
