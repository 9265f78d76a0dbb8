#!/usr/bin/env python3
"""NAME.mat of every numeric array, read by scipy and by Octave: it holds the written values."""
import os
import subprocess

from mounted import Folder, Mount, main
from optional import needs, needs_modules

try:
    import h5py
    import numpy
    import scipy.io
except ImportError:
    scipy = None

KINDS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
SHAPES = ((), (5,), (3, 4), (2, 3, 4), (0, 3), (700, 300))


@needs_modules("h5py", "scipy")
class Mat(Folder):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(11)
        self.written = {}
        self.path = os.path.join(self.folder, "x.h5")
        with h5py.File(self.path, "w") as file:
            for kind in KINDS:
                for number, shape in enumerate(SHAPES):
                    values = (random.random(shape) * 200 - (0 if kind[0] == "u" else 100)).astype(kind)
                    self.written[f"{kind}_{number}"] = values
                    file.create_dataset(f"{kind}_{number}", data=values, chunks=shape == (700, 300) or None)
            file.create_dataset("text", data="no number")

    def test_scipy_reads_the_written_values(self):
        with Mount(self.path) as mount:
            self.assertNotIn("f8_2.mat", os.listdir(mount.path))
            self.assertFalse(os.path.exists(mount.join("text.mat")))
            for name, want in self.written.items():
                found = scipy.io.loadmat(mount.join(f"{name}.mat"))["data"]
                shape = want.shape if want.ndim >= 2 else (want.size, 1)
                self.assertEqual(found.shape, shape, name)
                self.assertEqual(found.dtype, numpy.dtype("f4") if want.dtype == "f2" else want.dtype, name)
                numpy.testing.assert_array_equal(found, want.reshape(shape), name)
                with open(mount.join(f"{name}.mat"), "rb") as file:
                    self.assertEqual(len(file.read()), os.stat(mount.join(f"{name}.mat")).st_size)

    @needs("octave-cli")
    def test_octave_reads_the_written_values(self):
        with Mount(self.path) as mount:
            for name in ("i2_2", "u8_3", "f4_1", "f8_5"):
                want = self.written[name].astype("f8")
                code = (
                    f'load("{mount.join(name)}.mat"); '
                    'printf("%s %s %.17g", class(data), mat2str(size(data)), sum(double(data(:)) .* (1:numel(data))\'))'
                )
                output = subprocess.run(
                    ["octave-cli", "--eval", code], capture_output=True, text=True, timeout=120, check=True
                ).stdout
                kind = {"i2": "int16", "u8": "uint64", "f4": "single", "f8": "double"}[name[:2]]
                shape = want.shape if want.ndim >= 2 else (want.size, 1)
                self.assertTrue(output.startswith(f"{kind} [{' '.join(map(str, shape))}] "), output)
                numbered = (want.reshape(shape).flatten(order="F") * numpy.arange(1, want.size + 1)).sum()
                self.assertAlmostEqual(float(output.rsplit(" ", 1)[1]) / (numbered or 1), 1, 9)


if __name__ == "__main__":
    main()
