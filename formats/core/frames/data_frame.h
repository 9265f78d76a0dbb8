// Data frames: tables assembled from columns that are stored separately.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// Returns a table of those columns with `rows` rows. A column of another length throws damaged when it is
// used, and so does the whole table, unless the row names cannot be read: the expected length is then
// unknown. Columns that are null or not of rank 1 are omitted and logged with `place` ("/obs").
Table table_of(uint64_t rows, ArrayPtr row_names, std::vector<Column> columns, const std::string& place,
               Context& context);

// Returns field f of every element of `compounds`, an array of compounds. A field that is itself an array
// adds its axes after those of `compounds`.
ArrayPtr field_of(ArrayPtr compounds, size_t f);

// Returns `values` as text of variable length, each as in a .csv without quotes, for values without bytes
// that an .npy should show. Missing values stay missing. Text of variable length, and types without a fixed
// size, are returned unchanged.
ArrayPtr as_written(ArrayPtr values);
// Returns what append_plain() appends for each element, "NA" for a missing one.
ArrayPtr plain_texts(ArrayPtr values);

// AnnData's data frames, versions 0.1.0 (anndata 0.7) and 0.2.0 (all later ones), in groups of any kind of
// file.

// The row names of a data frame: the array that its attribute _index names.
struct FrameIndex {
  ArrayPtr names;   // null: unknown; throws when used if present but unreadable
  std::string why;  // why the names are unknown
};

class DataFrame {
 public:
  // Returns the data frame, or nullopt if `group` is not one of a known version. group: as its container
  // returns it. Throws if the attributes that decide this cannot be read.
  static std::optional<DataFrame> of(GroupPtr group, Context& context);

  FrameIndex index() const;
  // Returns the columns in order, by their full names: a/b is the member b of the member a. Throws if the
  // attribute column-order cannot be read, and damaged if it is not a list of texts.
  std::vector<std::string> column_names() const;
  // Returns whether `name` is a column. A column-order that is not a list names no columns. Throws if it
  // cannot be read.
  bool has_column(const std::string& name) const;
  // Returns the member with a full name as its container returns it, or nullopt.
  std::optional<Node> find(const std::string& column) const;
  // Returns the values of such a member, or null if it cannot be a column. Throws if it cannot be read.
  ArrayPtr values_of(const Node& member) const;
  // Returns, for version 0.1.0, the labels of codes with an attribute categories: a reference to a list of
  // labels, or its path in the frame. Returns null if `member` has no such attribute. A dangling reference
  // gives an array that throws damaged when it is used. Throws if the attribute cannot be read.
  ArrayPtr referred_labels(const Node& member) const;

  // Returns the whole frame. Errors are thrown when the table is used.
  Table table() const;

 private:
  DataFrame(GroupPtr group, Attributes attributes, bool refers_to_categories, Context& context);
  Column column(const std::string& name) const;

  GroupPtr group_;
  Attributes attributes_;
  bool refers_to_categories_;
  Context* context_;
};

}  // namespace plainfs::frames
