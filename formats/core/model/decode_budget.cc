#include "formats/core/model/decode_budget.h"

#include "cache/mutex.h"

namespace plainfs {

DecodeBudget::Part DecodeBudget::take(size_t bytes) {
  const MutexLock lock(mutex_);
  const uint64_t my_turn = next_turn_++;
  while (my_turn != turn_ || !has_room_for(bytes)) changed_.wait(mutex_);
  ++turn_;
  taken_bytes_ += bytes;
  changed_.notify_all();
  return Part(*this, bytes);
}

bool DecodeBudget::has_room_for(size_t bytes) const {
  return taken_bytes_ == 0 || (taken_bytes_ < max_bytes_ && bytes <= max_bytes_ - taken_bytes_);
}

void DecodeBudget::leave(size_t bytes) {
  {
    const MutexLock lock(mutex_);
    taken_bytes_ -= bytes;
  }
  changed_.notify_all();
}

}  // namespace plainfs
