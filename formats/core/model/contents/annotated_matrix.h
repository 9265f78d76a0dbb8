// A matrix of cells by genes with the annotations of its cells and genes: the common content of AnnData, a
// Seurat assay, a 10x matrix and a loom file, in any format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/contents/slide.h"
#include "formats/core/model/node.h"

namespace plainfs {

struct AnnotatedPart {
  std::string name;
  // LabelledArray, Table or SparseMatrix; its first dimension is the cells or the genes. Monostate if only
  // `stored` is set.
  Content content;
  // An element of AnnData that no content describes, as its container returns it.
  std::optional<Node> stored{};
  // The name in directories if the store has another than AnnData, which is `name`; else empty.
  std::string name_in_store{};
};

class Origins;  // formats/annotated/left_out.h
using OriginsPtr = std::shared_ptr<const Origins>;

struct AnnotatedMatrix {
  uint64_t cells = 0;
  uint64_t genes = 0;
  std::string x_name;  // the name of the assay that is X; empty if it has no other name
  Content x;           // SparseMatrix or LabelledArray, cells in rows; monostate = none
  Table obs;           // one row per cell, named by the cells
  // The column of obs with the cell names, for formats that store them in a column.
  std::string obs_names;
  Table var;                          // one row per gene
  std::vector<AnnotatedPart> layers;  // like x
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
  // True for a format in which an integer or boolean of a matrix may be missing.
  bool marks_missing = false;
  // Returns the slides that the cells lie on. Reads names and coordinates. Null = none.
  std::function<std::vector<Slide>()> slides = nullptr;
  // Returns the pictures of uns/spatial. Reads names, factors and coordinates. Null = none.
  std::function<std::vector<SlidePictures>()> pictures = nullptr;
  // Unstructured data: values, and groups of values within groups.
  std::vector<Member> uns{};
  // These members of an AnnData as its container returns them, in AnnData's own encodings.
  std::vector<Member> stored_uns{};
  // The parts of the store from which the parts above were made; null = unknown.
  OriginsPtr origins{};
};

// Annotated matrices of the same cells, with the annotations that these cells have in common.
struct JointMatrices {
  struct Part {
    std::string name;  // for example "RNA"
    AnnotatedMatrix matrix;
  };
  std::vector<Part> parts;  // not empty
  Table obs;
  std::vector<AnnotatedPart> obsm;
  std::vector<AnnotatedPart> obsp;
  std::vector<Member> uns{};
  OriginsPtr origins{};  // of obs, obsm, obsp and uns, if they belong to no part
  // The first part is an experiment, and the others are its alternative experiments.
  bool is_experiment = false;
};

}  // namespace plainfs
