// The codecs, created from plain parameters that codecs.cc reads from a store's metadata. Each comment names
// the format and the place of its definition. "numcodecs" is the Python package that defines the ids of Zarr
// v2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/codecs/codec.h"

namespace plainfs {

// Compressors.

// Returns a codec for Blosc 1 frames. Their 16-byte header has all parameters (c-blosc
// README_CHUNK_FORMAT.rst).
CodecPtr blosc_codec();
// Returns a codec for Zstandard frames, one or more, with or without a content size (RFC 8878).
CodecPtr zstd_codec();
// Returns a codec for one zlib stream (RFC 1950): Zarr's zlib and HDF5's deflate.
CodecPtr zlib_codec();
// Returns a codec for gzip members (RFC 1952), or one zlib stream, which old versions of z5 wrote under this
// name.
CodecPtr gzip_codec();
// Returns numcodecs' lz4: decoded size as u32 little-endian, then one raw LZ4 block.
CodecPtr lz4_codec();
// Returns HDF5's filter 32004: the decoded size and that of a block, then a size and a raw LZ4 block for
// each.
CodecPtr hdf5_lz4_codec();
// Returns a codec for bzip2 streams.
CodecPtr bz2_codec();
// Returns LZF as in HDF5's filter 32000: one LZF block without its decoded size.
CodecPtr lzf_codec();
// Returns a codec for zfp streams with their full header, as numcodecs writes them; array -> bytes.
CodecPtr zfpy_codec();

// Python's lzma.FORMAT_XZ, FORMAT_ALONE and FORMAT_RAW. Only raw data need the filters, which are liblzma's.
enum class LzmaFormat { xz = 1, alone = 2, raw = 3 };
struct LzmaFilter {
  uint64_t id = 0;
  uint32_t preset = 6;                       // LZMA1, LZMA2
  std::optional<uint32_t> dictionary_bytes;  // default: the preset's; likewise lc, lp and pb
  std::optional<uint32_t> lc, lp, pb;
  uint32_t distance = 1;  // delta
};
struct LzmaConfiguration {
  LzmaFormat format = LzmaFormat::xz;
  std::vector<LzmaFilter> filters;
};
CodecPtr lzma_codec(LzmaConfiguration configuration);

// Conversions of numbers. decoded and encoded are the types of both sides.

// Returns numcodecs' delta: the first number, then differences.
CodecPtr delta_codec(DType decoded, DType encoded);
// Returns numcodecs' fixedscaleoffset: encoded / scale + offset.
CodecPtr fixed_scale_offset_codec(double scale, double offset, DType decoded, DType encoded);
// Return numcodecs' quantize and astype: a cast.
CodecPtr quantize_codec(DType decoded, DType encoded);
CodecPtr astype_codec(DType decoded, DType encoded);
// Returns bitround of numcodecs and zarr-extensions, which needs no decoding.
CodecPtr bitround_codec();
// Returns numcodecs' packbits: booleans, most significant bit first.
CodecPtr packbits_codec();
// Return zarr-extensions' scale_offset (null = 1 and 0), cast_value, reshape and packbits.
CodecPtr scale_offset_codec(const Json* scale, const Json* offset, DType type);
CodecPtr cast_value_codec(const Json& configuration, DType decoded);
CodecPtr reshape_codec(const Json& shape);
enum class PackbitsPadding { none, first_byte, last_byte };  // position of the number of padding bits
CodecPtr packbits_v3_codec(PackbitsPadding padding, uint64_t first_bit, std::optional<uint64_t> last_bit,
                           const DType& type);

// Bytes in another form.

// Returns a codec that joins byte planes into elements of element_size bytes. A remainder that is not a whole
// element stays at the end (HDF5 filter 2; numcodecs shuffle has no remainder).
CodecPtr shuffle_codec(uint64_t element_size);
// Returns HDF5's filter 32008 by its client data: bits of elements sorted in blocks, possibly compressed with
// LZ4 or Zstandard; null for another compressor.
CodecPtr bitshuffle_codec(std::span<const unsigned> client_data, uint64_t element_size);
// Return HDF5's filters 4 (szip), 5 (n-bit) and 6 (scale-offset) by their client data.
CodecPtr szip_codec(std::span<const unsigned> client_data);
CodecPtr nbit_codec(std::span<const unsigned> client_data);
CodecPtr hdf5_scale_offset_codec(std::span<const unsigned> client_data);
CodecPtr base64_codec();

// Checksums: 4 bytes little-endian before or after the data, verified.

enum class ChecksumPlace { start, end };
CodecPtr crc32_codec(ChecksumPlace place);
CodecPtr adler32_codec(ChecksumPlace place);
// Returns a codec with the Castagnoli polynomial, a core codec of Zarr v3 (at the end).
CodecPtr crc32c_codec(ChecksumPlace place);
// Returns HDF5 filter 3 (H5checksum.c): big-endian 16-bit words; at the end.
CodecPtr fletcher32_codec();
// Returns numcodecs' jenkins_lookup3, the checksum of prefix and data; at the end.
CodecPtr jenkins_lookup3_codec(uint32_t initial, Bytes prefix);

// Labels by number (numcodecs categorize): code k is labels[k - 1], other codes are empty.

// text: numpy's `U`; codes: integers.
CodecPtr categorize_codec(std::vector<std::string> labels, const DType& text, DType codes);
ObjectCodecPtr categorize_text_codec(std::vector<std::string> labels, DType codes);

// Variable-length items (numcodecs vlen.pyx): u32 count, then u32 size and bytes of each item, little-endian.

ObjectCodecPtr vlen_utf8_codec();
ObjectCodecPtr vlen_bytes_codec();
ObjectCodecPtr vlen_array_codec(DType item);

// Mixed objects as canonical JSON text (numcodecs json.py, msgpacks.py). For pickle see pickle.h.

// with_shape: true for json2 and msgpack2, false for their predecessors json and msgpack.
ObjectCodecPtr json_objects_codec(bool with_shape);
// raw: texts are bytes.
ObjectCodecPtr msgpack_codec(bool with_shape, bool raw);

}  // namespace plainfs
