
#include "fs/views/parquet/parquet_files.h"

#include <boost/test/unit_test.hpp>
#include <charconv>
#include <cmath>
#include <cstring>

#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/arrays/derived_array.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/memory_text.h"

namespace plainfs {

namespace {

// Returns a file written by another program than plainfs, and read by four.
std::string genuine(const std::string& name) {
  return test_file("parquet/" + name);
}

using Texts = std::vector<std::optional<std::string>>;

// Returns the columns of a .csv, by name; NA is nullopt.
std::vector<std::pair<std::string, Texts>> csv_columns(const std::string& text) {
  std::vector<std::vector<std::optional<std::string>>> rows(1);
  std::string field;
  bool is_quoted = false, was_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_quoted && text[i] == '\r') continue;
    if (is_quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[++i];
    else if (text[i] == '"')
      is_quoted = !is_quoted, was_quoted = true;
    else if (!is_quoted && (text[i] == ',' || text[i] == '\n')) {
      rows.back().push_back(field == "NA" && !was_quoted ? std::nullopt : std::optional(field));
      field.clear();
      was_quoted = false;
      if (text[i] == '\n') rows.emplace_back();
    } else {
      field += text[i];
    }
  }
  rows.pop_back();
  std::vector<std::pair<std::string, Texts>> columns;
  for (size_t c = 0; c < rows[0].size(); ++c) {
    columns.emplace_back(*rows[0][c], Texts());
    for (size_t r = 1; r < rows.size(); ++r) columns.back().second.push_back(rows[r][c]);
  }
  return columns;
}

template <class T>
T value_of(const std::string& text) {
  if constexpr (std::is_floating_point_v<T>) {
    if (text == "Infinity" || text == "-Infinity")
      return text[0] == '-' ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
  }
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Marks missing values, even if every value is present.
ArrayPtr marked(ArrayPtr values, const Texts& texts) {
  std::vector<uint8_t> missing;
  for (const auto& text : texts) missing.push_back(!text);
  return mapped(values, values->dtype(), [missing](Elements elements, const Box& box) {
    const auto from = missing.begin() + static_cast<ptrdiff_t>(box.origin[0]);
    elements.missing.assign(from, from + static_cast<ptrdiff_t>(elements.count));
    return elements;
  });
}

template <class T>
ArrayPtr numbers_of(const Texts& texts) {
  std::vector<T> values;
  for (const auto& text : texts) values.push_back(text ? value_of<T>(*text) : T());
  return marked(numbers<T>(values), texts);
}
ArrayPtr truths_of(const Texts& texts) {
  std::vector<uint8_t> values;
  for (const auto& text : texts) values.push_back(text == "True");
  return marked(
      std::make_shared<MemoryArray>(number_type(Kind::boolean, 1), Shape{values.size()}, elements_of(values)),
      texts);
}
ArrayPtr texts_of(const Texts& texts) {
  std::vector<std::string> values;
  for (const auto& text : texts) values.push_back(text.value_or(""));
  return marked(text_array(values), texts);
}
ArrayPtr times_of(const Texts& texts, TimeUnit unit) {
  std::vector<int64_t> counts;
  for (const auto& text : texts) counts.push_back(text ? value_of<int64_t>(*text) : INT64_MIN);
  DType type;
  type.kind = Kind::time_point;
  type.size = 8;
  type.time_unit = unit;
  return std::make_shared<MemoryArray>(type, Shape{counts.size()}, elements_of(counts));
}
ArrayPtr factor_of(const Texts& texts, const std::vector<std::string>& levels, Context& context,
                   bool is_ordered = false) {
  std::vector<int8_t> codes;
  for (const auto& text : texts)
    codes.push_back(
        text ? static_cast<int8_t>(std::find(levels.begin(), levels.end(), *text) - levels.begin()) : -1);
  return factor(marked(numbers(codes), texts), text_array(levels), 0, "/f", context, is_ordered);
}

struct Fixture {
  TestContext context;
  std::vector<ParquetColumnPtr> columns;

  void add(const std::string& name, ArrayPtr values, Nulls nulls) {
    columns.push_back(parquet_column(name, std::move(values), ParquetLimits().rows_in_group, context, nulls));
  }
  std::string written(uint64_t rows, bool has_index, ParquetLimits limits = {}) {
    return checked([&] { return columns_parquet(columns, rows, has_index, limits, context); });
  }
  // Returns the bytes. Checks that their number is the reported size, and that they are the same in any
  // order.
  std::string checked(const std::function<ByteLayout()>& lay_out) {
    const auto file = layout_file(lay_out, context);
    const std::string whole = whole_text(*file);
    BOOST_TEST(file->size() == whole.size());
    std::mt19937_64 random(1);
    BOOST_TEST(slices_match(*file, whole, random, 200));
    return whole;
  }
  std::string written(const Table& table) {
    return checked([&] { return table_parquet(table, context); });
  }
};

bool holds(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(parquet_files, Fixture)

BOOST_AUTO_TEST_CASE(small_table_matches_another_writer) {
  const auto csv = csv_columns(genuine("corner.csv"));
  const Texts& none = csv[1].second;
  add("k", numbers_of<int32_t>(csv[0].second), Nulls::none);
  add("nolevels", factor_of(none, {}, context), Nulls::possible);
  add("one", factor_of(csv[2].second, {"x"}, context), Nulls::none);
  add("empty", texts_of(csv[3].second), Nulls::none);
  add("allnull", numbers_of<double>(none), Nulls::possible);
  add("a.b", texts_of(csv[5].second), Nulls::none);
  const std::string ours = written(10, false), theirs = genuine("corner.parquet");
  BOOST_TEST((ours == theirs));
}

BOOST_AUTO_TEST_CASE(row_groups_match_another_writer) {
  const auto csv = csv_columns(genuine("groups.csv"));
  const uint64_t rows = csv[0].second.size();
  BOOST_TEST_REQUIRE(rows > ParquetLimits().rows_in_group);
  add("i", numbers_of<int32_t>(csv[0].second), Nulls::possible);
  add("f", factor_of(csv[1].second, {"a", "b", "c"}, context), Nulls::possible);
  add("b", truths_of(csv[2].second), Nulls::possible);
  BOOST_TEST((written(rows, false) == genuine("groups.parquet")));
}

// Adds every type, up to the first that the other writer lacks: times with a time zone.
void add_all(Fixture& fixture, const std::vector<std::pair<std::string, Texts>>& csv, Nulls nulls) {
  const std::vector<std::string> levels{"low", "mid", "high"};
  const std::vector<std::string> letters{"B", "A", "unused", "", "ß"};
  for (const auto& [name, texts] : csv) {
    const auto add = [&, &column = name](ArrayPtr values) {
      fixture.add(column, std::move(values), column == "_index" ? Nulls::none : nulls);
    };
    if (name == "_index" || name == "text") add(texts_of(texts));
    if (name == "flag") add(truths_of(texts));
    if (name == "int8") add(numbers_of<int8_t>(texts));
    if (name == "int16") add(numbers_of<int16_t>(texts));
    if (name == "int32") add(numbers_of<int32_t>(texts));
    if (name == "int64") add(numbers_of<int64_t>(texts));
    if (name == "uint8") add(numbers_of<uint8_t>(texts));
    if (name == "uint16") add(numbers_of<uint16_t>(texts));
    if (name == "uint32") add(numbers_of<uint32_t>(texts));
    if (name == "uint64") add(numbers_of<uint64_t>(texts));
    if (name == "f32") add(numbers_of<float>(texts));
    if (name == "f64") add(numbers_of<double>(texts));
    if (name == "fac") add(factor_of(texts, letters, fixture.context));
    if (name == "ofac") add(factor_of(texts, levels, fixture.context, true));
    if (name == "day") add(times_of(texts, TimeUnit::day));
    if (name == "ts_ms") add(times_of(texts, TimeUnit::milli));
    if (name == "ts_us") add(times_of(texts, TimeUnit::micro));
    if (name == "ts_ns") add(times_of(texts, TimeUnit::nano));
  }
}

BOOST_AUTO_TEST_CASE(every_type_matches_another_writer) {
  for (const std::string name : {"nulls", "required"}) {
    columns.clear();
    const auto csv = csv_columns(genuine(name + ".csv"));
    const uint64_t rows = csv[0].second.size();
    add_all(*this, csv, name == "nulls" ? Nulls::possible : Nulls::none);
    BOOST_TEST_REQUIRE(columns.size() == 19U);
    const std::string ours = written(rows, true), theirs = genuine(name + ".parquet");
    BOOST_TEST_MESSAGE(name);
    // The pages, and the schema after its first entry, which counts the columns.
    const size_t pages = ours.find("\x15\x02\x19", 4);
    size_t same = 0;
    while (same < pages && ours[same] == theirs[same]) ++same;
    BOOST_TEST(same == pages);
  }
}

BOOST_AUTO_TEST_CASE(row_names_are_the_index) {
  const std::string file = written({3, text_array({"a", "b", "c"}), {{"_index", numbers<int>({1, 2, 3})}}});
  BOOST_TEST(holds(file, R"({"index_columns":["_index_1"],"column_indexes")"));
  // REQUIRED, and the column keeps its name.
  BOOST_TEST(holds(file, std::string("\x15\x0c\x25\x00\x18\x08_index_1\x25\x00", 15)));
  BOOST_TEST(holds(file, std::string("\x15\x02\x25\x00\x18\x06_index\x25\x22", 13)));
  BOOST_TEST(holds(file, std::string("\x01\x00\x00\x00\x61\x01\x00\x00\x00\x62\x01\x00\x00\x00\x63", 15)));
}

BOOST_AUTO_TEST_CASE(names_are_made_distinct) {
  const ArrayPtr values = numbers<int>({1});
  const std::string file =
      written({1, nullptr, {{"a", values}, {"a", values}, {"a_1", values}, {"a", values}, {"", values}}});
  size_t at = file.find("\"columns\"");
  for (const char* name : {"a", "a_2", "a_1", "a_3", ""}) {
    at = file.find("\"name\":\"" + std::string(name) + "\"", at);
    BOOST_TEST(at != std::string::npos, name);
  }
}

BOOST_AUTO_TEST_CASE(ordered_factor_stores_its_levels) {
  add("f", factor_of({"low", std::nullopt}, {"low", "high"}, context, true), Nulls::possible);
  add("g", factor_of({"x", "x"}, {"x"}, context), Nulls::possible);
  BOOST_TEST(holds(written(2, false), R"({"factors":{"f":{"levels":["low","high"],"ordered":true}}})"));
}

BOOST_AUTO_TEST_CASE(a_factor_of_more_levels_than_a_group_has_rows_is_text) {
  std::vector<std::string> levels;
  for (int i = 0; i < 300; ++i) levels.push_back("level" + std::to_string(i));
  const ArrayPtr values = factor(numbers<uint16_t>({299, 0}), text_array(levels), 0, "/f", context);
  columns = {parquet_column("f", values, 299, context)};
  BOOST_TEST(!holds(written(2, false), "categorical"));
  columns = {parquet_column("f", values, 300, context)};
  const std::string file = written(2, false);
  BOOST_TEST(holds(file, "categorical"));
  // Indices of 16 bits, padded to eight of them.
  BOOST_TEST(holds(file, std::string("\x10\x03\x2b\x01\x00\x00\x00\x00", 8)));
}

// A column of many runs in several groups, with missing values throughout.
BOOST_AUTO_TEST_CASE(any_range_equals_that_of_the_whole_file) {
  const uint64_t rows = 5000;
  Texts texts, truths;
  std::mt19937_64 random(7);
  for (uint64_t i = 0; i < rows; ++i) {
    const bool is_missing = i < 2048 ? random() % 3 == 0 : i < 4096;
    texts.push_back(is_missing ? std::nullopt : std::optional(std::string(random() % 9, 'x')));
    truths.push_back(random() % 5 == 0 ? std::nullopt : std::optional<std::string>(i % 3 ? "True" : "False"));
  }
  add("t", texts_of(texts), Nulls::possible);
  add("b", truths_of(truths), Nulls::possible);
  add("c", truths_of(Texts(rows, "True")), Nulls::none);
  add("x", numbers_of<double>(truths), Nulls::possible);
  add("f", factor_of(truths, {"True", "False"}, context), Nulls::possible);
  const std::string whole = written(rows, false, {2048});
  // Pages of few bytes have the same values, and more headers.
  BOOST_TEST(written(rows, false, {2048, 100}).size() > whole.size());
}

BOOST_AUTO_TEST_CASE(bounds_are_stored_unless_there_is_nan) {
  const Texts rows{"1", "2"};
  const auto bound = [](double value, char field) {
    std::string bytes(10, '\0');
    bytes[0] = field;
    bytes[1] = 8;
    std::memcpy(bytes.data() + 2, &value, sizeof value);
    return bytes;
  };
  add("x", marked(numbers<double>({0.0, 2}), rows), Nulls::possible);
  // The least zero is -0, the greatest +0.
  BOOST_TEST(holds(written(2, false), bound(2, '\x28') + bound(-0.0, '\x18')));
  columns.clear();
  add("x", marked(numbers<double>({std::nan(""), 2}), rows), Nulls::possible);
  BOOST_TEST(!holds(written(2, false), bound(2, '\x28')));
}

// R's POSIXct.
BOOST_AUTO_TEST_CASE(instants_are_utc_timestamps_with_all_digits) {
  const auto file_of = [&](double seconds) {
    return written(
        {1, nullptr, {{"x", counted_times(numbers<double>({seconds}), TimeUnit::second, nullptr)}}});
  };
  const auto count = [](int64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  // LogicalType 8: TIMESTAMP, of UTC, in microseconds or nanoseconds.
  const std::string micro("\x8c\x11\x1c\x2c\x00\x00\x00", 7), nano("\x8c\x11\x1c\x3c\x00\x00\x00", 7);
  const std::string micros = file_of(1700000000.123456);
  BOOST_TEST(holds(micros, count(1700000000123456)));
  BOOST_TEST(holds(micros, micro));
  BOOST_TEST(holds(micros, R"("pandas_type":"datetimetz","numpy_type":"datetime64[us]")"));
  BOOST_TEST(holds(micros, R"("metadata":{"timezone":"UTC"})"));
  const std::string nanos = file_of(1700000000.1234567);
  BOOST_TEST(holds(nanos, count(1700000000123456700)));
  BOOST_TEST(holds(nanos, nano));
  // Times beyond nanoseconds are text.
  BOOST_TEST(holds(file_of(1e-12), "1970-01-01T00:00:00.000000000001Z"));
  BOOST_TEST(holds(file_of(1e13), "318857-05-20T17:46:40Z"));
  BOOST_TEST(holds(file_of(-INFINITY), "-Inf"));
  BOOST_TEST(holds(file_of(std::nan("")), "NaN"));
}

// R's Date.
BOOST_AUTO_TEST_CASE(days_of_r_are_dates_if_parquet_can_hold_them) {
  const auto file_of = [&](const std::vector<double>& days) {
    ArrayPtr values =
        with_missing(numbers(days), [](const Elements&, std::vector<uint8_t>& out) { out[0] = 1; });
    return written({2, nullptr, {{"x", counted_times(std::move(values), TimeUnit::day, nullptr)}}});
  };
  const int32_t day = 18262;
  const std::string dates = file_of({0, 18262.75});
  BOOST_TEST(holds(dates, R"("pandas_type":"date")"));
  BOOST_TEST(holds(dates, std::string(reinterpret_cast<const char*>(&day), sizeof day)));
  for (const auto& [number, text] : {std::pair(INFINITY, "Inf"), {2147483648.0, "5881580-07-12"}}) {
    const std::string texts = file_of({0, number});
    BOOST_TEST(holds(texts, R"("pandas_type":"unicode")"));
    BOOST_TEST(holds(texts, text));
  }
}

BOOST_AUTO_TEST_CASE(times_are_stored_in_units_of_parquet) {
  const auto file_of = [&](TimeUnit unit, uint32_t times, int64_t count, bool is_utc = false) {
    DType type;
    type.kind = Kind::time_point;
    type.is_utc = is_utc;
    type.size = 8;
    type.time_unit = unit;
    type.time_count = times;
    const std::vector<int64_t> counts{count};
    const ArrayPtr values = std::make_shared<MemoryArray>(type, Shape{1}, elements_of(counts));
    return written({1, nullptr, {{"x", values}}});
  };
  const auto bytes = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  // After the level of a run of one row.
  const std::string present("\x02\x00\x00\x00\x02\x01", 6);
  BOOST_TEST(holds(file_of(TimeUnit::week, 1, 3), present + bytes(int32_t{21})));
  BOOST_TEST(holds(file_of(TimeUnit::second, 10, -2), present + bytes(int64_t{-20000})));
  BOOST_TEST(holds(file_of(TimeUnit::nano, 1, 5), "datetime64[ns]"));
  BOOST_TEST(!holds(file_of(TimeUnit::nano, 1, 5), "datetimetz"));
  BOOST_TEST(holds(file_of(TimeUnit::nano, 1, 5, true), R"("pandas_type":"datetimetz")"));
  // Units that Parquet lacks are text.
  BOOST_TEST(holds(file_of(TimeUnit::month, 1, 1), present + bytes(int32_t{7}) + "1970-02"));
  // Not-a-time is missing.
  BOOST_TEST(holds(file_of(TimeUnit::day, 1, INT64_MIN), std::string("\x02\x00\x00\x00\x02\x00", 6)));
  // Times beyond Parquet's range are text.
  BOOST_TEST(holds(file_of(TimeUnit::second, 1, INT64_MAX), "292277026596-12-04T15:30:07"));
  BOOST_TEST(holds(file_of(TimeUnit::day, 1, int64_t{1} << 31), "5881580-07-12"));
}

BOOST_AUTO_TEST_CASE(content_unsupported_by_parquet_is_refused) {
  class Vast : public Array {
   public:
    explicit Vast(uint64_t rows) : Array(number_type(Kind::integer, 1), {rows}) {}
    Elements read(const Box&) const override { throw damaged("not to be read"); }
  };
  const auto lay_out = [&](const Table& table) { table_parquet(table, context); };
  const ArrayPtr values = numbers<int>({1});
  BOOST_CHECK_EXCEPTION(lay_out({1, nullptr, {{"x", text_array({"\xff"})}}}), Error,
                        mentions("text that is not UTF-8"));
  BOOST_CHECK_EXCEPTION(lay_out({1, nullptr, {{"\xff", values}}}), Error, mentions("text that is not UTF-8"));
  BOOST_CHECK_EXCEPTION(lay_out({2, nullptr, {{"x", values}}}), Error,
                        mentions("column x has 1 values for 2 rows"));
  const uint64_t many = uint64_t{1} << 33;
  BOOST_CHECK_EXCEPTION(lay_out({many, nullptr, {{"x", std::make_shared<Vast>(many)}}}), Error,
                        mentions("8589934592 rows, more than"));
  BOOST_CHECK_EXCEPTION(lay_out({1, marked(text_array({"a"}), {std::nullopt}), {}}), Error,
                        mentions("column _index: unexpected missing value"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
