#include "formats/schemas/h5seurat/r_array.h"

#include <limits>
#include <utility>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/r_missing.h"

namespace plainfs::h5seurat {
namespace {

// Marks values[i] if is_missing(values[i]). Without any missing value the list of marks stays empty.
template <class T, class Rule>
void mark(Elements& elements, Rule&& is_missing) {
  const auto values = elements.values<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_missing(values[i])) continue;
    if (elements.missing.empty()) elements.missing.resize(elements.count);
    elements.missing[i] = 1;
  }
}

void mark_logicals(const DType& dtype, Elements& elements) {
  visit_number(dtype, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>) {
      mark<T>(elements, [](T value) { return value == 2 || std::cmp_equal(value, kRMissingInteger); });
    }
  });
}

void mark_missing(const DType& dtype, Elements& elements) {
  switch (layout_of(dtype)) {
    case Layout::flat:
      if (dtype.kind == Kind::logical) return mark_logicals(dtype, elements);
      if (dtype.kind == Kind::integer && dtype.size == 4)
        return mark<int32_t>(elements, [](int32_t value) { return value == kRMissingInteger; });
      if (dtype.kind == Kind::integer && dtype.size == 8)
        return mark<int64_t>(elements,
                             [](int64_t value) { return value == std::numeric_limits<int64_t>::min(); });
      if (dtype.kind == Kind::real && dtype.size == 8)
        return mark<double>(elements, [](double value) { return is_r_missing(value); });
      return;
    case Layout::compound:
      for (size_t field = 0; field < dtype.fields.size(); ++field)
        mark_missing(dtype.fields[field].type, elements.children[field]);
      return;
    case Layout::array:
    case Layout::sequence:
      return mark_missing(*dtype.item, elements.children[0]);
    case Layout::heap:
      return;
  }
}

DType as_logical_type(DType dtype) {
  dtype.base = dtype.kind;
  dtype.kind = Kind::logical;
  return dtype;
}

DType r_type(DType dtype, const Logicals& logicals) {
  if (logicals.itself && dtype.is_integer()) return as_logical_type(std::move(dtype));
  for (Field& field : dtype.fields)
    if (logicals.members.contains(field.name) && field.type.is_integer())
      field.type = as_logical_type(std::move(field.type));
  return dtype;
}

}  // namespace

ArrayPtr r_array(ArrayPtr values, const Logicals& logicals) {
  DType dtype = r_type(values->dtype(), logicals);
  return mapped(as_column_major(std::move(values)), dtype, [dtype](Elements elements, const Box&) {
    mark_missing(dtype, elements);
    return elements;
  });
}

}  // namespace plainfs::h5seurat
