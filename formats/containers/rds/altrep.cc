#include "formats/containers/rds/altrep.h"

#include <cmath>
#include <limits>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::rds {
namespace {

constexpr int32_t kMissingInteger = std::numeric_limits<int32_t>::min();

void spend(uint64_t elements, uint64_t& most_elements) {
  if (elements > most_elements) throw unsupported("a compact R vector of {} elements is too long", elements);
  most_elements -= elements;
}

// state: the number of elements, the first one, the step; all three doubles.
RValue sequence(RType type, const RValue& state, uint64_t& most_elements) {
  if (state.type != RType::real || state.elements.count != 3)
    throw damaged("a compact R sequence has no three numbers");
  const auto stored = state.elements.values<double>();
  const double count = stored[0], first = stored[1], step = stored[2];
  if (!(count >= 0 && count <= 0x1p52)) throw damaged("a compact R sequence has length {}", count);
  RValue value;
  value.type = type;
  value.elements.count = static_cast<uint64_t>(count);
  spend(value.elements.count, most_elements);
  const double last = first + step * (count - 1);
  if (type == RType::integer && count > 0) {
    for (const double end : {first, last}) {
      if (!(end > kMissingInteger && end <= std::numeric_limits<int32_t>::max() && end == std::trunc(end))) {
        throw damaged("a compact R sequence of integers reaches {}", end);
      }
    }
  }
  const auto fill = [&](auto zero) {
    using T = decltype(zero);
    value.elements.bytes.resize(value.elements.count * sizeof(T));
    const auto values = value.elements.mutable_values<T>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(first + step * static_cast<double>(i));
  };
  if (type == RType::integer)
    fill(int32_t{});
  else
    fill(double{});
  return value;
}

// as.character() of numbers that has not happened yet. Of doubles only those are done whose text is beyond
// doubt.
RValue strings_of(const RValue& numbers, uint64_t& most_elements) {
  if (numbers.type == RType::text) return numbers;
  spend(numbers.elements.count, most_elements);
  TextBuilder builder(numbers.elements.count);
  if (numbers.type == RType::integer) {
    for (const int32_t number : numbers.elements.values<int32_t>()) {
      if (number == kMissingInteger)
        builder.add_missing();
      else
        builder.add(std::to_string(number));
    }
  } else if (numbers.type == RType::real) {
    for (const double number : numbers.elements.values<double>()) {
      if (number != std::trunc(number) || std::fabs(number) >= 1e5) {
        throw unsupported("the text of {} as R writes it is not known", number);
      }
      builder.add(std::to_string(static_cast<int32_t>(number)));
    }
  } else {
    throw damaged("deferred R strings are made of no numbers");
  }
  RValue value;
  value.type = RType::text;
  value.elements = builder.finish();
  return value;
}

}  // namespace

RValue expand_altrep(const std::string& class_name, RValue state, uint64_t& most_elements) {
  if (class_name == "compact_intseq") return sequence(RType::integer, state, most_elements);
  if (class_name == "compact_realseq") return sequence(RType::real, state, most_elements);
  // The others have a pair: the vector they stand for and what R knows about it.
  const bool deferred = class_name == "deferred_string";
  if (!deferred && !class_name.starts_with("wrap_")) {
    throw unsupported("compact R vectors of class \"{}\" are not supported", class_name);
  }
  if (state.type != RType::pairs) throw damaged("the state of a compact R vector is no pair");
  RValue wrapped = std::move(state.items[0]);
  return deferred ? strings_of(wrapped, most_elements) : wrapped;
}

}  // namespace plainfs::rds
