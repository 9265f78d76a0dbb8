#include "formats/containers/mex/market_text.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "tests/support/bytes_file.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/unit/unpacked/compress.h"

namespace plainfs::mex {
namespace {

using unpacked::Compression;

constexpr const char kBanner[] = "%%MatrixMarket matrix coordinate integer general\n";

std::shared_ptr<const MarketText> open_text(const std::string& text, Context& context) {
  return MarketText::open(std::make_shared<BytesFile>(text), context);
}

template <class T>
std::vector<T> all_of(const ArrayPtr& array) {
  const Elements elements = read_all(*array);
  const auto values = elements.values<T>();
  return {values.begin(), values.end()};
}

// Checks that the text has a fault behind its header that names these words.
void check_fault(const std::string& text, const std::string& words) {
  TestContext context;
  const auto opened = open_text(text, context);
  BOOST_TEST_REQUIRE(opened->fault().has_value());
  BOOST_TEST(std::string(opened->fault()->what()).find(words) != std::string::npos,
             opened->fault()->what() << " does not contain " << words);
  BOOST_CHECK_THROW(read_all(*opened->rows()), Error);
}

void check_refused(const std::string& text, const std::string& words) {
  TestContext context;
  BOOST_CHECK_EXCEPTION(open_text(text, context), Error, mentions(words));
}

// Passes kept in memory.
class Remembered : public Passes {
 public:
  std::shared_ptr<const std::vector<uint64_t>> known(const std::string&, const std::string& name,
                                                     Sources&) override {
    const auto found = numbers.find(name);
    return found == numbers.end() ? nullptr : std::make_shared<const std::vector<uint64_t>>(found->second);
  }
  void keep(const std::string&, const std::string& name, std::vector<uint64_t> found,
            std::chrono::steady_clock::duration, Sources&) override {
    numbers[name] = std::move(found);
    ++kept;
  }
  void discard(const std::string&, Sources&) override { numbers.clear(); }

