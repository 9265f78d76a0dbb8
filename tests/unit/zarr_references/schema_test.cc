// HDMF's attributes of Zarr arrays and groups, in stores written by hdmf-zarr and in small ones made here.
#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/unit/zarr_references/refined_store.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr_references;
using boost::test_tools::per_element;

const std::string kCases = PLAINFS_TEST_DATA "/hdmf-zarr/";

struct GoldenStore {
  explicit GoldenStore(const std::string& name)
      : root(open_refined(kCases + name + "/store.zarr", context)) {}
  TestContext context;
  Node root;
};

struct OwnStore : zarr::V2Store {
  Node open() { return open_refined(path(), context); }
  // Returns group g with these attributes, beside the array "data".
  Node with_attributes(const std::string& zattrs) {
    put_v2_array("data");
    put("g/.zgroup", R"({"zarr_format":2})");
    put("g/.zattrs", zattrs);
    return open();
  }
  TestContext context;
};

BOOST_AUTO_TEST_SUITE(schema)

BOOST_AUTO_TEST_CASE(other_nodes_are_left_alone) {
  TestContext context;
  BOOST_TEST(!zarr_references::refine(Node{}, context).has_value());
  BOOST_TEST(
      !zarr_references::refine(Node{LabelledArray{text_array({"a"}), {}, {}}, {}, {}}, context).has_value());
}

BOOST_AUTO_TEST_CASE(links_lead_to_their_target) {
  const GoldenStore store("external_links");
  const Link external = link_at(store.root, "acquisition/linked_ts/data");
  BOOST_TEST(external.source == "../other.zarr");
  BOOST_TEST(external.path == (Texts{"acquisition", "src", "data"}), per_element());
  const GoldenStore own("ecephys_pickle");
  const Link internal = link_at(own.root, "general/extracellular_ephys/shank0/device");
  BOOST_TEST(internal.source == "");
  BOOST_TEST(internal.path == (Texts{"general", "devices", "array"}), per_element());
  const GoldenStore v3("v3_convention");
  BOOST_TEST(link_at(v3.root, "acquisition/ts3/data").source == "../other.zarr");
  BOOST_TEST(link_at(v3.root, "acquisition/ts2/data").source == "");
}

BOOST_AUTO_TEST_CASE(source_relative_to_the_folder_of_the_store_is_understood) {
  const GoldenStore store("sources_0_10");
  BOOST_TEST(link_at(store.root, "grp/l").source == "");
  BOOST_TEST(link_at(store.root, "grp/lf").source == "other.zarr");
  BOOST_TEST(texts_at(store.root, "grp/refs") == (Texts{"/grp/sub/x", "/grp/sub", "other.zarr:/far/y"}),
             per_element());
  BOOST_TEST(attribute_at(store.root, "grp", "ref") == R"("/grp/sub")");
  BOOST_TEST(attribute_at(store.root, "grp", "far_ref") == R"("other.zarr:/far")");
}

BOOST_AUTO_TEST_CASE(absolute_or_absent_source_is_understood) {
  OwnStore store;
  const Node root = store.with_attributes(R"({"zarr_link":[
      {"name":"own","source":")" + store.path() +
                                          R"(","path":"/data"},
      {"name":"other","source":"/no/such.zarr","path":"/data"},
      {"name":"none","path":"/data"}, {"name":"null","source":null,"path":"/data"}]})");
  BOOST_TEST(link_at(root, "g/own").source == "");
  BOOST_TEST(link_at(root, "g/other").source == "/no/such.zarr");
  BOOST_TEST(link_at(root, "g/none").source == "");
  BOOST_TEST(link_at(root, "g/null").source == "");
}

