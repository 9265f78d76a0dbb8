// The parts of an AnnData or MuData, and what they imply for the matrices and tables in them.
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
  mudata_obsm,  // its own obsm, in which members named like a modality are masks
  mudata_varm,
  frame,    // the members of a data frame
  uns,      // unstructured data
  spatial,  // in uns: slides
  slide,    // one slide of a tissue: images and scale factors
  plain,    // everything else
};

// The sides of the rows and columns of a matrix as it is stored. An expression matrix (X, layers, raw/X) is
// transposed for 10x's readers: genes in rows.
struct Axes {
  Side rows = Side::none;
  Side columns = Side::none;
  bool is_expression = false;
};

// Returns the sides of the member called name in a group of that section.
Axes axes_in(Section section, std::string_view name);
// Returns the section of the group called name in a group of section, if it has no meaning of its own.
Section section_in(Section section, std::string_view name);

}  // namespace plainfs::anndata
