// What the members of one h5Seurat file share: its raw root and the names of its cells.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "formats/model/context.h"
#include "formats/model/node.h"

namespace plainfs::h5seurat {

class SeuratFile {
 public:
  SeuratFile(GroupPtr raw_root, Context& context) : root_(std::move(raw_root)), context_(context) {}

  const GroupPtr& root() const { return root_; }
  Context& context() const { return context_; }
  ArrayPtr cell_names() const;  // null where there are none

 private:
  GroupPtr root_;
  Context& context_;
  mutable std::once_flag cells_sought_;
  mutable ArrayPtr cell_names_;  // filled once, by cells_sought_
};

// Whether check() finds nothing.
bool is_readable(const Array& array);

// Throws damaged where one of them has a name that is no text: nobody knows which one it was.
void check_names(const Attributes& attributes);

// names where they are a list of count texts, or cannot be read; else null, and a list that does not fit is
// warned of with place.
ArrayPtr fitting_names(ArrayPtr names, uint64_t count, const std::string& place, Context& context);

// group's member as a list of names; null where it is none, which is warned of. One that is there and cannot
// be read is an array that says so whoever uses it.
ArrayPtr find_names(const Group& group, std::string_view name, Context& context);

}  // namespace plainfs::h5seurat
