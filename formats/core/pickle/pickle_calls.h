// What numpy's pickles call (REDUCE, NEWOBJ) and set (BUILD), by the shapes that numpy's own __reduce__
// methods give these calls (numpy/core/src/multiarray/methods.c, descriptor.c).
#pragma once

#include "formats/core/pickle/pickle_values.h"

namespace plainfs {

// The global called module.name; throws damaged where it is not one of PickleFunction.
PickleFunction find_pickle_function(std::string_view module, std::string_view name);

// What calling function with the arguments (a tuple) makes.
PickleValue call_pickle_function(PickleFunction function, const std::vector<PickleValue>& arguments,
                                 PickleHeap& heap);

// BUILD: gives an array or a dtype its state (a tuple).
void set_pickle_state(const PickleValue& object, const std::vector<PickleValue>& state, PickleHeap& heap);

}  // namespace plainfs
