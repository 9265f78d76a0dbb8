#include "fs/views/genomics/genomic_files.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

GenomicRanges two_ranges() {
  GenomicRanges ranges;
  ranges.sequence_names = text_array({"chr1", "chr 2"});
  ranges.sequence = numbers<uint64_t>({1, 0});
  ranges.start = numbers<int32_t>({1, 100});
  ranges.width = numbers<uint64_t>({10, 0});
  ranges.strand = numbers<int8_t>({-1, 0});
  return ranges;
}

std::string bed_of(const GenomicRanges& ranges) {
  TestContext context;
  return whole_text(bed(ranges, context), context);
}
std::string error_of(const GenomicRanges& ranges) {
  return message_of([&] { bed_of(ranges); });
}
bool has_words(const std::string& message, const char* words) {
  return message.find(words) != std::string::npos;
}

BOOST_AUTO_TEST_SUITE(bed_view)

BOOST_AUTO_TEST_CASE(ranges_are_six_columns_counted_from_zero) {
  BOOST_TEST(bed_of(two_ranges()) == "chr 2\t0\t10\t.\t0\t-\nchr1\t99\t99\t.\t0\t.\n");
  GenomicRanges named = two_ranges();
  named.names = text_array({"", "a\tb"});
  BOOST_TEST(bed_of(named) == "chr 2\t0\t10\t.\t0\t-\nchr1\t99\t99\ta b\t0\t.\n");
}

BOOST_AUTO_TEST_CASE(content_invalid_in_bed_is_damage) {
  GenomicRanges ranges = two_ranges();
  ranges.start = numbers<int64_t>({1, 0});
  BOOST_TEST(has_words(error_of(ranges), "range 1 starts at 0"));
  ranges = two_ranges();
  ranges.sequence = numbers<uint64_t>({1, 2});
  BOOST_TEST(has_words(error_of(ranges), "sequence 2 is not below 2"));
  ranges = two_ranges();
  ranges.strand = numbers<int8_t>({1, 2});
  BOOST_TEST(has_words(error_of(ranges), "strand is 2"));
  ranges = two_ranges();
  ranges.width = numbers<uint64_t>({UINT64_MAX - 1, UINT64_MAX - 1});
  BOOST_TEST(has_words(error_of(ranges), "over 64 bits"));
  ranges = two_ranges();
  ranges.start = numbers<uint64_t>({1, UINT64_MAX});
  BOOST_TEST(has_words(error_of(ranges), "too large"));
  ranges = two_ranges();
  ranges.width = numbers<uint64_t>({1});
  BOOST_TEST(has_words(error_of(ranges), "2 ranges, but another list has 1"));
  ranges = two_ranges();
  ranges.start = numbers<double>({1, 2});
  BOOST_TEST(has_words(error_of(ranges), "expected integers"));
}

BOOST_AUTO_TEST_CASE(blocks_are_cut_anywhere) {
  std::vector<uint64_t> sequence, width;
  std::vector<int32_t> start, strand;
  std::string want;
  for (int i = 1; i <= 20000; ++i) {
    sequence.push_back(static_cast<uint64_t>(i % 2));
    start.push_back(i);
    width.push_back(7);
    strand.push_back(1);
    want += fmt::format("{}\t{}\t{}\t.\t0\t+\n", i % 2 ? "chr 2" : "chr1", i - 1, i + 6);
  }
  GenomicRanges ranges = two_ranges();
  ranges.sequence = numbers(sequence);
  ranges.start = numbers(start);
  ranges.width = numbers(width);
  ranges.strand = numbers(strand);
  BOOST_CHECK(bed_of(ranges) == want);
}

BOOST_AUTO_TEST_CASE(oversized_chunks_of_ranges_are_decoded_a_few_times) {
  constexpr uint64_t kRanges = 200'000;
  TestContext context(size_t{2} << 20, 0);  // of 4.2 MB
  const auto in_one_chunk = [&](ArrayPtr array) {
    return std::make_shared<const ChunkedCopy>(context, std::move(array), Shape{kRanges});
  };
  const auto start = in_one_chunk(numbers(std::vector<uint64_t>(kRanges, 1)));
  GenomicRanges ranges = two_ranges();
  ranges.sequence = in_one_chunk(numbers(std::vector<uint32_t>(kRanges, 0)));
  ranges.start = start;
  ranges.width = in_one_chunk(numbers(std::vector<uint64_t>(kRanges, 10)));
  ranges.strand = in_one_chunk(numbers(std::vector<int8_t>(kRanges, 1)));
  TextFile file(bed(ranges, context), context);
  BOOST_TEST(whole_text(file).size() == kRanges * std::string("chr1\t0\t10\t.\t0\t+\n").size());
  const uint64_t blocks = context.counters.text_blocks_measured;
  BOOST_TEST(blocks > 40U);
  // Sized and read. It would be twice as often if each block were read alone.
  BOOST_TEST(start->chunks_decoded() < blocks);
}

BOOST_AUTO_TEST_CASE(sequences_of_unknown_length_are_left_out) {
  TestContext context;
  SequenceLengths sequences{text_array({"chr1", "chrU", "chrM"}),
                            with_missing(numbers<uint32_t>({1000, 0, 16569}),
                                         [](const Elements& elements, std::vector<uint8_t>& missing) {
                                           for (uint64_t i = 0; i < elements.count; ++i)
                                             missing[i] = elements.values<uint32_t>()[i] == 0;
                                         }),
                            {}};
  BOOST_TEST(whole_text(chrom_sizes(sequences, context), context) == "chr1\t1000\nchrM\t16569\n");
  sequences.lengths = numbers<uint32_t>({1});
  BOOST_TEST(
      has_words(message_of([&] { whole_text(chrom_sizes(sequences, context), context); }), "3 sequences"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
