"""Markers that a store has, and cells chosen by their columns: pages and files of `plainfs serve`, compared with numpy,
pandas and anndata on random stores. The seeds are 1 to 2, or more with PLAINFS_TEST_EFFORT."""
import io
import os
import re
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numbers_test
from server import Server
from effort import EFFORT  # after server, which sets its path
from optional import import_or_exit, needs_modules

anndata, h5py, numpy, pandas = import_or_exit("anndata", "h5py", "numpy", "pandas")
import scipy.sparse  # anndata needs it

SEEDS = range(1, 1 + 2 * EFFORT)
LEVELS = ["0", "1", "T cell: CD4"]


def records(columns, kind):
    return numpy.rec.fromarrays(list(columns), dtype=[(level, kind) for level in LEVELS])


def scanpy_result(random, genes, has_shares=True, is_filtered=False):
    """Returns a result as rank_genes_groups writes it, and its numbers as sc.get.rank_genes_groups_df returns them."""
    order = [random.permutation(genes) for _ in LEVELS]
    numbers = {
        "scores": ("f4", [random.normal(0, 5, len(genes)) for _ in LEVELS]),
        "logfoldchanges": ("f4", [random.normal(0, 2, len(genes)) for _ in LEVELS]),
        "pvals": ("f8", [10.0 ** -random.uniform(0, 300, len(genes)) for _ in LEVELS]),
        "pvals_adj": ("f8", [random.random(len(genes)) for _ in LEVELS]),
    }
    result = {"params": {"groupby": "leiden", "reference": "rest", "method": "wilcoxon", "use_raw": False}}
    shares = {name: pandas.DataFrame(random.random((len(genes), 3)), genes, LEVELS) for name in ("pts", "pts_rest")}
    names = [["nan" if is_filtered and random.random() < 0.4 else name for name in own] for own in order]
    result["names"] = records(names, "O")
    result |= {name: records(columns, kind) for name, (kind, columns) in numbers.items()}
    result |= shares if has_shares else {}
    frames = []
    for i, level in enumerate(LEVELS):
        frame = pandas.DataFrame({"group": level, "names": names[i]})
        for name, (kind, columns) in numbers.items():
            frame[name] = columns[i].astype(kind)
        if has_shares:
            frame["pct_nz_group"] = shares["pts"][level].loc[order[i]].to_numpy()
            frame["pct_nz_reference"] = shares["pts_rest"][level].loc[order[i]].to_numpy()
        frames.append(frame[frame["names"] != "nan"])
    return result, pandas.concat(frames, ignore_index=True)


def seurat_frame(random, genes):
    """Returns a data frame as FindAllMarkers writes it."""
    clusters = numpy.repeat(["b", "a", "c d"], (3, 5, 4))
    frame = pandas.DataFrame(
        {
            "p_val": 10.0 ** -random.uniform(0, 300, 12),
            "avg_log2FC": random.normal(0, 2, 12),
            "pct.1": random.random(12),
            "pct.2": random.random(12),
            "p_val_adj": random.random(12),
            "cluster": pandas.Categorical(clusters, ["a", "b", "c d"]),
            "gene": random.choice(genes, 12),
        }
    )
    frame.index = [f"{gene}.{i}" for i, gene in enumerate(frame["gene"])]
    return frame


def vector(column):
    return column.array if column.dtype == "category" else column.to_numpy()


