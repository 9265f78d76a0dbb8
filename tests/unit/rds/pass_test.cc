#include "formats/containers/rds/known_vectors.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "formats/containers/rds/container.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/rds_file.h"
#include "tests/unit/unpacked/compress.h"

namespace {

using namespace plainfs;
using namespace plainfs::rds;

// Passes kept in memory.
class Remembered : public Passes {
 public:
  std::shared_ptr<const std::vector<uint64_t>> known(const std::string& location, const std::string&,
                                                     Sources&) override {
    return std::make_shared<const std::vector<uint64_t>>(numbers[location]);
  }
  void keep(const std::string& location, const std::string&, std::vector<uint64_t> found,
            std::chrono::steady_clock::duration, Sources&) override {
    numbers[location] = std::move(found);
    ++kept;
  }
  void discard(const std::string& location, Sources&) override {
    numbers.erase(location);
    ++discarded;
  }

  std::map<std::string, std::vector<uint64_t>> numbers;
  int kept = 0, discarded = 0;
};

struct Session {
  explicit Session(Passes& passes) { context.context.passes = &passes; }
  rds::ValuePtr open(const std::string& path) {
    const Store store = rds::open(look_at(path), context);
    return std::dynamic_pointer_cast<const ValueGroup>(store.root.parts)->value();
  }
  TestContext context;
};

constexpr int32_t kNumbers = 3 << 20, kNames = 50'000;

// Returns a list of numbers, long text, a small vector, and text that is skipped. None of it compresses well.
std::string large_object(int32_t numbers = kNumbers) {
  std::mt19937 random(11);
  RStream out = start();
  out.list(4);
  out.i(13).i(numbers);
  for (int32_t i = 0; i < numbers; ++i) out.i(static_cast<int32_t>(random()));
  out.i(16).i(kNames);
  for (int32_t i = 0; i < kNames; ++i) out.chars(std::to_string(random()));
  out.integers({1, 2, 3});
  out.i(6).i(16).i(kNames);  // a call
  for (int32_t i = 0; i < kNames; ++i) out.chars("a" + std::to_string(random()));
  return out.nil().text;
}

uint64_t bytes_read(const Session& session) {
  return session.context.counters.source_bytes_read;
}

BOOST_AUTO_TEST_SUITE(passes)

BOOST_AUTO_TEST_CASE(a_second_session_reads_little_and_the_same) {
  for (const Compression compression : {Compression::gzip, Compression::bzip2}) {
    // bzip2 is slow, so there is less data, with a larger share that is always read.
    const bool is_slow = compression == Compression::bzip2;
    const int32_t numbers = is_slow ? kNumbers / 3 : kNumbers;
    const RdsFile file(unpacked::compress(large_object(numbers), compression));
    Remembered passes;
    Session first(passes), second(passes);
    const rds::ValuePtr a = first.open(file.path);
    const uint64_t all = bytes_read(first);
    const rds::ValuePtr b = second.open(file.path);
    BOOST_TEST_CONTEXT(unpacked::name_of(compression)) {
      BOOST_TEST(passes.kept == 1);
      BOOST_TEST(passes.discarded == 0);
      BOOST_TEST(bytes_read(second) < all / (is_slow ? 2 : 4));
      for (size_t i = 0; i < 3; ++i)
        BOOST_TEST((::plainfs::read_all(*a->items[i]->vector) == ::plainfs::read_all(*b->items[i]->vector)));
      BOOST_TEST((b->items[3]->type == RType::other));
    }
  }
}

BOOST_AUTO_TEST_CASE(uncompressed_file_keeps_no_pass) {
  const RdsFile file(large_object());
  Remembered passes;
  Session session(passes);
  session.open(file.path);
  BOOST_TEST(passes.kept == 0);
  BOOST_TEST(bytes_read(session) < uint64_t{kNumbers});
}

BOOST_AUTO_TEST_CASE(too_large_block_fails_when_its_values_are_read) {
  std::vector<int32_t> numbers(600'000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i % 1000);
  const std::string object = start().list(2).integers(numbers).integers({5, 6}).text;
  for (const Compression compression : {Compression::xz, Compression::bzip2}) {
    const RdsFile file(unpacked::compress(object, compression));
    TestContext small(size_t{2} << 20), large(size_t{3} << 20);
    const auto vector_of = [&](TestContext& context, size_t item) {
      const Store store = rds::open(look_at(file.path), context);
      return std::dynamic_pointer_cast<const ValueGroup>(store.root.parts)->value()->items[item]->vector;
    };
    BOOST_TEST((::plainfs::read_all(*vector_of(large, 0)).count == numbers.size()));
    BOOST_TEST((::plainfs::read_all(*vector_of(small, 1)).count == 2U));
    if (compression == Compression::xz) {
      BOOST_CHECK_EXCEPTION(::plainfs::read_all(*vector_of(small, 0)), Error,
                            mentions("more than the 2097152 of the cache (-o cache_size)"));
    } else {
      BOOST_TEST((::plainfs::read_all(*vector_of(small, 0)).count == numbers.size()));
    }
  }
}

BOOST_AUTO_TEST_CASE(pass_of_another_file_is_discarded_and_repeated) {
  const RdsFile file(unpacked::compress(large_object(), Compression::gzip)),
      other(unpacked::compress(start().integers(std::vector<int32_t>(100'000, 7)).text, Compression::gzip));
  Remembered passes;
  Session(passes).open(other.path);
  passes.numbers[file.path] = passes.numbers[other.path];
  const rds::ValuePtr value = Session(passes).open(file.path);
  BOOST_TEST(passes.discarded > 0);
  BOOST_TEST(value->items.size() == 4U);
  BOOST_TEST(passes.kept == 2);
}

// Every kept number, changed by one: the values are those of the file or an error.
BOOST_AUTO_TEST_CASE(wrong_index_numbers_give_no_wrong_value) {
  RStream out = start();
  out.list(3).integers(std::vector<int32_t>(60'000, 3)).i(16).i(9'000);
  for (int i = 0; i < 9'000; ++i) out.chars("name " + std::to_string(i));
  const RdsFile file(unpacked::compress(out.integers({5}).text, Compression::gzip));
  Remembered passes;
  Session whole(passes);
  const rds::ValuePtr expected = whole.open(file.path);
  const std::vector<uint64_t> right = passes.numbers.at(file.path);
  for (size_t at = 0; at < right.size(); ++at) {
    for (const int change : {1, -1}) {
      passes.numbers[file.path] = right;
      passes.numbers[file.path][at] += static_cast<uint64_t>(change);
      Session session(passes);
      try {
        const rds::ValuePtr value = session.open(file.path);
        for (size_t i = 0; i < 3; ++i)
          BOOST_TEST((::plainfs::read_all(*value->items.at(i)->vector) ==
                      ::plainfs::read_all(*expected->items[i]->vector)));
      } catch (const Error& error) {
        BOOST_TEST_MESSAGE(at << ": " << error.what());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(pass_survives_conversion_to_numbers) {
  RPass pass;
  pass.bytes.size = unpacked::kPageBytes + 5;
  pass.bytes.checksums = {1, 0xffffffff};
  pass.bytes.points = {{100, 33, std::make_shared<const Bytes>(Bytes(13, std::byte{7}))}, {200, 70, nullptr}};
  pass.vectors[50] = {3, 90, {{0, 50}, {2, 60}}};
  const std::optional<RPass> again = pass_of(numbers_of(pass));
  BOOST_REQUIRE(again);
  BOOST_TEST((numbers_of(*again) == numbers_of(pass)));
  BOOST_TEST((*again->bytes.points[0].window == *pass.bytes.points[0].window));
  BOOST_TEST(!again->bytes.points[1].window);
  std::vector<uint64_t> cut = numbers_of(pass);
  while (!cut.empty()) {
    cut.pop_back();
    BOOST_TEST(!pass_of(cut));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
