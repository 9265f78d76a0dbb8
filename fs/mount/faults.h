// Why files cannot be read, for who meets EIO and asks: `getfattr -n user.plainfs.error FILE`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cache/mutex.h"
#include "fs/filesystem.h"

namespace plainfs {

// Thread-safe.
class Faults {
 public:
  static constexpr std::string_view kAttribute = "user.plainfs.error";

  // What the last failure of a request for inode was.
  void remember(Inode inode, const Error& error);
  // Nothing of it holds for a store that was opened anew.
  void forget();
  // What opening or listing inode says is wrong now, else the last failure; nullopt: neither. Takes no pass
  // over the content of a file.
  std::optional<std::string> reason(Filesystem& filesystem, Inode inode) const;

 private:
  mutable Mutex mutex_;
  std::unordered_map<Inode, std::string> reasons_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
