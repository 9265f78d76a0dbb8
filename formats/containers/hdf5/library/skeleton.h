// A skeleton of an HDF5 file: the metadata without the data. libhdf5 writes it through a file driver that
// keeps it in memory. All datasets are contiguous, so the offsets of their bytes are known. The same objects
// yield the same bytes with one version of the library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plainfs::hdf5 {

enum class SkeletonKind {
  integer,  // little-endian, like all numbers
  unsigned_integer,
  real,
  boolean,     // h5py's enumeration FALSE 0, TRUE 1, one byte
  ascii_text,  // of fixed length, padded with NUL
  utf8_text,
  variable_text,  // UTF-8 of any length, in chunks, or SkeletonDataset::texts
  complex,        // h5py's compound of two reals, r and i
  empty,          // a null dataspace, as h5py's Empty: no element and no shape
  records,        // SkeletonDataset::records
};

// One field of records: a number, or a text of any length.
struct SkeletonField {
  std::string name;
  SkeletonKind kind;
  uint32_t size;                // bytes of one number
  std::vector<uint64_t> shape;  // of a field that is itself an array
};

// Records with their values, which are written with the metadata.
struct SkeletonRecords {
  std::vector<SkeletonField> fields;
  // The records without padding. A text takes eight bytes: its position in `texts`.
  std::string bytes;
  std::vector<std::string> texts;
};

// The chunks of a dataset that is not contiguous.
struct SkeletonChunks {
  std::vector<uint64_t> shape;  // of a chunk
  int level = 0;                // of gzip, 1 to 9
  bool is_shuffled = false;     // before gzip
  bool may_grow = false;        // along growing_axis
  size_t growing_axis = 0;
};

struct SkeletonDataset {
  SkeletonKind kind;
  uint32_t size;  // bytes of one element, at least 1
  std::vector<uint64_t> shape;
  std::optional<SkeletonChunks> chunks{};  // nullopt: contiguous
  std::shared_ptr<const SkeletonRecords> records{};
  // The values of a dataset of variable_text without chunks, which are written with the metadata.
  std::shared_ptr<const std::vector<std::string>> texts{};
};

// Texts are of variable length, UTF-8. A list has rank 1.
using SkeletonValue =
    std::variant<std::string, std::vector<std::string>, int64_t, std::vector<int64_t>, bool, double>;

struct SkeletonAttribute {
  std::string name;
  SkeletonValue value;
};

struct SkeletonObject {
  std::string path;  // "/obs/n", after its group; "/" is the root
  std::vector<SkeletonAttribute> attributes;
  std::optional<SkeletonDataset> dataset{};  // nullopt: a group
};

struct Skeleton {
  struct Extent {
    uint64_t offset;
    std::string bytes;
  };
  uint64_t size = 0;  // of the file
  // The library's output, by offset. All other bytes but the data are zero.
  std::vector<Extent> extents;
  std::vector<uint64_t> data_offsets;  // offset of each object's data, 0 for an object without any
};

// The bytes of a block before the file's own, of which HDF5 knows only the size.
inline constexpr uint64_t kUserBlock = 512;

// Returns the skeleton of a file with these objects. user_block: the beginning of such a block, at most
// kUserBlock bytes; empty: the file has none. Throws unsupported if the library does not accept the objects,
// for example a name that no HDF5 file can have. Requires: no dataset has chunks.
Skeleton write_skeleton(const std::vector<SkeletonObject>& objects, const std::string& user_block = {});

}  // namespace plainfs::hdf5
