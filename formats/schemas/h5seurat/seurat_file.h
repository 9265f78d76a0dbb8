// State shared by the members of one h5Seurat file: its raw root and the names of its cells.
#pragma once

#include <string>
#include <vector>

#include "cache/lazy.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::h5seurat {

using frames::find_names;
using frames::fitting_names;

class SeuratFile {
 public:
  SeuratFile(GroupPtr raw_root, Context& context) : root_(std::move(raw_root)), context_(context) {}

  const GroupPtr& root() const { return root_; }
  Context& context() const { return context_; }
  ArrayPtr cell_names() const;  // null if there is no list of cells

 private:
  GroupPtr root_;
  Context& context_;
  Lazy<ArrayPtr> cell_names_;
};

// Throws damaged if an attribute has a name that is not UTF-8: it cannot be identified.
void check_names(const Attributes& attributes);

}  // namespace plainfs::h5seurat
