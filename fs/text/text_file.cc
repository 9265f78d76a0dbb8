#include "fs/text/text_file.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>

#include "formats/core/base/checked.h"
#include "fs/text/text_file_state.h"

namespace plainfs {

void check_block_count(uint64_t count) {
  if (count > kMostBlocks) throw unsupported("a text of {} blocks is too large", count);
}

TextFile::TextFile(std::unique_ptr<TextSource> source, Context& context)
    : state_(std::make_shared<State>(std::move(source), context)) {}

TextFile::~TextFile() = default;

uint64_t TextFile::size() {
  if (const std::optional<uint64_t> known = known_size()) return *known;
  state_->get_ready();
  return state_->offsets->file_size();
}

std::optional<uint64_t> TextFile::known_size() {
  return state_->published.known();
}

uint64_t TextFile::parts_to_measure() {
  return known_size() ? 1 : state_->parts_to_measure();
}

void TextFile::measure_part(uint64_t part, uint64_t parts) {
  if (!known_size()) state_->measure_part(part, parts);
}

// Returns null if nothing is known.
MeasuredPtr TextFile::measured() const {
  if (state_->ready.load(std::memory_order_acquire)) return state_->offsets->measured;
  return state_->published.known() ? state_->published.adopted() : nullptr;
}

uint64_t TextFile::cut_before(uint64_t offset) const {
  const MeasuredPtr of = measured();
  if (!of) return 0;
  const std::span<const uint64_t> begins = TextOffsets(of).of();
  const auto after = std::upper_bound(begins.begin(), begins.end(), offset);
  return after == begins.begin() ? 0 : *(after - 1);
}

void TextFile::adopt(const MeasuredPtr& measured) {
  state_->published.adopt(measured, state_->source->version(), TextOffsets::are_in,
                          [&] { state_->count_offsets(measured->numbers.size()); });
}

std::string TextFile::position_index(IndexKind kind) {
  state_->get_ready();
  return state_->source->position_index(kind);
}

bool TextFile::can_read_before_sized() const {
  return !state_->source->head_follows_blocks();
}

std::optional<Slices> TextFile::read_beginning(uint64_t offset, size_t size) {
  if (offset > kTextBeginning || size > kTextBeginning - offset) return std::nullopt;
  return state_->beginning(offset, offset + size);
}

Slices TextFile::read(uint64_t offset, size_t size) {
  if (offset == 0 && size > 0 && !state_->ready.load(std::memory_order_acquire)) {
    if (std::optional<Slices> slices = read_beginning(0, size)) return *std::move(slices);
  }
  state_->get_ready();
  const uint64_t file_size = state_->offsets->file_size();
  Slices slices;
  if (offset >= file_size || size == 0) return slices;
  const uint64_t end = offset + std::min<uint64_t>(size, file_size - offset);
  const std::span<const uint64_t> offsets = state_->begins;
  if (offset < offsets[0]) {
    state_->get_head();
    const ByteSpan head = as_byte_span(state_->head);
    slices.add(head.subspan(offset, std::min(end, offsets[0]) - offset), state_);
    offset = offsets[0];
  }
  if (offset >= end) return slices;
  // The block that contains `offset` is the last one that begins at or before it, because blocks may be
  // empty.
  const uint64_t first =
      static_cast<uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), offset) - offsets.begin()) - 1;
  const uint64_t last =
      static_cast<uint64_t>(std::lower_bound(offsets.begin(), offsets.end(), end) - offsets.begin());
  state_->follow(first, last, offsets.size() - 1);
  for (uint64_t i = first; i < last; ++i) {
    if (state_->block_size(i) == 0) continue;
    const uint64_t from = std::max(offset, offsets[i]) - offsets[i];
    const uint64_t to = std::min(end, offsets[i + 1]) - offsets[i];
    if (!state_->is_sequential()) {
      if (const auto part = state_->part_in_passing(i, from, to)) {
        slices.add(part->text(), part);
        continue;
      }
    }
    const std::shared_ptr<const TextBlock> block = state_->block(i);
    if (block->size != state_->block_size(i)) throw Outdated("the text has changed since it was measured");
    slices.add(block->text().subspan(from, to - from), block);
  }
  return slices;
}

}  // namespace plainfs
