// Groups made of others: with more meaning or additional members, as schemas see a stored group, with members
// already known, as views do, or of parts that are not stored as a group.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/by_type.h"
#include "formats/core/model/node.h"

namespace plainfs {

// A group that shows another group and forwards the calls about it: attributes(), path() and so on. A
// subclass lists the members, and overrides any other function that differs.
class DerivedGroup : public Group {
 public:
  explicit DerivedGroup(GroupPtr stored) : stored_(std::move(stored)) {}

  std::optional<Node> find_unlisted(std::string_view name) const override {
    return stored_->find_unlisted(name);
  }
  Attributes attributes() const override { return stored_->attributes(); }
  GroupPtr parent() const override { return stored_->parent(); }
  std::string path() const override { return stored_->path(); }

 protected:
  const Group& stored() const { return *stored_; }

 private:
  const GroupPtr stored_;
};

// A stored group with members that mean more than they state themselves, or with members of its own. A schema
// uses it to give the parts of a structure their meaning by their place in it.
class OverlayGroup : public DerivedGroup {
 public:
  // Returns the member with the meaning that its name has in this group.
  using Refine = std::function<Node(const std::string& name, Node stored)>;

  // refine: may be null. added: members besides the stored ones, listed last. If the name of an added member
  // is also stored, both are listed, and find() returns the stored one.
  OverlayGroup(GroupPtr stored, Refine refine, std::vector<Member> added = {})
      : DerivedGroup(std::move(stored)), refine_(std::move(refine)), added_(std::move(added)) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;

 private:
  const Refine refine_;
  const std::vector<Member> added_;
};

// A group that is not stored as one: its members are parts of something else.
class ListedGroup : public Group {
 public:
  // Returns the members. Called for each listing and each find(), with the group itself, so that no member
  // keeps itself alive. Null for a group without members.
  using List = std::function<std::vector<Member>(const GroupPtr& self)>;

  // parent: null at the root. attributes: null = none.
  ListedGroup(GroupPtr parent, std::string path, List list, std::function<Attributes()> attributes = nullptr)
      : parent_(std::move(parent)),
        path_(std::move(path)),
        list_(std::move(list)),
        attributes_(std::move(attributes)) {}
  // A group of members that are already known.
  ListedGroup(GroupPtr parent, std::string path, std::vector<Member> members,
              std::function<Attributes()> attributes = nullptr)
      : ListedGroup(
            std::move(parent), std::move(path),
            [members = std::move(members)](const GroupPtr&) { return members; }, std::move(attributes)) {}

  std::vector<Member> members() const override {
    return list_ ? list_(shared_from_this()) : std::vector<Member>();
  }
  Attributes attributes() const override { return attributes_ ? attributes_() : Attributes(); }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return path_; }

 private:
  const GroupPtr parent_;
  const std::string path_;
  const List list_;
  const std::function<Attributes()> attributes_;
};

// Returns the path of a member of a group: "/obs" in "/", "/obs/cell" in "/obs".
std::string member_path(const Group& group, std::string_view name);

// A group with members that are already known and refined. Views see the directory they are asked about as
// such a group.
class KnownMembers : public DerivedGroup {
 public:
  // members: the result of members(), possibly under other names. names: the stored name of each.
  KnownMembers(GroupPtr group, std::vector<Member> members, std::vector<std::string> names);

  const Group& group() const { return stored(); }
  std::vector<Member> members() const override { return members_; }
  // Returns the member with this stored name, not refined. Does not ask the group for a name that no member
  // has.
  std::optional<Node> find(std::string_view name) const override;
  // Returns the member with this stored name as in members(), or null.
  const Node* known(std::string_view name) const;

  // A scope in which several views are asked about a group in turn, so that each can use what an earlier one
  // found out. For one thread at a time, before others see the group.
  class FindingScope {
   public:
    explicit FindingScope(const KnownMembers* group) : group_(group) {
      if (group_) group_->findings_.emplace();
    }
    ~FindingScope() {
      if (group_) group_->findings_.reset();
    }
    FindingScope(const FindingScope&) = delete;
    FindingScope& operator=(const FindingScope&) = delete;

   private:
    const KnownMembers* const group_;
  };
  // Returns the finding of type T; makes it if it does not exist yet.
  template <class T, class Make>
  T finding(const Make& make) const {
    if (!findings_) return make();
    return findings_->once<T>(make);
  }

 private:
  const std::vector<Member> members_;
  std::vector<std::pair<std::string, size_t>> names_;  // with the index of the member; sorted
  // Set only during the scope: findings hold the group itself.
  mutable std::optional<ByType> findings_;
};

// Returns `group`, or the group that it wraps if it has known members.
inline const Group& stored_group(const Group& group) {
  const auto* known = dynamic_cast<const KnownMembers*>(&group);
  return known ? known->group() : group;
}

// Returns what make() finds out about a directory, or the finding of a view that was asked before.
template <class T, class Make>
T finding_about(const Node& directory, const Make& make) {
  const auto* known = dynamic_cast<const KnownMembers*>(directory.parts.get());
  return known ? known->finding<T>(make) : make();
}

// A group with a measurement over time, and its table: a column of seconds and columns of values in their
// unit, ready to be read.
class TimedGroup : public OverlayGroup {
 public:
  // series: its first column is the time in seconds. describe: returns a description in one line, "1000 x 96,
  // 30000 Hz, in volts"; may read a few numbers and throw Error.
  TimedGroup(GroupPtr stored, Table series, std::function<std::string()> describe)
      : OverlayGroup(std::move(stored), nullptr),
        series_(std::move(series)),
        describe_(std::move(describe)) {}

  const Table& series() const { return series_; }
  std::string describe() const { return describe_(); }

 private:
  const Table series_;
  const std::function<std::string()> describe_;
};

// Returns the TimedGroup of a node, also if views see it wrapped; else null.
inline const TimedGroup* timed_group(const Node& node) {
  return node.parts ? dynamic_cast<const TimedGroup*>(&stored_group(*node.parts)) : nullptr;
}

}  // namespace plainfs
