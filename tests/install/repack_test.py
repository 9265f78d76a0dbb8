#!/usr/bin/env python3
"""The launcher of a portable folder, and the wheel, npm package and image made of a portable archive.

    repack_test.py PROGRAM
"""
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

PROGRAM = ""
PACKAGING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "packaging")
LOADER = "/lib64/ld-linux-x86-64.so.2" if os.uname().machine == "x86_64" else "/lib/ld-linux-aarch64.so.1"
NAME = "plainfs-1.2.3+git202601020304.abcdef0"
LAUNCHER, LIBRARY = b"\x7fELF launcher", b"\x7fELF library"


class Launcher(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="plainfs-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("bin", "lib/plainfs"):
            os.makedirs(os.path.join(self.folder, name))
        self.library = os.path.join(self.folder, "lib", "plainfs")
        self.launcher = os.path.join(self.library, "plainfs")
        source = os.path.join(PACKAGING, "portable", "launch.c")
        subprocess.run(["cc", "-static", "-Wall", "-Wextra", "-Werror", source, "-o", self.launcher], check=True)
        shutil.copy(LOADER, os.path.join(self.library, "loader"))
        shutil.copy(PROGRAM, os.path.join(self.library, "program"))
        with open(os.path.join(self.library, "versions"), "w", encoding="ascii") as file:
            file.write("libtwo 2.1-3\n")

    def output(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout

    def test_launcher_starts_the_program_of_its_folder(self):
        expected = self.output(PROGRAM, "--version")
        link = os.path.join(self.folder, "bin", "linked")
        os.symlink("../lib/plainfs/plainfs", link)
        for called in (self.launcher, link):
            self.assertEqual(self.output(called, "--version"), expected + "libtwo 2.1-3\n", called)

    def test_launcher_finds_the_folder_beside_its_own(self):
        moved = os.path.join(self.folder, "bin", "plainfs")
        os.rename(self.launcher, moved)
        self.assertIn("libtwo 2.1-3\n", self.output(moved, "--version"))

    def test_program_sees_the_name_of_the_call(self):
        helper = os.path.join(self.folder, "bin", "mount.plainfs")
        os.symlink("../lib/plainfs/plainfs", helper)
        failed = subprocess.run([helper, "/no-store", "/no-mountpoint"], capture_output=True, timeout=60, check=False)
        self.assertEqual(failed.returncode, 32, failed.stderr)  # as mount(8) wants of helpers

    def test_missing_loader_is_an_error_with_its_path(self):
        os.remove(os.path.join(self.library, "loader"))
        failed = subprocess.run([self.launcher], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(failed.returncode, 127)
        self.assertRegex(failed.stderr, r"^plainfs: .*/loader: No such file or directory\n$")


class Repacked(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.archive = os.path.join(self.folder, f"{NAME}+portable-linux-x86_64.tar.gz")
        with tarfile.open(self.archive, "w:gz") as tar:
            for name, content, mode in (
                ("lib/plainfs/plainfs", LAUNCHER, 0o755),
                ("lib/plainfs/program", b"\x7fELF program", 0o755),
                ("lib/plainfs/libc.so.6", LIBRARY, 0o755),
                ("share/doc/plainfs/README.md", b"# plainfs\n", 0o644),
            ):
                entry = tarfile.TarInfo("plainfs-1.2.3/" + name)
                entry.size, entry.mode, entry.mtime = len(content), mode, 1_700_000_000
                tar.addfile(entry, io.BytesIO(content))
            link = tarfile.TarInfo("plainfs-1.2.3/bin/plainfs")
            link.type, link.linkname = tarfile.SYMTYPE, "../lib/plainfs/plainfs"
            tar.addfile(link)

    def made(self, kind):
        words = [sys.executable, os.path.join(PACKAGING, "repack.py"), self.archive, kind]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
        path = result.stdout.strip()
        with open(path, "rb") as file:
            content = file.read()
        subprocess.run(words, capture_output=True, timeout=60, check=True)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), content, "two are not the same")
        return os.path.basename(path), content

    def test_wheel_has_the_files_and_their_digests(self):
        name, content = self.made("wheel")
        self.assertEqual(name, f"{NAME}-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl")
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            self.assertEqual(packed.read(f"{NAME}.data/scripts/plainfs"), LAUNCHER)
            self.assertEqual(packed.read(f"{NAME}.data/data/lib/plainfs/libc.so.6"), LIBRARY)
            for one in packed.infolist():
                is_program = one.filename.endswith(("/plainfs", "/program", ".so.6"))
                self.assertEqual(one.external_attr >> 16 & 0o777, 0o755 if is_program else 0o644, one.filename)
            rows = list(csv.reader(packed.read(f"{NAME}.dist-info/RECORD").decode().splitlines()))
            self.assertEqual({row[0] for row in rows}, set(packed.namelist()))
            for path, digest, size in rows[:-1]:
                found = packed.read(path)
                wanted = base64.urlsafe_b64encode(hashlib.sha256(found).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, int(size)), ("sha256=" + wanted, len(found)))

    def test_npm_package_names_its_program(self):
        name, content = self.made("npm")
        self.assertEqual(name, f"{NAME}-x86_64.tgz")
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            described = json.load(tar.extractfile("package/package.json"))
            self.assertEqual(described["version"], NAME.removeprefix("plainfs-"))
            self.assertEqual((described["os"], described["cpu"]), (["linux"], ["x64"]))
            program = "package/" + described["bin"]["plainfs"]
            self.assertEqual(tar.extractfile(program).read(), LAUNCHER)
            self.assertEqual(tar.getmember(program).mode, 0o755)

    def test_image_is_named_by_its_digests(self):
        _, content = self.made("oci")
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
            self.assertEqual(tar.getmember("bin/plainfs").linkname, "../lib/plainfs/plainfs")
            self.assertIn("etc/ssl/certs/ca-certificates.crt", tar.getnames())

    def test_other_archives_are_refused(self):
        other = os.path.join(self.folder, "other.tar.gz")
        shutil.copy(self.archive, other)
        words = [sys.executable, os.path.join(PACKAGING, "repack.py"), other, "npm"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("not named like plainfs-VERSION-linux-PROCESSOR.tar.gz", result.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
