#include "fs/views/genomics/genomic_files.h"

namespace plainfs {

namespace {

// Returns the opener of the text that the name of a row begins with; empty if the node has none.
Opener text_of_row(const FileRow& row, const Node& node, Context& context, const Files& files) {
  const std::string_view name = row.name.substr(0, row.name.find(".gz"));
  const bool is_fragments = name == "fragments.tsv";
  if (is_fragments ? !std::holds_alternative<Fragments>(node.content)
                   : !std::holds_alternative<Variants>(node.content))
    return nullptr;
  return opener_of(name, is_fragments ? "tsv" : "vcf", node, context, files);
}

}  // namespace

void offer_bgzf(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (Opener text = text_of_row(row, node, context, files)) row.add(framed(std::move(text)), files);
}

template <IndexKind kind>
void offer_bgzf_index(const FileRow& row, const Node& node, Context& context, Files& files) {
  const Opener text = text_of_row(row, node, context, files);
  if (!text) return;
  const auto make_index = [text] { return text()->position_index(kind); };
  row.add(framed([make_index, &context, version = row.version] {
            return computed_file(make_index, context, version);
          }),
          files);
}
template void offer_bgzf_index<IndexKind::tbi>(const FileRow&, const Node&, Context&, Files&);
template void offer_bgzf_index<IndexKind::csi>(const FileRow&, const Node&, Context&, Files&);

}  // namespace plainfs
