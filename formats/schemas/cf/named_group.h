// A stored group with arrays that may have named dimensions.
#pragma once

#include "cache/lazy.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/model/context.h"

namespace plainfs::cf {

// It looks for a dataset when its members or its dataset are first requested. Without one it behaves like the
// stored group.
class NamedGroup : public CfGroup {
 public:
  NamedGroup(GroupPtr stored, Context& context) : stored_(std::move(stored)), context_(context) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  std::optional<Node> find_unlisted(std::string_view name) const override {
    return stored_->find_unlisted(name);
  }
  Attributes attributes() const override;
  GroupPtr parent() const override { return stored_->parent(); }
  std::string path() const override { return stored_->path(); }
  CfDatasetPtr dataset() const override;

 private:
  // The contents of a group with named dimensions.
  struct Known {
    std::vector<Member> members;  // to show
    CfDatasetPtr dataset;         // null if two arrays give a dimension two lengths
  };
  using KnownPtr = std::shared_ptr<const Known>;  // null if the group has no named dimensions
  const KnownPtr& known() const;
  KnownPtr look(std::vector<Member> members) const;

  const GroupPtr stored_;
  Context& context_;
  Lazy<KnownPtr> known_;
};

}  // namespace plainfs::cf
