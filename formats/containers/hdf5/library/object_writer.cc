#include "formats/containers/hdf5/library/object_writer.h"

#include <cstring>
#include <variant>
#include <vector>

namespace plainfs::hdf5 {
namespace {

PropertyHandle property_list(hid_t list_class) {
  return checked_handle<PropertyHandle>(H5Pcreate(list_class), "no property list");
}

// Returns a list without times, which would make each file different.
PropertyHandle creation_list(hid_t list_class) {
  PropertyHandle list = property_list(list_class);
  checked_call(H5Pset_obj_track_times(list.id(), false), "no property list");
  return list;
}

TypeHandle boolean_type() {
  TypeHandle type = checked_handle<TypeHandle>(H5Tenum_create(H5T_STD_I8LE), "no type");
  for (const int8_t value : {0, 1})
    checked_call(H5Tenum_insert(type.id(), value ? "TRUE" : "FALSE", &value), "no type");
  return type;
}

TypeHandle library_text_type(size_t size, bool is_ascii) {
  TypeHandle type = checked_handle<TypeHandle>(H5Tcopy(H5T_C_S1), "no type");
  checked_call(H5Tset_size(type.id(), size), "no type");
  checked_call(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "no type");
  checked_call(H5Tset_cset(type.id(), is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), "no type");
  return type;
}

TypeHandle number_type(SkeletonKind kind, uint32_t size) {
  hid_t number = H5I_INVALID_HID;
  const auto choose = [&](hid_t one, hid_t two, hid_t four, hid_t eight) {
    number = size == 1 ? one : size == 2 ? two : size == 4 ? four : size == 8 ? eight : H5I_INVALID_HID;
  };
  switch (kind) {
    case SkeletonKind::integer:
      choose(H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE);
      break;
    case SkeletonKind::unsigned_integer:
      choose(H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE);
      break;
    default:
      choose(H5I_INVALID_HID, H5I_INVALID_HID, H5T_IEEE_F32LE, H5T_IEEE_F64LE);
  }
  TypeHandle type(number < 0 ? number : H5Tcopy(number));
  if (type.id() >= 0) return type;
  // IEEE 754 binary16, as h5py and numpy write it.
  type = checked_handle<TypeHandle>(H5Tcopy(H5T_IEEE_F32LE), "no type");
  checked_call(H5Tset_fields(type.id(), 15, 10, 5, 0, 10), "no type");
  checked_call(H5Tset_size(type.id(), 2), "no type");
  checked_call(H5Tset_ebias(type.id(), 15), "no type");
  return type;
}

TypeHandle compound_type_of(size_t size) {
  return checked_handle<TypeHandle>(H5Tcreate(H5T_COMPOUND, size), "no type");
}

TypeHandle complex_type(uint32_t size) {
  TypeHandle type = compound_type_of(size);
  const TypeHandle part = number_type(SkeletonKind::real, size / 2);
  checked_call(H5Tinsert(type.id(), "r", 0, part.id()), "no type");
  checked_call(H5Tinsert(type.id(), "i", size / 2, part.id()), "no type");
  return type;
}

// Returns the type of one element of a field.
TypeHandle element_type(const SkeletonField& field) {
  switch (field.kind) {
    case SkeletonKind::boolean:
      return boolean_type();
    case SkeletonKind::variable_text:
      return variable_text_type();
    case SkeletonKind::complex:
      return complex_type(field.size);
    default:
      return number_type(field.kind, field.size);
  }
}

TypeHandle field_type(const SkeletonField& field) {
  TypeHandle element = element_type(field);
  if (field.shape.empty()) return element;
  const std::vector<hsize_t> shape(field.shape.begin(), field.shape.end());
  return checked_handle<TypeHandle>(
      H5Tarray_create2(element.id(), static_cast<unsigned>(shape.size()), shape.data()), "no type");
}

TypeHandle records_type(const std::vector<SkeletonField>& fields) {
  std::vector<TypeHandle> types;
  size_t size = 0;
  for (const SkeletonField& field : fields) {
    types.push_back(field_type(field));
    size += H5Tget_size(types.back().id());
  }
  TypeHandle type = compound_type_of(size);
  size_t offset = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    checked_call(H5Tinsert(type.id(), fields[i].name.c_str(), offset, types[i].id()), "no type");
    offset += H5Tget_size(types[i].id());
  }
  return type;
}

TypeHandle dataset_type(const SkeletonDataset& dataset) {
  switch (dataset.kind) {
    case SkeletonKind::complex:
      return complex_type(dataset.size);
    case SkeletonKind::empty:
      return number_type(SkeletonKind::real, 4);
    case SkeletonKind::records:
      return records_type(dataset.records->fields);
    case SkeletonKind::boolean:
      return boolean_type();
    case SkeletonKind::variable_text:
      return variable_text_type();
    case SkeletonKind::ascii_text:
    case SkeletonKind::utf8_text:
      return library_text_type(dataset.size, dataset.kind == SkeletonKind::ascii_text);
    default:
      return number_type(dataset.kind, dataset.size);
  }
}

// Writes one attribute, with one call operator per alternative of SkeletonValue.
class AttributeWriter {
 public:
  AttributeWriter(hid_t object, const std::string& name) : object_(object), name_(name) {}

