#include <algorithm>
#include <array>

#include "formats/core/base/error.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/model/node.h"
#include "formats/core/model/transient_fault.h"
#include "fs/native/byte_layout.h"
#include "fs/native/files.h"
#include "fs/text/text_file.h"
#include "fs/views/csv_nested.h"
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

// Returns an opener for the text file of make(), shared by all users: files with the same text in another
// framing share its measurement.
template <class Make>
Opener text_opener(Context& context, Make make) {
  return shared_opener([&context, make] { return std::make_shared<TextFile>(make(), context); });
}

void offer_csv(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  if (const auto* array = std::get_if<LabelledArray>(&node.content)) {
    files.push_back(beside(".csv", text_opener(context, [array = *array, &context] {
                             const LabelledArray shown = as_meant(array);
                             const bool table =
                                 shown.values->dtype().kind == Kind::compound && !shown.values->is_null();
                             return table ? csv_compounds(shown, context) : csv_array(shown, context);
                           })));
  } else if (const auto* table = std::get_if<Table>(&node.content)) {
    files.push_back(
        beside(".csv", text_opener(context, [stored = *table, &context] {
                 const Table shown = context.options.ragged_as_count ? with_counts(stored) : stored;
                 return has_nested_columns(shown) ? csv_nested(shown, context) : csv_table(shown, context);
               })));
  } else if (const TimedGroup* const timed = timed_group(node)) {
    files.push_back({"timeseries.csv", text_opener(context, [series = timed->series(), &context] {
                       return csv_table(series, context);
                     })});
    files.back().found_by_name = files.back().never_listed = true;
  } else if (const auto* error = std::get_if<Error>(&node.content)) {
    files.push_back(beside(".csv", [error = *error] { return std::make_unique<BrokenFile>(error); }));
  } else {
    offer_tables_of_variables(node, offer_csv, context, files);
  }
}

void offer_array_bytes(const Node& node, Context& context, bool with_header, std::vector<ViewEntry>& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !has_npy(*array->values)) return;
  files.push_back(beside(with_header ? ".npy" : ".bin", [values = array->values, with_header, &context] {
    return npy_file(values, with_header, context);
  }));
}

void offer_npy(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  offer_array_bytes(node, context, true, files);
}

void offer_bin(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  offer_array_bytes(node, context, false, files);
}

void offer_mtx(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content)) {
    files.push_back(
        {"matrix.mtx", text_opener(context, [matrix = *matrix, &context] { return mtx(matrix, context); })});
  } else if (const auto* coordinates = std::get_if<CoordinateMatrix>(&node.content)) {
    files.push_back({"matrix.mtx", text_opener(context, [matrix = *coordinates, &context] {
                       return mtx_coordinates(matrix, context);
                     })});
  } else if (const auto* array = std::get_if<LabelledArray>(&node.content); array && array->matrix) {
    files.push_back(
        {"matrix.mtx", text_opener(context, [values = array->values, transposed = array->matrix->transposed,
                                             &context] { return dense_mtx(values, transposed, context); })});
  }
}

// Returns whether a name list is offered: it has the right length, or is damaged, which its file reports. If
// the node cannot be read for now, the right length is unknown.
bool fit(const Array& names, uint64_t length, const char* file, const Node& node, Context& context) {
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

// The names of a matrix: its rows with their ids, and its columns.
struct MatrixNames {
  const ArrayPtr& row_ids;
  const ArrayPtr& row_names;
  const ArrayPtr& column_names;
  uint64_t rows;
  uint64_t columns;
};

void offer_names(const MatrixNames& names, const Node& node, Context& context,
                 std::vector<ViewEntry>& files) {
  const auto offer = [&](const char* file, std::vector<ArrayPtr> fields) {
    files.push_back({file, text_opener(context, [fields = std::move(fields), &context] {
                       return names_tsv(fields, context);
                     })});
  };
  if (names.row_names && fit(*names.row_names, names.rows, "genes.tsv", node, context))
    offer("genes.tsv", {names.row_ids ? names.row_ids : names.row_names, names.row_names});
  if (names.column_names && fit(*names.column_names, names.columns, "barcodes.tsv", node, context))
    offer("barcodes.tsv", {names.column_names});
}

const RaggedArray* ragged_array(const Node& node) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  return array ? dynamic_cast<const RaggedArray*>(array->values.get()) : nullptr;
}

