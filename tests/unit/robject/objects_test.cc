// The meaning of R objects, each assembled by hand.
#include <boost/test/unit_test.hpp>

#include "formats/annotated/annotated_matrices.h"
#include "formats/containers/rds/container.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/robject/schema.h"
#include "tests/support/probe.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/r_stream.h"
#include "tests/unit/rds/rds_file.h"

namespace {

using namespace plainfs;

using rds::RdsFile;
using rds::RStream;
using rds::start;

// An object in a file, which is removed with the object.
class Object {
 public:
  explicit Object(const RStream& stream) : file_(stream.text), root_(root_of(file_.path)) {}

  const Node& root() const { return root_; }
  TestContext& context() { return context_; }
  // Requires: it exists.
  Node at(const std::vector<std::string>& path) {
    std::optional<Node> node = find_path(*root_.parts, path);
    BOOST_REQUIRE(node);
    return *std::move(node);
  }
  std::vector<std::string> names(const std::vector<std::string>& path = {}) {
    std::vector<std::string> names;
    const Node node = path.empty() ? root_ : at(path);
    for (const Member& member : node.parts->members()) names.push_back(member.name);
    return names;
  }
  std::vector<std::string> values(const std::vector<std::string>& path) {
    const Node node = at(path);
    return shown(*std::get<LabelledArray>(node.content).values);
  }
  // Returns the columns of a table, each as its name followed by its values.
  std::vector<std::vector<std::string>> columns(const std::vector<std::string>& path) {
    const Node node = at(path);
    std::vector<std::vector<std::string>> columns;
    for (const Column& column : std::get<Table>(node.content).columns) {
      columns.push_back(shown(*column.values));
      columns.back().insert(columns.back().begin(), column.name);
    }
    return columns;
  }

 private:
  Node root_of(const std::string& path) {
    return *robject::refine(rds::open(look_at(path), context_).root, context_);
  }

