// Filters that only libhdf5 writes, read by plainfs: the same bytes as from the library, and errors if the
// library would read beyond its buffers.
#include <boost/test/unit_test.hpp>
#include <iterator>
#include <random>
#include <tuple>

#include "formats/containers/hdf5/container.h"
#include "formats/containers/hdf5/storage.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::hdf5 {
namespace {

struct File {
  std::string path() const { return directory.path("store.h5"); }
  ArrayPtr array(const std::string& name) { return find_array(*open_group(path(), context.context), name); }

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

TypeHandle integer_type(hid_t like, unsigned precision, unsigned offset) {
  TypeHandle type(H5Tcopy(like));
  written(H5Tset_precision(type.id(), precision));
  written(H5Tset_offset(type.id(), offset));
  return type;
}

// Writes 10 x 30 random elements of `type`, and compares plainfs with the library. Returns false if the
// library does not read them.
bool check_as_library(hid_t type, hid_t creation, unsigned mask = 0xff) {
  const LibraryLock lock;
  File file;
  const size_t size = H5Tget_size(type);
  std::mt19937 random(7);
  std::vector<unsigned char> values(300 * size);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(random() & mask);
  Hdf5Writer(file.path()).dataset("x", type, {10, 30}, type, values.data(), creation);
  const auto source = std::make_shared<SourceFile>(file.path(), file.context.context);
  const uint64_t address = source->library().find_link(source->library().root_address(), "x")->address;
  const StoredDataset stored = source->library().object(address).dataset;
  const auto storage = make_storage(stored, {source, address, {10, 30}, size}, false);
  const Bytes read = storage->read({{0, 0}, {10, 30}}, {10, 30});
  Bytes expected(values.size());
  const TypeHandle bytes = stored_bytes_type(size);
  const FileHandle other(written(H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, unusual_access().id())));
  const DatasetHandle dataset(written(H5Dopen2(other.id(), "x", H5P_DEFAULT)));
  if (H5Dread(dataset.id(), bytes.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, expected.data()) < 0) {
    BOOST_TEST_MESSAGE(take_library_error());
    return false;
  }
  BOOST_TEST(std::equal(read.begin(), read.end(), expected.begin(), expected.end()));
  return true;
}

// libhdf5 1.14.5 cannot read some of its own output of the scale-offset filter.
bool may_not_read_its_own() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::tie(major, minor) >= std::make_tuple(1u, 14u);
}

// Writes a dataset of 64 numbers in one chunk with the given raw bytes.
void write_raw_chunk(const File& file, hid_t type, hid_t creation, const std::vector<unsigned char>& raw) {
  Hdf5Writer writer(file.path());
  const DatasetHandle dataset = writer.dataset("x", type, {64}, type, nullptr, creation);
  const hsize_t origin = 0;
  written(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, &origin, raw.size(), raw.data()));
}

BOOST_AUTO_TEST_SUITE(hdf5_filters)

BOOST_AUTO_TEST_CASE(scale_offset_of_integers_matches_the_library) {
  const LibraryLock lock;
  unsigned read = 0, unread = 0;
  for (const hid_t type : {H5T_STD_I8LE, H5T_STD_U8LE, H5T_STD_I16LE, H5T_STD_U16BE, H5T_STD_I32LE,
                           H5T_STD_I32BE, H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64BE})
    for (const unsigned mask : {0x00, 0x01, 0x05, 0x3f, 0xff})
      for (const int bits : {0, 3, 8})
        for (const int fill : {0, 1, 2}) {
          const PropertyHandle creation = Hdf5Writer::chunked({4, 7});
          const int value = 1;
          if (fill == 1) H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, &value);
          if (fill == 2) H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, nullptr);
          written(H5Pset_scaleoffset(creation.id(), H5Z_SO_INT, bits));
          ++(check_as_library(type, creation.id(), mask) ? read : unread);
        }
  BOOST_TEST((unread == 0 || (may_not_read_its_own() && unread < read)));
}

