// Names that a directory cannot hold beside each other: to APFS, vfat, exFAT or a share of Windows "A.csv"
// and "a.csv" are one file, to some "é" of one character and of two is one letter. Writing both would lose
// the first.
#pragma once

#include <string>
#include <vector>

#include "formats/core/base/descriptor.h"

namespace plainfs {

struct HeldName {
  std::string name;
  std::string other;    // which has the place
  std::string instead;  // what to call it there: marked as names are that are too long (fs/views/names.h)
};

// Those of names (the same one may come twice), by the order of their bytes, whose place an earlier one has
// in that directory or one that is made in it. It is asked itself, by a directory of its own in it that is
// gone again afterwards, where names are near enough to each other; each run of an export comes to the same
// answer. Throws Failure(kNotWritten) where the disk refuses, or a name cannot be given another.
std::vector<HeldName> held_names(const Descriptor& folder, std::vector<std::string> names);

}  // namespace plainfs
