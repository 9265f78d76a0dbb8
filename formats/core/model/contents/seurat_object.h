// A Seurat object of version 4 as R holds it, independent of the store of its parts.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "formats/core/model/contents/slide.h"
#include "formats/core/model/node.h"

namespace plainfs {

// A dense matrix as R stores it, column by column: the shape of `values` is columns, rows. Null = the empty
// matrix.
struct ColumnsOf {
  ArrayPtr values;
};

// Rows are features and columns cells, as in R; monostate = the empty matrix.
using SeuratMatrix = std::variant<std::monostate, SparseMatrix, ColumnsOf>;

namespace rds {
struct Value;
}
class TakenParts;  // formats/annotated/left_out.h

// A list of R with members of any kind: R's own value, or members with their meaning.
struct RList {
  std::shared_ptr<const rds::Value> stored{};
  std::vector<Member> members{};
};

struct SeuratObject {
  struct Assay {
    std::string name;
    std::string key;    // "rna_"
    ArrayPtr features;  // text, one per row of data
    SeuratMatrix counts;
    SeuratMatrix data;
    bool has_own_data = true;     // if false, data is counts
    ColumnsOf scaled;             // scale.data
    ArrayPtr scaled_features;     // of its rows
    ArrayPtr variable_features;   // text; null = none
    std::vector<Column> columns;  // of meta.features, each as long as features
    RList misc{};
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
    RList misc{};
    std::shared_ptr<const rds::Value> jackstraw{};  // null = none
  };
  struct Graph {
    std::string name;
    std::string assay;  // assay.used
    SparseMatrix matrix;
  };

  ArrayPtr cells;  // text, without duplicates
  std::vector<Assay> assays;
  std::string active_assay;
  std::string project;
  std::vector<Column> meta_data;  // each as long as cells
  ArrayPtr identities;            // a factor of the cells (formats/core/model/arrays/derived_array.h)
  std::vector<Graph> graphs;
  std::vector<Reduction> reductions;
  std::vector<Slide> images;  // each has pixels
  RList misc{}, tools{}, neighbors{};
  RList commands{};                     // each member has the slots of a SeuratCommand
  std::shared_ptr<TakenParts> taken{};  // the parts of the store that the object has; null = unknown
};

}  // namespace plainfs
