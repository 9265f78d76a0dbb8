#include "formats/schemas/bpcells/packed_array.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/core/base/checked.h"

namespace plainfs::bpcells {
namespace {

// Blocks with words that are read at once: as many as a view processes at a time, so that one system call
// reads them, and few enough to stay in the processor's second-level cache (512 KiB of values and their
// words).
constexpr uint64_t kGroupBlocks = 1024;

constexpr uint64_t kWordsPerBit = kBlockValues / 32;  // words of a block of width 1

void require_length(const ArrayPtr& array, uint64_t length, const std::string& name, const char* suffix) {
  if (array->count() != length) {
    throw damaged("{}{} has {} values, expected {}", name, suffix, array->count(), length);
  }
}

// A stored array of one number for each block. It is read in pieces, which are cached: a system call for the
// few numbers that a run of blocks needs would cost as much as the blocks.
class BlockNumbers {
 public:
  BlockNumbers(ArrayPtr stored, Context& context)
      : stored_(std::move(stored)), cache_(context.cache), owner_(cache_.new_owner()) {}
  ~BlockNumbers() { cache_.drop(owner_, owner_ + 1); }
  BlockNumbers(const BlockNumbers&) = delete;
  BlockNumbers& operator=(const BlockNumbers&) = delete;

  std::vector<uint32_t> read(uint64_t first, uint64_t count) const {
    std::vector<uint32_t> numbers;
    numbers.reserve(count);
    while (numbers.size() < count) {
      const uint64_t at = first + numbers.size(), start = at - at % kPiece;
      const auto piece = cache_.get<Elements>({owner_, start}, [&] {
        return stored_->read(range(start, std::min(kPiece, stored_->count() - start)));
      });
      const auto found = piece->values<uint32_t>().subspan(at - start);
      numbers.insert(
          numbers.end(), found.begin(),
          found.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(found.size(), count - numbers.size())));
    }
    return numbers;
  }

 private:
  static constexpr uint64_t kPiece = 4096;  // 16 KiB, for half a million values

  ArrayPtr stored_;
  ByteCache& cache_;
  uint64_t owner_;
};

// The decoded array. It caches no decoded values: decoding a block again costs less than fetching it from
// memory.
class PackedArray final : public Array {
 public:
  PackedArray(std::string name, PackedParts parts, Transform transform, uint64_t count, ArrayPtr added,
              Context& context)
      : Array(number_type(Kind::unsigned_integer, 4), {count}),
        name_(std::move(name)),
        parts_(std::move(parts)),
        idx_(parts_.idx, context),
        starts_(parts_.starts, context),
        transform_(transform),
        added_(std::move(added)),
        blocks_(divide_up(count, kBlockValues)),
        counters_(context.counters) {
    require_length(parts_.idx, checked_add(blocks_, 1), name_, "_idx");
    if (uses_starts(transform_)) require_length(parts_.starts, blocks_, name_, "_starts");
    read_idx_offsets();
    check_ends();
  }

  Elements read(const Box& box) const override;
  bool read_into(const Box& box, std::span<std::byte> out) const override;
  std::optional<bool> runs_rise(uint64_t first, std::span<const uint64_t> ends,
                                uint64_t limit) const override;
  Shape chunk_shape() const override { return {kBlockValues}; }
  bool may_be_missing() const override { return false; }

 private:
  void read_idx_offsets();
  void check_ends() const;
  // Returns the positions of blocks [first_block, first_block + blocks] in data. Each step is a valid width.
  std::vector<uint64_t> positions(uint64_t first_block, uint64_t blocks) const;
  // Returns the position of entry i of idx, given its stored value low.
  uint64_t position(uint64_t i, uint32_t low) const;
  // The stored words of blocks [first_block, first_block + blocks].
  struct Group {
    std::vector<uint64_t> at;  // positions in data
    Elements data;
    std::vector<uint32_t> starts;

    unsigned width(uint64_t k) const { return static_cast<unsigned>((at[k + 1] - at[k]) / kWordsPerBit); }
    const uint32_t* words(uint64_t k) const { return data.values<uint32_t>().data() + (at[k] - at[0]); }
  };
  Group read_group(uint64_t first_block, uint64_t blocks) const;
  // Decodes values [first, first + values.size()), which lie in blocks [first_block, first_block + blocks].
  void decode(uint64_t first_block, uint64_t blocks, uint64_t first, std::span<uint32_t> values) const;
  void add_added(uint64_t first, std::span<uint32_t> values) const;

