// NetCDF classic files as a container: one group with an array for each variable.
#pragma once

#include "formats/core/model/store.h"

namespace plainfs::netcdf {

// Returns whether the location is a file that begins as CDF-1, CDF-2 or CDF-5.
bool recognises(const Probe& probe);
// Opens such a file; reads its header alone. Throws damaged if the header breaks a rule of the format.
Store open(const Probe& probe, Context& context);

// Returns whether a group is the root of such a file.
bool is_of_netcdf(const Group& group);

// What an array of the container knows beyond the model.
class NamedDimensions {
 public:
  explicit NamedDimensions(std::vector<std::string> dimensions) : dimensions_(std::move(dimensions)) {}
  virtual ~NamedDimensions() = default;
  // The name of each axis.
  const std::vector<std::string>& dimensions() const { return dimensions_; }

 private:
  const std::vector<std::string> dimensions_;
};

}  // namespace plainfs::netcdf
