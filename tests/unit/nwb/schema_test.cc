#include "formats/schemas/nwb/schema.h"

#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/derived_group.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/elements/element_text.h"
#include "tests/support/memory_store.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs::nwb {
namespace {

using Texts = std::vector<std::string>;

template <class T>
Node number_node(const std::vector<T>& values, Attributes attributes = {}, Shape shape = {}) {
  if (shape.empty()) shape = {values.size()};
  return Node{LabelledArray{
      std::make_shared<MemoryArray>(type_of<T>(), shape, elements_of(values), std::move(attributes)), nullptr,
      nullptr}};
}

Json list_of(const Texts& texts) {
  Json::List list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

Texts shown(const ArrayPtr& array) {
  array->check();
  Texts all;
  const Elements elements = read_all(*array);
  for (uint64_t i = 0; i < elements.count; ++i) append_plain(array->dtype(), elements, i, all.emplace_back());
  return all;
}

const RowElements& nested_at(const Table& table, size_t column) {
  return dynamic_cast<const NestedArray&>(*table.columns.at(column).values).elements();
}

// A table /t of two rows.
struct File {
  TestContext context;
  std::shared_ptr<MemoryGroup> group = std::make_shared<MemoryGroup>("/t");

  explicit File(const Texts& names, bool with_ids = true) {
    group->set_attributes({{"colnames", list_of(names)}});
    if (with_ids) group->add("id", number_node<int64_t>({4, 5}));
  }
  std::optional<Node> refined() {
    Node node;
    node.parts = group;
    return nwb::refine(node, context);
  }
  Table table() { return std::get<Table>(refined().value().content); }
  void add_ragged(const std::string& name, Attributes attributes) {
    group->add(name, number_node<int32_t>({1, 2, 3}));
    group->add(name + "_index", number_node<uint8_t>({1, 3}, std::move(attributes)));
  }
};

BOOST_AUTO_TEST_SUITE(nwb_schema)

BOOST_AUTO_TEST_CASE(group_with_a_list_of_colnames_is_a_table) {
  TestContext context;
  Node node;
  const auto group = std::make_shared<MemoryGroup>("/t");
  node.parts = group;
  BOOST_TEST(!nwb::refine(node, context).has_value());
  group->set_attributes({{"colnames", Json::of(uint64_t{1})}});
  BOOST_TEST(!nwb::refine(node, context).has_value());
  group->set_attributes({{"colnames", Json::List{Json::of(uint64_t{1})}}});
  BOOST_TEST(!nwb::refine(node, context).has_value());
  group->set_attributes({{"colnames", Json::List{}}});
  BOOST_TEST(nwb::refine(node, context).has_value());
}

// MatNWB writes a list of one as a scalar.
BOOST_AUTO_TEST_CASE(one_text_is_a_list_of_one) {
  File file({});
  file.group->set_attributes({{"colnames", Json("a")}, {"categories", Json("more")}});
  file.group->add_text("a", {"x", "y"});
  const auto more = file.group->add_group("more");
  more->set_attributes({{"colnames", Json("b")}});
  more->add_text("b", {"1", "2"});
  const Table table = file.table();
  BOOST_TEST_REQUIRE(table.columns.size() == 3u);
  BOOST_TEST(table.columns[1].name == "a");
  BOOST_TEST(table.columns[2].name == "more.b");
}

BOOST_AUTO_TEST_CASE(plain_columns_make_a_plain_table_with_the_ids_first) {
  File file({"b", "a"});
  file.group->add_text("a", {"x", "y"}).add("b", number_node<double>({1, 2})).add_text("extra", {"1", "2"});
  const Table table = file.table();
  BOOST_TEST(table.rows == 2u);
  BOOST_TEST_REQUIRE(table.columns.size() == 3u);
  BOOST_TEST(table.columns[0].name == "id");
  BOOST_TEST(table.columns[1].name == "b");
  BOOST_TEST(shown(table.columns[2].values) == (Texts{"x", "y"}));
}

BOOST_AUTO_TEST_CASE(index_is_recognised_by_its_target_or_type) {
  for (const Attributes& attributes :
       {Attributes{{"target", Json("/t/c")}}, Attributes{{"neurodata_type", Json("VectorIndex")}},
        Attributes{{"target", Json()}, {"data_type", Json("VectorIndex")}}}) {
    File file({"c"});
    file.add_ragged("c", attributes);
    const Table table = file.table();
    BOOST_TEST_REQUIRE(nested_at(table, 1).ends.size() == 1u);
    BOOST_TEST(shown(nested_at(table, 1).ends[0]) == (Texts{"1", "3"}));
    BOOST_TEST(shown(table.columns[1].values) == (Texts{"[1]", "[2,3]"}));
    const auto column = std::get<LabelledArray>(file.refined()->parts->find("c")->content);
    const auto* ragged = dynamic_cast<const RaggedArray*>(column.values.get());
    BOOST_TEST_REQUIRE(ragged != nullptr);
    BOOST_TEST(shown(ragged->elements().ids) == (Texts{"4", "5"}));
  }
  File other({"c"});
  other.add_ragged("c", {{"target", Json("/t/d")}});
  BOOST_TEST(other.table().columns.at(1).values->count() == 3u);
}

BOOST_AUTO_TEST_CASE(indices_of_indices_are_outermost_first) {
  File file({"c"});
  file.add_ragged("c", {{"target", Json("/t/c")}});
  file.group->add("c_index_index", number_node<uint8_t>({0, 2}, {{"target", Json("/t/c_index")}}));
  const Table table = file.table();
  BOOST_TEST_REQUIRE(nested_at(table, 1).ends.size() == 2u);
  BOOST_TEST(shown(nested_at(table, 1).ends[0]) == (Texts{"0", "2"}));
}

BOOST_AUTO_TEST_CASE(codes_are_shown_as_their_texts) {
  File file({"e", "v"});
  file.group->add("e", number_node<uint8_t>({1, 0}, {{"elements", Json("/e_elements")}}));
  file.group->add("v", number_node<uint8_t>({1, 9}, {{"vocabulary", list_of({"no", "yes"})}}));
  file.group->add_text("e_elements", {"a", "b"});  // the group is its own root
  const Table table = file.table();
  BOOST_TEST(shown(table.columns[1].values) == (Texts{"b", "a"}));
  BOOST_TEST(shown(table.columns[2].values) == (Texts{"yes", "NA"}));
  BOOST_TEST(file.context.warned("/t/v: code 9 is not below 2"));
}

BOOST_AUTO_TEST_CASE(dangling_elements_fail_the_table_alone) {
  File file({"e"});
  file.group->add("e", number_node<uint8_t>({1, 0}, {{"elements", Json("/nowhere")}}));
  BOOST_TEST(message_of([&] { shown(file.table().columns[1].values); }) ==
             "/t/e: /nowhere does not refer to a list");
  File null({"e"});
  null.group->add("e", number_node<uint8_t>({1, 0}, {{"elements", Json()}}));
  BOOST_TEST(message_of([&] { shown(null.table().columns[1].values); }) ==
             "/t/e: the reference to its elements is broken");
}

BOOST_AUTO_TEST_CASE(a_name_without_data_is_left_out_with_a_warning) {
  File file({"a", "gone"});
  file.group->add_text("a", {"x", "y"});
  BOOST_TEST(file.table().columns.size() == 2u);
  BOOST_TEST(file.context.warned("/t: the column gone has no data and is left out"));
}

BOOST_AUTO_TEST_CASE(rows_without_ids_follow_the_first_column) {
  File file({"c"}, false);
  file.add_ragged("c", {{"target", Json("/t/c")}});
  BOOST_TEST(file.table().rows == 2u);
  BOOST_TEST(shown(file.table().columns.at(0).values) == (Texts{"0", "1"}));
}

BOOST_AUTO_TEST_CASE(categories_add_their_columns_without_their_ids) {
  File file({"a"});
  file.group->add_text("a", {"x", "y"});
  file.group->set_attributes({{"colnames", list_of({"a"})}, {"categories", list_of({"k", "gone"})}});
  const auto category = file.group->add_group("k");
  category->set_attributes({{"colnames", list_of({"b"})}});
  category->add("id", number_node<int64_t>({0, 1})).add_text("b", {"u", "v"});
  const Table table = file.table();
  BOOST_TEST_REQUIRE(table.columns.size() == 3u);
  BOOST_TEST(table.columns[2].name == "k.b");
  BOOST_TEST(file.context.warned("/t: the category gone is not a table and is left out"));
}

BOOST_AUTO_TEST_CASE(category_length_mismatch_fails_the_table) {
  File file({"a"});
  file.group->add_text("a", {"x", "y"});
  file.group->set_attributes({{"colnames", list_of({"a"})}, {"categories", list_of({"k"})}});
  const auto category = file.group->add_group("k");
  category->set_attributes({{"colnames", list_of({})}});
  category->add("id", number_node<int64_t>({0}));
  const Node node = file.refined().value();
  BOOST_TEST_REQUIRE(std::holds_alternative<Error>(node.content));
  BOOST_TEST(std::get<Error>(node.content).what() == "/t: the category k has 1 rows, expected 2");
}

BOOST_AUTO_TEST_CASE(unreadable_colnames_fail_the_table_alone) {
  File file({});
  file.group->set_attributes({{"colnames", damaged("no such heap")}});
  const Node node = file.refined().value();
  BOOST_TEST_REQUIRE(std::holds_alternative<Error>(node.content));
  BOOST_TEST(std::get<Error>(node.content).what() == "/t: attribute colnames: no such heap");
  BOOST_TEST(node.parts != nullptr);
}

// A group with unreadable attributes.
class Unread : public MemoryGroup {
 public:
  using MemoryGroup::MemoryGroup;
  Attributes attributes() const override { throw damaged("no attributes"); }
};

BOOST_AUTO_TEST_CASE(group_with_ids_may_be_a_table_without_attributes) {
  TestContext context;
  const auto group = std::make_shared<Unread>("/t");
  Node node;
  node.parts = group;
  BOOST_TEST(!nwb::refine(node, context).has_value());
  group->add("id", number_node<int64_t>({4, 5}));
  BOOST_TEST(message_of([&] { nwb::refine(node, context); }) == "no attributes");
}

BOOST_AUTO_TEST_CASE(ambiguous_index_is_not_guessed) {
  File file({"c"});
  file.add_ragged("c", {{"target", damaged("no such heap")}});
  const Node node = file.refined().value();
  BOOST_TEST_REQUIRE(std::holds_alternative<Error>(node.content));
  BOOST_TEST(std::get<Error>(node.content).what() == "/t: attribute target: no such heap");
  File typed({"c"});
  typed.add_ragged("c", {{"target", damaged("no such heap")}, {"neurodata_type", Json("VectorIndex")}});
  BOOST_TEST(shown(typed.table().columns[1].values) == (Texts{"[1]", "[2,3]"}));
}

BOOST_AUTO_TEST_CASE(codes_without_texts_fail_the_table) {
  File file({"e"});
  file.group->add("e", number_node<uint8_t>({1, 0}, {{"elements", damaged("no such heap")}}));
  BOOST_TEST(message_of([&] { shown(file.table().columns[1].values); }) ==
             "/t/e: attribute elements: no such heap");
}

BOOST_AUTO_TEST_CASE(only_small_cells_are_held_together) {
  const uint64_t most = uint64_t{1} << 20;
  const auto cells_of = [](uint64_t leaves) {
    return NestedArray({nullptr,
                        numbers(std::vector<uint8_t>(leaves, 7)),
                        {numbers(std::vector<uint32_t>{2, static_cast<uint32_t>(leaves)})}});
  };
  const NestedArray held = cells_of(most);
  held.check();
  const Elements cells = read_all(held);
  BOOST_TEST(cells.text(0) == "[7,7]");
  BOOST_TEST(cells.text(1).size() == 2 * (most - 2) + 1);
  BOOST_TEST(message_of([&] { cells_of(most + 1).check(); }) ==
             "cells of 1048577 values together are too large");
}

// Returns the table of a TimeSeries /s with three values; a rank-0 shape is written as {}.
std::optional<Table> series_of(const Node& times, const std::string& times_name, Attributes data_attributes) {
  TestContext context;
  const auto group = std::make_shared<MemoryGroup>("/s");
  group->set_attributes({{"neurodata_type", Json("TimeSeries")}});
  data_attributes.push_back({"unit", Json("V")});
  group->add("data", number_node<int16_t>({10, 20, -30}, std::move(data_attributes)));
  group->add(times_name, times);
  Node node;
  node.parts = group;
  const std::optional<Node> refined = nwb::refine(node, context);
  const TimedGroup* const timed = refined ? timed_group(*refined) : nullptr;
  return timed ? std::optional(timed->series()) : std::nullopt;
}

Node start_node(const Shape& shape, double rate) {
  Node node;
  std::vector<double> start(element_count(shape), 0.5);
  node.content = LabelledArray{std::make_shared<MemoryArray>(type_of<double>(), shape, elements_of(start),
                                                             Attributes{{"rate", Json::of(rate)}}),
                               nullptr, nullptr};
  return node;
}

BOOST_AUTO_TEST_CASE(starting_time_may_be_a_list_of_one) {
  for (const Shape& shape : {Shape{}, Shape{1}}) {
    const std::optional<Table> table = series_of(start_node(shape, 4), "starting_time", {});
    BOOST_REQUIRE(table.has_value());
    BOOST_TEST(shown(table->columns.at(0).values) == (Texts{"0.5", "0.75", "1"}));
    BOOST_TEST(shown(table->columns.at(1).values) == (Texts{"10", "20", "-30"}));
  }
  for (const Shape& shape : {Shape{2}, Shape{1, 1}, Shape{0}})
    BOOST_TEST(!series_of(start_node(shape, 4), "starting_time", {}).has_value());
}

BOOST_AUTO_TEST_CASE(numbers_of_32_bits_keep_their_type) {
  const Node times = number_node<float>({0.1F, 0.2F, 0.3F});
  const auto type = std::make_shared<const DType>(number_type(Kind::real, 4));
  const Attributes single{{"conversion", Json::of(0.195), type}}, whole{{"conversion", Json::of(0.195)}};
  const Table table = series_of(times, "timestamps", single).value();
  BOOST_TEST(shown(table.columns.at(0).values) ==
             (Texts{"0.10000000149011612", "0.20000000298023224", "0.30000001192092896"}));
  BOOST_TEST(shown(table.columns.at(1).values).at(0) == "1.9499999284744263");
  const Table exact = series_of(times, "timestamps", whole).value();
  BOOST_TEST(shown(exact.columns.at(1).values).at(0) == "1.9500000000000002");
}

BOOST_AUTO_TEST_CASE(info_lists_the_tables_of_an_nwb_file) {
  const auto root = std::make_shared<MemoryGroup>("/");
  root->add_group("units")->set_attributes({{"colnames", list_of({"quality"})}});
  const auto intervals = root->add_group("intervals");
  const auto trials = intervals->add_group("trials");
  trials->set_attributes({{"colnames", list_of({"a", "b"})}});
  trials->add("id", number_node<int64_t>({4, 5}));
  intervals->add_group("broken")->set_attributes({{"colnames", damaged("no such heap")}});
  intervals->add_group("none");
  Store store;
  store.format = "HDF5";
  store.root.parts = root;
  nwb::describe(store.root, store);
  BOOST_TEST(store.format == "HDF5");
  root->set_attributes({{"nwb_version", Json("2.7.0")}});
  nwb::describe(store.root, store);
  BOOST_TEST(store.format == "NWB");
  BOOST_TEST(store.version == "2.7.0");
  BOOST_TEST(
      to_json_text(store.details) ==
      R"({"container":"HDF5","nwb":{"tables":{"/intervals/trials":{"rows":2,"columns":["a","b"]},)"
      R"("/intervals/broken":"attribute colnames: no such heap","/units":{"rows":null,"columns":["quality"]}}}})");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::nwb
