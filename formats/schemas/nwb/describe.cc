#include <array>
#include <string>

#include "formats/core/frames/parts.h"
#include "formats/schemas/nwb/dynamic_table.h"
#include "formats/schemas/nwb/schema.h"

namespace plainfs::nwb {
namespace {

// Adds the rows and columns of the group called name, if it is a table, or the error if this cannot be
// determined.
void add_table(const Group& group, const std::string& name, Json::Object& tables) {
  const GroupPtr table = frames::group_part_of(group, name);
  if (!table) return;
  try {
    const auto columns = names_in(table->attributes(), "colnames");
    if (!columns) return;
    const ArrayPtr ids = frames::list_part_of(*table, "id");
    tables.emplace_back(
        table->path(),
        Json::Object{{"rows", ids && !frames::is_broken(*ids) ? Json::of(ids->count()) : Json()},
                     {"columns", Json::List(columns->begin(), columns->end())}});
  } catch (const Error& error) {
    tables.emplace_back(table->path(), Json(error.what()));
  }
}

Json tables_of(const Group& root) {
  Json::Object tables;
  if (const GroupPtr intervals = frames::group_part_of(root, "intervals"))
    for (const Member& member : intervals->members()) add_table(*intervals, member.name, tables);
  add_table(root, "units", tables);
  const std::array<std::string, 2> path{"general", "extracellular_ephys"};
  if (const auto node = find_path(root, path); node && node->parts)
    add_table(*node->parts, "electrodes", tables);
  return tables;
}

}  // namespace

void describe(const Node& raw_root, Store& store) {
  if (!is_plain_group(raw_root)) return;
  const Attributes attributes = raw_root.parts->attributes();
  const Json* version = attributes.find("nwb_version");
  if (!version || !version->text()) return;
  store.details.emplace_back("container", Json(store.format));
  store.format = "NWB";
  store.version = *version->text();
  store.details.emplace_back("nwb", Json::Object{{"tables", tables_of(*raw_root.parts)}});
}

}  // namespace plainfs::nwb
