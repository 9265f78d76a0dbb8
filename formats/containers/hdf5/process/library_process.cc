#include "formats/containers/hdf5/process/library_process.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/own_program.h"

namespace plainfs::hdf5 {
namespace {

// The largest answer. A group of ten million links takes less.
constexpr uint64_t kMaxAnswered = uint64_t{4} << 30;

// The size of the shared memory, larger than most blocks of elements.
constexpr size_t kSharedBytes = 1 << 20;

// The longest time for one answer, including questions.
constexpr int kSilencesInAll = 20;

// The longest silence while files are closed, which reads nothing, or while objects are read ahead, which is
// not necessary.
constexpr std::chrono::milliseconds kShortSilence{1'000};

// Thrown if a process ended before it took the question.
struct NotAsked {};

// Thrown if the process is silent for too long.
struct Silence : Channel::Silence {
  explicit Silence(LibraryEnded::Why reason = LibraryEnded::Why::silence) : why(reason) {}
  LibraryEnded::Why why;
};

}  // namespace

std::optional<pid_t> LibraryProcess::number() {
  return is_running() ? std::optional(child_->number()) : std::nullopt;
}

void LibraryProcess::heard() {
  silence_.store(0, std::memory_order_relaxed);
  computing_.store(0, std::memory_order_relaxed);
  looked_at_ = heard_at_ = Clock::now();
  looked_.reset();
}

// While the process is runnable, its silence grows by its processor time. Otherwise (it is stopped or waits
// for storage), or if the system does not report its state, it grows by the clock's time.
void LibraryProcess::add_to_silence() {
  const auto now = Clock::now();
  const std::optional<ProcessStat> seen = process_stat(child_->number());
  const Clock::duration computed =
      seen && looked_ ? seen->processor_time - looked_->processor_time : Clock::duration{0};
  computing_.fetch_add(computed.count(), std::memory_order_relaxed);
  silence_.fetch_add((seen && seen->state == 'R' ? computed : now - looked_at_).count(),
                     std::memory_order_relaxed);
  looked_at_ = now;
  looked_ = seen;
}

bool LibraryProcess::is_computing_for_long() const {
  return !is_beginning_.load(std::memory_order_relaxed) &&
         Clock::duration(computing_.load(std::memory_order_relaxed)) > settings_.max_computing_when_wanted;
}

bool LibraryProcess::is_overdue() const {
  return is_computing_for_long() || silence() > settings_.max_silence_when_wanted;
}

// Throws if the thread should not go on waiting for an answer.
void LibraryProcess::look_around() {
  check_cancelled();
  add_to_silence();
  if (silence() > max_silence_) throw Silence{};
  if (is_given_up_.load(std::memory_order_relaxed) && is_overdue())
    throw Silence(is_computing_for_long() ? LibraryEnded::Why::busy_while_others_wait
                                          : LibraryEnded::Why::silence);
}

void LibraryProcess::end() {
  child_.reset();
  open_.clear();
  to_close_.clear();
  is_closing_ = false;
  is_beginning_.store(false, std::memory_order_relaxed);
  source_server_ = {};
  own_bytes_ = 0;
}

void LibraryProcess::start(Context& context) {
  if (is_started()) return;  // sending a question to a process that has ended fails
  end();
  is_beginning_.store(true, std::memory_order_relaxed);
  child_ =
      std::make_unique<ChildProcess>(settings_.command.empty() ? own_program().command() : settings_.command);
  child_->channel().look_while_waiting([this] { look_around(); });
  try {
    Writer question;
    question(settings_.plugins);
    shared_ = SharedMemory::make(kSharedBytes);
    question(uint64_t{shared_.bytes().size()}, static_cast<uint32_t>(settings_.longest_tree.count()));
    const Answered answer = exchange(context, Ask::settings, question.bytes(), shared_.descriptor());
    Reader in = answer.reader();
    is_beginning_.store(false, std::memory_order_relaxed);
    const auto unconfined = in.read<std::string>();
    if (!unconfined.empty() && !std::exchange(logged_unconfined_, true))
      context.notice("libhdf5's process is not confined: " + unconfined);
  } catch (const LibraryEnded&) {  // not the file's fault
    throw unreadable("libhdf5's process ended or did not reply when it started");
  } catch (...) {
    end();  // it may be neither confined nor ready
    throw;
  }
}

LibraryEnded LibraryProcess::ended() {
  const std::string why = child_->what_ended_it();
  end();
  return LibraryEnded("libhdf5 ended while reading this file: " + why);
}

LibraryEnded LibraryProcess::silent(LibraryEnded::Why why) {
  const double seconds =
      std::round(std::chrono::duration<double>(Clock::now() - heard_at_).count() * 10) / 10;
  end();
  return LibraryEnded(fmt::format("libhdf5 did not reply for {} s while reading this file", seconds), why);
}

LibraryProcess::Answered LibraryProcess::taken(Message answer, Context& context) {
  Reader in(answer.bytes);
  context.counters.source_bytes_read.fetch_add(in.little<uint64_t>(), std::memory_order_relaxed);
  own_bytes_ = in.little<uint64_t>();
  if (answer.kind == static_cast<uint32_t>(Answer::out_of_memory)) {
    end();  // the library is left in an incomplete state
    throw LibraryEnded("libhdf5 ran out of memory while reading this file");
  }
  if (answer.kind == static_cast<uint32_t>(Answer::failure)) throw read_error(in);
  return {std::move(answer.bytes), in.position(), shared_.bytes()};
}

// Sends a question and returns the answer. Serves the process's own questions until then. question: empty if
// it was sent before.
Message LibraryProcess::answer_of(Context& context, Ask ask, ByteSpan question, int descriptor) try {
  const auto latest = Clock::now() + kSilencesInAll * settings_.max_silence;
  Channel& channel = child_->channel();
  const bool is_short = ask == Ask::close || ask == Ask::tree;
  max_silence_ = is_short ? std::min(kShortSilence, settings_.max_silence) : settings_.max_silence;
  heard();
  if (!question.empty() && !channel.send(static_cast<uint32_t>(ask), question, descriptor)) throw NotAsked{};
  for (bool any = false;; any = true) {
    std::optional<Message> message = channel.receive(kMaxAnswered);
    if (!message && !any && channel.left_unread()) throw NotAsked{};
    if (!message) throw ended();
    const bool is_answer = message->kind >= static_cast<uint32_t>(Answer::answer) &&
                           message->kind <= static_cast<uint32_t>(Answer::out_of_memory);
    if (is_answer) return *std::move(message);
    if (Clock::now() > latest) throw Silence{};
    heard();
    const bool is_answered = source_server_.answer(*message, channel, context.files);
    heard();
    if (!is_answered) throw ended();
  }
} catch (const Silence& silence) {
  throw silent(silence.why);
} catch (const Cancelled&) {
  end();  // its answer would be taken for that of the next question
  throw;
} catch (const std::bad_alloc&) {
  end();
  throw;
}

LibraryProcess::Answered LibraryProcess::exchange(Context& context, Ask ask, ByteSpan question,
                                                  int descriptor) {
  Message answer = answer_of(context, ask, question, descriptor);
  const std::exception_ptr failure = source_server_.take_failure();
  if (failure && answer.kind != static_cast<uint32_t>(Answer::answer)) std::rethrow_exception(failure);
  return taken(std::move(answer), context);
}

void LibraryProcess::close(uint64_t file) {
  if (open_.erase(file) == 0) return;
  to_close_.push_back(file);
  if (is_closing_ || to_close_.size() > 1) return;
  Writer question;
  question(file);
  // Even if the process is stopped or not reading, a few bytes fit into the socket.
  if (child_->channel().send_at_once(static_cast<uint32_t>(Ask::close), question.bytes())) is_closing_ = true;
}

// Closes files. Returns false if the process is gone, or was ended because it does not even close a file.
bool LibraryProcess::close_some(Context& context) {
  if (to_close_.empty()) return true;
  try {
    while (!to_close_.empty()) {
      Writer question;
      if (!std::exchange(is_closing_, false)) question(to_close_.front());
      exchange(context, Ask::close, question.bytes());
      to_close_.erase(to_close_.begin());
    }
  } catch (const Error&) {
    end();  // not because of the current question
    return false;
  } catch (const NotAsked&) {
    end();
    return false;
  }
  return true;
}

// Closes the file that was asked about longest ago, so that one more can be opened.
void LibraryProcess::make_room() {
  while (!open_.empty() && open_.size() >= settings_.max_files) {
    const auto oldest = std::min_element(open_.begin(), open_.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    to_close_.push_back(oldest->first);
    open_.erase(oldest);
  }
}

void LibraryProcess::open_again(ProcessedFile& file) {
  if (const auto known = open_.find(file.number); known != open_.end()) {
    known->second = ++questions_;
    return;
  }
  Writer question;
  question(file.number, file.location);
  const Answered answer = exchange(*file.context, Ask::open, question.bytes());
  Reader in = answer.reader();
  const auto facts = in.read<OpenedFacts>();
  if (facts.fingerprint != file.bytes->fingerprint()) throw changed(file.bytes->path());
  open_[file.number] = ++questions_;
  if (!file.facts) file.facts = facts;
}

LibraryProcess::Answered LibraryProcess::put(ProcessedFile& file, Ask ask, ByteSpan question) {
  is_given_up_.store(false, std::memory_order_relaxed);
  for (bool is_again = false;; is_again = true) {
    try {
      start(*file.context);
      if (!open_.contains(file.number)) make_room();
      if (!close_some(*file.context)) start(*file.context);
      open_again(file);
      return ask == Ask::open ? Answered() : exchange(*file.context, ask, question);
    } catch (const NotAsked&) {
      end();
      if (is_again) throw LibraryEnded("libhdf5 ended before it could read this file");
    }
  }
}

}  // namespace plainfs::hdf5
