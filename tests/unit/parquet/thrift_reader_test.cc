#include "formats/containers/parquet/thrift_reader.h"

#include <boost/test/unit_test.hpp>

#include "formats/containers/parquet/thrift_writer.h"
#include "tests/support/mentions.h"

namespace plainfs::parquet {
namespace {

using namespace std::string_view_literals;

// Reads a struct without using any of its fields.
void skip_all(std::string_view bytes) {
  ThriftReader in(as_byte_span(bytes));
  in.record([](int64_t, ThriftType) { return false; });
}

BOOST_AUTO_TEST_SUITE(parquet_thrift_reader)

BOOST_AUTO_TEST_CASE(written_fields_are_read) {
  ThriftWriter out;
  out.boolean(1, true);
  out.int32(2, -7);
  out.int64(4, INT64_MIN);
  out.binary(5, "text");
  out.struct_list(6, 20);
  for (int i = 0; i < 20; ++i) {
    out.begin_element();
    out.int32(1, i);
    out.end();
  }
  out.end();
  const std::string bytes = out.take();
  ThriftReader in(as_byte_span(bytes));
  bool truth = false;
  int64_t small = 0, large = 0, sum = 0;
  uint64_t count = 0;
  std::string_view text;
  in.record([&](int64_t id, ThriftType type) {
    switch (id) {
      case 1:
        return in.get(type, truth);
      case 2:
        return in.get(type, small);
      case 4:
        return in.get(type, large);
      case 5:
        return in.get(type, text);
      default:
        return in.list(
            type, ThriftType::record, [&](uint64_t stated) { count = stated; },
            [&] {
              in.record([&](int64_t, ThriftType item) {
                int64_t value = 0;
                const bool is_read = in.get(item, value);
                sum += value;
                return is_read;
              });
            });
    }
  });
  BOOST_TEST(truth);
  BOOST_TEST(small == -7);
  BOOST_TEST(large == INT64_MIN);
  BOOST_TEST(text == "text");
  BOOST_TEST(count == 20U);
  BOOST_TEST(sum == 190);
  BOOST_TEST(in.position() == bytes.size());
}

BOOST_AUTO_TEST_CASE(unknown_fields_of_every_type_are_skipped) {
  // A field with a long id, a byte, a real, a list of truths, a set of numbers, a map, an empty map, a
  // struct.
  skip_all(
      "\x03\x28\x05\x13\x07\x17"
      "12345678"
      "\x19\x21\x01\x02\x1a\x25\x02\x04\x1b\x01\x58\x06\x01k\x1b\x00\x1c\x00\x00"sv);
}

BOOST_AUTO_TEST_CASE(value_of_another_type_counts_as_absent) {
  ThriftWriter out;
  out.binary(1, "not a number");
  out.int32(2, 5);
  out.end();
  const std::string bytes = out.take();
  ThriftReader in(as_byte_span(bytes));
  int64_t first = -1, second = -1;
  in.record([&](int64_t id, ThriftType type) { return in.get(type, id == 1 ? first : second); });
  BOOST_TEST(first == -1);
  BOOST_TEST(second == 5);
}

BOOST_AUTO_TEST_CASE(hostile_headers_are_damaged) {
  BOOST_CHECK_EXCEPTION(skip_all(std::string(500, '\x1c')), Error, mentions("nested more than 64"));
  BOOST_CHECK_EXCEPTION(skip_all("\x19\xfc\xff\xff\xff\xff\x0f"sv), Error, mentions("elements in 0 bytes"));
  BOOST_CHECK_EXCEPTION(skip_all("\x1b\xff\xff\xff\xff\x0f\x88"sv), Error, mentions("elements in 1 bytes"));
  BOOST_CHECK_EXCEPTION(skip_all("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), Error,
                        mentions("0 bytes left"));
  BOOST_CHECK_EXCEPTION(skip_all("\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv), Error,
                        mentions("more than 10 bytes"));
  BOOST_CHECK_EXCEPTION(skip_all("\x1d"sv), Error, mentions("unknown type 13"));
  BOOST_CHECK_EXCEPTION(skip_all("\x15\x02"sv), Error, mentions("0 bytes left"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
