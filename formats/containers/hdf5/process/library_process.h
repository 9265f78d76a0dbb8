// One process that has libhdf5, as the daemon sees it: started when it is first asked, and anew where it
// ended. The library's own errors of memory then cost what was being read, and nothing else.
//
// One question at a time, as the library has one lock. The thread that asks answers meanwhile what the
// process wants to know of files. Which thread that is, and what happens where a process is silent, is the
// affair of LibraryProcesses.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/containers/hdf5/process/answers.h"
#include "formats/containers/hdf5/process/child_process.h"
#include "formats/containers/hdf5/process/protocol.h"
#include "formats/containers/hdf5/process/source_server.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/process_stat.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

// What is thrown where the process ended over a question, by itself or because it was silent: unreadable.
class LibraryEnded : public Error {
 public:
  enum class Why { itself, silence, busy_while_others_wait };
  explicit LibraryEnded(const std::string& message, Why why = Why::itself)
      : Error(Errc::unreadable, message), why_(why) {}
  Why why() const { return why_; }

 private:
  Why why_;
};

// A file that the processes are asked about. Whichever is asked opens it where it has not yet.
struct ProcessedFile {
  std::string location;
  Context* context;
  uint64_t number = 0;  // from LibraryProcesses::new_file_number()
  FilePtr bytes;
  size_t home = 0;  // the process that was asked about it last; guarded by LibraryProcesses
  std::optional<OpenedFacts> facts{};  // from LibraryProcesses::open() on; the same ever after
};

struct ProcessSettings {
  std::string program = this_program();  // runs serve_library() where it is told to
  bool plugins = false;                  // as ReadOptions::hdf5_plugins
  // Without a word, but for the time that it waited for a processor.
  std::chrono::milliseconds most_silence{30'000};
  // Of that, where a thread waits for a process and none is left: so long it may compute, and so long it may
  // be silent for other reasons, too (slow storage).
  std::chrono::milliseconds most_computing_when_wanted{1'000};
  std::chrono::milliseconds most_silence_when_wanted{5'000};
  size_t most_files = 24;          // open in one process; the library takes most of a MiB for each
  uint64_t most_bytes = 96 << 20;  // of memory that a process has for itself between two questions
  std::chrono::milliseconds most_idle{30'000};  // for all processes but one
};

// Thread-safe where it says so; all else is for the one thread whose turn it is.
class LibraryProcess {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LibraryProcess(const ProcessSettings& settings) : settings_(settings) {}
  LibraryProcess(const LibraryProcess&) = delete;
  LibraryProcess& operator=(const LibraryProcess&) = delete;

  // The bytes of an answer behind what every answer begins with, and the memory that is shared with the
  // process, where its answer left some of it.
  struct Answered {
    Bytes bytes;
    size_t start = 0;
    ByteSpan shared;
    Cursor cursor() const { return Cursor(ByteSpan(bytes).subspan(start)); }
  };

  // The answer to a question about the file, which is opened where it is not: Ask::open asks no more than
  // that. Throws the Error that is the answer, LibraryEnded, unreadable where no process can be had. Where it
  // throws Cancelled the process has ended: it may never have given an answer.
  Answered put(ProcessedFile& file, Ask ask, ByteSpan question);

  // That the file is not asked about any more. Waits for nothing: what is left to do is done before the next
  // question.
  void close(uint64_t file);

  // Ends the process: what it said is no answer, or it is not wanted.
  void end();
  // Whether one runs.
  bool is_running() { return child_ && child_->is_running(); }
  std::optional<pid_t> number();
  // The memory that it has for itself, as it told lately; 0 where it cannot tell.
  uint64_t own_bytes() const { return own_bytes_; }

  // Thread-safe: how long it has given no word, but for the time that it waited for a processor: of a machine
  // with more to do than it can, that is no sign of a process that hangs. Zero where it is being answered.
  Clock::duration silence() const { return Clock::duration(silence_.load(std::memory_order_relaxed)); }
  // Thread-safe: whether that is too long where others want a process and none is left.
  bool is_overdue() const;
  // Thread-safe: that this is so, and it is to be ended if it still gives no word.
  void give_up() { is_given_up_.store(true, std::memory_order_relaxed); }
  // Thread-safe: whether it was told so and is still to do it.
  bool is_giving_up() const { return is_given_up_.load(std::memory_order_relaxed) && is_overdue(); }

 private:
  Message answer_of(Context& context, Ask ask, ByteSpan question, int descriptor);
  Answered exchange(Context& context, Ask ask, ByteSpan question, int descriptor = -1);
  Answered taken(Message answer, Context& context);
  void start(Context& context);
  bool close_some(Context& context);
  void open_again(ProcessedFile& file);
  void make_room();
  void look_around(std::chrono::milliseconds most_silence);
  void heard();
  void add_to_silence();
  bool is_computing_for_long() const;
  LibraryEnded ended();
  LibraryEnded silent(LibraryEnded::Why why);

  const ProcessSettings& settings_;
  std::unique_ptr<ChildProcess> child_;
  SharedMemory shared_;                // with the process that runs
  std::map<uint64_t, uint64_t> open_;  // the files it has open: when each was asked about last
  std::vector<uint64_t> to_close_;     // of these; the first was told it where is_closing_
  bool is_closing_ = false;
  uint64_t questions_ = 0;
  uint64_t own_bytes_ = 0;
  bool told_unconfined_ = false;
  SourceServer desk_;
  // Atomic: looked at by those who wait.
  std::atomic<Clock::rep> silence_{0};
  std::atomic<Clock::rep> computing_{0};   // of that
  std::atomic<bool> is_beginning_{false};  // what it computes is no file's fault
  Clock::time_point heard_at_{};
  Clock::time_point looked_at_{};
  std::optional<ProcessStat> looked_;  // what was seen then
  std::atomic<bool> is_given_up_{false};
};

}  // namespace plainfs::hdf5
