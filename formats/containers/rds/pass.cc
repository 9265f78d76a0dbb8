#include "formats/containers/rds/pass.h"

#include <cstring>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::rds {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

class Numbers {
 public:
  explicit Numbers(const std::vector<uint64_t>& all) : all_(all) {}

  uint64_t next() {
    if (at_ == all_.size()) throw damaged("the record of a scan is truncated");
    return all_[at_++];
  }
  // Reads the number of items that follow. Each takes at least `least` numbers.
  uint64_t count(uint64_t least) {
    const uint64_t many = next();
    if (many > (all_.size() - at_) / least) throw damaged("{} items in {} numbers", many, all_.size() - at_);
    return many;
  }
  bool at_end() const { return at_ == all_.size(); }

 private:
  const std::vector<uint64_t>& all_;
  size_t at_ = 0;
};

std::shared_ptr<const Bytes> window_of(Numbers& numbers) {
  const uint64_t size = numbers.next();
  if (size == 0) return nullptr;
  if (size > kMostWindow) throw damaged("invalid window: {} bytes", size);
  auto window = std::make_shared<Bytes>((size + kWord - 1) / kWord * kWord);
  for (size_t at = 0; at < window->size(); at += kWord) {
    const uint64_t word = numbers.next();
    std::memcpy(window->data() + at, &word, kWord);
  }
  window->resize(size);
  return window;
}

void put_window(const Bytes* window, std::vector<uint64_t>& numbers) {
  const size_t size = window ? window->size() : 0;
  numbers.push_back(size);
  for (size_t at = 0; at < size; at += kWord) {
    uint64_t word = 0;
    std::memcpy(&word, window->data() + at, std::min(kWord, size - at));
    numbers.push_back(word);
  }
}

Pass read_pass(Numbers& numbers) {
  Pass pass;
  pass.size = numbers.next();
  pass.checksums.resize(numbers.count(1));
  for (uint32_t& checksum : pass.checksums) checksum = static_cast<uint32_t>(numbers.next());
  if (pass.checksums.size() != pass.size / kPageBytes + (pass.size % kPageBytes != 0))
    throw damaged("{} checksums for {} bytes", pass.checksums.size(), pass.size);
  pass.points.resize(numbers.count(3));
  uint64_t before = 0;
  for (SeekPoint& point : pass.points) {
    point.output = numbers.next();
    point.input = numbers.next();
    point.window = window_of(numbers);
    if (point.output < before || point.output > pass.size) throw damaged("restart points are not ascending");
    before = point.output;
  }
  for (uint64_t left = numbers.count(4); left > 0; --left) {
    const uint64_t begin = numbers.next();
    LongVector vector;
    vector.count = numbers.next();
    vector.end = numbers.next();
    vector.parts.resize(numbers.count(2));
    for (VectorPart& part : vector.parts) {
      part.first = numbers.next();
      part.offset = numbers.next();
    }
    for (size_t i = 0; i < vector.parts.size(); ++i) {
      const VectorPart& part = vector.parts[i];
      const bool rises =
          i == 0 ? part.first == 0 && part.offset == begin
                 : part.first > vector.parts[i - 1].first && part.offset > vector.parts[i - 1].offset;
      if (!rises || part.first >= vector.count || part.offset >= vector.end)
        throw damaged("the parts of a vector are not ascending");
    }
    if (vector.end < begin || vector.end > pass.size) throw damaged("the end of a vector is invalid");
    pass.vectors.emplace(begin, std::move(vector));
  }
  if (!numbers.at_end()) throw damaged("the record of a scan has trailing numbers");
  return pass;
}

}  // namespace

std::vector<uint64_t> numbers_of(const Pass& pass) {
  std::vector<uint64_t> numbers{pass.size, pass.checksums.size()};
  numbers.insert(numbers.end(), pass.checksums.begin(), pass.checksums.end());
  numbers.push_back(pass.points.size());
  for (const SeekPoint& point : pass.points) {
    numbers.push_back(point.output);
    numbers.push_back(point.input);
    put_window(point.window.get(), numbers);
  }
  numbers.push_back(pass.vectors.size());
  for (const auto& [begin, vector] : pass.vectors) {
    numbers.insert(numbers.end(), {begin, vector.count, vector.end, vector.parts.size()});
    for (const VectorPart& part : vector.parts) numbers.insert(numbers.end(), {part.first, part.offset});
  }
  return numbers;
}

std::optional<Pass> pass_of(const std::vector<uint64_t>& all) {
  try {
    Numbers numbers(all);
    return read_pass(numbers);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace plainfs::rds
