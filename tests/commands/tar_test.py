"""Tests `export --tar`: everything as one stream."""
import os
import subprocess
import tarfile
import unittest

from planned import DATA, PROGRAM, SAMPLES, Planned, write_zeros


class Tar(Planned):
    def archive(self, *arguments):
        path = self.join("archive.tar")
        with open(path, "wb") as file:
            result = subprocess.run(
                [PROGRAM, "export", "--tar", *arguments, "-"], stdout=file, stderr=subprocess.PIPE, timeout=300
            )
        return path, result

    def check(self, store, *options):
        path, result = self.archive(*options, store)
        self.assertEqual(result.returncode, 0, result.stderr)
        os.mkdir(self.target)
        subprocess.run(["tar", "-xf", path, "-C", self.target], check=True)
        self.assert_is_export(store, *options)
        with tarfile.open(path) as archive:  # reads it independently
            for member in archive:
                self.assertEqual(
                    member.isdir(), os.path.isdir(os.path.join(self.target, member.name)) and not member.issym()
                )

    def test_archive_equals_an_export(self):
        self.check(os.path.join(SAMPLES, "pbmc.h5seurat"))

    def test_links_are_links(self):
        self.check(os.path.join(DATA, "hdf5", "links", "store.h5"))

    def test_long_and_odd_names(self):
        store = self.join("s.zarr")
        for name in ("\u00e4" * 40, "x" * 120, "a b\n'c"):
            write_zeros(os.path.join(store, "g" * 90), 5, name)
        with open(os.path.join(store, ".zgroup"), "w", encoding="ascii") as file:
            file.write('{"zarr_format": 2}')
        self.check(store)

    def test_more_than_8_gib(self):
        store = write_zeros(self.join("s.zarr"), 9 << 30)
        stream = subprocess.Popen(
            [PROGRAM, "export", "--tar", "--views", "npy", store, "-"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with tarfile.open(fileobj=stream.stdout, mode="r|") as archive:
            self.assertEqual(archive.next().size, (9 << 30) + 128)
        stream.stdout.close()
        self.assertIn(stream.wait(), (0, -13))

    def test_damage_found_in_time_leaves_the_file_out(self):
        store = self.join("s.zarr")
        for name in ("bad", "good"):
            write_zeros(store, 10, name)
        with open(os.path.join(store, "bad", "0"), "wb") as file:
            file.write(b"xx")
        path, result = self.archive("--views", "npy", store)
        self.assertEqual(result.returncode, 14)
        self.assertIn(b"bad.npy", result.stderr)
        with tarfile.open(path) as archive:
            self.assertEqual(archive.getnames(), ["good.npy"])

    def test_file_that_fails_midway_ends_the_archive(self):
        store = write_zeros(self.join("s.zarr"), 200_000_000)
        with open(os.path.join(store, "a", str(199_000_000 >> 16)), "wb") as file:
            file.write(b"xx")
        path, result = self.archive("--views", "npy", store)
        self.assertEqual(result.returncode, 14)
        self.assertIn(b"the archive ends in the middle", result.stderr)
        self.assertNotEqual(subprocess.run(["tar", "-tf", path], capture_output=True).returncode, 0)

    def test_archive_goes_to_standard_output_only(self):
        store = os.path.join(SAMPLES, "pbmc.h5seurat")
        self.fails(1, "export", "--tar", store, self.join("x.tar"), mentions="expected a store and -")
        self.fails(1, "export", "--tar", store, mentions="expected a store and -")


if __name__ == "__main__":
    unittest.main(verbosity=2)
