// An array as a picture: a line for one axis, a map for two, a plane of more, chosen in the address; the rows
// of an embedding as points in a plane.
#pragma once

#include <string>

#include "formats/core/model/node.h"
#include "fs/serve/page_model.h"
#include "fs/serve/query.h"

namespace plainfs::serve {

// Adds the picture, the form that chooses what it is of, and the rows. name: what the array is called.
// is_embedding: its rows are cells, its columns where they stand. What the address asks for and is not there
// becomes a problem. Reads what the picture shows, and no more than 2^23 elements of it. Throws what reading
// throws.
void add_array(const Query& query, const LabelledArray& array, const std::string& name, bool is_embedding,
               PageModel& page);

}  // namespace plainfs::serve
