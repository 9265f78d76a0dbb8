#include "formats/core/frames/data_frame.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs::frames {
namespace {

Attributes frame_attributes(const std::vector<std::string>& columns, const std::string& version = "0.2.0") {
  return {{"_index", Json("_index")},
          {"column-order", texts(columns)},
          {"encoding-type", Json("dataframe")},
          {"encoding-version", Json(version)}};
}

// Three rows.
struct Frame {
  explicit Frame(const std::vector<std::string>& columns, const std::string& version = "0.2.0") {
    group->set_attributes(frame_attributes(columns, version));
    group->add_text("_index", {"c1", "c2", "c3"});
  }
  void set(const std::string& name, Json value, std::optional<Error> error = {}) {
    Attributes attributes = group->attributes();
    std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.name == name; });
    attributes.push_back(error ? Attribute(name, *std::move(error)) : Attribute(name, std::move(value)));
    group->set_attributes(std::move(attributes));
  }
  DataFrame frame() { return *DataFrame::of(group, context); }
  std::string row_error() {
    return message_of([&] { frame().table().row_names->check(); });
  }
  std::string column_error(size_t column) {
    return message_of([&] { frame().table().columns.at(column).values->check(); });
  }

  TestContext context;
  std::shared_ptr<MemoryGroup> group = std::make_shared<MemoryGroup>("/obs");
};

BOOST_AUTO_TEST_SUITE(data_frames)

BOOST_AUTO_TEST_CASE(only_known_versions_are_data_frames) {
  TestContext context;
  for (const auto& [version, known] : {std::pair("0.1.0", true), {"0.2.0", true}, {"0.3.0", false}}) {
    Frame frame({}, version);
    BOOST_TEST(DataFrame::of(frame.group, context).has_value() == known, version);
  }
  Frame frame({});
  frame.set("encoding-type", {}, damaged("no such heap"));
  BOOST_TEST(message_of([&] { DataFrame::of(frame.group, context); }) ==
             "attribute encoding-type: no such heap");
}

// The columns are not to blame: the number of rows is unknown.
BOOST_AUTO_TEST_CASE(unreadable_names_damage_no_column) {
  Frame frame({"x"});
  frame.group->add_array("x", {4, 5, 6}).add("names", {unreadable("the disk fails"), nullptr, {}, {}});
  frame.set("_index", Json("names"));
  BOOST_TEST(frame.row_error() == "the disk fails");
  BOOST_TEST(frame.column_error(0) == "");
}

BOOST_AUTO_TEST_CASE(columns_come_in_their_order_by_full_names) {
  Frame frame({"qc/n", "x", "_index"});
  frame.group->add_array("x", {4, 5, 6}).add_array("no_column");
  frame.group->add_group("qc")->add_array("n", {7, 8, 9});
  const Table table = frame.frame().table();
  BOOST_TEST(table.rows == 3u);
  BOOST_TEST(shown(*table.row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_REQUIRE_EQUAL(table.columns.size(), 3u);
  BOOST_TEST(table.columns[0].name == "qc/n");
  BOOST_TEST(shown(*table.columns[0].values) == (Texts{"7", "8", "9"}));
  BOOST_TEST(shown(*table.columns[2].values) == (Texts{"c1", "c2", "c3"}));
}

BOOST_AUTO_TEST_CASE(column_of_several_values_a_row_is_left_out) {
  Frame frame({"two_d", "strange", "x"});
  frame.group->add("two_d", array_node<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2})).add_array("x");
  frame.group->add_group("strange")->set_attributes({{"encoding-type", Json("hologram")}});
  const Table table = frame.frame().table();
  BOOST_REQUIRE_EQUAL(table.columns.size(), 1u);
  BOOST_TEST(frame.context.warned("/obs: two_d does not have one value for each row"));
  BOOST_TEST(frame.context.warned("/obs: strange does not have one value for each row"));
}

BOOST_AUTO_TEST_CASE(absent_short_and_broken_columns_damage_the_table) {
  Frame frame({"gone", "short", "broken"});
  Node broken;
  broken.content = damaged("no such chunk");
  frame.group->add_array("short", {1, 2}).add("broken", broken);
  BOOST_TEST(frame.column_error(0) == "/obs: column gone is missing");
  BOOST_TEST(frame.column_error(1) == "/obs: column short has 2 values for 3 rows");
  BOOST_TEST(frame.column_error(2) == "no such chunk");
  BOOST_TEST(frame.row_error() == "");
}

BOOST_AUTO_TEST_CASE(index_without_valid_names_is_unknown) {
  Frame frame({});
  frame.set("_index", Json("elsewhere"));
  BOOST_TEST(!frame.frame().index().names);
  BOOST_TEST(frame.row_error() == "/obs: _index refers to elsewhere, which is missing");
  frame.group->add_group("strange")->set_attributes({{"encoding-type", Json("hologram")}});
  frame.set("_index", Json("strange"));
  BOOST_TEST(!frame.frame().index().names);
  BOOST_TEST(frame.row_error() == "/obs: _index refers to strange, which is not a list of names");
  frame.set("_index", counts({1}));
  BOOST_TEST(!frame.frame().index().names);
}

BOOST_AUTO_TEST_CASE(unreadable_index_is_known_and_broken) {
  Frame frame({});
  frame.set("_index", {}, damaged("no such heap"));
  BOOST_TEST_REQUIRE(frame.frame().index().names);
  BOOST_TEST(frame.row_error() == "attribute _index: no such heap");
  Node broken;
  broken.content = unsupported("a filter");
  frame.group->add("odd", broken);
  frame.set("_index", Json("odd"));
  BOOST_TEST(frame.row_error() == "a filter");
}

BOOST_AUTO_TEST_CASE(invalid_column_order_damages_the_table) {
  Frame frame({});
  frame.set("column-order", Json("x"));
  BOOST_TEST(frame.row_error() == "/obs: column-order is not a list of names");
  frame.set("column-order", counts({1}));
  BOOST_TEST(frame.row_error() == "/obs: column-order contains 1");
  frame.set("column-order", {}, damaged("no such heap"));
  BOOST_TEST(frame.row_error() == "attribute column-order: no such heap");
  BOOST_TEST(shown(*frame.frame().index().names) == (Texts{"c1", "c2", "c3"}));
}

BOOST_AUTO_TEST_CASE(codes_of_the_first_version_refer_to_their_labels) {
  Frame frame({"cat", "null", "gone"}, "0.1.0");
  const auto categories = [](const Json& target) { return Attributes{{"categories", target}}; };
  frame.group->add("cat", array_node<int8_t>({1, -1, 0}, {}, categories(Json("__categories/cat"))));
  frame.group->add("null", array_node<int8_t>({0, 0, 0}, {}, categories(Json())));
  frame.group->add("gone", array_node<int8_t>({0, 0, 0}, {}, categories(Json("__categories/gone"))));
  frame.group->add_group("__categories")->add_text("cat", {"a", "b"});
  BOOST_TEST(shown(*frame.frame().table().columns[0].values) == (Texts{"b", "NA", "a"}));
  BOOST_TEST(frame.column_error(1) == "/obs: invalid categories of a column: null");
  BOOST_TEST(frame.column_error(2) == "/obs: the categories of a column are not a list: __categories/gone");
  Frame later({"cat"});
  later.group->add("cat", array_node<int8_t>({1, -1, 0}, {}, categories(Json("__categories/cat"))));
  BOOST_TEST(shown(*later.frame().table().columns[0].values) == (Texts{"1", "-1", "0"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::frames
