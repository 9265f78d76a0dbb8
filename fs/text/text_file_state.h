// The state of a TextFile: the blocks of its source, their offsets once they are measured, and the text of
// the blocks that are kept. Private to text_file.cc and text_file_state.cc.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/block_stream.h"
#include "cache/mutex.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Blocks formatted ahead of a sequential reader: the amount of two of the kernel's largest reads.
inline constexpr uint64_t kBlocksAhead = 16;

inline constexpr uint64_t kNotMeasured = UINT64_MAX;

// The offsets of the blocks. Immutable.
struct TextOffsets {
  explicit TextOffsets(MeasuredPtr its) : measured(std::move(its)) {}
  // numbers: the division, then the offset of each block, then the size of the file.
  const MeasuredPtr measured;

  uint64_t division() const { return measured->numbers[0]; }
  std::span<const uint64_t> of() const { return std::span(measured->numbers).subspan(1); }
  uint64_t file_size() const { return measured->numbers.back(); }
  // Returns whether `measured` has a valid form. Data from another session are checked before they are used.
  static bool are_in(const Measured& measured) {
    const std::span<const uint64_t> numbers = measured.numbers;
    return numbers.size() >= 2 && std::is_sorted(numbers.begin() + 1, numbers.end());
  }
};

struct TextBlock {
  Bytes bytes;  // begins with the text
  size_t size = 0;
  size_t allocated_bytes() const { return bytes.capacity(); }
  ByteSpan text() const { return ByteSpan(bytes).first(size); }
};

struct TextFile::State : BlockStream<TextBlock> {
  State(std::unique_ptr<TextSource> text_source, Context& its_context)
      : BlockStream(its_context.cache, its_context.workers, kBlocksAhead),
        source(std::move(text_source)),
        context(its_context),
        budget(its_context.cache.statistics().budget_bytes) {}

  void get_ready();
  void get_head();
  void prepare() REQUIRES(published.preparing);
  uint64_t parts_to_measure();
  void measure_part(uint64_t part, uint64_t parts);
  void measure_blocks(uint64_t begin, uint64_t end, bool keeps_text) REQUIRES(published.preparing);
  void measure() REQUIRES(published.preparing);
  void forget_measured() REQUIRES(published.preparing);
  std::optional<Slices> beginning(size_t from, size_t to);
  uint64_t block_size(uint64_t block) const { return begins[block + 1] - begins[block]; }
  uint64_t measure_block(uint64_t block);
  std::optional<uint64_t> keep_formatted(uint64_t block);
  void refresh_kept(uint64_t measured_bytes);
  void count_offsets(uint64_t numbers) { offsets_room.emplace(context.cache, numbers * sizeof(uint64_t)); }
  void count_formatted(uint64_t bytes) const;
  std::shared_ptr<const TextBlock> part_in_passing(uint64_t block, uint64_t from, uint64_t to);
  TextBlock make(uint64_t block) const override;
  TextBlock formatted(uint64_t block, uint64_t size) const;
  void format(uint64_t block, uint64_t size, Bytes& bytes) const;

  const std::unique_ptr<TextSource> source;
  Context& context;
  const uint64_t budget;  // of the cache, in bytes
  PublishedSize published;
  bool prepared GUARDED_BY(published.preparing) = false;  // the source and head are final
  // Sizes of the measured blocks; kNotMeasured for the others.
  std::vector<uint64_t> sizes GUARDED_BY(published.preparing);
  std::atomic<uint64_t> kept_bytes{0};     // of text; relaxed, like the next two: a small excess is harmless
  std::atomic<uint64_t> kept_end{0};       // one past the last block that is kept
  std::atomic<uint64_t> since_refresh{0};  // bytes of text measured
  std::atomic<bool> ready{false};     // set once head, offsets and begins are final; read without the lock
  std::string head;                   // if it follows the blocks: final once has_head is set
  std::atomic<bool> has_head{false};  // for a head that follows the blocks
  std::optional<TextOffsets> offsets;
  std::optional<ByteCache::Reservation>
      offsets_room;                  // of the cache's budget: a text of terabytes has millions of blocks
  std::span<const uint64_t> begins;  // offsets of the blocks: block_count + 1, the first after the head
  std::array<std::atomic<uint64_t>, 64>
      touched{};  // block + 1 for blocks that readers jumped to lately; relaxed
};

}  // namespace plainfs
