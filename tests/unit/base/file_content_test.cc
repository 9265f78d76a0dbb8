#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <fstream>

#include "formats/core/base/descriptor.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(file_content_of)

BOOST_AUTO_TEST_CASE(whole_file_is_read) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("file"), text(100'000, 'x');
  std::ofstream(path) << text;
  BOOST_TEST((file_content(path) == text));
  BOOST_TEST((file_content(path, 20'000) == text.substr(0, 20'000)));
}

BOOST_AUTO_TEST_CASE(file_that_cannot_be_opened_has_none) {
  const TemporaryDirectory directory;
  BOOST_TEST(!file_content(directory.path("absent")));
  BOOST_TEST(errno == ENOENT);
}

BOOST_AUTO_TEST_CASE(file_that_opens_and_cannot_be_read_has_none) {
  const TemporaryDirectory directory;
  BOOST_TEST(!file_content(directory.path("")));
  BOOST_TEST(errno == EISDIR);
}

#ifdef __linux__
BOOST_AUTO_TEST_CASE(file_of_an_ended_process_has_none) {
  int ending[2];
  BOOST_TEST_REQUIRE(::pipe(ending) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte;
    ::close(ending[1]);
    ::_exit(static_cast<int>(::read(ending[0], &byte, 1)));
  }
  const Descriptor stat(::open(("/proc/" + std::to_string(child) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  ::close(ending[1]);
  ::close(ending[0]);
  wait_for_end(child);
  BOOST_TEST(!read_rest(stat.number()));
  BOOST_TEST(errno == ESRCH);
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
