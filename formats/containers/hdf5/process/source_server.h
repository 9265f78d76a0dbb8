// The daemon's answers to questions of libhdf5's process about files. The daemon opens them through the
// store's own Sources, within the store's bounds, and lends descriptors or reads for the process.
#pragma once

#include <exception>
#include <map>

#include "formats/core/base/channel.h"
#include "formats/core/base/sources.h"

namespace plainfs::hdf5 {

// Not thread-safe.
class SourceServer {
 public:
  // Answers a question. Returns false if it is invalid or the process is gone. Exceptions other than Error
  // (cancellation, lack of memory) are kept for take_failure().
  bool answer(const Message& question, Channel& channel, Sources& sources);
  std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

 private:
  bool reply(const Message& question, Channel& channel, Sources& sources);
  bool open(const std::string& location, Channel& channel, Sources& sources);
  const File& file(uint64_t source) const;

  uint64_t next_source_ = 1;
  std::map<uint64_t, FilePtr> files_;  // files that have no descriptor to lend
  std::exception_ptr failure_;
};

}  // namespace plainfs::hdf5
