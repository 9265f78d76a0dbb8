// Members of a codec's JSON configuration, with the defaults of numcodecs. A member of the wrong kind is
// damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/base/int128.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/text/json.h"

namespace plainfs {

uint64_t size_member(const Json& configuration, std::string_view name, uint64_t fallback);
// Returns any finite number.
double number_member(const Json& configuration, std::string_view name, double fallback);
std::string text_member(const Json& configuration, std::string_view name, std::string_view fallback);
// Reads "location": "start" or "end".
ChecksumPlace place_member(const Json& configuration, ChecksumPlace fallback);
// Reads a numpy dtype as text; `fallback` if it is absent or null.
DType dtype_member(const Json& configuration, std::string_view name, const DType& fallback);

// Complete configurations as in numcodecs (the last one as in zarr-extensions).

LzmaConfiguration lzma_configuration(const Json& configuration);
// Reads "labels": a list of texts.
std::vector<std::string> labels_member(const Json& configuration);
CodecPtr jenkins_lookup3_from(const Json& configuration);
CodecPtr packbits_v3_from(const Json& configuration, const DType& type);

// Numbers in the configurations of Zarr v3 codecs, written like fill values: exact integers, reals as
// numbers, "NaN", "Infinity", "-Infinity" or the bits as "0x7fc00000" (Zarr v3 specification, data types).

// A number of any type. Integers are exact.
struct Scalar {
  bool is_integer = true;
  Int128 integer = 0;
  double real = 0;
};

// Parses a number. type: a number or a boolean. Throws damaged if `value` is not a number of that type.
Scalar parse_v3_scalar(const Json& value, const DType& type);

// Parses "uint8", "float64" …, as text or as {"name": "uint8"}; little-endian. Throws unsupported for other
// types.
DType parse_v3_number_type(const Json& value);

// Load and store one little-endian number at `at`. Store requires that the value fits the type.
Scalar load_scalar(const std::byte* at, const DType& type);
void store_scalar(const Scalar& value, const DType& type, std::byte* at);

// Returns whether an integer value fits an integer type.
bool fits(Int128 value, const DType& type);

}  // namespace plainfs
