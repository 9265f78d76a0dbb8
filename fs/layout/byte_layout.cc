#include "fs/layout/byte_layout.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cache/block_stream.h"
#include "cache/cancellable_lock.h"
#include "cache/mutex.h"
#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

constexpr uint64_t kBytesAhead = 2 << 20;

struct LayoutBlock {
  Bytes bytes;
  std::shared_ptr<const Bytes> shared{};  // or bytes shared with other blocks
  uint64_t shared_size = 0;

  ByteSpan span() const { return shared ? ByteSpan(*shared).first(shared_size) : ByteSpan(bytes); }
  size_t allocated_bytes() const { return bytes.capacity(); }
};

// Blocks of the same size, except that a short header before the first segment is a block of its own. The
// blocks of an array then contain whole elements, and whole chunks if possible.
class LayoutBlocks : public BlockStream<LayoutBlock> {
 public:
  LayoutBlocks(ByteLayout layout, uint64_t block_bytes, Context& context)
      : BlockStream(context.cache, context.workers, kBytesAhead / block_bytes,
                    has_short_header(layout, block_bytes) ? 1 : 0),
        layout_(std::move(layout)),
        block_bytes_(block_bytes),
        context_(context) {
    if (has_short_header(layout_, block_bytes)) shift_ = block_bytes - layout_.first_segment();
    checked_add(layout_.size(), checked_add(shift_, block_bytes));
  }

  uint64_t size() const { return layout_.size(); }
  // Returns the number of the block that contains the byte at `offset`.
  uint64_t number_at(uint64_t offset) const { return (offset + shift_) / block_bytes_; }
  uint64_t count() const { return divide_up(layout_.size() + shift_, block_bytes_); }
  // Returns the offset of the block's first byte. The end of the last block is size().
  uint64_t begin(uint64_t number) const {
    return std::min(std::max(number * block_bytes_, shift_) - shift_, layout_.size());
  }

  // Generates only the bytes that a reader jumped to, and does not keep them.
  LayoutBlock peek(uint64_t offset, uint64_t size) const { return {layout_.bytes(offset, size, false)}; }

 protected:
  LayoutBlock make(uint64_t number) const override {
    const uint64_t offset = begin(number);
    const uint64_t size = begin(number + 1) - offset;
    if (const std::optional<std::byte> byte = layout_.same_byte(offset, offset + size))
      return {{}, all(*byte), size};
    const auto room = context_.unit_budget.take(size);
    return {layout_.bytes(offset, size, true)};
  }
  void release(uint64_t first, uint64_t last) const override { layout_.release(begin(first), begin(last)); }

 private:
  static bool has_short_header(const ByteLayout& layout, uint64_t block_bytes) {
    return layout.first_segment() > 0 && layout.first_segment() < std::min(block_bytes, layout.size());
  }

  // Returns a block of that byte, shared by all such blocks, which then stays in the processor's cache.
  std::shared_ptr<const Bytes> all(std::byte byte) const {
    const MutexLock lock(mutex_);
    if (!alike_ || alike_->front() != byte)
      alike_ = std::make_shared<const Bytes>(std::min(block_bytes_, layout_.size()), byte);
    return alike_;
  }

  const ByteLayout layout_;
  const uint64_t block_bytes_;
  uint64_t shift_ = 0;  // from an offset in the file to one in blocks that are all of block_bytes_
  Context& context_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const Bytes> alike_ GUARDED_BY(mutex_);  // the last one requested
};

class LayoutFile : public ViewFile {
 public:
  LayoutFile(std::function<ByteLayout()> lay_out, Context& context, std::string version, MakePacked pack)
      : lay_out_(std::move(lay_out)),
        pack_(std::move(pack)),
        context_(context),
        version_(std::move(version)) {}
  LayoutFile(std::function<ByteLayout()> lay_out, Context& context)
      : lay_out_(std::move(lay_out)), context_(context), takes_no_pass_(true) {}
  LayoutFile(ByteLayout layout, Context& context) : context_(context), takes_no_pass_(true) {
    const MutexLock lock(published_.preparing);
    set_blocks(std::move(layout));
  }

