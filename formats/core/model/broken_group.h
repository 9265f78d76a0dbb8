// A group of which no member is known, because something that was needed to tell them could not be read.
#pragma once

#include <string>
#include <utility>

#include "formats/core/model/node.h"

namespace plainfs {

class BrokenGroup : public Group {
 public:
  BrokenGroup(GroupPtr parent, std::string path, Error error)
      : parent_(std::move(parent)), path_(std::move(path)), error_(std::move(error)) {}

  const Error& error() const { return error_; }
  std::vector<Member> members() const override { throw error_; }
  std::optional<Node> find(std::string_view) const override { throw error_; }
  Attributes attributes() const override { throw error_; }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return path_; }

 private:
  const GroupPtr parent_;
  const std::string path_;
  const Error error_;
};

}  // namespace plainfs
