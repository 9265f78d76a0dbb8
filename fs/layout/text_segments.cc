#include "fs/layout/text_segments.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "formats/core/base/checked.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/utf8.h"
#include "fs/layout/array_segment.h"

namespace plainfs {

namespace {

constexpr uint64_t kRunsTogether = 16;
constexpr uint64_t kMaxTexts = uint64_t{1} << 32;  // the data kept for runs are 32 MiB then

}  // namespace

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c & 0x80; });
}

void for_each_text(const Array& array, uint64_t first, uint64_t count, const VisitText& visit) {
  const Elements elements = read_run(array, first, count);
  std::string formatted;
  for (uint64_t i = 0; i < count; ++i) {
    if (elements.is_missing(i)) {
      visit({}, true);
      continue;
    }
    std::string_view text;
    if (array.dtype().kind == Kind::text) {
      text = elements.text(i);
    } else {
      formatted.clear();
      append_plain(array.dtype(), elements, i, formatted);
      text = formatted;
    }
    if (!is_ascii(text)) check_utf8(text);
    if (text.find('\0') != text.npos) throw unsupported("text {} contains a NUL", first + i);
    visit(text, false);
  }
}

namespace {

TextLengths lengths_of(const Array& array, Context& context) {
  const uint64_t count = array.count();
  if (count > kMaxTexts)
    throw unsupported("{} texts, more than the {} that a file can have", count, kMaxTexts);
  const uint64_t runs = divide_up(count, kTextsInRun);
  std::vector<TextLengths> parts(divide_up(runs, kRunsTogether));
  TextLengths all;
  all.count = count;
  all.before.resize(runs + 1);
  context.workers.parallel_for(parts.size(), [&](size_t together) {
    TextLengths& part = parts[together];
    for (uint64_t run = together * kRunsTogether; run < std::min(runs, (together + 1) * kRunsTogether);
         ++run) {
      const uint64_t first = run * kTextsInRun;
      uint64_t bytes = 0;
      for_each_text(array, first, std::min(kTextsInRun, count - first),
                    [&](std::string_view text, bool missing) {
                      bytes += text.size();
                      part.longest = std::max<uint64_t>(part.longest, text.size());
                      part.any_missing |= missing;
                      part.is_ascii &= is_ascii(text);
                    });
      all.before[run + 1] = bytes;
    }
  });
  for (uint64_t run = 0; run < runs; ++run)
    all.before[run + 1] = checked_add(all.before[run], all.before[run + 1]);
  for (const TextLengths& part : parts) {
    all.longest = std::max(all.longest, part.longest);
    all.any_missing |= part.any_missing;
    all.is_ascii &= part.is_ascii;
  }
  return all;
}

}  // namespace

TextLengthsPtr measure_texts(const Array& array, Context& context) {
  array.check();
  return array.survey<TextLengths>(0, [&] { return lengths_of(array, context); });
}

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

class FramedTexts : public Segment {
 public:
  FramedTexts(ArrayPtr texts, TextLengthsPtr lengths, uint64_t first, uint64_t count, TextFraming framing)
      : texts_(std::move(texts)),
        lengths_(std::move(lengths)),
        framing_(framing),
        first_(first),
        end_(first + count),
        bytes_before_first_(bytes_before(first)),
        size_(checked_add(bytes_before(end_) - bytes_before_first_, checked_multiply(count, framing.size))) {}

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    std::span<std::byte> out = wanted.out;
    uint64_t offset = wanted.offset, run = run_at(offset);
    while (!out.empty()) {
      const uint64_t end = std::min(end_, (run / kTextsInRun + 1) * kTextsInRun);
      const uint64_t start = start_of(run);
      const std::string bytes = framed(run, end);
      if (bytes.size() != start_of(end) - start)
        throw unreadable("texts have changed since they were measured");
      const size_t some = std::min<size_t>(out.size(), bytes.size() - (offset - start));
      std::memcpy(out.data(), bytes.data() + (offset - start), some);
      out = out.subspan(some);
      offset += some;
      run = end;
    }
  }

 private:
  // Returns the bytes of all texts before one.
  uint64_t bytes_before(uint64_t text) const {
    if (text == lengths_->count) return lengths_->before.back();
    const uint64_t run = text / kTextsInRun * kTextsInRun;
    uint64_t bytes = lengths_->before[run / kTextsInRun];
    if (text > run)
      for_each_text(*texts_, run, text - run, [&](std::string_view each, bool) { bytes += each.size(); });
    return bytes;
  }
  // Returns the beginning of a text that begins a run, or is the first, or of the end.
  uint64_t start_of(uint64_t text) const {
    if (text == first_) return 0;
    if (text == end_) return size_;
    return bytes_before(text) - bytes_before_first_ + (text - first_) * framing_.size;
  }
  // Returns the first text of the run that contains a byte.
  uint64_t run_at(uint64_t offset) const {
    uint64_t low = first_ / kTextsInRun, high = divide_up(end_, kTextsInRun);
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      (start_of(middle * kTextsInRun) <= offset ? low : high) = middle;
    }
    return std::max(first_, low * kTextsInRun);
  }
  std::string framed(uint64_t first, uint64_t end) const {
    std::string bytes;
    for_each_text(*texts_, first, end - first,
                  [&](std::string_view text, bool) { framing_.append(text, bytes); });
    return bytes;
  }

  const ArrayPtr texts_;
  const TextLengthsPtr lengths_;
  const TextFraming framing_;
  const uint64_t first_, end_;
  const uint64_t bytes_before_first_;
  const uint64_t size_;
};

}  // namespace

TextFraming with_length() {
  return {sizeof(uint32_t), [](std::string_view text, std::string& out) {
            if (text.size() > INT32_MAX) throw unsupported("a text of {} bytes", text.size());
            const auto length = static_cast<uint32_t>(text.size());
            out.append(reinterpret_cast<const char*>(&length), sizeof length);
            out += text;
          }};
}

TextFraming with_line_feed() {
  return {1, [](std::string_view text, std::string& out) {
            if (text.find('\n') != text.npos || text.ends_with('\r'))
              throw unsupported("the name {} contains a line end", text);
            out.append(text).append("\n");
          }};
}

ArrayPtr without_missing_texts(const ArrayPtr& texts, Context& context) {
  if (!texts->may_be_missing() || !measure_texts(*texts, context)->any_missing) return texts;
  return frames::plain_texts(texts);
}

SegmentPtr framed_texts(ArrayPtr texts, TextLengthsPtr lengths, uint64_t first, uint64_t count,
                        TextFraming framing) {
  return std::make_shared<FramedTexts>(std::move(texts), std::move(lengths), first, count, framing);
}

uint64_t padded_width(const TextLengths& lengths) {
  return std::max<uint64_t>(lengths.longest, lengths.any_missing ? kMissing.size() : 1);
}

SegmentPtr padded_texts(ArrayPtr texts, uint32_t width) {
  return std::make_shared<PaddedTexts>(std::move(texts), width);
}

}  // namespace plainfs
