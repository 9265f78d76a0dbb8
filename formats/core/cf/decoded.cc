#include "formats/core/cf/decoded.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "formats/core/cf/characters.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/number_text.h"

namespace plainfs {
namespace {

// A number in an attribute, exact if it is an integer or has its own type.
struct AttributeNumber {
  std::optional<int64_t> integer;
  std::optional<uint64_t> natural;
  double real = 0;
};

// Parses a number, or the name of one for which JSON has no token. type: of the attribute, may be null.
std::optional<AttributeNumber> number_in(const Json& value, const DType* type) {
  if (const std::string* text = value.text()) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (*text == "NaN") return AttributeNumber{{}, {}, std::numeric_limits<double>::quiet_NaN()};
    if (*text == "Infinity") return AttributeNumber{{}, {}, kInfinity};
    if (*text == "-Infinity") return AttributeNumber{{}, {}, -kInfinity};
    return std::nullopt;
  }
  const std::optional<double> real = value.as_double();
  if (!real) return std::nullopt;
  return AttributeNumber{value.as_int64(), value.as_uint64(), widened(*real, type)};
}

std::vector<AttributeNumber> numbers_in(const Attribute* attribute) {
  std::vector<AttributeNumber> numbers;
  if (!attribute) return numbers;
  const auto add = [&](const Json& value) {
    if (const auto number = number_in(value, attribute->type.get())) numbers.push_back(*number);
  };
  if (const Json::List* list = attribute->value().list())
    for (const Json& value : *list) add(value);
  else
    add(attribute->value());
  return numbers;
}

std::optional<double> first_number(const Attribute* attribute) {
  const std::vector<AttributeNumber> numbers = numbers_in(attribute);
  return numbers.empty() ? std::nullopt : std::optional(numbers.front().real);
}

// Returns the number as a T; nullopt if T cannot represent it, so that no element can equal it.
template <class T>
std::optional<T> as_number(const AttributeNumber& number) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half_from_double(number.real);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number.real);
  } else {
    if (number.integer && std::in_range<T>(*number.integer)) return static_cast<T>(*number.integer);
    if (number.natural && std::in_range<T>(*number.natural)) return static_cast<T>(*number.natural);
    constexpr double kExact = 0x1p53;
    if (number.integer || number.natural || std::trunc(number.real) != number.real ||
        std::fabs(number.real) > kExact)
      return std::nullopt;
    const auto whole = static_cast<int64_t>(number.real);
    return std::in_range<T>(whole) ? std::optional(static_cast<T>(whole)) : std::nullopt;
  }
}

// Returns the stored type, signed or unsigned according to `_Unsigned`.
DType number_type_of(const CfVariable& variable) {
  DType type = variable.values->dtype();
  if (type.kind == Kind::enumeration) return number_type(type.base, type.size);
  const std::string unsigned_text = variable.attributes.readable().text("_Unsigned");
  if (type.kind == Kind::integer && unsigned_text == "true")
    return number_type(Kind::unsigned_integer, type.size);
  if (type.kind == Kind::unsigned_integer && unsigned_text == "false")
    return number_type(Kind::integer, type.size);
  return type;
}

// The stored numbers that represent missing values.
class MissingNumbers {
 public:
  // is_time: a number that netCDF leaves where nothing was written is missing, too.
  MissingNumbers(const CfVariable& variable, bool is_time) : shown_(number_type_of(variable)) {
    for (const char* name : {"_FillValue", "missing_value"})
      for (const AttributeNumber& number : numbers_in(variable.attributes.readable().named(name)))
        numbers_.push_back(number);
    const DType& stored = variable.values->dtype();
    if (is_time && variable.has_default_fill && stored.size > 1 &&
        !variable.attributes.readable().named("_FillValue"))
      numbers_.push_back(default_fill(stored));
  }

  bool is_none() const { return numbers_.empty(); }

  template <class T>
  void mark(std::span<const T> values, std::vector<uint8_t>& missing) const {
    // Half numbers are compared as floats.
    using Key = decltype(plain_number(T{}));
    std::vector<Key> wanted;  // sorted
    bool is_nan = false;
    for (const AttributeNumber& number : numbers_) {
      is_nan = is_nan || std::isnan(number.real);
      const std::optional<T> value = stored_as<T>(number);
      if (value && plain_number(*value) == plain_number(*value)) wanted.push_back(plain_number(*value));
    }
    std::sort(wanted.begin(), wanted.end());
    for (size_t i = 0; i < values.size(); ++i) {
      bool found = std::binary_search(wanted.begin(), wanted.end(), plain_number(values[i]));
      if constexpr (!std::is_integral_v<T>) {
        const bool is_nan_here = std::isnan(number_cast<double>(values[i]));
        found = is_nan_here ? is_nan : found;
      }
      if (!found) continue;
      if (missing.empty()) missing.resize(values.size());
      missing[i] = 1;
    }
  }

