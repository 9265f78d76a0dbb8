#include "fs/views/genomics/genomic_files.h"

#include <boost/test/unit_test.hpp>

#include "fs/views/genomics/position_index.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

Fragments small_fragments() {
  Fragments fragments;
  fragments.cell = numbers<uint32_t>({1, 0, 1});
  fragments.start = numbers<uint32_t>({10, 0, 4000000000});
  fragments.end = numbers<uint32_t>({20, 7, 4294967295});
  fragments.chr_pointer = numbers<uint64_t>({1, 3, 3, 3, 0, 1});
  fragments.cell_names = text_array({"A-1", "B\t2"});
  fragments.chr_names = text_array({"chr2", "chr3", "chr1"});
  return fragments;
}

std::string tsv_of(const Fragments& fragments) {
  TestContext context;
  return whole_text(fragments_tsv(fragments, context), context);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fragments_tsv_view)

BOOST_AUTO_TEST_CASE(chromosome_by_chromosome_in_the_order_of_their_names) {
  BOOST_TEST(tsv_of(small_fragments()) ==
             "chr2\t0\t6\tA-1\t1\nchr2\t4000000000\t4294967294\tB 2\t1\nchr1\t10\t19\tB 2\t1\n");
}

BOOST_AUTO_TEST_CASE(positions_may_be_wider_than_32_bits) {
  Fragments fragments = small_fragments();
  fragments.end = numbers<int64_t>({20, 7, int64_t{1} << 40});
  BOOST_TEST(tsv_of(fragments).find("chr2\t4000000000\t1099511627775\t") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(end_is_one_less_than_stored_and_0_has_no_end) {
  Fragments fragments = small_fragments();
  fragments.end = numbers<uint32_t>({20, 10, 4294967295});  // digits fewer than stored
  BOOST_TEST(tsv_of(fragments).starts_with("chr2\t0\t9\tA-1\t1\n"));
  fragments.end = numbers<uint32_t>({20, 0, 4294967295});
  BOOST_TEST(message_of([&] { tsv_of(fragments); }) ==
             "fragment 1 ends at 0, which a 10x file cannot represent");
}

BOOST_AUTO_TEST_CASE(no_fragments_give_an_empty_file) {
  Fragments fragments = small_fragments();
  fragments.chr_pointer = numbers<uint64_t>({0, 0, 0, 0, 0, 0});
  BOOST_TEST(tsv_of(fragments) == "");
  fragments.chr_pointer = numbers<uint64_t>({});
  fragments.chr_names = text_array({});
  BOOST_TEST(tsv_of(fragments) == "");
}

BOOST_AUTO_TEST_CASE(mismatched_parts_are_damage) {
  const auto error_with = [](auto&& change) {
    Fragments fragments = small_fragments();
    change(fragments);
    return message_of([&] { tsv_of(fragments); });
  };
  const auto mentions = [](const std::string& message, const char* words) {
    return message.find(words) != std::string::npos;
  };
  BOOST_TEST(mentions(error_with([](auto& f) {
                        f.cell = numbers<uint32_t>({1, 0, 2});
                      }),
                      "cell 2 is not below 2"));
  BOOST_TEST(mentions(error_with([](auto& f) { f.start = numbers<uint32_t>({1, 0}); }), "2 starts"));
  BOOST_TEST(mentions(error_with([](auto& f) {
                        f.chr_pointer = numbers<uint64_t>({0, 1});
                      }),
                      "2 pointers for 3"));
  BOOST_TEST(mentions(error_with([](auto& f) {
                        f.chr_pointer = numbers<uint64_t>({0, 4, 0, 0, 0, 0});
                      }),
                      "has fragments 0 to 4"));
  BOOST_TEST(mentions(error_with([](auto& f) {
                        f.chr_pointer = numbers<uint64_t>({2, 1, 0, 0, 0, 0});
                      }),
                      "has fragments 2 to 1"));
  BOOST_TEST(mentions(error_with([](auto& f) {
                        f.chr_pointer = numbers<uint64_t>({0, 3, 0, 3, 0, 0});
                      }),
                      "overlap"));
  BOOST_TEST(mentions(error_with([](auto& f) { f.error = damaged("no pointer"); }), "no pointer"));
}

BOOST_AUTO_TEST_CASE(names_may_have_any_length) {
  for (const size_t longest : {1, 27, 28, 29, 59, 60, 61, 300}) {
    const std::string name(longest, 'n'), chromosome(longest, 'c');
    Fragments fragments = small_fragments();
    fragments.cell_names = text_array({"", name});
    fragments.chr_names = text_array({"chr2", "chr3", chromosome});
    BOOST_TEST(tsv_of(fragments) == "chr2\t0\t6\t\t1\nchr2\t4000000000\t4294967294\t" + name + "\t1\n" +
                                        chromosome + "\t10\t19\t" + name + "\t1\n");
  }
}

// Sorted lines are measured in groups.
BOOST_AUTO_TEST_CASE(lengths_of_ordered_lines_follow_from_their_digits) {
  std::vector<uint32_t> start, end;
  std::string want;
  for (uint32_t at = 8; at < 20'000'000; at += at / 100 + 1) {
    start.push_back(at);
    end.push_back(at + 1 + at % 5);
    want += fmt::format("1\t{}\t{}\tA\t1\n", start.back(), end.back() - 1);
  }
  const uint64_t count = start.size();
  BOOST_TEST(tsv_of({numbers(std::vector<uint32_t>(count, 0)), numbers(start), numbers(end),
                     numbers<uint64_t>({0, count}), text_array({"A"}), text_array({"1"}), std::nullopt}) ==
             want);
}

BOOST_AUTO_TEST_CASE(any_slice_equals_that_part_of_the_whole) {
  std::mt19937_64 random(1);
  constexpr uint64_t kCount = 40000;
  std::vector<uint32_t> cell(kCount), start(kCount), end(kCount);
  for (uint64_t i = 0; i < kCount; ++i) {
    cell[i] = static_cast<uint32_t>(random() % 500);
    start[i] = static_cast<uint32_t>(random() >> (32 + random() % 32));
    end[i] = start[i] / 2 + 7;
  }
  std::vector<std::string> cells(500), chromosomes;
  for (std::string& name : cells) name = fmt::format("CELL{}-1", random());
  std::vector<uint64_t> pointers;
  std::string want;
  for (uint64_t first = 0, c = 0; first < kCount; ++c) {
    const uint64_t last = c == 9 ? kCount : std::min(kCount, first + random() % 7000);
    chromosomes.push_back(fmt::format("chr{}", c));
    pointers.insert(pointers.end(), {first, last});
    for (; first < last; ++first)
      want += fmt::format("chr{}\t{}\t{}\t{}\t1\n", c, start[first], end[first] - 1, cells[cell[first]]);
  }
  TestContext context;
  TextFile file(fragments_tsv({numbers(cell), numbers(start), numbers(end), numbers(pointers),
                               text_array(cells), text_array(chromosomes), std::nullopt},
                              context),
                context);
  BOOST_TEST((whole_text(file) == want));
  BOOST_TEST(slices_match(file, want, random, 100));
}

// With a tiny cache, so that a second pass would decode again.
BOOST_AUTO_TEST_CASE(one_pass_finds_the_length_of_the_text_and_its_index) {
  constexpr uint32_t kCount = 30000;
  std::vector<uint32_t> cell(kCount), start(kCount), end(kCount);
  for (uint32_t i = 0; i < kCount; ++i) start[i] = 50 * i, end[i] = start[i] + 100 + i % 7 * 3000;
  TestContext context(size_t{1} << 14);
  const auto stored = std::make_shared<ChunkedCopy>(context, numbers(start), Shape{1000});
  const Fragments fragments{numbers(cell),       stored,
                            numbers(end),        numbers<uint64_t>({0, 20000, 20000, kCount}),
                            text_array({"A-1"}), text_array({"chr1", "chr2"}),
                            std::nullopt};
  TextFile file(fragments_tsv(fragments, context), context);
  file.size();
  const uint64_t once = stored->chunks_decoded();
  const std::string index = file.position_index(IndexKind::tbi);
  BOOST_TEST(stored->chunks_decoded() == once);
  BOOST_TEST(context.counters.text_blocks_formatted == 0u);
  BOOST_TEST(index.starts_with("TBI"));
  BOOST_TEST(index.find(std::string_view("chr1\0chr2\0", 10)) != std::string::npos);

  TextFile measured_before(fragments_tsv(fragments, context), context);
  measured_before.adopt(file.measured());
  BOOST_TEST(measured_before.known_size().has_value());
  BOOST_TEST((measured_before.position_index(IndexKind::tbi) == index));
  TextFile never_measured(fragments_tsv(fragments, context), context);
  BOOST_TEST((never_measured.position_index(IndexKind::tbi) == index));
}

BOOST_AUTO_TEST_CASE(unsorted_fragments_have_a_text_and_no_index) {
  Fragments fragments = small_fragments();
  fragments.start = numbers<uint32_t>({10, 8, 4});
  fragments.end = numbers<uint32_t>({20, 9, 6});
  TestContext context;
  TextFile file(fragments_tsv(fragments, context), context);
  BOOST_TEST(file.size() > 0u);
  BOOST_TEST(message_of([&] { file.position_index(IndexKind::tbi); }) ==
             "the fragments of chr2 are not sorted by their starts: 4 after 8");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
