// The messages of an object header: a bounds-checked reader of our own. Sources: HDF5 File Format
// Specification 3.0, sections IV.A.1 (object header), IV.A.2.b (dataspace), IV.A.2.d (datatype), IV.A.2.i
// (layout), IV.A.2.m (attribute), IV.A.2.q (continuation), IV.A.2.v (attribute info).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/file.h"

namespace plainfs::hdf5 {

inline constexpr unsigned kDataspaceMessage = 0x0001;
inline constexpr unsigned kLayoutMessage = 0x0008;

struct HeaderMessage {
  unsigned type;
  unsigned flags;
  ByteSpan data;
  bool has_checksum;  // of the header that contains it
};

// Calls visit for each message of the object header at address (from the base address), in order, until it
// returns false. Throws damaged if the header is invalid up to there.
void for_each_message(const File& file, const FileLayout& layout, uint64_t address,
                      const std::function<bool(const HeaderMessage&)>& visit);

// Returns the names of an object's attributes in the order of its header. Returns nullopt if some are stored
// outside it (many attributes, shared ones). Throws damaged if the header is invalid, even if libhdf5 accepts
// it: release 1.10 crashes when it lists attributes and one is damaged. Opening a damaged attribute by its
// name is an error.
std::optional<std::vector<std::string>> attribute_names(const File& file, const FileLayout& layout,
                                                        uint64_t address);

// The parts of an attribute in the header. Each is a message of its own form.
struct HeaderAttribute {
  bool has_shared_type;  // type holds the location of the shared type
  Bytes type;
  Bytes space;
  Bytes data;  // to the end of the message, which may be padded
};

// Returns an object's attribute of that name. Returns nullopt if its header has none; the attribute may still
// be in a heap. Throws damaged if the header is invalid.
std::optional<HeaderAttribute> attribute_in_header(const File& file, const FileLayout& layout,
                                                   uint64_t address, const std::string& name);

// Returns the form that the library cannot read because a newer library wrote it: "layout version 5". reason:
// the library's message about the object at address that it could not open, or (in_attributes) about
// attributes. The library fails for all attributes that follow one of an unknown version. Returns nullopt if
// reason is not about a version, or if the version is as likely to be damaged: one above those that the
// library knows counts only if a checksum covers it or it has been published.
std::optional<std::string> newer_form(const File& file, const FileLayout& layout, uint64_t address,
                                      bool in_attributes, std::string_view reason);

}  // namespace plainfs::hdf5
