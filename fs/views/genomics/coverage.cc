#include "fs/views/genomics/genomic_files.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/model/contents/genome.h"
#include "fs/text/field_text.h"
#include "fs/views/file_rows.h"
#include "fs/views/genomics/big_wig.h"

namespace plainfs {

namespace {

constexpr uint64_t kFragmentsInPart = 1024;  // at most two changes of coverage each
constexpr uint64_t kPartsAtOnce = 64;        // read together

// Consecutive fragments of one chromosome. Their section has the coverage from the first start to the
// beginning of the next part, including fragments that reach in from earlier parts.
struct CoveragePart {
  uint32_t chromosome;  // index in the order of names
  uint32_t count;
  uint64_t first;     // fragment
  uint32_t start;     // of the first fragment
  uint32_t reach;     // the largest end
  uint32_t furthest;  // the largest end in all parts of the chromosome up to this one
  uint32_t items;
  uint32_t from, to;  // from the first item's start to the last item's end
};

// Fragments with the ends of fragments.tsv, one less than the stored ones.
struct Spans {
  std::vector<uint32_t> starts, ends;
};

// The statistics of the bases of one of the finest summaries.
struct BaseCounts {
  uint32_t chromosome;
  uint32_t bin;
  uint32_t bases;
  float least, greatest;
  double sum, sum_of_squares;
};

// A survey of the starts, for this session and its genome only.
struct CoverageSurvey {
  std::vector<CoveragePart> parts;
  BigWigTotal total;
  std::vector<BigWigSummary> summaries;
};

class Coverage : public Segment {
 public:
  Coverage(Fragments fragments, const Genome& genome, Context& context);

  // Returns the plan of the whole file.
  BigWigPlan plan() const;

  uint64_t size() const override { return offsets_.back(); }
  uint64_t least_block() const override { return kPartsAtOnce * section_bytes(kFragmentsInPart); }
  void read(const Wanted& wanted) const override;

 private:
  using Visit = std::function<void(uint64_t part, std::span<const BigWigItem> items)>;
  void take_chromosomes(const Genome& genome);
  void divide();
  void measure();
  Spans spans(uint64_t first, uint64_t count, uint32_t chromosome) const;
  std::vector<uint32_t> reaching_into(uint64_t part) const;
  bool begins_chromosome(uint64_t part) const {
    return part == 0 || parts_[part - 1].chromosome != parts_[part].chromosome;
  }
  uint32_t end_of(uint64_t part) const {
    return part + 1 < parts_.size() && !begins_chromosome(part + 1)
               ? parts_[part + 1].start
               : plan_.chromosomes[parts_[part].chromosome].length;
  }
  void visit_parts(uint64_t first, uint64_t end, const Visit& visit) const;
  void add_counts(uint32_t chromosome, std::span<const BigWigItem> items,
                  std::vector<BaseCounts>& counts) const;
  void add_summaries(const std::vector<BaseCounts>& counts);

