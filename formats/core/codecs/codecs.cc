#include "formats/core/codecs/codecs.h"

#include <blosc.h>
#include <bzlib.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lzma.h>
#include <zfp.h>
#include <zlib.h>
#include <zstd.h>

#include <isa-l.h>
#include <algorithm>

#include "formats/core/codecs/configuration.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/pickle.h"

namespace plainfs {

std::vector<std::pair<std::string, std::string>> codec_libraries() {
  const std::string bzip2 = BZ2_bzlibVersion();  // "1.0.8, 13-Jul-2019"
  return {{"libblosc", blosc_get_version_string()},
          {"libbz2", bzip2.substr(0, bzip2.find(','))},
          {"libdeflate", LIBDEFLATE_VERSION_STRING},
          {"libisal", fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)},
          {"liblz4", LZ4_versionString()},
          {"liblzma", lzma_version_string()},
          {"libz", zlibVersion()},
          {"libzfp", ZFP_VERSION_STRING},
          {"libzstd", ZSTD_versionString()}};
}

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

// Makers with "location" as the only parameter.
template <CodecPtr make(ChecksumPlace), ChecksumPlace usual>
CodecPtr checksum_from_zarr(const Json& configuration, const DType&) {
  return make(place_member(configuration, usual));
}

// Makers of numcodecs with the parameters "dtype" and "astype".
template <CodecPtr make(DType, DType)>
CodecPtr numbers_from_zarr(const Json& configuration, const DType& dtype) {
  const DType decoded = dtype_member(configuration, "dtype", dtype);
  return make(decoded, dtype_member(configuration, "astype", decoded));
}

CodecPtr astype_from_zarr(const Json& configuration, const DType& dtype) {
  const DType decoded = dtype_member(configuration, "decode_dtype", dtype);
  return astype_codec(decoded, dtype_member(configuration, "encode_dtype", decoded));
}

CodecPtr fixed_scale_offset_from_zarr(const Json& configuration, const DType& dtype) {
  const DType decoded = dtype_member(configuration, "dtype", dtype);
  return fixed_scale_offset_codec(number_member(configuration, "scale", 1),
                                  number_member(configuration, "offset", 0), decoded,
                                  dtype_member(configuration, "astype", decoded));
}

DType category_codes(const Json& configuration) {
  return dtype_member(configuration, "astype", number_type(Kind::unsigned_integer, 1));
}
CodecPtr categorize_from_zarr(const Json& configuration, const DType& dtype) {
  return categorize_codec(labels_member(configuration), dtype_member(configuration, "dtype", dtype),
                          category_codes(configuration));
}

CodecPtr shuffle_from_zarr(const Json& configuration, const DType&) {
  return shuffle_codec(size_member(configuration, "elementsize", 4));
}
CodecPtr shuffle_from_hdf5(std::span<const unsigned> client_data, uint64_t element_size) {
  return shuffle_codec(client_data.empty() ? element_size : client_data[0]);
}
CodecPtr lzma_from_zarr(const Json& configuration, const DType&) {
  return lzma_codec(lzma_configuration(configuration));
}
CodecPtr jenkins_lookup3_from_zarr(const Json& configuration, const DType&) {
  return jenkins_lookup3_from(configuration);
}

constexpr unsigned kNoFilter = 0;

struct CodecEntry {
  std::string_view id;  // numcodecs' id; empty = none
  FromZarr from_zarr;
  unsigned filter = kNoFilter;  // HDF5's number, as registered by the HDF Group
  FromHdf5 from_hdf5 = nullptr;
};

