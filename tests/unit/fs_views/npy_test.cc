#include "fs/views/array/npy.h"

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "formats/core/base/cursor.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

ArrayPtr of_type(DType type, Shape shape = {2}) {
  Elements elements = zero_elements(type, element_count(shape));
  return std::make_shared<MemoryArray>(std::move(type), std::move(shape), std::move(elements));
}

// Returns the dict of a header, without its padding.
std::string dict_of(const Array& array) {
  const std::string header = npy_header(array);
  BOOST_TEST(header.size() % 64 == 0u);
  BOOST_TEST(header.substr(0, 8) == std::string("\x93NUMPY\x01\0", 8));
  BOOST_TEST(static_cast<unsigned char>(header[8]) + 256 * static_cast<unsigned char>(header[9]) + 10u ==
             header.size());
  BOOST_TEST(header.back() == '\n');
  const std::string dict = header.substr(10, header.find_last_not_of(" \n") - 9);
  BOOST_TEST(header.size() - 10 - dict.size() - 1 < 64u);
  return dict;
}

std::string descr_of(DType type) {
  const std::string dict = dict_of(*of_type(std::move(type)));
  const std::string start = "{'descr': ", end = ", 'fortran_order': False, 'shape': (2,), }";
  BOOST_REQUIRE(dict.starts_with(start) && dict.ends_with(end));
  return dict.substr(start.size(), dict.size() - start.size() - end.size());
}

DType sized(Kind kind, uint32_t size) {
  DType type;
  type.kind = kind;
  type.size = size;
  return type;
}

DType timed(Kind kind, TimeUnit unit, uint32_t count) {
  DType type = number_type(kind, 8);
  type.time_unit = unit;
  type.time_count = count;
  return type;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(npy_view)

BOOST_AUTO_TEST_CASE(dtypes_are_spelt_as_by_numpy) {
  BOOST_TEST(descr_of(number_type(Kind::boolean, 1)) == "'|b1'");
  BOOST_TEST(descr_of(type_of<int8_t>()) == "'|i1'");
  BOOST_TEST(descr_of(type_of<uint16_t>()) == "'<u2'");
  BOOST_TEST(descr_of(number_type(Kind::real, 2)) == "'<f2'");
  BOOST_TEST(descr_of(number_type(Kind::complex, 16)) == "'<c16'");
  BOOST_TEST(descr_of(number_type(Kind::complex, 4)) == "[('r', '<f2'), ('i', '<f2')]");
  BOOST_TEST(descr_of(number_type(Kind::real, 8, true)) == "'<f8'");
  BOOST_TEST(descr_of(sized(Kind::fixed_text, 3)) == "'|S3'");
  BOOST_TEST(descr_of(sized(Kind::fixed_utf32, 20)) == "'<U5'");
  BOOST_TEST(descr_of(sized(Kind::opaque, 4)) == "'|V4'");
  BOOST_TEST(descr_of(timed(Kind::time_point, TimeUnit::nano, 1)) == "'<M8[ns]'");
  BOOST_TEST(descr_of(timed(Kind::time_point, TimeUnit::micro, 10)) == "'<M8[10us]'");
  BOOST_TEST(descr_of(timed(Kind::time_span, TimeUnit::generic, 1)) == "'<m8'");
  DType enumeration = sized(Kind::enumeration, 2);
  enumeration.base = Kind::unsigned_integer;
  BOOST_TEST(descr_of(enumeration) == "'<u2'");
  BOOST_TEST(descr_of(sized(Kind::logical, 4)) == "'<i4'");
}

BOOST_AUTO_TEST_CASE(compounds_are_structured_dtypes) {
  const DType inner = packed_compound_type({{"x", type_of<double>(), 0}});
  const DType type = packed_compound_type({{"a", type_of<int16_t>(), 0},
                                           {"it's", inner, 0},
                                           {"m", array_type(type_of<uint8_t>(), {2, 3}), 0},
                                           {"v", array_type(type_of<uint8_t>(), {2}), 0}});
  BOOST_TEST(descr_of(type) ==
             "[('a', '<i2'), ('it\\'s', [('x', '<f8')]), ('m', '|u1', (2, 3)), ('v', '|u1', (2,))]");
}

BOOST_AUTO_TEST_CASE(shapes_and_order) {
  const auto has = [](const Array& array, const char* text) {
    return dict_of(array).find(text) != std::string::npos;
  };
  BOOST_TEST(has(*of_type(type_of<double>(), {}), "'fortran_order': False, 'shape': (), }"));
  BOOST_TEST(has(*of_type(type_of<double>(), {0, 3}), "'shape': (0, 3), }"));
  const ArrayPtr array = of_type(type_of<double>(), {2, 3});
  BOOST_TEST(has(*as_column_major(array), "'fortran_order': True, 'shape': (3, 2), }"));
  BOOST_TEST(
      has(*as_column_major(of_type(type_of<double>(), {6})), "'fortran_order': False, 'shape': (6,), }"));
}

BOOST_AUTO_TEST_CASE(npy_version_follows_names_and_header_length) {
  const std::string latin =
      npy_header(*of_type(packed_compound_type({{"\u00fcn\u00ef", type_of<int8_t>(), 0}})));
  BOOST_TEST(latin[6] == 1);
  BOOST_TEST(latin.find("'\xfcn\xef'") != std::string::npos);
  const std::string wide = npy_header(*of_type(packed_compound_type({{"\u65e5", type_of<int8_t>(), 0}})));
  BOOST_TEST(wide[6] == 3);
  BOOST_TEST(wide.size() % 64 == 0u);
  BOOST_TEST(wide.find("'\u65e5'") != std::string::npos);
  const std::string length =
      npy_header(*of_type(packed_compound_type({{std::string(70000, 'n'), type_of<int8_t>(), 0}})));
  BOOST_TEST(length[6] == 2);
  BOOST_TEST(length.size() % 64 == 0u);
  BOOST_TEST(load_little<uint32_t>(as_byte_span(length).data() + 8) + 12 == length.size());
}

BOOST_AUTO_TEST_CASE(only_elements_of_a_fixed_size_have_an_npy) {
  BOOST_TEST(has_npy(*of_type(type_of<double>())));
  BOOST_TEST(!has_npy(*text_array({"a"})));
  BOOST_TEST(!has_npy(*of_type(packed_compound_type({{"t", text_type(), 0}}))));
}

BOOST_AUTO_TEST_CASE(any_slice_equals_that_part_of_the_stored_bytes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) {
    TestContext context;
    Shape shape(random() % 4), chunk;
    for (uint64_t& length : shape) length = 1 + random() % 60;
    for (const uint64_t length : shape) chunk.push_back(1 + random() % length);
    std::vector<float> values(element_count(shape));
    std::iota(values.begin(), values.end(), 0.5f);
    const auto array = std::make_shared<ChunkedCopy>(context, numbers(values, shape), chunk);
    for (const bool with_header : {true, false}) {
      const auto file = npy_file(array, with_header, context);
      const std::string whole =
          (with_header ? npy_header(*array) : "") + std::string(as_text(std::as_bytes(std::span(values))));
      BOOST_REQUIRE(whole_text(*file) == whole);
      BOOST_REQUIRE(slices_match(*file, whole, random, 20));
    }
  }
}

