#include "formats/hdf5/attributes.h"

#include <string>
#include <vector>

#include "formats/hdf5/dataspace.h"
#include "formats/model/checked.h"
#include "formats/model/number_text.h"

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
};

herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* data) {
  static_cast<std::vector<std::string>*>(data)->emplace_back(name);
  return 0;
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
  std::vector<std::string> names;
  checked_call(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names),
               "the attributes cannot be listed");
  std::vector<StoredAttribute> attributes;
  for (std::string& name : names) {
    try {
      attributes.push_back(fetch(object.id(), name, file));
    } catch (const Error& error) {
      throw error.at("attribute " + name);
    }
  }
  return attributes;
}

std::string number_text(const DType& type, const Elements& elements, uint64_t i) {
  char text[kNumberTextMax];
  return visit_number(type, [&](auto number) {
    return std::string(text, write_number(text, elements.values<decltype(number)>()[i]));
  });
}

std::string complex_text(const DType& type, const Elements& elements, uint64_t i) {
  const DType part = number_type(Kind::real, type.size / 2);
  const std::string imaginary = number_text(part, elements, 2 * i + 1);
  return fmt::format("{}{}{}i", number_text(part, elements, 2 * i), imaginary[0] == '-' ? "" : "+",
                     imaginary);
}

Json enumeration_value(const DType& type, const Elements& elements, uint64_t i) {
  const int64_t value = visit_number(type, [&](auto number) -> int64_t {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(elements.values<T>()[i]);
    else
      return 0;
  });
  for (const EnumMember& member : type.members)
    if (member.value == value) return Json(member.name);
  return Json::Number{number_text(type, elements, i)};
}

bool truth(const DType& type, const Elements& elements, uint64_t i) {
  return visit_number(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>)
      return elements.values<T>()[i] != 0;
    else
      return false;
  });
}

std::string hex_text(ByteSpan bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Json value_of(const DType& type, const Elements& elements, uint64_t i);

// Elements from first on, as lists nested as dims from axis on say; next is where the first of them stands.
Json nested_list(const DType& type, const Elements& elements, const Shape& dims, size_t axis,
                 uint64_t& next) {
  if (axis == dims.size()) return value_of(type, elements, next++);
  Json::List list;
  for (uint64_t i = 0; i < dims[axis]; ++i) list.push_back(nested_list(type, elements, dims, axis + 1, next));
  return list;
}

Json record(const DType& type, const Elements& elements, uint64_t i) {
  Json::Object object;
  for (size_t field = 0; field < type.fields.size(); ++field)
    object.emplace_back(type.fields[field].name,
                        value_of(type.fields[field].type, elements.children[field], i));
  return object;
}

Json array_value(const DType& type, const Elements& elements, uint64_t i) {
  uint64_t next = i * element_count(type.dims);
  return nested_list(*type.item, elements.children[0], type.dims, 0, next);
}

Json sequence_value(const DType& type, const Elements& elements, uint64_t i) {
  Json::List list;
  for (uint64_t item = elements.offsets[i]; item < elements.offsets[i + 1]; ++item)
    list.push_back(value_of(*type.item, elements.children[0], item));
  return list;
}

Json value_of(const DType& type, const Elements& elements, uint64_t i) {
  if (elements.is_missing(i)) return nullptr;
  const auto fixed_bytes = [&] { return ByteSpan(elements.bytes).subspan(i * type.size, type.size); };
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return truth(type, elements, i);
    case Kind::enumeration:
      return enumeration_value(type, elements, i);
    case Kind::complex:
      return complex_text(type, elements, i);
    case Kind::fixed_text:
      return Json(trim_padding(as_text(fixed_bytes()), type.padding));
    case Kind::opaque:
      return hex_text(fixed_bytes());
    case Kind::compound:
      return record(type, elements, i);
    case Kind::array:
      return array_value(type, elements, i);
    case Kind::sequence:
      return sequence_value(type, elements, i);
    case Kind::text:
    case Kind::reference:
      return Json(elements.text(i));
    default:
      return Json::Number{number_text(type, elements, i)};
  }
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
  const Elements elements =
      decode(extent.type, std::move(attribute.stored), element_count(extent.shape), pointees);
  check_list_count(extent.shape);
  uint64_t next = 0;
  return nested_list(extent.type.dtype, elements, extent.shape, 0, next);
}

}  // namespace

Attributes read_attributes(const SourceFile& file, uint64_t object_address) {
  std::vector<StoredAttribute> stored = fetch_all(file, object_address);
  const Pointees pointees = file.pointees();
  Attributes attributes;
  for (StoredAttribute& attribute : stored) {
    try {
      attributes.push_back({attribute.name, to_json(attribute, pointees)});
    } catch (const Error& error) {
      throw error.at("attribute " + attribute.name);
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
