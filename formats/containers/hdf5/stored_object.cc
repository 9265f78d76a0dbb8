#include "formats/containers/hdf5/stored_object.h"

#include "formats/containers/hdf5/attributes.h"
#include "formats/containers/hdf5/container.h"

namespace plainfs::hdf5 {
namespace {

template <class Object>
ArrayPtr attribute_of(const Object& object, const std::string& name) {
  const auto* stored = dynamic_cast<const StoredObject*>(&object);
  return stored ? read_attribute(stored->file(), stored->address(), name) : nullptr;
}

}  // namespace

ArrayPtr attribute(const Group& group, const std::string& name) {
  return attribute_of(group, name);
}
ArrayPtr attribute(const Array& array, const std::string& name) {
  return attribute_of(array, name);
}

std::optional<uint64_t> first_null_string(const Array& array) {
  const auto* stored = dynamic_cast<const StoredObject*>(&array);
  return stored ? stored->first_null_string() : std::nullopt;
}

}  // namespace plainfs::hdf5
