#include "fs/native/array_segment.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

constexpr uint64_t kWantedBytes = 256 * 1024;

class ArraySegment : public Segment {
 public:
  ArraySegment(ArrayPtr array, ElementForm form, Context& context)
      : array_(std::move(array)),
        form_(form),
        context_(context),
        size_(checked_multiply(array_->count(), form.size)) {}

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset / form_.size;
    const uint64_t count = divide_up(wanted.offset + wanted.out.size(), form_.size) - first;
    const Elements elements =
        wanted.in_passing ? read_run(*array_, first, count) : peek_run(*array_, first, count);
    read_elements(wanted, form_.size, [&](uint64_t from, uint64_t some, std::byte* out) {
      form_.write(array_->dtype(), elements, from - first, some, out);
    });
  }

  uint64_t least_block() const override {
    if (size_ == 0) return 1;
    const uint64_t wanted = kWantedBytes / form_.size;
    const uint64_t band = elements_in_band(array_->shape(), array_->chunk_shape());
    return run_length(wanted, band, array_->dtype(), context_) * form_.size;
  }

  void passed(uint64_t begin, uint64_t end) const override {
    passed_run(*array_, begin / form_.size, (end - begin) / form_.size);
  }

 private:
  const ArrayPtr array_;
  const ElementForm form_;
  Context& context_;
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

SegmentPtr array_segment(ArrayPtr array, ElementForm form, Context& context) {
  return std::make_shared<ArraySegment>(std::move(array), form, context);
}

}  // namespace plainfs
