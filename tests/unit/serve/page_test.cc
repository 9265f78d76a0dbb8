#include <boost/test/unit_test.hpp>

#include "fs/serve/plots/pixels.h"
#include "tests/support/sample_arrays.h"
#include "tests/unit/serve/pages.h"

namespace plainfs::serve {
namespace {

BOOST_FIXTURE_TEST_SUITE(page, Pages)

BOOST_AUTO_TEST_CASE(a_table_has_its_first_rows_its_columns_and_its_forms) {
  root->add(
      "t", table_of({{"x", numbers({1.5, 2})}, {"y", text_array({"one", "two"})}}, text_array({"r1", "r2"})));
  const std::string text = page("t?page");
  for (const char* const part :
       {"<h1>t</h1>", "All 2 rows", "<th scope=\"row\">r1</th><td class=\"n\">1.5</td><td>one</td>",
        "real number (float64)", "href=\"t.csv\"",
        "import pandas\nx = pandas.read_csv(&quot;http://127.0.0.1/token/t.csv&quot;)"})
    BOOST_TEST(has(text, part), part);
  const Json all = json("t?json");
  BOOST_TEST(*all.find("kind")->text() == "table");
  const Json::List& rows = *all.find("first_rows")->find("rows")->list();
  BOOST_TEST(*(*rows[1].list())[2].text() == "two");
  BOOST_TEST(*(*all.find("take_it_as")->list())[0].find("href")->text() == "t.csv");
}

BOOST_AUTO_TEST_CASE(member_has_a_page_only_on_request) {
  root->add_array("a", {10, 20});
  BOOST_TEST(get("a").status == 404);
  BOOST_TEST(get("a/?page").status == 404);
  BOOST_TEST(get("none?page").status == 404);
  BOOST_TEST(get("a.csv?page").body == "10\n20\n");
  BOOST_TEST(ask("PROPFIND /token/a?page HTTP/1.1\nDepth: 0").status == 404);
  BOOST_TEST(has(page("a?page"), "20"));
}

BOOST_AUTO_TEST_CASE(an_array_is_a_picture) {
  root->add("a", {LabelledArray{numbers({0, 1, 2, 3, 4, 5}, {2, 3}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("a?page");
  BOOST_TEST(has(text, "src=\"data:image/png;base64,"));
  BOOST_TEST(has(text, "2 × 3, every value. Dark is 0, light 5"));
  const std::string png = grey_png(2, 1, std::string("\x00\xff", 2));
  BOOST_TEST(png.substr(1, 3) == "PNG");
  BOOST_TEST(png.substr(png.size() - 8, 4) == "IEND");
}

BOOST_AUTO_TEST_CASE(large_array_shows_a_sample_of_its_values) {
  std::vector<double> values(1000 * 5);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  root->add("a", {LabelledArray{numbers(values, {1000, 5}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("a?page");
  BOOST_TEST(has(text, "width=\"8\" height=\"400\""));
  BOOST_TEST(has(text, "1,000 × 5, one of 4 values"));
  BOOST_TEST(has(text, "The first 12 of 1,000 rows"));
}

BOOST_AUTO_TEST_CASE(cells_are_points_coloured_by_a_column) {
  add_cells();
  const std::string text = page("");
  for (const char* const part : {"<dd>3</dd>", "X_umap 1 and X_umap 2 of 3 cells, coloured by group",
                                 "aria-current=\"true\">group</a>", "class=\"k0\"", "3 points in 2 groups"})
    BOOST_TEST(has(text, part), part);
  const std::string by_count = page("?page&color=count&embedding=X_umap");
  BOOST_TEST(has(by_count, "coloured by count"));
  BOOST_TEST(has(by_count, "class=\"r7\""));
  BOOST_TEST(has(text, "https://vitessce.io/#?url=data:,%7B%22version%22"));
}

BOOST_AUTO_TEST_CASE(names_of_a_store_are_escaped_on_every_page) {
  add_cells();
  root->add(kHostile, table_of({{kHostile, text_array({kHostile})}}, text_array({kHostile})));
  root->set_attributes({{kHostile, Json(kHostile)}});
  std::vector<std::string> paths{"", "obs?page", "?page&color=%3Cscript%3E&embedding=X_umap"};
  const Json all = json("");
  for (const Json& row : *all.find("contents")->list())
    if (has(*row.find("name")->text(), "script")) paths.push_back(*row.find("href")->text());
  BOOST_REQUIRE(paths.size() == 4U);
  for (const std::string& path : paths) {
    const Answer answer = get(path, "Accept: text/html");
    BOOST_TEST(answer.status == 200, path);
    BOOST_TEST(!has_other_script(answer.body), path);
    BOOST_TEST(!has(answer.body, "alert(1)\""), path);
    BOOST_TEST(!has(answer.body, "nowhere"), path);  // the folder on this machine
  }
  BOOST_TEST(has(page(""), "&lt;script&gt;"));
}

// In the form of fragments.tsv.
BOOST_AUTO_TEST_CASE(fragments_end_one_before_the_stored_end) {
  Fragments fragments;
  fragments.cell = plainfs::numbers<uint32_t>({1, 0});
  fragments.start = plainfs::numbers<uint32_t>({10, 30});
  fragments.end = plainfs::numbers<uint32_t>({20, 37});
  fragments.chr_pointer = plainfs::numbers<uint64_t>({0, 2});
  fragments.cell_names = text_array({"A-1", "B-2"});
  fragments.chr_names = text_array({"chr1"});
  root->add("f", {fragments, nullptr, {}, {}});
  const std::string text = page("f/");
  BOOST_TEST(!has(text, ">20<"));
  BOOST_TEST((has(text, ">19<") && has(text, ">36<")));
}

BOOST_AUTO_TEST_CASE(known_failure_is_named_without_a_link) {
  const auto half = std::make_shared<HalfArray>(4);
  root->add("a", {LabelledArray{half, nullptr, nullptr}, nullptr, {}, {}});
  root->add("b", {LabelledArray{numbers({1, 2}), nullptr, nullptr}, nullptr, {}, {}});
  Fragments fragments;
  fragments.cell = fragments.start = plainfs::numbers<uint32_t>({1, 0});
  fragments.end = plainfs::numbers<uint32_t>({20, 37});
  fragments.chr_pointer = plainfs::numbers<uint64_t>({0, 2});
  fragments.cell_names = text_array({"A-1", "B-2"});
  fragments.chr_names = text_array({"chr1"});
  root->add("f", {fragments, nullptr, {}, {}});
  const std::string text = page("a?page");
  BOOST_TEST(!has(text, "<a href=\"a.csv\">csv"));
  BOOST_TEST(has(text, "<small class=\"no\">no csv: store.h5: half of it is gone</small>"));
  BOOST_TEST(!has(text, "read.csv"));
  const std::string all = page("");
  BOOST_TEST(has(all, "<small class=\"no\">no csv: store.h5: half of it is gone</small>"));
  BOOST_TEST(has(all, "<a href=\"b.csv\">csv"));
  BOOST_TEST(!has(all, "a.csv&quot;"));
  const std::string coverage = page("f/");
  BOOST_TEST(!has(coverage, "href=\"coverage.bw\""));
  BOOST_TEST(has(coverage,
                 "no coverage.bw: not supported: unknown chromosome lengths; give them with -o genome=FILE"));
  const Json form = (*json("a?json").find("take_it_as")->list())[0];
  BOOST_TEST(*form.find("error")->text() == "store.h5: half of it is gone");
  BOOST_TEST(!form.find("href"));
}

BOOST_AUTO_TEST_CASE(matrix_without_cells_has_no_seurat_object) {
  is_anndata = true;
  root->add("obs", table_of({{"n", numbers({})}}, text_array({})));
  root->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})));
  root->add("X", {LabelledArray{numbers({}, {0, 2}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("");
  BOOST_TEST(has(text, "anndata.h5ad"));
  BOOST_TEST(!has(text, "href=\"seurat.rds\""));
}

BOOST_AUTO_TEST_CASE(line_for_an_empty_file_is_left_out) {
  Fragments fragments;
  fragments.cell = fragments.start = fragments.end = plainfs::numbers<uint32_t>({});
  fragments.chr_pointer = plainfs::numbers<uint64_t>({0, 0});
  fragments.cell_names = text_array({"A-1"});
  fragments.chr_names = text_array({"chr1"});
  root->add("f", {fragments, nullptr, {}, {}});
  const std::string text = page("f/");
  BOOST_TEST(has(text, "href=\"fragments.tsv\""));
  BOOST_TEST(!has(text, "read.delim"));
}

BOOST_AUTO_TEST_CASE(an_r_line_closes_its_connection) {
  root->add("t", table_of({{"x", numbers({1.5, 2})}}));
  BOOST_TEST(
      has(page("t?page"),
          "con &lt;- url(&quot;http://127.0.0.1/token/t.rds&quot;); x &lt;- readRDS(con); close(con)"));
}

BOOST_AUTO_TEST_CASE(level_has_its_column_in_the_title) {
  add_cells();
  BOOST_TEST(has(page("by/group/a/"), "<h1>group a</h1>"));
}

BOOST_AUTO_TEST_CASE(unreadable_part_is_reported_and_the_rest_shown) {
  root->add("t", table_of({{"good", numbers({1, 2})}, {"bad", std::make_shared<HalfArray>(2)}}));
  const std::string text = page("t?page");
  BOOST_TEST(has(text, "class=\"note\">store.h5: half of it is gone"));
  BOOST_TEST(has(text, "<th scope=\"row\">good</th><td>real number (float64)</td>"));
  BOOST_TEST(!has(text, "nowhere"));
}

BOOST_AUTO_TEST_CASE(a_bare_array_is_read_without_a_header) {
  root->add_text("names", {"a", "b"}).add_text("labelled", {"a", "b"});
  root->add("rows", {LabelledArray{numbers({1, 2}), text_array({"r1", "r2"}), nullptr}, nullptr, {}, {}});
  const std::string bare = page("names?page");
  BOOST_TEST(has(bare,
                 "x &lt;- read.csv(&quot;http://127.0.0.1/token/names.csv&quot;, header = FALSE, "
                 "blank.lines.skip = FALSE)"));
  BOOST_TEST(has(
      bare, "import pandas\nx = pandas.read_csv(&quot;http://127.0.0.1/token/names.csv&quot;, header=None)"));
  BOOST_TEST(has(page("rows?page"), "x &lt;- read.csv(&quot;http://127.0.0.1/token/rows.csv&quot;)"));
}

BOOST_AUTO_TEST_CASE(labels_may_have_another_rank_than_their_values) {
  // The text of a matrix of characters, as in a MATLAB file.
  root->add("text", {LabelledArray{
                         numbers({72, 105}, {1, 2}), nullptr, nullptr,
                         std::make_shared<MemoryArray>(text_type(), Shape{}, read_all(*text_array({"Hi"})))},
                     nullptr,
                     {},
                     {}});
  const std::string html = page("text?page");
  BOOST_TEST(has(html, "Hi"));
  BOOST_TEST(!has(html, "<img"));
}

BOOST_AUTO_TEST_CASE(an_array_of_one_axis_is_a_line) {
  root->add("a", {LabelledArray{numbers({3, 1, 2}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("a?page");
  BOOST_TEST(has(text, "3 of 3 elements of a"));
  BOOST_TEST(has(text, "M48 16L516 266L984 141"));
}

BOOST_AUTO_TEST_CASE(a_plane_is_chosen_in_the_address) {
  std::vector<double> values(3 * 2 * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  root->add("a", {LabelledArray{numbers(values, {3, 2, 4}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("a?page&i0=2");
  BOOST_TEST(has(text, "<td class=\"n\">16</td>"));
  BOOST_TEST(!has(text, "<td class=\"n\">15</td>"));
  BOOST_TEST(has(text, "Dark is 16, light 23"));
  BOOST_TEST(has(text, "name=\"i0\" value=\"2\""));
  const std::string beyond = page("a?page&i0=3");
  BOOST_TEST(has(beyond, "'3' is not an index from 0 to 2. The nearest is <a href=\"?page&amp;i0=2\">2</a>"));
  BOOST_TEST(has(beyond, "<td class=\"n\">7</td>"));
}

BOOST_AUTO_TEST_CASE(an_array_of_two_columns_is_points) {
  root->add("a",
            {LabelledArray{numbers({0, 0, 1, 1, 2, 4, 3, 3}, {4, 2}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("a?page");
  BOOST_TEST(has(text, "a 1 and a 2 of 4 cells"));
  BOOST_TEST(!has(text, "Heat map"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
