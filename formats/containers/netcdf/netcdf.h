// NetCDF classic files as a container: one group with an array for each variable.
#pragma once

#include "formats/containers/netcdf/header.h"
#include "formats/core/model/store.h"

namespace plainfs::netcdf {

// Returns whether the location is a file that begins as CDF-1, CDF-2 or CDF-5.
bool recognises(const Probe& probe);
// Opens such a file, reading only its header. Throws damaged if the header is invalid.
Store open(const Probe& probe, Context& context);

// Returns whether group is the root of such a file.
bool is_of_netcdf(const Group& group);

// The names of an array's dimensions, which the array model has no place for.
class NamedDimensions {
 public:
  explicit NamedDimensions(std::vector<std::string> dimensions) : dimensions_(std::move(dimensions)) {}
  virtual ~NamedDimensions() = default;
  // Returns the name of each axis.
  const std::vector<std::string>& dimensions() const { return dimensions_; }

 private:
  const std::vector<std::string> dimensions_;
};

// Returns the dimensions of the file of a group of this container; none for another group.
std::vector<Dimension> dimensions_of(const Group& group);

}  // namespace plainfs::netcdf