 private:
  static AttributeNumber default_fill(const DType& type) {
    if (type.kind == Kind::integer && type.size == 8)
      return {netcdf_fill<int64_t>(), {}, static_cast<double>(netcdf_fill<int64_t>())};
    if (type.kind == Kind::unsigned_integer && type.size == 8)
      return {{}, netcdf_fill<uint64_t>(), static_cast<double>(netcdf_fill<uint64_t>())};
    return visit_number(type, [](auto zero) {
      return AttributeNumber{{}, {}, number_cast<double>(netcdf_fill<decltype(zero)>())};
    });
  }

  // Returns a number as it is stored. Because of `_Unsigned` it may be given as it is shown.
  template <class T>
  std::optional<T> stored_as(const AttributeNumber& number) const {
    std::optional<T> value = as_number<T>(number);
    if constexpr (std::is_integral_v<T>) {
      using Other = std::conditional_t<std::is_signed_v<T>, std::make_unsigned_t<T>, std::make_signed_t<T>>;
      const bool is_other = shown_.is_integer() && (shown_.kind == Kind::integer) != std::is_signed_v<T>;
      if (!value && is_other)
        if (const std::optional<Other> shown = as_number<Other>(number)) value = static_cast<T>(*shown);
    }
    return value;
  }

  const DType shown_;
  std::vector<AttributeNumber> numbers_;
};

// The parameters for unpacking values.
struct Packing {
  std::optional<double> scale, offset;
  bool in_float = false;

  bool is_none() const { return !scale && !offset; }
  DType type() const { return number_type(Kind::real, in_float ? 4 : 8); }

  template <class Real>
  Real unpacked(Real value) const {
    // Rounds after each step.
    volatile Real result = value;
    if (scale) result = result * static_cast<Real>(*scale);
    if (offset) result = result + static_cast<Real>(*offset);
    return result;
  }
};

// stored: the type of the values. A float holds each of up to 16 bits.
Packing packing_of(const Attributes& attributes, const DType& stored) {
  Packing packing;
  packing.in_float = stored.size <= (stored.kind == Kind::real ? 4 : 2);
  const auto read = [&](const char* name) {
    const Attribute* const attribute = attributes.readable().named(name);
    const std::optional<double> number = first_number(attribute);
    const bool is_float =
        attribute && attribute->type && attribute->type->kind == Kind::real && attribute->type->size == 4;
    if (number && !is_float) packing.in_float = false;
    return number;
  };
  packing.scale = read("scale_factor");
  packing.offset = read("add_offset");
  return packing;
}

bool counts(const DType& type) {
  return type.is_integer_or_real() || type.kind == Kind::enumeration;
}

bool is_native_time(const DType& type) {
  return type.kind == Kind::time_point || type.kind == Kind::time_span;
}

class DecodedNumbers : public DerivedArray {
 public:
  DecodedNumbers(const CfVariable& variable, DType shown, std::optional<TimeReference> times, Packing packing)
      : DerivedArray(variable.values, std::move(shown)),
        number_(number_type_of(variable)),
        stored_(variable.values->dtype()),
        missing_(variable, times.has_value()),
        times_(std::move(times)),
        packing_(packing) {}

  bool may_be_missing() const override { return !missing_.is_none() || times_ || values().may_be_missing(); }

 private:
  Elements derived(Elements stored, const Box&) const override {
    visit_number(stored_, [&](auto zero) { missing_.mark(stored.values<decltype(zero)>(), stored.missing); });
    return visit_number(number_, [&](auto zero) { return decoded<decltype(zero)>(std::move(stored)); });
  }

  template <class T>
  Elements decoded(Elements stored) const {
    if (times_) return time_texts<T>(stored);
    if (dtype().kind == Kind::boolean) return truth_values<T>(stored);
    if (packing_.is_none()) return stored;  // the same bits
    return packing_.in_float ? unpacked<T, float>(stored) : unpacked<T, double>(stored);
  }

  template <class T>
  Elements truth_values(const Elements& stored) const {
    Elements truth = zero_elements(dtype(), stored.count);
    const auto values = stored.values<T>();
    const auto out = truth.mutable_values<uint8_t>();
    for (uint64_t i = 0; i < stored.count; ++i) out[i] = number_cast<double>(values[i]) != 0;
    truth.missing = stored.missing;
    return truth;
  }

  template <class T, class Real>
  Elements unpacked(const Elements& stored) const {
    Elements numbers = zero_elements(dtype(), stored.count);
    const auto values = stored.values<T>();
    const auto out = numbers.template mutable_values<Real>();
    for (uint64_t i = 0; i < stored.count; ++i) out[i] = packing_.unpacked(number_cast<Real>(values[i]));
    numbers.missing = stored.missing;
    return numbers;
  }

