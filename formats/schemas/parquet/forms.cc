#include "formats/schemas/parquet/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "formats/core/base/checked.h"
#include "formats/core/model/elements/time_text.h"
#include "formats/core/text/utf8.h"
#include "formats/schemas/parquet/wkt.h"

namespace plainfs::parquet {
namespace {

// Returns the bytes of stored value i of a column of bytes, or of a column of values of one size.
std::string_view bytes_of(const Elements& stored, uint64_t i) {
  if (!stored.offsets.empty()) return stored.text(i);
  const uint64_t size = stored.count == 0 ? 0 : stored.bytes.size() / stored.count;
  return as_text(ByteSpan(stored.bytes).subspan(i * size, size));
}

// Returns the text that put(i, out) appends for each value.
template <class Put>
Elements texts_of(uint64_t count, uint64_t max_bytes, Put&& put) {
  Elements texts;
  texts.count = count;
  texts.offsets.resize(count + 1);
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    text.clear();
    put(i, text);
    if (texts.bytes.size() + text.size() > max_bytes)
      check_page_bytes(texts.bytes.size() + text.size(), max_bytes);
    const ByteSpan bytes = as_byte_span(text);
    texts.bytes.insert(texts.bytes.end(), bytes.begin(), bytes.end());
    texts.offsets[i + 1] = texts.bytes.size();
  }
  return texts;
}

// Appends the digits of a number in two's complement, big-endian, without its sign. Returns the sign.
bool append_digits(std::string_view bytes, std::string& out) {
  constexpr uint64_t kBase = 1'000'000'000;
  constexpr int kBaseDigits = 9;
  const bool is_negative = !bytes.empty() && (static_cast<uint8_t>(bytes.front()) & 0x80) != 0;
  std::vector<uint8_t> magnitude(bytes.begin(), bytes.end());
  if (is_negative) {
    for (uint8_t& byte : magnitude) byte = static_cast<uint8_t>(~byte);
    for (size_t i = magnitude.size(); i-- > 0 && ++magnitude[i] == 0;) continue;
  }
  std::vector<uint32_t> groups;  // of nine digits, the last first
  for (size_t first = 0; first < magnitude.size();) {
    uint64_t rest = 0;
    for (size_t i = first; i < magnitude.size(); ++i) {
      rest = rest << 8 | magnitude[i];
      magnitude[i] = static_cast<uint8_t>(rest / kBase);
      rest %= kBase;
    }
    groups.push_back(static_cast<uint32_t>(rest));
    while (first < magnitude.size() && magnitude[first] == 0) ++first;
  }
  auto end = std::back_inserter(out);
  fmt::format_to(end, "{}", groups.empty() ? 0 : groups.back());
  for (size_t i = groups.empty() ? 0 : groups.size() - 1; i-- > 0;)
    fmt::format_to(end, "{:0{}}", groups[i], kBaseDigits);
  return is_negative;
}

// Appends a decimal: its digits, with a point before the last `scale` of them.
void append_decimal(bool is_negative, std::string digits, int64_t scale, std::string& out) {
  if (is_negative) out += '-';
  if (scale <= 0) {
    out += digits;
    if (digits != "0") out.append(static_cast<size_t>(-scale), '0');
    return;
  }
  const auto decimals = static_cast<size_t>(scale);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  out.append(digits, 0, digits.size() - decimals);
  out += '.';
  out.append(digits, digits.size() - decimals, decimals);
}

template <class T>
LeafForm integer_decimals(int64_t scale) {
  return {text_type(), [scale](const Elements& stored, uint64_t max_bytes) {
            const auto values = stored.values<T>();
            return texts_of(stored.count, max_bytes, [&](uint64_t i, std::string& out) {
              const int64_t value = values[i];
              const uint64_t magnitude =
                  value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
              append_decimal(value < 0, fmt::to_string(magnitude), scale, out);
            });
          }};
}

LeafForm byte_decimals(int64_t scale) {
  return {text_type(), [scale](const Elements& stored, uint64_t max_bytes) {
            return texts_of(stored.count, max_bytes, [&](uint64_t i, std::string& out) {
              std::string digits;
              const bool is_negative = append_digits(bytes_of(stored, i), digits);
              append_decimal(is_negative, std::move(digits), scale, out);
            });
          }};
}

LeafForm text_form() {
  return {text_type(), [](Elements stored, uint64_t max_bytes) {
            if (!stored.offsets.empty()) return stored;
            return texts_of(stored.count, max_bytes,
                            [&](uint64_t i, std::string& out) { out += bytes_of(stored, i); });
          }};
}

int64_t units_in_second(int64_t unit) {
  constexpr int64_t kThousand = 1000;
  return unit == kMillis   ? kThousand
         : unit == kMicros ? kThousand * kThousand
                           : kThousand * kThousand * kThousand;
}

int digits_of(int64_t unit) {
  return unit == kMillis ? 3 : unit == kMicros ? 6 : 9;
}

TimeUnit time_unit(int64_t unit) {
  return unit == kMillis ? TimeUnit::milli : unit == kMicros ? TimeUnit::micro : TimeUnit::nano;
}

// Appends a time of the day, HH:MM:SS.mmm.
void append_clock(int64_t count, int64_t unit, std::string& out) {
  constexpr int64_t kMinute = 60, kHour = 3600;
  const int64_t in_second = units_in_second(unit);
  int64_t seconds = count / in_second, fraction = count % in_second;
  if (fraction < 0) {
    --seconds;
    fraction += in_second;
  }
  int64_t hours = seconds / kHour, in_hour = seconds % kHour;
  if (in_hour < 0) {
    --hours;
    in_hour += kHour;
  }
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}:{:02}.{:0{}}", hours, in_hour / kMinute,
                 in_hour % kMinute, fraction, digits_of(unit));
}

