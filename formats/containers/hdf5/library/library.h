// libhdf5, made safe to use from many threads. The library keeps global state (its error stack, its caches)
// and is not thread-safe everywhere, so every call of it is made while a LibraryLock is held; decoding
// begins after letting go of it. The lock is one for the process, because the library is.
//
// Handles own an identifier of the library and close it under the lock, so they may be dropped anywhere,
// also while their thread holds the lock already. Nothing may ask the cache for anything under the lock.
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

// An identifier of libhdf5, closed by the function that fits its kind.
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
  // As when it is dropped, and tells whether it went well: some calls write no sooner. Requires: the lock is
  // held.
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

// How links and attributes are listed. For any other order the library first makes a table of them, and
// libhdf5 1.10.8 frees parts of that table that it never filled where a link is damaged.
inline constexpr H5_iter_order_t kListingOrder = H5_ITER_NATIVE;

// The library had no memory, be it short or a file's claim too large. That is unreadable, and the library
// goes on with half of what it wanted to remember; after this call it is bad_alloc, for who replaces the
// process then. Requires: there is one thread.
void replace_library_without_memory();

// What the library's error stack says, outermost and innermost reason in one line; the stack is cleared.
// Requires: the lock is held.
std::string take_library_error();

// Forgets it too, where a failure is no error. Throws where the library had no memory: it takes for absent
// what it could not read for that. Requires: the lock is held.
void clear_library_error();

// What a function collects that libhdf5 calls, through frames of C, which nothing may be thrown through.
template <class Item>
struct Collected {
  std::vector<Item> items;
  std::exception_ptr failure;

  // Adds what make() gives. For the function to return: where make() throws, the library shall end its call.
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

// Why a call of the library failed: what its file driver met (thrown, where it is no Error), or else
// damaged("what: reason"). Throws where the library had no memory.
Error library_error(const std::string& what);

// value where a call succeeded (>= 0); else throws library_error(what).
template <class T>
T checked_call(T value, const char* what) {
  if (value < 0) throw library_error(what);
  return value;
}
// The same for a call that collected items; gives them.
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

// An opaque type of size bytes: read with it as memory type, and a dataset or an attribute gives its elements
// as they lie in the file (variable-length references to the global heap included), because library.cc
// registers a conversion of every class to opaque that leaves the bytes alone.
TypeHandle stored_bytes_type(size_t size);

}  // namespace plainfs::hdf5
