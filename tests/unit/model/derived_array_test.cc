#include "formats/core/model/arrays/derived_array.h"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "formats/core/model/arrays/chunked_array.h"
#include "formats/core/model/arrays/factor.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/unit/model/random_elements.h"

using namespace plainfs;

namespace {

template <class T>
Elements elements_of(const std::vector<T>& values) {
  Elements elements;
  elements.count = values.size();
  elements.bytes.resize(values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), elements.mutable_values<T>().begin());
  return elements;
}

template <class T>
ArrayPtr numbers(Kind kind, const std::vector<T>& values, Attributes attributes = {}) {
  return std::make_shared<MemoryArray>(number_type(kind, sizeof(T)), Shape{values.size()},
                                       elements_of(values), std::move(attributes));
}

// Returns `count` values of `size` bytes each.
ArrayPtr fixed(Kind kind, uint32_t size, uint64_t count, Elements elements) {
  elements.count = count;
  return std::make_shared<MemoryArray>(number_type(kind, size), Shape{count}, std::move(elements));
}

ArrayPtr integers(const std::vector<int32_t>& values) {
  return numbers(Kind::integer, values);
}

// Returns the texts, "NA" for missing ones.
std::vector<std::string> texts(const Elements& elements) {
  std::vector<std::string> out;
  for (uint64_t i = 0; i < elements.count; ++i) {
    out.push_back(elements.is_missing(i) ? "NA" : std::string(elements.text(i)));
  }
  return out;
}

using Texts = std::vector<std::string>;

