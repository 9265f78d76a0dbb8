// Datatypes as messages. What a type says twice is told once and made again, so that what is read holds
// together whatever the bytes are: each part of a record lies in it, each number has a size that numbers
// have.
#pragma once

#include "formats/containers/hdf5/process/protocol.h"
#include "formats/containers/hdf5/stored_type.h"

namespace plainfs::hdf5 {

void write_shape(Writer& out, const Shape& shape);
Shape read_shape(Cursor& in);

void write_extent(Writer& out, const StoredExtent& extent);
// Throws damaged where it makes no sense. layout: of the file that it is of.
StoredExtent read_extent(Cursor& in, const FileLayout& layout);

}  // namespace plainfs::hdf5
