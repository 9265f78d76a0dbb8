#include "formats/containers/rds/reader.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/r_stream.h"
#include "tests/unit/rds/rds_file.h"
#include "tests/unit/unpacked/compress.h"

namespace {

using namespace plainfs;
using namespace plainfs::rds;
using rds::Value;
using rds::ValuePtr;

// Reads the content of a value and its items.
void read_all_of(const Value& value) {
  if (value.vector) {
    value.vector->check();
    read_all(*value.vector);
  }
  for (const ValuePtr& item : value.items) read_all_of(*item);
}

void fails(Errc code, const std::string& words, const std::string& stream) {
  TestContext context;
  try {
    read_all_of(*read_value(stream, context));
    BOOST_ERROR("no error, expected: " << words);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == code));
    BOOST_TEST(std::string(error.what()).find(words) != std::string::npos,
               "\"" << error.what() << "\" does not contain \"" << words << "\"");
  }
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// The value of a stream, with its context.
struct Read {
  explicit Read(const std::string& text) : value(read_value(text, context)) {}
  const Value* operator->() const { return value.get(); }
  TestContext context;
  ValuePtr value;
};

template <class T>
std::vector<T> values(const Value& value) {
  const Elements elements = read_all(*value.vector);
  const auto span = elements.values<T>();
  return {span.begin(), span.end()};
}
template <class T>
std::vector<T> values(const Read& read) {
  return values<T>(*read.value);
}

// Decodes "580a…" of serialize(x, NULL, version = 3) in R 4.2.2, without the header.
std::string hex_stream(const std::string& hex) {
  return start().text + bytes_of_hex(hex);
}

BOOST_AUTO_TEST_SUITE(reader)

BOOST_AUTO_TEST_CASE(vectors_of_both_byte_orders_and_versions_read_alike) {
  for (const bool big_endian : {true, false}) {
    for (const int32_t version : {2, 3}) {
      const auto begin = [&] {
        RStream out(big_endian);
        out.header(version);
        return out;
      };
      BOOST_TEST((values<int32_t>(Read(begin().integers({1, -2, INT32_MIN}).text)) ==
                  std::vector<int32_t>{1, -2, INT32_MIN}));
      BOOST_TEST(
          (values<double>(Read(begin().reals({0.5, -1e300}).text)) == std::vector<double>{0.5, -1e300}));
      BOOST_TEST(
          Read(begin().strings({"a", "", "bc"}).text)->texts() == (std::vector<std::string>{"a", "", "bc"}),
          boost::test_tools::per_element());
      BOOST_TEST((Read(begin().logical(1).text)->type == RType::logical));
      BOOST_TEST((Read(begin().nil().text)->type == RType::null));
    }
  }
}

BOOST_AUTO_TEST_CASE(strings_become_utf8_and_na_is_missing) {
  RStream out = start();
  out.i(16).i(4).chars("z\xfc", 4).chars("z\xc3\xbc", 8).i(9).i(-1).chars("NA");
  const Elements names = read_all(*Read(out.text)->vector);
  BOOST_TEST(names.text(0) == "z\xc3\xbc");
  BOOST_TEST(names.text(1) == "z\xc3\xbc");
  BOOST_TEST(names.is_missing(2));
  BOOST_TEST(!names.is_missing(3));
}

BOOST_AUTO_TEST_CASE(unmarked_strings_have_the_native_encoding) {
  RStream out;
  out.raw("X\n").i(3).i(0x00040202).i(0x00030500).i(6).raw("latin1").i(16).i(1).chars("\xe9", 0);
  BOOST_TEST(Read(out.text)->texts()[0] == "\xc3\xa9");
}

