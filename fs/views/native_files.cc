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

void add_to_tenx_directory(ViewEntry file, std::vector<ViewEntry>& files) {
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
Opener offered(std::string_view name, const std::vector<ViewEntry>& files) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const ViewEntry& file) { return file.name == name; });
  return found == files.end() ? Opener() : found->open;
}

// Returns the file's opener in `files`, or else from the view `option`; empty if the node has no such file.
Opener opener_of(std::string_view name, std::string_view option, const Node& node, Context& context,
                 const std::vector<ViewEntry>& files) {
  if (Opener opener = offered(name, files)) return opener;
  std::vector<ViewEntry> own;
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

// Versions of the content and layout of the files (Measured::version).
constexpr const char kRds[] = "rds 2", kH5ad[] = "h5ad 5", kTenxH5[] = "10x h5 2", kParquet[] = "parquet 2",
                     kIndex[] = "position index 1", kSeurat[] = "seurat 3";

// Returns the version of a file with metadata written by libhdf5.
std::string with_hdf5(const char* version) {
  std::string text = version;
  for (const auto& [library, its_version] : format_libraries())
    if (library == "libhdf5") text += ", libhdf5 " + its_version;
  return text;
}

template <class LayOut>
Opener layout_opener(Context& context, LayOut lay_out, std::string version = kRds,
                     MakePacked pack = nullptr) {
  return [&context, lay_out, version, pack] { return layout_file(lay_out, context, version, pack); };
}

// Returns the members of an array of compounds as a table.
Table table_of(const LabelledArray& array) {
  array.values->check();
  return {array.values->count(), array.row_names, {{"", array.values}}};
}

// Offers an array for R; an array of compounds as a table of their members. Stored codes are replaced by
// their meaning.
void offer_array_rds(const LabelledArray& stored, Context& context, std::vector<ViewEntry>& files) {
  const LabelledArray array = labelled_values(stored);
  const Array& values = *array.values;
  if (values.dtype().kind == Kind::compound && !values.is_null()) {
    files.push_back(beside(
        ".rds", layout_opener(context, [array, &context] { return table_rds(table_of(array), context); })));
  } else if (has_rds(array)) {
    files.push_back(
        beside(".rds", layout_opener(context, [array, &context] { return array_rds(array, context); })));
  }
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

}  // namespace

void offer_gz(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  const std::optional<FeatureLists> features = features_of(node);
  if (!features) return;
  const Opener matrix = opener_of("matrix.mtx", "mtx", node, context, files);
  const Opener barcodes = opener_of("barcodes.tsv", "tsv", node, context, files);
  if (!matrix || !barcodes) return;
  const auto open_lists = [features = *features, &context] {
    const TenxFeatures lists = features.find(context);
    const std::vector<ArrayPtr> fields{lists.ids, lists.names, lists.types};
    return std::make_shared<TextFile>(names_tsv(fields, context), context);
  };
  add_to_tenx_directory({"matrix.mtx.gz", framed(matrix)}, files);
  add_to_tenx_directory({"features.tsv.gz", framed(open_lists)}, files);
  add_to_tenx_directory({"barcodes.tsv.gz", framed(barcodes)}, files);
}

void offer_h5(const Node& node, Context& context, std::vector<ViewEntry>& files) {
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
  add_to_tenx_directory({"10x.h5", layout_opener(
                                       context,
                                       [entries, features = *features, &context] {
                                         return tenx_h5(entries(), features.find(context), context);
                                       },
                                       with_hdf5(kTenxH5),
                                       [entries, features = *features, &context] {
                                         return packed_tenx_h5(entries(), features.find(context), context);
                                       })},
                        files);
}

void offer_h5ad(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    files.push_back(
        {found.name + ".h5ad",
         layout_opener(
             context, [make = found.make, &context] { return h5ad(make(), context); }, with_hdf5(kH5ad),
             [make = found.make, &context] { return packed_h5ad(make(), context); })});
  }
}

