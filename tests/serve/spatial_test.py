"""The pages of SpatialData, recomputed by numpy: the image beneath the cells that share a coordinate system with it,
and the elements of the root."""
import base64
import concurrent.futures
import html
import json
import math
import os
import re
import sys
import tempfile
import unittest

import numpy
import zarr

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import media_stores
from images_test import drawn, reduced
from numbers_test import captions
from png_pixels import png_pixels
from server import Server


def peak(server):
    """Returns the most memory that a server had, in bytes."""
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
        return 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", file.read())[1])


def widened(shown):
    """Returns pixels with the four neighbours of each."""
    wide = shown.copy()
    wide[1:] |= shown[:-1]
    wide[:-1] |= shown[1:]
    wide[:, 1:] |= shown[:, :-1]
    wide[:, :-1] |= shown[:, 1:]
    return wide


def transformed(path, element, transformation):
    """Replaces the map from an element to the system `global`."""
    group = zarr.open_group(zarr.DirectoryStore(path), "r+")[element]
    scales = group.attrs["multiscales"]
    system = scales[0]["coordinateTransformations"][0]
    axes = {"input": system["input"], "output": system["output"]}
    scales[0]["coordinateTransformations"] = [{**axes, **transformation(axes)}]
    group.attrs["multiscales"] = scales


