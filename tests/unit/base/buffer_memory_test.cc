#include "formats/core/base/buffer_memory.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace plainfs {

BOOST_AUTO_TEST_SUITE(buffer_memory)

#if !defined(__SANITIZE_ADDRESS__)
BOOST_AUTO_TEST_CASE(returned_buffer_is_reused_by_its_thread) {
  void* const first = take_buffer(50'000);
  give_buffer(first, 50'000);
  void* const next = take_buffer(52'000);
  BOOST_TEST(next == first);
  void* const other = take_buffer(52'000);
  BOOST_TEST(other != first);
  give_buffer(other, 52'000);
  give_buffer(next, 52'000);
}
#endif

BOOST_AUTO_TEST_CASE(buffers_of_all_sizes_have_their_length_and_do_not_overlap) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<char*, size_t>> taken;
    for (size_t bytes = 1; bytes < 600'000; bytes += bytes / 3 + 1) {
      char* const buffer = static_cast<char*>(take_buffer(bytes));
      std::memset(buffer, static_cast<char>(taken.size()), bytes);
      taken.emplace_back(buffer, bytes);
    }
    for (size_t i = 0; i < taken.size(); ++i) {
      const auto [buffer, bytes] = taken[i];
      BOOST_TEST((buffer[0] == static_cast<char>(i) && buffer[bytes - 1] == static_cast<char>(i)));
    }
    for (const auto& [buffer, bytes] : taken) give_buffer(buffer, bytes);
  }
}

BOOST_AUTO_TEST_CASE(buffer_may_be_returned_by_another_thread) {
  std::vector<void*> taken;
  for (int i = 0; i < 20; ++i) taken.push_back(take_buffer(20'000));
  std::thread([&] {
    for (void* const buffer : taken) give_buffer(buffer, 20'000);
  }).join();
  std::set<void*> again;
  for (int i = 0; i < 20; ++i) again.insert(take_buffer(20'000));
  BOOST_TEST(again.size() == 20u);
  for (void* const buffer : again) give_buffer(buffer, 20'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
