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
  // program: runs serve_library() where its first argument is kServeCommand. Throws unreadable where no
  // process can be had.
  explicit ChildProcess(const std::string& program);
  // Ends it, whatever it does.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t number() const { return number_; }
  Channel& channel() { return channel_; }
  bool is_running();
  // Of one that has closed its end of the channel: "signal 11".
  std::string what_ended_it();

 private:
  void end();
  void wait_for_end(int most_looks);

  pid_t number_ = -1;
  Channel channel_;
  std::optional<int> status_;  // once it has ended
};

// The program that runs now.
std::string this_program();

}  // namespace plainfs::hdf5
