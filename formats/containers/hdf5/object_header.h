// The messages of an object header, by a bounds-checked reader of our own. Sources: HDF5 File Format
// Specification 3.0, sections IV.A.1 (object header), IV.A.2.d (datatype), IV.A.2.i (layout), IV.A.2.m
// (attribute), IV.A.2.q (continuation), IV.A.2.v (attribute info).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/file.h"

namespace plainfs::hdf5 {

inline constexpr unsigned kLayoutMessage = 0x0008;

struct HeaderMessage {
  unsigned type;
  unsigned flags;
  ByteSpan data;
  bool has_checksum;  // the header it stands in
};

// Calls visit for each message of the object header at address (from the base address), in order, until it
// returns false. Throws damaged where what comes before that does not hold together.
void for_each_message(const File& file, const FileLayout& layout, uint64_t address,
                      const std::function<bool(const HeaderMessage&)>& visit);

// The names of an object's attributes, in the order of its header; nullopt where some are kept elsewhere
// (many attributes, shared ones). Throws damaged where the header does not hold together, also where libhdf5
// lets that pass: its release 1.10 crashes when it lists attributes of which one is damaged. Opened by its
// name, that one is an error.
std::optional<std::vector<std::string>> attribute_names(const File& file, const FileLayout& layout,
                                                        uint64_t address);

// The parts of an attribute as the header holds them, each a message of its own form.
struct HeaderAttribute {
  bool has_shared_type;  // type says where it stands
  Bytes type;
  Bytes space;
  Bytes data;  // to the end of the message, which may be padded
};

// An object's attribute of that name; nullopt if its header has none, which may be kept in a heap. Throws
// damaged where the header does not hold together.
std::optional<HeaderAttribute> attribute_in_header(const File& file, const FileLayout& layout,
                                                   uint64_t address, const std::string& name);

// What the library cannot read since a newer one wrote it: "layout version 5". reason: what it says of the
// object at address that it could not open, or (in_attributes) of attributes: it fails for all that stand
// behind one that it does not know. nullopt where that is not about a version, or where the version is as
// likely damaged: one that is above those that the library knows is believed where a checksum covers it or it
// has been published.
std::optional<std::string> newer_form(const File& file, const FileLayout& layout, uint64_t address,
                                      bool in_attributes, std::string_view reason);

}  // namespace plainfs::hdf5
