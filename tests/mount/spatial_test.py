#!/usr/bin/env python3
"""The positions of cells in tissue, and the pictures of it: the data that anndata, zarr, Seurat and R read from each
spatial object."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
import zlib

from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import import_or_exit, needs_r

anndata, numpy, pandas = import_or_exit("anndata", "numpy", "pandas")

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spatial.R")
SEURAT = "assays/RNA.h5ad", "assays/RNA.zarr"


def r(*arguments):
    built = subprocess.run(["Rscript", SCRIPT, *arguments], capture_output=True, text=True, timeout=300, check=False)
    if built.returncode != 0:
        raise AssertionError(built.stderr)
    return built.stdout


def coordinates_in(path):
    read = anndata.read_zarr if path.endswith(".zarr") else anndata.read_h5ad
    return read(path).obsm["spatial"]


def slides_in(path):
    read = anndata.read_zarr if path.endswith(".zarr") else anndata.read_h5ad
    return read(path).uns["spatial"]


def same_pictures(test, slides, expected):
    """Compares uns/spatial as scanpy reads it: numbers that are scalars, pictures of the same bytes."""
    test.assertEqual(sorted(slides), sorted(expected))
    for name, slide in expected.items():
        test.assertEqual(
            {key: float(value) for key, value in slides[name]["scalefactors"].items()}, slide["scalefactors"]
        )
        test.assertEqual(dict(slides[name].get("metadata", {})), slide.get("metadata", {}))
        test.assertEqual(sorted(slides[name]["images"]), sorted(slide["images"]))
        for picture, pixels in slide["images"].items():
            found = slides[name]["images"][picture]
            test.assertEqual(found.dtype, pixels.dtype)
            numpy.testing.assert_array_equal(found, pixels)


def log_of(mount):
    return mount.read(".plainfs", "log").decode()


@needs_r("Seurat")
class Objects(Folder):
    """R objects: the cells c1 to c6 are at the places of places.csv."""

    @classmethod
    def setUpClass(cls):
        cls.stores = tempfile.mkdtemp(prefix="plainfs-test-")
        r("make", cls.stores)
        cls.places = pandas.read_csv(os.path.join(cls.stores, "places.csv"), index_col=0).to_numpy()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.stores)

    def store(self, name):
        return os.path.join(self.stores, name + ".rds")

    def same_places(self, mount, paths, places=None):
        for path in paths:
            with self.subTest(path):
                numpy.testing.assert_array_equal(
                    coordinates_in(mount.join(path)), self.places if places is None else places
                )

    def test_coordinates_of_every_class_are_in_obsm(self):
        for name in ("slideseq", "fov", "outlines", "visium_v2", "visium_v2_old"):
            with self.subTest(name), Mount(self.store(name)) as m:
                self.same_places(m, SEURAT)

    def test_cell_without_a_slice_has_no_coordinates(self):
        places = self.places.astype(float)
        places[5] = numpy.nan
        with Mount(self.store("visium")) as m:
            self.same_places(m, SEURAT, places)

    def test_an_object_without_a_picture_has_a_reduction(self):
        with Mount(self.store("fov")) as m:
            script = (
                "x <- readRDS(commandArgs(TRUE)); print(names(x@images)); write.csv(x[['spatial']]@cell.embeddings)"
            )
            printed = run("Rscript", "-e", script, m.join("seurat.rds")).stdout.decode().splitlines()
            self.assertEqual(printed[0], "NULL")
            self.assertEqual(printed[1:3], ['"","spatial_1","spatial_2"', '"c1",30,20'])
            self.assertIn("seurat.rds: images/fov: no picture", log_of(m))
            self.assertIn("/images/fov/molecules: not in the object", log_of(m))

    def test_images_match_the_object(self):
        with Mount(self.store("visium")) as m:
            self.assertEqual(r("print", m.join("seurat.rds")), r("print", self.store("visium")))

    def test_pictures_of_a_seurat_object_are_in_uns(self):
        with Mount(self.store("visium")) as m:
            for path in SEURAT:
                with self.subTest(path):
                    slides = slides_in(m.join(path))
                    self.assertEqual(sorted(slides), ["slice1", "slice2"])
                    picture = slides["slice1"]["images"]["lowres"]
                    self.assertEqual((picture.dtype, picture.shape), (numpy.uint8, (12, 18, 3)))
                    stored = numpy.linspace(0, 1, 12 * 18 * 3).reshape((12, 18, 3), order="F")
                    numpy.testing.assert_array_equal(picture, numpy.floor(stored * 255 + 0.5))
                    factors = {name: float(value) for name, value in slides["slice1"]["scalefactors"].items()}
                    self.assertEqual(
                        factors,
                        {
                            "tissue_hires_scalef": 0.5,
                            "tissue_lowres_scalef": 0.1,
                            "spot_diameter_fullres": 10,
                            "fiducial_diameter_fullres": 12,
                        },
                    )

    def test_visium_of_seurat_5_equals_seurat_4(self):
        for name in ("visium_v2", "visium_v2_old"):
            with self.subTest(name), Mount(self.store(name)) as m:
                printed = r("print", m.join("seurat.rds")).splitlines()
                self.assertEqual(printed[0].split()[:4], ["slice1", "VisiumV1", "slice1_", "RNA"])
                self.assertEqual(printed[2], "10 12 0.5 0.1 ")
                self.assertEqual(printed[4].split(), ["c1", "1", "NA", "NA", "20", "30"])

    @needs_r("SingleCellExperiment")
    def test_an_experiment_has_coordinates_and_pictures(self):
        with Mount(self.store("experiment")) as m:
            self.same_places(m, ("anndata.h5ad", "anndata.zarr"))
            lines = m.read("spatial_coordinates.csv").decode().splitlines()
            self.assertEqual(lines[:2], ['"",pxl_col_in_fullres,pxl_row_in_fullres', "c1,30,20"])
            self.assertEqual(m.read("images.csv"), b"sample_id,image_id,scaleFactor\ns1,lowres,0.1\ns2,hires,0.5\n")
            self.assertEqual(numpy.load(m.join("images", "s1_lowres", "image.npy")).shape, (12, 18, 3))
            self.assertEqual(m.read("images", "s1_lowres", "image.png")[:4], b"\x89PNG")
            with open(os.path.join(self.stores, "logo.png"), "rb") as picture:
                self.assertEqual(m.read("images", "s2_hires", "image.png"), picture.read())
            logo = numpy.load(m.join("images", "s2_hires", "image.npy"))
            self.assertEqual((logo.dtype, logo.shape[2]), (numpy.uint8, 4))
            slides = slides_in(m.join("anndata.h5ad"))
            self.assertEqual([list(slides[name]["images"]) for name in ("s1", "s2")], [["lowres"], ["hires"]])
            self.assertEqual(float(slides["s1"]["scalefactors"]["spot_diameter_fullres"]), 0.65 * 60)
            opacity = logo[:, :, 3:] / 255
            over_white = logo[:, :, :3] * opacity + 255 * (1 - opacity)
            numpy.testing.assert_allclose(slides["s2"]["images"]["hires"], over_white, atol=1)
            printed = r("print", m.join("seurat.rds")).splitlines()
            self.assertEqual(printed[0].split()[:2], ["s1", "VisiumV1"])
            second = next(i for i, line in enumerate(printed) if line.startswith("s2 "))
            self.assertEqual([line.split()[0] for line in printed[4:second]], ["c1", "c2", "c3", "c4"])
            self.assertEqual(printed[second + 1].split()[:2], [str(length) for length in logo.shape[:2]])
            self.assertEqual([line.split()[0] for line in printed[second + 4 :]], ["c5", "c6"])

    @needs_r("SingleCellExperiment", "igraph")
    def test_a_trajectory_is_tables_and_lists(self):
        with Mount(self.store("trajectory")) as m:
            self.assertEqual(m.read("principal_graph", "UMAP.csv"), b"from,to,weight\nY_1,Y_2,0.5\nY_2,Y_3,0.25\n")
            self.assertEqual(m.read("principal_graph", "UMAP", "vertices.csv"), b'""\nY_1\nY_2\nY_3\n')
            pseudotime = m.read("principal_graph_aux", "UMAP", "pseudotime.csv").decode().splitlines()
            self.assertEqual(pseudotime[:4], ['"",value', "c1,0", "c2,1.5", "c3,Inf"])
            self.assertEqual(m.read("clusters", "UMAP", "clusters.csv").decode().splitlines()[3], "c3,2")
            self.assertEqual(m.read("column_pairs", "knn.csv"), b"from,to,x\n1,2,0.5\n2,3,1\n")
            self.assertEqual(m.read("row_pairs", "near.csv"), b"from,to,x\n1,4,7\n")
            m.read("anndata.h5ad")
            for part in ("principal_graph", "principal_graph_aux", "clusters"):
                self.assertRegex(log_of(m), f"/{part}/UMAP[/a-z]*: not in the .h5ad")

    def test_seurat_draws_them(self):
        for name in ("visium", "visium_v2", "experiment"):
            with self.subTest(name), Mount(self.store(name)) as m:
                picture = os.path.join(self.folder, name + "-%d.png")
                r("draw", m.join("seurat.rds"), picture)
                for page in ("1", "2"):
                    self.assertGreater(os.path.getsize(picture.replace("%d", page)), 5000)


def png(pixels):
    """A PNG of red, green and blue in 8 bits."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Takane(Folder):
    def test_a_takane_experiment_has_coordinates(self):
        """Tests coordinates in a separate directory, like those of a reduced dimension."""
        store = os.path.join(self.folder, "spatial")
        shutil.copytree(os.path.join(DATA, "takane-objects", "single_cell", "store"), store)
        shutil.copytree(os.path.join(store, "reduced_dimensions", "0"), os.path.join(store, "coordinates"))
        with Mount(store) as m:
            read = anndata.read_h5ad(m.join("anndata.h5ad"))
        same, *_ = [name for name in read.obsm if name != "spatial"]
        numpy.testing.assert_array_equal(read.obsm["spatial"], read.obsm[same])

    def test_pictures_of_a_takane_experiment_are_in_uns(self):
        """They are PNG files beside a list of their samples and factors."""
        h5py = import_or_exit("h5py")[0]
        store = os.path.join(self.folder, "spatial")
        shutil.copytree(os.path.join(DATA, "takane-objects", "single_cell", "store"), store)
        shutil.copytree(os.path.join(store, "reduced_dimensions", "0"), os.path.join(store, "coordinates"))
        with Mount(store) as m:
            cells = anndata.read_h5ad(m.join("anndata.h5ad")).n_obs
        os.mkdir(os.path.join(store, "images"))
        pixels = numpy.random.default_rng(62).integers(0, 256, (5, 7, 3)).astype("u1")
        with open(os.path.join(store, "images", "0.png"), "wb") as file:
            file.write(png(pixels))
        with h5py.File(os.path.join(store, "images", "mapping.h5"), "w") as file:
            mapping = file.create_group("spatial_experiment")
            mapping["sample_names"] = numpy.array([b"s1"])
            mapping["column_samples"] = numpy.zeros(cells, "u4")
            mapping["image_samples"] = numpy.zeros(1, "u4")
            mapping["image_ids"] = numpy.array([b"lowres"])
            mapping["image_scale_factors"] = numpy.array([0.25])
            mapping["image_formats"] = numpy.array([b"PNG"])
        with Mount(store) as m:
            numpy.testing.assert_array_equal(numpy.load(m.join("images", "0.npy")), pixels)
            with open(m.join("images", "0.png"), "rb") as shown, open(
                os.path.join(store, "images", "0.png"), "rb"
            ) as stored:
                self.assertEqual(shown.read(), stored.read())
            for path in ("anndata.h5ad", "anndata.zarr"):
                slide = slides_in(m.join(path))["s1"]
                numpy.testing.assert_array_equal(slide["images"]["lowres"], pixels)
                self.assertEqual(float(slide["scalefactors"]["tissue_lowres_scalef"]), 0.25)


