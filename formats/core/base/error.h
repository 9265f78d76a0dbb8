// The one exception of plainfs. A message states what is wrong and why, in lower case, without a full stop
// and with the offending value: damaged("chunk {} has {} bytes, expected {}", 3, 10, 16). Boundaries (open,
// chunk, view) catch an Error to prefix the place; fs/fuse turns it into an errno.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace plainfs {

enum class Errc {
  damaged,         // the bytes are wrong; EIO
  unsupported,     // other programs can read it, plainfs cannot; ENOTSUP
  undecodable,     // stored by a codec that plainfs lacks, whatever needs the data; ENOTSUP
  inexpressible,   // the store is sound, but the format of this file cannot express a value of it; EIO
  not_found,       // it does not exist; ENOENT
  not_unique,      // several have that name; ENOTUNIQ
  unreadable,      // the system refuses: permission, a failing disk; EIO
  changed,         // the store is no longer the one that was opened; EIO
  unknown_format,  // no container recognises the path; only while mounting
};

class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Errc code() const { return code_; }
  // Returns this error with "place: " in front of its message. Errc::changed is returned as it is: its
  // message already names the file on disk.
  Error at(std::string_view place) const {
    return code_ == Errc::changed ? *this : Error(code_, fmt::format("{}: {}", place, what()));
  }

 private:
  Errc code_;
};

// Returns whether a retry may succeed later: the system refused (a failing disk, too few descriptors,
// permission), or the store was being written. Such an error must not decide anything permanently.
inline bool is_transient(const Error& error) {
  return error.code() == Errc::unreadable || error.code() == Errc::changed;
}

// Returns whether other programs may succeed where plainfs cannot. A caller that leaves out what a format
// cannot hold asks for Errc::unsupported instead: data that no file can show are not left out.
inline bool is_unsupported(const Error& error) {
  return error.code() == Errc::unsupported || error.code() == Errc::undecodable;
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
Error undecodable(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::undecodable, fmt::format(text, std::forward<A>(values)...));
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
// Returns an error for a store that has changed. what: the path on disk.
inline Error changed(std::string_view what) {
  return Error(Errc::changed, fmt::format("{}: has changed since it was mounted", what));
}
template <class... A>
Error unreadable(fmt::format_string<A...> text, A&&... values) {
  return Error(Errc::unreadable, fmt::format(text, std::forward<A>(values)...));
}
// Returns the error that users see for a std::bad_alloc. It is transient, so it must not be cached.
inline Error out_of_memory() {
  return Error(Errc::unreadable, "out of memory");
}

}  // namespace plainfs