class SlowMarkers(unittest.TestCase):
    """Markers that take minutes, of a matrix without a stored chunk: what is done is shown, and the work ends when the
    last client has left."""

    QUERY = "?markers=half:a"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(folder.cleanup)
        cells, genes = 300_000, 30_000
        halves = pandas.Categorical.from_codes(numpy.arange(cells) % 2, ["a", "b"])
        data = anndata.AnnData(
            obs=pandas.DataFrame({"half": halves}, index=numpy.arange(cells).astype(str)),
            var=pandas.DataFrame(index=[f"g{i}" for i in range(genes)]),
        )
        path = os.path.join(folder.name, "slow.h5ad")
        data.write_h5ad(path)
        with h5py.File(path, "r+") as file:
            x = file.create_dataset("X", (cells, genes), "f4", chunks=(100_000, 1))
            x.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        server = Server(path)
        self.server = server.__enter__()
        self.addCleanup(server.__exit__)

    def open(self):
        client = self.server.connect()
        self.addCleanup(client.close)
        client.sendall(self.server.request(self.QUERY, Accept="text/html"))
        client.settimeout(240)
        return client

    def share_shown(self, client, least):
        """Returns the percentage that a page shows, once it is that large."""
        text = b""
        while True:
            for shown in re.findall(rb"Comparing 30,000 genes in 300,000 cells: ([0-9.]+) % done", text):
                if float(shown) >= least:
                    return float(shown)
            received = client.recv(1 << 16)
            self.assertTrue(received, text[-500:])
            text += received

    def seconds_used(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_for_rest(self):
        used, end = self.seconds_used(), time.monotonic() + 240
        while time.monotonic() < end:
            time.sleep(0.5)
            before, used = used, self.seconds_used()
            if used - before < 0.03:
                return True
        return False

    @unittest.skipUnless(os.path.exists("/proc/self/stat"), "needs /proc")
    def test_progress_is_shown_shared_and_ends_with_the_last_client(self):
        first = self.open()
        seen = self.share_shown(first, 3 * self.share_shown(first, 0) + 0.1)
        second = self.open()
        self.assertGreaterEqual(self.share_shown(second, 0), seen)
        self.assertEqual(self.server.ask("obs.csv", method="HEAD").status, 200)
        self.assertIn(b"30,000", self.server.ask("?json").body)
        first.close()
        self.share_shown(second, seen + 0.1)
        second.close()
        self.assertTrue(self.wait_for_rest())
        self.assertLess(self.share_shown(self.open(), 0), 100)  # it is not done


class StoredMarkers(numbers_test.Pages):
    def store(self, random, folder, ending):
        genes = [f"g{i}" for i in range(130)]
        cells = 40
        obs = pandas.DataFrame({"leiden": pandas.Categorical(random.choice(LEVELS, cells))})
        obs.index = [f"c{i}" for i in range(cells)]
        var = pandas.DataFrame(index=genes)
        data = anndata.AnnData(random.poisson(1, (cells, 130)).astype("f4"), obs=obs, var=var, dtype="float32")
        results = {
            "rank_genes_groups": scanpy_result(random, genes),
            "t-test: a": scanpy_result(random, genes, has_shares=False),
            "filtered": scanpy_result(random, genes, is_filtered=True),
        }
        frames = {"markers": seurat_frame(random, genes), "misc/all": seurat_frame(random, genes).sort_index(axis=1)}
        for key, (result, _) in results.items():
            data.uns[key] = result
        data.uns["markers"] = frames["markers"]
        # A list of vectors, as R's data frames in misc are shown.
        data.uns["misc"] = {"all": {name: vector(frames["misc/all"][name]) for name in frames["misc/all"]}}
        data.uns["other"] = {"names": numpy.array(["a"]), "params": {}}
        path = os.path.join(folder, "store" + ending)
        (data.write_h5ad if ending == ".h5ad" else data.write_zarr)(path)
        return path, {key: frame for key, (_, frame) in results.items()}, frames

    def test_stored_markers_are_those_of_the_store_in_each_form(self):
        for seed in SEEDS:
            for ending in (".h5ad", ".zarr"):
                with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                    path, results, frames = self.store(numpy.random.default_rng(seed), folder, ending)
                    with Server(path) as self.server:
                        for key, frame in results.items():
                            with self.subTest(seed=seed, ending=ending, key=key):
                                self.check_result(key, frame, "group", "names", LEVELS)
                        for key, frame in frames.items():
                            with self.subTest(seed=seed, ending=ending, key=key):
                                self.check_result(key, frame, "cluster", "gene", ["a", "b", "c d"])

    def numbers(self, asked, form):
        answer = self.server.ask("?" + urllib.parse.urlencode({"stored": asked, "numbers": form}))
        self.assertEqual(answer.status, 200, answer.body)
        return io.BytesIO(answer.body)

    def check_result(self, key, frame, group, gene, levels):
        text = {group: str, gene: str}
        frame = frame.astype({group: str}).reset_index(drop=True)
        found = pandas.read_csv(self.numbers(key, "csv"), dtype=text, float_precision="round_trip")
        self.check_frame(found, frame)
        for level in levels:
            own = frame[frame[group] == level].drop(columns=group).reset_index(drop=True)
            asked = f"{key}:{level}"
            self.check_frame(pandas.read_csv(self.numbers(asked, "csv"), float_precision="round_trip"), own)
            self.assertEqual(self.numbers(asked, "parquet").read()[:4], b"PAR1")
            self.check_page(asked, own, gene)

    def check_frame(self, found, wanted):
        self.assertEqual(list(found), list(wanted))
        for name in wanted:
            # A text of a single number has its shortest digits.
            values = wanted[name].astype(found[name].dtype if wanted[name].dtype == "f4" else wanted[name].dtype)
            if wanted[name].dtype == "f4":
                numpy.testing.assert_array_equal(found[name].astype("f4"), wanted[name], err_msg=name)
            else:
                self.assertEqual(list(found[name]), list(values), name)

    @needs_modules("openpyxl")
    def test_workbook_of_stored_markers_has_their_values(self):
        import openpyxl

        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, results, frames = self.store(numpy.random.default_rng(1), folder, ".h5ad")
            with Server(path) as self.server:
                for key, frame in {**results, **frames}.items():
                    frame = frame.astype({"cluster" if "cluster" in frame else "group": str})
                    self.check_book(openpyxl.load_workbook(self.numbers(key, "xlsx")).worksheets[0], frame)

    def check_book(self, sheet, wanted):
        rows = list(sheet.iter_rows(values_only=True))
        self.assertEqual(list(rows[0]), list(wanted))
        found = pandas.DataFrame(rows[1:], columns=rows[0])
        for name in wanted:
            if wanted[name].dtype.kind == "f":
                numpy.testing.assert_allclose(found[name].astype("f8"), wanted[name].astype("f8"), 1e-6, err_msg=name)
            else:
                self.assertEqual(list(found[name]), list(wanted[name]))

    def check_page(self, asked, own, gene):
        page = self.json("", {"stored": asked})["markers"]
        self.assertTrue(page["caption"].startswith(f"{len(own)} genes of level "), page["caption"])
        self.assertEqual([row[0] for row in page["rows"]], list(own[gene][:100]))
        names = ["gene" if name == gene else name for name in page["header"]]
        for name, column in zip(names[1:], list(zip(*page["rows"]))[1:]):
            wanted = own[name][:100]
            shown = [numbers_test.share_text(x) if name.startswith("pct") else f"{x:.3g}" for x in wanted]
            self.assertEqual(list(column), shown, name)
        if len(own) > 100:
            second = self.json("", {"stored": asked, "from": 100})["markers"]
            self.assertEqual([row[0] for row in second["rows"]], list(own[gene][100:]))

    def test_page_links_to_the_levels_and_the_genes(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, results, _ = self.store(numpy.random.default_rng(1), folder, ".h5ad")
            with Server(path) as self.server:
                text = self.page("", {"color": "leiden"})
                for asked in ("rank_genes_groups:1", "t-test: a:0", "markers:c d", "misc/all:a", "filtered"):
                    address = "stored=" + urllib.parse.quote(asked, "")
                    self.assertIn(address.lower(), text.lower())
                self.assertNotIn("stored=other", text)
                first = results["rank_genes_groups"]["names"][0]
                self.assertIn(f"?color={first}", self.page("", {"stored": "rank_genes_groups:0"}))

    def test_markers_that_do_not_exist_are_named_with_the_nearest(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, _, _ = self.store(numpy.random.default_rng(1), folder, ".h5ad")
            with Server(path) as self.server:
                problem = self.json("", {"stored": "markers:d"})["problems"][0]
                self.assertEqual(problem["text"], "markers has no level 'd'.")
                problem = self.json("", {"stored": "nothing"})["problems"][0]
                self.assertEqual(problem["text"], "The store has no markers 'nothing'.")
                self.assertIn("rank_genes_groups", [near["name"] for near in problem["near"]])
                answer = self.server.ask("?stored=markers:d&numbers=csv")
                self.assertEqual((answer.status, answer.body), (404, b"markers has no level 'd'.\n"))
                answer = self.server.ask("?stored=markers:a&numbers=ods")
                self.assertEqual((answer.status, answer.body), (404, b"numbers=ods: expected csv, xlsx, parquet\n"))


class ChosenCells(numbers_test.Pages):
    CONDITIONS = ([("few", "low")], [("small", "-60..60.5"), ("text", "t1")], [("plain", "..3"), ("plain", "1..")])

    def each_choice(self):
        for seed in SEEDS:
            with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                path, data = numbers_test.random_store(seed, folder, 300)
                with Server(path) as self.server:
                    for conditions in self.CONDITIONS:
                        with self.subTest(seed=seed, conditions=conditions):
                            query = [("where", ":".join(each)) for each in conditions]
                            yield data, numbers_test.chosen_cells(data, conditions), query

    def file(self, query, form):
        answer = self.server.ask("?" + urllib.parse.urlencode(query + [("take", form)]))
        self.assertEqual(answer.status, 200, answer.body[:200])
        return answer.body

    def test_files_of_the_chosen_cells_have_just_these(self):
        for data, chosen, query in self.each_choice():
            self.assertTrue(0 < chosen.sum() < len(data))
            some = anndata.read_h5ad(io.BytesIO(self.file(query, "h5ad")))
            wanted = data[chosen]
            self.assertEqual(list(some.obs_names), list(wanted.obs_names))
            self.assertEqual(list(some.var_names), list(wanted.var_names))
            dense = [each.X.toarray() if scipy.sparse.issparse(each.X) else each.X for each in (some, wanted)]
            numpy.testing.assert_array_equal(*dense)
            numpy.testing.assert_array_equal(some.obsm["X_umap"], wanted.obsm["X_umap"])
            for column in ("plain", "wide", "text"):
                self.assertEqual(list(some.obs[column]), list(wanted.obs[column]), column)
            lines = self.server.ask("obs.csv").body.decode().splitlines()
            rows = [lines[0], *(lines[row + 1] for row in numpy.flatnonzero(chosen))]
            self.assertEqual(self.file(query, "csv").decode().splitlines(), rows)

    def test_files_of_one_level_are_those_of_its_folder(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, _ = numbers_test.random_store(1, folder, 300)
            with Server(path) as self.server:
                query = [("where", "few:low")]
                files = {"anndata.h5ad": "h5ad", "seurat.rds": "rds", "obs.csv": "csv", "obs.xlsx": "xlsx"}
                for name, form in files.items():
                    expected = self.server.ask("by/few/low/" + name).body
                    self.assertEqual(self.file(query, form), expected, name)
                    self.assertEqual(self.server.ask(f"{name}?where=few:low").body, expected, name)
                expected = self.server.ask("by/few/low/obs.parquet").body
                self.assertEqual(self.file(query, "parquet"), expected)
                head = self.server.ask("anndata.h5ad?where=few:low", method="HEAD")
                size = len(self.server.ask("by/few/low/anndata.h5ad").body)
                self.assertEqual((head.status, int(head["Content-Length"])), (200, size))

    def test_page_of_the_chosen_cells_has_their_numbers(self):
        for data, chosen, query in self.each_choice():
            page = self.json("", query + [("color", "counts"), ("split", "figures")])
            cells = next(fact["value"] for fact in page["facts"] if fact["name"] == "cells")
            self.assertEqual(cells, f"{chosen.sum()} of {len(data)}")
            values = numbers_test.numbers_of(data, "counts")[chosen]
            levels = data.obs["figures"][chosen].astype(object)
            self.assertEqual(sum(row["cells"] for row in page["distribution"]["levels"]), chosen.sum())
            for row in page["distribution"]["levels"]:
                own = values[(levels == row["level"]) if row["level"] is not None else levels.isna()]
                self.assertEqual(row["cells"], len(own))
                self.assertAlmostEqual(row["mean"], own.mean(), 6)
            names = [each["name"] for each in page["these_cells"]]
            self.assertEqual(names, ["anndata.h5ad", "seurat.rds", "obs.csv", "obs.xlsx", "obs.parquet"])
            for each in page["these_cells"]:
                self.assertEqual(self.server.ask(each["href"], method="HEAD").status, 200, each)

    def test_markers_of_chosen_cells_compare_these_alone(self):
        for data, chosen, query in self.each_choice():
            levels = data.obs["truth"].to_numpy()[chosen]
            if levels.all() or not levels.any():
                continue
            values = numpy.column_stack([numbers_test.numbers_of(data, name)[chosen] for name in ("counts", "zeros")])
            asked = query + [("markers", "truth:TRUE"), ("numbers", "csv")]
            answer = self.server.ask("?" + urllib.parse.urlencode(asked))
            found = pandas.read_csv(io.BytesIO(answer.body)).set_index("names")
            scores = numbers_test.wilcoxon(values, levels)[0]
            for name, score in zip(("counts", "zeros"), scores):
                self.assertAlmostEqual(found["scores"][name], score, 9)

    def test_condition_that_no_cell_meets_is_refused_by_files(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, _ = numbers_test.random_store(1, folder, 40)
            with Server(path) as self.server:
                for query, why in (
                    ("where=few:none&take=h5ad", b"No row has 'none' as its few."),
                    ("where=nosuch:a&take=rds", b"No column 'nosuch' to filter by."),
                    ("where=small:500..&take=h5ad", b"no cell meets the conditions of ?where="),
                    ("where=few:low&take=exe", b"take=exe: expected h5ad, rds, csv, xlsx or parquet"),
                    ("take=h5ad", b"take=h5ad: expected &where=COLUMN:LEVEL"),
                ):
                    answer = self.server.ask("?" + query)
                    self.assertEqual((answer.status, answer.body.strip()), (404, why))
                answer = self.server.ask("anndata.h5ad?where=few:low&sort=few")
                self.assertEqual(answer.status, 404)
                self.assertIn(b"cells are chosen by where alone, and keep their order", answer.body)
                page = self.json("", {"where": "few:none", "color": "counts"})
                self.assertEqual(page["problems"][0]["text"], "No row has 'none' as its few.")
                self.assertNotIn("these_cells", page)


if __name__ == "__main__":
    unittest.main(verbosity=2)
