#include "formats/schemas/vcf/schema.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/view_text.h"
#include "tests/unit/vcf/vcf_store.h"

namespace plainfs::vcf {
namespace {

Texts described(const std::vector<VariantField>& fields) {
  Texts all;
  for (const VariantField& field : fields) all.push_back(field.name + " " + field.number + " " + field.type);
  return all;
}

Texts column(VcfStore& store, const std::string& name) {
  for (const Column& column : store.sites().columns)
    if (column.name == name) return shown(*column.values);
  return {"no such column"};
}

// An array that must not be read.
class Unread : public MemoryArray {
 public:
  using MemoryArray::MemoryArray;
  Elements read(const Box&) const override { throw std::logic_error("read while listing"); }
};

BOOST_AUTO_TEST_SUITE(vcf_schema)

BOOST_AUTO_TEST_CASE(a_group_is_known_by_the_version_of_its_layout) {
  for (const std::string version : {"0.2", "0.3", "0.4", "0.5"}) {
    VcfStore store;
    store.attributes = {{"vcf_zarr_version", Json(version)}};
    BOOST_TEST(store.refined().has_value(), version);
    BOOST_TEST(store.context.warnings().empty(), version);
  }
  for (const Json& other : {Json("0.1"), Json("0.0.9"), Json("x"), Json("1.x"), Json("0."),
                            Json::of(uint64_t{4}), Json(nullptr)}) {
    VcfStore store;
    store.attributes = {{"vcf_zarr_version", other}};
    BOOST_TEST(!store.refined().has_value(), to_json_text(other));
  }
  VcfStore store;
  store.attributes = {};
  BOOST_TEST(!store.refined().has_value());
}

BOOST_AUTO_TEST_CASE(later_version_with_known_arrays_is_read_with_notice) {
  for (const std::string version : {"0.6", "0.10", "1.0", "0.5.1"}) {
    VcfStore store;
    store.attributes = {{"vcf_zarr_version", Json(version)}};
    BOOST_TEST(store.refined().has_value(), version);
    BOOST_TEST(store.context.warned("vcf_zarr_version " + version + " is later than 0.5"), version);
    store.remove("contig_id");
    BOOST_TEST(!store.refined().has_value(), version);
  }
}

BOOST_AUTO_TEST_CASE(unreadable_version_affects_vcf_groups_only) {
  VcfStore store;
  store.attributes = {{"vcf_zarr_version", damaged("no such heap")}};
  BOOST_TEST(message_of([&] { store.refined(); }) == "attribute vcf_zarr_version: no such heap");
  store.remove("contig_id");
  BOOST_TEST(!store.refined().has_value());
  store.attributes = {{"vcf_zarr_version", unreadable("the disk fails")}};
  BOOST_TEST(message_of([&] { store.refined(); }) == "attribute vcf_zarr_version: the disk fails");
}

BOOST_AUTO_TEST_CASE(listing_reads_no_data) {
  VcfStore store;
  for (auto& [name, node] : store.members) {
    const ArrayPtr array = std::get<LabelledArray>(node.content).values;
    store.put(name, std::make_shared<Unread>(array->dtype(), array->shape(), read_all(*array)),
              array->attributes().texts("_ARRAY_DIMENSIONS"));
  }
  BOOST_TEST(store.sites().columns.size() == 8u);
}

BOOST_AUTO_TEST_CASE(fields_are_arrays_with_the_axes_of_variants_and_samples) {
  VcfStore store;
  const auto list = numbers<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto calls = numbers<int16_t>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto call_lists = numbers<uint8_t>(std::vector<uint8_t>(18), {3, 2, 3});
  store.put("variant_AF", list, {"variants", "alt_alleles"})
      .put("variant_RD", list, {"variants", "alleles"})
      .put("variant_GL", list, {"variants", "genotypes"})
      .put("variant_TWO", list, {"variants", "INFO_TWO_dim"})
      .put("variant_ANY", list, {"variants", "INFO_TWO_dim"})
      .put("variant_bare", list)
      .put("variant_FLAG", truths({1, 0, 1}, {3}), {"variants"})
      .put("variant_CH", text_of_shape({"x", "y", "z"}, {3}), {"variants"})
      .put("variant_length", numbers<int32_t>({1, 1, 1}), {"variants"})
      .put("variant_DP_mask", truths({0, 0, 0}, {3}), {"variants"})
      .put("variant_other", numbers<int32_t>({1, 1, 1}), {"regions"})
      .put("variant_cube", numbers<float>({1, 2, 3}, {3, 1, 1}), {"variants", "x", "y"})
      .put("call_DP", calls, {"variants", "samples"})
      .put("call_AD", call_lists, {"variants", "samples", "alleles"})
      .put("call_HQ", call_lists, {"variants", "samples", "FORMAT_HQ_dim"})
      .put("call_turned", calls, {"samples", "variants"})
      .put("call_genotype_phased", truths({1, 1, 1, 1, 1, 1}, {3, 2}), {"variants", "samples"});
  const Variants variants = store.variants();
  BOOST_TEST(described(variants.info) ==
             (Texts{"AF A Float", "ANY . Float", "CH 1 String", "DP 1 Integer", "FLAG 0 Flag", "GL G Float",
                    "RD R Float", "TWO . Float", "bare . Float"}));
  BOOST_TEST(described(variants.format) == (Texts{"AD R Integer", "DP 1 Integer", "HQ . Integer"}));
  BOOST_TEST(variants.phased != nullptr);
  BOOST_TEST(store.context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(field_without_vcf_type_is_omitted_and_logged) {
  VcfStore store;
  store.put("variant_BITS", truths({1, 0, 1, 0, 1, 0}, {3, 2}), {"variants", "x"})
      .put("call_OK", truths({1, 0, 1, 0, 1, 0}, {3, 2}), {"variants", "samples"});
  BOOST_TEST(described(store.variants().info) == (Texts{"DP 1 Integer"}));
  BOOST_TEST(store.variants().format.empty());
  BOOST_TEST(store.context.warned("/variant_BITS: bool cannot be a field INFO of a VCF"));
  BOOST_TEST(store.context.warned("/call_OK: bool cannot be a field FORMAT of a VCF"));
}

BOOST_AUTO_TEST_CASE(fields_keep_the_order_of_the_stored_header) {
  VcfStore store;
  store.put("variant_A", numbers<int32_t>({1, 2, 3}), {"variants"})
      .put("variant_Z", numbers<int32_t>({1, 2, 3}), {"variants"});
  store.attributes.push_back(
      {"vcf_header", Json("##INFO=<Number=1,ID=Z,Description=\"a,ID=A\">\r\n##FORMAT=<ID=A>\n"
                          "##INFO=<ID=DP>\n#CHROM\n")});
  BOOST_TEST(described(store.variants().info) == (Texts{"Z 1 Integer", "DP 1 Integer", "A 1 Integer"}));
}

BOOST_AUTO_TEST_CASE(invalid_header_fails_alone) {
  const auto error_of = [](const char* name, Json value) {
    VcfStore store;
    store.attributes.push_back({name, std::move(value)});
    const auto error = store.variants().header.error;
    return error ? std::string(error->what()) : std::string();
  };
  BOOST_TEST(error_of("vcf_header", texts({"##x"})) == "vcf_header is not a text");
  BOOST_TEST(error_of("vcf_meta_information", Json("x")) == "vcf_meta_information is not a list");
  BOOST_TEST(error_of("vcf_meta_information", Json::List{texts({"a", "b", "c"})}) ==
             "vcf_meta_information has [\"a\",\"b\",\"c\"], which is not a pair of key and text");
  BOOST_TEST(error_of("vcf_meta_information", Json::List{texts({"a", "b"})}).empty());
}

BOOST_AUTO_TEST_CASE(without_samples_there_are_no_sample_fields) {
  for (const bool exists : {true, false}) {
    VcfStore store;
    if (exists)
      store.put("sample_id", text_of_shape({}, {0}), {"samples"});
    else
      store.remove("sample_id");
    store.put("call_DP", numbers<int16_t>({}, {3, 0}), {"variants", "samples"});
    const Variants variants = store.variants();
    BOOST_TEST(!variants.samples);
    BOOST_TEST(!variants.genotype);
    BOOST_TEST(variants.format.empty());
  }
}

BOOST_AUTO_TEST_CASE(sites_are_a_table_with_lists_as_texts) {
  VcfStore store;
  store.put("variant_id", text_of_shape({"rs1", ".", ""}, {3}), {"variants"})
      .put("variant_quality", numbers<float>({0.5f, std::bit_cast<float>(0x7f800001), 3}), {"variants"})
      .put("variant_AC", numbers<int32_t>({1, -2, 3, -1, -1, -2}, {3, 2}), {"variants", "alt_alleles"});
  BOOST_TEST(column(store, "CHROM") == (Texts{"1", "1", "X"}));
  BOOST_TEST(column(store, "POS") == (Texts{"5", "9", "7"}));
  BOOST_TEST(column(store, "ID") == (Texts{"rs1", "NA", "NA"}));
  BOOST_TEST(column(store, "REF") == (Texts{"A", "G", "T"}));
  BOOST_TEST(column(store, "ALT") == (Texts{"C", "T,GT", "NA"}));
  BOOST_TEST(column(store, "QUAL")[1] == "NA");
  BOOST_TEST(column(store, "FILTER") == (Texts{"PASS", "NA", "q10"}));
  BOOST_TEST(column(store, "AC") == (Texts{"1", "3,.", "NA"}));
  BOOST_TEST(column(store, "DP") == (Texts{"3", "NA", "7"}));
  store.remove("variant_filter").remove("variant_id").remove("variant_quality");
  BOOST_TEST(column(store, "FILTER") == (Texts{"PASS", "PASS", "PASS"}));
  BOOST_TEST(column(store, "ID") == (Texts{"NA", "NA", "NA"}));
}

BOOST_AUTO_TEST_CASE(damaged_column_reports_the_fault) {
  const auto message = [](const char* name, ArrayPtr array, const char* its_column) {
    VcfStore store;
    store.put(name, std::move(array));
    return message_of([&] { column(store, its_column); });
  };
  const auto three = text_of_shape({"a", "b", "c"}, {3});
  BOOST_TEST(message("variant_contig", numbers<int8_t>({0, 2, 0}), "CHROM") ==
             "variant_contig of variant 1 is 2, expected from 0 to below 2");
  BOOST_TEST(message("variant_position", numbers<int32_t>({1, 2, -9}), "POS")
                 .starts_with("variant_position of variant 2 is -9, expected from 0"));
  BOOST_TEST(message("variant_position", three, "POS") ==
             "variant_position is text of rank 1, expected a list of integers");
  BOOST_TEST(message("variant_allele", three, "REF") ==
             "variant_allele is text of rank 1, expected texts of rank 2");
  BOOST_TEST(message("variant_allele", three, "ALT") ==
             "variant_allele is text of rank 1, expected texts of rank 2");
  BOOST_TEST(message("variant_id", numbers<int32_t>({1, 2, 3}), "ID") ==
             "variant_id is int32 of rank 1, expected a list of texts");
  BOOST_TEST(message("variant_quality", three, "QUAL") ==
             "variant_quality is text of rank 1, expected a list of numbers");
  BOOST_TEST(message("variant_filter", truths({1, 0, 1}, {3, 1}), "FILTER") ==
             "variant_filter has 1 columns for 2 filters");
  BOOST_TEST(message("variant_filter", truths({1, 0, 1}, {3}), "FILTER") ==
             "variant_filter is bool of rank 1, expected truth values of rank 2");
  VcfStore store;
  store.put("variant_DP", numbers<int32_t>({1, 2}), {"variants"});
  BOOST_TEST(message_of([&] { column(store, "DP"); }) == "/: column DP has 2 values for 3 rows");
  store.remove("variant_position");
  BOOST_TEST(message_of([&] { column(store, "POS"); }) == "variant_position is missing");
}

BOOST_AUTO_TEST_CASE(details_list_the_contents_of_a_store) {
  VcfStore store;
  Store described;
  describe(store.raw(), described);
  BOOST_TEST(to_json_text(Json(described.details)) ==
             R"({"vcf_zarr":{"vcf_zarr_version":"0.4","variants":3,"samples":2,"contigs":2}})");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::vcf
