// The variables of a MATLAB file, recognised by the attributes of a dataset or a group.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::matlab {

// State shared by all variables of a file.
struct File {
  GroupPtr root;  // as the container returns it: references are paths from here
  Context& context;
};

// The place at which a variable is shown.
struct Place {
  GroupPtr parent;
  std::string path;
  unsigned depth = 0;  // number of enclosing cells and structs

  Place inside(const GroupPtr& self, const std::string& name) const {
    return {self, (path == "/" ? path : path + "/") + name, depth + 1};
  }
};

// Returns the variable that is stored in a node. One that cannot be read is an Error. Throws transient errors
// alone.
Node variable(const Node& stored, const Place& place, const File& file);

// Returns the root of the file with variables as members.
GroupPtr variables_of(const File& file);

}  // namespace plainfs::matlab
