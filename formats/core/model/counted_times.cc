#include "formats/core/model/counted_times.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/model/derived_array.h"
#include "formats/core/model/time_text.h"

namespace plainfs {

namespace {

DType time_type(TimeUnit unit) {
  DType type = number_type(Kind::time_point, 8);
  type.time_unit = unit;
  return type;
}

// Element i, nullopt where it is none, or infinite.
std::optional<double> finite_number(const DType& type, const Elements& elements, uint64_t i) {
  if (elements.is_missing(i)) return std::nullopt;
  const double value =
      type.kind == Kind::integer ? elements.values<int32_t>()[i] : elements.values<double>()[i];
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool is_near(double value) {
  return std::fabs(value) <= 0x1p53;
}

// The digits after the point of a number, as the shortest that read back to it; of a negative one those
// from the second before it on.
std::string fraction_digits(double number) {
  char text[512];
  const auto end = std::to_chars(text, text + sizeof text, std::fabs(number), std::chars_format::fixed).ptr;
  const std::string_view all(text, static_cast<size_t>(end - text));
  const size_t point = all.find('.');
  if (point == all.npos) return {};
  std::string digits(all.substr(point + 1));
  if (number >= 0) return digits;
  // 1 less it: nines' complement, and one more at the last place.
  for (char& digit : digits) digit = static_cast<char>('9' - (digit - '0'));
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i] != '9') {
      ++digits[i];
      break;
    }
    digits[i] = '0';
  }
  return digits;
}

size_t digits_of(TimeUnit unit) {
  return unit == TimeUnit::second ? 0 : unit == TimeUnit::milli ? 3 : unit == TimeUnit::micro ? 6 : 9;
}

int64_t count_of(double seconds, TimeUnit unit) {
  const size_t places = digits_of(unit);
  std::string digits = fraction_digits(seconds);
  if (digits.size() > places)
    throw unsupported("the second {} has more than {} digits behind the point", seconds, places);
  digits.resize(places, '0');
  int64_t fraction = 0, scale = 1, count = 0;
  for (const char digit : digits) {
    fraction = fraction * 10 + (digit - '0');
    scale *= 10;
  }
  if (!is_near(seconds) || __builtin_mul_overflow(static_cast<int64_t>(std::floor(seconds)), scale, &count) ||
      __builtin_add_overflow(count, fraction, &count))
    throw unsupported("the second {} is too far from 1970", seconds);
  return count;
}

class Instants : public DerivedArray {
 public:
  explicit Instants(ArrayPtr numbers) : DerivedArray(numbers, text_type()), numbers_(std::move(numbers)) {}

  const ArrayPtr& numbers() const { return numbers_; }

 private:
  Elements derived(Elements stored, const Box&) const override {
    TextBuilder texts(stored.count);
    const DType seconds = time_type(TimeUnit::second);
    for (uint64_t i = 0; i < stored.count; ++i) {
      const std::optional<double> number = finite_number(numbers_->dtype(), stored, i);
      if (!number) {
        texts.add_missing();
        continue;
      }
      if (!is_near(*number)) throw unsupported("the second {} is too far", *number);
      std::string text;
      append_time(seconds, static_cast<int64_t>(std::floor(*number)), text);
      if (const std::string digits = fraction_digits(*number); !digits.empty()) text += "." + digits;
      texts.add(text + "Z");
    }
    return texts.finish();
  }

  const ArrayPtr numbers_;
};

// Each number as a point in time of that unit, count(number) of one.
template <class Count>
ArrayPtr as_times(ArrayPtr numbers, TimeUnit unit, Count count) {
  const DType stored = numbers->dtype(), times = time_type(unit);
  return mapped(std::move(numbers), times, [stored, times, count](const Elements& elements, const Box&) {
    Elements made = zero_elements(times, elements.count);
    const auto counts = made.mutable_values<int64_t>();
    for (uint64_t i = 0; i < elements.count; ++i) {
      const std::optional<double> number = finite_number(stored, elements, i);
      counts[i] = number ? count(*number) : kNotATime;
    }
    return made;
  });
}

}  // namespace

ArrayPtr days_since_1970(ArrayPtr numbers) {
  return as_times(std::move(numbers), TimeUnit::day, [](double day) {
    if (!is_near(day)) throw unsupported("the day {} is too far", day);
    return static_cast<int64_t>(std::floor(day));
  });
}

ArrayPtr instants_since_1970(ArrayPtr numbers) {
  return std::make_shared<Instants>(std::move(numbers));
}

ArrayPtr instant_numbers(const Array& array) {
  const auto* instants = dynamic_cast<const Instants*>(&without_rule(array));
  return instants ? instants->numbers() : nullptr;
}

size_t instant_digits(const Array& numbers, uint64_t first, uint64_t count) {
  if (numbers.dtype().kind == Kind::integer) return 0;
  const Elements elements = numbers.read(range(first, count));
  size_t most = 0;
  for (uint64_t i = 0; i < elements.count; ++i)
    if (const std::optional<double> number = finite_number(numbers.dtype(), elements, i))
      most = std::max(most, fraction_digits(*number).size());
  return most;
}

ArrayPtr counted_instants(ArrayPtr numbers, TimeUnit unit) {
  return as_times(std::move(numbers), unit, [unit](double seconds) { return count_of(seconds, unit); });
}

}  // namespace plainfs
