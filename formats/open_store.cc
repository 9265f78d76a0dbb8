#include "formats/open_store.h"

#include <unistd.h>

#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstring>

#include "formats/core/base/host_path.h"
#include "formats/core/base/location.h"
#include "formats/foreign.h"
#include "formats/mirror/archive.h"
#include "formats/mirror/folder.h"
#include "formats/registry.h"
#include "formats/wrapped/wrapping.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

// Returns the path with the links and ".." of its folder resolved. The last name stays as given: a store is
// called what the user calls it.
files::path absolute_path(const std::string& given) {
  // boost takes a path of slashes alone for the name of a root.
  if (!given.empty() && given.find_first_not_of('/') == std::string::npos) return "/";
  files::path path = files::absolute(given);
  while (path.filename_is_dot()) path = path.parent_path();
  boost::system::error_code error;
  if (!path.has_parent_path() || path.native() == path.root_path().native()) return path.root_path();
  if (path.filename_is_dot_dot()) return real_path(path, error);
  const files::path folder = real_path(path.parent_path(), error);
  return error ? path : folder / path.filename();
}

// Throws if the system denies reading what is at path. Several files may have a path as their common prefix,
// at which nothing is.
void check_readable(const files::path& path) {
  boost::system::error_code error;
  const files::file_status status = files::status(path, error);
  if (status.type() == files::file_not_found) return;
  if (error) throw unreadable("{}", error.message());
  const int mode = status.type() == files::directory_file ? R_OK | X_OK : R_OK;
  if (::access(path.c_str(), mode) != 0) throw unreadable("{}", std::strerror(errno));
}

// Returns the error for a file that no container recognises.
Error unknown_format(const std::string& path, Context& context) {
  std::string message = "unknown format";
  try {
    if (const std::string kind = foreign_kind(path, context); !kind.empty()) message += ": " + kind;
  } catch (const Error&) {
    // its first bytes cannot be read: the kind stays unknown
  }
  return Error(Errc::unknown_format, message);
}

// Adds the details that the schemas find in the store's root.
void describe(const Node& raw_root, Store& store) {
  for (const Schema& schema : schemas()) {
    if (!schema.describe) continue;
    try {
      schema.describe(raw_root, store);
    } catch (const Error&) {
      // parts that cannot be read are errors themselves
    }
  }
}

// Opens the store that the file of probe wraps. Returns nullopt if it wraps none.
std::optional<Store> open_wrapped(const Probe& probe, Context& context) {
  std::optional<Unwrapped> unwrapped = unwrap(probe, context);
  if (!unwrapped) return std::nullopt;
  const Probe inner = unwrapped->is_archive ? Probe::inside(unwrapped->location, context.files)
                                            : Probe(unwrapped->location, context.files);
  const Container* const container = container_of(inner);
  if (!container && !unwrapped->is_archive) throw unknown_format(unwrapped->location, context);
  Store store =
      container ? container->open(inner, context) : folder::open_archive(unwrapped->location, context);
  for (auto& detail : unwrapped->details) store.details.push_back(std::move(detail));
  return store;
}

// Returns an opened store with its path, and with the meaning that the schemas give it.
Store finished(Store store, const std::string& location, Context& context) {
  store.path = location;
  const Node raw_root = store.root;
  if (!store.is_one_value) store.stored = raw_root;
  store.root = with_meaning(std::move(store.root), context);
  describe(raw_root, store);
  return store;
}

}  // namespace

bool is_sure_to_open(const std::string& path, Context& context) {
  unwrap_around(path, context);
  return is_sure_to_open(Probe(path, context.files));
}

std::string location_of_store(const std::string& path) {
  if (is_url(path)) return path;
  return absolute_path(path).string();
}

Store open_store(const std::string& path, Context& context) {
  const std::string location = location_of_store(path);
  if (!is_url(location)) check_readable(location);
  unwrap_around(location, context);
  const Probe probe(location, context.files);
  const Container* const container = is_archive(probe) ? nullptr : container_of(probe);
  if (!container && probe.kind() == EntryKind::nothing) throw not_found("{}", why_absent(location));
  if (std::optional<Store> wrapped = container ? std::nullopt : open_wrapped(probe, context))
    return finished(*std::move(wrapped), location, context);
  if (!container && !probe.is_folder()) throw unknown_format(location, context);
  if (!container && is_url(location))
    throw unsupported("a remote folder that is not a store; name a store in it");
  return finished(container ? container->open(probe, context) : folder::open(probe, context), location,
                  context);
}

}  // namespace plainfs
