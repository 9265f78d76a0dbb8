// The values of one leaf column across the row groups of a file, or of the files of a table.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/containers/parquet/encodings.h"
#include "formats/containers/parquet/pages.h"
#include "formats/core/model/context.h"

namespace plainfs::parquet {

// One file of a table.
struct Part {
  std::string name;  // for messages
  ValuePtr bytes;
  Footer footer;
};

// A row group of a table.
struct GroupPlace {
  const Part* part;
  const RowGroup* group;
  uint64_t first;  // row of the table
  uint64_t rows;
};

// The files of a table, with the same columns. Immutable.
class Parts {
 public:
  // Requires: there is a part.
  explicit Parts(std::vector<Part> parts);

  const std::vector<Part>& all() const { return parts_; }
  const std::vector<GroupPlace>& groups() const { return groups_; }
  uint64_t rows() const { return rows_; }
  // Returns the number of the row group with a row. Requires: row < rows().
  size_t group_of(uint64_t row) const;

 private:
  const std::vector<Part> parts_;
  std::vector<GroupPlace> groups_;  // those with rows
  uint64_t rows_ = 0;
};
using PartsPtr = std::shared_ptr<const Parts>;

// How the stored values of a leaf are shown.
struct LeafForm {
  DType type;
  // Converts stored values (encodings.h) to elements of the type. Null: they are the same. max_bytes: the
  // limit for the result.
  std::function<Elements(Elements stored, uint64_t max_bytes)> convert{};
};

// The values of one page, those that are there, and the levels of all.
struct LeafPage {
  uint64_t entries = 0;
  std::vector<uint8_t> repetition;  // empty: all 0
  std::vector<uint8_t> definition;  // empty: all are there
  Elements values;
  size_t allocated_bytes() const {
    return repetition.capacity() + definition.capacity() + values.allocated_bytes();
  }
};

// Thread-safe.
class Leaf {
 public:
  Leaf(PartsPtr parts, size_t number, LeafForm form, Context& context);

  const Parts& parts() const { return *parts_; }
  // Returns the column in the first part, and in the part of a row group: a value may be missing in one part
  // and required in another.
  const Column& column() const { return *column_; }
  const Column& column_in(size_t group) const;
  const DType& type() const { return form_.type; }
  Context& context() const { return context_; }
  // Returns whether a value may be missing, in any part.
  bool may_be_missing() const { return may_be_missing_; }
  // Returns the limit for the memory that a page takes.
  uint64_t max_bytes() const { return max_bytes_; }

  // Returns the pages of a row group. They are kept in the cache.
  std::shared_ptr<const PageList> pages(size_t group) const;
  // Reads a page. Errors name the place.
  LeafPage read(size_t group, const PageList& pages, size_t page) const;
  // Calls visit() with the elements of each page, or with a dictionary that has all of them, until it returns
  // false. Elements that no row refers to may be among them.
  void visit_values(const std::function<bool(const Elements& values, bool is_dictionary)>& visit) const;
  // Returns `error` with the column and the row group in front.
  Error at(size_t group, const Error& error) const;

 private:
  std::shared_ptr<const Elements> dictionary(size_t group, const PageList& pages) const;
  Elements converted(Elements stored) const;
  LeafPage decode(size_t group, const Page& page, const Elements* dictionary) const;

  const PartsPtr parts_;
  const size_t number_;
  const Column* const column_;  // in the first part
  const LeafForm form_;
  Context& context_;
  const uint64_t pages_owner_, dictionaries_owner_;
  const uint64_t max_bytes_;
  bool may_be_missing_ = false;
};

}  // namespace plainfs::parquet
