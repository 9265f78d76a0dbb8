#include "fs/session.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "formats/open_store.h"
#include "fs/exit_code.h"
#include "fs/info.h"
#include "fs/store_path.h"

namespace plainfs {
namespace {

constexpr size_t kMostOpenFiles = 256;
constexpr size_t kMostNeighbours = 16;  // only looked at, to tell what links lead to

// Threads that decode and format. Those that ask take part in the work, but mostly they wait for the kernel.
unsigned workers_for(const Options& options) {
  if (options.single_threaded) return 0;
  return options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

Appearance appearance_of(const Options& options) {
  Appearance appearance;
  appearance.owner = options.uid.value_or(::getuid());
  appearance.group = options.gid.value_or(::getgid());
  appearance.umask = options.umask;
  appearance.is_for_others = is_for_others(options);
  appearance.subdir = options.subdir;
  try {
    appearance.views = views_named(options.views);
  } catch (const Error& error) {
    throw Failure(kUsage, error.what());
  }
  return appearance;
}

// What to type instead of "pbmc.h5/assays/RNA"; empty where nothing of that is a store.
std::string inner_hint(const std::string& given) {
  std::vector<std::string> names{given};
  split_store_path(names);
  if (names.size() == 1) return {};
  return fmt::format("; to show a part of a store: plainfs -o subdir={} {}", names[1], names[0]);
}

}  // namespace

Session::Session(const Options& options, std::function<void(const std::string& message)> warn)
    : cache_(options.cache_bytes),
      files_(kMostOpenFiles, &counters_.source_bytes_read),
      neighbours_(kMostNeighbours, &counters_.source_bytes_read),
      context_{cache_,
               workers_,
               decode_room_,
               unit_room_,
               files_,
               counters_,
               options.read,
               [this, warn](const std::string& line) {
                 log_.warn(line);
                 if (warn) warn(line);
               },
               [this](const std::string& line) { log_.warn(line); },
               [this](const std::string& store) -> Context& { return context_of(store); }},
      workers_(workers_for(options)) {
  if (options.store.empty()) throw Failure(kUsage, "no store is given; see plainfs --help");
  Appearance appearance = appearance_of(options);
  if (!options.read.follow_outside) {
    files_.confine(Containment::of_store(options.store));
    neighbours_.confine(Containment::around_store(options.store));
  }
  StorePtr store;
  try {
    store = std::make_shared<const Store>(open_store(options.store, context_));
  } catch (const Error& error) {
    throw Failure(exit_code_of(error.code()),
                  fmt::format("{}: {}{}", options.store, reason(error), inner_hint(options.store)));
  }
  try {
    filesystem_ = std::make_unique<Filesystem>(std::move(store), std::move(appearance), context_);
  } catch (const Error& error) {
    throw Failure(exit_code_of(error.code()),
                  fmt::format("{}: subdir={}: {}", options.store, options.subdir, error.what()));
  }
  filesystem_->set_error_log([this](const std::string& line) { log_.error(line); });
  add_info_files(*filesystem_, context_, log_, describe(options));
}

Context& Session::context_of(const std::string& store) {
  const std::lock_guard lock(others_mutex_);
  if (const auto known = others_.find(store); known != others_.end()) return known->second;
  const auto named = [store](const std::function<void(const std::string&)>& tell) {
    return [store, tell](const std::string& message) { tell(store + ": " + message); };
  };
  FilePool& files = files_.bounds().contains(store) ? files_ : neighbours_;
  const Context other{
      cache_,    workers_,         decode_room_,         unit_room_,           files,
      counters_, context_.options, named(context_.warn), named(context_.note), context_.other};
  return others_.emplace(store, other).first->second;
}

}  // namespace plainfs
