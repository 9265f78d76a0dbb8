#include "formats/schemas/loom/names.h"

#include <span>

#include "formats/core/frames/parts.h"

namespace plainfs::loom {
namespace {

ArrayPtr candidate(const Group& attributes, std::string_view name, uint64_t length) {
  ArrayPtr values = frames::part_of(attributes, name);
  if (!values || !frames::may_be_names(*values, length)) return nullptr;
  return values;
}

Names first_of(const Group& attributes, std::span<const std::string_view> names, uint64_t length) {
  for (const std::string_view name : names)
    if (ArrayPtr values = candidate(attributes, name, length)) return {values, nullptr, std::string(name)};
  for (const Member& member : attributes.members())
    if (ArrayPtr values = candidate(attributes, member.name, length)) return {values, nullptr, member.name};
  return {};
}

}  // namespace

Names row_names(const Group& row_attrs, uint64_t rows) {
  static constexpr std::string_view kNames[] = {"Gene", "var_names", "Accession"};
  Names found = first_of(row_attrs, kNames, rows);
  if (candidate(row_attrs, "Gene", rows)) found.ids = candidate(row_attrs, "Accession", rows);
  return found;
}

Names column_names(const Group& col_attrs, uint64_t columns) {
  static constexpr std::string_view kNames[] = {"CellID", "obs_names", "Cell", "cell_names", "Barcode"};
  return first_of(col_attrs, kNames, columns);
}

}  // namespace plainfs::loom
