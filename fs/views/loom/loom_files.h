// Annotated matrices as loom files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/text/packed_form.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// The most bytes of texts, with what HDF5 keeps of each, in a loom file that is not compressed: they are in
// memory while it is open.
inline constexpr uint64_t kMaxLoomTextBytes = uint64_t{64} << 20;

// Returns an annotated matrix as a loom file of version 3.0.0, which loompy 3.0.7 validates. Reads all texts,
// and checks the tables for missing values. file: the lines about left-out parts call it so. Throws
// unsupported if there is no X, cell or gene, and for texts over kMaxLoomTextBytes.
ByteLayout loom(const AnnotatedMatrix& matrix, Context& context, const std::string& file = "the .loom");
// Returns the file as loompy writes it, in chunks and compressed. Chunks without a value other than 0 are not
// stored.
std::unique_ptr<const PackedForm> packed_loom(const AnnotatedMatrix& matrix, Context& context,
                                              const std::string& file = "the .loom");

// Returns a text as loompy reads it back: in ASCII, other characters as decimal references, and an & that
// begins a reference as &amp;. Requires: text is UTF-8.
std::string loom_text(std::string_view text);

void offer_loom_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
