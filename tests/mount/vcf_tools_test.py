#!/usr/bin/env python3
"""Golden stores of VCF Zarr as read by further tools: bcftools' checks against a reference, vcftools, bolt-lmm,
VariantAnnotation and snpStats in R. Also plink.bed by many readers at once and through mapped memory."""
import collections
import concurrent.futures
import mmap
import os
import random
import re
import shutil

try:
    import numpy
    import zarr
except ImportError:
    zarr = None

from mounted import Folder, Mount, main, run
from native_test import r
from optional import needs, needs_modules, needs_r
from vcf_test import Made, golden, lines_of, outcome_of


def records(mount):
    return [line.split("\t") for line in mount.read("variants.vcf").decode().splitlines() if not line.startswith("#")]


def reference_of(lines, most=1_000_000):
    """Returns contigs that contain the REF of the lines, if alleles are bases; {} if two lines contradict each other or
    are too far apart."""
    contigs = {}
    for contig, position, _, ref, alternatives, *_ in lines:
        start = int(position) - 1
        if (
            not re.fullmatch("[ACGT]+", ref)
            or not re.fullmatch("[ACGT,]+|[.]", alternatives)
            or start < 0
            or start + len(ref) > most
        ):
            return {}
        bases = contigs.setdefault(contig, {})
        for i, base in enumerate(ref):
            if bases.setdefault(start + i, base) != base:
                return {}
    return {contig: "".join(bases.get(i, "N") for i in range(max(bases) + 1)) for contig, bases in contigs.items()}


class Checks(Folder):
    @needs("bcftools")
    def test_bcftools_counts_match_the_index(self):
        counted = 0
        for name, store in golden():
            with self.subTest(case=name), Mount(store) as mount:
                if not any(outcome_of(mount.join("variants.vcf.gz" + ending)) == "ok" for ending in (".tbi", ".csi")):
                    continue
                lines = records(mount)
                per_contig = dict(collections.Counter(line[0] for line in lines))
                found = dict(
                    line.split("\t")[::2]
                    for line in lines_of("bcftools", "index", "--stats", mount.join("variants.vcf.gz"))
                )
                self.assertEqual({contig: int(n) for contig, n in found.items()}, per_contig)
                counted += 1
        self.assertGreater(counted, 10)

    @needs("bcftools")
    def test_bcftools_stats_sees_all_records_and_samples(self):
        for name, store in golden():
            with self.subTest(case=name), Mount(store) as mount:
                lines = records(mount)
                numbers = {
                    line.split("\t")[2]: int(line.split("\t")[3])
                    for line in lines_of("bcftools", "stats", mount.join("variants.vcf"))
                    if line.startswith("SN")
                }
                self.assertEqual(numbers["number of records:"], len(lines))
                self.assertEqual(
                    numbers["number of samples:"], len(lines_of("bcftools", "query", "-l", mount.join("variants.vcf")))
                )
                alternatives = [line[4].split(",") for line in lines]
                self.assertEqual(numbers["number of multiallelic sites:"], sum(len(one) > 1 for one in alternatives))

    @needs("bcftools")
    def test_bcftools_norm_finds_the_reference_at_every_position(self):
        checked = 0
        for name, store in golden():
            with self.subTest(case=name), Mount(store) as mount:
                lines = records(mount)
                contigs = reference_of(lines)
                if not contigs:
                    continue
                fasta = os.path.join(self.folder, name + ".fa")
                with open(fasta, "w", encoding="utf-8") as file:
                    file.write("".join(f">{contig}\n{bases}\n" for contig, bases in contigs.items()))
                normed = lines_of("bcftools", "norm", "-c", "e", "-f", fasta, mount.join("variants.vcf.gz"))
                self.assertEqual(sum(not line.startswith("#") for line in normed), len(lines))
                checked += 1
        self.assertGreater(checked, 2)

    @needs("vcftools")
    def test_vcftools_counts_alleles_of_every_type_of_store(self):
        """Tests vcftools, which knows versions up to 4.2, and two alleles per call."""
        compared = 0
        for name, store in golden():
            with self.subTest(case=name), Mount(store) as mount:
                lines = records(mount)
                calls = [
                    [re.split("[/|]", call.split(":")[0]) for call in line[9:] if line[8].split(":")[0] == "GT"]
                    for line in lines
                ]
                if not any(calls) or any(len(call) > 2 for line in calls for call in line):
                    continue
                text = mount.read("variants.vcf").replace(b"##fileformat=VCFv4.3", b"##fileformat=VCFv4.2")
                result = run("vcftools", "--vcf", "-", "--counts", "--stdout", input=text)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                found = [row.split("\t") for row in result.stdout.decode().splitlines()[1:]]
                self.assertEqual(len(found), len(lines))
                for row, line, of_line in zip(found, lines, calls):
                    alleles = [allele for call in of_line for allele in call if allele != "."]
                    if any(len(call) == 1 and call != ["."] for call in of_line):
                        continue  # it counts these by its own rules
                    self.assertEqual(row[:2], line[:2])
                    self.assertEqual(int(row[3]), len(alleles))
                    self.assertEqual(row[4], f"{line[3]}:{alleles.count('0')}")
                compared += 1
        self.assertGreater(compared, 5)


