// A store opened like a mount, without FUSE, with the views that are text and arrays.
#pragma once

#include <boost/filesystem/path.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fs/filesystem.h"
#include "tests/support/test_context.h"

namespace plainfs::golden {

class MountedCase {
 public:
  MountedCase(const boost::filesystem::path& store, size_t cache_bytes);

  std::string read(const std::string& path);
  uint64_t size(const std::string& path);

  struct Sample {
    uint64_t offset;
    size_t length;
    std::string bytes;
  };
  // Returns reads at random places of a file of `size` bytes.
  std::vector<Sample> samples(const std::string& path, uint64_t size);

  // Returns the name of the error that stat, list or read of `path` gives; "ok" without an error.
  std::string outcome(const std::string& path);
  // Returns the listed names of a folder, in order. Throws Error.
  std::vector<std::string> names_in(const std::string& folder);
  // Returns whether the folder of `path` can be listed and contains it.
  bool lists(const std::string& path);
  std::string link_target(const std::string& path);
  // Returns whether a log line contains all of `text`.
  bool warned(const std::string& text) const;

  enum class Kind { file, folder, link, unknown };  // unknown: stat fails
  // Returns everything listed, path -> kind, "a/b.csv". Appends files to `wrong` that neither read to the
  // size of their stat nor fail with an Error.
  std::map<std::string, Kind> walk(std::vector<std::string>& wrong);

 private:
  // Returns where reading the file ends. Reads files of more than 4 MiB only at both ends.
  uint64_t end_of(const std::string& path, uint64_t size);
  std::string slice(const OpenFile& file, uint64_t offset, size_t size);
  void walk(const std::string& folder, std::map<std::string, Kind>& all, std::vector<std::string>& wrong);

  TestContext context_;
  StorePtr opened_;
  std::vector<std::string> log_;
  std::optional<Filesystem> filesystem_;
};

std::string file_name(const std::string& path);
// Returns "/" for entries of the root.
std::string folder_of(const std::string& path);

}  // namespace plainfs::golden
