#include "formats/bpcells/packed_array.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/model/checked.h"
#include "formats/model/chunked_array.h"

namespace plainfs::bpcells {
namespace {

// 16384 values or 64 KiB: a cache entry about as long as a block of text, which costs three short reads.
constexpr uint64_t kGroupBlocks = 128;

constexpr uint64_t kWordsPerBit = kBlockValues / 32;  // words of a block of width 1

ChunkGrid group_grid(uint64_t count) {
  const uint64_t blocks = std::max<uint64_t>(divide_up(count, kBlockValues), 1);
  return ChunkGrid({count}, {std::min(kGroupBlocks, blocks) * kBlockValues});
}

void require_length(const ArrayPtr& array, uint64_t length, const std::string& name, const char* suffix) {
  if (array->count() != length) {
    throw damaged("{}{} has {} values, expected {}", name, suffix, array->count(), length);
  }
}

class PackedArray final : public ChunkedArray {
 public:
  PackedArray(std::string name, PackedParts parts, Transform transform, uint64_t count, ArrayPtr added,
              Context& context)
      : ChunkedArray(context, number_type(Kind::unsigned_integer, 4), group_grid(count)),
        name_(std::move(name)),
        parts_(std::move(parts)),
        transform_(transform),
        added_(std::move(added)),
        blocks_(divide_up(count, kBlockValues)) {
    require_length(parts_.idx, checked_add(blocks_, 1), name_, "_idx");
    if (uses_starts(transform_)) require_length(parts_.starts, blocks_, name_, "_starts");
    read_idx_offsets();
    check_ends();
  }

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override;

 private:
  void read_idx_offsets();
  void check_ends() const;
  // The positions of blocks [first_block, first_block + blocks] in data. Each step is a valid width.
  std::vector<uint64_t> positions(uint64_t first_block, uint64_t blocks) const;
  // The position that entry i of idx means, whose stored value is low.
  uint64_t position(uint64_t i, uint32_t low) const;
  void add_added(uint64_t first, std::span<uint32_t> values) const;

  std::string name_;
  PackedParts parts_;
  Transform transform_;
  ArrayPtr added_;
  uint64_t blocks_;
  std::vector<uint64_t> idx_offsets_;  // ranges + 1, the first 0, the last blocks + 1
};

void PackedArray::read_idx_offsets() {
  if (!parts_.idx_offsets) {
    idx_offsets_ = {0, blocks_ + 1};
    return;
  }
  // Range j holds positions from j * 2^32 on, so data limits how many ranges there can be.
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
    throw damaged("{}_idx_offsets does not rise from 0 to {}", name_, blocks_ + 1);
  }
}

void PackedArray::check_ends() const {
  const auto at = [&](uint64_t i) {
    return position(i, parts_.idx->read(range(i, 1)).values<uint32_t>()[0]);
  };
  if (const uint64_t first = at(0); first != 0)
    throw damaged("{}_idx begins with {}, not with 0", name_, first);
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
  const Elements idx = parts_.idx->read(range(first_block, blocks + 1));
  const auto lows = idx.values<uint32_t>();
  std::vector<uint64_t> positions(blocks + 1);
  for (uint64_t k = 0; k <= blocks; ++k) {
    positions[k] = position(first_block + k, lows[k]);
    if (k == 0) continue;
    const uint64_t words = positions[k] - positions[k - 1];
    if (positions[k] < positions[k - 1] || words % kWordsPerBit != 0 || words > kWordsPerBit * kMaxWidth) {
      throw damaged("{}_idx[{}]: a block from word {} to {} has no width of 0 to 32 bits", name_,
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

Elements PackedArray::load_chunk(std::span<const uint64_t> chunk) const {
  const uint64_t first = grid().start(0, chunk[0]);
  const uint64_t stored = grid().length(0, chunk[0]);  // whole blocks, the last group's may hang over
  const uint64_t inside = std::min(stored, shape()[0] - first);
  const uint64_t first_block = first / kBlockValues;
  const uint64_t blocks = divide_up(inside, kBlockValues);

  const std::vector<uint64_t> at = positions(first_block, blocks);
  const Elements data = parts_.data->read(range(at[0], at[blocks] - at[0]));
  const uint32_t* words = data.values<uint32_t>().data();
  Elements starts;
  if (uses_starts(transform_)) starts = parts_.starts->read(range(first_block, blocks));

  Elements decoded;
  decoded.count = stored;
  decoded.bytes.resize(stored * sizeof(uint32_t));
  const auto values = decoded.mutable_values<uint32_t>();
  for (uint64_t k = 0; k < blocks; ++k) {
    const auto width = static_cast<unsigned>((at[k + 1] - at[k]) / kWordsPerBit);
    const uint32_t start = uses_starts(transform_) ? starts.values<uint32_t>()[k] : 0;
    unpack_block(width, transform_, start, words + (at[k] - at[0]), values.data() + k * kBlockValues);
  }
  std::fill(values.begin() + static_cast<ptrdiff_t>(inside), values.end(), 0);  // no padding, no stale memory
  if (added_) add_added(first, values.first(inside));
  return decoded;
}

}  // namespace

ArrayPtr packed_array(std::string name, PackedParts parts, Transform transform, uint64_t count,
                      ArrayPtr added, Context& context) {
  return std::make_shared<PackedArray>(std::move(name), std::move(parts), transform, count, std::move(added),
                                       context);
}

}  // namespace plainfs::bpcells
