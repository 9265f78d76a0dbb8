#include "formats/schemas/h5seurat/labels.h"

namespace plainfs::h5seurat {
namespace {

// Returns the raw group that holds the object at place; null if a name on the way is no group.
GroupPtr holder_of(const SeuratFile& file, const Place& place) {
  GroupPtr group = file.root();
  for (size_t i = 0; group && i + 1 < place.size(); ++i) group = find_group(*group, place[i]);
  return group;
}

ArrayPtr names_beside(const SeuratFile& file, const Place& place, std::string_view name) {
  try {
    const GroupPtr holder = holder_of(file, place);
    return holder ? find_names(*holder, name, file.context()) : nullptr;
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error);
  }
}

bool is_in(const Place& place, std::string_view folder) {
  return place.size() == 3 && place[0] == folder;
}

// Returns PC_1, PC_2, … from the reduction's key.
ArrayPtr dimension_names(const SeuratFile& file, const Place& place, uint64_t count) {
  constexpr uint64_t kMaxDimensions = 1 << 20;
  std::vector<std::string> key;
  try {
    const GroupPtr reduction = holder_of(file, place);
    if (reduction) key = reduction->attributes().texts("key");
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error);
  }
  if (key.empty() || count > kMaxDimensions) return nullptr;
  std::vector<std::string> names;
  for (uint64_t i = 1; i <= count; ++i) names.push_back(key[0] + std::to_string(i));
  return text_array(names);
}

// Returns the member of a reduction that names the rows of object; nullptr if they have no names.
const char* reduction_rows(const std::string& object) {
  if (object == "feature.loadings") return "features";
  if (object == "feature.loadings.projected") return "projected.features";
  return nullptr;
}

bool is_graph(const Place& place) {
  return place.size() == 2 && place[0] == "graphs";
}

ArrayPtr column_label_list(const SeuratFile& file, const Place& place, uint64_t count) {
  if (is_assay_matrix(place) || is_graph(place)) return file.cell_names();
  const bool is_reduction =
      is_in(place, "reductions") && (place[2] == "cell.embeddings" || reduction_rows(place[2]));
  return is_reduction ? dimension_names(file, place, count) : nullptr;
}

}  // namespace

bool is_assay_matrix(const Place& place) {
  return is_in(place, "assays") && (place[2] == "counts" || place[2] == "data" || place[2] == "scale.data");
}

ArrayPtr row_label_list(const SeuratFile& file, const Place& place) {
  if (is_graph(place)) return file.cell_names();
  if (is_assay_matrix(place))
    return names_beside(file, place, place[2] == "scale.data" ? "scaled.features" : "features");
  if (!is_in(place, "reductions")) return nullptr;
  if (place[2] == "cell.embeddings") return file.cell_names();
  const char* names = reduction_rows(place[2]);
  return names ? names_beside(file, place, names) : nullptr;
}

Labels matrix_labels(const SeuratFile& file, const Place& place, uint64_t rows, uint64_t columns) {
  std::string path;
  for (const std::string& name : place) path += "/" + name;
  return {
      fitting_names(row_label_list(file, place), rows, path + ": rows", file.context()),
      fitting_names(column_label_list(file, place, columns), columns, path + ": columns", file.context())};
}

ArrayPtr table_label_list(const SeuratFile& file, const Place& place) {
  if (place.size() == 1 && place[0] == "meta.data") return file.cell_names();
  if (is_in(place, "assays") && place[2] == "meta.features") return names_beside(file, place, "features");
  return nullptr;
}

}  // namespace plainfs::h5seurat
