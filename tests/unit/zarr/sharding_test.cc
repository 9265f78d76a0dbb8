// Sharded arrays: one element needs few reads, and no index is trusted.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>

#include "tests/unit/zarr/store_writer.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr;
using Ints = std::vector<int32_t>;

constexpr uint64_t kAbsent = std::numeric_limits<uint64_t>::max();

std::string codecs(const std::string& inner_shape, const std::string& inner,
                   const std::string& location = "end", const std::string& around = "") {
  return R"([{"name":"sharding_indexed","configuration":{"chunk_shape":)" + inner_shape + R"(,"codecs":)" +
         inner + R"(,"index_codecs":["bytes"],"index_location":")" + location + R"("}})" + around + "]";
}

std::string index_of(const std::vector<uint64_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(uint64_t)};
}

std::string bytes_of(const Ints& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int32_t)};
}

Ints counting(int32_t count) {
  Ints values;
  for (int32_t i = 0; i < count; ++i) values.push_back(i);
  return values;
}

BOOST_AUTO_TEST_SUITE(sharding)

BOOST_AUTO_TEST_CASE(one_element_reads_the_index_and_one_inner_chunk) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int32")", "0", codecs("[100]", R"(["bytes"])"), "[100000]", "[100000]");
  std::vector<uint64_t> index;
  for (uint64_t i = 0; i < 1000; ++i) index.insert(index.end(), {400 * i, 400});
  writer.put("a/c/0", bytes_of(counting(100000)) + index_of(index));
  TestContext context;
  const ArrayPtr array = array_in(writer.open(context), "a");
  const uint64_t before = context.counters.source_bytes_read;
  BOOST_TEST(array->read(range(70050, 1)).values<int32_t>()[0] == 70050);
  BOOST_TEST(context.counters.source_bytes_read - before == 16000u + 400u);
  BOOST_TEST(array->read(range(5, 1)).values<int32_t>()[0] == 5);
  BOOST_TEST(context.counters.source_bytes_read - before == 16000u + 2 * 400u);
}

BOOST_AUTO_TEST_CASE(box_without_shards_is_filled_at_once) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int32")", "9", codecs("[2]", R"(["bytes"])"), "[1000]", "[100]");
  writer.put("a/c/9", bytes_of(counting(2)) + index_of(std::vector<uint64_t>{0, 8}) +
                          index_of(std::vector<uint64_t>(98, kAbsent)));
  TestContext context;
  const Store store = writer.open(context);
  const ArrayPtr array = array_in(store, "a");
  const Elements filled = array->read(range(50, 800));
  BOOST_TEST(filled.count == 800U);
  BOOST_TEST(std::ranges::count(filled.values<int32_t>(), 9) == 800);
  BOOST_TEST(context.counters.chunks_decoded == 0U);
  const Elements stored = array->read(range(898, 6));
  BOOST_TEST(
      Ints(stored.values<int32_t>().begin(), stored.values<int32_t>().end()) == (Ints{9, 9, 0, 1, 9, 9}),
      boost::test_tools::per_element());
  BOOST_TEST(context.counters.chunks_decoded > 0U);
}

