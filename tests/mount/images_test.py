#!/usr/bin/env python3
"""Images of OME-Zarr: what is said of them."""
import json
import os
import sys

from mounted import PROGRAM, Folder, Mount, main, run

try:
    import numpy

    import ome_zarr
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


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


if __name__ == "__main__":
    main()
