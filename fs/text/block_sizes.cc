#include "fs/text/block_sizes.h"

#include <span>
#include <utility>
#include <vector>

namespace plainfs {
namespace {

// The numbers of a measurement in part: the division, the number of blocks of the text, and runs of measured
// blocks: the first block, their number and the size of each.
constexpr size_t kHeadNumbers = 2;
constexpr std::string_view kInPart = " in part";

// Calls take(first, sizes) for each run. Returns false if the numbers have no valid form.
template <class Take>
bool for_each_run(const Measured& in_part, Take&& take) {
  const std::span<const uint64_t> numbers = in_part.numbers;
  if (numbers.size() < kHeadNumbers) return false;
  const uint64_t blocks = numbers[1];
  for (size_t at = kHeadNumbers; at < numbers.size();) {
    if (numbers.size() - at < 2) return false;
    const uint64_t first = numbers[at], count = numbers[at + 1];
    at += 2;
    if (count > numbers.size() - at || first > blocks || count > blocks - first) return false;
    take(first, numbers.subspan(at, count));
    at += count;
  }
  return true;
}

}  // namespace

MeasuredPtr BlockSizes::measured_in_part(std::string_view version, uint64_t division) const {
  Measured measured{version_in_part(version), {division, count_}};
  std::vector<uint64_t>& numbers = measured.numbers;
  size_t length_at = 0;  // place of the number of blocks of the current run; 0: no run
  for (uint64_t block = 0; block < count_; ++block) {
    const std::optional<uint64_t> size = at(block);
    if (!size) {
      length_at = 0;
      continue;
    }
    if (length_at == 0) {
      numbers.push_back(block);
      length_at = numbers.size();
      numbers.push_back(0);
    }
    numbers.push_back(*size);
    ++numbers[length_at];
  }
  if (numbers.size() == kHeadNumbers) return nullptr;
  return std::make_shared<const Measured>(std::move(measured));
}

bool BlockSizes::adopt(const Measured& in_part, uint64_t division) {
  const std::vector<uint64_t>& numbers = in_part.numbers;
  if (numbers.size() < kHeadNumbers || numbers[0] != division || numbers[1] != count_) return false;
  if (!for_each_run(in_part, [](uint64_t, std::span<const uint64_t>) {})) return false;
  return for_each_run(in_part, [this](uint64_t first, std::span<const uint64_t> sizes) {
    for (uint64_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] != UINT64_MAX) set(first + i, sizes[i]);
  });
}

std::string version_in_part(std::string_view version) {
  return std::string(version).append(kInPart);
}

bool is_in_part(const Measured& measured) {
  return measured.version.ends_with(kInPart);
}

MeasuredPtr joined(MeasuredPtr now, MeasuredPtr before) {
  if (!is_in_part(*now)) return now;
  if (version_in_part(before->version) == now->version) return before;
  if (before->version != now->version || before->numbers.size() < kHeadNumbers) return now;
  BlockSizes sizes(now->numbers[1]);
  const uint64_t division = now->numbers[0];
  if (!sizes.adopt(*before, division) || !sizes.adopt(*now, division)) return now;
  const std::string_view version = now->version;
  MeasuredPtr both = sizes.measured_in_part(version.substr(0, version.size() - kInPart.size()), division);
  return both ? both : now;
}

}  // namespace plainfs
