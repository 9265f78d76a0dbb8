// The page of a CF variable: its map over two axes at a place along the others, and the values along one axis
// at a point.
#pragma once

#include "formats/core/cf/dataset.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Adds the facts, the pictures, the form and links that choose what they show, its values, and the tables in
// which it can be taken. The address of the page is NAME?page or a folder's with NAME in it. Parts of the
// query that do not exist become problems, and the page's status is 400. Reads only what the pictures show.
// Throws the errors of reading.
void add_variable(const Query& query, const CfDataset& dataset, const CfVariable& variable, PageModel& page);

}  // namespace plainfs::serve
