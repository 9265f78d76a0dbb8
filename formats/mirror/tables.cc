#include "formats/mirror/tables.h"

#include <iterator>

#include "formats/schemas/parquet/store.h"
#include "formats/schemas/parquet/table.h"

namespace plainfs::folder {
namespace {

// Returns the table of a file or folder, or nullopt, with a warning, if it cannot be read.
std::optional<Node> table_node(const std::string& path, Context& context) {
  try {
    Node node;
    node.content = parquet::read_table(path, context);
    return node;
  } catch (const Error& error) {
    context.warn(fmt::format("{}: shown as it is: {}", path, error.what()));
    return std::nullopt;
  }
}

}  // namespace

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

std::optional<Node> table_named(const std::string& path, std::string_view name, Context& context) {
  for (const std::string_view ending : parquet::kEndings) {
    const std::string place = fmt::format("{}/{}{}", path, name, ending);
    const Probe probe(place, context.files);
    if (probe.kind() != EntryKind::nothing && parquet::recognises(probe)) return table_node(place, context);
  }
  return std::nullopt;
}

}  // namespace plainfs::folder
