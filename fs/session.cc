#include "fs/session.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "formats/containers/hdf5/process/library_processes.h"
#include "formats/core/base/location.h"
#include "formats/joined/joined_store.h"
#include "formats/open_store.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/store_path.h"
#include "fs/index/kept_passes.h"
#include "fs/info.h"

namespace plainfs {
namespace {

// Returns the number of threads that decode and format. Threads that request data take part in the work, but
// mostly wait for the kernel. The workers of a remote store wait for the server.
unsigned workers_for(const Options& options) {
  if (options.threads != 0) return options.threads;
  const unsigned least = reads_url(options) ? 16 : 1;
  return std::max(least, std::thread::hardware_concurrency());
}

hdf5::ProcessSettings process_settings(const Options& options) {
  hdf5::ProcessSettings settings;
  settings.plugins = options.read.hdf5_plugins;
  return settings;
}

Appearance appearance_of(const Options& options) {
  Appearance appearance;
  appearance.owner = options.uid.value_or(::getuid());
  appearance.group = options.gid.value_or(::getgid());
  appearance.umask = options.umask;
  appearance.is_for_others = is_for_others(options);
  appearance.subdir = options.subdir;
  appearance.follows_folders = options.reopens_on_change;
  if (!options.index.empty()) appearance.index = std::make_shared<const IndexFolder>(options.index);
  try {
    appearance.views = views_named(options.views);
    if (options.lists_parts) appearance.views = with_parts_listed(std::move(appearance.views));
  } catch (const Error& error) {
    throw Failure(kUsage, error.what());
  }
  return appearance;
}

// Returns the command to use instead of "pbmc.h5/assays/RNA"; empty if no part of the path is a store.
std::string inner_hint(const std::string& given) {
  std::vector<std::string> names{given};
  split_store_path(names);
  if (names.size() == 1) return {};
  return fmt::format("; to show a part of a store: plainfs -o subdir={} {}", names[1], names[0]);
}

}  // namespace

Session::Session(const Options& options, std::function<void(const std::string& message)> warn,
                 std::function<void(uint64_t read, uint64_t size)> passing)
    : cache_(options.cache_bytes),
      files_(options.store, options.read, cache_, counters_),
      used_(files_.own(), options.store.empty() ? "" : location_of_store(options.store)),
      hdf5_processes_(std::make_unique<hdf5::LibraryProcesses>(process_settings(options))),
      context_{cache_,
               workers_,
               decode_budget_,
               unit_budget_,
               used_,
               counters_,
               options.read,
               [this, warn](const std::string& line) {
                 log_.warn(line);
                 if (warn) warn(line);
               },
               [this](const std::string& line) {
                 notices_.add(line);
                 log_.warn(line);
               },
               [this](const std::string& store) -> Context& { return others_.of(store); }},
      others_(context_, files_),
      workers_(workers_for(options)) {
  counters_.remote.log = [this](const std::string& line) { log_.warn(line); };
  context_.passing = std::move(passing);
  context_.progress = [this](const std::string& line) { log_.warn(line); };
  if (options.read.join)
    for (const JoinOptions::Member& member : options.read.join->stores) used_.add_store(member.location);
  if (options.store.empty()) throw Failure(kUsage, "expected a store; see plainfs --help");
  Appearance appearance = appearance_of(options);
  if (appearance.index) {
    passes_ = std::make_unique<KeptPasses>(appearance.index, context_.progress);
    context_.passes = passes_.get();
  }
  StorePtr store;
  try {
    store = std::make_shared<const Store>(open_named_store(options.store, context_));
  } catch (const Error& error) {
    const std::string why = reason(error),
                      place = options.store + ": ";  // a server's answer begins with it
    if (options.read.join) throw Failure(exit_code_of(error.code()), why);
    throw Failure(exit_code_of(error.code()),
                  fmt::format("{}{}{}", why.starts_with(place) ? "" : place, why, inner_hint(options.store)));
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

Session::~Session() = default;

std::vector<std::string> Session::sources_used() {
  std::vector<std::string> names = used_.names();
  for (std::string& name : others_.sources_used()) names.push_back(std::move(name));
  return names;
}

}  // namespace plainfs
