"""Tests that unreadable data are an error, that nothing outside a store is read, and that one fault affects one file:
damaged and hostile stores, through the commands that need no mount. hostile.tar.xz holds stores that no tool writes."""
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
import unittest

os.environ.setdefault("PLAINFS_INDEX", "none")
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]
ARCHIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.tar.xz")
FAILED = range(11, 16)


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120, **more)


def tree(folder):
    return sorted(
        os.path.relpath(os.path.join(at, name), folder)
        for at, folders, files in os.walk(folder)
        for name in folders + files
    )


def write(text, *names):
    path = os.path.join(*names)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_array(path, values=(1, 2, 3), attributes=None):
    """Writes a Zarr v2 array of bytes in one chunk."""
    write(
        json.dumps(
            {
                "zarr_format": 2,
                "shape": [len(values)],
                "chunks": [len(values)],
                "dtype": "|u1",
                "compressor": None,
                "fill_value": 0,
                "order": "C",
                "filters": None,
            }
        ),
        path,
        ".zarray",
    )
    if attributes is not None:
        write(json.dumps(attributes), path, ".zattrs")
    with open(os.path.join(path, "0"), "wb") as file:
        file.write(bytes(values))


class Store(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)

    def join(self, *names):
        return os.path.join(self.folder, *names)

    def copy(self, *names):
        """Returns a writable copy of a store of the fixtures."""
        source, target = os.path.join(DATA, *names), self.join("copied" + os.path.splitext(names[-1])[1])
        if os.path.isdir(source):
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
        return target

    def set_byte(self, path, offset, before, after):
        with open(path, "r+b") as file:
            file.seek(offset)
            self.assertEqual(file.read(1), bytes([before]))
            file.seek(offset)
            file.write(bytes([after]))

    def hostile(self, name):
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(self.folder, filter="fully_trusted") if hasattr(
                tarfile, "fully_trusted_filter"
            ) else archive.extractall(self.folder)
        return self.join("hostile", name)

    def zarr_group(self, attributes, name="store.zarr"):
        path = self.join(name)
        write('{"zarr_format":2}', path, ".zgroup")
        write(json.dumps(attributes), path, ".zattrs")
        return path

    def assert_fails(self, result, *words):
        self.assertIn(result.returncode, FAILED, (result.stdout[:200], result.stderr))
        self.assertEqual(result.stdout, b"")
        for word in words:
            self.assertIn(word, result.stderr.decode())

    def assert_is_error(self, store, *place):
        """Checks that .attrs.json reports an unreadable attribute, or the unreadable attributes of a member, as an
        error beside the others."""
        result = run("cat", store, ".attrs.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        for name in place:
            found = found[name]
        self.assertEqual(list(found), ["error"])

    def assert_shows(self, result, text):
        self.assertEqual((result.returncode, result.stdout.decode(), result.stderr), (0, text, b""))


class Meaning(Store):
    """Tests that values are an error, and never wrong, if the data that give them their meaning cannot be read."""

    def damage_attributes(self, how, may_pass=False):
        store = self.copy("hdmf-zarr", "ecephys_pickle", "store.zarr")
        good = run("cat", store, "session_start_time.csv")
        self.assertEqual(good.returncode, 0, good.stderr)
        path = os.path.join(store, "session_start_time", ".zattrs")
        os.unlink(path)
        how(path)
        self.assert_fails(run("cat", store, "session_start_time.csv"))
        self.assertEqual(run("cat", store, "identifier.csv").returncode, 0)
        if may_pass:
            self.assert_fails(run("cat", store, ".attrs.json"))
        else:
            self.assert_is_error(store, "session_start_time")
        target = self.join("out")
        self.assertIn(run("export", store, target).returncode, FAILED)
        self.assertNotIn("session_start_time.csv", os.listdir(target))
        self.assertIn("identifier.csv", os.listdir(target))

    def test_truncated_zarr_attributes(self):
        self.damage_attributes(lambda path: write("{", path))

    def test_zarr_attributes_replaced_by_a_folder(self):
        self.damage_attributes(os.mkdir)

    def test_zarr_attributes_replaced_by_a_dangling_link(self):
        self.damage_attributes(lambda path: os.symlink("gone", path), may_pass=True)

    def test_attributes_of_a_seurat_file(self):
        """Tests an h5Seurat file in which no root attribute opens: their names alone identify the format."""
        store = self.copy("h5seurat", "plain", "store.h5seurat")
        labels = run("cat", store, "active.ident.csv")
        self.set_byte(store, 10438 - 1, 0, 0o377)
        self.assert_is_error(store, ".", "active.assay")
        self.assertEqual(run("cat", store, "active.ident.csv").stdout, labels.stdout)
        self.assertEqual(run("check", store).returncode, 14)

    def test_seurat_attribute_with_a_damaged_name(self):
        """Tests a damaged s3class: it is unknown whether a column is logical."""
        store = self.copy("h5seurat", "partial", "store.h5seurat")
        self.assertIn(run("cat", store, "meta.data/ok.csv").stdout[:4], (b"TRUE", b"FALS"))
        self.set_byte(store, 46703 - 1, 0o163, 0o377)
        for path in ("meta.data/ok.csv", "meta.data.csv"):
            self.assert_fails(run("cat", store, path), "not UTF-8")
        self.assertEqual(run("cat", store, "meta.data/nCount_RNA.csv").returncode, 0)

    def test_numbers_need_no_attributes(self):
        store = self.zarr_group({})
        write_array(os.path.join(store, "a"), attributes={})
        write("{", store, "a", ".zattrs")
        self.assert_shows(run("cat", store, "a.csv"), "1\n2\n3\n")
        self.assert_is_error(store, "a")


class Outside(Store):
    """Tests that nothing outside a store's own folder is read."""

    def assert_refused(self, store, path, follows=True):
        self.assert_fails(run("cat", store, path), "outside")
        if follows:
            self.assertEqual(run("cat", "-o", "follow_outside", store, path).returncode, 0)
        target = self.join("out")
        self.assertIn(run("export", store, target).returncode, FAILED)
        for name in tree(target):
            with open(os.path.join(target, name), "rb") as file:
                self.assertNotIn(b"secret", file.read())

    def test_linked_chunk(self):
        store = self.zarr_group({})
        write_array(os.path.join(store, "a"), b"inside")
        write("secret", self.folder, "secret")
        os.unlink(os.path.join(store, "a", "0"))
        os.symlink("../../secret", os.path.join(store, "a", "0"))
        self.assert_refused(store, "a.csv")
        os.unlink(os.path.join(store, "a", "0"))
        os.symlink("../b/0", os.path.join(store, "a", "0"))
        write_array(os.path.join(store, "b"), b"inside")
        self.assertEqual(run("cat", store, "a.csv").returncode, 0)

    def test_linked_metadata(self):
        store = self.zarr_group({})
        write_array(os.path.join(store, "a"))
        write('{"secret":1}', self.folder, "secret")
        os.symlink("../../secret", os.path.join(store, "a", ".zattrs"))
        self.assert_refused(store, ".attrs.json")

    def test_linked_group(self):
        store = self.zarr_group({})
        os.makedirs(self.join("far"))
        write('{"zarr_format":2}', self.folder, "far", ".zgroup")
        write_array(self.join("far", "secret"))
        os.symlink("../far", os.path.join(store, "g"))
        listed = run("ls", "-R", store)
        self.assertNotIn(b"secret", listed.stdout)

    def test_raw_files_of_hdf5(self):
        store = self.hostile("ext_abs.h5")
        for name in run("ls", store).stdout.decode().split():
            if name.endswith(".npy"):
                result = run("cat", store, name)
                self.assertIn(result.returncode, FAILED, name)
                self.assertNotIn(b"root:", result.stdout)

    def test_sources_of_virtual_data(self):
        store = self.hostile("vds.h5")
        for name in run("ls", store).stdout.decode().split():
            if name.endswith(".npy"):
                self.assertIn(run("cat", store, name).returncode, FAILED)

    def test_linked_file_of_a_takane_object(self):
        store = self.join("object")
        write('{"type":"made_up"}', store, "OBJECT")
        write("secret", self.folder, "secret")
        write("own", store, "own")
        os.symlink("../secret", os.path.join(store, "l"))
        self.assertEqual(run("cat", store, "own").stdout, b"own")
        self.assertIn(f"l -> {self.join('secret')}", run("ls", "-l", store).stdout.decode())
        self.assertNotEqual(run("cat", store, "l").returncode, 0)

    def test_links_of_a_mirror(self):
        mirror = self.join("mirror")
        write("own", mirror, "own")
        write("secret", self.folder, "secret")
        os.symlink("../secret", os.path.join(mirror, "file"))
        os.symlink("own", os.path.join(mirror, "inside"))
        far = self.zarr_group({}, "far.zarr")
        write_array(os.path.join(far, "secret"))
        os.symlink("../far.zarr", os.path.join(mirror, "far.zarr"))
        listed = run("ls", "-lR", mirror).stdout.decode()
        for line in (f"file -> {self.join('secret')}", f"far.zarr -> {far}", "inside -> own"):
            self.assertIn(line, listed)
        self.assertNotIn("secret.csv", listed)
        self.assertEqual(run("cat", "-o", "follow_outside", mirror, "far.zarr/secret.csv").stdout, b"1\n2\n3\n")

    def test_link_to_an_unreachable_store_is_text(self):
        os.makedirs(self.join("in"))
        links = [
            {"name": "far", "source": "../../far.zarr", "path": "/a"},
            {"name": "passwd", "source": "/etc/passwd", "path": "/a"},
        ]
        store = self.zarr_group({"zarr_link": links}, "in/s.zarr")
        write_array(self.join("far.zarr", "a"))
        listed = run("ls", "-l", store).stdout.decode()
        self.assertIn("far -> ../../far.zarr:/a", listed)
        self.assertIn("passwd -> /etc/passwd:/a", listed)


class Entries(Store):
    """Tests that one fault affects one file."""

    def test_too_long_link(self):
        store = self.hostile("hd_big.zarr")
        shown = set(run("ls", store).stdout.decode().split())
        target = self.join("out")
        result = run("export", store, target)
        self.assertIn(result.returncode, FAILED)
        self.assertEqual(result.stderr.count(b"a link of "), 1)
        self.assertEqual(shown - set(os.listdir(target)), {"big"})
        self.assertGreater(len(shown), 1)

    def test_unlistable_group(self):
        store = self.hostile("links.h5")
        self.assert_fails(run("ls", store), "incorrect metadata checksum")
        self.assertIn(run("export", store, self.join("out")).returncode, FAILED)

    def test_link_with_a_too_long_name(self):
        store = self.hostile("hd_long.zarr")
        listed = run("ls", store)
        self.assertEqual((listed.returncode, listed.stderr), (0, b""))
        names = listed.stdout.decode().split()
        self.assertIn("ok.csv", names)
        long = [name for name in names if name.startswith("xxx")]
        self.assertEqual([len(name) for name in long], [255])
        self.assertEqual(run("cat", store, "ok.csv").returncode, 0)

    def test_chains_of_links_are_resolved_step_by_step(self):
        count = 20000
        links = [{"name": f"l{i}", "source": ".", "path": f"/l{i + 1}"} for i in range(count)]
        links[-1]["path"] = "/a"
        store = self.zarr_group({"zarr_link": links})
        write_array(os.path.join(store, "a"))
        start = time.monotonic()
        listed = run("ls", store)
        seconds = time.monotonic() - start
        self.assertEqual(listed.returncode, 0, listed.stderr)
        names = listed.stdout.decode().split()
        self.assertIn(f"l{count - 1}.csv", names)
        self.assertIn(f"l{count - 40}.csv", names)  # the limit of links that Linux follows
        self.assertIn(f"l{count - 41}", names)
        self.assertLess(seconds, 30)


class Export(Store):
    """Tests that an export writes only below its directory."""

    def setUp(self):
        super().setUp()
        self.store = self.zarr_group({}, "s.zarr")
        write('{"zarr_format":2}', self.store, "g", ".zgroup")
        write_array(os.path.join(self.store, "g", "a"))
        write_array(os.path.join(self.store, "b"))
        self.victim = self.join("victim")
        os.mkdir(self.victim)
        self.target = self.join("out")
        os.mkdir(self.target)

    def assert_refused(self, *words):
        result = run("export", self.store, self.target)
        self.assertEqual(result.returncode, 16, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr.decode())
        self.assertEqual(os.listdir(self.victim), [])
        with open(os.path.join(self.target, "b.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), "1\n2\n3\n")

    def test_a_link_to_a_directory_is_not_followed(self):
        os.symlink("../victim", os.path.join(self.target, "g"))
        self.assert_refused("/g: not a directory, or a symbolic link to one")

    def test_file_in_place_of_a_directory(self):
        write("", self.target, "g")
        self.assert_refused("/g: not a directory")

    def test_directory_in_place_of_a_file(self):
        os.mkdir(os.path.join(self.target, "b.npy"))
        self.assert_refused("b.npy: Is a directory")
        self.assertIn("a.csv", os.listdir(os.path.join(self.target, "g")))

    def test_link_in_place_of_a_file_is_replaced(self):
        secret = os.path.join(self.folder, "secret")
        write("secret", secret)
        os.symlink(secret, os.path.join(self.target, "b.csv"))
        self.assertEqual(run("export", self.store, self.target).returncode, 0)
        with open(secret, encoding="ascii") as file:
            self.assertEqual(file.read(), "secret")
        self.assertFalse(os.path.islink(os.path.join(self.target, "b.csv")))

    def test_the_directory_itself_may_be_a_link(self):
        link = self.join("link")
        os.symlink(self.target, link)
        self.assertEqual(run("export", self.store, link).returncode, 0)
        self.assertIn("b.csv", os.listdir(self.target))


if __name__ == "__main__":
    unittest.main(verbosity=2)
