#include "fs/session.h"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(session)

// The jobs of the workers use the cache, the open files and the log, so they must end first. A fault here
// crashes only now and then. scripts/sanitize detects it every time.
BOOST_AUTO_TEST_CASE(a_session_may_end_while_blocks_are_read_ahead) {
  const TemporaryDirectory directory;
  constexpr size_t kElements = 1 << 20;
  std::ofstream(directory.path(".zarray"))
      << R"({"zarr_format": 2, "shape": [1048576], "chunks": [4096], "dtype": "|i1", "compressor": null,)"
      << R"( "filters": null, "order": "C", "fill_value": 0})";
  for (size_t chunk = 0; chunk < kElements / 4096; ++chunk)
    std::ofstream(directory.path(std::to_string(chunk)), std::ios::binary) << std::string(4096, '\7');
  Options options;
  options.store = directory.path("");
  options.threads = 3;
  for (int i = 0; i < 30; ++i) {
    Session session(options);
    Filesystem& filesystem = session.filesystem();
    const OpenFile file = filesystem.open(filesystem.find("array.csv"));
    BOOST_TEST(filesystem.read(file, 0, 1000).size() == 1000u);
    BOOST_TEST(filesystem.read(file, 1000, 1000).size() == 1000u);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
