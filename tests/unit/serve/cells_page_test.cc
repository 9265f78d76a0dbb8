#include <cmath>

#include "cache/request.h"
#include "formats/core/model/arrays/derived_array.h"
#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/cells/cells_page.h"
#include "fs/serve/pages/cells/distribution.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/pages/cells/markers.h"
#include "fs/serve/pages/cells/slide_view.h"
#include "fs/serve/plots/pixels.h"
#include "tests/support/mentions.h"
#include "tests/unit/serve/pages.h"

namespace plainfs::serve {
namespace {

using namespace std::chrono_literals;

// Three cells of two genes, as found in a store.
struct ThreeCells : Pages {
  AnnotatedMatrix matrix;

  ThreeCells() {
    matrix.cells = 3;
    matrix.genes = 2;
    matrix.obs = std::get<Table>(
        table_of({{"group", text_array({"a", "b", "a"})}}, text_array({"c1", "c2", "c3"})).content);
    matrix.var = std::get<Table>(table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})).content);
    matrix.x = LabelledArray{numbers({1, 2, 3, 4, 5, 6}, {3, 2}), nullptr, nullptr};
  }
  PageCells cells() {
    answers();
    return {filesystem->meaning(kRootInode), {"anndata", [this] { return matrix; }}};
  }
};

// Values of three cells of two genes in a store that has changed.
class ChangedArray : public Array {
 public:
  ChangedArray() : Array(number_type(Kind::real, 8), {3, 2}) {}
  Elements read(const Box&) const override { throw Error(Errc::changed, "the store has changed"); }
};

BOOST_FIXTURE_TEST_SUITE(cells_page, Pages)

BOOST_AUTO_TEST_CASE(a_gene_colours_the_cells_and_is_spread_by_level) {
  add_cells();
  const std::string text = page("?color=g1");
  for (const char* const part :
       {"coloured by g1", "<h2>Distribution</h2>", "<title>g1 · store.h5 · plainfs</title>",
        "Histogram of g1", "value=\"g1\"", "g1 by group", "class=\"scale\"",
        "<td class=\"n\">2</td><td class=\"n\">100 %</td><td class=\"n\">3</td><td "
        "class=\"n\">2 · 3 · 4</td>"})
    BOOST_TEST(has(text, part), part);
  const Json distribution = *json("?color=g1&json").find("distribution");
  const Json::List& levels = *distribution.find("levels")->list();
  BOOST_TEST_REQUIRE(levels.size() == 2U);
  BOOST_TEST(*levels[0].find("mean")->as_double() == 3);
  BOOST_TEST(*levels[1].find("cells")->as_uint64() == 2U);
  BOOST_TEST(*levels[0].find("level")->text() == kHostile);  // equally high, and before "a"
}

