#include "formats/schemas/parquet/forms.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/base/encode.h"
#include "formats/core/model/elements/element_text.h"
#include "tests/support/mentions.h"

namespace plainfs::parquet {
namespace {

constexpr uint64_t kFormLimit = 1 << 20;

Column column_of(Physical physical, Meaning meaning, uint32_t length = 0) {
  Column column;
  column.name = "a";
  column.is_leaf = true;
  column.physical = physical;
  column.meaning = meaning;
  column.length = length;
  return column;
}

Meaning meaning_of(int kind) {
  Meaning meaning;
  meaning.kind = kind;
  return meaning;
}

// Returns how a stored value is shown.
std::string shown(const Column& column, std::string_view value) {
  const ShownForm shown = shown_form(column, false);
  const ValueType type = value_type(column.physical, column.length);
  std::string stored;
  if (type.length == 0) append_little(stored, value.size(), 4);
  stored += value;
  Elements elements = decode_plain(as_byte_span(stored), type, 1, kFormLimit);
  if (shown.form.convert) elements = shown.form.convert(std::move(elements), kFormLimit);
  std::string text;
  append_plain(shown.form.type, elements, 0, text);
  return text;
}

std::string little(int64_t value, size_t bytes) {
  std::string out;
  append_little(out, static_cast<uint64_t>(value), bytes);
  return out;
}

std::string decimal(std::string_view bytes, int64_t scale) {
  Meaning meaning = meaning_of(logical::kDecimal);
  meaning.scale = scale;
  return shown(column_of(Physical::bytes, meaning), bytes);
}

std::string time_of(int kind, int64_t unit, bool is_utc, int64_t value) {
  Meaning meaning = meaning_of(kind);
  meaning.unit = unit;
  meaning.is_utc = is_utc;
  const bool is_small = kind == logical::kTime && unit == kMillis;
  return shown(column_of(is_small ? Physical::int32 : Physical::int64, meaning),
               little(value, is_small ? 4 : 8));
}

BOOST_AUTO_TEST_SUITE(parquet_forms)

BOOST_AUTO_TEST_CASE(decimals_have_all_digits_of_their_scale) {
  BOOST_TEST(decimal("\x01", 2) == "0.01");
  BOOST_TEST(decimal("\xff", 2) == "-0.01");
  BOOST_TEST(decimal(std::string_view("\x00\x96", 2), 2) == "1.50");
  BOOST_TEST(decimal(std::string_view("\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16), 3) ==
             "-170141183460469231731687303715884105.728");
  BOOST_TEST(decimal(std::string(32, '\x7f'), 0) ==
             "57669001306428065956053000376875938421040345304064124051023973211784186134399");
  BOOST_TEST(decimal("", 0) == "0");
  BOOST_TEST(decimal("\x07", -3) == "7000");
  BOOST_TEST(decimal(std::string_view("\0", 1), -3) == "0");
  Meaning meaning = meaning_of(logical::kDecimal);
  meaning.scale = 4;
  BOOST_TEST(shown(column_of(Physical::int64, meaning), little(INT64_MIN, 8)) == "-922337203685477.5808");
  BOOST_TEST(shown(column_of(Physical::int32, meaning), little(12, 4)) == "0.0012");
  meaning.scale = int64_t{1} << 40;
  BOOST_CHECK_EXCEPTION(shown_form(column_of(Physical::int32, meaning), false), Error,
                        mentions("scale 1099511627776"));
}

BOOST_AUTO_TEST_CASE(digits_of_bytes_equal_those_of_integers) {
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{999999999}, int64_t{1000000000},
                              int64_t{-1000000000000000000}, INT64_MAX, INT64_MIN}) {
    std::string big = little(value, 8);
    std::reverse(big.begin(), big.end());
    BOOST_TEST(decimal(big, 0) == std::to_string(value));
    BOOST_TEST(decimal(std::string(5, value < 0 ? '\xff' : '\0') + big, 0) == std::to_string(value));
  }
}

BOOST_AUTO_TEST_CASE(instants_and_clocks) {
  BOOST_TEST(time_of(logical::kTimestamp, kMillis, true, 0) == "1970-01-01T00:00:00.000Z");
  BOOST_TEST(time_of(logical::kTimestamp, kMicros, false, -1) == "1969-12-31T23:59:59.999999");
  BOOST_TEST(time_of(logical::kTimestamp, kNanos, false, 1) == "1970-01-01T00:00:00.000000001");
  BOOST_TEST(time_of(logical::kTime, kMillis, false, 86399999) == "23:59:59.999");
  BOOST_TEST(time_of(logical::kTime, kNanos, true, 3600000000001) == "01:00:00.000000001");
  BOOST_TEST(time_of(logical::kTime, kMicros, true, -1) == "-1:59:59.999999");
  BOOST_TEST(shown(column_of(Physical::int32, meaning_of(logical::kDate)), little(-719529, 4)) ==
             "-001-12-31");
  BOOST_CHECK_EXCEPTION(time_of(logical::kTimestamp, 4, false, 0), Error, mentions("unknown unit 4"));
}

BOOST_AUTO_TEST_CASE(int96_is_an_instant) {
  const auto instant = [](int64_t nanos, int32_t day) {
    return shown(column_of(Physical::int96, {}), little(nanos, 8) + little(day, 4));
  };
  BOOST_TEST(instant(0, 2440588) == "1970-01-01T00:00:00.000000000");
  BOOST_TEST(instant(1, 2440587) == "1969-12-31T00:00:00.000000001");
  BOOST_TEST(instant(86399999999999, 2440588) == "1970-01-01T23:59:59.999999999");
}

BOOST_AUTO_TEST_CASE(integers_of_both_signs) {
  Meaning meaning = meaning_of(logical::kInteger);
  meaning.bits = 8;
  meaning.is_signed = false;
  BOOST_TEST(shown(column_of(Physical::int32, meaning), little(-1, 4)) == "4294967295");
  meaning.is_signed = true;
  BOOST_TEST(shown(column_of(Physical::int32, meaning), little(-1, 4)) == "-1");
  meaning.bits = 64;
  BOOST_CHECK_EXCEPTION(shown_form(column_of(Physical::int32, meaning), false), Error,
                        mentions("logical type 10"));
}

BOOST_AUTO_TEST_CASE(bytes_of_a_known_kind) {
  const std::string bytes("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
  BOOST_TEST(shown(column_of(Physical::fixed, meaning_of(logical::kUuid), 16), bytes) ==
             "00112233-4455-6677-8899-aabbccddeeff");
  BOOST_TEST(shown(column_of(Physical::fixed, {}, 16), bytes) == "00112233445566778899aabbccddeeff");
  BOOST_TEST(shown(column_of(Physical::fixed, meaning_of(logical::kFloat16), 2), std::string("\0\x3e", 2)) ==
             "1.5");
  BOOST_TEST(shown(column_of(Physical::bytes, meaning_of(logical::kBson)), "\x01\x02") == "0102");
  BOOST_TEST(shown(column_of(Physical::bytes, meaning_of(logical::kString)), "text") == "text");
  BOOST_TEST(shown(column_of(Physical::fixed, meaning_of(logical::kString), 4), "text") == "text");
  Meaning interval;
  interval.is_interval = true;
  BOOST_TEST(shown(column_of(Physical::fixed, interval, 12), little(3, 4) + little(2, 4) + little(1005, 4)) ==
             "P3M2DT1.005S");
  BOOST_CHECK_EXCEPTION(shown_form(column_of(Physical::fixed, meaning_of(logical::kUuid), 15), false), Error,
                        mentions("logical type 14"));
}

BOOST_AUTO_TEST_CASE(bytes_of_no_known_kind_are_undecided) {
  BOOST_TEST(shown_form(column_of(Physical::bytes, {}), false).is_undecided);
  BOOST_TEST(!shown_form(column_of(Physical::bytes, meaning_of(logical::kString)), false).is_undecided);
  TextBuilder texts;
  texts.add("plain\ttext\n");
  texts.add("\xc3\xa9");
  BOOST_TEST(are_plain_texts(texts.finish()));
  for (const char* text : {"\x01", "\x7f", "\xff"}) {
    TextBuilder other;
    other.add("a");
    other.add(text);
    BOOST_TEST(!are_plain_texts(other.finish()));
  }
  TextBuilder bytes;
  bytes.add("\xff");
  bytes.add_missing();
  const Elements hex = as_hex(bytes.finish());
  BOOST_TEST(hex.text(0) == "ff");
  BOOST_TEST(hex.is_missing(1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