BOOST_AUTO_TEST_CASE(text_marked_as_bytes_has_no_native_encoding) {
  RStream out;
  out.raw("X\n").i(3).i(0x00040202).i(0x00030500).i(6).raw("latin1");
  out.i(16).i(2).chars("a\xf1", 2).chars("\xc3\xa9", 2);
  BOOST_TEST(Read(out.text)->texts() == (std::vector<std::string>{"a\\xf1", "\xc3\xa9"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(attributes_and_lists_keep_their_names) {
  RStream out = start();
  out.list(2, kWithAttributes).integers({1}).strings({"x"}).names({"first", "second"});
  const Read value(out.text);
  BOOST_TEST((value->type == RType::list));
  BOOST_TEST(value->items.size() == 2u);
  BOOST_REQUIRE(value->attribute("names"));
  BOOST_TEST(value->attribute("names")->texts()[1] == "second");
}

BOOST_AUTO_TEST_CASE(a_symbol_is_referred_to_by_its_number) {
  RStream out = start();
  out.list(2).i(13 | kWithAttributes).i(0).tag("here").integers({1}).nil();
  out.i(13 | kWithAttributes).i(0).i(2 | kWithTag).i(1 << 8 | 255).integers({2}).nil();
  const Read value(out.text);
  BOOST_REQUIRE(value->items[1]->attribute("here"));
  BOOST_TEST((values<int32_t>(*value->items[1]->attribute("here")) == std::vector<int32_t>{2}));
}

BOOST_AUTO_TEST_CASE(compact_vectors_of_r_are_expanded) {
  const Read integers(hex_stream(
      "000000ee0000000200000001000400090000000e636f6d706163745f696e747365710000000200000001000400090000000462"
      "617365"
      "000000020000000d000000010000000d000000fe0000000e0000000340140000000000003ff00000000000003ff00000000000"
      "00000000fe"));
  BOOST_TEST((integers->type == RType::integer));
  BOOST_TEST((values<int32_t>(integers) == std::vector<int32_t>{1, 2, 3, 4, 5}));
  const Read strings(hex_stream(
      "000000ee0000000200000001000400090000000f64656665727265645f737472696e6700000002000000010004000900000004"
      "62617365"
      "000000020000000d0000000100000010000000fe00000002000000ee0000000200000001000400090000000e636f6d70616374"
      "5f696e74"
      "7365710000000200"
      "0002ff000000020000000d000000010000000d000000fe0000000e0000000340080000000000003ff00000000000003ff00000"
      "00000000"
      "000000fe0000000d0000000100000000000000fe"));
  BOOST_TEST(strings->length() == 3u);
  BOOST_TEST(strings->texts()[2] == "3");
  const Read sorted(hex_stream(
      "000000ee0000000200000001000400090000000c777261705f696e746567657200000002000000010004000900000004626173"
      "65000000"
      "020000000d000000010000000d000000fe000000020000000d000000030000000100000002000000030000000d000000020000"
      "00010000"
      "0001000000fe"));
  BOOST_TEST((values<int32_t>(sorted) == std::vector<int32_t>{1, 2, 3}));
  const Read reals(hex_stream(
      "000000ee0000000200000001000400090000000f636f6d706163745f7265616c73657100000002000000010004000900000004"
      "62617365"
      "000000020000000d000000010000000e000000fe0000000e0000000340100000000000003ff00000000000003ff00000000000"
      "00000000fe"));
  BOOST_TEST((values<double>(reals) == std::vector<double>{1, 2, 3, 4}));
}

RStream compact(const std::string& class_name) {
  RStream out = start();
  out.i(238).i(2).symbol(class_name).i(2).symbol("base").i(2).integers({13}).nil();
  return out;
}

BOOST_AUTO_TEST_CASE(invalid_compact_vectors_fail_alone) {
  fails(Errc::damaged, "has length -1", compact("compact_intseq").reals({-1, 1, 1}).nil().text);
  fails(Errc::damaged, "has length nan", compact("compact_realseq").reals({NAN, 1, 1}).nil().text);
  fails(Errc::damaged, "ends at 2147483648", compact("compact_intseq").reals({2, 2147483647, 1}).nil().text);
  fails(Errc::damaged, "does not have three numbers",
        compact("compact_intseq").integers({3, 1, 1}).nil().text);
  fails(Errc::unsupported, "mmap_real", compact("mmap_real").nil().nil().text);
  fails(Errc::unsupported, "unknown how R writes 0.333",
        compact("deferred_string").i(2).reals({1.0 / 3}).integers({0}).nil().text);
  fails(Errc::damaged, "is not a pair", compact("wrap_real").reals({1}).nil().text);
}

BOOST_AUTO_TEST_CASE(a_compact_sequence_of_any_length_takes_no_room) {
  const Read sequence(compact("compact_intseq").reals({2e9, 5, -1}).nil().text);
  BOOST_TEST(sequence->length() == 2000000000u);
  const Elements last = sequence->vector->read(range(1999999999, 1));
  BOOST_TEST(last.values<int32_t>()[0] == 5 - 1999999999);
}

BOOST_AUTO_TEST_CASE(unevaluated_code_is_skipped) {
  RStream out = start();
  out.list(6);
  out.i(4).i(0).i(253).nil().nil().i(1 << 8 | 255);            // an environment that refers to itself
  out.i(3 | kWithTag).i(253).nil().i(6).symbol("quit").nil();  // function() quit()
  out.i(24).i(3).raw("abc");                                   // raw
  out.i(15).i(1).real(1).real(2);                              // complex
  out.i(249).i(0).i(1).chars("base");                          // a namespace
  out.integers({7});
  const Read value(out.text);
  BOOST_TEST(value->items.size() == 6u);
  BOOST_TEST((value->items[0]->type == RType::list));
  BOOST_TEST(value->items[0]->items.empty());
  BOOST_TEST((value->items[1]->type == RType::other));
  BOOST_TEST((values<int32_t>(*value->items[5]) == std::vector<int32_t>{7}));
}

BOOST_AUTO_TEST_CASE(an_environment_is_the_list_of_its_variables) {
  RStream frame = start();
  frame.environment().tag("b").integers({2}).tag("a").integers({1}).nil().nil();
  frame.tag("class").strings({"Stack"}).nil();
  RStream hashed = start();
  hashed.environment().nil().list(3).tag("b").integers({2}).nil().nil().tag("a").integers({1}).nil();
  hashed.tag("class").strings({"Stack"}).nil();
  for (const std::string& text : {frame.text, hashed.text}) {
    const Read value(text);
    BOOST_TEST((value->type == RType::list));
    BOOST_TEST(*value->item_names() == (std::vector<std::string>{"a", "b"}),
               boost::test_tools::per_element());
    BOOST_TEST((values<int32_t>(*value->items[0]) == std::vector<int32_t>{1}));
    BOOST_TEST(value->is_a("Stack"));
  }
}

BOOST_AUTO_TEST_CASE(self_containing_environment_is_null_inside) {
  RStream out = start();
  out.environment().tag("self").again(1).tag("x").integers({1}).nil().nil().nil();
  const Read value(out.text);
  BOOST_TEST(value->items.size() == 2u);
  BOOST_TEST((value->item("self")->type == RType::null));
}

BOOST_AUTO_TEST_CASE(an_environment_referred_to_again_is_the_same_list) {
  RStream out = start();
  out.list(2).environment().tag("x").integers({1}).nil().nil().nil().again(1);
  const Read value(out.text);
  BOOST_TEST(value->items[0].get() == value->items[1].get());
}

BOOST_AUTO_TEST_CASE(evaluated_promise_is_its_value) {
  RStream out = start();
  out.environment();
  out.tag("made").i(5).integers({7}).symbol("x");
  out.tag("open").i(5 | kWithTag).i(253).i(252).symbol("x").nil().nil().nil();
  const Read value(out.text);
  BOOST_TEST((values<int32_t>(*value->item("made")) == std::vector<int32_t>{7}));
  BOOST_TEST((value->item("open")->type == RType::other));
}

// Returns a function with an environment that holds values, and that environment.
std::string function_and_its_environment() {
  RStream out = start();
  out.list(2).i(3 | kWithTag);
  out.environment().tag("x").integers({1}).nil().nil().nil();
  out.nil().i(6).symbol("quit").nil();
  return out.again(1).text;
}

BOOST_AUTO_TEST_CASE(environment_of_a_function_is_kept_if_wanted) {
  TestContext context;
  const std::string text = function_and_its_environment();
  const auto read = [&](const KeptEnvironments& environments) {
    const auto bytes = std::make_shared<UnpackedBytes>(std::make_shared<BytesFile>(text), Compression::none,
                                                       context, "the values");
    const std::unique_ptr<ByteSource> source = bytes->first_pass();
    SerialStream stream(*source, 1 << 20);
    stream.read_header();
    LongVectors vectors;
    Reader reader(stream, bytes, vectors, environments);
    const ValuePtr value = reader.read();
    return std::pair(value, reader.missed());
  };
  const auto [first, missed] = read({});
  BOOST_TEST((first->items[1]->type == RType::other));
  BOOST_TEST((missed == std::set<size_t>{1}));
  const auto [second, missed_again] = read({missed, {}});
  BOOST_TEST(second->items[1]->items.size() == 1u);
  BOOST_TEST(missed_again.empty());
  const auto [third, still_missed] = read({missed, {1}});
  BOOST_TEST((third->items[1]->type == RType::other));
  BOOST_TEST(still_missed.empty());
}

BOOST_AUTO_TEST_CASE(mutually_referring_environments_stay_few) {
  RStream out = start();
  constexpr int kLevels = 60;
  out.list(kLevels).environment().tag("x").integers({1}).nil().nil().nil();
  int32_t before = 1;
  for (int32_t level = 1; level < kLevels; ++level) {
    out.environment().tag("a").again(before).tag("b").again(before).nil().nil().nil();
    before = 3 * level;  // the environment, and two symbols
  }
  const Read value(out.text);
  std::function<uint64_t(const Value&)> count = [&](const Value& of) {
    uint64_t all = 1;
    for (const ValuePtr& item : of.items) all += count(*item);
    return all;
  };
  BOOST_TEST(count(*value.value) < 4u << 20);
}

BOOST_AUTO_TEST_CASE(other_streams_are_refused) {
  fails(Errc::damaged, "not an R serialisation", "C\n3\n");
  fails(Errc::damaged, "\"RDX9\" is not the beginning of a file", "RDX9\nX\n");
  fails(Errc::damaged, "truncated", "X");
  fails(Errc::unsupported, "version 1", RStream().header(1).text);
  fails(Errc::unsupported, "version 50331648", RStream(false).raw("X\n").i(3).i(0).i(0).text);
  fails(Errc::unsupported, "type 99", start().i(99).text);
  fails(Errc::damaged, "native encoding has -1", RStream().raw("X\n").i(3).i(0).i(0).i(-1).text);
}

BOOST_AUTO_TEST_CASE(dangling_references_are_damage) {
  fails(Errc::damaged, "reference to R value 1, but there are 0", start().i(1 << 8 | 255).text);
  fails(Errc::damaged, "reference to R value 0, but there are 0", start().i(255).i(0).text);
  fails(Errc::damaged, "reference to R value 4294967295, but there are 0", start().i(255).i(-1).text);
}

BOOST_AUTO_TEST_CASE(attributes_with_too_many_names_are_damage) {
  RStream stream = start();
  stream.i(13 | kWithAttributes).i(1).i(7);
  stream.list(1, kWithAttributes).integers({1}).names({"a", "b"});
  fails(Errc::damaged, "one name for each attribute", stream.text);
}

BOOST_AUTO_TEST_CASE(lengths_beyond_the_stream_are_damage) {
  for (const int32_t type : {10, 13, 14, 15, 16, 19, 24}) {
    fails(Errc::damaged, "truncated", start().i(type).i(INT32_MAX).text);
    fails(Errc::damaged, "truncated", start().i(type).i(-1).i(65536).i(-1).text);
    fails(Errc::damaged, "a vector has length -2", start().i(type).i(-2).text);
    fails(Errc::damaged, "upper half", start().i(type).i(-1).i(65537).i(0).text);
  }
  fails(Errc::damaged, "a string has length -2", start().i(16).i(1).i(9).i(-2).text);
  fails(Errc::damaged, "truncated", start().i(16).i(1).i(9).i(INT32_MAX).text);
}

// Returns calls in byte code, each nested as the first part of another.
std::string nested_code() {
  RStream out;
  for (int i = 0; i < 100000; ++i) out.i(6).nil();
  return out.text;
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_refused) {
  const auto nested = [](const std::function<void(RStream&)>& begin_one) {
    RStream out = start();
    for (int i = 0; i < 100000; ++i) begin_one(out);
    return out.text;
  };
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.list(1); }));
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.i(2); }));
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.i(2 | kWithAttributes); }));
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.i(4).i(0); }));
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.i(238); }));
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.i(21).i(0); }));
  fails(Errc::unsupported, "nested deeper", start().i(21).i(0).nil().i(1).text + nested_code());
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.i(2).nil().i(3); }));
  fails(Errc::unsupported, "nested deeper", nested([](RStream& out) { out.i(249).i(0).i(1); }));
}

