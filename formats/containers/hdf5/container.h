// The HDF5 container: any HDF5 file as a tree of groups and arrays.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/store.h"

namespace plainfs::hdf5 {

// Whether the signature stands where a superblock may be: at byte 0, 512, 1024, 2048 and so on.
bool recognises(const Probe& probe);

// The root is as the file has it; schemas refine it. Throws an Error that stands alone after the path.
Store open(const Probe& probe, Context& context);

// The root group of a file that another format keeps its arrays in.
GroupPtr open_group(const std::string& location, Context& context);

// The first bytes of the user block before the superblock of the file that a group of this container is in,
// at most 512; empty where there is none.
Bytes user_block(const Group& group);

// An attribute of a group or an array of this container with its own type and shape; null where there is none
// (or the object is none of this container's).
ArrayPtr attribute(const Group& group, const std::string& name);
ArrayPtr attribute(const Array& array, const std::string& name);

// The first of the variable-length strings of an array that is a null pointer, which other tools tell from an
// empty one; nullopt where none is. Reads the references until it finds one.
std::optional<uint64_t> first_null_string(const Array& array);

// Whether an array of this container is stored as a bit field of 8 bits, which some programs mean as truth
// values.
bool is_bit_field(const Array& array);

}  // namespace plainfs::hdf5
