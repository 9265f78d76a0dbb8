// All questions about a file that libhdf5 answers, in plain values: addresses, names, types, bytes. The rest
// of this folder uses the library only through this header. Nothing of <hdf5.h> passes it, so the
// implementation can run in its own process. Const and thread-safe. Functions throw damaged, unsupported, or
// the error of reading the file's bytes.
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
  std::optional<Error> error;  // why its target cannot be read
};

struct StoredAttribute {
  std::string name;
  StoredExtent extent;
  Bytes stored;                // its elements, as in the file
  std::optional<Error> error;  // why these cannot be read
  bool is_left_out = false;    // there are elements, but `stored` is empty
};

// attributes() and known() leave out the elements of an attribute that has more bytes.
inline constexpr uint64_t kMaxListedAttributeBytes = 64 << 10;

struct StoredFilter {
  unsigned number;
  std::vector<unsigned> values;
  bool library_has_it;
};

// A stretch of a dataset's bytes in an external file.
struct ExternalStretch {
  std::string file;  // as stored
  int64_t offset;
  uint64_t size;  // the last may be without limit
};

struct StoredDataset {
  enum class Layout { compact, contiguous, chunked, virtual_sources };
  StoredExtent extent;
  std::optional<Error> error;  // why the rest, or all but extent.type.dtype, cannot be read
  Layout layout = Layout::compact;
  // contiguous
  std::optional<uint64_t> offset;         // in the file, with the user block; nullopt if nothing was written
  uint64_t stored_bytes = 0;              // from there on
  std::vector<ExternalStretch> external;  // in place of these
  // chunked
  Shape chunk_shape;
  std::vector<StoredFilter> filters;
  bool has_btree = false;           // as its index of chunks
  bool partial_unfiltered = false;  // chunks that the dataset's end cuts have no filter
};

enum class ObjectKind { group, dataset, other };

struct StoredObjectFacts {
  ObjectKind kind = ObjectKind::other;
  StoredDataset dataset;
};

// A chunk as it is stored.
struct StoredChunkBytes {
  Bytes bytes;
  uint32_t filter_mask;  // bit i: filter i was not applied
};

// The facts about an object, or the error of reading them.
struct FoundObject {
  StoredObjectFacts facts;
  std::optional<Error> error;
};

// An object with its members and attributes. Unlike in the answers to single questions, whatever is large or
// cannot be read is omitted.
struct KnownObject {
  StoredObjectFacts facts;
  std::optional<std::vector<StoredLink>> links;  // of a group, by name
  std::optional<std::vector<StoredAttribute>> attributes;
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

  // Returns the facts about the object that has its header at address.
  virtual StoredObjectFacts object(uint64_t address) const = 0;
  // Returns the facts about the object at each address, in that order.
  virtual std::vector<FoundObject> objects(const std::vector<uint64_t>& addresses) const {
    std::vector<FoundObject> found;
    for (const uint64_t address : addresses) {
      try {
        found.push_back({object(address), {}});
      } catch (const Error& error) {
        found.push_back({{}, error});
      }
    }
    return found;
  }
  // Returns the links by name.
  virtual std::vector<StoredLink> links(uint64_t group) const = 0;
  virtual std::optional<StoredLink> find_link(uint64_t group, const std::string& name) const = 0;
  virtual std::vector<StoredAttribute> attributes(uint64_t object) const = 0;
  virtual std::optional<StoredAttribute> attribute(uint64_t object, const std::string& name) const = 0;

  // Reads the elements of box of a dataset to place target in a dense block of shape block_shape at out.
  // Elements that were never written have the fill value, or zero if none is defined. Elements are as stored.
  // For a virtual dataset, which may have sources of another type, they have the dataset's own type. Must not
  // be called while the cache waits for it.
  virtual void read(uint64_t dataset, uint64_t element_size, const Box& box, const Shape& block_shape,
                    const Shape& target, std::byte* out) const = 0;
  // Returns the chunk that begins at element origin. Returns nullopt if it is absent or the library does not
  // find it.
  virtual std::optional<StoredChunkBytes> read_chunk(uint64_t dataset, const Shape& origin) const = 0;
};

// Returns "1.10.8" or similar.
std::string library_version();

}  // namespace plainfs::hdf5