BOOST_AUTO_TEST_CASE(level_without_a_value_has_no_numbers) {
  is_anndata = true;
  TextBuilder levels(3);
  levels.add("a");
  levels.add("b");
  levels.add_missing();
  root->add("obs", table_of({{"time", numbers({1, NAN, -INFINITY})},
                             {"type", std::make_shared<MemoryArray>(text_type(), Shape{3}, levels.finish())}},
                            text_array({"c1", "c2", "c3"})));
  root->add("var", table_of({{"n", numbers({1})}}, text_array({"g1"})));
  root->add("X", {LabelledArray{numbers({1, 2, 3}, {3, 1}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("?color=time&split=type");
  BOOST_TEST(has(text, "1 value, 1 (100 %) above zero; it is 1. Not shown: 1 missing, 1 infinite."));
  BOOST_TEST(has(
      text,
      ">b</a></th><td class=\"n\">1</td><td class=\"n\">0</td><td class=\"n\"><span class=\"na\">no values"));
  BOOST_TEST(has(text, "<span class=\"na\">missing</span></th><td class=\"n\">1</td><td class=\"n\">0</td>"));
  const std::string counts = page("?color=type");
  BOOST_TEST(has(counts, ">a</a></th><td class=\"n\">1</td><td class=\"n\">33 %</td>"));
  BOOST_TEST(
      has(counts, "<span class=\"na\">missing</span></th><td class=\"n\">1</td><td class=\"n\">33 %</td>"));
}

BOOST_AUTO_TEST_CASE(a_gene_is_found_in_any_case) {
  add_cells();
  BOOST_TEST(has(page("?color=G2"), "coloured by g2"));
}

BOOST_AUTO_TEST_CASE(gene_is_taken_from_raw_if_raw_has_it) {
  add_cells_with_raw();
  const Json distribution = *json("?color=g3&json").find("distribution");
  BOOST_TEST(*distribution.find("matrix")->text() == "raw");
  BOOST_TEST(*distribution.find("levels")->list()->at(0).find("mean")->as_double() == 60);
  const std::string text = page("?color=g3");
  for (const char* const part :
       {"coloured by g3 in raw", "Histogram of g3 in raw", "g3 in raw by group",
        "<option value=\"\" selected>raw, otherwise X</option>", "<option value=\"X\">X</option>",
        "<option value=\"raw\">raw</option>", "<option value=\"layers/twice\">layers/twice</option>"})
    BOOST_TEST(has(text, part), part);
  BOOST_TEST(has(page("?color=g2"), "coloured by g2 in raw"));
  BOOST_TEST(has(page("?color=G3"), "coloured by g3 in raw"));
  BOOST_TEST(has(page("?color=g1"), "coloured by g1 in X"));  // raw does not have it
}

BOOST_AUTO_TEST_CASE(address_selects_the_matrix_of_a_gene) {
  add_cells_with_raw();
  const auto mean = [&](const std::string& address) {
    const Json page = json(address);
    return *page.find("distribution")->find("levels")->list()->at(0).find("mean")->as_double();
  };
  BOOST_TEST(mean("?color=g2&json") == 50);
  BOOST_TEST(mean("?color=g2&matrix=X&json") == 4);
  BOOST_TEST(mean("?color=g2&matrix=layers%2Ftwice&json") == 8);
  const std::string text = page("?color=g2&matrix=layers/twice");
  BOOST_TEST(has(text, "coloured by g2 in layers/twice"));
  BOOST_TEST(has(text, "<option value=\"layers/twice\" selected>"));
}

BOOST_AUTO_TEST_CASE(gene_of_another_matrix_has_a_link_to_it) {
  add_cells_with_raw();
  BOOST_TEST(has(page("?color=g3&matrix=X"),
                 "The matrix X has no gene 'g3'. The nearest is <a "
                 "href=\"?color=g3&amp;matrix=raw\">g3 in raw</a>."));
  BOOST_TEST(has(page("?color=g1&matrix=row"),
                 "There is no matrix 'row'. The nearest is <a "
                 "href=\"?color=g1&amp;matrix=raw\">raw</a>."));
}

BOOST_AUTO_TEST_CASE(one_matrix_is_no_choice_and_not_named) {
  add_cells();
  const std::string text = page("?color=g1");
  BOOST_TEST(!has(text, "name=\"matrix\""));
  BOOST_TEST(!has(text, "g1 in X"));
}

BOOST_AUTO_TEST_CASE(range_of_a_histogram_is_that_of_its_bars) {
  const auto caption = [](std::vector<double> numbers, bool is_gene = true) {
    CellColour colour{"g", is_gene};
    colour.numbers = std::move(numbers);
    colour.statistics = statistics_of(colour.numbers);
    return histogram_of(colour).caption;
  };
  BOOST_TEST(caption({0, 0, 0, 1, 5000}) ==
             "5 values, 2 (40 %) above zero; the 3 zeros are not drawn, "
             "the others range from 1 to 5,000.");
  BOOST_TEST(caption({0, 0, 0, -2, 4}) ==
             "5 values, 1 (20 %) above zero; the 3 zeros are not drawn, "
             "the others range from -2 to 4.");
  BOOST_TEST(caption({0, 0, 7}) ==
             "3 values, 1 (33 %) above zero; the 2 zeros are not drawn, the other is 7.");
  BOOST_TEST(caption({0, 0, 0, 7, 7}) ==
             "5 values, 2 (40 %) above zero; the 3 zeros are not drawn, the others are all 7.");
  BOOST_TEST(caption({0, 1, 2}) == "3 values, 2 (67 %) above zero; they range from 0 to 2.");
  BOOST_TEST(caption({-3, -1, 0}) == "3 values, 0 (0 %) above zero; they range from -3 to 0.");
  BOOST_TEST(caption({0, 0, 0}) == "3 values, 0 (0 %) above zero; they are all 0.");
  BOOST_TEST(caption({0}) == "1 value, 0 (0 %) above zero; it is 0.");
  BOOST_TEST(caption({0, 0, 0, 5}, false) == "4 values, 1 (25 %) above zero; they range from 0 to 5.");
  BOOST_TEST(caption({0, 0, NAN, 3, INFINITY}) ==
             "3 values, 1 (33 %) above zero; the 2 zeros are not drawn, the other is 3. "
             "Not shown: 1 missing, 1 infinite.");
  BOOST_TEST(caption({NAN, NAN}) == "No values: 2 missing.");
  BOOST_TEST(caption({}) == "No values.");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_has_the_nearest_as_links) {
  add_cells();
  const std::string text = page("?color=grp&embedding=X_umap");
  BOOST_TEST(has(text, "No gene or column 'grp'."));
  const std::string near = page("?color=g3");
  BOOST_TEST(has(near, "<a href=\"?color=g1\">g1</a>"));
  BOOST_TEST(has(near, "<a href=\"?color=g2\">g2</a>"));
  BOOST_TEST(has(page("?embedding=X_tsne"), "The nearest is <a href=\"?embedding=X_umap\">X_umap</a>"));
  BOOST_TEST(has(page("?split=gruop"), "The nearest is <a href=\"?split=group\">group</a>"));
}

BOOST_AUTO_TEST_CASE(nothing_of_an_address_is_markup) {
  add_cells();
  for (const char* const name : {"color", "embedding", "split", "assay", "page", "other"}) {
    const std::string text = page(std::string("?") + name + "=%3Cscript%3E%22%27%3E");
    BOOST_TEST(!has_other_script(text), name);
    BOOST_TEST(!has(text, "\"'>"), name);
  }
}

BOOST_AUTO_TEST_CASE(cells_without_an_embedding_have_a_form_and_a_histogram) {
  is_anndata = true;
  root->add("obs", table_of({{"group", text_array({"a", "b", "a"})}}, text_array({"c1", "c2", "c3"})));
  root->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})));
  root->add("X", {LabelledArray{numbers({1, 2, 3, 4, 5, 6}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("?color=g2");
  BOOST_TEST(has(text, "Histogram of g2"));
  BOOST_TEST(has(text, "g2 by group"));
}

BOOST_AUTO_TEST_CASE(two_columns_of_obs_are_an_embedding) {
  is_anndata = true;
  root->add("obs", table_of({{"UMAP_1", numbers({1, 2, 3})}, {"UMAP_2", numbers({3, 2, 1})}},
                            text_array({"c1", "c2", "c3"})));
  root->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})));
  root->add("X", {LabelledArray{numbers({1, 2, 3, 4, 5, 6}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
  BOOST_TEST(has(page("?color=g2"), "UMAP_1 and UMAP_2 of 3 cells, coloured by g2"));
}

BOOST_AUTO_TEST_CASE(split_gives_a_plot_for_each_level) {
  add_cells();
  BOOST_TEST(!has(page(""), "class=\"panels\""));
  const std::string text = page("?color=g1&split=group");
  BOOST_TEST(has(text, "class=\"panels\""));
  BOOST_TEST(has(text, "<p>a <small>2</small></p>"));
  BOOST_TEST(has(text, "2 levels of group, over the same axes, coloured by g1"));
}

BOOST_AUTO_TEST_CASE(form_without_a_split_sends_none) {
  is_anndata = true;
  root->add("obs", table_of({{"group", text_array({"a", "b", "a"})}, {"kind", text_array({"u", "u", "v"})}},
                            text_array({"c1", "c2", "c3"})));
  root->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})));
  root->add_group("obsm")->add(
      "spatial", {LabelledArray{numbers({0, 0, 1, 1, 2, 4}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("?color=group");
  BOOST_TEST(has(text, "<option value=\"\" selected>no split</option>"));
  BOOST_TEST(!has(text, "<option value=\"group\" selected>"));
  BOOST_TEST(has(page("?split=kind"), "<option value=\"kind\" selected>"));
  BOOST_TEST(has(page("?slide=lib"), "There are no slides with a picture."));
}

BOOST_AUTO_TEST_CASE(levels_beyond_the_panels_are_named) {
  is_anndata = true;
  std::vector<std::string> levels, names;
  std::vector<double> places;
  for (int i = 0; i < 60; ++i) {
    levels.push_back("level" + std::to_string(i < 52 ? i % 26 : i % 4));  // the last two are the smallest
    names.push_back("c" + std::to_string(i));
    places.insert(places.end(), {double(i), double(i)});
  }
  levels[24] = "level0";
  levels[25] = "level0";
  root->add("obs", table_of({{"group", text_array(levels)}}, text_array(names)));
  root->add("var", table_of({{"n", numbers({1})}}, text_array({"g1"})));
  root->add_group("obsm")->add("X_umap",
                               {LabelledArray{numbers(places, {60, 2}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("?split=group");
  BOOST_TEST(has(text, "The 24 largest of 26 levels of group"));
  BOOST_TEST(has(text, "not shown: level24, level25"));
}

BOOST_AUTO_TEST_CASE(cells_in_tissue_lie_over_their_picture) {
  add_cells();
  const auto scalar = [](double value) {
    Elements one = zero_elements(number_type(Kind::real, 8), 1);
    one.mutable_values<double>()[0] = value;
    return Node{LabelledArray{std::make_shared<MemoryArray>(number_type(Kind::real, 8), Shape{}, one),
                              nullptr, nullptr},
                nullptr,
                {},
                {}};
  };
  const auto slide = std::make_shared<MemoryGroup>("/uns/spatial/lib"),
             images = std::make_shared<MemoryGroup>("/uns/spatial/lib/images"),
             factors = std::make_shared<MemoryGroup>("/uns/spatial/lib/scalefactors");
  images->add("lowres",
              {LabelledArray{numbers(std::vector<double>(4 * 6 * 3, 0.5), {4, 6, 3}), nullptr, nullptr},
               nullptr,
               {},
               {}});
  factors->add("tissue_lowres_scalef", scalar(0.1)).add("spot_diameter_fullres", scalar(5));
  slide->add("images", {{}, images, {}, {}}).add("scalefactors", {{}, factors, {}, {}});
  const auto spatial = std::make_shared<MemoryGroup>("/uns/spatial");
  spatial->add("lib", {{}, slide, {}, {}});
  root->add_group("uns")->add("spatial", {{}, spatial, {}, {}});
  obsm->add("spatial",
            {LabelledArray{numbers({10, 10, 20, 30, NAN, 20}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
  const std::string text = page("?embedding=spatial&color=g1");
  BOOST_TEST(has(text, "href=\"data:image/png;base64,"));
  BOOST_TEST(has(text, "across and down of 2 cells, coloured by g1"));
  BOOST_TEST(!has(page("?embedding=X_umap"), "<image"));
  BOOST_TEST(has(page("?embedding=spatial&slide=lob"), "There is no slide 'lob'."));
  BOOST_TEST(has(page("?embedding=X_umap&slide=lib"), "Slides are shown with the embedding spatial alone."));
}

BOOST_AUTO_TEST_CASE(the_colours_of_the_store_are_used) {
  is_anndata = true;
  root->add("obs", table_of({{"group", factor(plainfs::numbers<int8_t>({0, 1, 0}), text_array({"a", "b"}), 0,
                                              "/obs/group", context)}},
                            text_array({"c1", "c2", "c3"})));
  root->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})));
  root->add_group("obsm")->add(
      "X_umap", {LabelledArray{numbers({0, 0, 1, 1, 2, 4}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
  root->add_group("uns")->add_text("group_colors", {"#1f77b4", "\"><script>"});
  const std::string text = page("");
  BOOST_TEST(has(text, "stroke=\"#1f77b4\""));
  BOOST_TEST(has(text, "class=\"k1\""));
  BOOST_TEST(!has_other_script(text));
}

BOOST_FIXTURE_TEST_CASE(obs_of_another_length_fails_the_cells, ThreeCells) {
  matrix.cells = 2;
  BOOST_CHECK_EXCEPTION(cells(), Error, mentions("the columns of the cells have 3 rows, expected 2"));
}

BOOST_FIXTURE_TEST_CASE(x_of_another_length_fails_the_gene, ThreeCells) {
  matrix.x = LabelledArray{numbers({1, 2, 3, 4}, {2, 2}), nullptr, nullptr};
  BOOST_CHECK_EXCEPTION(cell_colour(cells(), "g1"), Error, mentions("X has 2 cells, expected 3"));
}

BOOST_FIXTURE_TEST_CASE(column_of_another_length_fails_the_colour, ThreeCells) {
  matrix.obs.columns[0].values = text_array({"a", "b"});
  BOOST_CHECK_EXCEPTION(cell_colour(cells(), "group"), Error, mentions("group: has 2 rows, expected 3"));
  BOOST_CHECK_EXCEPTION(groups_of_column(matrix, "group", 9), Error, mentions("group: has 2 rows"));
}

BOOST_FIXTURE_TEST_CASE(embedding_of_another_length_is_damaged, ThreeCells) {
  const LabelledArray longer{numbers(std::vector<double>(10, 1), {5, 2}), nullptr, nullptr};
  matrix.obsm.push_back({"X_umap", longer});
  BOOST_CHECK_EXCEPTION(places_of(matrix, "X_umap", 9), Error, mentions("X_umap: has 5 rows, expected 3"));
  matrix.obs.columns = {{"UMAP_1", numbers({1, 2, 3})}, {"UMAP_2", numbers({1, 2})}};
  BOOST_CHECK_EXCEPTION(places_of(matrix, "UMAP", 9), Error, mentions("UMAP_2: has 2 rows, expected 3"));
}

// Two of three cells on a slide of 4 by 6 pixels, and a second column to split by.
struct ThreeCellsOnSlides : ThreeCells {
  Slide slide{"lib", {}, {}, {0, 2}, {{"imagecol", numbers({1, 2})}, {"imagerow", numbers({1, 2})}}};

  ThreeCellsOnSlides() {
    slide.pixels = numbers(std::vector<double>(4 * 6 * 3, 0.5), {4, 6, 3});
    slide.lowres = 1;
    matrix.obs.columns.push_back({"kind", text_array({"u", "u", "v"})});
    matrix.slides = [this] { return std::vector<Slide>{slide}; };
    matrix.obsm.push_back({"spatial", LabelledArray{numbers({1, 1, 9, 9, 2, 2}, {3, 2}), nullptr, nullptr}});
    matrix.obsm.push_back({"X_umap", LabelledArray{numbers({0, 0, 1, 1, 2, 4}, {3, 2}), nullptr, nullptr}});
  }
  bool has_slides(double lowres) {
    slide.lowres = lowres;
    return !cells().slides().slides.empty();
  }
};

BOOST_FIXTURE_TEST_CASE(slide_with_an_unknown_cell_is_damaged, ThreeCellsOnSlides) {
  const auto picture = std::make_shared<const Backdrop>(backdrop_of(slide));
  BOOST_TEST(view_of(slide, picture, 3, 9).places.x.size() == 3U);
  slide.cells = {0, 3};
  BOOST_CHECK_EXCEPTION(view_of(slide, picture, 3, 9), Error,
                        mentions("lib: has cell 3, but there are 3 cells"));
  slide.cells = {0, 1, 2};
  BOOST_CHECK_EXCEPTION(view_of(slide, picture, 3, 9), Error,
                        mentions("lib: coordinates of 2 cells, expected 3"));
}

BOOST_FIXTURE_TEST_CASE(slide_takes_memory_until_its_picture_is_kept, ThreeCellsOnSlides) {
  const PageCells kept = cells();
  const auto work = [&](const char* query) { return work_of_cells(Query(query), kept); };
  BOOST_TEST(work("embedding=spatial") == kMaxSlideWork);
  for (const char* const query : {"", "embedding=umap", "embedding=X_umap", "embedding=no-such"})
    BOOST_TEST(work(query) == 0U, query);
  const Slide& found = kept.slides().slides.at(0);
  BOOST_TEST(work("embedding=spatial&slide=lib") == kMaxSlideWork);
  kept.backdrop(found);
  BOOST_TEST(work("embedding=spatial&slide=lib") == 0U);
  matrix.slides = nullptr;
  const PageCells without = cells();
  without.slides();
  BOOST_TEST(work_of_cells(Query("embedding=spatial"), without) == 0U);
}

BOOST_FIXTURE_TEST_CASE(scale_without_a_finite_picture_leaves_the_slide_out, ThreeCellsOnSlides) {
  BOOST_TEST(has_slides(0.1));
  for (const double scale : {0.0, -1.0, double(NAN), double(INFINITY), 5e-324, 1e-308})
    BOOST_TEST(!has_slides(scale), scale);
}

BOOST_FIXTURE_TEST_CASE(pictures_are_kept_between_requests, ThreeCellsOnSlides) {
  const PageCells kept = cells();
  const Slide& own = kept.slides().slides.at(0);
  BOOST_TEST(kept.backdrop(own).get() == kept.backdrop(own).get());
}

// A picture with a gradient, read by bands that are cut.
BOOST_AUTO_TEST_CASE(wide_picture_is_reduced_in_parts) {
  constexpr uint64_t kWidth = uint64_t{1} << 19;
  std::vector<double> values(kWidth * 3);
  for (uint64_t i = 0; i < values.size(); ++i) values[i] = i / 3 < kWidth / 2 ? 0 : 1;
  Slide slide{"wide", {}, {}, {}, {}};
  slide.pixels = numbers(values, {1, kWidth, 3});
  slide.lowres = 1;
  const Backdrop picture = backdrop_of(slide);
  BOOST_TEST(picture.x.high == double(kWidth));
  const uint64_t width = (kWidth + 655) / 656, dark = kWidth / 2 / 656;
  std::string pixels(width * 3, '\xff');
  std::fill(pixels.begin(), pixels.begin() + static_cast<ptrdiff_t>(dark * 3), '\0');
  const double mixed = 255.0 * (656 - static_cast<double>(kWidth / 2 % 656)) / 656;
  std::fill_n(pixels.begin() + static_cast<ptrdiff_t>(dark * 3), 3, static_cast<char>(std::lround(mixed)));
  BOOST_TEST((picture.png == rgb_png(static_cast<uint32_t>(width), 1, pixels)));
}

BOOST_AUTO_TEST_CASE(page_of_many_cells_waits_for_its_share) {
  constexpr size_t kCells = 150'000;
  is_anndata = true;
  settings.work = std::make_shared<WorkBudget>(1000, std::chrono::milliseconds(0));
  const std::vector<double> values(kCells, 1);
  root->add("obs", table_of({{"n", numbers(values)}}, nullptr));
  root->add("var", table_of({{"n", numbers({1})}}, text_array({"g1"})));
  root->add("X", {LabelledArray{numbers(values, {kCells, 1}), nullptr, nullptr}, nullptr, {}, {}});
  {
    const WorkBudget::Share all = settings.work->take(1000);
    BOOST_TEST(get("?color=n", "Accept: text/html").status == 503);
  }
  BOOST_TEST(has(page("?color=n"), "Histogram of n"));
}

BOOST_AUTO_TEST_CASE(thumbnail_of_many_cells_waits_for_its_share) {
  constexpr size_t kCells = 150'000;
  is_anndata = true;
  settings.work = std::make_shared<WorkBudget>(1000, std::chrono::milliseconds(0));
  const std::vector<double> values(kCells, 1);
  root->add("obs", table_of({{"umap_1", numbers(values)}, {"umap_2", numbers(values)}}, nullptr));
  root->add("var", table_of({{"n", numbers({1})}}, text_array({"g1"})));
  root->add("X", {LabelledArray{numbers(values, {kCells, 1}), nullptr, nullptr}, nullptr, {}, {}});
  {
    const WorkBudget::Share all = settings.work->take(1000);
    BOOST_TEST(get("?thumbnail", "Accept: image/svg+xml").status == 503);
  }
  BOOST_TEST(get("?thumbnail", "Accept: image/svg+xml").status == 200);
}

BOOST_FIXTURE_TEST_CASE(markers_end_when_the_client_has_left, ThreeCells) {
  answers();
  const auto cells = std::make_shared<const PageCells>(
      filesystem->meaning(kRootInode), FoundAnnotatedMatrix{"anndata", [this] { return matrix; }});
  const Query query("markers=group:a");
  MarkerRuns runs;
  const auto budget = std::make_shared<WorkBudget>();
  const auto ignore = [](const RunProgress&) {};
  {
    struct Gone : Request {
      bool cancelled() const override { return true; }
    } gone;
    const Request::Scope scope(&gone);
    BOOST_CHECK_THROW(wait_for_markers(query, cells, runs, budget, ignore), Cancelled);
  }
  PageModel model;
  add_markers(query, *cells, wait_for_markers(query, cells, runs, budget, ignore), model);
  BOOST_TEST_REQUIRE(model.find<Grid>());
  BOOST_TEST(model.find<Grid>()->rows.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(markers_of_blocks_of_genes_are_those_of_all_values, ThreeCells) {
  constexpr uint64_t kGenes = 9;
  std::vector<double> dense, values;
  std::vector<uint32_t> index;
  std::vector<uint64_t> pointer{0};
  std::vector<std::string> names;
  for (uint32_t cell = 0; cell < 3; ++cell) {
    for (uint32_t gene = 0; gene < kGenes; ++gene) {
      dense.push_back((cell * 7 + gene * 3) % 4);
      if (dense.back() == 0) continue;
      values.push_back(dense.back());
      index.push_back(gene);
    }
    pointer.push_back(values.size());
  }
  for (uint64_t gene = 0; gene < kGenes; ++gene) names.push_back(std::to_string(gene));
  matrix.genes = kGenes;
  matrix.var = std::get<Table>(table_of({}, text_array(names)).content);
  SparseMatrix sparse;
  sparse.rows = 3;
  sparse.columns = kGenes;
  sparse.by_row = true;
  sparse.value = numbers(values);
  sparse.index = plainfs::numbers<uint32_t>(index);
  sparse.pointer = plainfs::numbers<uint64_t>(pointer);
  const Level level{"group", "a", {1, 0, 1}, 2};
  WorkBudget budget;
  const auto compared = [&](const Content& x, uint64_t block_bytes) {
    matrix.x = x;
    answers();
    const auto some = std::make_shared<const PageCells>(
        filesystem->meaning(kRootInode), FoundAnnotatedMatrix{"anndata", [this] { return matrix; }});
    RunProgress progress;
    Markers markers = compare_genes(*some, *some->searched().front(), level, budget, progress, block_bytes);
    BOOST_TEST(progress.share() == 1);
    return markers;
  };
  const Markers expected = compared(LabelledArray{numbers(dense, {3, kGenes}), nullptr, nullptr}, 1);
  for (const uint64_t block_bytes : {uint64_t{1}, uint64_t{40}, kMaxBlockBytes}) {
    const Markers markers = compared(sparse, block_bytes);
    BOOST_TEST_REQUIRE(markers.genes.size() == kGenes);
    for (size_t i = 0; i < kGenes; ++i) {
      BOOST_TEST(markers.genes[i].gene == expected.genes[i].gene);
      BOOST_TEST(markers.genes[i].score == expected.genes[i].score);
      BOOST_TEST(markers.genes[i].log2_change == expected.genes[i].log2_change);
      BOOST_TEST(markers.genes[i].share_rest == expected.genes[i].share_rest);
    }
  }
}

BOOST_AUTO_TEST_CASE(page_that_takes_a_moment_shows_its_progress) {
  settings.moment = 0ms;
  add_cells();
  const Answer slow = get("?markers=group:a", "Accept: text/html");
  BOOST_TEST(slow.status == 200);
  BOOST_TEST(slow.is_chunked());
  BOOST_TEST(slow.field("X-Accel-Buffering") == "no");
  const size_t line = slow.body.find("<p class=\"progress\">Comparing 2 genes in 3 cells: ");
  BOOST_TEST_REQUIRE(line != std::string::npos);
  BOOST_TEST(slow.body.find("<h1>store.h5</h1>") < line);
  BOOST_TEST(line < slow.body.find("2 genes by their score in the 2 cells of group a"));
  BOOST_TEST(slow.body.ends_with("</footer></body></html>\n"));
  for (const char* const whole : {"?markers=group:a&json", "?markers=group:a&numbers=csv", "?color=g1&page"})
    BOOST_TEST(!get(whole, "Accept: text/html").is_chunked(), whole);
  const Answer known = get("?markers=group:a", "Accept: text/html");
  BOOST_TEST(!known.is_chunked());
  BOOST_TEST(has(known.body, "2 genes by their score in the 2 cells of group a"));
  const Answer old = ask("GET /token/?markers=group:a&matrix=X HTTP/1.0\nAccept: text/html");
  BOOST_TEST(old.status == 200);
  BOOST_TEST(!old.is_chunked());
}

BOOST_AUTO_TEST_CASE(fault_of_a_page_that_has_begun_is_on_the_page) {
  settings.moment = 0ms;
  is_anndata = true;
  root->add("obs", table_of({{"group", text_array({"a", "b", "a"})}}, text_array({"c1", "c2", "c3"})));
  root->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})));
  root->add("X", {LabelledArray{std::make_shared<ChangedArray>(), nullptr, nullptr}, nullptr, {}, {}});
  const Answer ended = get("?markers=group:a", "Accept: text/html");
  BOOST_TEST(ended.status == 200);
  BOOST_TEST(has(ended.body, "role=\"alert\">the store has changed. Load the page again.</p>"));
  BOOST_TEST(ended.body.ends_with("</footer></body></html>\n"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
