#!/usr/bin/env python3
"""Stores of VCF Zarr as the tools of genetics read them: bcftools and tabix."""
import gzip
import os
import shutil
import unittest

from mounted import DATA, Folder, Mount, main, run
from cases import cases
from native_test import index_of, needs


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


if __name__ == "__main__":
    main()
