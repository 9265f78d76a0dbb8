// The page of an array: a line for one axis, a heat map for two, a plane chosen in the address for more, and
// points in a plane for the rows of an embedding.
#pragma once

#include <string>

#include "formats/core/model/node.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Adds the picture, the form that chooses its content, and the rows. name: the name of the array.
// is_embedding: the rows are cells and the columns their coordinates. Parts of the query that do not exist in
// the array become problems. Reads only what the picture shows, at most 2^23 elements. Throws the errors of
// reading.
void add_array(const Query& query, const LabelledArray& array, const std::string& name, bool is_embedding,
               PageModel& page);

}  // namespace plainfs::serve
