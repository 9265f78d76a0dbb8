#include "formats/schemas/ome/plate.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/core/text/path_names.h"
#include "formats/schemas/ome/multiscales.h"

namespace plainfs::ome {
namespace {

const std::string* text_member(const Json& object, const char* name) {
  const Json* const value = object.object() ? object.find(name) : nullptr;
  return value ? value->text() : nullptr;
}

// Returns the names of {"name": "A"}, …; an entry without one has an empty name.
std::vector<std::string> names_in(const Json* list) {
  std::vector<std::string> names;
  if (!list || !list->list()) return names;
  for (const Json& one : *list->list()) {
    const std::string* const name = text_member(one, "name");
    names.push_back(name ? *name : std::string());
  }
  return names;
}

// Returns the names of a path, without empty ones; empty if it leads up.
std::vector<std::string> split_path(const std::string& text) {
  std::vector<std::string> path = path_names(text);
  std::erase(path, ".");
  if (std::find(path.begin(), path.end(), "..") != path.end()) path.clear();
  return path;
}

// Returns the place of a name, or the index that the well states (from 0.3 on); the size if the plate lacks
// it.
size_t index_of(const std::vector<std::string>& names, const std::string& name, const Json* stated) {
  const std::optional<double> index = stated ? stated->as_double() : std::nullopt;
  if (index && *index >= 0 && *index < static_cast<double>(names.size())) return static_cast<size_t>(*index);
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::optional<Plate> plate_of(const Group& group) {
  const Metadata metadata = metadata_of(group);
  const Json* const stated = metadata.find("plate");
  if (!stated || !stated->object() || !is_known(version_of(metadata))) return std::nullopt;
  Plate plate;
  if (const std::string* const name = text_member(*stated, "name")) plate.name = *name;
  plate.rows = names_in(stated->find("rows"));
  plate.columns = names_in(stated->find("columns"));
  const Json* const wells = stated->find("wells");
  if (!wells || !wells->list()) return plate;
  std::set<std::pair<size_t, size_t>> known;
  for (const Json& one : *wells->list()) {
    const std::string* const path = text_member(one, "path");
    PlateWell well{path ? split_path(*path) : std::vector<std::string>()};
    if (well.path.size() == 2) {
      well.row = index_of(plate.rows, well.path[0], one.find("rowIndex"));
      well.column = index_of(plate.columns, well.path[1], one.find("columnIndex"));
    }
    if (well.path.size() == 2 && well.row < plate.rows.size() && well.column < plate.columns.size() &&
        known.emplace(well.row, well.column).second)
      plate.wells.push_back(std::move(well));
    else
      ++plate.wrong;
  }
  return plate;
}

std::optional<std::vector<std::vector<std::string>>> fields_of_well(const Group& group) {
  const Metadata metadata = metadata_of(group);
  const Json* const stated = metadata.find("well");
  if (!stated || !stated->object() || !is_known(version_of(metadata))) return std::nullopt;
  std::vector<std::vector<std::string>> fields;
  const Json* const images = stated->find("images");
  if (!images || !images->list()) return fields;
  for (const Json& one : *images->list())
    if (const std::string* const path = text_member(one, "path"))
      if (std::vector<std::string> names = split_path(*path); !names.empty())
        fields.push_back(std::move(names));
  return fields;
}

}  // namespace plainfs::ome
