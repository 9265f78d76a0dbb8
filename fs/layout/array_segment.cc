#include "fs/layout/array_segment.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"

namespace plainfs {

namespace {

// Returns about `wanted` elements, such that no block extends from one band of chunks into the next, because
// both would have to be decoded before it can be returned. Returns `wanted` if there is no such number near
// it; only kMaxTried numbers are tried, because a file may claim a band of any size.
uint64_t parts_of_band(uint64_t wanted, uint64_t band) {
  constexpr uint64_t kMaxTried = 4096;
  if (band <= wanted) return band == 0 ? wanted : wanted - wanted % band;
  const uint64_t fewest = divide_up(band, wanted);
  for (uint64_t parts = fewest; parts < fewest + std::min(fewest, kMaxTried); ++parts)
    if (band % parts == 0) return band / parts;
  return wanted;
}

class ArraySegment : public Segment {
 public:
  ArraySegment(ArrayPtr array, ElementForm form, Context& context, uint64_t part_bytes)
      : array_(std::move(array)),
        form_(form),
        context_(context),
        part_bytes_(part_bytes),
        size_(checked_multiply(array_->count(), form.size)) {}

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    write(elements_of(wanted.offset, wanted.out.size(), wanted.sequential), wanted);
  }

  Bytes bytes(uint64_t offset, uint64_t size, bool sequential) const override {
    Elements elements = elements_of(offset, size, sequential);
    if (elements.missing.empty() && elements.bytes.size() == size && offset % form_.size == 0 &&
        form_.is_as_in_memory(array_->dtype()))
      return std::move(elements.bytes);
    Bytes bytes(size);
    write(elements, {offset, bytes});
    return bytes;
  }

  uint64_t least_block() const override {
    if (size_ == 0) return 1;
    const uint64_t band = elements_in_band(array_->shape(), array_->chunk_shape());
    const bool is_part = band > part_bytes_ / form_.size;
    const uint64_t wanted = std::max<uint64_t>(1, (is_part ? part_bytes_ : kLayoutBlockBytes) / form_.size);
    return parts_of_band(run_length(wanted, band, array_->dtype(), context_), band) * form_.size;
  }

  void release(uint64_t begin, uint64_t end) const override {
    passed_run(*array_, begin / form_.size, (end - begin) / form_.size);
  }

 private:
  // Returns the elements of which bytes [offset, offset + size) are a part.
  Elements elements_of(uint64_t offset, uint64_t size, bool sequential) const {
    const uint64_t first = offset / form_.size;
    const uint64_t count = divide_up(offset + size, form_.size) - first;
    Elements elements = sequential ? read_run(*array_, first, count) : peek_run(*array_, first, count);
    if (elements.count != count) throw unreadable("{} elements, expected {}", elements.count, count);
    return elements;
  }

  void write(const Elements& elements, const Wanted& wanted) const {
    const uint64_t first = wanted.offset / form_.size;
    read_elements(wanted, form_.size, [&](uint64_t from, uint64_t some, std::byte* out) {
      form_.write(array_->dtype(), elements, from - first, some, out);
    });
  }

  const ArrayPtr array_;
  const ElementForm form_;
  Context& context_;
  const uint64_t part_bytes_;
  const uint64_t size_;
};

}  // namespace

void read_elements(const Wanted& wanted, uint32_t size, const WriteElements& write) {
  uint64_t element = wanted.offset / size;
  std::span<std::byte> out = wanted.out;
  const auto cut_element = [&](uint64_t from) {
    Bytes whole(size);
    write(element, 1, whole.data());
    const size_t some = std::min<size_t>(size - from, out.size());
    std::memcpy(out.data(), whole.data() + from, some);
    out = out.subspan(some);
    ++element;
  };
  if (wanted.offset % size != 0) cut_element(wanted.offset % size);
  if (const uint64_t count = out.size() / size; count > 0) {
    write(element, count, out.data());
    out = out.subspan(count * size);
    element += count;
  }
  if (!out.empty()) cut_element(0);
}

bool are_whole_elements(const Wanted& wanted, uint32_t size) {
  return wanted.offset % size == 0 && wanted.out.size() % size == 0 &&
         reinterpret_cast<uintptr_t>(wanted.out.data()) % size == 0;
}

SegmentPtr array_segment(ArrayPtr array, ElementForm form, Context& context, uint64_t part_bytes) {
  return std::make_shared<ArraySegment>(std::move(array), form, context, part_bytes);
}

