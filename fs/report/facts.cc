#include "fs/report/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "fs/report/words.h"

namespace plainfs {
namespace {

// One overload per kind of content.
struct AddFacts {
  ContentFacts& facts;

  void operator()(const LabelledArray& array) const {
    if (dynamic_cast<const BrokenArray*>(array.values.get())) array.values->check();
    facts.kind = "array";
    facts.values = array.values;
    for (const uint64_t length : array.values->shape()) facts.extents.push_back({"", length});
    if (array.values->column_major()) std::reverse(facts.extents.begin(), facts.extents.end());
  }
  void operator()(const Table& table) const {
    facts.kind = "table";
    facts.extents = {{"rows", table.rows}, {"columns", table.columns.size()}};
  }
  void operator()(const SparseMatrix& matrix) const {
    add_matrix(matrix.rows, matrix.columns, matrix.by_row ? "by row" : "by column");
    if (matrix.error) throw *matrix.error;
    if (!matrix.evaluate) add_values(matrix.value);
  }
  void operator()(const CoordinateMatrix& matrix) const {
    add_matrix(matrix.rows, matrix.columns, "by coordinates");
    add_values(matrix.value);
  }
  void operator()(const Fragments& fragments) const {
    facts.kind = "fragments";
    if (fragments.error) throw *fragments.error;
    if (!fragments.evaluate) facts.counts.push_back({"fragments", fragments.start->count()});
    facts.counts.push_back({"cells", fragments.cell_names->count()});
    facts.counts.push_back({"chromosomes", fragments.chr_names->count()});
  }
  void operator()(const GenomicRanges& ranges) const {
    facts.kind = "ranges";
    if (ranges.error) throw *ranges.error;
    facts.counts.push_back({"ranges", ranges.sequence->count()});
  }
  void operator()(const SequenceLengths& sequences) const {
    facts.kind = "sequences";
    if (sequences.error) throw *sequences.error;
    facts.counts.push_back({"sequences", sequences.names->count()});
  }
  void operator()(const Variants& variants) const {
    facts.kind = "variants";
    variants.position->check();
    facts.counts.push_back({"variants", variants.count()});
    facts.counts.push_back({"samples", variants.samples ? variants.samples->count() : 0});
  }
  void operator()(const Image& image) const {
    facts.kind = image.is_labels ? "labels" : "image";
    if (image.error) throw *image.error;
    facts.format = image.format;
    if (image.levels.empty()) return;
    facts.values = image.levels.front().values;
    for (size_t i = 0; i < image.axes.size(); ++i) {
      const ImageAxis& axis = image.axes[i];
      const std::string name(1, axis.name);
      facts.extents.push_back({name, facts.values->shape()[i]});
      if (axis.step && !axis.unit.empty())
        facts.details.push_back({"", "", fmt::format("{} {} {}", name, *axis.step, axis.unit)});
    }
    std::string channels;
    for (const ImageChannel& channel : image.channels)
      channels += (channels.empty() ? "" : ", ") + channel.name;
    const size_t levels = image.levels.size();
    facts.details.push_back({"levels", std::to_string(levels),
                             count_text(levels, "level") + (image.channels.empty() ? "" : ": ") + channels});
    if (!channels.empty()) facts.details.push_back({"channels", channels, ""});
  }
  void operator()(const Error& error) const { throw error; }
  void operator()(const std::monostate&) const {}
  void operator()(const Link&) const {}
  void operator()(const PlainFile&) const {}
  void operator()(const Nothing&) const {}

 private:
  void add_matrix(uint64_t rows, uint64_t columns, const char* order) const {
    facts.kind = "sparse matrix";
    facts.extents = {{"rows", rows}, {"columns", columns}};
    facts.details.push_back({"stored", order, order});
  }
  void add_values(const ArrayPtr& values) const {
    facts.counts.push_back({"values", values->count()});
    facts.values = values;
  }
};

}  // namespace

ContentFacts facts_of(const Content& content) {
  ContentFacts facts;
  try {
    std::visit(AddFacts{facts}, content);
  } catch (const Error& error) {
    facts.error = error;
  }
  return facts;
}

std::string density_text(const ContentFacts& facts) {
  if (facts.extents.size() != 2 || facts.counts.empty()) return {};
  const double places =
      static_cast<double>(facts.extents[0].length) * static_cast<double>(facts.extents[1].length);
  if (places == 0) return {};
  // Two digits would round 99.6 to 1e+02.
  const double percent = 100 * static_cast<double>(facts.counts[0].number) / places;
  return percent < 99.5  ? fmt::format("{:.2g} %", percent)
         : percent < 100 ? "> 99 %"
                         : fmt::format("{:.0f} %", percent);
}

}  // namespace plainfs
