// The codecs, each made from its plain parameters; codecs.cc reads these from a store's metadata. What is
// written on each is its format and where that is defined. "numcodecs" is the Python package whose ids Zarr
// v2 uses.
#pragma once

#include <string>
#include <vector>

#include "formats/codecs/codec.h"

namespace plainfs {

// Compressors.

// Blosc 1 frames; everything is in their 16-byte header (c-blosc README_CHUNK_FORMAT.rst).
CodecPtr blosc_codec();
// Zstandard frames, several of them allowed, with or without a content size (RFC 8878).
CodecPtr zstd_codec();
// One zlib stream (RFC 1950); Zarr's zlib and HDF5's deflate.
CodecPtr zlib_codec();
// Gzip members (RFC 1952), or one zlib stream, which old z5 wrote under this name.
CodecPtr gzip_codec();
// numcodecs lz4: decoded size as u32 little-endian, then one raw LZ4 block.
CodecPtr lz4_codec();
// bzip2 streams.
CodecPtr bz2_codec();
// LZF as HDF5's filter 32000 has it: one LZF block, decoded size from outside.
CodecPtr lzf_codec();

// Byte order within elements.

// Byte planes back to elements of element_size bytes; a rest that is no whole element stays at the end
// (HDF5 filter 2, numcodecs shuffle, which has no rest).
CodecPtr shuffle_codec(uint64_t element_size);

// Checksums: 4 bytes little-endian before or after the data, checked.

enum class ChecksumPlace { start, end };
CodecPtr crc32_codec(ChecksumPlace place);
CodecPtr adler32_codec(ChecksumPlace place);
// Castagnoli polynomial; core codec of Zarr v3 (at the end).
CodecPtr crc32c_codec(ChecksumPlace place);
// HDF5 filter 3 (H5checksum.c): big-endian 16-bit words; at the end.
CodecPtr fletcher32_codec();

// Variable-length items (numcodecs vlen.pyx): u32 count, then u32 size and bytes of each item, little-endian.

ObjectCodecPtr vlen_utf8_codec();
ObjectCodecPtr vlen_bytes_codec();
ObjectCodecPtr vlen_array_codec(DType item);

}  // namespace plainfs