class Runs(Folder):
    """Folders of 10x's instruments, as far as their formats are published."""

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def transcripts(self, path):
        zarr = import_or_exit("zarr")[0]
        with zarr.ZipStore(os.path.join(self.folder, path), mode="w") as store:
            root = zarr.group(store)
            root.attrs.update(major_version=4, gene_names=["A", "B"])
            square = root.create_group("grids/0/0,0")
            square["location"] = numpy.array([[1, 2, 0.5], [3, 4, 0.25]], "f4")
            square["gene_identity"] = numpy.array([[1], [0]], "u2")
            square["quality_score"] = numpy.array([[40], [20]], "f4")

    def test_info_names_a_run_of_xenium(self):
        manifest = {
            "major_version": 5,
            "run_name": "Run 7",
            "region_name": "R1",
            "panel_name": "N/A",
            "num_cells": 3,
            "pixel_size": 0.2125,
        }
        self.write("run/experiment.xenium", json.dumps(manifest))
        self.write("run/cells.parquet", "PAR1")
        self.transcripts("run/transcripts.zarr.zip")
        folder = os.path.join(self.folder, "run")
        lines = [line.split() for line in run(PROGRAM, "info", folder).stdout.decode().splitlines()]
        for line in (
            ["kind", "Xenium"],
            ["name", "Run", "7"],
            ["region_name", "R1"],
            ["num_cells", "3"],
            ["pixel_size", "0.2125"],
        ):
            self.assertIn(line, lines)
        self.assertNotIn("panel_name", [line[0] for line in lines if line])
        with Mount(folder) as m:
            self.assertEqual(m.read("experiment.xenium").decode(), json.dumps(manifest))
            self.assertEqual(m.read("cells.parquet"), b"PAR1")
            table = m.read("transcripts.zarr.zip", "grids", "0", "0,0.csv")
            self.assertEqual(table, b"x_location,y_location,z_location,feature_name,qv\n1,2,0.5,B,40\n3,4,0.25,A,20\n")
            self.assertEqual(m.read("transcripts.zarr.zip", "grids", "0", "0,0", "gene_identity.csv"), b"1\n0\n")

    def test_info_names_a_run_of_visium(self):
        factors = json.dumps({"spot_diameter_fullres": 7.3, "microns_per_pixel": 0.27, "tissue_lowres_scalef": 0.1})
        self.write("sample/outs/spatial/scalefactors_json.json", factors)
        for size in ("002", "008"):
            self.write(f"hd/outs/binned_outputs/square_{size}um/spatial/scalefactors_json.json", factors)
        for name, kind, bins in (("sample", "Visium", []), ("hd", "Visium HD", ["square_002um", "square_008um"])):
            with Mount(os.path.join(self.folder, name, "outs")) as m:
                printed = json.loads(m.read(".plainfs", "info.json"))["run"]
            self.assertEqual(
                [printed["kind"], printed["name"], printed.get("bins", []), printed["microns_per_pixel"]],
                [kind, name, bins, 0.27],
            )

    def test_invalid_manifest_is_ignored(self):
        self.write("run/experiment.xenium", "{")
        with Mount(os.path.join(self.folder, "run")) as m:
            self.assertNotIn("run", json.loads(m.read(".plainfs", "info.json")))
            self.assertIn("experiment.xenium: ", log_of(m))
            self.assertEqual(m.read("experiment.xenium"), b"{")


