#include "formats/containers/hdf5/container.h"

#include <algorithm>

#include "formats/containers/hdf5/attributes.h"
#include "formats/containers/hdf5/nodes.h"
#include "formats/containers/hdf5/source_file.h"
#include "formats/containers/hdf5/superblock.h"

namespace plainfs::hdf5 {
namespace {

template <class Object>
ArrayPtr attribute_of(const Object& object, const std::string& name) {
  const auto* stored = dynamic_cast<const StoredObject*>(&object);
  return stored ? read_attribute(stored->file(), stored->address(), name) : nullptr;
}

}  // namespace

bool recognises(const Probe& probe) {
  return place_of_superblock(probe).has_value();
}

Store open(const Probe& probe, Context& context) {
  const auto file = std::make_shared<SourceFile>(probe.location(), context);
  Store store;
  store.path = probe.location();
  store.format = "HDF5";
  store.version = fmt::format("superblock {}", file->library().superblock_version());
  store.root.parts = root_group(file);
  store.details.emplace_back("libhdf5", Json(library_version()));
  return store;
}

GroupPtr open_group(const std::string& location, Context& context) {
  return root_group(std::make_shared<SourceFile>(location, context));
}

Bytes user_block(const Group& group) {
  constexpr uint64_t kMost = 512;
  const auto* stored = dynamic_cast<const StoredObject*>(&group);
  if (!stored) return {};
  return stored->file().bytes().read_at(0, std::min(stored->file().layout().base_address, kMost));
}

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

bool is_bit_field(const Array& array) {
  const auto* stored = dynamic_cast<const StoredObject*>(&array);
  return stored && stored->is_bit_field();
}

}  // namespace plainfs::hdf5
