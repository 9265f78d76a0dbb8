// The annotated matrix of an AnnData, the source of the files for other programs.
#include "formats/annotated/annotated_matrices.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/support/mentions.h"
#include "tests/support/view_text.h"
#include "tests/unit/anndata/anndata_store.h"

namespace plainfs::anndata {
namespace {

Node dense(Shape shape) {
  return array_node<double>(std::vector<double>(element_count(shape)), shape);
}

Node scalar(double value) {
  const DType type = number_type(Kind::real, 8);
  Elements elements = zero_elements(type, 1);
  elements.mutable_values<double>()[0] = value;
  return Node{
      LabelledArray{std::make_shared<MemoryArray>(type, Shape{}, std::move(elements)), nullptr, nullptr}};
}

BOOST_AUTO_TEST_SUITE(anndata_annotated)

BOOST_AUTO_TEST_CASE(a_dense_matrix_has_the_feature_types_of_its_genes) {
  AnnDataStore store;
  store.root = std::make_shared<MemoryGroup>();
  store.root->set_attributes(encoding("anndata", "0.1.0"));
  add_frame(*store.root, "obs", {"c1", "c2", "c3"});
  const auto typed = [](MemoryGroup& group) {
    const auto var = add_frame(group, "var", {"g1", "g2"}, {"feature_types"});
    var->add_text("feature_types", {"Gene Expression", "Antibody Capture"});
  };
  typed(*store.root);
  store.root->add("X", dense({3, 2}));
  const auto layers = store.root->add_group("layers"), raw = store.root->add_group("raw");
  layers->add("d", dense({3, 2}));
  layers->add_group("of")->add_group("a path")->add("d", dense({3, 2}));
  typed(*raw);
  raw->add("X", dense({3, 2}));
  using Path = std::initializer_list<std::string>;
  for (const Path& path :
       {Path{"X"}, Path{"layers", "d"}, Path{"layers", "of", "a path", "d"}, Path{"raw", "X"}}) {
    const ArrayPtr types = feature_types(store.at(path), 2, store.context);
    BOOST_REQUIRE(types);
    BOOST_TEST(shown(*types) == (Texts{"Gene Expression", "Antibody Capture"}));
  }
  BOOST_TEST(feature_types(store.at({"X"}), 3, store.context) == nullptr);
}

BOOST_AUTO_TEST_CASE(transient_error_of_slides_fails_the_matrix) {
  const auto make = [](AnnDataStore& store) {
    return annotated_matrices(store.refined_root(), store.context).at(0).make();
  };
  AnnDataStore whole, parts, damage;
  whole.root->add_group("uns")->add("spatial", Node{unreadable("disk")});
  BOOST_CHECK_EXCEPTION(make(whole), Error, mentions("disk"));
  parts.root->add_group("uns")->add_group("spatial")->add("slide", Node{unreadable("disk")});
  BOOST_CHECK_EXCEPTION(make(parts), Error, mentions("disk"));
  damage.root->add_group("uns")->add_group("spatial")->add("slide", Node{damaged("bytes")});
  BOOST_TEST(!make(damage).pictures);
  BOOST_TEST(damage.context.warned("spatial: not in the .h5ad"));
}

BOOST_AUTO_TEST_CASE(scale_factors_are_paired_with_their_names) {
  AnnDataStore store;
  const auto slide = store.root->add_group("uns")->add_group("spatial")->add_group("slide");
  slide->add_group("images")->add("lowres", dense({1, 1, 3}));
  const auto factors = slide->add_group("scalefactors");
  for (const auto& [name, value] : {std::pair("b", 2.0), {"a", 1.0}}) factors->add(name, scalar(value));
  const std::vector<SlidePictures> pictures =
      annotated_matrices(store.refined_root(), store.context).at(0).make().pictures();
  BOOST_REQUIRE(pictures.size() == 1U);
  std::map<std::string, double> found(pictures[0].factors.begin(), pictures[0].factors.end());
  BOOST_TEST((found == std::map<std::string, double>{{"a", 1}, {"b", 2}}));
}

// Numbers of more dimensions than a layer or a graph has are left out with a warning.
BOOST_AUTO_TEST_CASE(a_part_of_too_many_dimensions_is_left_out_of_the_h5ad) {
  AnnDataStore store;
  for (const char* name : {"layers", "obsp", "obsm"}) {
    const auto section = store.root->add_group(name);
    section->add("cube", dense({3, 2, 1}))
        .add("flat", name == std::string("obsp") ? dense({3, 3}) : dense({3, 2}));
    section->add_group("of")->add("a path", dense({3, 3}));
  }
  const auto found = annotated_matrices(store.refined_root(), store.context);
  BOOST_REQUIRE(found.size() == 1u);
  const AnnotatedMatrix made = found[0].make();
  const auto names = [](const std::vector<AnnotatedPart>& parts) {
    Texts all;
    for (const AnnotatedPart& part : parts) all.push_back(part.name);
    return all;
  };
  BOOST_TEST(names(made.layers) == (Texts{"flat"}));
  BOOST_TEST(names(made.obsp) == (Texts{"flat"}));
  BOOST_TEST(names(made.obsm) == (Texts{"cube", "flat"}));
  for (const char* name : {"/layers/cube", "/obsp/cube", "/layers/of", "/obsp/of", "/obsm/of"})
    BOOST_TEST(store.context.warned(std::string(name) + ": not in the .h5ad"), name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::anndata
