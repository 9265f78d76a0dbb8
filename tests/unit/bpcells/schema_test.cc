#include "formats/schemas/bpcells/schema.h"

#include <cmath>
#include <limits>

#include "tests/support/mentions.h"
#include "tests/unit/bpcells/store.h"

namespace {

using namespace plainfs;
using namespace plainfs::bpcells;

// 3 rows, 2 columns: (0, 0) = 5, (2, 0) = 1, (1, 1) = 7.
std::shared_ptr<MemoryGroup> unpacked_group(const std::string& version = "unpacked-uint-matrix-v2") {
  auto group = std::make_shared<MemoryGroup>();
  group->attributes_shown = {{"version", Json(version)}};
  group->set("val", memory_array(std::vector<uint32_t>{5, 1, 7}));
  group->set("index", memory_array(std::vector<uint32_t>{0, 2, 1}));
  group->set("idxptr", memory_array(std::vector<uint64_t>{0, 2, 3}));
  group->set("shape", memory_array(std::vector<uint32_t>{3, 2}));
  group->set("row_names", text_array({"a", "b", "c"}));
  group->set("col_names", text_array({}));
  group->set("storage_order", text_array({"col"}));
  return group;
}

Node raw(GroupPtr group) {
  Node node;
  node.parts = std::move(group);
  return node;
}

SparseMatrix matrix_of(const std::shared_ptr<MemoryGroup>& group, Context& context) {
  const std::optional<Node> node = bpcells::refine(raw(group), context);
  BOOST_REQUIRE(node.has_value());
  return std::get<SparseMatrix>(node->content);
}

ArrayPtr fixed_names(uint32_t size, const std::string& bytes) {
  DType type;
  type.kind = Kind::fixed_text;
  type.size = size;
  type.padding = Padding::null_terminated;
  Elements elements;
  elements.count = bytes.size() / size;
  const ByteSpan span = as_byte_span(bytes);
  elements.bytes.assign(span.begin(), span.end());
  const Shape shape = {elements.count};
  return std::make_shared<MemoryArray>(type, shape, std::move(elements));
}

BOOST_AUTO_TEST_SUITE(schema)

BOOST_AUTO_TEST_CASE(a_group_of_arrays_with_a_version_is_a_matrix) {
  TestContext context;
  const SparseMatrix matrix = matrix_of(unpacked_group(), context);
  BOOST_TEST(matrix.rows == 3u);
  BOOST_TEST(matrix.columns == 2u);
  BOOST_TEST(!matrix.by_row);
  BOOST_TEST(!matrix.error.has_value());
  BOOST_TEST((numbers<uint32_t>(matrix.value) == std::vector<uint32_t>{5, 1, 7}));
  BOOST_TEST((numbers<uint32_t>(matrix.index) == std::vector<uint32_t>{0, 2, 1}));
  BOOST_TEST((numbers<uint64_t>(matrix.pointer) == std::vector<uint64_t>{0, 2, 3}));
  BOOST_TEST((texts(matrix.row_names) == std::vector<std::string>{"a", "b", "c"}));
}

BOOST_AUTO_TEST_CASE(a_version_in_a_list_of_one_counts) {
  TestContext context;
  const auto group = unpacked_group();
  group->attributes_shown = {{"version", Json(Json::List{Json("unpacked-uint-matrix-v2")})}};
  BOOST_TEST(bpcells::refine(raw(group), context).has_value());
}

BOOST_AUTO_TEST_CASE(every_other_node_is_left_alone) {
  TestContext context;
  BOOST_TEST(!bpcells::refine(Node{}, context).has_value());
  for (const Json& version : {Json("1.0"), Json("packed-uint-matrix-v3"), Json::of(int64_t{2}), Json(nullptr),
                              Json(Json::List{}), Json(Json::List{Json("a"), Json("b")})}) {
    const auto group = unpacked_group();
    group->attributes_shown = {{"version", version}};
    BOOST_TEST(!bpcells::refine(raw(group), context).has_value());
  }
  Node refined = raw(unpacked_group());
  refined.content = Table{};
  BOOST_TEST(!bpcells::refine(refined, context).has_value());
}

BOOST_AUTO_TEST_CASE(only_logical_arrays_and_foreign_members_are_listed) {
  TestContext context;
  auto group = unpacked_group("packed-float-matrix-v2");
  const auto words =
      bpcells_writer::pack(std::vector<uint32_t>{0, 2, 1}, bpcells_writer::Packing::zigzag_difference);
  group->set("val", memory_array(std::vector<float>{5, 1, 7}));
  group->set("index_data", memory_array(words.data));
  group->set("index_idx", memory_array(words.idx));
  group->set("index_idx_offsets", memory_array(words.idx_offsets));
  group->set("index_starts", memory_array(words.starts));
  group->set("index", text_array({"not BPCells' index"}));
  group->set("val_data", text_array({"foreign here"}));
  const std::optional<Node> node = bpcells::refine(raw(group), context);
  BOOST_REQUIRE(node.has_value());
  std::vector<std::string> names;
  for (const Member& member : node->parts->members()) names.push_back(member.name);
  const std::vector<std::string> expected = {"val",       "index",     "idxptr",        "shape",
                                             "row_names", "col_names", "storage_order", "val_data"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  BOOST_TEST((numbers<uint32_t>(find_array(*node->parts, "index")) == std::vector<uint32_t>{0, 2, 1}));
  BOOST_TEST(!node->parts->find("index_data").has_value());
  BOOST_TEST(find_array(*node->parts, "val_data") != nullptr);
  BOOST_TEST(attributes_of(*node).size() == 1u);
}

BOOST_AUTO_TEST_CASE(numbers_of_other_widths_are_read_by_value) {
  TestContext context;
  auto group = unpacked_group("unpacked-double-matrix-v1");
  group->set("val", memory_array(std::vector<float>{0.5f, -1, std::numeric_limits<float>::infinity()}));
  group->set("index", memory_array(std::vector<int64_t>{0, 2, 1}));
  group->set("idxptr", memory_array(std::vector<int32_t>{0, 2, 3}));
  group->set("shape", memory_array(std::vector<double>{3, 2}));
  const SparseMatrix matrix = matrix_of(group, context);
  BOOST_TEST(!matrix.error.has_value());
  BOOST_TEST((numbers<double>(matrix.value) ==
              std::vector<double>{0.5, -1, std::numeric_limits<double>::infinity()}));
  BOOST_TEST((numbers<uint32_t>(matrix.index) == std::vector<uint32_t>{0, 2, 1}));
  BOOST_TEST((numbers<int32_t>(matrix.pointer) == std::vector<int32_t>{0, 2, 3}),
             "pointers keep their stored width");
}

BOOST_AUTO_TEST_CASE(double_pointers_become_64_bit) {
  TestContext context;
  auto group = unpacked_group();
  group->set("idxptr", memory_array(std::vector<double>{0, 2, 3}));
  BOOST_TEST((numbers<uint64_t>(matrix_of(group, context).pointer) == std::vector<uint64_t>{0, 2, 3}));
}

BOOST_AUTO_TEST_CASE(value_out_of_range_of_its_type_is_damage) {
  TestContext context;
  const auto fails = [&](const std::string& version, ArrayPtr val, const std::string& words) {
    auto group = unpacked_group(version);
    group->set("val", std::move(val));
    const ArrayPtr value = matrix_of(group, context).value;
    require_error(Errc::damaged, words, [&] { read_all(*value); });
  };
  fails("unpacked-uint-matrix-v2", memory_array(std::vector<int32_t>{1, 2, -3}), "val[2] is -3");
  fails("unpacked-uint-matrix-v2", memory_array(std::vector<uint64_t>{1, 1ull << 32, 3}),
        "val[1] is 4294967296");
  fails("unpacked-uint-matrix-v2", memory_array(std::vector<double>{1.5, 2, 3}), "val[0] is 1.5");
  fails("unpacked-uint-matrix-v2", memory_array(std::vector<double>{NAN, 2, 3}), "val[0] is nan");
  fails("unpacked-float-matrix-v2", memory_array(std::vector<double>{0.1, 2, 3}), "val[0] is 0.1");
  fails("unpacked-float-matrix-v2", memory_array(std::vector<uint32_t>{(1u << 24) + 1, 2, 3}),
        "val[0] is 16777217");
  fails("unpacked-uint-matrix-v2", text_array({"1", "2", "3"}), "val is text");
}

BOOST_AUTO_TEST_CASE(packed_words_with_a_sign_are_damage) {
  TestContext context;
  auto group = unpacked_group("packed-uint-matrix-v2");
  group->set("val_data", memory_array(std::vector<int32_t>(128, -1)));
  group->set("val_idx", memory_array(std::vector<uint32_t>{0, 128}));
  group->set("val_idx_offsets", memory_array(std::vector<uint64_t>{0, 2}));
  const ArrayPtr value = matrix_of(group, context).value;
  require_error(Errc::damaged, "val_data[0] is -1", [&] { read_all(*value); });
}

BOOST_AUTO_TEST_CASE(names_of_fixed_length_are_cut_at_their_padding) {
  TestContext context;
  auto group = unpacked_group();
  group->set("row_names", fixed_names(4, std::string("a\0\0\0bcd\0efgh", 12)));
  group->set("storage_order", fixed_names(3, "row"));
  group->set("shape", memory_array(std::vector<uint32_t>{2, 3}));
  const SparseMatrix matrix = matrix_of(group, context);
  BOOST_TEST((texts(matrix.row_names) == std::vector<std::string>{"a", "bcd", "efgh"}));
  BOOST_TEST(matrix.by_row);
  BOOST_TEST(!matrix.error.has_value());
}

BOOST_AUTO_TEST_CASE(pointer_of_two_zeros_has_no_columns) {
  TestContext context;
  auto group = unpacked_group();
  group->set("shape", memory_array(std::vector<uint32_t>{3, 0}));
  group->set("idxptr", memory_array(std::vector<uint64_t>{0, 0}));
  group->set("val", memory_array(std::vector<uint32_t>{}));
  group->set("index", memory_array(std::vector<uint32_t>{}));
  const std::optional<Node> node = bpcells::refine(raw(group), context);
  const auto& matrix = std::get<SparseMatrix>(node->content);
  BOOST_TEST(!matrix.error.has_value());
  BOOST_TEST(matrix.pointer->count() == 1u);
  BOOST_TEST(find_array(*node->parts, "idxptr")->count() == 2u);
}

BOOST_AUTO_TEST_CASE(entries_beyond_the_last_pointer_are_not_shown) {
  TestContext context;
  auto group = unpacked_group();
  group->set("val", memory_array(std::vector<uint32_t>{5, 1, 7, 99, 99}));
  BOOST_TEST((numbers<uint32_t>(matrix_of(group, context).value) == std::vector<uint32_t>{5, 1, 7}));
}

BOOST_AUTO_TEST_CASE(the_number_of_fragments_is_the_largest_chr_ptr) {
  TestContext context;
  auto group = std::make_shared<MemoryGroup>();
  group->attributes_shown = {{"version", Json("unpacked-fragments-v2")}};
  for (const char* name : {"cell", "start", "end"})
    group->set(name, memory_array(std::vector<uint32_t>{0, 1, 2, 3}));
  group->set("end_max", memory_array(std::vector<uint32_t>{3}));
  group->set("chr_ptr", memory_array(std::vector<uint64_t>{2, 3, 0, 2, 0, 0}));
  group->set("cell_names", text_array({"a", "b", "c"}));
  group->set("chr_names", text_array({"x", "y", "z"}));
  const std::optional<Node> node = bpcells::refine(raw(group), context);
  const auto& fragments = std::get<Fragments>(node->content);
  BOOST_TEST(!fragments.error.has_value());
  BOOST_TEST(fragments.cell->count() == 3u);
  fragments.chr_pointer->check();
}

BOOST_AUTO_TEST_CASE(declared_length_of_chr_ptr_is_not_trusted) {
  struct Endless : Array {
    Endless() : Array(number_type(Kind::unsigned_integer, 8), {uint64_t{1} << 52}) {}
    Elements read(const Box&) const override { throw std::logic_error("read"); }
  };
  TestContext context;
  auto group = std::make_shared<MemoryGroup>();
  group->attributes_shown = {{"version", Json("unpacked-fragments-v2")}};
  for (const char* name : {"cell", "start", "end"})
    group->set(name, memory_array(std::vector<uint32_t>{0, 1, 2, 3}));
  group->set("end_max", memory_array(std::vector<uint32_t>{3}));
  group->set("chr_ptr", std::make_shared<Endless>());
  group->set("cell_names", text_array({"a", "b", "c"}));
  group->set("chr_names", text_array({"x", "y", "z"}));
  const std::optional<Node> node = bpcells::refine(raw(group), context);
  BOOST_CHECK_EXCEPTION(std::get<Fragments>(node->content).chr_pointer->check(), Error,
                        mentions("chr_ptr has 4503599627370496 values, more than 16777216"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
