#include "fs/views/parquet/parquet_column.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "formats/containers/parquet/format.h"
#include "formats/containers/parquet/thrift_writer.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/time_text.h"
#include "formats/core/text/utf8.h"
#include "fs/layout/element_form.h"
#include "fs/views/table/column_types.h"
#include "fs/views/table/factor_codes.h"

namespace plainfs {

namespace {

constexpr uint64_t kWantedNumbers = 256 * 1024;

// Returns LogicalType, a union: the id of its only field is the kind.
std::string logical_kind(int kind) {
  ThriftWriter out;
  out.begin(kind);
  out.end();
  out.end();
  return out.take();
}
std::string logical_integer(uint32_t bits, bool is_signed) {
  ThriftWriter out;
  out.begin(parquet::logical::kInteger);
  out.byte(1, static_cast<int8_t>(bits));
  out.boolean(2, is_signed);
  out.end();
  out.end();
  return out.take();
}
// unit: 1 milliseconds, 2 microseconds, 3 nanoseconds. Without time zone, or in UTC.
std::string logical_timestamp(int unit, bool is_utc) {
  ThriftWriter out;
  out.begin(parquet::logical::kTimestamp);
  out.boolean(1, is_utc);
  out.begin(2);
  out.begin(unit);
  out.end();
  out.end();
  out.end();
  out.end();
  return out.take();
}

ParquetType text_column_type() {
  return {ParquetPhysical::bytes,
          parquet::converted::kUtf8,
          logical_kind(parquet::logical::kString),
          false,
          "unicode",
          "object",
          "object"};
}

ParquetType integer_column_type(uint32_t size, bool is_unsigned) {
  const int place = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  const std::string digits = std::to_string(size * 8);
  return {size == 8 ? ParquetPhysical::int64 : ParquetPhysical::int32,
          (is_unsigned ? parquet::converted::kUint8 : parquet::converted::kInt8) + place,
          logical_integer(size * 8, !is_unsigned),
          is_unsigned,
          (is_unsigned ? "uint" : "int") + digits,
          (is_unsigned ? "uint" : "int") + digits,
          (is_unsigned ? "UInt" : "Int") + digits};
}

ParquetType date_column_type() {
  return {ParquetPhysical::int32,
          parquet::converted::kDate,
          logical_kind(parquet::logical::kDate),
          false,
          "date",
          "object",
          "object"};
}

ParquetType timestamp_column_type(TimeUnit unit, bool is_utc = false) {
  const int place = unit == TimeUnit::milli   ? parquet::kMillis
                    : unit == TimeUnit::micro ? parquet::kMicros
                                              : parquet::kNanos;
  const int converted = place == parquet::kMillis   ? parquet::converted::kTimestampMillis
                        : place == parquet::kMicros ? parquet::converted::kTimestampMicros
                                                    : parquet::converted::kNone;
  const std::string numpy = place == 1 ? "datetime64[ms]" : place == 2 ? "datetime64[us]" : "datetime64[ns]";
  return {ParquetPhysical::int64,
          converted,
          logical_timestamp(place, is_utc),
          false,
          is_utc ? "datetimetz" : "datetime",
          numpy,
          numpy};
}

ParquetType factor_column_type(uint64_t levels) {
  ParquetType type = text_column_type();
  type.pandas_type = "categorical";
  type.numpy_type = levels <= INT8_MAX ? "int8" : levels <= INT16_MAX ? "int16" : "int32";
  type.nullable_type = type.numpy_type;
  return type;
}

// The unit in which a column's times are counted.
struct Scale {
  TimeUnit unit;   // day, milli, micro or nano
  int64_t factor;  // of these in one of the array's units
};

// Returns nullopt unless Parquet can represent the unit exactly.
std::optional<Scale> scale_of(const DType& type) {
  const auto times = [&](TimeUnit unit, int64_t factor) {
    return Scale{unit,
                 static_cast<int64_t>(checked_multiply(type.time_count, static_cast<uint64_t>(factor)))};
  };
  switch (type.time_unit) {
    case TimeUnit::week:
      return times(TimeUnit::day, 7);
    case TimeUnit::day:
      return times(TimeUnit::day, 1);
    case TimeUnit::hour:
      return times(TimeUnit::milli, 3600000);
    case TimeUnit::minute:
      return times(TimeUnit::milli, 60000);
    case TimeUnit::second:
      return times(TimeUnit::milli, 1000);
    case TimeUnit::milli:
    case TimeUnit::micro:
    case TimeUnit::nano:
      return times(type.time_unit, 1);
    default:
      return std::nullopt;
  }
}

// Returns whether all readers accept counts of a unit as times: DuckDB converts milliseconds to microseconds,
// and takes the extreme numbers of 32 bits (days) and 64 bits for infinities.
bool are_readable_counts(TimeUnit unit, int64_t least, int64_t most) {
  const int64_t limit = unit == TimeUnit::day     ? INT32_MAX
                        : unit == TimeUnit::milli ? INT64_MAX / 1000
                                                  : INT64_MAX;
  return least > -limit && most < limit;
}

// Returns whether all times of a column fit that scale.
bool has_room_for_times(const Array& times, Scale scale, Context& context) {
  const IntegerExtent extent = integer_extent(times, context);
  int64_t least = 0, most = 0;
  if (extent.most > INT64_MAX || __builtin_mul_overflow(extent.least, scale.factor, &least) ||
      __builtin_mul_overflow(static_cast<int64_t>(extent.most), scale.factor, &most))
    return false;
  return are_readable_counts(scale.unit, least, most);
}

// Returns days in 32 bits, or counts in 64.
ArrayPtr scaled_times(ArrayPtr times, Scale scale) {
  const bool is_date = scale.unit == TimeUnit::day;
  return mapped(std::move(times), number_type(Kind::integer, is_date ? 4 : 8),
                [scale, is_date](const Elements& stored, const Box&) {
                  Elements out;
                  out.count = stored.count;
                  out.bytes.resize(checked_size(stored.count, is_date ? 4 : 8));
                  out.missing = stored.missing;
                  const auto counts = stored.values<int64_t>();
                  for (uint64_t i = 0; i < stored.count; ++i) {
                    int64_t count = 0;
                    if (!stored.is_missing(i) && (__builtin_mul_overflow(counts[i], scale.factor, &count) ||
                                                  (is_date && !std::in_range<int32_t>(count))))
                      throw unsupported("Parquet cannot represent a time as far from 1970 as {} times {}",
                                        counts[i], scale.factor);
                    if (is_date)
                      out.mutable_values<int32_t>()[i] = static_cast<int32_t>(count);
                    else
                      out.mutable_values<int64_t>()[i] = count;
                  }
                  return out;
                });
}

// Returns a unit that represents these times of R exactly: days, or microseconds if they suffice, or
// nanoseconds. Returns nullopt if these do not, or if one is not a point in time.
std::optional<TimeUnit> unit_of(const Array& times, Context& context) {
  const CountedExtent extent = extent_of_times(times, context);
  if (times.dtype().time_unit == TimeUnit::second) {
    for (const TimeUnit unit : {TimeUnit::micro, TimeUnit::nano})
      if (are_counted_by(unit, extent)) return unit;
    return std::nullopt;
  }
  const bool has_room =
      are_counted_by(TimeUnit::day, extent) && are_readable_counts(TimeUnit::day, extent.least, extent.most);
  return has_room ? std::optional(TimeUnit::day) : std::nullopt;
}

struct CountedColumn {
  ParquetType type;
  ArrayPtr times;
};

// Returns times in Parquet's representation; nullopt if it cannot represent all of them exactly.
std::optional<CountedColumn> counted_column(const ArrayPtr& values, Context& context) {
  const DType& type = values->dtype();
  if (type.kind == Kind::counted_time) {
    const std::optional<TimeUnit> unit = unit_of(*values, context);
    if (!unit) return std::nullopt;
    ArrayPtr times = whole_counts(values, *unit);
    if (*unit == TimeUnit::day)
      return CountedColumn{date_column_type(), scaled_times(std::move(times), {*unit, 1})};
    return CountedColumn{timestamp_column_type(*unit, true), std::move(times)};
  }
  const std::optional<Scale> scale = scale_of(type);
  if (!scale || !has_room_for_times(*values, *scale, context)) return std::nullopt;
  ArrayPtr times = scaled_times(with_missing_times(values), *scale);
  if (scale->unit == TimeUnit::day) return CountedColumn{date_column_type(), std::move(times)};
  return CountedColumn{timestamp_column_type(scale->unit, type.is_utc), std::move(times)};
}

Elements elements_at(const Array& array, uint64_t first, uint64_t count, bool sequential) {
  return sequential ? read_run(array, first, count) : peek_run(array, first, count);
}

// A column of numbers, times or booleans.
class NumberColumn : public ParquetColumn {
 public:
  NumberColumn(std::string name, ParquetType type, bool is_optional, ArrayPtr array, ElementForm form,
               Context& context)
      : ParquetColumn(std::move(name), std::move(type), is_optional),
        array_(std::move(array)),
        form_(form),
        context_(context) {}

