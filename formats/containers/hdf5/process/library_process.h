// The daemon's side of one process that runs libhdf5. The process is started by the first question, and again
// after it ended. Memory errors of the library then cost only the read that caused them.
//
// It answers one question at a time, since the library has one lock. Meanwhile the thread that asked serves
// the process's questions about files. LibraryProcesses chooses that thread and handles processes that are
// silent.
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
#include "formats/containers/hdf5/process/lent_files.h"
#include "formats/containers/hdf5/process/protocol.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/process_stat.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

// The error, of code unreadable, if the process ended while it worked on a question, or was ended because it
// was silent.
class LibraryEnded : public Error {
 public:
  enum class Why { itself, silence, busy_while_others_wait };
  explicit LibraryEnded(const std::string& message, Why why = Why::itself)
      : Error(Errc::unreadable, message), why_(why) {}
  Why why() const { return why_; }

 private:
  Why why_;
};

// A file that is read by the processes. Each process opens it on the first question about it.
struct ProcessedFile {
  std::string location;
  Context* context;
  uint64_t number = 0;  // from LibraryProcesses::new_file_number()
  FilePtr bytes;
  size_t home = 0;       // the process that was last asked about it; guarded by LibraryProcesses
  bool is_open = false;  // whether a process was asked about it; guarded by LibraryProcesses
  std::optional<OpenedFacts> facts{};  // set by LibraryProcesses::open(), never changed
};

struct ProcessSettings {
  // Starts a program that runs serve_library() if its first argument is kServeCommand. Empty = this program.
  std::vector<std::string> command{};
  bool plugins = false;  // as ReadOptions::hdf5_plugins
  // The longest time without a message, not counting the time that the process waited for a processor.
  std::chrono::milliseconds max_silence{30'000};
  // Shorter limits while a thread waits and no process is free: for computing, and for silence with any cause
  // (slow storage).
  std::chrono::milliseconds max_computing_when_wanted{1'000};
  std::chrono::milliseconds max_silence_when_wanted{5'000};
  size_t max_files = 24;          // open in one process; the library takes almost 1 MiB for each
  uint64_t max_bytes = 96 << 20;  // memory that a process may keep for itself between two questions
  std::chrono::milliseconds longest_tree{50};  // spent on one Ask::tree, for slow storage
  std::chrono::milliseconds max_idle{30'000};  // for all processes but one
};

// Only members marked thread-safe may be called concurrently. The others need a Turn.
class LibraryProcess {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LibraryProcess(const ProcessSettings& settings) : settings_(settings) {}
  LibraryProcess(const LibraryProcess&) = delete;
  LibraryProcess& operator=(const LibraryProcess&) = delete;

  // The bytes of an answer after its head, and the shared memory, in which an answer may leave data.
  struct Answered {
    Bytes bytes;
    size_t start = 0;
    ByteSpan shared;
    Reader reader(const FileLayout& layout = {}) const {
      return Reader(ByteSpan(bytes).subspan(start), layout);
    }
  };

  // Asks a question about the file, which is opened if necessary, and returns the answer. Ask::open only
  // opens it. Throws the Error that the process returned, LibraryEnded, or unreadable if no process can be
  // started. If it throws Cancelled, the process was ended, since it might never have answered.
  Answered put(ProcessedFile& file, Ask ask, ByteSpan question);

  // Closes the file in the process. Does not wait: the rest is done before the next question.
  void close(uint64_t file);

  // Ends the process, because its answer was invalid or it is not needed.
  void end();
  // Returns whether a process runs.
  bool is_running() { return child_ && child_->is_running(); }
  // Returns whether a process was started and has not been found to have ended. Needs no system call.
  bool is_started() const { return child_ != nullptr; }
  std::optional<pid_t> number();
  // Returns the memory that the process has for itself, as last reported, 0 if unknown.
  uint64_t own_bytes() const { return own_bytes_; }

  // Thread-safe: returns the time since the process's last message, 0 while its question is served. Time in
  // which it waited for a processor does not count: on an overloaded machine that does not mean that it
  // hangs.
  Clock::duration silence() const { return Clock::duration(silence_.load(std::memory_order_relaxed)); }
  // Thread-safe: returns whether that is too long if others need a process and none is free.
  bool is_overdue() const;
  // Thread-safe: marks the process as overdue. It is ended if it remains silent.
  void give_up() { is_given_up_.store(true, std::memory_order_relaxed); }
  // Thread-safe: returns whether it was marked and has not ended yet.
  bool is_giving_up() const { return is_given_up_.load(std::memory_order_relaxed) && is_overdue(); }

 private:
  Message answer_of(Context& context, Ask ask, ByteSpan question, int descriptor);
  Answered exchange(Context& context, Ask ask, ByteSpan question, int descriptor = -1);
  Answered taken(Message answer, Context& context);
  void start(Context& context);
  bool close_some(Context& context);
  void open_again(ProcessedFile& file);
  void make_room();
  void look_around();
  void heard();
  void add_to_silence();
  bool is_computing_for_long() const;
  LibraryEnded ended();
  LibraryEnded silent(LibraryEnded::Why why);

  const ProcessSettings& settings_;
  std::unique_ptr<ChildProcess> child_;
  SharedMemory shared_;  // with the running process
  // The files it has open, with the number of the last question about each.
  std::map<uint64_t, uint64_t> open_;
  std::vector<uint64_t> to_close_;  // files to close; the first was sent if is_closing_
  bool is_closing_ = false;
  std::chrono::milliseconds max_silence_{};  // for the current question
  uint64_t questions_ = 0;
  uint64_t own_bytes_ = 0;
  bool logged_unconfined_ = false;
  SourceServer source_server_;
  // Atomic, since waiting threads read them.
  std::atomic<Clock::rep> silence_{0};
  std::atomic<Clock::rep> computing_{0};   // of the silence
  std::atomic<bool> is_beginning_{false};  // no file is to blame for its computing
  Clock::time_point heard_at_{};
  Clock::time_point looked_at_{};
  std::optional<ProcessStat> looked_;  // the state at looked_at_
  std::atomic<bool> is_given_up_{false};
};

}  // namespace plainfs::hdf5
