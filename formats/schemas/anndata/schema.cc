#include "formats/schemas/anndata/schema.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "formats/schemas/anndata/group.h"

namespace plainfs::anndata {
namespace {

// Returns whether group has the members of some element of AnnData. Its attributes decide which one. A group
// with unreadable attributes and without such members is no element.
bool has_parts_of_an_element(const Group& group) {
  using Names = std::initializer_list<std::string_view>;
  for (const Names& names :
       {Names{"obs", "var"}, Names{"data", "indices", "indptr"}, Names{"codes", "categories"},
        Names{"values", "mask"}, Names{"_index"}, Names{"index"}, Names{"mod"}}) {
    if (std::all_of(names.begin(), names.end(),
                    [&](std::string_view name) { return group.find(name).has_value(); }))
      return true;
  }
  return false;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node)) return std::nullopt;
  if (dynamic_cast<const AnnDataGroup*>(node.parts.get())) return std::nullopt;
  try {
    return element_of(node, node.parts->parent(), context);
  } catch (const Error& error) {
    if (!is_transient(error) && !has_parts_of_an_element(*node.parts)) return std::nullopt;
    throw;
  }
}

}  // namespace plainfs::anndata
