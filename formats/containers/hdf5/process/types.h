// Datatypes as messages. Redundant facts are sent once and derived by the reader. The result is therefore
// consistent whatever the bytes are: each part of a record is inside it, and each number has a valid size.
#pragma once

#include "formats/containers/hdf5/process/protocol.h"
#include "formats/containers/hdf5/stored_type.h"

namespace plainfs::hdf5 {

void write_shape(Writer& out, const Shape& shape);
Shape read_shape(Cursor& in);

void write_extent(Writer& out, const StoredExtent& extent);
// Throws damaged if it is invalid. layout: of its file.
StoredExtent read_extent(Cursor& in, const FileLayout& layout);

}  // namespace plainfs::hdf5
