#include "formats/schemas/ome/schema.h"

#include "formats/schemas/ome/multiscales.h"
#include "formats/schemas/zarr_references/schema.h"

namespace plainfs::ome {
namespace {

// Returns the OME-Zarr attributes; nullopt if they are permanently unreadable: then only the arrays are
// shown, which are correct without them.
std::optional<Metadata> readable_metadata(const Group& group) {
  try {
    return metadata_of(group);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return std::nullopt;
  }
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node) || !zarr_references::is_of_zarr(*node.parts)) return std::nullopt;
  const std::optional<Metadata> metadata = readable_metadata(*node.parts);
  if (!metadata) return std::nullopt;
  Node refined = zarr_references::refine(node, context).value_or(node);
  std::optional<Image> image = image_in(*refined.parts, *metadata, context);
  if (!image) return std::nullopt;
  refined.content = *std::move(image);
  return refined;
}

}  // namespace plainfs::ome
