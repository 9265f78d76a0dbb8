// The answers of libhdf5's process, as messages. They are not trusted: every read throws damaged if the bytes
// are not such an answer or its contents are inconsistent.
#pragma once

#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/process/protocol.h"
#include "formats/containers/hdf5/stored_type.h"

namespace plainfs::hdf5 {

// Datatypes and extents. Redundant facts are sent once and derived by the reader. The result is therefore
// consistent whatever the bytes are: each part of a record is inside it, and each number has a valid size.
void write_shape(Writer& out, const Shape& shape);
Shape read_shape(Cursor& in);

void write_extent(Writer& out, const StoredExtent& extent);
// Throws damaged if it is invalid. layout: of its file.
StoredExtent read_extent(Cursor& in, const FileLayout& layout);

// The facts about a file after opening it.
struct OpenedFacts {
  FileLayout layout;
  unsigned superblock_version = 0;
  uint64_t root_address = 0;
  uint64_t fingerprint = 0;  // of the file that was opened
};

void write_error(Writer& out, const Error& error);
Error read_error(Cursor& in);

void write_opened(Writer& out, const OpenedFacts& facts);
OpenedFacts read_opened(Cursor& in);

void write_object(Writer& out, const StoredObjectFacts& object);
StoredObjectFacts read_object(Cursor& in, const FileLayout& layout);

void write_link(Writer& out, const StoredLink& link);
StoredLink read_link(Cursor& in);

void write_attribute(Writer& out, const StoredAttribute& attribute);
StoredAttribute read_attribute(Cursor& in, const FileLayout& layout);

// Writes the facts, links and attributes of an object. read_object() and the next two functions read them, in
// that order.
void write_known(Writer& out, const KnownObject& object);
std::optional<std::vector<StoredLink>> read_links_if_known(Cursor& in);
std::optional<std::vector<StoredAttribute>> read_attributes_if_known(Cursor& in, const FileLayout& layout);

void write_chunk(Writer& out, const StoredChunkBytes& chunk);
StoredChunkBytes read_chunk(Cursor& in);

}  // namespace plainfs::hdf5
