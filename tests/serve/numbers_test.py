"""Each number on a page, recomputed from the store by numpy and pandas: on random stores with missing, infinite,
negative, huge and repeated values. The seeds are 1 to 4, or more with PLAINFS_TEST_EFFORT."""
import html
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import DATA, PROGRAM, Server
from effort import EFFORT  # after server, which sets its path
from optional import import_or_exit

anndata, h5py, numpy, pandas, zarr = import_or_exit("anndata", "h5py", "numpy", "pandas", "zarr")
import scipy.sparse  # anndata needs it

STORES = 4 * EFFORT
SEED = 1
HUGE = 1.7e308
NUMBER = r"(-?[\d,]*\.?\d+(?:e[+-]\d+)?)"
COUNT = r"([\d,]+)"
LEFT_OUT = rf"((?:{COUNT} missing)?(?:, )?(?:{COUNT} infinite)?)"
SHOWN_LEVELS, SHOWN_CELLS, PANELS = 60, 20_000, 24


def count_text(number):
    return f"{int(number):,}"


def share_text(share):
    """Returns a share as pages round it. Halves are rounded up."""
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{int(100 * share + 0.5)} %"


def value_of(text):
    return float(text.replace(",", ""))


def text_of(markup):
    """Returns the text of HTML on one line."""
    return re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]+>", "", markup))).strip()


def finite(values):
    return values[numpy.isfinite(values)]


def mean_of(values):
    return float(numpy.mean(values.astype("longdouble")))


def quantiles_of(values, parts):
    """Returns numpy's linear interpolation, which overflows for the greatest doubles unless they are wider."""
    return numpy.quantile(values.astype("longdouble"), parts).astype("f8")


def ends_of(values, cut):
    """Returns the least and the greatest value without a part `cut` of them at each end."""
    values = numpy.sort(values)
    left_out = int(cut * len(values))
    return values[left_out], values[len(values) - 1 - left_out]


# The random stores.


def spoilt(random, values):
    """Returns values some of which are missing, infinite, negative, huge or repeated."""
    values = values.astype("f8")
    for value, share in ((numpy.nan, 0.2), (numpy.inf, 0.05), (-numpy.inf, 0.05), (HUGE, 0.02), (-HUGE, 0.02)):
        if random.random() < 0.4:
            values[random.random(len(values)) < share] = value
    if random.random() < 0.3:
        values = numpy.round(values)
    return values


