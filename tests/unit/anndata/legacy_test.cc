#include "formats/schemas/anndata/legacy.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/sample_arrays.h"
#include "tests/support/view_text.h"
#include "tests/unit/anndata/anndata_store.h"

namespace plainfs::anndata {
namespace {

// Returns an array of compounds with a text named index and numbers.
Node frame(const std::vector<std::string>& index, const std::string& column,
           const std::vector<int8_t>& codes) {
  const DType type = packed_compound_type({{"index", text_type()}, {column, number_type(Kind::integer, 1)}});
  Elements elements;
  elements.count = index.size();
  TextBuilder texts;
  for (const std::string& name : index) texts.add(name);
  elements.children.push_back(texts.finish());
  elements.children.push_back(elements_of<int8_t>(codes));
  return Node{LabelledArray{std::make_shared<MemoryArray>(type, Shape{index.size()}, std::move(elements)),
                            nullptr, nullptr}};
}

struct LegacyStore {
  explicit LegacyStore(const std::vector<int8_t>& codes = {1, 0, -1}) {
    root->add("obs", frame({"c1", "c2", "c3"}, "cat", codes)).add("var", frame({"g1", "g2"}, "n", {3, 4}));
    uns->add_text("cat_categories", {"a", "b"});
  }
  Node at(std::initializer_list<std::string> names) {
    Node node;
    node.parts = root;
    node = anndata::refine(node, context).value();
    for (const std::string& name : names) node = node.parts->find(name).value();
    return node;
  }
  Texts column(const Node& node) {
    const LabelledArray& array = std::get<LabelledArray>(node.content);
    const Elements rows = read_all(*array.labels);
    const DType type = array.labels->dtype().fields.at(0).type;
    return shown(MemoryArray(type, array.labels->shape(), rows.children.at(0)));
  }

  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::shared_ptr<MemoryGroup> uns = root->add_group("uns");
};

BOOST_AUTO_TEST_SUITE(legacy_layout)

BOOST_AUTO_TEST_CASE(codes_take_their_labels_from_uns) {
  LegacyStore store;
  const Node node = store.at({"obs"});
  BOOST_TEST(store.column(node) == (Texts{"b", "a", "NA"}));
  const LabelledArray& array = std::get<LabelledArray>(node.content);
  BOOST_TEST(shown(*array.row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST((array.values->dtype().fields[1].type == number_type(Kind::integer, 1)));
  BOOST_TEST(store.column(store.at({"var"})) == (Texts{"3", "4"}));
}

BOOST_AUTO_TEST_CASE(incomplete_labels_are_not_used) {
  for (const int8_t odd : {2, -2}) {
    LegacyStore store({1, 0, odd});
    BOOST_TEST(store.column(store.at({"obs"})) == (Texts{"1", "0", std::to_string(odd)}));
  }
}

BOOST_AUTO_TEST_CASE(legacy_raw_moves_to_its_current_place) {
  LegacyStore store;
  set_attribute(*store.root, "anything", Json("x"));
  const auto x = add_csr(*store.root, "raw.X");
  x->set_attributes({{"h5sparse_format", Json("csr")}, {"h5sparse_shape", counts({3, 2})}});
  store.root->add("raw.var", frame({"r1", "r2"}, "cat", {1, 1}));
  store.root->add_group("raw.cat")->add_text("cat_categories", {"x", "y"});
  BOOST_TEST(!store.at({}).parts->find("raw.X").has_value());
  const Node node = store.at({"raw", "X"});
  const SparseMatrix& matrix = std::get<SparseMatrix>(node.content);
  BOOST_TEST((matrix.rows == 2 && matrix.columns == 3));
  BOOST_TEST(shown(*matrix.row_names) == (Texts{"r1", "r2"}));
  BOOST_TEST(store.column(store.at({"raw", "var"})) == (Texts{"y", "y"}));
}

BOOST_AUTO_TEST_CASE(a_compound_of_lists_is_a_group_of_matrices) {
  LegacyStore store;
  const DType real = number_type(Kind::real, 8);
  Elements pairs, elements;
  pairs.count = elements.count = 3;
  pairs.children.push_back(elements_of<double>({1, 2, 3, 4, 5, 6}));
  elements.children.push_back(std::move(pairs));
  Node obsm;
  obsm.content =
      LabelledArray{std::make_shared<MemoryArray>(packed_compound_type({{"X_pca", array_type(real, {2})}}),
                                                  Shape{3}, std::move(elements)),
                    nullptr, nullptr};
  store.root->add("obsm", obsm);
  const Node node = store.at({"obsm", "X_pca"});
  const LabelledArray& array = std::get<LabelledArray>(node.content);
  BOOST_TEST(array.values->shape() == (Shape{3, 2}));
  BOOST_TEST(shown(*array.row_names) == (Texts{"c1", "c2", "c3"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::anndata
