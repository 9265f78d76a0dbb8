// Which versions of the compression libraries this program runs with.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/codecs/codec.h"

namespace plainfs {

// By the library's name, "libzstd" → "1.5.4". What a library cannot say of itself while it runs is what it
// was built against.
std::vector<std::pair<std::string, std::string>> codec_libraries();

// The table of codecs: which names of Zarr and which filter numbers of HDF5 each has. A codec is added by
// one file and one line in codecs.cc.

// A codec by its numcodecs id and JSON configuration, as in .zarray's filters and compressor and, with the
// prefix "numcodecs." taken off, in zarr.json. Throws unsupported("codec ...") where there is none, damaged
// where the configuration is wrong. dtype: of the array's elements, for codecs whose defaults depend on it.
CodecPtr make_zarr_codec(std::string_view id, const Json& configuration, const DType& dtype);

// A codec by its name in zarr.json, whole: names that begin with "numcodecs." are make_zarr_codec's, the
// others those of the Zarr v3 specification and zarr-extensions, where some names mean something else
// (packbits is LSB first). stage: the array that the codec is given when it encodes (only its dtype matters
// for bytes -> bytes codecs). Not here: bytes, transpose, sharding_indexed and the vlen codecs. Array ->
// array codecs read and write the elements of both their stages in little-endian order, whatever the `bytes`
// codec after them says.
CodecPtr make_zarr_v3_codec(std::string_view name, const Json& configuration, const ArrayStage& stage);

// Null where id is no object codec. dtype: of the array's elements; `|O` is Kind::json, also as a field of a
// compound, which pickle alone can hold.
ObjectCodecPtr make_zarr_object_codec(std::string_view id, const Json& configuration, const DType& dtype);

// A filter of an HDF5 pipeline by its number and client data; null where plainfs has none of its own
// (libhdf5 may have). element_size: bytes of one stored element.
CodecPtr make_hdf5_filter(unsigned number, std::span<const unsigned> client_data, uint64_t element_size);

// That neither make_hdf5_filter nor libhdf5 has the filter, with its name and where to get a plugin.
Error unsupported_hdf5_filter(unsigned number);

}  // namespace plainfs
