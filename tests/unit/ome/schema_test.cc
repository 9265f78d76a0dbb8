// OME-Zarr images: a valid group of each version, with one fault at a time.
#include "formats/schemas/ome/schema.h"

#include <boost/algorithm/string/replace.hpp>
#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/ome/multiscales.h"
#include "tests/support/memory_store.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs::ome {
namespace {

const std::string kAxes =
    R"([{"name":"c","type":"channel"},{"name":"y","unit":"micrometer"},{"name":"x","unit":"micrometer"}])";
const std::string kMultiscales =
    R"([{"version":"0.4","name":"cells","axes":)" + kAxes +
    R"(,"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,0.5,0.25]}]},{"path":"1"}],
    "coordinateTransformations":[{"type":"scale","scale":[1,2,2]}]}])";
const std::string kOmero =
    R"({"channels":[{"label":"DAPI","color":"0000FF","window":{"start":1,"end":9}},{"label":"GFP","color":"#00ff00","active":false}]})";

Node array(Shape shape, bool is_wide = true) {
  const uint64_t count = element_count(shape);
  Node node;
  if (is_wide)
    node.content = LabelledArray{numbers(std::vector<uint16_t>(count), std::move(shape)), nullptr, nullptr};
  else
    node.content = LabelledArray{numbers(std::vector<uint8_t>(count), std::move(shape)), nullptr, nullptr};
  return node;
}

// A group /i with an image of 2 channels, 20 by 30 pixels, and a level of half that size.
struct Group {
  TestContext context;
  std::shared_ptr<MemoryGroup> group = std::make_shared<MemoryGroup>("/i");

  Group() {
    group->add("0", array({2, 20, 30})).add("1", array({2, 10, 15}));
    put_attributes({{"multiscales", kMultiscales}, {"omero", kOmero}});
  }
  explicit Group(const std::vector<Shape>& levels) {
    for (size_t i = 0; i < levels.size(); ++i) group->add(std::to_string(i), array(levels[i]));
  }
  void put_attributes(const std::vector<std::pair<std::string, std::string>>& words) {
    Attributes attributes;
    for (const auto& [name, text] : words) attributes.push_back({name, parse_json(text)});
    group->set_attributes(std::move(attributes));
  }
  // Replaces one part of the valid multiscales.
  void break_multiscales(const std::string& what, const std::string& by) {
    const std::string broken = boost::replace_first_copy(kMultiscales, what, by);
    BOOST_REQUIRE(broken != kMultiscales);
    put_attributes({{"multiscales", broken}, {"omero", kOmero}});
  }
  std::optional<Image> image() { return image_in(*group, metadata_of(*group), context); }
  std::string error() {
    const Image found = image().value();
    BOOST_REQUIRE(found.error.has_value());
    BOOST_TEST(found.levels.empty());
    return found.error->what();
  }
  std::string axes() {
    std::string names;
    const Image found = image().value();
    for (const ImageAxis& axis : found.axes) names += axis.name;
    return names;
  }
};

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != text.npos;
}

BOOST_AUTO_TEST_SUITE(ome_schema)

