#include "formats/core/sparse/entry_source.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/core/sparse/computed_matrix.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

Indices indices(std::vector<uint64_t> values) {
  return std::make_shared<const std::vector<uint64_t>>(std::move(values));
}

// Three majors of four: (0: 1 at 0, 2 at 3), (1: none), (2: 3 at 1).
EntrySourcePtr small() {
  return compressed_source(
      {numbers<int32_t>({1, 2, 3}), numbers<uint16_t>({0, 3, 1}), numbers<uint64_t>({0, 2, 2, 3}), 3, 4});
}

// Returns "major:minor=value", in order.
std::string text_of(const EntrySource& source, uint64_t first, uint64_t count) {
  const EntryRun run = source.read(first, count);
  const std::vector<uint64_t> lengths = source.lengths(first, count);
  std::string text;
  for (uint64_t major = 0; major < count; ++major) {
    BOOST_TEST(lengths[major] == run.pointer[major + 1] - run.pointer[major]);
    for (uint64_t i = run.pointer[major]; i < run.pointer[major + 1]; ++i)
      text += fmt::format("{}:{}={} ", first + major, run.index[i], run.value.values<int32_t>()[i]);
  }
  return text;
}
std::string text_of(const EntrySource& source) {
  return text_of(source, 0, source.majors());
}

