#include <algorithm>

#include "formats/core/base/error.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/model/node.h"
#include "formats/core/model/transient_fault.h"
#include "fs/native/byte_layout.h"
#include "fs/native/files.h"
#include "fs/native/rds.h"
#include "fs/text/text_file.h"
#include "fs/views/csv_nested.h"
#include "fs/views/file_rows.h"
#include "fs/views/genotypes.h"
#include "fs/views/mtx_lines.h"
#include "fs/views/npy.h"
#include "fs/views/offers.h"
#include "fs/views/texts.h"
#include "fs/views/view.h"

namespace plainfs {

namespace {

// A file that is listed but cannot be read.
class BrokenFile : public ViewFile {
 public:
  explicit BrokenFile(Error error) : error_(std::move(error)) {}
  uint64_t size() override { throw error_; }
  std::optional<uint64_t> known_size() override { throw error_; }
  Slices read(uint64_t, size_t) override { throw error_; }

 private:
  const Error error_;
};

void offer_unreadable(const FileRow& row, const Node& node, Context&, Files& files) {
  if (const auto* error = std::get_if<Error>(&node.content))
    row.add([error = *error] { return std::make_unique<BrokenFile>(error); }, files);
}

std::unique_ptr<TextSource> csv_of_array(const LabelledArray& array, Context& context) {
  const LabelledArray shown = labelled_values(array);
  const bool is_table = shown.values->dtype().kind == Kind::compound && !shown.values->is_null();
  return is_table ? csv_compounds(shown, context) : csv_array(shown, context);
}

std::unique_ptr<TextSource> csv_of_table(const Table& table, Context& context) {
  const Table shown = context.options.ragged_as_count ? with_counts(table) : table;
  return has_nested_columns(shown) ? csv_nested(shown, context) : csv_table(shown, context);
}

void offer_time_series(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (std::holds_alternative<LabelledArray>(node.content) || std::holds_alternative<Table>(node.content))
    return;
  const TimedGroup* const timed = timed_group(node);
  if (!timed) return;
  row.add(text_opener(context, [series = timed->series(), &context] { return csv_table(series, context); }),
          files);
  files.back().is_never_listed = true;
}

template <bool with_header>
void offer_array_bytes(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (array && has_npy(*array->values))
    row.add([values = array->values, &context] { return npy_file(values, with_header, context); }, files);
}

void offer_mtx_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !array->matrix) return;
  row.add(text_opener(context, [values = array->values, transposed = array->matrix->transposed,
                                &context] { return dense_mtx(values, transposed, context); }),
          files);
}

void offer_ragged(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  const auto* lists = array ? dynamic_cast<const RaggedArray*>(array->values.get()) : nullptr;
  if (lists)
    row.add(text_opener(context,
                        [elements = lists->elements(), &context] { return ragged_tsv(elements, context); }),
            files);
}

// Returns whether a name list is offered: it has the right length, or is damaged, which its file reports. If
// the node cannot be read for now, the right length is unknown.
bool fit(const Array& names, uint64_t length, std::string_view file, const Node& node, Context& context) {
  const uint64_t count = names.count();
  if (count == length) return true;
  try {
    names.check();
  } catch (const Error&) {
    return true;
  }
  if (transient_fault(node)) return true;
  const std::string place = node.parts ? node.parts->path() + ": " : "";
  if (count > 0)
    context.notice(fmt::format("{}{}: {} names for {} are not used", place, file, count, length));
  return false;
}

// The names of a matrix: its rows, with their ids if they have some, and its columns.
struct MatrixNames {
  ArrayPtr row_ids, row_names, column_names;
  uint64_t rows = 0, columns = 0;
};

MatrixNames matrix_names(const Node& node) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&node.content))
    return {sparse->row_ids, sparse->row_names, sparse->column_names, sparse->rows, sparse->columns};
  if (const auto* matrix = std::get_if<CoordinateMatrix>(&node.content))
    return {nullptr, matrix->row_names, matrix->column_names, matrix->rows, matrix->columns};
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !array->matrix) return {};
  const MatrixFiles& matrix = *array->matrix;
  const Shape& shape = array->values->shape();
  const bool is_turned = matrix.transposed != array->values->column_major();
  return {matrix.row_ids, matrix.row_names, matrix.column_names, shape[is_turned], shape[!is_turned]};
}

void offer_row_names(const FileRow& row, const Node& node, Context& context, Files& files) {
  const MatrixNames names = matrix_names(node);
  if (!names.row_names || !fit(*names.row_names, names.rows, row.name, node, context)) return;
  const std::vector<ArrayPtr> fields{names.row_ids ? names.row_ids : names.row_names, names.row_names};
  row.add(text_opener(context, [fields, &context] { return names_tsv(fields, context); }), files);
}

void offer_column_names(const FileRow& row, const Node& node, Context& context, Files& files) {
  const MatrixNames names = matrix_names(node);
  if (!names.column_names || !fit(*names.column_names, names.columns, row.name, node, context)) return;
  row.add(
      text_opener(context, [names = names.column_names, &context] { return names_tsv({names}, context); }),
      files);
}

