// A group of an h5Seurat file that gives its members their meaning.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cache/lazy.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/context.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/node.h"

namespace plainfs::h5seurat {

using frames::find_names;
using frames::fitting_names;

// State shared by the members of one h5Seurat file: its raw root and the names of its cells.
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

using SeuratFilePtr = std::shared_ptr<const SeuratFile>;
using Place = std::vector<std::string>;  // names from the root to an object

class SeuratGroup : public DerivedGroup {
 public:
  SeuratGroup(SeuratFilePtr file, GroupPtr raw, Place place, std::shared_ptr<const SeuratGroup> parent)
      : DerivedGroup(std::move(raw)),
        file_(std::move(file)),
        place_(std::move(place)),
        parent_(std::move(parent)) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  std::optional<Node> find_unlisted(std::string_view) const override { return std::nullopt; }
  GroupPtr parent() const override { return parent_; }

 private:
  Node refined(const std::string& name, Node raw) const;
  Node refined_array(const std::string& name, Node raw) const;
  Node refined_group(const std::string& name, Node raw) const;

  SeuratFilePtr file_;
  Place place_;
  std::shared_ptr<const SeuratGroup> parent_;
};

}  // namespace plainfs::h5seurat
