#include "fs/opening.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "cache/request.h"
#include "formats/core/base/change_watch.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"

namespace plainfs {
namespace {

Context with_files(const Context& like, Sources& files) {
  Context generated{like.cache,    like.workers, like.decode_budget, like.unit_budget, files,
                    like.counters, like.options, like.warn,          like.note,        {},
                    like.passes};
  generated.progress = like.progress;
  return generated;
}

// A daemon that is asked to end does so within a second.
constexpr std::chrono::milliseconds kMaxToSave{500};

class Deadline : public Request {
 public:
  bool cancelled() const override { return std::chrono::steady_clock::now() > end_; }

 private:
  const std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kMaxToSave;
};

}  // namespace

OpeningContext::OpeningContext(const Context& like, const std::string& store)
    : first_owner_(like.cache.new_owner()),
      files_(store, like.options, like.cache, like.counters),
      used_(files_.own(), store),
      context_(with_files(like, used_)),
      others_(context_, files_) {
  if (like.options.join)
    for (const JoinOptions::Member& member : like.options.join->stores) used_.add_store(member.location);
  context_.other = [this](const std::string& met) -> Context& { return others_.of(met); };
}

// Blocks prepared ahead of a reader may have entered the cache after Opening dropped the others.
OpeningContext::~OpeningContext() {
  context_.cache.drop(first_owner_, context_.cache.new_owner());
}

Opening::Opening(uint64_t number, std::shared_ptr<Context> context, StorePtr store, std::string_view subdir,
                 ChosenViews views, std::shared_ptr<Inodes> inodes, IndexFolderPtr index)
    : context_(std::move(context)),
      number_(number),
      first_owner_(context_->cache.new_owner()),
      store_(std::move(store)),
      tree_(store_, subdir, std::move(views), *context_, std::move(inodes), std::move(index)) {
  check_unchanged(store_->path);
}

Opening::~Opening() {
  try {
    const Deadline deadline;
    const Request::Scope scope(&deadline);
    if (!has_changed_.load(std::memory_order_relaxed)) tree_.save_index(false);
  } catch (...) {
    // it is only a cache
  }
  context_->cache.drop(first_owner_, context_->cache.new_owner());
  context_->files.clear();
}

// Returns whether the store at path, now with the status `now`, is unchanged but for its metadata. A missing
// store has device and inode 0.
bool Opening::is_unchanged(const std::string& path, const struct stat& now, Stamp& first) const {
  if (first.device != now.st_dev || first.inode != now.st_ino) return false;
  if (!S_ISREG(now.st_mode)) return true;
  if (first.size != now.st_size || !is_same_time(first.modified, modified_time(now))) return false;
  const uint64_t metadata = metadata_mark(now);
  if (metadata == first.metadata) return true;
  const std::vector<std::string>& joined = store_->joined;
  const bool is_own = path == store_->path || std::find(joined.begin(), joined.end(), path) != joined.end();
  Sources& files = is_own ? context_->files : context_->of_store(path).files;
  if (!files.is_unwritten(now, first.metadata)) return false;
  first.metadata = metadata;
  return true;
}

void Opening::check_unchanged(const std::string& store_path) {
  if (is_lost()) throw changed(store_path);
  if (store_->joined.empty() || store_path != store_->path) return check_store(store_path);
  for (const std::string& joined : store_->joined) check_store(joined);
}

void Opening::check_store(const std::string& store_path) {
  if (is_url(store_path)) return;  // every reply identifies its version
  struct stat now {};
  // A disk or a network that does not answer does not mean that the store has changed.
  if (!context_->files.look(store_path, now)) {
    if (errno != ENOENT && errno != ENOTDIR) throw system_error(store_path, errno);
    now = {};
  }
  const MutexLock lock(stamps_mutex_);
  const auto [known, is_new] = stamps_.try_emplace(store_path);
  if (is_new) {
    const bool is_file = S_ISREG(now.st_mode);
    known->second = {now.st_dev, now.st_ino, is_file ? now.st_size : 0,
                     is_file ? modified_time(now) : timespec{}, is_file ? metadata_mark(now) : 0};
  }
  if (is_unchanged(store_path, now, known->second)) return;
  see_change();
  throw changed(store_path);
}

void Opening::save_index() {
  if (has_changed_.load(std::memory_order_relaxed)) throw changed(store_->path);
  tree_.save_index(true);
}

}  // namespace plainfs
