// The images of a Seurat object. Sources: SeuratObject 5.4.0 `R/centroids.R`, `R/segmentation.R`, `R/fov.R`;
// the package sp 2.1, `R/Class-SpatialPolygons.R`.
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/robject/arrays.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

// Returns a table of the centres of cells, stored as points: their names and coordinates. No table if the
// parts do not fit.
Node table_of_points(const Value& centroids, const View& view) {
  const ValuePtr coords = centroids.attribute("coords"), cells = centroids.attribute("cells");
  if (!coords || !coords->is_vector() || !cells || cells->type != RType::text) return {};
  const std::optional<Shape> extents = dimensions_of(*coords);
  if (!extents || extents->size() != 2 || (*extents)[0] != cells->length() || (*extents)[1] > 3) return {};
  const uint64_t width = (*extents)[1];
  const ArrayPtr names = side_names(*coords, "dimnames", 1, width, view);
  const Elements texts = names ? read_all(*names) : Elements();
  const ArrayPtr matrix = reshaped(with_missing_marked(*coords), {width, (*extents)[0]});
  Table table{(*extents)[0], cells->vector, {}};
  for (uint64_t i = 0; i < width; ++i)
    table.columns.push_back(
        {names && !texts.is_missing(i) ? std::string(texts.text(i)) : std::string(1, "xyz"[i]),
         column_of(matrix, i)});
  return Node{std::move(table)};
}

// Returns a table of the centres of cells, which sp stores with their outlines in the slot labpt. No table if
// an outline has no centre.
Node table_of_outlines(const Value& polygons) {
  std::vector<std::string> names;
  std::vector<double> x, y;
  for (const ValuePtr& outline : polygons.items) {
    const ValuePtr name = outline->attribute("ID"), point = outline->attribute("labpt");
    const std::optional<std::string> text = name ? name->single_text() : std::nullopt;
    if (!text || !point || point->type != RType::real || point->length() != 2) return {};
    const Elements both = read_all(*point->vector);
    names.push_back(*text);
    x.push_back(both.values<double>()[0]);
    y.push_back(both.values<double>()[1]);
  }
  if (names.empty()) return {};
  return Node{Table{names.size(), text_array(names), {{"x", number_array(x)}, {"y", number_array(y)}}}};
}

// Returns the first boundaries that are points, Seurat's default, or else the first outlines.
Node centres_of(const Value& boundaries, const View& view) {
  for (const ValuePtr& boundary : boundaries.items)
    if (Node points = table_of_points(*boundary, view); std::holds_alternative<Table>(points.content))
      return points;
  for (const ValuePtr& boundary : boundaries.items) {
    const ValuePtr polygons = boundary->attribute("polygons");
    if (!polygons || polygons->type != RType::list) continue;
    if (Node outlines = table_of_outlines(*polygons); std::holds_alternative<Table>(outlines.content))
      return outlines;
  }
  return {};
}

// Returns the members of an image. Images of Visium before version 2 have a table of coordinates.
std::vector<Member> image_members(const ValuePtr& image, const View& view) {
  std::vector<Member> members = slot_members(*image, view);
  const ValuePtr boundaries = image->attribute("boundaries");
  if (image->attribute("coordinates") || !boundaries || boundaries->type != RType::list) return members;
  Node coordinates = centres_of(*boundaries, view);
  if (std::holds_alternative<Table>(coordinates.content))
    members.push_back({"coordinates", std::move(coordinates)});
  return members;
}

}  // namespace

Node seurat_image_node(const ValuePtr& image, const View& view) {
  Node node;
  node.parts = directory_at(
      view, [image](const View& inside) { return image_members(image, inside); },
      [image] { return attributes_of(*image); });
  return node;
}

}  // namespace plainfs::robject
