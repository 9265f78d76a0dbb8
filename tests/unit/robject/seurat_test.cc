// Seurat objects assembled by hand, and the files made from them.
#include <boost/test/unit_test.hpp>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/seurat_objects.h"
#include "formats/core/frames/common_type.h"
#include "formats/open_store.h"
#include "tests/support/mentions.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/r_stream.h"
#include "tests/unit/rds/rds_file.h"

namespace {

using namespace plainfs;

using rds::RdsFile;
using rds::RStream;
using rds::start;

using Names = std::vector<std::string>;

// A dgCMatrix with these entries in its first column, by row.
RStream& sparse(RStream& out, int32_t rows, int32_t columns, const std::vector<double>& first) {
  const auto count = static_cast<int32_t>(first.size());
  std::vector<int32_t> index, pointer(static_cast<size_t>(columns) + 1, count);
  for (int32_t i = 0; i < count; ++i) index.push_back(i);
  pointer[0] = 0;
  out.s4().tag("i").integers(index).tag("p").integers(pointer).tag("Dim").integers({rows, columns});
  return out.tag("Dimnames").list(2).nil().nil().tag("x").reals(first).class_of("dgCMatrix", "Matrix");
}

// The names in each layer: TRUE and FALSE by layer.
RStream& log_map(RStream& out, const Names& names, const Names& layers, const std::vector<int32_t>& present) {
  out.i(10 | rds::kWithAttributes).i(static_cast<int32_t>(present.size()));
  for (const int32_t value : present) out.i(value);
  out.tag("dim").integers({static_cast<int32_t>(names.size()), static_cast<int32_t>(layers.size())});
  out.tag("dimnames").list(2).strings(names).strings(layers);
  return out.class_of("LogMap", "SeuratObject");
}

struct Layer {
  std::string name;
  std::vector<int32_t> features;  // for each of three: whether it exists
  std::vector<double> values;     // of the first cell
};

// A version 5 assay with the features g1 to g3 and the cells c1 and c2.
RStream& assay5(RStream& out, const std::vector<Layer>& layers) {
  Names names;
  std::vector<int32_t> features, cells;
  out.s4().tag("layers").list(static_cast<int32_t>(layers.size()), rds::kWithAttributes);
  for (const Layer& layer : layers) {
    names.push_back(layer.name);
    features.insert(features.end(), layer.features.begin(), layer.features.end());
    cells.insert(cells.end(), {1, 1});
    sparse(out, static_cast<int32_t>(layer.values.size()), 2, layer.values);
  }
  out.names(names).tag("cells");
  log_map(out, {"c1", "c2"}, names, cells).tag("features");
  log_map(out, {"g1", "g2", "g3"}, names, features).tag("key").strings({"rna_"});
  return out.class_of("Assay5", "SeuratObject");
}

// An object with assays of these layers, the first one RNA. The caller may add slots before its class.
RStream& seurat(RStream& out, const std::vector<Layer>& layers, const std::string& further = {},
                const std::vector<Layer>& its_layers = {}) {
  out.s4().tag("assays").list(further.empty() ? 1 : 2, rds::kWithAttributes);
  assay5(out, layers);
  Names names{"RNA"};
  if (!further.empty()) {
    assay5(out, its_layers);
    names.push_back(further);
  }
  out.names(names).tag("meta.data").list(1, rds::kWithAttributes).integers({1, 2});
  out.tag("names").strings({"n"}).tag("class").strings({"data.frame"}).tag("row.names").strings({"c1", "c2"});
  return out.nil().tag("active.assay").strings({"RNA"});
}

// A version 2 object with counts of the features g1 and g2 and the cells c1 and c2, as triplets. Two of them
// are at one place. cells: in the order of meta.data.
RStream& seurat2(RStream& out, const Names& cells) {
  out.s4().tag("raw.data").s4().tag("i").integers({1, 0, 1}).tag("j").integers({1, 0, 1});
  out.tag("x").reals({3, 1, 4}).tag("Dim").integers({2, 2}).tag("Dimnames").list(2);
  out.strings({"g1", "g2"}).strings({"c1", "c2"}).class_of("dgTMatrix", "Matrix");
  out.tag("meta.data").list(1, rds::kWithAttributes).integers({1, 2}).tag("names").strings({"n"});
  out.tag("class").strings({"data.frame"}).tag("row.names").strings(cells).nil();
  return out.tag("cell.names").strings({"c1", "c2"});
}

class Object {
 public:
  explicit Object(RStream& out, const char* name = "Seurat")
      : file_(out.class_of(name, "SeuratObject").text), store_(open_store(file_.path, context_)) {}

