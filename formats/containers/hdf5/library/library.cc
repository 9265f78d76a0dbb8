#include "formats/containers/hdf5/library/library.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/own_filters.h"

namespace plainfs::hdf5 {
namespace {

// Never destroyed, since a handle may be dropped while the process ends.
std::recursive_mutex& library_mutex() {
  static auto& mutex = *new std::recursive_mutex;
  return mutex;
}

// A conversion of the library that keeps the bytes: those of an element become an opaque value of the same
// size.
herr_t keep_bytes(hid_t source, hid_t target, H5T_cdata_t* conversion, size_t, size_t, size_t, void*, void*,
                  hid_t) {
  if (conversion->command != H5T_CONV_INIT) return 0;
  conversion->need_bkg = H5T_BKG_NO;
  return H5Tget_size(source) == H5Tget_size(target) ? 0 : -1;
}

void register_stored_bytes() {
  const TypeHandle opaque(H5Tcreate(H5T_OPAQUE, 1));
  std::vector<TypeHandle> generated;
  generated.emplace_back(H5Tcreate(H5T_COMPOUND, 1));
  generated.emplace_back(H5Tvlen_create(H5T_NATIVE_CHAR));
  const hsize_t one = 1;
  generated.emplace_back(H5Tarray_create2(H5T_NATIVE_CHAR, 1, &one));
  generated.emplace_back(H5Tenum_create(H5T_NATIVE_CHAR));
  std::vector<hid_t> sources{H5T_NATIVE_INT,  H5T_NATIVE_FLOAT, H5T_C_S1,   H5T_NATIVE_B8,
                             H5T_STD_REF_OBJ, H5T_UNIX_D32LE,   opaque.id()};  // opaque: with another tag
  for (const TypeHandle& type : generated) sources.push_back(type.id());
  for (const hid_t source : sources)
    checked_call(H5Tregister(H5T_PERS_SOFT, "stored bytes", source, opaque.id(), keep_bytes),
                 "libhdf5 refuses a conversion");
}

const LinkFollower* link_follower = nullptr;  // guarded by the library's lock

// Follows an external link through the present LinkFollower. The library never follows one by itself: data of
// other files are read only by code that checks whether it may.
hid_t follow_external(const char*, hid_t group, const void* value, size_t size, hid_t, hid_t) {
  try {
    unsigned flags = 0;
    const char *file = nullptr, *object = nullptr;
    if (!link_follower || H5Lunpack_elink_val(value, size, &flags, &file, &object) < 0) return -1;
    return link_follower->follow(path_of_file(group), file, object).release();
  } catch (...) {
    keep_driver_error();
  }
  return -1;
}

ssize_t copy_link_value(const char*, const void* value, size_t size, void* out, size_t room) {
  if (out) std::memcpy(out, value, std::min(size, room));
  return static_cast<ssize_t>(size);
}

void keep_external_links() {
  H5L_class_t links{};
  links.version = H5L_LINK_CLASS_T_VERS;
  links.id = H5L_TYPE_EXTERNAL;
  links.comment = "external, followed by plainfs";
  links.trav_func = follow_external;
  links.query_func = copy_link_value;
  checked_call(H5Lregister(&links), "libhdf5 refuses a class of links");
}

void start_library() {
  H5dont_atexit();  // handles may outlive main's statics
  checked_call(H5open(), "libhdf5 does not start");
  // Also for the sources of virtual datasets, which the library opens by itself. It refuses to open one file
  // with different settings.
  checked_call(H5Pset_file_locking(H5P_FILE_ACCESS_DEFAULT, false, true), "libhdf5 refuses to lock no files");
  register_stored_bytes();
  keep_external_links();
  register_own_filters();
}

// Returns whether an error means that memory ran out. This includes the state after an earlier failure in
// which the library lost some of its property lists: no file can make it miss one, and its skip lists do not
// depend on files.
bool is_no_memory(const H5E_error2_t& error) {
  if (error.min_num == H5E_NOSPACE || error.min_num == H5E_CANTALLOC || error.maj_num == H5E_SLIST)
    return true;
  return error.maj_num == H5E_PLIST &&
         (error.min_num == H5E_NOTFOUND || error.min_num == H5E_CANTCREATE || error.min_num == H5E_CANTCOPY);
}

bool is_to_be_replaced = false;

[[noreturn]] void throw_no_memory() {
  if (is_to_be_replaced) throw std::bad_alloc();
  throw unreadable("libhdf5 ran out of memory while reading this file");
}

herr_t collect(unsigned, const H5E_error2_t* error, void* data) {
  return static_cast<Collected<std::string>*>(data)->add([&]() -> std::string {
    if (is_no_memory(*error)) throw_no_memory();
    return error->desc ? error->desc : "";
  });
}

herr_t look_for_memory(unsigned, const H5E_error2_t* error, void* data) {
  if (is_no_memory(*error)) *static_cast<bool*>(data) = true;
  return 0;
}

}  // namespace

LibraryLock::LibraryLock() : lock_(library_mutex()) {
  // Guarded by the lock. Set first, because starting creates handles, which lock.
  static bool started = false;
  if (!std::exchange(started, true)) {
    try {
      start_library();
    } catch (const Error& error) {
      started = false;                       // a partial start does not count
      throw unreadable("{}", error.what());  // no file is to blame
    } catch (...) {
      started = false;
      throw;
    }
  }
  // A thread-safe build of the library has one error stack per thread. Each prints errors until that is
  // turned off.
  static thread_local bool is_quiet = false;
  if (!std::exchange(is_quiet, true)) H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void replace_library_without_memory() {
  is_to_be_replaced = true;
}

std::string take_library_error() {
  Collected<std::string> collected;
  const herr_t walked = H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, collect, &collected);
  H5Eclear2(H5E_DEFAULT);
  collected.rethrow();
  const std::vector<std::string>& reasons = collected.items;  // outermost first
  if (walked < 0) return "libhdf5 gives no reason";
  if (reasons.empty()) return "libhdf5 gives no reason";
  std::string text = reasons.front();
  if (reasons.size() > 1 && reasons.back() != text) text += ": " + reasons.back();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

void clear_library_error() {
  bool is_none_left = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, look_for_memory, &is_none_left);
  H5Eclear2(H5E_DEFAULT);
  if (is_none_left) throw_no_memory();
}

Error library_error(const std::string& what) {
  try {
    throw_driver_error();
  } catch (const Error& error) {
    H5Eclear2(H5E_DEFAULT);
    return error.at(what);
  }
  return damaged("{}: {}", what, take_library_error());
}

FollowedLinks::FollowedLinks(const LinkFollower& follower)
    : before_(std::exchange(link_follower, &follower)) {}
FollowedLinks::~FollowedLinks() {
  link_follower = before_;
}

std::string path_of_file(hid_t object) {
  const ssize_t size = checked_call(H5Fget_name(object, nullptr, 0), "the name of a file");
  std::string path(static_cast<size_t>(size) + 1, '\0');
  checked_call(H5Fget_name(object, path.data(), path.size()), "the name of a file");
  path.resize(static_cast<size_t>(size));
  return path;
}

TypeHandle stored_bytes_type(size_t size) {
  return checked_handle<TypeHandle>(H5Tcreate(H5T_OPAQUE, size), "no opaque type");
}

}  // namespace plainfs::hdf5