  uint32_t size() const override { return form_.size; }
  const Array& array() const override { return *array_; }
  uint64_t least_rows() const override {
    const uint64_t band = elements_in_band(array_->shape(), array_->chunk_shape());
    return run_length(kWantedNumbers / form_.size, band, array_->dtype(), context_);
  }

 private:
  void read_into(uint64_t first, uint64_t count, bool sequential, ParquetRun& run) const override {
    Elements elements = elements_at(*array_, first, count, sequential);
    const std::vector<uint8_t> missing = std::move(elements.missing);
    elements.missing.clear();
    run.values.resize(checked_size(count, form_.size));
    if (missing.empty()) {
      form_.write(array_->dtype(), elements, 0, count, run.values.data());
      run.present = count;
      std::fill(run.exists.begin(), run.exists.end(), 1);
      return;
    }
    for (uint64_t i = 0; i < count;) {
      if (missing[i]) {
        ++i;
        continue;
      }
      uint64_t end = i;
      for (; end < count && !missing[end]; ++end) run.exists[end] = 1;
      form_.write(array_->dtype(), elements, i, end - i, run.values.data() + run.present * form_.size);
      run.present += end - i;
      i = end;
    }
    run.values.resize(run.present * form_.size);
  }

  const ArrayPtr array_;
  const ElementForm form_;
  Context& context_;
};

void append_text(std::string_view text, Bytes& out) {
  if (text.size() > INT32_MAX) throw unsupported("a text of {} bytes is too large for Parquet", text.size());
  const auto length = static_cast<uint32_t>(text.size());
  const size_t before = out.size();
  out.resize(before + sizeof length + length);
  std::memcpy(out.data() + before, &length, sizeof length);
  if (length > 0) std::memcpy(out.data() + before + sizeof length, text.data(), length);
}

// A column of text, or of anything else spelled as in a .csv.
class TextColumn : public ParquetColumn {
 public:
  TextColumn(std::string name, bool is_optional, ArrayPtr array)
      : ParquetColumn(std::move(name), text_column_type(), is_optional), array_(std::move(array)) {}

