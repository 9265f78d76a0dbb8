#!/usr/bin/env python3
"""Write one Zarr array of rows x columns for the benchmark.

    generate_zarr.py OUT blosc|zstd|sharded|int32 [--rows N] [--columns N]

blosc, zstd: v2, float32, chunks of 1,000 x 1,000, blosc-lz4-shuffle or zstd. int32: v2, blosc-lz4-shuffle. sharded: v3,
float32, shards of 5,000 x 5,000 with those chunks inside, zstd. The values come from a fixed seed: smooth along a row
with noise added, in steps of 1/256, like images and traces.
"""
import argparse
import json
import os
import struct

import numcodecs
import numpy as np

CHUNK = 1000
SHARD = 5000
BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}


def rows_of(first, count, columns, dtype):
    rng = np.random.default_rng((20_240_501, first))
    x = np.arange(columns) / 200
    y = np.arange(first, first + count)[:, None] / 300
    values = 1000 * np.sin(x + y) + rng.normal(0, 2, (count, columns))
    return (np.round(values * 256) / 256).astype(dtype) if dtype == "<f4" else np.round(values).astype(dtype)


def write_json(out, name, value):
    with open(os.path.join(out, name), "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1)


def write_v2(out, rows, columns, dtype, compressor):
    codec = numcodecs.get_codec(compressor)
    write_json(
        out,
        ".zarray",
        {
            "zarr_format": 2,
            "shape": [rows, columns],
            "chunks": [CHUNK, CHUNK],
            "dtype": dtype,
            "compressor": codec.get_config(),
            "fill_value": 0,
            "order": "C",
            "filters": None,
        },
    )
    for i in range(0, rows, CHUNK):
        band = rows_of(i, CHUNK, columns, dtype)
        for j in range(0, columns, CHUNK):
            chunk = np.ascontiguousarray(band[:, j : j + CHUNK])
            with open(os.path.join(out, f"{i // CHUNK}.{j // CHUNK}"), "wb") as f:
                f.write(codec.encode(chunk))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def write_v3_sharded(out, rows, columns):
    codec = numcodecs.Zstd(level=3)
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    write_json(
        out,
        "zarr.json",
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [rows, columns],
            "data_type": "float32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [SHARD, SHARD]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "attributes": {},
            "codecs": [
                {
                    "name": "sharding_indexed",
                    "configuration": {
                        "chunk_shape": [CHUNK, CHUNK],
                        "index_location": "end",
                        "index_codecs": [little, {"name": "crc32c"}],
                        "codecs": [little, {"name": "zstd", "configuration": {"level": 3, "checksum": False}}],
                    },
                }
            ],
        },
    )
    for i in range(0, rows, SHARD):
        bands = [rows_of(k, CHUNK, columns, "<f4") for k in range(i, i + SHARD, CHUNK)]
        for j in range(0, columns, SHARD):
            os.makedirs(os.path.join(out, "c", str(i // SHARD)), exist_ok=True)
            index = b""
            with open(os.path.join(out, "c", str(i // SHARD), str(j // SHARD)), "wb") as f:
                for band in bands:
                    for k in range(j, j + SHARD, CHUNK):
                        chunk = codec.encode(np.ascontiguousarray(band[:, k : k + CHUNK]))
                        index += struct.pack("<QQ", f.tell(), len(chunk))
                        f.write(chunk)
                f.write(index + struct.pack("<I", crc32c(index)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("kind", choices=("blosc", "zstd", "sharded", "int32"))
    p.add_argument("--rows", type=int, default=20_000, help=f"a multiple of {SHARD}")
    p.add_argument("--columns", type=int, default=5_000, help=f"a multiple of {SHARD}")
    a = p.parse_args()
    if a.rows % SHARD or a.columns % SHARD:
        p.error(f"rows and columns must be multiples of {SHARD}")
    os.makedirs(a.out)
    if a.kind == "sharded":
        write_v3_sharded(a.out, a.rows, a.columns)
    else:
        compressor = {"id": "zstd", "level": 3} if a.kind == "zstd" else BLOSC
        write_v2(a.out, a.rows, a.columns, "<i4" if a.kind == "int32" else "<f4", compressor)


if __name__ == "__main__":
    main()
