// Groups made of another group: with more meaning, or with members of their own, as schemas see it; or with
// its members known already, as views do.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

// A stored group some of whose members mean more than they say themselves, or that has members of its own:
// how a schema gives the parts of a structure their meaning by their place in it.
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
  std::optional<Node> find_unlisted(std::string_view name) const override {
    return stored_->find_unlisted(name);
  }
  Attributes attributes() const override { return stored_->attributes(); }
  GroupPtr parent() const override { return stored_->parent(); }
  std::string path() const override { return stored_->path(); }

 private:
  const GroupPtr stored_;
  const Refine refine_;
  const std::vector<Member> added_;
};

// A group whose members are known and refined already: what views see of the directory they are asked about.
class KnownMembers : public Group {
 public:
  // members: as members() is to give them, under other names maybe. names: the stored one of each.
  KnownMembers(GroupPtr group, std::vector<Member> members, std::vector<std::string> names);

  const GroupPtr& group() const { return group_; }
  std::vector<Member> members() const override { return members_; }
  // By its stored name, not refined; what is no member is known to be none without asking the group.
  std::optional<Node> find(std::string_view name) const override;
  // By its stored name, as in members(); null where there is none.
  const Node* known(std::string_view name) const;
  std::optional<Node> find_unlisted(std::string_view name) const override {
    return group_->find_unlisted(name);
  }
  Attributes attributes() const override { return group_->attributes(); }
  GroupPtr parent() const override { return group_->parent(); }
  std::string path() const override { return group_->path(); }

  // While one view after the other is asked about group: what one of them finds out about it is there for the
  // next. One at a time, before others see the group.
  class Asking {
   public:
    explicit Asking(const KnownMembers* group) : group_(group) {
      if (group_) group_->findings_.emplace();
    }
    ~Asking() {
      if (group_) group_->findings_.reset();
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    const KnownMembers* const group_;
  };
  // The finding of type T, which make() gives where there is none yet.
  template <class T, class Make>
  T finding(const Make& make) const {
    if (!findings_) return make();
    std::any& known = (*findings_)[typeid(T)];
    if (!known.has_value()) known = make();
    return std::any_cast<T>(known);
  }

 private:
  const GroupPtr group_;
  const std::vector<Member> members_;
  std::vector<std::pair<std::string, size_t>> names_;  // with the member of each; sorted
  // Not for longer: findings hold the group itself.
  mutable std::optional<std::map<std::type_index, std::any>> findings_;
};

// group, or the one whose known members it stands for.
inline const Group& stored_group(const Group& group) {
  const auto* known = dynamic_cast<const KnownMembers*>(&group);
  return known ? *known->group() : group;
}

// What make() finds out about a directory, from the view that was asked before where there is one.
template <class T, class Make>
T finding_about(const Node& directory, const Make& make) {
  const auto* known = dynamic_cast<const KnownMembers*>(directory.parts.get());
  return known ? known->finding<T>(make) : make();
}

// A group that holds something measured over time, with what it comes to: a table of seconds and of values in
// their unit, ready to be read.
class TimedGroup : public OverlayGroup {
 public:
  // series: its first column is the time in seconds. describe: what it is in a line, "1000 x 96, 30000 Hz, in
  // volts"; may read a few numbers and throw Error.
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

// The group of a node, where it is one, also as views see it; else null.
inline const TimedGroup* timed_group(const Node& node) {
  return node.parts ? dynamic_cast<const TimedGroup*>(&stored_group(*node.parts)) : nullptr;
}

}  // namespace plainfs
