"""Small HDF5 files of five kinds with one change each. A seed and a number reproduce them."""
import os
import random
import re
import sys

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mount"))
from mounted import DATA  # noqa: E402

# Small files: their content is mostly metadata, and they are read quickly.
KINDS = {
    "hdf5": ("hdf5/userblock", "hdf5/links", "hdf5/attributes", "hdf5/types", "hdf5/numeric"),
    "h5seurat": ("h5seurat/zero_cells", "h5seurat/spec_minimal", "h5seurat/partial"),
    "anndata": ("anndata/null_h5ad", "anndata/slash_h5ad", "anndata/v0622_vlen", "anndata/csc_h5ad"),
    "loom": ("loom/zero_cells", "loom/odd_names", "loom/v3_test", "loom/v2"),
    "nwb": ("nwb/ophys", "nwb/tables", "nwb/icephys"),
}


def store_of(case):
    folder = os.path.join(DATA, case)
    return os.path.join(folder, next(name for name in sorted(os.listdir(folder)) if re.match(r"store(\.|$)", name)))


def metadata_of(path):
    """Returns the offsets of all bytes outside of dataset elements."""
    is_data = bytearray(os.path.getsize(path))

    def mark(_, found):
        if not isinstance(found, h5py.Dataset):
            return
        stretches = []
        if found.chunks:
            chunks = (found.id.get_chunk_info(i) for i in range(found.id.get_num_chunks()))
            stretches = [(chunk.byte_offset, chunk.size) for chunk in chunks]
        elif found.id.get_offset() is not None:
            stretches = [(found.id.get_offset(), found.id.get_storage_size())]
        for offset, size in stretches:
            is_data[offset : offset + size] = b"\1" * size

    with h5py.File(path, "r") as file:
        file.visititems(mark)
    return [at for at, data in enumerate(is_data) if not data]


class Original:
    def __init__(self, case):
        self.case = case
        self.path = store_of(case)
        with open(self.path, "rb") as file:
            self.bytes = file.read()
        metadata = metadata_of(self.path)
        # Most of the metadata is unused space.
        self.places = [range(len(self.bytes)), metadata, [at for at in metadata if self.bytes[at]]]
        self.good = None  # the content it shows


def changed(original, choose):
    """Returns the bytes with one change, and its description."""
    content = bytearray(original.bytes)
    kind = choose.choice(("flip", "flip", "flip", "set", "set", "cut", "swap"))
    at = choose.choice(choose.choice((original.places[0], *original.places[1:], original.places[2])))
    if kind == "flip":
        content[at] ^= 1 << choose.randrange(8)
    elif kind == "set":
        content[at] = choose.randrange(256)
    elif kind == "cut":
        del content[at:]
    else:
        length = choose.choice((1, 8, 40, choose.randrange(1, len(content) // 8)))
        other = choose.choice(original.places[1])
        one, two = sorted((at, other))
        length = min(length, two - one, len(content) - two)
        content[one : one + length], content[two : two + length] = (
            content[two : two + length],
            content[one : one + length],
        )
        return bytes(content), f"{length} bytes at {one} and {two} swapped"
    return bytes(content), f"{kind} at {at}"


class Variant:
    """The file of a number: always the same for a seed."""

    def __init__(self, number, seed, originals):
        choose = random.Random(seed * 1_000_003 + number)
        self.number = number
        self.kind = list(KINDS)[number % len(KINDS)]
        self.original = choose.choice(originals[self.kind])
        self.bytes, self.change = changed(self.original, choose)
        self.name = f"{number}{os.path.splitext(self.original.path)[1]}"

    def __str__(self):
        return f"{self.number} ({self.original.case}, {self.change})"
