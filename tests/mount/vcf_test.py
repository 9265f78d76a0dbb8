#!/usr/bin/env python3
"""VCF Zarr stores as read by genetics tools: bcftools, tabix, vcftools, plink. Also random stores, compared with the
written values."""
import gzip
import os
import shutil

try:
    import numpy
    import zarr
except ImportError:
    zarr = None

from mounted import DATA, Folder, Mount, main, run
from cases import cases
from native_test import index_of
from optional import has_program, missing_programs, needs, needs_modules, skip_rest

FIRST_SEED, END_SEED = map(int, os.environ.get("VCF_SEEDS", "0:40").split(":"))

# Its options for taking every site of two alleles.
PLINK2 = (
    "plink2",
    "--min-alleles",
    "2",
    "--max-alleles",
    "2",
    "--allow-extra-chr",
    "--output-chr",
    "MT",
    "--threads",
    "1",
    "--memory",
    "640",
)


def without_blanks(vcf):
    """Returns the VCF in a form for plink2, which refuses blanks in INFO and in sample names."""
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
    """Yields (name, store) of every golden case."""
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
    def test_index_equals_the_one_of_tabix(self):
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
                lines = [
                    line.split("\t")
                    for line in mount.read("variants.vcf").decode().splitlines()
                    if not line.startswith("#")
                ]
                for contig, position in {(line[0], line[1]) for line in lines if ":" not in line[0] and line[1] != "0"}:
                    want = [line[:5] for line in lines if line[0] == contig and line[1] == position]
                    region = f"{contig}:{position}-{position}"
                    for command in (("tabix",), ("bcftools", "view", "-H", "-r")):
                        got = lines_of(
                            command[0],
                            *command[1:],
                            *([region] if "-r" in command else []),
                            mount.join("variants.vcf.gz"),
                            *([] if "-r" in command else [region]),
                        )
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
                built = os.path.join(self.folder, name)
                result = run(*PLINK2, "--vcf", source, "--vcf-half-call", "missing", "--make-bed", "--out", built)
                if name in ("no_variants", "unsorted"):  # it refuses these
                    self.assertNotEqual(result.returncode, 0)
                    continue
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                for ending in (".bed", ".bim", ".fam"):
                    with open(built + ending, "rb") as file:
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
                read = run(
                    "plink1.9",
                    "--bfile",
                    mount.join("plink"),
                    "--allow-extra-chr",
                    "--allow-no-sex",
                    "--freq",
                    "--out",
                    out,
                )
                self.assertEqual(read.returncode, 0, read.stderr.decode())
                frequencies = {}
                for source, arguments in (
                    ("bed", ("--bfile", mount.join("plink"))),
                    (
                        "bgen",
                        (
                            "--bgen",
                            mount.join("genotypes.bgen"),
                            "ref-first",
                            "--sample",
                            mount.join("genotypes.sample"),
                        ),
                    ),
                ):
                    result = run(*PLINK2, *arguments, "--freq", "counts", "--out", out + source)
                    self.assertEqual(result.returncode, 0, result.stderr.decode())
                    with open(out + source + ".acount", encoding="utf-8") as file:
                        frequencies[source] = [line.split("\t")[1:] for line in file]
                self.assertEqual(frequencies["bed"], frequencies["bgen"])

    @needs("vcftools")
    def test_vcftools_counts_alleles(self):
        """Tests vcftools, which only knows versions up to 4.2."""
        store = dict(golden())["gt_only"]
        with Mount(store) as mount:
            text = mount.read("variants.vcf").replace(b"##fileformat=VCFv4.3", b"##fileformat=VCFv4.2")
        lines = [line.split("\t") for line in text.decode().splitlines() if not line.startswith("#")]
        result = run("vcftools", "--vcf", "-", "--counts", "--stdout", input=text)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        counts = [row.split("\t") for row in result.stdout.decode().splitlines()[1:]]
        self.assertEqual(len(counts), len(lines))
        for row, line in zip(counts, lines):
            calls = [allele for call in line[9:] for allele in call.replace("|", "/").split("/") if allele != "."]
            self.assertEqual(int(row[3]), len(calls))
            self.assertEqual(row[4], f"{line[3]}:{calls.count('0')}")


