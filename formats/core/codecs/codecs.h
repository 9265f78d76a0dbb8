// The versions of the compression libraries in use.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/codecs/codec.h"

namespace plainfs {

// Returns versions by the library's name, "libzstd" → "1.5.4". For a library that cannot report its version
// at run time, this is the version plainfs was built with.
std::vector<std::pair<std::string, std::string>> codec_libraries();

// The table of codecs, with Zarr's names and HDF5's filter number of each. A new codec takes one file and one
// line in codecs.cc.

// Returns a codec by its numcodecs id and JSON configuration, as in .zarray's filters and compressor and,
// without the prefix "numcodecs.", in zarr.json. Throws unsupported("codec ...") if the id is unknown,
// damaged if the configuration is wrong. dtype: of the array's elements, for codecs with defaults that depend
// on it.
CodecPtr make_zarr_codec(std::string_view id, const Json& configuration, const DType& dtype);

// Returns a codec by its full name in zarr.json. Names that begin with "numcodecs." go to make_zarr_codec.
// The others are those of the Zarr v3 specification and zarr-extensions, which sometimes have another meaning
// (packbits is LSB first). stage: the array that the codec encodes (only its dtype matters for bytes -> bytes
// codecs). Not supported here: bytes, transpose, sharding_indexed and the vlen codecs. Array -> array codecs
// read and write the elements of both their stages in little-endian order, whatever the `bytes` codec after
// them specifies.
CodecPtr make_zarr_v3_codec(std::string_view name, const Json& configuration, const ArrayStage& stage);

// Returns null if `id` is not an object codec. dtype: of the array's elements; `|O` is Kind::json, also as a
// field of a compound, which only pickle supports.
ObjectCodecPtr make_zarr_object_codec(std::string_view id, const Json& configuration, const DType& dtype);

// Returns a filter of an HDF5 pipeline by its number and client data; null if plainfs does not implement it
// (libhdf5 may). element_size: bytes of one stored element.
CodecPtr make_hdf5_filter(unsigned number, std::span<const unsigned> client_data, uint64_t element_size);

// Returns the error for a filter that neither make_hdf5_filter nor libhdf5 has, with its name and the source
// of a plugin.
Error unsupported_hdf5_filter(unsigned number);

}  // namespace plainfs
