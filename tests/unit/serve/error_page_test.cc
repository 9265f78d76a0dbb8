#include "tests/unit/serve/pages.h"

namespace plainfs::serve {
namespace {

struct Errors : Pages {
  Answer error(const std::string& path) { return get(path, "Accept: text/html"); }
};

BOOST_FIXTURE_TEST_SUITE(error_page, Errors)

BOOST_AUTO_TEST_CASE(an_absent_name_has_the_nearest_and_the_way_back) {
  root->add_group("obsm")->add_array("X_umap", {1, 2});
  const Answer answer = error("obsm/X_unap.csv");
  BOOST_TEST(answer.status == 404);
  BOOST_TEST(answer.field("Content-Type") == "text/html; charset=utf-8");
  BOOST_TEST(answer.field("Cache-Control") == "no-store");
  BOOST_TEST(has(answer.body, "<a href=\"X_umap.csv\">X_umap.csv</a>"));
  BOOST_TEST(has(answer.body, "<a href=\"./\">the folder above</a>"));
  const Answer folder = error("obms/X_umap/");
  BOOST_TEST(has(folder.body, "<a href=\"../../obsm/\">obsm</a>"));
  BOOST_TEST(has(folder.body, "<a href=\"../../\">top</a>"));
  BOOST_TEST(!has(folder.body, "<a href=\"../\">obms</a>"));
}

BOOST_AUTO_TEST_CASE(unreadable_file_has_an_error_page) {
  root->add("bad", {LabelledArray{std::make_shared<HalfArray>(2), nullptr, nullptr}, nullptr, {}, {}});
  const Answer answer = error("bad.csv");
  BOOST_TEST(answer.status == 500);
  BOOST_TEST(has(answer.body, "half of it is gone"));
  BOOST_TEST(!has(answer.body, "nowhere"));
}

BOOST_AUTO_TEST_CASE(programs_get_a_plain_text_line) {
  const Answer answer = get("none");
  BOOST_TEST(answer.status == 404);
  BOOST_TEST(answer.field("Content-Type") == "text/plain; charset=utf-8");
}

BOOST_AUTO_TEST_CASE(nothing_of_a_path_is_markup) {
  BOOST_TEST(!has(error("%3Cscript%3Ealert(1)%3Cx/%22onload").body, "<script"));
  BOOST_TEST(!has(error("a/%22%3E%3Cscript%3E/").body, "<script"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
