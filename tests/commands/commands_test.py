"""Tests of the commands that need no mount, over every golden case."""
import array
import ast
import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import pty
import pwd
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from cases import BAD, GOOD, VIEWS, a_third, cases, lines, refused, statements, views_of
from check_case import check_case
from optional import needs
from written_tree import tree

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")
SAMPLE = os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store")


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120, **more)


def write_fragments(folder, starts, ends):
    """Writes an unpacked BPCells directory with three chromosomes of equally many fragments."""
    os.mkdir(folder)
    part = len(starts) // 3
    numbers = {
        "start": starts,
        "end": ends,
        "cell": [number % 40 for number in range(len(starts))],
        "end_max": [max(ends[max(0, at - at % 128) : at + 128]) for at in range(0, len(ends), 128)],
    }
    for at in range(1, len(numbers["end_max"])):
        numbers["end_max"][at] = max(numbers["end_max"][at - 1 : at + 1])
    for name, values in numbers.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"UINT32v1" + array.array("I", values).tobytes())
    with open(os.path.join(folder, "chr_ptr"), "wb") as file:
        file.write(b"UINT64v1" + array.array("Q", [0, part, part, 2 * part, 2 * part, 3 * part]).tobytes())
    for name, texts in (
        ("version", ["unpacked-fragments-v2"]),
        ("cell_names", [f"c{i}" for i in range(40)]),
        ("chr_names", ["chr1", "chr2", "chr3"]),
    ):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.writelines(text + "\n" for text in texts)


# Golden stores with a damaged part, and the text of each finding of check.
DAMAGED_PARTS = {
    "anndata/anywhere_h5": "/short/",
    "h5seurat/odd_members": "/misc/fac_codes: code 99 is not below 3, the number of levels; shown as NA",
    "h5seurat/partial": "/assays/RNA",
}


