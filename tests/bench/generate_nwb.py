#!/usr/bin/env python3
"""Write the units table of an NWB file with h5py, laid out like pynwb's, for the benchmark.

    generate_nwb.py OUT [--units N] [--spikes N]

Spike times are sample numbers at 30 kHz in seconds, sorted in each unit. A few units have most of the spikes, as in
recordings. Chunks are those that h5py chooses for gzip (level 4). Several threads compress them. The values come from a
fixed seed.
"""
import argparse
import os
import zlib
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np

SECONDS = 7200


def spike_counts(rng, units, spikes):
    weights = rng.lognormal(0, 1.2, units)
    counts = np.floor(weights / weights.sum() * spikes).astype(int)
    counts[-1] += spikes - counts.sum()
    return counts


def spike_times(rng, counts):
    """Returns the spike times of all units, unit by unit."""
    times = np.empty(counts.sum())
    end = 0
    for count in counts:
        steps = rng.standard_exponential(count + 1)
        samples = np.rint(np.cumsum(steps) * (SECONDS * 30_000 / steps.sum()))
        times[end : end + count] = samples[:-1] / 30_000
        end += count
    return times


def write_compressed(group, name, values, workers):
    data = group.create_dataset(name, shape=values.shape, dtype=values.dtype, maxshape=(None,), compression="gzip")
    length = data.chunks[0]

    def packed(first):
        chunk = np.zeros(length, values.dtype)
        some = values[first : first + length]
        chunk[: len(some)] = some
        return first, zlib.compress(chunk.tobytes(), 4)

    for first, packed_bytes in workers.map(packed, range(0, len(values), length)):
        data.id.write_direct_chunk((first,), packed_bytes)
    return data


def column(group, name, values, **attributes):
    data = group.create_dataset(name, data=values)
    data.attrs.update({"neurodata_type": "VectorData", "namespace": "hdmf-common", **attributes})
    return data


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--units", type=int, default=2_000)
    p.add_argument("--spikes", type=int, default=100_000_000)
    a = p.parse_args()
    rng = np.random.default_rng(20_261_122)
    counts = spike_counts(rng, a.units, a.spikes)
    times = spike_times(rng, counts)
    with h5py.File(a.out, "w") as file, ThreadPoolExecutor(os.cpu_count()) as workers:
        file.attrs.update({"neurodata_type": "NWBFile", "namespace": "core", "nwb_version": "2.7.0"})
        units = file.create_group("units")
        units.attrs.update(
            {"neurodata_type": "Units", "namespace": "core", "colnames": ["quality", "depth", "spike_times"]}
        )
        column(units, "id", np.arange(a.units), neurodata_type="ElementIdentifiers")
        column(units, "quality", np.array(["good", "mua", "noise"], object)[rng.integers(0, 3, a.units)])
        column(units, "depth", rng.integers(0, 7680, a.units) / 2)
        spikes = write_compressed(units, "spike_times", times, workers)
        spikes.attrs.update({"neurodata_type": "VectorData", "namespace": "hdmf-common"})
        column(
            units, "spike_times_index", np.cumsum(counts).astype("u4"), neurodata_type="VectorIndex", target=spikes.ref
        )


if __name__ == "__main__":
    main()
