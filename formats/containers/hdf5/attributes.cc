#include "formats/containers/hdf5/attributes.h"

#include <string>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/elements/element_text.h"

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
  constexpr uint64_t kMaxLists = 1 << 20;
  uint64_t lists = 1;
  for (const uint64_t length : shape) {
    if (length == 0 && lists > kMaxLists) throw unsupported("{} empty lists", lists);
    lists = checked_multiply(lists, length);
  }
}

Json to_json(StoredAttribute attribute, const Pointees& pointees) {
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

Json read_value(const SourceFile& file, uint64_t object_address, const std::string& name) {
  std::optional<StoredAttribute> stored = file.library().attribute(object_address, name);
  if (!stored) throw damaged("the attribute cannot be found again");
  return to_json(*std::move(stored), file.attribute_pointees());
}

Attribute decoded_attribute(const SourceFilePtr& file, uint64_t object_address, StoredAttribute stored) {
  if (stored.error) return {std::move(stored.name), *std::move(stored.error)};
  const std::string name = stored.name;
  auto type = std::make_shared<const DType>(stored.extent.type.dtype);
  if (stored.is_left_out)
    return {name, [=] { return read_value(*file, object_address, name); }, std::move(type)};
  try {
    return {name, to_json(std::move(stored), file->attribute_pointees()), std::move(type)};
  } catch (const Error& error) {
    return {name, error};
  }
}

}  // namespace

Attributes read_attributes(const SourceFilePtr& file, uint64_t object_address) {
  if (const std::shared_ptr<const Attributes> kept = file->kept_attributes().find(object_address)) {
    file->bytes().check_unchanged_lately();
    return *kept;
  }
  Attributes attributes;
  for (StoredAttribute& stored : file->library().attributes(object_address))
    attributes.push_back(decoded_attribute(file, object_address, std::move(stored)));
  file->kept_attributes().keep(object_address, attributes);
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
