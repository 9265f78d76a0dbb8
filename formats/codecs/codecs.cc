#include "formats/codecs/codecs.h"

#include <algorithm>

#include "formats/codecs/configuration.h"
#include "formats/codecs/makers.h"

namespace plainfs {
namespace {

using FromZarr = CodecPtr (*)(const Json& configuration, const DType& dtype);
using FromHdf5 = CodecPtr (*)(std::span<const unsigned> client_data, uint64_t element_size);

// Makers that need no parameters.
template <CodecPtr make()>
CodecPtr from_zarr(const Json&, const DType&) {
  return make();
}
template <CodecPtr make()>
CodecPtr from_hdf5(std::span<const unsigned>, uint64_t) {
  return make();
}

constexpr unsigned kNoFilter = 0;

struct CodecEntry {
  std::string_view id;  // of numcodecs; empty = none
  FromZarr from_zarr;
  unsigned filter;  // of HDF5 (registered at hdfgroup.org); kNoFilter = none
  FromHdf5 from_hdf5;
};

constexpr CodecEntry kCodecs[] = {
    {"blosc", from_zarr<blosc_codec>, 32001, from_hdf5<blosc_codec>},
    {"zstd", from_zarr<zstd_codec>, 32015, from_hdf5<zstd_codec>},
    {"zlib", from_zarr<zlib_codec>, 1, from_hdf5<zlib_codec>},
    {"gzip", from_zarr<gzip_codec>, kNoFilter, nullptr},
    {"lz4", from_zarr<lz4_codec>, kNoFilter, nullptr},
    {"", nullptr, 32000, from_hdf5<lzf_codec>},
    {"shuffle", [](const Json& c, const DType&) { return shuffle_codec(size_member(c, "elementsize", 4)); },
     2,
     [](std::span<const unsigned> data, uint64_t element_size) {
       return shuffle_codec(data.empty() ? element_size : data[0]);
     }},
    {"crc32", [](const Json& c, const DType&) { return crc32_codec(place_member(c, ChecksumPlace::start)); },
     kNoFilter, nullptr},
    {"adler32",
     [](const Json& c, const DType&) { return adler32_codec(place_member(c, ChecksumPlace::start)); },
     kNoFilter, nullptr},
    {"crc32c", [](const Json& c, const DType&) { return crc32c_codec(place_member(c, ChecksumPlace::end)); },
     kNoFilter, nullptr},
    {"fletcher32", from_zarr<fletcher32_codec>, 3, from_hdf5<fletcher32_codec>},
};

// What Zarr v3 calls by the name of a numcodecs codec that does the same.
constexpr std::string_view kSameInV3[] = {"blosc", "zstd", "gzip", "crc32c"};

}  // namespace

CodecPtr make_zarr_codec(std::string_view id, const Json& configuration, const DType& dtype) {
  for (const CodecEntry& entry : kCodecs)
    if (entry.from_zarr && entry.id == id) return entry.from_zarr(configuration, dtype);
  throw unsupported("codec \"{}\"", id);
}

CodecPtr make_zarr_v3_codec(std::string_view name, const Json& configuration, const ArrayStage& stage) {
  constexpr std::string_view kPrefix = "numcodecs.";
  if (name.starts_with(kPrefix))
    return make_zarr_codec(name.substr(kPrefix.size()), configuration, stage.dtype);
  if (std::ranges::find(kSameInV3, name) != std::end(kSameInV3))
    return make_zarr_codec(name, configuration, stage.dtype);
  throw unsupported("codec \"{}\"", name);
}

ObjectCodecPtr make_zarr_object_codec(std::string_view id, const Json& configuration, const DType&) {
  if (id == "vlen-utf8") return vlen_utf8_codec();
  if (id == "vlen-bytes") return vlen_bytes_codec();
  if (id == "vlen-array") return vlen_array_codec(dtype_member(configuration, "dtype", DType{}));
  return nullptr;
}

CodecPtr make_hdf5_filter(unsigned number, std::span<const unsigned> client_data, uint64_t element_size) {
  if (number == kNoFilter) return nullptr;
  for (const CodecEntry& entry : kCodecs)
    if (entry.filter == number) return entry.from_hdf5(client_data, element_size);
  return nullptr;
}

}  // namespace plainfs
