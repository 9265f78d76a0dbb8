// Members of a mirrored folder that come from files beside them.
#include "formats/mirror/beside.h"

#include <boost/filesystem/fstream.hpp>
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/faulty_pool.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(mirror_beside)

BOOST_AUTO_TEST_CASE(passing_fault_of_a_table_does_not_hide_it) {
  const TemporaryDirectory directory;
  boost::filesystem::ofstream(directory.path("damaged.parquet")) << "PAR1" << std::string(64, '\0') << "PAR1";
  const std::string folder = directory.path("");
  int faults = 0;
  for (int reads = 0, left = -1; left < 0; ++reads) {
    FaultyContext own;
    own.files.faults.reads_before = reads;
    std::optional<Node> found;
    bool has_thrown = false;
    try {
      found = folder::named_beside(folder, "damaged", own.context);
    } catch (const Error& error) {
      has_thrown = is_transient(error);
    }
    left = own.files.faults.reads_before;
    if (left >= 0) break;  // no read has failed
    ++faults;
    const Error* const error = found ? std::get_if<Error>(&found->content) : nullptr;
    BOOST_TEST((has_thrown || (error && is_transient(*error))), "with the fault of read " << reads);
  }
  BOOST_TEST(faults > 0);
  FaultyContext sound;
  BOOST_TEST(!folder::named_beside(folder, "damaged", sound.context));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
