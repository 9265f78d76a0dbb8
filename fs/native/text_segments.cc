#include "fs/native/text_segments.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"
#include "fs/native/array_segment.h"

namespace plainfs {

namespace {

constexpr std::string_view kMissing = "NA";

class PaddedTexts : public Segment {
 public:
  PaddedTexts(ArrayPtr texts, uint32_t width) : texts_(std::move(texts)), width_(width) {}

  uint64_t size() const override { return checked_multiply(texts_->count(), width_); }

  void read(const Wanted& wanted) const override {
    read_elements(wanted, width_, [&](uint64_t first, uint64_t count, std::byte* out) {
      std::memset(out, 0, count * width_);
      for_each_text(*texts_, first, count, [&](std::string_view text, bool is_missing) {
        if (is_missing) text = kMissing;
        if (text.size() > width_) throw unreadable("texts have changed since they were measured");
        if (!text.empty()) std::memcpy(out, text.data(), text.size());
        out += width_;
      });
    });
  }

 private:
  const ArrayPtr texts_;
  const uint32_t width_;
};

}  // namespace

uint64_t padded_width(const TextLengths& lengths) {
  return std::max<uint64_t>(lengths.longest, lengths.any_missing ? kMissing.size() : 1);
}

SegmentPtr padded_texts(ArrayPtr texts, uint32_t width) {
  return std::make_shared<PaddedTexts>(std::move(texts), width);
}

}  // namespace plainfs
