#include "fs/views/xlsx/sheet_column.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/time_text.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

constexpr uint64_t kSampledRows = 100;
constexpr uint64_t kMaxNumberWidth = 12, kDateWidth = 10, kTimeWidth = 19;
// More levels are text, because all of them are written even if few rows have them.
constexpr uint64_t kMaxLevels = 16384;

constexpr double kDaysTo1970 = 25569, kFirstSerial = 61;  // of 1900-03-01
constexpr double kEndSerial = 2958466;                    // of 10000-01-01
constexpr int64_t kMicrosInSecond = 1000000, kSecondsInDay = 86400;

constexpr std::string_view kDateStyle = " s=\"2\"", kTimeStyle = " s=\"3\"";

// A cell with a value that is not of a number type: what readers of the .csv see.
struct OtherValue {
  enum { nothing, text, number, truth } kind = nothing;
  std::string_view as_text{};
};

// Returns the value of a text as a number, if it is one that a double represents.
bool is_number(std::string_view text) {
  constexpr size_t kSurelyExactDigits = 15;
  const std::optional<double> value = parsed_number<double>(text);
  if (!value || !std::isfinite(*value)) return false;
  const bool is_integer = text.find_first_of(".eE") == text.npos;
  return !is_integer || text.size() <= kSurelyExactDigits;
}

// Requires: the element is not missing. scratch: holds the text.
OtherValue other_value(const DType& type, const Elements& elements, uint64_t i, std::string& scratch) {
  if (type.kind == Kind::text) return {OtherValue::text, elements.text(i)};
  scratch.clear();
  const bool is_text = append_plain(type, elements, i, scratch);
  // Only these may hold something else than text in some of their elements.
  if (is_text || (type.kind != Kind::json && type.kind != Kind::enumeration)) {
    const bool is_no_time = type.kind == Kind::time_point && scratch == "NA";
    return {is_no_time ? OtherValue::nothing : OtherValue::text, scratch};
  }
  if (scratch == "TRUE" || scratch == "FALSE") return {OtherValue::truth, scratch};
  if (scratch == "NA" || scratch == "NaN" || scratch == "Inf" || scratch == "-Inf") return {};
  return {is_number(scratch) ? OtherValue::number : OtherValue::text, scratch};
}

uint64_t characters_of(std::string_view text) {
  return static_cast<uint64_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Whether a double represents the integer.
template <class T>
bool is_exact(T value) {
  constexpr int64_t kWhole = int64_t{1} << 53;
  if constexpr (sizeof(T) < 8) return true;
  return std::cmp_less_equal(value, kWhole) && std::cmp_greater_equal(value, -kWhole);
}

bool is_date(const DType& type) {
  return type.time_unit == TimeUnit::day || type.time_unit == TimeUnit::week;
}

// Returns the number of days or seconds since 1970 of an element; nullopt if no double represents it.
std::optional<double> number_of_time(const DType& type, const Elements& elements, uint64_t i) {
  if (type.kind == Kind::counted_time) return counted_number(type, elements, i);
  return exact_number(type, elements.values<int64_t>()[i]);
}

}  // namespace

std::optional<double> serial_of(TimeUnit unit, double number) {
  if (unit == TimeUnit::day) {
    const double day = std::floor(number) + kDaysTo1970;
    return day >= kFirstSerial && day < kEndSerial ? std::optional(day) : std::nullopt;
  }
  constexpr double kLeast = (kFirstSerial - kDaysTo1970) * kSecondsInDay,
                   kEnd = (kEndSerial - kDaysTo1970) * kSecondsInDay;
  if (!(number >= kLeast && number < kEnd)) return std::nullopt;
  const int64_t micros = std::llround(static_cast<long double>(number) * kMicrosInSecond);
  if (static_cast<double>(static_cast<long double>(micros) / kMicrosInSecond) != number)
    return std::nullopt;  // it has more digits
  constexpr int64_t kMicrosInDay = kSecondsInDay * kMicrosInSecond;
  const int64_t all = micros + static_cast<int64_t>(kDaysTo1970) * kMicrosInDay;
  const auto serial = static_cast<double>(static_cast<long double>(all) / kMicrosInDay);
  const bool reads_back = std::llround(static_cast<long double>(serial) * kMicrosInDay) == all;
  return reads_back && serial < kEndSerial ? std::optional(serial) : std::nullopt;
}

