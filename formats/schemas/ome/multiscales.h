// The image that the attributes of a group describe.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::ome {

// The OME-Zarr attributes of a group, from their place in each version: the attribute `ome` (0.5), else the
// attributes themselves. Other attributes are not copied.
struct Metadata {
  std::string version;  // of `ome`; empty if it has none
  Json::Object members;

  const Json* find(std::string_view name) const;
};
// Returns the OME-Zarr attributes of a group. Throws what the attributes throw.
Metadata metadata_of(const Group& group);

// Returns the version in the metadata or their first multiscale; empty if neither has one.
std::string version_of(const Metadata& metadata);
// Returns whether plainfs knows the rules of a version. True if it is empty.
bool is_known(const std::string& version);

// Returns the image of a group; nullopt if the metadata describe no image, or one of an unknown version.
// Parts that do not fit are left out with a notice. If nothing is left to show, the image has an error. Reads
// metadata alone. Throws if a level cannot be read for now.
std::optional<Image> image_in(const Group& group, const Metadata& metadata, Context& context);

}  // namespace plainfs::ome
