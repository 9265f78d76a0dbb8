#include "formats/containers/hdf5/container.h"

#include <algorithm>
#include <array>
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>

#include "formats/containers/hdf5/library/own_filters.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::hdf5 {
namespace {

struct File {
  std::string path() const { return directory.path("store.h5"); }
  GroupPtr root() { return open_group(path(), context.context); }

  TemporaryDirectory directory;
  TestContext context;
};

std::vector<int> counting(size_t count) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 7 % 1000);
  return values;
}

std::vector<int> read_integers(const Array& array) {
  const Elements elements = read_all(array);
  const auto values = elements.values<int32_t>();
  return {values.begin(), values.end()};
}

auto is(Errc code, std::string_view words = "") {
  return [code, words](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == code && std::string_view(error.what()).find(words) != std::string_view::npos;
  };
}

BOOST_AUTO_TEST_SUITE(hdf5_container)

BOOST_AUTO_TEST_CASE(signature_is_searched_at_superblock_offsets) {
  TemporaryDirectory directory;
  const std::string signature("\x89HDF\r\n\x1a\n", 8);
  for (const auto& [before, found] : std::vector<std::pair<size_t, bool>>{
           {0, true}, {512, true}, {1024, true}, {4096, true}, {100, false}, {1536, false}}) {
    std::ofstream(directory.path("f"), std::ios::binary) << std::string(before, '.') << signature;
    BOOST_TEST(recognises(look_at(directory.path("f"))) == found, before);
  }
  BOOST_TEST(!recognises(look_at(directory.path())));
  BOOST_TEST(!recognises(look_at(directory.path("absent"))));
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  std::ofstream(directory.path("f.tar"), std::ios::binary) << tar << signature;
  BOOST_TEST(!recognises(look_at(directory.path("f.tar"))));
}

BOOST_AUTO_TEST_CASE(truncated_file_is_refused_with_the_reason) {
  File file;
  { Hdf5Writer(file.path()).integers("x", {1000}, counting(1000)); }
  std::ifstream whole(file.path(), std::ios::binary);
  std::string head(2500, '\0');
  whole.read(head.data(), 2500);
  std::ofstream(file.directory.path("cut.h5"), std::ios::binary) << head;
  BOOST_CHECK_EXCEPTION(open(look_at(file.directory.path("cut.h5")), file.context.context), Error,
                        is(Errc::damaged, "truncated"));
}

BOOST_AUTO_TEST_CASE(groups_of_small_chunks_read_as_written_at_any_box) {
  File file;
  const std::vector<int> values = counting(100 * 90);
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation = Hdf5Writer::chunked({7, 11});
    H5Pset_shuffle(creation.id());
    H5Pset_deflate(creation.id(), 4);
    writer.integers("x", {100, 90}, values, creation.id());
  }
  const ArrayPtr array = find_array(*file.root(), "x");
  BOOST_TEST(read_integers(*array) == values, boost::test_tools::per_element());
  for (const auto& [row, column] : {std::pair<uint64_t, uint64_t>{0, 0}, {6, 10}, {50, 33}, {97, 85}}) {
    const Elements part = array->read({{row, column}, {3, 5}});
    for (uint64_t i = 0; i < 15; ++i)
      BOOST_TEST(part.values<int32_t>()[i] == values[(row + i / 5) * 90 + column + i % 5]);
  }
}

// Returns the number of descriptors of this process that lead to `path`.
ptrdiff_t descriptors_of(const std::string& path) {
  const boost::filesystem::directory_iterator open("/proc/self/fd");
  return std::count_if(open, boost::filesystem::directory_iterator(), [&](const auto& entry) {
    boost::system::error_code error;
    return boost::filesystem::read_symlink(entry.path(), error) == path;
  });
}

BOOST_AUTO_TEST_CASE(reading_chunks_releases_the_descriptor) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation = Hdf5Writer::chunked({10});
    H5Pset_deflate(creation.id(), 1);
    writer.integers("x", {100}, counting(100), creation.id());
  }
  const ArrayPtr array = find_array(*file.root(), "x");
  BOOST_TEST(read_integers(*array) == counting(100), boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(descriptors_of(file.path()) >= 1);
  file.context.files.clear();
  BOOST_TEST(descriptors_of(file.path()) == 0);
}

