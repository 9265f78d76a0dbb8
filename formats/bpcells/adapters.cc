#include "formats/bpcells/adapters.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace plainfs::bpcells {
namespace {

constexpr uint64_t kBlock = 1 << 16;  // values looked at in one go

bool is_number(const DType& type) {
  return type.kind == Kind::integer || type.kind == Kind::unsigned_integer || type.kind == Kind::real;
}

void require_rank_one(const Array& values, const std::string& name) {
  if (values.shape().size() != 1) throw damaged("{} has rank {}, expected 1", name, values.shape().size());
}

// An array that hands out another one's elements.
class Adapter : public Array {
 public:
  Adapter(ArrayPtr inner, DType type, Shape shape)
      : Array(std::move(type), std::move(shape)), inner_(inner) {}
  Shape chunk_shape() const override {
    Shape chunk = inner_->chunk_shape();
    chunk[0] = std::min(chunk[0], std::max<uint64_t>(shape()[0], 1));
    return chunk;
  }
  Elements read(const Box& box) const override { return inner_->read(box); }
  void check() const override { inner_->check(); }
  Attributes attributes() const override { return inner_->attributes(); }

 protected:
  const Array& inner() const { return *inner_; }

 private:
  ArrayPtr inner_;
};

float plain_number(Half value) {
  return to_float(value);
}
template <class T>
T plain_number(T value) {
  return value;
}

// Whether To holds the value exactly (a NaN is a NaN).
template <class To, class From>
bool holds(From value) {
  if constexpr (std::integral<From> && std::integral<To>) {
    return std::in_range<To>(value);
  } else if constexpr (std::integral<From>) {
    constexpr auto kExact = uint64_t{1} << std::numeric_limits<To>::digits;
    return std::cmp_less_equal(value, kExact) && std::cmp_greater_equal(value, -static_cast<int64_t>(kExact));
  } else if constexpr (std::integral<To>) {
    const double limit = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const double lowest = std::signed_integral<To> ? -limit : 0.0;
    return value >= lowest && value < limit && std::trunc(value) == value;
  } else {
    return std::isnan(value) || static_cast<From>(static_cast<To>(value)) == value;
  }
}

class ConvertedNumbers final : public Adapter {
 public:
  ConvertedNumbers(ArrayPtr inner, const DType& type, std::string name)
      : Adapter(inner, type, inner->shape()), name_(std::move(name)) {}

  Elements read(const Box& box) const override {
    const Elements stored = inner().read(box);
    Elements converted;
    converted.count = stored.count;
    converted.bytes.resize(stored.count * dtype().size);
    visit_number(dtype(), [&](auto to) {
      visit_number(inner().dtype(), [&](auto from) {
        convert<decltype(to), decltype(from)>(stored, box.origin[0], converted);
      });
    });
    return converted;
  }

 private:
  template <class To, class From>
  void convert(const Elements& stored, uint64_t first, Elements& converted) const {
    if constexpr (std::is_same_v<To, Half>) {
      throw unsupported("{}: no BPCells array is float16", name_);
    } else {
      const auto source = stored.values<From>();
      const auto target = converted.mutable_values<To>();
      for (size_t i = 0; i < source.size(); ++i) {
        const auto value = plain_number(source[i]);
        if (!holds<To>(value)) {
          throw damaged("{}[{}] is {}, no value of type {}", name_, first + i, value, dtype().name());
        }
        target[i] = static_cast<To>(value);
      }
    }
  }

  std::string name_;
};

class FixedNames final : public Adapter {
 public:
  explicit FixedNames(ArrayPtr inner) : Adapter(inner, text_type(), inner->shape()) {}

  Elements read(const Box& box) const override {
    const Elements stored = inner().read(box);
    const std::string_view bytes = as_text(stored.bytes);
    const size_t size = inner().dtype().size;
    TextBuilder names(stored.count);
    for (uint64_t i = 0; i < stored.count; ++i) {
      names.add(trim_padding(bytes.substr(i * size, size), inner().dtype().padding));
    }
    return names.finish();
  }
};

class FirstValues final : public Adapter {
 public:
  FirstValues(ArrayPtr inner, uint64_t count) : Adapter(inner, inner->dtype(), {count}) {}
};

// Calls look(first, values) for one block of values after the other.
template <class Look>
void for_each_block(const ArrayPtr& values, const std::string& name, Look look) {
  const ArrayPtr numbers = numbers_as(values, number_type(Kind::unsigned_integer, 8), name);
  const uint64_t count = numbers->count();
  for (uint64_t first = 0; first < count; first += kBlock) {
    const Elements block = numbers->read(range(first, std::min(kBlock, count - first)));
    look(first, block.values<uint64_t>());
  }
}

// A pointer array whose check() looks at all its values, until they were right once.
class CheckedPointer : public Adapter {
 public:
  CheckedPointer(ArrayPtr inner, std::string name)
      : Adapter(inner, inner->dtype(), inner->shape()), stored_(inner), name_(std::move(name)) {}

