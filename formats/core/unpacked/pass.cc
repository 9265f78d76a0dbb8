#include "formats/core/unpacked/pass.h"

#include <cstring>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::unpacked {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

std::shared_ptr<const Bytes> window_of(KeptNumbers& numbers) {
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

}  // namespace

uint64_t KeptNumbers::next() {
  if (at_ == all_.size()) throw damaged("the record of a scan is truncated");
  return all_[at_++];
}

uint64_t KeptNumbers::count(uint64_t least) {
  const uint64_t many = next();
  if (many > (all_.size() - at_) / least) throw damaged("{} items in {} numbers", many, all_.size() - at_);
  return many;
}

void append_numbers(const Pass& pass, std::vector<uint64_t>& numbers) {
  numbers.insert(numbers.end(), {pass.size, pass.checksums.size()});
  numbers.insert(numbers.end(), pass.checksums.begin(), pass.checksums.end());
  numbers.push_back(pass.points.size());
  for (const SeekPoint& point : pass.points) {
    numbers.push_back(point.output);
    numbers.push_back(point.input);
    put_window(point.window.get(), numbers);
  }
}

Pass read_pass(KeptNumbers& numbers) {
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
  return pass;
}

}  // namespace plainfs::unpacked
