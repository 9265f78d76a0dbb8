// Tables put together of columns that are stored one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// The table of those columns, rows long: one of another length throws damaged when it is used, and so the
// whole table does. How long they have to be is not known where the row names cannot be read. Columns that
// are null or not of rank 1 are left out, which is told of with place ("/obs").
Table table_of(uint64_t rows, ArrayPtr row_names, std::vector<Column> columns, const std::string& place,
               Context& context);

// The fields of compound arrays as arrays of their own.

// Field f of every element of compounds, an array of compounds. A field that is itself an array adds its axes
// after those of compounds.
ArrayPtr field_of(ArrayPtr compounds, size_t f);

// Values as they are written, where they have no bytes that an .npy should show.

// values as text of variable length, each as a .csv shows it without quotes; missing ones stay missing. Text
// of variable length, and what has no fixed size, as it is.
ArrayPtr as_written(ArrayPtr values);

// AnnData's data frames, versions 0.1.0 (anndata 0.7) and 0.2.0 (all later ones), in groups of files of any
// kind.

// The row names of a data frame: the array of the member that its attribute _index names.
struct FrameIndex {
  ArrayPtr names;   // null: unknown; those that are there and cannot be read throw when they are used
  std::string why;  // they are unknown
};

class DataFrame {
 public:
  // Nullopt where group is none of a known version. group: as its container gives it. Throws where the
  // attributes that tell cannot be read.
  static std::optional<DataFrame> of(GroupPtr group, Context& context);

  FrameIndex index() const;
  // The columns in order, by their full names: a/b is the member b of the member a. Throws where the
  // attribute column-order cannot be read, and damaged where it is no list of texts.
  std::vector<std::string> column_names() const;
  // Whether it is one of them; a column-order that is no list names none. Throws where it cannot be read.
  bool has_column(const std::string& name) const;
  // The member of a full name, as its container gives it; nullopt where there is none.
  std::optional<Node> find(const std::string& column) const;
  // The values of such a member; null where it is nothing that could be a column. Throws where it cannot be
  // read.
  ArrayPtr values_of(const Node& member) const;
  // Of version 0.1.0: the labels of codes whose attribute categories is a reference, or the path in the
  // frame, of a list of them. Null where member has no such attribute. One that leads nowhere gives an array
  // that throws damaged when it is used. Throws where the attribute cannot be read.
  ArrayPtr referred_labels(const Node& member) const;

  // The whole of it. What is wrong, the table throws when it is used.
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
