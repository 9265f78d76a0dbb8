#include "fs/serve/pages/variants/variants_page.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/unit/vcf/vcf_store.h"

namespace plainfs::serve {
namespace {

using vcf::text_of_shape;
using vcf::truths;

// Names that may be read from the beginning alone.
class FirstNames : public Array {
 public:
  FirstNames(uint64_t count, uint64_t readable) : Array(text_type(), {count}), readable_(readable) {}
  Elements read(const Box& box) const override {
    if (box.origin[0] + box.extent[0] > readable_) throw damaged("names after {} are read", readable_);
    TextBuilder names(box.extent[0]);
    for (uint64_t i = 0; i < box.extent[0]; ++i) names.add("s" + std::to_string(box.origin[0] + i));
    return names.finish();
  }

 private:
  const uint64_t readable_;
};

// The page of a store, and the errors that were reported for it.
struct VariantPages : vcf::VcfStore {
  PageModel model;
  std::string reported;

  const PageModel& page(const std::string& query) { return page(query, variants()); }
  const PageModel& page(const std::string& query, const Variants& shown_variants) {
    model = {};
    reported.clear();
    const auto report = [&](const Error& error) { reported += std::string(error.what()) + "\n"; };
    add_variants(Query(query), shown_variants, sites(), report, model);
    return model;
  }
  // Returns the last `columns` cells of each row.
  std::string last_cells(const std::string& query, size_t columns) {
    std::string text;
    for (const auto& row : page(query).find<Grid>()->rows) {
      for (size_t i = row.size() - columns; i < row.size(); ++i) text += row[i].text + " ";
      text.back() = '\n';
    }
    return text;
  }
  std::string problems(const std::string& query) {
    std::string text;
    for (const Problem& problem : page(query).problems) {
      text += problem.text;
      for (const TakeAs& near : problem.near) text += " [" + near.label + " " + near.href + "]";
      text += "\n";
    }
    return text;
  }
  bool has_field(const std::string& name) const {
    const Form* const form = model.find<Form>();
    return form && std::any_of(form->fields.begin(), form->fields.end(),
                               [&](const FormField& field) { return field.name == name; });
  }
};

BOOST_FIXTURE_TEST_SUITE(variants_page, VariantPages)

BOOST_AUTO_TEST_CASE(samples_have_the_genotypes_of_the_vcf) {
  put("call_genotype_phased", truths({0, 1, 0, 0, 0, 0}, {3, 2}), {"variants", "samples"});
  BOOST_TEST(last_cells("samples=b,a", 2) == "1|1 0/1\n./. 0/2\n0/0 0\n");
  BOOST_TEST(reported == "");
}

BOOST_AUTO_TEST_CASE(unknown_allele_leaves_the_genotypes_out) {
  put("call_genotype", numbers<int8_t>({0, 1, 1, 1, 0, 7, -1, -1, 0, -2, 0, 0}, {3, 2, 2}),
      {"variants", "samples", "ploidy"});
  BOOST_TEST(page("samples=a").find<Grid>()->rows.size() == 3U);
  BOOST_TEST(reported == "a genotype has allele 7, but its variant has 3 alleles\n");
  put("call_genotype", numbers<int8_t>({-5, 1, 1, 1, 0, 2, -1, -1, 0, -2, 0, 0}, {3, 2, 2}),
      {"variants", "samples", "ploidy"});
  BOOST_TEST(page("samples=a").find<Grid>()->rows.size() == 3U);
  BOOST_TEST(reported == "a genotype has allele -5, but its variant has 2 alleles\n");
}

BOOST_AUTO_TEST_CASE(genotype_of_another_shape_is_reported) {
  Variants wrong = variants();
  wrong.genotype = numbers<int8_t>({0, 1, 1}, {3, 1, 1});
  BOOST_TEST(page("samples=a", wrong).problems.empty());
  BOOST_TEST(reported == "call_genotype has 1 samples, but sample_id has 2\n");
  BOOST_TEST(!has_field("samples"));
  wrong.genotype = std::make_shared<MemoryArray>(number_type(Kind::integer, 1), Shape{3, 2, 300},
                                                 zero_elements(number_type(Kind::integer, 1), 1800));
  page("", wrong);
  BOOST_TEST(reported == "call_genotype has 300 alleles in a call, more than 256\n");
  wrong.genotype = nullptr;
  BOOST_TEST(page("samples=a", wrong).problems.at(0).text == "There are no genotypes of samples.");
}

BOOST_AUTO_TEST_CASE(names_that_are_no_text_are_reported) {
  Variants wrong = variants();
  wrong.contig_names = numbers<int32_t>({1, 2});
  wrong.samples = numbers<int32_t>({1, 2});
  BOOST_TEST(page("", wrong).find<Grid>()->rows.size() == 3U);
  BOOST_TEST(reported ==
             "contig_id is int32 of rank 1, expected a list of names\n"
             "sample_id is int32 of rank 1, expected a list of names\n");
}

BOOST_AUTO_TEST_CASE(without_a_choice_only_the_first_samples_are_read) {
  Variants many = variants();
  many.samples = std::make_shared<FirstNames>(100'000, 500);
  const DType type = number_type(Kind::integer, 1);
  many.genotype = std::make_shared<MemoryArray>(type, Shape{3, 100'000, 1}, zero_elements(type, 300'000));
  page("", many);
  BOOST_TEST(reported == "");
  BOOST_TEST(has_field("samples"));
  page("samples=s3", many);
  BOOST_TEST(reported == "names after 500 are read\n");
}

BOOST_AUTO_TEST_CASE(sample_without_a_name_keeps_its_place) {
  put("sample_id", text_of_shape({"", "b"}, {2}), {"samples"});
  BOOST_TEST(last_cells("samples=b", 1) == "1/1\n./.\n0/0\n");
}

BOOST_AUTO_TEST_CASE(unknown_samples_beyond_eight_are_counted) {
  std::string query = "samples=a";
  for (int i = 0; i < 11; ++i) query += ",zz" + std::to_string(i);
  const std::string text = problems(query);
  BOOST_TEST(text.find("There is no sample 'zz7'.") != std::string::npos);
  BOOST_TEST(text.find("'zz8'") == std::string::npos);
  BOOST_TEST(text.find("3 more of the samples do not exist.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(commas_stand_before_three_digits) {
  BOOST_TEST(page("region=1:0,005-1,000").find<Grid>()->rows.size() == 2U);
  BOOST_TEST(problems("region=1:1-9,000,000") == "");
  for (const char* const positions :
       {"1000,2000", "1,00", ",100", "1000,000", "1,000,", "1,,000", "1-1000,2000"})
    BOOST_TEST(
        problems(std::string("region=1:") + positions).find("are no positions of 1") != std::string::npos,
        positions);
}

BOOST_AUTO_TEST_CASE(contig_with_or_without_chr_is_the_nearest) {
  BOOST_TEST(problems("region=chrX:1-9") == "There is no contig 'chrX'. [X ?region=X%3A1-9]\n");
  BOOST_TEST(problems("region=nowhere:1-9") == "There is no contig 'nowhere'.\n");
  put("contig_id", text_of_shape({"chr1", "chrX"}, {2}), {"contigs"});
  BOOST_TEST(problems("region=1") == "There is no contig '1'. [chr1 ?region=chr1]\n");
}

BOOST_AUTO_TEST_CASE(contigs_of_another_length_are_reported) {
  Variants wrong = variants();
  wrong.contig = numbers<int8_t>({0, 0});
  BOOST_TEST(page("region=1", wrong).find<Grid>()->rows.size() == 3U);
  BOOST_TEST(reported == "variant_contig has 2 variants, expected 3\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
