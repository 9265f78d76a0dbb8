#include "formats/anndata/schema.h"

#include "formats/anndata/group.h"

namespace plainfs::anndata {

std::optional<Node> refine(const Node& node, Context& context) {
  if (!node.parts || !std::holds_alternative<std::monostate>(node.content)) return std::nullopt;
  if (dynamic_cast<const AnnDataGroup*>(node.parts.get())) return std::nullopt;
  return element_of(node, node.parts->parent(), context);
}

}  // namespace plainfs::anndata
