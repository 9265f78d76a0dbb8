#include <algorithm>

#include "formats/containers/hdf5/container.h"
#include "formats/core/base/location.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

std::string file_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(last_name(path));
}

// Returns the dataset at a path in a file.
ArrayPtr dataset_at(const GroupPtr& root, const std::string& path) {
  const std::optional<Node> node = find_path(*root, path_names(path));
  const ArrayPtr array = node ? array_of(*node) : nullptr;
  if (!array) throw damaged("the dataset {} is missing in the file", path);
  return array;
}

// Marks the values that HDF5Array writes for NA: R's own for integers, or its NaN.
ArrayPtr with_missing_of_r(ArrayPtr values, const std::string& type) {
  if (values->dtype().kind == Kind::integer && values->dtype().size == 4)
    values = with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
      const auto all = elements.values<int32_t>();
      for (size_t i = 0; i < all.size(); ++i) missing[i] = all[i] == kRMissingInteger;
    });
  if (values->dtype().kind == Kind::real && values->dtype().size == 8)
    values = with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
      const auto all = elements.values<double>();
      for (size_t i = 0; i < all.size(); ++i) missing[i] = is_r_missing(all[i]);
    });
  return type == "logical" ? as_logical(std::move(values)) : values;
}

LabelledArray hdf5_array(const Value& seed, const Value& matrix, const View& view) {
  const ValuePtr file = seed.attribute("filepath"), name = seed.attribute("name");
  if (!file || !name || !file->single_text() || !name->single_text())
    throw damaged("{}: filepath or name of an HDF5 array is missing", view.place.path);
  const std::string location = named_location(*file->single_text(), *view.scope);
  const GroupPtr root = hdf5::open_group(location, view.scope->context);
  const ValuePtr type = seed.attribute("type");
  const ArrayPtr stored = dataset_at(root, *name->single_text());
  // The file's dimensions are R's in reverse.
  LabelledArray array{
      with_missing_of_r(as_column_major(stored), type ? type->single_text().value_or("") : ""), nullptr,
      nullptr};
  if (stored->shape().size() != 2) return array;
  const auto side = [&](const ArrayPtr& given, size_t number, uint64_t count) {
    if (!view.sides) return side_names(matrix, "dimnames", number, count, view);
    return frames::fitting_names(given, count, view.place.path, view.scope->context);
  };
  array.row_names = side(view.sides ? view.sides->rows : nullptr, 0, stored->shape()[1]);
  array.column_names = side(view.sides ? view.sides->columns : nullptr, 1, stored->shape()[0]);
  return array;
}

}  // namespace

std::string named_location(const std::string& path, const Scope& scope) {
  const std::string folder = folder_of_path(scope.location);
  const std::string beside = joined_path(folder, file_name(path));
  const std::string whole = path.starts_with('/') ? path : joined_path(folder, path);
  Sources& files = scope.context.files;
  const bool is_of_machine =
      path.starts_with('/') && is_url(scope.location);  // a path on the machine that wrote the object
  for (const std::string& location : {is_of_machine ? beside : whole, beside})
    if (!file_name(path).empty() && files.bounds().contains(location) &&
        files.kind_of(location) != EntryKind::nothing)
      return location;
  throw damaged("{}: missing, both in the folder of the R object and beside it", path);
}

bool is_delayed(const Value& value) {
  return value.type == RType::s4 && value.attribute("seed") && value.attribute("seed")->type == RType::s4;
}

Node delayed_node(const ValuePtr& matrix, const View& view) {
  const ValuePtr seed = matrix->attribute("seed");
  Node node;
  node.attributes = [matrix] { return attributes_of(*matrix); };
  try {
    if (!seed->is_a("HDF5ArraySeed")) {
      const std::vector<std::string> classes = seed->classes();
      throw unsupported("{}: a delayed matrix of class {}", view.place.path,
                        classes.empty() ? "none" : classes.front());
    }
    node.content = hdf5_array(*seed, *matrix, view);
  } catch (const Error& error) {
    node.content = error;
  }
  return node;
}

}  // namespace plainfs::robject
