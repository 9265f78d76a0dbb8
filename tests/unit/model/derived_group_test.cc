#include "formats/core/model/derived_group.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/memory_store.h"

namespace plainfs {
namespace {

std::vector<std::string> names_of(const Group& group) {
  std::vector<std::string> names;
  for (const Member& member : group.members()) names.push_back(member.name);
  return names;
}

bool is_table(const std::optional<Node>& node) {
  return node && std::holds_alternative<Table>(node->content);
}

// A group of a and b. b is a table, and c is added.
struct Overlaid {
  std::shared_ptr<MemoryGroup> stored = std::make_shared<MemoryGroup>("/g");
  GroupPtr group;

  Overlaid() {
    stored->add_array("a").add_array("b");
    stored->set_attributes({{"x", Json("y")}});
    Node added;
    added.content = Table{};
    group = std::make_shared<OverlayGroup>(
        stored,
        [](const std::string& name, Node node) {
          if (name == "b") node.content = Table{};
          return node;
        },
        std::vector<Member>{{"c", added}});
  }
};

BOOST_AUTO_TEST_SUITE(derived_group)

BOOST_AUTO_TEST_CASE(members_and_find_give_the_same_meaning) {
  const Overlaid overlaid;
  BOOST_TEST(names_of(*overlaid.group) == (std::vector<std::string>{"a", "b", "c"}));
  BOOST_TEST(!is_table(overlaid.group->find("a")));
  BOOST_TEST(is_table(overlaid.group->find("b")));
  BOOST_TEST(is_table(overlaid.group->find("c")));
  BOOST_TEST(is_table(overlaid.group->members()[1].node));
  BOOST_TEST(!overlaid.group->find("d").has_value());
}

BOOST_AUTO_TEST_CASE(a_stored_member_is_found_before_an_added_one_of_its_name) {
  Overlaid overlaid;
  overlaid.stored->add_array("c");
  BOOST_TEST(!is_table(overlaid.group->find("c")));
  BOOST_TEST(names_of(*overlaid.group).size() == 4u);
}

BOOST_AUTO_TEST_CASE(place_and_attributes_are_the_stored_ones) {
  const Overlaid overlaid;
  BOOST_TEST(overlaid.group->path() == "/g");
  BOOST_TEST(overlaid.group->attributes().size() == 1u);
}

BOOST_AUTO_TEST_CASE(listed_group_makes_its_members_for_each_listing) {
  int listings = 0;
  const GroupPtr root = std::make_shared<ListedGroup>(nullptr, "/", std::vector<Member>{{"stored", {}}});
  const auto group = std::make_shared<ListedGroup>(
      root, member_path(*root, "made"),
      [&listings](const GroupPtr& self) {
        Node below;
        below.parts = std::make_shared<ListedGroup>(self, member_path(*self, "below"), ListedGroup::List());
        return std::vector<Member>{{"below", std::move(below)}, {fmt::format("{}", ++listings), {}}};
      },
      [] {
        return Attributes{{"x", Json("y")}};
      });
  BOOST_TEST(names_of(*group) == (std::vector<std::string>{"below", "1"}));
  BOOST_TEST(names_of(*group) == (std::vector<std::string>{"below", "2"}));
  BOOST_TEST(group->find("3").has_value());
  BOOST_TEST(group->attributes().size() == 1u);
  BOOST_TEST(group->path() == "/made");
  BOOST_TEST(group->parent() == root);
  const GroupPtr below = find_group(*group, "below");
  BOOST_TEST(below->path() == "/made/below");
  BOOST_TEST(below->parent() == group);
  BOOST_TEST(below->members().empty());
  BOOST_TEST(below->attributes().empty());
  BOOST_TEST(names_of(*root) == (std::vector<std::string>{"stored"}));
}

BOOST_AUTO_TEST_CASE(listed_group_is_not_kept_alive_by_its_members) {
  std::weak_ptr<const Group> watched;
  {
    const auto group = std::make_shared<ListedGroup>(nullptr, "/", [](const GroupPtr& self) {
      Node below;
      below.parts = std::make_shared<ListedGroup>(self, "/below", std::vector<Member>());
      return std::vector<Member>{{"below", std::move(below)}};
    });
    watched = group;
    BOOST_TEST(group->members().size() == 1u);
  }
  BOOST_TEST(watched.expired());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
