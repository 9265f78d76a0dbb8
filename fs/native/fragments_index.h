// The index that tabix makes of a BGZF file of fragments (or of any BED: name, start, end, …), so that a
// region is read without the rest. It is made from the lines as they are shown, in one pass, and holds what
// htslib's holds, bin for bin; only that bins stand in rising order, which htslib leaves to its hash table.
#pragma once

#include <string>

#include "fs/text/view_file.h"

namespace plainfs {

enum class FragmentsIndex {
  tbi,  // for positions up to 2^29
  csi,  // of depth 6: up to 2^32
};

// What the index file of bgzf_file(text) holds, before it is framed itself.
// Throws unsupported where there is no index of that kind: a chromosome's lines are not one run, or not in
// the order of their starts, or a position is too large; damaged where a line is no fragment.
std::string fragments_index(ViewFile& text, FragmentsIndex kind);

}  // namespace plainfs
