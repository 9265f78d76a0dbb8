#include "formats/core/model/arrays/assembly.h"

#include <algorithm>

#include "cache/mutex.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/box_runs.h"

namespace plainfs {

Elements cut(const DType& type, const Elements& source, const Shape& source_shape, const Box& box) {
  if (box.extent == source_shape) return source;
  if (layout_of(type) == Layout::flat) {
    Assembly assembly(type, box.extent);
    assembly.place(source, source_shape, box, Shape(box.extent.size(), 0));
    return assembly.finish();
  }
  Elements result = zero_elements(type, 0);
  for_each_runs(source_shape, box, box.extent, Shape(box.extent.size(), 0), [&](const Runs& runs) {
    for (uint64_t k = 0; k < runs.count; ++k) {
      append(type, result, source, runs.source + k * runs.source_step, runs.length);
    }
  });
  return result;
}

Assembly::Assembly(const DType& type, Shape extent)
    : type_(type), flat_(layout_of(type) == Layout::flat), extent_(std::move(extent)) {
  const uint64_t count = element_count(extent_);
  if (flat_) {
    result_.count = count;
    result_.bytes.resize(checked_multiply(count, type_.size));
  } else {
    result_ = zero_elements(type_, 0);
  }
}

void Assembly::place(const Elements& source, const Shape& source_shape, const Box& source_box,
                     const Shape& target_origin) {
  if (flat_) {
    copy_box(type_.size, source.bytes.data(), source_shape, source_box, result_.bytes.data(), extent_,
             target_origin);
    if (!source.missing.empty()) mark_missing(source, source_shape, source_box, target_origin);
    return;
  }
  Part part{cut(type_, source, source_shape, source_box), source_box.extent, target_origin};
  const MutexLock lock(mutex_);
  parts_.push_back(std::move(part));
}

void Assembly::mark_missing(const Elements& source, const Shape& source_shape, const Box& source_box,
                            const Shape& target_origin) {
  uint8_t* missing = nullptr;
  {
    const MutexLock lock(mutex_);
    if (result_.missing.empty()) result_.missing.resize(result_.count);
    missing = result_.missing.data();
  }
  copy_box(1, reinterpret_cast<const std::byte*>(source.missing.data()), source_shape, source_box,
           reinterpret_cast<std::byte*>(missing), extent_, target_origin);
}

Elements Assembly::finish() {
  if (parts_.size() == 1 && parts_[0].extent == extent_) return std::move(parts_[0].elements);
  struct Piece {
    uint64_t target;
    uint64_t first;
    uint64_t length;
    const Elements* elements;
  };
  std::vector<Piece> pieces;
  for (const Part& part : parts_) {
    for_each_runs(part.extent, whole(part.extent), extent_, part.origin, [&](const Runs& runs) {
      for (uint64_t k = 0; k < runs.count; ++k) {
        pieces.push_back({runs.target + k * runs.target_step, runs.source + k * runs.source_step, runs.length,
                          &part.elements});
      }
    });
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.target < b.target; });
  for (const Piece& piece : pieces) append(type_, result_, *piece.elements, piece.first, piece.length);
  return std::move(result_);
}

}  // namespace plainfs
