// A description of a store in one line, for people.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/model/store.h"
#include "fs/report/summary.h"

namespace plainfs {

// Returns the kind of a store: "Seurat 5.4 object", "AnnData in Zarr v3", "NWB 2.7 recording".
std::string kind_of_store(const Store& store);

// Returns the contents of a store, from metadata and a few values: "2,700 cells × 2,000 genes, 9
// identities in active.ident: B, NK, …". Empty if they are unknown. A part that cannot be read is
// omitted: the lines about the parts name the error.
std::string contents_of_store(const Store& store, Context& context);

// Returns both, in one line without a line end: "AnnData, 2,700 cells × 2,000 genes".
std::string headline(const Store& store, Context& context);

// Returns the kind and the contents of the store at a path on disk, of which `context` is. If it does not
// open, the kind is kDoesNotOpen, and `what` the reason. Throws Cancelled, and transient errors.
inline constexpr char kDoesNotOpen[] = "does not open";
Described describe_store(const std::string& path, Context& context);

// Returns the place of the first of the usual names of columns with clusters or cell types that `name` begins
// with, in any case: 0 is the best. Any other name has the last place.
size_t cluster_rank(std::string_view name);

}  // namespace plainfs