def visium(cells=8, slides=("lib",), dtype="u1"):
    """Returns an AnnData like scanpy's read_visium. With several slides, obs names the slide of each cell."""
    chance = numpy.random.default_rng(62)
    names = [f"c{i}" for i in range(cells)]
    obs = pandas.DataFrame({"in_tissue": 1, "array_row": range(cells), "array_col": range(cells)}, index=names)
    counts = chance.poisson(3, (cells, 3)).astype("f4")
    built = anndata.AnnData(counts, obs=obs, var=pandas.DataFrame(index=["g1", "g2", "g3"]), dtype="f4")
    built.obsm["spatial"] = chance.uniform(20, 180, (cells, 2))
    factors = {
        "tissue_hires_scalef": 0.5,
        "tissue_lowres_scalef": 0.1,
        "spot_diameter_fullres": 20.0,
        "fiducial_diameter_fullres": 30.0,
    }
    built.uns["spatial"] = {}
    for slide in slides:
        small = chance.integers(0, 256, (20, 24, 3)).astype("u1")
        small = small if dtype == "u1" else (small / 255).astype(dtype)
        images = {"hires": numpy.kron(small, numpy.ones((5, 5, 1), small.dtype)), "lowres": small}
        built.uns["spatial"][slide] = {"images": images, "scalefactors": dict(factors)}
    if len(slides) > 1:
        built.obs["library_id"] = pandas.Categorical([slides[i % len(slides)] for i in range(cells)])
    return built


