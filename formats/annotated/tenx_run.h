// The tissue of a 10x run: pictures and scale factors beside the matrix.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/schemas/tenx/run_folder.h"

namespace plainfs::annotated {

inline constexpr const char kFactors[] = "scalefactors_json.json", kHires[] = "tissue_hires_image.png",
                            kLowres[] = "tissue_lowres_image.png";

// The files that describe a slide.
struct RunTissue {
  std::string name;     // of the library
  std::string factors;  // location; empty = none
  // Locations of a picture, the preferred one first. Not all of them need be pictures: the files of a bin may
  // be links that a copy has lost.
  std::vector<std::string> hires, lowres;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Returns the files of the tissue of a run. Looks for them and reads nothing.
RunTissue tissue_of(const tenx::RunFolder& run, Context& context);

// Returns the pictures and the scale factors in squidpy's layout. Reads the factors.
SlidePictures run_pictures(const RunTissue& tissue, Context& context);
// Returns the slide as Seurat's Load10X_Spatial makes it. spatial: x and y of each cell. Reads everything but
// the pictures.
std::vector<Slide> run_slides(const RunTissue& tissue, const LabelledArray& spatial, const Table& obs,
                              Context& context);

}  // namespace plainfs::annotated
