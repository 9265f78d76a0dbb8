#include "formats/containers/hdf5/process/library_process.h"

#include <atomic>
#include <new>
#include <utility>

namespace plainfs::hdf5 {
namespace {

// Of one answer. A group of ten million links is less.
constexpr uint64_t kMostAnswered = uint64_t{4} << 30;

// Of the memory that is shared: more than a block of elements, mostly.
constexpr size_t kSharedBytes = 1 << 20;

// How long one answer may take, questions and all.
constexpr int kSilencesInAll = 20;

// How many endings of a crash one silence is: it keeps everybody waiting.
constexpr size_t kWeightOfSilence = 8;

// Atomic, because it is read by whoever opens a file.
std::atomic<LibraryProcess*>& process_of_program() {
  static std::atomic<LibraryProcess*> process{nullptr};
  return process;
}

}  // namespace

LibraryProcess::LibraryProcess(ProcessSettings settings)
    : settings_(std::move(settings)), before_(process_of_program().exchange(this)) {}

LibraryProcess::~LibraryProcess() {
  process_of_program() = before_;
}

LibraryProcess* LibraryProcess::current() {
  return process_of_program();
}

uint64_t LibraryProcess::new_file_number() {
  const std::lock_guard lock(mutex_);
  return ++last_file_;
}

std::optional<pid_t> LibraryProcess::process_number() {
  const std::lock_guard lock(mutex_);
  if (!child_ || !child_->is_running()) return std::nullopt;
  return child_->number();
}

// Requires, as all below: the mutex is held.
void LibraryProcess::start(Context& context) {
  if (child_ && child_->is_running()) return;
  child_.reset();
  desk_ = {};
  child_ = std::make_unique<ChildProcess>(settings_.program);
  child_->channel().limit_silence(settings_.most_silence);
  ++process_;
  try {
    Writer question;
    question.flag(settings_.plugins);
    shared_ = SharedMemory::make(kSharedBytes);
    question.number(uint64_t{shared_.bytes().size()});
    const Answered answer = exchange(context, Ask::settings, question.bytes(), shared_.descriptor());
    Cursor in = answer.cursor();
    const std::string unconfined = read_text(in);
    if (!unconfined.empty() && !std::exchange(told_unconfined_, true))
      context.notice("libhdf5's process is not confined: " + unconfined);
  } catch (...) {
    child_.reset();  // it may be neither confined nor ready
    throw;
  }
}

LibraryEnded LibraryProcess::ended() {
  const std::string why = child_->what_ended_it();
  child_.reset();
  return LibraryEnded("libhdf5 ended while reading this file: " + why);
}

LibraryEnded LibraryProcess::silent() {
  child_.reset();
  return LibraryEnded(
      fmt::format("libhdf5 gave no answer for {} s while reading this file", settings_.most_silence / 1000.0),
      true);
}

LibraryProcess::Answered LibraryProcess::taken(Message answer, Context& context) {
  Cursor in(answer.bytes);
  context.counters.source_bytes_read.fetch_add(in.little<uint64_t>(), std::memory_order_relaxed);
  if (answer.kind == static_cast<uint32_t>(Answer::out_of_memory)) {
    child_.reset();  // the library goes on with half of what it wanted to remember
    throw LibraryEnded("libhdf5 had no memory to read this file");
  }
  if (answer.kind == static_cast<uint32_t>(Answer::failure)) throw read_error(in);
  return {std::move(answer.bytes), in.position()};
}

// The process's answer, whatever it asks before it gives it.
Message LibraryProcess::answer_of(Context& context, Ask ask, ByteSpan question, int descriptor) try {
  const auto latest =
      std::chrono::steady_clock::now() + kSilencesInAll * std::chrono::milliseconds(settings_.most_silence);
  Channel& channel = child_->channel();
  if (!channel.send(static_cast<uint32_t>(ask), question, descriptor)) throw ended();
  for (;;) {
    std::optional<Message> message = channel.receive(kMostAnswered);
    if (!message) throw ended();
    const bool is_answer = message->kind >= static_cast<uint32_t>(Answer::answer) &&
                           message->kind <= static_cast<uint32_t>(Answer::out_of_memory);
    if (is_answer) return *std::move(message);
    if (std::chrono::steady_clock::now() > latest) throw Channel::Silence{};
    if (!desk_.answer(*message, channel, context.files)) throw ended();
  }
} catch (const Channel::Silence&) {
  throw silent();
} catch (const std::bad_alloc&) {
  child_.reset();  // its answer would be taken for that of the next question
  throw;
}

LibraryProcess::Answered LibraryProcess::exchange(Context& context, Ask ask, ByteSpan question,
                                                  int descriptor) {
  Message answer = answer_of(context, ask, question, descriptor);
  const std::exception_ptr failure = desk_.take_failure();
  if (failure && answer.kind != static_cast<uint32_t>(Answer::answer)) std::rethrow_exception(failure);
  return taken(std::move(answer), context);
}

void LibraryProcess::open_again(ProcessedFile& file) {
  if (file.opened_in == process_) return;
  Writer question;
  question.number(file.number);
  question.text(file.location);
  const Answered answer = exchange(*file.context, Ask::open, question.bytes());
  Cursor in = answer.cursor();
  const OpenedFacts facts = read_opened(in);
  if (facts.fingerprint != file.bytes->fingerprint()) throw changed(file.bytes->path());
  const bool is_first = file.opened_in == 0;
  file.opened_in = process_;
  if (is_first) file.facts = facts;
}

LibraryProcess::Answered LibraryProcess::put(ProcessedFile& file, Ask ask, ByteSpan question,
                                             uint64_t about) {
  const uint64_t fingerprint = file.bytes->fingerprint();
  const uint64_t what = about * 16 + static_cast<uint64_t>(ask);
  const auto now = std::chrono::steady_clock::now;
  if (endings_.is_refused(fingerprint, what, now()))
    throw LibraryEnded("libhdf5 ended while reading this file, more than once: it is tried again in a while");
  try {
    start(*file.context);
    open_again(file);
    Answered answer = ask == Ask::open ? Answered() : exchange(*file.context, ask, question);
    endings_.forget(fingerprint, what);
    return answer;
  } catch (const LibraryEnded& error) {
    endings_.note(fingerprint, what, now(), error.was_silent() ? kWeightOfSilence : 1);
    throw;
  }
}

void LibraryProcess::open(ProcessedFile& file) {
  file.bytes->check_unchanged();
  const std::lock_guard lock(mutex_);
  put(file, Ask::open, {}, 0);
}

void LibraryProcess::close(const ProcessedFile& file) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (file.opened_in != process_ || !child_ || !child_->is_running()) return;
    Writer question;
    question.number(file.number);
    exchange(*file.context, Ask::close, question.bytes());
  } catch (...) {
    const std::lock_guard lock(mutex_);
    child_.reset();
  }
}

// What was answered is no answer: another process may do better.
Error LibraryProcess::distrusted(const Error& error) {
  child_.reset();
  return unreadable("libhdf5's process: {}", error.what());
}

}  // namespace plainfs::hdf5