  uint32_t size() const override { return 0; }
  const Array& array() const override { return *array_; }

 private:
  void read_into(uint64_t first, uint64_t count, bool sequential, ParquetRun& run) const override {
    const Elements elements = elements_at(*array_, first, count, sequential);
    std::string formatted;
    for (uint64_t i = 0; i < count; ++i) {
      if (elements.is_missing(i)) continue;
      run.exists[i] = 1;
      ++run.present;
      std::string_view text;
      if (array_->dtype().kind == Kind::text) {
        text = elements.text(i);
      } else {
        formatted.clear();
        append_plain(array_->dtype(), elements, i, formatted);
        text = formatted;
      }
      check_utf8(std::string_view(text));
      append_text(text, run.values);
    }
  }

  const ArrayPtr array_;
};

class FactorColumn : public ParquetColumn {
 public:
  FactorColumn(std::string name, bool is_optional, ArrayPtr array, NativeFactor factor)
      : ParquetColumn(std::move(name), factor_column_type(factor.levels.size()), is_optional),
        array_(std::move(array)),
        factor_(std::move(factor)) {
    Bytes page;
    for (const std::string& level : factor_.levels) append_text(level, page);
    dictionary_ = std::make_shared<const std::string>(as_text(page));
  }

  // Whole bytes, so that a page of indices is the codes themselves.
  uint32_t size() const override { return levels() <= 1 << 8 ? 1 : levels() <= 1 << 16 ? 2 : 3; }
  const Array& array() const override { return *array_; }
  std::shared_ptr<const std::string> dictionary() const override { return dictionary_; }
  uint64_t levels() const override { return factor_.levels.size(); }
  bool is_ordered() const override { return factor_.parts.is_ordered; }
  std::vector<std::string> ordered_levels() const override {
    return is_ordered() ? factor_.levels : std::vector<std::string>{};
  }

