#include "formats/containers/rds/known_vectors.h"

#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::rds {
namespace {

// Reads the vectors of data with `size` bytes. Throws damaged if a position is impossible.
LongVectors read_vectors(unpacked::KeptNumbers& numbers, uint64_t size) {
  LongVectors vectors;
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
    if (vector.end < begin || vector.end > size) throw damaged("the end of a vector is invalid");
    vectors.emplace(begin, std::move(vector));
  }
  return vectors;
}

}  // namespace

std::vector<uint64_t> numbers_of(const RPass& pass) {
  std::vector<uint64_t> numbers;
  append_numbers(pass.bytes, numbers);
  numbers.push_back(pass.vectors.size());
  for (const auto& [begin, vector] : pass.vectors) {
    numbers.insert(numbers.end(), {begin, vector.count, vector.end, vector.parts.size()});
    for (const VectorPart& part : vector.parts) numbers.insert(numbers.end(), {part.first, part.offset});
  }
  return numbers;
}

std::optional<RPass> pass_of(const std::vector<uint64_t>& all) {
  try {
    unpacked::KeptNumbers numbers(all);
    RPass pass;
    pass.bytes = unpacked::read_pass(numbers);
    pass.vectors = read_vectors(numbers, pass.bytes.size);
    if (!numbers.at_end()) throw damaged("the record of a scan has trailing numbers");
    return pass;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace plainfs::rds