BOOST_AUTO_TEST_CASE(records_are_packed) {
  TestContext context;
  DType type = compound_type({{"a", type_of<int8_t>(), 0}, {"b", type_of<int32_t>(), 4}}, 8);
  Elements elements;
  elements.count = 2;
  elements.children = {elements_of<int8_t>({1, 2}), elements_of<int32_t>({3, 4})};
  const auto array = std::make_shared<MemoryArray>(type, Shape{2}, elements);
  BOOST_TEST(whole_text(*npy_file(array, false, context)) == std::string("\1\3\0\0\0\2\4\0\0\0", 10));
}

BOOST_AUTO_TEST_CASE(broken_array_reports_its_error) {
  TestContext context;
  const auto file =
      npy_file(std::make_shared<BrokenArray>(type_of<double>(), unsupported("no such codec")), true, context);
  BOOST_TEST(message_of([&] { file->size(); }) == "no such codec");
  BOOST_TEST(message_of([&] { file->read(0, 1); }) == "no such codec");
}

BOOST_AUTO_TEST_CASE(a_size_over_64_bits_is_damage) {
  TestContext context;
  class Wide : public Array {
   public:
    Wide() : Array(type_of<double>(), {uint64_t{1} << 62, 2}) {}
    Elements read(const Box&) const override { throw damaged("not to be read"); }
  };
  BOOST_TEST(message_of([&] {
               npy_file(std::make_shared<Wide>(), true, context)->size();
             }).find("over 64 bits") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(each_chunk_is_decoded_once_in_a_pass) {
  TestContext context(8 << 20, 0);
  std::vector<double> values(400 * 700);
  const auto array = std::make_shared<ChunkedCopy>(context, numbers(values, {400, 700}), Shape{100, 100});
  const auto file = npy_file(array, true, context);
  for (uint64_t offset = 0; offset < file->size(); offset += 100000) file->read(offset, 100000);
  BOOST_TEST(array->chunks_decoded() == 28u);
}

BOOST_AUTO_TEST_CASE(header_and_first_values_decode_one_chunk) {
  TestContext context(8 << 20, 0);
  const auto array =
      std::make_shared<ChunkedCopy>(context, numbers(std::vector<double>(120000), {120000}), Shape{30000});
  const auto file = npy_file(array, true, context);
  for (const uint64_t offset : {0u, 100000u, 200000u}) file->read(offset, 40000);
  BOOST_TEST(array->chunks_decoded() == 1u);
}

BOOST_AUTO_TEST_CASE(an_element_needs_its_own_chunk) {
  TestContext context(8 << 20, 0);
  std::vector<double> values(400 * 700);
  const auto array = std::make_shared<ChunkedCopy>(context, numbers(values, {400, 700}), Shape{100, 100});
  const auto file = npy_file(array, true, context);
  file->read(file->size() - values.size() * 8 + 100 * 700 * 8, 8);
  BOOST_TEST(array->chunks_decoded() == 1u);
}

// A file may claim any number of chunks side by side: the search for parts of their band must end.
BOOST_AUTO_TEST_CASE(a_vast_band_of_chunks_has_a_size_and_elements_at_once) {
  class Vast : public Array {
   public:
    Vast() : Array(number_type(Kind::integer, 1), {12, (uint64_t{1} << 58) + 1}) {}
    Shape chunk_shape() const override { return {4, 5}; }
    Elements read(const Box& box) const override { return zero_elements(dtype(), element_count(box.extent)); }
  };
  TestContext context;
  const auto file = npy_file(std::make_shared<Vast>(), true, context);
  BOOST_TEST(file->size() == 128 + 12 * ((uint64_t{1} << 58) + 1));
  BOOST_TEST(file->read(uint64_t{1} << 57, 10).size() == 10u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
