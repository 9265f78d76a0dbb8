// What the attributes of a group say of the image that it is.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::ome {

// What a group says in OME-Zarr's words, wherever its version keeps them: in the attribute `ome` (0.5), else
// among the attributes themselves. Nothing of them is copied that is none of these words.
struct Words {
  std::string version;  // of `ome`; empty = not said there
  Json::Object members;

  const Json* find(std::string_view name) const;
};
// Throws what the attributes throw.
Words words_of(const Group& group);

// The version that the words and their first multiscale say; empty where neither does.
std::string version_of(const Words& words);
// Whether it is one whose rules are known, or none is said.
bool is_known(const std::string& version);

// nullopt where the words are those of no image, or of one of an unknown version. What does not fit is left
// out, with a notice; where nothing is left to show the image has an error. Reads metadata alone. Throws
// where a level cannot be read for now.
std::optional<Image> image_in(const Group& group, const Words& words, Context& context);

}  // namespace plainfs::ome
