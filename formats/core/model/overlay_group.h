// A stored group some of whose members mean more than they say themselves, or that has members of its own:
// how a schema gives the parts of a structure their meaning by their place in it.
#pragma once

#include <functional>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

class OverlayGroup : public Group {
 public:
  // The member with the meaning that its name here gives it.
  using Refine = std::function<Node(const std::string& name, Node stored)>;

  // refine may be null. added: members besides the stored ones, listed last; one whose name is stored as well
  // is shown beside it and not found by it.
  OverlayGroup(GroupPtr stored, Refine refine, std::vector<Member> added = {})
      : stored_(std::move(stored)), refine_(std::move(refine)), added_(std::move(added)) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  Attributes attributes() const override { return stored_->attributes(); }
  GroupPtr parent() const override { return stored_->parent(); }
  std::string path() const override { return stored_->path(); }

 private:
  const GroupPtr stored_;
  const Refine refine_;
  const std::vector<Member> added_;
};

}  // namespace plainfs
