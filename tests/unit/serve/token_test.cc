#include "fs/serve/http/token.h"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "fs/command_line/exit_code.h"
#include "tests/support/temporary_directory.h"

namespace plainfs::serve {
namespace {

std::string random_word() {
  return "0123456789abcdef";
}

BOOST_AUTO_TEST_SUITE(token)

BOOST_AUTO_TEST_CASE(token_word_is_used_unchanged) {
  BOOST_TEST(token_of("my-lab_2026", random_word) == "my-lab_2026");
  BOOST_TEST(token_of("", random_word) == random_word());
  BOOST_TEST(token_of("none", random_word) == "");
  for (const char* const word : {"short", "with blank", "with?query", "ünï-cöde"})
    BOOST_CHECK_THROW(token_of(word, random_word), Failure);
  BOOST_CHECK_THROW(token_of(std::string(129, 'a'), random_word), Failure);
}

BOOST_AUTO_TEST_CASE(a_file_keeps_the_word_from_start_to_start) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("token");
  BOOST_TEST(token_of(path, random_word) == random_word());
  BOOST_TEST(token_of(path, [] { return std::string("another-word"); }) == random_word());
  struct stat status {};
  BOOST_REQUIRE(::stat(path.c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0600);
  std::ofstream(path) << "my-own-word\nmore\n";
  BOOST_TEST(token_of(path, random_word) == "my-own-word");
  std::ofstream(path) << "bad word\n";
  BOOST_CHECK_THROW(token_of(path, random_word), Failure);
  BOOST_CHECK_THROW(token_of(folder.path("none/token"), random_word), Failure);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
