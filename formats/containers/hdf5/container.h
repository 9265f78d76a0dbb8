// The HDF5 container: any HDF5 file as a tree of groups and arrays.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/store.h"

namespace plainfs::hdf5 {

// Returns whether the signature is at an offset where a superblock may be: byte 0, 512, 1024, 2048 and so on.
bool recognises(const Probe& probe);

// Opens the file. The root is the group in the file; schemas refine it. Error messages read well after the
// path.
Store open(const Probe& probe, Context& context);

// Returns the root group of a file in which another format keeps its arrays.
GroupPtr open_group(const std::string& location, Context& context);

// Returns the first bytes, at most 512, of the user block in front of the superblock of group's file. Empty
// if there is no user block.
Bytes user_block(const Group& group);

// Return an attribute of a group or an array of this container with its own type and shape. Return null if it
// is absent or the object is not from this container.
ArrayPtr attribute(const Group& group, const std::string& name);
ArrayPtr attribute(const Array& array, const std::string& name);

// Returns the index of the first variable-length string in array that is a null pointer, which other tools
// distinguish from an empty string. Returns nullopt if all have a value. Reads references up to that string.
std::optional<uint64_t> first_null_string(const Array& array);

// Returns whether the first axis of an array of this container has no limit. Reads the header of its object.
// Throws damaged if that is invalid.
bool can_grow(const Array& array);

// Returns whether an array of this container is stored as a bit field of 8 bits. Some programs store truth
// values in this form.
bool is_bit_field(const Array& array);

}  // namespace plainfs::hdf5