def number_columns(random, cells):
    wide = random.integers(2**53, 2**53 + 40, cells)
    columns = {
        "plain": random.normal(3, 2, cells),
        "spoilt": spoilt(random, random.normal(0, 100, cells)),
        "single": spoilt(random, random.lognormal(0, 3, cells)).clip(-3e38, 3e38).astype("f4"),
        "wide": wide,
        "signs": numpy.where(random.random(cells) < 0.5, wide, -wide),
        "unsigned": wide.astype("u8") + 2**63,
        "small": random.integers(-128, 128, cells, dtype="i1"),
        "nothing": numpy.full(cells, numpy.nan),
        "endless": numpy.full(cells, numpy.inf),
        "same": numpy.full(cells, -2.5),
        "tiny": random.random(cells) * 5e-323,
        "outlier": numpy.where(numpy.arange(cells) == cells // 2, 1e6, random.random(cells)),
    }
    masked = pandas.array(random.integers(0, 9, cells), dtype="Int64")
    masked[random.random(cells) < 0.3] = pandas.NA
    return columns | {"masked": masked}


def level_columns(random, cells):
    many = numpy.concatenate([numpy.full(cells - cells // 2, 100), random.integers(0, 100, cells // 2)])
    few = random.integers(-1, 3, cells)
    return {
        "many": pandas.Categorical.from_codes(random.permutation(many), [f"level {i}" for i in range(101)]),
        "few": pandas.Categorical.from_codes(few, ["mid", "low", "unused", "high"], ordered=True),
        "figures": pandas.Categorical.from_codes(random.integers(-1, 4, cells), ["33", "2", "10", "-1"]),
        "none": pandas.Categorical.from_codes(numpy.full(cells, -1), ["a", "b"]),
        "text": numpy.array([f"t{i}" for i in random.integers(0, 5, cells)]),
        "truth": random.random(cells) < 0.2,
    }


def gene_columns(random, cells):
    counts = random.poisson(0.3, cells).astype("f4")
    scaled = spoilt(random, random.normal(0, 1, cells)).clip(-1e6, 1e6)
    return {
        "counts": counts,
        "scaled": scaled,
        "zeros": numpy.zeros(cells),
        "mostly": numpy.where(random.random(cells) < 0.7, 0, -random.random(cells)),
    }


def random_store(seed, folder, cells):
    random = numpy.random.default_rng(seed)
    obs = {**number_columns(random, cells), **level_columns(random, cells)}
    genes = gene_columns(random, cells)
    names = [f"cell{i}" for i in range(cells)]
    matrix = numpy.column_stack(list(genes.values())).astype("f4")
    places = random.normal(0, 1, (cells, 2))
    places[random.random(cells) < 0.1] = numpy.nan
    data = anndata.AnnData(
        scipy.sparse.csr_matrix(matrix) if seed % 2 else matrix,
        obs=pandas.DataFrame(obs, index=names),
        var=pandas.DataFrame(index=list(genes)),
        obsm={"X_umap": places},
        dtype="float32",
    )
    path = os.path.join(folder, f"store{seed}.h5ad")
    data.write_h5ad(path)
    return path, data


def numbers_of(data, name):
    """Returns the values of a column or gene as doubles."""
    if name in data.obs:
        return data.obs[name].astype("Float64").to_numpy("f8", na_value=numpy.nan)
    values = data[:, name].X
    return numpy.asarray(values.todense() if scipy.sparse.issparse(values) else values).ravel().astype("f8")


def codes_of(data, name):
    """Returns the levels that occur, in their order, and the index of each cell's level, -1 without one."""
    column = data.obs[name]
    factor = column.cat if hasattr(column, "cat") else column.astype("category").cat
    used = [i for i in range(len(factor.categories)) if (factor.codes == i).any()]
    names = [{"False": "FALSE", "True": "TRUE"}.get(str(factor.categories[i]), str(factor.categories[i])) for i in used]
    return names, numpy.array([used.index(code) if code >= 0 else -1 for code in factor.codes], dtype=int)


def chosen_cells(data, conditions):
    """Returns which cells of an AnnData meet all conditions (COLUMN, LEVEL or LOW..HIGH)."""
    chosen = numpy.ones(len(data), bool)
    for column, wanted in conditions:
        values = data.obs[column]
        if ".." in wanted:
            low, high = wanted.split("..")
            chosen &= ((values >= float(low or "-inf")) & (values <= float(high or "inf"))).to_numpy()
        else:
            chosen &= (values.astype(object) == wanted).to_numpy()
    return chosen


class Pages(unittest.TestCase):
    def page(self, path, query=None):
        path += "?" + urllib.parse.urlencode(query) if query is not None else ""
        answer = self.server.ask(path, Accept="text/html")
        self.assertEqual(answer.status, 200, path)
        return answer.body.decode()

    def json(self, path, query):
        return json.loads(self.server.ask(path + "?json&" + urllib.parse.urlencode(query)).body)

    def assert_near(self, text, value, digits=4):
        """The text is the value with at least so many digits, or a whole number from 1,000 on."""
        shown = value_of(text)
        allowed = max(5.1 * 10.0**-digits * abs(value), 0.51 if abs(value) >= 999 else 1e-323)
        self.assertLessEqual(abs(shown - value), allowed, (text, value))

    def assert_left_out(self, match, values):
        missing, infinite = match
        self.assertEqual(missing or "0", count_text(numpy.isnan(values).sum()))
        self.assertEqual(infinite or "0", count_text(numpy.isinf(values).sum()))

    def each_store(self, cells=(1, 2, 3, 40, 700, 1500)):
        for seed in range(SEED, SEED + STORES):
            with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                path, data = random_store(seed, folder, cells[seed % len(cells)])
                with self.subTest(seed=seed, cells=len(data)), Server(path) as self.server:
                    yield data


def captions(text):
    return {
        text_of(title): (picture, text_of(caption))
        for title, picture, caption in re.findall(
            r"<figure><h2>(.*?)</h2>(.*?)<figcaption>(.*?)</figcaption></figure>", text, re.S
        )
    }


def table_of(text, kind):
    """Returns the caption, the header and the rows of the first table of a class."""
    table = re.search(rf'<table class="{kind}">(.*?)</table>', text, re.S)
    if not table:
        return None
    caption = text_of(re.search("<caption>(.*?)</caption>", table[1], re.S)[1])
    rows = re.findall("<tr>(.*?)</tr>", table[1], re.S)
    cells = [[text_of(cell) for cell in re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)] for row in rows]
    return caption, cells[0], cells[1:]


class Cells(Pages):
    """The page of an annotated matrix: histogram, distribution, points and their key."""

    def test_numbers_of_each_colour_are_those_of_the_store(self):
        for data in self.each_store():
            names = [*number_columns(numpy.random.default_rng(0), 1), *data.var_names]
            for i, name in enumerate(names):
                split = ("few", "many", "text", "none")[(i + len(data)) % 4]
                with self.subTest(name, split=split):
                    self.check_numbers(data, name, split)

    def test_levels_of_each_colour_are_those_of_the_store(self):
        for data in self.each_store():
            for name in level_columns(numpy.random.default_rng(0), 2):
                for split in ("few", name):
                    with self.subTest(name, split=split):
                        self.check_levels(data, name, split)

    def test_values_of_a_gene_are_those_of_the_named_matrix(self):
        random = numpy.random.default_rng(SEED)
        cells, genes = 50, [f"g{i}" for i in range(6)]
        obs = pandas.DataFrame({"few": pandas.Categorical(random.choice(["a", "b"], cells))})
        obs.index = [f"cell{i}" for i in range(cells)]
        for sparse in (False, True):
            every = anndata.AnnData(random.poisson(1, (cells, 6)).astype("f4"), obs=obs, dtype="float32")
            every.var_names = genes
            if sparse:
                every.X = scipy.sparse.csr_matrix(every.X)
            data = every[:, genes[:4]].copy()
            data.raw = every[:, genes[2:]]
            data.X = random.normal(0, 1, (cells, 4)).astype("f4")
            data.layers["counts"] = random.poisson(2, (cells, 4)).astype("f4")
            with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                path = os.path.join(folder, "store.h5ad")
                data.write_h5ad(path)
                with Server(path) as self.server:
                    for gene in genes:
                        for matrix in ("", "X", "raw", "layers/counts"):
                            with self.subTest(gene, matrix=matrix, sparse=sparse):
                                self.check_matrix(data, gene, matrix)

    def check_matrix(self, data, gene, matrix):
        has = {"X": data.var_names, "raw": data.raw.var_names, "layers/counts": data.var_names}
        wanted = matrix or ("raw" if gene in has["raw"] else "X")
        query = {"color": gene, "split": "few", **({"matrix": matrix} if matrix else {})}
        page = self.json("", query)
        if gene not in has[wanted]:
            self.assertEqual(page["problems"][0]["text"], f"The matrix {wanted} has no gene '{gene}'.")
            return
        found = page["distribution"]
        self.assertEqual((found["of"], found["matrix"]), (gene, wanted))
        source = data.raw if wanted == "raw" else data
        values = source.X if wanted in ("raw", "X") else data.layers["counts"]
        values = values[:, list(has[wanted]).index(gene)]
        values = numpy.asarray(values.todense() if scipy.sparse.issparse(values) else values).ravel().astype("f8")
        for row in found["levels"]:
            own = values[(data.obs["few"] == row["level"]).to_numpy()]
            self.assertAlmostEqual(row["mean"], own.mean(), 6)
            self.assertEqual(row["above_zero"], (own > 0).mean())
        text, folder = self.page("", query), {"raw": "raw/X"}.get(wanted, wanted) + "/genes/"
        self.assertIn(f"Histogram of {gene} in {wanted}", text)
        self.assertIn(f'<a href="{folder}{gene}.csv">', text)
        lines = self.server.ask(f"{folder}{gene}.csv").body.decode().split()
        numpy.testing.assert_allclose([float(line.split(",")[1]) for line in lines[1:]], values, 1e-6)
        back = "../" * folder.count("/") + f"?color={gene}&matrix=" + urllib.parse.quote(wanted, "")
        self.assertIn(f'href="{html.escape(back)}"', self.page(folder, {}))

    def check_numbers(self, data, name, split):
        values = numbers_of(data, name)
        text = self.page("", {"color": name, "split": split})
        figures = captions(text)
        self.check_histogram(figures["Distribution"][1], values, name in data.var_names)
        self.check_points(figures["X_umap"], data)
        described = re.search(r"<desc[^>]*>(.*?)</desc>", figures["X_umap"][0], re.S)[1]
        self.check_range(described.split("; ", 1)[1], values)
        self.check_scale(figures["X_umap"][0], name, values, name in data.var_names)
        self.check_distribution(text, data, name, split, values)

    def check_points(self, figure, data):
        shown = int(numpy.isfinite(data.obsm["X_umap"]).all(axis=1).sum())
        described = text_of(re.search(r"<desc[^>]*>(.*?)</desc>", figure[0], re.S)[1])
        self.assertTrue(described.startswith(count_text(shown) + " points"), described)
        self.assertIn(f"of {count_text(len(data))} cells", figure[1])
        hidden = re.search(rf"; {COUNT} without a place", figure[1])
        self.assertEqual(value_of(hidden[1]) if hidden else 0, len(data) - shown)

    def check_range(self, sentence, values):
        if not len(finite(values)):
            return self.assertEqual(sentence, "no cell has a value.")
        match = re.fullmatch(rf"the values of all cells range from {NUMBER} to {NUMBER}(?:; {LEFT_OUT})?\.", sentence)
        self.assertTrue(match, sentence)
        self.assert_near(match[1], finite(values).min())
        self.assert_near(match[2], finite(values).max())
        self.assert_left_out(match.group(4, 5), values)

    def check_scale(self, picture, name, values, is_gene):
        key = text_of(re.search(r'<p class="scale">(.*?)</p>', picture, re.S)[1].replace("<svg", "|<svg"))
        if not len(finite(values)):
            return self.assertEqual(key, f"{name}: no value")
        match = re.fullmatch(rf"{NUMBER}( or less)?\|{NUMBER}( or more)? {name}", key)
        self.assertTrue(match, key)
        low, high = ends_of(finite(values), 0.01)
        if is_gene:
            low = min(low, 0)
            high = high if high > low else finite(values).max()
        self.assert_near(match[1], low)
        self.assert_near(match[3], high)
        self.assertEqual(match[2] is not None, finite(values).min() < low)
        self.assertEqual(match[4] is not None, finite(values).max() > high)

    def check_histogram(self, caption, values, is_gene):
        known = finite(values)
        if not len(known):
            return self.assertRegex(caption, rf"^No values(: {LEFT_OUT})?\.$")
        match = re.fullmatch(
            rf"{COUNT} values?, {COUNT} \((.*?)\) above zero; (?:the {COUNT} zeros are not drawn, )?"
            rf"(it is|they are all|they range from|the other is|the others are all|the others range from) {NUMBER}"
            rf"(?: to {NUMBER})?\."
            rf"(?: Not shown: {LEFT_OUT}\.)?"
            rf"(?: The axis ends at {NUMBER} and {NUMBER}; the outermost bars count the {COUNT} values? beyond\.)?",
            caption,
        )
        self.assertTrue(match, caption)
        self.assertEqual(match[1], count_text(len(known)))
        self.assertEqual(match[2], count_text((known > 0).sum()))
        self.assertEqual(match[3], share_text((known > 0).sum() / len(known)))
        zeros = int((known == 0).sum())
        hides_zeros = is_gene and len(known) < 2 * zeros < 2 * len(known)
        self.assertEqual(match[4], count_text(zeros) if hides_zeros else None)
        drawn = known[known != 0] if hides_zeros else known
        one, some = ("the other", "the others") if hides_zeros else ("it", "they")
        same, spread = f"{some} are all", f"{some} range from"
        verb = f"{one} is" if len(drawn) == 1 else same if drawn.min() == drawn.max() else spread
        self.assertEqual(match[5], verb)
        self.assert_near(match[6], drawn.min())
        self.assert_near(match[7] or match[6], drawn.max())
        self.assertEqual(match[7] is not None, verb == spread)
        self.assert_left_out(match.group(9, 10), values)
        low, high = ends_of(drawn, 0.001)
        beyond = int(((drawn < low) | (drawn > high)).sum())
        self.assertEqual(match[13], count_text(beyond) if beyond else None)
        if beyond:
            self.assert_near(match[11], low)
            self.assert_near(match[12], high)

    def check_distribution(self, text, data, name, split, values):
        levels, codes = codes_of(data, split)
        expected = []
        for level in range(len(levels)):
            own = values[codes == level]
            expected.append((levels[level], len(own), finite(own)))
        left_out = max(0, len(expected) - SHOWN_LEVELS)
        has_missing = bool((codes < 0).any())
        if has_missing:
            expected.append((None, int((codes < 0).sum()), finite(values[codes < 0])))
        found = self.json("", {"color": name, "split": split})["distribution"]
        self.assertEqual((found["of"], found["by"], found["cells"]), (name, split, len(data)))
        self.assertEqual(found["levels_left_out"], left_out)
        self.assertEqual(len(found["levels"]), len(expected) - left_out)
        self.assertEqual(found["levels"][-1]["level"] is None, has_missing)
        for row in found["levels"]:
            _, cells, own = next(each for each in expected if each[0] == row["level"])
            self.assertEqual((row["cells"], row["values"]), (cells, len(own)))
            if not len(own):
                self.assertNotIn("mean", row)
                continue
            scale = max(1.0, numpy.abs(own).max())
            self.assertAlmostEqual(row["mean"] / scale, mean_of(own) / scale, 12)
            self.assertAlmostEqual(row["above_zero"], (own > 0).mean(), 12)
            for quartile, wanted in zip(row["quartiles"], quantiles_of(own, (0.25, 0.5, 0.75))):
                self.assertAlmostEqual(quartile / scale, wanted / scale, 12)
        means = [row["mean"] for row in found["levels"] if row["level"] is not None and "mean" in row]
        self.assertEqual(means, sorted(means, reverse=True))
        shown = {row["level"] for row in found["levels"]}
        for level, _, own in expected:  # hidden levels have no higher mean, apart from rounding
            if level not in shown and len(own):
                self.assertLessEqual(mean_of(own), means[-1] + 1e-12 * abs(means[-1]))
        self.check_distribution_table(text, name, split, found, left_out)

    def check_distribution_table(self, text, name, split, found, left_out):
        caption, header, rows = table_of(text, "dist")
        levels = len([row for row in found["levels"] if row["level"] is not None])
        cut = f": the {levels} of {levels + left_out} levels with the highest means" if left_out else ""
        self.assertEqual(caption, f"{name} by {split}{cut}")
        has_counts = any(row["cells"] != row["values"] for row in found["levels"])
        self.assertEqual("values" in header, has_counts)
        self.assertEqual(len(rows), len(found["levels"]))
        for row, exact in zip(rows, found["levels"]):
            self.assertEqual(row[0], exact["level"] or "missing")
            self.assertEqual(row[1], count_text(exact["cells"]))
            if has_counts:
                self.assertEqual(row.pop(2), count_text(exact["values"]))
            if not exact["values"]:
                self.assertEqual(row[2:5], ["no values", "–", "–"])
                continue
            self.assertEqual(row[2], share_text(exact["above_zero"]))
            self.assert_near(row[3], exact["mean"], 3)
            for quartile, wanted in zip(row[4].split(" · "), exact["quartiles"]):
                self.assert_near(quartile, wanted, 3)

    def check_levels(self, data, name, split):
        levels, codes = codes_of(data, name)
        text = self.page("", {"color": name, "split": split})
        picture, _ = captions(text)["X_umap"]
        described = text_of(re.search(r"<desc[^>]*>(.*?)</desc>", picture, re.S)[1])
        drawn = codes[numpy.isfinite(data.obsm["X_umap"]).all(axis=1)]
        counts = [int((drawn == level).sum()) for level in range(len(levels))]
        expected = f"{count_text((drawn >= 0).sum())} points in {len(levels)} group{'' if len(levels) == 1 else 's'}"
        expected += "".join(
            f"{': ' if i == 0 else ', '}{level} {count_text(counts[i])}" for i, level in enumerate(levels[:40])
        )
        expected += f" and {len(levels) - 40} more" if len(levels) > 40 else ""
        missing = int((drawn < 0).sum())
        expected += f"; {count_text(missing)} point{' has' if missing == 1 else 's have'} no group" if missing else ""
        self.assertEqual(described, expected)
        self.assertEqual('<span class="na">missing</span></li>' in picture, bool((codes < 0).any()))
        if split == name:
            self.check_shares(text, levels, codes, name)
        if split == "few" and len(codes_of(data, split)[0]) > 1:
            self.check_panels(captions(text)["Split by few"], data)

    def check_shares(self, text, levels, codes, name):
        caption, _, rows = table_of(text, "dist")
        counts = [(level, int((codes == i).sum())) for i, level in enumerate(levels)]
        most = sorted(counts, key=lambda row: -row[1])[:SHOWN_LEVELS]
        shown = [row for row in counts if row in most]
        cut = f": the {SHOWN_LEVELS} of {len(levels)} levels with the most cells" if len(levels) > SHOWN_LEVELS else ""
        self.assertEqual(caption, f"Cells by {name}{cut}")
        if (codes < 0).any():
            shown.append(("missing", int((codes < 0).sum())))
        self.assertEqual(
            [row[:3] for row in rows],
            [[level, count_text(cells), share_text(cells / len(codes))] for level, cells in shown],
        )

    def check_panels(self, figure, data):
        levels, codes = codes_of(data, "few")
        found = re.findall(r"<p>(.*?) <small>(.*?)</small></p>", figure[0])
        self.assertEqual(found, [(level, count_text((codes == i).sum())) for i, level in enumerate(levels)])
        missing = re.search(rf"; {COUNT} without a level are not shown", figure[1])
        self.assertEqual(value_of(missing[1]) if missing else 0, (codes < 0).sum())

    def test_facts_count_the_whole_matrix(self):
        for data in self.each_store():
            facts = {fact["name"]: fact["value"] for fact in self.json("", {})["facts"]}
            self.assertEqual((facts["cells"], facts["genes"]), tuple(map(count_text, data.shape)))
            if not scipy.sparse.issparse(data.X):
                continue
            self.assertIn(count_text(data.X.nnz), facts.values())
            percent = 100 * data.X.nnz / (data.shape[0] * data.shape[1])
            shown = facts["density"].removesuffix(" %")
            if percent < 99.5:
                self.assertLessEqual(abs(float(shown) - percent), 0.051 * percent)

    def test_contents_have_the_dimensions_and_sizes_of_the_files(self):
        for data in self.each_store():
            cells, genes = map(count_text, data.shape)
            contents = {row["name"]: row for row in self.json("", {})["contents"]}
            self.assertEqual(contents["obsm/X_umap"]["what"], f"{cells} × 2 (float64)")
            self.assertEqual(contents["obs"]["what"], f"{cells} rows × {data.obs.shape[1]} columns")
            if scipy.sparse.issparse(data.X):
                expected = f"{genes} × {cells}, {count_text(data.X.nnz)} values (float32), by column"
            else:
                expected = f"{cells} × {genes} (float32)"
            self.assertEqual(contents["X"]["what"].replace(" value ", " values "), expected)
            for row in contents.values():
                for form in row["take_it_as"]:
                    if "size" in form:
                        self.assertEqual(form["size"], len(self.server.ask(form["href"]).body), form)

    def test_sample_of_the_points_is_called_one(self):
        cells = 2 * SHOWN_CELLS + 1
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, data = random_store(SEED, folder, cells)
            with Server(path) as self.server:
                text = self.page("", {"color": "few", "split": "few"})
                picture, caption = captions(text)["X_umap"]
                self.assertIn("; one of 3 cells is shown", caption)
                self.assertIn("; one of 3 cells is shown", captions(text)["Split by few"][1])
                drawn = numpy.isfinite(data.obsm["X_umap"][::3]).all(axis=1)
                self.assertIn(f"{count_text((codes_of(data, 'few')[1][::3][drawn] >= 0).sum())} points in ", picture)
                self.check_numbers_of_sample(data)

    def check_numbers_of_sample(self, data):
        text = self.page("", {"color": "outlier", "split": "few"})
        values = numbers_of(data, "outlier")
        self.check_histogram(captions(text)["Distribution"][1], values, False)
        self.check_distribution(text, data, "outlier", "few", values)


class SeveralGenes(Pages):
    """The numbers of several genes by level, in JSON, in the table and as .csv, and of two against each other."""

    NAMES = ["counts", "scaled", "zeros", "mostly", "plain"]

    def test_numbers_of_each_gene_are_those_of_the_store(self):
        for data in self.each_store():
            for split in ("few", "many", "text"):
                with self.subTest(split=split):
                    self.check_genes(data, split)

    def check_genes(self, data, split):
        query = {"color": ",".join(self.NAMES), "split": split}
        levels, codes = codes_of(data, split)
        page = self.json("", query)
        answer = self.server.ask("?" + urllib.parse.urlencode({**query, "numbers": "csv"}))
        if not levels:
            return
        self.assertEqual([gene["of"] for gene in page["several"]], self.NAMES)
        table = pandas.read_csv(io.BytesIO(answer.body), keep_default_na=False, dtype=str)
        at = 0
        for gene in page["several"]:
            values = numbers_of(data, gene["of"])
            shown = [row["level"] for row in gene["levels"] if row["level"] is not None]
            self.assertEqual(shown, [level for level in levels if level in shown])
            self.assertEqual(len(shown), min(len(levels), SHOWN_LEVELS))
            for row in gene["levels"]:
                own = values[codes == (levels.index(row["level"]) if row["level"] is not None else -1)]
                line = table.iloc[at]
                at += 1
                self.assertEqual((line["gene"], line[split]), (gene["of"], row["level"] or "NA"))
                self.assertEqual((row["cells"], row["values"]), (len(own), len(finite(own))))
                self.assertEqual((line["cells"], line["values"]), (str(row["cells"]), str(row["values"])))
                if not len(finite(own)):
                    self.assertEqual(set(line.iloc[-5:]), {"NA"})
                    continue
                wanted = [(finite(own) > 0).mean(), mean_of(finite(own)), *quantiles_of(finite(own), (0.25, 0.5, 0.75))]
                found = [row["above_zero"], row["mean"], *row["quartiles"]]
                numpy.testing.assert_allclose(found, wanted, 1e-12, 1e-12)
                numpy.testing.assert_array_equal(line.iloc[-5:].astype("f8"), found)
        self.assertEqual(at, len(table))
        alone = self.server.ask("?" + urllib.parse.urlencode({"color": "plain", "split": split, "numbers": "csv"}))
        own = pandas.read_csv(io.BytesIO(alone.body), keep_default_na=False, dtype=str)
        self.assertTrue(own.equals(table[table["gene"] == "plain"].reset_index(drop=True)))
        self.assertIn("<h2>Download the numbers</h2>", self.page("", {"color": "plain", "split": split}))

    def test_dots_have_the_share_as_area_and_the_mean_as_colour(self):
        random = numpy.random.default_rng(SEED)
        levels = numpy.repeat(["a", "b", "c"], 40)
        values = random.poisson(1, (120, 2)).astype("f4")
        values[:40, 0] = 0
        obs = pandas.DataFrame({"ct": pandas.Categorical(levels)}, index=[f"cell{i}" for i in range(120)])
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path = os.path.join(folder, "store.h5ad")
            data = anndata.AnnData(values, obs=obs, var=pandas.DataFrame(index=["A", "B"]), dtype="float32")
            data.obsm["X_umap"] = random.normal(0, 1, (120, 2))
            data.write_h5ad(path)
            with Server(path) as self.server:
                for scale in ("", "gene"):
                    self.check_dots(values, levels, scale)
                self.check_pair(values)

    def check_dots(self, values, levels, scale):
        picture, _ = captions(self.page("", {"color": "A,B", "split": "ct", "scale": scale}))["Dot plot"]
        dots = re.findall(r'<path class="r(\d)" stroke-width="([\d.]+)"', picture.split("</svg>")[0])
        means = numpy.array([[values[levels == level, i].mean() for i in (0, 1)] for level in "abc"])
        axis = 0 if scale else None
        low, high = means.min(axis, keepdims=True), means.max(axis, keepdims=True)
        steps = numpy.minimum((means - low) / (high - low) * 8, 7).astype(int)
        wanted = []
        for row, level in enumerate("abc"):
            for i in (0, 1):
                share = (values[levels == level, i] > 0).mean()
                if share > 0:
                    wanted.append((str(steps[row, i]), f"{20 * share ** 0.5:.1f}"))
        self.assertEqual(dots, wanted)

    def check_pair(self, values):
        _, caption = captions(self.page("", {"color": "A B", "split": "ct"}))["A and B"]
        a, b = values.astype("f8").T
        self.assertIn(f"{(a[b > 0] > 0).sum()} cells with both above zero", caption)
        self.assertIn(f"{((a > 0) & (b <= 0)).sum()} with A alone", caption)
        self.assertIn(f"{((b > 0) & (a <= 0)).sum()} with B alone", caption)
        self.assertIn(f"Pearson's r is {numpy.corrcoef(a, b)[0, 1]:.3f}", caption)

    def test_unknown_names_are_named_with_the_nearest(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, _ = random_store(SEED, folder, 40)
            with Server(path) as self.server:
                page = self.json("", {"color": "counts\nskaled;zeros", "split": "few"})
                self.assertEqual([gene["of"] for gene in page["several"]], ["counts", "zeros"])
                self.assertEqual(page["problems"][0]["text"], "No gene or column 'skaled'.")
                near = next(each for each in page["problems"][0]["near"] if each["name"] == "scaled")
                self.assertIn(urllib.parse.quote("counts,scaled,zeros", ""), near["href"].replace("%2c", "%2C"))
                refused = self.server.ask("?color=counts,skaled&numbers=csv")
                self.assertEqual(refused.status, 404)
                self.assertIn(b"No gene or column 'skaled'", refused.body)
                self.assertEqual(self.server.ask("?color=counts,zeros&numbers=ods").status, 404)
                text = self.page("", {"color": "counts,many", "split": "few"})
                self.assertIn("many has levels, and a list takes genes and columns of numbers.", html.unescape(text))
                many = ",".join(f"none{i}" for i in range(20)) + ",counts"
                page = self.json("", {"color": many, "split": "few"})
                self.assertEqual(len(page["problems"]), 9)
                more = "12 more of the names are no genes or columns of numbers."
                self.assertEqual(page["problems"][8]["text"], more)
                self.assertEqual([gene["of"] for gene in page["several"]], ["counts"])


def wilcoxon(values, chosen, base=numpy.e):
    """Returns scores, logfoldchanges, pvals, pvals_adj and the shares of each column as scanpy's rank_genes_groups
    computes them with method="wilcoxon" and tie_correct=True."""
    count, own = len(values), int(chosen.sum())
    scores, corrections = numpy.zeros(values.shape[1]), numpy.ones(values.shape[1])
    for gene in range(values.shape[1]):
        known, place, ties = numpy.unique(values[:, gene], return_inverse=True, return_counts=True)
        ranks = (numpy.cumsum(ties) - (ties - 1) / 2)[place]
        corrections[gene] = 1 - (ties.astype("f8") ** 3 - ties).sum() / (float(count) ** 3 - count)
        scores[gene] = ranks[chosen].sum()
    deviation = numpy.sqrt(corrections * own * (count - own) * (count + 1) / 12)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        scores = (scores - own * (count + 1) / 2) / deviation
    scores[~numpy.isfinite(scores)] = 0
    pvals = numpy.array([math.erfc(abs(score) / math.sqrt(2)) for score in scores])
    order = numpy.argsort(pvals)
    adjusted = pvals[order] * len(pvals) / numpy.arange(1, len(pvals) + 1)
    adjusted = numpy.minimum.accumulate(adjusted[::-1])[::-1].clip(max=1)
    pvals_adj = numpy.empty_like(adjusted)
    pvals_adj[order] = adjusted
    means = [numpy.expm1(values[rows].mean(axis=0) * numpy.log(base)) + 1e-9 for rows in (chosen, ~chosen)]
    shares = [(values[rows] != 0).mean(axis=0) for rows in (chosen, ~chosen)]
    return scores, numpy.log2(means[0] / means[1]), pvals, pvals_adj, *shares


class MarkersOfLevels(Pages):
    """?markers= against the formulas of scanpy in numpy, value for value."""

    COLUMNS = ["scores", "logfoldchanges", "pvals", "pvals_adj", "pct_nz_group", "pct_nz_reference"]

    def store(self, folder, kind, random):
        cells, genes = 300, 130
        values = numpy.log1p(random.poisson(0.4, (cells, genes))).astype("f4")
        values[:, 5] = 0
        values[:, 6] = 1.5
        if kind == "negative":
            values -= values.mean(axis=0)
            values = numpy.round(values, 1).clip(-0.6, 0.9).astype("f4")
        levels = numpy.array(["a", "b: c", None])[random.integers(0, 3, cells)]
        values[levels == "a", :4] += numpy.float32(0.5)
        obs = pandas.DataFrame({"ct": pandas.Categorical(levels)}, index=[f"cell{i}" for i in range(cells)])
        sparse = {"dense": numpy.asarray, "csc": scipy.sparse.csc_matrix}.get(kind, scipy.sparse.csr_matrix)
        if kind == "double":
            values = values.astype("f8") + random.normal(0, 1e-9, values.shape) * (values != 0)
        var = pandas.DataFrame(index=[f"g{i}" for i in range(genes)])
        data = anndata.AnnData(sparse(values), obs=obs, var=var, dtype=values.dtype)
        if kind == "csc":
            data.uns["log1p"] = {"base": 2.0}
        path = os.path.join(folder, kind + ".h5ad")
        if kind == "doubled":
            values[0, 9], values[1, 9] = 1.5, 1
            data.X = self.doubled(values)
        if kind == "zeros":
            data.X = scipy.sparse.csr_matrix(values)
            data.X.data[data.X.data < 0.9] = 0
            values[values < 0.9] = 0
        data.write_h5ad(path)
        return path, values.astype("f8"), levels

    def doubled(self, values):
        """Returns a matrix in which the value of a place is the sum of two entries, which are out of order."""
        whole = scipy.sparse.csr_matrix(values)
        rows = [numpy.repeat(whole.indices[a:b], 2)[::-1] for a, b in zip(whole.indptr, whole.indptr[1:])]
        halves = [numpy.repeat(whole.data[a:b] / 2, 2)[::-1] for a, b in zip(whole.indptr, whole.indptr[1:])]
        lists = (numpy.concatenate(halves), numpy.concatenate(rows), whole.indptr * 2)
        return scipy.sparse.csr_matrix(lists, shape=values.shape)

    def test_markers_are_those_of_scanpy_value_for_value(self):
        random = numpy.random.default_rng(SEED)
        for kind in ("dense", "csr", "csc", "negative", "doubled", "zeros", "double"):
            with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                path, values, levels = self.store(folder, kind, random)
                with Server(path) as self.server:
                    for level in ("a", "b: c"):
                        with self.subTest(kind=kind, level=level):
                            self.check_markers(values, levels == level, level, 2.0 if kind == "csc" else numpy.e)

    def check_markers(self, values, chosen, level, base):
        query = {"markers": "ct:" + level}
        answer = self.server.ask("?" + urllib.parse.urlencode({**query, "numbers": "csv"}))
        self.assertEqual(answer.status, 200, answer.body)
        found = pandas.read_csv(io.BytesIO(answer.body))
        with numpy.errstate(invalid="ignore"):
            expected = dict(zip(self.COLUMNS, wilcoxon(values, chosen, base)))
        order = numpy.argsort(-found["scores"].to_numpy(), kind="stable")
        self.assertEqual(list(order), list(range(len(found))))
        places = found["names"].str[1:].astype(int).to_numpy()
        self.assertEqual(sorted(places), list(range(values.shape[1])))
        for column in self.COLUMNS:
            numpy.testing.assert_allclose(found[column], expected[column][places], 1e-9, 1e-12, err_msg=column)
        page = self.json("", query)["markers"]
        self.assertEqual([row[0] for row in page["rows"]], list(found["names"][:100]))
        caption = f"130 genes by their score in the {chosen.sum()} cells of ct {level} against the other "
        self.assertTrue(page["caption"].startswith(caption), page["caption"])
        second = self.json("", {**query, "from": 100})["markers"]
        self.assertEqual([row[0] for row in second["rows"]], list(found["names"][100:]))
        for row, exact in zip(page["rows"], found.itertuples()):
            self.assertEqual(row[1], f"{exact.scores:.2f}")
            self.assertEqual(row[3], share_text(exact.pct_nz_group))

    def test_level_that_does_not_exist_is_named_with_the_nearest(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, _, _ = self.store(folder, "csr", numpy.random.default_rng(SEED))
            with Server(path) as self.server:
                problem = self.json("", {"markers": "ct:b"})["problems"][0]
                self.assertEqual(problem["text"], "ct has no level 'b'.")
                self.assertEqual(problem["near"][0]["name"], "b: c")
                problem = self.json("", {"markers": "cd:a"})["problems"][0]
                self.assertEqual(problem["text"], "No column with levels in 'cd:a'; expected markers=COLUMN:LEVEL.")
                self.assertEqual(self.server.ask("?markers=ct:z&numbers=csv").status, 404)
                self.assertIn("?markers=ct%3Aa", self.page("", {"color": "ct"}).replace("color=ct&amp;", ""))

    def test_gene_with_missing_values_is_left_out_and_counted(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, values, levels = self.store(folder, "dense", numpy.random.default_rng(SEED))
            with h5py.File(path, "r+") as file:
                file["X"][3, 7] = numpy.nan
            with Server(path) as self.server:
                caption = self.json("", {"markers": "ct:a"})["markers"]["caption"]
                self.assertIn("; 1 with missing or infinite values left out", caption)
                found = pandas.read_csv(io.BytesIO(self.server.ask("?markers=ct:a&numbers=csv").body))
                self.assertNotIn("g7", list(found["names"]))
                kept = numpy.delete(numpy.arange(130), 7)
                expected = wilcoxon(values[:, kept], levels == "a")
                places = [list(kept).index(int(name[1:])) for name in found["names"]]
                numpy.testing.assert_allclose(found["pvals_adj"], expected[3][places], 1e-9)


class Tables(Pages):
    """The page of a table: the summary of each column, the order of the rows, and the filter."""

    def test_summaries_are_those_of_the_rows_shown(self):
        for data in self.each_store():
            self.check_summaries(data, data.obs, {})
            for where in ("few:high", "figures:10", "truth:TRUE"):
                column, level = where.split(":")
                rows = data.obs[(data.obs[column].astype(object).astype(str).str.upper() == level.upper()).to_numpy()]
                if len(rows):
                    self.check_summaries(data, rows, {"where": where})

    def check_summaries(self, data, rows, query):
        caption, header, _ = table_of(self.page("obs/", query), "first")
        shown = re.match(rf"(?:All |The first {COUNT} of )?{COUNT} rows?", caption)
        self.assertEqual(shown[2], count_text(len(rows)), caption)
        for column in rows.columns:
            line = next(text[len(column) :] for text in header if re.match(rf"{column}[ ▲▼]*\S*", text))
            with self.subTest(column, **query):
                if column in number_columns(numpy.random.default_rng(0), 1):
                    self.check_numbers(line, rows[column].astype("Float64").to_numpy("f8", na_value=numpy.nan))
                else:
                    self.check_levels(line, data, rows, column)

    def check_numbers(self, line, values, step=1):
        known = finite(values)
        sample = rf" of one in {COUNT} rows" if step > 1 else ""
        match = re.fullmatch(
            rf"(?:no value|{NUMBER} to {NUMBER}, median {NUMBER}, quartiles {NUMBER} and {NUMBER}{sample})"
            rf"(?:; {LEFT_OUT})?",
            line,
        )
        self.assertTrue(match, line)
        self.assert_left_out(match.groups()[-2:], values)
        if not len(known):
            return self.assertTrue(line.startswith("no value"))
        quartiles = quantiles_of(finite(values[::step]), (0.5, 0.25, 0.75))
        for text, wanted in zip(match.groups(), [known.min(), known.max(), *quartiles]):
            self.assert_near(text, wanted)
        return None

    def check_levels(self, line, data, rows, column):
        levels, codes = codes_of(data, column)
        codes = codes[data.obs_names.isin(rows.index)]
        counts = sorted(((codes == i).sum() for i in range(len(levels)) if (codes == i).any()), reverse=True)
        missing = int((codes < 0).sum())
        end = f"; {count_text(missing)} missing" if missing else ""
        if not counts:
            return self.assertEqual(line, "no value" + end)
        self.assertTrue(line.startswith(f"{len(counts)} level{'' if len(counts) == 1 else 's'}: "), line)
        self.assertTrue(line.endswith((", …" if len(counts) > 3 else "") + end), line)
        named = line.removesuffix(end).split(": ", 1)[1].removesuffix(", …").split(", ")
        for text, count in zip(named, counts):
            level, share = re.fullmatch(r"(.*?) ((?:[<>] )?\d+ %)", text).groups()
            self.assertEqual(share, share_text(count / len(codes)))
            self.assertEqual((codes == levels.index(level)).sum(), count)
        return None

    def test_rows_are_sorted_as_pandas_sorts_them(self):
        for data in self.each_store():
            for column in data.obs.columns:
                for falls in (False, True):
                    with self.subTest(column, falls=falls):
                        values = data.obs[column]
                        if column == "text":
                            values = values.astype(str)
                        order = values.reset_index(drop=True).sort_values(
                            ascending=not falls, kind="stable", na_position="last"
                        )
                        expected = [f"cell{i}" for i in order.index[:100]]
                        if column == "masked":  # pandas does not keep the order of equal values of its own types
                            continue
                        query = {"sort": ("-" if falls else "") + column}
                        _, _, rows = table_of(self.page("obs/", query), "first")
                        self.assertEqual([row[0] for row in rows], expected)

    def test_file_of_the_rows_shown_has_these_lines_of_the_whole(self):
        for data in self.each_store():
            lines = self.server.ask("obs.csv").body.decode().splitlines()
            for conditions in ([("few", "high")], [("small", "-20..30.5"), ("few", "low")], [("plain", "..3")], []):
                for sort in ("", "-small", "few", "_index"):
                    for find in ("", "ell1"):
                        if sort or find or conditions:
                            with self.subTest(conditions=conditions, sort=sort, find=find):
                                self.check_file(data, lines, conditions, sort, find)

    def check_file(self, data, lines, conditions, sort, find):
        chosen = chosen_cells(data, conditions)
        query = [("where", ":".join(each)) for each in conditions]
        query += [("sort", sort)] * bool(sort) + [("find", find)] * bool(find)
        names_match = numpy.array([find in name for name in data.obs_names])
        has_level = all(".." in wanted or (data.obs[column] == wanted).any() for column, wanted in conditions)
        answer = self.server.ask("obs.csv?" + urllib.parse.urlencode(query))
        if not has_level or not names_match.any():
            self.assertEqual(answer.status, 404)
            return
        rows = numpy.flatnonzero(chosen & names_match)
        if sort:
            values = data.obs.index.to_series() if sort == "_index" else data.obs[sort.removeprefix("-")]
            values = values.iloc[rows].reset_index(drop=True)
            rows = rows[
                values.sort_values(ascending=not sort.startswith("-"), kind="stable", na_position="last").index
            ]
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.body.decode().splitlines(), [lines[0], *(lines[row + 1] for row in rows)])
        page = html.unescape(self.page("obs/", query))
        shown = re.search(r'<a href="../(obs\.csv\?[^"]*)">csv</a>', page)[1]
        self.assertEqual(self.server.ask(shown).body, answer.body)

    def test_parquet_of_the_rows_shown_is_that_of_a_store_of_these_rows(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            obs = pandas.DataFrame({"n": numpy.arange(60) % 7, "x": numpy.linspace(0, 1, 60)})
            obs.index = [f"c{i}" for i in range(60)]
            parts = {"all": obs, "some": obs[(obs["n"] == 3) & (obs["x"] >= 0.5)].sort_values("x", ascending=False)}
            for name, rows in parts.items():
                some = anndata.AnnData(numpy.zeros((len(rows), 1), "f4"), obs=rows, dtype="float32")
                some.write_h5ad(os.path.join(folder, name + ".h5ad"))
            with Server(os.path.join(folder, "some.h5ad")) as server:
                expected = server.ask("obs.parquet").body
            with Server(os.path.join(folder, "all.h5ad")) as server:
                found = server.ask("obs.parquet?where=n:3&where=x:0.5..&sort=-x").body
                whole = server.ask("obs.parquet").body
            self.assertEqual(found, expected)
            self.assertNotEqual(found, whole)

    def test_filter_that_a_file_does_not_know_is_an_error(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path, _ = random_store(SEED, folder, 40)
            with Server(path) as server:
                for name, why in (
                    ("obs.csv?where=none:a", b"No row has 'a' as its none."),
                    ("obs.csv?where=few", b"No column 'few' to filter by."),
                    ("obs.csv?where=nosuch:a", b"No column 'nosuch' to filter by."),
                    ("obs.csv?sort=nosuch", b"No column 'nosuch' to sort by."),
                    ("obs.csv?find=zzz", b"No name contains 'zzz'."),
                    ("obs.csv?where=small:1..x", b"No row has '1..x' as its small."),
                    ("X/matrix.mtx?where=few:high", b"where, find and sort are for tables as .csv, .parquet and .xlsx"),
                    ("obs.rds?where=few:high", b"where, find and sort are for tables as .csv, .parquet and .xlsx"),
                ):
                    with self.subTest(name):
                        answer = server.ask(name)
                        self.assertEqual(answer.status, 404)
                        self.assertIn(why, answer.body)

    def test_levels_are_links_with_the_rows_shown(self):
        for data in self.each_store():
            if len(data) <= 12:
                continue
            for query in ({}, {"where": "small:0.."}):
                page = self.page("obs/", query)
                chosen = data.obs["small"] >= 0 if query else numpy.ones(len(data), bool)
                facet = re.search(r'<p class="pick">Only figures: (.*?)</p>', page, re.S)[1]
                found = {}
                for address, label in re.findall(r'<a href="([^"]*)">(.*?)</a>', facet):
                    level, count = label.rsplit(" ", 1)
                    found[level] = int(value_of(count))
                    _, _, rows = table_of(self.page("obs/" + html.unescape(address)), "first")
                    self.assertEqual(len(rows), min(100, found[level]))
                counts = data.obs["figures"][chosen].value_counts()
                self.assertEqual(found, {str(level): count for level, count in counts.items() if count or not query})

    def test_rows_and_columns_are_those_of_the_store(self):
        for data in self.each_store():
            page = self.json("obs/", {})
            self.assertEqual(page["first_rows"]["header"], ["name", *data.obs.columns])
            self.assertEqual(len(page["first_rows"]["rows"]), min(100, len(data)))
            for number, row in enumerate(page["first_rows"]["rows"]):
                for column, shown in zip(data.obs.columns, row[1:]):
                    self.check_cell(data.obs[column].iloc[number], shown)
            for column in page["columns"]:
                values = data.obs[column["name"]]
                if hasattr(values, "cat"):
                    names = list(values.cat.categories)
                    self.assertTrue(column["levels"].startswith(f"{len(names)}: {names[0]}"), column)

    def check_cell(self, value, shown):
        if isinstance(value, str):
            self.assertEqual(shown, value)
        elif pandas.isna(value):
            self.assertIn(shown, (None, "NaN"))
        elif isinstance(value, (bool, numpy.bool_)):
            self.assertEqual(shown, str(value).upper())
        elif isinstance(value, (int, numpy.integer)):
            self.assertEqual(int(shown), int(value))
        else:
            self.assertEqual(type(value)(shown), value)

    def test_quartiles_of_a_long_table_name_the_sample(self):
        cells = 3 * 2**17 + 5
        random = numpy.random.default_rng(SEED)
        values = spoilt(random, random.lognormal(0, 2, cells))
        data = anndata.AnnData(
            scipy.sparse.csr_matrix((cells, 1), dtype="f4"),
            obs=pandas.DataFrame({"value": values}, index=numpy.arange(cells).astype(str)),
            dtype="float32",
        )
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path = os.path.join(folder, "long.h5ad")
            data.write_h5ad(path)
            with Server(path) as self.server:
                _, header, _ = table_of(self.page("obs/"), "first")
                self.assertIn(" of one in 3 rows", header[1])
                self.check_numbers(header[1].removeprefix("value"), values, 3)


def shape_text(shape):
    return " × ".join(count_text(length) for length in shape)


class Arrays(Pages):
    """The pages of arrays, recordings, variants, fragments and images."""

    def each_folder(self):
        for seed in range(SEED, SEED + STORES):
            with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder, self.subTest(seed=seed):
                yield numpy.random.default_rng(seed), folder

    def check_ends(self, sentence, values):
        match = re.fullmatch(
            rf"(?:There is no value|The values range from {NUMBER} to {NUMBER})(?:; {LEFT_OUT})?\.", sentence
        )
        self.assertTrue(match, sentence)
        self.assert_left_out(match.group(4, 5), values)
        self.assertEqual(match[1] is None, not len(finite(values)))
        if len(finite(values)):
            self.assert_near(match[1], finite(values).min())
            self.assert_near(match[2], finite(values).max())

    def test_line_names_the_range_of_its_elements(self):
        for random, folder in self.each_folder():
            path = os.path.join(folder, "lines.h5")
            arrays = {
                "short": spoilt(random, random.normal(0, 9, 50)),
                "long": spoilt(random, random.normal(0, 9, 3000)),
                "none": numpy.full(4, numpy.nan),
                "wide": random.integers(-(2**62), 2**62, 90),
            }
            with h5py.File(path, "w") as file:
                for name, values in arrays.items():
                    file[name] = values
            with Server(path) as self.server:
                for name, values in arrays.items():
                    caption = captions(self.page(name + "?page"))["Values"][1]
                    self.assertTrue(caption.startswith("{0} of {0} elements".format(count_text(len(values)))), caption)
                    self.check_ends(caption.split(". ", 1)[1], values.astype("f8"))
                caption = captions(self.page("long?page&from=100&count=700"))["Values"][1]
                self.assertTrue(caption.startswith("700 of 3,000 elements of long. "), caption)
                self.check_ends(caption.split(". ", 1)[1], arrays["long"][100:800])

    def test_map_names_its_sample_and_the_ends_of_its_scale(self):
        for random, folder in self.each_folder():
            path = os.path.join(folder, "maps.h5")
            shape = tuple(random.integers(5, 700, 2))
            values = spoilt(random, random.normal(0, 9, shape[0] * shape[1])).reshape(shape)
            with h5py.File(path, "w") as file:
                file["map"] = values
            with Server(path) as self.server:
                caption = captions(self.page("map?page"))["Heat map"][1]
            steps = [-(-length // 256) for length in shape]
            sample = values[:: steps[0], :: steps[1]].ravel()
            match = re.fullmatch(
                rf"(.*?), (every value|one of {COUNT} values)\. Dark is {NUMBER}, light {NUMBER}; at most 1 % of the "
                rf"values shown lie beyond either(?:; {LEFT_OUT})?\.",
                caption,
            )
            self.assertTrue(match, caption)
            self.assertEqual(match[1], shape_text(shape))
            self.assertEqual(match[3] or "1", count_text(steps[0] * steps[1]))
            for text, wanted in zip(match.group(4, 5), ends_of(finite(sample), 0.01)):
                self.assert_near(text, wanted)
            self.assert_left_out(match.group(7, 8), sample)

    def recording(self, path, units, samples):
        """Writes an NWB file with the spikes of units and a series of 10 Hz from second 12.5 on."""
        with h5py.File(path, "w") as file:
            file.attrs.update({"namespace": "core", "neurodata_type": "NWBFile", "nwb_version": "2.7.0"})
            series = file.create_group("acquisition/ts")
            series.attrs.update({"namespace": "core", "neurodata_type": "TimeSeries"})
            series["data"] = samples
            series["data"].attrs.update({"unit": "volts", "conversion": 1.0, "resolution": -1.0})
            series["starting_time"] = 12.5
            series["starting_time"].attrs.update({"rate": 10.0, "unit": "seconds"})
            table = file.create_group("units")
            table.attrs.update({"namespace": "core", "neurodata_type": "Units", "colnames": ["spike_times"]})
            table["id"] = numpy.arange(len(units))
            table["id"].attrs.update({"namespace": "hdmf-common", "neurodata_type": "ElementIdentifiers"})
            table["spike_times"] = numpy.concatenate(units)
            table["spike_times"].attrs.update({"namespace": "hdmf-common", "neurodata_type": "VectorData"})
            table["spike_times_index"] = numpy.cumsum([len(unit) for unit in units])
            table["spike_times_index"].attrs.update({"namespace": "hdmf-common", "neurodata_type": "VectorIndex"})
            table["spike_times_index"].attrs["target"] = table["spike_times"].ref

    def test_recording_counts_its_spikes_and_samples(self):
        for random, folder in self.each_folder():
            path = os.path.join(folder, "session.nwb")
            units = [numpy.sort(random.uniform(0, 40, random.integers(1, 30))) for _ in range(random.integers(2, 90))]
            samples = spoilt(random, random.normal(0, 1, 300))
            self.recording(path, units, samples)
            with Server(path) as self.server:
                self.check_spikes(captions(self.page("units/?start=5&seconds=7"))["Spikes"][1], units)
                caption = captions(self.page("acquisition/ts/?start=13&seconds=4"))["Trace"][1]
            match = re.fullmatch(
                rf"{COUNT} of 300 samples of 1 channel\. From {NUMBER} to {NUMBER} seconds, "
                r"in a recording from 12\.5 to 42\.4\. (.*)",
                caption,
            )
            self.assertTrue(match, caption)
            shown = samples[5:46]
            self.assertEqual(match[1], count_text(len(shown)))
            self.assert_near(match[2], 13)
            self.assert_near(match[3], 17)
            self.check_ends(match[4], shown)

    def check_spikes(self, caption, units):
        drawn = numpy.concatenate(units[:60])
        match = re.fullmatch(
            rf"Spikes of (?:the first 60 of )?{COUNT} units?\. {COUNT} spikes? from 5 to 12 seconds, "
            rf"in a recording from {NUMBER} to {NUMBER}, the first unit on top\.",
            caption,
        )
        self.assertTrue(match, caption)
        self.assertEqual("the first 60 of" in caption, len(units) > 60)
        self.assertEqual(match[1], count_text(len(units)))
        self.assertEqual(match[2], count_text(((drawn >= 5) & (drawn <= 12)).sum()))
        self.assert_near(match[3], drawn.min())
        self.assert_near(match[4], drawn.max())

    def bars(self, text):
        """Returns the names and counts of the bars of a page, and the caption below them."""
        picture, caption = captions(text)["Distribution"]
        described = text_of(re.search("<desc[^>]*>(.*?)</desc>", picture, re.S)[1])
        return described, caption

    def test_variants_are_counted_on_their_contigs(self):
        stores = os.path.join(DATA, "vcf-zarr")
        for case in sorted(os.listdir(stores)):
            path = os.path.join(stores, case, "store.zarr")
            root = zarr.open_group(path, mode="r") if os.path.exists(os.path.join(path, ".zgroup")) else {}
            if not len(root.get("variant_contig", [])):
                continue
            names, contigs = root["contig_id"][:], root["variant_contig"][:]
            with self.subTest(case), Server(path) as self.server:
                described, caption = self.bars(self.page(""))
                counts = [f"{name} {count_text((contigs == i).sum())}" for i, name in enumerate(names[:30])]
                self.assertEqual(described, ", ".join(counts))
                self.assertIn(f", of all {count_text(len(contigs))}", caption)

    def test_fragments_are_counted_on_their_chromosomes(self):
        path = os.path.join(DATA, "bpcells", "frag_unpacked", "store")
        with open(os.path.join(path, "chr_ptr"), "rb") as file:
            pointers = numpy.frombuffer(file.read()[8:], "<u8")
        with Server(path) as self.server:
            described, caption = self.bars(self.page(""))
        counts = [count_text(end - first) for first, end in zip(pointers[::2], pointers[1::2])]
        self.assertEqual([text.rsplit(" ", 1)[1] for text in described.split(", ")], counts)
        self.assertEqual(caption, "Fragments on each chromosome")

    def test_image_names_the_values_that_are_dark_and_bright(self):
        axes = [{"name": name} for name in "cyx"]
        channels = [
            {"label": "DAPI", "active": True, "color": "0000FF", "window": {"start": 150, "end": 3000}},
            {"label": "GFP", "active": True, "color": "00FF00"},
        ]
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            root = zarr.open_group(folder, mode="w")
            root.create_dataset("0", data=numpy.arange(2 * 8 * 6, dtype="u2").reshape(2, 8, 6))
            scales = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 1]}]}]
            root.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": scales}]
            root.attrs["omero"] = {"channels": channels}
            with Server(folder) as self.server:
                caption = captions(self.page(""))["Picture"][1]
        self.assertEqual(
            caption, "Dark to bright: DAPI from 150 to 3,000, GFP from the 0.1 to the 99.9 percentile of its values"
        )


class Folders(Pages):
    """The pages of stores and of names."""

    def test_cards_have_the_dimensions_and_sizes_of_their_stores(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            stores = dict(random_store(seed, folder, 3 * seed) for seed in range(SEED, SEED + 3))
            with Server(folder) as self.server:
                cards = {card["name"]: card for card in self.server.stores()}
            for path, data in stores.items():
                card = cards[os.path.basename(path)]
                self.assertEqual(card["what"], "{} cells × {} genes".format(*map(count_text, data.shape)))
                self.assertEqual(card["size"], os.path.getsize(path))

    def test_pages_of_names_count_them(self):
        names = [f"gene{i}" for i in range(1203)]
        data = anndata.AnnData(numpy.ones((2, len(names)), "f4"), var=pandas.DataFrame(index=names), dtype="float32")
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path = os.path.join(folder, "names.h5ad")
            data.write_h5ad(path)
            with Server(path) as self.server:
                pages = [(first, self.page(f"X/genes/?from={first}")) for first in (0, 500, 1000)]
        for first, text in pages:
            listed = re.findall(r'<li><a href="[^"]*">(gene\d+)</a>', text)
            self.assertEqual(listed, names[first : first + 500])
            pager = text_of(re.search(r'<nav class="pager".*?<span>(.*?)</span>', text, re.S)[1])
            self.assertEqual(
                re.findall(COUNT, pager),
                [count_text(first + 1), count_text(first + len(listed)), count_text(len(names))],
            )


class Times(unittest.TestCase):
    """The range of times in the description of a CF dataset."""

    def test_range_of_times_is_from_the_earliest_to_the_latest(self):
        random = numpy.random.default_rng(SEED)
        for days in (
            [5, 20, 1, 7],
            [3, 2, 1],
            [numpy.nan, 4, 2],
            [numpy.nan],
            [-800_000, 4_000_000],
            random.normal(0, 1e5, 70),
        ):
            with self.subTest(days=days), tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                root = zarr.open_group(folder, mode="w")
                time = root.create_dataset("time", data=numpy.array(days, "f8").round(2), fill_value=numpy.nan)
                time.attrs.update({"_ARRAY_DIMENSIONS": ["time"], "units": "days since 2000-01-01"})
                rows = root.create_dataset("row", data=numpy.arange(len(days)))
                rows.attrs["_ARRAY_DIMENSIONS"] = ["time"]
                text = subprocess.run([PROGRAM, "info", folder], check=True, capture_output=True).stdout.decode()
                found = re.search(r"time (without a time|from (\S+) to (\S+)) \(standard\)", text)
                self.assertTrue(found, text)
                known = finite(time[:])
                if not len(known):
                    self.assertEqual(found[1], "without a time")
                    continue
                rows = subprocess.run(
                    [PROGRAM, "cat", folder, "row.table.csv"], check=True, capture_output=True, text=True
                ).stdout.split()[1:]
                shown = [rows[int(numpy.nanargmin(time[:]))], rows[int(numpy.nanargmax(time[:]))]]
                self.assertEqual([found[2], found[3]], [row.split(",")[0] for row in shown])


if __name__ == "__main__":
    unittest.main()
