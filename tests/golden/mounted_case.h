// A store opened as a mount opens it, without FUSE, with the views that are text and arrays.
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
  // Reads at random places of a file of that size.
  std::vector<Sample> samples(const std::string& path, uint64_t size);

  // The name of the error that stat, list or read of path gives; "ok" where there is none.
  std::string outcome(const std::string& path);
  // What a folder lists, in order; throws Error.
  std::vector<std::string> names_in(const std::string& folder);
  // Whether the folder of path can be listed and has it.
  bool lists(const std::string& path);
  std::string link_target(const std::string& path);
  // A line of the log holds all of text.
  bool warned(const std::string& text) const;

  enum class Kind { file, folder, link, unknown };  // unknown: stat fails
  // Everything that is listed, path -> kind, "a/b.csv". Appends to wrong the files that read neither to the
  // size that stat gives nor to an Error.
  std::map<std::string, Kind> walk(std::vector<std::string>& wrong);

 private:
  std::string slice(const OpenFile& file, uint64_t offset, size_t size);
  void walk(const std::string& folder, std::map<std::string, Kind>& all, std::vector<std::string>& wrong);

  TestContext context_;
  StorePtr opened_;
  std::vector<std::string> log_;
  std::optional<Filesystem> filesystem_;
};

std::string file_name(const std::string& path);
// "/" of what is in the root.
std::string folder_of(const std::string& path);

}  // namespace plainfs::golden
