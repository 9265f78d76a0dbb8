#include "fs/views/genomics/big_wig.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

class TextSegment : public Segment {
 public:
  explicit TextSegment(std::string text) : text_(std::move(text)) {}
  uint64_t size() const override { return text_.size(); }
  void read(const Wanted& wanted) const override {
    std::memcpy(wanted.out.data(), text_.data() + wanted.offset, wanted.out.size());
  }

 private:
  const std::string text_;
};

template <class T>
T number_at(const std::string& text, size_t at) {
  T value;
  std::memcpy(&value, text.data() + at, sizeof value);
  return value;
}

// Appends the offsets of the leaves of the index at `at`, in the order of its tree.
void leaves(const std::string& file, size_t at, std::vector<uint64_t>& found) {
  const bool is_leaf = file.at(at) == 1;
  const auto count = number_at<uint16_t>(file, at + 2);
  for (uint16_t i = 0; i < count; ++i) {
    const uint64_t child = number_at<uint64_t>(file, at + 4 + i * (is_leaf ? 32 : 24) + 16);
    if (is_leaf)
      found.push_back(child);
    else
      leaves(file, child, found);
  }
}

BOOST_AUTO_TEST_SUITE(big_wig_file)

BOOST_AUTO_TEST_CASE(the_finest_summaries_are_no_more_than_2_to_the_18) {
  const auto of = [](std::vector<uint32_t> lengths) {
    std::vector<BigWigChromosome> chromosomes;
    for (const uint32_t length : lengths) chromosomes.push_back({"c", length});
    return finest_reduction(chromosomes);
  };
  BOOST_TEST(of({}) == 64u);
  BOOST_TEST(of({1, 5}) == 64u);
  BOOST_TEST(of({64u << 18}) == 64u);
  BOOST_TEST(of({64u << 18, 1}) == 256u);
  BOOST_TEST(of({248956422, 242193529, 198295559, 190214555}) == 4096u);
  BOOST_TEST(of({UINT32_MAX, UINT32_MAX}) == 65536u);
}

BOOST_AUTO_TEST_CASE(every_section_is_found_through_an_index_of_several_levels) {
  constexpr uint32_t kSections = 70'000;
  BigWigPlan plan;
  plan.chromosomes = {{"a", kSections * 10}, {"bb", 100}};
  std::string data;
  for (uint32_t i = 0; i < kSections; ++i) {
    const BigWigItem item{i * 10, i * 10 + 5, 2};
    plan.sections.push_back({0, item.start, item.end, 1});
    append_section(plan.sections.back(), std::span(&item, 1), data);
  }
  plan.reduction = 64;
  plan.summaries = {{0, 0, 64, 30, 2, 2, 60, 120}, {0, 64, 128, 34, 1, 3, 70, 150}};
  plan.total = {350'000, 2, 2, 700'000, 1'400'000};
  TestContext context;
  const std::string file =
      whole_text(*layout_file(big_wig(plan, std::make_shared<TextSegment>(data)), context));
  BOOST_TEST(number_at<uint32_t>(file, 0) == 0x888FFC26u);
  const auto data_at = number_at<uint64_t>(file, 16), index_at = number_at<uint64_t>(file, 24);
  BOOST_TEST(number_at<uint64_t>(file, data_at) == kSections);
  BOOST_TEST(file.substr(data_at + 8, data.size()) == data);
  BOOST_TEST(number_at<uint64_t>(file, index_at + 8) == kSections);
  BOOST_TEST(number_at<uint32_t>(file, index_at + 28) == plan.sections.back().end);
  std::vector<uint64_t> found;
  leaves(file, index_at + 48, found);
  BOOST_TEST(found.size() == kSections);
  for (size_t i = 0; i < found.size(); ++i) BOOST_REQUIRE(found[i] == data_at + 8 + i * section_bytes(1));
  // The second zoom level: both summaries together.
  const auto zoom = number_at<uint64_t>(file, 64 + 24 + 8);
  BOOST_TEST(number_at<uint32_t>(file, zoom) == 1u);
  BOOST_TEST(number_at<uint32_t>(file, zoom + 12) == 256u);
  BOOST_TEST(number_at<uint32_t>(file, zoom + 16) == 64u);
  BOOST_TEST(number_at<float>(file, zoom + 20) == 1);
  BOOST_TEST(number_at<float>(file, zoom + 24) == 3);
  BOOST_TEST(number_at<float>(file, zoom + 28) == 130);
  BOOST_TEST(number_at<float>(file, zoom + 32) == 270);
}

BOOST_AUTO_TEST_CASE(without_values_there_are_an_empty_index_and_no_sections) {
  BigWigPlan plan;
  plan.chromosomes = {{"a", 1000}};
  plan.reduction = 64;
  TestContext context;
  const std::string file =
      whole_text(*layout_file(big_wig(plan, std::make_shared<TextSegment>("")), context));
  const auto index_at = number_at<uint64_t>(file, 24);
  BOOST_TEST(number_at<uint32_t>(file, index_at) == 0x2468ACE0u);
  std::vector<uint64_t> found;
  leaves(file, index_at + 48, found);
  BOOST_TEST(found.empty());
}

BOOST_AUTO_TEST_CASE(too_many_chromosomes_for_one_node_are_refused) {
  BigWigPlan plan;
  plan.chromosomes.assign(65'536, {"c", 1});
  plan.reduction = 64;
  BOOST_CHECK_EXCEPTION(big_wig(plan, std::make_shared<TextSegment>("")), Error,
                        mentions("65536 chromosomes, more than 65535"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
