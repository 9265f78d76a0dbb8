"""Pictures of images and plates on the pages of `plainfs serve`, recomputed by numpy from the pixels: contrast,
channels, thumbnails. The random stores are made here."""
import os
import re
import sys
import tempfile
import unittest
import urllib.parse

import numpy
import zarr

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import media_stores
from numbers_test import captions, text_of
from png_pixels import png_pixels
from server import Server

COLOURS = ((0, 0, 255), (0, 255, 0))
WINDOWS = ((150, 3000), (100, 2000))


def drawn(pixels, windows, channels=(0, 1)):
    """Returns planes (c, y, x) as red, green and blue, each channel from its dark to its bright value."""
    sums = numpy.zeros((*pixels.shape[1:], 3))
    for c in channels:
        dark, bright = windows[c]
        part = numpy.clip((pixels[c].astype("f8") - dark) / (bright - dark), 0, 1)
        sums += part[:, :, None] * (numpy.array(COLOURS[c]) if len(pixels) > 1 else 255)
    return numpy.floor(numpy.minimum(sums, 255) + 0.5).astype("u1")


def reduced(colours, side):
    """Returns the rounded means of squares, so that no side is longer."""
    height, width = colours.shape[:2]
    step = -(-max(height, width) // side)
    rows = []
    for y in range(0, height, step):
        squares = [colours[y : y + step, x : x + step].reshape(-1, 3) for x in range(0, width, step)]
        rows.append([(square.sum(0, dtype="i8") + len(square) // 2) // len(square) for square in squares])
    return numpy.array(rows, dtype="u1")


def address(**query):
    return urllib.parse.urlencode(query)


class Images(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="plainfs-test-"))
        self.random = numpy.random.default_rng(5)

    def served(self, name):
        return self.enterContext(Server(os.path.join(self.folder, name)))

    def image(self, side=(40, 64), levels=1, windows=WINDOWS, **more):
        pixels = self.random.integers(100, 4200, (2, *side), dtype="u2")
        root = zarr.open_group(zarr.DirectoryStore(os.path.join(self.folder, "image.zarr")), "w")
        media_stores.image(root, pixels, levels, windows, **more)
        return pixels, self.served("image.zarr")

    def picture(self, server, path):
        answer = server.ask(path)
        self.assertEqual((answer.status, answer["Content-Type"]), (200, "image/png"), path)
        return png_pixels(answer.body)

    def page(self, server, path, accept="text/html"):
        answer = server.ask(path, Accept=accept)
        self.assertEqual(answer.status, 200, path)
        return answer.body.decode()

    def test_each_channel_has_its_own_contrast(self):
        pixels, server = self.image()
        for query, windows, channels in (
            ({}, WINDOWS, (0, 1)),
            ({"min0": 1000, "max0": 1500}, ((1000, 1500), (100, 2000)), (0, 1)),
            ({"max1": 4000.5}, ((150, 3000), (100, 4000.5)), (0, 1)),
            ({"min0": 3000, "max0": 150}, ((3000, 150), (100, 2000)), (0, 1)),
            ({"min": 200, "max": 300, "max1": 900}, ((200, 300), (200, 900)), (0, 1)),
            ({"c": "GFP"}, WINDOWS, (1,)),
            ({"c": "GFP, DAPI", "min1": 5}, ((150, 3000), (5, 2000)), (0, 1)),
        ):
            with self.subTest(query):
                found = self.picture(server, "preview.png?" + address(**query) if query else "preview.png")
                numpy.testing.assert_array_equal(found, drawn(pixels, windows, channels))
                text = self.page(server, "?" + address(**query))
                caption = captions(text)["Picture"][1]
                for c, name in enumerate(("DAPI", "GFP")):
                    shown = "{} from {:,g} to {:,g}".format(name, *windows[c]).replace("4,000.5", "4,001")
                    self.assertEqual(shown in caption, c in channels, caption)
                    for end, value in zip(("min", "max"), windows[c]):
                        field = re.search(rf'<input name="{end}{c}" value="([^"]*)"', text)
                        self.assertEqual(field and float(field[1]), value if c in channels else None)
                source = re.search(r'<img class="px"[^>]* src="([^"]*)"', text)[1].replace("&amp;", "&")
                numpy.testing.assert_array_equal(self.picture(server, source), found)

    def test_contrast_without_a_stated_one_is_that_of_the_values(self):
        pixels, server = self.image(windows=None)
        ends = []
        for plane in pixels:
            ordered = numpy.sort(plane.ravel())
            cut = (len(ordered) - 1) // 1000
            ends.append((ordered[cut], ordered[-1 - cut]))
        numpy.testing.assert_array_equal(self.picture(server, "preview.png"), drawn(pixels, ends))
        caption = captions(self.page(server, "?page"))["Picture"][1]
        self.assertIn("DAPI from the 0.1 to the 99.9 percentile of its values", caption)
        answer = server.ask("preview.png?min0=5")
        self.assertEqual(answer.status, 400)
        self.assertIn(b"min0: '5' needs the other end of the contrast", answer.body)

    def test_picture_has_its_shape_and_a_description(self):
        for side in ((40, 64), (64, 64), (90, 20)):
            _, server = self.image(side)
            tag = re.search(r'<img class="px" width="(\d+)" height="(\d+)" alt="([^"]*)"', self.page(server, "?c=GFP"))
            height, width = side
            self.assertAlmostEqual(int(tag[1]) * height / width / int(tag[2]), 1, 2)
            self.assertLessEqual((int(tag[1]), int(tag[2])), (640, 640))
            self.assertEqual(tag[3], f"image.zarr: GFP, {width} × {height} pixels")

    def test_heading_names_the_format_once(self):
        _, server = self.image()
        text = self.page(server, "?page")
        self.assertEqual(re.search("<header>.*?</header>", text, re.S)[0].count("OME-Zarr"), 1)

    def test_query_that_the_image_cannot_follow_is_refused(self):
        _, server = self.image()
        refused = "c=2 c=RFP c=%FF min0=x max0=nan min0=1e999 min7=1 z=1 w=0 x=99999999999999999999".split()
        for query in refused:
            with self.subTest(query):
                answer = server.ask("preview.png?" + query)
                self.assertEqual(answer.status, 400)
                self.assertGreater(len(answer.body), 10)
                self.assertEqual(server.ask("?thumbnail&" + query).status, 400)
                self.assertIn('role="alert"', self.page(server, "?" + query))

    def test_plate_is_a_grid_of_its_wells(self):
        wells = [(0, 0), (0, 2), (1, 1), (1, 2)]
        built = media_stores.plate(
            os.path.join(self.folder, "plate.zarr"), ["A", "B"], ["1", "2", "03"], wells, 2, 130, 3, WINDOWS
        )
        server = self.served("plate.zarr")
        text = self.page(server, "?page")
        table = re.search(r'<table class="plate">(.*?)</table>', text, re.S)[1]
        rows = [re.findall(r"<t[hd].*?</t[hd]>", row, re.S) for row in re.findall("<tr>(.*?)</tr>", table, re.S)]
        self.assertEqual([text_of(cell) for cell in rows[0]], ["", "1", "2", "03"])
        self.assertEqual([text_of(row[0]) for row in rows[1:]], ["A", "B"])
        names = {}
        for r, row in enumerate(rows[1:]):
            for c, cell in enumerate(row[1:]):
                found = re.search(r'<a href="([^"]*)"><img loading="lazy"[^>]* alt="([^"]*)" src="([^"]*)"', cell)
                self.assertEqual(found is not None, (r, c) in wells)
                if found:
                    names[r, c] = found[2]
                    source = found[3].replace("&amp;", "&")
                    expected = reduced(drawn(built[r, c, 0], WINDOWS), 96)
                    numpy.testing.assert_array_equal(self.picture(server, source), expected)
                    self.assertIn(f"<h1>{found[2]}</h1>", self.page(server, found[1].replace("&amp;", "&")))
        self.assertEqual(names, {(0, 0): "A1", (0, 2): "A03", (1, 1): "B2", (1, 2): "B03"})

    def test_plate_has_one_contrast_for_all_wells(self):
        wells = [(0, 0), (0, 1)]
        built = media_stores.plate(os.path.join(self.folder, "plate.zarr"), ["A"], ["1", "2"], wells, 2, 64, 1, WINDOWS)
        server = self.served("plate.zarr")
        text = self.page(server, "?c=DAPI&min0=500&max0=900&field=1")
        sources = re.findall(r'alt="A\d" src="([^"]*)"', text)
        for (r, c), source in zip(wells, sources):
            expected = reduced(drawn(built[r, c, 1], ((500, 900), None), (0,)), 96)
            numpy.testing.assert_array_equal(self.picture(server, source.replace("&amp;", "&")), expected)
        self.assertEqual(captions(text)["Wells"][1], "Dark to bright: DAPI from 500 to 900")
        self.assertIn("field: &#39;7&#39; is not from 0 to 1", self.page(server, "?field=7").replace("'", "&#39;"))
        self.assertEqual(server.ask("A/1/?thumbnail&field=2").status, 400)
        self.assertEqual(server.ask("A/1/?thumbnail&field=x").status, 400)

    def test_well_shows_its_fields(self):
        built = media_stores.plate(
            os.path.join(self.folder, "plate.zarr"), ["A"], ["1", "2", "3"], [(0, 0), (0, 1), (0, 2)], 3, 50, 1, WINDOWS
        )
        server = self.served("plate.zarr")
        text = self.page(server, "A/2/")
        fields = re.findall(r'<a href="([^"]*)"><img loading="lazy"[^>]* alt="([^"]*)" src="([^"]*)"', text)
        self.assertEqual([name for _, name, _ in fields], ["field 0", "field 1", "field 2"])
        for i, (href, _, source) in enumerate(fields):
            expected = drawn(built[0, 1, i], WINDOWS)
            numpy.testing.assert_array_equal(self.picture(server, "A/2/" + source.replace("&amp;", "&")), expected)
            self.assertIn(f"<h1>A2, field {i}</h1>", self.page(server, "A/2/" + href.replace("&amp;", "&")))
        self.assertEqual(re.findall(r'href="(\.\./\.\./[^"]*)"', text)[-2:], ["../../A/1/", "../../A/3/"])

    def test_thumbnail_that_the_browser_has_is_not_sent_again(self):
        media_stores.plate(os.path.join(self.folder, "plate.zarr"), ["A"], ["1"], [(0, 0)])
        server = self.served("plate.zarr")
        first = server.ask("A/1/?thumbnail&side=32")
        self.assertEqual(server.ask("A/1/?thumbnail&side=32", If_None_Match=first["ETag"]).status, 304)
        self.assertEqual(server.ask("A/1/?thumbnail&side=48", If_None_Match=first["ETag"]).status, 200)

    def test_wells_that_the_store_lacks_are_empty(self):
        path = os.path.join(self.folder, "plate.zarr")
        media_stores.plate(path, ["A"], ["1", "2"], [(0, 0), (0, 1)])
        root = zarr.open_group(zarr.DirectoryStore(path), "r+")
        stated = root.attrs["plate"]
        stated["wells"] += [{"path": "B/9"}, {"path": "../x"}, {"path": "A/1"}, 7]
        stated["columns"].append({"name": "5"})
        stated["wells"].append({"path": "A/5", "rowIndex": 0, "columnIndex": 2})
        root.attrs["plate"] = stated
        text = self.page(self.served("plate.zarr"), "?page")
        self.assertEqual(text.count('loading="lazy"'), 2)
        self.assertIn("4 wells are left out", text)

    def test_page_of_384_wells_opens_few_of_them(self):
        letters = [chr(ord("A") + r) for r in range(16)]
        numbers = [str(c + 1) for c in range(24)]
        path = os.path.join(self.folder, "plate.zarr")
        media_stores.plate(path, letters, numbers, [(0, 0)], 1, 32, 1)
        root = zarr.open_group(zarr.DirectoryStore(path), "r+")
        for r, letter in enumerate(letters):
            for number in numbers:
                os.makedirs(os.path.join(path, letter, number), exist_ok=True)
        stated = root.attrs["plate"]
        stated["wells"] = [
            {"path": f"{letter}/{number}", "rowIndex": r, "columnIndex": c}
            for r, letter in enumerate(letters)
            for c, number in enumerate(numbers)
        ]
        root.attrs["plate"] = stated
        for r, letter in enumerate(letters):  # groups without an image: opening one would be a note on the page
            with open(os.path.join(path, letter, ".zgroup"), "w", encoding="utf-8") as file:
                file.write('{"zarr_format": 2}')
            for number in numbers:
                with open(os.path.join(path, letter, number, ".zgroup"), "w", encoding="utf-8") as file:
                    file.write('{"zarr_format": 2}')
        text = self.page(self.served("plate.zarr"), "?page")
        self.assertEqual(text.count('loading="lazy"'), 384)
        self.assertLess(len(text), 300_000)
        self.assertNotIn('class="note"', text)


if __name__ == "__main__":
    unittest.main()