void offer_tsv(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  if (const RaggedArray* ragged = ragged_array(node))
    files.push_back(beside(".tsv", text_opener(context, [elements = ragged->elements(), &context] {
                             return ragged_tsv(elements, context);
                           })));
  if (const auto* sparse = std::get_if<SparseMatrix>(&node.content)) {
    offer_names({sparse->row_ids, sparse->row_names, sparse->column_names, sparse->rows, sparse->columns},
                node, context, files);
  } else if (const auto* coordinates = std::get_if<CoordinateMatrix>(&node.content)) {
    offer_names(
        {nullptr, coordinates->row_names, coordinates->column_names, coordinates->rows, coordinates->columns},
        node, context, files);
  } else if (const auto* array = std::get_if<LabelledArray>(&node.content); array && array->matrix) {
    const MatrixFiles& matrix = *array->matrix;
    const Shape& shape = array->values->shape();
    const bool turned = matrix.transposed != array->values->column_major();
    offer_names({matrix.row_ids, matrix.row_names, matrix.column_names, shape[turned], shape[!turned]}, node,
                context, files);
  } else if (const auto* fragments = std::get_if<Fragments>(&node.content)) {
    files.push_back({"fragments.tsv", text_opener(context, [fragments = *fragments, &context] {
                       return fragments_tsv(fragments, context);
                     })});
  } else if (const auto* ranges = std::get_if<GenomicRanges>(&node.content)) {
    files.push_back(
        {"ranges.bed", text_opener(context, [ranges = *ranges, &context] { return bed(ranges, context); })});
  } else if (const auto* sequences = std::get_if<SequenceLengths>(&node.content)) {
    files.push_back({"chrom.sizes", text_opener(context, [sequences = *sequences, &context] {
                       return chrom_sizes(sequences, context);
                     })});
  } else if (const auto* variants = std::get_if<Variants>(&node.content); variants && variants->samples) {
    files.push_back({"samples.tsv", text_opener(context, [variants = *variants] {
                       return sample_lines(variants, kSamplesTsv);
                     })});
  }
}

void offer_parts(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  offer_matrix_parts(node, context, files);
  offer_by(node, context, files);
  offer_pseudobulk(node, context, files);
  offer_coordinate_parts(node, context, files);
}

void offer_vcf(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  const auto* variants = std::get_if<Variants>(&node.content);
  if (!variants) return;
  files.push_back({"variants.vcf", text_opener(context, [variants = *variants, &context] {
                     return variants_vcf(variants, context);
                   })});
}

// Offers a file of genotypes. One that cannot be generated is unlisted and reports the reason.
void offer_genotypes(const Variants& variants, const char* name, Opener open, std::vector<ViewEntry>& files) {
  const std::optional<Error> refused = refused_genotypes(variants);
  if (refused) open = [error = *refused] { return std::make_shared<BrokenFile>(error); };
  files.push_back({name, std::move(open), {}, refused.has_value()});
}

void offer_plink(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  const auto* found = std::get_if<Variants>(&node.content);
  if (!found || !found->genotype) return;
  const auto offer = [&](const char* name, Opener open) {
    offer_genotypes(*found, name, std::move(open), files);
  };
  offer("plink.bed", [variants = *found, &context] {
    return layout_file([variants, &context] { return plink_bed(variants, context); }, context, "plink bed 1");
  });
  offer("plink.bim",
        text_opener(context, [variants = *found, &context] { return plink_bim(variants, context); }));
  offer("plink.fam", text_opener(context, [variants = *found] { return sample_lines(variants, kPlinkFam); }));
}

void offer_bgen(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  const auto* found = std::get_if<Variants>(&node.content);
  if (!found || !found->genotype) return;
  offer_genotypes(*found, "genotypes.bgen",
                  text_opener(context, [variants = *found, &context] { return bgen(variants, context); }),
                  files);
  offer_genotypes(*found, "genotypes.sample",
                  text_opener(context, [variants = *found] { return sample_lines(variants, kOxfordSample); }),
                  files);
}

void offer_mat(const Node& node, Context& context, std::vector<ViewEntry>& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !has_mat(*array->values)) return;
  files.push_back(beside(
      ".mat",
      [values = array->values, &context] {
        return layout_file([values, &context] { return array_mat(values, context); }, context);
      },
      true));
}

constexpr std::array<View, 25> kViews = {{
    {"csv", offer_csv},
    {"npy", offer_npy, false, true},
    {"bin", offer_bin, true, true},
    {"mtx", offer_mtx},
    {"tsv", offer_tsv},
    {"json", offer_attrs_json, false, true},
    {"vcf", offer_vcf},
    {"nc", offer_nc},
    {"gz", offer_gz, true},
    {"bgzf", offer_bgzf, true},
    {"plink", offer_plink, true},
    {"bgen", offer_bgen, true},
    {"rds", offer_rds, true},
    {"h5ad", offer_h5ad, true},
    {"seurat", offer_seurat, true},
    {"h5", offer_h5, true},
    {"parquet", offer_parquet, true},
    {"zarr", offer_zarr, true},
    {"bpcells", offer_bpcells, true},
    {"ome", offer_ome, true, true},
    {"tif", offer_tif, true, true},
    {"png", offer_png, true, true},
    {"mat", offer_mat, true, true},
    {"bw", offer_bw, true},
    {kPartsView, offer_parts, true},
}};

}  // namespace

std::span<const View> views() {
  return kViews;
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
