#!/usr/bin/env python3
"""Stores of VCF Zarr as the tools of genetics read them: bcftools, tabix, plink."""
import gzip
import os
import shutil
import unittest

from mounted import DATA, Folder, Mount, main, run
from cases import cases
from native_test import index_of, needs


# What it must be told to take every site of two alleles.
PLINK2 = ("plink2", "--min-alleles", "2", "--max-alleles", "2", "--allow-extra-chr", "--output-chr", "MT",
          "--threads", "1", "--memory", "640")


def without_blanks(vcf):
    """The VCF as plink2 takes it: it refuses blanks in INFO and in the names of samples."""
    lines = []
    for line in vcf.decode().splitlines():
        fields = line.split("\t")
        if line.startswith("#CHROM"):
            fields[9:] = [name.replace(" ", "_") for name in fields[9:]]
        elif not line.startswith("#"):
            fields[7] = "."
        lines.append("\t".join(fields) + "\n")
    return "".join(lines).encode()


def golden():
    """(name, store) of every golden case."""
    return [(os.path.basename(case), store) for case, store in cases(DATA, ["vcf-zarr"])]


def outcome_of(path):
    try:
        os.stat(path)
        return "ok"
    except OSError as error:
        return os.strerror(error.errno)


def lines_of(*command):
    result = run(*command)
    if result.returncode != 0:
        raise AssertionError(result.stderr.decode())
    return result.stdout.decode().splitlines()


class Golden(Folder):
    @needs("tabix")
    def test_the_index_is_that_of_tabix_or_none(self):
        kinds = {}
        for name, store in golden():
            with self.subTest(case=name), Mount(store) as mount:
                copy = os.path.join(self.folder, name + ".vcf.gz")
                shutil.copyfile(mount.join("variants.vcf.gz"), copy)
                for ending, make in ((".tbi", ("tabix", "-p", "vcf")), (".csi", ("tabix", "-C", "-p", "vcf"))):
                    shown = mount.join("variants.vcf.gz" + ending)
                    if run(*make, "-f", copy).returncode == 0 and os.path.exists(copy + ending):
                        self.assertEqual(outcome_of(shown), "ok")
                        self.assertEqual(index_of(shown), index_of(copy + ending))
                        kinds.setdefault(ending, []).append(name)
                        break
                    self.assertEqual(outcome_of(shown), "Operation not supported")
                else:
                    kinds.setdefault("none", []).append(name)
        self.assertEqual(kinds[".csi"], ["far", "widths"])
        self.assertEqual(kinds["none"], ["unsorted"])
        self.assertGreater(len(kinds[".tbi"]), 10)

    @needs("bcftools")
    def test_bcftools_reads_every_line(self):
        for name, store in golden():
            with self.subTest(case=name), Mount(store) as mount:
                want = [line for line in mount.read("variants.vcf").decode().splitlines() if not line.startswith("#")]
                for file in ("variants.vcf", "variants.vcf.gz"):
                    got = lines_of("bcftools", "view", "-H", mount.join(file))
                    self.assertEqual(len(got), len(want))
                    self.assertEqual([line.split("\t")[:5] for line in got], [line.split("\t")[:5] for line in want])
                self.assertEqual(gzip.decompress(mount.read("variants.vcf.gz")), mount.read("variants.vcf"))

    @needs("bcftools", "tabix")
    def test_bcftools_reads_regions(self):
        found = 0
        for name, store in golden():
            if name == "unsorted":
                continue
            with self.subTest(case=name), Mount(store) as mount:
                lines = [line.split("\t") for line in mount.read("variants.vcf").decode().splitlines() if not line.startswith("#")]
                for contig, position in {(line[0], line[1]) for line in lines if ":" not in line[0] and line[1] != "0"}:
                    want = [line[:5] for line in lines if line[0] == contig and line[1] == position]
                    region = f"{contig}:{position}-{position}"
                    for command in (("tabix",), ("bcftools", "view", "-H", "-r")):
                        got = lines_of(command[0], *command[1:], *([region] if "-r" in command else []),
                                       mount.join("variants.vcf.gz"), *([] if "-r" in command else [region]))
                        for line in want:
                            self.assertIn(line, [one.split("\t")[:5] for one in got])
                    found += 1
        self.assertGreater(found, 30)

    @needs("plink2")
    def test_plink2_writes_the_same_files(self):
        compared = 0
        for name, store in golden():
            with self.subTest(case=name), Mount(store) as mount:
                if not os.path.exists(mount.join("plink.bed")):
                    continue
                source = os.path.join(self.folder, name + ".vcf")
                with open(source, "wb") as file:
                    file.write(without_blanks(mount.read("variants.vcf")))
                made = os.path.join(self.folder, name)
                result = run(*PLINK2, "--vcf", source, "--vcf-half-call", "missing", "--make-bed", "--out", made)
                if name in ("no_variants", "unsorted"):  # which it refuses
                    self.assertNotEqual(result.returncode, 0)
                    continue
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                for ending in (".bed", ".bim", ".fam"):
                    with open(made + ending, "rb") as file:
                        self.assertEqual(mount.read("plink" + ending), file.read(), ending)
                compared += 1
        self.assertGreater(compared, 10)

    @needs("plink1.9", "plink2")
    def test_plink_reads_the_files(self):
        for name, store in golden():
            if name in ("no_variants", "unsorted"):
                continue
            with self.subTest(case=name), Mount(store) as mount:
                if not os.path.exists(mount.join("plink.bed")):
                    continue
                out = os.path.join(self.folder, name)
                read = run("plink1.9", "--bfile", mount.join("plink"), "--allow-extra-chr", "--allow-no-sex", "--freq", "--out", out)
                self.assertEqual(read.returncode, 0, read.stderr.decode())
                frequencies = {}
                for source, arguments in (("bed", ("--bfile", mount.join("plink"))),
                                          ("bgen", ("--bgen", mount.join("genotypes.bgen"), "ref-first", "--sample", mount.join("genotypes.sample")))):
                    result = run(*PLINK2, *arguments, "--freq", "counts", "--out", out + source)
                    self.assertEqual(result.returncode, 0, result.stderr.decode())
                    with open(out + source + ".acount", encoding="utf-8") as file:
                        frequencies[source] = [line.split("\t")[1:] for line in file]
                self.assertEqual(frequencies["bed"], frequencies["bgen"])


if __name__ == "__main__":
    main()
