#include "fs/views/table/table_files.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

std::string csv_of(Table table) {
  TestContext context;
  return whole_text(csv_table(std::move(table), context), context);
}

// Returns records {a: int16, p: {x: float64, "q,r": int8}, m: uint8[2]}, one per line of values.
ArrayPtr records(Shape shape) {
  const DType inner = packed_compound_type({{"x", type_of<double>(), 0}, {"q,r", type_of<int8_t>(), 0}});
  const DType type = packed_compound_type(
      {{"a", type_of<int16_t>(), 0}, {"p", inner, 0}, {"m", array_type(type_of<uint8_t>(), {2}), 0}});
  Elements pair;
  pair.count = 2;
  pair.children = {elements_of<double>({0.5, -1}), elements_of<int8_t>({-7, 8})};
  Elements lists;
  lists.count = 2;
  lists.children = {elements_of<uint8_t>({1, 2, 3, 4})};
  Elements elements;
  elements.count = 2;
  elements.children = {elements_of<int16_t>({300, -300}), pair, lists};
  return std::make_shared<MemoryArray>(type, std::move(shape), std::move(elements));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(csv_table_view)

BOOST_AUTO_TEST_CASE(a_header_and_a_line_a_row) {
  Table table{
      2,
      nullptr,
      {{"n", numbers<int32_t>({1, -2})}, {"a,b", text_array({"x", "NA"})}, {"", numbers<float>({0.5f, 2})}}};
  BOOST_TEST(csv_of(table) == "n,\"a,b\",\"\"\n1,x,0.5\n-2,\"NA\",2\n");
}

BOOST_AUTO_TEST_CASE(row_names_come_first_under_an_empty_name) {
  BOOST_TEST(csv_of({2, text_array({"r1", "r,2"}), {{"n", numbers<int32_t>({1, 2})}}}) ==
             "\"\",n\nr1,1\n\"r,2\",2\n");
  BOOST_TEST(csv_of({2, text_array({"r1", "r2"}), {}}) == "\"\"\nr1\nr2\n");
}

BOOST_AUTO_TEST_CASE(empty_table_has_empty_lines) {
  BOOST_TEST(csv_of({3, nullptr, {}}) == "\n\n\n\n");
  BOOST_TEST(csv_of({0, nullptr, {}}) == "\n");
  BOOST_TEST(csv_of({0, nullptr, {{"n", numbers<int32_t>({})}}}) == "n\n");
}

BOOST_AUTO_TEST_CASE(every_block_is_as_long_as_measured) {
  constexpr uint64_t kRows = 50'000;
  std::mt19937_64 random(1);
  std::vector<double> reals(kRows);
  std::vector<int32_t> integers(kRows);
  std::vector<uint8_t> truths(kRows);
  std::vector<std::string> texts(kRows);
  for (uint64_t row = 0; row < kRows; ++row) {
    reals[row] = row % 3 == 0 ? static_cast<double>(random() % 1000) : static_cast<double>(random()) / 7e9;
    integers[row] = static_cast<int32_t>(random() >> random() % 64);
    truths[row] = static_cast<uint8_t>(random() % 2);
    texts[row] = std::string(random() % 4, "aN\",A"[random() % 5]);
  }
  Elements some_missing = elements_of(integers);
  for (uint64_t row = 0; row < kRows; ++row) some_missing.missing.push_back(random() % 4 == 0);
  const auto column = [](const DType& type, Elements elements) {
    return std::make_shared<MemoryArray>(type, Shape{kRows}, std::move(elements));
  };
  const DType pair = packed_compound_type({{"x", type_of<double>(), 0}, {"n", type_of<int32_t>(), 0}});
  Elements pairs;
  pairs.count = kRows;
  pairs.children = {elements_of(reals), some_missing};
  const Table table{kRows,
                    text_array(texts),
                    {{"reals", numbers(reals)},
                     {"integers", numbers(integers)},
                     {"missing", column(type_of<int32_t>(), some_missing)},
                     {"truths", column(number_type(Kind::boolean, 1), elements_of(truths))},
                     {"texts", text_array(texts)},
                     {"pairs", column(pair, pairs)}}};
  TestContext context;
  BOOST_TEST(is_as_long_as_measured(*csv_table(table, context)));
  BOOST_TEST(is_as_long_as_measured(*csv_table({kRows, nullptr, table.columns}, context)));
  BOOST_TEST(is_as_long_as_measured(*csv_table({kRows, nullptr, {}}, context)));
}

BOOST_AUTO_TEST_CASE(vastly_many_empty_lines_have_a_size_at_once) {
  TestContext context;
  constexpr uint64_t kRows = uint64_t{1} << 39;
  TextFile file(csv_table({kRows, nullptr, {}}, context), context);
  BOOST_TEST(file.size() == kRows + 1);
}

// One chunk of zeros for all rows.
class ZeroColumn : public ChunkedArray {
 public:
  ZeroColumn(Context& context, uint64_t rows)
      : ChunkedArray(context, type_of<double>(), ChunkGrid({rows}, Shape{rows})) {}
  uint64_t chunks_decoded() const { return decoded_; }

 protected:
  Elements load_chunk(std::span<const uint64_t>) const override {
    ++decoded_;
    return zero_elements(dtype(), count());
  }

 private:
  mutable std::atomic<uint64_t> decoded_{0};
};

BOOST_AUTO_TEST_CASE(columns_beyond_the_cache_are_decoded_once_per_band) {
  constexpr uint64_t kRows = 2048, kColumns = 400;
  constexpr size_t kBudget = size_t{2} << 20;  // of 6.5 MB
  TestContext context(kBudget);
  Table table{kRows, nullptr, {}};
  std::vector<std::shared_ptr<const ZeroColumn>> columns;
  for (uint64_t i = 0; i < kColumns; ++i) {
    columns.push_back(std::make_shared<ZeroColumn>(context, kRows));
    table.columns.push_back({"c", columns.back()});
  }
  TextFile file(csv_table(table, context), context);
  BOOST_TEST(whole_text(file).size() == kColumns * 2 * (kRows + 1));
  const uint64_t blocks = context.counters.text_blocks_measured;
  const uint64_t bands = kRows * kColumns * 8 / (kBudget / 4) + 4;
  BOOST_TEST(blocks > 4 * bands);
  for (const auto& column : columns)
    BOOST_REQUIRE_LE(column->chunks_decoded(), 3 * bands);  // sized, and read
  BOOST_TEST(context.cache.statistics().held_bytes <= kBudget);
}

BOOST_AUTO_TEST_CASE(cached_table_is_formatted_once) {
  TestContext context;
  std::vector<double> values(200'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 7;
  TextFile file(csv_table({values.size(), nullptr, {{"n", numbers<double>(values)}}}, context), context);
  const uint64_t size = file.size();
  BOOST_TEST(context.counters.text_blocks_measured > 10U);
  BOOST_TEST(whole_text(file).size() == size);
  BOOST_TEST(context.counters.text_blocks_formatted == context.counters.text_blocks_measured);
}

BOOST_AUTO_TEST_CASE(repeated_rows_are_measured_at_once) {
  TestContext context;
  constexpr uint64_t kRows = uint64_t{1} << 32;
  class Vast : public Array {
   public:
    Vast()
        : Array(packed_compound_type({{"a", type_of<double>(), 0}, {"b", type_of<int8_t>(), 0}}), {kRows}) {}
    Shape chunk_shape() const override { return {1}; }
    Elements read(const Box& box) const override { return zero_elements(dtype(), box.extent[0]); }
    std::optional<Elements> repeated(const Box&) const override { return zero_elements(dtype(), 1); }
  };
  TextFile file(csv_compounds({std::make_shared<Vast>(), nullptr, nullptr}, context), context);
  BOOST_TEST(file.size() == 4 * (kRows + 1));
  BOOST_TEST(read_text(file, 4 + 4 * (kRows - 1), 100) == "0,0\n");
}

BOOST_AUTO_TEST_CASE(columns_of_another_length_are_damage) {
  BOOST_TEST(message_of([] {
               csv_of({2, nullptr, {{"n", numbers<int32_t>({1})}}});
             }) == "column n has 1 values for 2 rows");
  BOOST_TEST(message_of([] { csv_of({2, text_array({"a"}), {}}); }).find("row names") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_broken_column_breaks_the_table) {
  const auto broken = std::make_shared<BrokenArray>(type_of<double>(), damaged("cut short"));
  BOOST_TEST(message_of([&] { csv_of({0, nullptr, {{"n", broken}}}); }) == "cut short");
}

BOOST_AUTO_TEST_CASE(compounds_give_a_column_a_member) {
  TestContext context;
  const std::string want = "a,p.x,\"p.q,r\",m\n300,0.5,-7,\"[1,2]\"\n-300,-1,8,\"[3,4]\"\n";
  BOOST_TEST(whole_text(csv_compounds({records({2}), nullptr, nullptr}, context), context) == want);
  BOOST_TEST(whole_text(csv_compounds({records({1, 2}), nullptr, nullptr}, context), context) == want);
  BOOST_TEST(csv_of({2, nullptr, {{"c", records({2})}}}) ==
             "c.a,c.p.x,\"c.p.q,r\",c.m\n300,0.5,-7,\"[1,2]\"\n-300,-1,8,\"[3,4]\"\n");
}

BOOST_AUTO_TEST_CASE(any_slice_equals_that_part_of_the_whole) {
  std::mt19937_64 random(1);
  TestContext context;
  constexpr uint64_t kRows = 20000;
  std::vector<int64_t> whole_numbers(kRows);
  std::vector<std::string> names(kRows), labels(kRows);
  std::string want = "\"\",i,t,na\n";
  Elements partly = elements_of(std::vector<uint8_t>(kRows, 5));
  for (uint64_t i = 0; i < kRows; ++i) {
    whole_numbers[i] = static_cast<int64_t>(random() >> (random() % 64));
    names[i] = fmt::format("row{}", i);
    labels[i] = std::string(1 + random() % 40, 'x');
    partly.missing.push_back(random() % 2);
    want +=
        fmt::format("{},{},{},{}\n", names[i], whole_numbers[i], labels[i], partly.missing[i] ? "NA" : "5");
  }
  const auto last = std::make_shared<MemoryArray>(type_of<uint8_t>(), Shape{kRows}, std::move(partly));
  TextFile file(csv_table({kRows,
                           text_array(names),
                           {{"i", numbers(whole_numbers)}, {"t", text_array(labels)}, {"na", last}}},
                          context),
                context);
  BOOST_TEST((whole_text(file) == want));
  BOOST_TEST(slices_match(file, want, random, 100));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
