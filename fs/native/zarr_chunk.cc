#include "fs/native/zarr_chunk.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"
#include "fs/native/array_segment.h"

namespace plainfs {

namespace {

// A line is what a chunk has of one index along the first axis: first the elements that are there.
class ZarrChunk : public Segment {
 public:
  ZarrChunk(ArrayPtr array, ElementForm form, Shape origin, const Shape& chunk)
      : array_(std::move(array)), form_(form), box_{std::move(origin), array_->shape()} {
    for (size_t axis = 0; axis < chunk.size(); ++axis)
      box_.extent[axis] = std::min(chunk[axis], array_->shape()[axis] - box_.origin[axis]);
    lines_ = box_.extent[0];
    for (size_t axis = 1; axis < chunk.size(); ++axis) {
      line_ = checked_multiply(line_, box_.extent[axis]);
      padded_line_ = checked_multiply(padded_line_, chunk[axis]);
    }
    size_ = checked_multiply(checked_multiply(chunk[0], padded_line_), form.size);
  }

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    const uint64_t end = divide_up(wanted.offset + wanted.out.size(), form_.size);
    Lines lines;
    lines.first = std::min(lines_, wanted.offset / form_.size / padded_line_);
    Box box = box_;
    box.origin[0] += lines.first;
    box.extent[0] = std::min(lines_, divide_up(end, padded_line_)) - lines.first;
    if (box.extent[0] > 0) lines.elements = wanted.in_passing ? array_->read(box) : array_->peek(box);
    read_elements(wanted, form_.size, [&](uint64_t from, uint64_t count, std::byte* out) {
      if (line_ == padded_line_)
        write_run(lines, from, count, lines_ * line_, out);
      else
        write_lines(lines, from, count, out);
    });
  }

  void passed(uint64_t begin, uint64_t end) const override {
    // What stands beside it in the array is another chunk's, which may still be wanted.
    if (line_ * array_->shape()[0] != array_->count()) return;
    const uint64_t first = std::min(lines_, divide_up(begin / form_.size, padded_line_));
    const uint64_t last = std::min(lines_, end / form_.size / padded_line_);
    if (first >= last) return;
    Box box = box_;
    box.origin[0] += first;
    box.extent[0] = last - first;
    array_->passed(box);
  }

 private:
  struct Lines {
    uint64_t first = 0;
    Elements elements{};
  };

  // Elements [from, from + count) of the chunk, of which those below `end` are there, counted without what
  // fills lines up.
  void write_run(const Lines& lines, uint64_t from, uint64_t count, uint64_t end, std::byte* out) const {
    const uint64_t there = std::min(count, end - std::min(end, from));
    if (there > 0) form_.write(array_->dtype(), lines.elements, from - lines.first * line_, there, out);
    std::memset(out + there * form_.size, 0, (count - there) * form_.size);
  }

  void write_lines(const Lines& lines, uint64_t from, uint64_t count, std::byte* out) const {
    while (count > 0) {
      const uint64_t line = from / padded_line_, at = from % padded_line_;
      const uint64_t some = std::min(count, padded_line_ - at);
      const uint64_t first = line * line_ + std::min(at, line_);
      write_run(lines, first, some, line < lines_ ? (line + 1) * line_ : first, out);
      from += some;
      count -= some;
      out += some * form_.size;
    }
  }

  const ArrayPtr array_;
  const ElementForm form_;
  Box box_;  // of the elements that are there
  uint64_t lines_ = 0;
  uint64_t line_ = 1, padded_line_ = 1;  // elements that are there, and all
  uint64_t size_ = 0;
};

}  // namespace

SegmentPtr zarr_chunk(ArrayPtr array, ElementForm form, Shape origin, const Shape& chunk) {
  return std::make_shared<ZarrChunk>(std::move(array), form, std::move(origin), chunk);
}

}  // namespace plainfs
