#include "fs/views/array/array_files.h"

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "formats/core/model/arrays/array_runs.h"
#include "fs/text/field_text.h"
#include "fs/views/array/line_grid.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

std::string csv_of(ArrayPtr values, ArrayPtr row_names = nullptr, ArrayPtr column_names = nullptr) {
  TestContext context;
  return whole_text(csv_array({std::move(values), std::move(row_names), std::move(column_names)}, context),
                    context);
}

std::vector<int32_t> counted(uint64_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

ArrayPtr column_major(const ArrayPtr& array) {
  return as_column_major(array);
}

// Returns the text that fs/VIEWS.md defines, element by element.
std::string csv_by_hand(const Array& array) {
  Shape shape = array.shape();
  const Elements elements = read_all(array);
  std::vector<uint64_t> step(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) step[axis - 1] = step[axis] * shape[axis];
  if (array.column_major()) {
    std::reverse(shape.begin(), shape.end());
    std::reverse(step.begin(), step.end());
  }
  std::string text, scratch;
  StringSink sink(text);
  const uint64_t width = shape.size() < 2 ? 1 : shape.back();
  for (uint64_t i = 0; i < elements.count; ++i) {
    uint64_t place = 0, rest = i;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      place += rest % shape[axis] * step[axis];
    put_csv_field(array.dtype(), elements, place, scratch, sink);
    sink.put(i % width + 1 == width ? '\n' : ',');
  }
  return text;
}

class NullArray : public Array {
 public:
  NullArray() : Array(type_of<double>(), {0}) {}
  Elements read(const Box&) const override { throw damaged("nothing to read"); }
  bool is_null() const override { return true; }
};

Elements random_values(const DType& type, uint64_t count, std::mt19937_64& random) {
  if (type.kind == Kind::text) {
    TextBuilder builder;
    for (uint64_t i = 0; i < count; ++i) {
      if (random() % 5 == 0)
        builder.add_missing();
      else
        builder.add(std::string(random() % 6, ",a\"\n"[random() % 4]));
    }
    return builder.finish();
  }
  if (type.kind == Kind::array) {
    Elements elements;
    elements.count = count;
    elements.children.push_back(random_values(*type.item, count * type.dims[0], random));
    return elements;
  }
  Elements elements = zero_elements(type, count);
  for (std::byte& byte : elements.bytes) byte = static_cast<std::byte>(random());
  if (random() % 2 == 0)
    for (uint64_t i = 0; i < count; ++i) elements.missing.push_back(random() % 3 == 0);
  return elements;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(csv_array_view)

BOOST_AUTO_TEST_CASE(ranks_zero_and_one_give_an_element_a_line) {
  BOOST_TEST(csv_of(numbers<double>({2.5}, {})) == "2.5\n");
  BOOST_TEST(csv_of(numbers<int8_t>({-1, 0, 7})) == "-1\n0\n7\n");
}

BOOST_AUTO_TEST_CASE(higher_ranks_give_the_last_axis_along_the_line) {
  BOOST_TEST(csv_of(numbers(counted(6), {2, 3})) == "0,1,2\n3,4,5\n");
  BOOST_TEST(csv_of(numbers(counted(8), {2, 2, 2})) == "0,1\n2,3\n4,5\n6,7\n");
}

BOOST_AUTO_TEST_CASE(column_major_arrays_show_their_axes_reversed) {
  BOOST_TEST(csv_of(column_major(numbers(counted(6), {2, 3}))) == "0,3\n1,4\n2,5\n");
  BOOST_TEST(csv_of(column_major(numbers(counted(12), {2, 3, 2}))) == "0,6\n2,8\n4,10\n1,7\n3,9\n5,11\n");
  BOOST_TEST(csv_of(column_major(numbers(counted(3), {3}))) == "0\n1\n2\n");
}

BOOST_AUTO_TEST_CASE(empty_arrays) {
  BOOST_TEST(csv_of(numbers<double>({}, {0})) == "");
  BOOST_TEST(csv_of(numbers<double>({}, {0, 3})) == "");
  BOOST_TEST(csv_of(numbers<double>({}, {3, 0})) == "\n\n\n");
  BOOST_TEST(csv_of(numbers<double>({}, {2, 3, 0})) == "\n\n\n\n\n\n");
  BOOST_TEST(csv_of(numbers<double>({}, {2, 0, 3})) == "");
  BOOST_TEST(csv_of(column_major(numbers<double>({}, {0, 2}))) == "\n\n");
  BOOST_TEST(csv_of(std::make_shared<NullArray>()) == "");
}

BOOST_AUTO_TEST_CASE(names_become_a_header_and_line_starts) {
  const ArrayPtr values = numbers(counted(6), {2, 3});
  const ArrayPtr rows = text_array({"r,1", "NA"}), columns = text_array({"a", "", "c\"d"});
  BOOST_TEST(csv_of(values, rows, columns) == "\"\",a,\"\",\"c\"\"d\"\n\"r,1\",0,1,2\n\"NA\",3,4,5\n");
  BOOST_TEST(csv_of(values, rows) == "\"\",1,2,3\n\"r,1\",0,1,2\n\"NA\",3,4,5\n");
  BOOST_TEST(csv_of(values, nullptr, columns) == "\"\",a,\"\",\"c\"\"d\"\n1,0,1,2\n2,3,4,5\n");
  BOOST_TEST(csv_of(column_major(values), columns, rows) ==
             "\"\",\"r,1\",\"NA\"\na,0,3\n\"\",1,4\n\"c\"\"d\",2,5\n");
  BOOST_TEST(csv_of(numbers<double>({}, {2, 0}), rows) == "\"\"\n\"r,1\"\n\"NA\"\n");
}

BOOST_AUTO_TEST_CASE(wrong_number_of_names_is_damage) {
  BOOST_TEST(message_of([] {
               csv_of(numbers(counted(6), {2, 3}), text_array({"a"}));
             }) == "1 names for 2 rows");
  BOOST_TEST(message_of([] {
               csv_of(numbers(counted(6), {2, 3}), nullptr, text_array({"a"}));
             }) == "1 names for 3 columns");
}

BOOST_AUTO_TEST_CASE(broken_array_reports_its_error) {
  const auto broken = std::make_shared<BrokenArray>(type_of<double>(), damaged("no such codec"));
  BOOST_TEST(message_of([&] { csv_of(broken); }) == "no such codec");
}

BOOST_AUTO_TEST_CASE(shape_beyond_64_bits_is_an_error) {
  const uint64_t long_axis = uint64_t{1} << 40;
  BOOST_TEST(message_of([&] {
               csv_of(numbers<double>({}, {long_axis, long_axis, 0}));
             }).find("over 64 bits") != std::string::npos);
  BOOST_TEST(message_of([] {
               csv_of(numbers<double>({}, {uint64_t{1} << 62, 0}));
             }).find("too large") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(any_array_matches_a_plain_writer) {
  std::mt19937_64 random(1);
  const std::vector<DType> types = {type_of<int16_t>(),
                                    type_of<double>(),
                                    type_of<float>(),
                                    text_type(),
                                    number_type(Kind::boolean, 1),
                                    number_type(Kind::complex, 16),
                                    array_type(type_of<uint8_t>(), {2})};
  for (int i = 0; i < 200; ++i) {
    TestContext context(random() % 2 == 0 ? 2000 : 1 << 20);
    Shape shape(random() % 5), chunk;
    for (uint64_t& length : shape) length = 1 + random() % 6;
    for (const uint64_t length : shape) chunk.push_back(1 + random() % length);
    const DType& type = types[random() % types.size()];
    ArrayPtr array =
        std::make_shared<MemoryArray>(type, shape, random_values(type, element_count(shape), random));
    if (random() % 2 == 0) array = column_major(array);
    if (random() % 2 == 0) array = std::make_shared<ChunkedCopy>(context, array, chunk);
    const std::string whole = csv_by_hand(*array);
    TextFile file(csv_array({array, nullptr, nullptr}, context), context);
    BOOST_REQUIRE_EQUAL(whole_text(file), whole);
    BOOST_REQUIRE(slices_match(file, whole, random, 20));
  }
}

// Many blocks and units: split rows, and bands of a column-major array.
BOOST_AUTO_TEST_CASE(large_arrays_match_a_plain_writer) {
  std::mt19937_64 random(2);
  for (const Shape& shape : {Shape{3, 70001}, Shape{70001, 3}, Shape{41, 67, 71}, Shape{200000}}) {
    for (const bool reversed : {false, true}) {
      TestContext context(1 << 20);
      ArrayPtr array = std::make_shared<MemoryArray>(
          type_of<float>(), shape, random_values(type_of<float>(), element_count(shape), random));
      if (reversed) array = column_major(array);
      const std::string whole = csv_by_hand(*array);
      TextFile file(csv_array({array, nullptr, nullptr}, context), context);
      BOOST_TEST((whole_text(file) == whole));
      BOOST_TEST(slices_match(file, whole, random, 20));
    }
  }
}

BOOST_AUTO_TEST_CASE(row_names_follow_split_rows) {
  std::mt19937_64 random(3);
  TestContext context;
  const ArrayPtr array = numbers(counted(3 * 70001), {3, 70001});
  const ArrayPtr names = text_array({"a", "b", "c"});
  std::string want = "\"\"";
  for (int column = 1; column <= 70001; ++column) want += fmt::format(",{}", column);
  std::string lines = csv_by_hand(*array);
  for (const char* name : {"a", "b", "c"}) {
    const size_t end = lines.find('\n') + 1;
    want += fmt::format("\n{},{}", name, lines.substr(0, end - 1));
    lines.erase(0, end);
  }
  want += '\n';
  TextFile file(csv_array({array, names, nullptr}, context), context);
  BOOST_TEST((whole_text(file) == want));
  BOOST_TEST(slices_match(file, want, random, 50));
}

BOOST_AUTO_TEST_CASE(a_pass_along_the_text_decodes_each_chunk_once) {
  for (const bool reversed : {false, true}) {
    TestContext context(8 << 20, 0);
    ArrayPtr array = numbers(counted(600 * 500), {600, 500});
    if (reversed) array = column_major(array);
    const auto chunked = std::make_shared<ChunkedCopy>(context, array, Shape{100, 100});
    TextFile file(csv_array({chunked, nullptr, nullptr}, context), context);
    const uint64_t size = file.size();
    BOOST_TEST(chunked->chunks_decoded() == 30u);
    for (uint64_t offset = 0; offset < size; offset += 100000) file.read(offset, 100000);
    BOOST_TEST(chunked->chunks_decoded() == 30u);
  }
}

// Every chunk is absent except those of odd number along the last axis, which hold ones.
class MostlyAbsent : public ChunkedArray {
 public:
  MostlyAbsent(Context& context, Shape shape, Shape chunk, bool some)
      : ChunkedArray(context, type_of<int16_t>(), ChunkGrid(std::move(shape), std::move(chunk))),
        some_(some) {}

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override {
    if (!some_ || chunk.back() % 2 == 0) return elements_of<int16_t>({-25});
    return elements_of(std::vector<int16_t>(element_count(grid().chunk_shape(chunk)), 1));
  }

 private:
  const bool some_;
};

BOOST_AUTO_TEST_CASE(absent_chunks_are_measured_as_they_are_written) {
  std::mt19937_64 random(4);
  for (const Shape& shape : {Shape{50000}, Shape{300, 170}, Shape{7, 20000}}) {
    for (const bool some : {false, true}) {
      TestContext context;
      Shape chunk(shape.size(), 100);
      const auto array = std::make_shared<MostlyAbsent>(context, shape, chunk, some);
      const std::string want = csv_by_hand(*array);
      TextFile file(csv_array({array, nullptr, nullptr}, context), context);
      BOOST_TEST((whole_text(file) == want));
      BOOST_TEST(slices_match(file, want, random, 20));
    }
  }
}

BOOST_AUTO_TEST_CASE(vast_arrays_without_a_chunk_have_a_size_at_once) {
  TestContext context;
  constexpr uint64_t kSide = uint64_t{1} << 17;
  const auto array = std::make_shared<MostlyAbsent>(context, Shape{kSide, kSide}, Shape{kSide, kSide}, false);
  TextFile file(csv_array({array, nullptr, nullptr}, context), context);
  BOOST_TEST(file.size() == kSide * kSide * 4);
  BOOST_TEST(read_text(file, kSide * kSide * 2 - 2, 6) == "5\n-25,");
  const ArrayPtr names = text_array(std::vector<std::string>(kSide, "row"));
  TextFile named(csv_array({array, names, nullptr}, context), context);
  const uint64_t head = named.size() - kSide * kSide * 4 - kSide * 4;
  BOOST_TEST(head == 3 + kSide + digits_of_range(1, kSide + 1));
  BOOST_TEST(read_text(named, named.size() - 5, 6) == ",-25\n");
}

BOOST_AUTO_TEST_CASE(every_block_is_as_long_as_measured) {
  std::mt19937_64 random(6);
  for (const DType& type : {type_of<int32_t>(), type_of<float>(), text_type()}) {
    for (const Shape& shape : {Shape{3, 30001}, Shape{30001, 3}, Shape{90000}, Shape{20000, 0}}) {
      const ArrayPtr array =
          std::make_shared<MemoryArray>(type, shape, random_values(type, element_count(shape), random));
      const ArrayPtr rows = std::make_shared<MemoryArray>(text_type(), Shape{shape[0]},
                                                          random_values(text_type(), shape[0], random));
      const ArrayPtr columns = shape.size() < 2 ? nullptr : numbers(counted(shape[1]));
      TestContext context(1 << 20);
      BOOST_TEST(is_as_long_as_measured(*csv_array({array, nullptr, nullptr}, context)));
      BOOST_TEST(is_as_long_as_measured(*csv_array({array, rows, nullptr}, context)));
      BOOST_TEST(is_as_long_as_measured(*csv_array({array, nullptr, columns}, context)));
      BOOST_TEST(is_as_long_as_measured(*csv_array({array, rows, columns}, context)));
    }
  }
  for (const bool some : {false, true}) {
    TestContext context;
    const auto array = std::make_shared<MostlyAbsent>(context, Shape{7, 20000}, Shape{100, 100}, some);
    BOOST_TEST(is_as_long_as_measured(*csv_array({array, nullptr, numbers(counted(20000))}, context)));
  }
}

BOOST_AUTO_TEST_CASE(tiny_chunks_bound_a_block_but_not_the_number_of_blocks) {
  TestContext context;
  const LineGrid few(MostlyAbsent(context, {24'000}, {2}, false), 3, context);
  BOOST_TEST(few.block_count() == 24'000u / 16);
  const LineGrid many(MostlyAbsent(context, {1'000'000'000}, {1}, false), 3, context);
  BOOST_TEST(many.block_count() <= uint64_t{1} << 17);
}

BOOST_AUTO_TEST_CASE(absent_chunks_of_wide_rows_are_looked_up_once_a_row) {
  TestContext context(4 << 20);  // small enough that many blocks share a unit
  const auto array = std::make_shared<MostlyAbsent>(context, Shape{10, 1 << 20}, Shape{10, 1 << 7}, false);
  TextFile file(csv_array({array, nullptr, nullptr}, context), context);
  BOOST_TEST(file.size() == uint64_t{4} * 10 << 20);
  const CacheStatistics statistics = context.cache.statistics();
  BOOST_TEST(statistics.hits + statistics.misses < 11u << 13);  // each chunk once per row
}

BOOST_AUTO_TEST_CASE(vast_empty_lines_have_a_size_at_once) {
  TestContext context;
  constexpr uint64_t kLines = uint64_t{1} << 39;
  TextFile file(csv_array({numbers<double>({}, {kLines, 0}), nullptr, nullptr}, context), context);
  BOOST_TEST(file.size() == kLines);
  BOOST_TEST(read_text(file, kLines - 2, 6) == "\n\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
