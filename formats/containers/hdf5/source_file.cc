#include "formats/containers/hdf5/source_file.h"

#include <utility>
#include <vector>

#include "formats/containers/hdf5/cache_image.h"
#include "formats/containers/hdf5/library/inside_file.h"
#include "formats/containers/hdf5/process/known_file.h"

namespace plainfs::hdf5 {
namespace {

// Returns the links of the group at address, by name. Empty if the object is not a group.
std::vector<StoredLink> links_of(const LibraryFile& library, uint64_t address) {
  if (library.object(address).kind != ObjectKind::group) return {};
  return library.links(address);
}

// Deeper trees are an attack on the length of paths. (SeuratDisk is known to nest hundreds of groups by
// mistake.)
constexpr size_t kDeepest = 4096;

struct Pending {
  uint64_t address;
  ObjectPlace place;
};

// Returns the first place of every object. The order is depth first, by name: libhdf5 itself searches for the
// name of an object in this order.
std::map<uint64_t, ObjectPlace> walk_tree(const LibraryFile& library) {
  std::map<uint64_t, ObjectPlace> places;
  std::vector<Pending> pending{{library.root_address(), {library.root_address(), "", 0}}};
  while (!pending.empty()) {
    Pending next = std::move(pending.back());
    pending.pop_back();
    const size_t depth = next.place.depth + 1;
    if (depth > kDeepest || !places.emplace(next.address, std::move(next.place)).second) continue;
    try {
      std::vector<StoredLink> links = links_of(library, next.address);
      for (auto link = links.rbegin(); link != links.rend(); ++link)
        if (link->kind == StoredLink::Kind::hard)
          pending.push_back({link->address, {next.address, std::move(link->name), depth}});
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      // A damaged object has a path too. Using it reports the error.
    }
  }
  return places;
}

std::unique_ptr<const LibraryFile> opened(const std::string& location, Context& context) {
  if (LibraryProcesses* const processes = LibraryProcesses::current())
    return std::make_unique<const KnownFile>(location, context, *processes);
  return std::make_unique<const InsideFile>(location, context);
}

}  // namespace

SourceFile::SourceFile(const std::string& location, Context& context)
    : context_(context),
      library_(opened(location, context)),
      bytes_(with_cache_image(library_->bytes(), library_->layout())),
      heap_(bytes_, library_->layout(), context) {}

std::optional<std::string> SourceFile::path_of(uint64_t address) const {
  const auto& places = places_.get([this] { return walk_tree(*library_); });
  auto found = places.find(address);
  if (found == places.end()) return std::nullopt;
  std::string path;
  for (; found->second.depth > 0; found = places.find(found->second.parent))
    path = "/" + found->second.name + path;
  return path.empty() ? "/" : path;
}

Pointees SourceFile::pointees() const {
  return {heap_, [this](uint64_t address) {
            std::optional<std::string> path = path_of(address);
            if (!path) throw damaged("a reference to address {}, which has no object of the tree", address);
            return path;
          }};
}

Pointees SourceFile::attribute_pointees() const {
  return {heap_, [this](uint64_t address) {
            std::optional<std::string> path = path_of(address);
            if (!path)
              context_.warn(
                  fmt::format("an attribute refers to address {}, which has no object of the tree", address));
            return path;
          }};
}

}  // namespace plainfs::hdf5
