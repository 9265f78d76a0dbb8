// The calls (REDUCE, NEWOBJ) and states (BUILD) in numpy's pickles, in the forms that numpy's __reduce__
// methods use (numpy/core/src/multiarray/methods.c, descriptor.c).
#pragma once

#include "formats/core/pickle/pickle_values.h"

namespace plainfs {

// Returns the global module.name. Throws damaged if it is not one of PickleFunction.
PickleFunction find_pickle_function(std::string_view module, std::string_view name);

// Returns the result of calling `function` with the arguments (a tuple).
PickleValue call_pickle_function(PickleFunction function, const std::vector<PickleValue>& arguments,
                                 PickleHeap& heap);

// Sets the state (a tuple) of an array or a dtype, for BUILD.
void set_pickle_state(const PickleValue& object, const std::vector<PickleValue>& state, PickleHeap& heap);

}  // namespace plainfs
