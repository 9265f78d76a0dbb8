// The target directory of an export. Whatever it contains already, files are only created and written below
// it: no symbolic link in it is followed, and no file with further hard links is written to.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {

// Thrown if something else is in the place of an entry. All other entries may still be written.
class NameTaken : public Failure {
 public:
  explicit NameTaken(const std::string& message) : Failure(kNotWritten, message) {}
};

// A directory that receives files. Thread-safe but for keep_apart(). Paths are relative to it, "a/b.csv". All
// members throw NameTaken, and Failure(kNotWritten) if the disk refuses.
class TargetFolder {
 public:
  // Creates the directory if it is missing. The directory itself may be a symbolic link.
  explicit TargetFolder(const std::string& path);

  // Registers the paths of all entries, each after its parent. If the file system treats two of them as the
  // same, the later one is written under another name from then on, and links to it are adjusted. Returns a
  // line for each renamed entry.
  std::vector<std::string> keep_apart(const std::vector<std::string>& paths);

  const std::string& path() const { return path_; }
  // Returns the path on disk, for messages.
  std::string whole(const std::string& path) const { return path.empty() ? path_ : path_ + "/" + path; }

  // Returns the last name of `path` as it is on disk.
  std::string name_of(const std::string& path) const;

  // Returns the directory at `path` and creates it and its parents if they are missing.
  Descriptor make_folder(const std::string& path) const;
  // Returns the parent directory of `path`.
  Descriptor folder_of(const std::string& path) const;
  // Creates a link. Does nothing if the same link exists.
  void make_link(const std::string& path, const std::string& text) const;
  // Returns the directory at `path`, or an invalid descriptor (a negative number) if it does not exist.
  Descriptor existing_folder(const std::string& path) const;
  // Removes the file at `path`. Does nothing if it is missing or not a file.
  void remove_file(const std::string& path) const;
  // Returns whether a file with that modification time and size (nullopt: any) exists.
  bool has_file(const std::string& path, std::optional<uint64_t> size, timespec modified) const;

 private:
  Descriptor nearest_folder(const std::string& path) const;
  std::string text_on_disk(const std::string& path, const std::string& text) const;

  const std::string path_;
  const Descriptor root_;
  std::unordered_map<std::string, std::string> renamed_;  // path to its last name on disk
};

}  // namespace plainfs
