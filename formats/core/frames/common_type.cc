#include "formats/core/frames/common_type.h"

#include <algorithm>

#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs {
DType common_type(const std::vector<DType>& types) {
  const auto all = [&](auto&& is) { return std::all_of(types.begin(), types.end(), is); };
  if (all([](const DType& type) { return type.is_text(); })) return text_type();
  if (all([](const DType& type) { return type.is_truth(); })) return number_type(Kind::boolean, 1);
  if (!all([](const DType& type) { return type.is_numeric(); }))
    throw unsupported("combining {} with {}", types.front().name(), types.back().name());
  // Numbers beyond a signed 64-bit integer become reals: takane has no numbers beyond 52 bits.
  const bool whole = all([](const DType& type) {
    return type.is_truth() || type.kind == Kind::integer ||
           (type.kind == Kind::unsigned_integer && type.size < 8);
  });
  return number_type(whole ? Kind::integer : Kind::real, 8);
}

namespace {

// Returns the bytes of the reals that hold all integers of a type, in NumPy's judgement.
uint32_t bytes_as_real(const DType& type) {
  if (type.kind == Kind::real) return type.size;
  if (type.is_truth()) return 2;
  return std::min<uint32_t>(8, 2 * type.size);
}

// Returns the common type of two.
DType promoted(const DType& a, const DType& b) {
  if (a.is_truth() && b.is_truth()) return number_type(Kind::boolean, 1);
  if (a.kind == Kind::real || b.kind == Kind::real)
    return number_type(Kind::real, std::max(bytes_as_real(a), bytes_as_real(b)));
  if (a.is_truth()) return number_type(b.kind, b.size);
  if (b.is_truth()) return number_type(a.kind, a.size);
  if (a.kind == b.kind) return number_type(a.kind, std::max(a.size, b.size));
  const DType& without_sign = a.kind == Kind::unsigned_integer ? a : b;
  const DType& with_sign = a.kind == Kind::unsigned_integer ? b : a;
  if (without_sign.size < with_sign.size) return number_type(Kind::integer, with_sign.size);
  if (without_sign.size == 8) return number_type(Kind::real, 8);
  return number_type(Kind::integer, 2 * without_sign.size);
}

}  // namespace

DType promoted_type(const std::vector<DType>& types) {
  DType common = types.front().is_truth() ? number_type(Kind::boolean, 1)
                                          : number_type(types.front().kind, types.front().size);
  for (const DType& type : types) common = promoted(common, type);
  return common;
}

Elements as_type(const DType& from, Elements elements, const DType& to) {
  if (from == to) return elements;
  Elements result = zero_elements(to, elements.count);
  visit_number(from, [&](auto stored) {
    visit_number(to, [&](auto wanted) {
      using From = decltype(stored);
      using To = decltype(wanted);
      const std::span<const From> values = elements.values<From>();
      const std::span<To> numbers = result.mutable_values<To>();
      for (size_t i = 0; i < values.size(); ++i)
        numbers[i] = from.is_truth() ? number_cast<To>(number_cast<double>(values[i]) != 0 ? 1.0 : 0.0)
                                     : number_cast<To>(values[i]);
    });
  });
  result.missing = std::move(elements.missing);
  return result;
}

ArrayPtr with_type(ArrayPtr values, const DType& to) {
  if (values->dtype() == to) return values;
  if (to.is_text()) return frames::as_written(std::move(values));
  const DType from = values->dtype();
  return mapped(std::move(values), to,
                [from, to](Elements elements, const Box&) { return as_type(from, std::move(elements), to); });
}

}  // namespace plainfs
