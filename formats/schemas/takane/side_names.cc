#include "formats/schemas/takane/side_names.h"

#include "formats/core/frames/names.h"
#include "formats/core/frames/parts.h"
#include "formats/schemas/takane/columns.h"

namespace plainfs::takane {
ArrayPtr fitting_side(ArrayPtr names, uint64_t count, const std::string& place, Context& context) {
  return frames::fitting_names(std::move(names), count, place, context);
}

ArrayPtr names_in_list(const Group& lists, size_t number, uint64_t count, const std::string& place,
                       Context& context) {
  const std::string name = std::to_string(number);
  const ArrayPtr names = frames::part_of(lists, name);
  if (!names) return nullptr;
  if (!frames::may_be_text(*names)) {
    context.notice(fmt::format("{}: the names are not used: not a list of texts", place));
    return nullptr;
  }
  return fitting_side(nul_terminated(names), count, place, context);
}

SideNames side_names(const Group& group, const MatrixExtent& extent, const SideNames& given,
                     const std::string& place, Context& context, bool reversed) {
  const GroupPtr lists = frames::group_part_of(group, "names");
  const auto names = [&](size_t dimension, const ArrayPtr& outer, uint64_t count, const char* side) {
    const size_t number = reversed ? 1 - dimension : dimension;
    const std::string where = fmt::format("{}: {}", place, side);
    if (lists && frames::part_of(*lists, std::to_string(number)))
      return names_in_list(*lists, number, count, where, context);
    return fitting_side(outer, count, where, context);
  };
  return {names(0, given.rows, extent.rows, "rows"), names(1, given.columns, extent.columns, "columns")};
}

}  // namespace plainfs::takane
