// Members of a codec's JSON configuration, each with the default that numcodecs gives it. A member that is
// there and of another kind is damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/codecs/makers.h"
#include "formats/core/model/dtype.h"
#include "formats/core/text/json.h"

namespace plainfs {

uint64_t size_member(const Json& configuration, std::string_view name, uint64_t fallback);
// Any number; Requires a finite one.
double number_member(const Json& configuration, std::string_view name, double fallback);
std::string text_member(const Json& configuration, std::string_view name, std::string_view fallback);
// "location": "start" or "end".
ChecksumPlace place_member(const Json& configuration, ChecksumPlace fallback);
// A numpy dtype as text; fallback where it is absent or null.
DType dtype_member(const Json& configuration, std::string_view name, const DType& fallback);

// Whole configurations, each as numcodecs (or, for the last, zarr-extensions) has it.

LzmaConfiguration lzma_configuration(const Json& configuration);
// "labels": a list of texts.
std::vector<std::string> labels_member(const Json& configuration);
CodecPtr jenkins_lookup3_from(const Json& configuration);
CodecPtr packbits_v3_from(const Json& configuration, const DType& type);

// Numbers in the configurations of Zarr v3 codecs, written as fill values are: exact integers, reals as
// numbers, "NaN", "Infinity", "-Infinity" or the bits as "0x7fc00000" (Zarr v3 specification, data types).

__extension__ typedef __int128 Int128;  // holds every integer of 64 bits, signed or not

// A number of any type: exact where it is an integer.
struct Scalar {
  bool is_integer = true;
  Int128 integer = 0;
  double real = 0;
};

// type: a number or a boolean. Throws damaged where value is no such number.
Scalar parse_v3_scalar(const Json& value, const DType& type);

// "uint8", "float64" … as text or as {"name": "uint8"}; little-endian. Throws unsupported for other types.
DType parse_v3_number_type(const Json& value);

// One little-endian number at `at`, and back. Requires for store: value fits type.
Scalar load_scalar(const std::byte* at, const DType& type);
void store_scalar(const Scalar& value, const DType& type, std::byte* at);

// Whether an integer value fits an integer type.
bool fits(Int128 value, const DType& type);

}  // namespace plainfs
