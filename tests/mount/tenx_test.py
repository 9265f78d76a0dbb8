#!/usr/bin/env python3
"""Random 10x Genomics files in each layout: each view matches the written values. Also the README's recipe."""
import csv
import html
import os

from mounted import Folder, Mount, main, run
from optional import missing_r, needs_modules, skip_rest

try:
    import h5py
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    h5py = None


def texts(values):
    """Returns text as 10x stores it: fixed ASCII, other characters as references."""
    return numpy.array([value.encode("ascii", "xmlcharrefreplace") for value in values])


def lines_of(path):
    with open(path, newline="\n", encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


@needs_modules("h5py", "scipy")
class Tenx(Folder):
    def random_counts(self, random):
        features, barcodes = [(1, 1), (40, 25), (300, 0), (2000, 700), (7, 5000)][random.integers(5)]
        counts = scipy.sparse.random(
            features, barcodes, density=0.05, format="csc", random_state=int(random.integers(1 << 30))
        )
        kind = ["i4", "i8", "u4", "f4", "f8"][random.integers(5)]
        counts.data = (counts.data * 100 if kind[0] == "f" else numpy.ceil(counts.data * 100)).astype(kind)
        return counts

    def write_counts(self, group, counts, random):
        chunks = (
            lambda array: {"chunks": (int(random.integers(1, len(array) + 1)),), "compression": 4, "shuffle": True}
            if len(array)
            else {}
        )
        group.create_dataset("data", data=counts.data, **chunks(counts.data))
        indices = counts.indices.astype(["i4", "i8", "u4"][random.integers(3)])
        group.create_dataset("indices", data=indices, **chunks(indices))
        group.create_dataset("indptr", data=counts.indptr.astype(["i4", "i8"][random.integers(2)]))
        group["shape"] = numpy.array(counts.shape, dtype=["i4", "i8"][random.integers(2)])
        barcodes = [f"{i:016b}".translate({48: "A", 49: "C"}) + "-1" for i in range(counts.shape[1])]
        group.create_dataset("barcodes", data=texts(barcodes) if barcodes else numpy.zeros(0, "S18"))
        ids = [f"ENSG{i}" for i in range(counts.shape[0])]
        names = [random.choice(["G{}", "β{}", "G,{}", "A&B{}", "q\"{}"]).format(i) for i in range(counts.shape[0])]
        return barcodes, ids, names

    def check_counts(self, folder, counts, barcodes, ids, names):
        matrix = scipy.io.mmread(os.path.join(folder, "matrix.mtx"))
        self.assertEqual(matrix.shape, counts.shape)
        numpy.testing.assert_array_equal(matrix.row, counts.indices)
        numpy.testing.assert_array_equal(matrix.data.astype(counts.data.dtype), counts.data)
        numpy.testing.assert_array_equal(
            matrix.col, numpy.repeat(numpy.arange(counts.shape[1]), numpy.diff(counts.indptr))
        )
        self.assertEqual(lines_of(os.path.join(folder, "genes.tsv")), [f"{i}\t{n}" for i, n in zip(ids, names)])
        if barcodes:
            self.assertEqual(lines_of(os.path.join(folder, "barcodes.tsv")), barcodes)

    def test_layout_2(self):
        for seed in range(10):
            random = numpy.random.default_rng(seed)
            counts = self.random_counts(random)
            path = os.path.join(self.folder, f"{seed}.h5")
            with h5py.File(path, "w") as file:
                group = file.create_group("matrix")
                barcodes, ids, names = self.write_counts(group, counts, random)
                features = group.create_group("features")
                kinds = random.choice(["Gene Expression", "Antibody Capture"], counts.shape[0])
                columns = {"id": ids, "name": names, "feature_type": list(kinds), "genome": ["GRCh38"] * len(ids)}
                for name, values in columns.items():
                    features[name] = texts(values)
                features["_all_tag_keys"] = texts(["genome"])
            with self.subTest(seed=seed), Mount(path) as mount:
                self.check_counts(mount.join("matrix"), counts, barcodes, ids, names)
                with open(mount.join("matrix", "features.csv"), newline="", encoding="utf-8") as table:
                    rows = list(csv.reader(table))
                self.assertEqual(rows[0], list(columns))
                stored = [[v.decode() for v in texts(values)] for values in columns.values()]
                self.assertEqual(rows[1:], [list(row) for row in zip(*stored)])
                self.assertEqual([html.unescape(row[1]) for row in rows[1:]], names)

    def test_layout_1(self):
        for seed in range(10, 14):
            random = numpy.random.default_rng(seed)
            path = os.path.join(self.folder, f"{seed}.h5")
            genomes = {}
            with h5py.File(path, "w") as file:
                for genome in ("hg19", "mm10"):
                    counts = self.random_counts(random)
                    barcodes, ids, names = self.write_counts(file.create_group(genome), counts, random)
                    file[genome]["genes"], file[genome]["gene_names"] = texts(ids), texts(names)
                    genomes[genome] = (counts, barcodes, ids, names)
            with self.subTest(seed=seed), Mount(path) as mount:
                for genome, written in genomes.items():
                    self.check_counts(mount.join(genome), *written)

    def test_molecules(self):
        for seed, bases in enumerate((10, 12, 16)):
            random = numpy.random.default_rng(seed)
            count = 20_000
            path = os.path.join(self.folder, f"{seed}.h5")
            barcodes = ["".join(random.choice(list("ACGT"), 16)) for _ in range(100)]
            ids = [f"ENSG{i}" for i in range(50)]
            umis = ["".join(random.choice(list("ACGT"), bases)) for _ in range(count - 1)] + ["T" * bases]
            columns = {
                "barcode_idx": numpy.sort(random.integers(0, 100, count)).astype("u8"),
                "feature_idx": random.integers(0, 50, count).astype("u4"),
                "umi": numpy.array([int(umi.translate(str.maketrans("ACGT", "0123")), 4) for umi in umis], "u4"),
                "count": random.integers(1, 100, count).astype("u4"),
                "gem_group": random.integers(1, 3, count).astype("u2"),
                "library_idx": random.integers(0, 2, count).astype("u2"),
            }
            with h5py.File(path, "w") as file:
                for name, values in columns.items():
                    file.create_dataset(name, data=values, chunks=(4096,), compression=1, shuffle=True)
                file["barcodes"] = texts(barcodes)
                file["features/id"], file["features/name"] = texts(ids), texts([i.lower() for i in ids])
            with self.subTest(bases=bases), Mount(path) as mount:
                with open(mount.join("molecules.csv"), newline="", encoding="utf-8") as table:
                    rows = csv.reader(table)
                    self.assertEqual(next(rows), ["barcode", "umi", "feature_id", "feature_name", "count", "library"])
                    want = zip(
                        columns["barcode_idx"],
                        columns["gem_group"],
                        umis,
                        columns["feature_idx"],
                        columns["count"],
                        columns["library_idx"],
                    )
                    for row, (barcode, well, umi, feature, reads, library) in zip(rows, want, strict=True):
                        self.assertEqual(
                            row,
                            [
                                f"{barcodes[barcode]}-{well}",
                                umi,
                                ids[feature],
                                ids[feature].lower(),
                                str(reads),
                                str(library),
                            ],
                        )

    def test_r_reads_a_matrix_without_hdf5r(self):
        skip_rest(self, missing_r("Matrix"))
        path = os.path.join(self.folder, "r.h5")
        counts = scipy.sparse.csc_matrix(numpy.array([[0, 3], [2, 0], [0, 1]], dtype="i4"))
        with h5py.File(path, "w") as file:
            group = file.create_group("matrix")
            barcodes, _, _ = self.write_counts(group, counts, numpy.random.default_rng(1))
            group["features/id"], group["features/name"] = texts(["E1", "E2", "E3"]), texts(["A", "µ", "A"])
            group["features/feature_type"] = texts(["Gene Expression", "Antibody Capture", "Gene Expression"])
        code = """
            counts <- Matrix::readMM("tenx/matrix/matrix.mtx")
            genes <- read.delim("tenx/matrix/genes.tsv", header = FALSE, quote = "")
            dimnames(counts) <- list(make.unique(genes$V2), readLines("tenx/matrix/barcodes.tsv"))
            types <- read.csv("tenx/matrix/features.csv")$feature_type   # counts[types == "Antibody Capture", ]
            cat(rownames(counts), colnames(counts)[2], counts["A", 2], counts["A.1", 2],
                sum(counts[types == "Antibody Capture", ]))
        """
        with Mount(path) as mount:
            os.symlink(mount.path, os.path.join(self.folder, "tenx"))
            result = run("Rscript", "-e", code, cwd=self.folder, env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertEqual(result.stdout.decode().split(), ["A", "µ", "A.1", barcodes[1], "3", "1", "2"], result.stderr)


if __name__ == "__main__":
    main()
