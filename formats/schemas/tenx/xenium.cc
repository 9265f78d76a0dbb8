#include "formats/schemas/tenx/xenium.h"

#include <type_traits>
#include <utility>

#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/derived_group.h"

namespace plainfs::tenx {
namespace {

constexpr const char* kCellIds = "cell_id";
constexpr const char* kCellSummary = "cell_summary";

// Appends the hexadecimal digits of the prefix, with a to p in place of 0 to f, and the suffix of the
// dataset.
void append_cell_name(uint64_t prefix, uint64_t suffix, std::string& name) {
  for (int shift = 28; shift >= 0; shift -= 4) name += static_cast<char>('a' + (prefix >> shift & 15));
  name += '-' + std::to_string(suffix);
}

class CellNames : public DerivedArray {
 public:
  explicit CellNames(ArrayPtr ids) : DerivedArray(ids, text_type(), {ids->shape()[0]}, false) {}
  Shape chunk_shape() const override { return {values().chunk_shape()[0]}; }

 private:
  bool are_pairs() const { return values().shape().size() == 2; }
  Box stored_box(const Box& box) const override {
    return are_pairs() ? Box{{box.origin[0], 0}, {box.extent[0], 2}} : box;
  }
  // ids: those of the box, or a single one that equals all of them.
  Elements derived(Elements ids, const Box&) const override {
    const size_t width = are_pairs() && ids.count > 1 ? 2 : 1;
    TextBuilder names(ids.count / width);
    std::string name;
    visit_number(values().dtype(), [&](auto zero) {
      if constexpr (std::is_integral_v<decltype(zero)>) {
        const auto numbers = ids.values<decltype(zero)>();
        for (size_t i = 0; i < numbers.size(); i += width) {
          name.clear();
          const auto prefix = static_cast<uint64_t>(numbers[i]);
          if (are_pairs())
            append_cell_name(prefix, static_cast<uint64_t>(numbers[i + width - 1]), name);
          else
            name = std::to_string(prefix);
          names.add(name);
        }
      }
    });
    return names.finish();
  }
};

// Returns the group's cell_id, or null if it is not a list of ids.
ArrayPtr cell_ids_in(const Group& group) {
  ArrayPtr ids = frames::part_of(group, kCellIds);
  if (!ids || frames::is_broken(*ids)) return ids;
  const Shape& shape = ids->shape();
  const bool is_list = shape.size() == 1 || (shape.size() == 2 && shape[1] == 2);
  return ids->dtype().is_integer() && is_list ? ids : nullptr;
}

ArrayPtr names_of(const ArrayPtr& cell_ids) {
  if (frames::is_broken(*cell_ids)) return cell_ids;
  return xenium_cell_names(cell_ids);
}

// Returns the attributes of a group, if there is one called name; else nullopt. This is cheaper than looking
// for members. Permanently unreadable attributes are reported by the view that shows them.
std::optional<Attributes> attributes_with(const Group& group, const char* name) {
  try {
    Attributes attributes = group.attributes();
    if (attributes.find(name)) return attributes;
  } catch (const Error& error) {
    if (is_transient(error)) throw;
  }
  return std::nullopt;
}

uint64_t count_in(const Attributes& attributes, std::string_view name, uint64_t otherwise) {
  const Json* const count = attributes.find(name);
  return count ? count->as_uint64().value_or(otherwise) : otherwise;
}

// Returns the texts of the attribute called name, or null unless there is one for each feature.
ArrayPtr of_each_feature(const Attributes& attributes, const char* name, uint64_t features,
                         const Notice& notice) {
  std::vector<std::string> texts = attributes.texts(name);
  if (texts.size() == features) return text_array(texts);
  if (notice && !texts.empty())
    notice(fmt::format("{} {} for {} features are not used", texts.size(), name, features));
  return nullptr;
}

}  // namespace

std::optional<XeniumMatrix> xenium_matrix_in(const Group& group, const Notice& notice) {
  const std::optional<Attributes> attributes = attributes_with(group, "feature_keys");
  if (!attributes) return std::nullopt;
  XeniumMatrix found;
  SparseMatrix& matrix = found.matrix;
  ArrayPtr cell_ids;
  const bool is_complete = (matrix.pointer = frames::integer_part_of(group, "indptr")) &&
                           (matrix.index = frames::integer_part_of(group, "indices")) &&
                           (matrix.value = frames::list_part_of(group, "data")) &&
                           (cell_ids = cell_ids_in(group));
  if (!is_complete) return std::nullopt;
  const size_t keys = attributes->texts("feature_keys").size();
  matrix.by_row = true;
  matrix.rows = found.features.rows = count_in(*attributes, "number_features", keys);
  const bool is_known = !frames::is_broken(*cell_ids);
  matrix.columns = count_in(*attributes, "number_cells", is_known ? cell_ids->shape()[0] : 0);
  matrix.row_names = of_each_feature(*attributes, "feature_keys", matrix.rows, notice);
  matrix.row_ids = of_each_feature(*attributes, "feature_ids", matrix.rows, notice);
  if (!is_known || cell_ids->shape()[0] == matrix.columns)
    matrix.column_names = names_of(cell_ids);
  else if (notice)
    notice(fmt::format("{} ids for {} cells are not used", cell_ids->shape()[0], matrix.columns));
  for (const auto& [name, values] :
       {std::pair("id", matrix.row_ids), std::pair("name", matrix.row_names),
        std::pair("feature_type", of_each_feature(*attributes, "feature_types", matrix.rows, notice))})
    if (values) found.features.columns.push_back({name, values});
  if (!matrix.row_names) matrix.row_names = std::exchange(matrix.row_ids, nullptr);
  return found;
}

GroupPtr xenium_cells(const GroupPtr& group) {
  if (!attributes_with(*group, "major_version")) return nullptr;
  const ArrayPtr cell_ids = cell_ids_in(*group), summary = frames::part_of(*group, kCellSummary);
  if (!cell_ids || !summary || frames::is_broken(*summary) || summary->shape().size() != 2) return nullptr;
  const std::vector<std::string> columns = summary->attributes().texts("column_names");
  if (columns.size() != summary->shape()[1]) return nullptr;
  const bool fits = frames::is_broken(*cell_ids) || cell_ids->shape()[0] == summary->shape()[0];
  const ArrayPtr rows = fits ? names_of(cell_ids) : nullptr, names = text_array(columns);
  return std::make_shared<OverlayGroup>(group, [rows, names](const std::string& name, Node member) {
    auto* const array = std::get_if<LabelledArray>(&member.content);
    if (array && name == kCellSummary) {
      array->row_names = rows;
      array->column_names = names;
    }
    return member;
  });
}

ArrayPtr xenium_cell_names(ArrayPtr cell_id) {
  return std::make_shared<CellNames>(std::move(cell_id));
}

}  // namespace plainfs::tenx
