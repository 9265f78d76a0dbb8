#include "fs/views/shared_opener.h"

#include <mutex>

namespace plainfs {

Opener shared_opener(Opener open) {
  struct Shared {
    Opener open;
    std::mutex mutex;  // guards file
    std::weak_ptr<ViewFile> file;
  };
  const auto shared = std::make_shared<Shared>();
  shared->open = std::move(open);
  return [shared] {
    const std::lock_guard lock(shared->mutex);
    std::shared_ptr<ViewFile> file = shared->file.lock();
    if (!file) shared->file = file = shared->open();
    return file;
  };
}

}  // namespace plainfs