BOOST_AUTO_TEST_CASE(very_many_values_are_refused) {
  RStream list = start();
  list.list(3000000);
  for (int i = 0; i < 3000000; ++i) list.nil();
  fails(Errc::unsupported, "more than 1048576 R values", list.text);
  RStream pairs = start();
  for (int i = 0; i < 3000000; ++i) pairs.i(2).nil();
  fails(Errc::unsupported, "more than 1048576 R values", pairs.text);
}

BOOST_AUTO_TEST_CASE(repeated_long_name_takes_no_memory) {
  RStream pairs = start();
  pairs.tag(std::string(1 << 20, 'n')).nil();
  for (int i = 0; i < 1000; ++i) pairs.i(2 | kWithTag).i(1 << 8 | 255).nil();
  fails(Errc::unsupported, "bytes of names of R values", pairs.nil().text);
  RStream symbols = start();
  symbols.list(1000).symbol(std::string(1 << 20, 'n'));
  for (int i = 0; i < 999; ++i) symbols.i(1 << 8 | 255);
  fails(Errc::unsupported, "bytes of names of R values", symbols.text);
}

BOOST_AUTO_TEST_CASE(more_bytes_than_allowed_are_refused) {
  const std::string text = start().integers(std::vector<int32_t>(100000)).text;
  TestContext context;
  read_value(text, context, text.size());
  BOOST_CHECK_EXCEPTION(read_value(text, context, text.size() - 1), Error,
                        mentions("the file has too much data when decompressed"));
}

