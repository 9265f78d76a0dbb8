"""The pages of CF variables, recomputed from random stores by xarray and numpy: the colour of each element of a map,
the places of a line, the ticks, the links over a map and the numbers below it. The seeds are 1 to 6, or more with
PLAINFS_TEST_EFFORT."""
import base64
import html
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zipfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import PROGRAM, Server
from effort import EFFORT  # after server, which sets its path
from optional import import_or_exit

netCDF4, xarray, numpy, zarr = import_or_exit("netCDF4", "xarray", "numpy", "zarr")
import cftime  # netCDF4 needs it

STORES = 6 * EFFORT
NUMBER = r"(-?[\d,]*\.?\d+(?:e[+-]\d+)?)"
CALENDARS = ("standard", "proleptic_gregorian", "noleap", "360_day", "julian")
MISSING = -32768


def random_values(generator, kind, shape):
    """Returns the values as stored, their attributes, and the decoded values as doubles."""
    real = generator.normal(280, 20, shape)
    gaps = generator.random(shape) < generator.choice([0, 0.1, 1], p=[0.5, 0.45, 0.05])
    if kind == "packed":
        stored = numpy.where(gaps, MISSING, numpy.round((real - 280) / 0.01)).astype("i2")
        attributes = {"scale_factor": 0.01, "add_offset": 280.0, "_FillValue": numpy.int16(MISSING)}
        return stored, attributes, numpy.where(gaps, numpy.nan, stored * 0.01 + 280.0)
    if kind == "single":
        stored = numpy.where(gaps, numpy.nan, real).astype("f4")
        if generator.random() < 0.3 and stored.size > 2:
            stored.flat[generator.integers(stored.size)] = numpy.inf
        return stored, {}, stored.astype("f8")
    if kind == "whole":
        stored = numpy.where(gaps, 99, generator.integers(-5, 9, shape)).astype("i1")
        return stored, {"missing_value": numpy.int8(99)}, numpy.where(gaps, numpy.nan, stored.astype("f8"))
    return real, {}, real


def random_axis(generator, name, length):
    """Returns a coordinate as stored with its attributes, or None."""
    if name == "time":
        steps = numpy.cumsum(generator.integers(1, 30, length)) if generator.random() < 0.5 else numpy.arange(length)
        calendar = str(generator.choice(CALENDARS))
        return steps.astype("i4"), {"units": "hours since 2000-02-27 06:00:00", "calendar": calendar}
    if name == "latitude":
        values = numpy.linspace(-80, 75, length) if generator.random() < 0.5 else numpy.linspace(60, 35, length)
        return values.round(3), {"units": "degrees_north"}
    if name == "longitude":
        first = float(generator.choice([-180, 0]))
        return (first + numpy.arange(length) * 360 / length).round(3), {"units": "degrees_east"}
    if name == "level":
        values = numpy.sort(generator.choice(numpy.arange(1, 1000), length, replace=False)).astype("f4")
        return values, {"units": "hPa", "positive": "down"}
    if name in ("y", "x"):
        return 1e6 + 25e3 * numpy.arange(length), {"units": "m", "standard_name": f"projection_{name}_coordinate"}
    return None  # "member"


DIMENSIONS = (
    ("time", "latitude", "longitude"),
    ("time", "level", "latitude", "longitude"),
    ("latitude", "longitude"),
    ("time", "y", "x"),
    ("member", "time"),
    ("longitude", "level", "latitude"),
    ("time",),
    ("level",),
)


