#!/usr/bin/env python3
"""Write an HDF5 file for the benchmark of libhdf5's process.

    generate_hdf5.py OUT arrays      arrays of 40 MB, in each layout that the reader handles differently
    generate_hdf5.py OUT objects     10,000 small datasets with an attribute each, in 20 groups
"""
import argparse

import h5py
import numpy as np

SHAPE, CHUNKS = (2000, 5000), (200, 500)


def arrays(file):
    values = np.random.default_rng(1).random(SHAPE).astype("f4")
    file.create_dataset("contiguous", data=values)
    file.create_dataset("gzip", data=np.round(values, 2), chunks=CHUNKS, compression="gzip")
    file.create_dataset("fletcher", data=values, chunks=CHUNKS, fletcher32=True)
    layout = h5py.VirtualLayout(shape=SHAPE, dtype="f4")
    layout[:] = h5py.VirtualSource(".", "contiguous", shape=SHAPE)
    file.create_virtual_dataset("virtual", layout)
    file.create_dataset(
        "text", data=np.array([f"cell{i}" for i in range(300_000)], dtype=object), dtype=h5py.string_dtype()
    )


def objects(file):
    for group in range(20):
        for dataset in range(500):
            file[f"group{group:02}/dataset{dataset:03}"] = np.arange(10) + dataset
            file[f"group{group:02}/dataset{dataset:03}"].attrs["unit"] = "V"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("what", choices=("arrays", "objects"))
    options = p.parse_args()
    with h5py.File(options.out, "w") as file:
        {"arrays": arrays, "objects": objects}[options.what](file)


if __name__ == "__main__":
    main()
