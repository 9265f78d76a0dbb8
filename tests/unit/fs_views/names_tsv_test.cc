#include "fs/views/matrix/matrix_files.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

BOOST_AUTO_TEST_SUITE(names_tsv_view)

BOOST_AUTO_TEST_CASE(a_name_a_line_once_or_twice) {
  TestContext context;
  const ArrayPtr names = text_array({"A", "b\tc\nd", "", "NA", "q\","});
  BOOST_TEST(whole_text(names_tsv({names}, context), context) == "A\nb c d\n\nNA\nq\",\n");
  BOOST_TEST(whole_text(names_tsv({names, names}, context), context) ==
             "A\tA\nb c d\tb c d\n\t\nNA\tNA\nq\",\tq\",\n");
  BOOST_TEST(whole_text(names_tsv({numbers<int32_t>({7, 8})}, context), context) == "7\n8\n");
  BOOST_TEST(whole_text(names_tsv({text_array({}), text_array({})}, context), context) == "");
}

BOOST_AUTO_TEST_CASE(any_slice_equals_that_part_of_the_whole) {
  std::mt19937_64 random(1);
  TestContext context;
  std::vector<std::string> names(30000);
  std::string want;
  for (std::string& name : names) {
    name = std::string(random() % 30, 'n');
    want += name + "\t" + name + "\n";
  }
  const ArrayPtr array = text_array(names);
  TextFile file(names_tsv({array, array}, context), context);
  BOOST_TEST((whole_text(file) == want));
  BOOST_TEST(slices_match(file, want, random, 100));
}

BOOST_AUTO_TEST_CASE(other_names_can_come_first) {
  TestContext context;
  const ArrayPtr ids = text_array({"E1", "E\t2"}), names = text_array({"a", "b"});
  BOOST_TEST(whole_text(names_tsv({ids, names}, context), context) == "E1\ta\nE 2\tb\n");
  BOOST_TEST(message_of([&] {
               whole_text(names_tsv({ids, text_array({"a"})}, context), context);
             }) == "1 names, but another list has 2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
