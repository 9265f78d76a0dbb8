#include "fs/text/text_file.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>

#include "formats/core/base/checked.h"
#include "fs/text/text_file_state.h"

namespace plainfs {

void check_block_count(uint64_t count) {
  if (count > kMostBlocks) throw unsupported("a text of {} blocks is too large to be shown", count);
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
  const uint64_t size = state_->file_size.load(std::memory_order_acquire);
  return size == kNotMeasured ? std::nullopt : std::optional(size);
}

// Null where they are not known.
FindingPtr TextFile::offsets() const {
  if (state_->ready.load(std::memory_order_acquire)) return state_->offsets->finding;
  if (state_->file_size.load(std::memory_order_acquire) == kNotMeasured || !state_->adopted) return nullptr;
  return state_->adopted->finding;
}

Findings TextFile::findings() const {
  const FindingPtr last = offsets();
  if (!last) return {};
  Findings findings = state_->notebook.all();
  findings.push_back(last);
  return findings;
}

uint64_t TextFile::cut_before(uint64_t offset) const {
  const FindingPtr finding = offsets();
  if (!finding) return 0;
  const std::span<const uint64_t> begins = TextOffsets(finding).of();
  const auto after = std::upper_bound(begins.begin(), begins.end(), offset);
  return after == begins.begin() ? 0 : *(after - 1);
}

void TextFile::adopt(const Findings& findings) {
  // Others may have the same file open: what they have found out, or are about to, stays.
  if (!state_->preparing.try_lock()) return;
  const MutexLock lock(state_->preparing, std::adopt_lock);
  if (state_->file_size.load(std::memory_order_relaxed) != kNotMeasured || findings.empty()) return;
  const FindingPtr& last = findings.back();
  if (last->name != state_->source->version() || !TextOffsets::are_in(*last)) return;
  state_->notebook.adopt({findings.begin(), findings.end() - 1});
  state_->adopted.emplace(last);
  state_->count_offsets(last->numbers.size());
  state_->file_size.store(state_->adopted->file_size(), std::memory_order_release);
}

const TextSource& TextFile::source() const {
  return *state_->source;
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
  // The block that holds offset is the last that begins at or before it: blocks may be empty.
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