std::string failure(const EntrySourcePtr& source) {
  return message_of([&] { source->read(0, source->majors()); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(entry_source)

BOOST_AUTO_TEST_CASE(a_compressed_matrix_is_read_by_its_majors) {
  BOOST_TEST(text_of(*small()) == "0:0=1 0:3=2 2:1=3 ");
  BOOST_TEST(text_of(*small(), 1, 2) == "2:1=3 ");
}

BOOST_AUTO_TEST_CASE(decreasing_indices_are_sorted) {
  const auto source = compressed_source(
      {numbers<int32_t>({1, 2, 3}), numbers<int32_t>({3, 0, 3}), numbers<int32_t>({0, 3}), 1, 4});
  BOOST_TEST(text_of(*source) == "0:0=2 0:3=1 0:3=3 ");
}

BOOST_AUTO_TEST_CASE(indices_may_keep_their_stored_order) {
  const auto source = compressed_source(
      {numbers<int32_t>({1, 2, 3}), numbers<int32_t>({3, 0, 3}), numbers<int32_t>({0, 3}), 1, 4}, true);
  BOOST_TEST(text_of(*source) == "0:3=1 0:0=2 0:3=3 ");
  BOOST_TEST(text_of(*minor_subset(source, indices({0, 3}))) == "0:1=1 0:0=2 0:1=3 ");
}

// Far too many minors for one bucket each.
BOOST_AUTO_TEST_CASE(minors_are_picked_of_very_many) {
  const uint64_t many = uint64_t{1} << 40;
  const auto source =
      compressed_source({numbers<int32_t>({1, 2, 3, 4}), numbers<uint64_t>({5, 6, 7, many - 1}),
                         numbers<int32_t>({0, 4}), 1, many});
  BOOST_TEST(text_of(*minor_subset(source, indices({5, 7, many - 1}))) == "0:0=1 0:1=3 0:2=4 ");
}

BOOST_AUTO_TEST_CASE(inconsistent_sparse_lists_are_damage) {
  const auto value = numbers<int32_t>({1, 2}), index = numbers<int32_t>({0, 1});
  const auto of = [&](ArrayPtr i, ArrayPtr p) { return failure(compressed_source({value, i, p, 2, 2})); };
  BOOST_TEST(of(index, numbers<int64_t>({0, 2})).find("2 pointers for 2") != std::string::npos);
  BOOST_TEST(of(index, numbers<int64_t>({1, 1, 2})).find("pointer 0 is 1") != std::string::npos);
  BOOST_TEST(of(index, numbers<int64_t>({0, 2, 1})).find("pointer 2 is 1") != std::string::npos);
  BOOST_TEST(of(index, numbers<int64_t>({0, 1, 1})).find("end at 1") != std::string::npos);
  BOOST_TEST(of(index, numbers<int64_t>({0, -1, 2})).find("negative") != std::string::npos);
  BOOST_TEST(of(numbers<int32_t>({0, 2}), numbers<int64_t>({0, 1, 2})).find("2 is not below 2") !=
             std::string::npos);
  BOOST_TEST(of(numbers<int32_t>({0}), numbers<int64_t>({0, 1, 2})).find("2 values and 1 indices") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(majors_and_minors_are_picked) {
  BOOST_TEST(text_of(*major_subset(small(), indices({2, 0, 0}))) == "0:1=3 1:0=1 1:3=2 2:0=1 2:3=2 ");
  BOOST_TEST(text_of(*minor_subset(small(), indices({3, 0, 3}))) == "0:0=2 0:1=1 0:2=2 ");
}

// Indices of which each minor is one, in another order: nothing is lost, so that lengths need no pass.
BOOST_AUTO_TEST_CASE(minors_may_be_added_and_exchanged) {
  const auto wider = minor_subset(small(), indices({3, kNoMinor, 1, 2, 0, kNoMinor}));
  BOOST_TEST(wider->minors() == 6U);
  BOOST_TEST(text_of(*wider) == "0:0=2 0:4=1 2:2=3 ");
  BOOST_TEST((wider->lengths(0, 3) == std::vector<uint64_t>{2, 0, 1}));
  BOOST_TEST(text_of(*minor_subset(small(), indices({kNoMinor, 3}))) == "0:1=2 ");
  BOOST_TEST(
      (minor_subset(small(), indices({kNoMinor, 3}))->lengths(0, 3) == std::vector<uint64_t>{1, 0, 0}));
}

BOOST_AUTO_TEST_CASE(matrices_are_joined_on_either_side) {
  BOOST_TEST(text_of(*major_combined({small(), small()})) == "0:0=1 0:3=2 2:1=3 3:0=1 3:3=2 5:1=3 ");
  BOOST_TEST(text_of(*minor_combined({small(), small()})) == "0:0=1 0:3=2 0:4=1 0:7=2 2:1=3 2:5=3 ");
  BOOST_TEST(text_of(*major_combined({small(), small()}), 2, 2) == "2:1=3 3:0=1 3:3=2 ");
}

BOOST_AUTO_TEST_CASE(a_matrix_is_read_along_its_other_side) {
  TestContext context;
  const auto turned = [&](EntrySourcePtr source) { return flipped(std::move(source), context); };
  BOOST_TEST(text_of(*turned(small())) == "0:0=1 1:2=3 3:0=2 ");
  BOOST_TEST(text_of(*turned(small()), 1, 2) == "1:2=3 ");
  BOOST_TEST(text_of(*turned(turned(small()))) == text_of(*small()));
}

BOOST_AUTO_TEST_CASE(values_become_reals_exactly) {
  const EntryRun run = converted(small(), number_type(Kind::real, 8))->read(0, 3);
  BOOST_TEST(run.value.values<double>()[2] == 3.0);
}

// More entries than one piece of the computed lists, for every request.
BOOST_AUTO_TEST_CASE(computed_lists_match_the_whole) {
  std::mt19937_64 random(11);
  std::vector<int32_t> value, index;
  std::vector<uint64_t> pointer{0};
  for (int major = 0; major < 400; ++major) {
    const int step = 1 + static_cast<int>(random() % 3);
    for (int minor = static_cast<int>(random() % 9); minor < 1000; minor += step) {
      index.push_back(minor);
      value.push_back(static_cast<int32_t>(random()));
    }
    pointer.push_back(index.size());
  }
  TestContext test(1 << 20);
  const auto source = compressed_source({numbers(value), numbers(index), numbers(pointer), 400, 1000});
  const SparseMatrix same = computed_lists(source, test);
  BOOST_REQUIRE_GT(value.size(), 150000u);
  BOOST_TEST(same.value->count() == value.size());
  BOOST_CHECK(read_all(*same.value) == elements_of(value));
  BOOST_CHECK(read_all(*same.pointer) == elements_of(pointer));
  const Elements part = same.index->read(range(60000, 80000));
  for (uint64_t i = 0; i < 80000; ++i)
    BOOST_REQUIRE_EQUAL(part.values<uint64_t>()[i], static_cast<uint64_t>(index[60000 + i]));
  TestContext larger(16 << 20);
  const SparseMatrix twice = computed_lists(flipped(flipped(source, larger), larger), larger);
  BOOST_CHECK(read_all(*twice.value).bytes == elements_of(value).bytes);
}

BOOST_AUTO_TEST_CASE(dense_array_has_zeros_without_an_entry) {
  const auto text = [](const Array& array) {
    std::string all;
    const Elements elements = read_all(array);
    for (const int32_t number : elements.values<int32_t>()) all += std::to_string(number);
    return all;
  };
  BOOST_TEST(text(*computed_dense(small(), true)) == "100200000300");
  BOOST_TEST(text(*computed_dense(small(), false)) == "100003000200");
  const Elements part = computed_dense(small(), true)->read({{0, 2}, {1, 2}});
  BOOST_TEST(part.values<int32_t>()[0] == 0);
  BOOST_TEST(part.values<int32_t>()[1] == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