BOOST_AUTO_TEST_CASE(only_absent_chunks_are_fill) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation = Hdf5Writer::chunked({10});
    const int fill = -5;
    H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &fill);
    H5Pset_deflate(creation.id(), 1);
    const DatasetHandle dataset = writer.integers("x", {95}, {}, creation.id());
    const hsize_t start = 20, count = 5;
    const SpaceHandle space(H5Dget_space(dataset.id())), memory(H5Screate_simple(1, &count, nullptr));
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    const std::vector<int> five{1, 2, 3, 4, 5};
    written(H5Dwrite(dataset.id(), H5T_NATIVE_INT, memory.id(), space.id(), H5P_DEFAULT, five.data()));
  }
  std::vector<int> expected(95, -5);
  for (int i = 0; i < 5; ++i) expected[20 + static_cast<size_t>(i)] = i + 1;
  BOOST_TEST(read_integers(*find_array(*file.root(), "x")) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unwritten_strings_are_empty_in_every_layout) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const TypeHandle text = Hdf5Writer::text_type();
    writer.dataset("late", text.id(), {3}, text.id(), nullptr);
    const PropertyHandle chunked = Hdf5Writer::chunked({2});
    writer.dataset("chunked", text.id(), {3}, text.id(), nullptr, chunked.id());
    writer.dataset("none", text.id(), {0, 3}, text.id(), nullptr);
    const PropertyHandle compact(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_layout(compact.id(), H5D_COMPACT);
    writer.dataset("compact", text.id(), {3}, text.id(), nullptr, compact.id());
  }
  for (const char* name : {"late", "chunked", "compact"}) {
    const Elements texts = read_all(*find_array(*file.root(), name));
    BOOST_TEST(texts.count == 3);
    BOOST_TEST(texts.text(2) == "");
  }
  BOOST_TEST(read_all(*find_array(*file.root(), "none")).count == 0);
}

BOOST_AUTO_TEST_CASE(data_in_external_files_is_read) {
  File file;
  const std::vector<int> values = counting(300);
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_external(creation.id(), file.directory.path("raw").c_str(), 0, H5F_UNLIMITED);
    writer.integers("x", {300}, values, creation.id());
  }
  BOOST_TEST(read_integers(*find_array(*file.root(), "x")) == values, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(external_files_must_be_whole_and_beside_their_file) {
  File file;
  const std::vector<int> values = counting(300);
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_external(creation.id(), "raw_first", 8, 404);
    H5Pset_external(creation.id(), "raw_rest", 0, H5F_UNLIMITED);
    writer.integers("x", {300}, {}, creation.id());
  }
  const std::string bytes(reinterpret_cast<const char*>(values.data()), 1200);
  std::ofstream(file.directory.path("raw_first"), std::ios::binary) << "12345678" << bytes.substr(0, 404);
  BOOST_CHECK_EXCEPTION(read_integers(*find_array(*file.root(), "x")), Error,
                        is(Errc::damaged, "raw_rest does not exist"));
  file.context.files.clear();
  std::ofstream(file.directory.path("raw_rest"), std::ios::binary) << bytes.substr(404);
  BOOST_TEST(read_integers(*find_array(*file.root(), "x")) == values, boost::test_tools::per_element());
  file.context.files.clear();
  std::ofstream(file.directory.path("raw_rest"), std::ios::binary) << bytes.substr(404, 700);
  BOOST_CHECK_EXCEPTION(read_integers(*find_array(*file.root(), "x")), Error,
                        is(Errc::damaged, "raw_rest: expected 796 bytes"));
}

void write_source(const std::string& path, const std::string& name, bool is_nbit = false) {
  Hdf5Writer writer(path);
  const PropertyHandle creation = Hdf5Writer::chunked({2});
  if (is_nbit) written(H5Pset_nbit(creation.id()));
  writer.integers(name, {3}, {1, 2, 3}, creation.id());
}

// Virtual datasets of three integers: v of z in source.h5; itself; and series, of z in part0.h5 and so on.
struct VirtualFile : File {
  VirtualFile() {
    Hdf5Writer writer(path());
    const hsize_t start = 0, three = 3, unlimited = H5S_UNLIMITED;
    const int fill = -9;
    const SpaceHandle space(H5Screate_simple(1, &three, nullptr));
    const SpaceHandle endless(H5Screate_simple(1, &three, &unlimited));
    H5Sselect_hyperslab(endless.id(), H5S_SELECT_SET, &start, &three, &unlimited, &three);
    const auto add = [&](const char* name, const SpaceHandle& mapped, const char* source,
                         const char* dataset) {
      const PropertyHandle creation(H5Pcreate(H5P_DATASET_CREATE));
      H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &fill);
      written(H5Pset_virtual(creation.id(), mapped.id(), source, dataset, space.id()));
      const DatasetHandle generated(written(H5Dcreate2(writer.id(), name, H5T_STD_I32LE, mapped.id(),
                                                       H5P_DEFAULT, creation.id(), H5P_DEFAULT)));
    };
    add("v", space, "source.h5", "z");
    add("itself", space, ".", "itself");
    add("series", endless, "part%b.h5", "z");
  }
  std::string source(const std::string& name = "source.h5") const { return directory.path(name); }
  std::vector<int> read(const char* name = "v") { return read_integers(*find_array(*root(), name)); }
};

BOOST_AUTO_TEST_CASE(virtual_data_are_fill_only_without_a_file) {
  BOOST_TEST(VirtualFile().read() == (std::vector<int>{-9, -9, -9}));
  VirtualFile file;
  write_source(file.source(), "z");
  BOOST_TEST(file.read() == (std::vector<int>{1, 2, 3}));
  BOOST_TEST(file.read() == (std::vector<int>{1, 2, 3}));
  BOOST_CHECK_EXCEPTION(file.read("itself"), Error,
                        is(Errc::unsupported, "virtual datasets that refer to themselves"));
  VirtualFile without;
  write_source(without.source(), "other");
  BOOST_CHECK_EXCEPTION(without.read(), Error, is(Errc::damaged, "source z of"));
  VirtualFile cut;
  write_source(cut.source(), "z");
  boost::filesystem::resize_file(cut.source(), 600);
  BOOST_CHECK_EXCEPTION(cut.read(), Error, is(Errc::damaged, "not readable as HDF5"));
}