BOOST_AUTO_TEST_CASE(truncated_stream_is_damage) {
  RStream out = start();
  const std::string whole = small_object(out).text;
  const Read value(whole);
  for (size_t size = 2; size < whole.size(); ++size) fails(Errc::damaged, "truncated", whole.substr(0, size));
}

BOOST_AUTO_TEST_CASE(any_changed_byte_gives_a_value_or_an_error) {
  RStream out = start();
  const std::string whole = small_object(out).text;
  size_t errors = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        const Read value(changed);
        read_all_of(*value.value);
      } catch (const Error&) {
        ++errors;
      }
    }
  }
  BOOST_TEST(errors > 100u);
  BOOST_TEST(errors < 3 * whole.size());
}

// serialize(function, NULL) of a compiled function holds code that refers to itself. The data after it are
// found.
BOOST_AUTO_TEST_CASE(byte_code_is_skipped) {
  RStream out = start();
  out.list(2).i(21).i(1).integers({12, 1}).i(4);
  out.i(13).integers({5});                                    // a constant: its type, then itself
  out.i(244).i(0).i(6).symbol("f").i(243).i(0).i(254).nil();  // a shared call
  out.i(21).integers({12}).i(0);                              // code in code
  out.i(240).i(2 | kWithTag).symbol("a").integers({1}).nil().nil().i(13).integers({1}).i(254).nil();
  out.integers({7});
  const Read value(out.text);
  BOOST_TEST((values<int32_t>(*value->items[1]) == std::vector<int32_t>{7}));
}

