"""The pages of NWB sessions, series and units, recomputed by numpy: volts in traces, in their legend and in the files
of what is shown, the spikes of a raster, and its trials."""
import io
import json
import os
import re
import sys
import tempfile
import unittest
import urllib.parse

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import media_stores
from numbers_test import captions, text_of, value_of
from server import Server

SERIES = "acquisition/ElectricalSeries/"
LEFT, RIGHT, TOP, BOTTOM, WIDTH = 48, 16, 16, 34, 1000  # margins of a plot with lanes, and its width


def address(**query):
    return "?" + urllib.parse.urlencode(query)


def places(path):
    """Returns the points of the first drawn path of an SVG element's `d`, and whether the line is whole."""
    points = [(int(x), int(y)) for x, y in re.findall(r"[ML](\d+) (\d+)", path)]
    return numpy.array(points), path.count("M") == 1


class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="plainfs-test-"))
        path = os.path.join(folder, "session.nwb")
        cls.volts, cls.spikes, cls.trials, cls.start, cls.rate = media_stores.session(path, channels=12)
        cls.server = cls.enterClassContext(Server(path))
        cls.seconds = cls.start + numpy.arange(len(cls.volts)) / cls.rate

    def page(self, path):
        answer = self.server.ask(path, Accept="text/html")
        self.assertEqual(answer.status, 200, path)
        return answer.body.decode()

    def near(self, text, value, digits=3):
        self.assertLess(abs(value_of(text) - value), 10.0**-digits * abs(value) + 1e-12, (text, value))

    def test_session_subject_and_devices_are_in_words(self):
        facts = {fact["name"]: fact["value"] for fact in json.loads(self.server.ask("?json").body)["facts"]}
        for name, value in {
            "session": "Rat 7 runs on a linear track",
            "identifier": "rat7-2026-03-04",
            "lab": "Lab of Rats",
            "institution": "University of Basel",
            "experimenter": "Muster, Eva; Doe, John",
            "subject": "rat7",
            "species": "Rattus norvegicus",
            "age": "P90D",
            "device probe A": "a silicon probe, Cambridge NeuroTech",
        }.items():
            self.assertEqual(facts[name], value)
        self.assertTrue(facts["start"].startswith("2026-03-04T10:15:00"))
        text = self.page("?page")
        self.assertIn(f'<a href="{SERIES}">ElectricalSeries</a>', text)
        self.assertNotIn("one value (text)", text)
        self.assertIn("Rattus norvegicus", text)

    def shown_rows(self, start, seconds):
        return (self.seconds >= start) & (self.seconds <= start + seconds)

    def test_channels_have_lanes_with_the_volts_of_the_data(self):
        for query, channels, start, seconds in (
            ({"seconds": 5}, range(8), 12.5, 5),
            ({"channels": "0-2, 11", "start": 20, "seconds": 2.5}, (0, 1, 2, 11), 20, 2.5),
            ({"channels": "3,1", "start": 40}, (1, 3), 40, 10),
        ):
            with self.subTest(query):
                rows = self.shown_rows(start, seconds)
                volts, times = self.volts[rows], self.seconds[rows]
                figure, caption = captions(self.page(SERIES + address(**query)))["Trace"]
                paths = re.findall(r'<g class="line"><path [^>]*d="([^"]*)"', figure)
                self.assertEqual(len(paths), len(channels))
                height = int(re.search(r'viewBox="0 0 1000 (\d+)"', figure)[1])
                spread = max(numpy.ptp(volts[:, c]) for c in channels)
                for lane, (c, path) in enumerate(zip(channels, paths)):
                    middle = (volts[:, c].min() + volts[:, c].max()) / 2
                    y = len(channels) - 1 - lane + 0.5 + (volts[:, c] - middle) / spread * 0.92
                    found, is_whole = places(path)
                    self.assertTrue(is_whole)
                    self.assertEqual(len(found), len(volts))
                    x = LEFT + (times - times[0]) / (times[-1] - times[0]) * (WIDTH - LEFT - RIGHT)
                    numpy.testing.assert_allclose(found[:, 0], x, atol=0.5001)
                    y = TOP + (1 - y / len(channels)) * (height - TOP - BOTTOM)
                    numpy.testing.assert_allclose(found[:, 1], y, atol=0.5001)
                key = [text_of(item) for item in re.findall("<li>(.*?)</li>", figure)]
                self.assertEqual(len(key), len(channels))
                for c, item in zip(channels, key):
                    match = re.fullmatch(r"channel (\d+): (\S+) to (\S+) volts", item)
                    self.assertEqual(int(match[1]), c)
                    self.near(match[2], volts[:, c].min())
                    self.near(match[3], volts[:, c].max())
                self.near(re.search(r"a lane of (\S+) volts", caption)[1], spread / 0.92)
                self.assertIn(f"{rows.sum():,} of 3,000 samples", caption)

    def test_long_stretch_shows_its_extremes(self):
        figure, _ = captions(self.page(SERIES + "?channels=4&seconds=30"))["Trace"]
        found, _ = places(re.search(r'<g class="line"><path [^>]*d="([^"]*)"', figure)[1])
        height = int(re.search(r'viewBox="0 0 1000 (\d+)"', figure)[1])
        self.assertEqual((found[:, 1].min(), found[:, 1].max()), (TOP, height - BOTTOM))
        self.assertLessEqual(len(found), 2400)

    def test_samples_shown_can_be_downloaded_in_volts(self):
        for query, channels, start, seconds in (
            ({}, range(8), 12.5, 10),
            ({"channels": "11", "start": 20, "seconds": 0.05}, (11,), 20, 0.05),
            ({"channels": "0-11", "seconds": 1000}, range(12), 12.5, 1000),
        ):
            rows = self.shown_rows(start, seconds)
            text = self.page(SERIES + address(**query))
            links = {
                name: href.replace("&amp;", "&")
                for href, name in re.findall(r'<a href="(\?[^"]*file=\w+)">(\w+), in volts', text)
            }
            self.assertEqual(set(links), {"csv", "parquet"})
            answer = self.server.ask(SERIES + links["csv"])
            self.assertEqual((answer.status, answer["Content-Type"]), (200, "text/csv; charset=utf-8"))
            lines = answer.body.decode()
            names = lines.split("\n")[0].replace('"', "").split(",")
            self.assertEqual(names, ["time"] + [f"value_{c}" for c in channels])
            found = numpy.loadtxt(io.StringIO(lines), delimiter=",", skiprows=1, ndmin=2)
            numpy.testing.assert_array_equal(found[:, 0], self.seconds[rows])
            numpy.testing.assert_array_equal(found[:, 1:], self.volts[rows][:, list(channels)])
            parquet = self.server.ask(SERIES + links["parquet"]).body
            self.assertEqual((parquet[:4], parquet[-4:]), (b"PAR1", b"PAR1"))
            for column in [self.seconds[rows]] + [self.volts[rows, c] for c in channels]:
                self.assertIn(column.astype("<f8").tobytes(), parquet)

    def test_query_that_the_series_cannot_follow_is_refused(self):
        for query in (
            "channels=12",
            "channels=a",
            "channels=3-1",
            "channels=-1",
            "channels=,",
            "start=x",
            "start=1e9",
            "seconds=nan",
            "channels=0-99999999999999999999",
            "channels=%3Cscript%3E",
        ):
            with self.subTest(query):
                answer = self.server.ask(SERIES + "?file=csv&" + query)
                self.assertEqual(answer.status, 400)
                self.assertGreater(len(answer.body), 10)
                text = self.page(SERIES + "?" + query)
                self.assertIn('role="alert"', text)
                self.assertNotIn("<script>", text)
        self.assertEqual(self.server.ask(SERIES + "?file=exe").status, 400)

    def test_raster_has_each_spike_and_the_trials(self):
        for path, query, start, seconds in (
            ("units/", {}, None, 10),
            ("units/", {"start": 15, "seconds": 8}, 15, 8),
            ("", {"start": 15, "seconds": 8}, 15, 8),
        ):
            first = min(spikes[0] for spikes in self.spikes)
            low = first if start is None else start
            high = min(low + seconds, max(spikes[-1] for spikes in self.spikes))
            figure, caption = captions(self.page(path + address(**query)))["Spikes"]
            height = int(re.search(r'viewBox="0 0 1000 (\d+)"', figure)[1]) - TOP - BOTTOM
            drawn = re.search(r'<path class="k0" stroke-width="1" d="([^"]*)"', figure)
            found = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)v", drawn[1])}
            expected, count = set(), 0
            for unit, spikes in enumerate(self.spikes):
                inside = spikes[(spikes >= low) & (spikes <= high)]
                count += len(inside)
                y = TOP + height - (len(self.spikes) - 1 - unit) / len(self.spikes) * height
                for spike in inside:
                    x = LEFT + (spike - low) / (high - low) * (WIDTH - LEFT - RIGHT)
                    expected.add((int(x + 0.5), int(y + 0.5)))
            self.assertEqual(found, expected)
            self.assertIn(f"{count:,} spikes", caption)
            bands = re.search(r'<path class="band" d="([^"]*)"', figure)
            shown = [(max(a, low), min(b, high)) for a, b in self.trials if b >= low and a <= high]
            self.assertIn(f"{len(shown)} trial", caption)
            ends = [(int(a), int(b)) for a, b in re.findall(r"M(\d+) \d+H(\d+)V", bands[1])]
            for (a, b), (left, right) in zip(shown, ends):
                for second, pixel in ((a, left), (b, right)):
                    place = LEFT + (second - low) / (high - low) * (WIDTH - LEFT - RIGHT)
                    self.assertAlmostEqual(pixel, place, delta=1)
            self.assertEqual(len(ends), len(shown))


if __name__ == "__main__":
    unittest.main()
