// Names that a file system treats as the same. To APFS, vfat, exFAT or a Windows share, "A.csv" and "a.csv"
// are one file; to some, "é" as one character and as two are the same letter. Writing both files would lose
// the first.
#pragma once

#include <string>
#include <vector>

#include "formats/core/base/descriptor.h"

namespace plainfs {

// A name that is not written because the file system treats it as another one.
struct HeldName {
  std::string name;
  std::string other;    // the name in its place
  std::string instead;  // the name to use, marked like names that are too long (fs/views/names.h)
};

// Returns the names (duplicates allowed), taken in byte order, that are equivalent to an earlier one in that
// directory or in directories created in it. If names are similar enough, tests the file system itself in a
// temporary directory there, which is removed afterwards. Each run of an export comes to the same result.
// Throws Failure(kNotWritten) if the disk refuses or no other name can be found.
std::vector<HeldName> held_names(const Descriptor& folder, std::vector<std::string> names);

}  // namespace plainfs
