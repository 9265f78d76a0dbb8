#include "fs/views/offers.h"

#include <algorithm>
#include <optional>

#include "cache/mutex.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/seurat_objects.h"
#include "formats/core/model/generated_array.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/sparse/coordinate_source.h"
#include "formats/core/sparse/dense_entries.h"
#include "formats/registry.h"
#include "fs/native/bgzf.h"
#include "fs/native/files.h"
#include "fs/native/parquet.h"
#include "fs/native/position_index.h"
#include "fs/native/rds.h"
#include "fs/native/tenx_h5.h"
#include "fs/text/text_file.h"
#include "fs/views/gene_matrix.h"
#include "fs/views/texts.h"

namespace plainfs {

Opener shared_opener(Opener open) {
  struct Shared {
    Opener open;
    Mutex mutex;
    std::weak_ptr<ViewFile> file GUARDED_BY(mutex);
  };
  const auto shared = std::make_shared<Shared>();
  shared->open = std::move(open);
  return [shared] {
    const MutexLock lock(shared->mutex);
    std::shared_ptr<ViewFile> file = shared->file.lock();
    if (!file) shared->file = file = shared->open();
    return file;
  };
}

void add_to_tenx_directory(ViewEntry file, Files& files) {
  constexpr std::string_view kName = "10x";
  auto directory = std::find_if(files.begin(), files.end(), [&](const ViewEntry& offered) {
    return offered.name == kName && offered.list;
  });
  if (directory == files.end()) {
    files.push_back({std::string(kName), nullptr, [] { return std::vector<ViewEntry>(); }});
    directory = std::prev(files.end());
  }
  directory->list = [others = std::move(directory->list), file = std::move(file)] {
    std::vector<ViewEntry> all = others();
    all.push_back(file);
    return all;
  };
}

namespace {

// Returns the opener of the file `name` in `files`; empty if it is missing.
Opener offered(std::string_view name, const Files& files) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const ViewEntry& file) { return file.name == name; });
  return found == files.end() ? Opener() : found->open;
}

// Returns the file's opener in `files`, or else from the view `option`; empty if the node has no such file.
Opener opener_of(std::string_view name, std::string_view option, const Node& node, Context& context,
                 const Files& files) {
  if (Opener opener = offered(name, files)) return opener;
  Files own;
  for (const View& view : views())
    if (view.option == option) view.offer(node, context, own);
  return offered(name, own);
}

Opener framed(Opener text) {
  return [text = std::move(text)] { return bgzf_file(text()); };
}

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

// Returns the version of a file with metadata written by libhdf5.
std::string with_hdf5(std::string text) {
  for (const auto& [library, its_version] : format_libraries())
    if (library == "libhdf5") text += ", libhdf5 " + its_version;
  return text;
}

template <class LayOut>
Opener layout_opener(Context& context, LayOut lay_out, std::string version, MakePacked pack = nullptr) {
  return [&context, lay_out, version, pack] { return layout_file(lay_out, context, version, pack); };
}

// Returns the members of an array of compounds as a table.
Table table_of(const LabelledArray& array) {
  array.values->check();
  return {array.values->count(), array.row_names, {{"", array.values}}};
}

// Returns whether the elements of an array are the rows of a table.
bool has_rows(const LabelledArray& array) {
  return array.values->dtype().kind == Kind::compound && !array.values->is_null();
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

// Returns the opener of the text that the name of a row begins with; empty if the node has none.
Opener text_of_row(const FileRow& row, const Node& node, Context& context, const Files& files) {
  const std::string_view name = row.name.substr(0, row.name.find(".gz"));
  const bool is_fragments = name == "fragments.tsv";
  if (is_fragments ? !std::holds_alternative<Fragments>(node.content)
                   : !std::holds_alternative<Variants>(node.content))
    return nullptr;
  return opener_of(name, is_fragments ? "tsv" : "vcf", node, context, files);
}

void add_parquet(const FileRow& row, const std::function<Table()>& find, Context& context, Files& files) {
  const auto lay_out = [find, &context] { return table_parquet(find(), context); };
  const auto pack = [find, &context] { return packed_table_parquet(find(), context); };
  row.add(layout_opener(context, lay_out, row.version, pack), files);
}

// Returns whether memory can hold each of the columns.
bool can_be_held(const Table& table) {
  return std::all_of(table.columns.begin(), table.columns.end(), [](const Column& column) {
    const auto* nested = dynamic_cast<const NestedArray*>(column.values.get());
    return !nested || nested->can_be_held();
  });
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

void offer_h5ad_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    const auto lay_out = [make = found.make, &context] { return h5ad(make(), context); };
    const auto pack = [make = found.make, &context] { return packed_h5ad(make(), context); };
    files.push_back({found.name + ".h5ad", layout_opener(context, lay_out, with_hdf5(row.version), pack)});
  }
}

