#include "fs/views/view.h"

#include <algorithm>

#include "fs/views/anndata/anndata_files.h"
#include "fs/views/array/array_files.h"
#include "fs/views/attrs_json.h"
#include "fs/views/cf/cf_files.h"
#include "fs/views/file_forms.h"
#include "fs/views/file_rows.h"
#include "fs/views/genomics/genomic_files.h"
#include "fs/views/images/image_files.h"
#include "fs/views/loom/loom_files.h"
#include "fs/views/matrix/matrix_files.h"
#include "fs/views/matrix/mtx_lines.h"
#include "fs/views/parquet/parquet_files.h"
#include "fs/views/parts/part_files.h"
#include "fs/views/r/r_files.h"
#include "fs/views/r/rds.h"
#include "fs/views/table/table_files.h"
#include "fs/views/variants/variant_files.h"
#include "fs/views/xlsx/xlsx_files.h"

namespace plainfs {

namespace {

constexpr bool kListed = false, kUnlisted = true;

// The rows of a view stand together, those that users ask for most before others.
constexpr FileRow kFiles[] = {
    {"h5ad", "anndata.h5ad", forms::kH5ad, offer_h5ad_of_matrices, kListed, "h5ad 7"},  // or ASSAY.h5ad
    {"seurat", "seurat.rds", forms::kSeurat, offer_seurat, kListed, "seurat 5"},
    {"h5mu", "mudata.h5mu", forms::kH5mu, offer_h5mu, kListed, "h5mu 1"},
    {"h5mu", "mudata.h5mu", forms::kH5muOfTypes, offer_h5mu_of_types, kUnlisted, "h5mu 1"},
    {"zarr", "anndata.zarr", forms::kAnnDataZarr, offer_zarr_of_matrices, kUnlisted},  // or ASSAY.zarr
    {"nc", "dataset.nc", forms::kDataset, offer_netcdf_of_dataset, kListed, "netcdf 2"},
    {"nc", "VAR.nc", forms::kVariable, offer_netcdf_of_variables, kUnlisted, "netcdf 2"},
    {"h5", "10x/10x.h5", forms::kTenxH5, offer_tenx_h5_of_matrix, kListed, "10x h5 2"},
    {"loom", "anndata.loom", forms::kLoom, offer_loom_of_matrices, kUnlisted, "loom 2"},  // or ASSAY.loom
    {"bgzf", "variants.vcf.gz", forms::kVariantsGz, offer_bgzf},
    {"bgzf", "variants.vcf.gz.tbi", forms::kTbi, offer_bgzf_index<IndexKind::tbi>, kListed,
     "position index 1"},
    {"bgzf", "variants.vcf.gz.csi", forms::kCsi, offer_bgzf_index<IndexKind::csi>, kUnlisted,
     "position index 1"},
    {"bgzf", "fragments.tsv.gz", forms::kFragmentsGz, offer_bgzf},
    {"bgzf", "fragments.tsv.gz.tbi", forms::kTbi, offer_bgzf_index<IndexKind::tbi>, kListed,
     "position index 1"},
    {"bgzf", "fragments.tsv.gz.csi", forms::kCsi, offer_bgzf_index<IndexKind::csi>, kListed,
     "position index 1"},
    {"vcf", "variants.vcf", forms::kVariants, offer_text<Variants, variants_vcf>},
    {"plink", "plink.bed", forms::kPlinkBed, offer_plink_bed, kListed, "plink bed 1"},
    {"plink", "plink.bim", forms::kBim, offer_plink_bim},
    {"plink", "plink.fam", forms::kFam, offer_plink_fam},
    {"bgen", "genotypes.bgen", forms::kBgen, offer_bgen},
    {"bgen", "genotypes.sample", forms::kSample, offer_bgen_samples},
    {"ome", "NAME.ome.tif", forms::kOmeTiff, offer_ome_tif},
    {"tsv", "fragments.tsv", forms::kFragments, offer_text<Fragments, fragments_tsv>},
    {"tsv", "NAME.tsv", forms::kTsv, offer_ragged},
    {"tsv", "genes.tsv", forms::kNamesTsv, offer_row_names},
    {"tsv", "barcodes.tsv", forms::kNamesTsv, offer_column_names},
    {"tsv", "ranges.bed", forms::kRanges, offer_text<GenomicRanges, bed>},
    {"tsv", "chrom.sizes", forms::kSizes, offer_text<SequenceLengths, chrom_sizes>},
    {"tsv", "samples.tsv", forms::kTsv, offer_samples},
    {"mtx", "matrix.mtx", forms::kMtx, offer_text<SparseMatrix, mtx>},
    {"mtx", "matrix.mtx", forms::kMtx, offer_text<CoordinateMatrix, mtx_coordinates>},
    {"mtx", "matrix.mtx", forms::kMtx, offer_mtx_of_array},
    {"rds", "VAR.table.rds", forms::kTableRds, offer_tables_of_variables, kUnlisted},
    {"rds", "matrix.rds", forms::kMatrixRds, offer_rds_of_sparse, kListed, "rds 2"},
    {"rds", "matrix.rds", forms::kMatrixRds, offer_rds_of_coordinates, kListed, "rds 2"},
    {"rds", "NAME.rds", forms::kTableRds, offer_rds_of_table, kListed, "rds 3"},
    {"rds", "NAME.rds", forms::kArrayRds, offer_rds_of_array, kListed, "rds 3"},
    {"csv", "NAME.csv", forms::kArrayCsv, offer_csv_of_array},
    {"csv", "NAME.csv", forms::kTableCsv, offer_text<Table, csv_of_table>},
    {"csv", "timeseries.csv", forms::kTableCsv, offer_time_series, kUnlisted},
    {"csv", "NAME.csv", forms::kArrayCsv, offer_unreadable},
    {"csv", "VAR.table.csv", forms::kTableCsv, offer_tables_of_variables, kUnlisted},
    {"csv", "matrix.csv", forms::kMatrixCsv, offer_csv_of_matrix, kUnlisted},
    {"parquet", "VAR.table.parquet", forms::kTableParquet, offer_tables_of_variables, kUnlisted},
    {"parquet", "NAME.parquet", forms::kTableParquet, offer_parquet_of_table, kUnlisted, "parquet 3"},
    {"parquet", "NAME.parquet", forms::kTableParquet, offer_parquet_of_array, kUnlisted, "parquet 3"},
    {"xlsx", "workbook.xlsx", forms::kWorkbook, offer_workbook_of_matrices, kUnlisted,
     "xlsx 2"},  // or ASSAY.xlsx
    {"xlsx", "VAR.table.xlsx", forms::kTableXlsx, offer_tables_of_variables, kUnlisted},
    {"xlsx", "NAME.xlsx", forms::kTableXlsx, offer_xlsx_of_table, kUnlisted, "xlsx 1"},
    {"xlsx", "NAME.xlsx", forms::kTableXlsx, offer_xlsx_of_array, kUnlisted, "xlsx 1"},
    {"npy", "NAME.npy", forms::kNpy, offer_array_bytes<true>},
    {"bin", "NAME.bin", forms::kBin, offer_array_bytes<false>},
    {"mat", "NAME.mat", forms::kMat, offer_mat, kUnlisted},
    {"gz", "10x/matrix.mtx.gz", forms::kGz, offer_tenx_matrix},
    {"gz", "10x/features.tsv.gz", forms::kGz, offer_tenx_features},
    {"gz", "10x/barcodes.tsv.gz", forms::kGz, offer_tenx_barcodes},
    {"json", ".attrs.json", forms::kJson, offer_attributes},
    {"bpcells", "bpcells", forms::kBpcells, offer_bpcells_of_matrix, kUnlisted},
    {"tif", "NAME.tif", forms::kTiff, offer_tif, kUnlisted},
    {"png", "preview.png", forms::kPreview, offer_preview_png},
    {"png", "NAME.png", forms::kPng, offer_png_of_array, kUnlisted},
    {"bw", "coverage.bw", forms::kBigWig, offer_coverage, kUnlisted, "coverage 1"},
    {"bw", "chrom.sizes", forms::kSizes, offer_chromosomes, kUnlisted},
    {kPartsView, "genes", forms::kGenes, offer_genes, kUnlisted},
    {kPartsView, "cells", forms::kCells, offer_cells, kUnlisted},
    {kPartsView, "by", forms::kBy, offer_by, kUnlisted},
    {kPartsView, "pseudobulk", forms::kPseudobulk, offer_pseudobulk, kUnlisted},
    {kPartsView, "VAR", forms::kPlaces, offer_coordinate_parts, kUnlisted},
};

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
    {"h5mu", rows_of("h5mu"), true},
    {"h5", rows_of("h5"), true},
    {"loom", rows_of("loom"), true},
    {"parquet", rows_of("parquet"), true},
    {"xlsx", rows_of("xlsx"), true},
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

std::span<const FileRow> file_rows() {
  return kFiles;
}

std::string_view file_name(const FileForm& form) {
  const auto is_its = [&](const FileRow& row) { return &row.form == &form; };
  return std::find_if(std::begin(kFiles), std::end(kFiles), is_its)->name;
}

const std::vector<const FileForm*>& exported_forms() {
  static const std::vector<const FileForm*> forms = [] {
    std::vector<const FileForm*> found;
    for (const FileRow& row : kFiles) {
      const auto has_its_ending = [&](const FileForm* form) { return form->ending == row.form.ending; };
      if (!row.form.is_exported() || std::any_of(found.begin(), found.end(), has_its_ending)) continue;
      found.push_back(&row.form);
      if (row.form.archive) found.push_back(row.form.archive);
    }
    return found;
  }();
  return forms;
}

std::string_view media_type_of_view(std::string_view name) {
  const FileForm* found = nullptr;
  for (const FileRow& row : kFiles)
    if (name.ends_with(row.form.ending) && (!found || found->ending.size() <= row.form.ending.size()))
      found = &row.form;
  return found && !found->ending.empty() ? found->media : std::string_view();
}

ViewEntry FileRow::entry(std::string other_name) const {
  ViewEntry entry{std::move(other_name)};
  entry.is_unlisted = is_unlisted;
  entry.identity.row = this;
  return entry;
}

void FileRow::add(Opener open, Files& files) const {
  constexpr std::string_view kBeside = "NAME", kInTenx = "10x/";
  ViewEntry file = entry(std::string(name));
  file.open = std::move(open);
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
