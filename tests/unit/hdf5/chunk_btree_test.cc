#include "formats/containers/hdf5/chunk_btree.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "formats/containers/hdf5/container.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::hdf5 {
namespace {

struct File {
  std::string path() const { return directory.path("store.h5"); }
  ArrayPtr array(const std::string& name) { return find_array(*open_group(path(), context.context), name); }
  std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path(), std::ios::binary).rdbuf();
    return out.str();
  }
  void rewrite(const std::string& content) {
    std::ofstream(path(), std::ios::binary) << content;
    context.context.files.clear();
  }

  TemporaryDirectory directory;
  TestContext context;
};

auto damaged_with(std::string_view words) {
  return [words](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == Errc::damaged &&
           std::string_view(error.what()).find(words) != std::string_view::npos;
  };
}

std::vector<int> counting(size_t count) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 7 % 100003);
  return values;
}

// Returns the bytes of a number as stored in a file.
template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

BOOST_AUTO_TEST_SUITE(hdf5_chunk_btree)

BOOST_AUTO_TEST_CASE(bare_chunk_of_another_size_is_damage) {
  for (const size_t stored : {8, 60, 68, 64000}) {
    File file;
    {
      Hdf5Writer writer(file.path());
      const PropertyHandle creation = Hdf5Writer::chunked({16});
      const DatasetHandle dataset = writer.integers("x", {64}, {}, creation.id());
      const hsize_t origin = 16;
      const std::vector<char> bytes(stored, 1);
      written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, &origin, stored, bytes.data()));
    }
    BOOST_CHECK_EXCEPTION(read_all(*file.array("x")), Error,
                          damaged_with(fmt::format("chunk at (16): {} bytes stored, 64 wanted", stored)));
  }
}

BOOST_AUTO_TEST_CASE(unfiltered_chunk_has_its_own_size) {
  for (const size_t stored : {64, 68}) {
    File file;
    {
      Hdf5Writer writer(file.path());
      const PropertyHandle creation = Hdf5Writer::chunked({16});
      H5Pset_deflate(creation.id(), 1);
      const DatasetHandle dataset = writer.integers("x", {16}, {}, creation.id());
      const hsize_t origin = 0;
      const std::vector<char> bytes(stored, 1);
      written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 1, &origin, stored, bytes.data()));
    }
    if (stored == 64)
      BOOST_TEST(read_all(*file.array("x")).values<int32_t>()[15] == 0x01010101);
    else
      BOOST_CHECK_EXCEPTION(read_all(*file.array("x")), Error, damaged_with("68 bytes stored, 64 wanted"));
  }
}

BOOST_AUTO_TEST_CASE(deep_trees_read_as_written_in_every_form_of_header) {
  const std::vector<int> values = counting(300 * 200);
  for (const bool is_new : {false, true})
    for (const size_t address_size : {4, 8})
      for (const hsize_t user_block : {0, 2048}) {
        File file;
        {
          const LibraryLock lock;
          const PropertyHandle creation(H5Pcreate(H5P_FILE_CREATE)), access(H5Pcreate(H5P_FILE_ACCESS));
          H5Pset_sizes(creation.id(), address_size, 8);
          H5Pset_userblock(creation.id(), user_block);
          H5Pset_istore_k(creation.id(), 4);
          if (is_new) H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18);
          Hdf5Writer writer(file.path(), creation.id(), access.id());
          const PropertyHandle bare = Hdf5Writer::chunked({3, 11});
          const DatasetHandle dataset = writer.integers("x", {300, 200}, values, bare.id());
          const SpaceHandle scalar(H5Screate(H5S_SCALAR));
          for (int i = 0; i < 40; ++i)
            writer.attribute(dataset.id(), "a" + std::to_string(i), H5T_NATIVE_INT, scalar.id(), &i);
          H5Pset_deflate(bare.id(), 1);
          writer.integers("z", {300, 200}, values, bare.id());
        }
        for (const char* name : {"x", "z"}) {
          const Elements elements = read_all(*file.array(name));
          const auto read = elements.values<int32_t>();
          BOOST_TEST(std::equal(read.begin(), read.end(), values.begin(), values.end()));
        }
      }
}

// 100 chunks of 8 integers, bare, in the order of the axis.
void write_hundred_chunks(const File& file) {
  Hdf5Writer writer(file.path());
  const PropertyHandle creation = Hdf5Writer::chunked({8});
  writer.integers("x", {800}, counting(800), creation.id());
}

// Returns the place of the key of the chunk at `origin` in a tree with one axis.
size_t key_of(const std::string& content, uint64_t origin) {
  const std::string key =
      bytes_of(uint32_t{32}) + bytes_of(uint32_t{0}) + bytes_of(origin) + bytes_of(uint64_t{0});
  const size_t place = content.find(key);
  BOOST_REQUIRE(place != std::string::npos);
  return place;
}

