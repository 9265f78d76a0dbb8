#!/usr/bin/env python3
"""Random Loom files written with loompy: each view matches the values that loompy reads. Also the README's recipes for
them."""
import csv
import json
import os

from mounted import DATA, Folder, Mount, main, run
from optional import needs_modules

try:
    import loompy
    import numpy
    import scipy.io
except ImportError:
    loompy = None

# ASCII: loompy 3.0.7 fails to read other text with h5py 3 (some golden cases have it).
TEXTS = ["", "NA", "a", "b,c", 'say "no"', "A & B", "tab\there", "line\nbreak", " x "]
TYPES = ["u1", "i2", "i4", "f4", "f8"]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def names_of(path):
    with open(path, newline="\n", encoding="utf-8") as file:
        return [line.split("\t") for line in file.read().split("\n")[:-1]]


def one_line(name):
    return name.replace("\t", " ").replace("\r", " ").replace("\n", " ")


@needs_modules("loompy")
class Loom(Folder):
    def write(self, seed):
        random = numpy.random.default_rng(seed)
        rows, columns = [(1, 1), (3, 2), (130, 70), (64, 129), (200, 150), (5, 300)][seed % 6]

        def matrix():
            kind = TYPES[random.integers(len(TYPES))]
            values = random.integers(0, 100, (rows, columns)) * (random.random((rows, columns)) < 0.3)
            return (values / 7 if kind[0] == "f" else values).astype(kind)

        def attributes(length, name):
            built = {
                name: numpy.array(
                    [f"{name}{i}{TEXTS[random.integers(len(TEXTS))]}" for i in range(length)], dtype=object
                ),
                "text": numpy.array([TEXTS[random.integers(len(TEXTS))] for _ in range(length)], dtype=object),
            }
            for kind in TYPES:
                built["n_" + kind] = (random.random(length) * 200).astype(kind)
            built["wide"] = random.normal(size=(length, 1 + random.integers(4))).astype(TYPES[3 + random.integers(2)])
            return built

        path = os.path.join(self.folder, f"{seed}.loom")
        layers = {"": matrix(), **{f"layer{i}": matrix() for i in range(random.integers(3))}}
        row_attrs = attributes(rows, "Gene")
        if seed % 2:
            row_attrs["Accession"] = numpy.array([f"E{i}" for i in range(rows)], dtype=object)
        loompy.create(path, layers, row_attrs, attributes(columns, "CellID"))
        with loompy.connect(path) as file:
            edges = random.integers(0, columns, (2, 3 * columns))
            weights = random.random(3 * columns).astype("f4")
            file.col_graphs["knn"] = scipy.sparse.coo_matrix((weights, edges), shape=(columns, columns))
        return path

    def check_names(self, folder, file):
        accession = file.ra["Accession"] if "Accession" in file.ra else file.ra["Gene"]
        self.assertEqual(
            names_of(os.path.join(folder, "genes.tsv")),
            [[one_line(a), one_line(g)] for a, g in zip(accession, file.ra["Gene"])],
        )
        self.assertEqual(names_of(os.path.join(folder, "barcodes.tsv")), [[one_line(c)] for c in file.ca["CellID"]])

    def check_matrix(self, path, values, file):
        numpy.testing.assert_array_equal(numpy.load(path + ".npy"), values)
        table = rows_of(path + ".csv")
        self.assertEqual(table[0], ["", *file.ca["CellID"]])
        self.assertEqual([row[0] for row in table[1:]], list(file.ra["Gene"]))
        numpy.testing.assert_array_equal(numpy.array([row[1:] for row in table[1:]]).astype(values.dtype), values)
        sparse = scipy.io.mmread(os.path.join(path, "matrix.mtx"))
        self.assertEqual(sparse.nnz, numpy.count_nonzero(values))
        numpy.testing.assert_array_equal(sparse.toarray().astype(values.dtype), values)
        self.check_names(path, file)

    def check_table(self, path, attributes):
        table = rows_of(path)
        columns = {name: [row[i] for row in table[1:]] for i, name in enumerate(table[0])}
        self.assertEqual(len(columns), len(table[0]))
        for name in sorted(attributes.keys()):
            values = attributes[name]
            if values.ndim == 2:
                for i in range(values.shape[1]):
                    numpy.testing.assert_array_equal(
                        numpy.array(columns.pop(f"{name}.{i + 1}")).astype(values.dtype), values[:, i]
                    )
            elif values.dtype.kind == "O":
                self.assertEqual(columns.pop(name), list(values))
            else:
                numpy.testing.assert_array_equal(numpy.array(columns.pop(name)).astype(values.dtype), values)
        self.assertEqual(columns, {})

    def test_every_view_matches_loompy(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                path = self.write(seed)
                with Mount(path) as mount, loompy.connect(path, "r", validate=False) as file:
                    self.check_matrix(mount.join("matrix"), file[:, :], file)
                    for name in file.layers.keys():
                        if name:
                            self.check_matrix(mount.join("layers", name), file.layers[name][:, :], file)
                    self.check_table(mount.join("row_attrs.csv"), file.ra)
                    self.check_table(mount.join("col_attrs.csv"), file.ca)
                    graph = scipy.io.mmread(mount.join("col_graphs", "knn", "matrix.mtx"))
                    want = file.col_graphs["knn"]
                    self.assertEqual(graph.shape, want.shape)
                    numpy.testing.assert_array_equal(graph.row, want.row)
                    numpy.testing.assert_array_equal(graph.col, want.col)
                    numpy.testing.assert_array_equal(graph.data.astype("f4"), want.data)

    @needs_modules("anndata")
    def test_members_of_an_attribute_are_columns_of_obs(self):
        import anndata

        with Mount(os.path.join(DATA, "loom", "scenic", "store.loom")) as mount:
            obs = anndata.read_h5ad(mount.join("anndata.h5ad")).obs
            stored = rows_of(mount.join("col_attrs.csv"))
        members = [name for name in stored[0] if "." in name]
        self.assertTrue(members)
        for name in members:
            numpy.testing.assert_array_equal(
                numpy.array([row[stored[0].index(name)] for row in stored[1:]], obs[name].dtype),
                obs[name].to_numpy(),
                name,
            )

    def test_listing_decodes_no_chunk(self):
        with Mount(self.write(2)) as mount:

            def decoded():
                return json.loads(mount.read(".plainfs", "stats.json"))["chunks_decoded"]

            before = decoded()  # info.json contains the version, which is data
            listed = sum(len(files) for _folder, _folders, files in os.walk(mount.path))
            self.assertGreater(listed, 20)
            self.assertEqual(decoded(), before)

    def test_awk_counts_the_cells_of_a_gene(self):
        path = self.write(2)
        command = "awk 'NR > 2 { n[$1]++ } END { for (g in n) print n[g], g }' matrix/matrix.mtx | sort -rn | head"
        with Mount(path) as mount, loompy.connect(path, "r", validate=False) as file:
            lines = run("sh", "-c", command, cwd=mount.path).stdout.decode().splitlines()
            counts = numpy.count_nonzero(file[:, :], axis=1)
            self.assertEqual([int(line.split()[0]) for line in lines], sorted(counts, reverse=True)[:10])
            self.assertTrue(all(counts[int(line.split()[1]) - 1] == int(line.split()[0]) for line in lines))

    def test_awk_counts_the_cells_of_a_cluster(self):
        path = os.path.join(self.folder, "clusters.loom")
        clusters = numpy.array([0, 1, 1, 2, 1])
        loompy.create(
            path,
            numpy.eye(3, 5),
            {"Gene": numpy.array(["a", "b", "c"], dtype=object)},
            {"CellID": numpy.array(list("vwxyz"), dtype=object), "Clusters": clusters},
        )
        command = (
            "awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { n[$c[\"Clusters\"]]++ } "
            "END { for (k in n) print k, n[k] }' col_attrs.csv"
        )
        with Mount(path) as mount:
            lines = run("sh", "-c", command, cwd=mount.path).stdout.decode().splitlines()
        self.assertEqual(sorted(lines), ["0 1", "1 3", "2 1"])


if __name__ == "__main__":
    main()