@needs_r("Seurat")
class Slides(Folder):
    def printed(self, built):
        store = os.path.join(self.folder, "v.h5ad")
        built.write_h5ad(store)
        with Mount(store) as m:
            printed = r("print", m.join("seurat.rds")).splitlines()
            return printed, log_of(m)

    def test_a_slide_is_an_image_of_seurats(self):
        for dtype in ("u1", "f4", "f8"):
            built = visium(dtype=dtype)
            printed, _ = self.printed(built)
            with self.subTest(dtype):
                small = built.uns["spatial"]["lib"]["images"]["lowres"].astype("f8") / (255 if dtype == "u1" else 1)
                self.assertEqual(printed[0].split(), ["lib", "VisiumV1", "lib_", "RNA", "0.125"])
                self.assertEqual(printed[1].split()[:3], ["20", "24", "3"])
                self.assertAlmostEqual(float(printed[1].split()[5]), small.sum(), 1)
                self.assertEqual(printed[2], "20 30 0.5 0.1 ")
                across, down = built.obsm["spatial"][3]
                self.assertEqual(printed[7].split()[:4], ["c3", "1", "3", "3"])
                numpy.testing.assert_allclose(
                    [float(word) for word in printed[7].split()[4:]], [down, across], rtol=1e-6
                )

    def test_pictures_are_those_of_the_store(self):
        store = os.path.join(self.folder, "v.h5ad")
        built = visium(slides=("a", "b"))
        built.uns["spatial"]["a"]["metadata"] = {"chemistry_description": "Spatial 3' v1"}
        del built.obs["library_id"]
        built.write_h5ad(store)
        with Mount(store) as m:
            for path in ("anndata.h5ad", "anndata.zarr"):
                with self.subTest(path):
                    same_pictures(self, slides_in(m.join(path)), built.uns["spatial"])
            self.assertNotIn("not in the .h5ad", log_of(m))
        packed = os.path.join(self.folder, "packed.h5ad")
        run(PROGRAM, "export", store, packed)
        same_pictures(self, slides_in(packed), built.uns["spatial"])

    def test_texts_of_a_slide_are_those_of_a_zarr_store(self):
        store = os.path.join(self.folder, "v.zarr")
        built = visium()
        built.uns["spatial"]["lib"]["metadata"] = {"chemistry_description": "Spatial 3' v1", "software_version": "µ"}
        built.write_zarr(store)
        with Mount(store) as m:
            for path in ("anndata.h5ad", "anndata.zarr"):
                with self.subTest(path):
                    same_pictures(self, slides_in(m.join(path)), built.uns["spatial"])

    def test_non_picture_of_an_anndata_is_kept(self):
        built = visium()
        built.uns["spatial"]["lib"]["images"]["lowres"] = numpy.zeros((4, 4), "u1")
        store = os.path.join(self.folder, "v.h5ad")
        built.write_h5ad(store)
        with Mount(store) as m:
            self.assertEqual(sorted(slides_in(m.join("anndata.h5ad"))["lib"]["images"]), ["hires", "lowres"])
            self.assertNotIn("not in the .h5ad", log_of(m))

    def test_large_picture_replaces_a_missing_small_one(self):
        built = visium()
        del built.uns["spatial"]["lib"]["images"]["lowres"]
        printed, _ = self.printed(built)
        self.assertEqual(printed[1].split()[:3], ["100", "120", "3"])
        self.assertEqual(printed[2], "20 30 0.5 0.5 ")

    def test_each_slide_has_its_own_cells(self):
        printed, _ = self.printed(visium(slides=("a", "b")))
        self.assertEqual(
            [line.split()[0] for line in printed if line.startswith("c")],
            ["c0", "c2", "c4", "c6", "c1", "c3", "c5", "c7"],
        )

    def test_slides_of_unknown_cells_are_left_out_and_logged(self):
        built = visium(slides=("a", "b"))
        del built.obs["library_id"]
        printed, log = self.printed(built)
        self.assertEqual(printed, [])
        self.assertIn("uns/spatial: no column of obs has the slide of each cell", log)

    def test_a_level_has_its_part_of_the_slide(self):
        built = visium()
        built.obs["kind"] = pandas.Categorical(["x", "y"] * 4)
        store = os.path.join(self.folder, "v.h5ad")
        built.write_h5ad(store)
        with Mount(store) as m:
            printed = r("print", m.join("by", "kind", "y", "seurat.rds")).splitlines()
        self.assertEqual([line.split()[0] for line in printed[4:]], ["c1", "c3", "c5", "c7"])


if __name__ == "__main__":
    main()
