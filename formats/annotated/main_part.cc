#include "formats/annotated/main_part.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/attribute.h"
#include "formats/registry.h"
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

namespace {

// Returns the matrices of a directory of which the members have no meaning yet.
std::vector<FoundAnnotatedMatrix> matrices_in(Node directory, Context& context) {
  if (directory.parts && !std::holds_alternative<PlainFile>(directory.content)) {
    std::vector<Member> members = directory.parts->members();
    std::vector<std::string> names;
    for (Member& member : members) {
      names.push_back(member.name);
      member.node = refine(std::move(member.node), context);
    }
    directory.parts = std::make_shared<KnownMembers>(directory.parts, std::move(members), std::move(names));
  }
  return annotated_matrices(directory, context);
}

}  // namespace

std::optional<FoundAnnotatedMatrix> main_matrix(const Node& root, Context& context) {
  std::vector<FoundAnnotatedMatrix> found = matrices_in(root, context);
  const std::vector<std::string> part = main_part(root);
  if (found.empty() && part.size() == 2) {
    const bool is_assay = part[0] == "assays";
    const std::optional<Node> node = find_path(*root.parts, std::span(part).first(is_assay ? 1 : 2));
    if (node) found = matrices_in(refine(*node, context), context);
    if (is_assay) std::erase_if(found, [&](const FoundAnnotatedMatrix& one) { return one.name != part[1]; });
  }
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace plainfs
