#include "fs/tree/links.h"

#include <boost/filesystem.hpp>

#include "formats/registry.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

constexpr int kMostLinks = 40;         // on the way to one target, as Linux allows
constexpr size_t kDeepestPath = 2048;  // names; PATH_MAX has no room for more

bool same_file(const files::path& a, const files::path& b) {
  boost::system::error_code error;
  return a == b || (files::equivalent(a, b, error) && !error);
}

// The path of the other store. A source is relative to a store's own folder, else to the folder that holds
// the store (hdmf-zarr 0.10.0, and stores that are one file).
files::path other_store(const files::path& store, const files::path& source, Sources& sources) {
  if (source.is_absolute()) return source.lexically_normal();
  boost::system::error_code error;
  const files::path beside = (store.parent_path() / source).lexically_normal();
  if (!files::is_directory(store, error)) return beside;
  const files::path below = (store / source).lexically_normal();
  for (const files::path& path : {below, beside}) {
    if (same_file(path, store) || container_of(Probe(path.string(), sources))) return path;
  }
  return below;
}

// From folder down to path, or nullopt where path is not below folder.
std::optional<files::path> path_below(const files::path& folder, const files::path& path) {
  const files::path relative = path.lexically_relative(folder);
  if (relative.empty() || relative == "." || *relative.begin() == "..") return std::nullopt;
  return relative;
}

const Link* as_link(const Node& node) {
  return std::get_if<Link>(&node.content);
}

}  // namespace

Links::Links(StorePtr store, OpenStores& stores, Context& context)
    : store_(std::move(store)), stores_(stores), context_(context) {}

Destination Links::destination(const Link& link) const {
  Destination to;
  if (link.source.empty()) {
    to.store = store_;
    return to;
  }
  if (link.source.find('\0') != std::string::npos) {
    to.in_reach = false;
    return to;
  }
  const files::path own = store_->path;
  files::path path = other_store(own, link.source, context_.files);
  if (path.filename() == "." || path.filename() == "") path = path.parent_path();
  if (same_file(path, own)) {
    to.store = store_;
    return to;
  }
  const std::optional<files::path> relative = path_below(own.parent_path(), path);
  to.in_reach = relative.has_value();
  if (!relative) return to;
  to.outside.emplace_back("..");
  for (const files::path& part : *relative) to.outside.push_back(part.string());
  if (!container_of(Probe(path.string(), context_.files))) return to;
  try {
    to.store = stores_.open(path.string());
  } catch (const Error& error) {
    context_.warn(fmt::format("{}: {}", path.string(), error.what()));
  }
  return to;
}

std::optional<Node> Links::step(const StorePtr& store, const Node& folder, const std::string& name) const {
  if (!folder.parts) return std::nullopt;
  try {
    std::optional<Node> node = folder.parts->find(name);
    Context& context = store == store_ ? context_ : context_.of_store(store->path);
    if (node) node = refine(std::move(*node), context);
    return node;
  } catch (const Error&) {
    return std::nullopt;  // its own directory reports the damage
  }
}

std::optional<Node> Links::folder(const StorePtr& store, std::span<const std::string> path, int& links_left) {
  std::optional<Node> node = store->root;
  for (size_t i = 0; i < path.size() && node; ++i) {
    auto key = std::pair(store.get(), std::vector<std::string>(path.begin(), path.begin() + i + 1));
    if (const auto known = folders_.find(key); known != folders_.end()) {
      node = known->second;
      continue;
    }
    node = step(store, *node, path[i]);
    if (node && as_link(*node)) node = final_target(store, *as_link(*node), links_left);
    folders_.emplace(std::move(key), node);
  }
  return node;
}

std::optional<Node> Links::final_target(const StorePtr& from, const Link& link, int& links_left) {
  StorePtr store = from;
  std::optional<Node> node;
  for (const Link* next = &link; next;) {
    if (links_left-- <= 0 || next->path.size() > kDeepestPath) return std::nullopt;
    if (!next->source.empty()) {
      // Only links of this store lead further out: those of others would need that store's own place.
      if (store != store_) return std::nullopt;
      store = destination(*next).store;
      if (!store) return std::nullopt;
    }
    const Link current = *next;
    if (current.path.empty()) return store->root;
    const std::optional<Node> parent =
        folder(store, std::span(current.path).first(current.path.size() - 1), links_left);
    node = parent ? step(store, *parent, current.path.back()) : std::nullopt;
    next = node ? as_link(*node) : nullptr;
  }
  return node;
}

std::optional<Node> Links::target(const Link& link) {
  int links_left = kMostLinks;
  return final_target(store_, link, links_left);
}

std::optional<Node> Links::target_folder(const Link& link) {
  const StorePtr store = destination(link).store;
  if (!store || link.path.empty() || link.path.size() > kDeepestPath) return std::nullopt;
  int links_left = kMostLinks;
  return folder(store, std::span(link.path).first(link.path.size() - 1), links_left);
}

}  // namespace plainfs
