// Every directory case of the golden data, array by array: the .npy and the name lists are from BPCells' own
// data.
#include <algorithm>
#include <boost/filesystem.hpp>
#include <fstream>

#include "tests/support/golden_arrays.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/unit/bpcells/store.h"

namespace {

using namespace plainfs;
using namespace plainfs::bpcells;
namespace fs = boost::filesystem;

void compare_case(const fs::path& folder, Context& context) {
  const Node node = open_refined((folder / "store").string(), context);
  BOOST_TEST(compare_members((folder / "expected").string(), *node.parts) == 7u);
  const auto* matrix = std::get_if<SparseMatrix>(&node.content);
  const auto* fragments = std::get_if<Fragments>(&node.content);
  BOOST_TEST((matrix ? !matrix->error.has_value() : fragments && !fragments->error.has_value()));
}

BOOST_AUTO_TEST_SUITE(golden_arrays)

BOOST_AUTO_TEST_CASE(all_directory_stores_match_bpcells) {
  TestContext context;
  size_t cases = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(PLAINFS_TEST_DATA "/bpcells")) {
    if (!fs::is_directory(entry.path() / "store")) continue;
    BOOST_TEST_CONTEXT(entry.path()) {
      compare_case(entry.path(), context);
    }
    ++cases;
  }
  BOOST_TEST(cases >= 31u);
}

// Lines "NAME.npy EIO" and "NAME.npy ok" of a damaged store.
BOOST_AUTO_TEST_CASE(damage_fails_only_the_damaged_parts) {
  TestContext context;
  for (const fs::directory_entry& entry : fs::directory_iterator(PLAINFS_TEST_DATA "/bad/bpcells")) {
    const std::string store = (entry.path() / "store").string();
    BOOST_TEST(recognises_directory(look_at(store)));
    std::ifstream outcome((entry.path() / "outcome.txt").string());
    std::optional<Node> node;
    for (std::string line; std::getline(outcome, line);) {
      const std::string file = line.substr(0, line.find(' '));
      const std::string verdict = line.substr(std::min(file.size() + 1, line.size()));
      BOOST_TEST_CONTEXT(entry.path().filename().string() << "/" << file) {
        if (file == "mount") {
          BOOST_CHECK_EXCEPTION(open_directory(look_at(store), context), Error, mentions("version"));
          continue;
        }
        if (!node) node = open_refined(store, context);
        const fs::path path(file);
        if (path.extension() != ".npy" && path.extension() != ".csv") continue;
        const ArrayPtr array = find_array(*node->parts, path.stem().string());
        BOOST_REQUIRE(array);
        const auto read = [&] {
          array->check();
          read_all(*array);
        };
        if (verdict == "EIO")
          require_error(Errc::damaged, "", read);
        else
          BOOST_CHECK_NO_THROW(read());
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