BOOST_AUTO_TEST_CASE(scale_offset_of_reals_matches_the_library) {
  const LibraryLock lock;
  for (const hid_t type : {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE})
    for (const unsigned mask : {0x00, 0x3f, 0x41})
      for (const int digits : {0, 2, 5})
        for (const bool has_fill : {false, true}) {
          const PropertyHandle creation = Hdf5Writer::chunked({4, 7});
          if (!has_fill) H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, nullptr);
          written(H5Pset_scaleoffset(creation.id(), H5Z_SO_FLOAT_DSCALE, digits));
          BOOST_TEST(check_as_library(type, creation.id(), mask));
        }
}

BOOST_AUTO_TEST_CASE(nbit_matches_the_library) {
  const LibraryLock lock;
  const PropertyHandle creation = Hdf5Writer::chunked({4, 7});
  written(H5Pset_nbit(creation.id()));
  for (const hid_t like : {H5T_STD_I32LE, H5T_STD_U32BE, H5T_STD_I64LE})
    for (const auto& [precision, offset] :
         std::vector<std::pair<unsigned, unsigned>>{{1, 0}, {5, 2}, {8, 8}, {17, 3}, {21, 11}, {32, 0}}) {
      const TypeHandle number = integer_type(like, precision, offset);
      BOOST_TEST(check_as_library(number.id(), creation.id()));
      const hsize_t shape[] = {2, 3};
      const TypeHandle array(written(H5Tarray_create2(number.id(), 2, shape)));
      BOOST_TEST(check_as_library(array.id(), creation.id()));
      const TypeHandle compound(written(H5Tcreate(H5T_COMPOUND, 80)));
      written(H5Tinsert(compound.id(), "a", 3, number.id()));
      written(H5Tinsert(compound.id(), "b", 20, array.id()));
      const TypeHandle text(H5Tcopy(H5T_C_S1));
      written(H5Tset_size(text.id(), 5));
      written(H5Tinsert(compound.id(), "c", 75, text.id()));
      BOOST_TEST(check_as_library(compound.id(), creation.id()));
    }
  BOOST_TEST(check_as_library(H5T_IEEE_F32LE, creation.id()));
  BOOST_TEST(check_as_library(H5T_STD_I16LE, creation.id()));
}

// Each combination has two of the six masks, and each width of chunks has all; with more effort, each
// combination has all.
BOOST_AUTO_TEST_CASE(szip_matches_the_library) {
  const LibraryLock lock;
  if (H5Zfilter_avail(H5Z_FILTER_SZIP) <= 0) return;
  constexpr unsigned kMasks[] = {0x00, 0x01, 0x03, 0x1f, 0x80, 0xff};
  const size_t step = effort() > 1 ? 1 : 3;
  size_t combination = 0;
  for (const hid_t like : {H5T_STD_I8LE, H5T_STD_U16LE, H5T_STD_I16BE, H5T_STD_I32LE, H5T_STD_U32BE,
                           H5T_STD_I64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE})
    for (const unsigned options : {H5_SZIP_NN_OPTION_MASK, H5_SZIP_EC_OPTION_MASK})
      for (const unsigned block : {2, 8, 10, 32})
        for (const hsize_t columns : {7, 16, 30}) {
          const size_t first = combination + combination / 3;
          ++combination;
          const PropertyHandle creation = Hdf5Writer::chunked({10, columns});
          written(H5Pset_szip(creation.id(), options, block));
          for (size_t i = 0; i < std::size(kMasks); i += step)
            BOOST_TEST(check_as_library(like, creation.id(), kMasks[(first + i) % std::size(kMasks)]));
        }
  for (const unsigned precision : {3, 9, 13, 17, 20, 24}) {
    const PropertyHandle creation = Hdf5Writer::chunked({10, 30});
    written(H5Pset_szip(creation.id(), H5_SZIP_NN_OPTION_MASK, 8));
    const TypeHandle type = integer_type(H5T_STD_U32LE, precision, 0);
    BOOST_TEST(check_as_library(type.id(), creation.id(), 0x07));
  }
}

