// The names of the rows and columns of a matrix: its own, in the group `names`, or those of the experiment it
// is a part of.
#pragma once

#include <string>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Rows and columns of the object, whatever the order of its dimensions in the file.
struct MatrixExtent {
  uint64_t rows = 0;
  uint64_t columns = 0;
};

// group: with the group `names`, whose list K belongs to dimension K of the file. Lists that do not fit are
// not used, which is warned of; a side without a list of its own has that of given. reversed: the
// dimensions of the file are those of the object in reverse.
SideNames side_names(const Group& group, const MatrixExtent& extent, const SideNames& given,
                     const std::string& place, Context& context, bool reversed = false);

// List number of a group of lists of names, where it is one of count texts; else null, and what is there and
// does not fit is warned of with place.
ArrayPtr names_in_list(const Group& lists, size_t number, uint64_t count, const std::string& place,
                       Context& context);

// Names as they are where they are count of them, else null, which is warned of.
ArrayPtr fitting_side(ArrayPtr names, uint64_t count, const std::string& place, Context& context);

}  // namespace plainfs::takane
