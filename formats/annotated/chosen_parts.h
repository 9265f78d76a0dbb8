// An annotated matrix with the parts that an export asks for: ReadOptions::x_layer and ::without.
#pragma once

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs::annotated {

// Returns the matrix with the chosen layer as X, X among the layers in its place, and without the parts
// to leave out. Throws unsupported if there is no such layer or part.
AnnotatedMatrix chosen_parts(AnnotatedMatrix matrix, const ReadOptions& options);

}  // namespace plainfs::annotated
