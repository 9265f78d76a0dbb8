#include "formats/schemas/robject/schema.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>

#include "formats/containers/rds/container.h"
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

BOOST_AUTO_TEST_CASE(an_operation_on_matrices_is_not_carried_out) {
  TestContext context;
  const RdsFile file(start().s4().class_of("TransformLog1p", "BPCells").text);
  BOOST_TEST(why_not(object_in(file.path, context)) ==
             "a BPCells object of class TransformLog1p without data in memory");
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
