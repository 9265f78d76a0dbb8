// Plates of OME-Zarr: wells in rows and columns, and the fields of a well, which are images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs::ome {

struct PlateWell {
  std::vector<std::string> path;  // from the plate: "A", "1"
  size_t row = 0, column = 0;     // indices of their names
};

struct Plate {
  std::string name;  // empty: none
  std::vector<std::string> rows, columns;
  std::vector<PlateWell> wells;  // at most one for each row and column
  uint64_t wrong = 0;            // wells that are left out, since they have no row or column of the plate
};

// Returns the plate that the attributes of a group describe; nullopt if they describe none. Reads metadata
// alone. Throws what the attributes throw.
std::optional<Plate> plate_of(const Group& group);

// Returns the paths of the fields of a well from its group; nullopt if the group is no well. Like plate_of().
std::optional<std::vector<std::vector<std::string>>> fields_of_well(const Group& group);

}  // namespace plainfs::ome