  void operator()(const std::string& value) const {
    const char* const text = value.c_str();
    write(variable_text_type(), SpaceHandle(H5Screate(H5S_SCALAR)), &text);
  }
  void operator()(const std::vector<std::string>& values) const {
    std::vector<const char*> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    write(variable_text_type(), list_of(values.size()), texts.data());
  }
  void operator()(int64_t value) const {
    write(TypeHandle(H5Tcopy(H5T_STD_I64LE)), SpaceHandle(H5Screate(H5S_SCALAR)), &value);
  }
  void operator()(const std::vector<int64_t>& values) const {
    write(TypeHandle(H5Tcopy(H5T_STD_I64LE)), list_of(values.size()), values.data());
  }
  void operator()(double value) const {
    write(TypeHandle(H5Tcopy(H5T_IEEE_F64LE)), SpaceHandle(H5Screate(H5S_SCALAR)), &value);
  }
  void operator()(bool value) const {
    const int8_t stored = value;
    write(boolean_type(), SpaceHandle(H5Screate(H5S_SCALAR)), &stored);
  }

 private:
  static SpaceHandle list_of(hsize_t count) { return SpaceHandle(H5Screate_simple(1, &count, nullptr)); }
  void write(const TypeHandle& type, const SpaceHandle& space, const void* value) const {
    const auto attribute = checked_handle<AttributeHandle>(
        H5Acreate2(object_, name_.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), "no attribute");
    // The library requires an address even if there are no values.
    checked_call(H5Awrite(attribute.id(), type.id(), value ? value : &attribute),
                 "an attribute is not written");
  }

  const hid_t object_;
  const std::string& name_;
};

// Returns the creation properties of a chunked dataset.
PropertyHandle chunked_list(const SkeletonChunks& chunks) {
  PropertyHandle list = creation_list(H5P_DATASET_CREATE);
  const std::vector<hsize_t> shape(chunks.shape.begin(), chunks.shape.end());
  checked_call(H5Pset_chunk(list.id(), static_cast<int>(shape.size()), shape.data()), "no chunks");
  if (chunks.is_shuffled) checked_call(H5Pset_shuffle(list.id()), "no filter");
  if (chunks.level > 0)
    checked_call(H5Pset_deflate(list.id(), static_cast<unsigned>(chunks.level)), "no filter");
  return list;
}

SpaceHandle space_of(const SkeletonDataset& dataset) {
  if (dataset.kind == SkeletonKind::empty)
    return checked_handle<SpaceHandle>(H5Screate(H5S_NULL), "no dataspace");
  const std::vector<hsize_t> shape(dataset.shape.begin(), dataset.shape.end());
  std::vector<hsize_t> most = shape;
  if (dataset.chunks && dataset.chunks->may_grow) most[dataset.chunks->growing_axis] = H5S_UNLIMITED;
  return checked_handle<SpaceHandle>(
      H5Screate_simple(static_cast<int>(shape.size()), shape.data(), most.data()), "no dataspace");
}

// Writes the values of a dataset of records.
void write_records(hid_t dataset, hid_t type, const SkeletonRecords& records) {
  std::string bytes = records.bytes;
  size_t record = 0;
  for (const SkeletonField& field : records.fields) record += H5Tget_size(field_type(field).id());
  size_t offset = 0;
  for (const SkeletonField& field : records.fields) {
    const size_t size = H5Tget_size(field_type(field).id());
    for (size_t at = offset; field.kind == SkeletonKind::variable_text && at < bytes.size(); at += record) {
      for (size_t text = at; text < at + size; text += sizeof(char*)) {
        uint64_t place = 0;
        std::memcpy(&place, bytes.data() + text, sizeof place);
        const char* const value = records.texts.at(place).c_str();
        std::memcpy(bytes.data() + text, &value, sizeof value);
      }
    }
    offset += size;
  }
  if (bytes.empty()) return;
  checked_call(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "no records");
}

// Writes the values of a dataset of texts.
void write_texts(hid_t dataset, hid_t type, const std::vector<std::string>& texts) {
  std::vector<const char*> values;
  for (const std::string& text : texts) values.push_back(text.c_str());
  if (values.empty()) return;
  checked_call(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "no texts");
}

void add_attributes(hid_t id, const SkeletonObject& object) {
  for (const SkeletonAttribute& attribute : object.attributes)
    std::visit(AttributeWriter(id, attribute.name), attribute.value);
}

}  // namespace

