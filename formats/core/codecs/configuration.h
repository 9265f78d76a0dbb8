// Members of a codec's JSON configuration, each with the default that numcodecs gives it. A member that is
// there and of another kind is damage.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/codecs/makers.h"
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

}  // namespace plainfs
