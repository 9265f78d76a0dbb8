#include "formats/core/frames/encoding.h"

#include <algorithm>

namespace plainfs::frames {

bool Encoding::is(std::string_view a_type, std::initializer_list<std::string_view> versions) const {
  return type == a_type && std::find(versions.begin(), versions.end(), version) != versions.end();
}

std::optional<Encoding> encoding_of(const Attributes& attributes) {
  std::optional<std::string> type = text_of(attributes, "encoding-type");
  if (!type) return std::nullopt;
  return Encoding{std::move(*type), text_of(attributes, "encoding-version").value_or("")};
}

std::optional<MatrixShape> matrix_shape_in(const Attributes& attributes, std::string_view name) {
  const Json* value = find_attribute(attributes, name);
  if (!value) return std::nullopt;
  const Json::List* list = value->list();
  if (list && list->size() == 2) {
    const auto rows = (*list)[0].as_uint64(), columns = (*list)[1].as_uint64();
    if (rows && columns) return MatrixShape{*rows, *columns};
  }
  throw damaged("{} is not two counts: {}", name, to_json_text(*value));
}

}  // namespace plainfs::frames
