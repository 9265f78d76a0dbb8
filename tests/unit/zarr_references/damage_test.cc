// Damaged HDMF-Zarr stores: each has the expected outcome beside it, and other members stay readable.
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/unit/zarr_references/refined_store.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr_references;
namespace fs = boost::filesystem;

const std::string kBad = PLAINFS_TEST_DATA "/bad/hdmf-zarr/";

struct BadStore {
  explicit BadStore(const std::string& name) : root(open_refined(kBad + name + "/store.zarr", context)) {}
  TestContext context;
  Node root;
};

std::string outcome_of(const Node& root, const std::string& name) {
  try {
    const ArrayPtr array = array_at(root, name);
    if (!array) return "not there";
    read_all(*array);
    return "ok";
  } catch (const Error& error) {
    return is_unsupported(error) ? "ENOTSUP" : "EIO";
  }
}

// Checks lines "NAME.csv ok" and "NAME.csv EIO". The word may be followed by another permitted outcome.
void check_outcomes(const std::string& folder) {
  TestContext context;
  const Node root = open_refined(folder + "/store.zarr", context);
  std::ifstream lines(folder + "/outcome.txt");
  for (std::string line; std::getline(lines, line);) {
    const size_t end = line.find(".csv ");
    if (end == line.npos || line.starts_with('.')) continue;
    BOOST_TEST_CONTEXT(line) {
      const std::string allowed = line.substr(end + 5);
      const std::string outcome = outcome_of(root, line.substr(0, end));
      BOOST_TEST(allowed.find(outcome) != allowed.npos, "outcome is " << outcome);
    }
  }
}

BOOST_AUTO_TEST_SUITE(damage)

BOOST_AUTO_TEST_CASE(every_damaged_store_has_its_outcome) {
  size_t cases = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kBad)) {
    if (entry.path().filename() == "no_root") continue;
    BOOST_TEST_CONTEXT(entry.path()) check_outcomes(entry.path().string());
    ++cases;
  }
  BOOST_TEST(cases > 60u);
}

BOOST_AUTO_TEST_CASE(store_without_a_root_is_not_recognised) {
  BOOST_TEST(!zarr::recognises(look_at(kBad + "no_root/store.zarr")));
}

BOOST_AUTO_TEST_CASE(no_pickle_is_executed) {
  const char* const trace = "/tmp/PLAINFS_PICKLE_RAN";  // the file that the pickles would create
  fs::remove(trace);
  for (const char* name : {"pickle_system", "pickle_eval", "fill_pickle_system", "pickle_other_function"}) {
    const BadStore store(name);
    BOOST_TEST(outcome_of(store.root, "bad") == "EIO");
  }
  BOOST_TEST(!fs::exists(trace));
}

BOOST_AUTO_TEST_CASE(non_reference_attribute_stays_as_stored) {
  const BadStore store("attr_ref_no_value");
  bool found = false;
  for (const char* path : {"", "good", "g"}) {
    const auto node = node_at(store.root, path);
    if (!node) continue;
    for (const Attribute& attribute : attributes_of(*node))
      found |= attribute.value().find("zarr_dtype") != nullptr;
  }
  BOOST_TEST(found);
}

BOOST_AUTO_TEST_CASE(dangling_reference_is_shown_as_stored) {
  const BadStore store("ref_dangling");
  BOOST_TEST(texts_at(store.root, "bad") == (Texts{"/not/there", "/good"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(invalid_link_entries_are_left_out_with_a_warning) {
  const BadStore store("link_bad_entries");
  BOOST_TEST(zarr::names_of(*store.root.parts) == (Texts{"good", "link"}), boost::test_tools::per_element());
  BOOST_TEST(store.context.warned("which is not a link"));
  const BadStore no_list("link_not_list");
  BOOST_TEST(zarr::names_of(*no_list.root.parts) == (Texts{"good"}), boost::test_tools::per_element());
  BOOST_TEST(no_list.context.warned("zarr_link is not a list"));
}

BOOST_AUTO_TEST_CASE(link_with_a_duplicate_name_is_left_out_with_a_warning) {
  const BadStore taken("link_name_taken");
  BOOST_TEST(zarr::names_of(*taken.root.parts) == (Texts{"good"}), boost::test_tools::per_element());
  BOOST_TEST(outcome_of(taken.root, "good") == "ok");
  BOOST_TEST(taken.context.warned("name of a member"));
  const BadStore twice("link_twice");
  BOOST_TEST(zarr::names_of(*twice.root.parts).size() == 2u);
  BOOST_TEST(twice.context.warned("two links with the name"));
}

BOOST_AUTO_TEST_CASE(dangling_links_are_links) {
  for (const char* name : {"link_dangling", "link_no_store"}) {
    const BadStore store(name);
    BOOST_TEST(!link_at(store.root, "gone").path.empty());
  }
  const BadStore escape("link_path_escape");
  BOOST_TEST(link_at(escape.root, "esc").path == (Texts{"etc", "passwd"}), boost::test_tools::per_element());
  const BadStore ring("link_ring");
  BOOST_TEST(std::holds_alternative<Link>(node_at(ring.root, "a/x")->content));
}

BOOST_AUTO_TEST_CASE(damaged_attributes_fail_alone) {
  for (const char* name : {"zattrs_list", "zattrs_not_json"}) {
    const BadStore store(name);
    BOOST_CHECK_EXCEPTION(attributes_of(store.root), Error, mentions(".zattrs"));
    BOOST_TEST(outcome_of(store.root, "good") == "ok");
  }
}

BOOST_AUTO_TEST_CASE(stale_consolidated_metadata_hide_nothing) {
  const BadStore store("zmetadata_stale");
  BOOST_TEST(outcome_of(store.root, "extra") == "ok");
  BOOST_TEST(outcome_of(store.root, "ghost") == "not there");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