template <class T>
LeafForm clocks(int64_t unit) {
  return {text_type(), [unit](const Elements& stored, uint64_t max_bytes) {
            const auto values = stored.values<T>();
            return texts_of(stored.count, max_bytes,
                            [&](uint64_t i, std::string& out) { append_clock(values[i], unit, out); });
          }};
}

DType time_type(TimeUnit unit, bool is_utc) {
  DType type = number_type(Kind::time_point, sizeof(int64_t));
  type.time_unit = unit;
  type.is_utc = is_utc;
  return type;
}

LeafForm dates() {
  return {time_type(TimeUnit::day, false), [](const Elements& stored, uint64_t) {
            Elements days;
            days.count = stored.count;
            days.bytes.resize(checked_size(stored.count, sizeof(int64_t)));
            const auto from = stored.values<int32_t>();
            const auto to = days.mutable_values<int64_t>();
            for (uint64_t i = 0; i < stored.count; ++i) to[i] = from[i];
            return days;
          }};
}

// INT96: nanoseconds of the day, and the Julian day. Spark writes far dates so that the microseconds since
// 1970 wrap around at 64 bits.
void append_int96(std::string_view bytes, std::string& out) {
  constexpr int64_t kEpoch = 2'440'588, kThousand = 1000;
  constexpr uint64_t kMicrosInDay = 86'400'000'000;
  const ByteSpan stored = as_byte_span(bytes);
  const auto in_day = load_little<int64_t>(stored.data());
  const auto day = load_little<int32_t>(stored.data() + sizeof(int64_t));
  int64_t micros_in_day = in_day / kThousand, rest = in_day % kThousand;
  if (rest < 0) {
    --micros_in_day;
    rest += kThousand;
  }
  const auto micros = static_cast<int64_t>(static_cast<uint64_t>(day - kEpoch) * kMicrosInDay +
                                           static_cast<uint64_t>(micros_in_day));
  append_time(time_type(TimeUnit::micro, false), micros, out);
  fmt::format_to(std::back_inserter(out), "{:03}", rest);
}

void append_interval(std::string_view bytes, std::string& out) {
  constexpr uint32_t kThousand = 1000;
  Cursor in(as_byte_span(bytes));
  const auto months = in.little<uint32_t>(), days = in.little<uint32_t>(), millis = in.little<uint32_t>();
  fmt::format_to(std::back_inserter(out), "P{}M{}DT{}.{:03}S", months, days, millis / kThousand,
                 millis % kThousand);
}

void append_uuid(std::string_view bytes, std::string& out) {
  std::string hex;
  append_hex(as_byte_span(bytes), hex);
  for (const size_t dash : {8, 13, 18, 23}) hex.insert(dash, 1, '-');
  out += hex;
}

// Returns a form of text that append(bytes, out) makes of each value.
template <class Append>
LeafForm generated_texts(Append append) {
  return {text_type(), [append](const Elements& stored, uint64_t max_bytes) {
            return texts_of(stored.count, max_bytes,
                            [&](uint64_t i, std::string& out) { append(bytes_of(stored, i), out); });
          }};
}