BOOST_AUTO_TEST_CASE(image_follows_its_attributes) {
  Group group;
  const Image image = group.image().value();
  BOOST_TEST(image.name == "cells");
  BOOST_TEST(image.format == "OME-Zarr 0.4");
  BOOST_TEST(group.axes() == "cyx");
  BOOST_TEST(!image.is_labels);
  BOOST_TEST(!image.error.has_value());
  BOOST_TEST(image.levels.size() == 2u);
  BOOST_TEST(image.axes[1].unit == "micrometer");
  // The scale of the level times that of all levels.
  BOOST_TEST(image.axes[1].step.value() == 1.0);
  BOOST_TEST(image.axes[2].step.value() == 0.5);
  BOOST_TEST(image.channels.size() == 2u);
  BOOST_TEST(image.channels[0].name == "DAPI");
  BOOST_TEST(image.channels[0].color.value() == 0x0000ffu);
  BOOST_TEST(image.channels[0].window->second == 9.0);
  BOOST_TEST(image.channels[1].color.value() == 0x00ff00u);
  BOOST_TEST(!image.channels[1].window.has_value());
  BOOST_TEST(!image.channels[1].is_active);
  BOOST_TEST(group.context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(a_group_of_other_attributes_is_no_image) {
  Group group;
  group.put_attributes({{"omero", kOmero}});
  BOOST_TEST(!group.image().has_value());
  for (const char* text : {"{}", "[]", "7", "[7]"}) {
    group.put_attributes({{"multiscales", text}});
    BOOST_TEST(!group.image().has_value());
  }
  BOOST_TEST(group.context.warned("multiscales is not a list of objects"));
}

BOOST_AUTO_TEST_CASE(each_version_declares_its_axes) {
  Group early({{1, 2, 3, 20, 30}});
  for (const std::string version : {"0.1", "0.2"}) {
    early.put_attributes(
        {{"multiscales", R"([{"version":")" + version + R"(","datasets":[{"path":"0"}]}])"}});
    BOOST_TEST(early.axes() == "tczyx");
    BOOST_TEST(early.image()->format == "OME-Zarr " + version);
  }
  Group named({{3, 20, 30}});
  named.put_attributes(
      {{"multiscales", R"([{"version":"0.3","axes":["z","y","x"],"datasets":[{"path":"0"}]}])"}});
  BOOST_TEST(named.axes() == "zyx");
  Group inside({{2, 20, 30}, {2, 10, 15}});
  inside.put_attributes(
      {{"ome", R"({"version":"0.5","omero":)" + kOmero + R"(,"image-label":{},"multiscales":)" +
                   boost::replace_first_copy(kMultiscales, "\"version\":\"0.4\",", "") + "}"}});
  BOOST_TEST(inside.axes() == "cyx");
  BOOST_TEST(inside.image()->format == "OME-Zarr 0.5");
  BOOST_TEST(inside.image()->channels.size() == 2u);
  BOOST_TEST(inside.image()->is_labels);
}

BOOST_AUTO_TEST_CASE(unknown_version_is_no_image) {
  Group group;
  for (const std::string version : {"0.7", "0.60", "1.0"}) {
    group.break_multiscales("0.4", version);
    BOOST_TEST(!group.image().has_value());
    BOOST_TEST(group.context.warned("unknown version OME-Zarr " + version));
  }
}

BOOST_AUTO_TEST_CASE(axes_and_steps_follow_the_coordinate_system) {
  const auto with = [](const std::string& version, const std::string& input, const std::string& output) {
    Group group({{2, 20, 30}, {2, 10, 15}});
    group.put_attributes({{"ome", R"({"version":")" + version + R"(","multiscales":[{"coordinateSystems":[
        {"name":"world","axes":[{"name":"z"},{"name":"y"},{"name":"x"}]},
        {"name":"intrinsic","axes":)" +
                                      kAxes + R"(}],
        "datasets":[{"path":"0","coordinateTransformations":[{"type":"sequence","input":)" +
                                      input + R"(,"output":)" + output + R"(,"transformations":[
            {"type":"scale","scale":[1,0.5,0.25]},{"type":"translation","translation":[0,1,1]}]}]},
          {"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,1,0.5]}]}],
        "coordinateTransformations":[{"type":"scale","scale":[10,10,10],"input":{"name":"intrinsic"},
          "output":{"name":"world"}}]}]})"}});
    BOOST_TEST(group.axes() == "cyx");
    const Image image = group.image().value();
    BOOST_TEST(image.format == "OME-Zarr " + version);
    BOOST_TEST(image.levels.size() == 2u);
    BOOST_TEST(image.axes[1].step.value() == 0.5);
    BOOST_TEST(image.axes[2].step.value() == 0.25);
    BOOST_TEST(image.axes[2].unit == "micrometer");
    BOOST_TEST(group.context.warnings().empty());
  };
  for (const char* version : {"0.6", "0.6rc0", "0.6.dev2"})
    with(version, R"({"path":"0"})", R"({"name":"intrinsic"})");
  with("0.6-dev", R"("0")", R"("intrinsic")");
}

BOOST_AUTO_TEST_CASE(levels_may_differ_in_byte_order) {
  Group group({{2, 20, 30}});
  DType big = number_type(Kind::unsigned_integer, 2, true);
  Node level;
  level.content = LabelledArray{mapped(numbers(std::vector<uint16_t>(300), {2, 10, 15}), big,
                                       [](Elements same, const Box&) { return same; }),
                                nullptr, nullptr};
  group.group->add("1", level);
  group.put_attributes({{"multiscales", kMultiscales}});
  BOOST_TEST(group.image()->levels.size() == 2u);
  BOOST_TEST(group.context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(other_axes_are_unsupported) {
  const auto with = [](const std::string& axes) {
    Group group;
    group.break_multiscales(kAxes, axes);
    const Image image = group.image().value();
    BOOST_TEST((image.error.value().code() == Errc::unsupported));
    return std::string(image.error->what());
  };
  BOOST_TEST(has(with(R"(["y","x","c"])"), "an axis 'c' among"));
  BOOST_TEST(has(with(R"(["c","y","y"])"), "an axis 'y' among"));
  BOOST_TEST(has(with(R"(["c","phase","x"])"), "an axis 'phase' among"));
  BOOST_TEST(has(with(R"([{"name":"c"},{"name":""},{"name":"x"}])"), "an axis '' among"));
  BOOST_TEST(has(with(R"(["c","z","y"])"), "without y and x"));
}

BOOST_AUTO_TEST_CASE(an_image_without_its_largest_level_is_damaged) {
  Group group;
  group.break_multiscales("\"path\":\"0\"", "\"path\":\"9\"");
  BOOST_TEST(has(group.error(), "the level '9' is not an array"));
  group.break_multiscales("\"path\":\"0\"", "\"path\":\"../i\"");
  BOOST_TEST(has(group.error(), "not an array"));
  group.break_multiscales("\"path\":\"0\"", "\"path\":7");
  BOOST_TEST(has(group.error(), "the level '' is not an array"));
  group.break_multiscales("datasets", "data");
  BOOST_TEST(has(group.error(), "no datasets"));
  group.break_multiscales(kAxes, "7");
  BOOST_TEST(has(group.error(), "axes is not a list"));
  group.break_multiscales(kAxes, R"(["y","x"])");
  BOOST_TEST(has(group.error(), "the level '0' has 3 axes, expected 2"));
}

BOOST_AUTO_TEST_CASE(temporarily_unreadable_level_decides_nothing) {
  Group group;
  group.group = std::make_shared<MemoryGroup>("/i");
  group.group->add("0", Node{Error(Errc::unreadable, "the disk fails"), {}, {}, {}});
  group.put_attributes({{"multiscales", kMultiscales}});
  BOOST_CHECK_THROW(group.image(), Error);
  group.group = std::make_shared<MemoryGroup>("/i");
  group.group->add("0", Node{damaged("a wrong chunk length"), {}, {}, {}});
  group.put_attributes({{"multiscales", kMultiscales}});
  BOOST_TEST(has(group.error(), "a wrong chunk length"));
}

BOOST_AUTO_TEST_CASE(levels_end_before_a_mismatched_one) {
  const auto levels_of = [](const std::vector<Node>& levels, const std::string& warning) {
    Group group(std::vector<Shape>{});
    std::string datasets;
    for (size_t i = 0; i < levels.size(); ++i) {
      group.group->add(std::to_string(i), levels[i]);
      datasets += (i ? "," : "") + std::string(R"({"path":")") + std::to_string(i) + "\"}";
    }
    group.put_attributes({{"multiscales", R"([{"axes":["z","y","x"],"datasets":[)" + datasets + "]}]"}});
    const size_t count = group.image().value().levels.size();
    BOOST_TEST(group.context.warned(warning) == !warning.empty(), warning);
    return count;
  };
  const Node first = array({4, 20, 30}), half = array({4, 10, 15});
  BOOST_TEST(levels_of({first, half, array({4, 5, 7})}, "") == 3u);
  BOOST_TEST(levels_of({first, half, array({2, 5, 7})}, "") == 2u);  // z shrinks
  BOOST_TEST(levels_of({first, half, array({4, 5, 16})}, "levels end before 2: the level '2' is larger") ==
             2u);
  BOOST_TEST(levels_of({first, half, array({5, 7})}, "the level '2' has 2 axes, expected 3") == 2u);
  BOOST_TEST(levels_of({first, array({4, 10, 15}, false), half}, "is uint8, expected uint16") == 1u);
  BOOST_TEST(levels_of({first, array({4, 10, 0})}, "") == 1u);
}

BOOST_AUTO_TEST_CASE(an_image_without_pixels_is_unsupported) {
  Group group({{2, 0, 30}, {2, 0, 15}});
  group.put_attributes({{"multiscales", kMultiscales}});
  BOOST_TEST(has(group.error(), "2 × 0 × 30 has no pixels"));
}

BOOST_AUTO_TEST_CASE(first_of_several_multiscales_is_the_image) {
  Group group;
  const std::string first = kMultiscales.substr(1, kMultiscales.size() - 2);
  group.put_attributes({{"multiscales", "[" + first + R"(,{"name":"other","datasets":[]}])"}});
  BOOST_TEST(group.image()->name == "cells");
  BOOST_TEST(group.context.warned("only the first of several multiscales is shown"));
}

BOOST_AUTO_TEST_CASE(other_mismatched_parts_are_left_out) {
  Group group;
  group.break_multiscales("[1,0.5,0.25]", "[1,0.5]");
  BOOST_TEST(!group.image()->axes[1].step.has_value());
  BOOST_TEST(group.context.warned("a scale that does not have 3 numbers"));
  group.break_multiscales("[1,0.5,0.25]", R"([1,-0.5,"x"])");
  BOOST_TEST(group.image()->axes[0].step.has_value());
  BOOST_TEST(!group.image()->axes[1].step.has_value());
  BOOST_TEST(!group.image()->axes[2].step.has_value());
  group.put_attributes({{"multiscales", kMultiscales}, {"omero", R"({"channels":[{"label":"one"}]})"}});
  BOOST_TEST(group.image()->channels.empty());
  BOOST_TEST(group.context.warned("omero has 1 channels, expected 2"));
  group.put_attributes(
      {{"multiscales", kMultiscales},
       {"omero",
        R"({"channels":[{"color":"00ZZ00","window":{"start":1}},{"color":255,"window":{"start":1,"end":"NaN"}}]})"}});
  const Image image = group.image().value();
  BOOST_TEST(image.channels.size() == 2u);
  for (const ImageChannel& channel : image.channels) {
    BOOST_TEST(!channel.color.has_value());
    BOOST_TEST(!channel.window.has_value());
    BOOST_TEST(channel.is_active);
  }
}

BOOST_AUTO_TEST_CASE(group_outside_of_zarr_is_no_image) {
  Group group;
  Node node;
  node.parts = group.group;
  BOOST_TEST(!refine(node, group.context).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::ome
