// The parts of a store that become assays of a Seurat object or modalities of a MuData: alternative
// experiments, and features of several types.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

inline constexpr const char kGeneExpression[] = "Gene Expression";

// Returns the name of the assay of a directory with one matrix. A modality of a MuData keeps its name, and an
// experiment may have one.
std::string assay_name(const Node& directory);

struct AlternativeExperiment {
  std::string name;
  FoundAnnotatedMatrix matrix;
  std::string path;  // in the store
};

// Returns the alternative experiments of an experiment, in the store's order. takane numbers them, and links
// name them.
std::vector<AlternativeExperiment> alternative_experiments(const Node& directory, Context& context);

// Returns the features of each type in the column feature_types, gene expression first. Empty without that
// column, and if it has more types than a matrix of 10x can have. Reads the column.
std::vector<std::pair<std::string, Indices>> features_by_type(const Table& var);

}  // namespace plainfs::annotated
