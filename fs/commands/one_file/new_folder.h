// A folder of files that is filled under a temporary name and moved into place when it is complete, like
// NewFile.
#pragma once

#include <optional>
#include <string>

#include "formats/core/base/descriptor.h"
#include "fs/commands/target_folder.h"

namespace plainfs {

// A folder in progress. All members throw Failure(kNotWritten) if the disk refuses.
class NewFolder {
 public:
  // Throws also if another export is filling the folder with that path.
  explicit NewFolder(const std::string& path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const TargetFolder& folder() const { return *folder_; }

  // Gives the folder its name. Throws if the name is taken, unless replaces is true.
  void take_place(bool replaces);

 private:
  std::string path_;
  std::string part_;   // the path of the temporary folder
  Descriptor locked_;  // the temporary folder
  std::optional<TargetFolder> folder_;
};

// Throws Failure(kNotWritten) unless a folder can be created at path: something exists there and replaces is
// false, or it is not a folder with an ending like that of path that contains one of the files in marks.
void check_folder_place(const std::string& path, bool replaces, std::initializer_list<const char*> marks);

}  // namespace plainfs