BOOST_AUTO_TEST_CASE(long_szip_chunks_match_the_library) {
  const LibraryLock lock;
  if (H5Zfilter_avail(H5Z_FILTER_SZIP) <= 0) return;
  for (const unsigned options : {H5_SZIP_NN_OPTION_MASK, H5_SZIP_EC_OPTION_MASK}) {
    File file;
    std::vector<int> values(100000);
    for (size_t i = 0; i < values.size(); ++i)  // smooth, constant over long runs, and wild
      values[i] = static_cast<int>(i % 3000 < 1500 ? 5 : i % 7000 < 6000 ? i * i / 1000 : i * 2654435761u);
    {
      const PropertyHandle creation = Hdf5Writer::chunked({30011});
      written(H5Pset_szip(creation.id(), options, 16));
      Hdf5Writer(file.path()).integers("x", {values.size()}, values, creation.id());
    }
    const Elements elements = read_all(*file.array("x"));
    const auto read = elements.values<int32_t>();
    BOOST_TEST(std::equal(read.begin(), read.end(), values.begin(), values.end()));
  }
}

BOOST_AUTO_TEST_CASE(truncated_szip_is_damage) {
  const LibraryLock lock;
  if (H5Zfilter_avail(H5Z_FILTER_SZIP) <= 0) return;
  for (const auto& [raw, words] : std::vector<std::pair<std::vector<unsigned char>, std::string>>{
           {{0, 1}, "szip: 2 bytes"},
           {{0, 2, 0, 0, 9, 9, 9}, "szip"},
           {{255, 255, 255, 255, 9, 9, 9}, "szip"},
           {{0, 1, 0, 0}, "truncated"},
           {{0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff}, "truncated"}}) {
    File file;
    const PropertyHandle creation = Hdf5Writer::chunked({64});
    written(H5Pset_szip(creation.id(), H5_SZIP_NN_OPTION_MASK, 8));
    write_raw_chunk(file, H5T_STD_I32LE, creation.id(), raw);
    BOOST_CHECK_EXCEPTION(read_all(*file.array("x")), Error, damaged_with(words));
  }
}

BOOST_AUTO_TEST_CASE(stacked_library_filters_match_the_library) {
  const LibraryLock lock;
  const PropertyHandle creation = Hdf5Writer::chunked({4, 7});
  written(H5Pset_scaleoffset(creation.id(), H5Z_SO_INT, 0));
  written(H5Pset_shuffle(creation.id()));
  written(H5Pset_deflate(creation.id(), 1));
  written(H5Pset_fletcher32(creation.id()));
  BOOST_TEST(check_as_library(H5T_STD_I32LE, creation.id(), 0x0f));
}

BOOST_AUTO_TEST_CASE(chunks_too_short_for_their_numbers_are_damage) {
  const LibraryLock lock;
  for (const size_t size : {1, 4, 20, 21, 50, 84}) {
    File file;
    const PropertyHandle creation = Hdf5Writer::chunked({64});
    written(H5Pset_scaleoffset(creation.id(), H5Z_SO_INT, 0));
    std::vector<unsigned char> raw(size, 0);
    raw[0] = 8;  // 64 bytes after the 21
    write_raw_chunk(file, H5T_STD_I32LE, creation.id(), raw);
    BOOST_CHECK_EXCEPTION(read_all(*file.array("x")), Error, damaged_with("scale-offset: "));
  }
  for (const size_t size : {1, 20, 167}) {
    File file;
    const PropertyHandle creation = Hdf5Writer::chunked({64});
    written(H5Pset_nbit(creation.id()));
    const TypeHandle type = integer_type(H5T_STD_I32LE, 21, 3);
    write_raw_chunk(file, type.id(), creation.id(), std::vector<unsigned char>(size, 1));
    BOOST_CHECK_EXCEPTION(read_all(*file.array("x")), Error, damaged_with("nbit: "));
  }
}

BOOST_AUTO_TEST_CASE(more_bits_than_a_number_has_are_damage) {
  const LibraryLock lock;
  File file;
  const PropertyHandle creation = Hdf5Writer::chunked({64});
  written(H5Pset_scaleoffset(creation.id(), H5Z_SO_INT, 0));
  write_raw_chunk(file, H5T_STD_I32LE, creation.id(), std::vector<unsigned char>(4000, 0x20));
  BOOST_CHECK_EXCEPTION(read_all(*file.array("x")), Error,
                        damaged_with("538976288 bits for numbers of 4 bytes"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