BOOST_AUTO_TEST_CASE(virtual_sources_are_decoded_by_plainfs) {
  VirtualFile filtered;
  write_source(filtered.source(), "z", true);
  BOOST_TEST(filtered.read() == (std::vector<int>{1, 2, 3}));
  const LibraryLock lock;
  for (const int filter : {4, 5, 6}) BOOST_TEST(decodes_safely(filter), filter);
  for (const unsigned filter : {307u, 32000u, 32001u, 32004u, 32008u, 32015u})
    BOOST_TEST(H5Zfilter_avail(static_cast<H5Z_filter_t>(filter)) > 0, filter);
}

// A file with a virtual dataset v of `source` in the same file, which links lead to.
struct LinkedFile : File {
  explicit LinkedFile(const char* source = "/entry/first") {
    Hdf5Writer writer(path());
    writer.group("entry");
    written(H5Lcreate_external("source.h5", "z", writer.id(), "entry/file", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_external("missing.h5", "z", writer.id(), "entry/missing", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_external("../outside.h5", "z", writer.id(), "entry/outside", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_external(path().c_str(), "/entry/loop", writer.id(), "entry/loop", H5P_DEFAULT,
                               H5P_DEFAULT));
    written(H5Lcreate_soft("/entry/file", writer.id(), "entry/first", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_soft("/nowhere", writer.id(), "entry/dangling", H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t three = 3;
    const int fill = -9;
    const SpaceHandle space(H5Screate_simple(1, &three, nullptr));
    const PropertyHandle creation(H5Pcreate(H5P_DATASET_CREATE));
    written(H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &fill));
    written(H5Pset_virtual(creation.id(), space.id(), ".", source, space.id()));
    const DatasetHandle created(written(
        H5Dcreate2(writer.id(), "v", H5T_STD_I32LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT)));
  }
  std::vector<int> read() { return read_integers(*find_array(*root(), "v")); }
};

BOOST_AUTO_TEST_CASE(links_lead_to_virtual_sources) {
  for (const char* source : {"/entry/first", "/entry/file"}) {
    LinkedFile file(source);
    BOOST_TEST(file.read() == (std::vector<int>{-9, -9, -9}), "without the file");
    file.context.files.clear();
    write_source(file.directory.path("source.h5"), "z", true);
    LinkedFile again(source);
    write_source(again.directory.path("source.h5"), "z", true);
    BOOST_TEST(again.read() == (std::vector<int>{1, 2, 3}));
    LinkedFile without(source);
    write_source(without.directory.path("source.h5"), "other");
    BOOST_CHECK_EXCEPTION(without.read(), Error, is(Errc::damaged, "source.h5: the target of a link"));
    LinkedFile cut(source);
    write_source(cut.directory.path("source.h5"), "z");
    boost::filesystem::resize_file(cut.directory.path("source.h5"), 600);
    BOOST_CHECK_EXCEPTION(cut.read(), Error, is(Errc::damaged, "source.h5: not readable as HDF5"));
  }
  BOOST_TEST(LinkedFile("/entry/missing").read() == (std::vector<int>{-9, -9, -9}));
  BOOST_CHECK_EXCEPTION(LinkedFile("/entry/dangling").read(), Error, is(Errc::damaged, "/entry/dangling"));
  BOOST_CHECK_EXCEPTION(LinkedFile("/entry/loop").read(), Error, is(Errc::unsupported, "external links"));
}

// The library counts the elements of all sources, and fills nothing if they are as many as it reads.
BOOST_AUTO_TEST_CASE(gaps_beside_overlapping_virtual_sources_are_fill) {
  for (const bool has_fill : {true, false}) {
    File file;
    {
      Hdf5Writer writer(file.path());
      writer.integers("z", {3}, {1, 2, 3});
      const hsize_t three = 3, six = 6, first = 0, one = 1;
      const SpaceHandle space(H5Screate_simple(1, &six, nullptr)),
          source(H5Screate_simple(1, &three, nullptr));
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &first, nullptr, &one, &three);
      const PropertyHandle creation(H5Pcreate(H5P_DATASET_CREATE));
      const int fill = -9;
      if (has_fill) written(H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &fill));
      for (int i = 0; i < 2; ++i) written(H5Pset_virtual(creation.id(), space.id(), ".", "z", source.id()));
      const DatasetHandle created(written(
          H5Dcreate2(writer.id(), "v", H5T_STD_I32LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT)));
    }
    const int gap = has_fill ? -9 : 0;
    BOOST_TEST(read_integers(*find_array(*file.root(), "v")) == (std::vector<int>{1, 2, 3, gap, gap, gap}));
  }
}

BOOST_AUTO_TEST_CASE(series_of_virtual_sources_ends_at_a_missing_file) {
  VirtualFile file;
  write_source(file.source("part0.h5"), "z");
  write_source(file.source("part1.h5"), "z");
  BOOST_TEST(file.read("series") == (std::vector<int>{1, 2, 3, 1, 2, 3}));
  VirtualFile without;
  write_source(without.source("part0.h5"), "z");
  write_source(without.source("part1.h5"), "other");
  BOOST_CHECK_EXCEPTION(without.read("series"), Error, is(Errc::damaged, "part1.h5"));
}

BOOST_AUTO_TEST_CASE(unwritten_data_after_a_user_block_are_fill) {
  File file;
  {
    const LibraryLock lock;
    const PropertyHandle file_creation(H5Pcreate(H5P_FILE_CREATE)), creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_userblock(file_creation.id(), 512);
    const int fill = 7;
    H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &fill);
    Hdf5Writer writer(file.path(), file_creation.id());
    writer.integers("none", {3}, {}, creation.id());
    writer.integers("some", {3}, {1, 2, 3}, creation.id());
  }
  BOOST_TEST(read_integers(*find_array(*file.root(), "none")) == (std::vector<int>{7, 7, 7}));
  BOOST_TEST(read_integers(*find_array(*file.root(), "some")) == (std::vector<int>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(large_contiguous_matrices_read_equally_by_row_and_column) {
  File file;
  const uint64_t rows = 3000, columns = 6000;  // 72 MB: read in tiles
  const std::vector<int> values = counting(rows * columns);
  Hdf5Writer(file.path()).integers("x", {rows, columns}, values);
  const ArrayPtr array = find_array(*file.root(), "x");
  const Elements row = array->read({{1234, 0}, {1, columns}});
  const Elements column = array->read({{0, 4321}, {rows, 1}});
  for (uint64_t i = 0; i < columns; i += 97)
    BOOST_TEST(row.values<int32_t>()[i] == values[1234 * columns + i]);
  for (uint64_t i = 0; i < rows; i += 97)
    BOOST_TEST(column.values<int32_t>()[i] == values[i * columns + 4321]);
}

BOOST_AUTO_TEST_CASE(a_few_rows_of_contiguous_data_are_read_alone) {
  File file;
  const std::vector<int> values = counting(400'000);
  {
    Hdf5Writer writer(file.path());
    writer.integers("list", {400'000}, values);
    writer.integers("matrix", {4000, 100}, values);
  }
  const ArrayPtr list = find_array(*file.root(), "list"), matrix = find_array(*file.root(), "matrix");
  const uint64_t before = file.context.counters.bytes_decoded;
  const Elements part = list->read(range(65'530, 10));  // of two blocks
  const Elements row = matrix->peek({{1234, 7}, {1, 50}});
  BOOST_TEST(file.context.counters.bytes_decoded - before < 1000u);
  for (uint64_t i = 0; i < 10; ++i) BOOST_TEST(part.values<int32_t>()[i] == values[65'530 + i]);
  for (uint64_t i = 0; i < 50; ++i) BOOST_TEST(row.values<int32_t>()[i] == values[123'407 + i]);
}

BOOST_AUTO_TEST_CASE(hostile_chunk_shapes_cost_no_memory) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation = Hdf5Writer::chunked({1u << 29});
    H5Pset_deflate(creation.id(), 1);
    const SpaceHandle space(H5Screate(H5S_SIMPLE));
    const hsize_t size = 3, most = H5S_UNLIMITED;
    written(H5Sset_extent_simple(space.id(), 1, &size, &most));
    const DatasetHandle dataset(written(
        H5Dcreate2(writer.id(), "x", H5T_STD_I32LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT)));
    const hsize_t origin = 0;
    const std::string raw = "a few bytes";
    written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, &origin, raw.size(), raw.data()));
  }
  BOOST_CHECK_EXCEPTION(read_all(*find_array(*file.root(), "x")), Error, is(Errc::damaged, "cannot hold"));
}

// Returns the value of a box of integers that are known to be equal; nullopt if they are not.
std::optional<int> repeated_integer(const Array& array, const Box& box) {
  const std::optional<Elements> one = array.repeated(box);
  if (!one) return std::nullopt;
  BOOST_TEST(one->count == 1u);
  return one->values<int32_t>()[0];
}

BOOST_AUTO_TEST_CASE(unwritten_data_of_any_size_are_one_element) {
  constexpr hsize_t kSide = hsize_t{1} << 20;
  for (const bool is_new : {false, true}) {
    File file;
    {
      const LibraryLock lock;
      const PropertyHandle access(H5Pcreate(H5P_FILE_ACCESS));
      if (is_new) H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
      Hdf5Writer writer(file.path(), H5P_DEFAULT, access.id());
      const int fill = 7;
      const PropertyHandle late(H5Pcreate(H5P_DATASET_CREATE)), tiny = Hdf5Writer::chunked({1, 1});
      H5Pset_fill_value(late.id(), H5T_NATIVE_INT, &fill);
      H5Pset_fill_value(tiny.id(), H5T_NATIVE_INT, &fill);
      const hsize_t limits[] = {H5S_UNLIMITED, H5S_UNLIMITED}, shape[] = {kSide, kSide},
                    origin[] = {500, 600};
      writer.integers("late", {kSide * kSide}, {}, late.id());
      const SpaceHandle space(written(H5Screate_simple(2, shape, limits)));
      const DatasetHandle dataset(written(
          H5Dcreate2(writer.id(), "tiny", H5T_STD_I32LE, space.id(), H5P_DEFAULT, tiny.id(), H5P_DEFAULT)));
      const int value = 3;
      written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, origin, sizeof value, &value));
    }
    const ArrayPtr late = find_array(*file.root(), "late"), tiny = find_array(*file.root(), "tiny");
    late->check();
    BOOST_TEST((repeated_integer(*late, whole(late->shape())) == 7));
    BOOST_TEST(late->read(range(kSide * kSide - 1, 1)).values<int32_t>()[0] == 7);
    tiny->check();
    BOOST_TEST((repeated_integer(*tiny, {{kSide / 2, kSide / 2}, {100, 100}}) == 7));
    BOOST_TEST((repeated_integer(*tiny, {{450, 550}, {100, 100}}) == std::nullopt));
    const Elements around = tiny->read({{499, 599}, {3, 3}});
    for (uint64_t i = 0; i < 9; ++i) BOOST_TEST(around.values<int32_t>()[i] == (i == 4 ? 3 : 7));
    // The default index of all files reports it without inspecting each chunk.
    if (!is_new) BOOST_TEST((repeated_integer(*tiny, {{501, 0}, {kSide - 501, kSide}}) == 7));
  }
}

BOOST_AUTO_TEST_CASE(unwritten_elements_of_array_types_are_all_items) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const hsize_t two = 2;
    const TypeHandle pair(written(H5Tarray_create2(H5T_STD_I32LE, 1, &two)));
    const int same[] = {4, 4}, different[] = {4, 5};
    for (const auto& [name, fill] : {std::pair{"same", same}, std::pair{"different", different}}) {
      const PropertyHandle creation = Hdf5Writer::chunked({10});
      H5Pset_fill_value(creation.id(), pair.id(), fill);
      writer.dataset(name, pair.id(), {25}, pair.id(), nullptr, creation.id());
    }
  }
  const ArrayPtr same = find_array(*file.root(), "same"), different = find_array(*file.root(), "different");
  BOOST_TEST((repeated_integer(*same, whole(same->shape())) == 4));
  BOOST_TEST((repeated_integer(*different, whole(different->shape())) == std::nullopt));
  BOOST_TEST(read_integers(*same) == std::vector<int>(50, 4), boost::test_tools::per_element());
  const std::vector<int> values = read_integers(*different);
  BOOST_REQUIRE(values.size() == 50u);
  for (size_t i = 0; i < 50; ++i) BOOST_TEST(values[i] == (i % 2 == 0 ? 4 : 5));
}

BOOST_AUTO_TEST_CASE(null_dataspace_has_no_elements) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const SpaceHandle space(H5Screate(H5S_NULL));
    const DatasetHandle dataset(written(
        H5Dcreate2(writer.id(), "x", H5T_STD_I32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  }
  BOOST_TEST(find_array(*file.root(), "x")->is_null());
}

BOOST_AUTO_TEST_CASE(hard_link_to_an_enclosing_group_is_a_link) {
  File file;
  {
    Hdf5Writer writer(file.path());
    writer.group("a");
    writer.group("a/b");
    written(H5Lcreate_hard(writer.id(), "a", writer.id(), "a/b/up", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_hard(writer.id(), "a/b", writer.id(), "a/b/self", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_hard(writer.id(), "a", writer.id(), "other", H5P_DEFAULT, H5P_DEFAULT));
  }
  const GroupPtr b = find_group(*find_group(*file.root(), "a"), "b");
  const std::vector<std::string> to_a{"a"}, to_b{"a", "b"};
  BOOST_TEST(std::get<Link>(b->find("up")->content).path == to_a);
  BOOST_TEST(std::get<Link>(b->find("self")->content).path == to_b);
  BOOST_TEST(find_group(*file.root(), "other")->path() == "/other");
}

BOOST_AUTO_TEST_CASE(links_keep_their_own_path_and_the_name_dot_dot) {
  File file;
  {
    Hdf5Writer writer(file.path());
    writer.group("g");
    written(H5Lcreate_soft("./x/../y/", writer.id(), "g/relative", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_soft("//x//y", writer.id(), "g/absolute", H5P_DEFAULT, H5P_DEFAULT));
    written(
        H5Lcreate_external("../other file.h5", "a/b", writer.id(), "g/external", H5P_DEFAULT, H5P_DEFAULT));
  }
  const GroupPtr group = find_group(*file.root(), "g");
  const std::vector<std::string> relative{"g", "x", "..", "y"}, absolute{"x", "y"}, external{"a", "b"};
  BOOST_TEST(std::get<Link>(group->find("relative")->content).path == relative);
  BOOST_TEST(std::get<Link>(group->find("absolute")->content).path == absolute);
  const Node node = *group->find("external");
  BOOST_TEST(std::get<Link>(node.content).path == external);
  BOOST_TEST(std::get<Link>(node.content).source == "../other file.h5");
}

BOOST_AUTO_TEST_CASE(committed_types_are_not_listed) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const TypeHandle type(H5Tcopy(H5T_STD_I32LE));
    written(H5Tcommit2(writer.id(), "type", type.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    writer.integers("x", {1}, {1});
  }
  const std::vector<Member> members = file.root()->members();
  BOOST_TEST_REQUIRE(members.size() == 1);
  BOOST_TEST(members[0].name == "x");
}

BOOST_AUTO_TEST_CASE(names_are_names_and_not_paths) {
  File file;
  {
    Hdf5Writer writer(file.path());
    writer.group("a");
    writer.group("a/b");
  }
  const GroupPtr root = file.root();
  for (const char* name : {"a/b", ".", "/a", "", "none"}) BOOST_TEST(!root->find(name).has_value(), name);
  BOOST_TEST(root->find("a").has_value());
}

BOOST_AUTO_TEST_CASE(unreadable_attribute_fails_alone) {
  File file;
  {
    Hdf5Writer writer(file.path());
    writer.group("g");
    const SpaceHandle scalar(written(H5Screate(H5S_SCALAR)));
    const ObjectHandle group(written(H5Oopen(writer.id(), "g", H5P_DEFAULT)));
    const long double real = 1;
    const int number = 7;
    writer.attribute(group.id(), "a", H5T_NATIVE_LDOUBLE, scalar.id(), &real);
    writer.attribute(group.id(), "b", H5T_NATIVE_INT, scalar.id(), &number);
  }
  const Attributes attributes = find_group(*file.root(), "g")->attributes();
  BOOST_TEST(attributes.size() == 2u);
  BOOST_TEST(to_json_text(*attributes.find("b")) == "7");
  BOOST_CHECK_EXCEPTION(attributes.find("a"), Error, [](const Error& error) {
    return error.code() == Errc::unsupported && std::string_view(error.what()).starts_with("attribute a: ");
  });
}

BOOST_AUTO_TEST_CASE(large_attribute_is_read_on_request) {
  File file;
  const hsize_t count = 100'000;
  {
    const PropertyHandle access(written(H5Pcreate(H5P_FILE_ACCESS)));
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    Hdf5Writer writer(file.path(), H5P_DEFAULT, access.id());
    writer.group("g");
    const SpaceHandle space(written(H5Screate_simple(1, &count, nullptr)));
    const ObjectHandle group(written(H5Oopen(writer.id(), "g", H5P_DEFAULT)));
    std::vector<int8_t> numbers(count, 1);
    numbers.back() = -7;
    writer.attribute(group.id(), "large", H5T_NATIVE_INT8, space.id(), numbers.data());
  }
  const Attributes attributes = find_group(*file.root(), "g")->attributes();
  BOOST_TEST(!attributes.named("large")->known());
  BOOST_TEST(attributes.named("large")->type->size == 1u);
  const Json& value = *attributes.find("large");
  BOOST_TEST(value.list()->size() == count);
  BOOST_TEST(value.list()->back().number()->token == "-7");
}

BOOST_AUTO_TEST_CASE(opaque_attribute_with_a_tag_is_its_bytes) {
  File file;
  {
    Hdf5Writer writer(file.path());
    writer.group("g");
    const hsize_t count = 2;
    const SpaceHandle two(written(H5Screate_simple(1, &count, nullptr)));
    const ObjectHandle group(written(H5Oopen(writer.id(), "g", H5P_DEFAULT)));
    const TypeHandle opaque(written(H5Tcreate(H5T_OPAQUE, 4)));
    written(H5Tset_tag(opaque.id(), "NUMPY:M8[s]"));
    writer.attribute(group.id(), "a", opaque.id(), two.id(), "abcdefgh");
    const PropertyHandle compact(written(H5Pcreate(H5P_DATASET_CREATE)));
    written(H5Pset_layout(compact.id(), H5D_COMPACT));
    writer.dataset("x", opaque.id(), {2}, opaque.id(), "abcdefgh", compact.id());
  }
  const Attributes attributes = find_group(*file.root(), "g")->attributes();
  BOOST_TEST(to_json_text(*attributes.find("a")) == "[\"61626364\",\"65666768\"]");
  BOOST_TEST(as_text(read_all(*find_array(*file.root(), "x")).bytes) == "abcdefgh");
}

BOOST_AUTO_TEST_CASE(array_of_an_unsupported_type_reports_its_shape) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const std::array<long double, 6> values{};
    writer.dataset("x", H5T_NATIVE_LDOUBLE, {2, 3}, H5T_NATIVE_LDOUBLE, values.data());
  }
  BOOST_CHECK_EXCEPTION(find_array(*file.root(), "x")->check(), Error,
                        is(Errc::unsupported, "/x (2 \u00d7 3): floating-point numbers of 16 bytes"));
}

// Writes a compound of a time of `bytes.size()` bytes and an integer.
void write_times(Hdf5Writer& writer, hid_t time, const std::vector<unsigned char>& bytes) {
  const size_t size = bytes.size();
  const TypeHandle record(written(H5Tcreate(H5T_COMPOUND, size + 1)));
  written(H5Tinsert(record.id(), "t", 0, time));
  written(H5Tinsert(record.id(), "i", size, H5T_STD_I8LE));
  std::vector<unsigned char> element = bytes;
  element.push_back(7);
  const DatasetHandle dataset =
      writer.dataset("x", record.id(), {1}, record.id(), nullptr, Hdf5Writer::chunked({1}).id());
  const hsize_t origin = 0;
  written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, &origin, element.size(), element.data()));
}

BOOST_AUTO_TEST_CASE(times_are_integers_beside_other_members) {
  File file;
  {
    Hdf5Writer writer(file.path());
    write_times(writer, H5T_UNIX_D32LE, {1, 2, 0, 0});
  }
  const ArrayPtr array = find_array(*file.root(), "x");
  const Elements elements = read_all(*array);
  BOOST_TEST(elements.children.at(0).values<int32_t>()[0] == 513);
  BOOST_TEST(elements.children.at(1).values<int8_t>()[0] == 7);
}

BOOST_AUTO_TEST_CASE(times_of_pytables_are_seconds_and_microseconds) {
  for (const bool is_of_pytables : {false, true}) {
    File file;
    {
      Hdf5Writer writer(file.path());
      write_times(writer, H5T_UNIX_D64LE, {0x20, 0xa1, 0x07, 0, 3, 0, 0, 0});  // 500,000 and 3
      const SpaceHandle scalar(written(H5Screate(H5S_SCALAR)));
      const int version = 2;
      if (is_of_pytables)
        writer.attribute(writer.id(), "PYTABLES_FORMAT_VERSION", H5T_NATIVE_INT, scalar.id(), &version);
    }
    const Elements elements = read_all(*find_array(*file.root(), "x"));
    if (is_of_pytables)
      BOOST_TEST(elements.children.at(0).values<double>()[0] == 3.5);
    else
      BOOST_TEST(elements.children.at(0).values<int64_t>()[0] == (int64_t{3} << 32) + 500'000);
  }
}

BOOST_AUTO_TEST_CASE(byte_bit_field_differs_from_an_integer) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const std::array<uint8_t, 2> values{0, 1};
    writer.dataset("bits", H5T_STD_B8LE, {2}, H5T_NATIVE_B8, values.data());
    writer.dataset("bytes", H5T_STD_U8LE, {2}, H5T_NATIVE_UINT8, values.data());
  }
  const ArrayPtr bits = find_array(*file.root(), "bits");
  BOOST_TEST(is_bit_field(*bits));
  BOOST_TEST(read_all(*bits).values<uint8_t>()[1] == 1);
  BOOST_TEST(!is_bit_field(*find_array(*file.root(), "bytes")));
}

// Metadata that the library wrote as an image of its cache. Their own addresses hold nothing.
BOOST_AUTO_TEST_CASE(metadata_in_a_cache_image_are_read) {
  File file;
  {
    const PropertyHandle access(unusual_access());
    written(H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    H5AC_cache_image_config_t image{H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION, true, false,
                                    H5AC__CACHE_IMAGE__ENTRY_AGEOUT__NONE};
    written(H5Pset_mdc_image_config(access.id(), &image));
    Hdf5Writer writer(file.path(), H5P_DEFAULT, access.id());
    writer.integers("x", {30}, counting(30), Hdf5Writer::chunked({4}).id());
    writer.texts("t", {"a", "bc"});
    const SpaceHandle scalar(written(H5Screate(H5S_SCALAR)));
    const int number = 7;
    writer.attribute(writer.id(), "n", H5T_NATIVE_INT, scalar.id(), &number);
  }
  std::ifstream stored(file.path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stored), {}};
  BOOST_TEST_REQUIRE(bytes.find("MDCI") != std::string::npos);
  const GroupPtr root = file.root();
  BOOST_TEST(read_integers(*find_array(*root, "x")) == counting(30), boost::test_tools::per_element());
  BOOST_TEST(read_all(*find_array(*root, "t")).text(1) == "bc");
  BOOST_TEST(to_json_text(*root->attributes().find("n")) == "7");
}

BOOST_AUTO_TEST_CASE(soft_links_inside_a_structure_are_followed) {
  File file;
  {
    Hdf5Writer writer(file.path());
    writer.group("g");
    writer.group("g/h");
    writer.integers("x", {2}, {1, 2});
    written(H5Lcreate_soft("../x", writer.id(), "g/up", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_soft("/g/alias", writer.id(), "g/h/twice", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_soft("/x", writer.id(), "g/alias", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_soft("/g/ring", writer.id(), "g/ring", H5P_DEFAULT, H5P_DEFAULT));
    written(H5Lcreate_soft("/none", writer.id(), "g/none", H5P_DEFAULT, H5P_DEFAULT));
  }
  const GroupPtr group = find_group(*file.root(), "g");
  BOOST_TEST(find_array(*group, "alias")->count() == 2u);
  BOOST_TEST(find_array(*find_group(*group, "h"), "twice")->count() == 2u);
  BOOST_TEST(!find_array(*group, "ring"));
  BOOST_TEST(!find_array(*group, "none"));
}

BOOST_AUTO_TEST_CASE(dimension_scale_references_are_paths) {
  File file;
  {
    Hdf5Writer writer(file.path());
    writer.group("g");
    const DatasetHandle x = writer.integers("g/x", {2}, {1, 2});
    hobj_ref_t target;
    written(H5Rcreate(&target, writer.id(), "g/x", H5R_OBJECT, -1));
    const TypeHandle list(H5Tvlen_create(H5T_STD_REF_OBJ));
    hvl_t value{1, &target};
    const hsize_t one = 1;
    const SpaceHandle space(H5Screate_simple(1, &one, nullptr));
    writer.attribute(x.id(), "DIMENSION_LIST", list.id(), space.id(), &value);
  }
  const Attributes attributes = find_array(*find_group(*file.root(), "g"), "x")->attributes();
  BOOST_TEST(to_json_text(*attributes.find("DIMENSION_LIST")) == R"([["/g/x"]])");
}

BOOST_AUTO_TEST_CASE(reference_to_nothing_is_damage_and_a_null_one_is_missing) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const std::vector<hobj_ref_t> good{0}, bad{12345};
    writer.dataset("null", H5T_STD_REF_OBJ, {1}, H5T_STD_REF_OBJ, good.data());
    writer.dataset("bad", H5T_STD_REF_OBJ, {1}, H5T_STD_REF_OBJ, bad.data());
  }
  BOOST_TEST(read_all(*find_array(*file.root(), "null")).is_missing(0));
  BOOST_CHECK_EXCEPTION(read_all(*find_array(*file.root(), "bad")), Error,
                        is(Errc::damaged, "address 12345"));
}

BOOST_AUTO_TEST_CASE(dangling_reference_attribute_is_null_with_a_warning) {
  File file;
  {
    Hdf5Writer writer(file.path());
    const DatasetHandle x = writer.integers("x", {2}, {1, 2});
    const SpaceHandle scalar(H5Screate(H5S_SCALAR));
    const hobj_ref_t nowhere = 12345;
    writer.attribute(x.id(), "elements", H5T_STD_REF_OBJ, scalar.id(), &nowhere);
  }
  const Attributes attributes = find_array(*file.root(), "x")->attributes();
  BOOST_TEST(attributes.find("elements")->is_null());
  BOOST_TEST(file.context.warned("refers to address 12345"));
}

BOOST_AUTO_TEST_CASE(file_open_for_writing_reads_as_swmr) {
  File file;
  Hdf5Writer(file.path()).group("g");
  FileHandle writing;
  {
    const LibraryLock lock;
    const PropertyHandle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    writing = FileHandle(written(H5Fcreate(file.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id())));
    const ObjectHandle group(H5Gcreate2(writing.id(), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  // A copy is what a reader on another machine sees, including the flags of the writer.
  {
    const LibraryLock lock;
    written(H5Fstart_swmr_write(writing.id()));
    written(H5Fflush(writing.id(), H5F_SCOPE_GLOBAL));
  }
  boost::filesystem::copy_file(file.path(), file.directory.path("copy.h5"));
  const GroupPtr root = open_group(file.directory.path("copy.h5"), file.context.context);
  BOOST_TEST(root->find("g").has_value());
}

BOOST_AUTO_TEST_CASE(file_rewritten_in_place_is_read_as_it_is_now) {
  File file;
  Hdf5Writer(file.path()).integers("x", {3}, {1, 2, 3});
  const GroupPtr before = file.root();
  BOOST_TEST(read_integers(*find_array(*before, "x")) == (std::vector<int>{1, 2, 3}));
  Hdf5Writer(file.directory.path("new.h5")).integers("y", {2}, {8, 9});
  std::ifstream content(file.directory.path("new.h5"), std::ios::binary);
  std::ofstream(file.path(), std::ios::binary) << content.rdbuf();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // longer than one check holds
  BOOST_CHECK_EXCEPTION(before->find("x"), Error, mentions("has changed since it was mounted"));
  file.context.files.clear();
  const GroupPtr after = file.root();
  BOOST_TEST(!after->find("x").has_value());
  BOOST_TEST(read_integers(*find_array(*after, "y")) == (std::vector<int>{8, 9}));
}

BOOST_AUTO_TEST_CASE(no_thread_prints_errors_of_the_library) {
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      const LibraryLock lock;
      H5E_auto2_t print = nullptr;
      void* data = nullptr;
      BOOST_TEST(H5Eget_auto2(H5E_DEFAULT, &print, &data) >= 0);
      BOOST_TEST((print == nullptr));
    }).join();
  }
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_file) {
  File file;
  const std::vector<int> values = counting(200000);
  {
    Hdf5Writer writer(file.path());
    const PropertyHandle creation = Hdf5Writer::chunked({1024});
    H5Pset_deflate(creation.id(), 1);
    writer.integers("x", {200000}, values, creation.id());
    writer.texts("s", std::vector<const char*>(500, "text"));
  }
  const GroupPtr root = file.root();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        if (read_integers(*find_array(*root, "x")) != values) ++wrong;
        if (read_all(*find_array(*root, "s")).text(499) != "text") ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
