#include "fs/views/image_files.h"

#include "fs/native/ome_tiff.h"
#include "fs/native/picture.h"

namespace plainfs {

namespace {

constexpr const char* kSoftware = "plainfs " PLAINFS_VERSION;

// Beside the directory of a member; the root has nothing beside it.
void offer_beside(const Node& node, const std::string& extension, Opener open, bool found_by_name,
                  std::vector<OfferedFile>& files) {
  if (!node.parts)
    files.push_back({false, extension, std::move(open), {}, found_by_name});
  else if (!node.parts->parent())
    files.push_back({true, "image" + extension, std::move(open), {}, found_by_name});
}

}  // namespace

void offer_ome(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  const auto* image = std::get_if<Image>(&node.content);
  if (!image || !has_ome_tiff(*image)) return;
  const auto open = [image = *image, &context] { return layout_file(ome_tiff(image, kSoftware), context); };
  offer_beside(node, ".ome.tif", open, false, files);
}

void offer_tif(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  const auto* image = std::get_if<Image>(&node.content);
  if (!image || !has_ome_tiff(*image)) return;
  const auto open = [image = *image, &context] {
    return layout_file(imagej_tiff(image, kSoftware), context);
  };
  offer_beside(node, ".tif", open, true, files);
}

void offer_png(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  const auto* image = std::get_if<Image>(&node.content);
  if (!image || !node.parts) return;
  if (const std::optional<Picture> picture = preview_of(*image))
    files.push_back({true, "preview.png",
                     [picture = *picture, &context] { return layout_file(png(picture, context), context); }});
}

}  // namespace plainfs
