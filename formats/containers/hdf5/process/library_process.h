// libhdf5 in a process of its own, as the daemon sees it: started when it is first needed, and anew where it
// ended. The library's own errors of memory then cost what was being read, and nothing else.
//
// One question at a time, as the library has one lock. Whoever asks answers meanwhile what the process wants
// to know of files.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "formats/containers/hdf5/process/answers.h"
#include "formats/containers/hdf5/process/attributes_ahead.h"
#include "formats/containers/hdf5/process/child_process.h"
#include "formats/containers/hdf5/process/endings.h"
#include "formats/containers/hdf5/process/protocol.h"
#include "formats/containers/hdf5/process/source_desk.h"
#include "formats/core/base/shared_memory.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

// What is thrown where the process ended, or was ended because it was silent, over a question: unreadable.
class LibraryEnded : public Error {
 public:
  explicit LibraryEnded(const std::string& message, bool was_silent = false)
      : Error(Errc::unreadable, message), was_silent_(was_silent) {}
  bool was_silent() const { return was_silent_; }

 private:
  bool was_silent_;
};

// A file that the process is asked about. Belongs to a LibraryProcess, which opens it again in each process.
struct ProcessedFile {
  std::string location;
  Context* context;
  uint64_t number = 0;  // from LibraryProcess::new_file_number()
  FilePtr bytes;
  uint64_t opened_in = 0;  // the number of the process that has it open; guarded by LibraryProcess
  OpenedFacts facts{};     // once it was opened; the same ever after
};

struct ProcessSettings {
  std::string program = this_program();  // runs serve_library() where it is told to
  bool plugins = false;                  // as ReadOptions::hdf5_plugins
  unsigned most_silence = 30'000;        // milliseconds without a word
};

// Thread-safe.
class LibraryProcess {
 public:
  // The program has the library there as long as this lives, then again where it had it before.
  explicit LibraryProcess(ProcessSettings settings);
  ~LibraryProcess();
  LibraryProcess(const LibraryProcess&) = delete;
  LibraryProcess& operator=(const LibraryProcess&) = delete;

  // Where the program has the library: like the library and its lock (library/library.h), this is one for the
  // program. Null: in the program itself.
  static LibraryProcess* current();

  uint64_t new_file_number();
  // Opens a file that is new, and sets its facts. Throws why it cannot be opened.
  void open(ProcessedFile& file);
  // Never throws: what does not go well ends with the process.
  void close(const ProcessedFile& file) noexcept;

  // What read makes of the answer, while nobody else asks. about: tells the question from others about the
  // file, where it is to be refused after it has ended the process twice; an object's address, mostly. Throws
  // the Error that is the answer, LibraryEnded, unreadable where no process can be had, what read throws.
  template <class Read>
  auto ask(ProcessedFile& file, Ask ask, const Writer& question, uint64_t about, Read&& read) {
    file.bytes->check_unchanged();
    const std::lock_guard lock(mutex_);
    const Answered answer = put(file, ask, question.bytes(), about);
    Cursor in = answer.cursor();
    try {
      auto value = read(in);
      if (!in.at_end()) throw damaged("{} bytes too many", in.remaining());
      return value;
    } catch (const Error& error) {
      throw distrusted(error);
    }
  }

  // For the read of ask() alone: the first bytes of the memory that is shared with the process, where its
  // answer left them. Throws damaged where there are fewer.
  ByteSpan shared(size_t size) const {
    if (size > shared_.bytes().size()) throw damaged("{} bytes in {}", size, shared_.bytes().size());
    return shared_.bytes().first(size);
  }

  // What was asked for along with other things.
  AttributesAhead& ahead() { return ahead_; }

  // Of the process that runs, for tests; nullopt: none does.
  std::optional<pid_t> process_number();

 private:
  // The bytes of an answer behind what every answer begins with.
  struct Answered {
    Bytes bytes;
    size_t start = 0;
    Cursor cursor() const { return Cursor(ByteSpan(bytes).subspan(start)); }
  };

  Answered put(ProcessedFile& file, Ask ask, ByteSpan question, uint64_t about);
  Message answer_of(Context& context, Ask ask, ByteSpan question, int descriptor);
  Answered exchange(Context& context, Ask ask, ByteSpan question, int descriptor = -1);
  Answered taken(Message answer, Context& context);
  void start(Context& context);
  void open_again(ProcessedFile& file);
  LibraryEnded ended();
  LibraryEnded silent();
  Error distrusted(const Error& error);

  const ProcessSettings settings_;
  LibraryProcess* const before_;
  AttributesAhead ahead_;
  std::mutex mutex_;  // guards everything below
  std::unique_ptr<ChildProcess> child_;
  SharedMemory shared_;   // with the process that runs
  uint64_t process_ = 0;  // counts those that were started
  uint64_t last_file_ = 0;
  bool told_unconfined_ = false;
  SourceDesk desk_;
  Endings endings_;
};

}  // namespace plainfs::hdf5
