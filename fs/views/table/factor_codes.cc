#include "fs/views/table/factor_codes.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/text_segments.h"

namespace plainfs {

namespace {

class RCodes : public Segment {
 public:
  explicit RCodes(const NativeFactor& factor) : factor_(factor.parts), levels_(factor.levels.size()) {}

  uint64_t size() const override { return checked_multiply(factor_.codes->count(), 4); }

  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset / 4;
    const uint64_t count = divide_up(wanted.offset + wanted.out.size(), 4) - first;
    const std::vector<uint64_t> places =
        level_places(factor_, read_run(*factor_.codes, first, count), levels_);
    read_elements(wanted, 4, [&](uint64_t from, uint64_t some, std::byte* out) {
      for (uint64_t i = 0; i < some; ++i) {
        const uint64_t place = places[from - first + i];
        const uint32_t code = __builtin_bswap32(place == kNoLevel ? static_cast<uint32_t>(kRMissingInteger)
                                                                  : static_cast<uint32_t>(place) + 1);
        std::memcpy(out + i * 4, &code, 4);
      }
    });
  }

 private:
  const FactorParts factor_;
  const uint64_t levels_;
};

}  // namespace

std::optional<NativeFactor> native_factor(const Array& array) {
  std::optional<FactorParts> parts = factor_parts(array);
  if (!parts) return std::nullopt;
  std::vector<std::string> levels;
  std::unordered_set<std::string> distinct;
  bool fit = parts->levels->count() <= INT32_MAX;
  if (fit) {
    for_each_text(*parts->levels, 0, parts->levels->count(), [&](std::string_view text, bool is_missing) {
      fit &= !is_missing && distinct.emplace(text).second;
      levels.emplace_back(text);
    });
  }
  if (!fit) return std::nullopt;
  return NativeFactor{*std::move(parts), std::move(levels)};
}

SegmentPtr r_codes(const NativeFactor& factor) {
  return std::make_shared<RCodes>(factor);
}

ArrayPtr anndata_codes(const NativeFactor& factor) {
  const auto number = [parts = factor.parts, levels = factor.levels.size()](const Elements& codes,
                                                                            const Box&) {
    const std::vector<uint64_t> places = level_places(parts, codes, levels);
    Elements numbered = zero_elements(number_type(Kind::integer, 4), places.size());
    std::transform(places.begin(), places.end(), numbered.mutable_values<int32_t>().begin(),
                   [](uint64_t place) { return place == kNoLevel ? -1 : static_cast<int32_t>(place); });
    return numbered;
  };
  return mapped(factor.parts.codes, number_type(Kind::integer, 4), number);
}

}  // namespace plainfs
