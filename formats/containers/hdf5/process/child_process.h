// The process that runs serve_library().
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/channel.h"

namespace plainfs::hdf5 {

// Not thread-safe.
class ChildProcess {
 public:
  // Starts the program of a command, which runs serve_library() if its first argument is kServeCommand.
  // Throws unreadable if the process cannot be started.
  explicit ChildProcess(std::vector<std::string> command);
  // Kills the process.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t number() const { return number_; }
  Channel& channel() { return channel_; }
  bool is_running();
  // Returns why a process that closed its end of the channel ended: "signal 11".
  std::string what_ended_it();

 private:
  void end();
  void wait_for_end(int max_looks);

  pid_t number_ = -1;
  Channel channel_;
  std::optional<int> status_;  // once it has ended
};

}  // namespace plainfs::hdf5
