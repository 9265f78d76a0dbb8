#include "formats/schemas/tenx/molecules.h"

#include <boost/test/unit_test.hpp>

#include "formats/schemas/tenx/molecule_columns.h"
#include "tests/support/view_text.h"
#include "tests/unit/tenx/tenx_store.h"

namespace plainfs::tenx {
namespace {

// Two molecules.
struct File {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();

  explicit File(const std::string& without = "") {
    const auto add = [&](const std::string& name, Node node) {
      if (name != without) root->add(name, std::move(node));
    };
    add("barcode_idx", number_node<uint64_t>({1, 0}));
    add("feature_idx", number_node<uint32_t>({0, 1}));
    add("umi", number_node<uint32_t>({0b00'01'10'11, 0}));
    add("count", number_node<uint32_t>({3, 4}));
    add("gem_group", number_node<uint16_t>({1, 12}));
    if (without != "barcodes") root->add_text("barcodes", {"AAAA", "CCCC"});
    if (without == "features") return;
    const auto features = root->add_group("features");
    if (without != "id") features->add_text("id", {"E1", "E2"});
  }

  std::optional<Node> refined() {
    Node node;
    node.parts = root;
    return tenx::refine(node, context);
  }
  Table table() { return std::get<Table>(refined().value().parts->find("molecules").value().content); }
};

ArrayPtr bases(const std::vector<uint64_t>& umis, TestContext& context) {
  return bases_of(numbers(umis), context);
}

BOOST_AUTO_TEST_SUITE(tenx_molecules)

BOOST_AUTO_TEST_CASE(numbers_are_spelled_out_as_texts) {
  File file;
  const Table table = file.table();
  BOOST_TEST(names_of(table) == (Texts{"barcode", "umi", "feature_id", "count"}));
  BOOST_TEST(table.rows == 2u);
  BOOST_TEST(shown(*table.columns[0].values) == (Texts{"CCCC-1", "AAAA-12"}));
  BOOST_TEST(shown(*table.columns[1].values) == (Texts{"AAAAAAACGT", "AAAAAAAAAA"}));
  BOOST_TEST(shown(*table.columns[2].values) == (Texts{"E1", "E2"}));
}

BOOST_AUTO_TEST_CASE(names_and_libraries_are_columns_if_stored) {
  File file;
  file.root->add("library_idx", number_node<uint16_t>({0, 1}));
  std::const_pointer_cast<MemoryGroup>(
      std::dynamic_pointer_cast<const MemoryGroup>(file.root->find("features")->parts))
      ->add_text("name", {"G1", "&#181;"});
  const Table table = file.table();
  BOOST_TEST(names_of(table) == (Texts{"barcode", "umi", "feature_id", "feature_name", "count", "library"}));
  BOOST_TEST(shown(*table.columns[3].values)[1] == "&#181;");
}

BOOST_AUTO_TEST_CASE(file_without_a_list_has_no_such_table) {
  for (const std::string part :
       {"barcode_idx", "feature_idx", "umi", "count", "gem_group", "barcodes", "features", "id"}) {
    File file(part);
    BOOST_TEST(!file.refined().has_value(), part);
  }
}

BOOST_AUTO_TEST_CASE(an_index_beyond_its_list_is_damage) {
  File file("feature_idx");
  file.root->add("feature_idx", number_node<uint32_t>({0, 2}));
  BOOST_TEST(message_of([&] { shown(*file.table().columns[2].values); }) == "feature_idx 2 is not below 2");
  File negative("barcode_idx");
  negative.root->add("barcode_idx", number_node<int64_t>({0, -1}));
  BOOST_TEST(message_of([&] { shown(*negative.table().columns[0].values); }) == "barcode_idx -1 is negative");
}

BOOST_AUTO_TEST_CASE(wells_of_another_length_are_damage) {
  File file("gem_group");
  file.root->add("gem_group", number_node<uint16_t>({1}));
  BOOST_TEST(message_of([&] { shown(*file.table().columns[0].values); }) ==
             "gem_group has 1 values for 2 molecules");
}

BOOST_AUTO_TEST_CASE(largest_umi_sets_the_number_of_bases) {
  TestContext context;
  BOOST_TEST(shown(*bases({0, (1u << 20) - 1}, context)) == (Texts{"AAAAAAAAAA", "TTTTTTTTTT"}));
  BOOST_TEST(shown(*bases({0, 1u << 20}, context)) == (Texts{"AAAAAAAAAAAA", "ACAAAAAAAAAA"}));
  BOOST_TEST(shown(*bases({1, 1u << 24}, context)) == (Texts{"AAAAAAAAAAAAAAAC", "AAACAAAAAAAAAAAA"}));
  BOOST_TEST(shown(*bases({}, context)).empty());
  const ArrayPtr part = bases({3, 1u << 24}, context);
  BOOST_TEST(part->read(range(0, 1)).text(0) == "AAAAAAAAAAAAAAAT");  // even in a separate request
}

BOOST_AUTO_TEST_CASE(more_than_sixteen_bases_are_damage) {
  TestContext context;
  BOOST_TEST(message_of([&] { shown(*bases({uint64_t{1} << 32}, context)); }) ==
             "umi 4294967296 has more than 16 bases");
}

BOOST_AUTO_TEST_CASE(a_long_list_is_read_in_blocks) {
  TestContext context;
  std::vector<std::string> texts;
  for (int i = 0; i < 150'000; ++i) texts.push_back(std::to_string(i));
  const ArrayPtr picked =
      picked_text(numbers<uint32_t>({149'999, 0, 65'536, 65'535}), text_array(texts), "index", context);
  BOOST_TEST(shown(*picked) == (Texts{"149999", "0", "65536", "65535"}));
}

BOOST_AUTO_TEST_CASE(info_counts_the_contents_of_the_store) {
  File file;
  file.root->set_attributes({{"file_version", Json::of(int64_t{4})}});
  Store store;
  store.root.parts = file.root;
  tenx::describe(store.root, store);
  BOOST_TEST(store.format == "10x Genomics molecule_info");
  BOOST_TEST(store.version == "4");
  BOOST_TEST(to_json_text(store.details) == R"({"10x":{"molecules":2,"barcodes":2,"features":2}})");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::tenx