void offer_seurat(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  const std::optional<FoundSeuratObject> found = find_seurat_object(node, context);
  if (!found) return;
  files.push_back({"seurat.rds", layout_opener(
                                     context,
                                     [found = *found, &context] {
                                       return std::visit(
                                           [&](const auto& make) { return seurat_rds(make(), context); },
                                           found);
                                     },
                                     kSeurat)});
  // For a single matrix, R users read matrix.rds.
  files.back().found_by_name = std::holds_alternative<SparseMatrix>(node.content);
}

void offer_bgzf(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  const bool has_variants = std::holds_alternative<Variants>(node.content);
  if (!has_variants && !std::holds_alternative<Fragments>(node.content)) return;
  const std::string name = has_variants ? "variants.vcf" : "fragments.tsv";
  const Opener text = opener_of(name, has_variants ? "vcf" : "tsv", node, context, files);
  files.push_back({name + ".gz", framed(text)});
  // Offers both kinds, because it takes a read to know which one reaches all positions.
  for (const auto& [ending, kind] :
       {std::pair(".gz.tbi", IndexKind::tbi), std::pair(".gz.csi", IndexKind::csi)}) {
    const auto make_index = [text, of = kind] { return text()->position_index(of); };
    files.push_back({name + ending,
                     framed([make_index, &context] { return computed_file(make_index, context, kIndex); })});
    // For variants, csi is only for positions that tbi cannot represent.
    files.back().found_by_name = has_variants && kind == IndexKind::csi;
  }
}

// Returns whether memory can hold each of the columns.
bool can_be_held(const Table& table) {
  return std::all_of(table.columns.begin(), table.columns.end(), [](const Column& column) {
    const auto* nested = dynamic_cast<const NestedArray*>(column.values.get());
    return !nested || nested->can_be_held();
  });
}

void offer_rds(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  offer_tables_of_variables(node, offer_rds, context, files);
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content)) {
    files.push_back({"matrix.rds", layout_opener(context, [matrix = *matrix, &context] {
                       return sparse_rds(evaluated(matrix), context);
                     })});
  } else if (const auto* coordinates = std::get_if<CoordinateMatrix>(&node.content)) {
    files.push_back({"matrix.rds", layout_opener(context, [matrix = *coordinates, &context] {
                       return coordinates_rds(matrix, context);
                     })});
  } else if (const auto* table = std::get_if<Table>(&node.content)) {
    if (!can_be_held(*table)) return;
    const std::string place = (node.parts ? node.parts->path() : "a table as ") + ".rds";
    files.push_back(beside(".rds", layout_opener(context, [table = *table, place, &context] {
                             return table_rds(table, context, place);
                           })));
  } else if (const auto* array = std::get_if<LabelledArray>(&node.content)) {
    offer_array_rds(*array, context, files);
  }
}

void offer_parquet(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  offer_tables_of_variables(node, offer_parquet, context, files);
  const auto offer = [&](const std::function<Table()>& find) {
    const auto lay_out = [find, &context] { return table_parquet(find(), context); };
    const auto pack = [find, &context] { return packed_table_parquet(find(), context); };
    files.push_back(beside(".parquet", layout_opener(context, lay_out, kParquet, pack), true));
  };
  if (const auto* table = std::get_if<Table>(&node.content)) {
    if (has_parquet(*table) && can_be_held(*table)) offer([table = *table] { return table; });
  } else if (const auto* array = std::get_if<LabelledArray>(&node.content)) {
    const LabelledArray meant = labelled_values(*array);
    if (meant.values->dtype().kind == Kind::compound && !meant.values->is_null())
      offer([meant] { return table_of(meant); });
  }
}

void offer_zarr(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context))
    files.push_back({found.name + ".zarr", nullptr, anndata_zarr(std::move(found.make), context), true});
}

void offer_bpcells(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content))
    files.push_back({"bpcells", nullptr, bpcells_directory(*matrix, context), true});
  if (const auto* matrix = std::get_if<CoordinateMatrix>(&node.content))
    files.push_back({"bpcells", nullptr, bpcells_directory(by_columns(*matrix, context), context), true});
}

}  // namespace plainfs
