#include "fs/views/image_files.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "formats/core/remote/sha256.h"
#include "formats/open_store.h"
#include "fs/native/ome_tiff.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/says.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs/memory_store.h"

namespace plainfs {

namespace {

const std::string kData = PLAINFS_TEST_DATA "/ome-tiff/";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  BOOST_REQUIRE_MESSAGE(file, path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The image that a store is.
struct Opened {
  explicit Opened(const std::string& name) : store(open_store(kData + name + ".ome.zarr", context)) {}
  const Image& image() const { return std::get<Image>(store.root.content); }
  TestContext context;
  Store store;
};

// An image of one level, with an axis each.
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

std::string names_of(const Image& image, GroupPtr parts = nullptr) {
  TestContext context;
  Node node;
  node.content = image;
  node.parts = std::move(parts);
  std::vector<OfferedFile> files;
  offer_ome(node, context, files);
  std::string names;
  for (const OfferedFile& file : files) names += (file.inside ? " /" : " ") + file.name;
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(image_files)

BOOST_AUTO_TEST_CASE(an_ome_tiff_is_what_the_prototype_wrote) {
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
      const std::string said = content_of(kData + name + ".ome.tif.sha256");
      BOOST_TEST(remote::sha256_hex(text) == said.substr(0, said.find(' ')));
      std::mt19937_64 random(5);
      const auto again = layout_file(ome_tiff(opened.image(), "plainfs 0.3.0"), opened.context.context);
      BOOST_TEST(slices_match(*again, text, random, 200));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_tile_decodes_the_chunks_that_it_touches) {
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

BOOST_AUTO_TEST_CASE(the_size_of_a_vast_image_takes_no_memory_and_its_directories_are_made_as_they_are_read) {
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

BOOST_AUTO_TEST_CASE(a_member_has_it_beside_it_and_a_store_in_its_root) {
  const Image image = image_of(zeros<uint8_t>({4, 5}), "yx");
  BOOST_TEST(names_of(image) == " .ome.tif");
  const Opened opened("plane");
  BOOST_TEST(names_of(image, opened.store.root.parts) == " /image.ome.tif");
  // In the directory of a member stands nothing of what stands beside it.
  class Below : public MemoryGroup {
   public:
    GroupPtr parent() const override { return std::make_shared<MemoryGroup>(); }
  };
  BOOST_TEST(names_of(image, std::make_shared<Below>()) == "");
}

BOOST_AUTO_TEST_CASE(what_ome_has_no_pixels_for_has_no_file) {
  BOOST_TEST(names_of(image_of(zeros<int64_t>({4, 5}), "yx")) == "");
  BOOST_TEST(names_of(image_of(zeros<uint64_t>({4, 5}), "yx")) == "");
  BOOST_TEST(names_of(image_of(text_array({"a"}), "x")) == "");
  Image broken = image_of(zeros<uint8_t>({4, 5}), "yx");
  broken.levels.clear();
  broken.error = unsupported("its axes");
  BOOST_TEST(names_of(broken) == "");
  broken.error = damaged("its axes");
  BOOST_TEST(names_of(broken) == " .ome.tif");
  BOOST_CHECK_EXCEPTION(ome_tiff(broken, "plainfs"), Error, says("its axes"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
