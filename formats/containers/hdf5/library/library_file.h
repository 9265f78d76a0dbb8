// Everything that libhdf5 is asked about a file, in plain values: addresses, names, types, bytes. This is the
// one header through which the rest of this folder uses the library; nothing of <hdf5.h> passes it, so that
// what is behind it can be moved to a process of its own. Const and thread-safe. What a function throws is
// damaged, unsupported, or why the file's bytes could not be had.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/containers/hdf5/stored_type.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

struct StoredLink {
  enum class Kind { hard, soft, external, other };
  std::string name;
  Kind kind = Kind::other;
  uint64_t address = 0;        // hard: of the object's header
  std::string file;            // external
  std::string path;            // soft and external
  std::optional<Error> error;  // why it cannot be told where it leads
};

struct StoredAttribute {
  std::string name;
  StoredExtent extent;
  Bytes stored;                // its elements, as they lie in the file
  std::optional<Error> error;  // why these cannot be told
};

struct StoredFilter {
  unsigned number;
  std::vector<unsigned> values;
  bool library_has_it;
};

// A stretch of a dataset's bytes in a file of its own.
struct ExternalStretch {
  std::string file;  // as stored
  int64_t offset;
  uint64_t size;  // the last may be without limit
};

struct StoredDataset {
  enum class Layout { compact, contiguous, chunked, virtual_sources };
  StoredExtent extent;
  std::optional<Error> error;  // why the rest, or all but extent.type.dtype, cannot be told
  Layout layout = Layout::compact;
  // contiguous
  std::optional<uint64_t> offset;         // in the file, user block included; none where nothing was written
  uint64_t stored_bytes = 0;              // from there on
  std::vector<ExternalStretch> external;  // in place of these
  // chunked
  Shape chunk_shape;
  std::vector<StoredFilter> filters;
  bool has_btree = false;           // as its index of chunks
  bool partial_unfiltered = false;  // chunks that are cut by the dataset's end have no filter
};

enum class ObjectKind { group, dataset, other };

struct StoredObjectFacts {
  ObjectKind kind = ObjectKind::other;
  StoredDataset dataset;
};

// A chunk as it is stored.
struct StoredChunkBytes {
  Bytes bytes;
  uint32_t filter_mask;  // bit i: filter i was left out when it was written
};

// What was found of an object, or why it cannot be told.
struct FoundObject {
  StoredObjectFacts facts;
  std::optional<Error> error;
};

class LibraryFile {
 public:
  LibraryFile() = default;
  virtual ~LibraryFile() = default;
  LibraryFile(const LibraryFile&) = delete;
  LibraryFile& operator=(const LibraryFile&) = delete;

  virtual const FilePtr& bytes() const = 0;
  virtual const FileLayout& layout() const = 0;
  virtual unsigned superblock_version() const = 0;
  virtual uint64_t root_address() const = 0;

  // The object whose header is at address.
  virtual StoredObjectFacts object(uint64_t address) const = 0;
  // Of each address, in that order.
  virtual std::vector<FoundObject> objects(const std::vector<uint64_t>& addresses) const = 0;
  // By name.
  virtual std::vector<StoredLink> links(uint64_t group) const = 0;
  virtual std::optional<StoredLink> find_link(uint64_t group, const std::string& name) const = 0;
  virtual std::vector<StoredAttribute> attributes(uint64_t object) const = 0;
  virtual std::optional<StoredAttribute> attribute(uint64_t object, const std::string& name) const = 0;

  // The elements of box of a dataset, with fill for what was never written (zero where none is defined), to
  // place target in a dense block of shape block_shape at out. They are as stored; those of a virtual
  // dataset, whose sources may store another type, in the dataset's own type. Not to be called with the cache
  // waiting for it.
  virtual void read(uint64_t dataset, uint64_t element_size, const Box& box, const Shape& block_shape,
                    const Shape& target, std::byte* out) const = 0;
  // The chunk whose first element is origin; nullopt where there is none, or the library does not find it.
  virtual std::optional<StoredChunkBytes> read_chunk(uint64_t dataset, const Shape& origin) const = 0;
};

// "1.10.8"
std::string library_version();

}  // namespace plainfs::hdf5
