#include "formats/core/unpacked/pass.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::unpacked {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

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

Bytes KeptNumbers::bytes(uint64_t max_bytes) {
  const uint64_t size = next();
  if (size > max_bytes) throw damaged("{} bytes, expected at most {}", size, max_bytes);
  Bytes bytes((size + kWord - 1) / kWord * kWord);
  for (size_t at = 0; at < bytes.size(); at += kWord) {
    const uint64_t word = next();
    std::memcpy(bytes.data() + at, &word, kWord);
  }
  bytes.resize(size);
  return bytes;
}

void append_bytes(ByteSpan bytes, std::vector<uint64_t>& numbers) {
  numbers.push_back(bytes.size());
  for (size_t at = 0; at < bytes.size(); at += kWord) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(kWord, bytes.size() - at));
    numbers.push_back(word);
  }
}

void append_numbers(const Pass& pass, std::vector<uint64_t>& numbers) {
  numbers.insert(numbers.end(), {pass.size, pass.checksums.size()});
  numbers.insert(numbers.end(), pass.checksums.begin(), pass.checksums.end());
  numbers.push_back(pass.points.size());
  for (const SeekPoint& point : pass.points) {
    numbers.push_back(point.output);
    numbers.push_back(point.input);
    append_bytes(point.window ? ByteSpan(*point.window) : ByteSpan(), numbers);
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
    if (Bytes window = numbers.bytes(kMaxWindow); !window.empty())
      point.window = std::make_shared<const Bytes>(std::move(window));
    if (point.output < before || point.output > pass.size) throw damaged("restart points are not ascending");
    before = point.output;
  }
  return pass;
}

}  // namespace plainfs::unpacked