void offer_zarr_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context))
    files.push_back(
        {found.name + ".zarr", nullptr, anndata_zarr(std::move(found.make), context), row.is_unlisted});
}

void offer_seurat(const FileRow& row, const Node& node, Context& context, Files& files) {
  const std::optional<FoundSeuratObject> found = find_seurat_object(node, context);
  if (!found) return;
  const auto lay_out = [found = *found, &context] {
    return std::visit([&](const auto& make) { return seurat_rds(make(), context); }, found);
  };
  row.add(layout_opener(context, lay_out, row.version), files);
  // For a single matrix, R users read matrix.rds.
  files.back().is_unlisted = std::holds_alternative<SparseMatrix>(node.content);
}

void offer_bgzf(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (Opener text = text_of_row(row, node, context, files)) row.add(framed(std::move(text)), files);
}

template <IndexKind kind>
void offer_bgzf_index(const FileRow& row, const Node& node, Context& context, Files& files) {
  const Opener text = text_of_row(row, node, context, files);
  if (!text) return;
  const auto make_index = [text] { return text()->position_index(kind); };
  row.add(framed([make_index, &context, version = row.version] {
            return computed_file(make_index, context, version);
          }),
          files);
}
template void offer_bgzf_index<IndexKind::tbi>(const FileRow&, const Node&, Context&, Files&);
template void offer_bgzf_index<IndexKind::csi>(const FileRow&, const Node&, Context&, Files&);

ByteLayout rds_of_matrix(const SparseMatrix& matrix, Context& context) {
  return sparse_rds(evaluated(matrix), context);
}

void offer_rds_of_table(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* table = std::get_if<Table>(&node.content);
  if (!table || !can_be_held(*table)) return;
  const std::string place = (node.parts ? node.parts->path() : "a table as ") + ".rds";
  const auto lay_out = [table = *table, place, &context] { return table_rds(table, context, place); };
  row.add(layout_opener(context, lay_out, row.version), files);
}

// Stored codes are replaced by their meaning.
void offer_rds_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* stored = std::get_if<LabelledArray>(&node.content);
  if (!stored) return;
  const LabelledArray array = labelled_values(*stored);
  if (has_rows(array)) {
    const auto lay_out = [array, &context] { return table_rds(table_of(array), context); };
    row.add(layout_opener(context, lay_out, row.version), files);
  } else if (has_rds(array)) {
    const auto lay_out = [array, &context] { return array_rds(array, context); };
    row.add(layout_opener(context, lay_out, row.version), files);
  }
}

void offer_parquet_of_table(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* table = std::get_if<Table>(&node.content);
  if (table && has_parquet(*table) && can_be_held(*table))
    add_parquet(
        row, [table = *table] { return table; }, context, files);
}

void offer_parquet_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* stored = std::get_if<LabelledArray>(&node.content);
  if (!stored) return;
  const LabelledArray array = labelled_values(*stored);
  if (has_rows(array))
    add_parquet(
        row, [array] { return table_of(array); }, context, files);
}

void offer_bpcells_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto add = [&](const SparseMatrix& matrix) {
    files.push_back({std::string(row.name), nullptr, bpcells_directory(matrix, context), row.is_unlisted});
  };
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content)) add(*matrix);
  if (const auto* matrix = std::get_if<CoordinateMatrix>(&node.content)) add(by_columns(*matrix, context));
}

}  // namespace plainfs