constexpr CodecEntry kCodecs[] = {
    {"blosc", from_zarr<blosc_codec>, 32001, from_hdf5<blosc_codec>},
    {"zstd", from_zarr<zstd_codec>, 32015, from_hdf5<zstd_codec>},
    {"zlib", from_zarr<zlib_codec>, 1, from_hdf5<zlib_codec>},
    {"gzip", from_zarr<gzip_codec>},
    {"lz4", from_zarr<lz4_codec>},
    {"bz2", from_zarr<bz2_codec>, 307, from_hdf5<bz2_codec>},
    {"lzma", lzma_from_zarr},
    {"", nullptr, 32000, from_hdf5<lzf_codec>},
    {"", nullptr, 32004, from_hdf5<hdf5_lz4_codec>},
    {"", nullptr, 32008, bitshuffle_codec},
    {"", nullptr, 32022, from_hdf5<bitround_codec>},  // BitGroom; like the next, it needs no decoding
    {"", nullptr, 32023, from_hdf5<bitround_codec>},
    {"zfpy", from_zarr<zfpy_codec>},
    {"shuffle", shuffle_from_zarr, 2, shuffle_from_hdf5},
    {"", nullptr, 4, [](std::span<const unsigned> values, uint64_t) { return szip_codec(values); }},
    {"", nullptr, 5, [](std::span<const unsigned> values, uint64_t) { return nbit_codec(values); }},
    {"", nullptr, 6,
     [](std::span<const unsigned> values, uint64_t) { return hdf5_scale_offset_codec(values); }},
    {"base64", from_zarr<base64_codec>},
    {"delta", numbers_from_zarr<delta_codec>},
    {"quantize", numbers_from_zarr<quantize_codec>},
    {"astype", astype_from_zarr},
    {"fixedscaleoffset", fixed_scale_offset_from_zarr},
    {"bitround", from_zarr<bitround_codec>},
    {"packbits", from_zarr<packbits_codec>},
    {"categorize", categorize_from_zarr},
    {"crc32", checksum_from_zarr<crc32_codec, ChecksumPlace::start>},
    {"adler32", checksum_from_zarr<adler32_codec, ChecksumPlace::start>},
    {"crc32c", checksum_from_zarr<crc32c_codec, ChecksumPlace::end>},
    {"fletcher32", from_zarr<fletcher32_codec>, 3, from_hdf5<fletcher32_codec>},
    {"jenkins_lookup3", jenkins_lookup3_from_zarr},
};

// Filters that are registered with the HDF Group but not decoded here, with the Debian package of libhdf5's
// plugin; empty = none. Bitshuffle is listed for compressors that its codec does not support.
struct FilterName {
  unsigned number;
  std::string_view name;
  std::string_view package{};
};

constexpr FilterName kFilterNames[] = {
    {305, "LZO"},
    {32002, "MAFISC"},
    {32003, "Snappy"},
    {32005, "APAX"},
    {32006, "CBF"},
    {32007, "JPEG-XR"},
    {32008, "bitshuffle", "bitshuffle"},
    {32009, "SPDP"},
    {32010, "LPC-Rice"},
    {32011, "CCSDS-123"},
    {32012, "JPEG-LS"},
    {32013, "ZFP", "hdf5-filter-plugin-zfp-serial"},
    {32014, "fpzip"},
    {32016, "B3D"},
    {32017, "SZ"},
    {32018, "FCIDECOMP"},
    {32019, "JPEG"},
    {32020, "VBZ"},
    {32021, "FAPEC"},
    {32024, "SZ3"},
    {32025, "Delta-Rice"},
    {32026, "Blosc2"},
    {32027, "FLAC"},
    {32028, "SPERR"},
    {32029, "TERSE/PROLIX"},
    {32030, "FFMPEG"},
};

struct V3Entry {
  std::string_view name;
  CodecPtr (*make)(const Json& configuration, const ArrayStage& stage);
};

// Returns a codec that is identical to numcodecs' codec of that name.
template <FromZarr make>
CodecPtr as_numcodecs(const Json& configuration, const ArrayStage& stage) {
  return make(configuration, stage.dtype);
}

constexpr V3Entry kV3Codecs[] = {
    {"blosc", as_numcodecs<from_zarr<blosc_codec>>},
    {"zstd", as_numcodecs<from_zarr<zstd_codec>>},
    {"gzip", as_numcodecs<from_zarr<gzip_codec>>},
    {"crc32c", [](const Json&, const ArrayStage&) { return crc32c_codec(ChecksumPlace::end); }},
    {"bitround", as_numcodecs<from_zarr<bitround_codec>>},
    {"packbits", [](const Json& c, const ArrayStage& stage) { return packbits_v3_from(c, stage.dtype); }},
    {"scale_offset",
     [](const Json& c, const ArrayStage& stage) {
       return scale_offset_codec(c.find("scale"), c.find("offset"), stage.dtype);
     }},
    {"cast_value", [](const Json& c, const ArrayStage& stage) { return cast_value_codec(c, stage.dtype); }},
    {"reshape",
     [](const Json& c, const ArrayStage&) {
       const Json* shape = c.find("shape");
       return reshape_codec(shape ? *shape : Json());
     }},
};