BOOST_AUTO_TEST_CASE(path_of_a_link_never_leaves_the_store) {
  OwnStore store;
  const Node root = store.with_attributes(
      R"({"zarr_link":[{"name":"x","source":".","path":"/../../etc//./passwd"},{"name":"y","path":"/a/../data"}]})");
  BOOST_TEST(link_at(root, "g/x").path == (Texts{"etc", "passwd"}), per_element());
  BOOST_TEST(link_at(root, "g/y").path == (Texts{"data"}), per_element());
}

BOOST_AUTO_TEST_CASE(references_are_paths) {
  const GoldenStore store("builders_pickle");
  BOOST_TEST(texts_at(store.root, "grp/refs") == (Texts{"/grp/v_int8", "/grp/sub", "/grp/text"}),
             per_element());
  BOOST_TEST(texts_at(store.root, "grp/ref_one") == (Texts{"/grp/sub"}), per_element());
  BOOST_TEST((array_at(store.root, "grp/refs")->dtype().kind == Kind::reference));
  BOOST_TEST(attribute_at(store.root, "grp", "ref_data") == R"("/grp/text")");
  const GoldenStore codecs("object_codecs");
  for (const char* name : {"grp/refs_p2", "grp/refs_p3", "grp/refs_p4", "grp/refs_p5"}) {
    BOOST_TEST(texts_at(codecs.root, name).back() == "../other.zarr:/grp/t1");
  }
  const GoldenStore v3("v3_convention");
  BOOST_TEST(attribute_at(v3.root, "acquisition/ts1/electrodes", "far") == R"("../other.zarr:/x/y")");
}

BOOST_AUTO_TEST_CASE(compounds_are_records_in_every_layout) {
  const GoldenStore store("builders_pickle");
  BOOST_TEST(field_at(store.root, "grp/table_refs", 2) == (Texts{"/grp/v_int8", "/grp/sub"}), per_element());
  BOOST_TEST(field_at(store.root, "grp/table_text", 1) == (Texts{R"("allen")", R"("b,ob")", R"("")"}),
             per_element());
  BOOST_TEST(field_at(store.root, "grp/table_void", 0) == (Texts{"1", "2", "3"}), per_element());
  BOOST_TEST(array_at(store.root, "grp/xyz")->dtype().fixed_size());
  const GoldenStore json("builders_json");
  BOOST_TEST(field_at(json.root, "grp/table_text", 2) == (Texts{"2.5", "-0", "1e+100"}), per_element());
  const GoldenStore old("old_pickle");
  BOOST_TEST(field_at(old.root, "intervals/trials/timeseries", 2) ==
                 (Texts{"/acquisition/ts1", "/acquisition/ts1", "/acquisition/ts2"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(compound_with_a_dimension_too_many_loses_it) {
  const GoldenStore store("builders_06");
  const ArrayPtr table = array_at(store.root, "grp/table_text");
  BOOST_TEST(table->shape() == (Shape{3}), per_element());
  BOOST_TEST(texts_of(table->read(range(1, 2)).children.at(1)) == (Texts{R"("b,ob")", R"("")"}),
             per_element());
  const GoldenStore masks("ophys_mask_2d");
  const ArrayPtr mask =
      array_at(masks.root, "processing/ophys/ImageSegmentation/PlaneSegmentation/pixel_mask");
  BOOST_TEST(mask->shape() == (Shape{6, 3}), per_element());
}

BOOST_AUTO_TEST_CASE(bytes_with_a_dtype_are_text) {
  const GoldenStore store("old_pickle");
  BOOST_TEST(texts_at(store.root, "session_start_time") == (Texts{"2024-03-27T14:52:26.123000-07:00"}),
             per_element());
  OwnStore own;
  const std::string filters = R"(,"filters":[{"id":"vlen-bytes"}])";
  for (const char* name : {"text", "bytes", "latin"})
    own.put_v2_array(name, R"("|O")", "0", filters, "[1]", "[1]");
  for (const char* name : {"text/0", "bytes/0"}) own.put(name, std::string("\1\0\0\0\2\0\0\0ab", 10));
  own.put("latin/0", std::string("\1\0\0\0\1\0\0\0\xe9", 9));
  for (const char* name : {"text", "latin"})
    own.put(std::string(name) + "/.zattrs", R"({"zarr_dtype":"bytes"})");
  const Node root = own.open();
  BOOST_TEST((array_at(root, "text")->dtype().kind == Kind::text));
  BOOST_TEST((array_at(root, "bytes")->dtype().kind == Kind::blob));
  BOOST_CHECK_EXCEPTION(texts_at(root, "latin"), Error, mentions("is not UTF-8"));
}

BOOST_AUTO_TEST_CASE(object_with_an_underscore_is_text) {
  const GoldenStore store("from_hdf5");
  BOOST_TEST(
      texts_at(store.root, "general/extracellular_ephys/electrodes/location") == (Texts{"L0", "L1", "L2"}),
      per_element());
  BOOST_TEST(texts_at(store.root, "file_create_date") == (Texts{"2024-04-01T08:00:00+00:00"}), per_element());
}

BOOST_AUTO_TEST_CASE(unwritten_chunks_of_references_are_null) {
  OwnStore store;
  store.put_v2_array("a", R"("|O")", "0", R"(,"filters":[{"id":"json2"}])", "[2]", "[1]");
  store.put("a/1", R"([{"path":"/x","source":"."},"|O",[1]])");
  store.put("a/.zattrs", R"({"zarr_dtype":"object"})");
  BOOST_TEST(texts_at(store.open(), "a") == (Texts{"NA", "/x"}), per_element());
}

BOOST_AUTO_TEST_CASE(rules_apply_to_a_single_array_root) {
  zarr::StoreWriter writer;
  writer.put(".zarray", R"({"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"|O","compressor":null,
      "filters":[{"id":"json2"}],"order":"C","fill_value":0})");
  writer.put("0", R"([{"path":"/x","source":"../b.zarr"},"|O",[1]])");
  writer.put(".zattrs", R"({"zarr_dtype":"object"})");
  TestContext context;
  BOOST_TEST(texts_of(read_all(*array_of(open_refined(writer.path(), context)))) == (Texts{"../b.zarr:/x"}),
             per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
