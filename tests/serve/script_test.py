"""The script of the pages of cells, and what it asks the server: names while one types, the cell under the pointer, and
zoom by dragging, in Chromium and by requests. Pages without cells have no script."""
import gzip
import json
import os
import re
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numbers_test
from browser import PROGRAM, Browser
from server import Server
from optional import import_or_exit, reason  # after server, which sets its path

anndata, numpy, pandas = import_or_exit("anndata", "numpy", "pandas")

MAX_BYTES = 10_000
CELLS = 200


def store(folder):
    random = numpy.random.default_rng(1)
    obs = pandas.DataFrame({"ct": pandas.Categorical(random.choice(["a", "b"], CELLS)), "depth": random.random(CELLS)})
    obs.index = [f"cell{i}" for i in range(CELLS)]
    genes = ["CD3E", "CD8A", "cd3d", "LYZ", "ABCD3", "NKG7"] + [f"gene{i}" for i in range(94)]
    values = random.poisson(1, (CELLS, len(genes))).astype("f4")
    data = anndata.AnnData(values, obs=obs, var=pandas.DataFrame(index=genes), dtype="float32")
    data.obsm["X_umap"] = random.uniform(-5, 5, (CELLS, 2))
    path = os.path.join(folder, "store.h5ad")
    data.write_h5ad(path)
    return path, data


