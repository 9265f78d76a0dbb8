#!/usr/bin/env python3
"""coverage.bw of fragments: equals bedtools genomecov on fragments.tsv, as read by pyBigWig."""
import errno
import os
import random
import shutil
import struct
import subprocess

from mounted import PROGRAM, Folder, Mount, main, run
from native_test import write_fragments
from optional import import_or_exit, missing_modules, missing_programs, needs, skip_rest

(numpy,) = import_or_exit("numpy")
try:
    import pyBigWig
except ImportError:
    pyBigWig = None

LENGTHS = {"chr1": 24_000_000, "chr10": 200_000, "chr2": 5_000_000, "chrM": 16_569, "chrX": 9_000_000}


def random_fragments(chance):
    """Returns deep and thin fragments, of one base and of half a chromosome, empty, equal or absent ones."""
    chromosomes = {}
    for name, count in (("chrX", 6000), ("chr1", 9000), ("chr10", 5000), ("chr2", 1), ("chrM", 0)):
        length, fragments = LENGTHS[name], []
        for start in sorted(
            chance.choice((chance.randrange(length), chance.randrange(min(length, 3000)))) for _ in range(count)
        ):
            end = min(length, start + chance.choice((0, 1, 30, 200, 200, 200, 5000, length // 2)))
            fragments += [(start, end + 1)] * chance.choice((1, 1, 1, 3))  # the end as stored: one more
        chromosomes[name] = fragments
    return chromosomes


def merged(intervals):
    """Merges neighbours with equal values."""
    whole = []
    for start, end, value in intervals:
        if whole and whole[-1][1] == start and whole[-1][2] == value:
            whole[-1] = (whole[-1][0], end, value)
        else:
            whole.append((start, end, value))
    return whole


def depths(chromosomes, name):
    """Returns the coverage of each base, by addition."""
    changes = numpy.zeros(LENGTHS[name] + 1, "i8")
    for start, end in chromosomes[name]:
        changes[start] += 1
        changes[end - 1] -= 1
    return changes.cumsum()[:-1]


class Coverage(Folder):
    def setUp(self):
        super().setUp()
        self.store, self.genome = os.path.join(self.folder, "fragments"), os.path.join(self.folder, "genome")
        self.chromosomes = random_fragments(random.Random(45))
        write_fragments(self.store, self.chromosomes)
        self.say(LENGTHS)

    def say(self, lengths):
        with open(self.genome, "w", encoding="utf-8") as file:
            file.writelines(f"{name}\t{length}\t17\n" for name, length in lengths.items())

    def mounted(self, *more):
        return self.enterContext(Mount(self.store, "-o", "genome=" + self.genome, *more))

    def genomecov(self, m, *folder):
        """Returns bedtools' coverage of fragments that have a base. For an empty one bedtools takes the base on either
        side."""
        lines = [
            line
            for line in m.read(*folder, "fragments.tsv").splitlines(keepends=True)
            if len(set(line.split(b"\t")[1:3])) == 2
        ]
        lines = (
            subprocess.run(
                ["bedtools", "genomecov", "-bg", "-i", "stdin", "-g", m.join("chrom.sizes")],
                input=b"".join(lines),
                capture_output=True,
                check=True,
            )
            .stdout.decode()
            .splitlines()
        )
        counted = {}
        for name, start, end, value in (line.split("\t") for line in lines):
            counted.setdefault(name, []).append((int(start), int(end), float(value)))
        return {name: merged(intervals) for name, intervals in counted.items()}

    def test_both_are_found_by_name_and_listed_with_the_view(self):
        m = self.mounted()
        self.assertFalse({"coverage.bw", "chrom.sizes"} & set(os.listdir(m.path)))
        self.assertEqual(
            m.read("chrom.sizes").decode(), "".join(f"{name}\t{LENGTHS[name]}\n" for name in self.chromosomes)
        )
        self.assertEqual(m.read("coverage.bw")[:4], bytes.fromhex("26fc8f88"))
        listed = self.mounted("-o", "views=bw")
        self.assertEqual(sorted(os.listdir(listed.path)), ["chrom.sizes", "coverage.bw"])
        self.assertEqual(os.stat(m.join("coverage.bw")).st_size, len(listed.read("coverage.bw")))

    def test_missing_lengths_are_requested(self):
        with Mount(self.store, "-o", "views=all") as m:
            self.assertFalse({"coverage.bw", "chrom.sizes"} & set(os.listdir(m.path)))
            with self.assertRaises(OSError) as failed:
                os.stat(m.join("coverage.bw"))
            self.assertEqual(failed.exception.errno, errno.ENOTSUP)
            self.assertIn("-o genome=FILE", m.read(".plainfs", "log").decode())
            self.assertFalse(os.path.exists(m.join("chrom.sizes")))

    def test_mismatched_lengths_are_reported(self):
        for lengths, words in (
            ({**LENGTHS, "chr10": 150_000}, "beyond the 150000 bases of the genome file for chr10"),
            ({"chr1": LENGTHS["chr1"]}, "the genome file has no length for chr10"),
        ):
            self.say(lengths)
            found = run(PROGRAM, "cat", "-o", "genome=" + self.genome, self.store, "coverage.bw")
            self.assertNotEqual(found.returncode, 0)
            self.assertIn(words, found.stderr.decode())

    def test_a_chromosome_without_fragments_needs_no_length(self):
        self.say({name: length for name, length in LENGTHS.items() if name != "chrM"})
        m = self.mounted()
        self.assertNotIn(b"chrM", m.read("chrom.sizes"))
        self.assertNotIn(b"chrM", m.read("coverage.bw")[:4096])

    def test_every_mount_and_every_piece_gives_the_same_bytes(self):
        whole = self.mounted().read("coverage.bw")
        again = self.mounted("-o", "threads=1", "-o", "index=none")
        chance = random.Random(7)
        with open(again.join("coverage.bw"), "rb") as file:
            for _ in range(60):
                at, size = chance.randrange(len(whole)), chance.choice((1, 100, 5000, 300_000))
                self.assertEqual(os.pread(file.fileno(), size, at), whole[at : at + size])
        self.assertEqual(again.read("coverage.bw"), whole)

    def test_header_locates_the_sections(self):
        """Reads the header by hand: total, sections and the root of each index."""
        data = self.mounted().read("coverage.bw")
        magic, version, zooms, tree, sections, index, *_, total, packed, _ = struct.unpack_from("<IHHQQQHHQQIQ", data)
        self.assertEqual((magic, version, packed), (0x888FFC26, 4, 0))
        self.assertGreater(zooms, 3)
        every = [depths(self.chromosomes, name) for name in self.chromosomes]
        bases, least, greatest, added, squares = struct.unpack_from("<Qdddd", data, total)
        self.assertEqual(
            (bases, least, greatest, added),
            (
                sum(int((d > 0).sum()) for d in every),
                1,
                max(d.max(initial=0) for d in every),
                sum(int(d.sum()) for d in every),
            ),
        )
        self.assertEqual(squares, sum(float((d.astype("f8") ** 2).sum()) for d in every))
        self.assertEqual(struct.unpack_from("<I", data, tree)[0], 0x78CA8C91)
        self.assertEqual(
            struct.unpack_from("<IIQ", data, index)[0::2], (0x2468ACE0, struct.unpack_from("<Q", data, sections)[0])
        )
        for level in range(zooms):
            reduction, _, _, at = struct.unpack_from("<IIQQ", data, 64 + 24 * level)
            self.assertEqual(reduction, struct.unpack_from("<I", data, 64)[0] * 4**level)
            self.assertEqual(struct.unpack_from("<I", data, at)[0], 0x2468ACE0)

    @needs("bedtools")
    def test_pybigwig_matches_bedtools(self):
        if pyBigWig is None:
            self.skipTest(missing_modules("pyBigWig"))
        m = self.mounted()
        counted = self.genomecov(m)
        self.assertEqual(sorted(counted), ["chr1", "chr10", "chr2", "chrX"])
        with pyBigWig.open(m.join("coverage.bw")) as file:
            self.assertTrue(file.isBigWig())
            self.assertEqual(file.chroms(), LENGTHS)
            for name in LENGTHS:
                self.assertEqual(merged(file.intervals(name) or ()), counted.get(name, []), name)
            chance = random.Random(11)
            for _ in range(200):
                name = chance.choice(list(counted))
                at = chance.randrange(LENGTHS[name] - 1)
                end = min(LENGTHS[name], at + chance.choice((1, 1000, 200_000)))
                inside = [(start, stop, value) for start, stop, value in counted[name] if start < end and stop > at]
                clipped = [
                    (max(start, at), min(stop, end), value)
                    for start, stop, value in file.intervals(name, at, end) or ()
                ]
                self.assertEqual(
                    merged(clipped), merged([(max(start, at), min(stop, end), value) for start, stop, value in inside])
                )

    @needs("bedtools")
    def test_summaries_match_the_bases(self):
        if pyBigWig is None:
            self.skipTest(missing_modules("pyBigWig"))
        m = self.mounted()
        with pyBigWig.open(m.join("coverage.bw")) as file:
            for name in ("chr10", "chr1", "chrX"):
                depth = depths(self.chromosomes, name)
                bins = 5
                edges = [len(depth) * i // bins for i in range(bins + 1)]
                exact = [depth[a:b] for a, b in zip(edges, edges[1:])]
                for kind, of in (("max", numpy.max), ("sum", numpy.sum), ("coverage", lambda d: (d > 0).mean())):
                    found = file.stats(name, 0, len(depth), type=kind, nBins=bins, exact=True)
                    numpy.testing.assert_allclose([v or 0 for v in found], [of(d) for d in exact], rtol=1e-6)
                # From the summaries of the file: its bins do not match these.
                roughly = file.stats(name, 0, len(depth), type="mean", nBins=1)
                numpy.testing.assert_allclose(roughly, [depth[depth > 0].mean()], rtol=1e-2)

    @needs("bigWigInfo", "bigWigToBedGraph", "bedtools")
    def test_ucsc_tools_read_it(self):
        m = self.mounted()
        out = os.path.join(self.folder, "out.bedGraph")
        self.assertEqual(run("bigWigToBedGraph", m.join("coverage.bw"), out).returncode, 0)
        found = {}
        with open(out, encoding="utf-8") as lines:
            for name, start, end, value in (line.split("\t") for line in lines):
                found.setdefault(name, []).append((int(start), int(end), float(value)))
        self.assertEqual({name: merged(rows) for name, rows in found.items()}, self.genomecov(m))

    def test_fragments_of_a_level_have_their_own_coverage(self):
        table = os.path.join(self.folder, "cells.csv")
        with open(table, "w", encoding="utf-8") as file:
            file.write('"",type\n' + "".join(f"c{i},{'AB'[i % 2]}\n" for i in range(40)))
        m = self.mounted("-o", "cells=" + table)
        skip_rest(self, missing_programs("bedtools") or missing_modules("pyBigWig"))
        for level in "AB":
            with pyBigWig.open(m.join("by", "type", level, "coverage.bw")) as file:
                self.assertEqual(sum(len(file.intervals(name) or ()) > 0 for name in LENGTHS), 4 if level == "A" else 3)
                self.assertEqual(
                    {name: merged(file.intervals(name)) for name in LENGTHS if file.intervals(name)},
                    self.genomecov(m, "by", "type", level),
                )


class Disorder(Folder):
    def test_unsorted_fragments_have_no_coverage(self):
        store, genome = os.path.join(self.folder, "fragments"), os.path.join(self.folder, "genome")
        with open(genome, "w", encoding="utf-8") as file:
            file.write("a\t100000\n")
        for fragments, words in (
            ([(50, 60), (40, 70)], "fragment 1 starts before the previous one"),
            ([(i, i + 5) for i in range(1024)] + [(3, 9)], "fragment 1024 starts before the previous one"),
            ([(50, 50)], "fragment 0 ends before its start 50"),
        ):
            shutil.rmtree(store, ignore_errors=True)
            write_fragments(store, {"a": fragments})
            found = run(PROGRAM, "cat", "-o", "genome=" + genome, store, "coverage.bw")
            self.assertNotEqual(found.returncode, 0)
            self.assertIn(words, found.stderr.decode())


if __name__ == "__main__":
    main()
