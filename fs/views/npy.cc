#include "fs/views/npy.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "cache/block_stream.h"
#include "cache/mutex.h"
#include "formats/core/base/checked.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

constexpr uint64_t kBlockBytes = 512 * 1024;
constexpr uint64_t kBytesAhead = 2 << 20;

// Whether the elements' own bytes are what an .npy holds.
bool is_stored_as_shown(const DType& type) {
  if (type.kind == Kind::compound || type.kind == Kind::array) return false;
  return std::endian::native == std::endian::little || type.size == 1;
}

// About wanted elements, so that no block reaches from one band of chunks into the next: both would have to
// be decoded before any of it can be given. wanted where there is no such number near it: a band may be as
// vast as a file says, so only so many are tried.
uint64_t parts_of_band(uint64_t wanted, uint64_t band) {
  constexpr uint64_t kMostTried = 4096;
  if (band <= wanted) return band == 0 ? wanted : wanted - wanted % band;
  const uint64_t fewest = divide_up(band, wanted);
  for (uint64_t parts = fewest; parts < fewest + std::min(fewest, kMostTried); ++parts)
    if (band % parts == 0) return band / parts;
  return wanted;
}

struct NpyBlock {
  Bytes bytes;
  size_t allocated_bytes() const { return bytes.capacity(); }
};

// The elements in runs of the same length.
class NpyBlocks : public BlockStream<NpyBlock> {
 public:
  NpyBlocks(ArrayPtr array, uint64_t block_elements, Context& context)
      : BlockStream(context.cache, context.workers,
                    kBytesAhead / std::max<uint64_t>(1, block_elements * array->dtype().packed_size())),
        array_(std::move(array)),
        block_elements_(block_elements),
        context_(context) {}

  // Elements that a reader jumped to: no more than those, and not kept.
  NpyBlock peek(uint64_t first, uint64_t count) const {
    return packed(peek_run(*array_, first, count), count);
  }

 protected:
  NpyBlock make(uint64_t number) const override {
    const uint64_t first = number * block_elements_;
    const uint64_t count = std::min(block_elements_, array_->count() - first);
    const auto room = context_.unit_room.take(checked_multiply(count, array_->dtype().packed_size()));
    return packed(read_run(*array_, first, count), count);
  }

  void passed(uint64_t first, uint64_t last) const override {
    const uint64_t start = first * block_elements_;
    passed_run(*array_, start, std::min(last * block_elements_, array_->count()) - start);
  }

 private:
  NpyBlock packed(Elements elements, uint64_t count) const {
    NpyBlock block;
    if (is_stored_as_shown(array_->dtype()))
      block.bytes = std::move(elements.bytes);
    else
      pack(array_->dtype(), elements, 0, count, block.bytes);
    if (block.bytes.size() != count * array_->dtype().packed_size())
      throw unreadable("{} elements of {} bytes came as {} bytes", count, array_->dtype().packed_size(),
                       block.bytes.size());
    return block;
  }

  const ArrayPtr array_;
  const uint64_t block_elements_;
  Context& context_;
};

class NpyFile : public ViewFile {
 public:
  NpyFile(ArrayPtr array, bool with_header, Context& context)
      : array_(std::move(array)), with_header_(with_header), context_(context) {}

  uint64_t size() override {
    prepare();
    return header_->size() + data_size_;
  }
  std::optional<uint64_t> known_size() override { return size(); }
  Slices read(uint64_t offset, size_t size) override;

 private:
  void prepare();

  const ArrayPtr array_;
  const bool with_header_;
  Context& context_;
  Mutex preparing_;                    // guards the first prepare
  std::atomic<bool> prepared_{false};  // set once what follows is final; read without the lock
  std::shared_ptr<const std::string> header_;
  uint64_t data_size_ = 0;
  uint64_t element_bytes_ = 1;
  uint64_t block_bytes_ = 1;
  std::shared_ptr<NpyBlocks> blocks_;
};

void NpyFile::prepare() {
  if (prepared_.load(std::memory_order_acquire)) return;
  const MutexLock lock(preparing_);
  if (prepared_.load(std::memory_order_relaxed)) return;
  array_->check();
  header_ = std::make_shared<const std::string>(with_header_ ? npy_header(*array_) : std::string());
  const uint64_t element_size = array_->dtype().packed_size(), count = array_->count();
  data_size_ = checked_multiply(count, element_size);
  checked_add(data_size_, header_->size());
  const uint64_t wanted = std::max<uint64_t>(1, kBlockBytes / std::max<uint64_t>(1, element_size));
  const uint64_t in_band = count == 0 ? 0 : elements_in_band(array_->shape(), array_->chunk_shape());
  const uint64_t block_elements =
      parts_of_band(run_length(wanted, in_band, array_->dtype(), context_), in_band);
  element_bytes_ = element_size;
  block_bytes_ = block_elements * element_size;
  blocks_ = std::make_shared<NpyBlocks>(array_, block_elements, context_);
  prepared_.store(true, std::memory_order_release);
}

Slices NpyFile::read(uint64_t offset, size_t size) {
  const uint64_t file_size = this->size();
  Slices slices;
  if (offset >= file_size) return slices;
  const uint64_t end = offset + std::min<uint64_t>(size, file_size - offset);
  const uint64_t data_start = header_->size();
  if (offset < data_start) {
    const ByteSpan header = as_byte_span(*header_);
    slices.add(header.subspan(offset, std::min(end, data_start) - offset), header_);
    offset = data_start;
  }
  if (offset >= end) return slices;
  const uint64_t first = (offset - data_start) / block_bytes_;
  const uint64_t last = divide_up(end - data_start, block_bytes_);
  blocks_->follow(first, last, divide_up(data_size_, block_bytes_));
  if (!blocks_->is_sequential()) {
    const uint64_t element = (offset - data_start) / element_bytes_;
    const auto elements = std::make_shared<const NpyBlock>(
        blocks_->peek(element, divide_up(end - data_start, element_bytes_) - element));
    slices.add(
        ByteSpan(elements->bytes).subspan(offset - data_start - element * element_bytes_, end - offset),
        elements);
    return slices;
  }
  for (uint64_t i = first; i < last; ++i) {
    const std::shared_ptr<const NpyBlock> block = blocks_->block(i);
    const uint64_t within = offset - data_start - i * block_bytes_;
    const uint64_t length = std::min(end - offset, block->bytes.size() - within);
    slices.add(ByteSpan(block->bytes).subspan(within, length), block);
    offset += length;
  }
  return slices;
}

}  // namespace

bool has_npy(const Array& array) {
  return array.dtype().fixed_size() && !array.is_null();
}

std::unique_ptr<ViewFile> npy_file(ArrayPtr array, bool with_header, Context& context) {
  return std::make_unique<NpyFile>(std::move(array), with_header, context);
}

}  // namespace plainfs
