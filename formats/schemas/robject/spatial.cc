// The parts that a SpatialExperiment adds to a SingleCellExperiment. Sources: SpatialExperiment 1.0 to 1.19,
// `R/AllClasses.R`, `R/SpatialExperiment-methods.R`, `R/imgData.R`, `R/Validity.R`; R 4.2 `as.raster`.
#include <algorithm>
#include <charconv>

#include "formats/core/base/checked.h"
#include "formats/core/codecs/png.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

constexpr const char* kCoordinates = "spatial_coordinates";
constexpr const char* kPixels = "image";

// Returns the channels of an R colour, #RRGGBB or #RRGGBBAA; opaque without AA. Throws unsupported for a
// colour's name.
std::array<uint8_t, 4> color_of(std::string_view text, bool is_missing) {
  if (is_missing || text == "transparent") return {UINT8_MAX, UINT8_MAX, UINT8_MAX, 0};
  std::array<uint8_t, 4> color{0, 0, 0, UINT8_MAX};
  const bool is_number = text.starts_with('#') && (text.size() == 7 || text.size() == 9);
  for (size_t i = 0; is_number && 2 * i + 1 < text.size(); ++i) {
    const char* const digits = text.data() + 1 + 2 * i;
    if (std::from_chars(digits, digits + 2, color[i], 16).ptr == digits + 2) continue;
    throw unsupported("a pixel has the colour '{}', expected #RRGGBB", text);
  }
  if (!is_number) throw unsupported("a pixel has the colour '{}', expected #RRGGBB", text);
  return color;
}

// A raster of R as pixels: rows, columns, and red, green, blue, followed by opacity if there are four
// channels. R keeps the pixels of a raster row by row, unlike a matrix.
class RasterPixels : public DerivedArray {
 public:
  RasterPixels(ArrayPtr colors, uint64_t rows, uint64_t columns, uint64_t channels)
      : DerivedArray(std::move(colors), number_type(Kind::unsigned_integer, 1), {rows, columns, channels},
                     false) {}

  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }
  bool may_be_missing() const override { return false; }
  Shape chunk_shape() const override {
    constexpr uint64_t kPixelsAtOnce = 64 * 1024;
    const uint64_t rows = std::max<uint64_t>(1, kPixelsAtOnce / std::max<uint64_t>(1, shape()[1]));
    return {std::min(rows, std::max<uint64_t>(1, shape()[0])), shape()[1], shape()[2]};
  }

 private:
  Box stored_box(const Box& box) const override {
    return range(box.origin[0] * shape()[1], box.extent[0] * shape()[1]);
  }
  Elements derived(Elements colors, const Box& box) const override {
    Elements pixels;
    pixels.count = box.extent[0] * box.extent[1] * box.extent[2];
    pixels.bytes.reserve(pixels.count);
    for (uint64_t row = 0; row < box.extent[0]; ++row)
      for (uint64_t column = box.origin[1]; column < box.origin[1] + box.extent[1]; ++column) {
        const uint64_t i = row * shape()[1] + column;
        const std::array<uint8_t, 4> color = color_of(colors.text(i), colors.is_missing(i));
        if (shape()[2] == 3 && color[3] != UINT8_MAX)
          throw unsupported("a transparent pixel among opaque ones");
        for (uint64_t channel = 0; channel < box.extent[2]; ++channel)
          pixels.bytes.push_back(static_cast<std::byte>(color[box.origin[2] + channel]));
      }
    return pixels;
  }
};

// Returns the pixels of a raster; null for any other value. They have an opacity if the first of them has.
ArrayPtr pixels_of_raster(const Value& raster) {
  if (raster.type != RType::text) return nullptr;
  const std::optional<Shape> extents = dimensions_of(raster);
  if (!extents || extents->size() != 2 || raster.length() == 0) return nullptr;
  const Elements first = raster.vector->peek(range(0, 1));
  const bool is_opaque = !first.is_missing(0) && first.text(0).size() == 7;
  return std::make_shared<RasterPixels>(raster.vector, (*extents)[0], (*extents)[1], is_opaque ? 3 : 4);
}

// Returns "image" with the extension of a file's name.
std::string image_name(const std::string& path) {
  const size_t slash = path.rfind('/'), dot = path.rfind('.');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  return kPixels + (has_extension ? path.substr(dot) : std::string());
}

// Adds the file of a picture, if it is in a folder in which an R object may name files, and its pixels if it
// is a PNG.
void add_picture_file(std::vector<Member>& members, const Value& picture, const View& view) {
  const ValuePtr path = picture.attribute("path");
  const std::optional<std::string> text = path ? path->single_text() : std::nullopt;
  if (!text) return;
  try {
    const std::string location = named_location(*text, *view.scope);
    const std::string name = image_name(*text);
    const bool has_pixels = std::any_of(members.begin(), members.end(),
                                        [](const Member& member) { return member.name == kPixels; });
    if (has_pixels && name == kPixels)
      throw damaged("the picture has both pixels and a file without an extension");
    members.push_back({name, Node{PlainFile{location}}});
    if (has_pixels || name == kPixels) return;
    if (std::optional<Node> pixels = png_node(location, view.scope->context))
      members.push_back({kPixels, *std::move(pixels)});
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    view.scope->context.notice(fmt::format("{}: {}", view.place.path, error.what()));
  }
}

