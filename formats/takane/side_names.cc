#include "formats/takane/side_names.h"

#include "formats/frames/names.h"
#include "formats/frames/parts.h"
#include "formats/takane/text_columns.h"

namespace plainfs::takane {
namespace {

// The list of that number in the group names; null where there is none.
ArrayPtr own_names(const Group& group, size_t dimension) {
  const GroupPtr lists = frames::group_part_of(group, "names");
  const ArrayPtr names = lists ? frames::text_part_of(*lists, std::to_string(dimension)) : nullptr;
  return names ? nul_terminated(names) : nullptr;
}

}  // namespace

ArrayPtr fitting_side(ArrayPtr names, uint64_t count, const std::string& place, Context& context) {
  return frames::fitting_names(std::move(names), count, place, context);
}

SideNames side_names(const Group& group, const MatrixExtent& extent, const SideNames& given,
                     const std::string& place, Context& context, bool reversed) {
  const auto names = [&](size_t dimension, const ArrayPtr& outer, uint64_t count, const char* side) {
    ArrayPtr own = own_names(group, reversed ? 1 - dimension : dimension);
    const std::string where = fmt::format("{}: {}", place, side);
    return fitting_side(own ? std::move(own) : outer, count, where, context);
  };
  return {names(0, given.rows, extent.rows, "rows"), names(1, given.columns, extent.columns, "columns")};
}

}  // namespace plainfs::takane
