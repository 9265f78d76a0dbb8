"""The pages of `plainfs serve` in Chromium: each kind, on a desktop and a phone, light and dark, and without script. If
PLAINFS_PICTURES is set to a folder, screenshots of all are kept there. axe-core (scripts/setup readers) looks for
accessibility problems."""
import json
import os
import shutil
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chosen_test
import media_stores
from browser import PROGRAM, Browser
from server import DATA, Server
from optional import import_or_exit, needs_npm, NPM, reason  # after server, which sets its path

anndata, numpy, pandas = import_or_exit("anndata", "numpy", "pandas")

AXE = os.path.join(NPM, "node_modules", "axe-core", "axe.min.js")
PICTURES = os.environ.get("PLAINFS_PICTURES")


def data(*names):
    return os.path.join(DATA, *names)


STORES = {
    "cells": data("anndata", "everything_h5ad", "store.h5ad"),
    "matrix": data("bpcells", "mat_packed_uint_col", "store"),
    "fragments": data("bpcells", "frag_packed", "store"),
    "image": data("ome-tiff", "five.ome.zarr"),
    "recording": data("nwb", "ecephys", "store.nwb"),
    "arrays": data("hdf5", "numeric", "store.h5"),
    "damaged": data("hdf5", "damaged", "store.h5"),
    "climate": data("xarray", "era5_v2", "store.zarr"),
    "variants": data("vcf-zarr", "types", "store.zarr"),
    "modalities": data("anndata", "mudata_041", "store.h5mu"),
    "seurat": data("r-objects", "seurat_v4", "store.rds"),
    "run": data("tenx-runs", "visium_2", "store"),
}
# Each kind of page: the store, the path below its address, and visible content (a selector and a part of its text).
PAGES = {
    "stores": ("all", "", "main a", "store"),
    "tree": ("tree", "", "table.first caption", "folders with stores"),
    "reason": ("tree", "bob/cut.h5ad?page", "p.note", "copy it again"),
    "cells": ("cells", "?page&color=cat", "svg.plot", ""),
    "gene": ("cells", "?color=Gene-1&split=cat", "table.dist caption", "by cat"),
    "several": ("cells", "?color=Gene-1,Gene-2&split=cat", "table.several caption", "by cat"),
    "markers": ("cells", "?markers=cat:NK", "table.first caption", "by their score"),
    "chosen": ("cells", "?where=cat:NK&color=Gene-1&split=cat", "main h2", "Download these cells"),
    "region": ("cells", "?color=cat&region=-1,-1,2,2", "figcaption", "in the region"),
    "panels": ("cells", "?color=Gene-1&split=cat", "div.panels svg", ""),
    "stored": ("media", "marked.h5ad/?stored=rank_genes_groups:0", "table.first caption", "genes of level"),
    "assay": ("seurat", "", "svg.plot", ""),
    "modality": ("modalities", "", "form select[name=assay]", ""),
    "run": ("run", "?embedding=spatial", "svg.plot.over", ""),
    "unknown": ("cells", "?color=no-such-gene", "p.note", "No gene or column"),
    "genes": ("cells", "X/genes/", "ul.names a", ""),
    "embedding": ("cells", "obsm/X_umap?page", "svg.plot", ""),
    "table": ("cells", "obs/", "table caption", "rows"),
    "rows": ("cells", "obs/?where=cat:NK&sort=int64", "table caption", "rows"),
    "sorted": ("cells", "obs/?sort=-int64", "table caption", "highest first"),
    "absent": ("cells", "obs.csvv", "h1", "Not found here"),
    "sparse": ("cells", "X/", "table caption", "values, in stored order"),
    "array": ("arrays", "shapes/d2?page", "img.px", ""),
    "vector": ("arrays", "i4le?page", "table caption", "values"),
    "dataset": ("climate", "", "main td", "latitude 5"),
    "map": ("climate", "t2m?page&at=latitude:50,longitude:5", "figcaption", "values from"),
    "section": ("climate", "t2m?page&map=time,longitude&along=latitude", "div.field svg", ""),
    "refused": ("climate", "t2m?page&at=latitude:nan", "p.note", "latitude has no value"),
    "folder": ("arrays", "shapes/", "main table a", "d2"),
    "matrix": ("matrix", "", "main", "values"),
    "fragments": ("fragments", "", "svg.plot", ""),
    "image": ("image", "", "img.px", ""),
    "plate": ("media", "plate.zarr/", "table.plate img", ""),
    "well": ("media", "plate.zarr/A/1/", "ul.fields img", ""),
    "field": ("media", "plate.zarr/A/1/1/?c=DAPI", "figcaption", "DAPI from"),
    "objects": ("media", "cells.zarr/labels/cells/", "figcaption", "Each object in a colour"),
    "large": ("media", "large.zarr/", "p.note", "too many to be shown whole"),
    "elements": ("media", "cells.zarr/", "table.first caption", "5 elements"),
    "slide": ("media", "cells.zarr/tables/table/?color=kind", "svg.plot.over", ""),
    "outlines": ("media", "cells.zarr/tables/table/?outlines=shapes/squares", "figcaption", "shapes/squares in orange"),
    "shapes": ("media", "cells.zarr/shapes/squares/", "main", "shapes"),
    "points": ("media", "cells.zarr/points/spots/", "main", "points"),
    "session": ("media", "session.nwb/", "main", "Rat 7 runs"),
    "channels": ("media", "session.nwb/acquisition/ElectricalSeries/?channels=0-5", "ul.key", "channel 5"),
    "trials": ("media", "session.nwb/units/", "svg.plot", "units"),
    "intervals": ("media", "session.nwb/intervals/trials/", "table caption", "rows"),
    "sites": ("variants", "", "table caption", "rows"),
    "trace": ("recording", "acquisition/ts0/", "svg.plot", "seconds"),
    "spikes": ("recording", "units/", "svg.plot", "units"),
    "unreadable": ("damaged", "bad_gzip?page", "main", "bad_gzip"),
}
REFUSED = ("absent", "refused")  # their status is in the console
LOOKS = [("desktop", False), ("phone", True)]  # neither changes the effect of the other


