#include "formats/containers/hdf5/local_heap.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "formats/containers/hdf5/library/inside_file.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

// A file with a group that holds x and y, and free bytes in the heap of their names.
struct Fixture {
  TemporaryDirectory directory;
  TestContext context;
  std::string path() { return directory.path("a.h5"); }

  Fixture() {
    const LibraryLock lock;
    Hdf5Writer writer(path());
    writer.group("g");
    writer.integers("g/x", {3}, {1, 2, 3});
    writer.integers("g/y", {3}, {1, 2, 3});
  }
  void change_heap_sizes(uint64_t size) {
    std::stringstream content;
    content << std::ifstream(path(), std::ios::binary).rdbuf();
    std::string bytes = content.str();
    for (size_t heap = bytes.find("HEAP"); heap != bytes.npos; heap = bytes.find("HEAP", heap + 1))
      std::memcpy(bytes.data() + heap + 8, &size, sizeof size);
    std::ofstream(path(), std::ios::binary) << bytes;
  }
  // Changes a number of the first free block of each heap: 0 is the offset of the next one, 1 its size.
  void change_free_blocks(int number, const std::function<uint64_t(uint64_t offset)>& value) {
    std::stringstream content;
    content << std::ifstream(path(), std::ios::binary).rdbuf();
    std::string bytes = content.str();
    const auto number_at = [&](size_t at) {
      uint64_t found;
      std::memcpy(&found, bytes.data() + at, sizeof found);
      return found;
    };
    int heaps = 0;
    for (size_t heap = bytes.find("HEAP"); heap != bytes.npos; heap = bytes.find("HEAP", heap + 1), ++heaps) {
      const uint64_t offset = number_at(heap + 16), segment = number_at(heap + 24), now = value(offset);
      std::memcpy(bytes.data() + segment + offset + 8 * static_cast<size_t>(number), &now, sizeof now);
    }
    BOOST_REQUIRE(heaps == 2);
    std::ofstream(path(), std::ios::binary) << bytes;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hdf5_local_heap, Fixture)

BOOST_AUTO_TEST_CASE(well_formed_heaps_of_names_are_accepted) {
  const InsideFile file(path(), context);
  const auto group = file.find_link(file.root_address(), "g");
  BOOST_REQUIRE(group.has_value());
  BOOST_TEST(file.links(group->address).size() == 2u);
}

BOOST_AUTO_TEST_CASE(self_referencing_free_block_is_an_error) {
  change_free_blocks(0, [](uint64_t offset) { return offset; });
  const InsideFile file(path(), context);
  BOOST_CHECK_EXCEPTION(file.links(file.root_address()), Error,
                        mentions("the list of free blocks has a cycle"));
  BOOST_CHECK_EXCEPTION(file.find_link(file.root_address(), "g"), Error,
                        mentions("the list of free blocks has a cycle"));
}

BOOST_AUTO_TEST_CASE(empty_self_referencing_free_block_is_an_error) {
  change_free_blocks(0, [](uint64_t offset) { return offset; });
  change_free_blocks(1, [](uint64_t) { return 0; });
  const InsideFile file(path(), context);
  BOOST_CHECK_EXCEPTION(file.links(file.root_address()), Error,
                        mentions("the list of free blocks has a cycle"));
}

// Otherwise 2^60 bytes of blocks would be traversed.
BOOST_AUTO_TEST_CASE(cyclic_free_list_is_an_error_for_any_heap_size) {
  change_free_blocks(0, [](uint64_t offset) { return offset; });
  change_heap_sizes(uint64_t{1} << 60);
  const InsideFile file(path(), context);
  BOOST_CHECK_EXCEPTION(file.links(file.root_address()), Error,
                        mentions("the list of free blocks has a cycle"));
}

BOOST_AUTO_TEST_CASE(free_block_outside_of_the_heap_is_left_to_the_library) {
  change_free_blocks(0, [](uint64_t) { return uint64_t{1} << 40; });
  const InsideFile file(path(), context);
  BOOST_CHECK_THROW(file.links(file.root_address()), Error);
}

BOOST_AUTO_TEST_SUITE_END()