  std::map<std::string, std::vector<uint64_t>> numbers;
  int kept = 0;
};

BOOST_AUTO_TEST_SUITE(market_text)

BOOST_AUTO_TEST_CASE(entries_are_returned_in_the_order_of_the_text) {
  TestContext context;
  const auto text = open_text(std::string(kBanner) + "3 2 4\n1 1 5\n3 1 -7\n2 2 +1\n3 2 0\n", context);
  BOOST_TEST((all_of<uint32_t>(text->rows()) == std::vector<uint32_t>{0, 2, 1, 2}));
  BOOST_TEST((all_of<uint32_t>(text->columns()) == std::vector<uint32_t>{0, 0, 1, 1}));
  BOOST_TEST((all_of<int32_t>(text->values()) == std::vector<int32_t>{5, -7, 1, 0}));
  BOOST_TEST((text->order() == Order::by_column));
  BOOST_TEST((all_of<uint64_t>(text->pointers()) == std::vector<uint64_t>{0, 2, 4}));
}

BOOST_AUTO_TEST_CASE(comments_blank_lines_tabs_and_crlf_are_accepted) {
  TestContext context;
  const auto text = open_text(
      "%%matrixmarket MATRIX Coordinate Integer General\r\n% a\r\n\r\n%  5 5 5\r\n2\t2\t2\r\n\r\n"
      " 1\t1\t3 \r\n\r\n2 2  4\r\n",
      context);
  BOOST_TEST((all_of<int32_t>(text->values()) == std::vector<int32_t>{3, 4}));
}

BOOST_AUTO_TEST_CASE(last_line_end_may_be_absent) {
  TestContext context;
  BOOST_TEST((all_of<int32_t>(open_text(std::string(kBanner) + "1 1 1\n1 1 9", context)->values()) ==
              std::vector<int32_t>{9}));
}

BOOST_AUTO_TEST_CASE(text_without_entries_has_pointers_of_zero) {
  TestContext context;
  const auto text = open_text(std::string(kBanner) + "4 2 0\n", context);
  BOOST_TEST(text->rows()->count() == 0U);
  BOOST_TEST((all_of<uint64_t>(text->pointers()) == std::vector<uint64_t>{0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(order_is_by_row_or_none) {
  TestContext context;
  const auto by_row = open_text(std::string(kBanner) + "3 2 3\n1 1 1\n1 2 1\n3 1 1\n", context);
  BOOST_TEST((by_row->order() == Order::by_row));
  BOOST_TEST((all_of<uint64_t>(by_row->pointers()) == std::vector<uint64_t>{0, 2, 2, 3}));
  BOOST_TEST((open_text(std::string(kBanner) + "2 2 2\n2 2 1\n1 1 1\n", context)->order() == Order::none));
  // Entries at one place are added up later, so they are no lists of a compressed matrix.
  BOOST_TEST((open_text(std::string(kBanner) + "2 2 2\n1 1 1\n1 1 1\n", context)->order() == Order::none));
}

BOOST_AUTO_TEST_CASE(reals_keep_all_digits) {
  TestContext context;
  const auto text = open_text(
      "%%MatrixMarket matrix coordinate real general\n1 5 5\n1 1 0.1\n1 2 -1e300\n1 3 +2.5\n1 4 nan\n1 5 "
      "4.9e-324\n",
      context);
  const std::vector<double> values = all_of<double>(text->values());
  BOOST_TEST(values[0] == 0.1);
  BOOST_TEST(values[1] == -1e300);
  BOOST_TEST(values[2] == 2.5);
  BOOST_TEST(std::isnan(values[3]));
  BOOST_TEST(values[4] == 4.9e-324);
}

BOOST_AUTO_TEST_CASE(na_is_a_missing_value) {
  TestContext context;
  const auto text = open_text(std::string(kBanner) + "1 3 3\n1 1 4\n1 2 NA\n1 3 5\n", context);
  const Elements values = read_all(*text->values());
  BOOST_TEST(!values.is_missing(0));
  BOOST_TEST(values.is_missing(1));
  BOOST_TEST(text->values()->may_be_missing());
  BOOST_TEST(text->values()->read(range(2, 1)).missing.empty());
  check_fault(std::string(kBanner) + "1 1 1\n1 1 NAN\n", "'NAN', expected an integer");
}

BOOST_AUTO_TEST_CASE(wide_integers_have_64_bits) {
  TestContext context;
  const auto text =
      open_text(std::string(kBanner) + "1 2 2\n1 1 3000000000\n1 2 -9223372036854775808\n", context);
  BOOST_TEST(text->values()->dtype().size == 8U);
  BOOST_TEST((all_of<int64_t>(text->values()) == std::vector<int64_t>{3000000000, INT64_MIN}));
  check_fault(std::string(kBanner) + "1 1 1\n1 1 9223372036854775808\n", "expected an integer");
}

BOOST_AUTO_TEST_CASE(pattern_has_values_of_one) {
  TestContext context;
  const auto text = open_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n", context);
  BOOST_TEST((all_of<int32_t>(text->values()) == std::vector<int32_t>{1, 1}));
  check_fault("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 5\n", "nothing after the column");
}

BOOST_AUTO_TEST_CASE(damaged_lines_are_named_by_their_number) {
  const std::string head = std::string(kBanner) + "% c\n30 20 3\n1 1 1\n";
  check_fault(head + "31 1 1\n2 2 1\n", "line 5: row 31 of 30");
  check_fault(head + "0 1 1\n2 2 1\n", "line 5: row 0, expected 1 or more");
  check_fault(head + "2 21 1\n3 3 1\n", "line 5: column 21 of 20");
  check_fault(head + "2 2 1x\n3 3 1\n", "line 5: '1x', expected an integer");
  check_fault(head + "2 2 1.5\n3 3 1\n", "line 5: '1.5', expected an integer");
  check_fault(head + "2 2\n3 3 1\n", "line 5: '2 2', expected an integer");
  check_fault(head + "2 2 1 7\n3 3 1\n", "line 5");
  check_fault(head + "two 2 1\n3 3 1\n", "line 5: 'two 2 1', expected a row, a column and a value");
  check_fault(head + "99999999999 2 1\n3 3 1\n", "line 5: row 99999999999 of 30");
}

BOOST_AUTO_TEST_CASE(number_of_entries_must_be_that_of_the_header) {
  check_fault(std::string(kBanner) + "2 2 2\n1 1 1\n", "the text has 1 entries, expected 2");
  check_fault(std::string(kBanner) + "2 2 1\n1 1 1\n2 2 1\n", "more entries than the 1 of the header");
}

BOOST_AUTO_TEST_CASE(invalid_headers_are_refused) {
  check_refused("%%MatrixMarket matrix coordinate octonion general\n1 1 1\n1 1 1\n",
                "unknown field 'octonion'");
  check_refused("%%MatrixMarket vector coordinate integer general\n1 1 1\n", "line 1");
  check_refused(std::string(kBanner) + "1 1\n", "line 2: '1 1', expected 3 numbers");
  check_refused(std::string(kBanner) + "-1 1 1\n", "expected 3 numbers");
  check_refused(std::string(kBanner) + "1 1 1 1\n", "expected 3 numbers");
  check_refused(kBanner, "the line with the numbers of rows, columns and entries is missing");
  check_refused(std::string(kBanner) + "4294967296 1 0\n", "supported are sides below 2^32");
  check_refused(std::string(kBanner) + "99999999999999999999 1 0\n", "expected 3 numbers");
}

BOOST_AUTO_TEST_CASE(array_has_its_elements_by_column_without_zeros) {
  TestContext context;
  const auto text =
      open_text("%%MatrixMarket matrix array integer general\n2 3\n1\n0\n 3\n4\n0\n-6", context);
  BOOST_TEST(!text->fault().has_value());
  BOOST_TEST((text->order() == Order::by_column));
  BOOST_TEST((all_of<uint32_t>(text->rows()) == std::vector<uint32_t>{0, 0, 1, 1}));
  BOOST_TEST((all_of<uint32_t>(text->columns()) == std::vector<uint32_t>{0, 1, 1, 2}));
  BOOST_TEST((all_of<int32_t>(text->values()) == std::vector<int32_t>{1, 3, 4, -6}));
  BOOST_TEST((all_of<uint64_t>(text->pointers()) == std::vector<uint64_t>{0, 1, 3, 4}));
  const auto reals = open_text("%%MatrixMarket matrix array real general\n1 2\n1.5\n1e300\n", context);
  BOOST_TEST((all_of<double>(reals->values()) == std::vector<double>{1.5, 1e300}));
}

BOOST_AUTO_TEST_CASE(symmetric_array_is_a_triangle_by_column) {
  TestContext context;
  const auto full = [&](const std::string& header, const std::string& body) {
    const auto text = open_text("%%MatrixMarket matrix array integer " + header + "\n3 3\n" + body, context);
    std::vector<int> values(9);
    const auto rows = all_of<uint32_t>(text->rows()), columns = all_of<uint32_t>(text->columns());
    const auto numbers = all_of<int32_t>(text->values());
    for (size_t i = 0; i < rows.size(); ++i) values[rows[i] * 3 + columns[i]] = numbers[i];
    return values;
  };
  BOOST_TEST((full("symmetric", "1\n2\n3\n4\n5\n6\n") == std::vector<int>{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  BOOST_TEST((full("skew-symmetric", "1\n2\n3\n") == std::vector<int>{0, -1, -2, 1, 0, -3, 2, 3, 0}));
  check_refused("%%MatrixMarket matrix array integer symmetric\n3 2\n", "expected a square");
  check_refused("%%MatrixMarket matrix coordinate complex hermitian\n3 2 1\n", "expected a square");
}

BOOST_AUTO_TEST_CASE(skew_symmetric_entry_has_a_mirror) {
  TestContext context;
  const auto text =
      open_text("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1.5\n3 1 -2\n", context);
  BOOST_TEST((all_of<uint32_t>(text->rows()) == std::vector<uint32_t>{1, 0, 2, 0}));
  BOOST_TEST((all_of<uint32_t>(text->columns()) == std::vector<uint32_t>{0, 1, 0, 2}));
  BOOST_TEST((all_of<double>(text->values()) == std::vector<double>{1.5, -1.5, -2, 2}));
}

BOOST_AUTO_TEST_CASE(damaged_elements_are_named_by_their_line) {
  const std::string head = "%%MatrixMarket matrix array integer general\n2 2\n";
  check_fault(head + "1\n2\n3\n", "the text has 3 entries, expected 4");
  check_fault(head + "1\n2\n3\n4\n5\n", "more elements than the 4 of the header");
  check_fault(head + "1\nx\n3\n4\n", "line 4: 'x', expected a number");
  check_fault(head + "1\n\n3\n4\n", "line 4: blank");
  check_refused("%%MatrixMarket matrix array pattern general\n1 1\n", "an array without values");
}

BOOST_AUTO_TEST_CASE(integer_of_a_dense_line_is_exact_or_refused) {
  TestContext context;
  const std::string head = "%%MatrixMarket matrix array integer general\n1 1\n";
  const auto exact = open_text(head + "9007199254740994\n", context);
  BOOST_TEST((all_of<double>(exact->values()) == std::vector<double>{9007199254740994}));
  check_fault(head + "9007199254740993\n", "line 3: the integer 9007199254740993 of a dense matrix has more");
}

BOOST_AUTO_TEST_CASE(complex_entry_has_two_reals) {
  TestContext context;
  const auto text = open_text(
      "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1.5 -2\n2 2 0 1e300\n", context);
  BOOST_TEST((text->values()->dtype() == number_type(Kind::complex, 16)));
  BOOST_TEST((all_of<double>(text->values()) == std::vector<double>{1.5, -2, 0, 1e300}));
  BOOST_TEST((read_all(*text->values()).count == 2U));
  const Elements second = text->values()->read(range(1, 1));
  BOOST_TEST(second.values<double>()[1] == 1e300);
  check_fault("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1.5\n", "expected two numbers");
}

BOOST_AUTO_TEST_CASE(hermitian_entry_has_its_conjugate_as_a_mirror) {
  TestContext context;
  const auto text =
      open_text("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 1.5 -2\n", context);
  BOOST_TEST((all_of<uint32_t>(text->rows()) == std::vector<uint32_t>{0, 1, 0}));
  BOOST_TEST((all_of<uint32_t>(text->columns()) == std::vector<uint32_t>{0, 0, 1}));
  BOOST_TEST((all_of<double>(text->values()) == std::vector<double>{4, 0, 1.5, -2, 1.5, 2}));
  const auto skew =
      open_text("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1.5 -2\n", context);
  BOOST_TEST((all_of<double>(skew->values()) == std::vector<double>{1.5, -2, -1.5, 2}));
  const auto real = open_text("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 1.5\n", context);
  BOOST_TEST(real->header().is_symmetric());
}

BOOST_AUTO_TEST_CASE(complex_array_has_two_reals_in_each_line) {
  TestContext context;
  const auto text =
      open_text("%%MatrixMarket matrix array complex hermitian\n2 2\n4 0\n 1.5\t-2 \n0 0\n", context);
  BOOST_TEST((all_of<uint32_t>(text->rows()) == std::vector<uint32_t>{0, 1, 0}));
  BOOST_TEST((all_of<double>(text->values()) == std::vector<double>{4, 0, 1.5, -2, 1.5, 2}));
  check_fault("%%MatrixMarket matrix array complex general\n1 1\n4\n", "line 3: '4', expected two numbers");
  check_fault("%%MatrixMarket matrix array complex general\n1 1\n4 5 6\n", "expected two numbers");
}

BOOST_AUTO_TEST_CASE(skew_symmetric_pattern_has_a_negative_mirror) {
  TestContext context;
  const auto text =
      open_text("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", context);
  BOOST_TEST((all_of<int32_t>(text->values()) == std::vector<int32_t>{1, -1}));
}

std::shared_ptr<const MarketText> open_counts(const std::string& text, Context& context) {
  return MarketText::open_table(std::make_shared<BytesFile>(text), context);
}

BOOST_AUTO_TEST_CASE(table_of_counts_has_its_numbers_by_row) {
  TestContext context;
  for (const std::string text :
       {",c1,c2\ng1,0,2\ng2,3,0\n", "\"c1\"\t\"c2\"\n\"g,1\"\t0\t2\r\ng2\t3\t0",
        "gene;c1;c2\n\"g;1\"\"\";0;2\ng2;3;0\n", "c1 c2\n\"g 1\" 0 2\n\"g2\" 3 0\n"}) {
    const auto table = open_counts(text, context);
    BOOST_TEST_REQUIRE(!table->fault().has_value(), text);
    BOOST_TEST(table->header().rows == 2U);
    BOOST_TEST((table->column_names() == std::vector<std::string>{"c1", "c2"}));
    BOOST_TEST((table->order() == Order::by_row));
    BOOST_TEST((all_of<uint32_t>(table->columns()) == std::vector<uint32_t>{1, 0}));
    BOOST_TEST((all_of<int32_t>(table->values()) == std::vector<int32_t>{2, 3}));
    BOOST_TEST((all_of<uint64_t>(table->pointers()) == std::vector<uint64_t>{0, 1, 2}));
  }
  const auto other = open_counts(",c1\n7157,NA\ng2,5000000000\ng3,1\n", context);
  BOOST_TEST(read_all(*other->values()).is_missing(0));
  BOOST_TEST(all_of<int64_t>(other->values())[1] == 5000000000);
  BOOST_TEST(all_of<double>(open_counts(",c1\ng,1\nh,0.5\n", context)->values())[0] == 1.0);
}

BOOST_AUTO_TEST_CASE(damaged_table_is_named_by_line_and_field) {
  TestContext context;
  const auto fault = [&](const std::string& text) {
    const auto table = open_counts(text, context);
    return table->fault() ? std::string(table->fault()->what()) : std::string("none");
  };
  BOOST_TEST(fault(",a,b\ng1,1,2\ng2,1,x\n") == "line 3, field 3: 'x', expected a number");
  BOOST_TEST(fault(",a,b\ng1,1,2\ng2,1,\n") == "line 3, field 3: '', expected a number");
  BOOST_TEST(fault(",a,b\ng1,1,2\ng2,1\n") == "line 3: 2 fields, expected 3");
  BOOST_TEST(fault(",a,b\ng1,1,2\ng2,1,2,3\n") == "line 3: more fields, expected 3");
  BOOST_TEST(fault(",a,b\ng1,1,2\n\ng2,1,2\n") == "line 3: blank");
  BOOST_TEST(fault(",a,b\ng1,1,2\n\n\n") == "none");
  for (const char* text : {"", "a,b\n", "a,b\nc,d\n", "1,2\n3,4\n", "a,b,c,d\ng,1\n"})
    BOOST_CHECK_EXCEPTION(open_counts(text, context), Error, mentions("no table of counts"));
}

// A matrix with a text of several pieces, in every compression.
BOOST_AUTO_TEST_CASE(random_matrix_reads_the_same_at_any_place) {
  std::mt19937 random(7);
  std::string body;
  std::vector<uint32_t> rows;
  std::vector<int32_t> values;
  constexpr uint32_t kRows = 2000, kColumns = 1500;
  for (uint32_t column = 0; column < kColumns; ++column)
    for (uint32_t row = random() % 10; row < kRows; row += 1 + random() % 12) {
      rows.push_back(row);
      values.push_back(static_cast<int32_t>(random() % 1000));
      body += fmt::format("{} {} {}\n", row + 1, column + 1, values.back());
    }
  const std::string text = fmt::format("{}{} {} {}\n{}", kBanner, kRows, kColumns, rows.size(), body);
  for (const Compression compression : unpacked::kCompressions) {
    TestContext context;
    Remembered passes;
    context.context.passes = &passes;
    const std::string stored = unpacked::compress(text, compression);
    for (int session = 0; session < 2; ++session) {
      const auto opened = open_text(stored, context);
      BOOST_TEST_REQUIRE(!opened->fault().has_value());
      BOOST_TEST((opened->order() == Order::by_column));
      BOOST_TEST((all_of<uint32_t>(opened->rows()) == rows));
      for (int i = 0; i < 20; ++i) {
        const uint64_t first = random() % rows.size(), count = 1 + random() % (rows.size() - first);
        const Elements some = opened->values()->read(range(first, count));
        BOOST_TEST((std::equal(some.values<int32_t>().begin(), some.values<int32_t>().end(),
                               values.begin() + static_cast<ptrdiff_t>(first))));
      }
    }
    BOOST_TEST(passes.kept == 1, "the second session uses the pass of the first");
  }
}

BOOST_AUTO_TEST_CASE(wrong_kept_numbers_give_no_wrong_value) {
  const std::string text = std::string(kBanner) + "3 2 3\n1 1 5\n3 1 7\n2 2 1\n";
  TestContext whole;
  Remembered first;
  whole.context.passes = &first;
  open_text(text, whole);
  const std::vector<uint64_t> right = first.numbers.begin()->second;
  for (size_t at = 0; at < right.size(); ++at)
    for (const uint64_t change : {uint64_t{1}, ~uint64_t{0}, uint64_t{1} << 40}) {
      TestContext context;
      Remembered passes = first;
      context.context.passes = &passes;
      passes.numbers.begin()->second[at] += change;
      try {
        const auto opened = open_text(text, context);
        BOOST_TEST((all_of<uint32_t>(opened->rows()) == std::vector<uint32_t>{0, 2, 1}));
        if (opened->values()->dtype().size == 4)
          BOOST_TEST((all_of<int32_t>(opened->values()) == std::vector<int32_t>{5, 7, 1}));
      } catch (const Error& error) {
        BOOST_TEST_MESSAGE(at << ": " << error.what());
      }
    }
}

BOOST_AUTO_TEST_CASE(truncated_gzip_is_a_fault_behind_the_header) {
  std::string body;
  for (int i = 1; i <= 5000; ++i) body += fmt::format("{} 1 {}\n", i, i % 7);
  const std::string stored =
      unpacked::compress(fmt::format("{}5000 1 5000\n{}", kBanner, body), Compression::gzip);
  check_fault(stored.substr(0, stored.size() / 2), "the compressed data are truncated");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::mex
