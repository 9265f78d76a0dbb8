"""Common tools over a whole mount."""
import hashlib
import mmap
import os
import subprocess

import mounted
from mounted import DATA, SAMPLE, Folder, Mount, run
from optional import needs, needs_modules

STORE = os.path.join(DATA, "h5seurat", "odd_members", "store.h5seurat")


class Tools(Folder):
    def quiet(self, *command, **more):
        result = run(*command, **more)
        self.assertEqual((result.returncode, result.stderr), (0, b""), command)
        return result.stdout

    def test_listings(self):
        with Mount(STORE) as m:
            self.assertTrue(self.quiet("ls", "-lR", m.path))
            found = self.quiet("find", m.path, "-type", "f", "-size", "+0").splitlines()
            self.assertGreater(len(found), 20)

    def test_grep_finds_text(self):
        with Mount(SAMPLE) as m:
            self.assertIn(b"matrix.mtx", self.quiet("grep", "-r", "-l", "MatrixMarket", m.path))

    def test_copies_are_complete(self):
        with Mount(STORE) as m:
            copy = os.path.join(self.folder, "copy")
            self.quiet("cp", "-a", m.path, copy)
            self.quiet("diff", "-r", "--no-dereference", m.path, copy)

    def test_tar_and_back(self):
        with Mount(STORE) as m:
            archive = os.path.join(self.folder, "a.tar")
            self.quiet("tar", "-C", m.path, "-cf", archive, ".")
            self.quiet("tar", "-C", m.path, "-df", archive)

    @needs("rsync")
    def test_rsync(self):
        with Mount(STORE) as m:
            copy = os.path.join(self.folder, "copy/")
            self.quiet("rsync", "-a", m.path + "/", copy)
            self.assertEqual(self.quiet("rsync", "-a", "--itemize-changes", "--checksum", m.path + "/", copy), b"")

    def test_text_tools(self):
        with Mount(SAMPLE) as m:
            text = m.read("matrix.mtx")
            name = m.join("matrix.mtx")
            self.assertEqual(int(self.quiet("wc", "-l", name).split()[0]), text.count(b"\n"))
            self.assertEqual(self.quiet("tail", "-n", "3", name), b"".join(text.splitlines(True)[-3:]))
            self.assertEqual(
                self.quiet("cut", "-f", "1", m.join("genes.tsv")),
                b"".join(line.split(b"\t")[0] + b"\n" for line in m.read("genes.tsv").splitlines()),
            )
            self.assertEqual(
                self.quiet("sort", name, env={"LC_ALL": "C", "PATH": os.environ["PATH"]}),
                b"".join(sorted(text.splitlines(True))),
            )

    def test_checksums(self):
        with Mount(SAMPLE) as m:
            files = [name for name in os.listdir(m.path) if os.path.isfile(m.join(name))]
            sums = "".join(f"{hashlib.sha256(m.read(name)).hexdigest()}  {name}\n" for name in files)
            result = subprocess.run(
                ["sha256sum", "--quiet", "-c"], input=sums.encode(), cwd=m.path, capture_output=True
            )
            self.assertEqual(result.returncode, 0, result.stdout)

    @needs_modules("numpy")
    def test_numpy_maps_arrays(self):
        import numpy

        with Mount(SAMPLE) as m:
            mapped = numpy.load(m.join("val.npy"), mmap_mode="r")
            self.assertEqual(mapped.tolist(), [int(line) for line in m.read("val.csv").split()])
            del mapped

    def test_python_maps_text(self):
        with Mount(SAMPLE) as m, open(m.join("val.csv"), "rb") as file:
            with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                self.assertEqual(mapped[:], m.read("val.csv"))


if __name__ == "__main__":
    mounted.main()