MISSING, END = -1, -2
TEXTS = ["a", "bc", "é", "x y", "k=v", "50%", "semi;colon", "a:b", "tab\tlf\n", ".", ""]
TYPES = ["i1", "i2", "i4", "i8", ">i4", "u1", "u4", "f2", "f4", "f8", ">f4", "text", "U3", "S4"]
# For reals of a width in bytes: the missing value, the end of a list.
REALS = {2: (0x7C01, 0x7C02), 4: (0x7F800001, 0x7F800002), 8: (0x7FF0000000000001, 0x7FF0000000000002)}


class Made:
    """The arrays of a random store, as lists of values: None for a missing value, shorter lists if they end early."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.variants = int(self.random.integers(1, 60))
        self.samples = int(self.random.integers(0, 9))
        self.ploidy = int(self.random.integers(1, 3))
        self.contigs = ["1", "chr2", "X", "chrUn_1"]
        per_contig = numpy.sort(self.random.integers(0, len(self.contigs), self.variants))
        self.contig = [int(c) for c in per_contig]
        positions = self.random.integers(1, 1000, self.variants)
        self.position = [int(p) for _, p in sorted(zip(self.contig, positions))]
        self.alleles = [["A", "C", "GT", "<DEL>"][: int(self.random.integers(1, 5))] for _ in range(self.variants)]
        self.phased = self.random.random((self.variants, self.samples)) < 0.5
        self.calls = [[self.call(len(alleles)) for _ in range(self.samples)] for alleles in self.alleles]
        self.info = {f"I{i}": self.field((self.variants,)) for i in range(int(self.random.integers(0, 5)))}
        self.format = {
            f"F{i}": self.field((self.variants, self.samples)) for i in range(int(self.random.integers(0, 4)))
        }

    def call(self, alleles):
        length = int(self.random.integers(0, self.ploidy + 1)) if self.random.random() < 0.3 else self.ploidy
        return [None if self.random.random() < 0.1 else int(self.random.integers(alleles)) for _ in range(length)]

    def value(self, kind):
        if kind in ("text", "U3", "S4"):
            texts = [
                text for text in TEXTS[:-2] if kind == "text" or (len(text) <= 3 and (kind == "U3" or text.isascii()))
            ]
            return texts[self.random.integers(len(texts))]
        dtype = numpy.dtype(kind)
        if dtype.kind == "f":
            return self.real(dtype)
        low = 0 if dtype.kind == "u" else -100
        value = int(self.random.integers(low, 101))
        return 5 if value in (MISSING, END) else value

    def real(self, dtype):
        if self.random.random() < 0.2:
            return dtype.type([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan][self.random.integers(5)])
        return dtype.type(self.random.normal() * 10.0 ** self.random.integers(-4, 4))

    def field(self, shape):
        kind = TYPES[self.random.integers(len(TYPES))]
        most = int(self.random.integers(0, 4))  # 0: one value, no list

        def one():
            unsigned = kind.startswith("u")
            length = max(most, 1) if unsigned else int(self.random.integers(0, max(most, 1) + 1))
            return [None if not unsigned and self.random.random() < 0.2 else self.value(kind) for _ in range(length)]

        return kind, most, [[one() for _ in range(shape[1])] if len(shape) > 1 else one() for _ in range(shape[0])]

    def array_of(self, kind, most, lists, shape):
        """Returns the lists in the layout of the format."""
        full = (*shape, max(most, 1))
        if kind in ("text", "U3", "S4"):
            array = numpy.full(full, "", dtype=object)
            missing = "."
        else:
            dtype = numpy.dtype(kind)
            array = numpy.full(full, 0, dtype=dtype)
            if dtype.kind == "f":
                bits = array.view(dtype.str.replace("f", "u"))
                missing, bits[...] = REALS[dtype.itemsize]
                array = bits
            elif dtype.kind == "i":
                array[...] = END
                missing = MISSING
            else:
                missing = None
        for index in numpy.ndindex(*shape):
            values = lists[index[0]] if len(index) == 1 else lists[index[0]][index[1]]
            for i, value in enumerate(values):
                if value is None:
                    array[(*index, i)] = missing
                elif kind not in ("text", "U3", "S4") and numpy.dtype(kind).kind == "f":
                    array[(*index, i)] = numpy.array(value, dtype=kind).view(array.dtype)
                else:
                    array[(*index, i)] = value
        if kind not in ("text", "U3", "S4") and numpy.dtype(kind).kind == "f":
            array = array.view(kind)
        if kind == "U3":
            array = array.astype("U3")
        if kind == "S4":
            array = array.astype("S4")
        return array if most > 0 else array[..., 0]

    def write(self, path):
        root = zarr.open_group(path, mode="w")
        root.attrs.update(vcf_zarr_version="0.4", source="made")

        def put(name, array, axes):
            chunks = tuple(int(self.random.integers(1, max(n, 1) + 1)) for n in array.shape)
            more = {"object_codec": zarr.codecs.VLenUTF8()} if array.dtype.kind == "O" else {}
            built = root.create_dataset(name, data=array, chunks=chunks, **more)
            built.attrs["_ARRAY_DIMENSIONS"] = axes

        def texts(values):
            return numpy.array(values, dtype=object)

        put("contig_id", texts(self.contigs), ["contigs"])
        put("filter_id", texts(["PASS"]), ["filters"])
        put("sample_id", texts([f"s{i}" for i in range(self.samples)]), ["samples"])
        put("variant_contig", numpy.array(self.contig, dtype="i2"), ["variants"])
        put("variant_position", numpy.array(self.position, dtype="i4"), ["variants"])
        most = max(map(len, self.alleles))
        put(
            "variant_allele",
            texts([alleles + [""] * (most - len(alleles)) for alleles in self.alleles]).reshape(-1, most),
            ["variants", "alleles"],
        )
        calls = numpy.full((self.variants, self.samples, self.ploidy), END, dtype="i1")
        for v, s in numpy.ndindex(self.variants, self.samples):
            for i, allele in enumerate(self.calls[v][s]):
                calls[v, s, i] = MISSING if allele is None else allele
        put("call_genotype", calls, ["variants", "samples", "ploidy"])
        put("call_genotype_phased", self.phased, ["variants", "samples"])
        for name, (kind, length, lists) in self.info.items():
            put(
                "variant_" + name,
                self.array_of(kind, length, lists, (self.variants,)),
                ["variants", "x"][: 1 + (length > 0)],
            )
        for name, (kind, length, lists) in self.format.items():
            put(
                "call_" + name,
                self.array_of(kind, length, lists, (self.variants, self.samples)),
                ["variants", "samples", "y"][: 2 + (length > 0)],
            )


def same_value(text, value, kind, end):
    if value is None:
        return text == "."
    if kind in ("text", "U3", "S4"):
        for plain, code in (("\t", "%09"), ("\n", "%0A"), (end, "%3B" if end == ";" else "%3A")):
            value = value.replace(plain, code)
        return text == value
    dtype = numpy.dtype(kind)
    if dtype.kind != "f":
        return text == str(value)
    if numpy.isnan(value):
        return text == "nan"
    read = dtype.type(text)
    return read == value and numpy.signbit(read) == numpy.signbit(value) and not (text.endswith(".0") or "E" in text)


@needs_modules("zarr")
class Random(Folder):
    """Compares random stores with their text, and with the values that bcftools and plink2 read."""

    def check_list(self, text, values, field, end):
        kind, _, _ = field
        found = [] if text == "." and not values else text.split(",")
        self.assertEqual(len(found), len(values), (text, values, kind))
        for one, value in zip(found, values):
            self.assertTrue(same_value(one, value, kind, end), (text, values, kind))

    def check_info(self, text, v, built):
        found = dict(item.split("=", 1) for item in text.split(";")) if text != "." else {}
        for name, field in built.info.items():
            values = field[2][v]
            if all(value is None for value in values):
                self.assertNotIn(name, found)
            else:
                self.check_list(found.pop(name), values, field, ";")
        self.assertEqual(found, {})

    def check_calls(self, fields, v, built):
        names = fields[8].split(":") if fields[8] != "." else []
        want = ["GT"]
        want += [
            name
            for name, field in sorted(built.format.items())
            if any(value is not None for values in field[2][v] for value in values)
        ]
        self.assertEqual(names, want)
        for s, text in enumerate(fields[9:]):
            parts = text.split(":")
            self.assertEqual(len(parts), max(len(names), 1))
            for name, part in zip(names, parts):
                if name == "GT":
                    separator = "|" if built.phased[v][s] else "/"
                    self.assertEqual(
                        part, separator.join("." if a is None else str(a) for a in built.calls[v][s]) or "."
                    )
                else:
                    self.check_list(part, built.format[name][2][v][s], built.format[name], ":")

    def check_text(self, text, built):
        lines = [line.split("\t") for line in text.split("\n")[:-1] if not line.startswith("#")]
        self.assertEqual(len(lines), built.variants)
        for v, fields in enumerate(lines):
            self.assertEqual(len(fields), 9 + built.samples if built.samples else 8)
            alternatives = ",".join(built.alleles[v][1:]) or "."
            self.assertEqual(
                fields[:7],
                [
                    built.contigs[built.contig[v]],
                    str(built.position[v]),
                    ".",
                    built.alleles[v][0],
                    alternatives,
                    ".",
                    "PASS",
                ],
            )
            self.check_info(fields[7], v, built)
            if built.samples:
                self.check_calls(fields, v, built)

    def check_bcftools(self, mount, built):
        query = lines_of(
            "bcftools",
            "query",
            "-f",
            "%CHROM\t%POS[\t%GT]\n" if built.samples else "%CHROM\t%POS\n",
            mount.join("variants.vcf.gz"),
        )
        self.assertEqual(len(query), built.variants)
        for v, line in enumerate(query):
            fields = line.split("\t")
            self.assertEqual(fields[:2], [built.contigs[built.contig[v]], str(built.position[v])])
            for s, call in enumerate(fields[2:]):
                alleles = [None if a == "." else int(a) for a in call.replace("|", "/").split("/")]
                self.assertEqual([a for a in alleles if a is not None], [a for a in built.calls[v][s] if a is not None])

    def check_plink2(self, mount, built, seed):
        sites = [v for v in range(built.variants) if len(built.alleles[v]) == 2]
        self.assertEqual(len(mount.read("plink.bim").splitlines()), len(sites))
        if not sites:
            return
        source, out = os.path.join(self.folder, f"{seed}.vcf"), os.path.join(self.folder, str(seed))
        with open(source, "wb") as file:
            file.write(without_blanks(mount.read("variants.vcf")))
        result = run(*PLINK2, "--vcf", source, "--vcf-half-call", "missing", "--make-bed", "--out", out)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        for ending in (".bed", ".bim", ".fam"):
            with open(out + ending, "rb") as file:
                self.assertEqual(mount.read("plink" + ending), file.read(), ending)

    def test_tools_read_the_written_variants(self):
        for seed in range(FIRST_SEED, END_SEED):
            built, path = Made(seed), os.path.join(self.folder, f"{seed}.zarr")
            built.write(path)
            with self.subTest(seed=seed), Mount(path) as mount:
                self.check_text(mount.read("variants.vcf").decode(), built)
                if has_program("bcftools"):
                    self.check_bcftools(mount, built)
                if has_program("plink2") and built.samples:
                    self.check_plink2(mount, built, seed)
        skip_rest(self, missing_programs("bcftools", "plink2"))


if __name__ == "__main__":
    main()
