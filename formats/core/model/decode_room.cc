#include "formats/core/model/decode_room.h"

namespace plainfs {

DecodeRoom::Part DecodeRoom::take(size_t bytes) {
  std::unique_lock lock(mutex_);
  const uint64_t my_turn = next_turn_++;
  changed_.wait(lock, [&] {
    return my_turn == turn_ &&
           (taken_bytes_ == 0 || (taken_bytes_ < most_bytes_ && bytes <= most_bytes_ - taken_bytes_));
  });
  ++turn_;
  taken_bytes_ += bytes;
  changed_.notify_all();
  return Part(*this, bytes);
}

void DecodeRoom::leave(size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    taken_bytes_ -= bytes;
  }
  changed_.notify_all();
}

}  // namespace plainfs
