// Everything that libhdf5 is asked about a file, in plain values: addresses, names, types, bytes. This is the
// one header through which the rest of this folder uses the library; nothing of <hdf5.h> passes it, so that
// what is behind it can be moved to a process of its own. Const and thread-safe. What a function throws is
// damaged, unsupported, or why the file's bytes could not be had.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/hdf5/file_layout.h"
#include "formats/hdf5/stored_extent.h"
#include "formats/model/context.h"

namespace plainfs::hdf5 {

class OpenDataset;
class OpenFile;

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

class LibraryFile {
 public:
  // Read-only, through Context::files; as a reader of a file that is being written (SWMR) where it says so of
  // itself. The Error stands alone after the path.
  LibraryFile(const std::string& location, Context& context);
  ~LibraryFile();

  const FilePtr& bytes() const;
  const FileLayout& layout() const;
  unsigned superblock_version() const;
  uint64_t root_address() const;

  // The object whose header is at address.
  StoredObjectFacts object(uint64_t address) const;
  // By name.
  std::vector<StoredLink> links(uint64_t group) const;
  std::optional<StoredLink> find_link(uint64_t group, const std::string& name) const;
  std::vector<StoredAttribute> attributes(uint64_t object) const;
  std::optional<StoredAttribute> attribute(uint64_t object, const std::string& name) const;

  // The elements of box of a dataset, with fill for what was never written, to place target in a dense block
  // of shape block_shape at out. They are as stored; those of a virtual dataset, whose sources may store
  // another type, in the dataset's own type. Not to be called with the cache waiting for it.
  void read(uint64_t dataset, uint64_t element_size, const Box& box, const Shape& block_shape,
            const Shape& target, std::byte* out) const;
  // How many bytes the chunk has whose first element is origin; nullopt where there is none, or the library
  // does not find it.
  std::optional<uint64_t> chunk_size(uint64_t dataset, const Shape& origin) const;
  std::optional<StoredChunkBytes> read_chunk(uint64_t dataset, const Shape& origin) const;

 private:
  std::shared_ptr<const OpenDataset> open_dataset(uint64_t address) const;

  std::shared_ptr<const OpenFile> file_;
  uint64_t cache_owner_;  // of datasets that are open in the library, by address
};

// "1.10.8"
std::string library_version();

}  // namespace plainfs::hdf5
