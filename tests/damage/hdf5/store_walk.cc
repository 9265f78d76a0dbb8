#include "tests/damage/hdf5/store_walk.h"

#include "formats/open_store.h"
#include "formats/registry.h"
#include "fs/filesystem.h"

namespace plainfs::damage {
namespace {

class Walk {
 public:
  explicit Walk(Filesystem& filesystem) : filesystem_(filesystem) {}

  void directory(Inode inode, int depth) {
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
    for (const Listing::Entry& entry : listing->entries) this->entry(entry, depth);
  }

  WalkResult result;

 private:
  void entry(const Listing::Entry& entry, int depth) {
    try {
      const struct stat status = filesystem_.status(entry.inode);
      if (S_ISDIR(status.st_mode))
        directory(entry.inode, depth + 1);
      else if (S_ISLNK(status.st_mode))
        filesystem_.read_link(entry.inode);
      else
        file(entry, static_cast<uint64_t>(status.st_size));
    } catch (const Error&) {
      ++result.errors;
    }
  }

  void file(const Listing::Entry& entry, uint64_t size) {
    const OpenFile file = filesystem_.open(entry.inode);
    // A changed byte can make any number of elements that were never written: of those the first and the last.
    constexpr uint64_t kMost = 64 << 20, kPart = 1 << 17;
    uint64_t read = 0;
    for (;;) {
      const uint64_t part = filesystem_.read(file, read, kPart).size();
      read += part;
      if (part < kPart) break;
      if (size > kMost && read == kPart) read = size - kPart / 2;
    }
    ++result.files;
    if (read != size && result.wrong.empty()) result.wrong = entry.name;
  }

  Filesystem& filesystem_;
};

}  // namespace

WalkResult read_everything(const std::string& store, Context& context) {
  Filesystem filesystem(std::make_shared<const Store>(open_store(store, context)), Appearance{}, context);
  Walk walk(filesystem);
  walk.directory(kRootInode, 0);
  return walk.result;
}

}  // namespace plainfs::damage
