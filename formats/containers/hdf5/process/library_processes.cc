#include "formats/containers/hdf5/process/library_processes.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "cache/request.h"

namespace plainfs::hdf5 {
namespace {

// Returns the number of crashes that one end counts as. A silence keeps all readers of the file waiting, so
// it counts more. A file that makes the library compute without end while others wait for a process is
// refused at once, for a while.
size_t weight_of(LibraryEnded::Why why) {
  switch (why) {
    case LibraryEnded::Why::itself:
      return 1;
    case LibraryEnded::Why::silence:
      return CrashHistory::kMaxOfFile / 2;
    case LibraryEnded::Why::busy_while_others_wait:
      return CrashHistory::kMaxOfFile;
  }
  return 1;
}

uint64_t question_number(Ask ask, uint64_t about) {
  return about * 16 + static_cast<uint64_t>(ask);
}

// The interval at which a waiting thread checks again.
constexpr std::chrono::milliseconds kStep{10};

// Atomic, because every thread that opens a file reads it.
std::atomic<LibraryProcesses*>& processes_of_program() {
  static std::atomic<LibraryProcesses*> processes{nullptr};
  return processes;
}

}  // namespace

LibraryProcesses::LibraryProcesses(ProcessSettings settings)
    : settings_(std::move(settings)), before_(processes_of_program().exchange(this)) {
  places_.reserve(kMaxProcesses);
  places_.push_back(std::make_unique<Place>(settings_));
}

LibraryProcesses::~LibraryProcesses() {
  processes_of_program() = before_;
}

LibraryProcesses* LibraryProcesses::current() {
  return processes_of_program();
}

uint64_t LibraryProcesses::new_file_number() {
  const MutexLock lock(mutex_);
  return ++last_file_;
}

std::vector<pid_t> LibraryProcesses::idle_numbers() {
  const MutexLock lock(mutex_);
  std::vector<pid_t> numbers;
  for (const auto& place : places_) {
    if (place->is_busy) continue;
    if (const std::optional<pid_t> number = place->process.number()) numbers.push_back(*number);
  }
  return numbers;
}

// Returns an idle process or a new one. If all are busy, makes the process that is overdue for longest give
// up, and returns null. Only one gives up at a time: ending a process takes a moment, in which the next one
// would appear to be silent for longer.
LibraryProcesses::Place* LibraryProcesses::another() {
  for (const auto& place : places_)
    if (!place->is_busy) return place.get();
  if (places_.size() < kMaxProcesses) return places_.emplace_back(std::make_unique<Place>(settings_)).get();
  LibraryProcess* longest = nullptr;
  for (const auto& place : places_) {
    if (place->is_busy && place->process.is_giving_up()) return nullptr;
    if (place->process.is_overdue() && (!longest || place->process.silence() > longest->silence()))
      longest = &place->process;
  }
  if (longest) longest->give_up();
  return nullptr;
}

// Returns a running process that is idle, or null.
LibraryProcesses::Place* LibraryProcesses::idle_process() {
  for (const auto& place : places_)
    if (!place->is_busy && place->is_running) return place.get();
  return nullptr;
}

// Returns the process in which to ask about the file now, null if the thread has to wait. A file that is not
// open yet is as well off in one process as in another.
LibraryProcesses::Place* LibraryProcesses::place_for(ProcessedFile& file,
                                                     LibraryProcess::Clock::duration waited) {
  Place& home = *places_[file.home];
  if (!home.is_busy) return &home;
  if (home.file == file.number) return nullptr;  // this file keeps it busy
  const auto busy = static_cast<size_t>(
      std::count_if(places_.begin(), places_.end(), [](const auto& place) { return place->is_busy; }));
  const bool has_processor = busy < std::thread::hardware_concurrency();
  const auto patience = !file.is_open && has_processor ? kPatienceToOpen : kPatience;
  const bool is_patient = waited < patience && LibraryProcess::Clock::now() - home.since < kPatience;
  Place* found = file.is_open ? nullptr : idle_process();
  if (!found && is_patient) return nullptr;
  if (!found) found = another();
  if (!found) return nullptr;
  if (file.is_open) home.closed.push_back(file.number);
  file.home = static_cast<size_t>(
      std::find_if(places_.begin(), places_.end(), [&](const auto& place) { return place.get() == found; }) -
      places_.begin());
  return found;
}

LibraryProcesses::Place& LibraryProcesses::wait_for_place(ProcessedFile& file) {
  const auto began = LibraryProcess::Clock::now();
  const MutexLock lock(mutex_);
  for (;;) {
    if (Place* const place = place_for(file, LibraryProcess::Clock::now() - began)) {
      place->is_busy = true;
      place->file = file.number;
      file.is_open = true;
      place->since = LibraryProcess::Clock::now();
      return *place;
    }
    check_cancelled();
    left_.wait_for(mutex_, kStep);
  }
}

// Requires: the mutex is held, and the place is not busy.
void LibraryProcesses::close_in(Place& place, uint64_t file) {
  try {
    place.process.close(file);
  } catch (...) {
    place.process.end();
  }
}

// Marks as busy a place other than `used` with a process that has been idle for long. Returns null if no
// place has.
LibraryProcesses::Place* LibraryProcesses::take_idle(const Place& used) {
  const MutexLock lock(mutex_);
  for (const auto& place : places_) {
    if (place.get() == &used || !place->is_running || place->is_busy) continue;
    if (LibraryProcess::Clock::now() - place->since < settings_.max_idle) continue;
    place->is_busy = true;
    return place.get();
  }
  return nullptr;
}

void LibraryProcesses::give_back(Place& place) {
  {
    const MutexLock lock(mutex_);
    for (const uint64_t file : place.closed) close_in(place, file);
    place.closed.clear();
    place.is_busy = false;
    place.since = LibraryProcess::Clock::now();
    place.is_running = place.process.is_started();
    place.own_bytes = place.process.own_bytes();
  }
  left_.notify_all();
}

void LibraryProcesses::leave(Place& place) noexcept {
  if (place.process.own_bytes() > settings_.max_bytes) place.process.end();
  give_back(place);
  Place* const idle = take_idle(place);
  if (!idle) return;
  idle->process.end();
  give_back(*idle);
}

LibraryProcesses::Statistics LibraryProcesses::statistics() {
  Statistics all;
  const MutexLock lock(mutex_);
  for (const auto& place : places_) {
    if (!place->is_running) continue;
    ++all.processes;
    all.own_bytes += place->own_bytes;
  }
  return all;
}

void LibraryProcesses::close(const ProcessedFile& file) noexcept try {
  const MutexLock lock(mutex_);
  Place& home = *places_[file.home];
  if (home.is_busy)
    home.closed.push_back(file.number);
  else
    close_in(home, file.number);
} catch (...) {
  // It stays open there until it is the file that was asked about longest ago.
}

void LibraryProcesses::refuse_what_ended_it(const ProcessedFile& file, Ask ask, uint64_t about) {
  const MutexLock lock(mutex_);
  if (crashes_.is_refused(file.bytes->fingerprint(), question_number(ask, about),
                          LibraryProcess::Clock::now()))
    throw LibraryEnded("libhdf5 ended more than once while reading this file; it will be tried again later");
}

LibraryProcess::Answered LibraryProcesses::put(LibraryProcess& process, ProcessedFile& file, Ask ask,
                                               ByteSpan question, uint64_t about) {
  const uint64_t fingerprint = file.bytes->fingerprint();
  const uint64_t what = question_number(ask, about);
  try {
    LibraryProcess::Answered answer = process.put(file, ask, question);
    const MutexLock lock(mutex_);
    crashes_.forget(fingerprint, what);
    return answer;
  } catch (const LibraryEnded& error) {
    const MutexLock lock(mutex_);
    // Nothing needs the objects that are read ahead, so their reading counts little against the file.
    const size_t weight = ask == Ask::tree ? 1 : weight_of(error.why());
    crashes_.note(fingerprint, what, LibraryProcess::Clock::now(), weight);
    throw;
  }
}

void LibraryProcesses::open(ProcessedFile& file) {
  file.bytes->check_unchanged();
  refuse_what_ended_it(file, Ask::open, 0);
  const Turn turn(*this, file);
  refuse_what_ended_it(file, Ask::open, 0);
  put(turn.process(), file, Ask::open, {}, 0);
}

}  // namespace plainfs::hdf5
