// Names under the mountpoint (fs/VIEWS.md, section 1): the store's own names, made safe for a file system, at
// most 255 bytes long, and distinct within a directory. Bytes that are not UTF-8 pass through unchanged.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plainfs {

inline constexpr size_t kLongestName = 255;  // bytes, Linux's NAME_MAX

// Encodes a stored name: '/' and NUL become %2F and %00, "." and ".." become %2E and %2E%2E, and '%' becomes
// %25 if any of these occurred. The result may have any length.
std::string encode_name(std::string_view stored);

// Returns encoded + extension. If that is too long, `encoded` is cut between two UTF-8 characters, and '~'
// and the 8 hex digits of its CRC-32 stand before the extension. Returns "%" if the name would be empty (a
// member without a name). Requires: extension is shorter than 240 bytes.
std::string file_name(std::string_view encoded, std::string_view extension = {});

// Like file_name(), but with the CRC-32 at any length.
std::string marked_name(std::string_view encoded, std::string_view extension);

// A file, directory or link that a directory shows.
struct NameRequest {
  std::string encoded;
  std::string extension;  // of a view, with its dot; empty for an entry with its own name
};

// Returns one name per request, all distinct and none in `reserved`. An entry with its own name keeps it. A
// view with the name of another entry gets '~' before its extension, and so does the later of two equal names
// ('~~' if that is taken too).
std::vector<std::string> assign_names(std::span<const NameRequest> requests,
                                      std::span<const std::string_view> reserved);

}  // namespace plainfs
