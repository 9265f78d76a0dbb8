#include "fs/mount/faults.h"

#include "cache/mutex.h"
#include "fs/exit_code.h"

namespace plainfs {
namespace {

constexpr size_t kMostFaults = 4096;
constexpr size_t kLongestReason = 4096;  // bytes; it may hold names out of the store

std::string text_of(const Error& error) {
  return plainfs::reason(error).substr(0, kLongestReason);
}

}  // namespace

void Faults::remember(Inode inode, const Error& error) {
  if (error.code() == Errc::not_found) return;
  const MutexLock lock(mutex_);
  if (reasons_.size() >= kMostFaults) reasons_.clear();
  reasons_[inode] = text_of(error);
}

void Faults::forget() {
  const MutexLock lock(mutex_);
  reasons_.clear();
}

std::optional<std::string> Faults::reason(Filesystem& filesystem, Inode inode) const {
  try {
    const mode_t mode = filesystem.status_so_far(inode).stat.st_mode;
    if (S_ISDIR(mode)) filesystem.list(inode);
    if (S_ISREG(mode)) filesystem.open(inode).view->known_size();
  } catch (const Error& error) {
    return text_of(error);
  }
  const MutexLock lock(mutex_);
  const auto known = reasons_.find(inode);
  return known == reasons_.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace plainfs
