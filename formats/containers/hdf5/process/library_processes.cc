#include "formats/containers/hdf5/process/library_processes.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "cache/request.h"

namespace plainfs::hdf5 {
namespace {

// How many endings of a crash one silence is: it keeps those waiting who read the file.
constexpr size_t kWeightOfSilence = 8;

// Between two looks of one who waits.
constexpr std::chrono::milliseconds kStep{10};

// Atomic, because it is read by whoever opens a file.
std::atomic<LibraryProcesses*>& processes_of_program() {
  static std::atomic<LibraryProcesses*> processes{nullptr};
  return processes;
}

}  // namespace

LibraryProcesses::LibraryProcesses(ProcessSettings settings)
    : settings_(std::move(settings)), before_(processes_of_program().exchange(this)) {
  places_.reserve(kMostProcesses);
  places_.push_back(std::make_unique<Place>(settings_));
}

LibraryProcesses::~LibraryProcesses() {
  processes_of_program() = before_;
}

LibraryProcesses* LibraryProcesses::current() {
  return processes_of_program();
}

uint64_t LibraryProcesses::new_file_number() {
  const std::lock_guard lock(mutex_);
  return ++last_file_;
}

std::vector<pid_t> LibraryProcesses::idle_numbers() {
  const std::lock_guard lock(mutex_);
  std::vector<pid_t> numbers;
  for (const auto& place : places_) {
    if (place->is_busy) continue;
    if (const std::optional<pid_t> number = place->process.number()) numbers.push_back(*number);
  }
  return numbers;
}

// One that is idle, or a new one. Where there is none, the one that has been silent for longest is told to
// give up. Requires: the mutex is held.
LibraryProcesses::Place* LibraryProcesses::another() {
  for (const auto& place : places_)
    if (!place->is_busy) return place.get();
  if (places_.size() < kMostProcesses) return places_.emplace_back(std::make_unique<Place>(settings_)).get();
  const auto silent = std::max_element(places_.begin(), places_.end(), [](const auto& a, const auto& b) {
    return a->process.silence() < b->process.silence();
  });
  if ((*silent)->process.silence() > LibraryProcess::kMostSilenceWhenWanted) (*silent)->process.give_up();
  return nullptr;
}

// Where the file is to be asked about now; null: nowhere yet. Requires: the mutex is held.
LibraryProcesses::Place* LibraryProcesses::place_for(ProcessedFile& file,
                                                     LibraryProcess::Clock::duration waited) {
  Place& home = *places_[file.home];
  if (!home.is_busy) return &home;
  if (home.file == file.number) return nullptr;  // who keeps it busy is this file
  if (waited < kPatience && LibraryProcess::Clock::now() - home.since < kPatience) return nullptr;
  Place* const found = another();
  if (!found) return nullptr;
  home.closed.push_back(file.number);
  file.home = static_cast<size_t>(
      std::find_if(places_.begin(), places_.end(), [&](const auto& place) { return place.get() == found; }) -
      places_.begin());
  return found;
}

LibraryProcesses::Place& LibraryProcesses::wait_for_place(ProcessedFile& file) {
  const auto began = LibraryProcess::Clock::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (Place* const place = place_for(file, LibraryProcess::Clock::now() - began)) {
      place->is_busy = true;
      place->file = file.number;
      place->since = LibraryProcess::Clock::now();
      return *place;
    }
    check_cancelled();
    left_.wait_for(lock, kStep);
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

void LibraryProcesses::leave(Place& place) noexcept {
  {
    const std::lock_guard lock(mutex_);
    for (const uint64_t file : place.closed) close_in(place, file);
    place.closed.clear();
    place.is_busy = false;
  }
  left_.notify_all();
}

void LibraryProcesses::close(const ProcessedFile& file) noexcept try {
  const std::lock_guard lock(mutex_);
  Place& home = *places_[file.home];
  if (home.is_busy)
    home.closed.push_back(file.number);
  else
    close_in(home, file.number);
} catch (...) {
  // It stays open there until it is the one that was asked about longest ago.
}

LibraryProcess::Answered LibraryProcesses::put(LibraryProcess& process, ProcessedFile& file, Ask ask,
                                               ByteSpan question, uint64_t about) {
  const uint64_t fingerprint = file.bytes->fingerprint();
  const uint64_t what = about * 16 + static_cast<uint64_t>(ask);
  const auto now = LibraryProcess::Clock::now;
  {
    const std::lock_guard lock(mutex_);
    if (endings_.is_refused(fingerprint, what, now()))
      throw LibraryEnded(
          "libhdf5 ended while reading this file, more than once: it is tried again in a while");
  }
  try {
    LibraryProcess::Answered answer = process.put(file, ask, question);
    const std::lock_guard lock(mutex_);
    endings_.forget(fingerprint, what);
    return answer;
  } catch (const LibraryEnded& error) {
    const std::lock_guard lock(mutex_);
    endings_.note(fingerprint, what, now(), error.was_silent() ? kWeightOfSilence : 1);
    throw;
  }
}

void LibraryProcesses::open(ProcessedFile& file) {
  file.bytes->check_unchanged();
  const Turn turn(*this, file);
  put(turn.process(), file, Ask::open, {}, 0);
}

}  // namespace plainfs::hdf5