  const Fragments fragments_;
  Context& context_;
  BigWigPlan plan_;
  std::vector<CoveragePart> parts_;  // chromosome by chromosome, in the order of their names
  std::vector<uint64_t> offsets_;    // the offsets of the sections, and last the total size
};

// Creates the parts, without the members that must be read.
void Coverage::take_chromosomes(const Genome& genome) {
  const Fragments& f = fragments_;
  const uint64_t count = f.start->count(), names = f.chr_names->count();
  if (f.end->count() != count) throw damaged("fragments have {} starts and {} ends", count, f.end->count());
  if (f.chr_pointer->count() != checked_multiply(names, 2))
    throw damaged("fragments have {} pointers for {} chromosomes", f.chr_pointer->count(), names);
  check_kept_blocks(divide_up(count, kFragmentsInPart));
  const IndexRun<uint64_t> pointers(*f.chr_pointer, 0, 2 * names, UINT64_MAX, "chromosome pointer");
  const Elements texts = read_all(*f.chr_names);
  std::map<std::string, uint64_t> places;
  for (uint64_t c = 0; c < names; ++c) {
    std::string name;
    append_tsv_field(f.chr_names->dtype(), texts, c, name);
    if (!places.emplace(name, c).second) throw damaged("the chromosome {} is repeated", name);
  }
  uint64_t shown = 0;
  for (const auto& [name, place] : places) {
    const uint64_t first = pointers.values()[2 * place], end = pointers.values()[2 * place + 1];
    if (first > end || end > count)
      throw damaged("chromosome {} has fragments {} to {}, but there are {}", place, first, end, count);
    shown = checked_add(shown, end - first);
    if (shown > count) throw damaged("the chromosomes overlap: {} of {} fragments", shown, count);
    const auto length = genome.lengths.find(name);
    if (length == genome.lengths.end()) {
      if (first == end) continue;
      throw unsupported("the genome file has no length for {}, which has {} fragments", name, end - first);
    }
    const auto number = static_cast<uint32_t>(plan_.chromosomes.size());
    plan_.chromosomes.push_back({name, length->second});
    for (uint64_t at = first; at < end; at += kFragmentsInPart)
      parts_.push_back(
          {number, static_cast<uint32_t>(std::min(kFragmentsInPart, end - at)), at, 0, 0, 0, 0, 0, 0});
  }
}

Spans Coverage::spans(uint64_t first, uint64_t count, uint32_t chromosome) const {
  const uint64_t length = plan_.chromosomes[chromosome].length;
  const IndexRun<uint64_t> starts(*fragments_.start, first, count, uint64_t{1} << 32, "start");
  const IndexRun<uint64_t> ends(*fragments_.end, first, count, uint64_t{1} << 33, "end");
  Spans spans;
  spans.starts.reserve(count);
  spans.ends.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t start = starts.values()[i], end = ends.values()[i] - 1;
    if (ends.values()[i] == 0 || end < start)
      throw damaged("fragment {} ends before its start {}", first + i, start);
    if (end > length)
      throw unsupported("fragment {} ends at {}, beyond the {} bases of the genome file for {}", first + i,
                        end, length, plan_.chromosomes[chromosome].name);
    if (i > 0 && start < spans.starts.back())
      throw unsupported("fragment {} starts before the previous one; coverage requires sorted fragments",
                        first + i);
    spans.starts.push_back(static_cast<uint32_t>(start));
    spans.ends.push_back(static_cast<uint32_t>(end));
  }
  return spans;
}

// First pass: finds the beginnings and ends of the parts.
void Coverage::divide() {
  context_.workers.parallel_for(divide_up(parts_.size(), kPartsAtOnce), [&](size_t group) {
    const uint64_t end = std::min<uint64_t>((group + 1) * kPartsAtOnce, parts_.size());
    for (uint64_t first = group * kPartsAtOnce, last = first; first < end; first = last) {
      uint64_t count = 0;
      for (; last < end && parts_[last].chromosome == parts_[first].chromosome; ++last)
        count += parts_[last].count;
      const Spans all = spans(parts_[first].first, count, parts_[first].chromosome);
      for (uint64_t p = first, at = 0; p < last; at += parts_[p++].count) {
        const auto from = all.ends.begin() + static_cast<ptrdiff_t>(at);
        parts_[p].start = all.starts[at];
        parts_[p].reach = *std::max_element(from, from + parts_[p].count);
      }
    }
  });
  for (uint64_t p = 0; p < parts_.size(); ++p) {
    if (!begins_chromosome(p) && parts_[p].start < parts_[p - 1].start)
      throw unsupported("fragment {} starts before the previous one; coverage requires sorted fragments",
                        parts_[p].first);
    parts_[p].furthest =
        begins_chromosome(p) ? parts_[p].reach : std::max(parts_[p - 1].furthest, parts_[p].reach);
  }
}

// Returns the ends of fragments of earlier parts that extend beyond the start of this one, in order.
std::vector<uint32_t> Coverage::reaching_into(uint64_t part) const {
  std::vector<uint32_t> ends;
  const uint32_t start = parts_[part].start;
  for (uint64_t p = part; !begins_chromosome(p) && parts_[p - 1].furthest > start; --p) {
    const CoveragePart& before = parts_[p - 1];
    if (before.reach <= start) continue;
    for (const uint32_t end : spans(before.first, before.count, before.chromosome).ends)
      if (end > start) ends.push_back(end);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

// Adds the coverage from `at` to `until`, where it is not 0. starts, ends: of all fragments in that range,
// each in order; fragments that began before `at` are only in `ends`.
void sweep(std::span<const uint32_t> starts, std::span<const uint32_t> ends, uint32_t at, uint32_t until,
           std::vector<BigWigItem>& items) {
  size_t begun = 0, ended = 0;
  uint64_t depth = ends.size() - starts.size();
  uint32_t since = at;
  while (begun < starts.size() || ended < ends.size()) {
    uint32_t next = UINT32_MAX;
    if (begun < starts.size()) next = starts[begun];
    if (ended < ends.size()) next = std::min(next, ends[ended]);
    if (next >= until) break;
    const uint64_t before = depth;
    for (; begun < starts.size() && starts[begun] == next; ++begun) ++depth;
    for (; ended < ends.size() && ends[ended] == next; ++ended) --depth;
    if (depth == before) continue;
    if (before > 0 && next > since) items.push_back({since, next, static_cast<float>(before)});
    since = next;
  }
  if (depth > 0 && until > since) items.push_back({since, until, static_cast<float>(depth)});
}

// Calls visit with the items of each of the parts [first, end), in order.
void Coverage::visit_parts(uint64_t first, uint64_t end, const Visit& visit) const {
  std::vector<BigWigItem> items;
  std::vector<uint32_t> alive, ends;
  for (uint64_t last = first; first < end; first = last) {
    uint64_t count = 0;
    for (; last < end && last - first < kPartsAtOnce && parts_[last].chromosome == parts_[first].chromosome;
         ++last)
      count += parts_[last].count;
    const Spans all = spans(parts_[first].first, count, parts_[first].chromosome);
    alive = reaching_into(first);
    for (uint64_t p = first, at = 0; p < last; at += parts_[p++].count) {
      const CoveragePart& part = parts_[p];
      const std::span<const uint32_t> starts(all.starts.data() + at, part.count);
      const auto from = all.ends.begin() + static_cast<ptrdiff_t>(at);
      ends.assign(from, from + part.count);
      std::sort(ends.begin(), ends.end());
      const auto middle = ends.insert(ends.end(), alive.begin(), alive.end());
      std::inplace_merge(ends.begin(), middle, ends.end());
      items.clear();
      sweep(starts, ends, part.start, end_of(p), items);
      visit(p, items);
      alive.assign(std::upper_bound(ends.begin(), ends.end(), end_of(p)), ends.end());
    }
  }
}

// Adds the items to the statistics of the finest summaries that they overlap.
void Coverage::add_counts(uint32_t chromosome, std::span<const BigWigItem> items,
                          std::vector<BaseCounts>& counts) const {
  for (const BigWigItem& item : items) {
    const auto value = static_cast<double>(item.value);
    for (uint32_t at = item.start; at < item.end;) {
      const uint32_t bin = at / plan_.reduction;
      const auto until =
          static_cast<uint32_t>(std::min<uint64_t>(item.end, (uint64_t{bin} + 1) * plan_.reduction));
      if (counts.empty() || counts.back().chromosome != chromosome || counts.back().bin != bin)
        counts.push_back({chromosome, bin, 0, item.value, item.value, 0, 0});
      BaseCounts& here = counts.back();
      here.bases += until - at;
      here.least = std::min(here.least, item.value);
      here.greatest = std::max(here.greatest, item.value);
      here.sum += value * (until - at);
      here.sum_of_squares += value * value * (until - at);
      at = until;
    }
  }
}

// Adds the next counts in the order of the file. A summary that continues in the next part is in both.
void Coverage::add_summaries(const std::vector<BaseCounts>& counts) {
  BigWigTotal& total = plan_.total;
  std::optional<BaseCounts> open;
  const auto close = [&] {
    if (!open) return;
    const uint64_t start = uint64_t{open->bin} * plan_.reduction;
    const uint64_t end =
        std::min<uint64_t>(start + plan_.reduction, plan_.chromosomes[open->chromosome].length);
    plan_.summaries.push_back({open->chromosome, static_cast<uint32_t>(start), static_cast<uint32_t>(end),
                               open->bases, open->least, open->greatest, static_cast<float>(open->sum),
                               static_cast<float>(open->sum_of_squares)});
  };
  for (const BaseCounts& next : counts) {
    const double least = next.least, greatest = next.greatest;
    total.least = total.bases == 0 ? least : std::min(total.least, least);
    total.greatest = std::max(total.greatest, greatest);
    total.bases += next.bases;
    total.sum += next.sum;
    total.sum_of_squares += next.sum_of_squares;
    if (open && open->chromosome == next.chromosome && open->bin == next.bin) {
      open->bases += next.bases;
      open->least = std::min(open->least, next.least);
      open->greatest = std::max(open->greatest, next.greatest);
      open->sum += next.sum;
      open->sum_of_squares += next.sum_of_squares;
    } else {
      close();
      open = next;
    }
  }
  close();
}

// Second pass: computes the lengths of the sections and the summaries.
void Coverage::measure() {
  const uint64_t groups = divide_up(parts_.size(), kPartsAtOnce);
  std::vector<std::vector<BaseCounts>> counts(groups);
  context_.workers.parallel_for(groups, [&](size_t group) {
    const uint64_t first = group * kPartsAtOnce;
    visit_parts(first, std::min<uint64_t>(first + kPartsAtOnce, parts_.size()),
                [&](uint64_t part, std::span<const BigWigItem> items) {
                  parts_[part].items = static_cast<uint32_t>(items.size());
                  if (items.empty()) return;
                  parts_[part].from = items.front().start;
                  parts_[part].to = items.back().end;
                  add_counts(parts_[part].chromosome, items, counts[group]);
                });
  });
  std::vector<BaseCounts> all;
  for (const std::vector<BaseCounts>& some : counts) all.insert(all.end(), some.begin(), some.end());
  add_summaries(all);
}

Coverage::Coverage(Fragments fragments, const Genome& genome, Context& context)
    : fragments_(std::move(fragments)), context_(context) {
  const Fragments& f = fragments_;
  for (const ArrayPtr& part : {f.start, f.end, f.chr_pointer, f.chr_names}) part->check();
  take_chromosomes(genome);
  plan_.reduction = finest_reduction(plan_.chromosomes);
  const auto survey = f.start->survey<CoverageSurvey>(0, [&] {
    divide();
    measure();
    return CoverageSurvey{std::move(parts_), plan_.total, std::move(plan_.summaries)};
  });
  parts_ = survey->parts;
  plan_.total = survey->total;
  plan_.summaries = survey->summaries;
  offsets_.push_back(0);
  for (const CoveragePart& part : parts_)
    offsets_.push_back(offsets_.back() + (part.items == 0 ? 0 : section_bytes(part.items)));
}

// Generates whole parts, all that the wanted range touches.
void Coverage::read(const Wanted& wanted) const {
  const auto part_at = [&](uint64_t offset) {
    return static_cast<uint64_t>(std::upper_bound(offsets_.begin(), offsets_.end(), offset) -
                                 offsets_.begin()) -
           1;
  };
  const uint64_t end = wanted.offset + wanted.out.size();
  std::string section;
  visit_parts(part_at(wanted.offset), part_at(end - 1) + 1, [&](uint64_t p, auto items) {
    section.clear();
    if (items.empty() && offsets_[p] == offsets_[p + 1]) return;
    const CoveragePart& part = parts_[p];
    if (!items.empty())
      append_section({part.chromosome, items.front().start, items.back().end, 0}, items, section);
    if (section.size() != offsets_[p + 1] - offsets_[p])
      throw Outdated("the fragments have changed since they were counted");
    const uint64_t from = std::max(wanted.offset, offsets_[p]), to = std::min(end, offsets_[p + 1]);
    std::memcpy(wanted.out.data() + (from - wanted.offset), section.data() + (from - offsets_[p]), to - from);
  });
}

BigWigPlan Coverage::plan() const {
  BigWigPlan plan = plan_;
  for (const CoveragePart& part : parts_)
    if (part.items > 0) plan.sections.push_back({part.chromosome, part.from, part.to, part.items});
  return plan;
}

Fragments evaluated_fragments(const Fragments& fragments) {
  if (fragments.error) throw *fragments.error;
  return fragments.evaluate ? fragments.evaluate() : fragments;
}

// Returns the chromosomes that fragments may lie on, with their lengths.
SequenceLengths lengths_in(const Genome& genome, const ArrayPtr& chr_names) {
  chr_names->check();
  const Elements names = read_all(*chr_names);
  const DType type = number_type(Kind::unsigned_integer, 4);
  Elements lengths = zero_elements(type, names.count);
  lengths.missing.resize(names.count);
  for (uint64_t i = 0; i < names.count; ++i) {
    std::string name;
    append_tsv_field(chr_names->dtype(), names, i, name);
    const auto found = genome.lengths.find(name);
    lengths.missing[i] = found == genome.lengths.end();
    if (!lengths.missing[i]) lengths.mutable_values<uint32_t>()[i] = found->second;
  }
  return {chr_names, std::make_shared<MemoryArray>(type, Shape{names.count}, std::move(lengths)), {}};
}

}  // namespace

void offer_coverage(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* fragments = std::get_if<Fragments>(&node.content);
  if (!fragments) return;
  const GenomePtr genome = context.options.genome;
  if (!genome) {
    const auto refuse = []() -> ByteLayout {
      throw unsupported("unknown chromosome lengths; give them with -o genome=FILE");
    };
    row.add([refuse, &context] { return sized_file(refuse, context); }, files);
    files.back().is_never_listed = true;
    return;
  }
  const auto lay_out = [fragments = *fragments, genome, &context] {
    const auto coverage = std::make_shared<const Coverage>(evaluated_fragments(fragments), *genome, context);
    return big_wig(coverage->plan(), coverage);
  };
  row.add(shared_opener(layout_opener(context, lay_out, row.version)), files);
}

void offer_chromosomes(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* fragments = std::get_if<Fragments>(&node.content);
  const GenomePtr genome = context.options.genome;
  if (!fragments || !genome) return;
  row.add(text_opener(context, [names = fragments->chr_names, genome,
                                &context] { return chrom_sizes(lengths_in(*genome, names), context); }),
          files);
}

}  // namespace plainfs
