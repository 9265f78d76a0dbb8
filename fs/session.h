// A session: an opened store with everything that reading it needs, for mounts and for the commands that work
// without one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/base/used_sources.h"
#include "fs/command_line/options.h"
#include "fs/filesystem.h"
#include "fs/log.h"
#include "fs/notices.h"
#include "fs/store_contexts.h"

namespace plainfs {

namespace hdf5 {
class LibraryProcesses;
}

class Session {
 public:
  // warn: receives warnings of violated rules besides the log. passing: see Context. Both may be null. Throws
  // Failure with a message that begins with the path.
  explicit Session(const Options& options, std::function<void(const std::string& message)> warn = {},
                   std::function<void(uint64_t read, uint64_t size)> passing = {});
  ~Session();

  Filesystem& filesystem() { return *filesystem_; }
  Log& log() { return log_; }
  Context& context() { return context_; }
  // Returns the notices so far about the store and about the other stores that its links lead to.
  const Notices& notices() const { return notices_; }
  // Returns the files and folders that were read so far, see UsedSources::names.
  std::vector<std::string> sources_used();

 private:
  Log log_;
  Notices notices_;
  Counters counters_;
  ByteCache cache_;
  // Two chunks of 4 MB or more, with the memory to decode them.
  DecodeBudget decode_budget_{size_t{24} << 20};
  DecodeBudget unit_budget_{size_t{24} << 20};
  StoreFiles files_;
  UsedSources used_;
  std::unique_ptr<hdf5::LibraryProcesses> hdf5_processes_;
  std::unique_ptr<Passes> passes_;  // null: none are kept
  Context context_;
  StoreContexts others_;
  std::unique_ptr<Filesystem> filesystem_;
  Workers workers_;  // declared last, so that their jobs end before the members that they use
};

}  // namespace plainfs
