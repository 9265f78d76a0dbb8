// A matrix of cells by genes with all that is said of its cells and genes: what AnnData, a Seurat assay, a
// 10x matrix and a loom file have in common, whatever format they are in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/node.h"
#include "formats/core/model/slide.h"

namespace plainfs {

struct AnnotatedPart {
  std::string name;
  // LabelledArray, Table or SparseMatrix; its first dimension is the cells' or the genes'.
  Content content;
};

struct AnnotatedMatrix {
  uint64_t cells = 0;
  uint64_t genes = 0;
  std::string x_name;     // of an assay that is X; empty = X is what it is called
  Content x;              // SparseMatrix or LabelledArray, cells in rows; monostate = none
  Table obs;              // of the cells; its row names are theirs
  std::string obs_names;  // the column of obs that these are, of a format that has them among them
  Table var;              // of the genes
  std::vector<AnnotatedPart> layers;  // as x
  std::vector<AnnotatedPart> obsm;
  std::vector<AnnotatedPart> varm;
  std::vector<AnnotatedPart> obsp;
  std::vector<AnnotatedPart> varp;
  struct Raw {
    Content x;  // of the same cells
    Table var;
    std::vector<AnnotatedPart> varm;
  };
  std::optional<Raw> raw;
  // Of a format in which a whole number or truth value of a matrix may be missing.
  bool marks_missing = false;
  // Returns the slides that the cells lie on; reads names and coordinates. Null = none.
  std::function<std::vector<Slide>()> slides = nullptr;
};

// Annotated matrices of the same cells, and what is said of these beside them.
struct JointMatrices {
  struct Part {
    std::string name;  // "RNA"
    AnnotatedMatrix matrix;
  };
  std::vector<Part> parts;  // not empty
  Table obs;
  std::vector<AnnotatedPart> obsm;
  std::vector<AnnotatedPart> obsp;
};

}  // namespace plainfs
