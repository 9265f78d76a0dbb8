// Annotated matrices of a store as the modalities of a MuData: of a MuData itself, the assays of a Seurat
// object, an experiment with alternative experiments, and a matrix with features of several types.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct MuDataParts {
  struct Modality {
    std::string name;
    AnnotatedMatrix matrix;
    // For each row of obs (cells) or var (genes) of the whole: 1 + its row in the matrix, or 0 if the matrix
    // does not have it. Integers, which are checked when they are read.
    ArrayPtr cells, genes;
  };
  std::vector<Modality> modalities;  // not empty, the main one first
  AnnotatedMatrix common;            // of the whole, without X
  int64_t axis = 0;                  // 0: the modalities share cells, 1: genes, -1: both
};

struct FoundMuData {
  std::function<MuDataParts()> make;
  // False if that depends on the data; make() throws unsupported if there is one modality.
  bool are_several = true;
};

// Returns the modalities of a refined directory; nullopt if it has one matrix or none. Reads no data.
std::optional<FoundMuData> find_mudata(const Node& directory, Context& context);

}  // namespace plainfs
