// Work that a request triggers and that is not its own: keeping measurements for the next session, discarding
// wrong ones, logging. Its faults are lines in the log and never the answer to the request.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>

namespace plainfs {

// Does `work`, and calls log("WHAT: REASON") if it throws an exception. Throws nothing, and logs nothing if
// the request was cancelled: its own work notices that as well.
template <class Log, class Work>
void keep_house(const char* what, Log&& log, Work&& work) noexcept {
  try {
    try {
      work();
    } catch (const std::exception& error) {
      log(fmt::format("{}: {}", what, error.what()));
    }
  } catch (...) {  // Cancelled, or no memory for the line
    return;
  }
}

}  // namespace plainfs