  std::string name_;
  PackedParts parts_;
  BlockNumbers idx_;
  BlockNumbers starts_;
  Transform transform_;
  ArrayPtr added_;
  uint64_t blocks_;
  Counters& counters_;
  std::vector<uint64_t> idx_offsets_;  // one more than there are ranges, from 0 to blocks + 1
};

void PackedArray::read_idx_offsets() {
  if (!parts_.idx_offsets) {
    idx_offsets_ = {0, blocks_ + 1};
    return;
  }
  // Range j holds positions from j * 2^32 on, so the size of data limits the number of ranges.
  const uint64_t most = (parts_.data->count() >> 32) + 2;
  const uint64_t length = parts_.idx_offsets->count();
  if (length < 2 || length > most) {
    throw damaged("{}_idx_offsets has {} values, expected 2 to {}", name_, length, most);
  }
  const Elements offsets = read_all(*parts_.idx_offsets);
  const auto values = offsets.values<uint64_t>();
  idx_offsets_.assign(values.begin(), values.end());
  if (idx_offsets_.front() != 0 || idx_offsets_.back() != blocks_ + 1 ||
      !std::is_sorted(idx_offsets_.begin(), idx_offsets_.end())) {
    throw damaged("{}_idx_offsets does not ascend from 0 to {}", name_, blocks_ + 1);
  }
}

void PackedArray::check_ends() const {
  const auto at = [&](uint64_t i) {
    return position(i, parts_.idx->read(range(i, 1)).values<uint32_t>()[0]);
  };
  if (const uint64_t first = at(0); first != 0)
    throw damaged("{}_idx begins with {}, expected 0", name_, first);
  const uint64_t words = at(blocks_);
  if (words > parts_.data->count()) {
    throw damaged("{}_data has {} values, {}_idx ends at {}", name_, parts_.data->count(), name_, words);
  }
}

uint64_t PackedArray::position(uint64_t i, uint32_t low) const {
  const auto after = std::upper_bound(idx_offsets_.begin(), idx_offsets_.end(), i);
  const auto range_number = static_cast<uint64_t>(after - idx_offsets_.begin()) - 1;
  return (range_number << 32) + low;
}

std::vector<uint64_t> PackedArray::positions(uint64_t first_block, uint64_t blocks) const {
  const std::vector<uint32_t> lows = idx_.read(first_block, blocks + 1);
  std::vector<uint64_t> positions(blocks + 1);
  for (uint64_t k = 0; k <= blocks; ++k) {
    positions[k] = position(first_block + k, lows[k]);
    if (k == 0) continue;
    const uint64_t words = positions[k] - positions[k - 1];
    if (positions[k] < positions[k - 1] || words % kWordsPerBit != 0 || words > kWordsPerBit * kMaxWidth) {
      throw damaged("{}_idx[{}]: a block from word {} to {} does not have a width of 0 to 32 bits", name_,
                    first_block + k - 1, positions[k - 1], positions[k]);
    }
  }
  if (positions.back() > parts_.data->count()) {
    throw damaged("{}_idx[{}] is {}, {}_data has {} values", name_, first_block + blocks, positions.back(),
                  name_, parts_.data->count());
  }
  return positions;
}

void PackedArray::add_added(uint64_t first, std::span<uint32_t> values) const {
  const Elements added = added_->read(range(first, values.size()));
  const auto terms = added.values<uint32_t>();
  for (size_t i = 0; i < values.size(); ++i) values[i] += terms[i];
}

PackedArray::Group PackedArray::read_group(uint64_t first_block, uint64_t blocks) const {
  Group group;
  group.at = positions(first_block, blocks);
  group.data = parts_.data->read(range(group.at[0], group.at[blocks] - group.at[0]));
  if (uses_starts(transform_))
    group.starts = starts_.read(first_block, blocks);
  else
    group.starts.resize(blocks);
  counters_.chunks_decoded.fetch_add(blocks, std::memory_order_relaxed);
  counters_.bytes_decoded.fetch_add(blocks * kBlockValues * sizeof(uint32_t), std::memory_order_relaxed);
  return group;
}

void PackedArray::decode(uint64_t first_block, uint64_t blocks, uint64_t first,
                         std::span<uint32_t> values) const {
  const Group group = read_group(first_block, blocks);
  uint64_t done = 0;
  for (uint64_t k = 0; k < blocks; ++k) {
    const uint64_t skipped = first + done - (first_block + k) * kBlockValues;
    const uint64_t some = std::min(kBlockValues - skipped, values.size() - done);
    if (some == kBlockValues) {
      unpack_block(group.width(k), transform_, group.starts[k], group.words(k), values.data() + done);
    } else {
      uint32_t whole_block[kBlockValues];
      unpack_block(group.width(k), transform_, group.starts[k], group.words(k), whole_block);
      std::copy_n(whole_block + skipped, some, values.data() + done);
    }
    done += some;
  }
}

// Runs of values, to which values are added one by one or several ascending ones at once.
class RisingRuns {
 public:
  RisingRuns(uint64_t first, std::span<const uint64_t> ends, uint64_t limit)
      : at_(first), ends_(ends), limit_(limit) {
    skip_empty();
  }