PropertyHandle access_list() {
  return property_list(H5P_FILE_ACCESS);
}

TypeHandle variable_text_type() {
  TypeHandle type = checked_handle<TypeHandle>(H5Tcopy(H5T_C_S1), "no type");
  checked_call(H5Tset_size(type.id(), H5T_VARIABLE), "no type");
  checked_call(H5Tset_cset(type.id(), H5T_CSET_UTF8), "no type");
  return type;
}

ObjectWriter::ObjectWriter(hid_t access, uint64_t user_block) {
  // The format that every reader of HDF5 1.8 supports, with room for large attributes.
  checked_call(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "no such format");
  const PropertyHandle creation = creation_list(H5P_FILE_CREATE);
  checked_call(H5Pset_userblock(creation.id(), user_block), "no property list");
  file_ = checked_handle<FileHandle>(H5Fcreate("written", H5F_ACC_TRUNC, creation.id(), access), "no file");
  links_ = property_list(H5P_LINK_CREATE);
  checked_call(H5Pset_char_encoding(links_.id(), H5T_CSET_UTF8), "no property list");
  groups_ = creation_list(H5P_GROUP_CREATE);
  contiguous_ = creation_list(H5P_DATASET_CREATE);
  checked_call(H5Pset_layout(contiguous_.id(), H5D_CONTIGUOUS), "no property list");
  checked_call(H5Pset_alloc_time(contiguous_.id(), H5D_ALLOC_TIME_EARLY), "no property list");
  checked_call(H5Pset_fill_time(contiguous_.id(), H5D_FILL_TIME_NEVER), "no property list");
}

DatasetHandle ObjectWriter::add(const SkeletonObject& object) {
  add_groups_above(object.path);
  generated_.insert(object.path);
  if (object.dataset) return add_dataset(object, *object.dataset);
  const ObjectHandle group(object.path == "/" ? H5Oopen(file_.id(), "/", H5P_DEFAULT)
                                              : H5Gcreate2(file_.id(), object.path.c_str(), links_.id(),
                                                           groups_.id(), H5P_DEFAULT));
  checked_call(group.id(), "no group");
  add_attributes(group.id(), object);
  return {};
}

void ObjectWriter::finish() {
  links_ = PropertyHandle();
  groups_ = PropertyHandle();
  contiguous_ = PropertyHandle();
  checked_call(file_.close(), "no file");
}

// Creates groups on the way to path that are not objects of their own, for example of a column with a slash
// in its name. The library would give them times.
void ObjectWriter::add_groups_above(const std::string& path) {
  for (size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    const std::string above = path.substr(0, end);
    if (above.ends_with('/') || !generated_.insert(above).second) continue;
    checked_handle<ObjectHandle>(
        H5Gcreate2(file_.id(), above.c_str(), links_.id(), groups_.id(), H5P_DEFAULT), "no group");
  }
}

DatasetHandle ObjectWriter::add_dataset(const SkeletonObject& object, const SkeletonDataset& dataset) {
  const SpaceHandle space = space_of(dataset);
  const TypeHandle type = dataset_type(dataset);
  const PropertyHandle chunked = dataset.chunks ? chunked_list(*dataset.chunks) : PropertyHandle();
  // The library requires a fill value for texts of any length.
  const bool has_values = dataset.records || dataset.texts;
  const PropertyHandle filled = has_values ? creation_list(H5P_DATASET_CREATE) : PropertyHandle();
  const hid_t creation = dataset.chunks ? chunked.id() : has_values ? filled.id() : contiguous_.id();
  DatasetHandle generated = checked_handle<DatasetHandle>(
      H5Dcreate2(file_.id(), object.path.c_str(), type.id(), space.id(), links_.id(), creation, H5P_DEFAULT),
      "no dataset");
  add_attributes(generated.id(), object);
  if (dataset.records) write_records(generated.id(), type.id(), *dataset.records);
  if (dataset.texts) write_texts(generated.id(), type.id(), *dataset.texts);
  return generated;
}

}  // namespace plainfs::hdf5
