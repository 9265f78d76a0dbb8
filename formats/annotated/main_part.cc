#include "formats/annotated/main_part.h"

#include "formats/core/model/attribute.h"
#include "formats/schemas/anndata/schema.h"

namespace plainfs {

namespace {

constexpr std::string_view kAssays = "assays", kModalities = "mod";
constexpr std::string_view kFolders[] = {kAssays, kModalities, "alternative_experiments"};

}  // namespace

std::span<const std::string_view> folders_of_matrices() {
  return kFolders;
}

std::vector<std::string> main_part(const Node& root) try {
  if (!root.parts) return {};
  if (std::optional<std::string> assay = attributes_of(root).text("active.assay"))
    return {std::string(kAssays), *std::move(assay)};
  const GroupPtr modalities = root.parts->find("obs") ? find_group(*root.parts, kModalities) : nullptr;
  const std::vector<std::string> names =
      modalities ? anndata::modalities_of(*modalities) : std::vector<std::string>();
  return names.empty() ? names : std::vector<std::string>{std::string(kModalities), names.front()};
} catch (const Error&) {
  return {};  // an unreadable part is reported where it is needed
}

}  // namespace plainfs
