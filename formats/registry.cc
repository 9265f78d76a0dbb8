#include "formats/registry.h"

#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "formats/bpcells/directory.h"
#include "formats/bpcells/schema.h"
#include "formats/folder/folder.h"
#include "formats/h5seurat/schema.h"
#include "formats/hdf5/container.h"
#include "formats/hdmf/schema.h"
#include "formats/rds/container.h"
#include "formats/takane/object.h"
#include "formats/zarr/zarr.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

// In the order in which they are asked: an object directory may hold what the next ones recognise.
constexpr Container kContainers[] = {
    {"takane", takane::recognises, takane::open},
    {"BPCells", bpcells::recognises_directory, bpcells::open_directory},
    {"Zarr", zarr::recognises, zarr::open},
    {"HDF5", hdf5::recognises, hdf5::open},
    {"rds", rds::recognises, rds::open},
    {"folder", folder::recognises, folder::open},
};

constexpr Schema kSchemas[] = {
    {"h5Seurat", h5seurat::refine, h5seurat::describe},
    {"BPCells", bpcells::refine, nullptr},
    {"HDMF", hdmf::refine, nullptr},
};

// Schemas look at what containers leave without a meaning: groups and arrays.
bool may_mean_more(const Node& node) {
  return node.store.empty() && (std::holds_alternative<std::monostate>(node.content) ||
                                std::holds_alternative<LabelledArray>(node.content));
}

// The folder without links and "..", the name in it as given: a store keeps the name that it is called by.
files::path absolute_path(const std::string& given) {
  files::path path = files::absolute(given);
  while (path.filename() == "." || path.filename_is_dot()) path = path.parent_path();
  boost::system::error_code error;
  if (path.filename_is_dot_dot()) return files::canonical(path, error);
  const files::path folder = files::canonical(path.parent_path(), error);
  return error ? path : folder / path.filename();
}

// Throws where nothing is at path or the system does not let it be read.
void check_readable(const files::path& path) {
  boost::system::error_code error;
  const files::file_status status = files::status(path, error);
  if (status.type() == files::file_not_found) throw not_found("no such file or directory");
  if (error) throw unreadable("{}", error.message());
  const int mode = status.type() == files::directory_file ? R_OK | X_OK : R_OK;
  if (::access(path.c_str(), mode) != 0) throw unreadable("{}", std::strerror(errno));
}

}  // namespace

std::span<const Container> containers() {
  return kContainers;
}
std::span<const Schema> schemas() {
  return kSchemas;
}

const Container* container_of(const std::string& path) {
  for (const Container& container : containers()) {
    if (container.open != folder::open && container.recognises(path)) return &container;
  }
  return nullptr;
}

Store open_store(const std::string& path, Context& context) {
  const files::path absolute = absolute_path(path);
  check_readable(absolute);
  for (const Container& container : containers()) {
    if (!container.recognises(absolute.string())) continue;
    Store store = container.open(absolute.string(), context);
    store.path = absolute.string();
    const Node raw_root = store.root;
    store.root = refine(std::move(store.root), context);
    for (const Schema& schema : schemas()) {
      if (!schema.describe) continue;
      try {
        schema.describe(raw_root, store);
      } catch (const Error&) {
        // refine() has warned of what cannot be read
      }
    }
    return store;
  }
  throw Error(Errc::unknown_format, "no format that plainfs knows");
}

Node refine(Node node, Context& context) {
  if (!may_mean_more(node)) return node;
  for (const Schema& schema : schemas()) {
    try {
      if (std::optional<Node> refined = schema.refine(node, context)) return std::move(*refined);
    } catch (const Error& error) {
      // What a schema stumbles over (unreadable attributes) takes the meaning away, not the node.
      context.warn(fmt::format("{}: not read as {}: {}", node.parts ? node.parts->path() : "an array",
                               schema.name, error.what()));
    }
  }
  return node;
}

}  // namespace plainfs
