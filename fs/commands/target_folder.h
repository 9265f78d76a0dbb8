// The directory that an export goes into. Whatever stands in it already, nothing is made or written but below
// it: no symbolic link is followed there, and no file is written to that has another name elsewhere.
#pragma once

#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {

// Something else stands where one thing belongs. All others may still be written.
class InTheWay : public Failure {
 public:
  explicit InTheWay(const std::string& message) : Failure(kNotWritten, message) {}
};

// Thread-safe but for keep_apart(). Paths are below the folder, "a/b.csv"; all of these throw InTheWay, and
// Failure(kNotWritten) where the disk refuses.
class TargetFolder {
 public:
  // Makes it where it is not there; it may be a symbolic link itself.
  explicit TargetFolder(const std::string& path);

  // All that is to stand in it, each path after that of the directory it is in. Where the file system cannot
  // hold two of them beside each other (held_names.h) the later is called otherwise in all that follows, and
  // what leads there too. A line for each.
  std::vector<std::string> keep_apart(const std::vector<std::string>& paths);

  const std::string& path() const { return path_; }
  // On disk, for messages.
  std::string whole(const std::string& path) const { return path.empty() ? path_ : path_ + "/" + path; }

  // The last name of that path, as it is called there.
  std::string name_of(const std::string& path) const;

  // The directory there, made with those around it where it is not there.
  Descriptor make_folder(const std::string& path) const;
  // The directory that path is in.
  Descriptor folder_of(const std::string& path) const;
  // Does nothing where that very link is there.
  void make_link(const std::string& path, const std::string& text) const;
  // The directory there, or none (a negative number) where it is not there.
  Descriptor folder_if_there(const std::string& path) const;
  // Removes the file there. Does nothing if there is none, or something else.
  void remove_file(const std::string& path) const;
  // Whether a file of that size and modification time is there.
  bool has_file(const std::string& path, uint64_t size, timespec modified) const;

 private:
  Descriptor nearest_folder(const std::string& path) const;
  std::string text_there(const std::string& path, const std::string& text) const;

  const std::string path_;
  const Descriptor root_;
  std::unordered_map<std::string, std::string> renamed_;  // by path, the last name
};

// "b.csv" of "a/b.csv".
std::string last_name(const std::string& path);

}  // namespace plainfs
