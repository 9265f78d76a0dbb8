// The one exception of plainfs. A message says what is wrong and why, in lower case, without a full stop,
// with the offending value in it: damaged("chunk {} has {} bytes, expected {}", 3, 10, 16).
// Seams (open, chunk, view) catch an Error to put the place in front of it; fs/fuse turns it into an errno.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace plainfs {

enum class Errc {
  damaged,         // the bytes are wrong; EIO
  unsupported,     // others can read it, plainfs cannot; ENOTSUP
  inexpressible,   // the store is sound, and the format of this file has no way to write a value of it; EIO
  not_found,       // there is no such thing; ENOENT
  not_unique,      // there are several of that name; ENOTUNIQ
  unreadable,      // the system refuses: permission, a failing disk; EIO
  changed,         // the store is no longer the one that was opened; EIO
  unknown_format,  // no container recognises the path; only while mounting
};

class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Errc code() const { return code_; }
  // The same error with "place: " in front of its message. That something has changed is said of the file on
  // disk, once, wherever it is met.
  Error at(std::string_view place) const {
    return code_ == Errc::changed ? *this : Error(code_, fmt::format("{}: {}", place, what()));
  }

 private:
  Errc code_;
};

// Whether the same may go well later: the system refused (a disk that fails, too few descriptors,
// permission), or it was being written just then. Nothing is decided for good by such an error.
inline bool is_transient(const Error& error) {
  return error.code() == Errc::unreadable || error.code() == Errc::changed;
}

template <class... A>
Error damaged(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::damaged, fmt::format(text, std::forward<A>(values)...));
}
template <class... A>
Error unsupported(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::unsupported, fmt::format(text, std::forward<A>(values)...));
}
template <class... A>
Error inexpressible(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::inexpressible, fmt::format(text, std::forward<A>(values)...));
}
template <class... A>
Error not_found(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::not_found, fmt::format(text, std::forward<A>(values)...));
}
template <class... A>
Error not_unique(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::not_unique, fmt::format(text, std::forward<A>(values)...));
}
// what: the path on disk.
inline Error changed(std::string_view what) {
  return Error(Errc::changed, fmt::format("{}: has changed since it was mounted", what));
}
template <class... A>
Error unreadable(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::unreadable, fmt::format(text, std::forward<A>(values)...));
}
// What a std::bad_alloc is to users. It passes, and is no Error: it is never kept as one.
inline Error out_of_memory() {
  return Error(Errc::unreadable, "out of memory");
}

}  // namespace plainfs
