#include "fs/views/npy.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

#include "formats/model/checked.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

constexpr uint64_t kBlockBytes = 512 * 1024;

// Whether the elements' own bytes are what an .npy holds.
bool is_stored_as_shown(const DType& type) {
  if (type.kind == Kind::compound || type.kind == Kind::array) return false;
  return std::endian::native == std::endian::little || type.size == 1;
}

struct NpyBlock {
  Bytes bytes;
  size_t allocated_bytes() const { return bytes.capacity(); }
};

class NpyFile : public ViewFile {
 public:
  NpyFile(ArrayPtr array, bool with_header, Context& context)
      : array_(std::move(array)),
        with_header_(with_header),
        context_(context),
        cache_owner_(context.cache.new_owner()) {}
  ~NpyFile() override { context_.cache.drop(cache_owner_, cache_owner_ + 1); }

  uint64_t size() override {
    prepare();
    return header_->size() + data_size_;
  }
  Slices read(uint64_t offset, size_t size) override;

 private:
  void prepare();
  std::shared_ptr<const NpyBlock> block(uint64_t number) const;

  const ArrayPtr array_;
  const bool with_header_;
  Context& context_;
  const uint64_t cache_owner_;
  std::mutex preparing_;               // guards the first prepare
  std::atomic<bool> prepared_{false};  // set once what follows is final; read without the lock
  std::shared_ptr<const std::string> header_;
  uint64_t element_size_ = 0;
  uint64_t count_ = 0;
  uint64_t data_size_ = 0;
  uint64_t block_elements_ = 1;
};

void NpyFile::prepare() {
  if (prepared_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(preparing_);
  if (prepared_.load(std::memory_order_relaxed)) return;
  array_->check();
  header_ = std::make_shared<const std::string>(with_header_ ? npy_header(*array_) : std::string());
  element_size_ = array_->dtype().packed_size();
  count_ = array_->count();
  data_size_ = checked_multiply(count_, element_size_);
  checked_add(data_size_, header_->size());
  if (count_ > 0) {
    const uint64_t wanted = std::max<uint64_t>(1, kBlockBytes / std::max<uint64_t>(1, element_size_));
    block_elements_ = run_length(wanted, elements_in_band(array_->shape(), array_->chunk_shape()),
                                 array_->dtype(), context_);
  }
  prepared_.store(true, std::memory_order_release);
}

std::shared_ptr<const NpyBlock> NpyFile::block(uint64_t number) const {
  return context_.cache.get<NpyBlock>({cache_owner_, number}, [&] {
    const uint64_t first = number * block_elements_;
    const uint64_t count = std::min(block_elements_, count_ - first);
    Elements elements = read_run(*array_, first, count);
    NpyBlock block;
    if (is_stored_as_shown(array_->dtype()))
      block.bytes = std::move(elements.bytes);
    else
      pack(array_->dtype(), elements, 0, count, block.bytes);
    if (block.bytes.size() != count * element_size_)
      throw unreadable("{} elements of {} bytes came as {} bytes", count, element_size_, block.bytes.size());
    return block;
  });
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
  const uint64_t block_bytes = block_elements_ * element_size_;
  while (offset < end) {
    const uint64_t at = offset - data_start;
    const std::shared_ptr<const NpyBlock> block = this->block(at / block_bytes);
    const uint64_t within = at % block_bytes;
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