class Served(unittest.TestCase):
    """Tests of one store and its server."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="plainfs-test-"))
        path, cls.data = store(folder)
        cls.server = cls.enterClassContext(Server(path))


class Script(Served, numbers_test.Pages):
    def question(self, **query):
        answer = self.server.ask("?" + urllib.parse.urlencode(query))
        return answer.status, json.loads(answer.body)

    def test_script_is_small_and_served_by_the_program(self):
        text = self.page("", {"color": "ct"})
        address = re.search(r'<script src="([^"]*)" nonce="\w{20,}" defer></script>', text)[1]
        self.assertEqual(address, self.server.path + ".plainfs/page.js")
        answer = self.server.ask(".plainfs/page.js")
        self.assertEqual((answer.status, answer["Content-Type"]), (200, "text/javascript; charset=utf-8"))
        self.assertLess(len(answer.body), MAX_BYTES)
        packed = self.server.ask(".plainfs/page.js", Accept_Encoding="gzip")
        self.assertEqual(gzip.decompress(packed.body), answer.body)
        self.assertEqual(self.server.ask(".plainfs/page.js/").status, 404)

    def test_policy_allows_this_script_alone_and_only_on_pages_of_cells(self):
        nonces = set()
        for _ in range(3):
            answer = self.server.ask("?color=ct", Accept="text/html")
            policy = answer["Content-Security-Policy"]
            nonce = re.search(r"script-src 'nonce-(\w+)'; connect-src 'self'$", policy)[1]
            self.assertIn(f'nonce="{nonce}"', answer.body.decode())
            self.assertEqual(answer.body.count(b"<script"), 1)
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            nonces.add(nonce)
        self.assertEqual(len(nonces), 3)
        for path in ("obs/", "X/genes/", "nothing/"):
            answer = self.server.ask(path, Accept="text/html")
            self.assertNotIn("script-src", answer["Content-Security-Policy"])
            self.assertNotIn(b"<script", answer.body)

    def test_names_begin_with_the_typed_text_or_contain_it(self):
        self.assertEqual(self.question(names="cd"), (200, ["CD3E", "CD8A", "cd3d", "ABCD3"]))
        self.assertEqual(self.question(names="DE"), (200, ["depth"]))
        self.assertEqual(self.question(names="gene")[1], [f"gene{i}" for i in range(20)])
        self.assertEqual(self.question(names="zzz"), (200, []))

    def test_nearest_cell_is_that_of_numpy(self):
        random = numpy.random.default_rng(2)
        places = self.data.obsm["X_umap"]
        for colour in ("ct", "depth", "CD3E"):
            for x, y in random.uniform(-6, 6, (20, 2)):
                status, found = self.question(near=f"{x},{y}", color=colour)
                cell = int(numpy.hypot(*(places - (x, y)).T).argmin())
                self.assertEqual((status, found["cell"]), (200, f"cell{cell}"))
                self.assertEqual([found["x"], found["y"]], list(places[cell]))
                self.assertEqual(found["of"], colour)
                if colour == "ct":
                    self.assertEqual(found["value"], self.data.obs["ct"][cell])
                else:
                    self.assert_near(found["value"], numbers_test.numbers_of(self.data, colour)[cell])
        chosen = numpy.flatnonzero(self.data.obs["ct"] == "b")
        found = self.question(near="0,0", where="ct:b")[1]
        self.assertEqual(found["cell"], f"cell{chosen[numpy.hypot(*places[chosen].T).argmin()]}")

    def test_region_shows_the_cells_in_it(self):
        places = self.data.obsm["X_umap"]
        low, high = (-2.5, 0.25), (3.0, 4.75)
        inside = ((places >= low) & (places <= high)).all(axis=1).sum()
        query = {"color": "ct", "region": f"{low[0]},{low[1]},{high[0]},{high[1]}"}
        text = self.page("", query)
        picture, caption = numbers_test.captions(text)["X_umap"]
        self.assertIn(f"of the {inside} of {CELLS} cells in the region, coloured by ct", caption)
        self.assertIn(f"{inside} points in 2 groups", picture)
        axes = [float(each) for each in re.search(r'data-axes="([^"]*)"', picture)[1].split()]
        self.assertLessEqual(axes[4], low[0])
        self.assertGreaterEqual(axes[7], high[1])
        self.assertIn(f'name="region" value="{query["region"]}"', text)
        everything = numbers_test.captions(self.page("", {"color": "ct", "region": ""}))["X_umap"][0]
        self.assertIn(f"{CELLS} points in 2 groups", everything)

    def test_questions_that_make_no_sense_are_refused(self):
        for query, why in (
            ({"near": "1"}, "near: expected X,Y, two numbers"),
            ({"near": "1,x"}, "near: expected X,Y, two numbers"),
            ({"near": "1,nan"}, "near: expected X,Y, two numbers"),
            ({"near": "1,2,3,4,5,6,7,8,9,10,11"}, "near: expected X,Y, two numbers"),
            ({"names": ""}, "names: expected 1 to 100 bytes"),
            ({"names": "x" * 101}, "names: expected 1 to 100 bytes"),
        ):
            self.assertEqual(self.question(**query), (400, {"message": why}), query)
        for region in ("1,2,3", "3,0,1,1", "0,0,0,1", "a,b,c,d", "0,0,inf,1", "-1e308,0,1e308,1"):
            answer = self.server.ask("?" + urllib.parse.urlencode({"region": region}), Accept="text/html")
            self.assertEqual(answer.status, 400, region)
            self.assertIn(b"is no region; expected region=X0,Y0,X1,Y1", answer.body)
        self.assertEqual(self.server.ask("obs/?names=a").status, 404)


@unittest.skipUnless(PROGRAM, reason(["chromium"]))
class InBrowser(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = cls.enterClassContext(Browser())

    def open(self, query):
        self.browser.show()
        self.browser.open(self.server.url + "?" + query)
        self.assertEqual(self.browser.complaints(), [])

    def wait(self, expression):
        end = time.monotonic() + 60
        while not (value := self.browser.js(expression)) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertTrue(value, expression)
        return value

    def mouse(self, kind, x, y, button="none"):
        self.browser.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1, buttons=int(button != "none")
        )

    def point_of(self, cell):
        """Returns the place of a cell on the screen."""
        x, y = (float(each) for each in self.data.obsm["X_umap"][cell])
        return self.browser.js(
            "(() => { const plot = document.querySelector('svg[data-axes]'); plot.scrollIntoView({block: 'center'});"
            "const [l, t, w, h, x0, x1, y0, y1] = plot.dataset.axes.split(' ').map(Number);"
            f"const at = new DOMPoint(l + ({x} - x0) / (x1 - x0) * w, t + (y1 - {y}) / (y1 - y0) * h)"
            ".matrixTransform(plot.getScreenCTM()); return [at.x, at.y]; })()"
        )

    def test_names_are_suggested_while_one_types(self):
        self.open("color=ct")
        self.browser.js("(() => { const f = document.querySelector('input[name=color]'); f.focus(); f.select(); })()")
        self.browser.call("Input.insertText", text="LYZ, cd3")
        options = "[...document.querySelector('input[name=color]').list.options].map(option => option.value).join('|')"
        self.wait(f"({options}) === 'LYZ, CD3E|LYZ, cd3d|LYZ, ABCD3'")
        self.assertEqual(self.browser.complaints(), [])

    def test_cell_under_the_pointer_is_named(self):
        self.open("color=ct")
        for cell in (3, 77):
            self.mouse("mouseMoved", *self.point_of(cell))
            wanted = f"cell{cell} · ct: {self.data.obs['ct'][cell]}"
            self.wait(f"(document.querySelector('.tip') || {{}}).textContent === {json.dumps(wanted)}")
        self.mouse("mouseMoved", 2, 2)
        self.wait("document.querySelector('.tip').hidden")
        self.assertEqual(self.browser.complaints(), [])

    def test_dragging_zooms_and_the_form_does_the_same(self):
        self.open("color=ct&split=ct")
        places = self.data.obsm["X_umap"]
        corners = [int(numpy.hypot(*(places - corner).T).argmin()) for corner in ((-2, -2), (3, 2))]
        (x0, y0), (x1, y1) = (self.point_of(cell) for cell in corners)
        self.mouse("mouseMoved", x0 - 4, y0 + 4)
        self.mouse("mousePressed", x0 - 4, y0 + 4, "left")
        self.mouse("mouseMoved", x1, y1, "left")
        self.assertEqual(self.browser.js("document.querySelectorAll('.plot .drag').length"), 1)
        self.mouse("mouseMoved", x1 + 4, y1 - 4, "left")
        self.mouse("mouseReleased", x1 + 4, y1 - 4, "left")
        self.wait("new URLSearchParams(location.search).get('region') && document.readyState === 'complete'")
        query = self.browser.js("Object.fromEntries(new URLSearchParams(location.search))")
        self.assertEqual((query["color"], query["split"]), ("ct", "ct"))
        ends = [float(each) for each in query["region"].split(",")]
        for cell in corners:
            self.assertTrue((places[cell] >= ends[:2]).all() and (places[cell] <= ends[2:]).all(), (cell, ends))
        dragged = self.wait("document.querySelector('figure figcaption').textContent")
        self.assertIn("in the region", dragged)
        self.browser.show(script=False)
        self.browser.open(self.server.url + "?color=ct&split=ct")
        self.browser.js(
            f"document.querySelector('input[name=region]').value = {json.dumps(query['region'])};"
            "document.querySelector('main form').submit(); 0"
        )
        self.wait("new URLSearchParams(location.search).get('region') && document.readyState === 'complete'")
        self.assertEqual(self.wait("document.querySelector('figure figcaption').textContent"), dragged)
        self.browser.show()


if __name__ == "__main__":
    unittest.main(verbosity=2)
