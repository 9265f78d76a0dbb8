#include "fs/views/anndata/anndata_files.h"

#include "formats/annotated/annotated_matrices.h"

namespace plainfs {

void offer_h5ad_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    const auto lay_out = [make = found.make, &context] { return h5ad(make(), context); };
    const auto pack = [make = found.make, &context] { return packed_h5ad(make(), context); };
    files.push_back(row.entry(found.name + std::string(row.form.ending)));
    files.back().open = layout_opener(context, lay_out, with_hdf5(row.version), pack);
  }
}

void offer_zarr_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    files.push_back(row.entry(found.name + std::string(row.form.ending)));
    files.back().list = anndata_zarr(std::move(found.make), context);
  }
}

}  // namespace plainfs
