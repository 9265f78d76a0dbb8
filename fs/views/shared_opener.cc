#include "fs/views/shared_opener.h"

#include "cache/mutex.h"

namespace plainfs {

Opener shared_opener(Opener open) {
  struct Shared {
    Opener open;
    Mutex mutex;
    std::weak_ptr<ViewFile> file GUARDED_BY(mutex);
  };
  const auto shared = std::make_shared<Shared>();
  shared->open = std::move(open);
  return [shared] {
    const MutexLock lock(shared->mutex);
    std::shared_ptr<ViewFile> file = shared->file.lock();
    if (!file) shared->file = file = shared->open();
    return file;
  };
}

}  // namespace plainfs
