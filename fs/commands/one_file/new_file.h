// A file that is written under a temporary name and moved into place when it is complete. If writing stops
// before that, the place keeps its content. The temporary file is removed, unless the program is killed; then
// the next export to the same place takes it over.
#pragma once

#include <string>

#include "fs/commands/part_file.h"

namespace plainfs {

// A file in progress. All members throw Failure(kNotWritten) if the disk refuses.
class NewFile {
 public:
  // Throws also if another export is writing the file with that path.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;

  const std::string& path() const { return path_; }
  PartFile& part() { return part_; }

  // Gives the file its size and name. Throws if the name is taken, unless replaces is true.
  void take_place(uint64_t size, bool replaces);

 private:
  std::string path_;
  PartFile part_;
  bool exists_ = true;  // the temporary file exists
};

// Throws Failure(kNotWritten) unless a file can be written at path: something exists there and replaces is
// false, or it is not a regular file, or it is the file `store`.
void check_place(const std::string& path, bool replaces, const std::string& store);

}  // namespace plainfs
