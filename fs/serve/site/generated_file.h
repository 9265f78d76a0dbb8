// Replies with a file that is made for one request and is in no folder: some rows of a table, some cells of
// an annotated matrix, the numbers of a page.
#pragma once

#include <memory>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/serve/site/exchange.h"
#include "fs/text/view_file.h"
#include "fs/views/view.h"

namespace plainfs::serve {

// Returns the first file of that form which the views offer of a node, or null.
std::shared_ptr<ViewFile> generated_file(const FileForm& form, const Node& node, Context& context);

// Answers with all of a file under the given name, as a download. Measures it for the header.
void answer_generated_file(const Exchange& exchange, ViewFile& file, const FileForm& form,
                           const std::string& name);

}  // namespace plainfs::serve