auto fails(Errc code) {
  return [code](const Error& error) { return error.code() == code; };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(factor_array)

BOOST_AUTO_TEST_CASE(codes_read_as_their_labels) {
  TestContext context;
  const ArrayPtr array = factor(integers({2, 1, 3, 2}), text_array({"a", "bb", ""}), 1, "/x", context);
  BOOST_TEST((array->dtype() == text_type()));
  const Elements labels = read_all(*array);
  check_layout(text_type(), labels, 4);
  BOOST_TEST(texts(labels) == (Texts{"bb", "a", "", "bb"}), boost::test_tools::per_element());
  BOOST_TEST(texts(array->read(range(1, 1))) == (Texts{"a"}), boost::test_tools::per_element());
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(invalid_code_is_missing_with_one_warning) {
  TestContext context;
  const ArrayPtr array =
      factor(integers({0, 1, 2, 3, -5}), text_array({"a", "b"}), 1, "/meta.data/x", context);
  BOOST_TEST(texts(read_all(*array)) == (Texts{"NA", "a", "b", "NA", "NA"}),
             boost::test_tools::per_element());
  read_all(*array);
  BOOST_TEST(context.warnings().size() == 1u);
  BOOST_TEST(context.warned("/meta.data/x: code 0 "));
}

BOOST_AUTO_TEST_CASE(invalid_code_breaks_a_rule_for_every_reader) {
  TestContext context;
  std::vector<std::string> notes;
  context.context.note = [&](const std::string& message) { notes.push_back(message); };
  read_all(*factor(integers({0, 7}), text_array({"a"}), 0, "/labels", context));
  BOOST_TEST(context.warned("/labels: code 7 "));
  const ArrayPtr array = factor(integers({0, 7, 8}), text_array({"a"}), 0, "/codes", context);
  const FactorParts parts = factor_parts(*array).value();
  level_places(parts, read_all(*parts.codes), 1);
  BOOST_TEST(context.warned("/codes: code 7 "));
  read_all(*array);
  BOOST_TEST(context.warnings().size() == 2u);
  BOOST_TEST(notes.empty());
}

BOOST_AUTO_TEST_CASE(missing_codes_and_levels_stay_missing_without_a_warning) {
  TestContext context;
  const ArrayPtr codes =
      with_missing(integers({0, 99, 1}), [](const Elements& elements, std::vector<uint8_t>& missing) {
        for (uint64_t i = 0; i < elements.count; ++i) missing[i] = elements.values<int32_t>()[i] == 99;
      });
  TextBuilder levels;
  levels.add("a");
  levels.add_missing();
  const ArrayPtr names = std::make_shared<MemoryArray>(text_type(), Shape{2}, levels.finish());
  const ArrayPtr array = factor(codes, names, 0, "/x", context);
  BOOST_TEST(texts(read_all(*array)) == (Texts{"a", "NA", "NA"}), boost::test_tools::per_element());
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(codes_of_every_width_are_compared_without_wrapping) {
  TestContext context;
  const ArrayPtr levels = text_array({"a", "b"});
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  const int64_t least = std::numeric_limits<int64_t>::min();
  BOOST_TEST(texts(read_all(*factor(numbers<uint64_t>(Kind::unsigned_integer, {1, most, 2}), levels, 1, "/u",
                                    context))) == (Texts{"a", "NA", "b"}),
             boost::test_tools::per_element());
  BOOST_TEST(texts(read_all(*factor(numbers<int64_t>(Kind::integer, {least, 1}), levels, 1, "/i",
                                    context))) == (Texts{"NA", "a"}),
             boost::test_tools::per_element());
  BOOST_TEST(texts(read_all(*factor(numbers<int8_t>(Kind::integer, {-1, 1}), levels, 0, "/b", context))) ==
                 (Texts{"NA", "b"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(levels_of_other_types_are_shown_as_text) {
  TestContext context;
  const auto labels = [&](ArrayPtr levels) {
    return texts(read_all(*factor(integers({1, 0}), std::move(levels), 0, "/x", context)));
  };
  BOOST_TEST(labels(numbers<double>(Kind::real, {0.5, 1e300})) == (Texts{"1e+300", "0.5"}),
             boost::test_tools::per_element());
  BOOST_TEST(labels(integers({-1, 7})) == (Texts{"7", "-1"}), boost::test_tools::per_element());
  BOOST_TEST(labels(numbers<uint8_t>(Kind::boolean, {0, 1})) == (Texts{"TRUE", "FALSE"}),
             boost::test_tools::per_element());
  const ArrayPtr wide = fixed(Kind::fixed_utf32, 8, 2, elements_of<uint32_t>({'a', 0, 0x1f600, 0xe9}));
  BOOST_TEST(labels(wide) == (Texts{"\xf0\x9f\x98\x80\xc3\xa9", "a"}), boost::test_tools::per_element());
  const ArrayPtr padded = fixed(Kind::fixed_text, 3, 2, elements_of<char>({'a', 0, 0, 'b', 'c', 'd'}));
  BOOST_TEST(labels(padded) == (Texts{"bcd", "a"}), boost::test_tools::per_element());
  const ArrayPtr wrong = fixed(Kind::fixed_utf32, 4, 2, elements_of<uint32_t>({'a', 0xd800}));
  BOOST_CHECK_EXCEPTION(labels(wrong), Error, fails(Errc::damaged));
}

BOOST_AUTO_TEST_CASE(non_integer_codes_are_unsupported) {
  TestContext context;
  const ArrayPtr array = factor(numbers<double>(Kind::real, {1}), text_array({"a"}), 0, "/x", context);
  BOOST_CHECK_EXCEPTION(array->check(), Error, fails(Errc::unsupported));
  BOOST_CHECK_EXCEPTION(read_all(*array), Error, fails(Errc::unsupported));
}

BOOST_AUTO_TEST_CASE(broken_codes_or_levels_break_the_factor) {
  TestContext context;
  const auto broken = std::make_shared<BrokenArray>(number_type(Kind::integer, 4), damaged("no data"));
  BOOST_CHECK_EXCEPTION(factor(broken, text_array({"a"}), 0, "/x", context)->check(), Error,
                        mentions("no data"));
  BOOST_CHECK_EXCEPTION(factor(integers({0}), broken, 0, "/x", context)->check(), Error, mentions("no data"));
  BOOST_CHECK_EXCEPTION(read_all(*factor(integers({0}), broken, 0, "/x", context)), Error,
                        mentions("no data"));
}

BOOST_AUTO_TEST_CASE(levels_are_read_once) {
  struct Counted : MemoryArray {
    using MemoryArray::MemoryArray;
    mutable int reads = 0;
    Elements read(const Box& box) const override {
      ++reads;
      return MemoryArray::read(box);
    }
  };
  TestContext context;
  const auto levels = std::make_shared<Counted>(text_type(), Shape{2}, read_all(*text_array({"a", "b"})));
  const ArrayPtr array = factor(integers({0, 1, 0}), levels, 0, "/x", context);
  for (uint64_t i = 0; i < 3; ++i) array->read(range(i, 1));
  BOOST_TEST(levels->reads == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(derived_array)

BOOST_AUTO_TEST_CASE(missing_rule_adds_to_the_marks_of_the_values) {
  Elements values = elements_of<int32_t>({1, 2, 3});
  values.missing = {1, 0, 0};
  const ArrayPtr stored = std::make_shared<MemoryArray>(number_type(Kind::integer, 4), Shape{3}, values);
  const ArrayPtr array = with_missing(stored, [](const Elements& elements, std::vector<uint8_t>& missing) {
    for (uint64_t i = 0; i < elements.count; ++i) missing[i] = elements.values<int32_t>()[i] == 3;
  });
  const Elements read = read_all(*array);
  BOOST_TEST(read.missing == (std::vector<uint8_t>{1, 0, 1}), boost::test_tools::per_element());
  BOOST_TEST(array->read(range(1, 1)).missing.empty());
  BOOST_TEST(read.values<int32_t>()[2] == 3);  // the stored bits stay
}

BOOST_AUTO_TEST_CASE(integers_become_logicals_of_their_size) {
  const ArrayPtr array = as_logical(numbers<uint16_t>(Kind::unsigned_integer, {0, 1, 5}));
  BOOST_TEST((array->dtype().kind == Kind::logical));
  BOOST_TEST((array->dtype().base == Kind::unsigned_integer));
  BOOST_TEST(array->dtype().size == 2u);
  BOOST_TEST(read_all(*array).values<uint16_t>()[2] == 5u);
  BOOST_TEST((as_logical(array) == array));
  BOOST_TEST((as_logical(numbers<double>(Kind::real, {1}))->dtype().base == Kind::real));
  BOOST_CHECK_EXCEPTION(as_logical(text_array({"x"}))->check(), Error, fails(Errc::unsupported));
}

BOOST_AUTO_TEST_CASE(column_major_is_another_order_of_the_same_elements) {
  const DType type = number_type(Kind::integer, 4);
  const auto values =
      std::make_shared<MemoryArray>(type, Shape{2, 3}, elements_of<int32_t>({1, 2, 3, 4, 5, 6}));
  const ArrayPtr array = as_column_major(values);
  BOOST_TEST(array->column_major());
  BOOST_TEST((array->shape() == Shape{2, 3}));
  BOOST_TEST(array->read({{1, 1}, {1, 2}}).values<int32_t>()[0] == 5);
}

BOOST_AUTO_TEST_CASE(conversion_receives_the_elements_and_their_place) {
  const ArrayPtr array =
      mapped(integers({1, 2, 3, 4}), number_type(Kind::real, 8), [](const Elements& stored, const Box& box) {
        std::vector<double> places;
        for (const int32_t value : stored.values<int32_t>())
          places.push_back(value + 0.1 * static_cast<double>(box.origin[0]));
        return elements_of(places);
      });
  BOOST_TEST(array->read(range(2, 2)).values<double>()[0] == 3.2);
  BOOST_TEST((array->dtype() == number_type(Kind::real, 8)));
}

BOOST_AUTO_TEST_CASE(satisfied_rule_is_checked_once) {
  int runs = 0;
  const ArrayPtr array = checked(integers({1}), [&] { ++runs; });
  array->check();
  array->check();
  BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(broken_rule_is_kept_and_unreadable_one_retried) {
  int runs = 0;
  const ArrayPtr broken = checked(text_array({"a"}), [&] {
    ++runs;
    throw damaged("no");
  });
  for (int i = 0; i < 2; ++i) BOOST_CHECK_EXCEPTION(broken->check(), Error, fails(Errc::damaged));
  BOOST_TEST(runs == 1);
  BOOST_TEST(broken->read(range(0, 1)).text(0) == "a");
  bool is_failing = true;
  const ArrayPtr passing = checked(text_array({"a"}), [&] {
    if (is_failing) throw unreadable("no files left");
  });
  BOOST_CHECK_EXCEPTION(passing->check(), Error, fails(Errc::unreadable));
  is_failing = false;
  passing->check();
}

// An array with one absent chunk that counts its requests.
class Asked : public MemoryArray {
 public:
  Asked()
      : MemoryArray(number_type(Kind::integer, 4), {4}, zero_elements(number_type(Kind::integer, 4), 4)) {}
  Elements peek(const Box& box) const override {
    ++peeks;
    return read(box);
  }
  std::optional<Elements> repeated(const Box&) const override { return read(range(0, 1)); }
  void release(const Box& box) const override { passed_elements += box.extent[0]; }
  Shape chunk_shape() const override { return {2}; }

  mutable int peeks = 0;
  mutable uint64_t passed_elements = 0;
};

BOOST_AUTO_TEST_CASE(derived_arrays_pass_on_how_they_are_read) {
  TestContext context;
  const auto values = std::make_shared<Asked>();
  const ArrayPtr arrays[] = {
      with_missing(values, [](const Elements&, std::vector<uint8_t>& missing) { missing[0] = 1; }),
      as_logical(values), as_column_major(values), checked(values, [] {}),
      factor(values, text_array({"a"}), 0, "/x", context)};
  for (const ArrayPtr& array : arrays) {
    BOOST_TEST(array->peek(range(1, 2)).count == 2u);
    array->release(range(0, 3));
    BOOST_TEST((array->chunk_shape() == Shape{2}));
  }
  BOOST_TEST(values->peeks == 5);
  BOOST_TEST(values->passed_elements == 15u);
  BOOST_TEST(arrays[0]->repeated(range(0, 4))->is_missing(0));
  BOOST_TEST(arrays[1]->repeated(range(0, 4))->count == 1u);
  BOOST_TEST(arrays[4]->repeated(range(0, 4))->text(0) == "a");
}

BOOST_AUTO_TEST_CASE(slice_is_a_part_of_an_array) {
  const auto matrix = std::make_shared<MemoryArray>(number_type(Kind::integer, 4), Shape{2, 3},
                                                    elements_of<int32_t>({0, 1, 2, 3, 4, 5}),
                                                    Attributes{{"unit", Json("mm")}});
  const auto numbers_of = [](const Elements& elements) {
    const auto values = elements.values<int32_t>();
    return std::vector<int32_t>(values.begin(), values.end());
  };
  const ArrayPtr part = slice(matrix, {{0, 1}, {2, 2}});
  BOOST_TEST((part->shape() == Shape{2, 2}));
  BOOST_TEST((part->chunk_shape() == Shape{2, 2}));
  BOOST_TEST((numbers_of(read_all(*part)) == std::vector<int32_t>{1, 2, 4, 5}));
  BOOST_TEST((numbers_of(part->peek({{1, 1}, {1, 1}})) == std::vector<int32_t>{5}));
  BOOST_TEST(!part->may_be_missing());
  BOOST_TEST(part->attributes().empty());
  BOOST_CHECK_THROW(part->read({{0, 2}, {1, 1}}), Error);
  const ArrayPtr column = slice(matrix, at_index(matrix->shape(), 1, 2), {0});
  BOOST_TEST((column->shape() == Shape{2}));
  BOOST_TEST((numbers_of(read_all(*column)) == std::vector<int32_t>{2, 5}));
}

BOOST_AUTO_TEST_CASE(derived_arrays_keep_their_other_properties) {
  struct Checked : MemoryArray {
    using MemoryArray::MemoryArray;
    void check() const override { throw damaged("checked"); }
    bool is_null() const override { return true; }
  };
  TestContext context;
  const DType type = number_type(Kind::integer, 4);
  const auto values =
      std::make_shared<Checked>(type, Shape{2}, zero_elements(type, 2), Attributes{{"unit", Json("mm")}});
  const auto rule = [](const Elements&, std::vector<uint8_t>&) {};
  for (const ArrayPtr& array : {with_missing(values, rule), as_logical(values), checked(values, [] {}),
                                factor(values, text_array({"a"}), 0, "/x", context)}) {
    const Attributes attributes = array->attributes();
    BOOST_REQUIRE(attributes.size() == 1u);
    BOOST_TEST(attributes[0].name == "unit");
    BOOST_CHECK_EXCEPTION(array->check(), Error, mentions("checked"));
    BOOST_TEST(array->is_null());
    BOOST_TEST(array->column_major() == false);
  }
}

BOOST_AUTO_TEST_CASE(declared_count_of_levels_is_not_trusted) {
  struct Endless : Array {
    Endless() : Array(text_type(), {uint64_t{1} << 37}) {}
    Elements read(const Box&) const override { throw std::logic_error("read"); }
  };
  TestContext context;
  const ArrayPtr array = factor(integers({0}), std::make_shared<Endless>(), 0, "/x", context);
  BOOST_CHECK_EXCEPTION(read_all(*array), Error, mentions("137438953472 levels, more than 134217728"));
}

BOOST_AUTO_TEST_SUITE_END()