@unittest.skipUnless(PROGRAM, reason(["chromium"]))
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(Browser())
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="plainfs-test-"))
        media_stores.plate(os.path.join(folder, "plate.zarr"), ["A", "B"], ["1", "2", "3"], [(0, 0), (0, 2), (1, 1)])
        cls.make_spatial(os.path.join(folder, "cells.zarr"))
        cls.make_marked(os.path.join(folder, "marked.h5ad"))
        media_stores.large(os.path.join(folder, "large.zarr"))
        media_stores.session(os.path.join(folder, "session.nwb"), channels=12)
        cls.servers = {name: cls.enterClassContext(Server(store)) for name, store in STORES.items()}
        cls.servers["media"] = cls.enterClassContext(Server(folder))
        cls.servers["all"] = cls.enterClassContext(Server(*STORES.values()))
        cls.servers["tree"] = cls.enterClassContext(Server(cls.make_tree()))
        while "notes" in json.loads(cls.servers["tree"].ask("?json").body):
            time.sleep(0.05)  # until all stores are examined, so that the page stays the same

    @classmethod
    def make_tree(cls):
        """Returns a folder with stores in folders, one of which does not open."""
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="plainfs-test-"))
        for name in ("alice", "bob"):
            os.mkdir(os.path.join(folder, name))
            shutil.copy(STORES["cells"], os.path.join(folder, name, "cells.h5ad"))
        with open(STORES["cells"], "rb") as whole, open(os.path.join(folder, "bob", "cut.h5ad"), "wb") as cut:
            cut.write(whole.read(3000))
        return folder

    @staticmethod
    def make_spatial(path):
        _, places, _ = media_stores.spatial(path)
        squares = [
            media_stores.polygon([(x - 3, y - 3), (x + 3, y - 3), (x + 3, y + 3), (x - 3, y + 3), (x - 3, y - 3)])
            for x, y in places
        ]
        identity = {"type": "identity"}
        media_stores.shapes(path, "shapes", "squares", {"geometry": squares}, identity, ["geometry"])
        media_stores.shapes(path, "points", "spots", {"x": list(places[:, 0]), "y": list(places[:, 1])}, identity)

    @staticmethod
    def make_marked(path):
        """Writes cells with stored markers."""
        random = numpy.random.default_rng(1)
        genes = [f"g{i}" for i in range(130)]
        obs = pandas.DataFrame({"leiden": pandas.Categorical(random.choice(chosen_test.LEVELS, 40))})
        obs.index = [f"c{i}" for i in range(40)]
        var = pandas.DataFrame(index=genes)
        cells = anndata.AnnData(random.poisson(1, (40, 130)).astype("f4"), obs=obs, var=var, dtype="float32")
        cells.uns["rank_genes_groups"] = chosen_test.scanpy_result(random, genes)[0]
        cells.write_h5ad(path)

    def open(self, name, **look):
        server, path, selector, text = PAGES[name]
        self.browser.show(**look)
        self.browser.open(self.servers[server].url + path)
        shown = self.browser.js(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(found => found.textContent)"
        )
        self.assertTrue(shown, (name, selector))
        self.assertTrue(any(text in one for one in shown), (name, shown))
        return self.servers[server]

    def each(self):
        for name in PAGES:
            for size, dark in LOOKS:
                with self.subTest(page=name, size=size, dark=dark):
                    server = self.open(name, size=size, dark=dark)
                    yield name, size, dark, server

    def test_each_page_fits_and_loads_nothing_external(self):
        seen = 0
        for name, size, dark, server in self.each():
            complaints = self.browser.complaints()
            self.assertEqual([text for text in complaints if name not in REFUSED or "status of 40" not in text], [])
            for address in self.browser.asked():
                self.assertTrue(address.startswith((server.url, "data:")), address)
            # Wide content scrolls by itself, and never the page.
            self.assertLessEqual(*self.browser.js("[document.documentElement.scrollWidth, innerWidth]"))
            light = sum(
                self.browser.js(
                    "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
                )
            )
            self.assertEqual(light < 3 * 128, dark)
            # Pictures further down are loaded once they are scrolled to.
            self.browser.js(
                "Promise.all([...document.images].map(image => { "
                "image.loading = 'eager'; return image.decode().catch(() => 0); "
                "})).then(() => 0)"
            )
            broken = self.browser.js(
                "[...document.images].filter(image => !image.naturalWidth).map(image => image.src.slice(0, 99))"
            )
            self.assertEqual(broken, [])
            if PICTURES:
                self.browser.picture(os.path.join(PICTURES, f"{name}-{size}-{'dark' if dark else 'light'}.png"))
            seen += 1
        self.assertEqual(seen, len(PAGES) * len(LOOKS))

    def test_page_is_complete_without_script(self):
        for name in PAGES:
            texts = []
            for script in (True, False):
                self.open(name, script=script)
                texts.append(self.browser.js("document.body.innerText"))
            self.assertEqual(texts[0], texts[1], name)
            self.assertGreater(len(texts[0]), 100, name)
        self.browser.show()

    def test_every_link_is_reachable_by_keyboard(self):
        for name in ("cells", "table", "fragments"):
            self.open(name)
            wanted = self.browser.js(
                "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]"
                ".filter(one => one.checkVisibility()).length"
            )
            self.assertGreater(wanted, 5)
            self.browser.js("window.seen = new Set(); 0")
            for _ in range(wanted + 3):
                self.browser.press("Tab", 9)
                self.browser.js("document.activeElement === document.body || seen.add(document.activeElement); 0")
            self.assertGreaterEqual(self.browser.js("seen.size"), wanted, name)
            self.assertNotEqual(
                self.browser.js(
                    "(() => { const link = document.querySelector('main a'); link.focus(); "
                    "const style = getComputedStyle(link); return style.outlineStyle; })()"
                ),
                "none",
            )

    def test_a_gene_is_typed_into_the_page(self):
        for script in (True, False):
            self.open("cells", script=script)
            gene = self.browser.js("document.querySelector('#list-color option').value")
            self.browser.js(
                "(() => { const field = document.querySelector('input[name=color]'); "
                "field.focus(); field.select(); })()"
            )
            self.browser.call("Input.insertText", text=gene.lower())
            self.browser.call(
                "Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r"
            )
            end = time.monotonic() + 30
            while "color=" + gene.lower() not in self.browser.js("location.search") and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)
            text = self.browser.js("document.querySelector('svg.plot title').textContent")
            self.assertIn(f"coloured by {gene}", text)
            self.assertGreater(self.browser.js("document.querySelectorAll('table.dist tbody tr').length"), 0)
        self.browser.show()

    def test_the_picture_is_on_the_first_screen(self):
        for size, most in (("desktop", 900), ("phone", 780)):
            self.open("gene", size=size)
            top, bottom = self.browser.js(
                "(() => { const box = document.querySelector('svg.plot').getBoundingClientRect(); "
                "return [box.top, box.bottom]; })()"
            )
            self.assertLess(bottom if size == "desktop" else top + 150, most, size)

    def test_text_in_plots_is_large_enough_and_whole(self):
        plots = 0
        for name in ("gene", "embedding", "vector", "fragments", "trace", "spikes", "map", "section"):
            for size in ("desktop", "phone"):
                self.open(name, size=size)
                for height, text, left, right in self.browser.js(
                    "[...document.querySelectorAll('svg.plot')].filter(plot => plot.querySelector('text'))"
                    ".flatMap(plot => { const box = plot.getBoundingClientRect(), "
                    "scale = box.width / plot.viewBox.baseVal.width; "
                    "return [...plot.querySelectorAll('text')].filter(text => text.checkVisibility() && "
                    "text.textContent).map(text => { const at = text.getBoundingClientRect(); "
                    "return [parseFloat(getComputedStyle(text).fontSize) * scale, text.textContent, "
                    "at.left - box.left, box.right - at.right]; }); })"
                ):
                    with self.subTest(page=name, size=size, text=text):
                        self.assertGreater(height, 8.5)
                        self.assertGreater(left, -0.5)
                        self.assertGreater(right, -0.5)
                    plots += 1
        self.assertGreater(plots, 30)

    def test_an_image_is_on_the_first_screen_of_a_phone(self):
        self.open("image", size="phone")
        self.assertLess(self.browser.js("document.querySelector('img.px').getBoundingClientRect().top"), 500)

    def axe(self):
        with open(AXE, encoding="utf-8") as file:
            self.browser.js(file.read() + "; 0")
        return json.loads(
            self.browser.js(
                "axe.run().then(found => JSON.stringify({passes: found.passes.length, violations: found.violations"
                ".map(one => [one.id, one.nodes.map(node => node.html.slice(0, 200) + node.failureSummary)])}))"
            )
        )

    @needs_npm("axe-core")
    def test_axe_finds_nothing(self):
        rules = 0
        for _ in self.each():
            found = self.axe()
            self.assertEqual(found["violations"], [])
            rules += found["passes"]
        self.assertGreater(rules, 10 * len(PAGES) * len(LOOKS))
        self.browser.js("document.querySelector('main').innerHTML = '<img src=x>'; 0")
        self.assertIn("image-alt", [one[0] for one in self.axe()["violations"]])  # it would have been found


if __name__ == "__main__":
    unittest.main(verbosity=2)
