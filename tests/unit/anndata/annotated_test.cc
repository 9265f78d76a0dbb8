// The annotated matrix of an AnnData, the source of the files for other programs.
#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/main_part.h"
#include "formats/annotated/seurat_objects.h"

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

// Returns a MuData with a modality for each name, in the order of mod-order, with these genes.
std::shared_ptr<MemoryGroup> mudata(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& all) {
  auto root = std::make_shared<MemoryGroup>();
  root->set_attributes(encoding("MuData", "0.1.0"));
  add_frame(*root, "obs", {"c1", "c2", "c3"});
  const auto mod = root->add_group("mod");
  std::vector<std::string> order;
  for (const auto& [name, genes] : all) {
    order.insert(order.begin(), name);
    const auto modality = mod->add_group(name);
    modality->set_attributes(encoding("anndata", "0.1.0"));
    add_frame(*modality, "obs", {"c1", "c2", "c3"});
    add_frame(*modality, "var", genes);
    modality->add("X", dense({3, genes.size()}));
  }
  set_attribute(*mod, "mod-order", texts(order));
  return root;
}

BOOST_AUTO_TEST_SUITE(anndata_annotated)

BOOST_AUTO_TEST_CASE(main_part_is_the_first_of_mod_order) {
  AnnDataStore store;
  BOOST_TEST(main_part(store.refined_root()).empty());
  store.root = mudata({{"atac", {"p1"}}, {"rna", {"g1", "g2"}}});
  BOOST_TEST(main_part(store.refined_root()) == (Texts{"mod", "rna"}));
  store.root->set_attributes({{"active.assay", texts({"ADT"})}});
  BOOST_TEST(main_part({{}, store.root, {}, {}}) == (Texts{"assays", "ADT"}));
}

BOOST_AUTO_TEST_CASE(modality_without_features_is_left_out) {
  AnnDataStore store;
  store.root = mudata({{"vdj", {}}, {"rna", {"g1", "g2"}}});
  const auto found = find_seurat_object(store.refined_root(), store.context);
  BOOST_TEST_REQUIRE(found.has_value());
  const JointMatrices joint = std::get<std::function<JointMatrices()>>(*found)();
  BOOST_TEST_REQUIRE(joint.parts.size() == 1u);
  BOOST_TEST(joint.parts[0].name == "rna");
  BOOST_TEST(store.context.warned("seurat.rds: /mod/vdj: not in the object: it has no features"));
  store.root = mudata({{"vdj", {}}});
  BOOST_TEST(!find_seurat_object(store.refined_root(), store.context).has_value());
}

BOOST_AUTO_TEST_CASE(modality_of_another_kind_is_left_out) {
  AnnDataStore store;
  store.root = mudata({{"atac", {"p1"}}, {"rna", {"g1", "g2"}}});
  const auto mod = std::const_pointer_cast<Group>(find_group(*store.root, "mod"));
  std::dynamic_pointer_cast<MemoryGroup>(mod)->add_group("aside")->add_array("a");
  BOOST_TEST(main_part(store.refined_root()) == (Texts{"mod", "rna"}));
  const auto found = find_seurat_object(store.refined_root(), store.context);
  BOOST_TEST_REQUIRE(found.has_value());
  const JointMatrices joint = std::get<std::function<JointMatrices()>>(*found)();
  BOOST_TEST_REQUIRE(joint.parts.size() == 2u);
  BOOST_TEST(joint.parts[0].name == "rna");
  BOOST_TEST(store.context.warned("/mod/aside: not in the object: not an AnnData with one matrix"));
}

