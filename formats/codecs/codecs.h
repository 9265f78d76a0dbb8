// The table of codecs: which names of Zarr and which filter numbers of HDF5 each has. A codec is added by
// one file and one line in codecs.cc.
#pragma once

#include <string_view>
#include <vector>

#include "formats/codecs/codec.h"

namespace plainfs {

// A codec by its numcodecs id and JSON configuration, as in .zarray's filters and compressor and, with the
// prefix "numcodecs." taken off, in zarr.json. Throws unsupported("codec ...") where there is none, damaged
// where the configuration is wrong. dtype: of the array's elements, for codecs whose defaults depend on it.
CodecPtr make_zarr_codec(std::string_view id, const Json& configuration, const DType& dtype);

// Null where id is no object codec.
ObjectCodecPtr make_zarr_object_codec(std::string_view id, const Json& configuration, const DType& dtype);

// A filter of an HDF5 pipeline by its number and client data; null where plainfs has none of its own
// (libhdf5 may have). element_size: bytes of one stored element.
CodecPtr make_hdf5_filter(unsigned number, std::span<const unsigned> client_data, uint64_t element_size);

}  // namespace plainfs
