// The description of a SpatialData: its elements, its tables and its coordinate systems.
#include "formats/schemas/ome/spatialdata.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/unit/parquet/sample_file.h"
#include "tests/unit/zarr/store_writer.h"

namespace plainfs::spatialdata {
namespace {

constexpr const char* kGroup = R"({"zarr_format":2})";

// Returns the attributes of an element that is transformed into that coordinate system.
std::string transformed(const std::string& system, const std::string& more) {
  return R"({"coordinateTransformations":[{"type":"identity","output":{"name":")" + system + R"("}}])" +
         more + "}";
}

struct SpatialStore : zarr::V2Store {
  SpatialStore() { put(".zattrs", R"({"spatialdata_attrs":{"version":"0.1"}})"); }
  void put_group(const std::string& path, const std::string& attributes) const {
    put(path + "/.zgroup", kGroup);
    put(path + "/.zattrs", attributes);
  }
  Store described() {
    Store store = open(context);
    describe(store.root, store);
    return store;
  }
  TestContext context;
};

BOOST_AUTO_TEST_SUITE(spatialdata_schema)

BOOST_AUTO_TEST_CASE(info_lists_the_elements_of_a_spatialdata) {
  SpatialStore writer;
  for (const char* kind : {"images", "labels", "points", "shapes", "tables"}) writer.put_group(kind, "{}");
  writer.put_group("images/slide", R"({"multiscales":[)" + transformed("global", "") + "]}");
  writer.put_group("points/transcripts", transformed("um", R"(,"encoding-type":"ngff:points")"));
  writer.put("points/transcripts/points.parquet/part.0.parquet", "PAR1");
  writer.put_group("shapes/cells", transformed("global", R"(,"encoding-type":"ngff:shapes")"));
  writer.put_group("tables/counts", R"({"region":["cells"],"region_key":"region","instance_key":"cell_id"})");
  writer.put("README.md", "");
  writer.put("shapes/notes.txt", "");
  const Store store = writer.described();
  BOOST_TEST(store.format == "SpatialData");
  BOOST_TEST(store.version == "0.1");
  BOOST_TEST(
      to_json_text(store.details) ==
      R"({"storage":"directory","container":"Zarr v2","spatialdata":{"images":["slide"],"points":["transcripts"],)"
      R"("shapes":["cells"],"tables":{"counts":{"region":["cells"],"region_key":"region","instance_key":"cell_id"}},)"
      R"("coordinate systems":["global","um"]}})");
  std::string facts;
  for (const StoreFact& fact : store.facts) facts += fact.name + ": " + fact.value + "\n";
  BOOST_TEST(facts ==
             "images: slide\npoints: transcripts\nshapes: cells\ntables: counts, about cells\n"
             "coordinate systems: global, um\n");
}

BOOST_AUTO_TEST_CASE(many_elements_are_the_first_and_their_number) {
  SpatialStore writer;
  writer.put_group("images", "{}");
  for (int i = 10; i < 25; ++i) writer.put_group("images/slide" + std::to_string(i), "{}");
  const Store store = writer.described();
  BOOST_REQUIRE(!store.facts.empty());
  BOOST_TEST(store.facts[0].value.starts_with("slide10, slide11, "));
  BOOST_TEST(store.facts[0].value.ends_with(", slide21 and 3 more"));
}

BOOST_AUTO_TEST_CASE(an_early_spatialdata_is_known_by_its_elements) {
  SpatialStore writer;
  writer.remove(".zattrs");
  writer.put_group("table", "{}");
  writer.put_group("table/table", R"({"spatialdata-encoding-type":"ngff:regions_table","region":"cells"})");
  const Store store = writer.described();
  BOOST_TEST(store.format == "SpatialData");
  BOOST_TEST(to_json_text(*Json(store.details).find("spatialdata")) ==
             R"({"tables":{"table":{"region":"cells"}}})");
}

BOOST_AUTO_TEST_CASE(images_alone_are_no_spatialdata) {
  SpatialStore writer;
  writer.remove(".zattrs");
  writer.put_group("images", "{}");
  writer.put_group("images/slide", R"({"multiscales":[{}]})");
  BOOST_TEST(writer.described().format == "Zarr v2");
}

BOOST_AUTO_TEST_CASE(points_and_shapes_are_tables_beside_their_files) {
  SpatialStore writer;
  for (const char* kind : {"points", "shapes"}) writer.put_group(kind, "{}");
  writer.put_group("points/transcripts", transformed("um", R"(,"encoding-type":"ngff:points")"));
  writer.put("points/transcripts/points.parquet/part.10.parquet", parquet::integers_file({30}).write());
  writer.put("points/transcripts/points.parquet/part.9.parquet", parquet::integers_file({10, 20}).write());
  writer.put_group("shapes/cells", transformed("global", R"(,"encoding-type":"ngff:shapes")"));
  writer.put("shapes/cells/shapes.parquet", "PAR1, damaged");
  writer.put_group("other", "{}");
  writer.put("other/x.parquet", parquet::integers_file({1}).write());
  const Store store = writer.open(writer.context);
  const auto group_at = [&](const char* kind, const char* name) {
    const Node node{{}, find_group(*find_group(*store.root.parts, kind), name)};
    return spatialdata::refine(node, writer.context);
  };
  const std::optional<Node> points = group_at("points", "transcripts");
  BOOST_TEST_REQUIRE(points.has_value());
  BOOST_TEST(points->parts->find("points.parquet").has_value());
  const std::optional<Node> node = points->parts->find("points");
  BOOST_TEST_REQUIRE(node.has_value());
  const Elements elements = read_all(*std::get<Table>(node->content).columns.at(0).values);
  const std::vector<int32_t> expected{10, 20, 30};
  BOOST_TEST(elements.values<int32_t>() == expected, boost::test_tools::per_element());
  BOOST_TEST(spatialdata::refine(*points, writer.context)->parts == points->parts);
  const std::optional<Node> shapes = group_at("shapes", "cells")->parts->find("shapes");
  BOOST_TEST_REQUIRE(shapes.has_value());
  BOOST_TEST(mentions("does not end with PAR1")(std::get<Error>(shapes->content)));
  BOOST_TEST(
      !spatialdata::refine(Node{{}, find_group(*store.root.parts, "other")}, writer.context).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::spatialdata