class Commands(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def test_export_of_cases_matches_the_expected_files(self):
        failures = []
        for case, store in a_third(cases(DATA, GOOD), 2):
            target = os.path.join(self.folder, os.path.relpath(case, DATA).replace("/", "_"))
            exported = run("export", "--views", VIEWS, store, target)
            if not os.path.isdir(os.path.join(case, "expected")):
                continue
            # errors.txt is about files that cannot be exported
            plain = os.path.join(self.folder, "case")
            shutil.rmtree(plain, ignore_errors=True)
            os.makedirs(plain)
            for name in ("expected", "links.txt", "others.txt", os.path.basename(store)):
                if os.path.exists(os.path.join(case, name)):
                    os.symlink(os.path.join(case, name), os.path.join(plain, name))
            passed, problems = check_case(plain, target, reads=1)
            if problems or not passed:
                failures.append(f"{case}: {problems} {exported.stderr.decode()[-200:]}")
        self.assertFalse(failures, "\n".join(failures))

    def test_parts_put_together_are_the_whole(self):
        for case in ("h5seurat/odd_members/store.h5seurat", "zarr/v2_dtypes/store.zarr", "hdf5/links/store.h5"):
            with self.subTest(case):
                self.check_parts(os.path.join(DATA, case), os.path.join(self.folder, case.replace("/", "_")))

    def check_parts(self, store, folder):
        whole, parts = os.path.join(folder, "whole"), os.path.join(folder, "parts")
        self.assertEqual(run("export", "--views=listed", store, whole).returncode, 0)
        sizes = []
        for number in (1, 2, 3):
            before = sum(map(len, tree(parts).values()))
            self.assertEqual(run("export", "--views=listed", "--part", f"{number}/3", store, parts).returncode, 0)
            sizes.append(sum(map(len, tree(parts).values())) - before)
        self.assertEqual(tree(parts), tree(whole))
        if sum(sizes) > 10_000:  # with little text, one file may hold most of it
            self.assertLess(max(sizes), 2 * sum(sizes) / 3)

    def test_export_keeps_existing_files_and_adds_missing_ones(self):
        target = os.path.join(self.folder, "out")
        self.assertIn(b" 0 already there", run("export", SAMPLE, target).stderr)
        before = tree(target)
        os.unlink(os.path.join(target, "matrix.mtx"))
        with open(os.path.join(target, "val.csv"), "w") as file:
            file.write("of an older store\n")
        result = run("export", SAMPLE, target)
        self.assertIn(b"2 files written", result.stderr)
        self.assertEqual(tree(target), before)
        self.assertFalse([name for name in os.listdir(target) if "plainfs-part" in name])

    def large(self):
        """Writes a store with one file, a.csv, of 160 MB of lines "0", without any stored data."""
        store = os.path.join(self.folder, "large.zarr")
        os.makedirs(os.path.join(store, "a"))
        for name, content in (
            (".zgroup", {"zarr_format": 2}),
            (
                "a/.zarray",
                {
                    "zarr_format": 2,
                    "shape": [80_000_000],
                    "chunks": [1 << 16],
                    "dtype": "|u1",
                    "compressor": None,
                    "filters": None,
                    "order": "C",
                    "fill_value": 0,
                },
            ),
        ):
            with open(os.path.join(store, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        return store

    def test_killed_export_resumes(self):
        store, target = self.large(), os.path.join(self.folder, "out")
        command = [PROGRAM, "export", "--views", "csv", "-o", "threads=1", store, target]
        export = subprocess.Popen(command, stderr=subprocess.DEVNULL)

        def parts():
            return [
                os.path.join(target, name)
                for name in (os.listdir(target) if os.path.isdir(target) else ())
                if "plainfs-part" in name
            ]

        while export.poll() is None and not any(os.path.getsize(part) > 16 << 20 for part in parts()):
            self.assertFalse(os.path.exists(os.path.join(target, "a.csv")))
        export.kill()
        export.wait()
        self.assertEqual(os.listdir(target), [os.path.basename(name) for name in parts()])
        (part,) = parts()
        with open(part, "r+b") as file:  # existing parts are kept except for the last piece
            file.write(b"X")
        result = subprocess.run(command, capture_output=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(os.listdir(target), ["a.csv"])
        with open(os.path.join(target, "a.csv"), "rb") as file:
            content = file.read()
        self.assertTrue(content.startswith(b"X\n"))
        self.assertEqual(content[2:], b"0\n" * 79_999_999)

    def test_progress_is_a_bar_on_a_terminal_only(self):
        store = self.large()
        plain = run("export", "--views", "csv", store, os.path.join(self.folder, "plain")).stderr
        self.assertRegex(plain, rb"(?m)^1 file written, 0 already there, 160 MB in 0:\d\d, [0-9.]+ [kMG]B/s\n$")
        self.assertTrue(plain.startswith(f"1 file, 160 MB: into {self.folder}/plain\n".encode()), plain)
        small = run(
            "export",
            "--views=listed",
            os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "samples", "pbmc.h5ad"),
            os.path.join(self.folder, "small"),
        ).stderr
        self.assertRegex(
            small, rb"(?m)^[\d,]+ files, [0-9.]+ [kM]B, \d+ times the store \(--views chooses among them\): into /"
        )
        # A fast machine may finish before it reports progress, and before it can be stopped.
        for number in range(20):
            shown = self.shown_on_a_terminal(store, os.path.join(self.folder, f"bar{number}"))
            self.assertIn(b"1 file written", shown)
            if bar := re.search(
                rb"measuring: 0 of 1 file, 0:\d\d|writing \[#* *\] +\d+% of 160 MB, [0-9.]+ [kMG]?B/s, 0:\d\d left",
                shown,
            ):
                break
        self.assertTrue(bar, shown)

    def shown_on_a_terminal(self, store, target):
        """Returns the terminal output of an export that is paused at its beginning."""
        master, slave = pty.openpty()
        export = subprocess.Popen([PROGRAM, "export", "--views", "csv", "-o", "threads=1", store, target], stderr=slave)
        os.close(slave)
        while not os.path.exists(target) and export.poll() is None:
            time.sleep(0.001)
        export.send_signal(signal.SIGSTOP)
        time.sleep(0.6)
        export.send_signal(signal.SIGCONT)
        shown = b""
        with contextlib.suppress(OSError):  # EIO once the other end is closed
            while piece := os.read(master, 4096):
                shown += piece
        os.close(master)
        self.assertEqual(export.wait(), 0)
        shutil.rmtree(target)
        return shown

    def hostile(self):
        """Writes a store with one damaged array. Its name would change the title and colour of a terminal."""
        store, name = (
            os.path.join(self.folder, "hostile.zarr"),
            b"a\x1b]0;owned\x07\xc2\x9b31m\x7f\n\tplainfs: \xc3\xa4\\",
        )
        array = os.path.join(os.fsencode(store), name)
        os.makedirs(array)
        for path, content in (
            (os.path.join(os.fsencode(store), b".zgroup"), {"zarr_format": 2}),
            (
                os.path.join(array, b".zarray"),
                {
                    "zarr_format": 2,
                    "shape": [3],
                    "chunks": [3],
                    "dtype": "|u1",
                    "compressor": None,
                    "filters": None,
                    "order": "C",
                    "fill_value": 0,
                },
            ),
        ):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
        with open(os.path.join(array, b"0"), "wb") as file:
            file.write(b"1")
        return store, name + b".npy", b"a\\033]0;owned\\007\\302\\23331m\\177\\n\\tplainfs: \xc3\xa4\\.npy"

    def on_a_terminal(self, *arguments):
        """Returns the standard output of a command on a terminal, which turns \\n into \\r\\n."""
        master, slave = pty.openpty()
        with subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL):
            os.close(slave)
            shown = b""
            with contextlib.suppress(OSError):  # EIO once the other end is closed
                while piece := os.read(master, 4096):
                    shown += piece
            os.close(master)
        return shown.replace(b"\r\n", b"\n")

    def assert_controls_nothing(self, text):
        self.assertNotRegex(text, rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")

    def test_a_link_without_its_file_is_named_with_the_remedy(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            for target, words in (
                (".git/annex/objects/Kq/2M/SHA256E-s9--1/SHA256E-s9--1", b"run git annex get, or datalad get"),
                ("none.h5ad", b"x.h5ad: a link to none.h5ad, which does not exist"),
            ):
                link = os.path.join(folder, "x.h5ad")
                os.symlink(target, link)
                for command in ("ls", "info", "check"):
                    done = run(command, link)
                    self.assertEqual(done.returncode, 11, done.stderr)
                    self.assertIn(words, done.stderr)
                os.remove(link)

    def test_names_are_escaped_on_a_terminal(self):
        store, name, shown = self.hostile()
        for options in ("-l", "-lR", "-p", "-t"):
            with self.subTest(options):
                listed = self.on_a_terminal("ls", "--views", "npy", options, store)
                self.assertIn(shown + b"\n", listed)
                self.assert_controls_nothing(listed)
                self.assertIn(name + b"\n", run("ls", "--views", "npy", options, store).stdout)  # raw bytes
        self.assertEqual(self.on_a_terminal("ls", "--views", "npy", store), shown + b"\n")
        folder = os.path.join(self.folder, "folder")  # store names are headings
        os.mkdir(folder)
        os.rename(store, os.path.join(folder, "\x1b[2J.zarr"))
        listed = self.on_a_terminal("ls", "-R", "--views", "npy", folder)
        self.assertIn(b"\n\\033[2J.zarr:\n", listed)
        self.assert_controls_nothing(listed)
        self.assertIn(b"\n\x1b[2J.zarr:\n", run("ls", "-R", "--views", "npy", folder).stdout)
        for command in (["info", "--json", folder], ["info", folder]):
            self.assert_controls_nothing(self.on_a_terminal(*command))

    def test_messages_are_escaped_on_a_terminal(self):
        store, name, shown = self.hostile()
        for command in (
            ["cat", store, name],
            ["export", "--views", "npy", store, os.path.join(self.folder, "out")],
            ["export", store, name + b"x", "out"],
            ["ls", store, name + b"/x"],
            ["export", "--tar", "--views", "npy", store, "-"],
        ):
            with self.subTest(command):
                result = run(*command)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(shown, result.stderr)
                self.assert_controls_nothing(result.stderr)
        checked = run("check", store)
        self.assertEqual(checked.returncode, 14)
        self.assertIn(b"/" + shown + b": damaged: ", checked.stdout)
        self.assert_controls_nothing(checked.stdout)
        described = run("info", store).stdout
        self.assertIn(shown.removesuffix(b".npy"), described)
        self.assert_controls_nothing(described)

    def test_export_of_bad_store_writes_readable_parts(self):
        failures = []
        for case, store in a_third(cases(DATA, BAD), 1):
            if refused(case):
                continue
            printed, _ = statements(case)
            target = os.path.join(self.folder, os.path.relpath(case, DATA).replace("/", "_"))
            result = run("export", "--views", VIEWS, store, target)
            for path, outcome in printed:
                existing = any(os.path.lexists(os.path.join(target, one)) for one in views_of(path, target))
                is_folder = outcome != "ok" and "." not in os.path.basename(path)  # created and left empty
                if (
                    not is_folder
                    and existing != (outcome == "ok")
                    or outcome.isupper()
                    and result.returncode not in (14, 15)
                ):
                    failures.append(f"{case}: {path} {outcome} {result.returncode}")
        self.assertFalse(failures, "\n".join(failures))

    def test_exported_paths_keep_their_folders(self):
        store = os.path.join(DATA, "bpcells", "mat_h5_groups", "store.h5")
        whole = os.path.join(self.folder, "whole")
        run("export", store, whole)
        path = next(name for name in sorted(tree(whole)) if "/" in name)
        target = os.path.join(self.folder, "one")
        self.assertEqual(run("export", store, path, target + "/").returncode, 0)
        self.assertEqual(list(tree(target)), [path])
        self.assertEqual(run("export", "--views", "csv", store, target + "2").returncode, 0)
        self.assertEqual({os.path.splitext(name)[1] for name in tree(target + "2")}, {".csv"})

    def test_export_defaults_to_text_and_npy(self):
        store = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "samples", "pbmc.h5ad")
        target = os.path.join(self.folder, "out")
        printed = run("export", store, target).stderr.decode()
        plain = set(tree(target))
        self.assertLessEqual({"obs.csv", "X/matrix.mtx", "X/genes.tsv", "X/data.npy", ".attrs.json"}, plain)
        self.assertEqual(
            {os.path.splitext(name)[1] for name in plain if not name.endswith(".attrs.json")},
            {".csv", ".mtx", ".npy", ".tsv"},
        )
        self.assertFalse(os.path.exists(os.path.join(target, "X", "10x")))
        self.assertRegex(
            printed, r"views that repeat the same values \(.*\.rds.*\) are left out; --views=listed writes them too"
        )
        listed = run("export", "--views=listed", store, target + "2").stderr.decode()
        all_listed = set(tree(target + "2"))
        self.assertLess(plain, all_listed)
        self.assertLessEqual({"anndata.h5ad", "seurat.rds", "obs.rds", "X/10x/matrix.mtx.gz"}, all_listed)
        self.assertNotIn("obs.parquet", all_listed)
        self.assertNotIn("left out", listed)
        # Named paths are written unchanged.
        printed = run("export", store, "X/10x", "anndata.h5ad", "obs", target + "3").stderr.decode()
        self.assertEqual(
            {name for name in all_listed if name.startswith(("X/10x/", "anndata.h5ad"))}
            | {name for name in plain if name.startswith("obs/")},
            set(tree(target + "3")),
        )
        self.assertEqual(run("export", "--views=nothing", store, target + "4").returncode, 1)
        archive = os.path.join(self.folder, "whole.tar")
        with open(archive, "wb") as out:
            subprocess.run([PROGRAM, "export", "--tar", store, "-"], stdout=out, check=True, timeout=60)
        with tarfile.open(archive) as members:
            self.assertEqual({member.name for member in members if member.isfile()}, plain)

    def compressed(self, store, target, *options):
        done = run("export", "--views=csv+tsv+mtx+vcf+gz+bgzf", *options, store, target)
        self.assertIn(done.returncode, (0, 15), done.stderr)  # 15: no .csi if .tbi reaches all positions
        return done.stderr.decode(), {
            name: content for name, content in tree(target).items() if name.endswith((".gz", ".tbi", ".csi"))
        }

    def test_uncompressed_gz_of_a_mount_is_exported_deflated(self):
        samples = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "samples")
        for store in (
            os.path.join(samples, "pbmc.h5ad"),
            os.path.join(samples, "frags"),
            os.path.join(DATA, "vcf-zarr", "types", "store.zarr"),
        ):
            with self.subTest(store):
                target = os.path.join(self.folder, os.path.basename(store).split(".")[0])
                _, files = self.compressed(store, target)
                self.assertGreater(len(files), 1)
                for name, content in files.items():
                    shown = run("cat", store, name).stdout
                    if name.endswith(".gz"):
                        self.assertEqual(gzip.decompress(content), gzip.decompress(shown), name)
                    if len(shown) > 1000:
                        self.assertLess(len(content), len(shown) * 2 / 3, name)
                printed, again = self.compressed(store, target)
                self.assertEqual(again, files)
                self.assertIn(
                    f"{sum(name.endswith(('.tbi', '.csi')) for name in files)} file", printed.splitlines()[-1]
                )
                # Parts keep a text and its indexes together. An incomplete file is written again.
                for number in (1, 2, 3):
                    self.compressed(store, target + "-parts", "--part", f"{number}/3")
                self.assertEqual(tree(target + "-parts"), tree(target))
                largest = max((name for name in files if name.endswith(".gz")), key=lambda name: len(files[name]))
                with open(os.path.join(target, largest), "r+b") as file:
                    file.truncate(len(files[largest]) - 28)
                self.assertEqual(self.compressed(store, target)[1], files)

    @needs("tabix")
    def test_index_of_an_exported_gz_allows_random_access(self):
        store = os.path.join(self.folder, "frags")
        starts = [
            start
            for seed in range(3)
            for start in sorted(number * (7919 + seed) % 5_000_000 for number in range(40_000))
        ]
        write_fragments(store, starts, [start + 50 + start % 100 for start in starts])
        target = os.path.join(self.folder, "out")
        self.compressed(store, target)
        whole = os.path.join(target, "fragments.tsv.gz")
        with open(os.path.join(target, "fragments.tsv"), encoding="ascii") as file:
            lines = [(line, line.split("\t")) for line in file]
        self.assertLess(os.path.getsize(whole), os.path.getsize(os.path.join(target, "fragments.tsv")) / 2)
        for kept in (".tbi", ".csi"):
            other = whole + {".tbi": ".csi", ".csi": ".tbi"}[kept]
            os.rename(other, other + ".away")
            for region, first, last in (
                ("chr1", 1, 5_000_000),
                ("chr2", 1_000_000, 1_000_500),
                ("chr3", 4_990_000, 5_100_000),
                ("chr2", 1, 40),
            ):
                got = subprocess.run(
                    ["tabix", whole, f"{region}:{first}-{last}"], capture_output=True, check=True
                ).stdout.decode()
                want = "".join(
                    line
                    for line, fields in lines
                    if fields[0] == region and int(fields[1]) < last and int(fields[2]) >= first
                )
                self.assertEqual(got, want, (kept, region))
            os.rename(other + ".away", other)

    def test_plain_file_of_a_folder_is_copied_unchanged(self):
        os.makedirs(os.path.join(self.folder, "stores"))
        stored = run(
            "cat",
            os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "samples", "frags"),
            "fragments.tsv.gz",
        ).stdout
        with open(os.path.join(self.folder, "stores", "x.gz"), "wb") as file:
            file.write(stored)
        self.assertEqual(
            run("export", os.path.join(self.folder, "stores"), os.path.join(self.folder, "out")).returncode, 0
        )
        self.assertEqual(tree(os.path.join(self.folder, "out")), {"x.gz": stored})

    def test_export_of_a_damaged_store_reports_and_copies_the_rest(self):
        store = os.path.join(DATA, "bad", "bpcells", "val_data_cut4", "store")
        target = os.path.join(self.folder, "out")
        result = run("export", store, target)
        self.assertEqual(result.returncode, 14)
        self.assertIn(b"/matrix.mtx: ", result.stderr)
        self.assertIn("genes.tsv", tree(target))
        self.assertNotIn("matrix.mtx", tree(target))

    def test_cat_prints_bytes_and_ranges(self):
        target = os.path.join(self.folder, "out")
        run("export", SAMPLE, target)
        want = tree(target)
        self.assertEqual(run("cat", SAMPLE, "matrix.mtx", "/val.csv").stdout, want["matrix.mtx"] + want["val.csv"])
        for text, part in (
            ("0-9", slice(0, 10)),
            ("5-5", slice(5, 6)),
            ("100-", slice(100, None)),
            ("0-99999999", slice(None)),
        ):
            self.assertEqual(run("cat", "--range", text, SAMPLE, "matrix.mtx").stdout, want["matrix.mtx"][part], text)
        for wrong in ("x", "5", "9-5", "-"):
            self.assertEqual(run("cat", "--range", wrong, SAMPLE, "matrix.mtx").returncode, 1, wrong)
        self.assertEqual(run("cat", SAMPLE, "nothing").returncode, 11)
        self.assertEqual(run("cat", SAMPLE).returncode, 1)
        self.assertEqual(run("cat", SAMPLE + "/matrix.mtx").stdout, want["matrix.mtx"])

    def refused(self, code, words, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stdout), (code, b""), result.stderr)
        self.assertEqual(result.stderr.decode(), f"plainfs: {words}\n")

    def test_mistyped_path_suggests_the_nearest(self):
        store = os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")
        self.refused(
            11,
            f"{store}: meta.dat.csv: meta.dat.csv does not exist; did you mean meta.data.csv?",
            "cat",
            store,
            "meta.dat.csv",
        )
        self.refused(11, f"{store}: asays does not exist; did you mean assays?", "ls", store, "asays/RNA")
        self.refused(1, "assays: a directory; plainfs ls lists it", "cat", store, "assays")
        self.refused(1, f"{store}: a directory; plainfs ls lists it", "cat", store, "/")
        self.refused(
            11,
            f"{store}/assays/RNA: no such file or directory; "
            f"to show a part of a store: plainfs -o subdir=assays/RNA {store}",
            store + "/assays/RNA",
            self.folder,
        )

    def test_file_of_unknown_format_is_named(self):
        in_zip = io.BytesIO()
        with zipfile.ZipFile(in_zip, "w") as archive:
            archive.writestr("README.txt", "no store")
        for name, content, words in (
            ("a.gz", b"\x1f\x8b\x08", "a gzip file without a store inside"),
            ("text.gz", gzip.compress(b"no store"), "a gzip file without a store inside"),
            ("text.bz2", bz2.compress(b"no store"), "a bzip2 file without a store inside"),
            ("text.xz", lzma.compress(b"no store"), "an xz file without a store inside"),
            ("a.npy", b"\x93NUMPY\1\0", "a NumPy array"),
            ("a.bam", b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0", "a BGZF file, as BAM and VCF are"),
            ("a.tar", bytes(257) + b"ustar", "a tar archive with a damaged first header; copy or download it again"),
            (
                "lfs.h5ad",
                b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n",
                "a pointer of Git LFS to a file that was not fetched; run git lfs pull",
            ),
            ("annex.h5ad", b"/annex/objects/SHA256E-s7--00.h5ad\n", "a pointer of git-annex"),
            (
                "page.h5ad",
                b"\xef\xbb\xbf\n<!DOCTYPE HTML>\n<html>",
                "a web page (HTML) that was saved in place of the file; download the file itself",
            ),
            (
                "s3.h5ad",
                b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>',
                "a server's error message (XML)",
            ),
            ("text.h5ad", b"404: Not Found", 'a text file that begins with "404: Not Found"'),
            ("empty.h5ad", b"", "an empty file; copy or download it again"),
            ("zeros.h5ad", bytes(5000), "a file that begins with only zeros; copy or download it again"),
            ("other.zip", in_zip.getvalue(), "a zip archive without a Zarr store"),
            ("text.h5", b"\x89HDF\n\x1a\n" + bytes(100), "an HDF5 file that was damaged by a transfer as text"),
            (
                "unicode.h5",
                b"\xef\xbf\xbdHDF\r\n\x1a\n" + bytes(100),
                "an HDF5 file that was damaged by a transfer as text",
            ),
            ("old.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a MATLAB file of before version 7.3"),
            ("matlab4.mat", struct.pack("<5i2sd", 0, 1, 1, 0, 2, b"x\0", 1), "a MATLAB file of before version 7.3"),
            (
                "matlab4_big.mat",
                struct.pack(">5i2sd", 1000, 1, 1, 0, 2, b"x\0", 1),
                "a MATLAB file of before version 7.3",
            ),
            (
                "a.cloupe",
                b'{"version":"6.0"}' + bytes(99),
                "a file of 10x's Loupe Browser, which no other program reads",
            ),
            ("idx.annoy", bytes(range(1, 99)), "an index of nearest neighbours (Annoy)"),
            ("a.gem", b"#FileFormat=GEMv0.1\n#OffsetX=0\ngeneID\tx\ty\tMIDCount\n", "a table of Stereo-seq (GEM)"),
            (
                "a.gem.gz",
                gzip.compress(b"geneID\tgeneName\tx\ty\tMIDCount\nENS1\tA\t1\t2\t3\n"),
                "a table of Stereo-seq (GEM) with a line for each gene and place, which stereopy reads; its .gef is "
                "HDF5; unpack it first",
            ),
            ("a.fcs", b"FCS3.0    58", "a flow cytometry file (FCS)"),
            ("._x.h5ad", b"\0\x05\x16\x07\0\x02\0\0", "metadata that macOS keeps beside a file (AppleDouble)"),
        ):
            with self.subTest(name):
                path = os.path.join(self.folder, name)
                with open(path, "wb") as file:
                    file.write(content)
                result = run("ls", path)
                self.assertEqual(result.returncode, 13)
                self.assertIn(f"{path}: unknown format: {words}", result.stderr.decode())
        cut = os.path.join(self.folder, "cut.zarr.zip")
        with open(cut, "wb") as file:
            file.write(in_zip.getvalue()[:60])
        result = run("ls", cut)
        self.assertEqual(result.returncode, 14)
        self.assertIn("no end record; copy or download it again", result.stderr.decode())

    def test_a_part_of_a_split_hdf5_file_is_named(self):
        path = os.path.join(self.folder, "part.h5")
        for driver, program in ((b"NCSAfami", "h5repart"), (b"NCSAmult", "h5repack")):
            with open(path, "wb") as file:
                file.write(b"\x89HDF\r\n\x1a\n" + bytes(96) + driver + bytes(100))
            result = run("ls", path)
            self.assertEqual(result.returncode, 15)
            self.assertRegex(
                result.stderr.decode(), f"{path}: not supported: one of the files that HDF5's .*; {program} "
            )

    def test_words_of_other_programs_suggest_the_right_ones(self):
        self.refused(1, "unmount: not a command; to unmount: plainfs umount MOUNTPOINT", "unmount", "m")
        self.refused(1, "list: not a command; to list a store: plainfs ls STORE", "list", "s")
        self.refused(1, "chek: no such file or command; did you mean plainfs check?", "chek", "s")
        self.refused(11, "no/x.h5: no such file or directory", "cat", "no/x.h5")

    def test_file_url_opens_the_file(self):
        self.assertEqual(run("ls", "file://" + SAMPLE).stdout, run("ls", SAMPLE).stdout)

    def test_root_path_ignores_the_working_directory(self):
        for root in ("/", "//", "/.", "///"):
            self.assertEqual(
                run("ls", root, cwd=self.folder).stdout.decode().splitlines(),
                sorted(name for name in os.listdir("/") if not name.startswith(".")),
                root,
            )

    def test_version_names_the_libraries(self):
        words = [line.split()[0] for line in run("--version").stdout.decode().splitlines()]
        self.assertEqual(
            [word for word in words if not word.endswith("-dev")],  # those of a static program
            [
                "plainfs",
                "libfuse",
                "boost",
                "fmt",
                "spdlog",
                "libhdf5",
                "libcurl",
                "libblosc",
                "libbz2",
                "libdeflate",
                "libisal",
                "liblz4",
                "liblzma",
                "libz",
                "libzfp",
                "libzstd",
            ],
        )

    def test_cat_follows_links_but_not_out_of_the_store(self):
        store = os.path.join(DATA, "hdf5", "links", "store.h5")
        self.assertEqual(run("cat", store, "a/up.csv").stdout, run("cat", store, "a/b/d.csv").stdout)
        self.assertEqual(run("cat", store, "softgrp/d.csv").returncode, 0)
        self.assertEqual(run("cat", store, "ext.csv").returncode, 11)
        self.assertEqual(run("cat", store, "loop1").returncode, 11)

    def test_cat_to_a_closed_pipe_ends_quietly(self):
        result = subprocess.run(
            ["sh", "-c", f"'{PROGRAM}' cat '{SAMPLE}' matrix.mtx | head -c 10"], capture_output=True
        )
        self.assertEqual((result.stdout, result.stderr), (b"%%MatrixMa", b""))

    def test_ls_lists(self):
        target = os.path.join(self.folder, "out")
        run("export", "--views=listed", SAMPLE, target)
        names = sorted(os.listdir(target))
        self.assertIn(".attrs.json", names)
        self.assertEqual(
            run("ls", SAMPLE).stdout.decode().splitlines(), [name for name in names if not name.startswith(".")]
        )
        self.assertLessEqual(set(names), set(run("ls", "-a", SAMPLE).stdout.decode().splitlines()))
        shown = [line.split() for line in run("ls", "-l", SAMPLE).stdout.decode().splitlines()]
        files = [name for name in names if os.path.isfile(os.path.join(target, name)) and not name.startswith(".")]
        self.assertEqual(
            {line[-1]: int(line[1]) for line in shown if line[-1] in files},
            {name: os.path.getsize(os.path.join(target, name)) for name in files},
        )
        self.assertEqual(sorted(line[-1] for line in shown), [name for name in names if not name.startswith(".")])
        links = os.path.join(DATA, "hdf5", "links", "store.h5")
        text = run("ls", "-lR", links).stdout.decode()
        self.assertIn("\na/b:\n", text)
        self.assertIn("cycle -> ..\n", text)
        self.assertEqual(run("ls", links, "a/b/d.csv").stdout, b"a/b/d.csv\n")
        self.assertEqual(run("ls", links + "/a/b/d.csv").stdout, run("ls", links, "a/b/d.csv").stdout)
        self.assertIn("\na/\n", "\n" + run("ls", "-p", links).stdout.decode())
        self.assertIn(".plainfs", run("ls", "-a", links).stdout.decode().splitlines())
        self.assertRegex(run("ls", "-lh", SAMPLE).stdout.decode(), r"(?m) [0-9.]+ k?B .* matrix\.mtx$")
        self.assertEqual(sorted(run("ls", "-t", links).stdout.splitlines()), run("ls", links).stdout.splitlines())
        self.assertEqual(run("ls", "-lz", links).stderr, b"plainfs: unknown option: -z\n")
        self.assertEqual(run("ls", links, "nothing").returncode, 11)

    def test_seurat_object_of_a_bare_matrix_is_found_by_name(self):
        self.assertNotIn("seurat.rds", run("ls", SAMPLE).stdout.decode().splitlines())
        self.assertIn("seurat.rds", run("ls", "-a", SAMPLE).stdout.decode().splitlines())

    def test_ls_lists_entries_found_by_name(self):
        store = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5ad")
        self.assertNotIn("obs.parquet", run("ls", store).stdout.decode().splitlines())
        listed = run("ls", "-a", store).stdout.decode().splitlines()
        self.assertEqual(
            [name for name in listed if name in (".plainfs", "obs.parquet", "var.parquet")],
            [".plainfs", "obs.parquet", "var.parquet"],
        )
        self.assertIn("obs.parquet", run("ls", "-o", "views=parquet", store).stdout.decode().splitlines())
        target = os.path.join(self.folder, "out")
        run("export", store, target)
        self.assertFalse(os.path.exists(os.path.join(target, "obs.parquet")))
        self.assertEqual(run("export", store, "obs.parquet", target + "2/").returncode, 0)
        self.assertTrue(os.path.exists(os.path.join(target + "2", "obs.parquet")))

    def test_parts_are_found_by_their_names(self):
        store = os.path.join(DATA, "parts", "dup_names_ids", "store.h5ad")
        want = os.path.join(DATA, "parts", "dup_names_ids", "expected", "X", "genes")
        names = [name for name in os.listdir(want) if name.endswith(".csv")]
        self.assertGreater(len(names), 5)
        for name in names:
            with open(os.path.join(want, name), "rb") as file:
                self.assertEqual(run("cat", store, "X/genes/" + name).stdout, file.read())
        self.assertNotIn("genes", run("ls", store, "X").stdout.decode().splitlines())
        self.assertIn("genes", run("ls", "-a", store, "X").stdout.decode().splitlines())
        self.assertIn("genes", run("ls", "-o", "parts", store, "X").stdout.decode().splitlines())
        several = run("cat", store, "X/genes/CD3D.csv")
        self.assertEqual(several.returncode, 11)
        self.assertIn(b"2 genes have the name CD3D: ENSG00000, ENSG00007", several.stderr)
        target = os.path.join(self.folder, "out")
        run("export", store, target)
        self.assertTrue(os.path.exists(os.path.join(target, "X", "matrix.mtx")))
        self.assertFalse(os.path.exists(os.path.join(target, "X", "genes")))

    def genes(self, store, matrix):
        names = run("ls", store, matrix + "/genes").stdout.decode().splitlines()
        return [name[: -len(".csv")] for name in names if name.endswith(".csv")]

    def test_cat_of_a_gene_finds_the_matrix(self):
        for case, matrix, gene in (
            ("dup_names_ids", "X", "sl/ash"),
            ("csr_odd_names", "X", "a%2Cb,CD3D,50%"),
            ("tenx", "matrix", "A/B"),
            ("loom", "matrix", "g1"),
            ("bpcells_uint", "", "GENE18,GENE4"),
            ("takane_sce", "assays/0", "ENSG1"),
            ("h5seurat", "assays/RNA/counts", "GENE1"),
        ):
            folder = os.path.join(DATA, "parts", case)
            store = next(os.path.join(folder, name) for name in os.listdir(folder) if name.split(".")[0] == "store")
            with open(
                os.path.join(folder, "expected", matrix, "genes", gene.replace("/", "%2F") + ".csv"), "rb"
            ) as file:
                want = file.read()
            self.assertEqual(run("cat", "--gene", gene, store).stdout, want, case)
            self.assertEqual(run("cat", store, matrix or "/", "--gene=" + gene).stdout, want, case)
        self.assertEqual(run("cat", "--gene", "gone", store).returncode, 11)
        self.assertIn(b"gone.csv does not exist", run("cat", "--gene", "gone", store).stderr)
        self.assertIn(b"gene1.csv does not exist; did you mean GENE1.csv?", run("cat", "--gene", "gene1", store).stderr)
        table = os.path.join(DATA, "hdf5", "links", "store.h5")
        self.assertIn(b"no matrix with gene names", run("cat", "--gene", "A", table).stderr)
        # In raw, if X has a choice of the genes.
        chosen = os.path.join(DATA, "anndata", "everything_h5ad", "store.h5ad")
        gene = (set(self.genes(chosen, "raw/X")) - set(self.genes(chosen, "X"))).pop()
        wanted = run("cat", chosen, f"raw/X/genes/{gene}.csv").stdout
        self.assertEqual(run("cat", "--gene", gene, chosen).stdout, wanted)
        # In raw before X, as in scanpy's plots.
        gene = sorted(set(self.genes(chosen, "raw/X")) & set(self.genes(chosen, "X")))[0]
        of_raw, of_x = (run("cat", chosen, f"{matrix}/genes/{gene}.csv").stdout for matrix in ("raw/X", "X"))
        self.assertNotEqual(of_raw, of_x)
        self.assertEqual(run("cat", "--gene", gene, chosen).stdout, of_raw)
        # For Seurat, the normalised matrix.
        both = os.path.join(DATA, "seurat", "h5seurat", "store.h5seurat")
        names = run("ls", both, "assays/RNA").stdout.decode().splitlines()
        self.assertLessEqual({"counts", "data"}, set(names))
        gene = run("ls", both, "assays/RNA/data/genes").stdout.decode().splitlines()[0][: -len(".csv")]
        self.assertEqual(
            run("cat", "--gene", gene, both).stdout, run("cat", both, f"assays/RNA/data/genes/{gene}.csv").stdout
        )

    def test_info_is_json_for_programs(self):
        info = json.loads(run("info", "--json", SAMPLE).stdout)
        self.assertEqual(info["version"], "packed-uint-matrix-v2")
        self.assertEqual(run("info", "/no/such").returncode, 11)

    def test_info_is_a_page_for_people(self):
        text = run("info", os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")).stdout.decode()
        self.assertRegex(text, r"(?m)^format +h5Seurat$")
        self.assertRegex(text, r"(?m)^assays/RNA/counts +sparse matrix +\d+ × \d+, \d+ values \(\w+\), by column$")
        self.assertRegex(text, r"(?m)^meta\.data +table +\d+ rows × \d+ columns$")

    def test_info_lists_entries_found_by_name(self):
        store = os.path.join(DATA, "parts", "dup_names_ids", "store.h5ad")
        text = run("info", store).stdout.decode()
        for line in (
            r"X/genes/ +one gene",
            r"X/cells/ +one cell",
            r"by/ +the cells of each level",
            r"pseudobulk/ +sums",
            r"anndata.zarr/ +for zarr",
            r"X/bpcells/ +for BPCells \(and 1 more\)",
            r"obs.parquet +for DuckDB",
        ):
            self.assertRegex(text, r"(?m)^  " + line)
        listed = run("info", "-o", "parts", store).stdout.decode()
        self.assertNotIn("X/genes/ ", listed)
        self.assertIn("obs.parquet ", listed)

    def test_info_offers_no_file_of_a_refused_matrix(self):
        with open(os.path.join(DATA, "r-objects", "seurat_v5_bpcells", "store.rds"), "rb") as file:
            stored = gzip.decompress(file.read())
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "store.rds")
            with open(store, "wb") as file:
                file.write(stored.replace(b"RenameDims", b"RenamePlus"))
            text = run("info", store).stdout.decode()
        self.assertIn("the BPCells class RenamePlus is not computed", text)
        self.assertIn(" store.csv ", text)
        self.assertNotIn(".mtx", text)
        self.assertNotIn("10x.h5", text)

    def test_text_of_a_million_million_values_has_a_beginning(self):
        sharding = {
            "chunk_shape": [500, 500],
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        }
        array = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [1000000, 1000000],
            "data_type": "float32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10000, 10000]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0.5,
            "codecs": [{"name": "sharding_indexed", "configuration": sharding}],
            "attributes": {},
        }
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "huge.zarr")
            for place, document in (("", {"zarr_format": 3, "node_type": "group", "attributes": {}}), ("data", array)):
                os.makedirs(os.path.join(store, place), exist_ok=True)
                with open(os.path.join(store, place, "zarr.json"), "w") as file:
                    json.dump(document, file)
            self.assertEqual(run("ls", "-l", store).returncode, 0)  # the size of each listed file
            listed = run("ls", store).stdout.decode().split()
            self.assertIn("data.npy", listed)
            self.assertNotIn("data.csv", listed)
            self.assertNotIn("data.csv", run("ls", "-o", "views=csv", store).stdout.decode().split())
            self.assertNotIn(".csv", run("info", store).stdout.decode().split("found by name")[0])
            with subprocess.Popen([PROGRAM, "cat", store, "data.csv"], stdout=subprocess.PIPE) as cat:
                self.assertEqual(cat.stdout.read(12), b"0.5,0.5,0.5,")
                cat.kill()

    def seurat_with_refused_layers(self, folder, which):
        """Writes a Seurat object with an unknown class in place of RenameDims: of all layers, or of one."""
        golden = os.path.join(DATA, "r-objects", "seurat_v5_bpcells")
        with open(os.path.join(golden, "store.rds"), "rb") as file:
            parts = gzip.decompress(file.read()).split(b"RenameDims")
        self.assertEqual(len(parts), 4)
        classes = [b"RenamePlus" if which in (i, None) else b"RenameDims" for i in range(3)]
        store = os.path.join(folder, "store.rds")
        with open(store, "wb") as file:
            file.write(b"".join(part + name for part, name in zip(parts, classes + [b""])))
        shutil.copytree(os.path.join(golden, "counts_dir"), os.path.join(folder, "counts_dir"))
        return store

    def test_refused_layer_is_left_out_of_files(self):
        for which, name in ((0, "counts"), (1, "data")):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                store = self.seurat_with_refused_layers(folder, which)
                checked = run("check", store)
                text = (checked.stdout + checked.stderr).decode()
                self.assertIn(f"/assays/RNA/{name}: not in the .h5ad: the BPCells class RenamePlus", text)
                self.assertIn(f"seurat.rds: /assays/RNA/{name}: not in the object: the BPCells class", text)
                for file in ("seurat.rds", "assays/RNA.h5ad"):
                    self.assertGreater(len(run("cat", store, file).stdout), 1000, file)

    def test_assay_of_refused_layers_has_no_files(self):
        with tempfile.TemporaryDirectory() as folder:
            store = self.seurat_with_refused_layers(folder, None)
            listed = run("ls", "-a", "-R", store).stdout.decode().split()
            checked = run("check", store)
        for name in ("seurat.rds", "RNA.h5ad", "RNA.zarr", "by", "pseudobulk", "matrix.rds", "bpcells", "matrix.csv"):
            self.assertNotIn(name, listed)
        self.assertIn("matrix.mtx", listed)  # it reports the reason
        text = (checked.stdout + checked.stderr).decode()
        for name in ("seurat.rds of /", "RNA.h5ad of /assays"):
            self.assertIn(f"no {name}: the BPCells class RenamePlus is not computed", text)

    def test_info_lists_graphs(self):
        text = run("info", os.path.join(DATA, "loom", "v3_layers_graphs", "store.loom")).stdout.decode()
        self.assertRegex(text, r"(?m)^row_graphs/knn +sparse matrix +7 × 7, 3 values \(float64\), by coordinates$")

    def test_info_of_a_path_describes_that_entry(self):
        store = os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")
        text = run("info", store + "/assays").stdout.decode()
        self.assertRegex(text, r"(?m)^assays/RNA/counts ")
        self.assertNotRegex(text, r"(?m)^meta\.data ")
        self.assertEqual(run("info", store, "assays").stdout.decode(), text)
        self.assertEqual(run("info", "-o", "subdir=assays", store).stdout.decode(), text)
        sizes = r"(?m)^ +\d+ B  assays/RNA/counts/indptr\.npy$"
        self.assertNotRegex(text, sizes)
        self.assertRegex(run("info", "--long", store, "assays").stdout.decode(), sizes)
        self.assertEqual(run("info", "--json", store, "assays").returncode, 1)
        wrong = run("info", store, "asays")
        self.assertEqual((wrong.returncode, wrong.stdout), (11, b""))
        self.assertIn("asays does not exist", wrong.stderr.decode())

    def test_info_of_a_table_lists_its_columns(self):
        store = os.path.join(SAMPLES, "pbmc.h5ad")
        text = run("info", store, "obs").stdout.decode()
        self.assertRegex(text, r"^obs +table +\d+ rows × 4 columns\n")
        self.assertRegex(text, r"(?m)^  stage +ordered factor +3 levels: low, mid, high$")
        self.assertRegex(text, r"(?m)^  score +real number \(float64\)$")
        self.assertRegex(text, r'(?m)^  R +readRDS\(".*/obs\.rds"\)$')
        self.assertRegex(text, r'(?m)^  Python +pandas\.read_csv\(".*/obs\.csv"\)$')
        self.assertNotIn("format", text)

    def test_suggested_commands_quote_names(self):
        ran = os.path.join(self.folder, "ran")
        for name in (
            "a$(touch ran)`touch ran`\"b'.h5ad",
            "a b;touch ran;c.h5ad",
            "-x.h5ad",
            "a\nb.h5ad",
            "~.h5ad",
            "a&b|c>ran.h5ad",
        ):
            with self.subTest(name):
                store = os.path.join(self.folder, name)
                shutil.copy(os.path.join(SAMPLES, "pbmc.h5ad"), store)
                text = run("info", store, cwd=self.folder).stdout.decode()
                line = re.search(r"(?m)^to open it, after (plainfs .*):$", text).group(1)
                shell = re.search(r"(?m)^  shell +(head .*)$", text).group(1)
                words = 'plainfs() { printf "%s\\0" "$@"; }; head() { printf "%s\\0" "$@"; }; '
                for pasted, wanted in ((line, store), (shell, os.path.splitext(name)[0])):
                    printed = subprocess.run(
                        ["bash", "-c", words + pasted], capture_output=True, cwd=self.folder, check=True
                    ).stdout
                    self.assertIn(wanted, printed.decode())
                quoted = re.search(r'(?m)^  Python +[\w.]+\(("(?:[^"\\]|\\.)*")', text).group(1)
                self.assertIn(os.path.splitext(name)[0], ast.literal_eval(quoted))
                self.assertFalse(os.path.exists(ran))

    def test_info_names_the_use_of_a_store(self):
        fragments = os.path.join(self.folder, "fragments")
        write_fragments(fragments, list(range(300)), list(range(100, 400)))
        self.assertRegex(run("info", fragments).stdout.decode(), r"(?m)^  shell +head .*/fragments\.tsv$")
        variants = next(store for case, store in cases(DATA, GOOD) if "/vcf-zarr/" in case)
        self.assertRegex(run("info", variants).stdout.decode(), r"(?m)^  shell +head .*/sites\.csv$")

    def test_folder_of_links_reports_that_they_lead_out(self):
        links, stores = os.path.join(self.folder, "links"), os.path.join(self.folder, "stores")
        os.mkdir(links)
        os.mkdir(stores)
        for number in range(6):
            shutil.copy(os.path.join(SAMPLES, "pbmc.h5ad"), os.path.join(stores, f"{number}.h5ad"))
            os.symlink(f"../stores/{number}.h5ad", os.path.join(links, f"{number}.h5ad"))
        os.symlink("/no/such", os.path.join(links, "gone"))
        mentions = "6 links lead out of this folder; -o follow_outside shows what they lead to"
        self.assertIn(f"\n{mentions}\n", run("info", links).stdout.decode())
        self.assertIn(f"all readable; {mentions}; 1 link to nothing shown here", run("check", links).stdout.decode())
        self.assertNotIn("lead out of", run("info", "-o", "follow_outside", links).stdout.decode())
        self.assertNotIn("follow_outside", run("info", stores).stdout.decode())

    def test_folders_are_marked_on_a_terminal(self):
        store = os.path.join(SAMPLES, "pbmc.h5ad")
        self.assertIn(b"\nobs/\n", self.on_a_terminal("ls", store))
        self.assertIn(b"\nobs\n", run("ls", store).stdout)

    def test_info_separates_unsupported_from_damaged(self):
        store = os.path.join(self.folder, "x.zarr")
        os.makedirs(os.path.join(store, "a"))
        for name, content in (
            (".zgroup", {"zarr_format": 2}),
            (
                "a/.zarray",
                {
                    "zarr_format": 2,
                    "shape": [2],
                    "chunks": [2],
                    "dtype": "<i4",
                    "compressor": {"id": "rot13"},
                    "filters": None,
                    "order": "C",
                    "fill_value": 0,
                },
            ),
        ):
            with open(os.path.join(store, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        self.assertRegex(run("info", store).stdout.decode(), r"(?m)^a +not supported +.*rot13")
        self.assertIn("not supported", run("check", store).stdout.decode())

    def test_info_names_the_unsupported_type(self):
        printed = run("info", os.path.join(DATA, "hdf5", "one_bad_attribute", "store.h5")).stdout.decode()
        self.assertRegex(printed, r"(?m)^quad +not supported +/quad \(3\): floating-point numbers of 16 bytes")
        self.assertNotIn("quad.npy\"", printed)

    def test_check_of_a_path_reads_everything_below(self):
        store = os.path.join(DATA, "h5seurat", "everything", "store.h5seurat")
        printed = run("check", store + "/assays/RNA/counts").stdout.decode()
        self.assertEqual(printed, run("check", store, "assays/RNA/counts").stdout.decode())
        listed = run("ls", "-lR", store, "assays/RNA/counts").stdout.decode()
        hidden = run("ls", "-aR", store, "assays/RNA/counts").stdout.decode().count(".attrs.json")
        self.assertTrue(printed.startswith(f"{len(re.findall('(?m)^-', listed)) + hidden} files, "), printed)
        self.assertIn("matrix.rds", listed)
        wrong = run("check", store, "asays")
        self.assertEqual(wrong.returncode, 11)
        self.assertIn("asays does not exist; did you mean assays?", wrong.stderr.decode())

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_lost_output_fails_the_command(self):
        for arguments in (
            ["ls", "-lR", SAMPLE],
            ["info", SAMPLE],
            ["info", "--json", SAMPLE],
            ["check", SAMPLE],
            ["--help"],
            ["-V"],
            ["cat", SAMPLE, "matrix.mtx"],
            ["export", "--tar", SAMPLE, "-"],
        ):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(result.returncode, 16)
                self.assertIn("standard output: ", result.stderr.decode())

    def test_export_of_an_absent_path_writes_nothing(self):
        target = os.path.join(self.folder, "made", "out")
        result = run("export", SAMPLE, "matrx.mtx", target)
        self.assertEqual(result.returncode, 11)
        self.assertEqual(
            result.stderr.decode(), f"plainfs: {SAMPLE}: matrx.mtx does not exist; did you mean matrix.mtx?\n"
        )
        self.assertFalse(os.path.exists(os.path.dirname(target)))

    def test_check_and_info_name_omitted_parts(self):
        store = os.path.join(DATA, "r-objects", "nested_list", "store.rds")
        checked = run("check", store)
        self.assertEqual(checked.returncode, 0)
        self.assertRegex(checked.stdout.decode(), r": all readable\nnotice: without data, left out: .*\d functions? \(")
        self.assertRegex(run("info", store).stdout.decode(), r"\n\d notices?:\n  without data, left out: ")

    def test_check_of_good_stores_reports_the_bytes_read(self):
        """Everything is readable, except for files with content that a format cannot hold (exit status 15) and those in
        DAMAGED_PARTS."""
        failures = []
        for case, store in a_third(cases(DATA, GOOD), 0):
            if lines(case, "errors.txt"):
                continue
            result = run("check", store)
            *printed, counts = [line for line in result.stdout.decode().splitlines() if not line.startswith("notice: ")]
            finding = DAMAGED_PARTS.get(os.path.relpath(case, DATA), ": not supported: ")
            status = 0 if not printed else 14 if finding.startswith("/") else 15
            outcome = f"{len(printed)} findings?" if printed else "all readable"
            found = re.fullmatch(
                rf"[\d,]+ files, [0-9.]+ k?M?B: {outcome}(; \d+ links? to nothing shown here)?", counts
            )
            if not found or result.returncode != status or any(finding not in line for line in printed):
                failures.append(f"{case}: {result.returncode} {result.stdout[-300:]}{result.stderr[-300:]}")
        self.assertFalse(failures, "\n".join(failures))

    def test_check_names_an_attribute_once(self):
        result = run("check", os.path.join(DATA, "hdf5", "one_bad_attribute", "store.h5"))
        lines_of = [line for line in result.stdout.decode().splitlines() if "attribute" in line]
        self.assertEqual(
            lines_of[:1],
            [
                "/: not supported: attribute real: "
                "floating-point numbers of 16 bytes with 64 bits of mantissa (long double or wider)"
            ],
        )
        self.assertEqual(lines_of[1:], ["/a: damaged: attribute units: text that is not UTF-8"])
        self.assertEqual(result.returncode, 14)

    def test_check_opens_files_for_other_programs(self):
        store = os.path.join(self.folder, "wide.h5seurat")
        shutil.copy(os.path.join(DATA, "h5seurat", "everything", "store.h5seurat"), store)
        whole = run("check", store).stdout.decode()
        stored = run("check", "-o", "views=csv,npy,mtx,tsv,json", store).stdout.decode()
        all_files, stored_files = (
            int(re.search(r"([\d,]+) files", printed)[1].replace(",", "")) for printed in (whole, stored)
        )
        self.assertGreater(all_files, stored_files)

    def test_check_counts_links_to_nothing(self):
        store = os.path.join(DATA, "hdf5", "links", "store.h5")
        result = run("check", store)
        with open(os.path.join(DATA, "hdf5", "links", "links.txt"), encoding="utf-8") as file:
            pairs = [line.rstrip("\n").split(" -> ") for line in file]
        # into other files, to an absent target, and two links that form a cycle
        to_nothing = [
            name
            for name, target in pairs
            if "other.h5" in target or "gone.h5" in target or target == "no/such" or name.startswith("loop")
        ]
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn(f"all readable; {len(to_nothing)} links to nothing shown here", result.stdout.decode())

    def test_check_of_an_unopenable_store_gives_the_reason(self):
        failures = []
        for case, store in cases(DATA, BAD):
            if not refused(case):
                continue
            result = run("check", store)
            if result.returncode not in (11, 12, 13, 14, 15) or not result.stderr.decode().startswith(
                f"plainfs: {store}: "
            ):
                failures.append(f"{case}: {result.returncode} {result.stderr.decode()}")
        self.assertFalse(failures, "\n".join(failures))

    def test_check_names_broken_rules(self):
        failures = []
        for case, store in cases(DATA, BAD):
            if not refused(case) and statements(case)[1]:
                result = run("check", store)
                # A notice names an oddity that breaks no rule, for example a list of names with the wrong length.
                is_odd = re.search(
                    r"are not used|is left out of the table|names are not known|\d names for \d|"
                    r"bytes after the R object are ignored",
                    "".join(lines(case, "outcome.txt")),
                )
                codes = {outcome for _, outcome in statements(case)[0]} - {"ok", "not listed"}
                wanted = 15 if codes == {"ENOTSUP"} else 14  # damage comes before what is not supported
                if (result.returncode not in (14, wanted) or not result.stdout) and not is_odd:
                    failures.append(case)
        self.assertFalse(failures, "\n".join(failures))

    def test_check_of_an_unreadable_file_is_not_damage(self):
        store = os.path.join(self.folder, "store")
        shutil.copytree(SAMPLE, store)
        os.chmod(os.path.join(store, "val_data"), 0)
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            program = shutil.copy(PROGRAM, self.folder)
            nobody = pwd.getpwnam("nobody")
            result = subprocess.run(
                [program, "check", store], capture_output=True, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[]
            )
        else:
            result = run("check", store)
        self.assertEqual(result.returncode, 12, result.stdout + result.stderr)
        self.assertIn(b"/val.csv: not readable: ", result.stdout)

    def test_check_names_planted_damage(self):
        failures = []
        for case, store in a_third(cases(DATA, BAD + GOOD), 0):
            if refused(case):
                continue
            # a file that repeats values for one program is read only on request
            wanted = [
                path.removesuffix(".*")
                for path, outcome in statements(case)[0]
                if outcome in ("EIO", "ENOTSUP") and not os.path.basename(path).startswith(("plink.", "genotypes."))
            ]
            if not wanted:
                continue
            result = run("check", store)
            missing = [path for path in wanted if "/" + path not in result.stdout.decode(errors="replace")]
            if result.returncode not in (14, 15) or missing:
                failures.append(f"{case}: {result.returncode} {missing} {result.stderr.decode()[-200:]}")
        self.assertFalse(failures, "\n".join(failures))


if __name__ == "__main__":
    unittest.main(verbosity=2)
