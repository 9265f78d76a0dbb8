#!/usr/bin/env python3
"""Write a VCF Zarr of phased genotypes for the benchmark.

    generate_vcf.py OUT [--variants N] [--samples N] [--fields]

Zarr v2 with the chunks and compressors of bio2zarr: 1,000 variants x 10,000 samples, blosc-zstd, genotypes
bit-shuffled. Allele frequencies are those of a cohort, mostly rare. One site in fifty has a third allele, and one call
in a hundred is missing. --fields adds DP, GQ and AD of each call. The values come from a fixed seed.
"""
import argparse

import numpy as np
import zarr
from numcodecs import Blosc, VLenUTF8

CHUNK = 1000
PLAIN, BITS = (Blosc(cname="zstd", clevel=7, shuffle=shuffle) for shuffle in (Blosc.SHUFFLE, Blosc.BITSHUFFLE))
BASES = np.array(["A", "C", "G", "T"], dtype=object)


def create(group, name, shape, dtype, axes, compressor=PLAIN):
    chunks = tuple(min(most, length) for most, length in zip((CHUNK, 10_000), shape)) + tuple(shape[2:])
    text = {"object_codec": VLenUTF8()} if dtype is object else {}
    array = group.create_dataset(name, shape=shape, chunks=chunks, dtype=dtype, compressor=compressor, **text)
    array.attrs["_ARRAY_DIMENSIONS"] = axes
    return array


def genotypes_of(rng, count, samples, has_third):
    frequency = rng.beta(0.2, 2, count)[:, None, None]
    calls = (rng.random((count, samples, 2), dtype=np.float32) < frequency).astype("i1")
    calls[has_third] += (rng.random((int(has_third.sum()), samples, 2)) < 0.05).astype("i1")
    calls[rng.random((count, samples), dtype=np.float32) < 0.01] = -1
    return calls


def create_arrays(group, variants, samples, has_fields):
    site, call = ["variants"], ["variants", "samples"]
    create(group, "variant_contig", (variants,), "i1", site)
    create(group, "variant_position", (variants,), "i4", site)
    create(group, "variant_allele", (variants, 3), object, ["variants", "alleles"])
    create(group, "variant_id", (variants,), object, site)
    create(group, "variant_quality", (variants,), "f4", site)
    create(group, "variant_filter", (variants, 1), "?", ["variants", "filters"], BITS)
    create(group, "variant_AF", (variants, 2), "f4", ["variants", "alt_alleles"])
    create(group, "variant_AN", (variants,), "i2", site)
    create(group, "call_genotype", (variants, samples, 2), "i1", [*call, "ploidy"], BITS)
    create(group, "call_genotype_phased", (variants, samples), "?", call, BITS)
    if has_fields:
        create(group, "call_DP", (variants, samples), "i2", call)
        create(group, "call_GQ", (variants, samples), "i1", call)
        create(group, "call_AD", (variants, samples, 3), "i2", [*call, "alleles"])
    for name, axis, values in (
        ("sample_id", "samples", [f"sample{i:05}" for i in range(samples)]),
        ("contig_id", "contigs", ["1"]),
        ("filter_id", "filters", ["PASS"]),
    ):
        create(group, name, (len(values),), object, [axis])[:] = np.array(values, dtype=object)


def write_band(group, first, count, has_fields):
    rng = np.random.default_rng((20_240_502, first))
    part, samples = slice(first, first + count), group["sample_id"].shape[0]
    has_third = rng.random(count) < 0.02
    calls = genotypes_of(rng, count, samples, has_third)
    alleles = np.full((count, 3), "", dtype=object)
    order = rng.permuted(np.tile(np.arange(4), (count, 1)), axis=1)
    alleles[:, :2] = BASES[order[:, :2]]
    alleles[has_third, 2] = BASES[order[has_third, 2]]
    known = (calls >= 0).sum(axis=(1, 2))
    frequencies = np.stack(
        [(calls == 1).sum(axis=(1, 2)) / known, (calls == 2).sum(axis=(1, 2)) / known], axis=1
    ).astype("f4")
    frequencies[~has_third, 1] = np.array([0x7F800002], dtype="u4").view("f4")[0]
    group["variant_contig"][part] = 0
    group["variant_position"][part] = 10_000 + 200 * np.arange(first, first + count)
    group["variant_allele"][part] = alleles
    group["variant_id"][part] = np.array([f"rs{i}" for i in range(first, first + count)], dtype=object)
    group["variant_quality"][part] = rng.integers(30, 3000, count) / 8
    group["variant_filter"][part] = True
    group["variant_AF"][part] = frequencies
    group["variant_AN"][part] = known
    group["call_genotype"][part] = calls
    group["call_genotype_phased"][part] = True
    if not has_fields:
        return
    depth = rng.poisson(30, (count, samples)).astype("i2")
    alternative = np.where(calls.sum(axis=2) > 0, depth // 2, 0).astype("i2")
    third = np.where(has_third[:, None], 0, -2).astype("i2")
    group["call_DP"][part] = depth
    group["call_GQ"][part] = np.minimum(rng.poisson(60, (count, samples)), 99)
    group["call_AD"][part] = np.stack([depth - alternative, alternative, np.broadcast_to(third, depth.shape)], axis=2)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--variants", type=int, default=200_000)
    p.add_argument("--samples", type=int, default=1000)
    p.add_argument("--fields", action="store_true")
    options = p.parse_args()
    group = zarr.open_group(options.out, mode="w")
    group.attrs.update(vcf_zarr_version="0.4", source="generate_vcf.py")
    create_arrays(group, options.variants, options.samples, options.fields)
    for first in range(0, options.variants, CHUNK):
        write_band(group, first, min(CHUNK, options.variants - first), options.fields)


if __name__ == "__main__":
    main()
