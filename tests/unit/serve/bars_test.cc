#include "fs/serve/pages/variants/bars.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/unit/vcf/vcf_store.h"

namespace plainfs::serve {
namespace {

// The contigs of variants: 0 for all but the last, which has 1. Counts the elements of the largest read.
class Contigs : public Array {
 public:
  explicit Contigs(uint64_t count) : Array(type_of<int8_t>(), {count}) {}
  Elements read(const Box& box) const override {
    max_read = std::max(max_read, box.extent[0]);
    std::vector<int8_t> contigs(box.extent[0], 0);
    if (box.origin[0] + box.extent[0] == count()) contigs.back() = 1;
    return elements_of(contigs);
  }

  mutable uint64_t max_read = 0;
};

BOOST_FIXTURE_TEST_SUITE(bars, vcf::VcfStore)

BOOST_AUTO_TEST_CASE(variants_of_each_contig_are_counted_in_bands) {
  constexpr uint64_t kCount = 3'000'000;
  const auto contigs = std::make_shared<Contigs>(kCount);
  Variants many = variants();
  many.contig = contigs;
  many.position = std::make_shared<Contigs>(kCount);
  const std::optional<Figure> figure = contig_bars(many);
  BOOST_TEST_REQUIRE(figure.has_value());
  BOOST_TEST(figure.value().html.find("2,999,999") != std::string::npos, figure.value().html);
  BOOST_TEST(contigs->max_read <= uint64_t{1} << 20);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
