// Tests that read HDF5 through a separate process if PLAINFS_TEST_LIBRARY_PROCESS names its program.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <memory>

#include "formats/containers/hdf5/process/library_processes.h"

namespace plainfs {
namespace {

struct ForAllTests {
  ForAllTests() {
    const char* const program = std::getenv("PLAINFS_TEST_LIBRARY_PROCESS");
    if (!program) return;
    hdf5::ProcessSettings settings;
    settings.command = {program};
    process = std::make_unique<hdf5::LibraryProcesses>(settings);
  }

  std::unique_ptr<hdf5::LibraryProcesses> process;
};

BOOST_TEST_GLOBAL_FIXTURE(ForAllTests);

}  // namespace
}  // namespace plainfs
