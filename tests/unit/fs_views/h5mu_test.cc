#include <boost/test/unit_test.hpp>

#include "fs/views/anndata/anndata_files.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/written_h5.h"

namespace plainfs {

namespace {

// Two cells; one modality has a gene, the other none.
MuDataParts two_modalities() {
  MuDataParts parts;
  parts.common.cells = 2;
  parts.common.genes = 1;
  parts.common.obs = Table{2, text_array({"a", "a"}), {}};
  parts.common.var = Table{1, text_array({"g"}), {}};
  for (const uint64_t genes : {1, 0}) {
    MuDataParts::Modality modality;
    modality.name = "m";
    modality.matrix.cells = 2;
    modality.matrix.genes = genes;
    modality.matrix.x =
        LabelledArray{numbers<float>(std::vector<float>(2 * genes, 3), {2, genes}), nullptr, nullptr};
    modality.matrix.obs = parts.common.obs;
    modality.matrix.var = Table{genes, text_array(std::vector<std::string>(genes, "g")), {}};
    modality.cells = numbers<uint32_t>({1, 2});
    modality.genes = numbers<uint32_t>({static_cast<uint32_t>(genes)});
    parts.modalities.push_back(std::move(modality));
  }
  return parts;
}

WrittenFile written(const MuDataParts& parts, Context& context) {
  return WrittenFile(whole_text(*layout_file([&] { return h5mu(parts, context); }, context)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(h5mu_files)

BOOST_AUTO_TEST_CASE(modality_without_genes_has_a_group) {
  TestContext context;
  MuDataParts parts = two_modalities();
  parts.modalities[1].name = "n";
  const WrittenFile file = written(parts, context);
  BOOST_TEST(file.numbers<float>({"mod", "m", "X"}) == (std::vector<float>{3, 3}));
  BOOST_TEST(file.array({"mod", "n", "X"})->shape() == (Shape{2, 0}));
  BOOST_TEST(file.numbers<uint32_t>({"varmap", "n"}) == (std::vector<uint32_t>{0}));
  BOOST_TEST(file.numbers<uint8_t>({"obsm", "n"}) == (std::vector<uint8_t>{1, 1}));
  BOOST_TEST(file.numbers<uint8_t>({"varm", "n"}) == (std::vector<uint8_t>{0}));
}

BOOST_AUTO_TEST_CASE(modality_with_a_slash_is_renamed_and_logged) {
  TestContext context;
  MuDataParts parts = two_modalities();
  parts.modalities[0].name = "a/b";
  parts.modalities[1].name = "a_b";
  const WrittenFile file = written(parts, context);
  const Attributes attributes = file.group({"mod"})->attributes();
  BOOST_TEST(attributes.texts("mod-order") == (std::vector<std::string>{"a_b", "a_b.1"}),
             boost::test_tools::per_element());
  BOOST_TEST(file.array({"mod", "a_b.1", "X"})->shape() == (Shape{2, 0}));
  BOOST_TEST(context.warned("the modality a/b is a_b in the .h5mu"));
}

BOOST_AUTO_TEST_CASE(embedding_named_like_a_modality_takes_the_place_of_its_mask) {
  TestContext context;
  MuDataParts parts = two_modalities();
  parts.modalities[1].name = "n";
  parts.common.obsm = {{"m", LabelledArray{numbers<double>({1, 2, 3, 4}, {2, 2}), nullptr, nullptr}}};
  const WrittenFile file = written(parts, context);
  BOOST_TEST(file.numbers<double>({"obsm", "m"}).size() == 4u);
  BOOST_TEST(file.numbers<uint32_t>({"obsmap", "m"}).size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
