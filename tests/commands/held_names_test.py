"""Tests exports to file systems that take two names for one: neither file is lost, and a line reports the renamed
one."""
import os
import shutil
import subprocess
import unittest
import zlib

import h5py
import numpy

from planned import Planned, tree
from optional import missing_programs, skip_rest

COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"

# How to create each file system on a block device and mount it, and whether it has symbolic links. All fold ASCII case.
FILE_SYSTEMS = {
    "vfat": (["mkfs.vfat"], ["mount", "-t", "vfat", "-o", "utf8"], False),
    "casefold": (["mkfs.ext4", "-q", "-O", "casefold"], ["mount", "-t", "ext4"], True),
    "ntfs": (["mkntfs", "-qFf"], ["lowntfs-3g", "-o", "ignore_case"], True),
    "exfat": (["mkfs.exfat"], ["mount.exfat-fuse"], False),
}


def marked(name, extension):
    return f"{name}~{zlib.crc32(name.encode()):08x}{extension}"


def write_store(path, links):
    with h5py.File(path, "w") as file:
        for number, name in enumerate(("Gene", "gene", "GENE", "other", COMPOSED, DECOMPOSED)):
            file[name] = numpy.full(3, number)
        for number, name in enumerate(("Group", "group")):
            file[f"{name}/x"] = numpy.full(2, number)
        if links:
            file["link"] = h5py.SoftLink("/group/x")


class HeldNames(Planned):
    def mounted(self, kind):
        """Returns a folder of that file system. Skips the test if it is unavailable."""
        make, mount, _ = FILE_SYSTEMS[kind]
        if os.geteuid() != 0:
            self.skipTest(f"{kind}: this needs root")
        skip_rest(self, missing_programs("losetup", make[0], mount[0]))
        image, place = self.join(kind + ".img"), self.join(kind)
        os.mkdir(place)
        os.truncate(os.open(image, os.O_CREAT | os.O_WRONLY), 48 << 20)
        subprocess.run([*make, image], check=True, capture_output=True)
        looped = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True, check=False)
        if looped.returncode != 0:
            self.skipTest(f"{kind}: {looped.stderr.strip()}")
        device = looped.stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "-d", device], capture_output=True)
        done = subprocess.run(
            [mount[0], *mount[1:], device, place] if mount[0] == "mount" else [mount[0], device, place, *mount[1:]],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0 or not os.path.ismount(place):
            self.skipTest(f"{kind}: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", place], capture_output=True)
        target = os.path.join(place, "out")
        os.mkdir(target)
        if kind == "casefold":
            subprocess.run(["chattr", "+F", target], check=True)
        return target

    def is_one(self, folder, one, other):
        """Returns whether the folder treats both names as one."""
        with open(os.path.join(folder, one), "wb"):
            is_one = os.path.exists(os.path.join(folder, other))
        os.remove(os.path.join(folder, one))
        return is_one

    def check(self, kind):
        self.target = self.mounted(kind)
        links, store = FILE_SYSTEMS[kind][2], self.join("store.h5")
        write_store(store, links)
        plain = self.join("plain")
        self.succeeds("export", "--views", "csv", store, plain)
        expected = tree(plain)
        # The first name in byte order is kept.
        renamed = {
            "Gene.csv": marked("Gene", ".csv"),
            "gene.csv": marked("gene", ".csv"),
            "group": marked("group", ""),
            "group/x.csv": f"{marked('group', '')}/x.csv",
        }
        if self.is_one(self.target, COMPOSED, DECOMPOSED):
            renamed[COMPOSED + ".csv"] = marked(COMPOSED, ".csv")
        expected = {renamed.get(path, path): content for path, content in expected.items()}
        if kind == "ntfs":  # it shows all names in lower case then
            expected = {path.lower(): content for path, content in expected.items()}
        if links:
            expected["link.csv"] = f"{marked('group', '')}/x.csv"
        for options in ((), ("--part", "1/2"), ("--part", "2/2"), ()):
            output = self.fails(0, "export", "--views", "csv", *options, store, self.target).stderr.decode()
            self.assertIn(
                f"gene.csv: written as {marked('gene', '.csv')}, "
                "because its name and GENE.csv are the same in that folder",
                output,
            )
        self.assertEqual(tree(self.target), expected)
        # Tasks of a plan choose the same names.
        shutil.rmtree(self.target)
        os.mkdir(self.target)
        if kind == "casefold":
            subprocess.run(["chattr", "+F", self.target], check=True)
        self.plan(store, "--tasks", "3", "--views", "csv")
        for number in (1, 2, 3):
            self.task(number)
        self.finish("--verify")
        self.assertEqual(tree(self.target), expected)

    def test_on_vfat(self):
        self.check("vfat")

    def test_on_ext4_without_case(self):
        self.check("casefold")

    def test_on_ntfs(self):
        self.check("ntfs")

    def test_on_exfat(self):
        self.check("exfat")

    def test_other_file_systems_keep_every_name_distinct(self):
        store = self.join("store.h5")
        write_store(store, True)
        output = self.fails(0, "export", "--views", "csv", store, self.target).stderr.decode()
        self.assertNotIn("written as", output)
        self.assertEqual(
            sorted(os.listdir(self.target)),
            sorted(
                [f"{name}.csv" for name in ("Gene", "gene", "GENE", "other", COMPOSED, DECOMPOSED, "link")]
                + ["Group", "group"]
            ),
        )


if __name__ == "__main__":
    unittest.main()
