#include "formats/schemas/tenx/run_folder.h"

#include <algorithm>

#include "formats/core/text/path_names.h"

namespace plainfs::tenx {
namespace {

constexpr std::string_view kBinned = "binned_outputs", kSegmented = "segmented_outputs";
constexpr std::string_view kDefaultBin = "square_008um", kFinestBin = "square_002um";
constexpr std::string_view kXeniumMatrix = "cell_feature_matrix";

// The matrices of cells. Those of all barcodes are called raw.
constexpr std::string_view kMatrices[] = {"filtered_feature_bc_matrix", "sample_filtered_feature_bc_matrix",
                                          "filtered_feature_cell_matrix", kXeniumMatrix};
// A folder with a matrix belongs to a run if it has one of these, too.
constexpr std::string_view kWitnesses[] = {"analysis",
                                           "spatial",
                                           "raw_feature_bc_matrix.h5",
                                           "raw_feature_bc_matrix",
                                           "sample_raw_feature_bc_matrix.h5",
                                           "raw_feature_cell_matrix.h5",
                                           "molecule_info.h5",
                                           "sample_molecule_info.h5",
                                           "web_summary.html",
                                           "metrics_summary.csv",
                                           "experiment.xenium",
                                           "cells.csv.gz",
                                           "cells.parquet"};

// A table in text is preferred to the same table in Parquet.
constexpr std::string_view kPositions[] = {"tissue_positions.csv", "tissue_positions_list.csv",
                                           "tissue_positions.parquet"};
constexpr std::string_view kCells[] = {"cells.csv.gz", "cells.csv", "cells.parquet"};

class Finder {
 public:
  explicit Finder(Context& context) : context_(context) {}

  std::optional<RunFolder> find(const std::string& root) const {
    if (exists(joined_path(root, "per_sample_outs"), EntryKind::folder))
      return std::nullopt;  // of several runs
    std::string folder = root;
    std::string matrix = matrix_in(folder);
    if (matrix.empty()) {
      const std::string bin = default_bin(root);
      if (bin.empty()) return std::nullopt;
      folder = joined_path(joined_path(root, kBinned), bin);
      matrix = matrix_in(folder);
    }
    if (matrix.empty() || !has_witness(folder)) return std::nullopt;
    return described(root, folder, matrix);
  }

 private:
  bool exists(const std::string& location, EntryKind kind) const {
    return context_.files.kind_of(location) == kind;
  }
  std::string first_file(const std::string& folder, std::span<const std::string_view> names) const {
    for (const std::string_view name : names)
      if (exists(joined_path(folder, name), EntryKind::file)) return joined_path(folder, name);
    return {};
  }

  std::string matrix_in(const std::string& folder) const {
    for (const std::string_view name : kMatrices)
      if (std::string file = joined_path(folder, name) + ".h5"; exists(file, EntryKind::file)) return file;
    for (const std::string_view name : kMatrices)
      for (const std::string_view text : {"/matrix.mtx.gz", "/matrix.mtx"})
        if (exists(joined_path(folder, name) + std::string(text), EntryKind::file))
          return joined_path(folder, name);
    return {};
  }
  bool has_witness(const std::string& folder) const {
    return std::any_of(std::begin(kWitnesses), std::end(kWitnesses), [&](std::string_view name) {
      return context_.files.kind_of(joined_path(folder, name)) != EntryKind::nothing;
    });
  }

  // Returns the bin of 8 um, or else the finest one, but that of 2 um only if it is alone.
  std::string default_bin(const std::string& root) const {
    std::vector<std::string> bins = bins_in(root, context_);
    if (std::find(bins.begin(), bins.end(), kDefaultBin) != bins.end()) return std::string(kDefaultBin);
    if (bins.size() > 1) std::erase(bins, std::string(kFinestBin));
    return bins.empty() ? std::string() : bins.front();
  }

  RunFolder described(const std::string& root, const std::string& folder, const std::string& matrix) const {
    RunFolder run{RunKind::cell_ranger, root, folder, matrix, {}, {}};
    if (last_name(matrix).starts_with(kXeniumMatrix)) {
      run.kind = RunKind::xenium;
      run.positions = first_file(folder, kCells);
      return run;
    }
    const std::string spatial = joined_path(folder, "spatial");
    if (!exists(spatial, EntryKind::folder)) return run;
    run.kind = RunKind::visium;
    run.spatial.push_back(spatial);
    run.positions = first_file(spatial, kPositions);
    const std::string above = folder_of_path(folder);
    const bool is_bin = last_name(above) == kBinned;
    if (!is_bin && last_name(folder) != kSegmented) return run;
    run.kind = RunKind::visium_hd;
    run.spatial.push_back(joined_path(is_bin ? folder_of_path(above) : above, "spatial"));
    if (!is_bin)
      run.positions = first_file(folder, std::array{std::string_view("cell_segmentations.geojson")});
    return run;
  }

  Context& context_;
};

}  // namespace

std::string_view name_of(RunKind kind) {
  switch (kind) {
    case RunKind::cell_ranger:
      return "Cell Ranger";
    case RunKind::visium:
      return "Visium";
    case RunKind::visium_hd:
      return "Visium HD";
    case RunKind::xenium:
      return "Xenium";
  }
  return {};
}

std::optional<RunFolder> run_folder(const std::string& folder, Context& context) {
  return Finder(context).find(folder);
}

std::vector<std::string> bins_in(const std::string& folder, Context& context) {
  std::vector<std::string> names;
  const std::string binned = fmt::format("{}/{}", folder, kBinned);
  if (context.files.kind_of(binned) != EntryKind::folder) return names;
  for (const Entry& entry : context.files.open_folder(binned)->list(""))
    if (entry.kind == EntryKind::folder && entry.name.starts_with("square_")) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace plainfs::tenx
