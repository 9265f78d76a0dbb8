"""The pages of `plainfs serve` for stores on disk: their content, the targets of their links, and whether the lines
that they offer run."""
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import DATA, Server
from optional import needs, needs_modules  # after server, which sets its path


def data(*names):
    return os.path.join(DATA, *names)


SEURAT = data("h5seurat", "everything", "store.h5seurat")
ANNDATA = data("anndata", "everything_h5ad", "store.h5ad")
NWB = data("nwb", "ecephys", "store.nwb")
SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5ad")
STORES = {
    "seurat": SEURAT,
    "anndata": ANNDATA,
    "nwb": NWB,
    "loom": data("loom", "v3_layers_graphs", "store.loom"),
    "rds": data("r-objects", "seurat_v4", "store.rds"),
    "arrays": data("hdf5", "numeric", "store.h5"),
    "cf": data("xarray", "era5_v2", "store.zarr"),
}


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        wanted = {"a": "href", "img": "src"}.get(tag)
        self.found += [value for name, value in attributes if name == wanted]


def page(server, path=""):
    answer = server.ask(path, Accept="text/html")
    assert answer.status == 200, (path, answer.status, answer.body[:200])
    return answer.body.decode()


def lines_of(text):
    """Returns the lines that a page offers, by program."""
    found = re.findall(r"<b>([^<]+)</b><pre[^>]*>(.*?)</pre>", text, re.S)
    return [(program, html.unescape(line)) for program, line in found]


