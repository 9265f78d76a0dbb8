// The functions with which the table of files (view.h) is built. The *_files.h of each folder declares its
// files: the text or layout of each, and functions for the column `offer`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/text/text_file.h"
#include "fs/views/view.h"

namespace plainfs {

using Files = std::vector<ViewEntry>;

// Returns an opener that opens the file with `open` and shares it between all concurrent users: files with
// the same text in another framing share its measurement. Copies of the opener share it too.
Opener shared_opener(Opener open);

// Returns the shared opener of the text of make().
template <class Make>
Opener text_opener(Context& context, Make make) {
  return shared_opener([&context, make] { return std::make_shared<TextFile>(make(), context); });
}

// Returns the opener of a layout; version: that of the row.
template <class LayOut>
Opener layout_opener(Context& context, LayOut lay_out, std::string version, MakePacked pack = nullptr) {
  return [&context, lay_out, version, pack] { return layout_file(lay_out, context, version, pack); };
}
// Returns the version of a file with metadata written by libhdf5.
std::string with_hdf5(std::string text);

// Returns the opener of a file of `text` in BGZF.
Opener framed(Opener text);

// Returns the opener of a file that is listed but cannot be read.
Opener broken(const Error& error);

// Returns the opener of the file `name` in `files`; empty if it is missing.
Opener offered(std::string_view name, const Files& files);
// Returns the file's opener in `files`, or else from the view `option`; empty if the node has no such file.
Opener opener_of(std::string_view name, std::string_view option, const Node& node, Context& context,
                 const Files& files);

// Adds a file to the directory 10x/ in `files`, which is created if it is missing: a matrix as Cell Ranger
// delivers it, and as Seurat's Read10X and scanpy's read_10x_mtx read it.
void add_to_tenx_directory(ViewEntry file, Files& files);

// Functions for the column `offer`.

// Offers the text of make(content, context).
template <class Content, auto make>
void offer_text(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (const auto* content = std::get_if<Content>(&node.content))
    row.add(text_opener(context, [content = *content, &context] { return make(content, context); }), files);
}

// Offers a file for content that cannot be read; reading it reports the error.
void offer_unreadable(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
