#!/usr/bin/env python3
"""Images of OME-Zarr: what is said of them, and every plane of every level as tifffile, libtiff and libvips read it."""
import json
import os
import random
import shutil
import sys
import tempfile
import unittest

from mounted import PROGRAM, Folder, Mount, main, run

try:
    import numcodecs
    import numpy

    import ome_zarr
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

try:
    import tifffile
except ImportError:
    tifffile = None

TYPES = ("|b1", "|u1", "|i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">u4", "<i4", ">i4", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8")
AXES = ("yx", "zyx", "cyx", "tyx", "czyx", "tcyx", "tcz" + "yx")


def info(store):
    return run(PROGRAM, "info", store).stdout.decode()


class Said(Folder):
    def image(self, name, **more):
        path = os.path.join(self.folder, name)
        values = numpy.arange(2 * 40 * 50, dtype="u2").reshape(2, 40, 50)
        ome_zarr.write_image(path, values, "cyx", (1, 16, 16), 2, **more)
        return path

    def test_an_image_is_told_of(self):
        channels = [{"label": "DAPI", "color": "0000FF"}, {"label": "GFP", "color": "00FF00"}]
        for version, container in (("0.4", "Zarr v2"), ("0.5", "Zarr v3")):
            store = self.image("i" + version, version=version, steps={"y": 0.5, "x": 0.25},
                               words={"omero": {"channels": channels}})
            with Mount(store) as m:
                said = json.loads(m.read(".plainfs", "info.json"))
                self.assertEqual(os.listdir(m.path).count(".attrs.json"), 1)
                self.assertEqual(m.read("0.csv").count(b"\n"), 80)
            self.assertEqual([said["format"], said["version"], said["container"]], ["OME-Zarr", version, container])
            self.assertEqual(said["ome"]["image"], {
                "axes": "cyx", "shape": [2, 40, 50], "dtype": "uint16", "levels": 2,
                "steps": {"y": [0.5, "micrometer"], "x": [0.25, "micrometer"]}, "channels": ["DAPI", "GFP"]})
            self.assertIn(f"image  OME-Zarr {version}, c 2 × y 40 × x 50 (uint16), y 0.5 micrometer, x 0.25 micrometer, 2 levels: DAPI, GFP",
                          info(store))

    def test_labels_are_told_of_beside_their_image(self):
        store = self.image("labelled")
        ome_zarr.group(os.path.join(store, "labels"), {"labels": ["cells"]})
        self.image("labelled/labels/cells", words={"image-label": {"version": "0.4"}})
        lines = [line.split()[:3] for line in info(store).splitlines()]
        self.assertIn([".", "image", "OME-Zarr"], lines)
        self.assertIn(["labels/cells", "labels", "OME-Zarr"], lines)
        self.assertNotIn("0", [line[0] for line in lines if line])

    def test_a_plate_has_wells_and_images(self):
        plate = os.path.join(self.folder, "plate")
        wells = [{"path": f"{row}/{column}"} for row in "AB" for column in "12"]
        ome_zarr.group(plate, {"plate": {"version": "0.4", "name": "P", "rows": [{"name": "A"}, {"name": "B"}],
                                         "columns": [{"name": "1"}, {"name": "2"}], "wells": wells, "field_count": 1}})
        for well in wells:
            row = os.path.join(plate, well["path"][0])
            ome_zarr.group(row, {})
            ome_zarr.group(os.path.join(plate, well["path"]), {"well": {"version": "0.4", "images": [{"path": "0"}]}})
            self.image(f"plate/{well['path']}/0")
        text = info(plate)
        for words in ("rows       2", "columns    2", "wells      4", "fields     1", "name       P"):
            self.assertIn(words, text)
        self.assertEqual(text.count("image  OME-Zarr 0.4"), 4)
        self.assertIn("images     1", info(os.path.join(plate, "A", "1")))

    def test_series_are_counted(self):
        store = os.path.join(self.folder, "raw")
        ome_zarr.group(store, {"bioformats2raw.layout": 3})
        self.image("raw/0")
        self.image("raw/1")
        self.assertIn("series     2", info(store))
        ome_zarr.group(os.path.join(store, "OME"), {"series": ["0", "1"]})
        self.assertIn("series     2", info(store))