  uint64_t at() const { return at_; }
  // Returns the end of the run that contains the next value.
  uint64_t end() const { return ends_.front(); }
  // Adds the next count values, which lie between least and most and do not reach beyond end(). Returns false
  // if they do not rise or are not below the limit.
  bool add(uint32_t least, uint32_t most, uint64_t count) {
    if (before_ >= int64_t{least} || most >= limit_) return false;
    before_ = most;
    at_ += count;
    skip_empty();
    return true;
  }

 private:
  void skip_empty() {
    for (; !ends_.empty() && ends_.front() == at_; ends_ = ends_.subspan(1)) before_ = -1;
  }
  uint64_t at_;
  std::span<const uint64_t> ends_;
  const uint64_t limit_;
  int64_t before_ = -1;  // the last value of this run
};

std::optional<bool> PackedArray::runs_rise(uint64_t first, std::span<const uint64_t> ends,
                                           uint64_t limit) const {
  if (transform_ != Transform::zigzag_difference || added_) return std::nullopt;
  const uint64_t end = ends.empty() ? first : ends.back();
  check_inside(range(first, end - first), shape());
  RisingRuns runs(first, ends, limit);
  while (runs.at() < end) {
    const uint64_t first_block = runs.at() / kBlockValues;
    const uint64_t blocks = std::min(kGroupBlocks, divide_up(end, kBlockValues) - first_block);
    const Group group = read_group(first_block, blocks);
    for (uint64_t k = 0; k < blocks; ++k) {
      const uint64_t begin = (first_block + k) * kBlockValues;
      const uint32_t* const words = group.words(k);
      const unsigned width = group.width(k);
      uint32_t sum = 0;
      if (runs.at() == begin && runs.end() >= begin + kBlockValues && width <= kMaxRisingWidth &&
          differences_rise(width, words, sum)) {
        const uint64_t last = uint64_t{group.starts[k]} + sum;
        if (last > UINT32_MAX || !runs.add(group.starts[k], static_cast<uint32_t>(last), kBlockValues))
          return false;
        continue;
      }
      uint32_t values[kBlockValues];
      unpack_block(width, transform_, group.starts[k], words, values);
      while (runs.at() < std::min(end, begin + kBlockValues)) {
        const uint32_t value = values[runs.at() - begin];
        if (!runs.add(value, value, 1)) return false;
      }
    }
  }
  return true;
}

bool PackedArray::read_into(const Box& box, std::span<std::byte> out) const {
  check_inside(box, shape());
  const uint64_t first = box.origin[0], end = first + box.extent[0];
  const std::span values(reinterpret_cast<uint32_t*>(out.data()), end - first);
  for (uint64_t at = first; at < end;) {
    const uint64_t block = at / kBlockValues;
    const uint64_t group_end = std::min(end, (block + kGroupBlocks) * kBlockValues);
    const auto some = values.subspan(at - first, group_end - at);
    decode(block, divide_up(group_end, kBlockValues) - block, at, some);
    if (added_) add_added(at, some);
    at = group_end;
  }
  return true;
}

Elements PackedArray::read(const Box& box) const {
  check_inside(box, shape());
  Elements decoded;
  decoded.count = element_count(box.extent);
  decoded.bytes.resize(checked_size(decoded.count, sizeof(uint32_t)));
  read_into(box, decoded.bytes);
  return decoded;
}

}  // namespace

ArrayPtr packed_array(std::string name, PackedParts parts, Transform transform, uint64_t count,
                      ArrayPtr added, Context& context) {
  return std::make_shared<PackedArray>(std::move(name), std::move(parts), transform, count, std::move(added),
                                       context);
}

}  // namespace plainfs::bpcells
