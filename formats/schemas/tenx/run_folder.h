// The folders of runs of 10x's programs: the outputs of Cell Ranger, Space Ranger (Visium, Visium HD) and
// Xenium. A run is recognised by its files, not by its name. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"

namespace plainfs::tenx {

enum class RunKind { cell_ranger, visium, visium_hd, xenium };

// Returns "Cell Ranger", "Visium", "Visium HD" or "Xenium".
std::string_view name_of(RunKind kind);

// The locations of the parts of a run.
struct RunFolder {
  RunKind kind;
  std::string root;       // the folder itself
  std::string folder;     // with the matrix: the root, or the default bin of a Visium HD run
  std::string matrix;     // the .h5, or the folder with MatrixMarket
  std::string positions;  // the table of the spots, bins or cells; empty = none
  // The folders that may hold scale factors and pictures, the preferred one first.
  std::vector<std::string> spatial;
};

// Returns the run that has its outputs in a folder; nullopt for any other folder. Looks for a few names and
// reads nothing. Throws what looking throws.
std::optional<RunFolder> run_folder(const std::string& folder, Context& context);

// Returns the names of the bins of a Visium HD run, "square_002um", sorted; empty for any other folder.
std::vector<std::string> bins_in(const std::string& folder, Context& context);

}  // namespace plainfs::tenx
