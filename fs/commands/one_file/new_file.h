// A file that is written beside its place, under a temporary name, and takes its place when it is whole.
// Whatever stops the writing, the place holds what it held before. The temporary file is removed, unless the
// program is killed; then the next export to the same place takes it over.
#pragma once

#include <string>

#include "fs/commands/part_file.h"

namespace plainfs {

// Each throws Failure(kNotWritten) if the disk refuses.
class NewFile {
 public:
  // Throws also if another export is writing the file of that path.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;

  const std::string& path() const { return path_; }
  PartFile& part() { return part_; }

  // Gives the file its size and name. Unless replaces is true, it throws if something has that name now.
  void take_place(uint64_t size, bool replaces);

 private:
  std::string path_;
  PartFile part_;
  bool is_there_ = true;  // the temporary file
};

// Throws Failure(kNotWritten) unless a file can be written at path: something stands there and replaces is
// false, or what stands there is no regular file, or is the file called store.
void check_place(const std::string& path, bool replaces, const std::string& store);

}  // namespace plainfs
