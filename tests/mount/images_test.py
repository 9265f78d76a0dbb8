#!/usr/bin/env python3
"""Images of OME-Zarr: their description, and every plane of every level as read by tifffile, libtiff and libvips."""
import errno
import json
import os
import random
import shutil
import tempfile
import zlib

from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import import_or_exit, needs, needs_modules

h5py, numcodecs, numpy, zarr = import_or_exit("h5py", "numcodecs", "numpy", "zarr")
import ome_zarr  # noqa: E402  after its requirements

try:
    import tifffile
except ImportError:
    tifffile = None

TYPES = (
    "|b1",
    "|u1",
    "|i1",
    "<u2",
    ">u2",
    "<i2",
    ">i2",
    "<u4",
    ">u4",
    "<i4",
    ">i4",
    "<f2",
    ">f2",
    "<f4",
    ">f4",
    "<f8",
    ">f8",
)
AXES = ("yx", "zyx", "cyx", "tyx", "czyx", "tcyx", "tcz" + "yx")


def info(store):
    return run(PROGRAM, "info", store).stdout.decode()


class Description(Folder):
    def image(self, name, **more):
        path = os.path.join(self.folder, name)
        values = numpy.arange(2 * 40 * 50, dtype="u2").reshape(2, 40, 50)
        ome_zarr.write_image(path, values, "cyx", (1, 16, 16), 2, **more)
        return path

    def test_info_describes_an_image(self):
        channels = [{"label": "DAPI", "color": "0000FF"}, {"label": "GFP", "color": "00FF00"}]
        for version, container in (("0.4", "Zarr v2"), ("0.5", "Zarr v3")):
            store = self.image(
                "i" + version, version=version, steps={"y": 0.5, "x": 0.25}, words={"omero": {"channels": channels}}
            )
            with Mount(store) as m:
                printed = json.loads(m.read(".plainfs", "info.json"))
                self.assertEqual(os.listdir(m.path).count(".attrs.json"), 1)
                self.assertEqual(m.read("0.csv").count(b"\n"), 80)
            self.assertEqual(
                [printed["format"], printed["version"], printed["container"]], ["OME-Zarr", version, container]
            )
            self.assertEqual(
                printed["ome"]["image"],
                {
                    "axes": "cyx",
                    "shape": [2, 40, 50],
                    "dtype": "uint16",
                    "levels": 2,
                    "steps": {"y": [0.5, "micrometer"], "x": [0.25, "micrometer"]},
                    "channels": ["DAPI", "GFP"],
                },
            )
            self.assertIn(
                f"image  OME-Zarr {version}, c 2 × y 40 × x 50 (uint16), y 0.5 micrometer, x 0.25 micrometer, "
                "2 levels: DAPI, GFP",
                info(store),
            )

    def test_info_lists_labels_beside_their_image(self):
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
        ome_zarr.group(
            plate,
            {
                "plate": {
                    "version": "0.4",
                    "name": "P",
                    "rows": [{"name": "A"}, {"name": "B"}],
                    "columns": [{"name": "1"}, {"name": "2"}],
                    "wells": wells,
                    "field_count": 1,
                }
            },
        )
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
    """Writes an image of any version, type, order and chunks. Returns its axes and levels."""
    version = chance.choice(("0.1", "0.2", "0.3", "0.4", "0.5"))
    axes = "tczyx" if version in ("0.1", "0.2") else chance.choice(AXES)
    shape = [chance.randint(1, 3) for _ in axes[:-2]] + [
        chance.choice((1, 15, 16, 17, chance.randint(18, 300))) for _ in "yx"
    ]
    chunks = [chance.randint(1, 3) for _ in axes[:-2]] + [
        chance.choice((16, 64, 128, chance.randint(1, 150))) for _ in "yx"
    ]
    dtype = numpy.dtype(chance.choice(TYPES))
    values = (
        numpy.frombuffer(chance.randbytes(8 * int(numpy.prod(shape))), "u1").reshape(*shape, 8)[..., 0].astype(dtype)
    )
    if dtype.kind in "iu" and dtype.itemsize > 1:
        values = values * dtype.type(2 ** (8 * dtype.itemsize - 9))
    if dtype.kind == "b":
        values = values > 0
    values[..., : shape[-1] // 3] = 0  # so that some chunks of shards are absent
    shards = [chance.randint(1, 3) for _ in axes] if version == "0.5" and chance.random() < 0.6 else None
    compressor = chance.choice((None, numcodecs.Zlib(1), numcodecs.Blosc()))
    levels = chance.randint(1, 4)
    pyramid = ome_zarr.write_image(path, values.astype(dtype), axes, chunks, levels, version, compressor, shards)
    return axes, pyramid


def shown(values):
    """Returns values in their TIFF form: little-endian, truth values 0 and 1, no reals of 16 bits."""
    if values.dtype.kind == "b":
        return values.astype("u1")
    return values.astype("<f4" if values.dtype.str[1:] == "f2" else values.dtype.newbyteorder("<"))


def planes_of(values, axes):
    """Yields the planes in the order of the file: z, then c, then t."""
    order = [axes.index(axis) for axis in "tcz" if axis in axes] + [len(axes) - 2, len(axes) - 1]
    return shown(values).transpose(order).reshape(-1, *values.shape[-2:])


def rgb_of(png):
    """Returns the pixels of a PNG with 8 bits per colour, and verifies its checksums."""
    self_check = [png[:8] == b"\x89PNG\r\n\x1a\n"]
    chunks, at = {}, 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        name, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        self_check.append(zlib.crc32(name + data) == int.from_bytes(png[at + 8 + length : at + 12 + length], "big"))
        chunks[name] = data
        at += 12 + length
    if not all(self_check) or list(chunks) != [b"IHDR", b"IDAT", b"IEND"]:
        raise AssertionError("no such PNG")
    width, height = (int.from_bytes(chunks[b"IHDR"][at : at + 4], "big") for at in (0, 4))
    rows = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), "u1").reshape(height, 1 + 3 * width)
    return rows[:, 1:].reshape(height, width, 3)


