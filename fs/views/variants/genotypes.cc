#include "fs/views/variants/genotypes.h"

#include <algorithm>
#include <bit>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/elements/variant_values.h"

namespace plainfs {

namespace {

constexpr uint64_t kVariantsInRun = 4096;
constexpr uint64_t kWordsInRun = kVariantsInRun / 64;

// BGEN counts in 32 bits, and one bit per variant is held in memory.
constexpr uint64_t kMaxVariants = UINT32_MAX;

// Returns a bit for each variant: whether it has two alleles.
std::vector<uint64_t> bits_of(const Variants& variants, Context& context) {
  const Array& alleles = *variants.alleles;
  const uint64_t count = variants.count(), most = alleles.shape()[1];
  std::vector<uint64_t> words(divide_up(count, 64));
  context.workers.parallel_for(divide_up(count, kVariantsInRun), [&](size_t run) {
    const uint64_t first = run * kVariantsInRun, some = std::min(kVariantsInRun, count - first);
    const Elements elements = read_run(alleles, checked_multiply(first, most), some * most);
    for (uint64_t i = 0; i < some; ++i)
      if (are_two_alleles(elements, i * most, most))
        words[(first + i) / 64] |= uint64_t{1} << (first + i) % 64;
  });
  return words;
}

class SampleText : public EmittingSource<SampleText> {
 public:
  SampleText(Variants variants, const SampleLines& lines) : variants_(std::move(variants)), lines_(lines) {}

  void prepare() override {
    const ShownSamples samples = shown_samples(variants_);
    names_ = lines_.has_blanks ? samples.names : names_without_blanks(samples);
  }
  std::string head() const override { return lines_.head; }
  std::string version() const override { return lines_.version; }
  uint64_t block_count() const override { return divide_up(names_.size(), kLinesInBlock); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    std::string line;
    const size_t first = block * kLinesInBlock, end = std::min<size_t>(first + kLinesInBlock, names_.size());
    for (size_t i = first; i < end; ++i) {
      line.clear();
      lines_.append(names_[i], line);
      sink.put(std::string_view(line));
    }
  }

 private:
  static constexpr uint64_t kLinesInBlock = 4096;

  const Variants variants_;
  const SampleLines& lines_;
  std::vector<std::string> names_;
};

}  // namespace

std::optional<Error> refused_genotypes(const Variants& variants) {
  const Shape& shape = variants.genotype->shape();
  if (shape.size() == 3 && shape[2] > 2)
    return unsupported("calls of {} alleles, but PLINK and BGEN files have two", shape[2]);
  return std::nullopt;
}

bool are_two_alleles(const Elements& alleles, uint64_t first, uint64_t most) {
  if (allele_count(alleles, first, most) != 2) return false;
  return VariantTexts(alleles).given(first + 1) == Given::value;
}

TwoAlleleSites::TwoAlleleSites(const Variants& variants, Context& context) {
  check_alleles(variants);
  if (variants.count() > kMaxVariants)
    throw unsupported("{} variants, more than {}", variants.count(), kMaxVariants);
  bits_ = variants.alleles->survey<Bits>(0, [&] { return Bits{bits_of(variants, context)}; });
  for (uint64_t word = 0; word < bits_->words.size(); ++word) {
    if (word % kWordsInRun == 0) before_.push_back(count_);
    count_ += static_cast<uint64_t>(std::popcount(bits_->words[word]));
  }
}

uint64_t TwoAlleleSites::variant(uint64_t number) const {
  const auto after = std::upper_bound(before_.begin(), before_.end(), number);
  const auto run = static_cast<uint64_t>(after - before_.begin()) - 1;
  uint64_t left = number - before_[run], word = run * kWordsInRun;
  for (uint64_t some; (some = static_cast<uint64_t>(std::popcount(bits_->words[word]))) <= left; ++word)
    left -= some;
  uint64_t bits = bits_->words[word];
  for (; left > 0; --left) bits &= bits - 1;
  return word * 64 + static_cast<uint64_t>(std::countr_zero(bits));
}

std::vector<uint64_t> TwoAlleleSites::variants(uint64_t number, uint64_t count) const {
  std::vector<uint64_t> all;
  if (count == 0) return all;
  all.reserve(count);
  const uint64_t first = variant(number);
  uint64_t word = first / 64;
  uint64_t bits = bits_->words[word] & ~uint64_t{0} << first % 64;
  for (;; bits = bits_->words[++word])
    for (; bits != 0; bits &= bits - 1) {
      all.push_back(word * 64 + static_cast<uint64_t>(std::countr_zero(bits)));
      if (all.size() == count) return all;
    }
}

const SampleLines kSamplesTsv{"", "samples tsv 1", true, [](std::string_view name, std::string& line) {
                                line.append(name).append("\n");
                              }};
const SampleLines kPlinkFam{"", "plink fam 1", false, [](std::string_view name, std::string& line) {
                              line.append("0\t").append(name).append("\t0\t0\t0\t-9\n");
                            }};
const SampleLines kOxfordSample{"ID_1 ID_2 missing\n0 0 0\n", "oxford sample 1", false,
                                [](std::string_view name, std::string& line) {
                                  line.append(name).append(" ").append(name).append(" 0\n");
                                }};

std::unique_ptr<TextSource> sample_lines(Variants variants, const SampleLines& lines) {
  return std::make_unique<SampleText>(std::move(variants), lines);
}

std::vector<std::string> names_without_blanks(const ShownSamples& samples) {
  std::vector<std::string> names = samples.names;
  for (std::string& name : names) std::replace(name.begin(), name.end(), ' ', '_');
  return names;
}

}  // namespace plainfs
