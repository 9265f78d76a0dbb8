#include "tests/damage/store_walk.h"

#include <algorithm>
#include <functional>
#include <random>

#include "formats/open_store.h"
#include "fs/filesystem.h"

namespace plainfs::damage {
namespace {

constexpr uint64_t kMaxReadWhole = 16 << 20;
constexpr uint64_t kPiece = 1 << 17;

class Walk {
 public:
  explicit Walk(Filesystem& filesystem) : filesystem_(filesystem) {}

  void directory(Inode inode, const std::string& path, int depth) {
    if (depth > 40) return;  // deeper than any store of the tests
    try {
      for (const std::string& name : filesystem_.attribute_names(inode)) filesystem_.attribute(inode, name);
    } catch (const Error&) {
      ++result.errors;
    }
    ListingPtr listing;
    try {
      listing = filesystem_.list(inode);
    } catch (const Error&) {
      ++result.errors;
      return;
    }
    size_t left = max_entries(path);
    for (const Listing::Entry& entry : listing->entries()) {
      if (left-- == 0) break;
      this->entry(entry, path + entry.name, depth);
    }
  }

  WalkResult result;

 private:
  // Every level of every column repeats the whole store: two columns of by/ and one level of a column are
  // enough. A shape of half a billion cells would have thousands of chunks of names.
  static size_t max_entries(const std::string& path) {
    if (path.find("anndata.zarr/") != path.npos) return 64;
    if (path.ends_with("/by/") || path == "by/") return 2;
    const std::string above = path.substr(0, path.rfind('/', path.size() - 2) + 1);
    return path.size() > 1 && (above.ends_with("/by/") || above == "by/") ? 1 : SIZE_MAX;
  }

  void entry(const Listing::Entry& entry, const std::string& path, int depth) {
    try {
      const struct stat status = filesystem_.status(entry.inode);
      if (S_ISDIR(status.st_mode))
        directory(entry.inode, path + "/", depth + 1);
      else if (S_ISLNK(status.st_mode))
        link(entry.inode, path);
      else
        file(entry.inode, path, static_cast<uint64_t>(status.st_size));
    } catch (const Error&) {
      ++result.errors;
      result.content[path] = std::nullopt;
    }
  }

  void link(Inode inode, const std::string& path) {
    const std::string target = filesystem_.read_link(inode);
    result.content[path] = std::hash<std::string>()(target);
    result.links[path] = target;
  }

  std::string read(const OpenFile& file, uint64_t offset, uint64_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      const Slices slices =
          filesystem_.read(file, offset + bytes.size(), std::min(kPiece, size - bytes.size()));
      if (slices.size() == 0) break;
      const size_t before = bytes.size();
      bytes.resize(before + slices.size());
      slices.copy_to(std::as_writable_bytes(std::span(bytes).subspan(before)));
    }
    return bytes;
  }

  void file(Inode inode, const std::string& path, uint64_t size) {
    const OpenFile file = filesystem_.open(inode);
    ++result.files;
    if (size > kMaxReadWhole) {
      const std::string end = read(file, size - kPiece, 2 * kPiece);
      result.content[path] = std::hash<std::string>()(read(file, 0, kPiece) + end);
      if (end.size() != kPiece && result.wrong.empty()) result.wrong = path + ": another end than its size";
      return;
    }
    const std::string whole = read(file, 0, size + 1);
    result.content[path] = std::hash<std::string>()(whole);
    if (whole.size() != size && result.wrong.empty()) result.wrong = path + ": another size than it reads";
    std::mt19937_64 random(size);
    for (int i = 0; i < 4 && size > 0; ++i) {
      const uint64_t offset = random() % size, length = 1 + random() % 5000;
      if (read(file, offset, length) != whole.substr(offset, length) && result.wrong.empty())
        result.wrong = path + ": reads otherwise at " + std::to_string(offset);
    }
  }

  Filesystem& filesystem_;
};

}  // namespace

WalkResult read_everything(const std::string& store, Context& context) {
  Appearance appearance;
  appearance.views = default_views();
  appearance.views.are_named = true;  // so that files found by name are included
  Filesystem filesystem(std::make_shared<const Store>(open_store(store, context)), std::move(appearance),
                        context);
  Walk walk(filesystem);
  walk.directory(kRootInode, "", 0);
  return walk.result;
}

}  // namespace plainfs::damage