  TestContext context_;
  const RdsFile file_;
  const Node root_;
};

using Texts = std::vector<std::string>;

// Begins a vector with attributes: its flags announce them.
RStream& integers(RStream& out, const std::vector<int32_t>& values) {
  out.i(13 | rds::kWithAttributes).i(static_cast<int32_t>(values.size()));
  for (const int32_t value : values) out.i(value);
  return out;
}

RStream& class_attribute(RStream& out, const std::vector<std::string>& names) {
  return out.tag("class").strings(names);
}

RStream& factor(RStream& out, const std::vector<int32_t>& codes, const std::vector<std::string>& levels) {
  integers(out, codes).tag("levels").strings(levels);
  return class_attribute(out, {"factor"});
}

// Follows the columns of a data frame.
RStream& frame_end(RStream& out, const std::vector<std::string>& names, int32_t rows) {
  out.tag("names").strings(names);
  class_attribute(out, {"data.frame"});
  return out.tag("row.names").integers({INT32_MIN, -rows}).nil();
}

RStream& frame(RStream& out, int32_t columns) {
  return out.list(columns, rds::kWithAttributes);
}

BOOST_AUTO_TEST_SUITE(objects)

BOOST_AUTO_TEST_CASE(a_factor_with_dimensions_shows_its_labels) {
  RStream out = start();
  out.list(1, rds::kWithAttributes);
  factor(out, {1, 2, 1, 3, INT32_MIN, 2}, {"u", "v", "w"}).tag("dim").integers({2, 3}).nil();
  Object object(out.names({"f"}));
  BOOST_TEST(object.values({"f"}) == (Texts{"u", "v", "u", "w", "NA", "v"}),
             boost::test_tools::per_element());
  const LabelledArray array = std::get<LabelledArray>(object.at({"f"}).content);
  BOOST_TEST(array.values->shape() == (Shape{3, 2}), boost::test_tools::per_element());
  BOOST_TEST(array.values->column_major());
  BOOST_TEST(object.values({"f", "levels"}) == (Texts{"u", "v", "w"}), boost::test_tools::per_element());
  const LabelledArray codes = std::get<LabelledArray>(object.at({"f", "values"}).content);
  BOOST_TEST(codes.values->shape() == (Shape{3, 2}), boost::test_tools::per_element());
}

// The parts of a POSIXlt with two times. The second has no day.
RStream& broken_down(RStream& out) {
  out.list(7, rds::kWithAttributes)
      .reals({3.5, 0})
      .integers({2, 0})
      .integers({1, 0})
      .integers({1, INT32_MIN});
  out.integers({11, 0}).integers({120, 120}).integers({3600, INT32_MIN});
  out.tag("names").strings({"sec", "min", "hour", "mday", "mon", "year", "gmtoff"});
  return class_attribute(out, {"POSIXlt", "POSIXt"});
}

BOOST_AUTO_TEST_CASE(a_column_of_broken_down_times_is_one_of_instants) {
  RStream out = start();
  frame(out, 2);
  broken_down(out).tag("tzone").strings({"UTC"}).nil();
  broken_down(out).tag("tzone").strings({"", "CET", "CEST"}).nil();
  Object object(frame_end(out, {"utc", "local"}, 2));
  const auto columns = object.columns({"table"});
  BOOST_REQUIRE(columns.size() == 2U);
  BOOST_TEST(columns[0] == (Texts{"utc", "2020-12-01T01:02:03.5Z", "NA"}), boost::test_tools::per_element());
  BOOST_TEST(columns[1] == (Texts{"local", "2020-12-01T00:02:03.5Z", "NA"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(local_times_without_an_offset_are_left_out_of_the_table) {
  RStream out = start();
  frame(out, 2).integers({1});
  out.list(6, rds::kWithAttributes).reals({0}).integers({0}).integers({0}).integers({1}).integers({0});
  out.integers({120}).tag("names").strings({"sec", "min", "hour", "mday", "mon", "year"});
  class_attribute(out, {"POSIXlt", "POSIXt"}).tag("tzone").strings({"Europe/Berlin"}).nil();
  Object object(frame_end(out, {"id", "when"}, 1));
  BOOST_TEST(object.columns({"table"}).size() == 1U);
  BOOST_TEST(object.context().warned("/table: when is left out of the table: it is in local time"));
}

BOOST_AUTO_TEST_CASE(a_column_of_lists_is_left_out_of_the_table_and_logged) {
  RStream out = start();
  frame(out, 2).integers({1, 2}).list(2).integers({1}).integers({1, 2});
  Object object(frame_end(out, {"id", "several"}, 2));
  BOOST_TEST(object.columns({"table"}).size() == 1U);
  BOOST_TEST(object.names({"table"}) == (Texts{"id", "several"}), boost::test_tools::per_element());
  BOOST_TEST(object.context().warned(
      "/table: several is left out of the table: it does not have one value for each row"));
}

// as.character() of numbers, not yet evaluated when R saved them.
RStream& text_of(RStream& out, const std::vector<double>& numbers) {
  out.i(238).i(2).symbol("deferred_string").i(2).symbol("base").i(2).integers({16}).nil();
  return out.i(2).reals(numbers).integers({0}).nil();
}

BOOST_AUTO_TEST_CASE(unknown_number_text_fails_alone) {
  RStream out = start();
  frame(out, 2);
  text_of(out, {45.5, 1e5});
  text_of(out, {1.0 / 3, 1});
  Object object(frame_end(out, {"age", "third"}, 2));
  const auto columns = object.columns({"table"});
  BOOST_REQUIRE(columns.size() == 1U);
  BOOST_TEST(columns[0] == (Texts{"age", "45.5", "1e+05"}), boost::test_tools::per_element());
  BOOST_TEST(object.context().warned("/table: third is left out of the table: unknown how R writes 0.333"));
}

BOOST_AUTO_TEST_CASE(an_object_of_a_reference_class_has_its_fields) {
  RStream out = start();
  out.s4().tag(".xData").environment();
  out.tag(".->balance").reals({5}).tag("balance").i(3 | rds::kWithTag).i(242).nil().nil();
  out.tag("owner").strings({"x"}).tag(".self").again(2).tag(".refClassDef").integers({1});
  out.nil().nil().nil().class_of("Account", "bank");
  Object object(out);
  BOOST_TEST(object.names() == (Texts{"balance", "owner"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_object_of_r6_has_its_public_and_private_fields) {
  RStream out = start();
  out.environment().tag("x").integers({1}).tag(".__enclos_env__").environment();
  out.tag("private").environment().tag("secret").integers({2}).nil().nil().nil().nil().nil().nil();
  out.nil().nil();
  class_attribute(out, {"Stack", "R6"}).nil();
  Object object(out);
  BOOST_TEST(object.names() == (Texts{"x", "private"}), boost::test_tools::per_element());
  BOOST_TEST(object.values({"private", "secret"}) == Texts{"2"}, boost::test_tools::per_element());
}

// An experiment of two rows and one column. The caller adds slots and its class.
RStream& data_frame_s4(RStream& out, int32_t rows) {
  out.s4().tag("listData").list(0).tag("nrows").integers({rows});
  return out.class_of("DFrame", "S4Vectors");
}

RStream& matrix(RStream& out) {
  return integers(out, {1, 2}).tag("dim").integers({2, 1}).nil();
}

BOOST_AUTO_TEST_CASE(assays_in_an_environment_are_assays) {
  RStream out = start();
  out.s4().tag("colData");
  data_frame_s4(out, 1).tag("elementMetadata");
  data_frame_s4(out, 2).tag("assays").s4().tag(".xData").environment().tag(".->data");
  out.s4().tag("listData").list(1, rds::kWithAttributes);
  matrix(out).names({"counts"}).class_of("SimpleList", "S4Vectors").nil().nil().nil();
  out.class_of("ShallowSimpleListAssays", "SummarizedExperiment");
  Object object(out.class_of("SummarizedExperiment", "SummarizedExperiment"));
  BOOST_TEST(object.values({"assays", "counts"}) == (Texts{"1", "2"}), boost::test_tools::per_element());
}

// Entries at one place add up, as in R's dgCMatrix of them.
BOOST_AUTO_TEST_CASE(an_assay_of_triplets_is_a_matrix_by_column) {
  RStream out = start();
  out.s4().tag("colData");
  data_frame_s4(out, 2).tag("elementMetadata");
  data_frame_s4(out, 3).tag("assays").list(1, rds::kWithAttributes).s4();
  out.tag("i").integers({2, 0, 2}).tag("j").integers({1, 0, 1}).tag("x").reals({1, 2, 4});
  out.tag("Dim").integers({3, 2}).tag("Dimnames").list(2).nil().nil().class_of("dgTMatrix", "Matrix");
  Object object(out.names({"counts"}).class_of("SummarizedExperiment", "SummarizedExperiment"));
  const SparseMatrix generated = evaluated(std::get<SparseMatrix>(object.at({"assays", "counts"}).content));
  BOOST_TEST(generated.rows == 3U);
  BOOST_TEST(!generated.by_row);
  BOOST_TEST(shown(*generated.value) == (Texts{"2.000000", "5.000000"}), boost::test_tools::per_element());
  BOOST_TEST(object.values({"assays", "counts", "i"}) == (Texts{"2", "0", "2"}),
             boost::test_tools::per_element());
  const auto found = annotated_matrices(object.root(), object.context().context);
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].make().genes == 3U);
}

BOOST_AUTO_TEST_CASE(slots_added_to_an_experiment_are_shown) {
  RStream out = start();
  out.s4().tag("colData");
  data_frame_s4(out, 1).tag("elementMetadata");
  data_frame_s4(out, 2).tag("assays").list(1, rds::kWithAttributes);
  matrix(out).names({"counts"}).tag("clusters").list(1, rds::kWithAttributes).integers({4}).names({"UMAP"});
  Object object(out.class_of("cell_data_set", "monocle3"));
  BOOST_TEST(object.values({"clusters", "UMAP"}) == Texts{"4"}, boost::test_tools::per_element());
}

// Pairs of cells, with a weight each.
RStream& hits(RStream& out) {
  out.s4().tag("hits").s4().tag("from").integers({1, 2}).tag("to").integers({2, 3});
  out.tag("nLnode").integers({3}).tag("nRnode").integers({3}).tag("elementMetadata").s4();
  out.tag("listData")
      .list(1, rds::kWithAttributes)
      .reals({0.5, 0.25})
      .names({"x"})
      .tag("nrows")
      .integers({2});
  out.class_of("DFrame", "S4Vectors").class_of("SelfHits", "S4Vectors");
  return out.class_of("DualSubset", "SingleCellExperiment");
}

RStream& list_of(RStream& out, const std::string& name, const std::function<void()>& put_item, int32_t rows) {
  out.s4().tag("listData").list(1, rds::kWithAttributes);
  put_item();
  out.names({name}).tag("nrows").integers({rows});
  return out.class_of("DFrame", "S4Vectors");
}

BOOST_AUTO_TEST_CASE(pairs_of_cells_are_a_table) {
  RStream out = start();
  out.s4().tag("colData");
  data_frame_s4(out, 3).tag("elementMetadata");
  data_frame_s4(out, 2).tag("assays").list(0).tag("int_colData");
  list_of(
      out, "colPairs",
      [&] {
        list_of(
            out, "knn", [&] { hits(out); }, 3);
      },
      3);
  Object object(out.class_of("SingleCellExperiment", "SingleCellExperiment"));
  const auto columns = object.columns({"column_pairs", "knn"});
  BOOST_REQUIRE(columns.size() == 3U);
  BOOST_TEST(columns[0] == (Texts{"from", "1", "2"}), boost::test_tools::per_element());
  BOOST_TEST(columns[1] == (Texts{"to", "2", "3"}), boost::test_tools::per_element());
  BOOST_TEST(columns[2][0] == "x");
}

BOOST_AUTO_TEST_CASE(other_columns_of_internal_frames_are_a_table) {
  RStream out = start();
  out.s4().tag("colData");
  data_frame_s4(out, 1).tag("elementMetadata");
  data_frame_s4(out, 2).tag("assays").list(0).tag("int_colData");
  list_of(
      out, "size_factor", [&] { out.reals({2}); }, 1);
  Object object(out.class_of("SingleCellExperiment", "SingleCellExperiment"));
  BOOST_TEST(object.columns({"int_colData"})[0][0] == "size_factor");
}

// Three vertices and two edges, with a weight each.
RStream& igraph(RStream& out, bool is_directed, const std::vector<double>& from,
                const std::vector<double>& to, const std::function<void()>& put_vertices) {
  out.list(10, rds::kWithAttributes).reals({3}).logical(is_directed).reals(from).reals(to);
  out.nil().nil().nil().nil().list(4).reals({1, 0, 1});
  out.list(1, rds::kWithAttributes).strings({"tree"}).names({"kind"});
  put_vertices();
  out.list(1, rds::kWithAttributes).reals({0.5, 0.25}).names({"weight"}).nil();
  return out.tag("class").strings({"igraph"}).nil();
}

BOOST_AUTO_TEST_CASE(a_graph_is_a_table_of_its_edges) {
  RStream out = start();
  const auto put_names = [&] {
    out.list(1, rds::kWithAttributes).strings({"Y_1", "Y_2", "Y_3"}).names({"name"});
  };
  out.list(2, rds::kWithAttributes);
  igraph(out, false, {1, 2}, {0, 1}, put_names);
  igraph(out, true, {1, 2}, {0, 1}, [&] { out.list(0); });
  Object object(out.names({"undirected", "directed"}));
  const auto undirected = object.columns({"undirected"}), directed = object.columns({"directed"});
  BOOST_REQUIRE(undirected.size() == 3U);
  BOOST_TEST(undirected[0] == (Texts{"from", "Y_1", "Y_2"}), boost::test_tools::per_element());
  BOOST_TEST(undirected[1] == (Texts{"to", "Y_2", "Y_3"}), boost::test_tools::per_element());
  BOOST_TEST(undirected[2] == (Texts{"weight", "0.500000", "0.250000"}), boost::test_tools::per_element());
  BOOST_TEST(directed.at(0) == (Texts{"from", "2", "3"}), boost::test_tools::per_element());
  BOOST_TEST(directed.at(1) == (Texts{"to", "1", "2"}), boost::test_tools::per_element());
  BOOST_TEST(object.values({"directed", "kind"}) == Texts{"tree"}, boost::test_tools::per_element());
  BOOST_TEST(std::get<Table>(object.at({"directed", "vertices"}).content).rows == 3U);
}

BOOST_AUTO_TEST_CASE(an_attribute_of_another_length_is_left_out) {
  RStream out = start();
  Object object(igraph(out, true, {1, 2}, {0, 1}, [&] {
    out.list(1, rds::kWithAttributes).integers({1, 2}).names({"size"});
  }));
  BOOST_TEST(std::get<Table>(object.at({"vertices"}).content).columns.empty());
  BOOST_TEST(object.context().warned("/vertices: attribute size is left out"));
}

BOOST_AUTO_TEST_CASE(an_edge_of_no_vertex_is_damage) {
  RStream out = start();
  Object object(igraph(out, true, {1, 3}, {0, 1}, [&] { out.list(0); }));
  const Table table = std::get<Table>(object.root().content);
  BOOST_CHECK_EXCEPTION(read_all(*table.columns.at(0).values), Error,
                        [](const Error& error) { return error.code() == Errc::damaged; });
}

RStream& run_lengths(RStream& out, const std::function<void()>& put_values,
                     const std::vector<int32_t>& lengths) {
  out.s4().tag("values");
  put_values();
  return out.tag("lengths").integers(lengths).class_of("Rle", "S4Vectors");
}

BOOST_AUTO_TEST_CASE(a_list_of_ranges_has_a_line_a_range_with_its_group) {
  RStream out = start();
  out.s4().tag("colData");
  data_frame_s4(out, 1).tag("assays").list(0).tag("rowRanges").s4().tag("unlistData").s4().tag("seqnames");
  run_lengths(out, [&] { factor(out, {1}, {"chr1"}).nil(); }, {3}).tag("strand");
  run_lengths(out, [&] { factor(out, {1}, {"+", "-", "*"}).nil(); }, {3}).tag("ranges").s4();
  out.tag("start").integers({1, 5, 9}).tag("width").integers({2, 2, 2}).class_of("IRanges", "IRanges");
  out.tag("seqinfo").s4().tag("seqnames").strings({"chr1"}).tag("seqlengths").integers({100});
  out.tag("is_circular").logical(0).tag("genome").strings({"x"}).class_of("Seqinfo", "GenomeInfoDb");
  out.class_of("GRanges", "GenomicRanges").tag("partitioning").s4().tag("end").integers({2, 2, 3});
  out.tag("NAMES")
      .strings({"g1", "g2", "g3"})
      .class_of("PartitioningByEnd", "IRanges")
      .tag("elementMetadata");
  data_frame_s4(out, 3).class_of("CompressedGRangesList", "GenomicRanges");
  Object object(out.class_of("RangedSummarizedExperiment", "SummarizedExperiment"));
  const auto columns = object.columns({"row_ranges", "ranges"});
  BOOST_REQUIRE(columns.size() == 5U);
  BOOST_TEST(columns[0] == (Texts{"group", "g1", "g1", "g3"}), boost::test_tools::per_element());
  BOOST_TEST(columns[2] == (Texts{"start", "1", "5", "9"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
