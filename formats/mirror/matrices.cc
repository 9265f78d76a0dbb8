#include "formats/mirror/matrices.h"

#include <set>

#include "formats/schemas/mex/dialects.h"
#include "formats/wrapped/wrapping.h"

namespace plainfs::folder {
namespace {

Node matrix_node(const std::string& path) {
  Node node;
  node.store = path;
  return node;
}

}  // namespace

void add_matrices(const std::string& path, std::vector<Member>& members, const Context& context) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Member& member : members) {
    taken.insert(member.name);
    if (!member.node.parts && member.node.store.empty()) names.push_back(member.name);
  }
  for (const mex::MatrixFiles& files : mex::matrices_in(names)) {
    const std::string directory = files.directory();
    if (directory.empty()) continue;
    const std::string place = path + "/" + directory;
    if (taken.contains(directory))
      context.notice(fmt::format("{}: the matrix of {} has no directory, because the name is taken", place,
                                 files.matrices.front().file));
    else
      members.push_back({directory, matrix_node(place)});
  }
}

std::optional<Node> matrix_named(const std::string& path, std::string_view name, const Context& context) {
  const std::string place = fmt::format("{}/{}", path, name);
  const Probe probe(place, context.files);
  if (probe.kind() != EntryKind::nothing || !is_store_in_folder(probe)) return std::nullopt;
  return matrix_node(place);
}

}  // namespace plainfs::folder
