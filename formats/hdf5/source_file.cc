#include "formats/hdf5/source_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/hdf5/file_driver.h"

namespace plainfs::hdf5 {
namespace {

// The library's cache of its own metadata, the chunk index above all, grows to 32 MiB a file by itself.
constexpr size_t kMetadataBytes = 4 << 20;

void bound_metadata_cache(const PropertyHandle& access) {
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  checked_call(H5Pget_mdc_config(access.id(), &config), "metadata cache");
  config.set_initial_size = true;
  config.initial_size = config.min_size = 1 << 20;
  config.max_size = kMetadataBytes;
  checked_call(H5Pset_mdc_config(access.id(), &config), "metadata cache");
}

PropertyHandle access_properties(Sources& sources) {
  auto access = checked_handle<PropertyHandle>(H5Pcreate(H5P_FILE_ACCESS), "file access properties");
  read_through(sources, access.id());
  checked_call(H5Pset_file_locking(access.id(), false, true), "file locking");
  // Chunks are cached once they are decoded (cache/); keeping them here as well would only cost memory.
  checked_call(H5Pset_cache(access.id(), 0, 521, 0, 0.75), "chunk cache");
  bound_metadata_cache(access);
#ifdef H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS
  // Since 1.14.4 the library takes a number with many unused bits for damage. It may be one, and type.cc
  // looks itself.
  checked_call(H5Pset_relax_file_integrity_checks(access.id(), H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS),
               "integrity checks");
#endif
  return access;
}

FileHandle open_handle(const std::string& path, Sources& sources) {
  const PropertyHandle access = access_properties(sources);
  FileHandle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (file.id() >= 0) return file;
  throw_driver_error();
  const std::string reason = take_library_error();
  if (reason.find("open for write") != std::string::npos) {
    file = FileHandle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()));
    if (file.id() >= 0) return file;
    H5Eclear2(H5E_DEFAULT);
  }
  throw damaged("not readable as HDF5: {}", reason);
}

struct FoundLink {
  std::string name;
  uint64_t address;
};

herr_t collect_hard_link(hid_t, const char* name, const H5L_info_t* info, void* data) {
  if (info->type != H5L_TYPE_HARD) return 0;
  return static_cast<Collected<FoundLink>*>(data)->add([&] { return FoundLink{name, info->u.address}; });
}

// The hard links of the group at address, by name; none where it is no group.
std::vector<FoundLink> hard_links(const SourceFile& file, uint64_t address) {
  const LibraryLock lock;
  const ObjectHandle object = file.open_object(address);
  if (H5Iget_type(object.id()) != H5I_GROUP) return {};
  Collected<FoundLink> found;
  std::vector<FoundLink> links =
      checked_items(H5Literate(object.id(), H5_INDEX_NAME, kListingOrder, nullptr, collect_hard_link, &found),
                    found, "the links of a group");
  std::sort(links.begin(), links.end(),
            [](const FoundLink& a, const FoundLink& b) { return a.name < b.name; });
  return links;
}

// Deeper trees are an attack on the length of paths. (SeuratDisk is known to nest hundreds of groups by
// mistake.)
constexpr size_t kDeepest = 4096;

struct Pending {
  uint64_t address;
  ObjectPlace place;
};

// Where every object stands first, depth first by name, as libhdf5 itself would look for the name of an
// object.
std::map<uint64_t, ObjectPlace> walk_tree(const SourceFile& file) {
  std::map<uint64_t, ObjectPlace> places;
  std::vector<Pending> pending{{file.root_address(), {file.root_address(), "", 0}}};
  while (!pending.empty()) {
    Pending next = std::move(pending.back());
    pending.pop_back();
    const size_t depth = next.place.depth + 1;
    if (depth > kDeepest || !places.emplace(next.address, std::move(next.place)).second) continue;
    try {
      std::vector<FoundLink> links = hard_links(file, next.address);
      for (auto link = links.rbegin(); link != links.rend(); ++link)
        pending.push_back({link->address, {next.address, std::move(link->name), depth}});
    } catch (const Error&) {
      // A damaged object has a path all the same; it says what is wrong where it is used itself.
    }
  }
  return places;
}

}  // namespace

SourceFile::SourceFile(const std::string& path, Context& context)
    : path_(path), context_(context), file_(context.files.open(path)) {
  const LibraryLock lock;
  H5PLset_loading_state(context.options.hdf5_plugins ? H5PL_ALL_PLUGIN : 0);
  handle_ = open_handle(path, context.files);
  const auto creation = checked_handle<PropertyHandle>(H5Fget_create_plist(handle_.id()), "the superblock");
  size_t address_size = 0, length_size = 0;
  hsize_t user_block = 0;
  checked_call(H5Pget_sizes(creation.id(), &address_size, &length_size), "the sizes of addresses");
  checked_call(H5Pget_userblock(creation.id(), &user_block), "the user block");
  if (address_size < 2 || address_size > 8 || length_size < 2 || length_size > 8)
    throw unsupported("addresses of {} and lengths of {} bytes", address_size, length_size);
  const FileLayout layout{user_block, static_cast<unsigned>(address_size),
                          static_cast<unsigned>(length_size)};
  heap_ = std::make_unique<GlobalHeap>(file_, layout, context);
  H5F_info2_t info;
  checked_call(H5Fget_info2(handle_.id(), &info), "the superblock");
  superblock_version_ = info.super.version;
  H5O_info_t root;
  checked_call(H5Oget_info_by_name2(handle_.id(), "/", &root, H5O_INFO_BASIC, H5P_DEFAULT), "the root group");
  root_address_ = root.addr;
}

ObjectHandle SourceFile::open_object(uint64_t address) const {
  file_->check_unchanged();
  forget_driver_error();  // of calls that did without what they could not read
  return checked_handle<ObjectHandle>(H5Oopen_by_addr(handle_.id(), address), "object cannot be opened");
}

std::string SourceFile::path_of(uint64_t address) const {
  std::call_once(tree_walked_, [this] { places_ = walk_tree(*this); });
  auto found = places_.find(address);
  if (found == places_.end())
    throw damaged("a reference to address {}, where no object of the tree is", address);
  std::string path;
  for (; found->second.depth > 0; found = places_.find(found->second.parent))
    path = "/" + found->second.name + path;
  return path.empty() ? "/" : path;
}

Pointees SourceFile::pointees() const {
  return {*heap_, [this](uint64_t address) { return path_of(address); }};
}

}  // namespace plainfs::hdf5
