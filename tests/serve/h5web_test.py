"""Requests of H5Web to `plainfs serve` (@h5web/app 17, h5grove-api.ts), answered like h5grove 4. The content matches
h5py."""
import contextlib
import glob
import json
import math
import os
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import DATA, Server
from optional import import_or_exit  # after server, which sets its path

h5py, numpy = import_or_exit("h5py", "numpy")

INTEGER, REAL, TEXT, BITFIELD, OPAQUE, COMPOUND, REFERENCE, ENUMERATION, SEQUENCE, ARRAY = 0, 1, 3, 4, 5, 6, 7, 8, 9, 10


class H5Web:
    """The requests of H5Web, as sent by fetch() and URLSearchParams."""

    def __init__(self, server, file):
        self.server, self.file = server, file

    def ask(self, question, path, **parameters):
        query = urllib.parse.urlencode({"file": self.file, "path": path, **parameters})
        return self.server.ask(f".plainfs/h5grove/{question}?{query}")

    def json(self, question, path, **parameters):
        answer = self.ask(question, path, **parameters)
        if answer.status != 200:
            raise AssertionError((question, path, parameters, answer.status, answer.body))
        return json.loads(answer.body, parse_constant=lambda token: self.fail(token))

    @staticmethod
    def fail(token):
        raise AssertionError(f"{token} is no JSON")

    def value(self, entity, path, **selection):
        """Returns the value like H5GroveApi.getValue: typed arrays for numbers, bytes for opaque data, else JSON."""
        kind = entity["type"]
        base = kind["base"] if kind["class"] == ENUMERATION else kind
        if kind["class"] == OPAQUE:
            return self.ask("data", path, format="bin", **selection).body
        letter = {INTEGER: "iu"[base.get("sign") == 0], REAL: "f"}.get(base["class"])
        if letter and not (kind["class"] == ENUMERATION and base["size"] == 8):
            size = 4 if letter == "f" and base["size"] == 2 else base["size"]
            answer = self.ask("data", path, format="bin", dtype="safe", **selection)
            if answer.status != 200:
                raise AssertionError((path, answer.status, answer.body))
            return numpy.frombuffer(answer.body, f"<{letter}{size}")
        return self.json("data", path, flatten="true", **selection)


def as_json(value):
    """Converts a value read by h5py to orjson's result, by the rules of h5grove."""
    if isinstance(value, h5py.Empty):
        return None
    if isinstance(value, numpy.ndarray) and value.dtype.kind != "O":
        return [as_json(item) for item in value] if value.ndim else as_json(value[()])
    if isinstance(value, (numpy.ndarray, list)):
        return [as_json(item) for item in value]
    if isinstance(value, (complex, numpy.complexfloating)):
        return [as_json(value.real), as_json(value.imag)]
    if isinstance(value, numpy.void) and value.dtype.fields:
        return [as_json(value[name]) for name in value.dtype.names]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (float, numpy.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, numpy.generic):
        return value.item()
    return value


def is_named_type(group, name):
    """A named type has no values: plainfs does not show it."""
    return isinstance(group.get(name, getlink=True), h5py.HardLink) and group.get(name, getclass=True) == h5py.Datatype


def is_whole(type_id):
    """Returns whether all bits of its bytes are used, so that the byte order is kept."""
    return type_id.get_precision() == 8 * type_id.get_size()


