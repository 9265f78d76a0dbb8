// Work done in a child process that may die or hang, and its outcome.
#pragma once

#include <functional>

namespace plainfs::damage {

// Exit codes from 10 on belong to the caller.
enum Fate : int {
  died_in_library = 1,    // crash or hang in libhdf5's own code
  died = 2,               // crash in other code
  foreign_exception = 3,  // an exception other than Error
  refused = 4,            // an Error
  out_of_time = 5,        // hang in other code; a store may truthfully claim a huge size
};

// Returns the result of `work` in a child process, or a Fate. The child may use a minute of processor time
// and 3 GiB.
int fate_of(const std::function<int()>& work);

}  // namespace plainfs::damage
