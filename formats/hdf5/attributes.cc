#include "formats/hdf5/attributes.h"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "formats/base/checked.h"
#include "formats/hdf5/dataspace.h"
#include "formats/model/element_text.h"

namespace plainfs::hdf5 {
namespace {

// An attribute without a value.
class NullAttribute : public Array {
 public:
  explicit NullAttribute(DType dtype) : Array(std::move(dtype), {0}) {}
  Elements read(const Box&) const override { return zero_elements(dtype(), 0); }
  bool is_null() const override { return true; }
};

struct StoredAttribute {
  std::string name;
  Extent extent;
  Bytes stored;
  std::optional<Error> error{};
};

// -1 ends the listing: no exception may pass through the library.
herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* data) {
  return static_cast<Collected<std::string>*>(data)->add([&] { return std::string(name); });
}

StoredAttribute fetch(hid_t object, std::string name, const SourceFile& file) {
  const auto attribute =
      checked_handle<AttributeHandle>(H5Aopen(object, name.c_str(), H5P_DEFAULT), "cannot be opened");
  const auto type = checked_handle<TypeHandle>(H5Aget_type(attribute.id()), "datatype");
  const auto space = checked_handle<SpaceHandle>(H5Aget_space(attribute.id()), "dataspace");
  Extent extent = read_extent(type.id(), space.id(), file.layout());
  Bytes stored;
  const uint64_t count = element_count(extent.dataset_shape);
  if (!extent.is_null && count > 0) {
    const uint64_t size = checked_multiply(count, extent.stored_size);
    if (size > file.bytes().size()) throw damaged("{} bytes in a file of {}", size, file.bytes().size());
    stored.resize(size);
    const TypeHandle memory = stored_bytes_type(extent.stored_size);
    checked_call(H5Aread(attribute.id(), memory.id(), stored.data()), "cannot be read");
  }
  return {std::move(name), std::move(extent), std::move(stored)};
}

std::vector<StoredAttribute> fetch_all(const SourceFile& file, uint64_t object_address) {
  const LibraryLock lock;
  const ObjectHandle object = file.open_object(object_address);
  Collected<std::string> found;
  std::vector<std::string> names =
      checked_items(H5Aiterate2(object.id(), H5_INDEX_NAME, kListingOrder, nullptr, collect_name, &found),
                    found, "the attributes cannot be listed");
  std::sort(names.begin(), names.end());
  std::vector<StoredAttribute> attributes;
  for (std::string& name : names) {
    try {
      attributes.push_back(fetch(object.id(), name, file));
    } catch (const Error& error) {
      attributes.push_back({name, {}, {}, error.at("attribute " + name)});
    }
  }
  return attributes;
}

// Lists that hold no element are still lists, and a shape may ask for any number of them.
void check_list_count(const Shape& shape) {
  constexpr uint64_t kMostLists = 1 << 20;
  uint64_t lists = 1;
  for (const uint64_t length : shape) {
    if (length == 0 && lists > kMostLists) throw unsupported("{} empty lists", lists);
    lists = checked_multiply(lists, length);
  }
}

Json to_json(StoredAttribute& attribute, const Pointees& pointees) {
  const Extent& extent = attribute.extent;
  if (extent.is_null) return nullptr;
  check_list_count(extent.shape);
  Elements elements = decode(extent.type, std::move(attribute.stored), element_count(extent.shape), pointees);
  if (extent.shape.empty()) return json_of(extent.type.dtype, elements, 0);
  Elements list;
  list.count = 1;
  list.children.push_back(std::move(elements));
  return json_of(array_type(extent.type.dtype, extent.shape), list, 0);
}

}  // namespace

Attributes read_attributes(const SourceFile& file, uint64_t object_address) {
  std::vector<StoredAttribute> stored = fetch_all(file, object_address);
  const Pointees pointees = file.pointees();
  Attributes attributes;
  for (StoredAttribute& attribute : stored) {
    if (attribute.error) {
      attributes.push_back({attribute.name, {}, attribute.error});
      continue;
    }
    try {
      attributes.push_back({attribute.name, to_json(attribute, pointees)});
    } catch (const Error& error) {
      attributes.push_back({attribute.name, {}, error.at("attribute " + attribute.name)});
    }
  }
  return attributes;
}

ArrayPtr read_attribute(const SourceFile& file, uint64_t object_address, const std::string& name) {
  std::optional<StoredAttribute> stored;
  {
    const LibraryLock lock;
    const ObjectHandle object = file.open_object(object_address);
    if (checked_call(H5Aexists(object.id(), name.c_str()), "the attributes cannot be searched") == 0)
      return nullptr;
    stored = fetch(object.id(), name, file);
  }
  const Extent& extent = stored->extent;
  if (extent.is_null) return std::make_shared<NullAttribute>(extent.type.dtype);
  Elements elements =
      decode(extent.type, std::move(stored->stored), element_count(extent.shape), file.pointees());
  return std::make_shared<MemoryArray>(extent.type.dtype, extent.shape, std::move(elements));
}

}  // namespace plainfs::hdf5
