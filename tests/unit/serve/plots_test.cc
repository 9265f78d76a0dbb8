#include "fs/serve/plots/plot.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <regex>

#include "fs/serve/pages/model/page_style.h"
#include "fs/serve/plots/pixels.h"

namespace plainfs::serve {
namespace {

Plot plot_of(std::vector<Mark> marks) {
  return {"p", "title", "words", {"x", {0, 10}}, {"y", {0, 10}}, 640, 440, false, std::move(marks)};
}

size_t times(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

BOOST_AUTO_TEST_SUITE(plots)

BOOST_AUTO_TEST_CASE(dots_on_one_pixel_are_one_and_others_are_left_out) {
  const std::string svg =
      svg_of(plot_of({Dots{{{0, 0}, {0, 0}, {10, 10}, {NAN, 1}, {1, INFINITY}}, Ink::group(0), 3}}));
  BOOST_TEST(times(svg, "h0") == 2U);
  BOOST_TEST(svg.find("M48 410h0M624 16h0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(text_of_a_store_is_escaped) {
  Plot plot = plot_of({Label{{5, 5}, "<b>&\""}});
  plot.title = plot.description = plot.x.name = plot.y.name = "<script>";
  const std::string svg = svg_of(plot);
  BOOST_TEST(svg.find("<script>") == std::string::npos);
  BOOST_TEST(times(svg, "&lt;script&gt;") == 4U);
  BOOST_TEST(svg.find("&lt;b&gt;&amp;&quot;") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_label_without_room_moves_and_at_last_is_left_out) {
  const std::string svg = svg_of(plot_of(std::vector<Mark>(8, Label{{5, 5}, "same"})));
  BOOST_TEST(times(svg, ">same<") == 5U);
}

BOOST_AUTO_TEST_CASE(line_breaks_at_non_finite_values) {
  const std::string svg = svg_of(plot_of({Line{{{0, 0}, {1, 1}, {2, NAN}, {3, 3}}, Ink::group(0)}}));
  BOOST_TEST(svg.find("M48 410L106 371M221 292\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(left_margin_has_room_for_the_longest_number) {
  Plot plot = plot_of({Dots{{{0, -2147483648.0}}, Ink::group(0), 3}});
  plot.y.range = {-2147483648.0, 0};
  const std::string svg = svg_of(plot);
  BOOST_TEST(svg.find("M96 410h0") != std::string::npos);
  BOOST_TEST(svg.find("x=\"92\" y=\"410\" text-anchor=\"end\">-2.147e+09<") != std::string::npos);
  plot.y.has_ends = false;
  BOOST_TEST(svg_of(plot).find("M48 410h0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(long_names_are_shortened_and_whole_in_their_title) {
  const std::string name(80, 'n');
  Plot plot = plot_of({Label{{5, 5}, name}});
  plot.x.name = plot.y.name = name;
  const std::string svg = svg_of(plot);
  BOOST_TEST(times(svg, "<title>" + name + "</title>nnnnnnnn") == 3U);
  BOOST_TEST(times(svg, "n…</text>") == 3U);
}

BOOST_AUTO_TEST_CASE(label_without_room_for_large_text_is_tight) {
  const std::string svg = svg_of(plot_of({Label{{5, 5}, "one"}, Label{{5, 5}, "two"}, Label{{1, 1}, "far"}}));
  BOOST_TEST(times(svg, "class=\"at\"") == 2U);
  BOOST_TEST(svg.find("class=\"at tight\"") < svg.find(">two<"));
}

BOOST_AUTO_TEST_CASE(bars_begin_after_the_longest_name) {
  const std::string contig = "GL000270728.1 alt,scaffold", few = named_bars("b", "t", {{"1", 5}, {"22", 1}}),
                    many = named_bars("b", "t", {{"1", 5}, {contig, 1}});
  BOOST_TEST(few.find("<text x=\"29\" y=\"23\" text-anchor=\"end\">1<") != std::string::npos);
  BOOST_TEST(many.find("<text x=\"268\" y=\"47\" text-anchor=\"end\"><title>" + contig +
                       "</title>GL000270728.1 alt,scaffo…<") != std::string::npos);
  BOOST_TEST(many.find("<rect x=\"276\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_from_a_thousand_on_have_separators) {
  BOOST_TEST(number_text(60000) == "60,000");
  BOOST_TEST(number_text(-1590.4) == "-1,590");
  BOOST_TEST(number_text(999.96) == "1,000");
  BOOST_TEST(number_text(123.456) == "123.5");
  BOOST_TEST(number_text(-2147483648.5) == "-2.147e+09");
}

BOOST_AUTO_TEST_CASE(one_unit_is_as_long_along_both_axes) {
  Plot plot = plot_of({Dots{{{0, 0}, {10, 10}}, Ink::group(0), 3}});
  plot.keeps_aspect = true;
  BOOST_TEST(svg_of(plot).find("M139 410h0M533 16h0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(single_value_range_is_centred) {
  Plot plot = plot_of({Dots{{{3, 3}}, Ink::group(0), 3}});
  plot.x.range = plot.y.range = {3, 3};
  BOOST_TEST(svg_of(plot).find("M336 213h0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(colours_of_a_store_are_hexadecimal_or_none) {
  BOOST_TEST(Ink::own("#1F77b4")->attribute() == "stroke=\"#1f77b4\"");
  BOOST_TEST(Ink::own("#1f77b4ff")->attribute() == "stroke=\"#1f77b4\"");
  for (const char* const text : {"", "red", "#12345", "#12345g", "#+12345", "\"/><script>"})
    BOOST_TEST(!Ink::own(text), text);
}

BOOST_AUTO_TEST_CASE(a_faint_colour_of_a_store_has_a_rim) {
  BOOST_TEST(!Ink::own("#1f8fc4")->needs_rim());
  BOOST_TEST(Ink::own("#ffffcc")->needs_rim());
  BOOST_TEST(Ink::own("#000033")->needs_rim());
  BOOST_TEST(svg_of(plot_of({Dots{{{1, 1}}, *Ink::own("#ffffcc"), 3}})).find("class=\"rim\"") !=
             std::string::npos);
}

// WCAG 2, 1.4.11 and 1.4.3: the backgrounds are those of page.css.
BOOST_AUTO_TEST_CASE(every_colour_of_a_page_has_contrast) {
  const std::string style(kPageStyle);
  const std::regex color("--([ksa-z]+)(\\d*): #([0-9a-f]{3,6});");
  size_t dark_begins = style.find("prefers-color-scheme: dark"), marks = 0, texts = 0;
  BOOST_REQUIRE(dark_begins != std::string::npos);
  for (auto each = std::sregex_iterator(style.begin(), style.end(), color); each != std::sregex_iterator();
       ++each) {
    const bool is_dark = static_cast<size_t>(each->position()) > dark_begins;
    std::string digits = (*each)[3];
    if (digits.size() == 3) digits = {digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]};
    const auto number = static_cast<uint32_t>(std::stoul(digits, nullptr, 16));
    const double contrast = contrast_of(number, is_dark ? 0x1c2127 : 0xf6f8fa);
    const std::string name = (*each)[1];
    if (name == "k" || name == "s" || name == "edge") {
      BOOST_TEST(contrast >= 3, each->str() << " " << contrast);
      ++marks;
    } else if (name == "fg" || name == "soft" || name == "link") {
      BOOST_TEST(contrast >= 4.5, each->str() << " " << contrast);
      ++texts;
    }
  }
  BOOST_TEST(marks == 2 * (kGroupInks + kScaleInks + 1));
  BOOST_TEST(texts == 6U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
