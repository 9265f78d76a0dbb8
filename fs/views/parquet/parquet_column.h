// A column of a table in Parquet: its type, and its non-missing values, run by run, as stored one after the
// other. PARQUET.md has the facts and their source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/containers/parquet/format.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

using ParquetPhysical = parquet::Physical;

// Encodings of pages.
inline constexpr int kParquetPlain = static_cast<int>(parquet::Encoding::plain),
                     kParquetRle = static_cast<int>(parquet::Encoding::rle),
                     kParquetRleDictionary = static_cast<int>(parquet::Encoding::rle_dictionary);

struct ParquetType {
  ParquetPhysical physical;
  int converted = -1;   // ConvertedType; -1: none
  std::string logical;  // the union LogicalType in Thrift, with its end; empty: none
  bool is_unsigned = false;
  std::string pandas_type;
  std::string numpy_type;     // in pandas, if no value is missing
  std::string nullable_type;  // if values may be missing
};

// Rows [first, first + count) of a column: the non-missing values as stored.
struct ParquetRun {
  Bytes values;                 // one byte per boolean here
  std::vector<uint8_t> exists;  // one per row
  uint64_t present = 0;         // number of values
};

// The number of rows that are read, counted and located together.
inline constexpr uint64_t kParquetRun = 1024;

class ParquetColumn {
 public:
  ParquetColumn(std::string name, ParquetType type, bool is_optional)
      : name_(std::move(name)), type_(std::move(type)), is_optional_(is_optional) {}
  virtual ~ParquetColumn() = default;

  const std::string& name() const { return name_; }
  const ParquetType& type() const { return type_; }
  // Returns whether the file declares that values may be missing.
  bool is_optional() const { return is_optional_; }
  // Returns the bytes of each value in ParquetRun; 0 if they vary.
  virtual uint32_t size() const = 0;
  // Reads a run. Throws Error; unsupported if a value is missing in a column that is not optional.
  ParquetRun read(uint64_t first, uint64_t count, bool sequential) const;
  // Returns the minimum number of rows to read at once, so that the data they come from are decoded once.
  virtual uint64_t least_rows() const { return 1; }
  virtual const Array& array() const = 0;
  // Returns the PLAIN page of a factor's levels; null for other columns.
  virtual std::shared_ptr<const std::string> dictionary() const { return nullptr; }
  virtual uint64_t levels() const { return 0; }
  virtual bool is_ordered() const { return false; }
  // Returns the levels if they are ordered, otherwise an empty list.
  virtual std::vector<std::string> ordered_levels() const { return {}; }

 private:
  virtual void read_into(uint64_t first, uint64_t count, bool sequential, ParquetRun& run) const = 0;

  const std::string name_;
  const ParquetType type_;
  const bool is_optional_;
};
using ParquetColumnPtr = std::shared_ptr<const ParquetColumn>;

// Whether the file declares that values may be missing: as the array and its type do, or as the caller knows.
enum class Nulls { as_array, possible, none };

// Returns the column. Requires: `values` has no compounds. A factor of more than `max_levels` levels is
// written as its labels. Reads the levels.
ParquetColumnPtr parquet_column(std::string name, ArrayPtr values, uint64_t max_levels, Context& context,
                                Nulls nulls = Nulls::as_array);

}  // namespace plainfs
