#include "fs/native/made_file.h"

#include <mutex>

#include "cache/cancellable_lock.h"

namespace plainfs {

namespace {

class MadeFile : public ViewFile {
 public:
  explicit MadeFile(std::function<std::string()> make) : make_(std::move(make)) {}

  uint64_t size() override { return content()->size(); }
  Slices read(uint64_t offset, size_t size) override {
    const auto made = content();
    Slices slices;
    if (offset < made->size()) slices.add(as_byte_span(std::string_view(*made).substr(offset, size)), made);
    return slices;
  }

 private:
  std::shared_ptr<const std::string> content() {
    const auto lock = lock_unless_cancelled(mutex_);
    if (!content_) content_ = std::make_shared<const std::string>(make_());
    return content_;
  }

  const std::function<std::string()> make_;
  std::mutex mutex_;  // guards content_
  std::shared_ptr<const std::string> content_;
};

}  // namespace

std::shared_ptr<ViewFile> made_file(std::function<std::string()> make) {
  return std::make_shared<MadeFile>(std::move(make));
}

}  // namespace plainfs
