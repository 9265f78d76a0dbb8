// The footer of a Parquet file: its columns, and the places of their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/containers/parquet/format.h"
#include "formats/core/base/key_store.h"

namespace plainfs::parquet {

// The meaning of a column according to its logical type or, without one that is known, its converted type.
struct Meaning {
  int kind = logical::kNone;  // an id of LogicalType; kNone: that of the physical type
  bool is_interval = false;   // the converted type INTERVAL, which has no logical type
  int64_t scale = 0;          // DECIMAL
  int64_t unit = 0;           // TIME, TIMESTAMP: kMillis, ...; another number is unknown
  bool is_utc = false;        // TIME, TIMESTAMP
  int64_t bits = 0;           // INTEGER
  bool is_signed = true;      // INTEGER
  bool is_map_or_list() const { return kind == logical::kMap || kind == logical::kList; }
  bool operator==(const Meaning&) const = default;
};

// A column or a group of columns. Levels count from the root.
struct Column {
  std::string name;
  Repetition repetition = Repetition::required;
  uint8_t definition = 0;   // the number of elements up to this one that are not required
  uint8_t repetitions = 0;  // the number of elements up to this one that are repeated
  Meaning meaning;
  std::vector<Column> children;  // of a group
  size_t leaf_count = 0;         // of the column itself or below it
  bool is_leaf = false;
  // The rest is set for a leaf.
  Physical physical = Physical::boolean;
  uint32_t length = 0;  // bytes of a value of Physical::fixed
  size_t leaf = 0;      // its number among all leaves
};

// The values of a leaf in a row group.
struct Chunk {
  enum class Fault : uint8_t {
    none,
    encrypted,
    in_other_file,
    without_metadata,
    of_other_column,
    of_other_type,
    miscounted  // the row group has another number of columns than the schema
  };
  Fault fault = Fault::none;
  int codec = 0;
  uint64_t values = 0;        // with missing ones
  uint64_t begin = 0;         // of its first page in the file
  uint64_t size = 0;          // of its pages
  uint64_t plain_size = 0;    // the same without compression, as the file states it; for estimates
  uint64_t offset_index = 0;  // its offset in the file; 0: none
  uint64_t offset_index_size = 0;
};

struct RowGroup {
  uint64_t rows = 0;
  std::vector<Chunk> chunks;  // one per leaf
};

struct Footer {
  Footer() = default;
  Footer(Footer&&) = default;
  Footer& operator=(Footer&&) = default;

  Column root;
  std::vector<const Column*> leaves;  // in the order of the chunks; they belong to root
  std::vector<RowGroup> groups;
  std::vector<std::pair<std::string, std::string>> keys;
  std::string created_by;
  uint64_t rows = 0;         // of all groups
  uint64_t stated_rows = 0;  // of the file, according to itself
  uint64_t data_end = 0;     // the offset of the footer

  // Returns the value of a key, or null.
  const std::string* key(std::string_view name) const;
};

// Reads the footer of a file. Throws damaged if it cannot be understood, unsupported if it is encrypted or
// larger than 256 MiB.
Footer read_footer(const Value& file);

}  // namespace plainfs::parquet
