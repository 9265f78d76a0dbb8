#!/usr/bin/env python3
"""Stores inside compressed files and tar archives show what they show unwrapped. Damage is an error."""
import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import subprocess
import tarfile
import zlib

from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import needs


def first_store(ending):
    """Returns the first golden store with this ending."""
    for folder, _, names in sorted(os.walk(DATA)):
        for name in sorted(names):
            if name == "store" + ending and "/bad" not in folder:
                return os.path.join(folder, name)
    raise AssertionError(f"no golden store{ending}")


def bgzf(content):
    """Returns the content as bgzip writes it: a gzip member for every 65,280 bytes, and an empty one."""
    members = []
    for start in [*range(0, len(content), 65280), len(content)]:
        piece = content[start : start + 65280]
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        deflated = packer.compress(piece) + packer.flush()
        size = len(deflated) + 25
        members.append(
            b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0"
            + size.to_bytes(2, "little")
            + deflated
            + zlib.crc32(piece).to_bytes(4, "little")
            + len(piece).to_bytes(4, "little")
        )
    return b"".join(members)


def zstd(content):
    return subprocess.run(["zstd", "-q", "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout


COMPRESSIONS = {".gz": gzip.compress, ".bgz": bgzf, ".bz2": bz2.compress, ".xz": lzma.compress}
if shutil.which("zstd"):
    COMPRESSIONS[".zst"] = zstd


def tree_of(path):
    """Returns the bytes of all listed files below a folder, by path. A file with an error has its number."""
    found = {}
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            if "/.plainfs/" in file or os.path.islink(file):
                continue
            try:
                with open(file, "rb") as opened:
                    found[os.path.relpath(file, path)] = opened.read()
            except OSError as error:
                found[os.path.relpath(file, path)] = error.errno
    return found


def trio(number):
    """Returns the three files of a matrix of 4 genes by 3 cells, as Cell Ranger writes them."""
    entries = [(row, column, row * column + number) for column in (1, 2, 3) for row in (1, 3, 4) if row + column != 4]
    matrix = "%%MatrixMarket matrix coordinate integer general\n%\n" + f"4 3 {len(entries)}\n"
    matrix += "".join(f"{row} {column} {value}\n" for row, column, value in entries)
    return {
        "matrix.mtx": matrix,
        "features.tsv": "".join(f"ENSG{i}\tG{i}\tGene Expression\n" for i in range(4)),
        "barcodes.tsv": "".join(f"ACGT{i}-{number}\n" for i in range(3)),
    }


class Wrapped(Folder):
    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def record(self, samples=5, mode="w", name="GSE1_RAW.tar"):
        """Writes a record as GEO has it: a tar of gzipped files with the accession before each name."""
        path = os.path.join(self.folder, name)
        with tarfile.open(path, mode) as archive:
            for number in range(1, samples + 1):
                for file, text in trio(number).items():
                    content = gzip.compress(text.encode())
                    member = tarfile.TarInfo(f"GSM{number}_S{number}_{file}.gz")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        return path

    def refused(self, code, words, *arguments):
        result = run(PROGRAM, *arguments)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        self.assertIn(words, result.stderr.decode())

    def test_compressed_store_shows_the_files_of_its_content(self):
        for ending in (".h5ad", ".zarr.zip", ".loom", ".nc", ".h5seurat"):
            plain = first_store(ending)
            with open(plain, "rb") as file:
                content = file.read()
            store = self.write("x" + ending, content)
            with Mount(store) as m:
                expected = tree_of(m.path)
            self.assertGreater(len(expected), 0)
            for compression, compress in COMPRESSIONS.items():
                with self.subTest(plain + compression):
                    with Mount(self.write("x" + ending + compression, compress(content))) as m:
                        shown = tree_of(m.path)
                        self.assertEqual(sorted(shown), sorted(expected))
                        self.assertEqual([name for name in shown if shown[name] != expected[name]], [])

    def test_object_of_r_is_read_through_two_compressions(self):
        plain = first_store(".rds")
        with open(plain, "rb") as file:
            content = file.read()
        with Mount(self.write("x.rds", content)) as m:
            expected = tree_of(m.path)
        with Mount(self.write("x.rds.gz", gzip.compress(content))) as m:
            self.assertEqual(tree_of(m.path), expected)

    def test_info_names_the_wrapping_and_its_cost(self):
        with open(first_store(".h5ad"), "rb") as file:
            content = file.read()
        packed = gzip.compress(content)
        path = self.write("x.h5ad.gz", packed)
        with Mount(path) as m:
            wrapping = json.loads(m.read(".plainfs", "info.json"))["wrapping"]
        self.assertEqual(wrapping["compression"], "gzip")
        self.assertEqual((wrapping["compressed_bytes"], wrapping["bytes"]), (len(packed), len(content)))
        self.assertIn("compression gzip", run(PROGRAM, "info", path).stdout.decode())

    def test_samples_of_a_record_are_exported_from_its_archive(self):
        archive = self.record()
        for number in range(1, 6):
            for name, text in trio(number).items():
                self.write(f"S{number}/{name}", text.encode())
            with self.subTest(number):
                one, other = (os.path.join(self.folder, f"{kind}{number}.h5ad") for kind in "ab")
                result = run(PROGRAM, "export", f"{archive}/GSM{number}_S{number}", one)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                result = run(PROGRAM, "export", os.path.join(self.folder, f"S{number}"), other)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                with open(one, "rb") as first, open(other, "rb") as second:
                    self.assertEqual(first.read(), second.read())

    def test_archive_is_a_mirrored_folder(self):
        with open(first_store(".h5ad"), "rb") as file:
            content = file.read()
        for mode, name in (("w", "all.tar"), ("w:gz", "all.tar.gz"), ("w:xz", "all.tar.xz")):
            self.record(2, mode, name)
        self.write("in/sub/x.h5ad", content)
        self.write("in/sub/y.h5ad.gz", gzip.compress(content))
        self.write("in/notes.txt", b"read me")
        with tarfile.open(os.path.join(self.folder, "mixed.tar"), "w") as archive:
            archive.add(os.path.join(self.folder, "in"), "./in")
        with Mount(self.write("x.h5ad", content)) as m:
            expected = tree_of(m.path)
        shutil.rmtree(os.path.join(self.folder, "in"))
        with Mount(self.folder) as m:
            for name in ("all.tar", "all.tar.gz", "all.tar.xz"):
                self.assertEqual(
                    sorted(os.listdir(m.join(name)))[:4],
                    ["GSM1_S1", "GSM1_S1_barcodes.tsv.gz", "GSM1_S1_features.tsv.gz", "GSM1_S1_matrix.mtx.gz"],
                )
                self.assertEqual(m.read(name, "GSM2_S2", "barcodes.tsv"), b"ACGT0-2\nACGT1-2\nACGT2-2\n")
                self.assertEqual(gzip.decompress(m.read(name, "GSM1_S1_barcodes.tsv.gz"))[:8], b"ACGT0-1\n")
            self.assertEqual(m.read("mixed.tar", "in", "notes.txt"), b"read me")
            self.assertEqual(tree_of(m.join("mixed.tar", "in", "sub", "x.h5ad")), expected)
            self.assertEqual(tree_of(m.join("mixed.tar", "in", "sub", "y.h5ad.gz")), expected)

    def test_parquet_in_an_archive_is_a_table(self):
        store = os.path.join(DATA, "parquet-read", "duckdb_nested", "store.parquet")
        with tarfile.open(os.path.join(self.folder, "x.tar"), "w") as archive:
            archive.add(store, "in/cells.parquet")
        with Mount(store) as m:
            expected = m.read("table.csv")
        with Mount(os.path.join(self.folder, "x.tar")) as m:
            self.assertIn("cells.csv", os.listdir(m.join("in")))
            self.assertEqual(m.read("in", "cells.csv"), expected)
            self.assertEqual(m.read("in", "cells.parquet")[:4], b"PAR1")

    def test_members_that_cannot_be_read_are_refused_one_by_one(self):
        path = os.path.join(self.folder, "odd.tar")
        with tarfile.open(path, "w") as archive:
            for name, kind, link in (
                ("good.txt", tarfile.REGTYPE, ""),
                ("../up.txt", tarfile.REGTYPE, ""),
                ("a/../../up.txt", tarfile.REGTYPE, ""),
                ("/etc/absolute.txt", tarfile.REGTYPE, ""),
                ("link.txt", tarfile.SYMTYPE, "/etc/passwd"),
                ("hard.txt", tarfile.LNKTYPE, "good.txt"),
                ("sparse.txt", tarfile.GNUTYPE_SPARSE, ""),
                ("good.txt/inside.txt", tarfile.REGTYPE, ""),
                ("pipe", tarfile.FIFOTYPE, ""),
                ("z/last.txt", tarfile.REGTYPE, ""),
            ):
                member = tarfile.TarInfo(name)
                member.type, member.linkname = kind, link
                content = b"bytes" if kind == tarfile.REGTYPE else b""
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        with Mount(path) as m:
            self.assertEqual(sorted(os.listdir(m.path)), ["good.txt", "hard.txt", "link.txt", "sparse.txt", "z"])
            self.assertEqual(m.read("good.txt"), b"bytes")
            self.assertEqual(m.read("z", "last.txt"), b"bytes")
            for name in ("hard.txt", "link.txt", "sparse.txt"):
                with self.assertRaises(OSError):
                    m.read(name)
            log = m.read(".plainfs", "log").decode()
        for words in (
            "../up.txt: left out: its name leads out of the archive",
            "/etc/absolute.txt: left out: an absolute name",
            "link.txt: a link to /etc/passwd in an archive",
            "sparse.txt: a sparse file in an archive",
            "good.txt/inside.txt: left out: good.txt is a file",
        ):
            self.assertIn(words, log)

    def test_cut_archive_shows_its_whole_members(self):
        archive = self.record(3)
        with open(archive, "rb") as file:
            content = file.read()
        second = content.index(b"GSM2_S2_barcodes")
        with Mount(self.write("cut.tar", content[: second + 530])) as m:
            self.assertEqual(m.read("GSM1_S1", "barcodes.tsv"), b"ACGT0-1\nACGT1-1\nACGT2-1\n")
            self.assertIn("ends within this member", m.read(".plainfs", "log").decode())
            with self.assertRaises(OSError):
                m.read("GSM2_S2_barcodes.tsv.gz")

    def test_damaged_compression_is_an_error(self):
        with open(first_store(".h5ad"), "rb") as file:
            content = file.read()
        for ending, compress in COMPRESSIONS.items():
            packed = compress(content)
            with self.subTest(ending):
                cut = self.write("cut.h5ad" + ending, packed[: len(packed) * 3 // 4])
                self.refused(14, "truncated", "ls", cut)
        wrong = bytearray(gzip.compress(content))
        wrong[-6] ^= 1
        words = "the gzip data are invalid: the content does not match its checksum"
        self.refused(14, words, "ls", self.write("w.h5ad.gz", wrong))

    def test_bomb_takes_bounded_memory(self):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        with open(first_store(".h5ad"), "rb") as file:
            bomb = packer.compress(file.read())
        for _ in range(256):
            bomb += packer.compress(bytes(1 << 20))
        path = self.write("bomb.h5ad.gz", bomb + packer.flush())
        limited = f'ulimit -v 1500000; exec "{PROGRAM}" ls "{path}"'
        result = run("sh", "-c", limited)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertIn("obs", result.stdout.decode())

    @needs("zstd")
    def test_too_large_window_of_zstd_is_refused(self):
        frame = b"\x28\xb5\x2f\xfd" + bytes([0x00, (31 - 10) << 3]) + b"\x01\0\0"
        with open(first_store(".h5ad"), "rb") as file:
            packed = zstd(file.read())
        self.refused(15, "a window of over 128 MiB", "ls", self.write("x.h5ad.zst", packed + frame))

    @needs("zstd")
    def test_one_large_block_is_decompressed_once_beside_the_index(self):
        with open(first_store(".h5ad"), "rb") as file:
            content = file.read()
        packed = zstd(content + bytes(40 << 20))
        path = self.write("x.h5ad.zst", packed)
        index = self.empty("index")
        with Mount(path, "-o", f"index={index}") as m:
            wrapping = json.loads(m.read(".plainfs", "info.json"))["wrapping"]
            self.assertTrue(wrapping["in_scratch_file"])
            shown = tree_of(m.path)
        with Mount(self.write("x.h5ad", content)) as m:
            self.assertEqual(shown, tree_of(m.path))


if __name__ == "__main__":
    main()
