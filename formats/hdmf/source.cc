#include "formats/hdmf/source.h"

#include <boost/filesystem.hpp>

#include "formats/zarr/zarr.h"

namespace plainfs::hdmf {
namespace {

namespace fs = boost::filesystem;

bool same_place(const fs::path& a, const fs::path& b) {
  boost::system::error_code unknown;
  return a.lexically_normal() == b.lexically_normal() || fs::equivalent(a, b, unknown);
}

}  // namespace

std::string source_of(const Json& link_or_reference) {
  const Json* source = link_or_reference.find("source");
  return source && source->text() ? *source->text() : "";
}

bool StoreSources::is_internal(const std::string& source) const {
  if (source.empty() || source == ".") return true;
  if (source.find('\0') != source.npos) return false;
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = known_.try_emplace(source, false);
  if (is_new) at->second = look_up(source);
  return at->second;
}

bool StoreSources::look_up(const std::string& source) const {
  const fs::path store = fs::path(store_path_).lexically_normal();
  const fs::path below = fs::path(source).is_absolute() ? fs::path(source) : store / source;
  if (same_place(below, store)) return true;
  if (fs::path(source).is_absolute() || zarr::recognises(Probe(below.lexically_normal().string(), files_)))
    return false;
  return same_place(store.parent_path() / source, store);
}

std::optional<std::string> StoreSources::target_text(const Json& reference) const {
  const Json* path = reference.object() ? reference.find("path") : nullptr;
  if (!path || !path->text()) return std::nullopt;
  const std::string source = source_of(reference);
  return is_internal(source) ? *path->text() : source + ":" + *path->text();
}

}  // namespace plainfs::hdmf
