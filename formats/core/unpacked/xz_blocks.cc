// Data of the .xz format that were compressed in several blocks ("xz -T0"). Source: "The .xz File Format",
// version 1.1.0, sections 2 to 4.
#include "formats/core/unpacked/block_sources.h"

#include <lzma.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::unpacked {
namespace {

constexpr uint64_t kMaxIndexBytes = 64 << 20;
constexpr size_t kMaxBlocks = 1 << 16;
constexpr size_t kXzInputBytes = 64 << 10;

const uint8_t* bytes_of(const Bytes& bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

struct IndexEnd {
  void operator()(lzma_index* index) const { lzma_index_end(index, nullptr); }
};
using IndexPtr = std::unique_ptr<lzma_index, IndexEnd>;

// Reads the index. Returns null if the file is not one stream.
IndexPtr index_of(const File& file) {
  if (file.size() < 2 * LZMA_STREAM_HEADER_SIZE) return nullptr;
  const uint64_t end = file.size() - LZMA_STREAM_HEADER_SIZE;
  lzma_stream_flags flags{};
  if (lzma_stream_footer_decode(&flags, bytes_of(file.read_at(end, LZMA_STREAM_HEADER_SIZE))) != LZMA_OK)
    return nullptr;
  if (flags.backward_size > std::min(end, kMaxIndexBytes)) return nullptr;
  const Bytes stored = file.read_at(end - flags.backward_size, static_cast<size_t>(flags.backward_size));
  lzma_index* index = nullptr;
  uint64_t most = kMaxXzMemory;
  size_t at = 0;
  if (lzma_index_buffer_decode(&index, &most, nullptr, bytes_of(stored), &at, stored.size()) != LZMA_OK)
    return nullptr;
  IndexPtr held(index);
  return lzma_index_file_size(index) == file.size() ? std::move(held) : nullptr;
}

class Blocks final : public ByteSource {
 public:
  Blocks(FilePtr file, uint64_t offset) : file_(std::move(file)), offset_(offset), input_(kXzInputBytes) {
    lzma_stream_flags flags{};
    if (lzma_stream_header_decode(&flags, bytes_of(file_->read_at(0, LZMA_STREAM_HEADER_SIZE))) != LZMA_OK)
      throw damaged("the xz data have no header");
    block_.version = 0;
    block_.check = flags.check;
    block_.filters = filters_;
  }
  ~Blocks() override { lzma_end(&stream_); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      if (!is_inside_ && !begin()) break;
      if (stream_.avail_in == 0) refill();
      stream_.next_out = reinterpret_cast<uint8_t*>(out.data() + done);
      stream_.avail_out = out.size() - done;
      const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
      if (result != LZMA_OK && result != LZMA_STREAM_END)
        throw damaged("the xz data are invalid: error {}", static_cast<int>(result));
      done = out.size() - stream_.avail_out;
      if (result == LZMA_STREAM_END) is_inside_ = false;
    }
    return done;
  }

 private:
  // Begins a block. Returns false if the index follows instead.
  bool begin() {
    if (stream_.avail_in == 0) refill();
    const uint8_t first = *stream_.next_in;
    if (first == 0) return false;  // the index
    block_.header_size = lzma_block_header_size_decode(first);
    offset_ -= stream_.avail_in;
    const Bytes header = file_->read_at(offset_, block_.header_size);
    offset_ += header.size();
    stream_.avail_in = 0;
    const bool is_header = lzma_block_header_decode(&block_, nullptr, bytes_of(header)) == LZMA_OK;
    const uint64_t memory = is_header ? lzma_raw_decoder_memusage(filters_) : 0;
    const bool begins =
        is_header && memory <= kMaxXzMemory && lzma_block_decoder(&stream_, &block_) == LZMA_OK;
    for (size_t i = 0; is_header && filters_[i].id != LZMA_VLI_UNKNOWN; ++i) {
      std::free(filters_[i].options);
      filters_[i].options = nullptr;
    }
    if (!begins) throw damaged("the xz data are invalid: no block begins at byte {}", offset_);
    return is_inside_ = true;
  }

  void refill() {
    const auto size = static_cast<size_t>(std::min<uint64_t>(input_.size(), file_->size() - offset_));
    if (size == 0) throw damaged("the compressed data are truncated; copy or download the file again");
    file_->read_at(offset_, std::span(input_).first(size));
    offset_ += size;
    stream_.next_in = bytes_of(input_);
    stream_.avail_in = size;
  }

  const FilePtr file_;
  uint64_t offset_;  // after the data in input_
  Bytes input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  ::lzma_filter filters_[LZMA_FILTERS_MAX + 1] = {};
  lzma_block block_{};
  bool is_inside_ = false;
};

}  // namespace

std::vector<SeekPoint> xz_blocks(const File& file) {
  std::vector<SeekPoint> points;
  const IndexPtr index = index_of(file);
  if (!index || lzma_index_block_count(index.get()) > kMaxBlocks) return points;
  lzma_index_iter blocks;
  lzma_index_iter_init(&blocks, index.get());
  while (!lzma_index_iter_next(&blocks, LZMA_INDEX_ITER_BLOCK))
    if (blocks.block.uncompressed_file_offset > 0)
      points.push_back({blocks.block.uncompressed_file_offset, blocks.block.compressed_file_offset * 8});
  return points;
}

std::unique_ptr<ByteSource> xz_source(FilePtr file, const SeekPoint& point) {
  return std::make_unique<Blocks>(std::move(file), std::min(point.input / 8, file->size()));
}

}  // namespace plainfs::unpacked
