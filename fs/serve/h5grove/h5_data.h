// The values of an array, or of a part of it, as h5grove's data/ answers them: JSON, raw bytes, .npy or TIFF.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// A request that the array cannot satisfy. message: for the client.
struct WrongQuestion {
  std::string message;
};

// Returns the part of the array that `selection` names, "0:10,5,:", with numpy's rules: an integer removes
// its axis and counts from the end if it is negative, START:STOP is cut at the ends and may omit either, and
// axes that are not named are whole. Without a selection, returns the whole array. Always in storage order,
// never column-major. Throws WrongQuestion if the selection is invalid, out of range, or has a step.
ArrayPtr selected(const ArrayPtr& array, const std::optional<std::string>& selection);

// Answers according to the query: selection, flatten, dtype and format. Sends pieces as they are read,
// without holding the whole. Throws WrongQuestion before anything is sent.
void answer_h5_data(const Exchange& exchange, const ArrayPtr& array, Context& context);

}  // namespace plainfs::serve
