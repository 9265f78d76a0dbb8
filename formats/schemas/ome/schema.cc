#include "formats/schemas/ome/schema.h"

#include "formats/schemas/hdmf/schema.h"
#include "formats/schemas/ome/multiscales.h"

namespace plainfs::ome {
namespace {

// Returns the OME-Zarr attributes; nullopt if they are permanently unreadable: then only the arrays are
// shown, which are correct without them.
std::optional<Words> readable_words(const Group& group) {
  try {
    return words_of(group);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return std::nullopt;
  }
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node) || !hdmf::is_of_zarr(*node.parts)) return std::nullopt;
  const std::optional<Words> words = readable_words(*node.parts);
  if (!words) return std::nullopt;
  Node refined = hdmf::refine(node, context).value_or(node);
  std::optional<Image> image = image_in(*refined.parts, *words, context);
  if (!image) return std::nullopt;
  refined.content = *std::move(image);
  return refined;
}

}  // namespace plainfs::ome
