#include "formats/core/frames/parts.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/store_nodes.h"
#include "tests/support/view_text.h"

namespace plainfs::frames {
namespace {

BOOST_AUTO_TEST_SUITE(compressed_groups)

BOOST_AUTO_TEST_CASE(transposed_csr_is_csc) {
  MemoryGroup group;
  group.add_array("data").add_array("indices").add_array("indptr");
  const SparseMatrix stored = compressed_matrix(group, {2, 5}, true, false);
  BOOST_TEST((stored.rows == 2 && stored.columns == 5 && stored.by_row));
  const SparseMatrix turned = compressed_matrix(group, {2, 5}, true, true);
  BOOST_TEST((turned.rows == 5 && turned.columns == 2 && !turned.by_row));
  BOOST_TEST(compressed_matrix(group, {2, 5}, false, true).by_row);
  BOOST_TEST(!stored.error.has_value());
}

BOOST_AUTO_TEST_CASE(an_absent_part_is_the_error_of_the_matrix) {
  MemoryGroup group("/X");
  group.add_array("data").add_array("indptr");
  BOOST_TEST(!has_compressed_parts(group));
  const SparseMatrix matrix = compressed_parts(group);
  BOOST_TEST_REQUIRE(matrix.error.has_value());
  BOOST_TEST(matrix.error->what() == std::string("/X: indices of a sparse matrix is missing"));
  BOOST_TEST(message_of([&] { matrix.index->check(); }) == "/X: indices of a sparse matrix is missing");
}

BOOST_AUTO_TEST_CASE(a_shape_is_two_counts) {
  BOOST_TEST(!matrix_shape_in({}, "shape").has_value());
  const auto shape = matrix_shape_in({{"shape", counts({3, 4})}}, "shape");
  BOOST_TEST((shape && shape->rows == 3 && shape->columns == 4));
  for (const Json& value : {counts({3}), texts({"3", "4"}), Json("3 4"), Json()})
    BOOST_TEST(message_of([&] {
                 matrix_shape_in({{"shape", value}}, "shape");
               }).find("shape is not two counts") == 0u);
  BOOST_TEST(message_of([&] {
               matrix_shape_in({{"shape", damaged("cut")}}, "shape");
             }) == "attribute shape: cut");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::frames
