#include <boost/test/unit_test.hpp>
#include <random>

#include "fs/views/variants/genotypes.h"
#include "fs/views/variants/variant_files.h"
#include "fs/views/view.h"
#include "tests/support/view_text.h"
#include "tests/unit/vcf/vcf_store.h"

namespace plainfs {
namespace {

using vcf::text_of_shape;
using vcf::truths;
using vcf::VcfStore;

std::string bed_of(VcfStore& store) {
  const auto file = layout_file([&] { return plink_bed(store.variants(), store.context); }, store.context);
  return whole_text(*file);
}
std::string bim_of(VcfStore& store) {
  return whole_text(plink_bim(store.variants(), store.context), store.context);
}
std::string bgen_of(VcfStore& store) {
  return whole_text(bgen(store.variants(), store.context), store.context);
}
std::string lines_of(VcfStore& store, const SampleLines& lines) {
  return whole_text(sample_lines(store.variants(), lines), store.context);
}
std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}
std::string from_hex(std::string_view hex) {
  std::string text, digits;
  for (const char c : hex)
    if (std::isxdigit(static_cast<unsigned char>(c))) digits += c;
  for (size_t i = 0; i < digits.size(); i += 2)
    text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return text;
}

// Variants of A and C, with any number of samples.
struct Calls : VcfStore {
  Calls(const std::vector<int8_t>& calls, uint64_t variants, uint64_t samples, uint64_t ploidy) {
    std::vector<std::string> alleles, names;
    for (uint64_t v = 0; v < variants; ++v) alleles.insert(alleles.end(), {"A", "C"});
    for (uint64_t s = 0; s < samples; ++s) names.push_back("s" + std::to_string(s));
    std::vector<int32_t> positions(variants);
    for (uint64_t v = 0; v < variants; ++v) positions[v] = static_cast<int32_t>(v + 1);
    remove("variant_filter").remove("variant_DP");
    put("variant_contig", numbers(std::vector<int8_t>(variants)));
    put("variant_position", numbers(positions));
    put("variant_allele", text_of_shape(alleles, {variants, 2}));
    put("sample_id", text_of_shape(names, {samples}));
    put("call_genotype", numbers(calls, {variants, samples, ploidy}));
  }
};

BOOST_AUTO_TEST_SUITE(genotype_files)

BOOST_AUTO_TEST_CASE(bed_has_two_bits_per_call_like_plink) {
  // 0/0 0/1 1/0 1/1, ./. ./0 0 1, . (all fill)
  Calls store({0, 0, 0, 1, 1, 0, 1, 1, -1, -1, -1, 0, 0, -2, 1, -2, -2, -2}, 1, 9, 2);
  BOOST_TEST(bed_of(store) == bytes({0x6c, 0x1b, 0x01, 0b00'10'10'11, 0b00'11'01'01, 0b01}));
  Calls haploid({0, 1, -1, -2, 0}, 1, 5, 1);
  BOOST_TEST(bed_of(haploid) == bytes({0x6c, 0x1b, 0x01, 0b01'01'00'11, 0b11}));
  haploid.put("call_genotype", numbers<uint32_t>({0, 1, 1, 1, 0}, {1, 5, 1}));
  BOOST_TEST(bed_of(haploid) == bytes({0x6c, 0x1b, 0x01, 0b00'00'00'11, 0b11}));
}

// Calls of one byte are converted in groups, those of wider types one by one.
BOOST_AUTO_TEST_CASE(calls_of_any_width_are_the_same_bytes) {
  constexpr uint64_t kVariants = 12, kSamples = 2051;
  std::mt19937_64 random(5);
  std::vector<int8_t> calls(kVariants * kSamples * 2);
  for (uint64_t i = 0; i < calls.size(); ++i) {
    // In a third of the variants no allele is missing, in a third some are, and in the rest some calls are
    // short.
    const uint64_t kind = i / (kSamples * 2) % 3;
    const int least = kind == 0 ? 0 : kind == 1 || i % 2 == 0 ? -1 : -2;
    calls[i] = static_cast<int8_t>(least + static_cast<int>(random() % static_cast<unsigned>(2 - least)));
  }
  const std::vector<int32_t> wide(calls.begin(), calls.end());
  for (const bool is_phased : {false, true}) {
    Calls store(calls, kVariants, kSamples, 2);
    if (is_phased)
      store.put("call_genotype_phased",
                truths(std::vector<uint8_t>(kVariants * kSamples, 1), {kVariants, kSamples}));
    const std::string bed = bed_of(store), bgen = bgen_of(store);
    store.put("call_genotype", numbers(wide, {kVariants, kSamples, 2}));
    BOOST_TEST((bed == bed_of(store)));
    BOOST_TEST((bgen == bgen_of(store)));
  }
}

BOOST_AUTO_TEST_CASE(samples_without_a_name_have_no_call) {
  Calls store({0, 0, 0, 1, 1, 1}, 1, 3, 2);
  store.put("sample_id", text_of_shape({"a b", "", "c"}, {3}));
  BOOST_TEST(bed_of(store) == bytes({0x6c, 0x1b, 0x01, 0b00'11}));
  BOOST_TEST(lines_of(store, kPlinkFam) == "0\ta_b\t0\t0\t0\t-9\n0\tc\t0\t0\t0\t-9\n");
  BOOST_TEST(lines_of(store, kOxfordSample) == "ID_1 ID_2 missing\n0 0 0\na_b a_b 0\nc c 0\n");
  BOOST_TEST(lines_of(store, kSamplesTsv) == "a b\nc\n");
}

// Sites with one or three alleles are between them, and a row ends within a byte.
BOOST_AUTO_TEST_CASE(any_slice_of_a_bed_equals_that_part) {
  constexpr uint64_t kVariants = 9000, kSamples = 13;
  std::vector<int8_t> calls(kVariants * kSamples * 2);
  for (uint64_t i = 0; i < calls.size(); ++i) calls[i] = static_cast<int8_t>(i * i % 7 % 2);
  Calls store(calls, kVariants, kSamples, 2);
  std::vector<std::string> alleles;
  std::string want = bytes({0x6c, 0x1b, 0x01});
  const auto code = [](int a, int b) { return a != b ? 2 : a == 0 ? 3 : 0; };
  for (uint64_t v = 0; v < kVariants; ++v) {
    const uint64_t kind = v % 5 == 3 || (v > 2000 && v < 6500) ? v % 3 : 3;
    alleles.insert(alleles.end(), {"A", kind == 0 ? "" : kind == 1 ? "." : "*", kind == 2 ? "T" : ""});
    if (kind != 3) continue;
    for (uint64_t s = 0; s < kSamples; s += 4) {
      int byte = 0;
      for (uint64_t k = 0; k < 4 && s + k < kSamples; ++k) {
        const int8_t* const call = &calls[(v * kSamples + s + k) * 2];
        byte |= code(call[0], call[1]) << (2 * k);
      }
      want += static_cast<char>(byte);
    }
  }
  store.put("variant_allele", text_of_shape(alleles, {kVariants, 3}))
      .put("call_genotype", std::make_shared<ChunkedCopy>(
                                store.context, numbers(calls, {kVariants, kSamples, 2}), Shape{100, 5, 2}));
  const auto file = layout_file([&] { return plink_bed(store.variants(), store.context); }, store.context);
  BOOST_TEST((whole_text(*file) == want));
  std::mt19937_64 random(3);
  BOOST_TEST(slices_match(*file, want, random, 300));
}

BOOST_AUTO_TEST_CASE(sites_of_two_alleles_are_found_by_their_number) {
  VcfStore store;
  std::vector<std::string> alleles;
  std::vector<uint64_t> want;
  for (uint64_t v = 0; v < 20'000; ++v) {
    const bool is_one = v % 7 == 2 || v < 64 || (v > 9000 && v < 14000 && v % 2);
    alleles.insert(alleles.end(), {"A", is_one ? "C" : ""});
    if (is_one) want.push_back(v);
  }
  store.put("variant_allele", text_of_shape(alleles, {20'000, 2}))
      .put("variant_position", numbers(std::vector<int32_t>(20'000)));
  const TwoAlleleSites sites(store.variants(), store.context);
  BOOST_REQUIRE(sites.count() == want.size());
  for (uint64_t i = 0; i < want.size(); ++i) BOOST_REQUIRE(sites.variant(i) == want[i]);
  for (uint64_t i = 0; i <= want.size(); i += 37) {
    const uint64_t count = std::min<uint64_t>(want.size() - i, i % 300);
    const auto from = want.begin() + static_cast<ptrdiff_t>(i);
    BOOST_REQUIRE((sites.variants(i, count) == std::vector(from, from + static_cast<ptrdiff_t>(count))));
  }
}

BOOST_AUTO_TEST_CASE(bim_names_chromosomes_like_plink) {
  const std::vector<std::pair<std::string, std::string>> names = {{"1", "1"},
                                                                  {"chr01", "1"},
                                                                  {"CHR22", "22"},
                                                                  {"23", "X"},
                                                                  {"chr24", "Y"},
                                                                  {"25", "XY"},
                                                                  {"26", "MT"},
                                                                  {"27", "PAR1"},
                                                                  {"28", "28"},
                                                                  {"chr28", "chr28"},
                                                                  {"x", "X"},
                                                                  {"chrM", "MT"},
                                                                  {"mt", "MT"},
                                                                  {"chrXY", "XY"},
                                                                  {"chrPAR1", "chrPAR1"},
                                                                  {"0", "0"},
                                                                  {"chr", "chr"},
                                                                  {"chrUn_x", "chrUn_x"},
                                                                  {"99999999999", "99999999999"}};
  VcfStore store;
  std::vector<std::string> contigs, alleles, ids;
  std::vector<int32_t> index, positions;
  std::string want;
  for (const auto& [stored, shown] : names) {
    index.push_back(static_cast<int32_t>(contigs.size()));
    positions.push_back(7);
    contigs.push_back(stored);
    alleles.insert(alleles.end(), {"A", "<DEL>"});
    ids.push_back(contigs.size() % 2 ? "." : "rs1");
    want += shown + "\t" + ids.back() + "\t0\t7\t<DEL>\tA\n";
  }
  const uint64_t count = names.size();
  store.remove("variant_filter").remove("call_genotype");
  store.put("contig_id", text_of_shape(contigs, {count}))
      .put("variant_contig", numbers(index))
      .put("variant_position", numbers(positions))
      .put("variant_allele", text_of_shape(alleles, {count, 2}))
      .put("variant_id", text_of_shape(ids, {count}));
  BOOST_TEST(bim_of(store) == want);
}

// Written by hand, from the documentation of the format.
BOOST_AUTO_TEST_CASE(a_bgen_of_one_variant_is_this) {
  Calls store({0, 1, 1, -2, -1, -1}, 1, 3, 2);
  store.put("sample_id", text_of_shape({"s", "t", "u"}, {3}))
      .put("variant_position", numbers<int32_t>({7}))
      .put("variant_allele", text_of_shape({"A", "G"}, {1, 2}))
      .put("variant_id", text_of_shape({"r"}, {1}));
  BOOST_TEST(bgen_of(store) == from_hex("25000000 14000000 01000000 03000000 6267656e 08000080"
                                        "11000000 03000000 0100 73 0100 74 0100 75"
                                        "0100 72 0100 72 0100 31 07000000 0200 01000000 41 01000000 47"
                                        "12000000 03000000 0200 01 02 02 01 82 00 08 00ff 00 0000"));
}

BOOST_AUTO_TEST_CASE(bgen_is_phased_if_all_samples_are) {
  Calls store({0, 1, 1, -2, -1, 0, -2, -2}, 1, 4, 2);
  const auto calls_of = [&](std::vector<uint8_t> phased) {
    store.put("call_genotype_phased", truths(phased, {1, 4}));
    const std::string text = bgen_of(store);
    return text.substr(text.size() - 13);
  };
  const std::string before = from_hex("02 01 82 82");  // the ploidy of each, with a bit for a missing call
  BOOST_TEST(calls_of({1, 1, 1, 1}) == before + from_hex("01 08 ff00 00 0000 0000"));
  BOOST_TEST(calls_of({1, 1, 0, 1}) == before + from_hex("00 08 00ff 00 0000 0000"));
}

BOOST_AUTO_TEST_CASE(slices_of_a_bgen_equal_those_of_the_whole) {
  std::vector<int8_t> calls(600 * 50 * 2);
  for (uint64_t i = 0; i < calls.size(); ++i)
    calls[i] = i % 2 && i % 3 == 0 ? int8_t{-2} : static_cast<int8_t>(i % 7 % 2);
  Calls store(calls, 600, 50, 2);
  TextFile file(bgen(store.variants(), store.context), store.context);
  std::mt19937_64 random(5);
  BOOST_TEST(slices_match(file, whole_text(file), random, 200));
}

BOOST_AUTO_TEST_CASE(calls_of_three_alleles_are_refused_by_each_file) {
  Calls store(std::vector<int8_t>(12), 2, 2, 3);
  Node node;
  node.content = store.variants();
  std::vector<ViewEntry> files;
  for (const View& view : views())
    if (view.option == "plink" || view.option == "bgen") view.offer(node, store.context, files);
  BOOST_REQUIRE(files.size() == 5u);
  for (const ViewEntry& file : files) {
    BOOST_TEST(file.is_unlisted, file.name);
    BOOST_TEST(message_of([&] { file.open()->size(); }) ==
               "calls of 3 alleles, but PLINK and BGEN files have two");
  }
}

BOOST_AUTO_TEST_CASE(mismatched_genotypes_are_damage) {
  Calls store({0, 1, 0, 2}, 1, 2, 2);
  for (const auto& of : {bed_of, bgen_of})
    BOOST_TEST(message_of([&] { of(store); }) == "a genotype has allele 2, but its variant has 2 alleles");
  store.put("call_genotype", numbers<int16_t>({0, 1, 0, -3}, {1, 2, 2}));
  for (const auto& of : {bed_of, bgen_of})
    BOOST_TEST(message_of([&] { of(store); }) == "a genotype has allele -3, but its variant has 2 alleles");
  store.put("call_genotype", numbers<int16_t>({0, 1, 0, 1}, {1, 4}));
  for (const auto& of : {bed_of, bgen_of})
    BOOST_TEST(message_of([&] { of(store); }) == "call_genotype has 2 axes, expected 3");
  store.put("call_genotype", numbers<int16_t>({0, 1, 0, 1}, {1, 1, 4}));
  BOOST_TEST(message_of([&] { bed_of(store); }) == "call_genotype has 1 samples, but sample_id has 2");
}

BOOST_AUTO_TEST_CASE(counts_beyond_bgen_are_refused) {
  Calls store({0, 1, 0, 1}, 1, 2, 2);
  store.put("variant_position", numbers<int64_t>({int64_t{1} << 32}));
  BOOST_TEST(message_of([&] { bgen_of(store); }) == "position 4294967296 is too large for a BGEN file");
  store.put("variant_position", numbers<int64_t>({1}));
  store.put("variant_id", text_of_shape({std::string(65536, 'x')}, {1}));
  BOOST_TEST(message_of([&] { bgen_of(store); }) == "an id of 65536 bytes is too long for a BGEN file");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
