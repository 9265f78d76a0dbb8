// The header of a NetCDF classic file: CDF-1 (32-bit offsets), CDF-2 (64-bit offsets) and CDF-5 (64-bit
// data). Source: "NetCDF Classic Format Specification", Unidata; see FORMAT.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/file.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/attribute.h"

namespace plainfs::netcdf {

struct Dimension {
  std::string name;
  uint64_t length;  // for the record dimension, the number of records
  bool is_record = false;
};

// An attribute as it is stored. The values of a large one stay in the file.
struct StoredAttribute {
  std::string name;
  uint32_t type;    // nc_type
  uint64_t count;   // of elements
  uint64_t offset;  // of the elements in the file
  Bytes elements;   // empty if they are more than kMaxKeptBytes

  static constexpr uint64_t kMaxKeptBytes = 4096;
};
using StoredAttributes = std::vector<StoredAttribute>;

struct Variable {
  std::string name;
  std::vector<uint64_t> dimensions;  // indices into Header::dimensions
  StoredAttributes attributes;
  DType type;      // as stored, big-endian; characters are fixed_text of one byte
  uint64_t begin;  // offset of the data in the file; for a record variable, of its first record
  bool is_record = false;
};

struct Header {
  int version = 1;  // 1, 2 or 5
  std::vector<Dimension> dimensions;
  StoredAttributes attributes;
  std::vector<Variable> variables;
  uint64_t record_size = 0;  // bytes from one record to the next

  Shape shape_of(const Variable& variable) const;
};

// Returns the version of the format that the first bytes of a file name, nullopt if they name none.
std::optional<int> version_of(ByteSpan first_bytes);

// Reads the header of a file. Throws damaged if it is invalid, unsupported if it is larger than 64 MiB, and
// errors of reading the file.
Header read_header(const File& file);

// Returns attributes of the file. Large ones are read when their value is asked for.
Attributes attributes_of(const StoredAttributes& stored, const FilePtr& file);

}  // namespace plainfs::netcdf
