// A column of a table as Parquet has it: its type, and its values run by run as they are stored one after the
// other, without those that are missing. The facts and their source: PARQUET.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

enum class ParquetPhysical { boolean = 0, int32 = 1, int64 = 2, real32 = 4, real64 = 5, bytes = 6 };

// Encodings of pages.
inline constexpr int kParquetPlain = 0, kParquetRle = 3, kParquetRleDictionary = 8;

struct ParquetType {
  ParquetPhysical physical;
  int converted = -1;   // ConvertedType; -1: none
  std::string logical;  // the union LogicalType in Thrift, with its end; empty: none
  bool is_unsigned = false;
  std::string pandas_type;
  std::string numpy_type;     // as pandas has it where nothing is missing
  std::string nullable_type;  // and where something may be
};

// Rows [first, first + count) of a column: what is there, as it is stored.
struct ParquetRun {
  Bytes values;                   // a truth value is a byte here
  std::vector<uint8_t> is_there;  // a row each
  uint64_t there = 0;             // how many
};

// Rows that are read, counted and found again together.
inline constexpr uint64_t kParquetRun = 1024;

class ParquetColumn {
 public:
  ParquetColumn(std::string name, ParquetType type, bool is_optional)
      : name_(std::move(name)), type_(std::move(type)), is_optional_(is_optional) {}
  virtual ~ParquetColumn() = default;

  const std::string& name() const { return name_; }
  const ParquetType& type() const { return type_; }
  // Whether the file says that some may be missing.
  bool is_optional() const { return is_optional_; }
  // Bytes of each value in ParquetRun; 0: they vary.
  virtual uint32_t size() const = 0;
  // Throws Error; unsupported also where a value is missing of a column that is not optional.
  ParquetRun read(uint64_t first, uint64_t count, bool in_passing) const;
  // Rows to read at a time at least, so that what they are made of is decoded once.
  virtual uint64_t least_rows() const { return 1; }
  virtual const Array& array() const = 0;
  // The PLAIN page of a factor's levels; null of other columns.
  virtual std::shared_ptr<const std::string> dictionary() const { return nullptr; }
  virtual uint64_t levels() const { return 0; }
  virtual bool is_ordered() const { return false; }
  // The levels where they have an order, else none.
  virtual std::vector<std::string> ordered_levels() const { return {}; }

 private:
  virtual void read_into(uint64_t first, uint64_t count, bool in_passing, ParquetRun& run) const = 0;

  const std::string name_;
  const ParquetType type_;
  const bool is_optional_;
};
using ParquetColumnPtr = std::shared_ptr<const ParquetColumn>;

// Whether the file says that values may be missing: as the array and its type tell, or as the caller knows.
enum class Nulls { as_array, possible, none };

// values: no compound. A factor of more levels than `most_levels` is its labels. Reads the levels.
ParquetColumnPtr parquet_column(std::string name, ArrayPtr values, uint64_t most_levels, Context& context,
                                Nulls nulls = Nulls::as_array);

}  // namespace plainfs
