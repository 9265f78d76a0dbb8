// Variables of a MATLAB file: what the attributes of a dataset or a group say that it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::matlab {

// What all variables of a file share.
struct File {
  GroupPtr root;  // as the container has it: references are paths from here
  Context& context;
};

// Where a variable stands, as it is shown.
struct Place {
  GroupPtr parent;
  std::string path;
  unsigned depth = 0;  // how many cells and structs it is in

  Place inside(const GroupPtr& self, const std::string& name) const {
    return {self, (path == "/" ? path : path + "/") + name, depth + 1};
  }
};

// The variable that is stored as that. Never throws: one that cannot be read is an Error.
Node variable(const Node& stored, const Place& place, const File& file);

// The root of the file, whose members are variables.
GroupPtr variables_of(const File& file);

}  // namespace plainfs::matlab
