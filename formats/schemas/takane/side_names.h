// The names of the rows and columns of a matrix: its own, in the group `names`, or those of the experiment
// that contains it.
#pragma once

#include <string>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// The rows and columns of the object, whatever the order of its dimensions in the file.
struct MatrixExtent {
  uint64_t rows = 0;
  uint64_t columns = 0;
};

// Returns the names of both sides. group: has the group `names`, in which list K belongs to dimension K of
// the file. Lists that do not fit are not used, with a notice. A side without a list of its own gets that of
// given. reversed: the dimensions of the file are those of the object in reverse.
SideNames side_names(const Group& group, const MatrixExtent& extent, const SideNames& given,
                     const std::string& place, Context& context, bool reversed = false);

// Returns list `number` of a group of lists of names, if it holds count texts; otherwise null, with a notice
// about a list that does not fit. place: for the notice.
ArrayPtr names_in_list(const Group& lists, size_t number, uint64_t count, const std::string& place,
                       Context& context);

// Returns names if there are count of them; otherwise null, with a notice.
ArrayPtr fitting_side(ArrayPtr names, uint64_t count, const std::string& place, Context& context);

}  // namespace plainfs::takane
