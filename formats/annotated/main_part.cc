#include "formats/annotated/main_part.h"

#include "formats/core/model/attribute.h"
#include "formats/schemas/anndata/schema.h"

namespace plainfs {

std::vector<std::string> main_part(const Node& root) try {
  if (!root.parts) return {};
  if (std::optional<std::string> assay = attributes_of(root).text("active.assay"))
    return {"assays", *std::move(assay)};
  const GroupPtr modalities = root.parts->find("obs") ? find_group(*root.parts, "mod") : nullptr;
  const std::vector<std::string> names =
      modalities ? anndata::modalities_of(*modalities) : std::vector<std::string>();
  return names.empty() ? names : std::vector<std::string>{"mod", names.front()};
} catch (const Error&) {
  return {};  // an unreadable part is reported where it is needed
}

}  // namespace plainfs
