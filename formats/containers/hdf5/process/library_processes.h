// The processes that have libhdf5 for the daemon. Mostly one is enough. Where it is busy with a question for
// longer than a moment, or silent, the files of others are asked about in another one: a file that keeps the
// library busy for ever costs nobody but those who read it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "formats/containers/hdf5/process/attributes_ahead.h"
#include "formats/containers/hdf5/process/endings.h"
#include "formats/containers/hdf5/process/library_process.h"

namespace plainfs::hdf5 {

// Thread-safe. Every wait ends with the request of the thread that waits (cache/request.h).
class LibraryProcesses {
 public:
  // At once. Where all of them have been silent for a while and somebody wants one, the one that has been so
  // for longest is ended.
  static constexpr size_t kMostProcesses = 6;
  // How long others wait for one that is busy, before they ask another.
  static constexpr std::chrono::milliseconds kPatience{100};

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

  // What read(Cursor&, ByteSpan shared) makes of the answer, while nobody else asks that process; shared: the
  // memory where the answer left what is said to be there. about: tells the question from others about the
  // file, where it is to be refused after it has ended a process twice; an object's address, mostly. Throws
  // the Error that is the answer, LibraryEnded, unreadable where no process can be had, what read throws.
  template <class Read>
  auto ask(ProcessedFile& file, Ask ask, const Writer& question, uint64_t about, Read&& read) {
    file.bytes->check_unchanged();
    const Turn turn(*this, file);
    const LibraryProcess::Answered answer = put(turn.process(), file, ask, question.bytes(), about);
    Cursor in = answer.cursor();
    try {
      auto value = read(in, answer.shared);
      if (!in.at_end()) throw damaged("{} bytes too many", in.remaining());
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

 private:
  struct Place {
    explicit Place(const ProcessSettings& settings) : process(settings) {}
    LibraryProcess process;  // for whoever has made it busy, or has the mutex where it is not
    bool is_busy = false;    // what follows is guarded by mutex_
    uint64_t file = 0;       // that it is asked about
    LibraryProcess::Clock::time_point since{};  // it is busy
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

  LibraryProcess::Answered put(LibraryProcess& process, ProcessedFile& file, Ask ask, ByteSpan question,
                               uint64_t about);
  Place& wait_for_place(ProcessedFile& file);
  Place* place_for(ProcessedFile& file, LibraryProcess::Clock::duration waited);
  Place* another();
  void leave(Place& place) noexcept;
  static void close_in(Place& place, uint64_t file);

  const ProcessSettings settings_;
  LibraryProcesses* const before_;
  AttributesAhead ahead_;
  std::mutex mutex_;  // guards everything below, and is held for moments
  std::condition_variable left_;
  std::vector<std::unique_ptr<Place>> places_;
  uint64_t last_file_ = 0;
  Endings endings_;
};

}  // namespace plainfs::hdf5