BOOST_AUTO_TEST_CASE(text_form_matches_r) {
  const std::string head = "A\n3\n262658\n197888\n5\nUTF-8\n";
  const Read reals(head + "14\n6\n0.1\nNA\nNaN\n-Inf\n0x1.8p+1\n-0x0p+0\n");
  const std::vector<double> read = values<double>(reals);
  BOOST_TEST(read[0] == 0.1);
  BOOST_TEST((std::bit_cast<uint64_t>(read[1]) & 0xffffffff) == 1954u);
  BOOST_TEST(std::isnan(read[2]));
  BOOST_TEST(read[3] == -INFINITY);
  BOOST_TEST(read[4] == 3.0);
  BOOST_TEST(std::signbit(read[5]));
  const Read texts(head + "16\n4\n262153\n4\na\\040\\n\\\\\n262153\n0\n\n9\n-1\n262153\n2\n\\101b\n");
  BOOST_TEST(texts->texts() == (std::vector<std::string>{"a \n\\", "", "NA", "Ab"}),
             boost::test_tools::per_element());
  BOOST_TEST((values<uint8_t>(Read(head + "24\n2\nff\n0a\n")) == std::vector<uint8_t>{255, 10}));
  const Read windows(
      "A\r\n3\r\n262658\r\n197888\r\n5\r\nUTF-8\r\n16\r\n2\r\n262153\r\n2\r\n\\101b\r\n262153\r\n0\r\n\r\n");
  BOOST_TEST(windows->texts() == (std::vector<std::string>{"Ab", ""}), boost::test_tools::per_element());
  fails(Errc::damaged, "\"1x\" is not an integer", head + "13\n1\n1x\n");
  fails(Errc::damaged, "is not a number", head + "14\n1\n--1\n");
  fails(Errc::damaged, "is not a byte", head + "24\n1\n1ff\n");
}

