// A summary of a store for people: one line for each matrix, table, fragment list and array, with its
// dimensions.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs {

struct CfDataset;  // formats/core/cf/dataset.h

// A description: "sparse matrix", "80 × 200, 1234 values (integer), by column". Both are empty for a group
// and for content that is not data of the store.
struct Described {
  std::string kind;
  std::string what;
};
// The form of counts: "60000" or "60,000".
enum class Digits { plain, grouped };
// Describes a node. Reads metadata only. If that fails, `what` is the error.
Described describe(const Node& node, Digits digits = Digits::grouped);

// Returns "time 744 × latitude 721 × longitude 1440; time from 2020-01-01T00:00:00 to 2020-01-31T23:00:00
// (standard)". Reads the times.
std::string dataset_text(const CfDataset& dataset);

// Returns "assays/RNA/counts  sparse matrix  80 × 200, 1234 values (integer), by column", one line each, at
// most max_lines, and a last line if there are more. Reads metadata, and of a store on disk the arrays of
// one value, which are shown by it: "identifier  array  \"a1\" (text)". A node that cannot be read has
// the error in its line. path: the group or member to summarize, "" for all; for a table, its columns are
// listed as well. Throws not_found if path does not exist.
std::string summary_of(const Store& store, Context& context, const std::string& path, size_t max_lines);

// The stores in a folder and below it.
struct FolderSummary {
  size_t stores = 0;  // that do not open included
  std::string kinds;  // "2 AnnData, 1 Seurat 5.4 object, 1 does not open"; the most frequent first
  std::string lines;  // like those of summary_of(); those of stores state their kinds and contents
};
// Opens each store of the folder, one after another.
FolderSummary summary_of_folder(const Store& folder, Context& context);

}  // namespace plainfs