namespace {

constexpr size_t kLargestElement = 16;

// A box in lines. A line is the part of the box at one index along the first axis that has several; it begins
// with the elements that lie inside the array.
class PaddedBox : public Segment {
 public:
  PaddedBox(ArrayPtr array, ElementForm form, Shape origin, const Shape& box)
      : array_(std::move(array)), form_(form), box_{std::move(origin), array_->shape()} {
    for (size_t axis = 0; axis < box.size(); ++axis)
      box_.extent[axis] = std::min(box[axis], array_->shape()[axis] - box_.origin[axis]);
    while (axis_ + 1 < box.size() && box[axis_] == 1) ++axis_;
    lines_ = box_.extent[axis_];
    for (size_t axis = axis_ + 1; axis < box.size(); ++axis) {
      line_ = checked_multiply(line_, box_.extent[axis]);
      padded_line_ = checked_multiply(padded_line_, box[axis]);
    }
    size_ = checked_multiply(checked_multiply(box[axis_], padded_line_), form.size);
  }

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    const uint64_t end = divide_up(wanted.offset + wanted.out.size(), form_.size);
    Lines lines;
    lines.first = std::min(lines_, wanted.offset / form_.size / padded_line_);
    Box box = box_;
    box.origin[axis_] += lines.first;
    box.extent[axis_] = std::min(lines_, divide_up(end, padded_line_)) - lines.first;
    if (box.extent[axis_] > 0) lines.elements = wanted.sequential ? array_->read(box) : array_->peek(box);
    read_elements(wanted, form_.size, [&](uint64_t from, uint64_t count, std::byte* out) {
      if (line_ == padded_line_)
        write_run(lines, from, count, lines_ * line_, out);
      else
        write_lines(lines, from, count, out);
    });
  }

  std::optional<std::byte> same_byte(uint64_t begin, uint64_t end) const override {
    Box box = box_;
    const uint64_t first = begin / form_.size / padded_line_;
    if (first >= lines_) return std::byte{0};
    const uint64_t last = std::min(lines_, divide_up(divide_up(end, form_.size), padded_line_));
    box.origin[axis_] += first;
    box.extent[axis_] = last - first;
    const std::optional<Elements> one = array_->repeated(box);
    if (!one) return std::nullopt;
    std::array<std::byte, kLargestElement> element;
    form_.write(array_->dtype(), *one, 0, 1, element.data());
    const auto of_it = std::span(element).first(form_.size);
    const bool is_filled_up = line_ != padded_line_ || end > lines_ * padded_line_ * form_.size;
    const std::byte byte = is_filled_up ? std::byte{0} : of_it[0];
    const bool is_same =
        std::all_of(of_it.begin(), of_it.end(), [&](std::byte each) { return each == byte; });
    return is_same ? std::optional(byte) : std::nullopt;
  }

  void release(uint64_t begin, uint64_t end) const override {
    // Neighbouring elements of the array belong to another box, which may still be needed.
    if (line_ * array_->shape()[axis_] != array_->count()) return;
    const uint64_t first = std::min(lines_, divide_up(begin / form_.size, padded_line_));
    const uint64_t last = std::min(lines_, end / form_.size / padded_line_);
    if (first >= last) return;
    Box box = box_;
    box.origin[axis_] += first;
    box.extent[axis_] = last - first;
    array_->release(box);
  }

 private:
  struct Lines {
    uint64_t first = 0;
    Elements elements{};
  };

  // Writes elements [from, from + count) of the box, counted without padding. Those below `end` exist.
  void write_run(const Lines& lines, uint64_t from, uint64_t count, uint64_t end, std::byte* out) const {
    const uint64_t existing = std::min(count, end - std::min(end, from));
    if (existing > 0) form_.write(array_->dtype(), lines.elements, from - lines.first * line_, existing, out);
    std::memset(out + existing * form_.size, 0, (count - existing) * form_.size);
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
  Box box_;  // the elements that lie inside the array
  size_t axis_ = 0;
  uint64_t lines_ = 0;
  uint64_t line_ = 1, padded_line_ = 1;  // elements inside the array, and with padding
  uint64_t size_ = 0;
};

}  // namespace

SegmentPtr padded_box(ArrayPtr array, ElementForm form, Shape origin, const Shape& box) {
  return std::make_shared<PaddedBox>(std::move(array), form, std::move(origin), box);
}

}  // namespace plainfs
