// Waiting for a mutex that is held for as long as a pass over a store takes.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

#include "cache/request.h"

namespace plainfs {

// Throws Cancelled where the calling thread's request is cancelled meanwhile.
inline std::unique_lock<std::mutex> lock_unless_cancelled(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  while (!lock.try_lock()) {
    check_cancelled();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return lock;
}

}  // namespace plainfs
