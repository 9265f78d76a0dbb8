#include "formats/schemas/zarr_references/attributes.h"

#include <algorithm>
#include <boost/filesystem.hpp>
#include <unordered_set>

#include "formats/containers/zarr/zarr.h"
#include "formats/core/base/containment.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/location.h"
#include "formats/core/text/path_names.h"

namespace plainfs::zarr_references {
namespace {

namespace fs = boost::filesystem;

bool same_place(const fs::path& a, const fs::path& b) {
  return a.lexically_normal().native() == b.lexically_normal().native() ||
         is_same_on_host(a.string(), b.string());
}

constexpr const char* kDtypeNames[] = {"zarr_dtype", "_DTYPE"};
constexpr const char* kLinkNames[] = {"zarr_link", "_LINKS"};

// Returns whether dtype means references. "object_" is text; only the exact word counts.
bool is_reference_dtype(const Json& dtype) {
  const std::string* text = dtype.text();
  return text && (*text == "object" || *text == "object_reference");
}

// Returns all members, or none if an entry is invalid.
std::vector<RecordMember> members_of(const Json::List& list) {
  std::vector<RecordMember> members;
  for (const Json& each : list) {
    const Json* name = each.find("name");
    const Json* dtype = each.find("dtype");
    if (!name || !name->text() || !dtype) return {};
    const auto same_name = [&](const RecordMember& member) { return member.name == *name->text(); };
    if (std::any_of(members.begin(), members.end(), same_name)) return {};
    members.push_back({*name->text(), is_reference_dtype(*dtype)});
  }
  return members;
}

// Returns the target of {"zarr_dtype": "object", "value": {…}} or {"_REFERENCE": {…}}.
std::optional<std::string> reference_text(const Json& value, const StoreSources& sources) {
  if (!value.object()) return std::nullopt;
  const Json* reference = value.find("_REFERENCE");
  const Json* dtype = value.find("zarr_dtype");
  if (!reference && dtype && is_reference_dtype(*dtype)) reference = value.find("value");
  return reference ? sources.target_text(*reference) : std::nullopt;
}

// Returns "/a/./b" as a, b. ".." goes up, but not beyond the root.
std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> names;
  for (std::string& name : path_names(path)) {
    if (name == "..") {
      if (!names.empty()) names.pop_back();
    } else if (name != ".") {
      names.push_back(std::move(name));
    }
  }
  return names;
}

std::optional<Member> link_of(const Json& entry, const StoreSources& sources) {
  const Json* name = entry.find("name");
  const Json* path = entry.find("path");
  if (!name || !name->text() || name->text()->empty() || !path || !path->text()) return std::nullopt;
  std::string source = source_of(entry);
  if (sources.is_internal(source)) source.clear();
  Link link;
  link.source = std::move(source);
  link.path = names_in(*path->text());
  link.text = *path->text();
  return Member{*name->text(), Node{std::move(link), {}, {}}};
}

}  // namespace

std::string source_of(const Json& link_or_reference) {
  const Json* source = link_or_reference.find("source");
  return source && source->text() ? *source->text() : "";
}

bool StoreSources::is_internal(const std::string& source) const {
  if (source.empty() || source == ".") return true;
  if (source.find('\0') != source.npos) return false;
  const MutexLock lock(mutex_);
  if (const auto known = known_.find(source); known != known_.end()) return known->second;
  return known_.emplace(source, look_up(source)).first->second;
}

bool StoreSources::look_up(const std::string& source) const {
  const fs::path store = fs::path(store_path_).lexically_normal();
  const fs::path below = fs::path(source).is_absolute() ? fs::path(source) : store / source;
  if (same_place(below, store)) return true;
  if (fs::path(source).is_absolute()) return false;
  if (is_url(store_path_)) return same_place(store.parent_path() / source, store);
  const bool is_near = Containment::around_store(store_path_).contains(below.string());
  if (is_near && zarr::recognises(Probe(below.lexically_normal().string(), files_))) return false;
  return same_place(store.parent_path() / source, store);
}

std::optional<std::string> StoreSources::target_text(const Json& reference) const {
  const Json* path = reference.object() ? reference.find("path") : nullptr;
  if (!path || !path->text()) return std::nullopt;
  const std::string source = source_of(reference);
  return is_internal(source) ? *path->text() : source + ":" + *path->text();
}

ElementMeaning meaning_of(const Attributes& attributes) {
  ElementMeaning meaning;
  for (const char* name : kDtypeNames) {
    const Json* dtype = attributes.find(name);
    if (!dtype) continue;
    meaning.is_stated = true;
    if (is_reference_dtype(*dtype)) meaning.is_reference = true;
    if (dtype->list()) meaning.members = members_of(*dtype->list());
  }
  return meaning;
}

Attributes with_references_as_paths(Attributes attributes, const StoreSources& sources) {
  for (Attribute& attribute : attributes) {
    const Json* const known = attribute.known();
    if (!known) continue;
    if (auto text = reference_text(*known, sources)) attribute.set_value(std::move(*text));
    if (!known->list_has_objects()) continue;
    Json::List items = *known->list();
    for (Json& item : items)
      if (auto text = reference_text(item, sources)) item = Json(std::move(*text));
    attribute.set_value(std::move(items));
  }
  return attributes;
}

std::vector<Member> links_of(const Attributes& attributes, const StoreSources& sources,
                             const std::function<void(const std::string&)>& warn) {
  std::vector<Member> links;
  std::unordered_set<std::string> names;
  for (const char* attribute : kLinkNames) {
    const Json* value = attributes.find(attribute);
    if (!value) continue;
    if (!value->list()) warn(fmt::format("{} is not a list", attribute));
    for (const Json& entry : value->list() ? *value->list() : Json::List{}) {
      auto link = link_of(entry, sources);
      if (!link) {
        warn(fmt::format("{} has the entry {}, which is not a link", attribute,
                         to_json_text(entry).substr(0, 100)));
      } else if (!names.insert(link->name).second) {
        warn(fmt::format("{} has two links with the name {}", attribute, link->name));
      } else {
        links.push_back(std::move(*link));
      }
    }
  }
  return links;
}

}  // namespace plainfs::zarr_references
