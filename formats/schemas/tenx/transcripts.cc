// The molecules of a Xenium run: transcripts.zarr.zip has them in squares of the slide, grids/LEVEL/X,Y;
// level 0 has all of them. Facts and their sources: FORMAT.md.
#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/tenx/xenium.h"

namespace plainfs::tenx {
namespace {

// Returns a column of a matrix, or a whole list.
ArrayPtr number_column(const ArrayPtr& numbers, uint64_t column) {
  const Shape& shape = numbers->shape();
  return std::make_shared<Slice>(numbers, shape.size() == 1 ? whole(shape) : at_index(shape, 1, column),
                                 std::vector<size_t>{0});
}

// Returns the member called name as numbers, of `rows` rows and `width` columns (a list counts as one
// column); null if it has another type or shape.
ArrayPtr numbers_in(const Group& square, const char* name, uint64_t rows, uint64_t width) {
  ArrayPtr numbers = frames::part_of(square, name);
  if (!numbers || frames::is_broken(*numbers) || !numbers->dtype().is_numeric()) return nullptr;
  const Shape& shape = numbers->shape();
  const bool fits = shape.size() == 1 ? width == 1 : shape.size() == 2 && shape[1] == width;
  return fits && shape[0] == rows ? numbers : nullptr;
}

// Returns the root of the store, if the square may be in one of its groups grids/LEVEL; null for any other
// group.
GroupPtr root_of_square(const Group& square) {
  const GroupPtr level = square.parent(), grids = level ? level->parent() : nullptr;
  return grids && grids->path().ends_with("/grids") ? grids->parent() : nullptr;
}

}  // namespace

std::optional<Table> xenium_transcripts_in(const Group& square, Context& context) {
  const GroupPtr root = root_of_square(square);
  if (!root) return std::nullopt;
  const ArrayPtr location = frames::part_of(square, "location");
  if (!location || frames::is_broken(*location) || location->shape().size() != 2) return std::nullopt;
  const uint64_t rows = location->shape()[0], axes = location->shape()[1];
  const ArrayPtr genes = numbers_in(square, "gene_identity", rows, 1);
  if (!location->dtype().is_numeric() || axes < 2 || axes > 3 || !genes || !genes->dtype().is_integer())
    return std::nullopt;
  Table table{rows, nullptr, {}};
  for (uint64_t axis = 0; axis < axes; ++axis)
    table.columns.push_back({std::string(1, "xyz"[axis]) + "_location", number_column(location, axis)});
  ArrayPtr names = number_column(genes, 0);
  if (const std::vector<std::string> known = root->attributes().texts("gene_names"); !known.empty())
    names = factor(names, text_array(known), 0, square.path() + "/gene_identity", context);
  table.columns.push_back({"feature_name", std::move(names)});
  if (const ArrayPtr quality = numbers_in(square, "quality_score", rows, 1))
    table.columns.push_back({"qv", number_column(quality, 0)});
  return table;
}

bool are_xenium_transcripts(const Group& root) {
  const Attributes attributes = root.attributes();
  return attributes.find("major_version") && attributes.find("gene_names") && find_group(root, "grids");
}

}  // namespace plainfs::tenx
