#include "formats/annotated/left_out.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/derived_group.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {

namespace {

Node list_node() {
  return {LabelledArray{numbers<int64_t>({1, 2}), nullptr, nullptr}};
}

Node group_node(const std::string& path, std::vector<Member> members) {
  return {{}, std::make_shared<ListedGroup>(nullptr, path, std::move(members))};
}

// A store with /a, the table /t with columns x and y, and /deep/in/{one, two}.
OriginsPtr sample_origins() {
  Table table{2, nullptr, {{"x", numbers<int64_t>({1, 2})}, {"y", numbers<int64_t>({3, 4})}}};
  const Node in = group_node("/deep/in", {{"one", list_node()}, {"two", list_node()}});
  const Node root =
      group_node("/", {{"a", list_node()}, {"t", {table}}, {"deep", group_node("/deep", {{"in", in}})}});
  auto origins = std::make_shared<Origins>(root.parts);
  origins->add("/X", "/a");
  origins->add("/obs", "/t");
  origins->add("/uns", "/deep");
  return origins;
}

std::string text_of(const TakenParts& taken) {
  TestContext context;
  std::string text;
  for (const auto& [path, why] : taken.left_out(context.context))
    text += (text.empty() ? "" : ", ") + path + (why.empty() ? "" : " (" + why + ")");
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(left_out)

BOOST_AUTO_TEST_CASE(group_without_taken_parts_is_one_line) {
  const TakenParts nothing(sample_origins());
  BOOST_TEST(text_of(nothing) == "/a, /t, /deep/in");
}

BOOST_AUTO_TEST_CASE(taken_parts_have_no_line) {
  TakenParts taken(sample_origins());
  taken.take("/X");
  taken.take("/obs/x");
  taken.take("/uns/in/one");
  BOOST_TEST(text_of(taken) == "/t/y, /deep/in/two");
  taken.take("/obs");
  taken.take("/uns");
  BOOST_TEST(text_of(taken) == "");
}

BOOST_AUTO_TEST_CASE(refused_part_below_a_taken_one_has_its_reason) {
  TakenParts taken(sample_origins());
  for (const char* place : {"/X", "/obs", "/uns"}) taken.take(place);
  taken.refuse("/obs/y", "no such type");
  BOOST_TEST(text_of(taken) == "/t/y (no such type)");
}

BOOST_AUTO_TEST_CASE(origin_below_a_place_is_taken_with_it) {
  auto origins = std::make_shared<Origins>(*sample_origins());
  origins->add("/obs/more", "/a");
  TakenParts taken(origins);
  taken.take("/obs");
  BOOST_TEST(text_of(taken) == "/deep/in");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
