#include "fs/views/images/image_files.h"

#include <algorithm>

#include "formats/core/model/arrays/turned_array.h"
#include "fs/views/file_rows.h"
#include "fs/views/images/picture.h"

namespace plainfs {

namespace {

// Identifies the layout, not the version that writes it: the same image gives the same bytes.
constexpr const char* kSoftware = "plainfs 0.3.0";

// Adds the file of an image beside the directory of a member, or inside the root.
void add_image(const FileRow& row, const Node& node, Opener open, Files& files) {
  if (node.parts && node.parts->parent()) return;
  row.add(std::move(open), files);
  if (!node.parts) return;
  files.back().name.insert(0, "image");
  files.back().is_beside = false;
}

// Returns an array of rank 2 as a plane, or one of rank 3 as planes; nullopt if its elements are not pixels
// or may be missing, which integers cannot represent.
std::optional<Image> image_of(const LabelledArray& array) {
  if (array.labels || array.values->is_null()) return std::nullopt;
  const ArrayPtr shown = in_row_order(array.values);
  const Array& values = *shown;
  const Shape& shape = values.shape();
  if (shape.size() < 2 || shape.size() > 3 || !has_brightness(values.dtype()) ||
      std::find(shape.begin(), shape.end(), 0) != shape.end() ||
      (values.dtype().kind != Kind::real && values.may_be_missing()))
    return std::nullopt;
  Image image;
  for (const char axis : std::string_view("zyx").substr(3 - shape.size()))
    image.axes.push_back({axis, {}, {}});
  image.levels.push_back({{}, shown});
  return image;
}

// Returns whether the array is rows of pixels of three or four colours each.
bool is_colored(const Array& values) {
  const Shape& shape = values.shape();
  const Kind kind = values.dtype().kind;
  return shape.size() == 3 && (shape[2] == 3 || shape[2] == 4) &&
         (kind == Kind::real || (kind == Kind::unsigned_integer && values.dtype().size <= 2));
}

// Returns an array as a picture. Colours of integers are full at their largest number, those of reals at 1.
// The fourth colour, opacity, is left out.
std::optional<Picture> picture_of(const LabelledArray& array) {
  const std::optional<Image> image = image_of(array);
  if (!image) return std::nullopt;
  const ArrayPtr& values = image->levels.front().values;
  const Shape& shape = values->shape();
  const size_t y = is_colored(*values) ? 0 : shape.size() - 2;
  if (shape[y] > kMaxPicturePixels / shape[y + 1]) return std::nullopt;
  if (!is_colored(*values)) return preview_of(*image);
  const DType& type = values->dtype();
  const double full = type.kind == Kind::real ? 1 : type.size == 1 ? UINT8_MAX : UINT16_MAX;
  Picture picture{values, 0, 1, {}, false};
  for (uint8_t c = 0; c < 3; ++c) {
    PictureLayer layer{{0, 0, c}, {}, std::pair(0.0, full)};
    layer.color[c] = UINT8_MAX;
    picture.layers.push_back(std::move(layer));
  }
  return picture;
}

Opener png_opener(Picture picture, Context& context) {
  return [picture = std::move(picture), &context] { return layout_file(png(picture, context), context); };
}

}  // namespace

void offer_ome_tif(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* image = std::get_if<Image>(&node.content);
  if (!image || !has_ome_tiff(*image)) return;
  const auto open = [image = *image, &context] { return layout_file(ome_tiff(image, kSoftware), context); };
  add_image(row, node, open, files);
}

void offer_tif(const FileRow& row, const Node& node, Context& context, Files& files) {
  std::optional<Image> image;
  if (const auto* stored = std::get_if<Image>(&node.content))
    image = *stored;
  else if (const auto* array = std::get_if<LabelledArray>(&node.content);
           array && (image = image_of(*array)) && is_colored(*image->levels.front().values))
    image.reset();
  if (!image || !has_ome_tiff(*image)) return;
  const auto open = [image = *std::move(image), &context] {
    return layout_file(imagej_tiff(image, kSoftware), context);
  };
  if (std::holds_alternative<Image>(node.content))
    add_image(row, node, open, files);
  else
    row.add(open, files);
}

void offer_preview_png(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* image = std::get_if<Image>(&node.content);
  if (!image || !node.parts) return;
  if (std::optional<Picture> picture = preview_of(*image))
    row.add(png_opener(*std::move(picture), context), files);
}

void offer_png_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array) return;
  if (std::optional<Picture> picture = picture_of(*array))
    row.add(png_opener(*std::move(picture), context), files);
}

}  // namespace plainfs
