// Sparse matrices in MatrixMarket text, with the names of their rows and columns in files beside them: the
// folders of Cell Ranger, STARsolo, kallisto | bustools, alevin-fry and Parse, the files of GEO's records,
// and any single MatrixMarket file. A store is genes by cells, however its text is stored. Facts: FORMAT.md.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::mex {

// Returns whether the location is a folder with a matrix and its names, a MatrixMarket file, or the common
// prefix of such files in a folder ("FOLDER/GSM1_S1"), where no file is.
bool recognises(const Probe& probe);
// Opens the matrix. Reads its text once, unless the results of an earlier session are known. A text that is
// damaged behind its header is the error of the matrix; the names stay readable.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::mex
