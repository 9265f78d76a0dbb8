#include "fs/serve/site/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"

namespace plainfs::serve {
namespace {

std::string joined(const std::vector<std::string>& names, size_t first) {
  std::string path;
  for (size_t i = first; i < names.size(); ++i) path.append("/").append(names[i]);
  return path;
}

void take_out(std::string& text, const std::string& part) {
  if (part.empty()) return;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
}

}  // namespace

Site::Site(std::vector<ServedStore> stores) : stores_(std::move(stores)) {
  std::set<std::string> names;
  for (ServedStore& store : stores_) {
    const std::string name = store.name;
    for (int number = 2; !names.insert(store.name).second; ++number)
      store.name = fmt::format("{}-{}", name, number);
  }
}

const ServedStore* Site::store_of(const std::vector<std::string>& names) const {
  if (is_one_store()) return &stores_[0];
  if (names.empty()) return nullptr;
  const auto named = std::find_if(stores_.begin(), stores_.end(),
                                  [&](const ServedStore& store) { return store.name == names[0]; });
  return named == stores_.end() ? nullptr : &*named;
}

Filesystem* Site::filesystem_of(const std::vector<std::string>& names) const {
  const ServedStore* const store = store_of(names);
  return store ? store->filesystem : nullptr;
}

std::vector<std::unique_ptr<Filesystem::Visit>> Site::visit() const {
  std::vector<std::unique_ptr<Filesystem::Visit>> visits;
  for (const ServedStore& store : stores_)
    visits.push_back(std::unique_ptr<Filesystem::Visit>(new Filesystem::Visit(store.filesystem->visit())));
  return visits;
}

Site::Place Site::find(const std::vector<std::string>& names) const {
  Place place;
  const ServedStore* const store = store_of(names);
  if (!store && names.empty()) return place;
  if (!store) throw not_found("{} does not exist", printable(names[0]));
  place.store = static_cast<size_t>(store - stores_.data());
  if (!is_one_store()) place.names.push_back(store->name);
  const size_t first = place.names.size();
  if (names.size() > first && names[first] == kOwnFolder) throw not_found("{} does not exist", kOwnFolder);
  place.filesystem = store->filesystem;
  place.inode = place.filesystem->resolve(joined(names, first));
  place.kind = place.filesystem->kind(place.inode);
  for (std::string& name : path_names(place.filesystem->path(place.inode)))
    place.names.push_back(std::move(name));
  return place;
}

std::string public_message(const Site& site, const Error& error) {
  std::string text = reason(error);
  for (const ServedStore& store : site.stores()) {
    const std::string path = store.filesystem->store()->path;
    take_out(text, path.substr(0, path.rfind('/') + 1));
  }
  return printable(text);
}

}  // namespace plainfs::serve