void offer_samples(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* variants = std::get_if<Variants>(&node.content);
  if (variants && variants->samples)
    row.add(text_opener(context, [variants = *variants] { return sample_lines(variants, kSamplesTsv); }),
            files);
}

// Offers a file of genotypes. One that cannot be generated is unlisted and reports the reason.
template <class Open>
void offer_genotypes(const FileRow& row, const Node& node, Open&& opener_of, Files& files) {
  const auto* variants = std::get_if<Variants>(&node.content);
  if (!variants || !variants->genotype) return;
  const std::optional<Error> refused = refused_genotypes(*variants);
  if (!refused) return row.add(opener_of(*variants), files);
  row.add([error = *refused] { return std::make_shared<BrokenFile>(error); }, files);
  files.back().is_unlisted = true;
}

template <auto make>
void offer_genotype_text(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto opener = [&context](const Variants& variants) {
    return text_opener(context, [variants, &context] { return make(variants, context); });
  };
  offer_genotypes(row, node, opener, files);
}

template <auto make>
void offer_genotype_layout(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto opener = [&context, version = row.version](const Variants& variants) {
    return [variants, &context, version] {
      return layout_file([variants, &context] { return make(variants, context); }, context, version);
    };
  };
  offer_genotypes(row, node, opener, files);
}

template <const SampleLines& lines>
void offer_genotype_samples(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto opener = [&context](const Variants& variants) {
    return text_opener(context, [variants] { return sample_lines(variants, lines); });
  };
  offer_genotypes(row, node, opener, files);
}

void offer_mat(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !has_mat(*array->values)) return;
  row.add(
      [values = array->values, &context] {
        return layout_file([values, &context] { return array_mat(values, context); }, context);
      },
      files);
}

constexpr bool kListed = false, kUnlisted = true;

constexpr FileRow kFiles[] = {
    {"csv", "NAME.csv", offer_text<LabelledArray, csv_of_array>},
    {"csv", "NAME.csv", offer_text<Table, csv_of_table>},
    {"csv", "timeseries.csv", offer_time_series, kUnlisted},
    {"csv", "NAME.csv", offer_unreadable},
    {"csv", "VAR.table.csv", offer_tables_of_variables, kUnlisted},
    {"npy", "NAME.npy", offer_array_bytes<true>},
    {"bin", "NAME.bin", offer_array_bytes<false>},
    {"mtx", "matrix.mtx", offer_text<SparseMatrix, mtx>},
    {"mtx", "matrix.mtx", offer_text<CoordinateMatrix, mtx_coordinates>},
    {"mtx", "matrix.mtx", offer_mtx_of_array},
    {"tsv", "NAME.tsv", offer_ragged},
    {"tsv", "genes.tsv", offer_row_names},
    {"tsv", "barcodes.tsv", offer_column_names},
    {"tsv", "fragments.tsv", offer_text<Fragments, fragments_tsv>},
    {"tsv", "ranges.bed", offer_text<GenomicRanges, bed>},
    {"tsv", "chrom.sizes", offer_text<SequenceLengths, chrom_sizes>},
    {"tsv", "samples.tsv", offer_samples},
    {"json", ".attrs.json", offer_attributes},
    {"vcf", "variants.vcf", offer_text<Variants, variants_vcf>},
    {"nc", "dataset.nc", offer_netcdf_of_dataset, kListed, "netcdf 1"},
    {"nc", "VAR.nc", offer_netcdf_of_variables, kUnlisted, "netcdf 1"},
    {"gz", "10x/matrix.mtx.gz", offer_tenx_matrix},
    {"gz", "10x/features.tsv.gz", offer_tenx_features},
    {"gz", "10x/barcodes.tsv.gz", offer_tenx_barcodes},
    {"bgzf", "fragments.tsv.gz", offer_bgzf},
    {"bgzf", "fragments.tsv.gz.tbi", offer_bgzf_index<IndexKind::tbi>, kListed, "position index 1"},
    {"bgzf", "fragments.tsv.gz.csi", offer_bgzf_index<IndexKind::csi>, kListed, "position index 1"},
    {"bgzf", "variants.vcf.gz", offer_bgzf},
    {"bgzf", "variants.vcf.gz.tbi", offer_bgzf_index<IndexKind::tbi>, kListed, "position index 1"},
    {"bgzf", "variants.vcf.gz.csi", offer_bgzf_index<IndexKind::csi>, kUnlisted, "position index 1"},
    {"plink", "plink.bed", offer_genotype_layout<plink_bed>, kListed, "plink bed 1"},
    {"plink", "plink.bim", offer_genotype_text<plink_bim>},
    {"plink", "plink.fam", offer_genotype_samples<kPlinkFam>},
    {"bgen", "genotypes.bgen", offer_genotype_text<bgen>},
    {"bgen", "genotypes.sample", offer_genotype_samples<kOxfordSample>},
    {"rds", "VAR.table.rds", offer_tables_of_variables, kUnlisted},
    {"rds", "matrix.rds", offer_layout<SparseMatrix, rds_of_matrix>, kListed, "rds 2"},
    {"rds", "matrix.rds", offer_layout<CoordinateMatrix, coordinates_rds>, kListed, "rds 2"},
    {"rds", "NAME.rds", offer_rds_of_table, kListed, "rds 2"},
    {"rds", "NAME.rds", offer_rds_of_array, kListed, "rds 2"},
    {"h5ad", "anndata.h5ad", offer_h5ad_of_matrices, kListed, "h5ad 5"},  // or ASSAY.h5ad
    {"seurat", "seurat.rds", offer_seurat, kListed, "seurat 3"},
    {"h5", "10x/10x.h5", offer_tenx_h5_of_matrix, kListed, "10x h5 2"},
    {"parquet", "VAR.table.parquet", offer_tables_of_variables, kUnlisted},
    {"parquet", "NAME.parquet", offer_parquet_of_table, kUnlisted, "parquet 2"},
    {"parquet", "NAME.parquet", offer_parquet_of_array, kUnlisted, "parquet 2"},
    {"zarr", "anndata.zarr", offer_zarr_of_matrices, kUnlisted},  // or ASSAY.zarr
    {"bpcells", "bpcells", offer_bpcells_of_matrix, kUnlisted},
    {"ome", "NAME.ome.tif", offer_ome_tif},
    {"tif", "NAME.tif", offer_tif, kUnlisted},
    {"png", "preview.png", offer_preview_png},
    {"png", "NAME.png", offer_png_of_array, kUnlisted},
    {"mat", "NAME.mat", offer_mat, kUnlisted},
    {"bw", "coverage.bw", offer_coverage, kUnlisted, "coverage 1"},
    {"bw", "chrom.sizes", offer_chromosomes, kUnlisted},
    {kPartsView, "genes", offer_genes_and_cells, kUnlisted},  // and cells
    {kPartsView, "by", offer_by, kUnlisted},
    {kPartsView, "pseudobulk", offer_pseudobulk, kUnlisted},
    {kPartsView, "VAR", offer_coordinate_parts, kUnlisted},
};

