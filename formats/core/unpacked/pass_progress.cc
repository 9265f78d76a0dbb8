#include "formats/core/unpacked/pass_progress.h"

#include <algorithm>
#include <utility>

namespace plainfs::unpacked {

class PassProgress::Watched final : public DerivedFile {
 public:
  Watched(FilePtr file, std::atomic<uint64_t>& read) : DerivedFile(std::move(file)), read_(read) {}

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    file().read_at(offset, out);
    read_.store(offset + out.size(), std::memory_order_relaxed);
  }

  std::atomic<uint64_t>& read_;
};

FilePtr PassProgress::watched(FilePtr file) {
  return std::make_shared<Watched>(std::move(file), read_);
}

void PassProgress::report(Clock::time_point now) {
  const uint64_t read = read_.load(std::memory_order_relaxed);
  if (context_.passing) context_.passing(std::min(read, size_), size_);
  if (now < due_) return;
  due_ = now + kNext;
  const double share = size_ == 0 ? 1 : static_cast<double>(read) / static_cast<double>(size_);
  context_.log_progress(fmt::format("locating {}: {:.0f} % of {} bytes read", purpose_, 100 * share, size_));
}

}  // namespace plainfs::unpacked
