#include "formats/core/model/arrays/array.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "cache/mutex.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/assembly.h"
#include "formats/core/model/arrays/box_runs.h"

namespace plainfs {

namespace {

// Copies runs of the same small size. The constant lets the compiler copy them with single moves.
template <size_t kBytes>
void copy_small(const Runs& runs, const std::byte* source, std::byte* target) {
  source += runs.source * kBytes;
  target += runs.target * kBytes;
  const uint64_t source_step = runs.source_step * kBytes;
  const uint64_t target_step = runs.target_step * kBytes;
  for (uint64_t k = 0; k < runs.count; ++k) {
    std::memcpy(target + k * target_step, source + k * source_step, kBytes);
  }
}

void copy_runs(const Runs& runs, uint64_t element_size, const std::byte* source, std::byte* target) {
  if (runs.length == 1) {
    switch (element_size) {
      case 1:
        return copy_small<1>(runs, source, target);
      case 2:
        return copy_small<2>(runs, source, target);
      case 4:
        return copy_small<4>(runs, source, target);
      case 8:
        return copy_small<8>(runs, source, target);
    }
  }
  source += runs.source * element_size;
  target += runs.target * element_size;
  for (uint64_t k = 0; k < runs.count; ++k) {
    std::memcpy(target + k * runs.target_step * element_size, source + k * runs.source_step * element_size,
                runs.length * element_size);
  }
}

// One mutex is enough, because surveys are rarely used.
Mutex& surveys_mutex() {
  static Mutex mutex;
  return mutex;
}

}  // namespace

struct Array::Surveys {
  std::map<std::pair<std::type_index, uint64_t>, std::shared_ptr<const void>> generated;
};

std::shared_ptr<const void> Array::find_survey(std::type_index type, uint64_t key) const {
  const MutexLock lock(surveys_mutex());
  if (!surveys_) return nullptr;
  const auto found = surveys_->generated.find({type, key});
  return found == surveys_->generated.end() ? nullptr : found->second;
}

std::shared_ptr<const void> Array::keep_survey(std::type_index type, uint64_t key,
                                               std::shared_ptr<const void> generated) const {
  const MutexLock lock(surveys_mutex());
  if (!surveys_) surveys_ = std::make_shared<Surveys>();
  return surveys_->generated.try_emplace({type, key}, std::move(generated)).first->second;
}

uint64_t element_count(std::span<const uint64_t> shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  uint64_t count = 1;
  for (const uint64_t axis : shape) count = checked_multiply(count, axis);
  return count;
}

Box whole(const Shape& shape) {
  return {Shape(shape.size(), 0), shape};
}

Box range(uint64_t first, uint64_t count) {
  return {{first}, {count}};
}

void check_inside(const Box& box, const Shape& shape) {
  bool inside = box.origin.size() == shape.size() && box.extent.size() == shape.size();
  for (size_t d = 0; inside && d < shape.size(); ++d) {
    inside = box.origin[d] <= shape[d] && box.extent[d] <= shape[d] - box.origin[d];
  }
  if (inside) return;
  throw damaged("({}) elements at ({}) are outside the array of shape ({})", fmt::join(box.extent, ", "),
                fmt::join(box.origin, ", "), fmt::join(shape, ", "));
}

Elements read_all(const Array& array) {
  return array.read(whole(array.shape()));
}

MemoryArray::MemoryArray(DType dtype, Shape shape, Elements elements, Attributes attributes,
                         bool column_major)
    : Array(std::move(dtype), std::move(shape), column_major),
      elements_(std::move(elements)),
      attributes_(std::move(attributes)) {}

Elements MemoryArray::read(const Box& box) const {
  check_inside(box, shape());
  return cut(dtype(), elements_, shape(), box);
}

ArrayPtr text_array(const std::vector<std::string>& values) {
  TextBuilder builder(values.size());
  for (const std::string& value : values) builder.add(value);
  return std::make_shared<MemoryArray>(text_type(), Shape{values.size()}, builder.finish());
}

void copy_box(uint64_t element_size, const std::byte* source, const Shape& source_shape,
              const Box& source_box, std::byte* target, const Shape& target_shape,
              const Shape& target_origin) {
  if (element_size == 0) return;
  for_each_runs(source_shape, source_box, target_shape, target_origin,
                [&](const Runs& runs) { copy_runs(runs, element_size, source, target); });
}

}  // namespace plainfs