BOOST_AUTO_TEST_CASE(damaged_trees_are_reported_and_give_no_values) {
  using Change = std::function<void(std::string&)>;
  const std::vector<std::pair<Change, std::string>> changes{
      {[](std::string& file) { file[key_of(file, 80) + 8] = 17; }, "keys that do not ascend"},
      {[](std::string& file) { file[key_of(file, 80) + 8] = 82; }, "does not lie in the grid"},
      {[](std::string& file) { file[key_of(file, 80)] = 31; }, "31 bytes stored, 32 wanted"},
      {[](std::string& file) { file[key_of(file, 80) + 30] = 127; }, "beyond the file's end"},
      {[](std::string& file) { file[key_of(file, 0) - 24] = 'S'; }, "no node of a tree"},
      {[](std::string& file) {
         const std::string leaf("TREE\1\0", 6);
         for (size_t at = 0; (at = file.find(leaf, at)) != std::string::npos;) file[at + 5] = 1;
       },
       "a node of level 1 under one of level 1"},
  };
  for (const auto& [change, words] : changes) {
    File file;
    write_hundred_chunks(file);
    std::string content = file.content();
    change(content);
    file.rewrite(content);
    BOOST_CHECK_EXCEPTION(read_all(*file.array("x")), Error, damaged_with(words));
  }
}

BOOST_AUTO_TEST_CASE(absent_chunks_of_a_tree_are_fill) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation = Hdf5Writer::chunked({4, 4});
    const int fill = -5;
    H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &fill);
    writer.integers("none", {9, 9}, {}, creation.id());
    const DatasetHandle dataset = writer.integers("x", {9, 9}, {}, creation.id());
    const hsize_t origin[] = {4, 4};
    const std::vector<int> sixteen(16, 3);
    written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, origin, 64, sixteen.data()));
  }
  const Elements none = read_all(*file.array("none")), some = read_all(*file.array("x"));
  for (uint64_t i = 0; i < 81; ++i) {
    const bool is_written = i / 9 >= 4 && i / 9 < 8 && i % 9 >= 4 && i % 9 < 8;
    BOOST_TEST(none.values<int32_t>()[i] == -5);
    BOOST_TEST(some.values<int32_t>()[i] == (is_written ? 3 : -5));
  }
}

// Chunks at random places of a matrix, in trees with small nodes.
BOOST_AUTO_TEST_CASE(any_box_of_scattered_chunks_reads_as_written) {
  constexpr hsize_t kRows = 90, kColumns = 70, kChunkRows = 3, kChunkColumns = 4;
  std::mt19937_64 random(5);
  for (const unsigned one_in : {2, 5, 40}) {
    File file;
    std::vector<int> want(kRows * kColumns, -1);
    {
      const LibraryLock lock;
      const PropertyHandle small(H5Pcreate(H5P_FILE_CREATE));
      H5Pset_istore_k(small.id(), 2);
      Hdf5Writer writer(file.path(), small.id());
      const PropertyHandle creation = Hdf5Writer::chunked({kChunkRows, kChunkColumns});
      const int fill = -1;
      H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &fill);
      const DatasetHandle dataset = writer.integers("x", {kRows, kColumns}, {}, creation.id());
      for (int i = 0; i < 700; ++i) {
        const hsize_t origin[] = {random() % (kRows / kChunkRows) * kChunkRows,
                                  random() % (kColumns / kChunkColumns + 1) * kChunkColumns};
        if (random() % one_in != 0) continue;
        const std::vector<int> chunk(kChunkRows * kChunkColumns, i);
        written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, origin, chunk.size() * 4, chunk.data()));
        for (hsize_t r = 0; r < kChunkRows; ++r)
          for (hsize_t c = 0; c < kChunkColumns && origin[1] + c < kColumns; ++c)
            want[(origin[0] + r) * kColumns + origin[1] + c] = i;
      }
    }
    const ArrayPtr array = file.array("x");
    const Elements all = read_all(*array);
    BOOST_TEST(std::equal(want.begin(), want.end(), all.values<int32_t>().begin()));
    for (int i = 0; i < 300; ++i) {
      const uint64_t row = random() % kRows, column = random() % kColumns;
      const Box box{{row, column}, {1 + random() % (kRows - row), 1 + random() % (kColumns - column)}};
      bool is_fill = true;
      const Elements part = array->read(box);
      for (uint64_t k = 0; k < part.count; ++k) {
        const uint64_t r = row + k / box.extent[1], c = column + k % box.extent[1];
        BOOST_REQUIRE_EQUAL(part.values<int32_t>()[k], want[r * kColumns + c]);
        is_fill = is_fill && part.values<int32_t>()[k] == -1;
      }
      if (array->repeated(box)) BOOST_TEST(is_fill);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
