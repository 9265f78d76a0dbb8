#include "fs/native/made_file.h"

#include <string_view>
#include <utility>

#include "cache/cancellable_lock.h"

namespace plainfs {

namespace {

class MadeFile : public ViewFile {
 public:
  MadeFile(std::function<std::string()> make, std::string version)
      : make_(std::move(make)), version_(std::move(version)) {}

  uint64_t size() override {
    if (const std::optional<uint64_t> known = known_size()) return *known;
    return content()->text.size();
  }
  std::optional<uint64_t> known_size() override {
    const FindingPtr found = this->found();
    return found ? std::optional(found->numbers[0]) : std::nullopt;
  }
  Slices read(uint64_t offset, size_t size) override {
    const FindingPtr made = content();
    const std::string_view text = made->text;
    Slices slices;
    if (offset < text.size()) slices.add(as_byte_span(text.substr(offset, size)), made);
    return slices;
  }
  Findings findings() const override {
    const FindingPtr found = this->found();
    return found ? Findings{found} : Findings();
  }
  // Of another session's, the size.
  void adopt(const Findings& findings) override {
    if (findings.size() != 1 || findings[0]->name != version_ || findings[0]->numbers.size() != 1 ||
        findings[0]->numbers[0] == 0)
      return;
    const MutexLock lock(mutex_);
    if (!found_) found_ = findings[0];
  }

 private:
  static bool is_made(const FindingPtr& found) { return found && !found->text.empty(); }
  FindingPtr found() const {
    const MutexLock lock(mutex_);
    return found_;
  }
  FindingPtr content() {
    const CancellableLock making(making_);
    if (FindingPtr found = this->found(); is_made(found)) return found;
    std::string text = make_();
    const uint64_t size = text.size();
    auto made = std::make_shared<const Finding>(Finding{version_, std::move(text), {size}, true});
    FindingPtr before;
    {
      const MutexLock lock(mutex_);
      before = std::exchange(found_, made);
    }
    // Said once: from then on it is as long as it is.
    if (before && before->numbers[0] != size) throw Outdated("the file has changed since it was made");
    return made;
  }

  const std::function<std::string()> make_;
  const std::string version_;
  Mutex making_;  // held while it is made
  mutable Mutex mutex_;
  FindingPtr found_ GUARDED_BY(mutex_);  // null until its size is known; the text: until it is made
};

}  // namespace

std::shared_ptr<ViewFile> made_file(std::function<std::string()> make, std::string version) {
  return std::make_shared<MadeFile>(std::move(make), std::move(version));
}

}  // namespace plainfs