BOOST_AUTO_TEST_CASE(stored_object_without_a_matrix_is_not_found) {
  for (const char* const matrix : {"", "scale.data", "counts", "data"}) {
    TestContext context;
    const auto root = std::make_shared<MemoryGroup>();
    root->add("cell.names", dense({2}));
    Table cells;
    cells.rows = 2;
    root->add("meta.data", Node{cells, nullptr, {}, {}});
    const auto assay = root->add_group("assays")->add_group("RNA");
    assay->add("features", dense({1}));
    assay->add_group("layers");
    if (*matrix != '\0') assay->add(matrix, dense({2, 1}));
    const bool is_one = std::string_view(matrix) == "counts" || std::string_view(matrix) == "data";
    BOOST_TEST(find_seurat_object(Node{{}, root, {}, {}}, context).has_value() == is_one, matrix);
    BOOST_TEST(context.warned("no seurat.rds of /: no assay has a matrix") == !is_one, matrix);
  }
}

BOOST_AUTO_TEST_CASE(object_without_a_part_that_seurat_requires_is_not_found) {
  const auto reason = [](bool has_x, const std::vector<std::string>& cells,
                         const std::vector<std::string>& genes, auto&& add) {
    AnnDataStore store;
    store.root = std::make_shared<MemoryGroup>();
    store.root->set_attributes(encoding("anndata", "0.1.0"));
    add_frame(*store.root, "obs", cells);
    add_frame(*store.root, "var", genes);
    if (has_x) store.root->add("X", dense({cells.size(), genes.size()}));
    add(*store.root);
    if (find_seurat_object(store.refined_root(), store.context)) return std::string("found");
    return store.context.warnings().empty() ? "no notice" : store.context.warnings().back();
  };
  const auto nothing = [](MemoryGroup&) {};
  const Texts cells{"c1", "c2"}, genes{"g1"};
  BOOST_TEST(reason(true, cells, genes, nothing) == "found");
  BOOST_TEST(reason(true, {}, genes, nothing) == "no seurat.rds of /: it has no cells");
  BOOST_TEST(reason(true, cells, {}, nothing) == "no seurat.rds of /: it has no features");
  const std::string no_matrix = "no seurat.rds of /: it has no X, layers/counts or raw/X";
  BOOST_TEST(reason(false, cells, genes, nothing) == no_matrix);
  const auto add_null = [](MemoryGroup& root) { root.add("X", Node{Nothing{}}); };
  BOOST_TEST(reason(false, cells, genes, add_null) == no_matrix);
  for (const std::string part : {"layers", "raw"}) {
    const auto add_part = [&](MemoryGroup& root) {
      root.add_group(part)->add(part == "raw" ? "X" : "counts", dense({2, 1}));
    };
    BOOST_TEST(reason(false, cells, genes, add_part) == "found", part);
  }
  const auto add_damage = [](MemoryGroup& root) { root.add("X", Node{damaged("half of it")}); };
  BOOST_TEST(reason(false, cells, genes, add_damage) == "found");
}

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
  const AnnotatedMatrix generated = found[0].make();
  const auto names = [](const std::vector<AnnotatedPart>& parts) {
    Texts all;
    for (const AnnotatedPart& part : parts) all.push_back(part.name);
    return all;
  };
  BOOST_TEST(names(generated.layers) == (Texts{"flat"}));
  // Elements that no term describes are kept as they are stored.
  BOOST_TEST(names(generated.obsp) == (Texts{"cube", "flat", "of"}));
  BOOST_TEST(names(generated.obsm) == (Texts{"cube", "flat", "of"}));
  BOOST_TEST(generated.obsp[0].stored.has_value());
  TakenParts taken(generated.origins);
  for (const char* place : {"/layers/flat", "/obs", "/var", "/obsp", "/obsm"}) taken.take(place);
  Texts left_out;
  for (const auto& part : taken.left_out(store.context.context)) left_out.push_back(part.path);
  const auto names_part = [&](const std::string& name) {
    return std::any_of(left_out.begin(), left_out.end(),
                       [&](const std::string& path) { return (path + "/").starts_with(name + "/"); });
  };
  BOOST_TEST(names_part("/layers/cube"));
  BOOST_TEST(names_part("/layers/of"));
  BOOST_TEST(!names_part("/obsp"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::anndata
