
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/remote/sha256.h"
#include "formats/open_store.h"
#include "fs/views/images/image_files.h"
#include "fs/views/images/picture.h"
#include "tests/support/memory_store.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

const std::string kData = PLAINFS_TEST_DATA "/ome-tiff/";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  BOOST_REQUIRE_MESSAGE(file, path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The image of a store.
struct Opened {
  explicit Opened(const std::string& name) : store(open_store(kData + name + ".ome.zarr", context)) {}
  const Image& image() const { return std::get<Image>(store.root.content); }
  TestContext context;
  Store store;
};

// Returns an image with one level and these axes.
Image image_of(ArrayPtr values, const std::string& axes) {
  Image image;
  for (const char axis : axes) image.axes.push_back({axis, {}, {}});
  image.levels.push_back({{"0"}, std::move(values)});
  return image;
}

template <class T>
ArrayPtr zeros(Shape shape) {
  const uint64_t count = element_count(shape);
  return numbers(std::vector<T>(count), std::move(shape));
}

std::string names_of(Content content, GroupPtr parts = nullptr) {
  TestContext context;
  Node node;
  node.content = std::move(content);
  node.parts = std::move(parts);
  std::vector<ViewEntry> files;
  for (const View& view : views())
    if (view.option == "ome" || view.option == "tif" || view.option == "png")
      view.offer(node, context, files);
  std::string names;
  for (const ViewEntry& file : files)
    names += (file.is_unlisted ? " ?" : file.is_beside ? " " : " /") + file.name;
  return names;
}

// The pixels of a PNG in our form: red, green, blue in stored blocks.
struct Pixels {
  explicit Pixels(const std::string& png) {
    BOOST_REQUIRE(png.starts_with("\x89PNG"));
    width = number(png, 16);
    std::string rows;
    for (size_t at = 43, last = 0; !last;) {
      last = png[at];
      const size_t length = static_cast<uint8_t>(png[at + 1]) + 256u * static_cast<uint8_t>(png[at + 2]);
      rows += png.substr(at + 5, length);
      at += 5 + length;
    }
    BOOST_REQUIRE(rows.size() == number(png, 20) * (1 + 3 * width));
    for (size_t i = 0; i < rows.size(); ++i)
      if (i % (1 + 3 * width) != 0) bytes.push_back(static_cast<uint8_t>(rows[i]));
  }
  static size_t number(const std::string& png, size_t at) {
    size_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = 256 * value + static_cast<uint8_t>(png[at + i]);
    return value;
  }
  std::vector<int> at(size_t pixel) const {
    return {bytes.begin() + 3 * pixel, bytes.begin() + 3 * pixel + 3};
  }
  size_t width = 0;
  std::vector<int> bytes;
};

Pixels preview(const Image& image) {
  TestContext context;
  return Pixels(whole_text(*layout_file(png(preview_of(image).value(), context), context)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(image_files)

BOOST_AUTO_TEST_CASE(ome_tiff_matches_the_prototype) {
  for (const std::string name : {"five", "labels", "plane"}) {
    BOOST_TEST_CONTEXT(name) {
      Opened opened(name);
      const auto file = layout_file(ome_tiff(opened.image(), "plainfs 0.3.0"), opened.context.context);
      const uint64_t known = file->known_size().value();
      BOOST_TEST(opened.context.counters.chunks_decoded == 0u);
      const std::string text = whole_text(*file), head = content_of(kData + name + ".ome.tif.head");
      BOOST_TEST(known == text.size());
      size_t same = 0;
      while (same < head.size() && text.at(same) == head[same]) ++same;
      BOOST_TEST(same == head.size());
      const std::string reported = content_of(kData + name + ".ome.tif.sha256");
      BOOST_TEST(remote::sha256_hex(text) == reported.substr(0, reported.find(' ')));
      std::mt19937_64 random(5);
      const auto again = layout_file(ome_tiff(opened.image(), "plainfs 0.3.0"), opened.context.context);
      BOOST_TEST(slices_match(*again, text, random, 200));
    }
  }
}

BOOST_AUTO_TEST_CASE(preview_matches_the_prototype) {
  Opened opened("five");
  const auto file = layout_file(png(preview_of(opened.image()).value(), opened.context), opened.context);
  const uint64_t known = file->known_size().value();
  BOOST_TEST(opened.context.counters.chunks_decoded == 0u);
  const std::string text = whole_text(*file);
  BOOST_TEST(known == text.size());
  BOOST_TEST((text == content_of(kData + "five.preview.png")));
  std::mt19937_64 random(5);
  BOOST_TEST(slices_match(*file, text, random, 100));
}

BOOST_AUTO_TEST_CASE(the_smallest_level_of_512_pixels_is_shown) {
  const auto width_of = [](const std::vector<Shape>& levels) -> uint64_t {
    Image image = image_of(zeros<uint8_t>(levels[0]), "yx");
    for (size_t i = 1; i < levels.size(); ++i)
      image.levels.push_back({{std::to_string(i)}, zeros<uint8_t>(levels[i])});
    const auto picture = preview_of(image);
    return picture ? picture->width() : 0;
  };
  BOOST_TEST(width_of({{100, 2000}, {50, 1000}, {25, 512}, {13, 256}}) == 512u);
  BOOST_TEST(width_of({{2000, 100}, {600, 30}, {511, 25}}) == 30u);
  BOOST_TEST(width_of({{50, 60}, {25, 30}}) == 60u);
  BOOST_TEST(width_of({{1, (1 << 24) + 1}, {1, 400}}) == 400u);
}

// Pixels with values that follow from their places in the plane, in chunks of 256 by 256.
class PlacesInChunks : public Array {
 public:
  explicit PlacesInChunks(Shape shape) : Array(number_type(Kind::unsigned_integer, 2), std::move(shape)) {}
  Elements read(const Box& box) const override {
    max_ = std::max(max_, element_count(box.extent));
    Elements part = zero_elements(dtype(), element_count(box.extent));
    const size_t y = box.extent.size() - 2, x = y + 1;
    for (uint64_t i = 0; i < part.count; ++i)
      part.mutable_values<uint16_t>()[i] = static_cast<uint16_t>(
          3 * (box.origin[y] + i / box.extent[x] % box.extent[y]) + box.origin[x] + i % box.extent[x]);
    return part;
  }
  Shape chunk_shape() const override {
    Shape chunk(shape().size(), 1);
    std::fill(chunk.end() - 2, chunk.end(), 256);
    return chunk;
  }
  uint64_t most() const { return max_; }

 private:
  mutable uint64_t max_ = 0;  // elements of a read
};

BOOST_AUTO_TEST_CASE(every_kth_pixel_of_a_large_level_is_shown) {
  const auto values = std::make_shared<const PlacesInChunks>(Shape{2, 4099, 8200});
  const Picture picture = preview_of(image_of(values, "cyx")).value();
  BOOST_TEST(picture.step == 8u);
  BOOST_TEST((picture.width() == 1025 && picture.height() == 513));
  const Elements part = picture.values->read({{1, 100, 7}, {1, 2, 3}});
  const auto pixels = part.values<uint16_t>();
  BOOST_TEST((std::vector<uint16_t>(pixels.begin(), pixels.end()) ==
              std::vector<uint16_t>{2456, 2464, 2472, 2480, 2488, 2496}));
  const Elements planes = picture.values->read({{0, 100, 7}, {2, 1, 1}});
  BOOST_TEST((planes.count == 2 && planes.values<uint16_t>()[1] == 2456));
  BOOST_TEST(values->most() < 2 * 8200u);  // the pixels between are not held
  BOOST_TEST(picture_pixels(picture).size() == 3u * 1025 * 513);
}

BOOST_AUTO_TEST_CASE(level_of_over_two_to_the_27_pixels_has_no_picture) {
  const auto preview_of_size = [](uint64_t height, uint64_t width) {
    return preview_of(image_of(std::make_shared<const PlacesInChunks>(Shape{height, width}), "yx"));
  };
  BOOST_TEST(preview_of_size(1 << 13, 1 << 14).has_value());
  BOOST_TEST(!preview_of_size((1 << 13) + 1, 1 << 14).has_value());
  const Image image = image_of(std::make_shared<const PlacesInChunks>(Shape{1 << 14, 1 << 14}), "yx");
  ImageChoice part;
  part.region = ImageChoice::Region{5000, 6000, 100, 200};
  BOOST_TEST(chosen_picture(image, part)->step == 1u);
  part.least_side = UINT64_MAX;
  part.region = ImageChoice::Region{0, 0, 1 << 13, 1 << 14};
  const Picture picture = chosen_picture(image, part).value();
  BOOST_TEST(picture.width() * picture.height() <= kMaxPicturePixels);
}

BOOST_AUTO_TEST_CASE(long_rows_are_read_in_parts) {
  const auto values = std::make_shared<const PlacesInChunks>(Shape{2, 700'000});
  Picture picture = preview_of(image_of(values, "yx")).value();
  picture.layers[0].window = {0, 65535};
  const std::string pixels = picture_pixels(picture);
  BOOST_TEST(values->most() <= uint64_t{1} << 18);
  for (const uint64_t place : {0U, 262'143U, 262'144U, 600'000U, 699'999U, 700'000U, 1'399'999U}) {
    const uint64_t value = static_cast<uint16_t>(3 * (place / 700'000) + place % 700'000);
    BOOST_TEST(static_cast<uint8_t>(pixels[3 * place]) == (value * 255 + 32767) / 65535, place);
  }
}

BOOST_AUTO_TEST_CASE(lines_of_a_picture_have_the_contrast_of_the_whole) {
  const auto values = std::make_shared<const PlacesInChunks>(Shape{300, 200});
  const Picture picture = preview_of(image_of(values, "yx")).value();
  const std::string all = picture_pixels(picture);
  const Picture lines = picture_lines(with_windows(picture), 120, 7);
  BOOST_TEST((picture_pixels(lines) == all.substr(120u * 200 * 3, 7u * 200 * 3)));
}

BOOST_AUTO_TEST_CASE(contrast_defaults_to_the_range_of_the_values) {
  // 8-bit types use the least and the greatest value, others percentiles.
  BOOST_TEST(preview(image_of(numbers<int8_t>({-5, 0, 5}, {1, 3}), "yx")).bytes ==
             std::vector<int>({0, 0, 0, 128, 128, 128, 255, 255, 255}));
  std::vector<uint16_t> values(2001);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i);
  values[2000] = 65535;
  const Pixels pixels = preview(image_of(numbers(values, {1, 2001}), "yx"));
  BOOST_TEST(pixels.at(2)[0] == 0);       // the 0.1 percentile
  BOOST_TEST(pixels.at(1998)[0] == 255);  // the 99.9 percentile
  BOOST_TEST(pixels.at(1000)[0] == 128);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  BOOST_TEST(preview(image_of(numbers<double>({nan, 1, 2, inf, -inf}, {1, 5}), "yx")).at(0) ==
             std::vector<int>({0, 0, 0}));
  BOOST_TEST(preview(image_of(numbers<double>({nan, 1, 2, inf, -inf}, {1, 5}), "yx")).at(3) ==
             std::vector<int>({255, 255, 255}));
  BOOST_TEST(preview(image_of(numbers<double>({nan, nan}, {1, 2}), "yx")).bytes == std::vector<int>(6));
  BOOST_TEST(preview(image_of(zeros<uint8_t>({2, 1}), "yx")).bytes == std::vector<int>(6));
}

BOOST_AUTO_TEST_CASE(channels_are_added_up_in_their_colours) {
  Image image = image_of(numbers<uint8_t>({0, 255, 255, 255}, {2, 1, 2}), "cyx");
  // In the colours of the table if they have none. A plane of equal values has no contrast.
  BOOST_TEST(preview(image).at(1) == std::vector<int>({255, 0, 255}));
  image.channels = {{"a", 0x804000, std::pair(0.0, 255.0)}, {"b", 0xff0001, std::pair(0.0, 510.0)}};
  BOOST_TEST(preview(image).at(0) == std::vector<int>({128, 0, 1}));
  BOOST_TEST(preview(image).at(1) == std::vector<int>({255, 64, 1}));
  image.channels[1].is_active = false;
  BOOST_TEST(preview(image).at(1) == std::vector<int>({128, 64, 0}));
  // The only active one is white, unless it has a colour.
  image.channels[0].color.reset();
  BOOST_TEST(preview(image).at(1) == std::vector<int>({255, 255, 255}));
  image.channels[0].is_active = false;
  BOOST_TEST(preview(image).at(1) == std::vector<int>({0, 0, 0}));
  BOOST_TEST(preview_of(image_of(zeros<uint8_t>({9, 1, 1}), "cyx"))->layers.size() == 7u);
}

BOOST_AUTO_TEST_CASE(the_middle_of_z_and_the_first_t_are_shown) {
  Image image = image_of(numbers<uint8_t>({1, 2, 3, 4, 5, 6}, {2, 3, 1, 1}), "tzyx");
  BOOST_TEST(preview_of(image)->layers[0].origin == Shape({0, 1, 0, 0}));
}

BOOST_AUTO_TEST_CASE(labels_have_a_colour_each) {
  Image image = image_of(numbers<int64_t>({0, 1, 2, 1}, {1, 4}), "yx");
  image.is_labels = true;
  const Pixels pixels = preview(image);
  BOOST_TEST(pixels.at(0) == std::vector<int>({0, 0, 0}));
  BOOST_TEST(pixels.at(1) == pixels.at(3));
  BOOST_TEST(pixels.at(1) != pixels.at(2));
  BOOST_TEST(pixels.at(1) != pixels.at(0));
}

BOOST_AUTO_TEST_CASE(tile_decodes_only_the_chunks_it_touches) {
  TestContext context;
  const auto values =
      std::make_shared<ChunkedCopy>(context, zeros<uint16_t>({3, 512, 512}), Shape{1, 128, 128});
  const auto file = layout_file(ome_tiff(image_of(values, "zyx"), "plainfs"), context);
  const uint64_t size = file->size(), tile = 128 * 128 * 2;
  file->read(size - tile, tile);
  BOOST_TEST(values->chunks_decoded() == 1u);
  file->read(size - 5 * tile - 10, 20);
  BOOST_TEST(values->chunks_decoded() == 3u);
}

BOOST_AUTO_TEST_CASE(directories_of_a_vast_image_are_generated_on_read) {
  TestContext context;
  // 2^20 planes of 2^40 pixels.
  class Vast : public Array {
   public:
    Vast() : Array(type_of<uint8_t>(), {1 << 20, 1 << 20, 1 << 20}) {}
    Shape chunk_shape() const override { return {1, 1024, 1024}; }
    Elements read(const Box& box) const override { return zero_elements(dtype(), element_count(box.extent)); }
  };
  const auto file = layout_file(ome_tiff(image_of(std::make_shared<Vast>(), "zyx"), "plainfs"), context);
  BOOST_TEST(file->size() > uint64_t{1} << 60);
  BOOST_TEST(file->read(uint64_t{1} << 40, 4096).size() == 4096u);
  BOOST_TEST(file->read(file->size() - 7, 4096).size() == 7u);
}

BOOST_AUTO_TEST_CASE(image_files_are_beside_a_member_or_in_the_root) {
  const Image image = image_of(zeros<uint8_t>({4, 5}), "yx");
  BOOST_TEST(names_of(image) == " .ome.tif ?.tif");
  const Opened opened("plane");
  BOOST_TEST(names_of(image, opened.store.root.parts) == " /image.ome.tif ?image.tif /preview.png");
  // The directory of a member repeats no file that is beside the member.
  class Below : public MemoryGroup {
   public:
    GroupPtr parent() const override { return std::make_shared<MemoryGroup>(); }
  };
  BOOST_TEST(names_of(image, std::make_shared<Below>()) == " /preview.png");
}

BOOST_AUTO_TEST_CASE(pixel_types_without_ome_name_have_no_file) {
  BOOST_TEST(names_of(image_of(zeros<int64_t>({4, 5}), "yx")) == "");
  BOOST_TEST(names_of(image_of(zeros<uint64_t>({4, 5}), "yx")) == "");
  BOOST_TEST(names_of(image_of(text_array({"a"}), "x")) == "");
  Image broken = image_of(zeros<uint8_t>({4, 5}), "yx");
  broken.levels.clear();
  broken.error = unsupported("its axes");
  BOOST_TEST(names_of(broken) == "");
  broken.error = damaged("its axes");
  BOOST_TEST(names_of(broken) == " .ome.tif ?.tif");
  BOOST_CHECK_EXCEPTION(ome_tiff(broken, "plainfs"), Error, mentions("its axes"));
}

// So a remote store lists these too.
BOOST_AUTO_TEST_CASE(sizes_of_images_and_pictures_take_no_read) {
  Opened opened("five");
  size_t sized = 0;
  for (const View& view : views()) {
    std::vector<ViewEntry> files;
    if (view.option == "ome" || view.option == "tif" || view.option == "png")
      view.offer(opened.store.root, opened.context, files);
    for (const ViewEntry& file : files) {
      BOOST_TEST(view.is_sized_by_shape, view.option);
      BOOST_TEST(file.open()->known_size().has_value());
      ++sized;
    }
  }
  BOOST_TEST(sized == 3u);
  BOOST_TEST(opened.context.counters.chunks_decoded == 0u);
}

BOOST_AUTO_TEST_CASE(arrays_of_two_and_three_axes_have_pictures) {
  const auto names = [](ArrayPtr values) {
    return names_of(LabelledArray{std::move(values), nullptr, nullptr});
  };
  BOOST_TEST(names(zeros<uint8_t>({4, 5})) == " ?.tif ?.png");
  BOOST_TEST(names(zeros<float>({2, 4, 5})) == " ?.tif ?.png");
  BOOST_TEST(names(zeros<int64_t>({4, 5})) == " ?.png");
  BOOST_TEST(names(zeros<uint8_t>({40, 50, 3})) == " ?.png");
  BOOST_TEST(names(zeros<int32_t>({40, 50, 3})) == " ?.tif ?.png");
  BOOST_TEST(names(zeros<uint8_t>({5})) == "");
  BOOST_TEST(names(zeros<uint8_t>({1, 1, 4, 5})) == "");
  BOOST_TEST(names(zeros<uint8_t>({4, 0})) == "");
  BOOST_TEST(names(as_column_major(zeros<uint8_t>({4, 5}))) == " ?.tif ?.png");
  BOOST_TEST(names(as_column_major(zeros<uint8_t>({3, 50, 40}))) == " ?.png");
  BOOST_TEST(names(with_missing(zeros<int32_t>({4, 5}),
                                [](const Elements&, std::vector<uint8_t>& m) { m[0] = 1; })) == "");
  BOOST_TEST(names(zeros<uint8_t>({1 << 12, (1 << 12) + 1})) == " ?.tif");
}

BOOST_AUTO_TEST_CASE(an_array_of_colours_is_a_picture_of_them) {
  TestContext context;
  const auto pixels_of = [&](ArrayPtr values) {
    Node node;
    node.content = LabelledArray{std::move(values), nullptr, nullptr};
    std::vector<ViewEntry> files;
    for (const View& view : views())
      if (view.option == "png") view.offer(node, context, files);
    return Pixels(whole_text(*files.at(0).open())).bytes;
  };
  BOOST_TEST(pixels_of(numbers<uint8_t>({1, 2, 3, 255, 5, 6}, {2, 1, 3})) ==
             std::vector<int>({1, 2, 3, 255, 5, 6}));
  // R's order: all of one colour first, column by column; here 2 rows of 1 column.
  BOOST_TEST(pixels_of(as_column_major(numbers<uint8_t>({1, 255, 2, 5, 3, 6}, {3, 1, 2}))) ==
             std::vector<int>({1, 2, 3, 255, 5, 6}));
  BOOST_TEST(pixels_of(numbers<uint16_t>({0, 65535, 257, 9}, {1, 1, 4})) == std::vector<int>({0, 255, 1}));
  BOOST_TEST(pixels_of(numbers<float>({0, 0.5, 1.5}, {1, 1, 3})) == std::vector<int>({0, 128, 255}));
  BOOST_TEST(pixels_of(numbers<uint8_t>({0, 0, 7, 9}, {2, 1, 2})) ==
             std::vector<int>({0, 0, 0, 255, 255, 255}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