class Store:
    """A random dataset on disk, and what its pages have to show."""

    def __init__(self, seed, folder):
        generator = numpy.random.default_rng(seed)
        names = sorted({name for dimensions in DIMENSIONS for name in dimensions})
        self.lengths = {name: int(generator.integers(2, 14)) for name in names}
        if seed % 3 == 0:
            self.lengths["longitude"], self.lengths["latitude"] = 50, 41
        self.axes = {name: random_axis(generator, name, self.lengths[name]) for name in names}
        self.values, variables = {}, {}
        for number, dimensions in enumerate(DIMENSIONS):
            kind = str(generator.choice(["packed", "single", "whole", "double"]))
            shape = tuple(self.lengths[name] for name in dimensions)
            stored, attributes, decoded = random_values(generator, kind, shape)
            variables[f"v{number}"] = (dimensions, stored, {"units": "K", "long_name": "A <b>name</b>", **attributes})
            self.values[f"v{number}"] = (dimensions, decoded)
        coordinates = {name: ((name,), *axis) for name, axis in self.axes.items() if axis}
        dataset = xarray.Dataset(variables, coordinates, {"title": "Random <i>values</i>"})
        self.path = os.path.join(folder, f"random{seed}." + ("zarr" if seed % 3 == 1 else "nc"))
        if seed % 3 == 1:
            dataset.to_zarr(self.path)
        else:
            dataset.to_netcdf(self.path, format="NETCDF4" if seed % 3 == 0 else "NETCDF3_64BIT")
        self.check()

    def check(self):
        """The values expected here are those that xarray reads."""
        opened = (xarray.open_zarr if self.path.endswith("zarr") else xarray.open_dataset)(
            self.path, decode_times=False
        )
        for name, (_, decoded) in self.values.items():
            numpy.testing.assert_allclose(opened[name].values.astype("f8"), decoded, rtol=2e-6)
        opened.close()

    def text(self, name, index):
        """Returns the text of a coordinate that finds it again."""
        if not self.axes[name]:
            return str(index)
        values, attributes = self.axes[name]
        if name == "time":
            date = cftime.num2date(values[index], attributes["units"], attributes["calendar"])
            return date.strftime("%Y-%m-%dT%H:%M:%S")
        return str(float(values[index])) if values.dtype == "f8" else repr(values[index].item())

    def shown(self, name, index):
        """Returns the text of a coordinate in a caption."""
        if not self.axes[name]:
            return f"number {index}"
        if name == "time":
            return self.text(name, index)
        value = float(self.axes[name][0][index])
        if name == "latitude":
            return f"{abs(value):.10g}°" + ("N" if value > 0 else "S" if value < 0 else "")
        if name == "longitude":
            return f"{abs(value):.10g}°" + ("E" if value > 0 else "W" if value < 0 else "")
        return f"{value:.10g} {self.axes[name][1]['units']}"


def decoded_png(source):
    """Returns the colour numbers of a picture, and its palette. Colour 0 must be transparent."""
    data, chunks = base64.b64decode(source), {}
    at = 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        chunks[name] = data[at + 8 : at + 8 + length]
        at += length + 12
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, kind, chunks[b"tRNS"]) == (8, 3, b"\0")
    lines = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), "u1").reshape(height, width + 1)
    assert not lines[:, 0].any()  # no filter
    return lines[:, 1:], list(chunks[b"PLTE"])


def colours(values, low, high):
    """Returns 0 for missing values, and 1 to 255 from the least to the greatest."""
    with numpy.errstate(invalid="ignore"):
        part = numpy.clip((values - low) / (high - low), 0, 1) if high > low else numpy.full(values.shape, 0.5)
    return numpy.where(numpy.isfinite(values), 1 + numpy.floor(254 * numpy.nan_to_num(part) + 0.5), 0)


def is_turned_row(store, name):
    """Returns whether the last element along rows of a map is at its top."""
    if not store.axes[name]:
        return True
    values, attributes = store.axes[name]
    rises = values[-1] > values[0]
    return not rises if name == "time" or attributes.get("positive") == "down" else rises


class Page:
    def __init__(self, test, server, path, query, status=200):
        answer = server.ask(path + "?page&" + urllib.parse.urlencode(query), Accept="text/html")
        test.assertEqual(answer.status, status, (path, query))
        self.text = answer.body.decode()

    def image(self):
        place = r'<image x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]*base64,([^"]+)"'
        return re.search(place, self.text)

    def captions(self):
        return [html.unescape(text) for text in re.findall("<figcaption>(.*?)</figcaption>", self.text)]