  void check() const final {
    if (checked_.load(std::memory_order_relaxed)) return;
    stored_->check();
    check_values();
    checked_.store(true, std::memory_order_relaxed);
  }

 protected:
  virtual void check_values() const = 0;
  const ArrayPtr& stored() const { return stored_; }
  const std::string& name() const { return name_; }

 private:
  ArrayPtr stored_;
  std::string name_;
  mutable std::atomic<bool> checked_{false};  // atomic: checking twice at the same time is harmless
};

class RisingPointer final : public CheckedPointer {
 public:
  using CheckedPointer::CheckedPointer;

 private:
  void check_values() const override {
    uint64_t before = 0;
    for_each_block(stored(), name(), [&](uint64_t first, std::span<const uint64_t> values) {
      if (first == 0 && values[0] != 0) throw damaged("{} begins with {}, not with 0", name(), values[0]);
      for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] < before)
          throw damaged("{}[{}] falls from {} to {}", name(), first + i, before, values[i]);
        before = values[i];
      }
    });
  }
};

class RangePointer final : public CheckedPointer {
 public:
  using CheckedPointer::CheckedPointer;

 private:
  void check_values() const override {
    if (count() % 2 != 0) throw damaged("{} has {} values, expected pairs", name(), count());
    static_assert(kBlock % 2 == 0, "a pair lies in one block");
    for_each_block(stored(), name(), [&](uint64_t first, std::span<const uint64_t> values) {
      for (size_t i = 0; i < values.size(); i += 2) {
        if (values[i] > values[i + 1]) {
          throw damaged("{}[{}]: a range begins at {} and ends at {}", name(), first + i, values[i],
                        values[i + 1]);
        }
      }
    });
  }
};

}  // namespace

ArrayPtr numbers_as(ArrayPtr values, const DType& type, const std::string& name) {
  require_rank_one(*values, name);
  const DType& stored = values->dtype();
  if (!is_number(stored)) throw damaged("{} is {}, expected {}", name, stored.name(), type.name());
  if (stored.kind == type.kind && stored.size == type.size) return values;
  return std::make_shared<ConvertedNumbers>(std::move(values), type, name);
}

ArrayPtr names_of(ArrayPtr values, const std::string& name) {
  require_rank_one(*values, name);
  const Kind kind = values->dtype().kind;
  if (kind == Kind::text) return values;
  if (kind != Kind::fixed_text) throw damaged("{} is {}, expected text", name, values->dtype().name());
  return std::make_shared<FixedNames>(std::move(values));
}

ArrayPtr first_values(ArrayPtr values, uint64_t count, const std::string& name) {
  const uint64_t stored = values->count();
  if (stored < count) throw damaged("{} has {} values, expected {}", name, stored, count);
  if (stored == count) return values;
  return std::make_shared<FirstValues>(std::move(values), count);
}

ArrayPtr rising_pointer(ArrayPtr pointer, const std::string& name) {
  return std::make_shared<RisingPointer>(std::move(pointer), name);
}

ArrayPtr range_pointer(ArrayPtr pointer, const std::string& name) {
  return std::make_shared<RangePointer>(std::move(pointer), name);
}

uint64_t last_value(const ArrayPtr& values, const std::string& name) {
  const ArrayPtr numbers = numbers_as(values, number_type(Kind::unsigned_integer, 8), name);
  if (numbers->count() == 0) throw damaged("{} is empty", name);
  return numbers->read(range(numbers->count() - 1, 1)).values<uint64_t>()[0];
}

uint64_t largest_value(const ArrayPtr& values, const std::string& name) {
  uint64_t largest = 0;
  for_each_block(values, name, [&](uint64_t, std::span<const uint64_t> block) {
    for (const uint64_t value : block) largest = std::max(largest, value);
  });
  return largest;
}

}  // namespace plainfs::bpcells
