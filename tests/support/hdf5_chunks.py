"""Chunks as filters of HDF5 encode them, for files that tests write without the filters' plugins."""
import bz2
import struct

import numcodecs.blosc
import numcodecs.lz4
import numcodecs.zstd
import numpy as np

BZIP2, BLOSC, LZ4, BITSHUFFLE, ZSTD = 307, 32001, 32004, 32008, 32015


def lz4_block(data):
    return numcodecs.lz4.compress(data)[4:]  # without the size that numcodecs writes before it


def encode_lz4(data, block_bytes):
    """A block that does not get smaller is stored as it is."""
    out = struct.pack('>QI', len(data), block_bytes)
    for first in range(0, len(data), block_bytes):
        block = data[first : first + block_bytes]
        packed = lz4_block(block)
        if len(packed) >= len(block):
            packed = block
        out += struct.pack('>I', len(packed)) + packed
    return out


def transposed_bits(data, size):
    """Returns the bits of elements of `size` bytes, a multiple of 8 of them: bit 0 of all elements first."""
    elements = np.frombuffer(data, 'u1').reshape(-1, size)
    bits = np.unpackbits(elements, axis=1, bitorder='little')
    return np.packbits(bits.T, axis=1, bitorder='little').tobytes()


def encode_bitshuffle(data, size, block_elements, compressor):
    """compressor: 0 (none), 2 (LZ4) or 3 (Zstandard). The last elements, less than 8, are stored as they are."""
    pack = {0: None, 2: lz4_block, 3: lambda block: numcodecs.zstd.compress(block, 3)}[compressor]
    out = struct.pack('>QI', len(data), block_elements * size) if pack else b''
    whole = len(data) // size // 8 * 8 * size
    for first in range(0, whole, block_elements * size):
        block = transposed_bits(data[first : min(first + block_elements * size, whole)], size)
        block = pack(block) if pack else block
        out += (struct.pack('>I', len(block)) if pack else b'') + block
    return out + data[whole:]


def random_filter(rng, size):
    """Returns the number of a filter that h5py lacks, its client data, and the function that encodes a chunk."""
    kind = rng.choice([BZIP2, BLOSC, LZ4, BITSHUFFLE, ZSTD])
    if kind == BZIP2:
        return kind, (9,), bz2.compress
    if kind == BLOSC:
        name, shuffle = rng.choice(['lz4', 'blosclz', 'zlib', 'zstd']), rng.choice([0, 1, 2])
        return kind, (2, 2, size, 0), lambda data: numcodecs.blosc.compress(data, name.encode(), 5, shuffle, 0)
    if kind == LZ4:
        block_bytes = rng.choice([64, 1000, 1 << 20])
        return kind, (block_bytes,), lambda data: encode_lz4(data, block_bytes)
    if kind == BITSHUFFLE:
        block_elements, compressor = rng.choice([8, 64, 2048]), rng.choice([0, 2, 3])
        values = (0, 3, size, block_elements, compressor)
        return kind, values, lambda data: encode_bitshuffle(data, size, block_elements, compressor)
    return kind, (3,), lambda data: numcodecs.zstd.compress(data, 3)
