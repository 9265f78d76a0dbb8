// Functions that build the rows of the table of files (view.h).
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"
#include "fs/text/text_file.h"
#include "fs/views/view.h"

namespace plainfs {

// Returns an opener that opens the file with `open` and shares it between all concurrent users: files with
// the same text in another framing share its measurement. Copies of the opener share it too.
Opener shared_opener(Opener open);

// Returns the shared opener of the text of make().
template <class Make>
Opener text_opener(Context& context, Make make) {
  return shared_opener([&context, make] { return std::make_shared<TextFile>(make(), context); });
}

// Functions for the column `offer`.

// Offers the text of make(content, context).
template <class Content, auto make>
void offer_text(const FileRow& row, const Node& node, Context& context, std::vector<ViewEntry>& files) {
  if (const auto* content = std::get_if<Content>(&node.content))
    row.add(text_opener(context, [content = *content, &context] { return make(content, context); }), files);
}

// Offers the layout of make(content, context).
template <class Content, auto make>
void offer_layout(const FileRow& row, const Node& node, Context& context, std::vector<ViewEntry>& files) {
  if (const auto* content = std::get_if<Content>(&node.content))
    row.add(
        [content = *content, &context, version = row.version] {
          return layout_file([content, &context] { return make(content, context); }, context, version);
        },
        files);
}

}  // namespace plainfs
