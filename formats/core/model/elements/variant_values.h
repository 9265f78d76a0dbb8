// The values of variants (variants.h), singly and as lists. In integers -1 is a missing value and -2 follows
// the end of a list. Reals use two NaNs of their width, texts "." and "" (vcf-zarr-spec, "Missing and fill
// values"). Unsigned integers have neither.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "formats/core/base/half.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/elements.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

enum class Given : uint8_t { value, missing, end };

// The bits of a missing real. The bits of the real that ends a list are one more.
template <class T>
constexpr auto kMissingBits = uint16_t{0x7c01};
template <>
inline constexpr auto kMissingBits<float> = uint32_t{0x7f800001};
template <>
inline constexpr auto kMissingBits<double> = uint64_t{0x7ff0000000000001};

template <class T>
constexpr Given given(T value) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      return value == -1 ? Given::missing : value == -2 ? Given::end : Given::value;
    else
      return Given::value;
  } else {
    using Bits = std::remove_const_t<decltype(kMissingBits<T>)>;
    const auto bits = std::bit_cast<Bits>(value);
    return bits == kMissingBits<T> ? Given::missing : bits == kMissingBits<T> + 1 ? Given::end : Given::value;
  }
}

// Numbers of a variant field. A sink has put(char), put(string_view) and put_number(number). Elements are not
// copied and must outlive this object.
template <class T>
class VariantNumbers {
 public:
  explicit VariantNumbers(const Elements& elements) : values_(elements.values<T>()) {}
  Given given(uint64_t i) const { return plainfs::given(values_[i]); }
  template <class Sink>
  void put(uint64_t i, Sink& sink) const {
    const T value = values_[i];
    if constexpr (std::is_integral_v<T>) {
      sink.put_number(value);
    } else {
      const auto as_real = plain_number(value);
      if (std::isnan(as_real))
        sink.put(std::string_view("nan"));
      else if (std::isinf(as_real))
        sink.put(std::string_view(as_real < 0 ? "-inf" : "inf"));
      else
        sink.put_number(value);
    }
  }

 private:
  const std::span<const T> values_;
};

class VariantTexts {
 public:
  explicit VariantTexts(const Elements& elements) : elements_(elements) {}
  Given given(uint64_t i) const {
    const std::string_view text = elements_.text(i);
    if (elements_.is_missing(i) || text == ".") return Given::missing;
    return text.empty() ? Given::end : Given::value;
  }
  // Throws damaged if the text is not UTF-8.
  template <class Sink>
  void put(uint64_t i, Sink& sink) const {
    check_utf8(elements_.text(i));
    sink.put(elements_.text(i));
  }

 private:
  const Elements& elements_;
};

// Calls visit(VariantNumbers or VariantTexts). Requires: a type of a VariantField, but not a truth value.
template <class Visit>
decltype(auto) visit_variant_values(const DType& type, const Elements& elements, Visit&& visit) {
  if (type.kind == Kind::text) return visit(VariantTexts(elements));
  return visit_number(
      type, [&](auto zero) -> decltype(auto) { return visit(VariantNumbers<decltype(zero)>(elements)); });
}

struct VariantList {
  uint64_t count;   // up to the end marker
  bool is_missing;  // all are missing, or the list is empty
};
// Returns elements [first, first + most) as a list.
template <class Values>
VariantList list_at(const Values& values, uint64_t first, uint64_t most) {
  VariantList list{0, true};
  for (; list.count < most; ++list.count) {
    const Given is = values.given(first + list.count);
    if (is == Given::end) break;
    list.is_missing = list.is_missing && is == Given::missing;
  }
  return list;
}

// Appends values joined with commas, a missing value as a dot.
template <class Values, class Sink>
void put_list(const Values& values, uint64_t first, uint64_t count, Sink& sink) {
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) sink.put(',');
    if (values.given(first + i) == Given::value)
      values.put(first + i, sink);
    else
      sink.put('.');
  }
}

}  // namespace plainfs
