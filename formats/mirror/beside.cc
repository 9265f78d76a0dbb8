#include "formats/mirror/beside.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "formats/schemas/mex/dialects.h"
#include "formats/schemas/parquet/store.h"
#include "formats/schemas/parquet/table.h"
#include "formats/wrapped/wrapping.h"

namespace plainfs::folder {
namespace {

Node matrix_node(const std::string& path) {
  Node node;
  node.store = path;
  return node;
}

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

// Returns the table of a file or folder, or nullopt, with a warning, if it is not a sound one. A transient
// fault is the content of the node.
std::optional<Node> table_node(const std::string& path, Context& context) {
  Node node;
  try {
    node.content = parquet::read_table(path, context);
    return node;
  } catch (const Error& error) {
    if (is_transient(error)) {
      node.content = error;
      return node;
    }
    context.warn(fmt::format("{}: shown as it is: {}", path, error.what()));
    return std::nullopt;
  }
}

void add_tables(std::vector<Member>& members, Context& context) {
  std::vector<Member> tables;
  for (const Member& member : members) {
    const auto* file = std::get_if<PlainFile>(&member.node.content);
    if (!file || !file->is_table) continue;
    if (std::optional<Node> table = table_node(file->path, context))
      tables.push_back({std::string(parquet::without_ending(member.name)), *std::move(table)});
  }
  members.insert(members.end(), std::make_move_iterator(tables.begin()),
                 std::make_move_iterator(tables.end()));
}

}  // namespace

void add_beside(const std::string& path, std::vector<Member>& members, Context& context) {
  add_matrices(path, members, context);
  add_tables(members, context);
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.name < b.name; });
}

std::optional<Node> named_beside(const std::string& path, std::string_view name, Context& context) {
  const std::string place = fmt::format("{}/{}", path, name);
  const Probe matrix(place, context.files);
  if (matrix.kind() == EntryKind::nothing && is_store_in_folder(matrix)) return matrix_node(place);
  for (const std::string_view ending : parquet::kEndings) {
    const Probe table(fmt::format("{}{}", place, ending), context.files);
    if (table.kind() != EntryKind::nothing && parquet::recognises(table))
      return table_node(table.location(), context);
  }
  return std::nullopt;
}

}  // namespace plainfs::folder