// Returns the members of a SpatialImage: the raster that it has loaded, or the file or address that it names.
std::vector<Member> picture_members(const ValuePtr& picture, const View& view) {
  const ValuePtr raster = picture->attribute("image");
  const ArrayPtr pixels = raster ? pixels_of_raster(*raster) : nullptr;
  std::vector<std::string> left_out;
  if (pixels) left_out.push_back(kPixels);
  if (const ValuePtr about = picture->attribute("metadata"); about && about->items.empty())
    left_out.push_back("metadata");
  std::vector<Member> members = slot_members(*picture, view, left_out);
  if (pixels) members.push_back({kPixels, Node{LabelledArray{pixels, nullptr, nullptr}}});
  add_picture_file(members, *picture, view);
  return members;
}

// Returns the text of each row of a column that is text or a factor; empty if there is no such column.
std::vector<std::string> texts_in(const Value& list, const char* name, const View& view) {
  const ValuePtr column = list.item(name);
  if (!column || !column->is_vector()) return {};
  const ArrayPtr texts = meaning_of(*column, view).as_text();
  if (!texts->dtype().is_text()) return {};
  const Elements all = read_all(*texts);
  std::vector<std::string> values;
  for (uint64_t i = 0; i < all.count; ++i) values.emplace_back(all.is_missing(i) ? "NA" : all.text(i));
  return values;
}

// Returns the pictures of imgData, each called SAMPLE_IMAGE.
std::vector<Member> pictures_of(const Value& frame, const View& view) {
  const Value& list = frame_columns(frame);
  ValuePtr pictures = list.item("data");
  if (pictures && pictures->type == RType::s4) pictures = pictures->attribute("listData");
  if (!pictures || pictures->type != RType::list) return {};
  const std::vector<std::string> samples = texts_in(list, "sample_id", view),
                                 images = texts_in(list, "image_id", view);
  std::vector<Member> members;
  MemberNames given;
  for (size_t i = 0; i < pictures->items.size(); ++i) {
    const bool has_names = i < samples.size() && i < images.size();
    const std::string name = given.take(has_names ? samples[i] + "_" + images[i] : "", i);
    const ValuePtr& picture = pictures->items[i];
    if (picture->type != RType::s4) continue;
    const View folder = view.at(view.place.inside(name, view.place.parent));
    Node node;
    node.parts = directory_at(
        folder, [picture](const View& inside) { return picture_members(picture, inside); },
        [picture] { return attributes_of(*picture); });
    members.push_back({name, std::move(node)});
  }
  return members;
}

// Adds a table of the pictures with their scale factors, and a directory for each.
void add_images(std::vector<Member>& members, const ValuePtr& frame, const View& view) {
  if (!frame) return;
  if (!is_frame(*frame)) return add_member(members, "images", frame, view);
  const View place = view.at(view.place.inside("images", view.place.parent));
  const uint64_t rows = frame_rows(*frame);
  const Value& list = frame_columns(*frame);
  Table table{rows, nullptr, {}};
  const std::optional<std::vector<std::string>> names = list.item_names();
  for (size_t i = 0; names && i < names->size(); ++i) {
    const ValuePtr& column = list.items[i];
    if (column->is_vector() && column->length() == rows)
      table.columns.push_back({(*names)[i], meaning_of(*column, place).as_text()});
  }
  if (rows == 0 || table.columns.empty()) return;
  Node node{std::move(table)};
  node.parts = directory_at(place, [frame](const View& inside) { return pictures_of(*frame, inside); });
  members.push_back({"images", std::move(node)});
}

// Adds the coordinates: a matrix with a row for each cell, or until version 1.0 a frame.
void add_coordinates(std::vector<Member>& members, const ValuePtr& coordinates, const ArrayPtr& columns,
                     const View& view) {
  if (!coordinates) return;
  const View place = view.at(view.place.inside(kCoordinates, view.place.parent));
  if (is_frame(*coordinates)) {
    if (!frame_columns(*coordinates).items.empty())
      members.push_back({kCoordinates, frame_node(coordinates, place, columns)});
    return;
  }
  const std::optional<Shape> extents = coordinates->is_vector() ? dimensions_of(*coordinates) : std::nullopt;
  if (extents && extents->size() == 2 && (*extents)[1] == 0) return;
  View inside = view;
  if (extents && extents->size() == 2) {
    const ArrayPtr names = columns && columns->count() == (*extents)[0]
                               ? columns
                               : side_names(*coordinates, "dimnames", 0, (*extents)[0], place);
    inside.sides = SideNames{names, side_names(*coordinates, "dimnames", 1, (*extents)[1], place)};
  }
  add_member(members, kCoordinates, coordinates, inside);
}

ValuePtr internal_item(const Value& object, const char* slot, const char* name) {
  const ValuePtr internal = object.attribute(slot);
  if (!internal) return nullptr;
  if (internal->type == RType::list) return internal->item(name);
  return is_frame(*internal) ? frame_columns(*internal).item(name) : nullptr;
}

}  // namespace

bool is_spatial_part(std::string_view name) {
  return name == "spatialCoords" || name == "spatial" || name == "spatialData" || name == "imgData";
}

void add_spatial_parts(std::vector<Member>& members, const Value& object, const ArrayPtr& columns,
                       const View& view) {
  ValuePtr coordinates = internal_item(object, "int_colData", "spatialCoords");
  if (!coordinates) coordinates = internal_item(object, "int_colData", "spatial");
  add_coordinates(members, coordinates, columns, view);
  const ValuePtr data = internal_item(object, "int_colData", "spatialData");
  if (data && is_frame(*data) && !frame_columns(*data).items.empty())
    members.push_back(
        {"spatial_data",
         frame_node(data, view.at(view.place.inside("spatial_data", view.place.parent)), columns)});
  else if (data && !is_frame(*data))
    add_member(members, "spatial_data", data, view);
  for (const char* slot : {"int_metadata", "int_colData"})
    add_images(members, internal_item(object, slot, "imgData"), view);
}

}  // namespace plainfs::robject
