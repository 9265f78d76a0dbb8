// Which part of an AnnData or MuData a group is, and what that says of the matrices and tables in it.
#pragma once

#include <string_view>

#include "formats/schemas/anndata/sides.h"

namespace plainfs::anndata {

enum class Section {
  anndata,  // the root of one
  layers,
  obsm,
  varm,
  obsp,
  varp,
  raw,
  raw_varm,
  mudata,       // the root of one
  mudata_obsm,  // its own obsm, where members named as a modality are masks
  mudata_varm,
  frame,    // the members of a data frame
  uns,      // what is kept besides
  spatial,  // in it: slides
  slide,    // of a tissue: images and scale factors
  plain,    // everything else
};

// The sides of the rows and columns of a matrix as it is stored. An expression matrix (X, layers, raw/X) is
// shown to 10x's readers turned round: genes in rows.
struct Axes {
  Side rows = Side::none;
  Side columns = Side::none;
  bool is_expression = false;
};

// Of the member called name of a group that is that section.
Axes axes_in(Section section, std::string_view name);
// Of a group in it that has no meaning of its own.
Section section_in(Section section, std::string_view name);

}  // namespace plainfs::anndata
