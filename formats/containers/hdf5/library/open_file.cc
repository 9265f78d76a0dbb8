#include "formats/containers/hdf5/library/open_file.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "formats/containers/hdf5/cache_image.h"
#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/object_header.h"

namespace plainfs::hdf5 {
namespace {

// The limit of the library's metadata cache, which mostly holds the chunk index. By default it grows to 32
// MiB per file.
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
  // plainfs caches decoded chunks (cache/). Caching them here as well would only cost memory.
  checked_call(H5Pset_cache(access.id(), 0, 521, 0, 0.75), "chunk cache");
  bound_metadata_cache(access);
#ifdef H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS
  // Since 1.14.4 the library treats a number with many unused bits as damage. Such a number may be valid, and
  // datatype.cc checks it.
  checked_call(H5Pset_relax_file_integrity_checks(access.id(), H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS),
               "integrity checks");
#endif
  return access;
}

// Returns the message for a file that libhdf5 does not open, in words for the user that copied it.
std::string described(const std::string& reason) {
  unsigned long long stored = 0, base = 0, all = 0;
  const size_t at = reason.find("truncated file: eof = ");
  if (at != std::string::npos &&
      std::sscanf(reason.c_str() + at,
                  "truncated file: eof = %llu, sblock->base_addr = %llu, stored_eof = %llu", &stored, &base,
                  &all) == 3)
    return fmt::format("not readable as HDF5: truncated file: it has {} of {} bytes; copy it again", stored,
                       base + all);
  return "not readable as HDF5: " + reason;
}

// Returns a description of path and the remedy if HDF5's family or multi driver split a store into several
// files, empty if the first bytes do not name such a driver. The driver's name follows a superblock of
// version 0 or 1.
std::string split_by_driver(const std::string& path, Sources& sources) {
  constexpr uint64_t kMaxRead = 512;
  const FilePtr file = sources.open(path);
  const Bytes first = file->read_at(0, std::min(file->size(), kMaxRead));
  const auto names = [&](std::string_view driver) {
    return as_text(first).find(driver) != std::string_view::npos;
  };
  if (names("NCSAfami"))
    return "one of the files that HDF5's family driver split a store into; h5repart -family_to_sec2 joins "
           "them";
  if (names("NCSAmult"))
    return "one of the files that HDF5's multi or split driver split a store into; h5repack "
           "--src-vfd-name=multi of HDF5 1.14 joins them";
  return {};
}

FileHandle opened(const std::string& path, Sources& sources) {
  const PropertyHandle access = access_properties(sources);
  FileHandle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (file.id() >= 0) return file;
  throw_driver_error();
  const std::string reason = take_library_error();
  if (reason.find("open for write") != std::string::npos) {
    file = FileHandle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()));
    if (file.id() >= 0) return file;
    clear_library_error();
  }
  if (const std::string split = split_by_driver(path, sources); !split.empty())
    throw unsupported("{}", split);
  throw damaged("{}", described(reason));
}

}  // namespace

OpenFile::OpenFile(const std::string& location, Context& context)
    : location_(location), context_(context), bytes_(context.files.open(location)) {
  const LibraryLock lock;
  H5PLset_loading_state(context.options.hdf5_plugins ? H5PL_ALL_PLUGIN : 0);
  open_handle();
  const auto creation = checked_handle<PropertyHandle>(H5Fget_create_plist(handle_.id()), "the superblock");
  size_t address_size = 0, length_size = 0;
  hsize_t user_block = 0;
  checked_call(H5Pget_sizes(creation.id(), &address_size, &length_size), "the sizes of addresses");
  checked_call(H5Pget_userblock(creation.id(), &user_block), "the user block");
  if (address_size < 2 || address_size > 8 || length_size < 2 || length_size > 8)
    throw unsupported("invalid superblock: addresses of {} and lengths of {} bytes", address_size,
                      length_size);
  layout_ = {user_block, static_cast<unsigned>(address_size), static_cast<unsigned>(length_size)};
  bytes_ = with_cache_image(bytes_, layout_);
  H5F_info2_t info;
  checked_call(H5Fget_info2(handle_.id(), &info), "the superblock");
  superblock_version_ = info.super.version;
  H5O_info_t root;
  checked_call(H5Oget_info_by_name2(handle_.id(), "/", &root, H5O_INFO_BASIC, H5P_DEFAULT), "the root group");
  root_address_ = root.addr;
}

void OpenFile::open_handle() const {
  handle_ = {};
  failed_before_ = times_failed(*bytes_);
  ++times_opened_;
  handle_ = opened(location_, context_.files);
}

bool OpenFile::is_spoiled() const {
  return handle_.id() < 0 || times_failed(*bytes_) != failed_before_;
}

ObjectHandle OpenFile::open_object(uint64_t address) const {
  bytes_->check_unchanged();
  forget_driver_error();  // of calls that succeeded without the data they could not read
  if (is_spoiled()) open_handle();
  const hid_t object = H5Oopen_by_addr(handle_.id(), address);
  if (object < 0) throw unless_newer(library_error("object cannot be opened"), address, false);
  return ObjectHandle(object);
}

Error OpenFile::unless_newer(const Error& error, uint64_t address, bool in_attributes) const {
  if (error.code() != Errc::damaged) return error;
  try {
    const auto newer = newer_form(*bytes_, layout_, address, in_attributes, error.what());
    return newer ? unsupported("written by a newer HDF5 ({})", *newer) : error;
  } catch (const Error& in_header) {
    return is_transient(in_header) ? in_header : error;
  }
}

}  // namespace plainfs::hdf5
