#include "fs/command_line/joined_stores.h"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "fs/command_line/exit_code.h"
#include "fs/command_line/options.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

std::string labels_of(const std::vector<std::string>& names) {
  std::string all;
  const auto joined = joined_stores(names, "inner", "");
  for (const auto& store : joined->stores) all += store.label + " ";
  return all;
}

void check_not_joined(const std::vector<std::string>& names, std::string_view why) {
  BOOST_CHECK_EXCEPTION(joined_stores(names, "inner", ""), Failure, [&](const Failure& failure) {
    return std::string_view(failure.what()).find(why) != std::string_view::npos;
  });
}

BOOST_AUTO_TEST_SUITE(joined_stores_of_the_command_line)

BOOST_AUTO_TEST_CASE(labels_are_the_differing_parts_of_paths) {
  BOOST_TEST(labels_of({"/r/a.h5ad", "/r/b.rds"}) == "a b ");
  BOOST_TEST(labels_of({"/r/1/m.h5", "/r/2/m.h5"}) == "1 2 ");
  BOOST_TEST(labels_of({"/r/a/outs/m.h5", "/r/b/outs/m.h5", "/s/c/outs/m.h5"}) == "a b c ");
  BOOST_TEST(labels_of({"/r/a.h5", "/r/a.h5"}) == "0 1 ");
}

BOOST_AUTO_TEST_CASE(a_list_names_stores_and_labels) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() + "/list") << "# samples\na.h5ad\tfirst\n\n/r/b.h5ad\tsecond\r\n";
  const auto join = joined_stores(std::vector<std::string>{"@" + folder.path() + "/list"}, "outer", "sample");
  BOOST_REQUIRE(join->stores.size() == 2U);
  BOOST_TEST(join->stores[0].location.ends_with("/a.h5ad"));
  BOOST_TEST(join->stores[1].location == "/r/b.h5ad");
  BOOST_TEST(join->stores[0].label == "first");
  BOOST_TEST(join->stores[1].label == "second");
  BOOST_TEST(join->is_outer);
  BOOST_TEST(join->column == "sample");
}

BOOST_AUTO_TEST_CASE(labels_are_unique_and_for_all) {
  const TemporaryDirectory folder;
  const auto check = [&](const char* text, std::string_view why) {
    std::ofstream(folder.path() + "/list") << text;
    check_not_joined({"@" + folder.path() + "/list"}, why);
  };
  check("a\tx\nb\tx\n", "two stores have the label x");
  check("a\tx\nb\n", "some stores have a label");
  check("\tx\n", "without a store");
  check("# nothing\n", "at least one store");
}

BOOST_AUTO_TEST_CASE(stores_behind_urls_have_no_query) {
  const auto join = joined_stores(std::vector<std::string>{"https://host/a.h5ad", "/r/b.h5ad"}, "inner", "");
  BOOST_TEST(join->stores[0].location == "https://host/a.h5ad");
  BOOST_TEST(join->stores[1].label == "b");
  BOOST_TEST(labels_of({"s3://bucket/a?b.h5ad", "file:///r/c.h5ad", "az://x/y/d.h5ad"}) == "a?b c d ");
  for (const char* const wrong : {"https://host/a?b", "http://host/a#b", "az://x/y/a?sv=1&sig=b"})
    check_not_joined({"/r/b.h5ad", wrong}, "a URL with a query cannot be joined");
}

BOOST_AUTO_TEST_CASE(joined_names_become_one) {
  const std::vector<std::string> arguments{"--join", "outer", "/r/a.h5ad", "/r/b.h5ad", "/mnt"};
  const Options options = parse_options(arguments);
  BOOST_TEST((options.names == std::vector<std::string>{"/r/a.h5ad", "/mnt"}));
  BOOST_TEST(options.store == "/r/a.h5ad");
  BOOST_TEST(options.mountpoint == "/mnt");
  BOOST_REQUIRE(options.read.join);
  BOOST_TEST(options.read.join->stores.size() == 2U);
  BOOST_TEST(parse_options(arguments, kManyNames, 0).read.join->stores.size() == 3U);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--join", "both", "a", "b"}, {"--label", "x", "a"}, {"--join=inner", "a"}})
    BOOST_CHECK_THROW(parse_options(wrong), Failure);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
