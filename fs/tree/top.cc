#include "fs/tree/top.h"

#include <algorithm>

namespace plainfs {
namespace {

DirectoryEntry directory_of(Node node) {
  DirectoryEntry directory{{}, FileKind::directory};
  directory.shared_node = std::make_shared<const Node>(std::move(node));
  return directory;
}

// Enters one directory. is_named: `top` is in the store that was named on the command line.
Top step(const Top& top, bool& is_named, std::string_view name, const ListingContext& listing) {
  Context& context = is_named ? listing.context : listing.context.of_store(top.store->path);
  const DirectoryPlace place{top.store, {}, top.above, is_named && top.above.empty(), is_named};
  const DirectoryContent all =
      show_directory(top.directory, top.directory.node(), place, {context, listing.stores, listing.views});
  const auto found = std::find_if(all.shown.begin(), all.shown.end(),
                                  [&](const DirectoryEntry& shown) { return shown.name == name; });
  if (found == all.shown.end()) {
    if (const Error* fault = all.unopened.unknown(name)) throw *fault;
    throw not_found("{} does not exist", name);
  }
  if (found->kind == FileKind::store) {
    is_named = false;
    const StorePtr store = listing.stores.open(found->node().store);
    return {store, {}, directory_of(as_root_directory(store->root, false))};
  }
  if (found->kind != FileKind::directory) throw not_found("{}: not a directory", name);
  Top below{top.store, top.above, *found};
  below.above.push_back(found->name);
  below.directory.name.clear();
  below.directory.is_made |= top.directory.is_made;
  return below;
}

}  // namespace

Top top_of(StorePtr store, std::string_view subdir, const ListingContext& listing) {
  const Node root = as_root_directory(store->root, true);
  Top top{std::move(store), {}, directory_of(root)};
  bool is_named = true;
  while (!subdir.empty()) {
    const size_t end = std::min(subdir.find('/'), subdir.size());
    const std::string_view name = subdir.substr(0, end);
    subdir.remove_prefix(std::min(end + 1, subdir.size()));
    if (!name.empty() && name != ".") top = step(top, is_named, name, listing);
  }
  return top;
}

}  // namespace plainfs
