"""Counts the requests and bytes that tasks on remote stores take: by plainfs, and by fsspec with h5py and zarr-python.

    remote_table.py [--delay SECONDS] [--folder FOLDER] [TASK...]

Each task starts with nothing cached, on a server of this machine that waits before every reply. The stores are made
once in FOLDER. Requires python3-anndata, python3-aiohttp, python3-fsspec, python3-h5py and python3-zarr. Set PLAINFS to
the program.
"""
import argparse
import os
import subprocess
import sys
import time

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from store_server import StoreServer  # noqa: E402

CELLS, GENES, A_ROW = 20_000, 3_000, 90
DAYS, LATITUDES, LONGITUDES = 365, 181, 360
CHUNKS = (31, 61, 90)

# Programs of Python: `url` is that of the server.
H5 = "import fsspec, h5py\nfile = h5py.File(fsspec.open(url + '/{0}').open(), 'r')\n"
ZARR = "import fsspec, zarr\nstore = zarr.open_consolidated(fsspec.get_mapper(url + '/{0}'), mode='r')\n"
GENE = "start, end = {0}['X/indptr'][7], {0}['X/indptr'][8]\n{0}['X/indices'][start:end], {0}['X/data'][start:end]\n"
VISIT = "file.visititems(lambda name, item: dict(item.attrs))"
WALK = "store.tree(), [dict(item.attrs) for _, item in store.items()]"
MATRIX = "[{0}['X/' + name][:] for name in ('data', 'indices', 'indptr')]"
NAMES = "{0}['var/_index'][:], {0}['obs/_index'][:]\n"  # a gene's file has the names of the cells
OBS = "[file['obs/' + name]{0} for name in ('_index', 'score', 'kind/codes', 'kind/categories')]"
COORDINATES = "[{0}[name][:] for name in ('time', 'lat', 'lon')]\n"

# Name: (arguments of plainfs with the store second, program of Python).
TASKS = {
    "HDF5: open and list": (("ls", "-Ra", "csc.h5ad"), H5.format("csc.h5ad") + VISIT),
    "HDF5: obs.csv": (("cat", "csc.h5ad", "obs.csv"), H5.format("csc.h5ad") + OBS.format("[:]")),
    "HDF5: head of obs.csv": (
        ("cat", "--range", "0-500", "csc.h5ad", "obs.csv"),
        H5.format("csc.h5ad") + OBS.format("[:10]"),
    ),
    "HDF5: one gene of CSC": (
        ("cat", "csc.h5ad", "X/genes/gene7.csv"),
        H5.format("csc.h5ad") + NAMES.format("file") + GENE.format("file"),
    ),
    "HDF5: matrix.mtx": (("cat", "csc.h5ad", "X/matrix.mtx"), H5.format("csc.h5ad") + MATRIX.format("file")),
    "Zarr: open and list": (("ls", "-Ra", "csc.zarr"), ZARR.format("csc.zarr") + WALK),
    "Zarr: one gene of CSC": (
        ("cat", "csc.zarr", "X/genes/gene7.csv"),
        ZARR.format("csc.zarr") + NAMES.format("store") + GENE.format("store"),
    ),
    "Zarr: matrix.mtx": (("cat", "csc.zarr", "X/matrix.mtx"), ZARR.format("csc.zarr") + MATRIX.format("store")),
    "CF Zarr: open and list": (("ls", "-Ra", "cf.zarr"), ZARR.format("cf.zarr") + WALK),
    "CF Zarr: one map": (
        ("cat", "cf.zarr", "t2m/time=2020-04-10.csv"),
        ZARR.format("cf.zarr") + COORDINATES.format("store") + "store['t2m'][100]",
    ),
    "CF Zarr: a point's year": (
        ("cat", "cf.zarr", "t2m/lat=0,lon=180.csv"),
        ZARR.format("cf.zarr") + COORDINATES.format("store") + "store['t2m'][:, 90, 180]",
    ),
    "400 chunks of 16 kB": (("cat", "small.zarr", "x.npy"), ZARR.format("small.zarr") + "store['x'][:]"),
    "CF HDF5: open and list": (("ls", "-Ra", "cf.nc"), H5.format("cf.nc") + VISIT),
    "CF HDF5: one map": (
        ("cat", "cf.nc", "t2m/time=2020-04-10.csv"),
        H5.format("cf.nc") + COORDINATES.format("file") + "file['t2m'][100]",
    ),
    "CF HDF5: a point's year": (
        ("cat", "cf.nc", "t2m/lat=0,lon=180.csv"),
        H5.format("cf.nc") + COORDINATES.format("file") + "file['t2m'][:, 90, 180]",
    ),
}


