#include "formats/core/model/factor.h"

#include <atomic>
#include <cstring>
#include <type_traits>

#include "formats/core/model/derived_array.h"
#include "formats/core/model/element_text.h"

namespace plainfs {

namespace {

// All are in memory at once, and a file may say that it has more than it holds.
constexpr uint64_t kMostLevels = uint64_t{1} << 27;

Elements levels_as_text(const Array& levels) {
  if (levels.count() > kMostLevels)
    throw unsupported("{} levels are more than {}", levels.count(), kMostLevels);
  Elements elements = read_all(levels);
  if (levels.dtype().kind == Kind::text) return elements;
  TextBuilder labels(elements.count);
  std::string label;
  for (uint64_t i = 0; i < elements.count; ++i) {
    if (elements.is_missing(i)) {
      labels.add_missing();
    } else {
      label.clear();
      append_plain(levels.dtype(), elements, i, label);
      labels.add(label);
    }
  }
  return labels.finish();
}

// The place of a code among the levels; kNoLevel where it has none.
template <class T>
uint64_t level_of(T code, int64_t base, uint64_t levels) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (code > static_cast<uint64_t>(INT64_MAX)) return kNoLevel;
  }
  int64_t level;
  if (__builtin_sub_overflow(static_cast<int64_t>(code), base, &level) || level < 0) return kNoLevel;
  return static_cast<uint64_t>(level) < levels ? static_cast<uint64_t>(level) : kNoLevel;
}

class FactorArray : public DerivedArray {
 public:
  FactorArray(ArrayPtr codes, ArrayPtr levels, int64_t base, std::string place, Context& context,
              StrayCode stray, bool is_ordered)
      : DerivedArray(codes, text_type()),
        codes_(std::move(codes)),
        levels_(std::move(levels)),
        base_(base),
        is_ordered_(is_ordered),
        place_(std::move(place)),
        context_(context),
        stray_(stray),
        cache_owner_(context.cache.new_owner()) {}

  void check() const override {
    DerivedArray::check();
    levels_->check();
    check_codes_type();
  }
  FactorParts parts() const { return {codes_, levels_, base_, is_ordered_}; }

 private:
  Elements derived(Elements codes, const Box& box) const override;
  const DType& codes_type() const { return values().dtype(); }
  void check_codes_type() const;
  std::vector<uint64_t> places_of(const Elements& codes, uint64_t levels) const;
  void tell_once(const std::string& code, uint64_t levels) const;

  const ArrayPtr codes_;
  ArrayPtr levels_;
  const int64_t base_;
  const bool is_ordered_;
  const std::string place_;
  Context& context_;
  const StrayCode stray_;
  const uint64_t cache_owner_;
  mutable std::atomic<bool> told_{false};  // whoever sets it tells
};

void FactorArray::check_codes_type() const {
  visit_number(codes_type(), [&](auto zero) {
    if constexpr (!std::is_integral_v<decltype(zero)>) {
      throw unsupported("factor codes of type {}", codes_type().name());
    }
  });
}

void FactorArray::tell_once(const std::string& code, uint64_t levels) const {
  if (told_.exchange(true)) return;
  const std::string message =
      fmt::format("{}: code {} is none of the {} levels; shown as NA", place_, code, levels);
  if (stray_ == StrayCode::broken_rule)
    context_.warn(message);
  else
    context_.notice(message);
}

// Where each code's level stands, kNoLevel for those that are missing.
std::vector<uint64_t> FactorArray::places_of(const Elements& codes, uint64_t levels) const {
  std::vector<uint64_t> places(codes.count, kNoLevel);
  visit_number(codes_type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto values = codes.values<T>();
      for (uint64_t i = 0; i < codes.count; ++i) {
        if (codes.is_missing(i)) continue;
        places[i] = level_of(values[i], base_, levels);
        if (places[i] == kNoLevel) tell_once(std::to_string(values[i]), levels);
      }
    }
  });
  return places;
}

Elements FactorArray::derived(Elements codes, const Box&) const {
  check_codes_type();
  const auto levels =
      context_.cache.get<Elements>({cache_owner_, 0}, [&] { return levels_as_text(*levels_); });
  const std::vector<uint64_t> places = places_of(codes, levels->count);

  Elements labels = zero_elements(text_type(), codes.count);
  uint64_t end = 0;
  for (uint64_t i = 0; i < codes.count; ++i) {
    if (places[i] == kNoLevel || levels->is_missing(places[i])) {
      if (labels.missing.empty()) labels.missing.resize(codes.count);
      labels.missing[i] = 1;
    } else {
      end += levels->text(places[i]).size();
    }
    labels.offsets[i + 1] = end;
  }
  labels.bytes.resize(end);
  for (uint64_t i = 0; i < codes.count; ++i) {
    const uint64_t length = labels.offsets[i + 1] - labels.offsets[i];
    if (length > 0) {
      std::memcpy(labels.bytes.data() + labels.offsets[i], levels->text(places[i]).data(), length);
    }
  }
  return labels;
}

}  // namespace

ArrayPtr factor(ArrayPtr codes, ArrayPtr levels, int64_t base, std::string place, Context& context,
                StrayCode stray, bool is_ordered) {
  return std::make_shared<FactorArray>(std::move(codes), std::move(levels), base, std::move(place), context,
                                       stray, is_ordered);
}

std::optional<FactorParts> factor_parts(const Array& array) {
  const auto* factor = dynamic_cast<const FactorArray*>(&without_rule(array));
  if (!factor) return std::nullopt;
  array.check();
  return factor->parts();
}

std::vector<uint64_t> level_places(const FactorParts& factor, const Elements& codes, uint64_t levels) {
  std::vector<uint64_t> places(codes.count, kNoLevel);
  visit_number(factor.codes->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto values = codes.values<T>();
      for (uint64_t i = 0; i < codes.count; ++i)
        if (!codes.is_missing(i)) places[i] = level_of(values[i], factor.base, levels);
    }
  });
  return places;
}

}  // namespace plainfs