 private:
  void read_into(uint64_t first, uint64_t count, bool sequential, ParquetRun& run) const override {
    const Elements codes = elements_at(*factor_.parts.codes, first, count, sequential);
    const std::vector<uint64_t> places = level_places(factor_.parts, codes, levels());
    run.values.resize(checked_size(count, size()));
    for (uint64_t i = 0; i < count; ++i) {
      if (places[i] == kNoLevel) continue;
      run.exists[i] = 1;
      std::memcpy(run.values.data() + run.present * size(), &places[i], size());
      ++run.present;
    }
    run.values.resize(run.present * size());
  }

  const ArrayPtr array_;
  const NativeFactor factor_;
  std::shared_ptr<const std::string> dictionary_;
};

}  // namespace

ParquetRun ParquetColumn::read(uint64_t first, uint64_t count, bool sequential) const {
  ParquetRun run;
  run.exists.resize(count);
  read_into(first, count, sequential, run);
  if (!is_optional_ && run.present != count) throw unsupported("column {}: unexpected missing value", name_);
  return run;
}

ParquetColumnPtr parquet_column(std::string name, ArrayPtr values, uint64_t max_levels, Context& context,
                                Nulls nulls) {
  const DType type = values->dtype();
  const auto is_optional = [&](bool as_array) {
    return nulls == Nulls::as_array ? as_array : nulls == Nulls::possible;
  };
  const bool may_be_missing = is_optional(values->may_be_missing());
  const auto numbers_of = [&](ParquetType as, ArrayPtr array, ElementForm form, bool may_be) {
    return std::make_shared<NumberColumn>(std::move(name), std::move(as), may_be, std::move(array), form,
                                          context);
  };
  if (std::optional<NativeFactor> factor = native_factor(*values);
      factor && factor->levels.size() <= max_levels)
    return std::make_shared<FactorColumn>(std::move(name), is_optional(true), std::move(values),
                                          *std::move(factor));
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return numbers_of({ParquetPhysical::boolean, -1, {}, false, "bool", "bool", "boolean"}, values,
                        little_stored(type), may_be_missing);
    case Kind::integer:
      return numbers_of(integer_column_type(type.size, false), values,
                        type.size < 4 ? little_int32() : little_stored(type), may_be_missing);
    case Kind::unsigned_integer:
      return numbers_of(integer_column_type(type.size, true), values,
                        type.size < 4 ? little_int32() : little_stored(type), may_be_missing);
    case Kind::real:
      if (type.size == 8)
        return numbers_of({ParquetPhysical::real64, -1, {}, false, "float64", "float64", "float64"}, values,
                          little_stored(type), may_be_missing);
      return numbers_of({ParquetPhysical::real32, -1, {}, false, "float32", "float32", "float32"}, values,
                        type.size == 2 ? little_float() : little_stored(type), may_be_missing);
    case Kind::time_span:
      return numbers_of(integer_column_type(8, false), with_missing_times(values), little_stored(type),
                        is_optional(true));
    case Kind::counted_time:
    case Kind::time_point:
      if (std::optional<CountedColumn> counted = counted_column(values, context)) {
        const ElementForm form = little_stored(counted->times->dtype());
        return numbers_of(std::move(counted->type), std::move(counted->times), form, is_optional(true));
      }
      return std::make_shared<TextColumn>(std::move(name), is_optional(true), with_missing_times(values));
    default:
      return std::make_shared<TextColumn>(std::move(name), may_be_missing, std::move(values));
  }
}

}  // namespace plainfs