// The rows of a view stand together.
constexpr std::span<const FileRow> rows_of(std::string_view view) {
  const auto is_its = [view](const FileRow& row) { return row.view == view; };
  const auto* const first = std::find_if(std::begin(kFiles), std::end(kFiles), is_its);
  return {first, std::find_if_not(first, std::end(kFiles), is_its)};
}

constexpr View kViews[] = {
    {"csv", rows_of("csv")},
    {"npy", rows_of("npy"), false, true},
    {"bin", rows_of("bin"), true, true},
    {"mtx", rows_of("mtx")},
    {"tsv", rows_of("tsv")},
    {"json", rows_of("json"), false, true},
    {"vcf", rows_of("vcf")},
    {"nc", rows_of("nc")},
    {"gz", rows_of("gz"), true},
    {"bgzf", rows_of("bgzf"), true},
    {"plink", rows_of("plink"), true},
    {"bgen", rows_of("bgen"), true},
    {"rds", rows_of("rds"), true},
    {"h5ad", rows_of("h5ad"), true},
    {"seurat", rows_of("seurat"), true},
    {"h5", rows_of("h5"), true},
    {"parquet", rows_of("parquet"), true},
    {"zarr", rows_of("zarr"), true},
    {"bpcells", rows_of("bpcells"), true},
    {"ome", rows_of("ome"), true, true},
    {"tif", rows_of("tif"), true, true},
    {"png", rows_of("png"), true, true},
    {"mat", rows_of("mat"), true, true},
    {"bw", rows_of("bw"), true},
    {kPartsView, rows_of(kPartsView), true},
};

}  // namespace

std::span<const View> views() {
  return kViews;
}

void FileRow::add(Opener open, Files& files) const {
  constexpr std::string_view kBeside = "NAME", kInTenx = "10x/";
  ViewEntry file{std::string(name), std::move(open), nullptr, is_unlisted};
  file.is_beside = name.starts_with(kBeside);
  if (file.is_beside) file.name.erase(0, kBeside.size());
  if (!name.starts_with(kInTenx)) return files.push_back(std::move(file));
  file.name.erase(0, kInTenx.size());
  add_to_tenx_directory(std::move(file), files);
}

namespace {

class GivenNames : public FoundNames {
 public:
  explicit GivenNames(std::vector<std::string> names) : names_(std::move(names)) {}
  uint64_t count() const override { return names_.size(); }
  std::string at(uint64_t place) const override { return names_[place]; }
  std::optional<uint64_t> place_of(std::string_view name) const override {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<uint64_t>(found - names_.begin());
  }

 private:
  const std::vector<std::string> names_;
};

}  // namespace

FoundNamesPtr found_names(std::vector<std::string> names) {
  return std::make_shared<const GivenNames>(std::move(names));
}

}  // namespace plainfs
