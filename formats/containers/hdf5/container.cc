#include "formats/containers/hdf5/container.h"

#include <algorithm>

#include "formats/containers/hdf5/attributes.h"
#include "formats/containers/hdf5/nodes.h"
#include "formats/containers/hdf5/object_header.h"
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
  constexpr uint64_t kMax = 512;
  const auto* stored = dynamic_cast<const StoredObject*>(&group);
  if (!stored) return {};
  return stored->file().bytes().read_at(0, std::min(stored->file().layout().base_address, kMax));
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

bool can_grow(const Array& array) {
  constexpr unsigned kIsShared = 2, kHasMaximum = 1;
  const auto* const stored = dynamic_cast<const StoredObject*>(&array);
  if (!stored) return false;
  const FileLayout& layout = stored->file().layout();
  bool grows = false;
  for_each_message(stored->file().bytes(), layout, stored->address(), [&](const HeaderMessage& message) {
    if (message.type != kDataspaceMessage) return true;
    if (message.flags & kIsShared) return false;
    Cursor cursor(message.data);
    const unsigned version = cursor.byte(), rank = cursor.byte(), flags = cursor.byte();
    if (rank == 0 || !(flags & kHasMaximum)) return false;
    cursor.skip(version == 1 ? 5 : 1);
    cursor.skip(size_t{rank} * layout.length_size);
    const ByteSpan maximum = cursor.bytes(layout.length_size);
    grows =
        std::all_of(maximum.begin(), maximum.end(), [](std::byte each) { return each == std::byte{0xff}; });
    return false;
  });
  return grows;
}

bool is_bit_field(const Array& array) {
  const auto* stored = dynamic_cast<const StoredObject*>(&array);
  return stored && stored->is_bit_field();
}

}  // namespace plainfs::hdf5
