// Copies of the inline functions that all data pass through, compiled at -O2 in a release. Libraries that no
// large file's bytes pass through are compiled at -O1, where GCC keeps loops without an effect: one step for
// each byte of a buffer that is destroyed or grown. The linker takes the first copy of such a function for
// all code. Without this file it would be one of those.
#include "formats/core/model/elements/elements.h"

template class std::vector<std::byte, plainfs::UninitializedAllocator<std::byte>>;

namespace plainfs {

// Uses the implicit functions of Elements, which are generated only for that.
[[maybe_unused]] Elements (*const kElementsCopy)(const Elements&) = [](const Elements& elements) {
  return elements;
};

}  // namespace plainfs