class Golden(unittest.TestCase):
    def assert_same(self, found, wanted, where):
        if isinstance(wanted, list):
            self.assertIsInstance(found, list, where)
            self.assertEqual(len(found), len(wanted), where)
            for one, other in zip(found, wanted):
                self.assert_same(one, other, where)
        elif isinstance(wanted, float) and isinstance(found, (int, float)):
            with numpy.errstate(over="ignore"):  # the shortest digits of a shorter number
                self.assertIn(wanted, (found, float(numpy.float32(found)), float(numpy.float16(found))), where)
        elif isinstance(wanted, (h5py.Reference, h5py.RegionReference)):
            self.assertEqual(found is not None and found.startswith("/"), bool(wanted), where)  # h5grove ends there
        else:
            self.assertEqual(found, wanted, where)

    def check_type(self, found, type_id, where):
        if type_id.get_class() == BITFIELD:  # an integer, as read by h5py
            self.assertEqual((found["class"], found["size"], found["sign"]), (INTEGER, type_id.get_size(), 0), where)
            return
        self.assertEqual(found["class"], type_id.get_class(), where)
        if found["class"] in (INTEGER, REAL, OPAQUE):
            self.assertEqual(found["size"], type_id.get_size(), where)
        if found["class"] in (INTEGER, REAL) and is_whole(type_id):
            self.assertEqual(found["order"], type_id.get_order(), where)
        if found["class"] == INTEGER:
            self.assertEqual(found["sign"], type_id.get_sign(), where)
        if found["class"] == TEXT:
            self.assertEqual(
                (found["vlen"], found["size"] if not found["vlen"] else 0),
                (type_id.is_variable_str(), 0 if type_id.is_variable_str() else type_id.get_size()),
                where,
            )
        if found["class"] == COMPOUND and type_id.get_member_name(0) == b"Real":  # R's complex numbers match numpy's
            self.assertEqual([member["name"] for member in found["members"]], ["r", "i"], where)
        elif found["class"] == COMPOUND:
            self.assertEqual(
                [member["name"] for member in found["members"]],
                [type_id.get_member_name(i).decode() for i in range(type_id.get_nmembers())],
                where,
            )
            for i, member in enumerate(found["members"]):
                self.check_type(member, type_id.get_member_type(i), where)
        if found["class"] == ENUMERATION:
            members = {
                type_id.get_member_name(i).decode(): type_id.get_member_value(i) for i in range(type_id.get_nmembers())
            }
            self.assertEqual(found["members"], members, where)
            if members == {"FALSE": 0, "TRUE": 1}:  # truth values are one byte each, regardless of their stored type
                return
        if found["class"] == ARRAY:
            self.assertEqual(tuple(found["dims"]), type_id.get_array_dims(), where)
        if found["class"] in (ENUMERATION, SEQUENCE, ARRAY):
            self.check_type(found["base"], type_id.get_super(), where)

    def check_attributes(self, viewer, entity, node, path):
        self.assertEqual({attribute["name"] for attribute in entity["attributes"]}, set(node.attrs), path)
        values = viewer.json("attr", path)
        self.assertEqual(set(values), set(node.attrs), path)
        shapes = {attribute["name"]: attribute["shape"] for attribute in entity["attributes"]}
        for name, value in values.items():
            wanted = as_json(node.attrs[name])
            kind = node.attrs.get_id(name).get_type()
            if kind.get_class() in (COMPOUND, OPAQUE, ENUMERATION, ARRAY, SEQUENCE, REFERENCE):
                continue  # VIEWS 11: attributes have the type of their JSON
            self.assert_same(value, wanted, (path, name))
            wanted_shape = node.attrs.get_id(name).shape
            if wanted_shape is not None and 0 not in wanted_shape:
                self.assertEqual(shapes[name], list(wanted_shape), (path, name))

    def check_dataset(self, viewer, entity, dataset, path):
        kind, shape = dataset.id.get_type(), dataset.shape
        if kind.get_class() == ARRAY:  # read as more axes
            kind, shape = kind.get_super(), shape + kind.get_array_dims()
        self.assertEqual(entity["shape"], None if shape is None else list(shape), path)
        self.check_type(entity["type"], kind, path)
        if dataset.shape is None:
            self.assertEqual(viewer.ask("data", path, flatten="true").status, 422)
            return
        try:
            wanted = dataset[()]
        except (OSError, TypeError):  # h5py lacks this type
            self.assertEqual(viewer.ask("data", path).status, 200)
            return
        found = viewer.value(entity, path)
        if isinstance(found, numpy.ndarray):
            wanted = numpy.asarray(wanted)
            kind = wanted.dtype.newbyteorder("<") if wanted.dtype.kind != "b" else numpy.dtype("i1")
            if wanted.dtype == numpy.float16 or wanted.dtype == numpy.dtype(">f2"):
                kind = numpy.dtype("<f4")
            self.assertEqual(found.tobytes(), wanted.astype(kind).tobytes(), path)
        elif isinstance(found, bytes):
            self.assertEqual(found, numpy.asarray(wanted).tobytes(), path)
        else:
            flat = (
                list(numpy.asarray(wanted, dtype=object if wanted.dtype.kind == "O" else None).ravel())
                if isinstance(wanted, numpy.ndarray)
                else wanted
            )
            self.assert_same(found, as_json(flat), path)
            self.assert_same(viewer.json("data", path), as_json(wanted), path)
        if dataset.ndim > 1 and 0 not in dataset.shape:
            part = viewer.value(
                entity, path, selection=f"{dataset.shape[0] - 1}," + ",".join([":"] * (dataset.ndim - 2) + ["0:2"])
            )
            if isinstance(part, numpy.ndarray):
                other = numpy.asarray(dataset[dataset.shape[0] - 1, ..., 0:2])
                self.assertEqual(len(part), other.size, path)
                self.assertEqual(part.tobytes(), other.astype(part.dtype).tobytes(), path)

    def walk(self, viewer, file, path="/", above=()):
        """Reads the whole file through requests alone. Returns the number of datasets."""
        entity = viewer.json("meta", path)
        node = file[path]
        if node in above:  # a hard link that leads back
            return 0
        self.check_attributes(viewer, entity, node, path)
        if entity["kind"] == "dataset":
            self.check_dataset(viewer, entity, node, path)
            return 1
        self.assertEqual(entity["kind"], "group", path)
        children = {child["name"]: child for child in entity["children"]}
        wanted = {name for name in node if not is_named_type(node, name)}
        self.assertEqual(set(children), wanted, path)
        found = 0
        for name, child in children.items():
            below = path.rstrip("/") + "/" + name
            link = node.get(name, getlink=True)
            if child["kind"] in ("soft_link", "external_link"):
                self.assertTrue(not isinstance(link, h5py.HardLink) or node[name] in (*above, node), below)
                self.assertEqual(viewer.json("meta", below), child)
                continue
            if child["kind"] == "other":
                self.assertGreaterEqual(viewer.ask("meta", below).status, 400)
                continue
            with contextlib.suppress(KeyError):  # an entity in a list is the same without its children
                entity = viewer.json("meta", below)
                entity.pop("children", None)
                self.assertEqual(entity, child)
            if isinstance(link, h5py.HardLink):
                found += self.walk(viewer, file, below, (*above, node))
        return found

    def test_first_requests_of_h5web_are_cheap(self):
        """Reads one row of 40 million values: neither the whole file nor the whole array is read."""
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as folder:
            store = os.path.join(folder, "large.h5")
            with h5py.File(store, "w") as file:
                file.create_dataset("x", (20_000, 2_000), "f4", chunks=(100, 2_000), fillvalue=1)
                file["x"][7] = numpy.arange(2_000)
                file["x"][19_999] = 3
            with Server("-o", "cache_size=16m", store) as server:
                viewer = H5Web(server, "large.h5")
                entity = viewer.json("meta", "/x")
                self.assertEqual(entity["shape"], [20_000, 2_000])
                self.assertEqual(viewer.value(entity, "/x", selection="7,:").tolist(), list(range(2_000)))
                self.assertEqual(viewer.json("data", "/x", selection="7,3:5"), [3, 4])
                answer = viewer.ask("data", "/x", format="bin", dtype="safe")
                self.assertEqual(len(answer.body), 160_000_000)
                found = numpy.frombuffer(answer.body, "<f4").reshape(20_000, 2_000)
                self.assertEqual((found[7, 5], found[8, 5], found[19_999, 0]), (5, 1, 3))
                with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
                    peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
                self.assertLess(peak, 120_000)  # KiB

    def test_zarr_and_r_look_the_same(self):
        (zarr,) = self.stores("anndata/csc_zarr2/store.zarr")
        with Server(zarr) as server:
            viewer = H5Web(server, "store.zarr")
            paths = viewer.json("paths", "/")
            self.assertIn("/X/data", paths)
            entity = viewer.json("meta", "/X/data")
            with open(os.path.join(zarr, "X", "data", ".zarray"), encoding="utf-8") as file:
                self.assertEqual(entity["shape"], json.load(file)["shape"])
            self.assertEqual(server.ask("X/data.npy").body[-8:], viewer.value(entity, "/X/data").tobytes()[-8:])
            with open(os.path.join(zarr, "X", ".zattrs"), encoding="utf-8") as file:
                self.assertEqual(viewer.json("attr", "/X"), json.load(file))
        with Server(self.stores("r-objects/vectors/*.rds")[0]) as server:
            viewer = H5Web(server, "/")
            group = viewer.json("meta", "/")
            self.assertIn("dataset", [child["kind"] for child in group["children"]])

    def test_viewer_of_another_site_is_admitted_with_json_errors(self):
        (store,) = self.stores("hdf5/numeric/store.h5")
        with Server("--cors", "http://127.0.0.1:9", store) as server:
            viewer = H5Web(server, "store.h5")
            for path, status in (("/i4le", 200), ("/none", 404)):
                query = urllib.parse.urlencode({"file": "store.h5", "path": path})
                answer = server.ask(f".plainfs/h5grove/meta?{query}", Origin="http://127.0.0.1:9")
                self.assertEqual((answer.status, answer["Access-Control-Allow-Origin"]), (status, "http://127.0.0.1:9"))
            self.assertIn("not a valid path", json.loads(answer.body)["message"])
            self.assertEqual(viewer.ask("meta/", "/i4le").status, 200)
            page = server.ask("", Accept="text/html").body.decode()
            self.assertIn("/.plainfs/h5grove&quot; filepath={&quot;store.h5&quot;}", page)
        with Server("--subdir=shapes", store) as server:  # nothing beyond the served folder
            self.assertEqual(H5Web(server, "store.h5").ask("meta", "/i4le").status, 404)
        with Server(*self.stores("hdf5/damaged/store.h5")) as server:
            viewer = H5Web(server, "store.h5")
            answer = viewer.ask("data", "/bad_gzip", format="bin", dtype="safe")
            self.assertEqual(answer.status, 500)
            self.assertIn("gzip", json.loads(answer.body)["message"])
            self.assertNotIn(DATA, answer.body.decode())

    def stores(self, *patterns):
        found = [path for pattern in patterns for path in sorted(glob.glob(os.path.join(DATA, pattern)))]
        self.assertGreater(len(found), 0)
        return found

    def test_stores_match_h5py(self):
        datasets = 0
        for store in self.stores(
            "hdf5/numeric/store.h5",
            "hdf5/types/store.h5",
            "hdf5/strings/store.h5",
            "hdf5/attributes/store.h5",
            "hdf5/links/store.h5",
            "hdf5/storage/store.h5",
            "anndata/c*/store.h5ad",
            "h5seurat/*/store.h5seurat",
            "tenx/*/store.h5",
            "loom/*/store.loom",
        ):
            with self.subTest(store), Server(store) as server, h5py.File(store) as file:
                datasets += self.walk(H5Web(server, os.path.basename(store)), file)
        self.assertGreater(datasets, 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
