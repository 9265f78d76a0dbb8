// A group of an h5Seurat file that gives its members their meaning.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/schemas/h5seurat/seurat_file.h"

namespace plainfs::h5seurat {

using SeuratFilePtr = std::shared_ptr<const SeuratFile>;
using Place = std::vector<std::string>;  // names from the root to an object

class SeuratGroup : public Group {
 public:
  SeuratGroup(SeuratFilePtr file, GroupPtr raw, Place place, std::shared_ptr<const SeuratGroup> parent)
      : file_(std::move(file)), raw_(std::move(raw)), place_(std::move(place)), parent_(std::move(parent)) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  Attributes attributes() const override { return raw_->attributes(); }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return raw_->path(); }

 private:
  Node refined(const std::string& name, Node raw) const;
  Node refined_array(const std::string& name, Node raw) const;
  Node refined_group(const std::string& name, Node raw) const;

  SeuratFilePtr file_;
  GroupPtr raw_;
  Place place_;
  std::shared_ptr<const SeuratGroup> parent_;
};

}  // namespace plainfs::h5seurat
