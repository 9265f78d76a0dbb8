#!/usr/bin/env python3
"""Damaged stores through the directories for other programs (anndata.zarr/, bpcells/, 10x/, by/, pseudobulk/): each
reader gets the content of the store, or an error. Unreadable data never appear as absent."""
import itertools
import json
import os
import shutil
import stat
import unittest

from made_test import arrays_of, digest, same_anndata
from mounted import DATA, PROGRAM, Folder, Mount, main, run
from optional import answers_of_npm, needs_modules, needs_npm

try:
    import anndata
    import h5py
    import numpy as np
    import zarr
except ImportError:
    anndata = None

STORE = os.path.join(DATA, "anndata", "slash_zarr2", "store.zarr")
VIEWS = "views=h5ad+zarr+bpcells+gz+h5+mtx+tsv"


def files_below(folder):
    """Returns the relative path of every file below. An unlistable folder is an error."""

    def fail(error):
        raise error

    return sorted(
        os.path.relpath(os.path.join(at, name), folder)
        for at, _, names in os.walk(folder, onerror=fail)
        for name in names
    )


def content_or_none(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def outcome(read, path):
    """Returns the result of read(), or its exception."""
    try:
        return read(path)
    except Exception as error:  # of any kind: the reader stops
        return error


def is_error(result):
    return isinstance(result, Exception)


def chunk_keys(document):
    counts = [-(-length // chunk) for length, chunk in zip(document["shape"], document["chunks"], strict=True)]
    if not counts:
        return ["0"]
    return [".".join(map(str, key)) for key in itertools.product(*map(range, counts))]


def consolidated(path):
    with open(os.path.join(path, ".zmetadata"), encoding="utf-8") as file:
        return json.load(file)["metadata"]


class GoldenStores(unittest.TestCase):
    """All damaged golden stores, in one mirror."""

    @classmethod
    def setUpClass(cls):
        mount = Mount(os.path.join(DATA, "bad"), "-o", VIEWS)
        mount.__enter__()
        cls.addClassCleanup(mount.__exit__)
        cls.folders = [os.path.join(at, name) for at, names, _ in os.walk(mount.path) for name in sorted(names)]
        cls.stores = [os.path.join(mount.path, name) for name in os.listdir(mount.path)]
        cls.zarrs = [
            path for path in cls.folders if path.endswith(".zarr") and ".zmetadata" in (outcome(os.listdir, path) or [])
        ]

    def test_every_name_has_a_status(self):
        looked_at = unreadable = 0
        for path in self.folders:
            if os.path.basename(path) not in ("bpcells", "10x") and path not in self.zarrs or path in self.stores:
                continue
            for name in files_below(path):
                status = os.stat(os.path.join(path, name))
                self.assertTrue(stat.S_ISREG(status.st_mode), name)
                looked_at += 1
                if content_or_none(os.path.join(path, name)) is None:
                    self.assertEqual(status.st_size if status.st_size < 2 else 1, 1, name)
                    unreadable += 1
        self.assertGreater(looked_at, 1000)
        self.assertGreater(unreadable, 20)

    def test_every_chunk_promised_by_metadata_exists(self):
        looked_at = 0
        for path in self.zarrs:
            documents = consolidated(path)
            with self.subTest(store=path):
                listed = [name for name in files_below(path) if os.path.basename(name).startswith(".z")]
                self.assertEqual(sorted(documents), sorted(name for name in listed if name != ".zmetadata"))
            for name, document in documents.items():
                if os.path.basename(name) != ".zarray":
                    continue
                for key in chunk_keys(document):
                    chunk = os.path.join(path, os.path.dirname(name), key)
                    self.assertTrue(os.path.isfile(chunk), chunk)
                    looked_at += 1
        self.assertGreater(looked_at, 300)

    @needs_modules("anndata", "zarr")
    def test_anndata_reads_the_h5ad_content_or_raises(self):
        read = raised = 0
        for path in self.zarrs:
            beside = path[: -len(".zarr")] + ".h5ad"
            theirs, ours = outcome(anndata.read_h5ad, beside), outcome(anndata.read_zarr, path)
            with self.subTest(store=path):
                if is_error(theirs):
                    self.assertTrue(is_error(ours), f"{beside}: {theirs}")
                    raised += 1
                elif not is_error(ours):
                    same_anndata(ours, theirs)
                    read += 1
        self.assertGreater(read, 3)
        self.assertGreater(raised, 5)

    @needs_modules("anndata", "zarr")
    @needs_npm("zarrita")
    def test_zarrita_matches_zarr_python_or_raises(self):
        compared = 0
        for path, answer in zip(self.zarrs, answers_of_npm("zarr.mjs", self.zarrs)):
            root = zarr.open(path, mode="r")
            for name, array in (arrays_of(root) if isinstance(root, zarr.Group) else {}).items():
                values = outcome(lambda whole: digest(whole[...]), array)
                with self.subTest(store=path, array=name):
                    if is_error(values):
                        self.assertIn("Error", str(answer[name]))
                    elif array.dtype != "f2" and not array.dtype.fields and array.size > 0 and array.ndim > 0:
                        self.assertEqual(answer[name], values)
                        compared += 1
        self.assertGreater(compared, 300)


class CutFiles(Folder):
    """An AnnData in Zarr; each test truncates one of its files."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = [name for name in files_below(STORE) if os.path.getsize(os.path.join(STORE, name)) > 1]

    def cut_copies(self, names):
        """Returns a folder with a copy of the store for each of its files, with that file truncated."""
        folder = self.empty("cut")
        for number, name in enumerate(names):
            path = os.path.join(folder, f"{number}.zarr")
            shutil.copytree(STORE, path)
            os.truncate(os.path.join(path, name), os.path.getsize(os.path.join(path, name)) // 2)
        return folder

    @needs_modules("anndata", "zarr")
    def test_anndata_reads_all_or_raises(self):
        with Mount(STORE) as mount:
            whole = anndata.read_zarr(mount.join("anndata.zarr"))
        raised = 0
        with Mount(self.cut_copies(self.names)) as mount:
            for number, name in enumerate(self.names):
                ours = outcome(anndata.read_zarr, mount.join(f"{number}.zarr", "anndata.zarr"))
                raised += is_error(ours)
                if not is_error(ours):
                    with self.subTest(cut=name):
                        same_anndata(ours, whole)
        self.assertGreater(raised, len(self.names) // 3)

    def test_same_file_in_other_folders_is_equal_or_unreadable(self):
        unreadable = 0
        names = [name for name in self.names if "/" in name]  # without the root's it is a folder of stores
        with Mount(STORE) as whole, Mount(self.cut_copies(names)) as cut:
            by = whole.join("by")
            column = sorted(os.listdir(by))[0]
            level = sorted(os.listdir(os.path.join(by, column)))[0]
            folders = [
                os.path.join("X", "bpcells"),
                os.path.join("X", "10x"),
                os.path.join("by", column, level),
                "pseudobulk",
            ]
            wanted = {
                os.path.join(folder, name): content_or_none(whole.join(folder, name))
                for folder in folders
                for name in files_below(whole.join(folder))
            }
            self.assertGreater(len(wanted), 20)
            for number, cut_name in enumerate(names):
                read = {name: content_or_none(cut.join(f"{number}.zarr", name)) for name in wanted}
                unreadable += sum(content is None for content in read.values())
                others = [name for name, content in read.items() if content not in (None, wanted[name])]
                with self.subTest(cut=cut_name):
                    self.assertEqual(others, [])
        self.assertGreater(unreadable, 20)

    @needs_modules("anndata", "zarr")
    def test_an_export_is_whole_or_not_opened(self):
        with Mount(STORE) as mount:
            whole = anndata.read_zarr(mount.join("anndata.zarr"))
        names = self.names[::2]
        folder, opened = self.cut_copies(names), 0
        for number, name in enumerate(names):
            target = os.path.join(self.folder, f"exported-{number}")
            done = run(PROGRAM, "export", "--views", "zarr+bpcells", os.path.join(folder, f"{number}.zarr"), target)
            with self.subTest(cut=name):
                ours = outcome(anndata.read_zarr, os.path.join(target, "anndata.zarr"))
                if not is_error(ours):
                    same_anndata(ours, whole)
                    opened += 1
                if done.returncode == 0:
                    self.assertFalse(is_error(ours), ours)
        self.assertGreater(opened, 0)
        self.assertLess(opened, len(names))


@needs_modules("anndata", "h5py", "zarr")
class OneFault(Folder):
    """An AnnData file with one thing that Zarr cannot show."""

    def written(self, name, change):
        path = os.path.join(self.folder, name)
        built = anndata.AnnData(np.arange(12, dtype=np.float32).reshape(4, 3), layers={"counts": np.ones((4, 3))})
        built.obs_names = ["c1", "c2", "c3", "c4"]
        built.obs["good"] = [1, 2, 3, 4]
        built.write_h5ad(path)
        with h5py.File(path, "r+") as file:
            change(file)
        return path

    def rename_column(self, name):
        def change(file):
            file.move("obs/good", f"obs/{name}")
            file["obs"].attrs["column-order"] = np.array([name], dtype=object)

        return change

    def test_non_utf8_names_are_an_error(self):
        def change(file):
            del file["obs/_index"]
            file["obs"].create_dataset("_index", data=np.array([b"\xff\xfe", b"b", b"c", b"d"], dtype="S2"))
            file["obs/_index"].attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})

        with Mount(self.written("latin1.h5ad", change)) as mount:
            with self.assertRaises(OSError):
                anndata.read_zarr(mount.join("anndata.zarr"))
            root = zarr.open(mount.join("anndata.zarr"), mode="r")
            self.assertEqual(root["obs/_index"].shape, (4,))
            self.assertEqual(root["obs/good"][:].tolist(), [1, 2, 3, 4])

    def test_a_layer_without_a_part_is_an_error(self):
        def change(file):
            del file["layers/counts"]
            group = file["layers"].create_group("counts")
            group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": [4, 3]})
            group["data"], group["indices"] = np.ones(2), np.zeros(2, dtype=np.int32)

        with Mount(self.written("layer.h5ad", change)) as mount:
            with self.assertRaises(OSError):
                anndata.read_zarr(mount.join("anndata.zarr"))
            root = zarr.open(mount.join("anndata.zarr"), mode="r")
            self.assertEqual(list(root["layers"]), ["counts"])
            self.assertEqual(root["X"][0].tolist(), [0, 1, 2])
            path = mount.store
        with Mount(path, "-o", "subdir=anndata.zarr/layers") as mount:
            root = zarr.open(mount.path, mode="r")
            self.assertEqual(list(root), ["counts"])
            self.assertRaises(OSError, lambda: root["counts"][...])

    def test_column_name_without_a_path_is_an_error(self):
        for name in ("n" * 300, ".zcolumn"):
            with self.subTest(name), Mount(self.written(f"{len(name)}.h5ad", self.rename_column(name))) as mount:
                read = outcome(anndata.read_zarr, mount.join("anndata.zarr"))
                self.assertTrue(is_error(read))
                root = zarr.open(mount.join("anndata.zarr"), mode="r")
                self.assertEqual(root["obs/_index"][:].tolist(), ["c1", "c2", "c3", "c4"])
                self.assertEqual(list(root["obs"].attrs["column-order"]), [name])

    def test_bpcells_without_names_has_no_version(self):
        def change(file):
            del file["var/_index"]
            file["var"].create_dataset("_index", data=np.array([b"\xff\xfe", b"b", b"c"], dtype="S2"))
            del file["X"]
            group = file.create_group("X")
            group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": [4, 3]})
            group["data"], group["indices"] = np.ones(2), np.zeros(2, dtype=np.int32)
            group["indptr"] = np.array([0, 1, 2, 2, 2])

        with Mount(self.written("names.h5ad", change)) as mount:
            folder = mount.join("X", "bpcells")
            self.assertEqual(
                [name for name in sorted(os.listdir(folder)) if content_or_none(os.path.join(folder, name)) is None],
                ["row_names", "version"],
            )
            self.assertEqual(os.stat(os.path.join(folder, "version")).st_size, 1)


if __name__ == "__main__":
    main()
