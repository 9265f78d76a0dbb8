#include "fs/serve/pages/image/image_page.h"

#include "formats/core/model/arrays/generated_array.h"
#include "tests/unit/serve/pages.h"

namespace plainfs::serve {
namespace {

struct Images : Pages {
  // c 2, z 3, y 4, x 5; the value of an element is its place.
  Images() {
    std::vector<double> values(2 * 3 * 4 * 5);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    image.format = "OME-Zarr";
    for (const char axis : std::string("czyx")) image.axes.push_back({axis, {}, {}});
    image.levels.push_back({{"0"}, numbers(values, {2, 3, 4, 5})});
    image.channels = {{"DAPI", {}}, {kHostile, {}}};
    auto group = std::make_shared<MemoryGroup>("/i");
    root->add("i", {image, group, {}, {}});
  }
  std::vector<Problem> problems;
  ImageChoice choice(const char* query) { return image_choice(Query(query), image, problems); }
  Image image;
};

BOOST_FIXTURE_TEST_SUITE(image_page, Images)

BOOST_AUTO_TEST_CASE(an_address_chooses_channels_planes_contrast_and_region) {
  const ImageChoice chosen = choice("c=1,0&z=2&min=1.5&max=30&x=1&y=2&w=3&h=9");
  BOOST_TEST(problems.empty());
  BOOST_TEST((chosen.channels == std::vector<uint64_t>{1, 0}));
  BOOST_TEST(*chosen.z == 2U);
  BOOST_TEST(!chosen.t);
  BOOST_TEST((*chosen.window == std::pair(1.5, 30.0)));
  BOOST_TEST((chosen.region->x == 1 && chosen.region->y == 2 && chosen.region->width == 3 &&
              chosen.region->height == 2));
}

BOOST_AUTO_TEST_CASE(options_beyond_the_image_are_a_problem) {
  for (const char* const query :
       {"c=2", "c=x", "z=3", "z=-1", "t=1", "min=x", "max=nan", "x=5", "w=0", "x=-1", "h=all"}) {
    problems.clear();
    choice(query);
    BOOST_TEST(problems.size() == 1U, query);
    BOOST_TEST(!problems.at(0).near.empty(), query);
  }
}

BOOST_AUTO_TEST_CASE(picture_shows_the_chosen_plane) {
  ImageChoice one;
  one.channels = {1};
  one.z = 2;
  one.region = ImageChoice::Region{1, 2, 3, 2};
  const Picture picture = *chosen_picture(image, one);
  BOOST_TEST((picture.width() == 3 && picture.height() == 2));
  BOOST_TEST_REQUIRE(picture.layers.size() == 1U);
  Box box{picture.layers[0].origin, {1, 1, 2, 3}};
  const Elements elements = picture.values->read(box);
  BOOST_TEST(elements.values<double>()[0] == 1 * 60 + 2 * 20 + 2 * 5 + 1);
}

BOOST_AUTO_TEST_CASE(the_page_links_its_choices) {
  const std::string text = page("i/?c=0&z=2");
  for (const char* const part : {"src=\"preview.png?c=0&amp;z=2\"", "name=\"min0\"", "z 2 of 0 to 2",
                                 "<a href=\"?c=0&amp;z=1\">← before</a>", "aria-current=\"true\">DAPI</a>",
                                 "<a href=\"?z=2&amp;c=0%2C1\">+ &lt;script&gt;"})
    BOOST_TEST(has(text, part), part);
  BOOST_TEST(has(page("i/?z=9"), "z: '9' is not from 0 to 2. The nearest is <a href=\"?z=2\">2</a>"));
  BOOST_TEST(!has(page("i/?c=%3Cscript%3E&min=%3Cscript%3E"), "<script"));
}

BOOST_AUTO_TEST_CASE(picture_comes_before_its_choices) {
  const std::string text = page("i/");
  BOOST_TEST(text.find("<img class=\"px\"") < text.find("<form"));
  BOOST_TEST(text.find("<form") < text.find("Channels on and off"));
}

BOOST_AUTO_TEST_CASE(preview_with_a_query_shows_that_picture) {
  const Answer whole = get("i/preview.png"), part = get("i/preview.png?c=1&z=2&w=2&h=2");
  BOOST_TEST(part.status == 200);
  BOOST_TEST(part.field("Content-Type") == "image/png");
  BOOST_TEST(part.body.substr(1, 3) == "PNG");
  BOOST_TEST(part.body.size() < whole.body.size());
  BOOST_TEST(get("i/preview.png?c=7").status == 400);
}

// An image with a single level, which is too large for a picture.
struct LargeImages : Images {
  LargeImages() {
    const DType type = number_type(Kind::unsigned_integer, 1);
    const auto places = [type](const Box& box) {
      Elements part = zero_elements(type, element_count(box.extent));
      for (uint64_t i = 0; i < part.count; ++i)
        part.mutable_values<uint8_t>()[i] =
            static_cast<uint8_t>(box.origin[0] + i / box.extent[1] + box.origin[1] + i % box.extent[1]);
      return part;
    };
    Image large;
    large.format = "OME-Zarr";
    for (const char axis : std::string("yx")) large.axes.push_back({axis, {}, {}});
    large.levels.push_back({{"0"}, generated(type, {20'000, 30'000}, places)});
    root->add("large", {large, std::make_shared<MemoryGroup>("/large"), {}, {}});
  }
};

BOOST_FIXTURE_TEST_CASE(middle_of_a_too_large_image_is_shown_with_a_note, LargeImages) {
  const std::string text = page("large/");
  BOOST_TEST(has(text,
                 "The smallest level of this image has 30,000 × 20,000 pixels, too many to be shown whole: "
                 "this is its middle, and the links show other parts. Its .ome.tif opens whole in QuPath"));
  BOOST_TEST(has(text, "src=\"?x=14500&amp;y=9500&amp;w=1000&amp;h=1000&amp;thumbnail=1&amp;side=1024\""));
  BOOST_TEST(has(text, "<a href=\"?x=14000&amp;y=9500&amp;w=1000&amp;h=1000\">left</a>"));
  const Answer part = get("large/?x=14500&y=9500&w=1000&h=1000&thumbnail=1&side=1024");
  BOOST_TEST(part.status == 200);
  BOOST_TEST(part.field("Content-Type") == "image/png");
  const std::string chosen = page("large/?x=1&y=2&w=30&h=40");
  BOOST_TEST(!has(chosen, "too many to be shown whole"));
  BOOST_TEST(has(chosen, "src=\"?x=1&amp;y=2&amp;w=30&amp;h=40&amp;thumbnail=1&amp;side=1024\""));
  BOOST_TEST(get("large/preview.png").status == 404);
}

// A client that asks for another picture while it receives the first.
struct Curious : TextClient {
  explicit Curious(std::function<Answer()> asks) : ask(std::move(asks)) {}
  void send(const Slices& bytes) override {
    if (text.empty()) other = ask().status;
    TextClient::send(bytes);
  }
  std::function<Answer()> ask;
  int other = 0;
};

BOOST_AUTO_TEST_CASE(sent_picture_keeps_no_other_waiting) {
  settings.work = std::make_shared<WorkBudget>(kMaxPictureWork, std::chrono::milliseconds(0));
  for (const char* const query : {"", "?c=1"}) {
    RequestReader reader;
    reader.add(std::string("GET /token/i/preview.png") + query + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    Curious client([&] { return get("i/preview.png"); });
    answers().answer(reader.next().value(), client);
    BOOST_TEST(parse_answer(client.text).status == 200, query);
    // The bytes of the first one still count.
    BOOST_TEST(client.other == (*query == '\0' ? 200 : 503), query);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