  template <class T>
  Elements time_texts(const Elements& stored) const {
    const auto values = stored.values<T>();
    TextBuilder texts(stored.count);
    std::string text;
    for (uint64_t i = 0; i < stored.count; ++i) {
      text.clear();
      if (stored.is_missing(i) || !append_time<T>(values[i], text))
        texts.add_missing();
      else
        texts.add(text);
    }
    return texts.finish();
  }

  // Returns false for a number that is not a time.
  template <class T>
  bool append_time(T value, std::string& out) const {
    if constexpr (std::is_same_v<T, int64_t>)
      if (value == INT64_MIN) return false;
    if (packing_.is_none() && std::is_integral_v<T>) {
      if constexpr (std::is_integral_v<T>) {
        using WideInteger = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
        append_near(static_cast<WideInteger>(value), out);
      }
      return true;
    }
    const bool in_float = packing_.is_none() ? number_.size <= 4 : packing_.in_float;
    return in_float ? append_real(packing_.unpacked(number_cast<float>(value)), out)
                    : append_real(packing_.unpacked(number_cast<double>(value)), out);
  }

  template <class Real>
  bool append_real(Real value, std::string& out) const {
    constexpr Real kNotATime = -0x1p63;  // of int64 as a real
    if (std::isnan(value) || value == kNotATime) return false;
    append_near(value, out);
    return true;
  }

  // Appends a time, or the count itself if no date is so far away.
  template <class Count>
  void append_near(Count count, std::string& out) const {
    if (times_->reaches(count))
      times_->append_text(times_->since_reference(count), out);
    else
      append_number(count, out);
  }

  const DType number_;
  const DType stored_;
  const MissingNumbers missing_;
  const std::optional<TimeReference> times_;
  const Packing packing_;
};

}  // namespace

double widened(double real, const DType* type) {
  if (!type || type->kind != Kind::real || type->size == 8) return real;
  return type->size == 4 ? static_cast<float>(real) : to_float(to_half_from_double(real));
}

std::optional<int64_t> nanoseconds_per_count(const DType& type) {
  if (!is_native_time(type)) return std::nullopt;
  constexpr std::pair<TimeUnit, int64_t> kTimeUnits[] = {{TimeUnit::week, 604'800'000'000'000},
                                                         {TimeUnit::day, 86'400'000'000'000},
                                                         {TimeUnit::hour, 3'600'000'000'000},
                                                         {TimeUnit::minute, 60'000'000'000},
                                                         {TimeUnit::second, 1'000'000'000},
                                                         {TimeUnit::milli, 1'000'000},
                                                         {TimeUnit::micro, 1000},
                                                         {TimeUnit::nano, 1}};
  for (const auto& [unit, nanoseconds] : kTimeUnits) {
    int64_t all = 0;
    if (unit == type.time_unit && !__builtin_mul_overflow(nanoseconds, int64_t{type.time_count}, &all))
      return all;
  }
  return std::nullopt;
}

std::optional<TimeReference> cf_times(const CfVariable& variable, const Attributes* bounded) {
  if (variable.values->dtype().kind == Kind::time_point) {
    const std::optional<int64_t> unit = nanoseconds_per_count(variable.values->dtype());
    return unit ? std::optional(TimeReference::since_1970(*unit)) : std::nullopt;
  }
  if (!counts(variable.values->dtype()) || variable.values->dtype().kind == Kind::enumeration)
    return std::nullopt;
  const bool has_units = variable.attributes.readable().named("units") != nullptr;
  const auto text = [&](const char* name) {
    const std::string own = variable.attributes.readable().text(name);
    return own.empty() && bounded && !has_units ? bounded->readable().text(name) : own;
  };
  const std::string units = text("units"), name = text("calendar");
  const std::optional<Calendar> calendar = calendar_named(name.empty() ? "standard" : name);
  return calendar ? TimeReference::parse(units, *calendar) : std::nullopt;
}

ArrayPtr cf_decoded(const CfVariable& variable, const Attributes* bounded) {
  if (variable.is_joined) return joined_text(variable.values);
  const DType& stored = variable.values->dtype();
  if (is_native_time(stored)) {
    std::optional<TimeReference> times = cf_times(variable, nullptr);
    if (!times) return with_missing_times(variable.values);
    return std::make_shared<DecodedNumbers>(variable, text_type(), std::move(times), Packing());
  }
  if (!counts(stored) && stored.kind != Kind::boolean) return variable.values;
  const bool is_truth =
      stored.kind == Kind::boolean || variable.attributes.readable().text("dtype") == "bool";
  std::optional<TimeReference> times = is_truth ? std::nullopt : cf_times(variable, bounded);
  const Packing packing = is_truth ? Packing() : packing_of(variable.attributes, stored);
  DType shown = number_type_of(variable);
  if (is_truth)
    shown = number_type(Kind::boolean, 1);
  else if (times)
    shown = text_type();
  else if (!packing.is_none())
    shown = packing.type();
  shown.big_endian = false;
  return std::make_shared<DecodedNumbers>(variable, std::move(shown), std::move(times), packing);
}

}  // namespace plainfs
