// The processes that have libhdf5 for the daemon. Mostly one is enough. Where it is busy with a question for
// longer than a moment, or silent, the files of others are asked about in another one: a file that keeps the
// library busy for ever costs its own readers alone. Those that are not needed any more are ended, and
// so is one that has grown too large, between two questions: the next one begins it anew.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cache/mutex.h"
#include "formats/containers/hdf5/process/attributes_ahead.h"
#include "formats/containers/hdf5/process/crash_history.h"
#include "formats/containers/hdf5/process/library_process.h"

namespace plainfs::hdf5 {

// Thread-safe. Every wait ends with the request of the thread that waits (cache/request.h).
class LibraryProcesses {
 public:
  // At once. Where all of them are silent and one is wanted, the one that has been so for longest is ended
  // when that is too long (ProcessSettings).
  static constexpr size_t kMostProcesses = 6;
  // How long others wait for one that is busy, before they ask another.
  static constexpr std::chrono::milliseconds kPatience{50};

  // The program has the library there as long as this lives, then again where it had it before.
  explicit LibraryProcesses(ProcessSettings settings);
  ~LibraryProcesses();
  LibraryProcesses(const LibraryProcesses&) = delete;
  LibraryProcesses& operator=(const LibraryProcesses&) = delete;

  // Where the program has the library: like the library and its lock (library/library.h), this is one for the
  // program. Null: in the program itself.
  static LibraryProcesses* current();

  uint64_t new_file_number();
  // Opens a file that is new, and sets its facts. Throws why it cannot be opened.
  void open(ProcessedFile& file);
  // Never throws and waits for nothing.
  void close(const ProcessedFile& file) noexcept;

  // What read(Cursor&, ByteSpan shared) makes of the answer, while no other thread asks that process; shared:
  // the memory where the answer left what is said to be there. about: tells the question from others about
  // the file, where it is to be refused after it has ended a process twice; an object's address, mostly.
  // Throws the Error that is the answer, LibraryEnded, unreadable where no process can be had, what read
  // throws.
  template <class Read>
  auto ask(ProcessedFile& file, Ask ask, const Writer& question, uint64_t about, Read&& read) {
    file.bytes->check_unchanged();
    refuse_what_ended_it(file, ask, about);  // which waits for nobody
    const Turn turn(*this, file);
    refuse_what_ended_it(file, ask, about);  // while this one waited
    const LibraryProcess::Answered answer = put(turn.process(), file, ask, question.bytes(), about);
    Cursor in = answer.cursor();
    try {
      auto value = read(in, answer.shared);
      if (!in.at_end()) throw damaged("{} trailing bytes", in.remaining());
      return value;
    } catch (const Error& error) {
      turn.process().end();  // what was answered is no answer: another process may do better
      throw unreadable("libhdf5's process: {}", error.what());
    }
  }

  // What was asked for along with other things.
  AttributesAhead& ahead() { return ahead_; }

  // Of the processes that run and are asked nothing just now.
  std::vector<pid_t> idle_numbers();

  // How many processes run, and the memory that they have for themselves, as they told lately.
  struct Statistics {
    size_t processes = 0;
    uint64_t own_bytes = 0;
  };
  Statistics statistics();

 private:
  struct Place {
    explicit Place(const ProcessSettings& settings) : process(settings) {}
    LibraryProcess process;  // of the thread that made it busy, or has the mutex where it is not
    // All that follows is guarded by mutex_ of LibraryProcesses.
    bool is_busy = false;
    bool is_running = false;  // when it was last left, as the next
    uint64_t own_bytes = 0;
    uint64_t file = 0;                          // that it is asked about
    LibraryProcess::Clock::time_point since{};  // it is busy, or idle
    std::vector<uint64_t> closed{};             // meanwhile, or moved elsewhere
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
  Place* another() REQUIRES(mutex_);
  void leave(Place& place) noexcept;
  void give_back(Place& place);
  Place* take_idle(const Place& used);
  static void close_in(Place& place, uint64_t file);

  const ProcessSettings settings_;
  LibraryProcesses* const before_;
  AttributesAhead ahead_;
  Condition left_;
  Mutex mutex_;  // held for moments
  std::vector<std::unique_ptr<Place>> places_ GUARDED_BY(mutex_);
  uint64_t last_file_ GUARDED_BY(mutex_) = 0;
  CrashHistory crashes_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::hdf5
