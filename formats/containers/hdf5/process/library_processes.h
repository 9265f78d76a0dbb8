// The daemon's processes that run libhdf5. Mostly one is enough. If it is busy with a question for longer
// than a moment, or silent, another process serves other files: a file that keeps the library busy forever
// costs only its own readers. Unneeded processes are ended. A process that has grown too large is ended
// between two questions, and the next question starts it again.
//
// A process for each file would need none of this waiting, but it takes some 13 ms to start and 2.6 MB: a
// walk over a folder of 593 files took 7 times as long, and 127 MB instead of 29 with 48 processes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cache/mutex.h"
#include "formats/containers/hdf5/process/attributes_ahead.h"
#include "formats/containers/hdf5/process/crash_history.h"
#include "formats/containers/hdf5/process/library_process.h"

namespace plainfs::hdf5 {

// Thread-safe. Every wait ends when the request of the waiting thread is cancelled (cache/request.h).
class LibraryProcesses {
 public:
  // The largest number of processes at once. If all are silent and one is needed, the one that is silent for
  // longest is ended once that is too long (ProcessSettings).
  static constexpr size_t kMaxProcesses = 6;
  // How long threads wait for a busy process before they use another.
  static constexpr std::chrono::milliseconds kPatience{50};
  // How long they wait if their file is not open in any process and a processor is free for another.
  static constexpr std::chrono::milliseconds kPatienceToOpen{5};

  // Makes the program use these processes for the library, as long as this object lives. Its destructor
  // restores the earlier ones.
  explicit LibraryProcesses(ProcessSettings settings);
  ~LibraryProcesses();
  LibraryProcesses(const LibraryProcesses&) = delete;
  LibraryProcesses& operator=(const LibraryProcesses&) = delete;

  // Returns the processes in which the program runs the library, null if the library runs in the program
  // itself. There is one for the program, like the library and its lock (library/library.h).
  static LibraryProcesses* current();

  uint64_t new_file_number();
  // Opens a new file and sets its facts. Throws the reason if it cannot be opened.
  void open(ProcessedFile& file);
  // Never throws or waits.
  void close(const ProcessedFile& file) noexcept;

  // Asks a question and returns the result of read(Reader&, ByteSpan shared) for the answer. No other thread
  // asks that process meanwhile. shared: the memory in which the answer may leave data. about: distinguishes
  // the question from others about the file, mostly an object's address. A question is refused after it has
  // ended a process twice. Throws the Error that the process returned, LibraryEnded, unreadable if no process
  // can be started, and the exceptions of read.
  template <class Read>
  auto ask(ProcessedFile& file, Ask ask, const Writer& question, uint64_t about, Read&& read) {
    file.bytes->check_unchanged();
    refuse_what_ended_it(file, ask, about);  // does not wait
    const Turn turn(*this, file);
    refuse_what_ended_it(file, ask, about);  // again, since this thread may have waited
    const LibraryProcess::Answered answer = put(turn.process(), file, ask, question.bytes(), about);
    Reader in = answer.reader(file.facts ? file.facts->layout : FileLayout());
    try {
      auto value = read(in, answer.shared);
      if (!in.at_end()) throw damaged("{} trailing bytes", in.remaining());
      return value;
    } catch (const Error& error) {
      turn.process().end();  // an invalid answer; another process may do better
      throw unreadable("libhdf5's process: {}", error.what());
    }
  }

  // Returns the attributes that were read ahead.
  AttributesAhead& ahead() { return ahead_; }

  // Returns the process IDs of running processes without a question.
  std::vector<pid_t> idle_numbers();

  // The number of running processes and the memory they have for themselves, as last reported.
  struct Statistics {
    size_t processes = 0;
    uint64_t own_bytes = 0;
  };
  Statistics statistics();

 private:
  struct Place {
    explicit Place(const ProcessSettings& settings) : process(settings) {}
    LibraryProcess process;  // used by the thread that made it busy, or under the mutex while it is not busy
    // All members below are guarded by mutex_ of LibraryProcesses.
    bool is_busy = false;
    bool is_running = false;  // when it was last left, like own_bytes
    uint64_t own_bytes = 0;
    uint64_t file = 0;                          // of the current question
    LibraryProcess::Clock::time_point since{};  // start of being busy or idle
    std::vector<uint64_t> closed{};             // files closed meanwhile or moved to another process
  };

  // One thread's use of one process.
  class Turn {
   public:
    Turn(LibraryProcesses& all, ProcessedFile& file) : all_(all), place_(all.wait_for_place(file)) {}
    ~Turn() { all_.leave(place_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    LibraryProcess& process() const { return place_.process; }

   private:
    LibraryProcesses& all_;
    Place& place_;
  };

  void refuse_what_ended_it(const ProcessedFile& file, Ask ask, uint64_t about);
  LibraryProcess::Answered put(LibraryProcess& process, ProcessedFile& file, Ask ask, ByteSpan question,
                               uint64_t about);
  Place& wait_for_place(ProcessedFile& file);
  Place* place_for(ProcessedFile& file, LibraryProcess::Clock::duration waited) REQUIRES(mutex_);
  Place* idle_process() REQUIRES(mutex_);
  Place* another() REQUIRES(mutex_);
  void leave(Place& place) noexcept;
  void give_back(Place& place);
  Place* take_idle(const Place& used);
  static void close_in(Place& place, uint64_t file);

  const ProcessSettings settings_;
  LibraryProcesses* const before_;
  AttributesAhead ahead_;
  Condition left_;
  Mutex mutex_;  // held only briefly
  std::vector<std::unique_ptr<Place>> places_ GUARDED_BY(mutex_);
  uint64_t last_file_ GUARDED_BY(mutex_) = 0;
  CrashHistory crashes_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::hdf5
