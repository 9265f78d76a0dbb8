#include "fs/tree/links.h"

#include <boost/filesystem.hpp>
#include <set>

#include "formats/core/base/host_path.h"
#include "formats/core/base/location.h"
#include "formats/core/model/transient_fault.h"
#include "formats/registry.h"
#include "formats/wrapped/wrapping.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

constexpr int kMaxTargetLinks = 40;    // on the way to one target, like Linux
constexpr size_t kDeepestPath = 2048;  // names; PATH_MAX has no room for more

bool same_file(const files::path& a, const files::path& b) {
  return a.native() == b.native() || is_same_on_host(a.string(), b.string());
}

const Link* as_link(const Node& node) {
  return std::get_if<Link>(&node.content);
}

bool is_store_at(const std::string& path, Context& context) {
  return is_store(Probe(path, context.of_store(path).files));
}

}  // namespace

Links::Links(StorePtr store, OpenStores& stores, Context& context)
    : store_(std::move(store)), stores_(stores), context_(context) {}

// Another store is accessed only if it is beside this one or below its folder, even after following the
// host's links.
bool Links::is_in_reach(const std::string& path) {
  if (is_url(store_->path)) return false;
  if (!path_below(path, files::path(store_->path).parent_path().native())) return false;
  if (context_.options.follow_outside) return true;
  if (!reach_) reach_ = Containment::around_store(store_->path);
  return reach_->contains(path);
}

// Returns the path of the other store. A source is relative to the store's own folder, otherwise to the
// folder that holds the store (hdmf-zarr 0.10.0, and stores that are one file).
std::string Links::other_store(const std::string& source) {
  const files::path store = store_->path;
  if (files::path(source).is_absolute()) return files::path(source).lexically_normal().string();
  const files::path beside = (store.parent_path() / source).lexically_normal();
  if (!is_folder_on_host(store.string())) return beside.string();
  const files::path below = (store / source).lexically_normal();
  for (const files::path& path : {below, beside}) {
    if (same_file(path, store)) return path.string();
    if (is_in_reach(path.string()) && is_store_at(path.string(), context_)) return path.string();
  }
  return below.string();
}

Destination Links::destination(const Link& link) {
  Destination to;
  if (link.source.empty()) {
    to.store = store_;
    return to;
  }
  if (link.source.find('\0') != std::string::npos) {
    to.in_reach = false;
    return to;
  }
  if (const auto known = others_.find(link.source); known != others_.end()) return known->second;
  files::path path = other_store(link.source);
  if (path.filename_is_dot() || path.filename().empty()) path = path.parent_path();
  const files::path own = store_->path;
  if (same_file(path, own)) {
    to.store = store_;
  } else if (const auto relative = path_below(path.native(), own.parent_path().native());
             relative && is_in_reach(path.string())) {
    to.outside.emplace_back("..");
    for (const files::path& part : files::path(*relative)) to.outside.push_back(part.string());
    try {
      if (is_store_at(path.string(), context_)) to.store = stores_.open(path.string());
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      context_.warn(fmt::format("{}: {}", path.string(), error.what()));
    }
  } else {
    to.in_reach = false;
  }
  others_.emplace(link.source, to);
  return to;
}

std::optional<Node> Links::step(const StorePtr& store, const Node& folder, const std::string& name) const {
  if (!folder.parts) return std::nullopt;
  Context& context = store == store_ ? context_ : context_.of_store(store->path);
  try {
    std::optional<Node> node = folder.parts->find(name);
    if (node) node = refine(std::move(*node), context);
    if (node) check_known(*node);
    return node;
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    context.warn(fmt::format("{}: {}: the target of a link: {}", folder.parts->path(), name, error.what()));
    return std::nullopt;
  }
}

// Follows the link and all further links to the end of the chain, and records the result for each place in
// it.
Links::End Links::follow(StorePtr store, Link link, int depth) {
  struct Followed {
    StoredPlace place;  // the place of the link
    int links_before;   // followed on the way to it
  };
  std::vector<Followed> chain;
  std::set<StoredPlace> seen;
  End end;
  for (;;) {
    if (link.path.size() > kDeepestPath || link.verbatim) break;
    if (!link.source.empty()) {
      // Only links of this store lead to other stores. Those of other stores would need the location of that
      // store.
      if (store != store_) break;
      store = destination(link).store;
      if (!store) break;
    }
    if (link.path.empty()) {
      end.node = store->root;
      break;
    }
    StoredPlace place{store.get(), link.path};
    if (const auto known = known_.find(place); known != known_.end()) {
      end = known->second;
      break;
    }
    if (!seen.insert(place).second) break;  // a circle
    const End folder = end_of(store, std::span(link.path).first(link.path.size() - 1), depth + 1);
    std::optional<Node> node =
        folder.node ? step(store, *folder.node, link.path.back()) : std::optional<Node>();
    const Link* const next = node ? as_link(*node) : nullptr;
    if (!next) {
      end = {std::move(node), folder.links, folder.is_too_deep};
      break;
    }
    link = Link(*next);
    chain.push_back({std::move(place), folder.links});
  }
  for (size_t i = chain.size();; --i) {
    end.links = std::min(end.links + 1, kMaxTargetLinks + 1);
    if (i == 0) return end;
    end.links += chain[i - 1].links_before;
    if (!end.is_too_deep) known_.emplace(std::move(chain[i - 1].place), end);
  }
}

// Resolves a path from the root of `store`, following all links on it and at its end.
Links::End Links::end_of(const StorePtr& store, std::span<const std::string> path, int depth) {
  End end{store->root, 0, false};
  if (depth > kMaxTargetLinks) return {std::nullopt, kMaxTargetLinks + 1, true};
  for (size_t i = 0; i < path.size() && end.node; ++i) {
    StoredPlace place{store.get(), Path(path.begin(), path.begin() + static_cast<ptrdiff_t>(i) + 1)};
    if (const auto known = known_.find(place); known != known_.end()) {
      end = known->second;
      continue;
    }
    std::optional<Node> node = step(store, *end.node, path[i]);
    if (node && as_link(*node)) {
      const int before = end.links;
      end = follow(store, Link(*as_link(*node)), depth);
      end.links += before;
    } else {
      end.node = std::move(node);
    }
    if (end.links > kMaxTargetLinks) end.node.reset();
    if (!end.is_too_deep) known_.emplace(std::move(place), end);
  }
  return end;
}

std::optional<Node> Links::target(const Link& link) {
  End end = follow(store_, link, 0);
  return end.links > kMaxTargetLinks ? std::nullopt : std::move(end.node);
}

std::optional<Node> Links::target_folder(const Link& link) {
  const StorePtr store = destination(link).store;
  if (!store || link.path.empty() || link.path.size() > kDeepestPath) return std::nullopt;
  return end_of(store, std::span(link.path).first(link.path.size() - 1), 1).node;
}

}  // namespace plainfs