def random_image(path, chance):
    """An image of any version, type, order and chunks: its axes and levels."""
    version = chance.choice(("0.1", "0.2", "0.3", "0.4", "0.5"))
    axes = "tczyx" if version in ("0.1", "0.2") else chance.choice(AXES)
    shape = [chance.randint(1, 3) for _ in axes[:-2]] + [chance.choice((1, 15, 16, 17, chance.randint(18, 300))) for _ in "yx"]
    chunks = [chance.randint(1, 3) for _ in axes[:-2]] + [chance.choice((16, 64, 128, chance.randint(1, 150))) for _ in "yx"]
    dtype = numpy.dtype(chance.choice(TYPES))
    values = numpy.frombuffer(chance.randbytes(8 * int(numpy.prod(shape))), "u1").reshape(*shape, 8)[..., 0].astype(dtype)
    if dtype.kind in "iu" and dtype.itemsize > 1:
        values = values * dtype.type(2 ** (8 * dtype.itemsize - 9))
    if dtype.kind == "b":
        values = values > 0
    values[..., : shape[-1] // 3] = 0  # so that some chunks of shards are not there
    shards = [chance.randint(1, 3) for _ in axes] if version == "0.5" and chance.random() < 0.6 else None
    compressor = chance.choice((None, numcodecs.Zlib(1), numcodecs.Blosc()))
    levels = chance.randint(1, 4)
    pyramid = ome_zarr.write_image(path, values.astype(dtype), axes, chunks, levels, version, compressor, shards)
    return axes, pyramid


def shown(values):
    """As a TIFF has them: little-endian, truth values 0 and 1, no reals of 16 bits."""
    if values.dtype.kind == "b":
        return values.astype("u1")
    return values.astype("<f4" if values.dtype.str[1:] == "f2" else values.dtype.newbyteorder("<"))


def planes_of(values, axes):
    """In the order of the file: z, then c, then t."""
    order = [axes.index(axis) for axis in "tcz" if axis in axes] + [len(axes) - 2, len(axes) - 1]
    return shown(values).transpose(order).reshape(-1, *values.shape[-2:])


@unittest.skipIf(tifffile is None, "python3-tifffile is not installed")
class Pixels(Folder):
    """One mount of a folder of random images, the same in every run."""

    @classmethod
    def setUpClass(cls):
        cls.store = tempfile.mkdtemp(prefix="plainfs-test-")
        chance = random.Random(45)
        cls.images = {f"{i}.zarr": random_image(os.path.join(cls.store, f"{i}.zarr"), chance) for i in range(60)}
        cls.mount = Mount(cls.store)
        cls.mount.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.mount.__exit__()
        shutil.rmtree(cls.store)

    def file(self, name):
        return self.mount.join(name, "image.ome.tif")

    def same_planes(self, pages, axes, pyramid, level):
        ours = planes_of(pyramid[level], axes)
        self.assertEqual(len(pages), len(ours))
        for page, plane in zip(pages, ours):
            read = page.asarray()
            self.assertEqual(read.dtype.newbyteorder("<"), plane.dtype)
            numpy.testing.assert_array_equal(read, plane)

    def test_tifffile_reads_every_plane_of_every_level(self):
        for name, (axes, pyramid) in self.images.items():
            with self.subTest(name), tifffile.TiffFile(self.file(name)) as file:
                self.assertTrue(file.is_ome and file.is_bigtiff)
                self.assertEqual(len(file.series), 1)
                series = file.series[0]
                self.assertEqual(len(series.levels), len(pyramid))
                for level, of_level in enumerate(series.levels):
                    self.same_planes(of_level.pages, axes, pyramid, level)
                self.assertEqual(os.stat(self.file(name)).st_size, file.filehandle.size)
                # As a whole it has the shape of the image, but for axes of one element.
                whole = shown(pyramid[0]).transpose([axes.index(a) for a in "tczyx" if a in axes])
                numpy.testing.assert_array_equal(numpy.squeeze(series.asarray()), numpy.squeeze(whole))

    def test_the_metadata_are_read(self):
        store = os.path.join(self.folder, "said.zarr")
        channels = [{"label": "D & \"<A>\"", "color": "FF0000"}, {"label": "Zürich", "color": "00FF00"}]
        values = numpy.zeros((3, 2, 4, 20, 30), "u1")
        ome_zarr.write_image(store, values, "tczyx", (1, 1, 1, 16, 16), name="a<b",
                             steps={"t": 2.5, "z": 1.5, "y": 0.325, "x": 0.3}, words={"omero": {"channels": channels}})
        with Mount(store) as m, tifffile.TiffFile(m.join("image.ome.tif")) as file:
            self.assertEqual(file.series[0].axes, "TCZYX")
            self.assertEqual(file.series[0].shape, values.shape)
            image = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]
            self.assertEqual(file.pages[0].software, tifffile.xml2dict(file.ome_metadata)["OME"]["Creator"])
        self.assertEqual(image["Name"], "a<b")
        pixels = image["Pixels"]
        self.assertEqual([pixels[f"PhysicalSize{axis}"] for axis in "XYZ"], [0.3, 0.325, 1.5])
        self.assertEqual([pixels["PhysicalSizeXUnit"], pixels["TimeIncrement"], pixels["TimeIncrementUnit"]], ["µm", 2.5, "s"])
        self.assertEqual([(channel["Name"], channel["Color"]) for channel in pixels["Channel"]],
                         [("D & \"<A>\"", -16776961), ("Zürich", 16711935)])

    @unittest.skipIf(shutil.which("tiffcp") is None, "libtiff-tools are not installed")
    def test_libtiff_reads_and_copies_it_without_a_warning(self):
        for name, (axes, pyramid) in list(self.images.items())[:20]:
            with self.subTest(name):
                told = run("tiffinfo", "-s", self.file(name))
                self.assertEqual([told.returncode, told.stderr], [0, b""])
                self.assertEqual(told.stdout.count(b"=== TIFF directory"), len(planes_of(pyramid[0], axes)))
                copy = os.path.join(self.folder, "copy.tif")
                done = run("tiffcp", self.file(name), copy)
                self.assertEqual([done.returncode, done.stderr], [0, b""])
                with tifffile.TiffFile(copy) as file:
                    self.same_planes(file.pages, axes, pyramid, 0)

    @unittest.skipIf(shutil.which("vips") is None, "libvips-tools are not installed")
    def test_libvips_reads_a_plane_of_a_level(self):
        raw = os.path.join(self.folder, "plane.raw")
        read = 0
        for name, (axes, pyramid) in self.images.items():
            level = len(pyramid) - 1
            planes = planes_of(pyramid[level], axes)
            if planes.dtype == "f8":  # libvips 8.14 refuses it
                continue
            with self.subTest(name):
                page = f"page={len(planes) - 1}" + (f",subifd={level - 1}" if level > 0 else "")
                done = run("vips", "rawsave", f"{self.file(name)}[{page}]", raw)
                self.assertEqual([done.returncode, done.stderr], [0, b""])
                numpy.testing.assert_array_equal(numpy.fromfile(raw, planes.dtype).reshape(planes.shape[1:]), planes[-1])
                read += 1
        self.assertGreater(read, 40)

    def test_one_without_such_pixels_has_none(self):
        for dtype in ("<i8", "<u8", "<c8"):
            store = os.path.join(self.folder, dtype[1:] + ".zarr")
            ome_zarr.write_image(store, numpy.zeros((20, 20), dtype), "yx", (16, 16))
            with Mount(store) as m:
                self.assertFalse(any(".tif" in name for name in os.listdir(m.path)))
                self.assertIn("0.npy", os.listdir(m.path))

    def test_damage_is_an_error_and_never_other_pixels(self):
        store = os.path.join(self.folder, "damaged.zarr")
        values = numpy.arange(40 * 50, dtype="u2").reshape(40, 50)
        ome_zarr.write_image(store, values, "yx", (16, 16), 2, compressor=numcodecs.Zlib(1))
        with open(os.path.join(store, "0", "1", "1"), "r+b") as chunk:
            chunk.write(b"\0\0\0\0")
        with Mount(store) as m, tifffile.TiffFile(m.join("image.ome.tif")) as file:
            self.assertRaises(OSError, file.pages[0].asarray)
            numpy.testing.assert_array_equal(file.pages[0].pages[0].asarray(), values[::2, ::2])
        shutil.rmtree(os.path.join(store, "0"))
        with Mount(store) as m:
            self.assertRaises(OSError, m.read, "image.ome.tif")
            self.assertEqual(len(m.read("1.csv").splitlines()), 20)


if __name__ == "__main__":
    main()
