#include "formats/core/base/descriptor.h"

#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(shared_memory)

#ifdef __linux__
BOOST_AUTO_TEST_CASE(written_bytes_are_visible_to_the_other_process) {
  const SharedMemory memory = SharedMemory::make(10000);
  BOOST_REQUIRE(memory.bytes().size() == 10000);
  BOOST_TEST(std::all_of(memory.bytes().begin(), memory.bytes().end(),
                         [](std::byte byte) { return byte == std::byte{0}; }));
  const SharedMemory other = SharedMemory::of(Descriptor(::dup(memory.descriptor())), 10000);
  memory.bytes()[9999] = std::byte{7};
  BOOST_TEST((other.bytes()[9999] == std::byte{7}));
}

BOOST_AUTO_TEST_CASE(shared_memory_cannot_shrink_under_the_other) {
  const SharedMemory memory = SharedMemory::make(10000);
  BOOST_TEST(::ftruncate(memory.descriptor(), 0) == -1);
  BOOST_TEST(::ftruncate(memory.descriptor(), 20000) == -1);
}
#endif

BOOST_AUTO_TEST_CASE(unmapped_memory_is_empty) {
  BOOST_TEST(SharedMemory::of(Descriptor(), 10000).bytes().empty());
  BOOST_TEST(SharedMemory().bytes().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
