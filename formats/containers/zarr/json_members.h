// The values of members of Zarr's metadata documents: lengths, shapes, separators, records, attributes.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/model/arrays/chunked_array.h"
#include "formats/core/model/elements/attribute.h"
#include "formats/core/text/json_members.h"

namespace plainfs::zarr {

// These throw damaged if the value is of another kind. what: the member's name, for the message.
uint64_t to_length(const Json& value, std::string_view what);
Shape to_lengths(const Json& list, std::string_view what);
char to_separator(const Json& value);  // "." or "/"

// Returns a record of these fields. Throws damaged if two have the same name.
DType named_record(std::vector<Field> fields);
// Throws damaged unless the bytes of the array, and of each chunk, can be counted in 64 bits.
void check_byte_counts(const DType& dtype, const ChunkGrid& grid);

Attributes to_attributes(const Json::Object& object);

}  // namespace plainfs::zarr
