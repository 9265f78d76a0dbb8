#include "fs/views/variants/variant_files.h"

#include "fs/views/variants/genotypes.h"

namespace plainfs {

namespace {

template <class Open>
void offer_genotypes(const FileRow& row, const Node& node, Open&& opener_of, Files& files) {
  const auto* variants = std::get_if<Variants>(&node.content);
  if (!variants || !variants->genotype) return;
  const std::optional<Error> refused = refused_genotypes(*variants);
  if (!refused) return row.add(opener_of(*variants), files);
  row.add(broken(*refused), files);
  files.back().is_unlisted = true;
}

// Offers the text of make(variants).
template <class Make>
void offer_genotype_text(const FileRow& row, const Node& node, Context& context, Files& files, Make make) {
  const auto opener = [&context, make](const Variants& variants) {
    return text_opener(context, [variants, make] { return make(variants); });
  };
  offer_genotypes(row, node, opener, files);
}

}  // namespace

void offer_samples(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* variants = std::get_if<Variants>(&node.content);
  if (variants && variants->samples)
    row.add(text_opener(context, [variants = *variants] { return sample_lines(variants, kSamplesTsv); }),
            files);
}

void offer_plink_bed(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto opener = [&context, version = row.version](const Variants& variants) {
    return layout_opener(
        context, [variants, &context] { return plink_bed(variants, context); }, version);
  };
  offer_genotypes(row, node, opener, files);
}

void offer_plink_bim(const FileRow& row, const Node& node, Context& context, Files& files) {
  offer_genotype_text(row, node, context, files,
                      [&context](const Variants& variants) { return plink_bim(variants, context); });
}

void offer_plink_fam(const FileRow& row, const Node& node, Context& context, Files& files) {
  offer_genotype_text(row, node, context, files,
                      [](const Variants& variants) { return sample_lines(variants, kPlinkFam); });
}

void offer_bgen(const FileRow& row, const Node& node, Context& context, Files& files) {
  offer_genotype_text(row, node, context, files,
                      [&context](const Variants& variants) { return bgen(variants, context); });
}

void offer_bgen_samples(const FileRow& row, const Node& node, Context& context, Files& files) {
  offer_genotype_text(row, node, context, files,
                      [](const Variants& variants) { return sample_lines(variants, kOxfordSample); });
}

}  // namespace plainfs
