#include "formats/schemas/hdmf/source.h"

#include <boost/filesystem.hpp>

#include "cache/mutex.h"
#include "formats/containers/zarr/zarr.h"
#include "formats/core/base/containment.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/location.h"

namespace plainfs::hdmf {
namespace {

namespace fs = boost::filesystem;

bool same_place(const fs::path& a, const fs::path& b) {
  return a.lexically_normal().native() == b.lexically_normal().native() ||
         is_same_on_host(a.string(), b.string());
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

}  // namespace plainfs::hdmf