def rows_of(text):
    """The cells of each row of the first table that a page shows."""
    body = re.search(r'class="first[^>]*>.*?<tbody>(.*?)</tbody>', text, re.S)
    rows = body[1].split("<tr>")[1:] if body else []
    return [
        [html.unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[dh][^>]*>.*?</t[dh]>", row)]
        for row in rows
    ]


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)

    def copy(self, store, name):
        shutil.copy(store, os.path.join(self.folder, name))

    def test_a_folder_of_stores_has_a_card_for_each(self):
        self.copy(ANNDATA, "cells.h5ad")
        self.copy(NWB, "rec.nwb")
        with open(os.path.join(self.folder, "notes.txt"), "w", encoding="ascii") as file:
            file.write("a note\n")
        with Server(self.folder) as server:
            stores = {store["name"]: store for store in server.stores()}
            self.assertEqual(sorted(stores), ["cells.h5ad", "rec.nwb"])
            self.assertRegex(stores["cells.h5ad"]["what"], r"^\d+ cells × \d+ genes$")
            self.assertEqual(stores["cells.h5ad"]["size"], os.path.getsize(ANNDATA))
            text = page(server)
            self.assertIn("2 stores", text)
            self.assertIn("notes.txt", text)
            thumbnail = server.ask("cells.h5ad/?thumbnail")
            self.assertEqual((thumbnail.status, thumbnail["Content-Type"]), (200, "image/svg+xml"))
            self.assertIn("AnnData", page(server, "cells.h5ad/"))

    def test_a_large_folder_is_complete_after_some_requests(self):
        """Each request looks into the stores for less than a second, and keeps what it found."""
        for number in range(120):
            self.copy(ANNDATA, f"{number:03}.h5ad")
            os.utime(os.path.join(self.folder, f"{number:03}.h5ad"), (1_700_000_000, 1_700_000_000))
        with Server(self.folder) as server:
            stores = server.stores()
            self.assertEqual(len(stores), 100)
            self.assertEqual({store["what"] for store in stores}, {stores[0]["what"]})
            self.assertRegex(stores[0]["what"], r"^\d+ cells × \d+ genes$")
            with open(os.path.join(self.folder, "000.h5ad"), "wb") as file:
                file.write(b"no store")
            broken = []
            while not broken:  # a request looks for changes unless that was done a moment ago
                broken = [store["name"] for store in server.stores() if store["kind"] == "does not open"]
            self.assertEqual(broken, ["000.h5ad"])

    def test_unopenable_store_gives_its_reason(self):
        with open(ANNDATA, "rb") as file:
            content = file.read()
        with open(os.path.join(self.folder, "cut.h5ad"), "wb") as file:
            file.write(content[: len(content) // 2])
        self.copy(ANNDATA, "whole.h5ad")
        with Server(self.folder) as server:
            stores = {store["name"]: store for store in server.stores()}
            self.assertIn("copy it again", stores["cut.h5ad"]["error"])
            self.assertNotIn(self.folder, page(server))

    def test_stores_are_found_by_a_part_of_their_names(self):
        for name in ("one.h5ad", "two.h5ad", "three.h5ad"):
            self.copy(ANNDATA, name)
        with Server(self.folder) as server:
            names = [store["name"] for store in server.stores("?json&find=E.")]
            self.assertEqual(names, ["one.h5ad", "three.h5ad"])
            self.assertIn("No store name contains 'four'.", page(server, "?find=four"))
            self.assertNotIn("<script", page(server, "?find=%3Cscript%3E&sort=%3Cscript%3E&from=%3Cscript%3E"))


class Stores(unittest.TestCase):
    def test_page_of_a_run_shows_its_cells(self):
        with Server(data("tenx-runs", "visium_1", "store")) as server:
            text = page(server)
            self.assertIn("X_umap 1 and X_umap 2 of 22 cells, coloured by graphclust", text)
            self.assertIn("21 points in 5 groups", text)
            for name in ("anndata.h5ad", "seurat.rds", "filtered_feature_bc_matrix.h5", "web_summary.html"):
                self.assertIn(name, text)
        with Server(data("tenx-runs", "multi", "store")) as server:
            self.assertNotIn("anndata.h5ad", page(server))

    def test_the_root_of_a_seurat_object_is_a_page_of_cells(self):
        for store in (SEURAT, STORES["rds"]):
            with self.subTest(store), Server(store) as server:
                text = page(server)
                self.assertIn('name="color"', text)
                self.assertIn('<svg class="plot"', text)
                gene = re.search(r'<datalist id="list-color"><option value="([^"]+)"', text)[1]
                self.assertIn(f"coloured by {gene}", page(server, "?color=" + urllib.parse.quote(html.unescape(gene))))

    def test_genes_are_pages_of_names_with_a_search(self):
        with Server(ANNDATA) as server:
            text = page(server, "X/genes/")
            first = re.search(r'<li><a href="([^"]+)">([^<]+)</a> <small><a href="([^"]+)">csv', text)
            self.assertTrue(first[1].startswith("../../?color="), first[1])
            self.assertEqual(server.ask("X/genes/" + first[3]).status, 200)
            self.assertIn(f"coloured by {first[2]}", page(server, first[1][len("../../") :]))
            found = page(server, "X/genes/?find=" + urllib.parse.quote(html.unescape(first[2])))
            self.assertIn(f">{first[2]}</a>", found)
            self.assertIn("No name contains", page(server, "X/genes/?find=nothing-like-it"))

    def test_a_series_is_a_trace_over_seconds(self):
        with Server(NWB) as server:
            text = page(server, "acquisition/ts0/")
            self.assertIn("Trace", text)
            self.assertRegex(text, r">seconds</text>")
            self.assertIn("is beyond the recording", page(server, "acquisition/ts0/?start=1e9"))
            self.assertIn("is not a number of seconds", page(server, "acquisition/ts0/?start=x&seconds=y"))

    def test_spike_times_are_a_raster(self):
        with Server(NWB) as server:
            for path in ("units/", ""):
                self.assertRegex(page(server, path), r"\d+ spikes from")

    def test_variants_are_sites_and_contigs(self):
        store = next(
            os.path.join(path, name)
            for path, folders, _ in os.walk(data("vcf-zarr"))
            for name in folders
            if name.startswith("store")
        )
        with Server(store) as server:
            text = page(server)
            self.assertIn("Variants on each contig", text)
            self.assertRegex(text, r"<h2>Rows</h2>")
            self.assertIn("bcftools view", text)

    def test_variants_of_a_region_with_genotypes_of_samples(self):
        with Server(data("vcf-zarr", "bio2zarr_0_1_6", "store.zarr")) as server:
            text = page(server)
            for part in ('name="region"', 'name="samples"', '<a href="?region=19">19</a>', '<a href="?region=X">X</a>'):
                self.assertIn(part, text)
            self.assertEqual(
                [row[-2:] for row in rows_of(page(server, "?region=19:112-300&samples=NA3,NA1"))],
                [["./.", "1|2"], ["./.", "0/0"]],
            )
            asked = page(server, "?region=19:112-300")
            self.assertIn("All 2 rows in 19:112-300", asked)
            self.assertLess(asked.index('<table class="first"'), asked.index("<svg class="))
            self.assertGreater(text.index('<table class="first"'), text.index("<svg class="))
            for region, count in (("X", 2), ("19:0%2C112-", 2), ("19:112-", 2), ("X:20", 1), ("19:1-111", 1)):
                with self.subTest(region):
                    self.assertEqual(len(rows_of(page(server, "?region=" + region))), count)

    def test_a_wrong_region_or_sample_is_named_with_the_nearest(self):
        with Server(data("vcf-zarr", "bio2zarr_0_1_6", "store.zarr")) as server:
            text = page(server, "?region=x:1-9")
            self.assertIn("There is no contig &#39;x&#39;.", text.replace("'", "&#39;"))
            self.assertIn('<a href="?region=X%3A1-9">X</a>', text)
            for positions in ("300-112", "a", "", "1-2-3", "-5", "99999999999999999999", "1%2C12", "1000%2C2000"):
                self.assertIn("are no positions of 19", page(server, "?region=19:" + positions))
            text = page(server, "?samples=NA1,NA4")
            self.assertIn("There is no sample &#39;NA4&#39;.", text.replace("'", "&#39;"))
            self.assertIn('<a href="?samples=NA1%2CNA2">NA2</a>', text)
            self.assertIn("too many for a page", page(server, "?samples=" + ",".join(["NA1"] * 60)))
            self.assertNotIn("<script", page(server, "?region=%3Cscript%3E&samples=%3Cscript%3E"))

    def test_gene_of_another_assay_is_a_link_to_it(self):
        with Server(data("anndata", "mudata_041", "store.h5mu")) as server:
            text = html.unescape(page(server, "?assay=mod1&color=mod2_var_0"))
            note = "The assay mod1 has no gene or column 'mod2_var_0'."
            found = re.search(re.escape(note) + r'.*?<a href="([^"]*)">([^<]*)</a>', text)
            self.assertTrue(found, note)
            self.assertEqual(found[2], "mod2_var_0 in mod2")
            self.assertIn("<title>mod2_var_0", page(server, found[1]))
            self.assertIn("No gene or column 'no-such'.", html.unescape(page(server, "?color=no-such")))

    def follow(self, store, first=""):
        """Asks for the links of a page and of the pages that it leads to. Returns how many of them there are."""
        with Server(store) as server:
            seen = set()
            waiting = [first]
            while waiting and len(seen) < 60:
                path = waiting.pop(0)
                text = page(server, path)
                for link in Links(text).found:
                    if link.startswith(("https:", "data:", "#")):
                        continue
                    target = urllib.parse.urljoin("http://x/a/" + path, link)[len("http://x/a/") :]
                    if target in seen:
                        continue
                    seen.add(target)
                    answer = server.ask(target, method="HEAD", Accept="text/html")
                    self.assertIn(answer.status, (200, 301, 302), (store, path, link))
                    is_page = answer["Content-Type"].startswith("text/html") and "plain" not in target
                    if is_page and len(waiting) < 8:
                        waiting.append(target)
            return len(seen)

    def test_no_link_of_a_page_is_dead(self):
        self.assertGreater(sum(self.follow(store) for store in STORES.values()), 150)

    @needs_modules("anndata", "h5py", "zarr")
    def test_no_link_of_images_and_recordings_is_dead(self):
        import media_stores

        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            plate, cells, session, large = (
                os.path.join(folder, name) for name in ("plate.zarr", "cells.zarr", "session.nwb", "large.zarr")
            )
            media_stores.plate(plate, ["A", "B"], ["1", "2"], [(0, 0), (1, 1)])
            _, places, _ = media_stores.spatial(cells)
            columns = {"x": list(places[:, 0]), "y": list(places[:, 1])}
            media_stores.shapes(cells, "points", "spots", columns, {"type": "identity"})
            media_stores.session(session)
            media_stores.large(large)
            for store, first in (
                (plate, ""),
                (plate, "A/1/"),
                (cells, ""),
                (cells, "tables/table/?outlines=points/spots"),
                (cells, "points/spots/"),
                (session, ""),
                (session, "acquisition/ElectricalSeries/?channels=0-2"),
                (large, ""),
                (folder, ""),
            ):
                with self.subTest(store=os.path.basename(store), first=first):
                    self.assertGreater(self.follow(store, first), 9)


class Sources(unittest.TestCase):
    """The store's own files under .plainfs/source/."""

    def test_a_file_is_the_store_itself(self):
        with Server(ANNDATA) as server, open(ANNDATA, "rb") as file:
            content = file.read()
            path = ".plainfs/source/store.h5ad"
            self.assertIn(f'href="{path}"', page(server))
            whole = server.ask(path)
            self.assertEqual(whole.body, content)
            part = server.ask(path, Range="bytes=512-1023")
            self.assertEqual((part.status, part.body), (206, content[512:1024]))
            self.assertEqual(server.ask(path, Range="bytes=-9").body, content[-9:])
            self.assertEqual(server.ask(path, Range=f"bytes={len(content)}-").status, 416)
            self.assertEqual(server.ask(path, If_None_Match=whole["ETag"]).status, 304)
            self.assertEqual(server.ask(path, method="HEAD")["Content-Length"], str(len(content)))
            for wrong in ("other.h5ad", "store.h5ad/x", "..%2fstore.h5ad", ""):
                answer = server.ask(".plainfs/source/" + wrong)
                self.assertEqual(answer.status, 200 if wrong == "" else 404 if "%2f" not in wrong else 400, wrong)

    def test_keys_of_a_folder_are_its_files(self):
        store = data("nwb", "ecephys_zarr", "store.nwb.zarr")
        if not os.path.isdir(store):
            store = next(path for path, folders, files in os.walk(data("nwb", "ecephys_zarr")) if ".zgroup" in files)
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            copy = os.path.join(os.path.realpath(folder), "store.zarr")
            shutil.copytree(store, copy)
            os.symlink("/etc/hostname", os.path.join(copy, "outside"))
            os.symlink("/etc", os.path.join(copy, "folder"))
            with Server(copy) as server:
                keys = 0
                for path, _, files in os.walk(copy):
                    for name in files:
                        key = os.path.relpath(os.path.join(path, name), copy)
                        if key == "outside":
                            continue
                        with open(os.path.join(path, name), "rb") as file:
                            self.assertEqual(
                                server.ask(".plainfs/source/" + urllib.parse.quote(key)).body, file.read(), key
                            )
                        keys += 1
                self.assertGreater(keys, 20)
                for wrong in ("outside", "folder/hostname", "absent", "acquisition", "absent/.zarray"):
                    self.assertEqual(server.ask(".plainfs/source/" + wrong).status, 404, wrong)
                self.assertIn(b'href=".zgroup"', server.ask(".plainfs/source/").body)
                self.assertEqual(server.ask(".plainfs/").status, 404)
                self.assertEqual(server.ask(".plainfs/log").status, 404)

    def test_a_folder_of_stores_has_no_source_of_its_own(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            shutil.copy(ANNDATA, os.path.join(folder, "a.h5ad"))
            with open(os.path.join(folder, "secret.txt"), "w", encoding="ascii") as file:
                file.write("secret")
            with Server(folder) as server:
                self.assertEqual(server.ask(".plainfs/source/").status, 404)
                self.assertEqual(server.ask(".plainfs/source/secret.txt").status, 404)
                self.assertEqual(server.ask("a.h5ad/.plainfs/source/a.h5ad").status, 200)
                self.assertEqual(server.ask("a.h5ad/.plainfs/source/secret.txt").status, 404)


class Addresses(unittest.TestCase):
    def test_a_token_keeps_the_address(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            file = os.path.join(folder, "token")
            paths = []
            for _ in range(2):
                with Server("--token", file, ANNDATA) as server:
                    paths.append(server.path)
                    self.assertEqual(server.ask("obs.csv").status, 200)
            self.assertEqual(paths[0], paths[1])
        with Server("--token", "lab-token-1", ANNDATA) as server:
            self.assertEqual(server.path, "/lab-token-1/")
            self.assertEqual(server.ask("obs.csv").status, 200)
        with Server("--token", "none", "--base", "/lab", ANNDATA) as server:
            self.assertEqual(server.path, "/lab/")
            self.assertEqual(server.ask("obs.csv").status, 200)
            self.assertIn("/lab/obs.csv", page(server, "obs/"))

    def test_a_wrong_option_ends_with_a_message(self):
        for words, message in (
            (["--token", "short"], "letters, digits"),
            (["--base", "lab"], "expected a path such as /lab"),
            (["--port", "80"], "--listen PORT"),
        ):
            result = subprocess.run(
                [os.environ["PLAINFS"], "serve", *words, ANNDATA], capture_output=True, timeout=60, check=False
            )
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(message, result.stderr.decode())


class Failures(unittest.TestCase):
    """Files that cannot be generated are not offered."""

    STORES = {
        ("bpcells", "frag_all_bits", "store"): ("coverage.bw", "fragments.tsv", "fragments.tsv.gz"),
        ("bpcells", "frag_packed", "store"): ("coverage.bw",),
        ("takane-objects", "delayed_arithmetic", "store"): ("delayed_array.csv",),
        ("anndata", "empties_h5ad", "store.h5ad"): ("seurat.rds",),
        ("loom", "zero_cells", "store.loom"): ("seurat.rds",),
        ("h5seurat", "zero_cells", "store.h5seurat"): ("seurat.rds",),
        ("tenx", "v2_empty", "store.h5"): ("seurat.rds",),
        ("zarr-implementations", "by_netcdf_c", "store.zarr"): ("u8.nc",),
    }

    def test_no_form_of_a_page_is_known_to_fail(self):
        for names, files in self.STORES.items():
            with self.subTest(store=names), Server(data(*names)) as server:
                of_variable = next((f[:-3] + "?page" for f in files if f.endswith(".nc")), "")
                text = page(server, of_variable)
                for file in files:
                    status = server.ask(file, method="HEAD").status
                    self.assertGreaterEqual(status, 400, file)
                    listed = text[: text.rindex("<details>")]  # all names of the folder come last
                    self.assertNotIn(f'href="{file}"', listed)
                    self.assertFalse([line for _, line in lines_of(text) if f'/{file}"' in line], file)
                    if status != 404:  # a file that exists and fails is named with the reason
                        self.assertRegex(text, r'<small class="no">no [^:]*' + file.rpartition(".")[2])


class Lines(unittest.TestCase):
    """Each line of some pages, unchanged, and the number of values it reads."""

    PAGES = {
        "seurat": {"": None, "meta.data/": None, "cell.names?page": 40},
        "rds": {"": None},
        "anndata": {"obs/": None, "X/": None},
        "nwb": {"acquisition/ts0/data?page": 5, "units/": 4},
        "arrays": {"i4le?page": None, "shapes/d2?page": None},
    }

    def run_line(self, program, line, count):
        if program == "MuData":  # which Debian has no package of: what it opens is a file with modalities
            stand_in = "def read_h5mu(path):\n    import h5py\n    return h5py.File(path)['mod']\n"
            line = f"import sys, types\nmudata = types.ModuleType('mudata')\nexec({stand_in!r}, mudata.__dict__)\n" + (
                "sys.modules['mudata'] = mudata\n" + line + "\nassert len(x) > 0"
            )
        if program.startswith(("Python", "MuData")):
            test = "" if count is None else f"\nassert len(x) == {count}, len(x)"
            return [sys.executable, "-c", line + "\nassert x is not None" + test]
        if program == "R":
            test = "" if count is None else f"; stopifnot((if (is.data.frame(x)) nrow(x) else length(x)) == {count})"
            return ["Rscript", "-e", line + "\ninvisible(x)" + test]
        return ["bash", "-c", "set -o pipefail\n" + line + " > /dev/null"]

    @needs("Rscript")
    def test_a_line_for_r_runs_many_times(self):
        with Server(ANNDATA) as server:
            line = next(line for program, line in lines_of(page(server, "obs/")) if program == "R")
            self.assertIn("readRDS", line)
            loop = f"for (i in 1:200) {{ {line} }}\nstopifnot(is.data.frame(x), nrow(showConnections()) == 0)"
            result = subprocess.run(["Rscript", "-e", loop], capture_output=True, timeout=300, check=False)
            self.assertEqual(result.returncode, 0, result.stderr.decode()[-400:])

    @needs("Rscript", "curl")
    @needs_modules("pandas", "anndata", "fsspec", "aiohttp", "scipy")
    def test_printed_lines_run_unchanged(self):
        run = 0
        for name, pages in self.PAGES.items():
            with Server(STORES[name]) as server, tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                for path, count in pages.items():
                    for program, line in lines_of(page(server, path)):
                        if program in ("H5Web", "All of it"):
                            continue
                        with self.subTest(store=name, page=path, program=program):
                            words = self.run_line(program, line, count)
                            result = subprocess.run(words, cwd=folder, capture_output=True, timeout=300, check=False)
                            self.assertIn(
                                result.returncode,
                                (0, 23) if program == "Shell" else (0,),
                                (line, result.stderr.decode()[-400:]),
                            )
                            run += 1
        self.assertGreater(run, 16)

    def test_page_of_sums_has_pairs_of_columns(self):
        with Server(SAMPLE) as server:
            pairs = [link for link in Links(page(server, "pseudobulk/")).found if "batch%2Bstage" in link]
            self.assertEqual(pairs, ["batch%2Bstage.csv"])
            wanted = server.ask("pseudobulk/batch+stage.csv")
            found = server.ask("pseudobulk/" + pairs[0])
            self.assertEqual((found.status, found.body), (200, wanted.body))

    @needs_modules("anndata")
    def test_page_of_sums_reports_other_values_than_counts(self):
        import anndata  # pylint: disable=import-outside-toplevel
        import numpy  # pylint: disable=import-outside-toplevel

        for shift in (0, 0.5):
            data = anndata.AnnData(numpy.array([[1, 0], [2, 3]], "f4") - shift, dtype="float32")
            data.obs["type"] = ["a", "b"]
            with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                path = os.path.join(folder, "store.h5ad")
                data.write_h5ad(path)
                with self.subTest(shift=shift), Server(path) as server:
                    text = page(server, "pseudobulk/")
            self.assertEqual("no matrix has counts (whole numbers from 0 on); these are sums of X" in text, shift > 0)

    def test_root_of_a_seurat_object_has_a_line_for_its_h5ad(self):
        for name in ("seurat", "rds"):
            with self.subTest(name), Server(STORES[name]) as server:
                lines = dict(lines_of(page(server)))
                self.assertIn("assays/RNA.h5ad", lines["Python, RNA"])

    def test_parts_of_a_variable_do_not_hide_its_page(self):
        # VIEWS 11 "The page of a CF variable shows"
        with Server(data("xarray", "classic_cdf1", "store.nc")) as server:
            variables = [link for link in Links(page(server)).found if link.endswith("?page")]
            names = [name for name in variables if server.ask(name[: -len("?page")] + "/").status == 200]
            self.assertTrue(names, variables)
            for name in names:
                self.assertIn("of a CF dataset", page(server, name), name)
                kind = json.loads(server.ask(name.replace("?page", "?json")).body)["kind"]
                self.assertIn(kind, ("variable", "coordinate"))
                moved = server.ask(name.replace("?", "/?"), Accept="text/html")
                self.assertEqual((moved.status, moved["Location"]), (302, "../" + name))

    def test_lines_of_a_dataset_read_all_of_it(self):
        with Server(data("xarray", "classic_cdf1", "store.nc")) as server:
            self.assertIn("/dataset.nc", dict(lines_of(page(server)))["Python"])

    def test_page_lists_the_parts_that_the_h5ad_lacks(self):
        # VIEWS 11 "The page of an annotated matrix ends with"
        store = os.path.join(os.environ["PLAINFS_TEST_DATA"], "conversions", "seurat_whole", "store.rds")
        with Server(store) as server:
            text = page(server)
            listed = json.loads(server.ask("", Accept="application/json").body)["left_out"]
        self.assertIn("/assays/ADT: not in RNA.h5ad", listed)
        self.assertIn(f"<summary>{len(listed)} parts of the store are not in RNA.h5ad</summary>", text)
        for line in listed:
            self.assertIn(f"<li>{html.escape(line)}</li>", text)
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (["info", store], ["export", "--dry-run", store, os.path.join(folder, "a.h5ad")]):
                command = [os.environ["PLAINFS"], *arguments]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                for line in listed:
                    self.assertIn(line, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
