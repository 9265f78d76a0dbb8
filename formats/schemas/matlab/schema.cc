#include "formats/schemas/matlab/schema.h"

#include <algorithm>

#include "formats/containers/hdf5/container.h"
#include "formats/schemas/matlab/variables.h"

namespace plainfs::matlab {
namespace {

constexpr std::string_view kHeader = "MATLAB 7.3 MAT-file";

bool has_class(const Member& member) {
  try {
    return (member.node.parts || array_of(member.node)) && attributes_of(member.node).find("MATLAB_class");
  } catch (const Error&) {
    return false;  // its class is unknown
  }
}

// Returns whether node is the root of a MATLAB file. Other programs write such files without MATLAB's words
// in the user block.
bool is_root_of_matlab(const Node& node) {
  if (!node.parts || node.parts->parent() || !std::holds_alternative<std::monostate>(node.content))
    return false;
  const Bytes header = hdf5::user_block(*node.parts);
  if (header.empty()) return false;
  if (as_text(header).starts_with(kHeader)) return true;
  const std::vector<Member> members = node.parts->members();
  return std::any_of(members.begin(), members.end(), has_class);
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_root_of_matlab(node)) return std::nullopt;
  Node refined = node;
  refined.parts = variables_of({node.parts, context});
  return refined;
}

void describe(const Node& raw_root, Store& store) {
  if (!is_root_of_matlab(raw_root)) return;
  store.details.emplace_back("container", Json(store.format));
  store.format = "MATLAB";
  store.version = "7.3";
}

}  // namespace plainfs::matlab