  uint64_t size() override {
    if (const std::optional<uint64_t> known = known_size()) return *known;
    prepare();
    return blocks_->size();
  }
  std::optional<uint64_t> known_size() override {
    if (takes_no_pass_) prepare();
    return published_.known();
  }
  Slices read(uint64_t offset, size_t size) override;
  std::unique_ptr<const PackedForm> packed() override { return pack_ ? pack_() : nullptr; }
  MeasuredPtr measured() const override {
    const std::optional<uint64_t> size = published_.known();
    if (!size || takes_no_pass_) return nullptr;
    return std::make_shared<const Measured>(Measured{version_, {*size}});
  }
  void adopt(const MeasuredPtr& measured) override {
    published_.adopt(
        measured, version_, [](const Measured& found) { return found.numbers.size() == 1; }, [] {});
  }

 private:
  void prepare();
  void set_blocks(ByteLayout layout) REQUIRES(published_.preparing) {
    const uint64_t least = layout.least_block();
    const uint64_t block_bytes = least * std::max<uint64_t>(1, kLayoutBlockBytes / least);
    blocks_ = std::make_shared<LayoutBlocks>(std::move(layout), block_bytes, context_);
    prepared_.store(true, std::memory_order_release);
    published_.publish(blocks_->size());
  }

  std::function<ByteLayout()> lay_out_;
  const MakePacked pack_;
  Context& context_;
  const std::string version_;
  const bool takes_no_pass_ = false;
  PublishedSize published_;
  std::atomic<bool> prepared_{false};  // set once blocks_ is final; read without the lock
  std::shared_ptr<LayoutBlocks> blocks_;
};

void LayoutFile::prepare() {
  if (prepared_.load(std::memory_order_acquire)) return;
  const CancellableLock lock(published_.preparing, published_.waiting);
  if (prepared_.load(std::memory_order_relaxed)) return;
  ByteLayout layout = lay_out_();
  lay_out_ = nullptr;
  set_blocks(std::move(layout));
}

Slices LayoutFile::read(uint64_t offset, size_t size) {
  prepare();
  const uint64_t file_size = blocks_->size();
  Slices slices;
  if (offset >= file_size || size == 0) return slices;
  const uint64_t end = offset + std::min<uint64_t>(size, file_size - offset);
  const uint64_t first = blocks_->number_at(offset), last = blocks_->number_at(end - 1) + 1;
  blocks_->follow(first, last, blocks_->count());
  if (!blocks_->is_sequential()) {
    const auto bytes = std::make_shared<const LayoutBlock>(blocks_->peek(offset, end - offset));
    slices.add(bytes->span(), bytes);
    return slices;
  }
  for (uint64_t i = first; i < last; ++i) {
    std::shared_ptr<const LayoutBlock> block;
    try {
      block = blocks_->block(i);
    } catch (const Error& error) {  // of other bytes of the block, unless these cannot be read either
      if (is_transient(error)) throw;
      const auto bytes = std::make_shared<const LayoutBlock>(blocks_->peek(offset, end - offset));
      slices.add(bytes->span(), bytes);
      return slices;
    }
    const uint64_t within = offset - blocks_->begin(i);
    const uint64_t length = std::min(end - offset, block->span().size() - within);
    slices.add(block->span().subspan(within, length), block);
    offset += length;
  }
  return slices;
}

}  // namespace

void ByteLayout::put(std::string_view bytes) {
  if (bytes.empty()) return;
  if (parts_.empty() || parts_.back().bytes.empty()) parts_.push_back({size_, size_, {}, nullptr});
  parts_.back().bytes += bytes;
  size_ = checked_add(size_, bytes.size());
  parts_.back().end = size_;
}

void ByteLayout::put(SegmentPtr segment) {
  const uint64_t end = checked_add(size_, segment->size());
  if (end == size_) return;
  parts_.push_back({size_, end, {}, std::move(segment)});
  size_ = end;
}

