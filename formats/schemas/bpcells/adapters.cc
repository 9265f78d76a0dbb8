#include "formats/schemas/bpcells/adapters.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "formats/core/base/half.h"
#include "formats/core/model/arrays/derived_array.h"

namespace plainfs::bpcells {
namespace {

constexpr uint64_t kBlock = 1 << 16;  // values that are checked at once

void require_rank_one(const Array& values, const std::string& name) {
  if (values.shape().size() != 1) throw damaged("{} has rank {}, expected 1", name, values.shape().size());
}

// Returns whether To holds the value exactly (a NaN counts as equal).
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

// Converts values of the array called name. first: the place of the first of them in the array.
template <class To, class From>
void convert(const Elements& stored, uint64_t first, const DType& type, const std::string& name,
             Elements& converted) {
  if constexpr (std::is_same_v<To, Half>) {
    throw unsupported("{}: float16, which BPCells arrays do not have", name);
  } else {
    const auto source = stored.values<From>();
    const auto target = converted.mutable_values<To>();
    for (size_t i = 0; i < source.size(); ++i) {
      const auto value = plain_number(source[i]);
      if (!holds<To>(value))
        throw damaged("{}[{}] is {}, not a value of type {}", name, first + i, value, type.name());
      target[i] = static_cast<To>(value);
    }
  }
}

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

// Throws damaged unless the values begin with 0 and never fall.
void require_rising(const ArrayPtr& pointer, const std::string& name) {
  uint64_t before = 0;
  for_each_block(pointer, name, [&](uint64_t first, std::span<const uint64_t> values) {
    if (first == 0 && values[0] != 0) throw damaged("{} begins with {}, expected 0", name, values[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < before) throw damaged("{}[{}] falls from {} to {}", name, first + i, before, values[i]);
      before = values[i];
    }
  });
}

// Throws damaged unless the values are pairs of a begin and an end that is not before it.
void require_ranges(const ArrayPtr& pointer, const std::string& name) {
  if (pointer->count() % 2 != 0) throw damaged("{} has {} values, expected pairs", name, pointer->count());
  static_assert(kBlock % 2 == 0, "a pair lies in one block");
  for_each_block(pointer, name, [&](uint64_t first, std::span<const uint64_t> values) {
    for (size_t i = 0; i < values.size(); i += 2) {
      if (values[i] > values[i + 1])
        throw damaged("{}[{}]: a range begins at {} and ends at {}", name, first + i, values[i],
                      values[i + 1]);
    }
  });
}

}  // namespace

ArrayPtr numbers_as(ArrayPtr values, const DType& type, const std::string& name) {
  require_rank_one(*values, name);
  const DType& stored = values->dtype();
  if (!stored.is_integer_or_real()) throw damaged("{} is {}, expected {}", name, stored.name(), type.name());
  if (stored.kind == type.kind && stored.size == type.size) return values;
  return mapped(values, type, [from_type = stored, type, name](const Elements& numbers, const Box& box) {
    Elements converted;
    converted.count = numbers.count;
    converted.bytes.resize(numbers.count * type.size);
    visit_number(type, [&](auto to) {
      visit_number(from_type, [&](auto from) {
        convert<decltype(to), decltype(from)>(numbers, box.origin[0], type, name, converted);
      });
    });
    return converted;
  });
}

ArrayPtr names_of(ArrayPtr values, const std::string& name) {
  require_rank_one(*values, name);
  const DType type = values->dtype();
  if (type.kind == Kind::text) return values;
  if (type.kind != Kind::fixed_text) throw damaged("{} is {}, expected text", name, type.name());
  return mapped(std::move(values), text_type(), [type](const Elements& stored, const Box&) {
    const std::string_view bytes = as_text(stored.bytes);
    TextBuilder names(stored.count);
    for (uint64_t i = 0; i < stored.count; ++i)
      names.add(trim_padding(bytes.substr(i * type.size, type.size), type.padding));
    return names.finish();
  });
}

ArrayPtr first_values(ArrayPtr values, uint64_t count, const std::string& name) {
  const uint64_t stored = values->count();
  if (stored < count) throw damaged("{} has {} values, expected {}", name, stored, count);
  if (stored == count) return values;
  return std::make_shared<DerivedArray>(values, values->dtype(), Shape{count}, false);
}

ArrayPtr rising_pointer(ArrayPtr pointer, const std::string& name) {
  return checked(pointer, [pointer, name] { require_rising(pointer, name); });
}

ArrayPtr range_pointer(ArrayPtr pointer, const std::string& name) {
  return checked(pointer, [pointer, name] { require_ranges(pointer, name); });
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
