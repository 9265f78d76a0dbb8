// Annotated matrices as AnnData: an .h5ad, and a Zarr directory; several as MuData: an .h5mu.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/annotated/mudata_parts.h"
#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/text/view_entry.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns an annotated matrix as AnnData's .h5ad in the encoding of anndata 0.8, which all later versions
// read. Reads the lengths of all texts, and checks the tables for missing values.
// file: what the lines about left-out parts call it.
ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context, const std::string& file = "the .h5ad");
// Returns the .h5ad as anndata writes it with compression="gzip": datasets in chunks, texts of any length,
// codes as small as pandas stores them.
std::unique_ptr<const PackedForm> packed_h5ad(const AnnotatedMatrix& matrix, Context& context,
                                              const std::string& file = "the .h5ad");

// Returns several matrices as MuData's .h5mu, in the same encoding, as mudata 0.3 writes it.
ByteLayout h5mu(const MuDataParts& parts, Context& context);
// Returns the .h5mu compressed like packed_h5ad().
std::unique_ptr<const PackedForm> packed_h5mu(const MuDataParts& parts, Context& context);

// The largest chunk of anndata_zarr().
struct ZarrLimits {
  uint64_t numbers = 131072;           // elements of rank 1
  uint64_t texts = 65536;              // elements
  uint64_t columns = 256;              // along the second axis
  uint64_t bytes = uint64_t{1} << 20;  // for rank 2 and higher
};
// Returns an annotated matrix as AnnData's Zarr of version 2, with the same elements as its .h5ad: what
// anndata 0.8 writes with zarr-python 2 and no compressor. make: called when the directory is first entered.
// An element is read when its own directory is.
ListEntries anndata_zarr(std::function<AnnotatedMatrix()> make, Context& context, ZarrLimits limits = {},
                         const std::string& file = "the .zarr");
// Returns the same elements in the compressed form: as anndata 0.13 writes them in Zarr of version 3, or
// anndata 0.8 in version 2.
PackFolder packed_anndata_zarr(std::function<AnnotatedMatrix()> make, Context& context,
                               const std::string& file = "the .zarr");

// Logs what the .h5ad of a store's main part would leave out, as far as that is known without reading data.
// root: the refined root of the store.
void note_left_out_of_h5ad(const Node& root, Context& context);

// Returns these lines for one annotated matrix: "/assays/ADT: not in RNA.h5ad". name:
// FoundAnnotatedMatrix::name.
std::vector<std::string> lines_left_out_of_h5ad(const AnnotatedMatrix& matrix, const std::string& name,
                                                const Context& context);

// For nodes with annotated matrices, for several each with its own name: ASSAY.h5ad in assays/.
void offer_h5ad_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files);
// For directories with several matrices that belong together.
void offer_h5mu(const FileRow& row, const Node& node, Context& context, Files& files);
// For directories with one matrix, of which the features may be of several types.
void offer_h5mu_of_types(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_zarr_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
