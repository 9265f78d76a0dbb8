#include "formats/schemas/takane/lists.h"

#include <fmt/ranges.h>
#include <boost/test/unit_test.hpp>

#include "tests/unit/takane/object_writer.h"

namespace plainfs::takane {
namespace {

struct List : ObjectFixture {
  List() {
    write_text(root + "/OBJECT",
               R"({"type": "my_experiment", "my_experiment": {"version": "1.0"},
                   "summarized_experiment": {"version": "1.0", "dimensions": [1, 1]}})");
    for (const char* number : {"0", "1"}) write_object(root + "/assays/" + number, "unheard_of");
  }
  void names(const std::string& json) { write_text(root + "/assays/names.json", json); }
  GroupPtr assays() { return find_group(*open().parts, "assays"); }
  // Returns NAME -> N of every link.
  std::vector<std::string> links() {
    std::vector<std::string> found;
    for (const Member& member : assays()->members())
      if (const Link* link = std::get_if<Link>(&member.node.content))
        found.push_back(member.name + link->only + " -> " + fmt::format("{}", fmt::join(link->path, "/")));
    return found;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(takane_named_list, List)

BOOST_AUTO_TEST_CASE(each_name_is_a_link_to_its_number) {
  names(R"(["counts", "log/counts"])");
  BOOST_CHECK((links() == Texts{"counts -> assays/0", "log/counts -> assays/1"}));
  BOOST_CHECK((names_in(*assays()) == Texts{"0", "1", "names.json", "counts", "log/counts"}));
}

BOOST_AUTO_TEST_CASE(arrays_and_frames_have_a_link_to_their_csv) {
  write_object(root + "/assays/0", "dense_array");
  write_object(root + "/assays/1", "data_frame");
  names(R"(["a", "b"])");
  BOOST_CHECK((links() == Texts{"a -> assays/0", "a.csv -> assays/0/dense_array", "b -> assays/1",
                                "b.csv -> assays/1/data_frame"}));
}

BOOST_AUTO_TEST_CASE(a_short_or_broken_list_of_names_gives_numbers) {
  names(R"(["counts"])");
  BOOST_CHECK((links() == Texts{"counts -> assays/0"}));
  BOOST_TEST(test.warned("1 names, expected 2, one for each object"));
  for (const char* broken : {R"(["counts", 1])", R"({"0": "counts"})", "[\"counts\"", ""}) {
    names(broken);
    BOOST_TEST(links().empty());
  }
  BOOST_TEST(test.warned("item 1 is not a text"));
  BOOST_TEST(test.warned("not a list of names"));
}

BOOST_AUTO_TEST_CASE(a_name_of_nothing_and_an_empty_one_are_left_out) {
  names(R"(["", "b", "gone"])");
  BOOST_CHECK((links() == Texts{"b -> assays/1"}));
  BOOST_TEST(test.warned("'gone' is the name of 2"));
  BOOST_TEST(test.warned("the name of 0 is empty"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::takane