SheetColumn::SheetColumn(std::string name, ArrayPtr values, uint64_t number, std::string place,
                         Context& context)
    : name_(std::move(name)),
      letters_(column_letters(number)),
      place_(std::move(place)),
      context_(context),
      values_(std::move(values)),
      factor_(native_factor(*values_)) {
  try {
    if (factor_ && factor_->levels.size() > kMaxLevels) {
      factor_.reset();
    } else if (factor_) {
      for (const std::string& level : factor_->levels) {
        check_utf8(std::string_view(level));
        check_length(level);
      }
    }
    stored_ = factor_ ? factor_->parts.codes : values_;
    form_ = form_of(values_->dtype());
    width_ = find_width();
  } catch (const Error& error) {
    throw error.at(fmt::format("column {}", name_));
  }
}

SheetColumn::Form SheetColumn::form_of(const DType& type) const {
  if (factor_) return Form::factor;
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return Form::truth;
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::time_span:
      return Form::number;
    case Kind::counted_time:
      return Form::time;
    case Kind::time_point:
      return counted_unit(type) ? Form::time : Form::text;
    default:
      return Form::text;
  }
}

std::vector<std::string> SheetColumn::levels() const {
  return factor_ ? factor_->levels : std::vector<std::string>{};
}

// Looks at all levels, or at the first few values.
uint64_t SheetColumn::find_width() const {
  uint64_t width = 0;
  if (factor_) {
    for (const std::string& level : factor_->levels) width = std::max(width, characters_of(level));
    return width;
  }
  const DType& type = values_->dtype();
  if (form_ == Form::time) return is_date(type) ? kDateWidth : kTimeWidth;
  const uint64_t count = std::min(kSampledRows, values_->count());
  if (count == 0) return 0;
  const Elements sample = read_run(*values_, 0, count);
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    text.clear();
    if (!sample.is_missing(i)) append_plain(type, sample, i, text);
    const uint64_t its = characters_of(text);
    width = std::max(width, form_ == Form::text ? its : std::min(its, kMaxNumberWidth));
  }
  return width;
}

uint64_t SheetColumn::shared_before(uint64_t row) const {
  if (form_ != Form::text) return 0;
  const auto counts = values_->survey<SharedCounts>(0, [&] { return count_shared(); });
  return counts->before.at(row / kSharedRun + (row % kSharedRun != 0));
}

SheetColumn::SharedCounts SheetColumn::count_shared() const {
  constexpr uint64_t kRunsTogether = 16;
  const uint64_t rows = values_->count(), runs = divide_up(rows, kSharedRun);
  SharedCounts all;
  all.before.resize(runs + 1);
  context_.workers.parallel_for(divide_up(runs, kRunsTogether), [&](size_t together) {
    const uint64_t end = std::min(runs, (together + 1) * kRunsTogether);
    for (uint64_t run = together * kRunsTogether; run < end; ++run) {
      const uint64_t first = run * kSharedRun;
      all.before[run + 1] = shared_texts(first, std::min(kSharedRun, rows - first)).size();
    }
  });
  for (uint64_t run = 0; run < runs; ++run) all.before[run + 1] += all.before[run];
  return all;
}

std::vector<std::string> SheetColumn::shared_texts(uint64_t first, uint64_t count) const {
  std::vector<std::string> texts;
  std::string scratch;
  const DType& type = values_->dtype();
  const Elements elements = read_run(*values_, first, count);
  for (uint64_t i = 0; i < count; ++i) {
    if (elements.is_missing(i)) continue;
    try {
      const OtherValue value = other_value(type, elements, i, scratch);
      if (value.kind != OtherValue::text) continue;
      const bool is_shared = must_be_shared(value.as_text);
      check_length(value.as_text);
      if (is_shared) texts.emplace_back(value.as_text);
    } catch (const Error& error) {
      throw error.at(fmt::format("cell {}{}", letters_, first + i + 2));  // one row is the header
    }
  }
  return texts;
}

void SheetColumn::report(Loss loss) const {
  static constexpr const char* kTexts[] = {
      "an integer beyond 2^53 is text, because Excel rounds numbers to 53 bits",
      "a time is text: Excel has none before 1900-03-01, after 9999 or with more digits than microseconds",
      "an infinity is an empty cell"};
  if (!is_reported_[loss].exchange(true, std::memory_order_relaxed))
    context_.notice(fmt::format("{}: column {}: {}", place_, name_, kTexts[loss]));
}

SheetCells::SheetCells(const SheetColumn& column, const Elements& elements, uint64_t first, uint64_t count,
                       uint64_t row)
    : column_(column),
      type_(column.stored()->dtype()),
      elements_(elements),
      first_(first),
      begin_("<c r=\"" + column.letters()),
      next_shared_(column.first_shared_) {
  if (column.form_ == SheetColumn::Form::factor) {
    Elements codes;
    append(type_, codes, elements, first, count);
    places_ = level_places(column.factor_->parts, codes, column.factor_->levels.size());
  } else if (column.form_ == SheetColumn::Form::text) {
    const uint64_t run = row / kSharedRun * kSharedRun;
    next_shared_ += column.shared_before(run);
    // Texts of the same run before the first row.
    const uint64_t end = std::min(run + kSharedRun, column.values_->count());
    if (run < row && column.shared_before(end) > column.shared_before(run))
      next_shared_ += column.shared_texts(run, row - run).size();
  }
}

