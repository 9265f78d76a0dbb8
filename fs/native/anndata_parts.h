// An annotated matrix as the elements of an AnnData, in the encoding of anndata 0.8.
#pragma once

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "fs/native/anndata_layout.h"

namespace plainfs {

// Looks through texts and for missing values in the tables where out has its parts put. Throws damaged where
// the parts do not fit each other, and unsupported where AnnData has no place for one.
void put_anndata(const AnnotatedMatrix& matrix, Context& context, AnnDataLayout& out);

}  // namespace plainfs
