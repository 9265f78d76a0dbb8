#include "formats/schemas/takane/scalars.h"

#include "formats/schemas/takane/checks.h"
#include "formats/schemas/takane/text_columns.h"

namespace plainfs::takane {

std::optional<std::string> scalar_text(const ArrayPtr& array) {
  if (!array || array->is_null() || array->count() != 1 || !array->dtype().is_text()) return std::nullopt;
  const ArrayPtr text = nul_terminated(array);
  const Elements value = read_all(*text);
  return std::string(text_of(text->dtype(), value, 0));
}

uint64_t scalar_number(const ArrayPtr& array, const char* what) {
  if (array && !array->is_null() && array->count() == 1 &&
      (array->dtype().is_integer() || array->dtype().kind == Kind::boolean)) {
    const Elements value = read_all(*array);
    const auto number = visit_number(array->dtype(), [&](auto example) -> std::optional<uint64_t> {
      using T = decltype(example);
      if constexpr (std::is_integral_v<T>)
        if (value.values<T>()[0] >= 0) return static_cast<uint64_t>(value.values<T>()[0]);
      return std::nullopt;
    });
    if (number) return *number;
  }
  throw damaged("{} is a whole number", what);
}

}  // namespace plainfs::takane
