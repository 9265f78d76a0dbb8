#include "formats/containers/hdf5/attributes.h"

#include <string>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/element_text.h"

namespace plainfs::hdf5 {
namespace {

// An attribute without a value.
class NullAttribute : public Array {
 public:
  explicit NullAttribute(DType dtype) : Array(std::move(dtype), {0}) {}
  Elements read(const Box&) const override { return zero_elements(dtype(), 0); }
  bool is_null() const override { return true; }
};

// Limits the number of lists in an attribute's JSON. Empty lists need no elements, so a shape may have any
// number of them.
void check_list_count(const Shape& shape) {
  constexpr uint64_t kMostLists = 1 << 20;
  uint64_t lists = 1;
  for (const uint64_t length : shape) {
    if (length == 0 && lists > kMostLists) throw unsupported("{} empty lists", lists);
    lists = checked_multiply(lists, length);
  }
}

Json to_json(StoredAttribute& attribute, const Pointees& pointees) {
  const StoredExtent& extent = attribute.extent;
  if (extent.is_null) return nullptr;
  check_list_count(extent.shape);
  Elements elements = decode(extent.type, std::move(attribute.stored), element_count(extent.shape), pointees);
  if (extent.shape.empty()) return json_of(extent.type.dtype, elements, 0);
  Elements list;
  list.count = 1;
  list.children.push_back(std::move(elements));
  return json_of(array_type(extent.type.dtype, extent.shape), list, 0);
}

Attributes decoded_attributes(const SourceFile& file, std::vector<StoredAttribute> stored) {
  const Pointees pointees = file.attribute_pointees();
  Attributes attributes;
  for (StoredAttribute& attribute : stored) {
    if (attribute.error) {
      attributes.push_back({attribute.name, {}, attribute.error});
      continue;
    }
    try {
      auto type = std::make_shared<const DType>(attribute.extent.type.dtype);
      attributes.push_back({attribute.name, to_json(attribute, pointees), {}, std::move(type)});
    } catch (const Error& error) {
      attributes.push_back({attribute.name, {}, error});
    }
  }
  return attributes;
}

}  // namespace

Attributes read_attributes(const SourceFile& file, uint64_t object_address) {
  if (const std::shared_ptr<const Attributes> kept = file.kept_attributes().find(object_address)) {
    file.bytes().check_unchanged_lately();
    return *kept;
  }
  const Attributes attributes = decoded_attributes(file, file.library().attributes(object_address));
  file.kept_attributes().keep(object_address, attributes);
  return attributes;
}

ArrayPtr read_attribute(const SourceFile& file, uint64_t object_address, const std::string& name) {
  std::optional<StoredAttribute> stored = file.library().attribute(object_address, name);
  if (!stored) return nullptr;
  const StoredExtent& extent = stored->extent;
  if (extent.is_null) return std::make_shared<NullAttribute>(extent.type.dtype);
  Elements elements =
      decode(extent.type, std::move(stored->stored), element_count(extent.shape), file.attribute_pointees());
  return std::make_shared<MemoryArray>(extent.type.dtype, extent.shape, std::move(elements));
}

}  // namespace plainfs::hdf5
