// A Seurat object of version 4 as R has it, whatever store its parts are in.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "formats/core/model/node.h"
#include "formats/core/model/slide.h"

namespace plainfs {

// A dense matrix as R keeps it, one column after the other: values' shape is columns, rows. Null = the empty
// matrix.
struct ColumnsOf {
  ArrayPtr values;
};

// In R rows are features and columns cells; monostate = the empty matrix.
using SeuratMatrix = std::variant<std::monostate, SparseMatrix, ColumnsOf>;

struct SeuratObject {
  struct Assay {
    std::string name;
    std::string key;    // "rna_"
    ArrayPtr features;  // text, as many as data has rows
    SeuratMatrix counts;
    SeuratMatrix data;
    bool has_own_data = true;     // else data is counts
    ColumnsOf scaled;             // scale.data
    ArrayPtr scaled_features;     // of its rows
    ArrayPtr variable_features;   // text; null = none
    std::vector<Column> columns;  // of meta.features, each as long as features
  };
  struct Reduction {
    std::string name;
    std::string key;    // "PC_"
    std::string assay;  // assay.used
    ColumnsOf embeddings;
    ColumnsOf loadings;
    ArrayPtr features;  // of the rows of loadings
    ColumnsOf projected;
    ArrayPtr projected_features;
    bool is_global = false;
    ArrayPtr stdev;  // null = none
  };
  struct Graph {
    std::string name;
    std::string assay;  // assay.used
    SparseMatrix matrix;
  };

  ArrayPtr cells;  // text, no two alike
  std::vector<Assay> assays;
  std::string active_assay;
  std::string project;
  std::vector<Column> meta_data;  // each as long as cells
  ArrayPtr identities;            // a factor of the cells (formats/core/model/derived_array.h)
  std::vector<Graph> graphs;
  std::vector<Reduction> reductions;
  std::vector<Slide> images;  // each has pixels
};

}  // namespace plainfs
