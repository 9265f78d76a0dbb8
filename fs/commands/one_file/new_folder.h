// A folder of files that is filled beside its place, under a temporary name, and takes its place when it is
// whole, as NewFile does.
#pragma once

#include <optional>
#include <string>

#include "formats/core/base/descriptor.h"
#include "fs/commands/target_folder.h"

namespace plainfs {

// Each throws Failure(kNotWritten) if the disk refuses.
class NewFolder {
 public:
  // Throws also if another export is filling the folder of that path.
  explicit NewFolder(const std::string& path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const TargetFolder& folder() const { return *folder_; }

  // Gives the folder its name. Unless replaces is true, it throws if something has that name now.
  void take_place(bool replaces);

 private:
  std::string path_;
  std::string part_;   // the path of the temporary folder
  Descriptor locked_;  // the temporary folder
  std::optional<TargetFolder> folder_;
};

// Throws Failure(kNotWritten) unless a folder can be made at path: something stands there and replaces is
// false, or it is no folder of an ending like that of path that holds one of the files in marks.
void check_folder_place(const std::string& path, bool replaces, std::initializer_list<const char*> marks);

}  // namespace plainfs
