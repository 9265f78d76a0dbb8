// Answers to what the script of a page of cells asks: names that begin with what one has typed, and the cell
// nearest to a place.
#pragma once

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Answers ?names=TEXT with up to 20 columns and genes as a list in JSON: those that begin with the text, in
// any case, and then those that contain it. Answers ?near=X,Y with the name, the place and the colour of the
// cell nearest to a place of ?embedding=, among those that ?where= chooses; an empty object without one.
// Returns false if the request asks for neither. Answers 400 with the reason if it cannot be understood.
// Throws not_found without an annotated matrix, the errors of reading, and Busy.
bool answer_cells_question(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
