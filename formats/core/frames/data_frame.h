// AnnData's data frames, versions 0.1.0 (anndata 0.7) and 0.2.0 (all later ones), in groups of files of any
// kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

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
