// A zip archive of generated files. The archive has its members stored, so that its size follows from theirs
// and every byte has a known place. Its packed form has them deflated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "fs/text/view_file.h"

namespace plainfs {

// A member of an archive. Its content is the head, the body and the tail.
struct ZipMember {
  std::string name;  // ASCII, without a leading slash
  std::string head{};
  std::shared_ptr<ViewFile> body = nullptr;  // null: none
  std::string tail{};
};

// Returns the archive of the members that find_members returns, in that order, with the time 1980-01-01. It
// is called when the size or content is first requested, and again if it threw. version: see
// Measured::version. The size takes the sizes of the bodies. The first read of a header, or of the directory
// at the end, reads the members that it describes, for their checksums. Sizes and places of 4 GiB or more are
// those of zip64.
std::unique_ptr<ViewFile> zip_file(std::function<std::vector<ZipMember>()> find_members, Context& context,
                                   std::string version = {});

}  // namespace plainfs
