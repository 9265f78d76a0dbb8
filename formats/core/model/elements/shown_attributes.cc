#include "formats/core/model/elements/shown_attributes.h"

#include "formats/core/text/printable.h"

namespace plainfs {
namespace {

Error at_name(const Error& error, std::string_view name) {
  return error.at(fmt::format("attribute {}", name));
}

// Returns the value, or why JSON cannot represent it. Throws a transient error.
std::variant<Json, Error> value_or_fault(const Attribute& attribute) {
  try {
    Json value = attribute.unpacked();
    check_utf8(value);
    return value;
  } catch (const Error& error) {
    if (is_transient(error)) throw at_name(error, attribute.name);
    return error;
  }
}

}  // namespace

Json shown_value(const Attribute& attribute) {
  std::variant<Json, Error> value = value_or_fault(attribute);
  if (const Error* const fault = std::get_if<Error>(&value))
    return Json::Object{{"error", Json(printable(fault->what()))}};
  return std::get<Json>(std::move(value));
}

Attributes attributes_or_error(const std::function<Attributes()>& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return {{"error", Json(printable(error.what()))}};
  }
}

std::vector<Error> faults_of_attributes(const std::function<Attributes()>& read) {
  std::vector<Error> faults;
  try {
    for (const Attribute& attribute : read())
      if (const auto value = value_or_fault(attribute); const Error* fault = std::get_if<Error>(&value))
        faults.push_back(at_name(*fault, attribute.name));
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    faults.push_back(error);
  }
  return faults;
}

}  // namespace plainfs
