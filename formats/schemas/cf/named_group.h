// A stored group whose arrays may have named dimensions.
#pragma once

#include "cache/cancellable_lock.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/model/context.h"

namespace plainfs::cf {

// Whether it has a dataset is found out when its members or its dataset are first asked for. Without one it
// is the stored group.
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
  // What the group is once it is known to have named dimensions.
  struct Known {
    std::vector<Member> members;  // to show
    CfDatasetPtr dataset;         // null if two arrays give a dimension two lengths
  };
  // Null if it has none.
  const Known* known() const;
  void look(std::vector<Member> members) const;

  const GroupPtr stored_;
  Context& context_;
  mutable Once looking_;  // guards known_, which is written once
  mutable std::shared_ptr<const Known> known_;
};

}  // namespace plainfs::cf