READ_VCF = """
suppressPackageStartupMessages(library(VariantAnnotation))
for (file in commandArgs(TRUE)) {
  vcf <- readVcf(file, "x")
  g <- geno(vcf)$GT
  cat("FILE", file, nrow(vcf), ncol(vcf), "\\n", sep = "\\t")
  cat(as.character(seqnames(vcf)), sep = "\\t"); cat("\\n")
  cat(start(vcf), sep = "\\t"); cat("\\n")
  cat(as.character(ref(vcf)), sep = "\\t"); cat("\\n")
  cat(if (is.null(g)) "" else as.vector(g), sep = "\\t"); cat("\\n")
}
"""
READ_PLINK = """
suppressPackageStartupMessages(library(snpStats))
for (folder in commandArgs(TRUE)) {
  f <- function(ending) file.path(folder, paste0("plink.", ending))
  calls <- read.plink(f("bed"), f("bim"), f("fam"))$genotypes
  cat("FILE", folder, ncol(calls), nrow(calls), "\\n", sep = "\\t")
  cat(as.integer(calls@.Data), sep = "\\t"); cat("\\n")
}
"""


def plink_code(call):
    """Returns snpStats' code: 0 missing, 1 to 3 the number of absent A1 (the alternative) plus one."""
    if not call or None in call:
        return 0
    if len(call) == 1:
        return 1 if call[0] else 3
    return 3 - sum(call)


class InR(Folder):
    @needs_r("VariantAnnotation")
    def test_variant_annotation_matches_the_lines(self):
        want = {}
        for name, store in golden():
            with Mount(store) as mount:
                lines = records(mount)
                if not lines or any(line[1] == "0" for line in lines):
                    continue
                copy = os.path.join(self.folder, name + ".vcf")
                shutil.copyfile(mount.join("variants.vcf"), copy)
                want[copy] = lines
        found = r(READ_VCF, *want).split("FILE\t")[1:]
        self.assertEqual(len(found), len(want))
        for block, (copy, lines) in zip(found, want.items()):
            with self.subTest(case=os.path.basename(copy)):
                head, contigs, starts, refs, calls, *_ = block.split("\n")
                self.assertEqual(head.split("\t")[:3], [copy, str(len(lines)), str(len(lines[0][9:]))])
                self.assertEqual(contigs.split("\t"), [line[0] for line in lines])
                self.assertEqual(starts.split("\t"), [line[1] for line in lines])
                self.assertEqual(refs.split("\t"), [line[3] for line in lines])
                has_calls = [line[8].split(":")[0] == "GT" if len(line) > 8 else False for line in lines]
                if all(has_calls):
                    by_sample = [line[9 + s].split(":")[0] for s in range(len(lines[0]) - 9) for line in lines]
                    self.assertEqual(calls.split("\t"), by_sample)

    @needs_modules("zarr")
    @needs_r("snpStats")
    def test_snp_stats_reads_the_written_calls(self):
        want = {}
        for seed in range(8):
            built, store, folder = (
                Made(seed),
                os.path.join(self.folder, f"{seed}.zarr"),
                os.path.join(self.folder, str(seed)),
            )
            sites = [v for v in range(built.variants) if len(built.alleles[v]) == 2]
            if not sites or built.samples == 0:
                continue
            built.write(store)
            os.mkdir(folder)
            with Mount(store) as mount:
                for ending in ("bed", "fam"):
                    shutil.copyfile(mount.join("plink." + ending), os.path.join(folder, "plink." + ending))
                # It requires unique names.
                with open(os.path.join(folder, "plink.bim"), "w", encoding="utf-8") as file:
                    for i, line in enumerate(mount.read("plink.bim").decode().splitlines()):
                        fields = line.split("\t")
                        file.write("\t".join([fields[0], f"v{i}", *fields[2:]]) + "\n")
            want[folder] = [plink_code(built.calls[v][s]) for v in sites for s in range(built.samples)]
        self.assertGreater(len(want), 3)
        found = r(READ_PLINK, *want).split("FILE\t")[1:]
        self.assertEqual(len(found), len(want))
        for block, codes in zip(found, want.values()):
            self.assertEqual([int(code) for code in block.split("\n")[1].split("\t")], codes)