struct ObjectEntry {
  std::string_view id;
  ObjectCodecPtr (*make)(const Json& configuration, const DType& dtype);
};

template <ObjectCodecPtr make()>
ObjectCodecPtr object_from_zarr(const Json&, const DType&) {
  return make();
}
// numcodecs can also write numbers as JSON and msgpack, but no store is known that does.
void check_objects(std::string_view id, const DType& dtype) {
  if (dtype.kind != Kind::json) throw undecodable("codec \"{}\" for {}", id, dtype.name());
}
template <bool with_shape>
ObjectCodecPtr json_from_zarr(const Json&, const DType& dtype) {
  check_objects("json2", dtype);
  return json_objects_codec(with_shape);
}
template <bool with_shape>
ObjectCodecPtr msgpack_from_zarr(const Json& configuration, const DType& dtype) {
  check_objects("msgpack2", dtype);
  const Json* raw = configuration.find("raw");
  return msgpack_codec(with_shape, raw && raw->boolean() && *raw->boolean());
}

constexpr ObjectEntry kObjectCodecs[] = {
    {"vlen-utf8", object_from_zarr<vlen_utf8_codec>},
    {"vlen-bytes", object_from_zarr<vlen_bytes_codec>},
    {"vlen-array",
     [](const Json& c, const DType&) { return vlen_array_codec(dtype_member(c, "dtype", DType{})); }},
    {"json2", json_from_zarr<true>},
    {"json", json_from_zarr<false>},
    {"msgpack2", msgpack_from_zarr<true>},
    {"msgpack", msgpack_from_zarr<false>},
    {"pickle", [](const Json&, const DType& dtype) { return pickle_codec(dtype); }},
    {"categorize",
     [](const Json& c, const DType& dtype) -> ObjectCodecPtr {
       if (dtype_member(c, "dtype", dtype).kind != Kind::json) return nullptr;
       return categorize_text_codec(labels_member(c), category_codes(c));
     }},
};

}  // namespace

CodecPtr make_zarr_codec(std::string_view id, const Json& configuration, const DType& dtype) {
  for (const CodecEntry& entry : kCodecs)
    if (entry.from_zarr && entry.id == id) return entry.from_zarr(configuration, dtype);
  throw undecodable("codec \"{}\"", id);
}

CodecPtr make_zarr_v3_codec(std::string_view name, const Json& configuration, const ArrayStage& stage) {
  constexpr std::string_view kPrefix = "numcodecs.";
  if (name.starts_with(kPrefix))
    return make_zarr_codec(name.substr(kPrefix.size()), configuration, stage.dtype);
  for (const V3Entry& entry : kV3Codecs)
    if (entry.name == name) return entry.make(configuration, stage);
  throw undecodable("codec \"{}\"", name);
}

ObjectCodecPtr make_zarr_object_codec(std::string_view id, const Json& configuration, const DType& dtype) {
  for (const ObjectEntry& entry : kObjectCodecs)
    if (entry.id == id) return entry.make(configuration, dtype);
  return nullptr;
}

CodecPtr make_hdf5_filter(unsigned number, std::span<const unsigned> client_data, uint64_t element_size) {
  for (const CodecEntry& entry : kCodecs)
    if (entry.from_hdf5 && entry.filter == number) return entry.from_hdf5(client_data, element_size);
  return nullptr;
}

Error unsupported_hdf5_filter(unsigned number) {
  const auto* const known = std::find_if(std::begin(kFilterNames), std::end(kFilterNames),
                                         [&](const FilterName& filter) { return filter.number == number; });
  std::string filter = fmt::format("HDF5 filter {}", number), help = "-o hdf5_plugins";
  if (known != std::end(kFilterNames)) {
    filter += fmt::format(" ({})", known->name);
    if (!known->package.empty()) help += fmt::format(" with Debian's package {}", known->package);
  }
  return undecodable("{} requires a plugin of libhdf5: {}", filter, help);
}

}  // namespace plainfs
