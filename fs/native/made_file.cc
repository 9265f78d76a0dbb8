#include "fs/native/made_file.h"

#include <string_view>

#include "cache/cancellable_lock.h"

namespace plainfs {

namespace {

class MadeFile : public ViewFile {
 public:
  MadeFile(std::function<std::string()> make, std::string version)
      : make_(std::move(make)), version_(std::move(version)) {}

  uint64_t size() override { return content()->text.size(); }
  std::optional<uint64_t> known_size() override {
    const FindingPtr made = this->made();
    return made ? std::optional<uint64_t>(made->text.size()) : std::nullopt;
  }
  Slices read(uint64_t offset, size_t size) override {
    const FindingPtr made = content();
    const std::string_view text = made->text;
    Slices slices;
    if (offset < text.size()) slices.add(as_byte_span(text.substr(offset, size)), made);
    return slices;
  }
  Findings findings() const override {
    const FindingPtr made = this->made();
    return made ? Findings{made} : Findings();
  }
  void adopt(const Findings& findings) override {
    const MutexLock lock(mutex_);
    if (!made_ && findings.size() == 1 && findings[0]->name == version_) made_ = findings[0];
  }

 private:
  FindingPtr made() const {
    const MutexLock lock(mutex_);
    return made_;
  }
  FindingPtr content() {
    const CancellableLock making(making_);
    if (FindingPtr made = this->made()) return made;
    const auto made = std::make_shared<const Finding>(Finding{version_, make_(), {}});
    const MutexLock lock(mutex_);
    return made_ = made;
  }

  const std::function<std::string()> make_;
  const std::string version_;
  Mutex making_;  // held by the one who makes it
  mutable Mutex mutex_;
  FindingPtr made_ GUARDED_BY(mutex_);  // null until it is made
};

}  // namespace

std::shared_ptr<ViewFile> made_file(std::function<std::string()> make, std::string version) {
  return std::make_shared<MadeFile>(std::move(make), std::move(version));
}

}  // namespace plainfs
