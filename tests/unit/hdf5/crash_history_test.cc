#include "formats/containers/hdf5/process/crash_history.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs::hdf5;
using namespace std::chrono_literals;

namespace {

const CrashHistory::Time kStart{};

}  // namespace

BOOST_AUTO_TEST_SUITE(hdf5_endings)

BOOST_AUTO_TEST_CASE(only_the_question_that_crashed_twice_waits) {
  CrashHistory endings;
  endings.note(1, 7, kStart);
  BOOST_TEST(!endings.is_refused(1, 7, kStart));
  endings.note(1, 7, kStart + 1s);
  BOOST_TEST(endings.is_refused(1, 7, kStart + 2s));
  BOOST_TEST(!endings.is_refused(1, 8, kStart + 2s));
  BOOST_TEST(!endings.is_refused(2, 7, kStart + 2s));
}

BOOST_AUTO_TEST_CASE(nothing_is_refused_for_good) {
  CrashHistory endings;
  endings.note(1, 7, kStart);
  endings.note(1, 7, kStart);
  BOOST_TEST(!endings.is_refused(1, 7, kStart + CrashHistory::kRefused));
  endings.note(1, 7, kStart + CrashHistory::kRefused);
  BOOST_TEST(endings.is_refused(1, 7, kStart + CrashHistory::kRefused + 1s));
  BOOST_TEST(!endings.is_refused(1, 7, kStart + CrashHistory::kRefused + CrashHistory::kRemembered + 1s));
}

BOOST_AUTO_TEST_CASE(answer_clears_the_history) {
  CrashHistory endings;
  endings.note(1, 7, kStart);
  endings.forget(1, 7);
  endings.note(1, 7, kStart);
  BOOST_TEST(!endings.is_refused(1, 7, kStart));
}

BOOST_AUTO_TEST_CASE(repeatedly_crashing_file_waits_for_any_question) {
  CrashHistory endings;
  for (size_t i = 0; i < CrashHistory::kMaxOfFile; ++i) {
    BOOST_TEST(!endings.is_refused(1, 1000, kStart));
    endings.note(1, i, kStart);
  }
  BOOST_TEST(endings.is_refused(1, 1000, kStart + 1s));
  BOOST_TEST(!endings.is_refused(2, 1000, kStart + 1s));
  BOOST_TEST(!endings.is_refused(1, 1000, kStart + CrashHistory::kRemembered + 1s));
}

BOOST_AUTO_TEST_SUITE_END()
