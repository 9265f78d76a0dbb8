// The exit codes of the program. 1 to 7 are libfuse's (fuse_main), 32 is from mount(8), 75 from sysexits.h,
// the others are plainfs's own.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "formats/core/base/error.h"

namespace plainfs {

enum ExitCode : int {
  kSuccess = 0,
  kUsage = 1,
  kNoMountpoint = 2,
  kNoSession = 3,
  kMountFailed = 4,
  kNotDaemonized = 5,
  kNoSignalHandlers = 6,
  kLoopFailed = 7,
  kNotFound = 11,
  kNotReadable = 12,
  kUnknownFormat = 13,
  kDamaged = 14,
  kUnsupported = 15,
  kNotWritten = 16,
  kHelperFailed = 32,
  kTryAgain = 75,
};

// An error that ends the program with a line on standard error.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Returns the failure to write to a path, for the reason in errno.
inline Failure disk_failure(const std::string& path) {
  return Failure(kNotWritten, path + ": " + std::strerror(errno));
}

// Returns the exit code for a store that could not be opened.
inline ExitCode exit_code_of(Errc code) {
  switch (code) {
    case Errc::not_found:
    case Errc::not_unique:
      return kNotFound;
    case Errc::unreadable:
    case Errc::changed:
      return kNotReadable;
    case Errc::unknown_format:
      return kUnknownFormat;
    case Errc::unsupported:
    case Errc::undecodable:
    case Errc::inexpressible:
      return kUnsupported;
    case Errc::damaged:
      return kDamaged;
  }
  return kDamaged;
}

// Returns the kind of the error in a word or two: "damaged".
inline const char* kind_of(Errc code) {
  switch (exit_code_of(code)) {
    case kUnsupported:
      return "not supported";
    case kNotReadable:
      return "not readable";
    default:
      return "damaged";
  }
}

// Returns the error for users. Features that plainfs does not support are marked as such.
inline std::string reason(const Error& error) {
  return is_unsupported(error) ? std::string("not supported: ") + error.what() : error.what();
}

}  // namespace plainfs
