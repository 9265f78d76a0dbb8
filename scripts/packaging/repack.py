#!/usr/bin/env python3
"""Makes other packages of a static archive: the program alone, a wheel for pip, a package for npm, an image.

    scripts/packaging/repack.py plainfs-VERSION-linux-PROCESSOR.tar.gz file|wheel|npm|oci...

Each is written beside the archive, and its path printed. They contain the same files; neither Python nor node runs when
the program does. All times are SOURCE_DATE_EPOCH, or that of the program in the archive.
"""
import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import time
import zipfile

SUMMARY = "mounts scientific array stores as plain files"
PROGRAM = "bin/plainfs"
LICENCES = "share/doc/plainfs/copyright and share/doc/plainfs/libraries"


class Archive:
    """The files of a static archive, by their path below its folder."""

    def __init__(self, path):
        name = re.fullmatch(r"plainfs-(.+?)(?:\+static)?-linux-(\w+)\.tar\.gz", os.path.basename(path))
        if not name:
            sys.exit(f"repack: {path}: not named like plainfs-VERSION-linux-PROCESSOR.tar.gz")
        self.version, self.processor = name.groups()
        self.folder = os.path.dirname(os.path.abspath(path))
        self.files, self.links, self.executable = {}, {}, set()
        with tarfile.open(path) as tar:
            for member in tar:
                inner = member.name.removeprefix("./").partition("/")[2]
                if member.issym():
                    self.links[inner] = member.linkname
                elif member.isfile():
                    self.files[inner] = tar.extractfile(member).read()
                    if member.mode & 0o111:
                        self.executable.add(inner)
                    if inner == PROGRAM:
                        self.time = int(os.environ.get("SOURCE_DATE_EPOCH", member.mtime))
        if PROGRAM not in self.files:
            sys.exit(f"repack: {path}: {PROGRAM} is missing")

    def tar_of(self, prefix, extra, links):
        """Returns the bytes of a .tar.gz."""
        out = io.BytesIO()
        with gzip.GzipFile(fileobj=out, mode="wb", mtime=self.time) as packed, tarfile.open(
            fileobj=packed, mode="w", format=tarfile.PAX_FORMAT
        ) as tar:
            for name, content in sorted({**self.files, **extra}.items()):
                entry = tarfile.TarInfo(prefix + name)
                entry.size, entry.mtime = len(content), self.time
                entry.mode = 0o755 if name in self.executable else 0o644
                tar.addfile(entry, io.BytesIO(content))
            for name, target in sorted(links.items()):
                entry = tarfile.TarInfo(prefix + name)
                entry.type, entry.linkname, entry.mtime = tarfile.SYMTYPE, target, self.time
                tar.addfile(entry)
        return out.getvalue()

    def write(self, name, content):
        """Writes a file beside the archive and prints its path."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        print(path)


def file(archive):
    """Writes the program, with the licences and the list of its libraries beside it."""
    name = f"plainfs-{archive.version}-linux-{archive.processor}"
    archive.write(name, archive.files[PROGRAM])
    os.chmod(os.path.join(archive.folder, name), 0o755)
    archive.write(name + ".spdx", archive.files["share/doc/plainfs/libraries.spdx"])
    texts = []
    for path, content in sorted(archive.files.items()):
        if path.startswith("share/doc/plainfs/libraries/") or path == "share/doc/plainfs/copyright":
            texts.append(b"==== " + path.removeprefix("share/doc/plainfs/").encode() + b" ====\n\n" + content)
    archive.write(name + ".licences", b"\n".join(texts))


def wheel(archive):
    """Writes a wheel. pip puts its files below its prefix: the program in bin/, the rest in share/."""
    tags = [f"py3-none-{libc}_{archive.processor}" for libc in ("manylinux_2_17", "musllinux_1_1")]
    info, data = f"plainfs-{archive.version}.dist-info", f"plainfs-{archive.version}.data"
    files = {f"{data}/data/{name}": content for name, content in archive.files.items() if name != PROGRAM}
    executable = {f"{data}/data/{name}" for name in archive.executable} | {f"{data}/scripts/plainfs"}
    files[f"{data}/scripts/plainfs"] = archive.files[PROGRAM]
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: plainfs\nVersion: {archive.version}\nSummary: {SUMMARY}\n"
        f"License: see {LICENCES}\n"
    ).encode()
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: plainfs\nRoot-Is-Purelib: false\n" + "".join(f"Tag: {tag}\n" for tag in tags)
    ).encode()
    record = ""
    for name, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, time.gmtime(archive.time)[:6])
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content)
    platforms = ".".join(tag.split("-")[-1] for tag in tags)
    archive.write(f"plainfs-{archive.version}-py3-none-{platforms}.whl", out.getvalue())


def npm(archive):
    description = {
        "name": "plainfs",
        "version": archive.version,
        "description": SUMMARY,
        "license": f"SEE LICENSE IN {LICENCES.split()[0]}",
        "bin": {"plainfs": PROGRAM},
        "os": ["linux"],
        "cpu": [{"x86_64": "x64", "aarch64": "arm64"}[archive.processor]],
    }
    content = {"package.json": json.dumps(description, indent=2).encode()}
    archive.write(f"plainfs-{archive.version}-{archive.processor}.tgz", archive.tar_of("package/", content, {}))


def oci(archive):
    """Writes an image in the layout of the Open Container Initiative, with the certificates of this system."""
    with open("/etc/ssl/certs/ca-certificates.crt", "rb") as file:
        certificates = file.read()
    system = {
        "etc/ssl/certs/ca-certificates.crt": certificates,
        "etc/passwd": b"root:x:0:0::/:/bin/plainfs\n",
    }
    layer = archive.tar_of("", system, archive.links)
    blobs = {}

    def add(content, kind):
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    config = {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(archive.time)),
        "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[archive.processor],
        "os": "linux",
        "config": {"Entrypoint": ["/bin/plainfs"], "Env": ["PATH=/bin"], "WorkingDir": "/"},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(gzip.decompress(layer)).hexdigest()]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": add(json.dumps(config).encode(), "config.v1+json"),
        "layers": [add(layer, "layer.v1.tar+gzip")],
    }
    tag = archive.version.replace("+", "-")
    described = add(json.dumps(manifest).encode(), "manifest.v1+json")
    described["annotations"] = {"org.opencontainers.image.ref.name": tag}
    blobs["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [described]}).encode()
    blobs["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in sorted(blobs.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), archive.time, 0o644
            tar.addfile(entry, io.BytesIO(content))
    archive.write(f"plainfs-{archive.version}-{archive.processor}.oci.tar", out.getvalue())


KINDS = {"file": file, "wheel": wheel, "npm": npm, "oci": oci}


def main(words):
    if "-h" in words or "--help" in words:
        print(__doc__)
        return
    if len(words) < 2 or any(word not in KINDS for word in words[1:]):
        sys.exit(__doc__)
    archive = Archive(words[0])
    for word in words[1:]:
        KINDS[word](archive)


if __name__ == "__main__":
    main(sys.argv[1:])
