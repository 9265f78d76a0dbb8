#include "formats/core/unpacked/unpacked_bytes.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <thread>

#include "tests/support/bytes_file.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/unit/unpacked/compress.h"

namespace plainfs::unpacked {
namespace {

constexpr size_t kBytes = size_t{34} << 20;  // four spans between places
constexpr uint64_t kPages = kBytes / kPageBytes;

// Text that takes a third of its size as gzip.
const std::string& text() {
  static const std::string text = [] {
    std::mt19937 random(5);
    std::string generated(kBytes, '\0');
    for (size_t i = 0; i + 4 <= generated.size(); i += 4) {
      const uint32_t number = random() % 1000;
      std::memcpy(&generated[i], &number, sizeof number);
    }
    return generated;
  }();
  return text;
}

const std::string& compressed() {
  static const std::string compressed = compress(text(), Compression::gzip);
  return compressed;
}

std::shared_ptr<UnpackedBytes> open_bytes(TestContext& context, const std::string& content) {
  auto bytes = std::make_shared<UnpackedBytes>(std::make_shared<BytesFile>(content), Compression::gzip,
                                               context, "the values");
  const auto source = bytes->first_pass();
  Bytes piece(1 << 20);
  while (source->read(piece) == piece.size()) {
  }
  return bytes;
}

bool is_text_at(uint64_t offset, ByteSpan bytes) {
  return as_text(bytes) == std::string_view(text()).substr(offset, bytes.size());
}

BOOST_AUTO_TEST_SUITE(unpacked_bytes)

BOOST_AUTO_TEST_CASE(sequential_reader_has_pages_decompressed_ahead_once) {
  TestContext context;
  const auto bytes = open_bytes(context, compressed());
  const auto source = UnpackedBytes::from(bytes, 0);
  Bytes all(kBytes);
  BOOST_TEST_REQUIRE(source->read(all) == kBytes);
  BOOST_TEST(is_text_at(0, all));
  context.wait_for_jobs();
  const uint64_t jobs = context.workers.jobs_taken();
  BOOST_TEST(jobs > 0U);
  BOOST_TEST(context.counters.chunks_decoded == kPages);
  UnpackedBytes::from(bytes, 0)->read(all);
  BOOST_TEST(context.workers.jobs_taken() > jobs);
}

BOOST_AUTO_TEST_CASE(a_read_in_the_middle_reads_nothing_ahead) {
  TestContext context;
  const auto bytes = open_bytes(context, compressed());
  Bytes some(1000);
  bytes->read_at(kBytes / 2 + 12345, some);
  BOOST_TEST(is_text_at(kBytes / 2 + 12345, some));
  BOOST_TEST(context.workers.jobs_taken() == 0U);
  BOOST_TEST(context.counters.chunks_decoded == 1U);
}

BOOST_AUTO_TEST_CASE(small_cache_reads_nothing_ahead) {
  TestContext context(size_t{4} << 20);
  const auto bytes = open_bytes(context, compressed());
  Bytes all(kBytes);
  BOOST_TEST(UnpackedBytes::from(bytes, 0)->read(all) == kBytes);
  BOOST_TEST(context.workers.jobs_taken() == 0U);
}

BOOST_AUTO_TEST_CASE(threads_read_the_same_bytes_at_random) {
  TestContext context(size_t{24} << 20);
  const auto bytes = open_bytes(context, compressed());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 12; ++i) {
        Bytes some(1 + random() % (2 * kPageBytes));
        const uint64_t offset = random() % (kBytes - some.size());
        bytes->read_at(offset, some);
        wrong += !is_text_at(offset, some);
      }
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(damage_is_an_error_at_each_read_and_spares_other_places) {
  TestContext context;
  const auto bytes = open_bytes(context, compressed());
  std::string damaged = compressed();
  damaged[damaged.size() / 2] ^= 1;
  const auto other = std::make_shared<UnpackedBytes>(std::make_shared<BytesFile>(damaged), Compression::gzip,
                                                     context, "the values");
  other->adopt(bytes->pass());
  Bytes some(1000);
  for (int i = 0; i < 2; ++i) {
    Bytes most(kBytes - 100);
    BOOST_CHECK_THROW(other->read_at(0, most), Error);
    other->read_at(kBytes - 1000, some);
    BOOST_TEST(is_text_at(kBytes - 1000, some));
  }
}

BOOST_AUTO_TEST_CASE(fault_of_gzip_is_named_with_its_place) {
  TestContext context;
  const auto fails = [&](size_t at, std::string_view words) {
    std::string damaged = compressed();
    damaged[at] ^= 0x55;
    BOOST_CHECK_EXCEPTION(open_bytes(context, damaged), Error, mentions(std::string(words)));
  };
  fails(3, "the header is damaged, near byte 0");
  fails(compressed().size() - 7, "the content does not match its checksum");
  fails(compressed().size() - 2, "the content does not match its checksum or its length");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::unpacked
