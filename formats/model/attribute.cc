#include "formats/model/attribute.h"

namespace plainfs {

const Json* find_attribute(const Attributes& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes) {
    if (attribute.name != name) continue;
    if (attribute.error) throw *attribute.error;
    return &attribute.value;
  }
  return nullptr;
}

}  // namespace plainfs
