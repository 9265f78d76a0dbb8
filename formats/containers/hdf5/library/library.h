// Safe use of libhdf5 from many threads. The library has global state (its error stack, its caches) and is
// not thread-safe everywhere, so every call of it needs a LibraryLock. Decoding begins after the lock is
// released. There is one lock per process, like the library.
//
// Handles own an identifier of the library and close it under the lock. They may be dropped anywhere, even if
// their thread already holds the lock. The cache must not be called under the lock.
#pragma once

#include <hdf5.h>

#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/base/error.h"

namespace plainfs::hdf5 {

class LibraryLock {
 public:
  LibraryLock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

// An identifier of libhdf5, closed by the function for its kind.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ < 0) return;
    const LibraryLock lock;
    Close(id_);
  }
  // Returns the identifier, which the caller closes.
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }
  // Closes the identifier early and returns the library's result: some calls write only then. Requires: the
  // lock is held.
  herr_t close() { return Close(std::exchange(id_, H5I_INVALID_HID)); }
  hid_t id() const { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using FileHandle = Handle<H5Fclose>;
using ObjectHandle = Handle<H5Oclose>;
using DatasetHandle = Handle<H5Dclose>;
using AttributeHandle = Handle<H5Aclose>;
using TypeHandle = Handle<H5Tclose>;
using SpaceHandle = Handle<H5Sclose>;
using PropertyHandle = Handle<H5Pclose>;

// The order in which links and attributes are listed. For any other order the library first builds a table of
// them. If a link is damaged, libhdf5 1.10.8 frees parts of that table that it never filled.
inline constexpr H5_iter_order_t kListingOrder = H5_ITER_NATIVE;

// Makes the library's lack of memory throw bad_alloc, so that the caller can replace the process. Without
// this call it throws unreadable. In both cases the cause may be a file's excessive claim, and the library is
// left in an incomplete state. Requires: there is only one thread.
void replace_library_without_memory();

// Returns the outermost and innermost reasons on the library's error stack in one line, and clears the stack.
// Requires: the lock is held.
std::string take_library_error();

// Clears the error stack after a failure that is not an error. Throws if the library ran out of memory, since
// it then treats data that it could not read as absent. Requires: the lock is held.
void clear_library_error();

// The items that a callback of libhdf5 collects. Exceptions must not pass through its C frames.
template <class Item>
struct Collected {
  std::vector<Item> items;
  std::exception_ptr failure;

  // Adds the result of make(). The callback returns the value of add(): if make() throws, it makes the
  // library end its call.
  template <class Make>
  herr_t add(Make&& make) noexcept {
    try {
      items.push_back(make());
      return 0;
    } catch (...) {
      failure = std::current_exception();
      return -1;
    }
  }
  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }
};

// Returns the error of a failed call of the library: the error of its file driver, if any (thrown if it is
// not an Error), else damaged("what: reason"). Throws if the library ran out of memory.
Error library_error(const std::string& what);

// Returns value if a call succeeded (>= 0), else throws library_error(what).
template <class T>
T checked_call(T value, const char* what) {
  if (value < 0) throw library_error(what);
  return value;
}
// Returns the items that a call collected, or throws like checked_call.
template <class Item>
std::vector<Item> checked_items(herr_t result, Collected<Item>& collected, const char* what) {
  collected.rethrow();
  checked_call(result, what);
  return std::move(collected.items);
}
template <class H>
H checked_handle(hid_t id, const char* what) {
  return H(checked_call(id, what));
}

// Opens the targets of external links.
class LinkFollower {
 public:
  virtual ~LinkFollower() = default;
  // Opens the object at a path in `file`, which a link in the file at path `from` names. Returns no handle if
  // the file does not exist. Throws Error.
  virtual ObjectHandle follow(const std::string& from, const std::string& file,
                              const std::string& object) const = 0;
};

// While it exists, the library follows external links through `follower`. Otherwise they are values to it,
// and data of other files are out of its reach. Requires: the lock is held.
class FollowedLinks {
 public:
  explicit FollowedLinks(const LinkFollower& follower);
  ~FollowedLinks();
  FollowedLinks(const FollowedLinks&) = delete;
  FollowedLinks& operator=(const FollowedLinks&) = delete;

 private:
  const LinkFollower* const before_;
};

// Returns the path with which the file of an object was opened. Requires: the lock is held.
std::string path_of_file(hid_t object);

// Returns an opaque type of size bytes. With it as memory type, a dataset or an attribute yields its elements
// as stored in the file, including variable-length references to the global heap. This works because
// library.cc registers a conversion of every class to opaque that leaves the bytes alone.
TypeHandle stored_bytes_type(size_t size);

}  // namespace plainfs::hdf5
