#include "fs/views/matrix/matrix_files.h"

#include <optional>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/sparse/coordinate_source.h"
#include "formats/core/sparse/dense_entries.h"
#include "fs/views/matrix/gene_matrix.h"
#include "fs/views/matrix/tenx_h5.h"

namespace plainfs {

namespace {

// The id, name and type of each row, as Cell Ranger lists them; the type is looked up when it is needed.
struct FeatureLists {
  ArrayPtr ids;
  ArrayPtr names;
  Node node;

  TenxFeatures find(Context& context) const {
    ArrayPtr types = feature_types(node, names->count(), context);
    if (!types) types = constant_text(names->count(), "Gene Expression");
    return {ids ? ids : names, names, std::move(types)};
  }
};

std::optional<FeatureLists> features_of(const Node& node) {
  const std::optional<GeneMatrix> matrix = gene_matrix(node);
  if (!matrix) return std::nullopt;
  return FeatureLists{matrix->ids, matrix->genes, node};
}

// Returns the text of a dense matrix if it is shown and its entries are not counted yet, otherwise null. The
// pass over its lines counts the entries too, so that all sizes take one pass.
std::shared_ptr<ViewFile> measured_beside(const LabelledArray& matrix, const Opener& text) {
  const uint64_t key = entries_key(matrix.matrix->transposed);
  if (!text || matrix.values->known_survey<EntriesByCell>(key)) return nullptr;
  std::shared_ptr<ViewFile> file = text();
  file->size();
  return file;
}

// The texts that 10x/ frames. Both are set, or the matrix has no such directory.
struct TenxTexts {
  Opener matrix, barcodes;
};

std::optional<TenxTexts> tenx_texts(const Node& node, Context& context, const Files& files) {
  TenxTexts texts{opener_of("matrix.mtx", "mtx", node, context, files),
                  opener_of("barcodes.tsv", "tsv", node, context, files)};
  if (!texts.matrix || !texts.barcodes) return std::nullopt;
  return texts;
}

}  // namespace

void offer_tenx_matrix(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (!gene_matrix(node)) return;
  if (const auto texts = tenx_texts(node, context, files)) row.add(framed(texts->matrix), files);
}

void offer_tenx_features(const FileRow& row, const Node& node, Context& context, Files& files) {
  const std::optional<FeatureLists> features = features_of(node);
  if (!features || !tenx_texts(node, context, files)) return;
  row.add(
      framed([features = *features, &context] {
        const TenxFeatures lists = features.find(context);
        return std::make_shared<TextFile>(names_tsv({lists.ids, lists.names, lists.types}, context), context);
      }),
      files);
}

void offer_tenx_barcodes(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (!gene_matrix(node)) return;
  if (const auto texts = tenx_texts(node, context, files)) row.add(framed(texts->barcodes), files);
}

void offer_tenx_h5_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files) {
  const std::optional<FeatureLists> features = features_of(node);
  if (!features) return;
  std::function<SparseMatrix()> entries;
  if (const auto* sparse = std::get_if<SparseMatrix>(&node.content)) {
    entries = [matrix = *sparse] { return evaluated(matrix); };
  } else {
    const auto& stored = std::get<LabelledArray>(node.content);
    const Opener text = stored.labels ? Opener() : offered("matrix.mtx", files);
    entries = [matrix = labelled_values(stored), text, &context] {
      return entries_of(matrix, context, measured_beside(matrix, text));
    };
  }
  const auto lay_out = [entries, features = *features, &context] {
    return tenx_h5(entries(), features.find(context), context);
  };
  const auto pack = [entries, features = *features, &context] {
    return packed_tenx_h5(entries(), features.find(context), context);
  };
  row.add(layout_opener(context, lay_out, with_hdf5(row.version), pack), files);
}

}  // namespace plainfs