def contrast(plane):
    if plane.dtype.itemsize == 1:
        return float(plane.min()), float(plane.max())
    plane = plane.astype("f8")
    values = numpy.sort(plane[numpy.isfinite(plane)])
    cut = (len(values) - 1) // 1000
    return values[cut], values[-1 - cut]


class Pictures(Folder):
    def test_a_preview_is_the_sum_of_its_channels(self):
        chance = numpy.random.default_rng(45)
        channels = [
            {"color": "FF8000", "window": {"start": 10, "end": 200}},
            {"color": "0000FF", "active": False},
            {"color": "00FF40"},
        ]
        colors = {0: (255, 128, 0), 2: (0, 255, 64)}
        store = os.path.join(self.folder, "i.zarr")
        for dtype in ("u1", "u2", ">i4", "<f4"):
            values = (chance.random((3, 5, 40, 600)) * 250).astype(dtype)
            ome_zarr.write_image(store, values, "czyx", (1, 2, 33, 77), 2, words={"omero": {"channels": channels}})
            sums = numpy.zeros((40, 600, 3))
            for channel, color in colors.items():
                plane = values[channel, 2].astype("f8")
                dark, bright = (10, 200) if channel == 0 else contrast(plane if dtype != "u1" else values[channel, 2])
                sums += numpy.clip((plane - dark) / (bright - dark), 0, 1)[..., None] * color
            with Mount(store) as m:
                self.assertIn("preview.png", os.listdir(m.path))
                before = json.loads(m.read(".plainfs", "stats.json"))["chunks_decoded"]
                size = os.stat(m.join("preview.png")).st_size
                self.assertEqual(json.loads(m.read(".plainfs", "stats.json"))["chunks_decoded"], before)
                png = m.read("preview.png")
                self.assertEqual(len(png), size)
                numpy.testing.assert_array_equal(rgb_of(png), numpy.floor(numpy.minimum(sums, 255) + 0.5))
                if shutil.which("vipsheader"):
                    self.assertIn(b"600x40 uchar, 3 bands, srgb", run("vipsheader", m.join("preview.png")).stdout)
            shutil.rmtree(store)

    @needs("gdk-pixbuf-thumbnailer", "vips")
    def test_a_file_manager_s_thumbnailer_takes_a_preview(self):
        """Tests GNOME's thumbnailer: one half of the picture has one colour, the other half another."""
        store, built = os.path.join(self.folder, "i.zarr"), os.path.join(self.folder, "thumbnail.png")
        values = numpy.zeros((2, 512, 512), "u2")
        values[0, :, :256] = values[1, :, 256:] = 1000
        channels = [{"color": color, "window": {"start": 0, "end": 1000}} for color in ("FF8000", "0000FF")]
        ome_zarr.write_image(store, values, "cyx", (1, 128, 128), 3, words={"omero": {"channels": channels}})
        with Mount(store) as m:
            done = run("gdk-pixbuf-thumbnailer", "-s", "128", m.join("preview.png"), built)
            self.assertEqual([done.returncode, done.stderr], [0, b""])
        self.assertGreater(os.stat(built).st_size, 100)
        points = [run("vips", "getpoint", built, str(x), "64").stdout.split()[:3] for x in (30, 100)]
        self.assertEqual([[float(value) for value in point] for point in points], [[255, 128, 0], [0, 0, 255]])

    def test_arrays_have_pictures_on_request(self):
        chance = numpy.random.default_rng(45)
        plane, planes = chance.integers(0, 60000, (50, 70), "u2"), chance.random((3, 20, 30)).astype(">f4")
        colors = chance.integers(0, 255, (20, 30, 3), "u1")
        arrays = {"plane": plane, "planes": planes, "colors": colors}
        with h5py.File(os.path.join(self.folder, "a.h5"), "w") as file:
            for name, values in arrays.items():
                file.create_dataset(name, data=values, chunks=(2, 16, 3)[-values.ndim :])
        root = zarr.open(os.path.join(self.folder, "a.zarr"), "w")
        for name, values in arrays.items():
            root.create_dataset(name, data=values, chunks=(2, 16, 3)[-values.ndim :])
        dark, bright = contrast(plane)
        grey = numpy.floor(numpy.clip((plane - dark) / (bright - dark), 0, 1) * 255 + 0.5)
        listed = ["colors.png", "plane.png", "plane.tif", "planes.png", "planes.tif"]
        for name in ("a.h5", "a.zarr"):
            store = os.path.join(self.folder, name)
            with Mount(store, "-o", "views=tif+png") as m:
                self.assertEqual(sorted(os.listdir(m.path)), listed)
                numpy.testing.assert_array_equal(rgb_of(m.read("colors.png")), colors)
                for color in range(3):
                    numpy.testing.assert_array_equal(rgb_of(m.read("plane.png"))[..., color], grey)
                if tifffile:
                    numpy.testing.assert_array_equal(tifffile.imread(m.join("plane.tif")), plane)
                    numpy.testing.assert_array_equal(tifffile.imread(m.join("planes.tif")), planes)
            with Mount(store) as m:
                self.assertFalse(set(listed) & set(os.listdir(m.path)))
                self.assertTrue(all(os.path.exists(m.join(each)) for each in listed))

    def test_the_images_of_a_slide_are_pictures_at_full_size(self):
        chance = numpy.random.default_rng(45)
        small, large = chance.integers(0, 255, (20, 25, 3), "u1"), chance.random((60, 50, 3)).astype("f4")
        store = os.path.join(self.folder, "visium.h5ad")
        with h5py.File(store, "w") as file:
            file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
            for name in ("obs", "var"):
                frame = file.create_group(name)
                frame.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
                frame.attrs["column-order"] = numpy.zeros(0)
                frame["_index"] = numpy.array([b"a", b"b"])
            images = file.create_group("uns/spatial/slide/images")
            images["lowres"], images["hires"] = small, large
            factors = file.create_group("uns/spatial/slide/scalefactors")
            factors["tissue_hires_scalef"], factors["spot_diameter_fullres"] = 0.15, numpy.float32(89.5)
            file["obsm/spatial"] = numpy.array([[1.5, 2], [3, 4]])
        with Mount(store) as m:
            place = m.join("uns", "spatial", "slide")
            numpy.testing.assert_array_equal(rgb_of(m.read(place, "images", "lowres.png")), small)
            numpy.testing.assert_array_equal(
                rgb_of(m.read(place, "images", "hires.png")), numpy.floor(large.astype("f8") * 255 + 0.5)
            )
            self.assertEqual(m.read(place, "scalefactors", "tissue_hires_scalef.csv"), b"0.15\n")
            self.assertEqual(
                m.read(place, "scalefactors.csv"), b'"",value\nspot_diameter_fullres,89.5\ntissue_hires_scalef,0.15\n'
            )
            self.assertEqual(os.readlink(os.path.join(place, "coordinates.csv")), "../../../obsm/spatial.csv")
            self.assertEqual(m.read(place, "coordinates.csv"), b'"",1,2\na,1.5,2\nb,3,4\n')
            self.assertEqual(m.read("obsm", "spatial.csv"), m.read(place, "coordinates.csv"))

    def test_an_image_of_seurat_is_a_picture_at_full_size(self):
        """Compares with R's own arrays: rows, columns, colours from 0 to 1, column by column."""
        values = numpy.random.default_rng(46).random((21, 34, 3))
        file, store = os.path.join(self.folder, "image.h5seurat"), os.path.join(self.folder, "object.rds")
        shutil.copy(os.path.join(DATA, "h5seurat", "everything", "store.h5seurat"), file)
        with h5py.File(file, "r+") as stored:
            image = stored["images/slice1"]
            del image["image"]
            image["image"] = values.transpose()
        stores = {file: b'"",value\nspot,0.5\nfiducial,1.5\nhires,0.17\nlowres,0.05\n'}
        script = """
            arguments <- commandArgs(TRUE)
            pixels <- array(readBin(arguments[1], "double", 21 * 34 * 3), c(21, 34, 3))
            factors <- structure(list(spot = 0.5, fiducial = 1.5, hires = 0.17, lowres = 0.05), class = "scalefactors")
            setOldClass("scalefactors")
            setClass("Seurat", representation(images = "list", meta.data = "data.frame"))
            setClass("VisiumV1", representation(
                image = "array", scale.factors = "scalefactors", coordinates = "data.frame"
            ))
            setClass("VisiumV2", representation(image = "array", scale.factors = "scalefactors", boundaries = "list"))
            setClass("Centroids", representation(cells = "character", coords = "matrix"))
            coordinates <- data.frame(imagerow = c(1.5, 3), imagecol = c(2, 4), row.names = c("a", "b"))
            old <- new("VisiumV1", image = pixels, scale.factors = factors, coordinates = coordinates)
            coords <- matrix(c(1.5, 3, 2, 4), 2, dimnames = list(NULL, c("x", "y")))
            centroids <- new("Centroids", cells = c("a", "b"), coords = coords)
            new <- new("VisiumV2", image = pixels, scale.factors = factors, boundaries = list(centroids = centroids))
            meta <- data.frame(n = 1:2, row.names = c("a", "b"))
            saveRDS(new("Seurat", images = list(slice1 = old, slice2 = new), meta.data = meta), arguments[2])
        """
        if shutil.which("Rscript"):
            raw = os.path.join(self.folder, "pixels")
            values.transpose().tofile(raw)
            built = run("Rscript", "-e", script, raw, store)
            self.assertEqual(built.returncode, 0, built.stderr)
            stores[store] = stores[file]
        for path, factors in stores.items():
            with self.subTest(path), Mount(path) as m:
                for slide in sorted(set(os.listdir(m.join("images"))) & {"slice1", "slice2"}):
                    place = m.join("images", slide)
                    numpy.testing.assert_array_equal(
                        rgb_of(m.read(place, "image.png")), numpy.floor(values * 255 + 0.5)
                    )
                    self.assertNotIn("image.png", os.listdir(place))
                    self.assertEqual(m.read(place, "scale.factors.csv"), factors)
                    if path == store:
                        columns = "imagerow,imagecol" if slide == "slice1" else "x,y"
                        self.assertEqual(m.read(place, "coordinates.csv"), f'"",{columns}\na,1.5,2\nb,3,4\n'.encode())