void ByteLayout::put(ByteLayout layout) {
  for (Piece& part : layout.parts_) {
    if (part.segment)
      put(std::move(part.segment));
    else if (part.bytes.empty())
      put_zeros(part.end - part.begin);
    else
      put(part.bytes);
  }
}

void ByteLayout::put_zeros(uint64_t count) {
  if (count == 0) return;
  const uint64_t end = checked_add(size_, count);
  parts_.push_back({size_, end, {}, nullptr});
  size_ = end;
}

// Calls visit(part, from, to) for the part of each piece in [begin, end), with offsets from the piece's own
// begin.
template <class Visit>
void ByteLayout::for_each_part(uint64_t begin, uint64_t end, Visit&& visit) const {
  auto part =
      std::partition_point(parts_.begin(), parts_.end(), [&](const Piece& p) { return p.end <= begin; });
  for (; part != parts_.end() && part->begin < end; ++part)
    visit(*part, std::max(begin, part->begin) - part->begin, std::min(end, part->end) - part->begin);
}

void ByteLayout::read(const Wanted& wanted) const {
  const uint64_t begin = wanted.offset;
  for_each_part(begin, begin + wanted.out.size(), [&](const Piece& part, uint64_t from, uint64_t to) {
    const std::span<std::byte> out = wanted.out.subspan(part.begin + from - begin, to - from);
    if (part.segment)
      part.segment->read({from, out, wanted.sequential});
    else if (part.bytes.empty())
      std::memset(out.data(), 0, out.size());
    else
      std::memcpy(out.data(), part.bytes.data() + from, out.size());
  });
}

uint64_t ByteLayout::first_segment() const {
  const auto part =
      std::find_if(parts_.begin(), parts_.end(), [](const Piece& p) { return p.segment != nullptr; });
  return part == parts_.end() ? size_ : part->begin;
}

Bytes ByteLayout::bytes(uint64_t offset, uint64_t size, bool sequential) const {
  Bytes all;
  for_each_part(offset, offset + size, [&](const Piece& part, uint64_t from, uint64_t to) {
    if (part.segment && to - from == size) all = part.segment->bytes(from, size, sequential);
  });
  if (!all.empty()) return all;
  all.resize(size);
  read({offset, all, sequential});
  return all;
}

uint64_t ByteLayout::least_block() const {
  uint64_t least = 1;
  for (const Piece& part : parts_)
    if (part.segment) least = std::max(least, std::min(part.segment->least_block(), part.segment->size()));
  return least;
}

std::optional<std::byte> ByteLayout::same_byte(uint64_t begin, uint64_t end) const {
  std::optional<std::byte> same;
  bool is_same = true;
  for_each_part(begin, end, [&](const Piece& part, uint64_t from, uint64_t to) {
    if (!is_same) return;
    std::optional<std::byte> its;
    if (part.segment)
      its = part.segment->same_byte(from, to);
    else if (part.bytes.empty())
      its = std::byte{0};
    is_same = its && (!same || same == its);
    same = its;
  });
  return is_same ? same : std::nullopt;
}

void ByteLayout::release(uint64_t begin, uint64_t end) const {
  for_each_part(begin, end, [](const Piece& part, uint64_t from, uint64_t to) {
    if (part.segment) part.segment->release(from, to);
  });
}

std::unique_ptr<ViewFile> layout_file(std::function<ByteLayout()> lay_out, Context& context,
                                      std::string version, MakePacked pack) {
  return std::make_unique<LayoutFile>(std::move(lay_out), context, std::move(version), std::move(pack));
}

std::unique_ptr<ViewFile> layout_file(ByteLayout layout, Context& context) {
  return std::make_unique<LayoutFile>(std::move(layout), context);
}

std::unique_ptr<ViewFile> sized_file(std::function<ByteLayout()> lay_out, Context& context) {
  return std::make_unique<LayoutFile>(std::move(lay_out), context);
}

std::unique_ptr<ViewFile> computed_file(std::function<std::string()> make, Context& context,
                                        std::string version) {
  return layout_file(
      [make = std::move(make)] {
        ByteLayout layout;
        layout.put(make());
        return layout;
      },
      context, std::move(version));
}

}  // namespace plainfs
