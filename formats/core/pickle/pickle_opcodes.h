// Opcodes of the pickle machine that need more than its stack: calls, states, and integers and texts in
// special forms.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/base/bytes.h"
#include "formats/core/pickle/pickle_values.h"

namespace plainfs {

// Returns the global module.name. Throws damaged if it is not one of PickleFunction.
PickleFunction find_pickle_function(std::string_view module, std::string_view name);

// Returns the result of calling `function` with the arguments (a tuple).
PickleValue call_pickle_function(PickleFunction function, const std::vector<PickleValue>& arguments,
                                 PickleHeap& heap);

// Sets the state (a tuple) of an array or a dtype, for BUILD.
void set_pickle_state(const PickleValue& object, const std::vector<PickleValue>& state, PickleHeap& heap);

// Returns the decimal digits of a two's complement little-endian integer. Takes quadratic time. Requires: not
// empty.
std::string decimal_digits(ByteSpan bytes);

// Converts Python's raw-unicode-escape (Latin-1 with \uXXXX and \UXXXXXXXX) to UTF-8. Throws damaged.
std::string unescaped_unicode(std::string_view text);

}  // namespace plainfs