@needs_modules("tifffile")
class Pixels(Folder):
    """One mount of a folder of random images, the same in every run. IMAGES=COUNT:SEED makes others."""

    @classmethod
    def setUpClass(cls):
        cls.store = tempfile.mkdtemp(prefix="plainfs-test-")
        count, seed = map(int, os.environ.get("IMAGES", "60:45").split(":"))
        chance = random.Random(seed)
        cls.images = {f"{i}.zarr": random_image(os.path.join(cls.store, f"{i}.zarr"), chance) for i in range(count)}
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
                # The whole has the shape of the image, without axes of one element.
                whole = shown(pyramid[0]).transpose([axes.index(a) for a in "tczyx" if a in axes])
                numpy.testing.assert_array_equal(numpy.squeeze(series.asarray()), numpy.squeeze(whole))

    def test_the_metadata_are_read(self):
        store = os.path.join(self.folder, "printed.zarr")
        channels = [{"label": "D & \"<A>\"", "color": "FF0000"}, {"label": "Zürich", "color": "00FF00"}]
        values = numpy.zeros((3, 2, 4, 20, 30), "u1")
        ome_zarr.write_image(
            store,
            values,
            "tczyx",
            (1, 1, 1, 16, 16),
            name="a<b",
            steps={"t": 2.5, "z": 1.5, "y": 0.325, "x": 0.3},
            words={"omero": {"channels": channels}},
        )
        with Mount(store) as m, tifffile.TiffFile(m.join("image.ome.tif")) as file:
            self.assertEqual(file.series[0].axes, "TCZYX")
            self.assertEqual(file.series[0].shape, values.shape)
            image = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]
            self.assertEqual(file.pages[0].software, tifffile.xml2dict(file.ome_metadata)["OME"]["Creator"])
        self.assertEqual(image["Name"], "a<b")
        pixels = image["Pixels"]
        self.assertEqual([pixels[f"PhysicalSize{axis}"] for axis in "XYZ"], [0.3, 0.325, 1.5])
        self.assertEqual(
            [pixels["PhysicalSizeXUnit"], pixels["TimeIncrement"], pixels["TimeIncrementUnit"]], ["µm", 2.5, "s"]
        )
        self.assertEqual(
            [(channel["Name"], channel["Color"]) for channel in pixels["Channel"]],
            [("D & \"<A>\"", -16776961), ("Zürich", 16711935)],
        )

    @needs("tiffcp", "tiffinfo")
    def test_libtiff_reads_and_copies_it_without_a_warning(self):
        for name, (axes, pyramid) in list(self.images.items())[:20]:
            with self.subTest(name):
                output = run("tiffinfo", "-s", self.file(name))
                self.assertEqual([output.returncode, output.stderr], [0, b""])
                self.assertEqual(output.stdout.count(b"=== TIFF directory"), len(planes_of(pyramid[0], axes)))
                copy = os.path.join(self.folder, "copy.tif")
                done = run("tiffcp", self.file(name), copy)
                self.assertEqual([done.returncode, done.stderr], [0, b""])
                with tifffile.TiffFile(copy) as file:
                    self.same_planes(file.pages, axes, pyramid, 0)

    @needs("vips")
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
                numpy.testing.assert_array_equal(
                    numpy.fromfile(raw, planes.dtype).reshape(planes.shape[1:]), planes[-1]
                )
                read += 1
        self.assertGreater(read, 40)

    def test_imagej_tif_is_found_by_name(self):
        for name, (axes, pyramid) in list(self.images.items())[:30]:
            path = self.mount.join(name, "image.tif")
            with self.subTest(name), tifffile.TiffFile(path) as file:
                self.assertNotIn("image.tif", os.listdir(os.path.dirname(path)))
                order = [axes.index(axis) for axis in "tzc" if axis in axes] + [len(axes) - 2, len(axes) - 1]
                planes = shown(pyramid[0]).transpose(order).reshape(-1, *pyramid[0].shape[-2:])
                self.assertFalse(file.is_bigtiff)
                self.assertEqual(len(file.pages), len(planes))
                for page, plane in zip(file.pages, planes):
                    self.assertFalse(page.is_tiled)
                    numpy.testing.assert_array_equal(page.asarray(), plane)
                printed = file.imagej_metadata
                self.assertEqual(printed["images"], len(planes))
                for word, axis in (("channels", "c"), ("slices", "z"), ("frames", "t")):
                    self.assertEqual(printed.get(word, 1), pyramid[0].shape[axes.index(axis)] if axis in axes else 1)
                if shutil.which("tiffcp"):
                    done = run("tiffcp", path, os.path.join(self.folder, "copy.tif"))
                    self.assertEqual([done.returncode, done.stderr], [0, b""])

    def test_tif_has_pixel_sizes_and_stays_below_4_gib(self):
        small, large = (os.path.join(self.folder, name) for name in ("small.zarr", "large.zarr"))
        ome_zarr.write_image(
            small, numpy.zeros((2, 20, 30), "u1"), "zyx", (1, 16, 16), steps={"z": 2, "y": 0.5, "x": 0.325}
        )
        ome_zarr.group(large, {"multiscales": ome_zarr.multiscale("yx", 1)})
        zarr.open(os.path.join(large, "0"), "w", shape=(65536, 65536), chunks=(1024, 1024), dtype="u1", fill_value=3)
        with Mount(small) as m, tifffile.TiffFile(m.join("image.tif")) as file:
            self.assertEqual(file.pages[0].tags["XResolution"].value, (1000000, 325000))
            self.assertEqual([file.imagej_metadata[word] for word in ("unit", "spacing")], ["micron", 2])
        with Mount(large) as m:
            with self.assertRaises(OSError) as refused:
                os.stat(m.join("image.tif"))
            self.assertEqual(refused.exception.errno, errno.ENOTSUP)
            self.assertIn("image.ome.tif", os.listdir(m.path))
            self.assertEqual(os.listdir(m.path).count("preview.png"), 0)
            with tifffile.TiffFile(m.join("image.ome.tif")) as file:
                self.assertEqual(file.pages[0].segments().__next__()[0].max(), 3)

    def test_absent_chunks_have_the_bytes_of_stored_ones(self):
        """Tests fill values of one repeated byte (0, 7, 0x0707) and others. Tiles at the edges are padded with
        zeros."""
        for dtype, fill in (("u1", 0), ("u1", 7), ("<u2", 0x0707), ("<u2", 0x0102), (">f4", 1.5), ("|b1", True)):
            files = []
            for kind in ("absent", "stored"):
                store = os.path.join(self.folder, kind, "i.zarr")
                ome_zarr.group(store, {"multiscales": ome_zarr.multiscale("yx", 1)})
                image = zarr.open(
                    os.path.join(store, "0"),
                    "w",
                    shape=(1500, 1900),
                    chunks=(512, 512),
                    dtype=dtype,
                    fill_value=fill,
                    write_empty_chunks=True,
                )
                if kind == "stored":
                    image[:] = fill
                image[600:700, 600:650] = 1
                self.assertEqual(len(os.listdir(os.path.join(store, "0"))), 2 if kind == "absent" else 13)
                with Mount(store) as m:
                    files.append(m.read("image.ome.tif"))
                    with tifffile.TiffFile(m.join("image.ome.tif")) as file:
                        numpy.testing.assert_array_equal(file.pages[0].asarray(), image[:])
            self.assertEqual(len(files[0]), len(files[1]))
            self.assertTrue(files[0] == files[1], (dtype, fill))

    def test_image_with_other_pixel_types_has_none(self):
        for dtype in ("<i8", "<u8", "<c8"):
            store = os.path.join(self.folder, dtype[1:] + ".zarr")
            ome_zarr.write_image(store, numpy.zeros((20, 20), dtype), "yx", (16, 16))
            with Mount(store) as m:
                self.assertFalse(any(".tif" in name for name in os.listdir(m.path)))
                self.assertIn("0.npy", os.listdir(m.path))

    def test_damage_is_an_error_and_never_wrong_pixels(self):
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