BOOST_AUTO_TEST_CASE(nested_shards_read_two_indexes_and_one_inner_chunk) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int32")", "0", codecs("[4]", codecs("[2]", R"(["bytes"])"), "start"), "[8]",
                      "[8]");
  const std::string second = bytes_of({6, 7, 4, 5}) + index_of({8, 8, 0, 8});
  const std::string first = bytes_of({2, 3}) + index_of({kAbsent, kAbsent, 0, 8});
  writer.put("a/c/0", index_of({32, first.size(), 32 + first.size(), second.size()}) + first + second);
  TestContext context;
  const Store store = writer.open(context);
  const ArrayPtr array = array_in(store, "a");
  const uint64_t before = context.counters.source_bytes_read;
  BOOST_TEST(array->read(range(7, 1)).values<int32_t>()[0] == 7);
  BOOST_TEST(context.counters.source_bytes_read - before == 32u + 32u + 8u);
  BOOST_TEST(values_in<int32_t>(store, "a") == (Ints{0, 0, 2, 3, 4, 5, 6, 7}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(transposed_shards_are_divided_after_the_transpose) {
  const V3Store writer;
  const std::string order = R"({"name":"transpose","configuration":{"order":[1,0]}},)";
  std::string all = codecs("[1,2]", R"(["bytes"])");
  all.insert(1, order);
  writer.put_v3_array("a", R"("int32")", "0", all, "[2,3]", "[2,3]");
  // the stored array is [3,2]: its row i is column i of the array
  writer.put("a/c/0/0", bytes_of({0, 3, 1, 4, 2, 5}) + index_of({0, 8, 8, 8, 16, 8}));
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(array_in(store, "a")->chunk_shape() == (Shape{2, 1}), boost::test_tools::per_element());
  BOOST_TEST(values_in<int32_t>(store, "a") == counting(6), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(encoded_shard_is_read_whole_and_once) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int32")", "0", codecs("[2]", R"(["bytes"])", "end", R"(,"numcodecs.adler32")"),
                      "[4]", "[4]");
  const std::string shard = bytes_of({1, 2, 3, 4}) + index_of({0, 8, 8, 8});
  uint32_t a = 1;
  uint32_t b = 0;
  for (const char byte : shard) b += a += static_cast<unsigned char>(byte);
  const uint32_t sum = (b % 65521) << 16 | a % 65521;
  std::string head(4, '\0');
  std::memcpy(head.data(), &sum, 4);
  writer.put("a/c/0", head + shard);
  TestContext context;
  const Store store = writer.open(context);
  const ArrayPtr array = array_in(store, "a");
  const uint64_t before = context.counters.source_bytes_read;
  BOOST_TEST(array->read(range(0, 1)).values<int32_t>()[0] == 1);
  BOOST_TEST(array->read(range(3, 1)).values<int32_t>()[0] == 4);
  BOOST_TEST(context.counters.source_bytes_read - before == shard.size() + 4);
}

BOOST_AUTO_TEST_CASE(codecs_in_front_of_the_sharding_see_the_whole_shard) {
  const V3Store writer;
  std::string all = codecs("[2]", R"(["bytes"])");
  all.insert(1, R"({"name":"numcodecs.delta","configuration":{"dtype":"<i4"}},)");
  writer.put_v3_array("a", R"("int32")", "0", all, "[4]", "[4]");
  writer.put("a/c/0", bytes_of({1, 1, 1, 1}) + index_of({0, 8, 8, 8}));
  TestContext context;
  BOOST_TEST(values_in<int32_t>(writer.open(context), "a") == (Ints{1, 2, 3, 4}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(places_outside_the_shard_are_damage) {
  TestContext context;
  const std::vector<std::vector<uint64_t>> indexes = {{0, 8, 8, 1000},        {0, 8, 1000, 8},
                                                      {0, 8, kAbsent, 8},     {0, 8, 8, kAbsent},
                                                      {0, 8, kAbsent - 7, 8}, {0, 8, 8, 7}};
  for (const auto& index : indexes) {
    const V3Store writer;
    writer.put_v3_array("a", R"("int32")", "0", codecs("[2]", R"(["bytes"])"), "[4]", "[4]");
    writer.put("a/c/0", bytes_of({1, 2, 3, 4}) + index_of(index));
    const Store store = writer.open(context);
    const ArrayPtr array = array_in(store, "a");
    BOOST_TEST(array->read(range(0, 2)).values<int32_t>()[1] == 2);
    BOOST_TEST(error_of(store, "a").starts_with("EIO"));
  }
}

BOOST_AUTO_TEST_CASE(index_larger_than_its_shard_is_not_read) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int32")", "0", codecs("[1]", R"(["bytes"])"), "[1099511627776]",
                      "[1099511627776]");
  writer.put("a/c/0", std::string(100, '\0'));
  TestContext context;
  const Store store = writer.open(context);
  BOOST_CHECK_EXCEPTION(array_in(store, "a")->read(range(0, 1)), Error,
                        [](const Error& error) { return holds(error.what(), "smaller than its index"); });
}

BOOST_AUTO_TEST_CASE(indivisible_shards_are_damage) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int32")", "0", codecs("[3]", R"(["bytes"])"), "[4]", "[4]");
  writer.put_v3_array("b", R"("int32")", "0", codecs("[0]", R"(["bytes"])"), "[4]", "[4]");
  writer.put_v3_array("c", R"("int32")", "0", codecs("[2,2]", R"(["bytes"])"), "[4]", "[4]");
  TestContext context;
  const Store store = writer.open(context);
  for (const char* name : {"a", "b", "c"}) BOOST_TEST(error_of(store, name).starts_with("EIO"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
