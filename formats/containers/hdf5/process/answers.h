// The parts of the answers of libhdf5's process. They are not trusted: reading throws damaged if the bytes
// are not such an answer or its contents are inconsistent.
#pragma once

#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/process/protocol.h"
#include "formats/containers/hdf5/stored_type.h"
#include "formats/core/base/checked.h"

namespace plainfs::hdf5 {

// Datatypes and extents. Redundant facts are sent once and derived by the reader. The result is therefore
// consistent whatever the bytes are: each part of a record is inside it, and each number has a valid size.
void describe(Writer& out, const StoredExtent& extent);
void describe(Reader& in, StoredExtent& extent);

// The facts about a file after opening it.
struct OpenedFacts {
  FileLayout layout;
  unsigned superblock_version = 0;
  uint64_t root_address = 0;
  uint64_t fingerprint = 0;  // of the file that was opened
};

template <class Wire>
void describe(Wire& wire, Some<OpenedFacts> auto& facts) {
  wire(facts.layout.base_address, facts.layout.address_size, facts.layout.length_size,
       facts.superblock_version, facts.root_address, facts.fingerprint);
  for (const unsigned size : {facts.layout.address_size, facts.layout.length_size})
    if (size < 2 || size > 8) throw damaged("invalid addresses or lengths: {} bytes", size);
}

template <class Wire>
void describe(Wire& wire, Some<StoredLink> auto& link) {
  wire(link.name);
  wire.choice(link.kind, StoredLink::Kind::other);
  wire(link.address, link.file, link.path, link.error);
}

template <class Wire>
void describe(Wire& wire, Some<StoredAttribute> auto& attribute) {
  wire(attribute.name, attribute.error);
  if (attribute.error) return;
  wire(attribute.extent, attribute.stored, attribute.is_left_out);
  if (attribute.is_left_out) return;
  const StoredExtent& extent = attribute.extent;
  const uint64_t count = extent.is_null ? 0 : element_count(extent.dataset_shape);
  if (attribute.stored.size() != checked_multiply(count, extent.stored_size))
    throw damaged("attribute {}: {} bytes for {} elements", attribute.name, attribute.stored.size(), count);
}

template <class Wire>
void describe(Wire& wire, Some<ExternalStretch> auto& stretch) {
  wire(stretch.file, stretch.offset, stretch.size);
}

template <class Wire>
void describe(Wire& wire, Some<StoredFilter> auto& filter) {
  wire(filter.number, filter.library_has_it, filter.values);
}

template <class Wire>
void describe(Wire& wire, Some<StoredDataset> auto& dataset) {
  wire(dataset.error);
  bool has_type = dataset.extent.type.size != 0;  // otherwise it could not be read
  wire(has_type);
  if (has_type) {
    wire(dataset.extent);
  } else {
    if (!dataset.error) throw damaged("a dataset has no type");
    wire(dataset.extent.is_null, dataset.extent.dataset_shape);
    element_count(dataset.extent.dataset_shape);  // throws if it is too large
    if constexpr (Wire::kReads) {
      dataset.extent.type.dtype = number_type(Kind::integer, 1);
      dataset.extent.shape = dataset.extent.dataset_shape;
    }
  }
  wire.choice(dataset.layout, StoredDataset::Layout::virtual_sources);
  wire(dataset.offset, dataset.stored_bytes, dataset.external, dataset.chunk_shape, dataset.filters,
       dataset.has_btree, dataset.partial_unfiltered);
  const size_t rank = dataset.extent.dataset_shape.size();
  const bool is_read = !dataset.error && !dataset.extent.is_null;
  if (is_read && dataset.layout == StoredDataset::Layout::chunked &&
      (rank == 0 || dataset.chunk_shape.size() != rank))
    throw damaged("chunks of rank {} in a dataset of rank {}", dataset.chunk_shape.size(), rank);
}

template <class Wire>
void describe(Wire& wire, Some<StoredObjectFacts> auto& object) {
  wire.choice(object.kind, ObjectKind::other);
  if (object.kind == ObjectKind::dataset) wire(object.dataset);
}

template <class Wire>
void describe(Wire& wire, Some<FoundObject> auto& found) {
  wire(found.error);
  if (!found.error) wire(found.facts);
}

template <class Wire>
void describe(Wire& wire, Some<KnownObject> auto& object) {
  wire(object.facts, object.links, object.attributes);
}

template <class Wire>
void describe(Wire& wire, Some<StoredChunkBytes> auto& chunk) {
  wire(chunk.filter_mask, chunk.bytes);
}

}  // namespace plainfs::hdf5