class Spatial(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="plainfs-test-"))
        self.path = os.path.join(folder, "cells.zarr")
        self.pixels, self.places, self.data = media_stores.spatial(self.path)

    def page(self, server, path):
        answer = server.ask(path, Accept="text/html")
        self.assertEqual(answer.status, 200, path)
        return answer.body.decode()

    def check_cells(self, figure, places):
        """Compares the dots of a plot with the places of cells in pixels of the image, and its picture with it."""
        height, width = self.pixels.shape[1:]
        figure = figure.split("</svg>")[0]  # without the key
        image = re.search(
            r'<image x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)".*?href="data:image/png;base64,([^"]*)"', figure
        )
        x, y, w, h = (int(image[i]) for i in range(1, 5))
        ends = [(plane.min(), plane.max()) for plane in self.pixels[:2]]
        numpy.testing.assert_array_equal(png_pixels(base64.b64decode(image[5])), drawn(self.pixels[:2], ends))
        drawn_dots = {
            (int(a), int(b))
            for path in re.findall(r'<path [^>]* d="([^"]*)"', figure)
            for a, b in re.findall(r"M(\d+) (\d+)h0", path)
        }
        expected = {(x + a / width * w, y + b / height * h) for a, b in places}
        self.assertLessEqual(len(drawn_dots), len(expected))
        for a, b in expected:
            near = min(max(abs(a - c), abs(b - d)) for c, d in drawn_dots)
            self.assertLessEqual(near, 1.01, (a, b))

    def test_slide_lies_beneath_the_cells_of_its_system(self):
        with Server(self.path) as server:
            for path in ("tables/table/?page", "tables/table/?color=g1", ""):
                figures = captions(self.page(server, path))
                self.check_cells(figures["tissue"][0], self.places)

    def test_transformations_of_image_and_region_are_applied(self):
        transformed(self.path, "images/tissue", lambda axes: {"type": "scale", "scale": [1, 0.5, 0.25]})
        transformed(
            self.path,
            "labels/cells",
            lambda axes: {
                "type": "sequence",
                "transformations": [
                    {"type": "scale", "scale": [0.5, 0.25], **axes},
                    {"type": "translation", "translation": [2, 1], **axes},
                ],
            },
        )
        with Server(self.path) as server:
            figure = captions(self.page(server, "tables/table/?page"))["tissue"][0]
            self.check_cells(figure, self.places + [4, 4])

    def test_affine_map_is_applied(self):
        transformed(
            self.path, "labels/cells", lambda axes: {"type": "affine", "affine": [[0, 1, 0], [1, 0, 0], [0, 0, 1]]}
        )
        with Server(self.path) as server:
            figure = captions(self.page(server, "tables/table/?page"))["tissue"][0]
            self.check_cells(figure, self.places[:, ::-1])

    def test_cells_of_another_system_have_no_slide(self):
        transformed(
            self.path, "images/tissue", lambda axes: {"type": "identity", "output": {**axes["output"], "name": "own"}}
        )
        with Server(self.path) as server:
            self.assertNotIn("<image", self.page(server, "tables/table/?page"))

    def large(self, side, chunk, compressor="default"):
        """Replaces the image with one of a single level and random rows."""
        images = zarr.open_group(zarr.DirectoryStore(self.path), "r+")["images"]
        attributes = images["tissue"].attrs.asdict()
        tissue = images.create_group("tissue", overwrite=True)
        tissue.create_dataset(
            "0",
            shape=(2, *side),
            chunks=(1, chunk, chunk),
            dtype="u1",
            compressor=compressor,
            dimension_separator="/",
            fill_value=0,
        )
        attributes["multiscales"][0]["datasets"] = attributes["multiscales"][0]["datasets"][:1]
        tissue.attrs.update(attributes)
        return tissue["0"]

    def test_image_without_levels_is_a_sample_of_its_pixels(self):
        level = self.large((4800, 4000), 800)
        level[0] = numpy.broadcast_to((numpy.arange(4800) % 251).astype("u1")[:, None], (4800, 4000))
        level[1] = numpy.broadcast_to((numpy.arange(4000) % 241).astype("u1")[None, :], (4800, 4000))
        sample = level[:][:, ::4, ::4]
        ends = [(plane.min(), plane.max()) for plane in sample]
        self.pixels = numpy.empty((2, 4800, 4000), "u1")  # for its shape
        with Server(self.path) as server:
            page = self.page(server, "tables/table/?page")
            figure = captions(page)["tissue"][0].split("</svg>")[0]
            shown = png_pixels(base64.b64decode(re.search(r'href="data:image/png;base64,([^"]*)"', figure)[1]))
            numpy.testing.assert_array_equal(shown, reduced(drawn(sample, ends), 800))
            text = self.page(server, "images/tissue/")
            self.assertIn("Shown is one pixel of each 4 × 4", text)
            preview = png_pixels(server.ask("images/tissue/preview.png").body)
            numpy.testing.assert_array_equal(preview, drawn(sample, ends))

    def test_too_large_image_is_named(self):
        self.large((20_000, 30_000), 4000)
        with Server(self.path) as server:
            for path in ("tables/table/?page", ""):
                text = self.page(server, path)
                self.assertIn("The image tissue is not drawn beneath the cells: its smallest level has 30,000", text)
                self.assertIn("<svg" if path else "<h2", text)
            self.assertIn("images/tissue has no level that is small enough for a picture of it", text)
            self.assertEqual(png_pixels(server.ask("images/tissue/?thumbnail&side=160").body).shape, (143, 143, 3))
            source = re.search(r'<img class="px"[^>]* src="([^"]*)"', self.page(server, "images/tissue/"))[1]
            self.assertEqual(
                png_pixels(server.ask("images/tissue/" + html.unescape(source)).body).shape, (1000, 1000, 3)
            )

    def test_slide_of_many_clients_takes_the_memory_of_one(self):
        level = self.large((2000, 2000), 400, None)
        level[:] = numpy.broadcast_to(numpy.arange(2000).astype("u1")[None, :, None], (2, 2000, 2000))
        with Server(self.path) as server:
            server.ask("images/tissue/?json")
            before = peak(server)
            with concurrent.futures.ThreadPoolExecutor(16) as clients:
                paths = ["tables/table/?page", "?page"] * 8
                answers = list(clients.map(lambda path: server.ask(path, Accept="text/html"), paths))
            self.assertLessEqual({answer.status for answer in answers}, {200, 503})  # a slow machine is busy
            self.assertLess(peak(server) - before, 96 << 20)  # 8 of them chunks of the image in the cache
            for path in paths[:2]:
                self.assertIn("<image", self.page(server, path))

    def outlines(self, server, name, more=""):
        """Returns the pixels of the outlines over the tissue: True where there is a line."""
        text = self.page(server, f"tables/table/?outlines={name}{more}")
        self.assertTrue(f'<option value="{name}" selected>' in text, name)
        figure, caption = captions(text)["tissue"]
        self.assertTrue(name + " in orange" in html.unescape(caption), caption)
        pictures = re.findall(r'href="data:image/png;base64,([^"]*)"', figure.split("</svg>")[0])
        self.assertEqual(len(pictures), 1 if "tissue=off" in more else 2)
        pixels = png_pixels(base64.b64decode(pictures[-1]))
        self.assertEqual({tuple(one) for one in pixels.reshape(-1, 3)}, {(0, 0, 0), (255, 140, 0)})
        return pixels[:, :, 0] == 255

    def test_labels_are_outlined_over_the_image(self):
        labels = zarr.open(zarr.DirectoryStore(self.path), "r")["labels/cells/0"][:]
        for scale, shift in ((1, (0, 0)), (0.5, (20, 7))):
            transformed(
                self.path,
                "labels/cells",
                lambda axes: {
                    "type": "affine",
                    "affine": [[scale, 0, shift[1]], [0, scale, shift[0]], [0, 0, 1]],
                },
            )
            places = (numpy.arange(800) + 0.5) * (128 / 800)
            columns = numpy.floor((places - shift[0]) / scale).astype(int)
            rows = numpy.floor((places - shift[1]) / scale).astype(int)
            objects = numpy.zeros((800, 800), int)
            y, x = numpy.meshgrid(rows, columns, indexing="ij")
            inside = (x >= 0) & (x < 128) & (y >= 0) & (y < 128)
            objects[inside] = labels[y[inside], x[inside]]
            padded = numpy.pad(objects, 1, "edge")
            edges = numpy.zeros_like(objects, bool)
            for down, right in ((0, 1), (2, 1), (1, 0), (1, 2)):
                edges |= padded[down : down + 800, right : right + 800] != objects
            with Server(self.path) as server:
                numpy.testing.assert_array_equal(self.outlines(server, "labels/cells"), widened(edges & (objects != 0)))
                numpy.testing.assert_array_equal(
                    self.outlines(server, "labels/cells", "&tissue=off"), widened(edges & (objects != 0))
                )

    def test_labels_of_a_large_level_are_a_sample(self):
        group = zarr.open_group(zarr.DirectoryStore(self.path), "r+")["labels/cells"]
        labels = numpy.repeat(numpy.repeat(group["0"][:], 16, 0), 16, 1)  # 2^22 pixels
        attributes = group.attrs.asdict()
        scale = {"type": "scale", "scale": [1 / 16, 1 / 16]}
        system = attributes["multiscales"][0]["coordinateTransformations"][0]
        attributes["multiscales"][0]["coordinateTransformations"] = [{**system, **scale}]
        group.create_dataset("0", data=labels, chunks=(512, 512), dimension_separator="/", overwrite=True)
        group.attrs.put(attributes)
        sample = labels[::2, ::2]
        places = numpy.floor((numpy.arange(800) + 0.5) * (1024 / 800)).astype(int)
        objects = numpy.pad(sample[numpy.ix_(places, places)], 1, "edge")
        inner = objects[1:-1, 1:-1]
        edges = (objects[:-2, 1:-1] != inner) | (objects[2:, 1:-1] != inner)
        edges |= (objects[1:-1, :-2] != inner) | (objects[1:-1, 2:] != inner)
        with Server(self.path) as server:
            numpy.testing.assert_array_equal(self.outlines(server, "labels/cells"), widened(edges & (inner != 0)))

    def draw(self, rings, shown):
        """Sets the pixels of closed rings, in pixels of the picture."""
        for ring in rings:
            for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
                steps = max(1, math.ceil(max(abs(x1 - x0), abs(y1 - y0))))
                for i in range(steps + 1):
                    x = math.floor(x0 + (x1 - x0) * i / steps)
                    y = math.floor(y0 + (y1 - y0) * i / steps)
                    if 0 <= x < 800 and 0 <= y < 800:
                        shown[y, x] = True

    def test_shapes_are_outlined_by_their_transformation(self):
        random = numpy.random.default_rng(3)
        rings = []
        for x, y in self.places:
            ring = [(x + dx / 4, y + dy / 4) for dx, dy in random.integers(-20, 21, (5, 2))]
            rings.append(ring + ring[:1])
        rings.append([(-500.0, 3.0), (700.0, 4.0), (90.0, 900.0), (-500.0, 3.0)])  # beyond the image
        outlines = [media_stores.polygon(ring) for ring in rings[:-2]]
        outlines.append(media_stores.polygon(rings[-2], rings[-1]))  # a polygon and its hole
        scale = {"type": "scale", "scale": [0.5, 2.0]}
        media_stores.shapes(self.path, "shapes", "outlines", {"geometry": outlines}, scale, ["geometry"])
        shown = numpy.zeros((800, 800), bool)
        self.draw([[(x * 0.5 / (128 / 800), y * 2.0 / (128 / 800)) for x, y in ring] for ring in rings], shown)
        with Server(self.path) as server:
            numpy.testing.assert_array_equal(self.outlines(server, "shapes/outlines"), widened(shown))

    def test_circles_and_points_are_drawn_at_their_places(self):
        identity = {"type": "identity"}
        spots = [media_stores.point(x, y) for x, y in self.places]
        radius = [2.0] * len(spots)
        media_stores.shapes(
            self.path, "shapes", "spots", {"geometry": spots, "radius": radius}, identity, ["geometry"]
        )
        media_stores.shapes(
            self.path, "points", "molecules", {"x": list(self.places[:, 0]), "y": list(self.places[:, 1])}, identity
        )
        circles, dots = numpy.zeros((800, 800), bool), numpy.zeros((800, 800), bool)
        angles = 2 * math.pi * (numpy.arange(33) % 32) / 32
        unit = 128 / 800
        self.draw(
            [[((x + 2 * math.cos(a)) / unit, (y + 2 * math.sin(a)) / unit) for a in angles] for x, y in self.places],
            circles,
        )
        for x, y in self.places:
            column, row = (int(math.floor(place / unit + 0.5)) for place in (x, y))
            dots[row - 1 : row + 1, column - 1 : column + 1] = True
        with Server(self.path) as server:
            found = self.outlines(server, "shapes/spots")
            self.assertLess((found != widened(circles)).sum(), 20)  # a sine may differ in its last digit
            numpy.testing.assert_array_equal(self.outlines(server, "points/molecules"), widened(dots))

    def test_shapes_that_cannot_be_drawn_are_a_note(self):
        identity = {"type": "identity"}
        media_stores.shapes(self.path, "shapes", "nameless", {"area": [1.0, 2.0]}, identity)
        media_stores.shapes(self.path, "shapes", "opaque", {"geometry": [b"\xff\xfe", b"\xff"]}, identity)
        own = {"type": "identity", "output": {"name": "own"}}
        media_stores.shapes(self.path, "shapes", "elsewhere", {"x": [1.0], "y": [2.0]}, own)
        with Server(self.path) as server:
            for name, reason in (
                ("nameless", "its table has neither geometries nor columns x and y"),
                ("opaque", "a geometry is neither WKB nor WKT"),
            ):
                text = self.page(server, "tables/table/?outlines=shapes/" + name)
                note = re.search('<p class="note"[^>]*>(.*?)</p>', text)[1]
                self.assertIn(f"shapes/{name} is not drawn: {reason}", note)
                self.assertEqual(text.count("<image"), 1)
            text = html.unescape(self.page(server, "tables/table/?outlines=shapes/elsewhere"))
            self.assertTrue("There are no outlines 'shapes/elsewhere' over a slide." in text)
            self.assertFalse('value="shapes/elsewhere"' in text)

    def test_tissue_is_hidden_on_request(self):
        with Server(self.path) as server:
            shown = self.page(server, "tables/table/?color=kind")
            self.assertIn('class="plot over"', shown)
            self.assertIn('href="?color=kind&amp;tissue=off"', shown)
            hidden = self.page(server, "tables/table/?color=kind&tissue=off")
            self.assertNotIn("<image", hidden)
            self.assertIn("<svg", hidden)
            wrong = html.unescape(self.page(server, "tables/table/?tissue=x"))
            self.assertIn("tissue: 'x' is not 'off'", wrong)

    def test_root_has_a_table_of_its_elements(self):
        with Server(self.path) as server:
            found = json.loads(server.ask("?json").body)["elements"]
            rows = {row[0]: row for row in found["rows"]}
            self.assertEqual(
                {name: row[1] for name, row in rows.items()}, {"tissue": "images", "cells": "labels", "table": "tables"}
            )
            self.assertEqual((rows["tissue"][3], rows["cells"][3], rows["table"][3]), ("global", "global", ""))
            text = self.page(server, "")
            for href in ("images/tissue/", "labels/cells/", "tables/table/"):
                self.assertIn(f'<a href="{href}">', text)
                self.assertEqual(server.ask(href, Accept="text/html").status, 200)
            self.assertEqual(png_pixels(server.ask("labels/cells/?thumbnail&side=160").body).shape, (128, 128, 3))


if __name__ == "__main__":
    unittest.main()
