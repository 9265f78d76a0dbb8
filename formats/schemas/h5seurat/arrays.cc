#include <algorithm>

#include "formats/core/frames/element.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/h5seurat/labels.h"
#include "formats/schemas/h5seurat/r_array.h"
#include "formats/schemas/h5seurat/shapes.h"

namespace plainfs::h5seurat {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

Logicals logicals_of(const Group& group, const Node& node, const Array& array, const std::string& name) {
  Logicals logicals;
  if (array.dtype().kind != Kind::compound && !array.dtype().is_integer()) return logicals;
  const Attributes attributes = attributes_of(node);
  check_names(attributes);
  if (array.dtype().kind == Kind::compound) {
    for (std::string& member : attributes.texts("logicals")) logicals.members.insert(std::move(member));
  } else {
    logicals.itself =
        holds(attributes.texts("s3class"), "logical") || holds(group.attributes().texts("logicals"), name);
  }
  return logicals;
}

// Returns the row names of a compound dataset, which is a data frame of 2020 (or with option
// dataframe_as_group off). They are stored beside it.
ArrayPtr compound_row_names(const SeuratFile& file, const Group& group, const Array& array,
                            const Place& place) {
  ArrayPtr names = table_label_list(file, place);
  if (!names) names = find_names(group, place.back() + ".row.names", file.context());
  return fitting_names(std::move(names), array.count(),
                       fmt::format("{}: rows of {}", group.path(), place.back()), file.context());
}

}  // namespace

LabelledArray labelled_array_of(const SeuratFile& file, const Group& group, const Node& node,
                                const Place& place) {
  const ArrayPtr raw = std::get<LabelledArray>(node.content).values;
  LabelledArray result;
  try {
    result.values = r_array(raw, logicals_of(group, node, *raw, place.back()));
  } catch (const Error& error) {  // of attributes: it may or may not be logical
    result.values = std::make_shared<BrokenArray>(raw->dtype(), error);
    return result;
  }
  const Shape& shape = raw->shape();
  if (raw->dtype().kind == Kind::compound && shape.size() == 1) {
    result.row_names = compound_row_names(file, group, *raw, place);
  } else if (shape.size() == 2) {
    Labels labels = matrix_labels(file, place, shape[1], shape[0]);  // on disk the axes are reversed
    result.row_names = std::move(labels.rows);
    result.column_names = std::move(labels.columns);
    result.is_genes_by_cells = is_assay_matrix(place) && result.values->dtype().is_numeric();
  }
  return result;
}

ArrayPtr factor_of(const SeuratFile& file, const Group& group) {
  const auto of = [&](std::string_view levels_name, std::string_view codes_name, int64_t base) -> ArrayPtr {
    const ArrayPtr levels = find_array(group, levels_name);
    const ArrayPtr codes = levels ? find_array(group, codes_name) : nullptr;
    if (!codes || !frames::are_codes(*codes) || levels->shape().size() != 1) return nullptr;
    if (group.members().size() != 2) return nullptr;
    return factor(frames::codes_from(r_array(codes, {}), base), r_array(levels, {}), base, group.path(),
                  file.context());
  };
  if (ArrayPtr values = of("levels", "values", 1)) return values;
  return of("categories", "codes", 0);
}

}  // namespace plainfs::h5seurat
