#!/usr/bin/env python3
"""The single file, wheel, npm package and image made of a static archive."""
import base64
import csv
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PACKAGING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "packaging")
NAME = "plainfs-1.2.3+git202601020304.abcdef0"
PROGRAM = b"\x7fELF program"


class Repacked(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.archive = os.path.join(self.folder, f"{NAME}+static-linux-x86_64.tar.gz")
        with tarfile.open(self.archive, "w:gz") as tar:
            for name, content, mode in (
                ("bin/plainfs", PROGRAM, 0o755),
                ("share/doc/plainfs/README.md", b"# plainfs\n", 0o644),
                ("share/doc/plainfs/copyright", b"ours\n", 0o644),
                ("share/doc/plainfs/libraries.spdx", b"SPDXVersion: SPDX-2.3\n", 0o644),
                ("share/doc/plainfs/libraries/zlib1g-dev", b"theirs\n", 0o644),
            ):
                entry = tarfile.TarInfo("plainfs-1.2.3/" + name)
                entry.size, entry.mode, entry.mtime = len(content), mode, 1_700_000_000
                tar.addfile(entry, io.BytesIO(content))
            link = tarfile.TarInfo("plainfs-1.2.3/sbin/mount.plainfs")
            link.type, link.linkname = tarfile.SYMTYPE, "../bin/plainfs"
            tar.addfile(link)

    def built(self, kind):
        words = [sys.executable, os.path.join(PACKAGING, "repack.py"), self.archive, kind]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
        path = result.stdout.split("\n", 1)[0]
        with open(path, "rb") as file:
            content = file.read()
        subprocess.run(words, capture_output=True, timeout=60, check=True)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), content, "two are not the same")
        return os.path.basename(path), content

    def test_single_file_is_the_program_with_its_licences_beside_it(self):
        name, content = self.built("file")
        self.assertEqual((name, content), (f"{NAME}-linux-x86_64", PROGRAM))
        path = os.path.join(self.folder, name)
        self.assertTrue(os.access(path, os.X_OK))
        with open(path + ".licences", encoding="ascii") as file:
            self.assertEqual(
                file.read(), "==== copyright ====\n\nours\n\n==== libraries/zlib1g-dev ====\n\ntheirs\n"
            )
        with open(path + ".spdx", encoding="ascii") as file:
            self.assertEqual(file.read(), "SPDXVersion: SPDX-2.3\n")

    def test_wheel_has_the_files_and_their_digests(self):
        name, content = self.built("wheel")
        self.assertEqual(name, f"{NAME}-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl")
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            self.assertEqual(packed.read(f"{NAME}.data/scripts/plainfs"), PROGRAM)
            self.assertEqual(packed.read(f"{NAME}.data/data/share/doc/plainfs/README.md"), b"# plainfs\n")
            for one in packed.infolist():
                is_program = one.filename.endswith("/scripts/plainfs")
                self.assertEqual(one.external_attr >> 16 & 0o777, 0o755 if is_program else 0o644, one.filename)
            rows = list(csv.reader(packed.read(f"{NAME}.dist-info/RECORD").decode().splitlines()))
            self.assertEqual({row[0] for row in rows}, set(packed.namelist()))
            for path, digest, size in rows[:-1]:
                found = packed.read(path)
                wanted = base64.urlsafe_b64encode(hashlib.sha256(found).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, int(size)), ("sha256=" + wanted, len(found)))

    def test_npm_package_names_its_program(self):
        name, content = self.built("npm")
        self.assertEqual(name, f"{NAME}-x86_64.tgz")
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            described = json.load(tar.extractfile("package/package.json"))
            self.assertEqual(described["version"], NAME.removeprefix("plainfs-"))
            self.assertEqual((described["os"], described["cpu"]), (["linux"], ["x64"]))
            program = "package/" + described["bin"]["plainfs"]
            self.assertEqual(tar.extractfile(program).read(), PROGRAM)
            self.assertEqual(tar.getmember(program).mode, 0o755)

    def test_image_is_named_by_its_digests(self):
        _, content = self.built("oci")
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:

            def blob(described):
                found = tar.extractfile("blobs/sha256/" + described["digest"].removeprefix("sha256:")).read()
                self.assertEqual("sha256:" + hashlib.sha256(found).hexdigest(), described["digest"])
                self.assertEqual(len(found), described["size"])
                return found

            manifest = json.loads(blob(json.load(tar.extractfile("index.json"))["manifests"][0]))
            config, layer = json.loads(blob(manifest["config"])), gzip.decompress(blob(manifest["layers"][0]))
        self.assertEqual(config["architecture"], "amd64")
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(layer).hexdigest()])
        with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
            self.assertEqual(tar.getmember("sbin/mount.plainfs").linkname, "../bin/plainfs")
            self.assertIn("etc/ssl/certs/ca-certificates.crt", tar.getnames())

    def test_other_archives_are_refused(self):
        other = os.path.join(self.folder, "other.tar.gz")
        shutil.copy(self.archive, other)
        words = [sys.executable, os.path.join(PACKAGING, "repack.py"), other, "npm"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("not named like plainfs-VERSION-linux-PROCESSOR.tar.gz", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