@needs_modules("zarr")
class Cohort(Folder):
    """600 variants of 300 samples, with two alleles each."""

    VARIANTS, SAMPLES = 600, 300

    def setUp(self):
        super().setUp()
        rng = numpy.random.default_rng(44)
        self.calls = (
            rng.random((self.VARIANTS, self.SAMPLES, 2)) < rng.uniform(0.1, 0.5, self.VARIANTS)[:, None, None]
        ).astype("i1")
        self.calls[rng.random((self.VARIANTS, self.SAMPLES)) < 0.02] = -1
        self.store = os.path.join(self.folder, "cohort.zarr")
        root = zarr.open_group(self.store, mode="w")
        root.attrs["vcf_zarr_version"] = "0.4"

        def text(values):
            return numpy.array(values, dtype=object)

        for name, values, axes in (
            ("contig_id", text(["1", "2"]), ["contigs"]),
            ("filter_id", text(["PASS"]), ["filters"]),
            ("sample_id", text([f"s{i}" for i in range(self.SAMPLES)]), ["samples"]),
            ("variant_contig", (numpy.arange(self.VARIANTS) * 2 // self.VARIANTS).astype("i1"), ["variants"]),
            ("variant_position", (1000 + 5000 * numpy.arange(self.VARIANTS)).astype("i4"), ["variants"]),
            ("variant_id", text([f"rs{i}" for i in range(self.VARIANTS)]), ["variants"]),
            ("variant_allele", text([["A", "G"]] * self.VARIANTS), ["variants", "alleles"]),
            ("call_genotype", self.calls, ["variants", "samples", "ploidy"]),
        ):
            more = {"object_codec": zarr.codecs.VLenUTF8()} if values.dtype.kind == "O" else {}
            built = root.create_dataset(name, data=values, chunks=tuple(min(100, n) for n in values.shape), **more)
            built.attrs["_ARRAY_DIMENSIONS"] = axes

    def bed(self):
        """Computes the .bed independently."""
        codes = numpy.array([3, 2, 0])[self.calls.sum(axis=2).clip(0)]
        codes[(self.calls < 0).any(axis=2)] = 1
        codes = numpy.pad(codes, ((0, 0), (0, -self.SAMPLES % 4))).reshape(self.VARIANTS, -1, 4)
        return b"\x6c\x1b\x01" + (codes << numpy.array([0, 2, 4, 6])).sum(axis=2).astype("u1").tobytes()

    def test_64_random_readers_and_mmap_see_the_same_bytes(self):
        want = self.bed()
        with Mount(self.store) as mount:
            path = mount.join("plink.bed")

            def read_at_random(seed):
                rng, descriptor = random.Random(seed), os.open(path, os.O_RDONLY)
                try:
                    for _ in range(50):
                        offset = rng.randrange(len(want))
                        if os.pread(descriptor, 4096, offset) != want[offset : offset + 4096]:
                            return False
                    return True
                finally:
                    os.close(descriptor)

            with concurrent.futures.ThreadPoolExecutor(64) as pool:
                self.assertEqual(set(pool.map(read_at_random, range(64))), {True})
            with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                for offset in random.Random(1).sample(range(len(want)), 200):
                    self.assertEqual(mapped[offset], want[offset])
                self.assertEqual(mapped[:], want)
            self.assertEqual(mount.read("plink.bed"), want)

    @needs("bolt")
    def test_bolt_lmm_finds_the_frequencies(self):
        """Tests a heritable phenotype. Without one, bolt-lmm ends before it writes."""
        phenotypes, table = os.path.join(self.folder, "phenotypes"), os.path.join(self.folder, "table")
        rng, counts = numpy.random.default_rng(1), self.calls.sum(axis=2).clip(0)
        inherited = rng.normal(size=self.VARIANTS) @ (counts - counts.mean(axis=1, keepdims=True))
        values = inherited / inherited.std() + rng.normal(size=self.SAMPLES) * 0.7
        with open(phenotypes, "w", encoding="utf-8") as file:
            file.write("FID IID P\n" + "".join(f"0 s{i} {value:.4f}\n" for i, value in enumerate(values)))
        with Mount(self.store) as mount:
            result = run(
                "bolt",
                "--bfile=" + mount.join("plink"),
                "--phenoFile=" + phenotypes,
                "--phenoCol=P",
                "--lmmInfOnly",
                "--LDscoresUseChip",
                "--statsFile=" + table,
                "--numThreads=1",
            )
        self.assertEqual(result.returncode, 0, result.stdout.decode()[-500:] + result.stderr.decode()[-500:])
        with open(table, encoding="utf-8") as file:
            names, *rows = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(len(rows), self.VARIANTS)
        known = self.calls >= 0
        frequencies = (self.calls * known).sum(axis=(1, 2)) / known.sum(axis=(1, 2))
        for row, frequency in zip(rows, frequencies):
            self.assertEqual(row[names.index("ALLELE1")], "G")
            self.assertAlmostEqual(float(row[names.index("A1FREQ")]), frequency, places=4)
        missing = (self.calls < 0).any(axis=2).mean(axis=1)
        self.assertTrue(numpy.allclose([float(row[names.index("F_MISS")]) for row in rows], missing, atol=1e-5))


if __name__ == "__main__":
    main()
