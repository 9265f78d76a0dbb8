#include "fs/opening.h"

#include <cerrno>
#include <chrono>

#include "cache/request.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"

namespace plainfs {
namespace {

bool same(timespec a, timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

Context with_files(const Context& like, Sources& files) {
  Context made{like.cache,    like.workers, like.decode_budget, like.unit_budget, files,
               like.counters, like.options, like.warn,          like.note,        {},
               like.passes};
  made.progress = like.progress;
  return made;
}

// A daemon that is told to end does so within a second.
constexpr std::chrono::milliseconds kMostToSave{500};

class Deadline : public Request {
 public:
  bool cancelled() const override { return std::chrono::steady_clock::now() > end_; }

 private:
  const std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kMostToSave;
};

}  // namespace

OpeningContext::OpeningContext(const Context& like, const std::string& store)
    : first_owner_(like.cache.new_owner()),
      files_(store, like.options, like.cache, like.counters),
      used_(files_.own(), store),
      context_(with_files(like, used_)),
      others_(context_, files_) {
  context_.other = [this](const std::string& met) -> Context& { return others_.of(met); };
}

// What was made ahead of a reader may have come into the cache after Opening let go of the rest.
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

// What was removed is another device's inode 0. A disk or a network that does not answer has changed nothing.
Opening::Stamp Opening::stamp_of(const std::string& path) {
  if (is_url(path)) return {};  // every reply says which version it is of
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno != ENOENT && errno != ENOTDIR)
    throw system_error(path, errno);
  Stamp stamp;
  stamp.device = status.st_dev;
  stamp.inode = status.st_ino;
  if (!S_ISREG(status.st_mode)) return stamp;
  stamp.size = status.st_size;
  stamp.modified = modified_time(status);
  stamp.changed = changed_time(status);
  return stamp;
}

void Opening::check_unchanged(const std::string& store_path) {
  if (is_lost_.load(std::memory_order_relaxed)) throw changed(store_path);
  const Stamp now = stamp_of(store_path);
  const MutexLock lock(stamps_mutex_);
  const Stamp& first = stamps_.try_emplace(store_path, now).first->second;
  const bool is_same = first.device == now.device && first.inode == now.inode && first.size == now.size &&
                       same(first.modified, now.modified) && same(first.changed, now.changed);
  if (is_same) return;
  see_change();
  throw changed(store_path);
}

void Opening::save_index() {
  if (has_changed_.load(std::memory_order_relaxed)) throw changed(store_->path);
  tree_.save_index(true);
}

}  // namespace plainfs
