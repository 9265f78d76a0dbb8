#include "formats/core/model/shown_attributes.h"

#include "formats/core/text/printable.h"

namespace plainfs {
namespace {

Error at_name(const Error& error, std::string_view name) {
  return error.at(fmt::format("attribute {}", name));
}

// Returns why JSON cannot represent the attribute, or nullopt. Throws a transient error.
std::optional<Error> fault_of(const Attribute& attribute) {
  if (attribute.error) {
    if (is_transient(*attribute.error)) throw at_name(*attribute.error, attribute.name);
    return attribute.error;
  }
  try {
    check_utf8(attribute.value);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace

Json shown_value(const Attribute& attribute) {
  const std::optional<Error> fault = fault_of(attribute);
  return fault ? Json(Json::Object{{"error", Json(printable(fault->what()))}}) : attribute.value;
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
      if (const auto fault = fault_of(attribute)) faults.push_back(at_name(*fault, attribute.name));
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    faults.push_back(error);
  }
  return faults;
}

}  // namespace plainfs
