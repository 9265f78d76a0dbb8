#include "formats/schemas/robject/schema.h"

#include <fmt/ranges.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <tuple>

#include "formats/annotated/annotated_matrices.h"
#include "formats/containers/rds/container.h"
#include "formats/core/frames/common_type.h"
#include "tests/support/golden_arrays.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/r_stream.h"
#include "tests/unit/rds/rds_file.h"
#include "tests/unit/unpacked/compress.h"

namespace {

using namespace plainfs;

using rds::RdsFile;
using rds::start;

Node object_in(const std::string& path, Context& context) {
  return *robject::refine(rds::open(look_at(path), context).root, context);
}

SparseMatrix matrix_of(const Node& node) {
  return std::get<SparseMatrix>(node.content);
}

std::vector<std::string> names_of_members(const Node& node) {
  std::vector<std::string> names;
  for (const Member& member : node.parts->members()) names.push_back(member.name);
  return names;
}

// Checks the empty third chromosome of rds_list. It is stored as 527, 527, as shown by R's readRDS() and as
// in the same fragments of the case frag_h5 (tests/data/README.md).
void check_golden_chr_ptr(const Array& pointer) {
  const std::vector<uint64_t> stored = {0, 450, 450, 527, 527, 527, 527, 727, 727, 727};
  const Elements elements = read_all(pointer);
  BOOST_TEST(elements.values<uint64_t>() == stored, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE(bpcells_object)

BOOST_AUTO_TEST_CASE(single_object_file_is_that_object) {
  for (const bool big_endian : {true, false}) {
    for (const rds::Compression compression : unpacked::kCompressions) {
      TestContext context;
      rds::RStream out = start(big_endian);
      const RdsFile file(unpacked::compress(rds::small_object(out).text, compression));
      BOOST_TEST(rds::recognises(look_at(file.path)));
      const Store store = rds::open(look_at(file.path), context);
      BOOST_TEST(store.version == "3");
      BOOST_TEST(*Json(store.details).find("r_version")->text() == "4.2.2");
      BOOST_TEST(*Json(store.details).find("compression")->text() == unpacked::name_of(compression));
      const SparseMatrix matrix = matrix_of(*robject::refine(store.root, context));
      BOOST_TEST(!matrix.error.has_value());
      BOOST_TEST(matrix.rows == 3u);
      BOOST_TEST(matrix.columns == 2u);
      const Elements values = read_all(*matrix.value);
      BOOST_TEST((matrix.value->dtype() == number_type(Kind::unsigned_integer, 4)));
      BOOST_TEST(values.values<uint32_t>()[2] == 0x80000000u);
      BOOST_TEST(matrix.row_names->count() == 3u);
      BOOST_TEST(!matrix.column_names);
      BOOST_TEST((matrix.pointer->dtype() == number_type(Kind::unsigned_integer, 8)));
    }
  }
}

BOOST_AUTO_TEST_CASE(golden_objects_match_bpcells) {
  TestContext context;
  const std::string one = PLAINFS_TEST_DATA "/bpcells/rds_packed_uint";
  BOOST_TEST(compare_members(one + "/expected", *object_in(one + "/store.rds", context).parts) == 7u);

  const std::string many = PLAINFS_TEST_DATA "/bpcells/rds_list";
  size_t members = 0;
  for (const Member& member : object_in(many + "/store.rds", context).parts->members()) {
    const GroupPtr parts = member.node.parts;
    BOOST_TEST(compare_members(many + "/expected/" + member.name, *parts, "chr_ptr") == 7u);
    if (const ArrayPtr pointer = find_array(*parts, "chr_ptr")) check_golden_chr_ptr(*pointer);
    ++members;
  }
  BOOST_TEST(members == 7u);
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(floats_are_the_bits_of_integers) {
  TestContext context;
  rds::RStream out = start();
  out.s4().tag("val").integers({0x3f800000, INT32_MIN}).tag("index").integers({0, 1});
  out.tag("idxptr").integers({0, 2}).tag("version").strings({"unpacked-float-matrix-v1"});
  out.tag("dim").reals({1, 2}).tag("transpose").logical(1).tag("dimnames").list(2).nil().nil();
  out.class_of("UnpackedMatrixMem_float", "BPCells");
  const RdsFile file(out.text);
  const SparseMatrix matrix = matrix_of(object_in(file.path, context));
  BOOST_TEST(!matrix.error.has_value());
  BOOST_TEST(matrix.by_row);
  const Elements values = read_all(*matrix.value);
  BOOST_TEST((matrix.value->dtype() == number_type(Kind::real, 4)));
  BOOST_TEST(values.values<float>()[0] == 1.0f);
  BOOST_TEST(std::signbit(values.values<float>()[1]));
  BOOST_TEST((matrix.pointer->dtype() == number_type(Kind::unsigned_integer, 4)), "v1 pointers have 32 bits");
}

// Writes a matrix of 3 rows and 2 columns: (1, 1) = 5, (3, 1) = 7, (2, 2) = 9.
void write_stored(rds::RStream& out, bool is_transposed = false) {
  out.s4().tag("val").integers({5, 7, 9}).tag("index").integers({0, 2, 1}).tag("idxptr").reals({0, 2, 3});
  out.tag("version").strings({"unpacked-uint-matrix-v2"});
  out.tag("dim").integers(is_transposed ? std::vector<int32_t>{2, 3} : std::vector<int32_t>{3, 2});
  out.tag("transpose").logical(is_transposed).tag("dimnames").list(2).nil().nil();
  out.class_of("UnpackedMatrixMem_uint32_t", "BPCells");
}

// Begins an operation; its own slots follow.
rds::RStream& begin_operation(rds::RStream& out, const std::vector<int32_t>& dim,
                              bool is_transposed = false) {
  return out.s4()
      .tag("dim")
      .integers(dim)
      .tag("transpose")
      .logical(is_transposed)
      .tag("dimnames")
      .list(2)
      .nil()
      .nil();
}

// Returns the matrix row by row, "5 0; 0 9; 7 0".
std::string rows_of(const rds::RStream& out, TestContext& context) {
  const RdsFile file(out.text);
  const SparseMatrix matrix = evaluated(matrix_of(object_in(file.path, context)));
  if (matrix.error) throw *matrix.error;
  const Elements values = as_type(matrix.value->dtype(), read_all(*matrix.value), number_type(Kind::real, 8));
  const Elements index =
      as_type(matrix.index->dtype(), read_all(*matrix.index), number_type(Kind::integer, 8));
  const Elements pointer =
      as_type(matrix.pointer->dtype(), read_all(*matrix.pointer), number_type(Kind::integer, 8));
  std::vector<std::vector<double>> rows(matrix.rows, std::vector<double>(matrix.columns));
  for (uint64_t major = 0; major < matrix.majors(); ++major)
    for (int64_t i = pointer.values<int64_t>()[major]; i < pointer.values<int64_t>()[major + 1]; ++i) {
      const auto minor = static_cast<uint64_t>(index.values<int64_t>()[static_cast<size_t>(i)]);
      (matrix.by_row ? rows[major][minor] : rows[minor][major]) =
          values.values<double>()[static_cast<size_t>(i)];
    }
  std::string text;
  for (const auto& row : rows) text += fmt::format("{}{}", text.empty() ? "" : "; ", fmt::join(row, " "));
  return text;
}

BOOST_AUTO_TEST_CASE(subset_selects_stored_rows_and_columns) {
  TestContext context;
  rds::RStream out = start();
  begin_operation(out, {2, 2}).tag("matrix");
  write_stored(out);
  out.tag("row_selection")
      .integers({3, 1})
      .tag("col_selection")
      .integers({})
      .tag("zero_dims")
      .integers({0, 0});
  out.class_of("MatrixSubset", "BPCells");
  BOOST_TEST(rows_of(out, context) == "7 0; 5 0");

  out = start();  // t(t(x)[2:1, ]): the selections are those of the stored matrix
  begin_operation(out, {2, 3}, true).tag("matrix");
  write_stored(out, true);
  out.tag("row_selection")
      .integers({})
      .tag("col_selection")
      .integers({2, 1})
      .tag("zero_dims")
      .integers({0, 0});
  out.class_of("MatrixSubset", "BPCells");
  BOOST_TEST(rows_of(out, context) == "0 9 0; 5 0 7");

  out = start();
  begin_operation(out, {0, 2}).tag("matrix");
  write_stored(out);
  out.tag("row_selection").integers({}).tag("col_selection").integers({}).tag("zero_dims").integers({1, 0});
  out.class_of("MatrixSubset", "BPCells");
  BOOST_TEST(rows_of(out, context) == "");
}

BOOST_AUTO_TEST_CASE(computed_matrix_of_a_file_is_annotated) {
  TestContext context;
  rds::RStream out = start();
  out.s4().tag("dim").integers({3, 2}).tag("transpose").logical(0);
  out.tag("dimnames").list(2).strings({"g1", "g2", "g3"}).strings({"c1", "c2"}).tag("matrix");
  write_stored(out);
  out.tag("type").strings({"double"}).class_of("ConvertMatrixType", "BPCells");
  const RdsFile file(out.text);
  const auto found = annotated_matrix_of(object_in(file.path, context), context);
  BOOST_TEST_REQUIRE(found.has_value());
  BOOST_TEST(found->make().cells == 2u);
  BOOST_TEST(found->make().genes == 3u);
}

BOOST_AUTO_TEST_CASE(selection_beyond_the_matrix_is_damage) {
  TestContext context;
  for (const auto& [row, rows, words] : {std::tuple{4, 1, "row_selection has the index 4, expected 1 to 3"},
                                         std::tuple{0, 1, "row_selection has the index 0, expected 1 to 3"},
                                         std::tuple{2, 2, "has 2 columns and 1 rows, expected 2 and 2"}}) {
    rds::RStream out = start();
    begin_operation(out, {rows, 2}).tag("matrix");
    write_stored(out);
    out.tag("row_selection")
        .integers({row})
        .tag("col_selection")
        .integers({})
        .tag("zero_dims")
        .integers({0, 0});
    out.class_of("MatrixSubset", "BPCells");
    BOOST_CHECK_EXCEPTION(rows_of(out, context), Error, mentions(words));
  }
}

BOOST_AUTO_TEST_CASE(bound_matrices_are_joined) {
  TestContext context;
  for (const bool by_rows : {true, false}) {
    rds::RStream out = start();
    begin_operation(out, by_rows ? std::vector<int32_t>{6, 2} : std::vector<int32_t>{3, 4});
    out.tag("matrix_list").list(2);
    write_stored(out);
    begin_operation(out, {3, 2}).tag("matrix");
    write_stored(out);
    out.tag("type").strings({"double"}).class_of("ConvertMatrixType", "BPCells");
    out.tag("threads").integers({0}).class_of(by_rows ? "RowBindMatrices" : "ColBindMatrices", "BPCells");
    BOOST_TEST(rows_of(out, context) ==
               (by_rows ? "5 0; 0 9; 7 0; 5 0; 0 9; 7 0" : "5 0 5 0; 0 9 0 9; 7 0 7 0"));
  }
}

// Writes log1p or another transform of the stored matrix. write: writes its slots.
template <class Write>
std::string transformed_rows(const std::string& name, Write&& write, TestContext& context,
                             bool is_transposed = false) {
  rds::RStream out = start();
  begin_operation(out, is_transposed ? std::vector<int32_t>{2, 3} : std::vector<int32_t>{3, 2},
                  is_transposed);
  out.tag("matrix");
  write_stored(out, is_transposed);
  write(out);
  out.class_of(name, "BPCells");
  return rows_of(out, context);
}

BOOST_AUTO_TEST_CASE(transforms_are_computed_by_element) {
  TestContext context;
  const auto plain = [](rds::RStream&) {};
  const auto global = [](std::vector<double> numbers) {
    return [numbers](rds::RStream& out) { out.tag("global_params").reals(numbers); };
  };
  BOOST_TEST(transformed_rows("TransformSquare", plain, context) == "25 0; 0 81; 49 0");
  BOOST_TEST(transformed_rows("TransformPow", global({3}), context) == "125 0; 0 729; 343 0");
  BOOST_TEST(transformed_rows("TransformMin", global({6}), context) == "5 0; 0 6; 6 0");
  BOOST_TEST(transformed_rows("TransformBinarize", global({7, 1}), context) == "0 0; 0 1; 0 0");
  BOOST_TEST(transformed_rows("TransformBinarize", global({7, 0}), context) == "0 0; 0 1; 1 0");
  BOOST_TEST(transformed_rows(
                 "TransformMinByRow",
                 [](rds::RStream& out) {
                   out.tag("row_params").reals({6, 8, 2});
                 },
                 context) == "5 0; 0 8; 2 0");
  BOOST_TEST(transformed_rows(
                 "TransformMinByCol",
                 [](rds::RStream& out) {
                   out.tag("col_params").reals({6, 8});
                 },
                 context) == "5 0; 0 8; 6 0");
  BOOST_TEST(transformed_rows("TransformLog1p", plain, context) ==
             fmt::format("{} 0; 0 {}; {} 0", std::log1p(5.0), std::log1p(9.0), std::log1p(7.0)));
  BOOST_TEST(transformed_rows("TransformExpm1Slow", plain, context) ==
             fmt::format("{} 0; 0 {}; {} 0", std::expm1(5.0), std::expm1(9.0), std::expm1(7.0)));
}

BOOST_AUTO_TEST_CASE(scales_multiply_rows_and_columns_as_stored) {
  TestContext context;
  const auto scale = [](std::vector<int32_t> active) {
    return [active](rds::RStream& out) {
      out.tag("row_params").reals({2, 0, 3, 0, 4, 0}).tag("col_params").reals({10, 0, 100, 0});
      out.tag("global_params").reals({0.5, 0}).tag("active_transforms").integers(active);
    };
  };
  const std::string name = "TransformScaleShift";
  BOOST_TEST(transformed_rows(name, scale({1, 0, 0, 0, 0, 0}), context) == "10 0; 0 27; 28 0");
  BOOST_TEST(transformed_rows(name, scale({0, 1, 0, 0, 0, 0}), context) == "50 0; 0 900; 70 0");
  BOOST_TEST(transformed_rows(name, scale({0, 0, 1, 0, 0, 0}), context) == "2.5 0; 0 4.5; 3.5 0");
  BOOST_TEST(transformed_rows(name, scale({1, 1, 1, 0, 0, 0}), context) == "50 0; 0 1350; 140 0");
  BOOST_TEST(transformed_rows(name, scale({1, 0, 0, 0, 0, 0}), context, true) == "10 0 28; 0 27 0");
  BOOST_CHECK_EXCEPTION(transformed_rows(name, scale({1, 0, 0, 0, 1, 0}), context), Error,
                        mentions("a number is added to each element"));
}

BOOST_AUTO_TEST_CASE(unknown_operation_is_refused_by_its_class) {
  TestContext context;
  const auto plain = [](rds::RStream&) {};
  BOOST_CHECK_EXCEPTION(transformed_rows("SCTransformPearson", plain, context), Error,
                        mentions("the BPCells class SCTransformPearson is not computed"));
}

BOOST_AUTO_TEST_CASE(lists_are_directories) {
  TestContext context;
  rds::RStream out = start();
  out.list(3, rds::kWithAttributes);
  rds::small_object(out);
  out.list(2, rds::kWithAttributes);
  rds::small_object(out).integers({1}).names({"inner", "number"});
  rds::small_object(out);
  out.names({"first", "nested", ""});
  const RdsFile file(out.text);
  const Node root = object_in(file.path, context);
  BOOST_TEST(names_of_members(root) == (std::vector<std::string>{"first", "nested", "3"}),
             boost::test_tools::per_element());
  const GroupPtr nested = find_group(*root.parts, "nested");
  BOOST_TEST(nested->path() == "/nested");
  BOOST_TEST(nested->parent() == root.parts);
  BOOST_TEST(matrix_of(*nested->find("inner")).rows == 3u);
}

// Returns the reason why a matrix cannot be shown.
std::string why_not(const Node& node) {
  const SparseMatrix matrix = matrix_of(node);
  return matrix.error ? matrix.error->what() : "";
}

BOOST_AUTO_TEST_CASE(an_object_of_an_unknown_version_fails_alone) {
  TestContext context;
  rds::RStream out = start();
  out.list(2, rds::kWithAttributes);
  rds::small_object(out, "packed-uint-matrix-v3");
  rds::small_object(out).names({"new", "old"});
  const RdsFile file(out.text);
  const Node root = object_in(file.path, context);
  BOOST_TEST(names_of_members(root).size() == 2u);
  BOOST_TEST(why_not(*root.parts->find("new")).find("packed-uint-matrix-v3") != std::string::npos);
  BOOST_TEST(matrix_of(*root.parts->find("old")).rows == 3u);
}

BOOST_AUTO_TEST_CASE(object_of_another_class_is_refused_by_its_name) {
  TestContext context;
  const RdsFile file(start().s4().class_of("ShiftFragments", "BPCells").text);
  BOOST_TEST(
      why_not(object_in(file.path, context)) ==
      "the BPCells class ShiftFragments is not read; store it with write_matrix_dir() in R and use that");
}

BOOST_AUTO_TEST_CASE(missing_directory_is_named) {
  TestContext context;
  const RdsFile file(start().s4().tag("dir").strings({"/gone/counts"}).class_of("MatrixDir", "BPCells").text);
  BOOST_TEST(why_not(object_in(file.path, context)).starts_with("/gone/counts: "));
}

BOOST_AUTO_TEST_CASE(a_slot_of_another_kind_damages_its_array_only) {
  TestContext context;
  rds::RStream out = start();
  out.s4().tag("val").integers({5}).tag("index").list(0).tag("idxptr").reals({0, 1});
  out.tag("version")
      .strings({"unpacked-uint-matrix-v2"})
      .tag("dim")
      .integers({1, 1})
      .tag("transpose")
      .integers({1});
  out.tag("dimnames").strings({"a"}).class_of("UnpackedMatrixMem_uint32_t", "BPCells");
  const RdsFile file(out.text);
  const Node node = object_in(file.path, context);
  for (const char* name : {"index", "row_names", "col_names", "storage_order"}) {
    BOOST_CHECK_EXCEPTION(find_array(*node.parts, name)->check(), Error, mentions("the array is missing"));
  }
  for (const char* name : {"val", "idxptr", "shape"}) find_array(*node.parts, name)->check();
  BOOST_TEST(std::get<SparseMatrix>(node.content).error.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
