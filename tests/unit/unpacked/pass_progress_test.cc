#include "formats/core/unpacked/pass_progress.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/bytes_file.h"
#include "tests/support/test_context.h"

namespace plainfs::unpacked {
namespace {

BOOST_AUTO_TEST_SUITE(pass_progress)

BOOST_AUTO_TEST_CASE(progress_is_logged_after_2_s_and_every_10_s) {
  TestContext context;
  const PassProgress::Clock::time_point begun{};
  PassProgress progress(200, "the values of the R object", context, begun);
  const FilePtr file = progress.watched(std::make_shared<BytesFile>(std::string(200, 'x')));
  file->read_at(0, size_t{50});
  for (int second = 0; second <= 13; ++second) progress.report(begun + std::chrono::seconds(second));
  BOOST_REQUIRE(context.warnings().size() == 2U);
  BOOST_TEST(context.warnings()[0] == "locating the values of the R object: 25 % of 200 bytes read");
}

BOOST_AUTO_TEST_CASE(observer_sees_a_pass_proceed_and_end) {
  TestContext context;
  std::vector<std::pair<uint64_t, uint64_t>> seen;
  context.context.passing = [&](uint64_t read, uint64_t size) { seen.emplace_back(read, size); };
  {
    PassProgress progress(200, "the values of the R object", context);
    const FilePtr file = progress.watched(std::make_shared<BytesFile>(std::string(200, 'x')));
    file->read_at(0, size_t{50});
    progress.report();
    BOOST_TEST((seen == std::vector<std::pair<uint64_t, uint64_t>>{{50, 200}}));
  }
  BOOST_TEST((seen.back() == std::pair<uint64_t, uint64_t>(200, 200)));
  BOOST_TEST(seen.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::unpacked
