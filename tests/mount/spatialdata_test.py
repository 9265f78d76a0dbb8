#!/usr/bin/env python3
"""A SpatialData: its table by anndata, images and labels by zarr, shapes and points by DuckDB, on the mount and through
`serve`. The store has the documented layout of spatialdata 0.2, a package that Debian does not have."""
import os
import subprocess
import sys

from mounted import Mount, Folder, main
from optional import NPM, answers_of_npm, import_or_exit, needs_npm

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))

from server import Server  # noqa: E402

anndata, numpy, pandas, zarr = import_or_exit("anndata", "numpy", "pandas", "zarr")

GLOBAL = [{"type": "identity", "input": {"name": "xy"}, "output": {"name": "global"}}]
TABLE = {
    "spatialdata-encoding-type": "ngff:regions_table",
    "region": "cells",
    "region_key": "region",
    "instance_key": "cell_id",
}
POINTS = "SELECT i * 0.25 AS x, 'GENE' || i % 3 AS gene FROM range({}, {}) t(i)"
PARTS = "points/transcripts/points.parquet"
QUERIES = {
    "shapes/cells/shapes.parquet": "SELECT i AS x, i + 0.5 AS y, 2.0 AS radius FROM range(6) t(i)",
    PARTS + "/part.0.parquet": POINTS.format(0, 1000),
    PARTS + "/part.1.parquet": POINTS.format(1000, 1500),
}


def by_duckdb(paths):
    """Returns the rows of each Parquet file."""
    answers = answers_of_npm("read.mjs", paths)
    assert not any("error" in answer for answer in answers), answers
    return [answer["rows"] for answer in answers]


def image_attributes(axes):
    axes = [{"name": axis, "type": "channel" if axis == "c" else "space"} for axis in axes]
    levels = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1.0] * len(axes)}]}]
    return {"multiscales": [{"version": "0.4", "axes": axes, "datasets": levels, "coordinateTransformations": GLOBAL}]}


@needs_npm("@duckdb/node-api")
class SpatialData(Folder):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder, "s.zarr")
        root = zarr.open_group(self.store, mode="w")
        root.attrs["spatialdata_attrs"] = {"version": "0.1", "spatialdata_software_version": "0.2.3"}
        for kind in ("images", "labels", "shapes", "points", "tables"):
            root.create_group(kind)
        self.pixels = numpy.arange(3 * 20 * 30, dtype="u1").reshape(3, 20, 30)
        self.labels = numpy.arange(20 * 30, dtype="i4").reshape(20, 30) % 7
        self.put_image("images/slide", "cyx", self.pixels)
        self.put_image("labels/cells", "yx", self.labels)
        self.cells = self.put_table("tables/counts")
        zarr.open_group(os.path.join(self.store, "shapes/cells"), mode="w").attrs.update(
            {"encoding-type": "ngff:shapes", "coordinateTransformations": GLOBAL}
        )
        zarr.open_group(os.path.join(self.store, "points/transcripts"), mode="w").attrs.update(
            {"encoding-type": "ngff:points", "coordinateTransformations": GLOBAL}
        )
        os.mkdir(os.path.join(self.store, PARTS))
        lines = [f"{os.path.join(self.store, path)}\t{query}" for path, query in QUERIES.items()]
        subprocess.run(
            ["node", os.path.join(NPM, "write.mjs")], input="\n".join(lines), text=True, timeout=120, check=True
        )

    def put_image(self, name, axes, pixels):
        group = zarr.open_group(os.path.join(self.store, name), mode="w")
        group.attrs.update(image_attributes(axes))
        group.create_dataset("0", data=pixels, chunks=(1, 8, 8)[-pixels.ndim :], dimension_separator="/")

    def put_table(self, name):
        obs = pandas.DataFrame(
            {"region": pandas.Categorical(["cells"] * 6), "cell_id": range(6)}, index=[f"c{i}" for i in range(6)]
        )
        cells = anndata.AnnData(numpy.arange(18, dtype="f4").reshape(6, 3), obs=obs, dtype="f4")
        cells.var_names = ["GENE0", "GENE1", "GENE2"]
        cells.obsm["spatial"] = numpy.arange(12.0).reshape(6, 2)
        cells.write_zarr(os.path.join(self.store, name))
        zarr.open_group(os.path.join(self.store, name)).attrs.update(TABLE)
        return cells

    def check_table(self, path):
        read = anndata.read_h5ad(path)
        numpy.testing.assert_array_equal(read.X, self.cells.X)
        numpy.testing.assert_array_equal(read.obsm["spatial"], self.cells.obsm["spatial"])
        self.assertEqual(list(read.obs["cell_id"]), list(range(6)))
        self.assertEqual(list(read.obs["region"]), ["cells"] * 6)

    def test_elements_are_read_by_their_tools_on_the_mount(self):
        paths = list(QUERIES)
        with Mount(self.store) as mount:
            self.check_table(mount.join("tables/counts/anndata.h5ad"))
            numpy.testing.assert_array_equal(numpy.load(mount.join("images/slide/0.npy")), self.pixels)
            numpy.testing.assert_array_equal(numpy.load(mount.join("labels/cells/0.npy")), self.labels)
            found = by_duckdb([mount.join(path) for path in paths])
            self.assertEqual(found, by_duckdb([os.path.join(self.store, path) for path in paths]))
            self.assertEqual([len(rows) for rows in found], [6, 1000, 500])
            self.assertEqual(sorted(os.listdir(mount.join(PARTS))), ["part.0.parquet", "part.1.parquet"])

    def test_points_are_one_table(self):
        with Mount(self.store) as mount:
            points = pandas.read_csv(mount.join("points/transcripts/points.csv"))
            numpy.testing.assert_array_equal(points["x"], numpy.arange(1500) * 0.25)
            self.assertEqual(list(points["gene"]), [f"GENE{i % 3}" for i in range(1500)])
            self.assertEqual(mount.read("shapes/cells/shapes.csv").splitlines()[1], b"0,0.5,2.0")

    def test_elements_are_read_through_serve(self):
        with Server(self.store) as server:
            for path in QUERIES:
                with open(os.path.join(self.store, path), "rb") as file:
                    stored = file.read()
                self.assertEqual(server.ask(path).body, stored)
                self.assertEqual(server.ask(".plainfs/source/" + path).body, stored)
            with open(os.path.join(self.folder, "counts.h5ad"), "wb") as file:
                file.write(server.ask("tables/counts/anndata.h5ad").body)
            self.check_table(os.path.join(self.folder, "counts.h5ad"))
            group = zarr.open_group(zarr.storage.FSStore(server.url + ".plainfs/source"), mode="r")
            numpy.testing.assert_array_equal(group["images/slide/0"][:], self.pixels)
            numpy.testing.assert_array_equal(group["labels/cells/0"][:], self.labels)
            page = server.ask("", accept="text/html").body.decode()
            for words in ("SpatialData", "slide", "transcripts", "counts, about cells", "global"):
                self.assertIn(words, page)


if __name__ == "__main__":
    main()