void SheetCells::append_next(std::string_view row_number, std::string& out) {
  const uint64_t i = first_ + next_++;
  if (column_.form_ == SheetColumn::Form::factor) {
    const uint64_t place = places_[i - first_];
    if (place != kNoLevel) append_shared(column_.first_shared_ + place, row_number, out);
    return;
  }
  if (elements_.is_missing(i)) return;
  switch (column_.form_) {
    case SheetColumn::Form::number:
      return append_number(i, row_number, out);
    case SheetColumn::Form::truth: {
      scratch_.clear();
      append_plain(type_, elements_, i, scratch_);
      return append_cell(row_number, " t=\"b\"", scratch_ == "TRUE" ? "1" : "0", out);
    }
    case SheetColumn::Form::time:
      if (append_time(i, row_number, out)) return;
      [[fallthrough]];
    default:
      return append_other(i, row_number, out);
  }
}

void SheetCells::append_number(uint64_t i, std::string_view row_number, std::string& out) {
  visit_number(type_, [&](auto zero) {
    using T = decltype(zero);
    const T value = elements_.values<T>()[i];
    char digits[kNumberTextMax];
    const std::string_view text(digits, static_cast<size_t>(write_number(digits, value) - digits));
    if constexpr (std::is_integral_v<T>) {
      if (type_.kind == Kind::time_span && std::cmp_equal(value, kNotATime)) return;
      if (!is_exact(value)) {
        column_.report(SheetColumn::kLargeInteger);
        return append_text(text, row_number, out);
      }
    } else if (text == "NaN" || text == "Inf" || text == "-Inf") {
      if (text != "NaN") column_.report(SheetColumn::kInfinity);
      return;
    }
    append_cell(row_number, {}, text, out);
  });
}

// Returns false if the time is text.
bool SheetCells::append_time(uint64_t i, std::string_view row_number, std::string& out) {
  const TimeUnit unit = is_date(type_) ? TimeUnit::day : TimeUnit::second;
  if (type_.kind == Kind::time_point && elements_.values<int64_t>()[i] == kNotATime) return true;
  const std::optional<double> number = number_of_time(type_, elements_, i);
  if (number && !std::isfinite(*number)) {
    if (std::isinf(*number)) column_.report(SheetColumn::kInfinity);
    return true;
  }
  const std::optional<double> serial = number ? serial_of(unit, *number) : std::nullopt;
  if (!serial) {
    column_.report(SheetColumn::kOddTime);
    return false;
  }
  char digits[kNumberTextMax];
  const std::string_view text(digits, static_cast<size_t>(write_number(digits, *serial) - digits));
  append_cell(row_number, unit == TimeUnit::day ? kDateStyle : kTimeStyle, text, out);
  return true;
}

void SheetCells::append_other(uint64_t i, std::string_view row_number, std::string& out) {
  const OtherValue value = other_value(type_, elements_, i, scratch_);
  switch (value.kind) {
    case OtherValue::nothing:
      return;
    case OtherValue::number:
      return append_cell(row_number, {}, value.as_text, out);
    case OtherValue::truth:
      return append_cell(row_number, " t=\"b\"", value.as_text == "TRUE" ? "1" : "0", out);
    case OtherValue::text:
      return append_text(value.as_text, row_number, out);
  }
}

void SheetCells::append_text(std::string_view text, std::string_view row_number, std::string& out) {
  if (must_be_shared(text)) return append_shared(next_shared_++, row_number, out);
  check_length(text);
  out.append(begin_)
      .append(row_number)
      .append("\" t=\"inlineStr\"><is><t>")
      .append(text)
      .append("</t></is></c>");
}

void SheetCells::append_shared(uint64_t number, std::string_view row_number, std::string& out) {
  char digits[kNumberTextMax];
  append_cell(row_number, " t=\"s\"", {digits, static_cast<size_t>(write_number(digits, number) - digits)},
              out);
}

void SheetCells::append_cell(std::string_view row_number, std::string_view attributes, std::string_view value,
                             std::string& out) {
  out.append(begin_)
      .append(row_number)
      .append("\"")
      .append(attributes)
      .append("><v>")
      .append(value)
      .append("</v></c>");
}

}  // namespace plainfs
