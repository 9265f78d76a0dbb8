#include "formats/containers/hdf5/library/inside_file.h"

#include <algorithm>

#include "formats/containers/hdf5/library/datatype.h"
#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/open_dataset.h"
#include "formats/containers/hdf5/library/open_file.h"
#include "formats/containers/hdf5/local_heap.h"
#include "formats/containers/hdf5/object_header.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"

namespace plainfs::hdf5 {
namespace {

// The largest number of links and of attributes that known() returns.
constexpr size_t kMaxKnown = 256;

struct RawLink {
  std::string name;
  H5L_type_t type;
  uint64_t address;   // hard links
  size_t value_size;  // other links
};

RawLink raw_link(std::string name, const H5L_info_t& info) {
  if (info.type == H5L_TYPE_HARD) return {std::move(name), info.type, info.u.address, 0};
  return {std::move(name), info.type, 0, info.u.val_size};
}

herr_t collect_link(hid_t, const char* name, const H5L_info_t* info, void* data) {
  return static_cast<Collected<RawLink>*>(data)->add([&] { return raw_link(name, *info); });
}

// Ends the listing after the first links.
herr_t collect_few_links(hid_t group, const char* name, const H5L_info_t* info, void* data) {
  const size_t count = static_cast<const Collected<RawLink>*>(data)->items.size();
  return count > kMaxKnown ? 1 : collect_link(group, name, info, data);
}

herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* data) {
  return static_cast<Collected<std::string>*>(data)->add([&] { return std::string(name); });
}

void read_target(const ObjectHandle& group, const RawLink& raw, StoredLink& link) {
  std::vector<char> value(raw.value_size + 1, '\0');
  checked_call(H5Lget_val(group.id(), raw.name.c_str(), value.data(), raw.value_size, H5P_DEFAULT),
               "the link cannot be read");
  if (raw.type == H5L_TYPE_SOFT) {
    link.kind = StoredLink::Kind::soft;
    link.path = value.data();
  } else if (raw.type == H5L_TYPE_EXTERNAL) {
    const char* file = nullptr;
    const char* path = nullptr;
    unsigned flags = 0;
    checked_call(H5Lunpack_elink_val(value.data(), raw.value_size, &flags, &file, &path),
                 "the external link");
    link.kind = StoredLink::Kind::external;
    link.file = file;
    link.path = path;
  } else {
    throw unsupported("links of class {}", static_cast<int>(raw.type));
  }
}

StoredLink stored_link(const ObjectHandle& group, RawLink raw) {
  StoredLink link;
  link.name = raw.name;
  if (raw.type == H5L_TYPE_HARD) {
    link.kind = StoredLink::Kind::hard;
    link.address = raw.address;
    return link;
  }
  try {
    read_target(group, raw, link);
  } catch (const Error& error) {
    link.error = error;
  }
  return link;
}

// Returns the names of attributes in byte order. Uses our own reader if possible.
std::vector<std::string> names_of_attributes(const ObjectHandle& object, uint64_t address,
                                             const OpenFile& file) {
  std::optional<std::vector<std::string>> names = attribute_names(*file.bytes(), file.layout(), address);
  if (!names) {
    Collected<std::string> found;
    const herr_t listed =
        H5Aiterate2(object.id(), H5_INDEX_NAME, kListingOrder, nullptr, collect_name, &found);
    try {
      names = checked_items(listed, found, "the attributes cannot be listed");
    } catch (const Error& error) {
      throw file.unless_newer(error, address, true);
    }
  }
  std::sort(names->begin(), names->end());
  return *std::move(names);
}

// Returns the space that a dataspace message describes (HDF5 File Format Specification 3.0, section
// IV.A.2.b).
SpaceHandle space_of(ByteSpan message, const FileLayout& layout) {
  constexpr unsigned kNull = 2;
  Cursor cursor(message);
  const unsigned version = cursor.byte(), rank = cursor.byte();
  if (version < 1 || version > 2 || rank > H5S_MAX_RANK)
    throw damaged("invalid dataspace: version {}, rank {}", version, rank);
  cursor.skip(1);  // flags
  const bool is_null = cursor.byte() == kNull && version == 2;
  if (version == 1) cursor.skip(4);
  std::vector<hsize_t> dims(rank);
  for (hsize_t& length : dims) length = length_at(cursor, layout);
  const hid_t space = is_null     ? H5Screate(H5S_NULL)
                      : rank == 0 ? H5Screate(H5S_SCALAR)
                                  : H5Screate_simple(static_cast<int>(rank), dims.data(), nullptr);
  return checked_handle<SpaceHandle>(space, "dataspace");
}

// Reads an attribute that the library does not open because it follows one of an unknown type. Returns
// nullopt if its own type is unknown, or if its parts are not in the header.
std::optional<StoredAttribute> fetch_from_header(uint64_t address, const std::string& name,
                                                 const OpenFile& file) {
  const std::optional<HeaderAttribute> parts =
      attribute_in_header(*file.bytes(), file.layout(), address, name);
  if (!parts || parts->has_shared_type) return std::nullopt;
  // The beginning of H5Tencode's form: the message's number, a version.
  Bytes encoded{std::byte{3}, std::byte{0}};
  encoded.insert(encoded.end(), parts->type.begin(), parts->type.end());
  encoded.insert(encoded.end(), UINT16_MAX, std::byte{0});  // H5Tdecode does not know the size
  const TypeHandle type(H5Tdecode(encoded.data()));
  if (type.id() < 0) return clear_library_error(), std::nullopt;
  const SpaceHandle space = space_of(parts->space, file.layout());
  StoredExtent extent = read_extent(type.id(), space.id(), file.layout());
  const uint64_t count = extent.is_null ? 0 : element_count(extent.dataset_shape);
  const ByteSpan stored = Cursor(parts->data).bytes(checked_multiply(count, extent.stored_size));
  return StoredAttribute{name, std::move(extent), {stored.begin(), stored.end()}, {}, false};
}

// Reads an attribute, but leaves out its elements if they have more than max_bytes.
StoredAttribute fetch(hid_t object, uint64_t address, std::string name, const OpenFile& file,
                      uint64_t max_bytes) {
  const AttributeHandle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  if (attribute.id() < 0) {
    const Error error = file.unless_newer(library_error("cannot be opened"), address, true);
    if (is_unsupported(error))
      if (std::optional<StoredAttribute> found = fetch_from_header(address, name, file))
        return *std::move(found);
    throw error;
  }
  const auto type = checked_handle<TypeHandle>(H5Aget_type(attribute.id()), "datatype");
  const auto space = checked_handle<SpaceHandle>(H5Aget_space(attribute.id()), "dataspace");
  StoredExtent extent = read_extent(type.id(), space.id(), file.layout());
  Bytes stored;
  const uint64_t count = element_count(extent.dataset_shape);
  if (!extent.is_null && count > 0) {
    const uint64_t size = checked_multiply(count, extent.stored_size);
    if (size > file.bytes()->size())
      throw damaged("{} bytes in a file of only {}", size, file.bytes()->size());
    if (size > max_bytes) return {std::move(name), std::move(extent), {}, {}, true};
    stored.resize(size);
    const TypeHandle memory = stored_bytes_type(extent.stored_size);
    checked_call(H5Aread(attribute.id(), memory.id(), stored.data()), "cannot be read");
  }
  return {std::move(name), std::move(extent), std::move(stored), {}, false};
}

// Sorts the attributes by creation if the object records it (netCDF's do). Otherwise leaves their order.
void sort_by_creation(const ObjectHandle& object, std::vector<StoredAttribute>& attributes) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < attributes.size(); ++i) {
    H5A_info_t info;
    const herr_t found =
        H5Aget_info_by_name(object.id(), ".", attributes[i].name.c_str(), &info, H5P_DEFAULT);
    if (found < 0 || !info.corder_valid) return;
    order.emplace_back(info.corder, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<StoredAttribute> sorted;
  for (const auto& [created, i] : order) sorted.push_back(std::move(attributes[i]));
  attributes = std::move(sorted);
}

// Returns the facts of a dataset. The library opens the sources of a virtual one that determine its shape,
// and leaves out those that it cannot open.
StoredDataset facts_with_sources(const OpenFilePtr& file, hid_t dataset) {
  const VirtualSources sources(file);
  const FollowedLinks links(sources);
  forget_driver_error();
  StoredDataset facts = dataset_facts(dataset, file->layout());
  try {
    if (facts.layout == StoredDataset::Layout::virtual_sources) throw_driver_error();
  } catch (const Error& error) {
    if (!facts.error) facts.error = error;
  }
  return facts;
}

StoredObjectFacts facts_of(const OpenFilePtr& file, const ObjectHandle& object) {
  switch (H5Iget_type(object.id())) {
    case H5I_GROUP:
      return {ObjectKind::group, {}};
    case H5I_DATASET:
      return {ObjectKind::dataset, facts_with_sources(file, object.id())};
    default:
      return {};
  }
}

// Returns the links by name. Calls collect, which may end the listing, for each.
std::vector<StoredLink> listed_links(const ObjectHandle& group, uint64_t address, const OpenFile& file,
                                     H5L_iterate_t collect) {
  check_local_heap(*file.bytes(), file.layout(), address);
  Collected<RawLink> found;
  std::vector<RawLink> raw =
      checked_items(H5Literate(group.id(), H5_INDEX_NAME, kListingOrder, nullptr, collect, &found), found,
                    "the group cannot be listed");
  std::sort(raw.begin(), raw.end(), [](const RawLink& a, const RawLink& b) { return a.name < b.name; });
  std::vector<StoredLink> links;
  for (RawLink& link : raw) links.push_back(stored_link(group, std::move(link)));
  return links;
}

std::vector<StoredAttribute> attributes_of(const ObjectHandle& object, uint64_t address,
                                           const std::vector<std::string>& names, const OpenFile& file) {
  std::vector<StoredAttribute> attributes;
  for (const std::string& name : names) {
    try {
      attributes.push_back(fetch(object.id(), address, name, file, kMaxListedAttributeBytes));
    } catch (const Error& error) {
      attributes.push_back({name, {}, {}, error, false});
    }
  }
  sort_by_creation(object, attributes);
  return attributes;
}

// Returns the result of read(), or nullopt if it throws an Error.
template <class Read>
auto if_readable(Read&& read) -> decltype(read()) {
  try {
    return read();
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Returns the result of call(), which calls the library. Throws the transient error that kept the library
// from reading, even if it went on without the data: it then treats a link or an attribute as absent.
template <class Call>
auto read_by_library(Call&& call) {
  const LibraryLock lock;
  forget_driver_error();
  try {
    auto found = call();
    throw_passing_driver_error();
    return found;
  } catch (const Error&) {
    throw_passing_driver_error();
    throw;
  }
}

}  // namespace

InsideFile::InsideFile(const std::string& location, Context& context)
    : file_(std::make_shared<const OpenFile>(location, context)), cache_owner_(context.cache.new_owner()) {}

// Open datasets keep the file open, so they are dropped from the cache.
InsideFile::~InsideFile() {
  file_->context().cache.drop(cache_owner_, cache_owner_ + 1);
}

const FilePtr& InsideFile::bytes() const {
  return file_->bytes();
}
const FileLayout& InsideFile::layout() const {
  return file_->layout();
}
unsigned InsideFile::superblock_version() const {
  return file_->superblock_version();
}
uint64_t InsideFile::root_address() const {
  return file_->root_address();
}

StoredObjectFacts InsideFile::object(uint64_t address) const {
  return read_by_library([&]() -> StoredObjectFacts { return facts_of(file_, file_->open_object(address)); });
}

std::vector<StoredLink> InsideFile::links(uint64_t address) const {
  return read_by_library([&]() -> std::vector<StoredLink> {
    return listed_links(file_->open_object(address), address, *file_, collect_link);
  });
}

std::optional<StoredLink> InsideFile::find_link(uint64_t address, const std::string& name) const {
  return read_by_library([&]() -> std::optional<StoredLink> {
    const ObjectHandle group = file_->open_object(address);
    check_local_heap(*file_->bytes(), layout(), address);
    const htri_t exists =
        checked_call(H5Lexists(group.id(), name.c_str(), H5P_DEFAULT), "the group cannot be searched");
    if (!exists) return std::nullopt;
    H5L_info_t info;
    checked_call(H5Lget_info(group.id(), name.c_str(), &info, H5P_DEFAULT), "the link cannot be read");
    return stored_link(group, raw_link(name, info));
  });
}

std::vector<StoredAttribute> InsideFile::attributes(uint64_t address) const {
  return read_by_library([&]() -> std::vector<StoredAttribute> {
    const ObjectHandle object = file_->open_object(address);
    return attributes_of(object, address, names_of_attributes(object, address, *file_), *file_);
  });
}

KnownObject InsideFile::known(uint64_t address) const {
  return read_by_library([&] {
    const ObjectHandle object = file_->open_object(address);
    KnownObject known{facts_of(file_, object), {}, {}};
    if (known.facts.kind == ObjectKind::group)
      known.links = if_readable([&]() -> std::optional<std::vector<StoredLink>> {
        std::vector<StoredLink> links = listed_links(object, address, *file_, collect_few_links);
        return links.size() > kMaxKnown ? std::nullopt : std::optional(std::move(links));
      });
    known.attributes = if_readable([&]() -> std::optional<std::vector<StoredAttribute>> {
      std::optional<std::vector<std::string>> names = attribute_names(*file_->bytes(), layout(), address);
      if (!names || names->size() > kMaxKnown) return std::nullopt;
      std::sort(names->begin(), names->end());
      return attributes_of(object, address, *names, *file_);
    });
    return known;
  });
}

std::optional<StoredAttribute> InsideFile::attribute(uint64_t address, const std::string& name) const {
  return read_by_library([&]() -> std::optional<StoredAttribute> {
    const ObjectHandle object = file_->open_object(address);
    if (checked_call(H5Aexists(object.id(), name.c_str()), "the attributes cannot be searched") == 0)
      return std::nullopt;
    return fetch(object.id(), address, name, *file_, UINT64_MAX);
  });
}

std::shared_ptr<const OpenDataset> InsideFile::open_dataset(uint64_t address) const {
  return file_->context().cache.get<OpenDataset>({cache_owner_, address},
                                                 [&] { return OpenDataset(file_, address); });
}

void InsideFile::read(uint64_t dataset, uint64_t element_size, const Box& box, const Shape& block_shape,
                      const Shape& target, std::byte* out) const {
  const auto opened = open_dataset(dataset);  // before the lock
  const LibraryLock lock;
  opened->read(element_size, box, block_shape, target, out);
}

std::optional<StoredChunkBytes> InsideFile::read_chunk(uint64_t dataset, const Shape& origin) const {
  const auto opened = open_dataset(dataset);
  const LibraryLock lock;
  return opened->read_chunk(origin);
}

std::string library_version() {
  unsigned major = 0, minor = 0, release = 0;
  const LibraryLock lock;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace plainfs::hdf5
