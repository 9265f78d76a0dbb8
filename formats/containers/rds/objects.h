// What an R value holds for plainfs: BPCells objects as the arrays that the BPCells schema reads, and lists
// of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/containers/rds/value.h"
#include "formats/core/model/array.h"

namespace plainfs::rds {

struct Part;

// A BPCells object (its arrays, and the attribute version) or a list.
struct Parts {
  Attributes attributes;
  std::vector<Part> members;
};

// A member: one of the three.
struct Part {
  std::string name;
  ArrayPtr array;
  std::shared_ptr<const Parts> parts;
  std::optional<Error> error;
};

// A member of a list that plainfs does not show.
struct LeftOut {
  std::string path;
  std::string why;
};

// The parts of a BPCells object, or of a list as far as it holds such objects at any depth; unnamed members
// of a list have their 1-based position as name. left_out gains what is no such object. Throws unsupported
// where value is neither, or a list of none, or an object that keeps nothing in memory.
Parts parts_of(RValue value, std::vector<LeftOut>& left_out);

}  // namespace plainfs::rds
