#include "formats/schemas/hdfstore/schema.h"

#include "formats/schemas/hdfstore/formats.h"

namespace plainfs::hdfstore {
namespace {

// Returns whether the group has the members of a frame or series.
bool has_parts_of_frame(const Group& group) {
  const auto has = [&](const char* name) { return group.find(name).has_value(); };
  return has("table") || has("axis1") || (has("index") && has("values"));
}

// Returns the attributes of group. If they are unreadable, throws if group may be a frame, otherwise returns
// none.
Attributes attributes_in(const Group& group) {
  try {
    return group.attributes();
  } catch (const Error&) {
    if (has_parts_of_frame(group)) throw;
    return {};
  }
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node)) return std::nullopt;
  const Attributes attributes = attributes_in(*node.parts);
  const auto type = attributes.text("pandas_type");
  const bool is_fixed = type == "frame" || type == "series";
  if (!is_fixed && type != "frame_table" && type != "series_table") return std::nullopt;
  Node refined = node;
  try {
    refined.content = (is_fixed ? fixed_table : compound_table)(*node.parts, attributes, context);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    context.notice(fmt::format("{}: only the parts of a pandas {} are shown: {}", node.parts->path(), *type,
                               error.what()));
    return std::nullopt;
  }
  return refined;
}

}  // namespace plainfs::hdfstore
