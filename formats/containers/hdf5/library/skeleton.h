// The metadata of an HDF5 file that is to be written, without its data: libhdf5 writes it through a file
// driver that keeps what it is given, and each dataset is contiguous, so that it is known
// where the bytes of each go. The same objects give the same bytes with one version of the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plainfs::hdf5 {

enum class SkeletonKind {
  integer,  // little-endian, as all numbers
  unsigned_integer,
  real,
  boolean,     // the enumeration FALSE 0, TRUE 1 that h5py makes, one byte
  ascii_text,  // of fixed length, padded with NUL
  utf8_text,
  variable_text,  // UTF-8 of any length, in chunks alone
};

// How a dataset is divided that is not contiguous.
struct SkeletonChunks {
  std::vector<uint64_t> shape;  // of a chunk
  int level = 0;                // of gzip, 1 to 9
  bool is_shuffled = false;     // before that
  bool may_grow = false;        // along the first axis
};

struct SkeletonDataset {
  SkeletonKind kind;
  uint32_t size;  // bytes of one element, at least 1
  std::vector<uint64_t> shape;
  std::optional<SkeletonChunks> chunks{};  // none: contiguous
};

// Texts are of variable length, UTF-8; a list has rank 1.
using SkeletonValue =
    std::variant<std::string, std::vector<std::string>, int64_t, std::vector<int64_t>, bool>;

struct SkeletonAttribute {
  std::string name;
  SkeletonValue value;
};

struct SkeletonObject {
  std::string path;  // "/obs/n": after the group it is in; "/" is the root
  std::vector<SkeletonAttribute> attributes;
  std::optional<SkeletonDataset> dataset{};  // none: a group
};

struct Skeleton {
  struct Extent {
    uint64_t offset;
    std::string bytes;
  };
  uint64_t size = 0;                   // of the file
  std::vector<Extent> extents;         // what the library wrote, by offset; all else but the data is zero
  std::vector<uint64_t> data_offsets;  // of each object: where its data begin; 0 where it has none
};

// Requires: no dataset has chunks. Throws unsupported where the library does not take them: a name that no
// HDF5 file can have.
Skeleton write_skeleton(const std::vector<SkeletonObject>& objects);

}  // namespace plainfs::hdf5