  TestContext& context() { return context_; }
  AnnotatedMatrix assay() {
    const std::vector<std::string> path{"assays"};
    return annotated_matrices(*find_path(*store_.root.parts, path), context_).at(0).make();
  }
  SeuratObject generated() {
    const auto found = find_seurat_object(store_.root, context_);
    BOOST_REQUIRE(found);
    return std::get<std::function<SeuratObject()>>(*found)();
  }
  Names names() {
    Names names;
    for (const Member& member : store_.root.parts->members()) names.push_back(member.name);
    return names;
  }

 private:
  TestContext context_;
  const RdsFile file_;
  const Store store_;
};

std::vector<double> values_of(const Content& matrix) {
  const ArrayPtr reals =
      with_type(evaluated(std::get<SparseMatrix>(matrix)).value, number_type(Kind::real, 8));
  const Elements elements = read_all(*reals);
  return {elements.values<double>().begin(), elements.values<double>().end()};
}
std::vector<double> values_of(const SeuratMatrix& matrix) {
  return values_of(Content(std::get<SparseMatrix>(matrix)));
}

using Values = std::vector<double>;

BOOST_AUTO_TEST_SUITE(seurat_objects)

// Returns "PATH (WHY), PATH".
std::string left_out_of(const TakenParts& taken, Context& context) {
  std::string text;
  for (const auto& [path, why] : taken.left_out(context))
    text += (text.empty() ? "" : ", ") + path + (why.empty() ? "" : " (" + why + ")");
  return text;
}

BOOST_AUTO_TEST_CASE(feature_missing_from_a_layer_is_zero) {
  RStream out = start();
  Object object(seurat(out, {{"counts", {1, 1, 1}, {1, 2, 3}}, {"data", {1, 1, 0}, {0.5, 1}}}));
  const AnnotatedMatrix generated = object.assay();
  BOOST_TEST(values_of(generated.x) == (Values{0.5, 1}), boost::test_tools::per_element());
  BOOST_TEST(std::get<SparseMatrix>(generated.x).columns == 3U);
  BOOST_TEST(object.context().warned("/assays/RNA: layer data has 2 of 3 features"));
  BOOST_TEST(values_of(object.generated().assays.at(0).data) == (Values{0.5, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(counts_without_a_feature_are_not_absent) {
  RStream out = start();
  Object object(seurat(out, {{"counts", {0, 1, 1}, {2, 3}}, {"data", {1, 1, 1}, {0.5, 1, 2}}}));
  const AnnotatedMatrix generated = object.assay();
  BOOST_REQUIRE(generated.layers.size() == 1U);
  BOOST_TEST(values_of(generated.layers[0].content) == (Values{2, 3}), boost::test_tools::per_element());
  BOOST_TEST(values_of(object.generated().assays.at(0).counts) == (Values{2, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(another_layer_is_a_layer_if_it_is_whole) {
  RStream out = start();
  Object object(seurat(
      out,
      {{"counts", {1, 1, 1}, {1, 2, 3}}, {"corrected", {1, 1, 1}, {4, 5, 6}}, {"some", {1, 0, 0}, {7}}}));
  const AnnotatedMatrix generated = object.assay();
  BOOST_REQUIRE(generated.layers.size() == 1U);
  BOOST_TEST(generated.layers[0].name == "corrected");
  TakenParts taken(generated.origins);
  for (const char* place : {"/X", "/layers", "/obs"}) taken.take(place);
  BOOST_TEST(left_out_of(taken, object.context()) == "/assays/RNA/layers/some");
  const SeuratObject whole = object.generated();
  BOOST_REQUIRE(whole.assays.size() == 2U);
  BOOST_TEST(whole.assays[1].name == "corrected");
  BOOST_TEST(left_out_of(*whole.taken, object.context()) == "/assays/RNA/layers/some");
}

// Returns the names of the layers of an object with an assay called `further`.
Names layers_beside(const std::string& further, const std::vector<Layer>& its_layers) {
  RStream out = start();
  Object object(seurat(out, {{"data", {1, 1, 1}, {1, 2, 3}}}, further, its_layers));
  const AnnotatedMatrix generated = object.assay();
  Names names;
  for (const AnnotatedPart& layer : generated.layers) names.push_back(layer.name);
  if (generated.raw) names.push_back("raw/X");
  TakenParts taken(generated.origins);
  for (const char* place : {"/X", "/layers", "/obs", "/raw/X"}) taken.take(place);
  const std::string expected = names.empty() ? "/assays/" + further : "";
  BOOST_TEST(left_out_of(taken, object.context()) == expected);
  return names;
}

// VIEWS 10 "An assay with the features of the active one"
BOOST_AUTO_TEST_CASE(assay_with_one_matrix_is_a_layer) {
  const std::vector<int32_t> all{1, 1, 1};
  const Layer data{"data", all, {4, 5, 6}};
  BOOST_TEST(layers_beside("spliced", {data}) == Names{"spliced"}, boost::test_tools::per_element());
  BOOST_TEST(layers_beside("spliced", {{"counts", all, {4, 5, 6}}, data}) == Names{"spliced"},
             boost::test_tools::per_element());
  BOOST_TEST(layers_beside("raw", {data}) == Names{"raw/X"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(assay_with_more_than_a_matrix_is_no_layer) {
  const std::vector<int32_t> all{1, 1, 1};
  const Layer data{"data", all, {4, 5, 6}};
  BOOST_TEST(layers_beside("SCT", {{"counts", all, {4, 5, 7}}, data}).empty());
  BOOST_TEST(layers_beside("SCT", {{"other", all, {4, 5, 6}}, data}).empty());
  BOOST_TEST(layers_beside("SCT", {{"data", {1, 1, 0}, {4, 5}}}).empty());
}

// VIEWS 10 "So are those of `misc$__varp__`"
BOOST_AUTO_TEST_CASE(lists_of_scconvert_are_pairs_of_genes) {
  RStream out = start();
  seurat(out, {{"data", {1, 1, 1}, {1, 2, 3}}}).tag("misc").list(2, rds::kWithAttributes);
  sparse(out.list(2, rds::kWithAttributes), 3, 3, {1, 2, 3});
  sparse(out, 2, 2, {1}).names({"pairs", "of_cells"});
  out.integers({1});
  Object object(out.names({"__varp__", "a"}));
  const AnnotatedMatrix generated = object.assay();
  BOOST_REQUIRE(generated.varp.size() == 1U);
  BOOST_TEST(generated.varp[0].name == "pairs");
  BOOST_REQUIRE(generated.uns.size() == 2U);  // the other list is not of genes
  BOOST_TEST(generated.uns[0].name == "__varp__");
  BOOST_TEST(generated.uns[0].node.parts->members().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_graph_of_other_cells_is_left_out_of_the_object) {
  RStream out = start();
  seurat(out, {{"counts", {1, 1, 1}, {1, 2, 3}}}).tag("graphs").list(2, rds::kWithAttributes);
  sparse(out, 1, 1, {1});
  Object object(sparse(out, 2, 2, {1, 1}).names({"snn", "nn"}));
  const SeuratObject generated = object.generated();
  BOOST_REQUIRE(generated.graphs.size() == 1U);
  BOOST_TEST(generated.graphs[0].name == "nn");
  BOOST_TEST(left_out_of(*generated.taken, object.context()) == "/graphs/snn (it is 1 by 1 for 2 cells)");
}

BOOST_AUTO_TEST_CASE(member_of_another_class_is_shown) {
  RStream out = start();
  seurat(out, {{"counts", {1, 1, 1}, {1, 2, 3}}}).tag("graphs").list(1, rds::kWithAttributes);
  Object object(out.integers({1, 2}).names({"odd"}));
  const SeuratObject generated = object.generated();
  BOOST_TEST(generated.graphs.empty());
  BOOST_TEST(left_out_of(*generated.taken, object.context()) == "/graphs/odd");
}

BOOST_AUTO_TEST_CASE(list_of_the_object_is_kept) {
  RStream out = start();
  seurat(out, {{"counts", {1, 1, 1}, {1, 2, 3}}}).tag("misc").list(4, rds::kWithAttributes);
  for (int i = 0; i < 4; ++i) out.integers({1});
  Object object(out.names({"a", "b", "c", "d"}));
  const SeuratObject generated = object.generated();
  BOOST_REQUIRE(generated.misc.stored);
  BOOST_TEST(generated.misc.stored->items.size() == 4U);
  BOOST_TEST(left_out_of(*generated.taken, object.context()) == "");
  const AnnotatedMatrix assay = object.assay();
  BOOST_REQUIRE(assay.uns.size() == 4U);
  BOOST_TEST(assay.uns[3].name == "d");
}

BOOST_AUTO_TEST_CASE(triplets_of_version_2_are_counts) {
  RStream out = start();
  Object object(seurat2(out, {"c1", "c2"}), "seurat");
  const SeuratObject generated = object.generated();
  BOOST_REQUIRE(generated.assays.size() == 1U);
  BOOST_TEST(values_of(generated.assays[0].counts) == (Values{1, 7}), boost::test_tools::per_element());
  BOOST_TEST(values_of(object.assay().x) == (Values{1, 7}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(cells_in_another_order_are_matched_by_name) {
  RStream out = start();
  Object object(seurat2(out, {"c2", "c1"}), "seurat");
  BOOST_TEST(values_of(object.generated().assays.at(0).counts) == (Values{7, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(values_of(object.assay().x) == (Values{7, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(slot_added_by_a_class_is_shown) {
  RStream out = start();
  seurat(out, {{"counts", {1, 1, 1}, {1, 2, 3}}}).tag("trajectory").integers({1, 2}).tag("empty").list(0);
  Object object(out);
  const Names names = object.names();
  BOOST_TEST(std::count(names.begin(), names.end(), "trajectory") == 1);
  BOOST_TEST(std::count(names.begin(), names.end(), "empty") == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