class Variables(unittest.TestCase):
    def each_store(self):
        for seed in range(1, 1 + STORES):
            with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
                store = Store(seed, folder)
                with self.subTest(seed=seed), Server(store.path) as server:
                    yield random.Random(seed), store, server

    def assert_numbers(self, caption, values):
        """The numbers of a caption are those of the values, with four digits."""
        kept = values[numpy.isfinite(values)]
        if len(kept) == 0:
            self.assertIn("There is no value", caption)
            return
        found = re.search(rf"([\d,]+) values? from {NUMBER} to {NUMBER} K, mean {NUMBER} K(?:; (.*?))?\.", caption)
        self.assertTrue(found, caption)
        count, *numbers = (float(text.replace(",", "")) for text in found.groups()[:4])
        self.assertEqual(count, len(kept))
        for shown, number in zip(numbers, (kept.min(), kept.max(), kept.mean())):
            self.assertLessEqual(abs(shown - number), 5.1e-4 * abs(number) + 1e-9, caption)
        missing, infinite = numpy.isnan(values).sum(), numpy.isinf(values).sum()
        parts = [f"{n} {word}" for n, word in ((missing, "missing"), (infinite, "infinite")) if n]
        self.assertEqual(found[5] or "", ", ".join(parts))

    def place(self, chooser, store, dimensions, of):
        return {name: chooser.randrange(store.lengths[name]) for name in dimensions if name in of}

    def at(self, store, place):
        return ",".join(f"{name}:{store.text(name, index)}" for name, index in place.items())

    def test_maps_are_those_of_the_store(self):
        # VIEWS 11 "A map has the values of two axes", VIEWS 11 "Missing and infinite values are hatched"
        # VIEWS 11 "Latitudes and y rise to the top"
        maps = 0
        for chooser, store, server in self.each_store():
            for name, (dimensions, values) in store.values.items():
                if len(dimensions) < 2:
                    continue
                for _ in range(3):
                    rows, columns = chooser.sample(dimensions, 2)
                    geographic = {"latitude", "longitude"} <= set(dimensions)
                    query = {"map": f"{rows},{columns}"}
                    if chooser.random() < 0.4:
                        query = {}
                        rows, columns = ("latitude", "longitude") if geographic else dimensions[-2:]
                    place = self.place(chooser, store, dimensions, set(dimensions) - {rows, columns})
                    if place:
                        query["at"] = self.at(store, place)
                    self.check_map(store, Page(self, server, name, query), name, rows, columns, place)
                    maps += 1
        self.assertGreater(maps, 60)

    def check_map(self, store, page, name, rows, columns, place):
        dimensions, values = store.values[name]
        array = xarray.DataArray(values, dims=dimensions).isel(place).transpose(rows, columns).values
        kept = array[numpy.isfinite(array)]
        low, high = (kept.min(), kept.max()) if len(kept) else (0, 0)
        if is_turned_row(store, rows):
            shown = array[::-1]
        else:
            shown = array
        if store.axes[columns] and store.axes[columns][0][-1] < store.axes[columns][0][0]:
            shown = shown[:, ::-1]
        drawn, palette = decoded_png(page.image()[5])
        expected = colours(shown, low, high)
        self.assertEqual(drawn.shape, expected.shape)
        # A value between two colours may have either.
        self.assertLessEqual(numpy.abs(drawn.astype(int) - expected).max(), 1)
        self.assertGreater((drawn == expected).mean(), 0.97)
        numpy.testing.assert_array_equal(drawn == 0, expected == 0)
        self.assertEqual(palette[3:6], [71, 1, 85])
        self.assert_numbers(page.captions()[0], array)
        for dimension, index in place.items():
            self.assertIn(f"{dimension} {store.shown(dimension, index)}", page.captions()[0])

    def test_lines_are_those_of_the_store(self):
        # VIEWS 11 "With a place on the map", VIEWS 11 "`?at=DIM:VALUE,DIM:VALUE` is a place"
        # VIEWS 11 "Both pictures are files"
        lines = 0
        for chooser, store, server in self.each_store():
            for name, (dimensions, values) in store.values.items():
                along = chooser.choice(dimensions)
                place = self.place(chooser, store, dimensions, set(dimensions) - {along})
                query = {"along": along, "at": self.at(store, place)}
                page = Page(self, server, name, {key: value for key, value in query.items() if value})
                line = xarray.DataArray(values, dims=dimensions).isel(place).values
                self.assert_numbers(page.captions()[-1], line)
                self.check_line(store, page, along, line)
                if place:
                    file = re.search(r'Download this line</h2><span class="views"><a href="([^"]+)">', page.text)
                    self.check_table(server, html.unescape(file[1]), line)
                    if chooser.random() < 0.4:
                        self.check_other_forms(server, html.unescape(file[1])[: -len("csv")], name, place, line)
                lines += 1
        self.assertGreater(lines, 40)

    def check_table(self, server, path, values):
        table = server.ask(path)
        self.assertEqual(table.status, 200, path)
        column = [line.rpartition(",")[2] for line in table.body.decode().splitlines()[1:]]
        found = numpy.array([numpy.nan if text == "NA" else float(text) for text in column])
        numpy.testing.assert_allclose(found, values, rtol=1e-6)

    def check_other_forms(self, server, path, name, place, values):
        # VIEWS 13 "With `.parquet`, `.xlsx` or `.rds`"
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            for ending in ("nc", "parquet", "rds", "xlsx"):
                answer = server.ask(path + ending)
                self.assertEqual(answer.status, 200, path + ending)
                with open(os.path.join(folder, "part." + ending), "wb") as file:
                    file.write(answer.body)
            with xarray.open_dataset(os.path.join(folder, "part.nc"), decode_times=False) as part:
                numpy.testing.assert_allclose(part[name].values.ravel().astype("f8"), values, rtol=2e-6)
                self.assertEqual({each: part.sizes[each] for each in place}, dict.fromkeys(place, 1))
            for ending in ("parquet", "rds"):
                target = os.path.join(folder, ending + ".csv")
                store = os.path.join(folder, "part." + ending)
                subprocess.run([PROGRAM, "export", store, target], check=True, capture_output=True, timeout=120)
                with open(target, encoding="utf-8") as table:
                    column = [line.rstrip("\n").rpartition(",")[2] for line in list(table)[1:]]
                found = numpy.array([numpy.nan if text in ("NA", "") else float(text) for text in column])
                numpy.testing.assert_allclose(found, values, rtol=1e-6)
            with zipfile.ZipFile(os.path.join(folder, "part.xlsx")) as book:
                sheet = book.read("xl/worksheets/sheet1.xml").decode()
            self.assertEqual(len(re.findall("<row ", sheet)), 1 + len(values))

    def check_line(self, store, page, along, line):
        svg = re.search(r'<svg class="plot[^>]*aria-labelledby="line-t.*?</svg>', page.text, re.S)[0]
        path = re.search(r'class="k0" d="([^"]*)"', svg)[1]
        points = [tuple(map(float, point.split())) for point in re.findall(r"[ML]([\d. -]+)", path)]
        kept = line[numpy.isfinite(line)]
        self.assertEqual(len(points), len(kept))
        if len(kept) == 0:
            return
        grid = re.search(r'class="grid" d="M([\d.]+) [\d.]+h([\d.]+)"', svg)
        height = float(re.search(r'viewBox="0 0 \d+ (\d+)"', svg)[1]) - 14 - 40
        low, high = kept.min(), kept.max()
        if not grid or high == low:
            return
        left, width = float(grid[1]), float(grid[2])
        positions = store.axes[along][0].astype("f8") if store.axes[along] else numpy.arange(len(line), dtype="f8")
        parts = (positions - positions.min()) / (positions.max() - positions.min())
        for (x, y), part, value in zip(points, parts[numpy.isfinite(line)], kept):
            self.assertAlmostEqual(x, left + part * width, delta=0.15)
            self.assertAlmostEqual(y, 14 + (1 - (value - low) / (high - low)) * height, delta=0.11)

    def test_link_over_a_map_chooses_the_point_below_it(self):
        # VIEWS 11 "Each part of the map is a link"
        links = 0
        for chooser, store, server in self.each_store():
            for name in ("v0", "v1", "v2", "v3"):
                page = Page(self, server, name, {})
                x0, y0, width, height = (float(text) for text in page.image().groups()[:4])
                cell = r'<a href="([^"]+)" rel="nofollow" tabindex="-1"><path d="M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)'
                found = re.findall(cell, page.text)
                href, *numbers = chooser.choice(found)
                x, y, w, h = map(float, numbers)
                chosen = Page(self, server, name, dict(urllib.parse.parse_qsl(html.unescape(href)[1:])))
                ring = re.search(r'<circle class="ring" cx="([\d.]+)" cy="([\d.]+)"', chosen.text)
                self.assertLessEqual(abs(float(ring[1]) - (x + w / 2)), w / 2 + 0.2, (name, href))
                self.assertLessEqual(abs(float(ring[2]) - (y + h / 2)), h / 2 + 0.2, (name, href))
                self.assertTrue(x0 - 0.1 <= x and x + w <= x0 + width + 0.2 and y + h <= y0 + height + 0.2)
                self.assertIn("<h2>Along ", chosen.text)
                links += 1
        self.assertGreater(links, 20)

    def test_values_beside_the_pictures_are_those_of_the_store(self):
        for chooser, store, server in self.each_store():
            name = chooser.choice([name for name in store.values if len(store.values[name][0]) > 1])
            dimensions, values = store.values[name]
            grid = json.loads(server.ask(name + "?json").body)["first_rows"]
            geographic = {"latitude", "longitude"} <= set(dimensions)
            rows, columns = ("latitude", "longitude") if geographic else dimensions[-2:]
            place = {dimension: 0 for dimension in dimensions if dimension not in (rows, columns)}
            array = xarray.DataArray(values, dims=dimensions).isel(place).transpose(rows, columns).values[:12, :12]
            self.assertEqual(grid["header"][1], store.text(columns, 0).removesuffix(".0"))
            found = [[numpy.nan if text in (None, "NaN") else float(text) for text in row[1:]] for row in grid["rows"]]
            numpy.testing.assert_allclose(numpy.array(found), array, rtol=1e-6)

    def test_address_gives_the_ends_of_the_colours(self):
        # VIEWS 11 "The colours run from"
        for chooser, store, server in self.each_store():
            low, high = sorted(chooser.sample(range(-300, 300), 2))
            values = store.values["v2"][1]
            shown = values[::-1] if is_turned_row(store, "latitude") else values
            for query in ({"low": low, "high": high}, {"low": low}, {"high": high + 0.5}):
                drawn, _ = decoded_png(Page(self, server, "v2", query).image()[5])
                kept = values[numpy.isfinite(values)]
                if len(kept) == 0:
                    continue
                ends = query.get("low", min(kept.min(), high + 0.5)), query.get("high", max(kept.max(), low))
                self.assertLessEqual(numpy.abs(drawn.astype(int) - colours(shown, *ends)).max(), 1, query)

    def test_without_a_place_it_is_the_first_and_the_middle(self):
        # VIEWS 11 "Along other axes it is the first", VIEWS 11 "Along an axis of the map without"
        # VIEWS 11 "Ticks are at the coordinates"
        for _, store, server in self.each_store():
            page = Page(self, server, "v1", {"along": "level"})
            first, middle = store.shown("time", 0), store.shown("latitude", store.lengths["latitude"] // 2)
            self.assertIn(f"time {first}, level", page.captions()[0])
            self.assertIn(f"time {first}, latitude {middle}, longitude", page.captions()[1])
            self.check_ticks(store, page)

    def check_ticks(self, store, page):
        """The ticks along y of the map are at their latitudes, between those of its elements."""
        picture = page.text[page.text.index('<svg class="plot"') : page.text.index('<svg class="hits"')]
        top, height = (float(page.image()[i]) for i in (2, 4))
        values, length = store.axes["latitude"][0], store.lengths["latitude"]
        found = re.findall(r'M[\d.]+ ([\d.]+)h-5"/><text[^>]*>([\d.]+)°([NS]?)<', picture)
        self.assertGreater(len(found), 1)
        for y, degrees, side in found:
            order = numpy.argsort(values)
            index = numpy.interp(float(degrees) * (-1 if side == "S" else 1), values[order], order.astype("f8"))
            part = (index + 0.5) / length
            part = 1 - part if is_turned_row(store, "latitude") else part
            self.assertAlmostEqual(float(y), top + part * height, delta=0.15)

    def test_nearest_coordinate_is_named(self):
        # VIEWS 11 "If no element has a number"
        for _, store, server in self.each_store():
            for field in ("at", "at.latitude"):
                wanted = store.axes["latitude"][0][1] + 0.0004
                page = Page(self, server, "v0", {field: f"latitude:{wanted}" if field == "at" else str(wanted)})
                self.assertIn("is the nearest to", " ".join(page.captions()))
                self.assertIn(store.text("latitude", 1).removesuffix(".0"), page.captions()[-1])

    def test_page_of_a_dataset_names_its_variables(self):
        # VIEWS 11 "The page of a CF dataset"
        for _, store, server in self.each_store():
            page = json.loads(server.ask("?json").body)
            facts = {fact["name"]: fact["value"] for fact in page["facts"]}
            self.assertIn("CF dataset · Random <i>values</i>", page["what"])
            for name, length in store.lengths.items():
                self.assertEqual(facts[name], str(length))
            last = store.lengths["time"] - 1
            self.assertEqual(facts["time from"], store.text("time", 0))
            self.assertEqual(facts[f"time to ({store.axes['time'][1]['calendar']})"], store.text("time", last))
            rows = {row["name"]: row for row in page["contents"]}
            self.assertEqual(rows["v2"]["kind"], "variable")
            self.assertIn("A <b>name</b> (K), latitude", rows["v2"]["what"])
            self.assertEqual(rows["latitude"]["kind"], "coordinate")
            self.assertEqual(rows["v2"]["take_it_as"][0]["href"], "v2.nc")
            self.assertEqual(page["take_it_as"][0]["name"], "dataset.nc")

    def test_invalid_places_are_refused_with_the_reason(self):
        # VIEWS 11 "What the variable does not have"
        for _, _, server in self.each_store():
            for query, reason in (
                ({"at": "latitude:nan"}, "latitude has no value"),
                ({"at": "latitude:1e999"}, "latitude has no value"),
                ({"at": "latitude:-inf"}, "latitude has no value"),
                ({"at": "latitude:~inf"}, "latitude has no value"),
                ({"at": "latitude:"}, "latitude has no value"),
                ({"at": "latitude:<script>"}, "latitude has no value '&lt;script&gt;'"),
                ({"at": "latitude:#99999999999999999999999"}, "latitude has no value"),
                ({"at": "latitude:#18446744073709551615"}, "latitude has no value"),
                ({"at": "time:yesterday"}, "time has no value"),
                ({"at": "time:2000-02-31"}, None),
                ({"at": "depth:3"}, "'depth' is no dimension here; there is time, latitude, longitude."),
                ({"at": "47.5"}, "is no DIMENSION:VALUE."),
                ({"at": "," * 1500}, "is no DIMENSION:VALUE."),
                ({"at": ":" * 1500}, "is no dimension here"),
                ({"at.depth": "3"}, "'depth' is no dimension here"),
                ({"along": "depth"}, "'depth' is no dimension here"),
                ({"map": "latitude"}, "is no pair of dimensions"),
                ({"map": "latitude,latitude"}, "is no pair of dimensions"),
                ({"map": "a" * 5000 + ","}, "is no pair of dimensions"),
                ({"low": "nan"}, "'nan' is no number for low."),
                ({"low": "5", "high": "-5"}, "The colours cannot go from 5 up to -5."),
            ):
                with self.subTest(query=str(query)[:80]):
                    text = server.ask("v0?page&" + urllib.parse.urlencode(query), Accept="text/html")
                    if reason is None:
                        self.assertIn(text.status, (200, 400))
                        continue
                    self.assertEqual(text.status, 400)
                    self.assertIn(reason, text.body.decode().replace("&#39;", "'"))
                    answer = server.ask("v0?json&" + urllib.parse.urlencode(query))
                    self.assertEqual(answer.status, 400)
                    self.assertTrue(json.loads(answer.body)["problems"])

    def test_last_value_of_an_axis_counts(self):
        for _, store, server in self.each_store():
            values = "latitude:nan," * 300
            wanted = store.axes["latitude"][0][1]
            self.assertEqual(server.ask(f"v0?json&at={values}latitude:{wanted}").status, 200)
            answer = server.ask(f"v0?json&at=latitude:{wanted},{values[:-1]}")
            self.assertEqual((answer.status, len(json.loads(answer.body)["problems"])), (400, 1))


class Large(unittest.TestCase):
    def memory(self, server):
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) << 10

    def test_large_map_is_a_sample_within_bounded_memory(self):
        # VIEWS 11 "Of a map with more", VIEWS 11 "If more than 2^28", VIEWS 11 "The caption states which"
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path = os.path.join(folder, "large.zarr")
            root = zarr.open_group(path, "w")
            for name, shape, chunks in (
                ("middle", (3, 3000, 2500), (1, 1000, 1000)),
                ("great", (2, 40000, 60000), (1, 2000, 2000)),
                ("long", (400000000,), (100000,)),
                ("deep", (100000, 40, 40), (10, 40, 40)),
            ):
                array = root.create_dataset(name, shape=shape, chunks=chunks, dtype="i2", fill_value=None)
                array.attrs["_ARRAY_DIMENSIONS"] = [f"{name}{axis}" for axis in range(len(shape))]
            root["middle"][1] = numpy.arange(3000)[:, None] + numpy.arange(2500)
            root["great"][0, 20000:22000, 4000:6000] = 5
            root["deep"][0:10] = 7
            zarr.consolidate_metadata(path)
            with Server(path) as server:
                page = Page(self, server, "middle", {"at": "middle0:1"})
                drawn, _ = decoded_png(page.image()[5])
                expected = numpy.arange(3000)[::5, None] + numpy.arange(2500)[::4]
                self.assertLessEqual(numpy.abs(drawn - colours(expected[::-1], 0, 5498)).max(), 1)
                self.assertIn("every 5th along middle1 and every 4th along middle2 is drawn", page.captions()[0])
                self.assertIn("7,500,000 values from 0 to 5,498, mean 2,749", page.captions()[0])
                for name, words in (("great", "only, because more would take too long"), ("long", "only, because")):
                    self.assertIn(words, Page(self, server, name, {}).captions()[0])
                Page(self, server, "deep", {"at": "deep1:3,deep2:4", "along": "deep0"})
                self.assertLess(self.memory(server), 700 << 20)


class Curvilinear(unittest.TestCase):
    def test_map_over_two_dimensional_coordinates_has_a_remark(self):
        # VIEWS 11 "If latitude and longitude have two axes"
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            path = os.path.join(folder, "grid.nc")
            rows, columns = numpy.mgrid[0:4, 0:5]
            xarray.Dataset(
                {"sst": (("y", "x"), rows * 5.0 + columns)},
                {
                    "nav_lat": (("y", "x"), rows + columns / 8, {"units": "degrees_north"}),
                    "nav_lon": (("y", "x"), columns + 0.5, {"units": "degrees_east"}),
                },
            ).to_netcdf(path)
            with Server(path) as server:
                page = Page(self, server, "sst", {"at": "y:3,x:2"})
                self.assertIn("nav_lat and nav_lon are given for each point", page.captions()[0])
                self.assertIn("nav_lat 3.25, nav_lon 2.5", page.captions()[0])
                drawn, _ = decoded_png(page.image()[5])
                self.assertEqual(drawn[0, -1], 255)  # the last row is at the top
                self.assertEqual(drawn[-1, 0], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