BOOST_AUTO_TEST_CASE(latin1_is_decoded_like_r_without_losing_bytes) {
  RStream out = start();
  out.i(16).i(3).chars("\x80", 4).chars("a\xff", 8).chars("\x81", 4);
  BOOST_TEST(Read(out.text)->texts() == (std::vector<std::string>{"\xe2\x82\xac", "a\\xff", "\\x81"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(large_vector_is_read_in_place) {
  std::vector<double> numbers(30000);
  std::vector<std::string> names(20000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 7;
  for (size_t i = 0; i < names.size(); ++i) names[i] = "name " + std::to_string(i * i);
  for (const bool big_endian : {true, false}) {
    for (const Compression compression : unpacked::kCompressions) {
      RStream out(big_endian);
      out.header().list(3).reals(numbers).strings(names).integers({3});
      const Read value(unpacked::compress(out.text, compression));
      BOOST_TEST(!dynamic_cast<const MemoryArray*>(value->items[0]->vector.get()));
      for (const uint64_t first : {29990u, 0u, 14321u}) {
        const Elements some = value->items[0]->vector->read(range(first, 10));
        for (uint64_t i = 0; i < 10; ++i) BOOST_TEST(some.values<double>()[i] == numbers[first + i]);
      }
      for (const uint64_t first : {19990u, 4090u, 0u}) {
        const Elements some = value->items[1]->vector->read(range(first, 10));
        for (uint64_t i = 0; i < 10; ++i) BOOST_TEST(some.text(i) == names[first + i]);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
