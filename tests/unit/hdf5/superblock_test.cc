#include "formats/containers/hdf5/superblock.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "formats/containers/hdf5/container.h"
#include "tests/support/probe.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::hdf5 {
namespace {

struct Superblocks {
  std::string path() const { return directory.path("f.h5"); }

  // Writes a file with one group, after a user block, in the newest or the earliest format version.
  std::string file(hsize_t user_block, bool newest) {
    {
      const PropertyHandle creation(written(H5Pcreate(H5P_FILE_CREATE)));
      written(H5Pset_userblock(creation.id(), user_block));
      const PropertyHandle access = unusual_access();
      const H5F_libver_t earliest = newest ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST;
      written(H5Pset_libver_bounds(access.id(), earliest, H5F_LIBVER_LATEST));
      Hdf5Writer(path(), creation.id(), access.id()).group("g");
    }
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool is_plain(const std::string& bytes) {
    std::ofstream(path(), std::ios::binary) << bytes;
    return has_plain_superblock(look_at(path()));
  }
  bool opens() {
    TestContext context;
    try {
      open(look_at(path()), context.context);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  TemporaryDirectory directory;
};

constexpr size_t kMaxSuperblock = 96;

BOOST_FIXTURE_TEST_SUITE(superblock, Superblocks)

BOOST_AUTO_TEST_CASE(whole_files_of_every_version_are_known_to_open) {
  for (const hsize_t user_block : {0, 512, 2048})
    for (const bool newest : {false, true}) BOOST_TEST(is_plain(file(user_block, newest)), user_block);
}

BOOST_AUTO_TEST_CASE(file_refused_by_libhdf5_is_never_known_to_open) {
  for (const bool newest : {false, true}) {
    const std::string whole = file(0, newest);
    for (size_t size : {size_t{0}, size_t{8}, size_t{20}, kMaxSuperblock, whole.size() - 1})
      BOOST_TEST(!is_plain(whole.substr(0, size)), size);
    size_t known = 0;
    for (size_t i = 0; i < kMaxSuperblock; ++i)
      for (const int bit : {0, 3, 7}) {
        std::string altered = whole;
        altered[i] = static_cast<char>(altered[i] ^ 1 << bit);
        if (!is_plain(altered)) continue;
        ++known;
        // The address and type of the root are read when the directory is opened.
        const bool is_of_the_root = i >= (newest ? 48U : 56U);
        BOOST_TEST((opens() || is_of_the_root), i << " " << bit);
      }
    BOOST_TEST(known > 0U);
  }
}

BOOST_AUTO_TEST_CASE(other_file_is_not_known_to_open) {
  BOOST_TEST(!is_plain(std::string(4096, '\0')));
  BOOST_TEST(!has_plain_superblock(look_at(directory.path())));
  BOOST_TEST(!has_plain_superblock(look_at(directory.path("absent"))));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