def write_anndata(folder):
    import anndata
    import pandas
    import scipy.sparse

    random = numpy.random.default_rng(1)
    matrix = scipy.sparse.csr_matrix(
        (
            numpy.log1p(random.poisson(2, CELLS * A_ROW) + 1).astype("f4"),
            random.integers(0, GENES, CELLS * A_ROW),
            numpy.arange(CELLS + 1) * A_ROW,
        ),
        shape=(CELLS, GENES),
    )
    matrix.sum_duplicates()
    obs = pandas.DataFrame(
        {"score": random.random(CELLS), "kind": pandas.Categorical(random.choice(["a", "b", "c"], CELLS))},
        index=[f"cell{i}" for i in range(CELLS)],
    )
    var = pandas.DataFrame({"mean": random.random(GENES)}, index=[f"gene{i}" for i in range(GENES)])
    data = anndata.AnnData(matrix.tocsc(), obs=obs, var=var, dtype="f4")
    data.obsm["X_pca"] = random.random((CELLS, 20)).astype("f4")
    data.write_h5ad(os.path.join(folder, "csc.h5ad"), compression="gzip")
    data.write_zarr(os.path.join(folder, "csc.zarr"))


def write_cf(folder):
    import zarr

    axes = {
        "time": (numpy.arange(DAYS, dtype="f8"), {"units": "days since 2020-01-01", "axis": "T"}),
        "lat": (numpy.linspace(-90, 90, LATITUDES), {"units": "degrees_north"}),
        "lon": (numpy.arange(LONGITUDES, dtype="f8"), {"units": "degrees_east"}),
    }
    values = numpy.random.default_rng(2).normal(280, 20, (DAYS, LATITUDES, LONGITUDES)).astype("f4")
    attributes = {"units": "K", "long_name": "2 metre temperature"}
    with h5py.File(os.path.join(folder, "cf.nc"), "w") as file:
        file.attrs["Conventions"] = "CF-1.8"
        for name, (axis, notes) in axes.items():
            file[name] = axis
            file[name].make_scale(name)
            file[name].attrs.update(notes)
        built = file.create_dataset("t2m", data=values, chunks=CHUNKS, compression="gzip", compression_opts=1)
        built.attrs.update(attributes)
        for number, name in enumerate(axes):
            built.dims[number].attach_scale(file[name])
    group = zarr.open_group(os.path.join(folder, "cf.zarr"), "w")
    group.attrs["Conventions"] = "CF-1.8"
    for name, (axis, notes) in axes.items():
        group.array(name, axis, fill_value=None).attrs.update({"_ARRAY_DIMENSIONS": [name], **notes})
    built = group.array("t2m", values, chunks=CHUNKS, fill_value=None)
    built.attrs.update({"_ARRAY_DIMENSIONS": list(axes), **attributes})
    small = zarr.open_group(os.path.join(folder, "small.zarr"), "w")
    small.array("x", numpy.random.default_rng(3).random(400 * 2048), chunks=2048, compressor=None)


def write_stores(folder):
    import zarr

    if os.path.exists(os.path.join(folder, "small.zarr", ".zmetadata")):
        return
    os.makedirs(folder, exist_ok=True)
    write_anndata(folder)
    write_cf(folder)
    for name in ("csc.zarr", "cf.zarr", "small.zarr"):
        zarr.consolidate_metadata(os.path.join(folder, name))


def measured(server, command):
    """Runs a command. Returns its requests, the kB sent to it and the seconds that it took."""
    server.requests.clear()
    server.bytes_sent = 0
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    return len(server.requests), server.bytes_sent / 1000, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--delay", type=float, default=0.05, help="seconds before each reply")
    parser.add_argument("--folder", default=os.path.join("build", "bench", "remote"))
    parser.add_argument("--own", action="store_true", help="plainfs only")
    parser.add_argument("--show", action="store_true", help="print each request of plainfs")
    parser.add_argument("tasks", nargs="*", help="parts of the names of tasks; all if none is named")
    options = parser.parse_args()
    program = os.environ.get("PLAINFS", os.path.join("build", "plainfs"))
    write_stores(options.folder)
    print("| task | plainfs: requests / kB / s | fsspec: requests / kB / s |\n| --- | --- | --- |")
    with StoreServer(options.folder, delay=options.delay) as server:
        for name, (arguments, code) in TASKS.items():
            if options.tasks and not any(part in name for part in options.tasks):
                continue
            stores = os.listdir(options.folder)
            words = [f"{server.url}/{word}" if word in stores else word for word in arguments]
            command = [program, words[0], "-o", "index=none", *words[1:]]
            cells = [measured(server, command)]
            if options.show:
                print(*server.requests, sep="\n")
            if not options.own:
                cells.append(measured(server, [sys.executable, "-c", f"url = {server.url!r}\n{code}"]))
            print(f"| {name} |", " | ".join(f"{r} / {k:,.0f} / {s:.1f}" for r, k, s in cells), "|", flush=True)


if __name__ == "__main__":
    main()
