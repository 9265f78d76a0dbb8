// The directory that an export goes into. Whatever stands in it already, nothing is made or written but below
// it: no symbolic link is followed there, and no file is written to that has another name elsewhere.
#pragma once

#include <ctime>
#include <string>

#include "formats/core/base/descriptor.h"
#include "fs/exit_code.h"

namespace plainfs {

// Something else stands where one thing belongs. All others may still be written.
class InTheWay : public Failure {
 public:
  explicit InTheWay(const std::string& message) : Failure(kNotWritten, message) {}
};

// Thread-safe. Paths are below the folder, "a/b.csv"; all of these throw InTheWay, and Failure(kNotWritten)
// where the disk refuses.
class TargetFolder {
 public:
  // Makes it where it is not there; it may be a symbolic link itself.
  explicit TargetFolder(const std::string& path);

  const std::string& path() const { return path_; }
  // On disk, for messages.
  std::string whole(const std::string& path) const { return path.empty() ? path_ : path_ + "/" + path; }

  // The directory there, made with those around it where it is not there.
  Descriptor make_folder(const std::string& path) const;
  // The directory that path is in.
  Descriptor folder_of(const std::string& path) const;
  // Does nothing where that very link is there.
  void make_link(const std::string& path, const std::string& text) const;
  // The directory there, or none (a negative number) where it is not there.
  Descriptor folder_if_there(const std::string& path) const;
  // Whether a file of that size and modification time is there.
  bool has_file(const std::string& path, uint64_t size, timespec modified) const;

 private:
  const std::string path_;
  const Descriptor root_;
};

// "b.csv" of "a/b.csv".
std::string last_name(const std::string& path);

}  // namespace plainfs
