#include "fs/command_line/joined_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <set>
#include <utility>

#include "formats/core/base/location.h"
#include "formats/core/remote/object_origin.h"
#include "formats/core/text/split.h"
#include "formats/open_store.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/option_values.h"
#include "fs/command_line/store_path.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

constexpr uint64_t kLargestList = uint64_t{64} << 20;

using Members = std::vector<JoinOptions::Member>;

// Returns the path that a URL of this machine's files stands for, else the name itself.
std::string without_file_scheme(const std::string& name) {
  static constexpr std::string_view kFileUrl = "file://";
  return name.starts_with(kFileUrl) ? name.substr(kFileUrl.size()) : name;
}

void add_list(const std::string& list, Members& members) {
  const std::string text = option_file("join", list, kLargestList);
  const files::path folder = files::absolute(list).parent_path();
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    std::string_view label = line;
    const std::string path = without_file_scheme(std::string(take_part(label, '\t')));
    if (path.empty()) throw Failure(kUsage, fmt::format("{}: a line without a store: {}", list, line));
    members.push_back({is_url(path) ? path : files::absolute(path, folder).string(), std::string(label)});
  }
}

// Returns the name that is `above` folders above the store; empty above the root.
std::string name_above(const std::string& location, size_t above) {
  files::path path = location;
  if (above == 0) {  // a folder without an ending is mounted beside itself, under another name
    const std::string own = path.filename().string(),
                      mounted = files::path(mount_name(location)).filename().string();
    return mounted.starts_with(own) ? own : mounted;
  }
  for (; above > 0; --above) path = path.parent_path();
  return path.filename() == "/" ? std::string() : path.filename().string();
}

bool are_different(const std::vector<std::string>& names) {
  const std::set<std::string> all(names.begin(), names.end());
  return all.size() == names.size() && !all.contains("");
}

// Labels the stores by what distinguishes their paths; if nothing does, by their numbers.
void label_stores(Members& members) {
  constexpr size_t kMaxAbove = 32;
  std::vector<std::string> names;
  for (size_t above = 0; above < kMaxAbove && (names.empty() || !are_different(names)); ++above) {
    names.clear();
    for (const JoinOptions::Member& member : members) names.push_back(name_above(member.location, above));
  }
  const bool are_numbered = !are_different(names);
  for (size_t i = 0; i < members.size(); ++i) members[i].label = are_numbered ? std::to_string(i) : names[i];
}

// Returns whether a location is a URL with more than a path. A key of an object may contain any character.
bool has_query(const std::string& location) {
  const bool has_token =
      location.starts_with(remote::kAzureScheme) && location.find("sig=") != std::string::npos;
  if (!is_url(location) || has_token) return has_token;
  return !remote::is_object_location(location) && location.find_first_of("?#") != std::string::npos;
}

void check_stores(const Members& members) {
  std::set<std::string> labels;
  for (const JoinOptions::Member& member : members) {
    if (has_query(member.location))
      throw Failure(kUnsupported, "join: a URL with a query cannot be joined");  // it may be a key
    if (!labels.insert(member.label).second)
      throw Failure(kUsage, fmt::format("join: two stores have the label {}", member.label));
  }
}

}  // namespace

std::shared_ptr<const JoinOptions> joined_stores(std::span<const std::string> names, std::string_view how,
                                                 const std::string& column) {
  JoinOptions join;
  join.is_outer = how == "outer";
  join.column = column;
  for (const std::string& name : names) {
    if (is_list_of_stores(name))
      add_list(name.substr(1), join.stores);
    else
      join.stores.push_back({without_file_scheme(name), ""});
  }
  if (join.stores.empty()) throw Failure(kUsage, "join: expected at least one store");
  for (JoinOptions::Member& member : join.stores) member.location = location_of_store(member.location);
  const auto has_label = [](const JoinOptions::Member& member) { return !member.label.empty(); };
  const auto labelled = std::count_if(join.stores.begin(), join.stores.end(), has_label);
  if (labelled == 0) label_stores(join.stores);
  if (labelled > 0 && static_cast<size_t>(labelled) < join.stores.size())
    throw Failure(kUsage, "join: some stores have a label and others have none");
  check_stores(join.stores);
  return std::make_shared<const JoinOptions>(std::move(join));
}

}  // namespace plainfs
