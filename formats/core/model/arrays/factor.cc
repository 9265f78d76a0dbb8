#include "formats/core/model/arrays/factor.h"

#include <atomic>
#include <cstring>
#include <type_traits>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs {

namespace {

// All levels are in memory at once, and a file may claim more than it contains.
constexpr uint64_t kMaxLevels = uint64_t{1} << 27;

Elements levels_as_text(const Array& levels) {
  if (levels.count() > kMaxLevels) throw unsupported("{} levels, more than {}", levels.count(), kMaxLevels);
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

// Returns the index of a code's level; kNoLevel if it has none.
template <class T>
uint64_t level_of(T code, int64_t base, uint64_t levels) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (code > static_cast<uint64_t>(INT64_MAX)) return kNoLevel;
  }
  int64_t level;
  if (__builtin_sub_overflow(static_cast<int64_t>(code), base, &level) || level < 0) return kNoLevel;
  return static_cast<uint64_t>(level) < levels ? static_cast<uint64_t>(level) : kNoLevel;
}

// Logs a warning about the first code that it is called with.
std::function<void(const std::string& code, uint64_t levels)> warning_once(std::string place,
                                                                           Context& context) {
  auto is_logged = std::make_shared<std::atomic<bool>>(false);  // the thread that sets it logs the warning
  return [is_logged, place = std::move(place), &context](const std::string& code, uint64_t levels) {
    if (is_logged->exchange(true)) return;
    context.warn(
        fmt::format("{}: code {} is not below {}, the number of levels; shown as NA", place, code, levels));
  };
}

class FactorArray : public DerivedArray {
 public:
  FactorArray(FactorParts parts, Context& context)
      : DerivedArray(parts.codes, text_type()),
        parts_(std::move(parts)),
        context_(context),
        cache_owner_(context.cache.new_owner()) {}

  void check() const override {
    DerivedArray::check();
    parts_.levels->check();
    check_codes_type();
  }
  const FactorParts& parts() const { return parts_; }

 private:
  Elements derived(Elements codes, const Box& box) const override;
  const DType& codes_type() const { return values().dtype(); }
  void check_codes_type() const;

  const FactorParts parts_;
  Context& context_;
  const uint64_t cache_owner_;
};

void FactorArray::check_codes_type() const {
  visit_number(codes_type(), [&](auto zero) {
    if constexpr (!std::is_integral_v<decltype(zero)>) {
      throw unsupported("factor codes of type {}", codes_type().name());
    }
  });
}

Elements FactorArray::derived(Elements codes, const Box&) const {
  check_codes_type();
  const auto levels =
      context_.cache.get<Elements>({cache_owner_, 0}, [&] { return levels_as_text(*parts_.levels); });
  const std::vector<uint64_t> places = level_places(parts_, codes, levels->count);

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
                bool is_ordered) {
  return factor_of(
      {std::move(codes), std::move(levels), base, is_ordered, warning_once(std::move(place), context)},
      context);
}

ArrayPtr factor_of(FactorParts parts, Context& context) {
  return std::make_shared<FactorArray>(std::move(parts), context);
}

std::optional<FactorParts> factor_parts(const Array& array) {
  const FactorParts* const parts = unchecked_factor_parts(array);
  if (!parts) return std::nullopt;
  array.check();
  return *parts;
}

const FactorParts* unchecked_factor_parts(const Array& array) {
  const auto* factor = dynamic_cast<const FactorArray*>(&without_rule(array));
  return factor ? &factor->parts() : nullptr;
}

Elements level_texts(const FactorParts& factor) {
  return levels_as_text(*factor.levels);
}

std::vector<uint64_t> level_places(const FactorParts& factor, const Elements& codes, uint64_t levels) {
  std::vector<uint64_t> places(codes.count, kNoLevel);
  visit_number(factor.codes->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto values = codes.values<T>();
      for (uint64_t i = 0; i < codes.count; ++i) {
        if (codes.is_missing(i)) continue;
        places[i] = level_of(values[i], factor.base, levels);
        if (places[i] == kNoLevel) factor.on_stray(std::to_string(values[i]), levels);
      }
    }
  });
  return places;
}

}  // namespace plainfs
