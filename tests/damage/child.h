// Something done in a process of its own that may die or hang, and what became of it.
#pragma once

#include <functional>

namespace plainfs::damage {

// Exit codes from 10 on are the caller's.
enum Fate : int {
  died_in_library = 1,    // crash or hang in libhdf5's own code
  died = 2,               // crash elsewhere
  foreign_exception = 3,  // an exception that is no Error
  refused = 4,            // an Error
  out_of_time = 5,        // elsewhere than in libhdf5; a store may truthfully say that it holds very much
};

// What `work`, done in a child, returns, or a Fate. The child may use a minute of processor time and 3 GiB.
int fate_of(const std::function<int()>& work);

}  // namespace plainfs::damage
