// Chunks: where they are looked up, the value of an absent one, and hostile metadata and data.
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "formats/core/base/modified_time.h"
#include "tests/support/mentions.h"
#include "tests/unit/zarr/store_writer.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr;
using Ints = std::vector<int32_t>;

void expect(const std::string& actual, std::string_view code, std::string_view words) {
  BOOST_TEST(actual.starts_with(code), actual << " is not " << code);
  BOOST_TEST(holds(actual, words), actual << " does not contain " << words);
}

BOOST_AUTO_TEST_SUITE(array)

BOOST_AUTO_TEST_CASE(absent_chunk_reads_as_fill_value) {
  const V2Store writer;
  writer.put_v2_array("a", R"("<i4")", "-3");
  writer.put_values<int32_t>("a/0", {1, 2});
  TestContext context;
  BOOST_TEST(values_in<int32_t>(writer.open(context), "a") == (Ints{1, 2, -3, -3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(absent_chunk_is_an_error_on_request) {
  const V2Store writer;
  writer.put_v2_array("a");
  TestContext context;
  context.context.options.absent_chunk_is_error = true;
  expect(error_of(writer.open(context), "a"), "EIO", ": the chunk is absent");
}

BOOST_AUTO_TEST_CASE(changed_chunks_are_not_mixed_with_older_ones) {
  const V2Store writer;
  for (const char* name : {"come", "change", "go", "all"}) writer.put_v2_array(name);
  for (const char* key : {"change/0", "change/1", "go/0", "go/1", "all/0", "all/1"}) {
    writer.put_values<int32_t>(key, {1, 2});
  }
  TestContext context;
  const Store store = writer.open(context);
  std::vector<ArrayPtr> arrays;
  for (const char* name : {"come", "change", "go", "all"}) arrays.push_back(array_in(store, name));
  for (const ArrayPtr& array : arrays) array->read(range(0, 2));
  wait_for_file_time();
  writer.put_values<int32_t>("come/1", {8, 9});
  writer.put_values<int32_t>("change/1", {8, 9});
  writer.remove("go/1");
  writer.remove("all");
  for (const ArrayPtr& array : arrays) {
    array->read(range(0, 2));  // already read
    BOOST_CHECK_EXCEPTION(array->read(range(2, 2)), Error, [](const Error& error) {
      return error.code() == Errc::changed && holds(error.what(), "has changed since it was mounted");
    });
  }
  context.context.files.clear();
  BOOST_TEST(values_in<int32_t>(writer.open(context), "change") == (Ints{1, 2, 8, 9}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unreadable_chunk_is_not_absent) {
  const V2Store writer;
  writer.put_v2_array("a");
  writer.put("a/0/inside", "");
  TestContext context;
  BOOST_TEST(error_of(writer.open(context), "a").starts_with("EIO"));
}

BOOST_AUTO_TEST_CASE(chunk_of_another_size_is_damage) {
  TestContext context;
  for (const size_t values : {0, 1, 3}) {
    const V2Store writer;
    writer.put_v2_array("a");
    writer.put_values("a/1", Ints(values, 5));
    expect(error_of(writer.open(context), "a"), "EIO", fmt::format("a/1: {} bytes, expected 8", values * 4));
  }
}

BOOST_AUTO_TEST_CASE(column_major_chunks_are_decoded_to_rows) {
  const V2Store writer;
  writer.put_v2_array("a", R"(">i2")", "0", R"(,"order":"F")", "[2,3]", "[2,3]");
  writer.put("a/0.0", std::string("\0\0\0\3\0\1\0\4\0\2\0\5", 12));
  TestContext context;
  BOOST_TEST(values_in<int16_t>(writer.open(context), "a") == (std::vector<int16_t>{0, 1, 2, 3, 4, 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nested_keys_are_found_without_a_separator) {
  const V2Store writer;
  writer.put_v2_array("a", R"("<i4")", "0", "", "[1,2]", "[1,1]");
  writer.put_values<int32_t>("a/0/1", {8});
  TestContext context;
  BOOST_TEST(values_in<int32_t>(writer.open(context), "a") == (Ints{0, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(keys_of_another_spelling_are_found_with_a_notice) {
  const auto check = [](const std::string& separator, bool is_v3, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      const V2Store writer;
      if (is_v3)
        writer.put_v3_array("a", R"("int32")", "0", R"(["bytes"])", "[2,2]", "[1,2]",
                            R"(,"chunk_key_encoding":)" + separator);
      else
        writer.put_v2_array("a", R"("<i4")", "0", R"(,"dimension_separator":)" + separator, "[2,2]", "[1,2]");
      writer.put_values<int32_t>("a/" + key, {1, 2});
      TestContext context;
      BOOST_TEST(values_in<int32_t>(writer.open(context), "a") == (Ints{0, 0, 1, 2}),
                 boost::test_tools::per_element());
      BOOST_TEST(context.warned("a/" + key), key);
    }
  };
  check(R"(".")", false, {"1/0", "c/1/0", "c.1.0"});
  check(R"("/")", false, {"1.0"});
  check(R"("default")", true, {"1.0", "1/0", "c.1.0"});
  check(R"({"name":"v2"})", true, {"1/0", "c/1/0"});
}

BOOST_AUTO_TEST_CASE(keys_of_another_spelling_are_found_in_a_root_array) {
  for (const bool is_nested : {false, true}) {
    const StoreWriter writer;
    writer.put_v2_array(".", R"("<i4")", "0", is_nested ? R"(,"dimension_separator":"/")" : "", "[2,2]",
                        "[1,2]");
    writer.put_values<int32_t>(is_nested ? "1.0" : "1/0", {1, 2});
    TestContext context;
    const Elements elements = read_all(*array_of(writer.open(context).root));
    BOOST_TEST(elements.values<int32_t>()[3] == 2);
  }
}

BOOST_AUTO_TEST_CASE(chunks_under_unknown_keys_are_damage) {
  for (const char* key : {"a/00.01", "a/1_0", "a/0", "a/0.0.0"}) {
    const V2Store writer;
    writer.put_v2_array("a", R"("<i4")", "0", "", "[2,2]", "[1,2]");
    writer.put_values<int32_t>(key, {1, 2});
    TestContext context;
    expect(error_of(writer.open(context), "a"), "EIO", std::string("found ") + (key + 2));
  }
  const V2Store sound;
  sound.put_v2_array("a", R"("<i4")", "3", "", "[2,2]", "[1,2]");
  sound.put("a/README.md", "no chunk");
  sound.put_values<int32_t>("a/9.9", {1, 2});  // from a formerly larger array
  TestContext context;
  BOOST_TEST(values_in<int32_t>(sound.open(context), "a") == (Ints{3, 3, 3, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(invalid_fill_value_fails_absent_chunks) {
  const V2Store writer;
  writer.put_v2_array("a", R"("<i4")", R"("x")");
  writer.put_values<int32_t>("a/0", {1, 2});
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(array_in(store, "a")->read(range(0, 2)).values<int32_t>()[1] == 2);
  expect(error_of(store, "a"), "EIO", "the chunk is absent: fill value \"x\" is not a valid int32");
  writer.put_values<int32_t>("a/1", {3, 4});
  TestContext after;
  BOOST_TEST(values_in<int32_t>(writer.open(after), "a") == (Ints{1, 2, 3, 4}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(invalid_v3_fill_value_damages_the_array) {
  const V2Store writer;
  writer.put_v3_array("a", R"("int32")", R"("x")");
  writer.put_values<int32_t>("a/c/0", {1, 2});
  writer.put_values<int32_t>("a/c/1", {3, 4});
  TestContext context;
  expect(error_of(writer.open(context), "a"), "EIO", "fill value \"x\" is not a valid int32");
}

BOOST_AUTO_TEST_CASE(pairs_named_r_and_i_are_complex) {
  const V2Store writer;
  writer.put_v2_array("a", R"([["r", "<f4"], ["i", "<f4"]])", R"("AACAPwAAAEA=")");
  writer.put_v2_array("b", R"([["Real", ">f8"], ["Imaginary", ">f8"]])", "null");
  writer.put_v2_array("c", R"([["x", "<f4"], ["y", "<f4"]])", "null");
  writer.put_values<float>("a/0", {3, 4, 5, 6});
  writer.put("b/0", std::string("\x3f\xf0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 16) + std::string(16, '\0'));
  TestContext context;
  const Store store = writer.open(context);
  const ArrayPtr a = array_in(store, "a");
  BOOST_CHECK(a->dtype().kind == Kind::complex);
  BOOST_TEST(values_in<float>(store, "a") == (std::vector<float>{3, 4, 5, 6, 1, 2, 1, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(values_in<double>(store, "b") == (std::vector<double>{1, 2, 0, 0, 0, 0, 0, 0}),
             boost::test_tools::per_element());
  BOOST_CHECK(array_in(store, "c")->dtype().kind == Kind::compound);
}

BOOST_AUTO_TEST_CASE(a_row_of_a_large_chunk_is_read_alone) {
  const V2Store writer;
  writer.put_v2_array("a", R"("<i4")", "-3", "", "[1500, 500]", "[1000, 500]");
  Ints values(500'000);
  std::iota(values.begin(), values.end(), 0);
  writer.put_values<int32_t>("a/0.0", values);
  TestContext context;
  const ArrayPtr array = array_in(writer.open(context), "a");
  const uint64_t before = context.counters.source_bytes_read;
  const Elements rows = array->peek({{700, 100}, {2, 300}});
  BOOST_TEST(rows.values<int32_t>()[0] == 350'100);
  BOOST_TEST(rows.values<int32_t>()[599] == 350'899);
  BOOST_TEST(context.counters.source_bytes_read - before == 2 * 500 * 4u);
  BOOST_TEST(context.counters.chunks_decoded == 0u);
  BOOST_TEST(array->peek({{999, 499}, {2, 1}}).values<int32_t>()[1] == -3);  // the chunk below is absent
}

BOOST_AUTO_TEST_CASE(absent_chunk_of_any_size_costs_nothing) {
  const V2Store writer;
  writer.put_v2_array("a", R"("<i4")", "6", "", "[1099511627776]", "[1099511627776]");
  TestContext context;
  const Store store = writer.open(context);
  const Elements elements = array_in(store, "a")->read(range(uint64_t{1} << 39, 2));
  BOOST_TEST(elements.values<int32_t>()[1] == 6);
}

BOOST_AUTO_TEST_CASE(declared_size_beyond_the_data_is_not_allocated) {
  TestContext context;
  for (const char* compressor :
       {R"({"id":"zstd"})", R"({"id":"zlib"})", R"({"id":"blosc"})", R"({"id":"lz4"})", "null"}) {
    const V2Store writer;
    writer.put_v2_array("a", R"("<i4")", "0", fmt::format(R"(,"compressor":{})", compressor),
                        "[1099511627776]", "[1099511627776]");
    writer.put("a/0", std::string(40, '\x28'));
    const Store store = writer.open(context);
    BOOST_CHECK_EXCEPTION(array_in(store, "a")->read(range(0, 1)), Error, mentions("bytes"));
  }
}

BOOST_AUTO_TEST_CASE(counts_over_64_bits_are_damage) {
  const V2Store writer;
  writer.put_v2_array("shape", R"("<i4")", "0", "", "[4294967296,4294967296,2]", "[1,1,1]");
  writer.put_v2_array("bytes", R"("<f8")", "0", "", "[4611686018427387904]", "[1]");
  writer.put_v2_array("chunks", R"("<i4")", "0", "", "[2,2]", "[9223372036854775808,4]");
  TestContext context;
  const Store store = writer.open(context);
  for (const char* name : {"shape", "bytes", "chunks"}) BOOST_TEST(error_of(store, name).starts_with("EIO"));
}

BOOST_AUTO_TEST_CASE(unknown_codec_is_unsupported_without_any_chunk) {
  const V2Store writer;
  writer.put_v2_array("v2", R"("<i4")", "0", R"(,"compressor":{"id":"nosuch"})");
  writer.put_v3_array("v3", R"("int32")", "0", R"(["bytes","nosuch"])");
  TestContext context;
  const Store store = writer.open(context);
  expect(error_of(store, "v2"), "ENOTSUP", "nosuch");
  expect(error_of(store, "v3"), "ENOTSUP", "nosuch");
}

BOOST_AUTO_TEST_CASE(invalid_codec_chain_is_damage) {
  const V3Store writer;
  writer.put_v3_array("none", R"("int32")", "0", "[]");
  writer.put_v3_array("order", R"("int32")", "0", R"(["crc32c","bytes"])");
  writer.put_v3_array("twice", R"("int32")", "0", R"(["bytes","bytes"])");
  writer.put_v3_array("late", R"("int32")", "0",
                      R"(["bytes",{"name":"transpose","configuration":{"order":[0]}}])");
  writer.put_v3_array("text", R"("string")", R"("")", R"(["bytes"])");
  writer.put_v3_array("numbers", R"("int32")", "0", R"(["vlen-utf8"])");
  TestContext context;
  const Store store = writer.open(context);
  for (const char* name : {"none", "order", "twice", "late", "text", "numbers"}) {
    BOOST_TEST(error_of(store, name).starts_with("EIO"), name << ": " << error_of(store, name));
  }
}

BOOST_AUTO_TEST_CASE(codecs_in_front_of_bytes_see_native_numbers) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int16")", "0",
                      R"([{"name":"numcodecs.delta","configuration":{"dtype":"<i2"}},
                          {"name":"bytes","configuration":{"endian":"big"}}])",
                      "[3]", "[3]");
  writer.put("a/c/0", std::string("\1\0\0\1\0\1", 6));
  TestContext context;
  BOOST_TEST(values_in<int16_t>(writer.open(context), "a") == (std::vector<int16_t>{256, 257, 258}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(must_understand_members_are_checked) {
  const V3Store writer;
  writer.put_v3_array("known", R"("int32")", "0", R"(["bytes"])", "[4]", "[2]",
                      R"(,"x":{"must_understand":false})");
  writer.put_v3_array("unknown", R"("int32")", "0", R"(["bytes"])", "[4]", "[2]",
                      R"(,"x":{"must_understand":true})");
  writer.put_v3_array("transformed", R"("int32")", "0", R"(["bytes"])", "[4]", "[2]",
                      R"(,"storage_transformers":["x"])");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(error_of(store, "known") == "");
  expect(error_of(store, "unknown"), "ENOTSUP", "\"x\"");
  expect(error_of(store, "transformed"), "ENOTSUP", "transformers");
}

BOOST_AUTO_TEST_CASE(records_need_fields_of_their_own_names) {
  const V2Store writer;
  writer.put_v2_array("twice", R"([["a","<i4"],["a","<i4"]])", "null");
  writer.put_v2_array("padded", R"([["a","|u1"],["","|V3"],["b","<i4"]])", "null");
  TestContext context;
  const Store store = writer.open(context);
  expect(error_of(store, "twice"), "EIO", "two fields");
  BOOST_TEST(array_in(store, "padded")->dtype().fields.at(1).name == "f1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
