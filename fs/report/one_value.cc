#include "fs/report/one_value.h"

#include <fmt/format.h>

#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/printable.h"

namespace plainfs {
namespace {

constexpr size_t kMaxShownValue = 60;  // bytes

}  // namespace

std::optional<std::string> one_value(const Content& content, size_t most) {
  const auto* const array = std::get_if<LabelledArray>(&content);
  if (!array) return std::nullopt;
  const Array& values = array->labels ? *array->labels : *array->values;
  if (values.count() != 1 || values.dtype().kind == Kind::compound) return std::nullopt;
  const Elements elements = values.peek(whole(values.shape()));
  if (elements.is_missing(0)) return "NA";
  const std::string text = plain_text(values.dtype(), elements, 0);
  if (text.size() > most) return std::nullopt;
  return printable(text);
}

std::optional<std::string> one_value_text(const Content& content) try {
  std::optional<std::string> value = one_value(content, kMaxShownValue);
  if (!value) return std::nullopt;
  const DType& type = std::get<LabelledArray>(content).values->dtype();
  const bool is_quoted = type.is_text() && *value != "NA";
  return fmt::format("{0}{1}{0} ({2})", is_quoted ? "\"" : "", *value, type.name());
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace plainfs
