// The part of an array that a query of h5grove's names: "0:10,5,:".
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/array.h"

namespace plainfs::serve {

// What is asked of an array cannot be had of it, whatever is in the store; message: for who asked.
struct WrongQuestion {
  std::string message;
};

// As numpy has it: an integer, from the end where it is negative, takes its axis away; START:STOP, each of
// which may be left out, is cut at the ends; axes that are not named are whole. Without a selection all of
// the array. In the order in which it is stored: nothing is column-major. Throws WrongQuestion for what is no
// selection, outside of the array, or has a step.
ArrayPtr selected(const ArrayPtr& array, const std::optional<std::string>& selection);

}  // namespace plainfs::serve
