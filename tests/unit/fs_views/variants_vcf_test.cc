#include "fs/views/variants/variant_files.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "fs/views/genomics/position_index.h"
#include "tests/support/view_text.h"
#include "tests/unit/vcf/vcf_store.h"

namespace plainfs {
namespace {

using vcf::text_of_shape;
using vcf::truths;
using vcf::VcfStore;

std::string vcf_of(VcfStore& store) {
  return whole_text(variants_vcf(store.variants(), store.context), store.context);
}
std::string body_of(VcfStore& store) {
  const std::string text = vcf_of(store);
  return text.substr(text.find('\n', text.find("#CHROM")) + 1);
}
std::string line_of(VcfStore& store, int number) {
  std::string text = body_of(store);
  for (int i = 0; i < number; ++i) text = text.substr(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}
std::string header_of(VcfStore& store) {
  const std::string text = vcf_of(store);
  return text.substr(0, text.find("#CHROM"));
}

// Returns the index of a VCF, made from its lines.
std::string index_of_lines(const std::string& text, IndexKind kind) {
  const size_t head = text.find('\n', text.find("#CHROM")) + 1;
  PositionIndexer indexer(kVariantLines, head);
  std::istringstream stream(text.substr(head));
  uint64_t block = 0;
  for (std::string line; std::getline(stream, line); ++block) {
    std::istringstream fields(line);
    std::string contig, position, id, reference, alternative, quality, filter, info;
    fields >> contig >> position >> id >> reference >> alternative >> quality >> filter >> info;
    const uint64_t start = std::stoull(position) - (position != "0");
    const uint64_t end = info.starts_with("END=") ? std::stoull(info.substr(4)) : 0;
    IndexedLines lines(contig, kVariantLines);
    lines.add(start, end > start ? end : start + reference.size(), line.size() + 1);
    indexer.add(block, {lines});
  }
  return indexer.finish(kind);
}
std::string index_of(VcfStore& store, IndexKind kind) {
  TextFile file(variants_vcf(store.variants(), store.context), store.context);
  return file.position_index(kind);
}

BOOST_AUTO_TEST_SUITE(variants_vcf_view)

BOOST_AUTO_TEST_CASE(one_line_per_variant_with_its_calls) {
  VcfStore store;
  BOOST_TEST(vcf_of(store) ==
             "##fileformat=VCFv4.3\n"
             "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Combined depth across samples\">\n"
             "##FILTER=<ID=PASS,Description=\"\">\n"
             "##FILTER=<ID=q10,Description=\"\">\n"
             "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
             "##contig=<ID=1>\n"
             "##contig=<ID=X>\n"
             "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
             "1\t5\t.\tA\tC\t.\tPASS\tDP=3\tGT\t0/1\t1/1\n"
             "1\t9\t.\tG\tT,GT\t.\t.\t.\tGT\t0/2\t./.\n"
             "X\t7\t.\tT\t.\t.\tq10\tDP=7\tGT\t0\t0/0\n");
}

BOOST_AUTO_TEST_CASE(slices_equal_those_of_the_whole) {
  VcfStore store;
  TextFile file(variants_vcf(store.variants(), store.context), store.context);
  std::mt19937_64 random(1);
  BOOST_TEST(slices_match(file, whole_text(file), random, 200));
}

BOOST_AUTO_TEST_CASE(field_without_values_is_left_out_of_the_line) {
  VcfStore store;
  store.put("call_genotype", numbers<int8_t>({-1, -1, -2, -2, 0, 2, -1, -1, 0, 0, 0, 0}, {3, 2, 2}))
      .put("call_DP", numbers<int16_t>({-1, -2, 7, -1, -1, -1}, {3, 2}), {"variants", "samples"})
      .put("call_AD", numbers<int16_t>({-2, -2, -1, -2, 1, -1, -1, -1, 1, 2, -2, -2}, {3, 2, 2}),
           {"variants", "samples", "x"});
  BOOST_TEST(line_of(store, 0) == "1\t5\t.\tA\tC\t.\tPASS\tDP=3\tGT\t./.\t.");
  BOOST_TEST(line_of(store, 1) == "1\t9\t.\tG\tT,GT\t.\t.\t.\tGT:AD:DP\t0/2:1,.:7\t./.:.,.:.");
  BOOST_TEST(line_of(store, 2) == "X\t7\t.\tT\t.\t.\tq10\tDP=7\tGT:AD\t0/0:1,2\t0/0:.");
}

BOOST_AUTO_TEST_CASE(phase_is_of_each_sample_and_ploidy_of_each_call) {
  VcfStore store;
  store
      .put("call_genotype",
           numbers<int16_t>({0, 1, -2, 1, 0, 1, 2, -2, -2, -1, -1, -2, -1, -2, -2, 0, -1, 0}, {3, 2, 3}))
      .put("call_genotype_phased", truths({1, 0, 1, 1, 0, 1}, {3, 2}));
  BOOST_TEST(line_of(store, 0) == "1\t5\t.\tA\tC\t.\tPASS\tDP=3\tGT\t0|1\t1/0/1");
  BOOST_TEST(line_of(store, 1) == "1\t9\t.\tG\tT,GT\t.\t.\t.\tGT\t2\t.|.");
  BOOST_TEST(line_of(store, 2) == "X\t7\t.\tT\t.\t.\tq10\tDP=7\tGT\t.\t0|.|0");
}

BOOST_AUTO_TEST_CASE(unsigned_numbers_have_no_missing_value) {
  VcfStore store;
  store.put("variant_DP", numbers<uint8_t>({255, 254, 0}), {"variants"});
  BOOST_TEST(body_of(store).find("DP=255\t") != std::string::npos);
  store.put("call_genotype", numbers<uint8_t>({0, 1, 255, 1, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 2, 2}));
  BOOST_TEST(message_of([&] { vcf_of(store); }) ==
             "a genotype has allele 255, but its variant has 2 alleles");
}

BOOST_AUTO_TEST_CASE(field_separators_are_percent_encoded) {
  VcfStore store;
  store.put("variant_TX", text_of_shape({"a;b:c\t,", "x\r\ny=%", "."}, {3}), {"variants"})
      .put("call_TX", text_of_shape({"a;b:c", "d", ".", "", "", ""}, {3, 2}), {"variants", "samples"})
      .put("sample_id", text_of_shape({"a\tb", "c"}, {2}));
  BOOST_TEST(line_of(store, 0) == "1\t5\t.\tA\tC\t.\tPASS\tDP=3;TX=a%3Bb:c%09,\tGT:TX\t0/1:a;b%3Ac\t1/1:d");
  BOOST_TEST(line_of(store, 1) == "1\t9\t.\tG\tT,GT\t.\t.\tTX=x%0D%0Ay=%\tGT\t0/2\t./.");
  BOOST_TEST(vcf_of(store).find("FORMAT\ta b\tc\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(samples_without_a_name_are_left_out) {
  VcfStore store;
  store.put("sample_id", text_of_shape({"", "b"}, {2}))
      .put("call_DP", numbers<int16_t>({7, -1, 7, 8, 7, -1}, {3, 2}), {"variants", "samples"});
  BOOST_TEST(line_of(store, 0) == "1\t5\t.\tA\tC\t.\tPASS\tDP=3\tGT\t1/1");
  BOOST_TEST(line_of(store, 1) == "1\t9\t.\tG\tT,GT\t.\t.\t.\tGT:DP\t./.:8");
  store.put("sample_id", text_of_shape({"", ""}, {2}));
  BOOST_TEST(line_of(store, 0) == "1\t5\t.\tA\tC\t.\tPASS\tDP=3");
}

BOOST_AUTO_TEST_CASE(quotes_of_a_description_pair) {
  VcfStore store;
  const auto description_of = [&](const char* text) {
    store.put("variant_DP", numbers<int32_t>({3, -1, 7}), {"variants"}, {{"description", Json(text)}});
    const std::string header = header_of(store);
    const size_t begin = header.find("Description=\"") + 13;
    return header.substr(begin, header.find(">\n", begin) - begin - 1);
  };
  BOOST_TEST(description_of("a \"b\" c") == "a \\\"b\\\" c");
  BOOST_TEST(description_of("a \\\"b\\") == "a \\\"b\\\\");
  BOOST_TEST(description_of("a\\\\") == "a\\\\");
  BOOST_TEST(description_of("a\tb\r\nc") == "a b  c");
}

BOOST_AUTO_TEST_CASE(stored_header_is_kept_and_completed) {
  VcfStore store;
  store.attributes.push_back({"source", Json("not written")});
  store.attributes.push_back(
      {"vcf_header", Json("##contig=<length=3,ID=1>\r\n##x=y\n##FORMAT=<ID=ZZ>\n#CHROM\tPOS\n")});
  BOOST_TEST(header_of(store) ==
             "##fileformat=VCFv4.3\n"
             "##contig=<length=3,ID=1>\n##x=y\n##FORMAT=<ID=ZZ>\n"
             "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Combined depth across samples\">\n"
             "##FILTER=<ID=q10,Description=\"\">\n"
             "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
             "##contig=<ID=X>\n");
}

BOOST_AUTO_TEST_CASE(other_lines_of_the_header_come_from_attributes) {
  VcfStore store;
  store.put("contig_length", numbers<int64_t>({100, -1}));
  store.attributes.push_back({"source", Json("a\nb")});
  store.attributes.push_back(
      {"vcf_meta_information",
       Json::List{texts({"fileformat", "VCFv4.2"}), texts({"ref", "x"}), texts({"INFO", "<ID=DP>"})}});
  const std::string header = header_of(store);
  BOOST_TEST(header.starts_with("##fileformat=VCFv4.3\n##source=a b\n##INFO"));
  BOOST_TEST(header.ends_with("##contig=<ID=1,length=100>\n##contig=<ID=X>\n##ref=x\n"));
}

// One thing broken at a time.
BOOST_AUTO_TEST_CASE(inconsistent_parts_are_damage) {
  const auto message = [](const char* name, ArrayPtr array, VcfStore::Axes axes = {}) {
    VcfStore store;
    store.put(name, std::move(array), std::move(axes));
    return message_of([&] { vcf_of(store); });
  };
  const auto three = text_of_shape({"a", "b", "c"}, {3});
  BOOST_TEST(message("variant_contig", numbers<int8_t>({0, 2, 0})) ==
             "variant_contig of variant 1 is 2, expected from 0 to below 2");
  BOOST_TEST(message("variant_contig", numbers<float>({0, 1, 0})) ==
             "variant_contig is float32, expected integers");
  BOOST_TEST(message("variant_contig", numbers<int8_t>({0, 1})) ==
             "variant_contig has 2 variants, expected 3");
  BOOST_TEST(message("variant_position", numbers<int8_t>({1, 2, -9}))
                 .starts_with("variant_position of variant 2 is -9"));
  BOOST_TEST(message("variant_position", three) == "variant_position is text, expected integers");
  BOOST_TEST(message("variant_allele", three) == "variant_allele has 1 axes, expected 2");
  BOOST_TEST(message("variant_allele", numbers<int8_t>({1, 2, 3}, {3, 1})) ==
             "variant_allele is int8, expected text");
  BOOST_TEST(message("variant_id", numbers<int8_t>({1, 2, 3})) == "variant_id is int8, expected text");
  BOOST_TEST(message("variant_filter", truths({1, 0, 1}, {3, 1})) ==
             "variant_filter has 1 columns for 2 filters");
  BOOST_TEST(message("variant_filter", numbers<float>({1, 0, 1, 0, 0, 0}, {3, 2})) ==
             "variant_filter is float32, expected truth values");
  BOOST_TEST(message("variant_DP", numbers<int8_t>({1, 2}), {"variants"}) ==
             "variant_DP has 2 variants, expected 3");
  BOOST_TEST(message("call_genotype", numbers<int8_t>({0, 1, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 2, 2})) ==
             "a genotype has allele 5, but its variant has 2 alleles");
  BOOST_TEST(message("call_genotype", numbers<int8_t>({0, 1, -3, 1, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 2, 2})) ==
             "a genotype has allele -3, but its variant has 2 alleles");
  BOOST_TEST(message("call_genotype", numbers<int8_t>({0, 1, 0, 1, 0, 0}, {3, 2})) ==
             "call_genotype has 2 axes, expected 3");
  BOOST_TEST(message("call_genotype", numbers<float>({0, 1, 0, 1, 0, 0}, {3, 2, 1})) ==
             "call_genotype is float32, expected integers");
  BOOST_TEST(message("sample_id", text_of_shape({"a"}, {1})) ==
             "call_genotype has 2 samples, but sample_id has 1");
  BOOST_TEST(message("call_genotype_phased", truths({1, 0, 1}, {3, 1})) ==
             "call_genotype_phased has 1 samples, but sample_id has 2");
  BOOST_TEST(message("contig_length", numbers<int8_t>({1})) ==
             "contig_length has 1 values of int8 for 2 contigs");
  BOOST_TEST(message("filter_description", three) == "filter_description has 3 texts for 2 filters");
  BOOST_TEST(message("contig_id", numbers<int8_t>({1, 2})) ==
             "contig_id is int8 of rank 1, expected a list of names");
  BOOST_TEST(message("variant_TX", text_of_shape({"\xff", "", ""}, {3}), {"variants"}) ==
             "text that is not UTF-8");
}

BOOST_AUTO_TEST_CASE(missing_part_is_named) {
  for (const std::string part : {"variant_position", "variant_contig", "variant_allele", "contig_id"}) {
    VcfStore store;
    store.remove(part);
    BOOST_TEST(message_of([&] { vcf_of(store); }) == part + " is missing");
  }
}

// Long lines are made in parts, from units that fit into the cache: each chunk is decoded about as often as
// there are passes.
BOOST_AUTO_TEST_CASE(wide_stores_are_shown_in_parts_of_lines) {
  constexpr uint64_t kSamples = 120'000, kVariants = 6;
  VcfStore store;
  std::vector<std::string> names;
  std::vector<int8_t> calls(kVariants * kSamples * 2);
  std::vector<int32_t> depths(kVariants * kSamples);
  std::string want;
  for (uint64_t i = 0; i < calls.size(); ++i) calls[i] = static_cast<int8_t>(i * 7 % 11 % 2);
  for (uint64_t i = 0; i < depths.size(); ++i) depths[i] = static_cast<int32_t>(i % 1000) - 1;
  for (uint64_t s = 0; s < kSamples; ++s) names.push_back("s" + std::to_string(s));
  for (uint64_t v = 0; v < kVariants; ++v) {
    want += "1\t" + std::to_string(v) + "\t.\tA\tC\t.\tPASS\t.\tGT:DP";
    for (uint64_t s = 0; s < kSamples; ++s) {
      const uint64_t at = v * kSamples + s;
      want += '\t' + std::to_string(calls[2 * at]) + '/' + std::to_string(calls[2 * at + 1]) + ':' +
              (depths[at] < 0 ? "." : std::to_string(depths[at]));
    }
    want += '\n';
  }
  TestContext context(4 << 20);
  const auto in_chunks = [&](ArrayPtr array, Shape chunk) {
    return std::make_shared<ChunkedCopy>(context, std::move(array), std::move(chunk));
  };
  const auto depth = in_chunks(numbers(depths, {kVariants, kSamples}), {3, 10'000});
  std::vector<std::string> alleles;
  for (uint64_t v = 0; v < kVariants; ++v) alleles.insert(alleles.end(), {"A", "C"});
  store.remove("variant_filter").remove("variant_DP");
  store.put("sample_id", text_of_shape(names, {kSamples}))
      .put("variant_contig", numbers(std::vector<int8_t>(kVariants)))
      .put("variant_position", numbers<int32_t>({0, 1, 2, 3, 4, 5}))
      .put("variant_allele", text_of_shape(alleles, {kVariants, 2}))
      .put("call_genotype", in_chunks(numbers(calls, {kVariants, kSamples, 2}), {3, 10'000, 2}));
  Node node = vcf::node_of(depth);
  store.members["call_DP"] = node;
  TextFile file(variants_vcf(store.variants(), context), context);
  const uint64_t size = file.size();
  BOOST_TEST(depth->chunks_decoded() <= 8 * 2 * kSamples / 10'000);
  std::string text;
  for (uint64_t at = 0; at < size; at += 1 << 20) text += read_text(file, at, 1 << 20);
  BOOST_TEST((text.substr(text.size() - want.size()) == want));
  BOOST_TEST(depth->chunks_decoded() <= 16 * 2 * kSamples / 10'000);
  std::mt19937_64 random(2);
  BOOST_TEST(slices_match(file, text, random, 20));
  BOOST_TEST((file.position_index(IndexKind::tbi) == index_of_lines(text, IndexKind::tbi)));
}

BOOST_AUTO_TEST_CASE(variant_extends_to_its_reference_or_end) {
  VcfStore store;
  store.put("variant_position", numbers<int32_t>({0, 20000, 7}))
      .put("variant_END", numbers<int32_t>({-1, 90000, 3}), {"variants"})
      .remove("variant_DP");
  BOOST_TEST(index_of(store, IndexKind::tbi) == index_of_lines(vcf_of(store), IndexKind::tbi));
  const std::string text_end = index_of(store, IndexKind::tbi);
  store.put("variant_END", text_of_shape({".", "0x15f90", "3"}, {3}), {"variants"});
  BOOST_TEST((index_of(store, IndexKind::tbi).size() == text_end.size()));
  store.remove("variant_END");
  BOOST_TEST(index_of(store, IndexKind::tbi) == index_of_lines(vcf_of(store), IndexKind::tbi));
  BOOST_TEST(index_of(store, IndexKind::tbi) != text_end);
}

BOOST_AUTO_TEST_CASE(index_has_the_kind_of_tabix) {
  VcfStore store;
  BOOST_TEST(!index_of(store, IndexKind::tbi).empty());
  BOOST_TEST(message_of([&] { index_of(store, IndexKind::csi); }) ==
             "the index .tbi already covers all positions");
  store.put("variant_position", numbers<int32_t>({5, 536870913, 7}));
  BOOST_TEST(message_of([&] { index_of(store, IndexKind::tbi); }) ==
             "position 536870913 of 1 is too large for this kind of index");
  BOOST_TEST(index_of(store, IndexKind::csi) == index_of_lines(vcf_of(store), IndexKind::csi));
}

BOOST_AUTO_TEST_CASE(unsorted_variants_have_a_text_and_no_index) {
  VcfStore store;
  for (const auto& [positions, contigs, words] :
       {std::tuple(std::vector<int32_t>{5, 4, 7}, std::vector<int8_t>{0, 0, 1},
                   "the variants of 1 are not sorted by their starts: 3 after 4"),
        std::tuple(std::vector<int32_t>{5, 6, 7}, std::vector<int8_t>{0, 1, 0},
                   "the variants of 1 are not contiguous")}) {
    store.put("variant_position", numbers(positions)).put("variant_contig", numbers(contigs));
    BOOST_TEST(!vcf_of(store).empty());
    for (const IndexKind kind : {IndexKind::tbi, IndexKind::csi})
      BOOST_TEST(message_of([&] { index_of(store, kind); }) == words);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
