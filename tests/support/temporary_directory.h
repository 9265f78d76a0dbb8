// A directory for one test, removed with all its content when the test ends.
#pragma once

#include <boost/filesystem.hpp>
#include <string>

namespace plainfs {

class TemporaryDirectory {
 public:
  TemporaryDirectory()
      : path_(boost::filesystem::temp_directory_path() /
              boost::filesystem::unique_path("plainfs-test-%%%%%%%%%%%%")) {
    boost::filesystem::create_directory(path_);
  }
  ~TemporaryDirectory() {
    boost::system::error_code ignored;
    boost::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path() const { return path_.string(); }
  // Returns the path of a file or directory in it.
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  boost::filesystem::path path_;
};

}  // namespace plainfs