LeafForm physical_form(const Column& column) {
  switch (column.physical) {
    case Physical::boolean:
      return {number_type(Kind::boolean, 1)};
    case Physical::int32:
      return {number_type(Kind::integer, sizeof(int32_t))};
    case Physical::int64:
      return {number_type(Kind::integer, sizeof(int64_t))};
    case Physical::int96:
      return generated_texts(append_int96);
    case Physical::real32:
      return {number_type(Kind::real, sizeof(float))};
    case Physical::real64:
      return {number_type(Kind::real, sizeof(double))};
    case Physical::bytes:
      return {number_type(Kind::blob, 0)};
    case Physical::fixed:
      break;
  }
  return {number_type(Kind::opaque, column.length)};
}

class FormFinder {
 public:
  explicit FormFinder(const Column& column) : column_(column), meaning_(column.meaning) {}

  ShownForm find() const {
    const bool is_bytes = column_.physical == Physical::bytes;
    constexpr uint32_t kUuidBytes = 16, kHalfBytes = 2, kIntervalBytes = 12;
    switch (meaning_.kind) {
      case logical::kString:
      case logical::kEnum:
      case logical::kJson:
        require(is_bytes || column_.physical == Physical::fixed);
        return {text_form()};
      case logical::kDecimal:
        return decimals();
      case logical::kDate:
        require(column_.physical == Physical::int32);
        return {dates()};
      case logical::kTime:
        return times();
      case logical::kTimestamp:
        require_unit();
        require(column_.physical == Physical::int64);
        return {{time_type(time_unit(meaning_.unit), meaning_.is_utc)}};
      case logical::kInteger:
        return integers();
      case logical::kUuid:
        require_length(kUuidBytes);
        return {generated_texts(append_uuid)};
      case logical::kFloat16:
        require_length(kHalfBytes);
        return {{number_type(Kind::real, kHalfBytes)}};
      case logical::kGeometry:
      case logical::kGeography:
        require(is_bytes);
        return {generated_texts(append_wkt)};
      case logical::kBson:
      case logical::kUnknown:
        return {physical_form(column_)};
      default:
        break;
    }
    if (meaning_.is_interval) {
      require_length(kIntervalBytes);
      return {generated_texts(append_interval)};
    }
    if (is_bytes) return {{text_type()}, false, true};
    return {physical_form(column_)};
  }

 private:
  void require(bool is_possible) const {
    if (!is_possible)
      throw damaged("logical type {} of values of type {}", meaning_.kind,
                    static_cast<int>(column_.physical));
  }
  void require_length(uint32_t length) const {
    require(column_.physical == Physical::fixed && column_.length == length);
  }
  void require_unit() const {
    if (meaning_.unit < kMillis || meaning_.unit > kNanos)
      throw unsupported("times in the unknown unit {}", meaning_.unit);
  }

  ShownForm decimals() const {
    constexpr int64_t kMaxScale = 10'000;
    const int64_t scale = meaning_.scale;
    if (scale < -kMaxScale || scale > kMaxScale) throw damaged("decimals of the scale {}", scale);
    if (column_.physical == Physical::int32) return {integer_decimals<int32_t>(scale), true};
    if (column_.physical == Physical::int64) return {integer_decimals<int64_t>(scale), true};
    require(column_.physical == Physical::bytes || column_.physical == Physical::fixed);
    return {byte_decimals(scale), true};
  }

  ShownForm times() const {
    require_unit();
    require(column_.physical == (meaning_.unit == kMillis ? Physical::int32 : Physical::int64));
    if (meaning_.unit == kMillis) return {clocks<int32_t>(meaning_.unit)};
    return {clocks<int64_t>(meaning_.unit)};
  }

  ShownForm integers() const {
    constexpr int64_t kLongBits = 64;
    const bool is_long = meaning_.bits == kLongBits;
    require(column_.physical == (is_long ? Physical::int64 : Physical::int32));
    return {{number_type(meaning_.is_signed ? Kind::integer : Kind::unsigned_integer, is_long ? 8 : 4)}};
  }

  const Column& column_;
  const Meaning& meaning_;
};

}  // namespace

ShownForm shown_form(const Column& column, bool is_wkb) {
  if (is_wkb && column.physical == Physical::bytes) return {generated_texts(append_wkt)};
  return FormFinder(column).find();
}

bool are_plain_texts(const Elements& texts) {
  constexpr unsigned char kDelete = 0x7f;
  for (const std::byte byte : texts.bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == kDelete) return false;
  }
  for (uint64_t i = 0; i < texts.count; ++i)
    if (!is_utf8(texts.text(i))) return false;
  return true;
}

Elements as_hex(const Elements& texts) {
  Elements hex = texts_of(texts.count, UINT64_MAX, [&](uint64_t i, std::string& out) {
    append_hex(as_byte_span(texts.text(i)), out);
  });
  hex.missing = texts.missing;
  return hex;
}

}  // namespace plainfs::parquet
