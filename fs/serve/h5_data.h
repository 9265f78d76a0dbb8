// The values of an array, or of the part of it that a query names, as h5grove's data/ answers them: JSON,
// their bytes, .npy or TIFF.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "fs/serve/asked.h"

namespace plainfs::serve {

// What is asked of an array cannot be had of it, whatever is in the store; message: for who asked.
struct WrongQuestion {
  std::string message;
};

// The part that a selection names, "0:10,5,:", as numpy has it: an integer, from the end where it is
// negative, takes its axis away; START:STOP, each of which may be left out, is cut at the ends; axes that are
// not named are whole. Without a selection all of the array. In the order in which it is stored: nothing is
// column-major. Throws WrongQuestion for what is no selection, outside of the array, or has a step.
ArrayPtr selected(const ArrayPtr& array, const std::optional<std::string>& selection);

// By the query: selection, flatten, dtype and format. Nothing is held whole: pieces go out as they are made.
// Throws WrongQuestion before anything is sent.
void answer_h5_data(const Asked& asked, const ArrayPtr& array, Context& context);

}  // namespace plainfs::serve
