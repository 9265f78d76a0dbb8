#include "formats/codecs/configuration.h"

#include <cmath>

#include "formats/codecs/numpy_dtype.h"

namespace plainfs {
namespace {

// The member, or null where it is absent or JSON's null.
const Json* member(const Json& configuration, std::string_view name) {
  const Json* value = configuration.find(name);
  return value && !value->is_null() ? value : nullptr;
}

[[noreturn]] void wrong(std::string_view name, const Json& value) {
  throw damaged("codec member \"{}\" is {}", name, to_json_text(value));
}

}  // namespace

uint64_t size_member(const Json& configuration, std::string_view name, uint64_t fallback) {
  const Json* value = member(configuration, name);
  if (!value) return fallback;
  const auto number = value->as_uint64();
  if (!number) wrong(name, *value);
  return *number;
}

double number_member(const Json& configuration, std::string_view name, double fallback) {
  const Json* value = member(configuration, name);
  if (!value) return fallback;
  const auto number = value->as_double();
  if (!number || !std::isfinite(*number)) wrong(name, *value);
  return *number;
}

std::string text_member(const Json& configuration, std::string_view name, std::string_view fallback) {
  const Json* value = member(configuration, name);
  if (!value) return std::string(fallback);
  if (!value->text()) wrong(name, *value);
  return *value->text();
}

ChecksumPlace place_member(const Json& configuration, ChecksumPlace fallback) {
  const Json* value = member(configuration, "location");
  if (!value) return fallback;
  if (value->text() && *value->text() == "start") return ChecksumPlace::start;
  if (value->text() && *value->text() == "end") return ChecksumPlace::end;
  wrong("location", *value);
}

DType dtype_member(const Json& configuration, std::string_view name, const DType& fallback) {
  const Json* value = member(configuration, name);
  if (!value) return fallback;
  if (!value->text()) wrong(name, *value);
  return parse_numpy_dtype(*value->text());
}

}  // namespace plainfs
