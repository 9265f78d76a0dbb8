#include "fs/views/genomics/big_wig.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

constexpr uint64_t kHeaderBytes = 64, kZoomHeaderBytes = 24, kTotalBytes = 40, kSectionHeader = 24;
constexpr size_t kMaxZooms = 10;
constexpr uint64_t kMaxFinest = uint64_t{1} << 18;
constexpr uint32_t kZoomStep = 4, kLeastReduction = 64;
constexpr size_t kSummariesInBlock = 512;
constexpr size_t kChildren = 256;  // of a node of an index

// Writes little-endian numbers, the byte order of all supported machines.
template <class T>
void put_raw(const T& value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The index entry of a piece of the file: its range of bases and its range of bytes.
struct IndexedPiece {
  uint32_t first_chromosome, start, last_chromosome, end;
  uint64_t offset, size;
};

void put_span(const IndexedPiece& piece, std::string& out) {
  for (const uint32_t part : {piece.first_chromosome, piece.start, piece.last_chromosome, piece.end})
    put_raw(part, out);
}

// Returns the nodes above `pieces`, which are in the order of their bases. Each node covers up to kChildren
// pieces.
std::vector<IndexedPiece> covers(const std::vector<IndexedPiece>& pieces) {
  std::vector<IndexedPiece> all;
  for (size_t first = 0; first < pieces.size(); first += kChildren) {
    const size_t end = std::min(first + kChildren, pieces.size());
    IndexedPiece cover = pieces[first];
    for (size_t i = first + 1; i < end; ++i) {
      const auto reach = [](const IndexedPiece& p) { return std::pair(p.last_chromosome, p.end); };
      if (reach(cover) < reach(pieces[i])) {
        cover.last_chromosome = pieces[i].last_chromosome;
        cover.end = pieces[i].end;
      }
    }
    all.push_back(cover);
  }
  return all;
}

// Writes one level of nodes. The children of inner nodes begin at `children`, one after the other.
void put_nodes(const std::vector<IndexedPiece>& pieces, bool are_leaves, uint64_t children,
               const std::vector<uint64_t>& child_sizes, std::string& out) {
  for (size_t first = 0; first == 0 || first < pieces.size(); first += kChildren) {
    const size_t end = std::min(first + kChildren, pieces.size());
    put_raw(static_cast<uint8_t>(are_leaves), out);
    put_raw(uint8_t{0}, out);
    put_raw(static_cast<uint16_t>(end - first), out);
    for (size_t i = first; i < end; ++i) {
      put_span(pieces[i], out);
      put_raw(are_leaves ? pieces[i].offset : children, out);
      if (are_leaves)
        put_raw(pieces[i].size, out);
      else
        children += child_sizes[i];
    }
  }
}

// Returns the R tree of the pieces, placed at `at`. items: the number of items in its header. end: the end of
// the data.
std::string index_of_pieces(std::vector<IndexedPiece> pieces, uint64_t items, uint32_t items_in_piece,
                            uint64_t at, uint64_t end) {
  std::string out;
  const IndexedPiece none{};
  std::vector<std::vector<IndexedPiece>> levels{std::move(pieces)};
  while (levels.back().size() > kChildren) levels.push_back(covers(levels.back()));
  const std::vector<IndexedPiece> top = covers(levels.back());
  put_raw(uint32_t{0x2468ACE0}, out);
  put_raw(static_cast<uint32_t>(kChildren), out);
  put_raw(items, out);
  put_span(top.empty() ? none : top.front(), out);
  put_raw(end, out);
  put_raw(items_in_piece, out);
  put_raw(uint32_t{0}, out);
  constexpr uint64_t kNodeHeader = 4, kLeafChild = 32, kInnerChild = 24;
  for (size_t level = levels.size(); level-- > 0;) {
    const uint64_t nodes = std::max<uint64_t>(1, divide_up(levels[level].size(), kChildren));
    const uint64_t child = level == 0 ? kLeafChild : kInnerChild;
    const uint64_t next = at + out.size() + nodes * kNodeHeader + levels[level].size() * child;
    std::vector<uint64_t> sizes;  // of the nodes of the level below
    for (size_t i = 0; level > 0 && i < levels[level].size(); ++i) {
      const uint64_t below = std::min(kChildren, levels[level - 1].size() - i * kChildren);
      sizes.push_back(kNodeHeader + below * (level == 1 ? kLeafChild : kInnerChild));
    }
    put_nodes(levels[level], level == 0, next, sizes, out);
  }
  return out;
}

// Returns one leaf with all chromosomes, by name.
std::string chromosome_tree(const std::vector<BigWigChromosome>& chromosomes) {
  constexpr size_t kMax = UINT16_MAX;
  if (chromosomes.size() > kMax) throw unsupported("{} chromosomes, more than {}", chromosomes.size(), kMax);
  size_t longest = 1;
  for (const BigWigChromosome& chromosome : chromosomes) longest = std::max(longest, chromosome.name.size());
  std::string out;
  put_raw(uint32_t{0x78CA8C91}, out);
  put_raw(static_cast<uint32_t>(std::max<size_t>(1, chromosomes.size())), out);
  put_raw(static_cast<uint32_t>(longest), out);
  put_raw(uint32_t{8}, out);  // bytes of a value
  put_raw(uint64_t{chromosomes.size()}, out);
  put_raw(uint64_t{0}, out);
  put_raw(uint8_t{1}, out);
  put_raw(uint8_t{0}, out);
  put_raw(static_cast<uint16_t>(chromosomes.size()), out);
  for (uint32_t id = 0; id < chromosomes.size(); ++id) {
    out += chromosomes[id].name;
    out.append(longest - chromosomes[id].name.size(), '\0');
    put_raw(id, out);
    put_raw(chromosomes[id].length, out);
  }
  return out;
}

// Returns summaries of kZoomStep times as many bases each.
std::vector<BigWigSummary> coarser(const std::vector<BigWigSummary>& fine, uint64_t reduction,
                                   const std::vector<BigWigChromosome>& chromosomes) {
  std::vector<BigWigSummary> coarse;
  double sum = 0, squares = 0;
  for (const BigWigSummary& part : fine) {
    const uint64_t start = part.start / reduction * reduction;
    if (coarse.empty() || coarse.back().chromosome != part.chromosome || coarse.back().start != start) {
      coarse.push_back(part);
      coarse.back().start = static_cast<uint32_t>(start);
      coarse.back().end =
          static_cast<uint32_t>(std::min<uint64_t>(start + reduction, chromosomes[part.chromosome].length));
      sum = squares = coarse.back().bases = 0;
    }
    BigWigSummary& whole = coarse.back();
    whole.bases += part.bases;
    whole.least = std::min(whole.least, part.least);
    whole.greatest = std::max(whole.greatest, part.greatest);
    whole.sum = static_cast<float>(sum += static_cast<double>(part.sum));
    whole.sum_of_squares = static_cast<float>(squares += static_cast<double>(part.sum_of_squares));
  }
  return coarse;
}

// Returns the summaries and their index, placed at `at` in the file. index_at: receives the offset of the
// index.
std::string zoom_level(const std::vector<BigWigSummary>& summaries, uint64_t at, uint64_t& index_at) {
  std::string out;
  put_raw(static_cast<uint32_t>(summaries.size()), out);
  std::vector<IndexedPiece> blocks;
  for (size_t first = 0, end = 0; first < summaries.size(); first = end) {
    while (end < summaries.size() && end - first < kSummariesInBlock &&
           summaries[end].chromosome == summaries[first].chromosome)
      ++end;
    const uint64_t size = (end - first) * sizeof(BigWigSummary);
    blocks.push_back({summaries[first].chromosome, summaries[first].start, summaries[first].chromosome,
                      summaries[end - 1].end, at + out.size(), size});
    out.append(reinterpret_cast<const char*>(&summaries[first]), size);
  }
  index_at = at + out.size();
  return out += index_of_pieces(std::move(blocks), summaries.size(), kSummariesInBlock, index_at, index_at);
}

struct ZoomHeader {
  uint64_t reduction, data_at, index_at;
};

// Returns all zoom levels, the finest first, placed at `at`.
std::string zoom_levels(const BigWigPlan& plan, uint64_t at, size_t count, std::vector<ZoomHeader>& headers) {
  std::string out;
  std::vector<BigWigSummary> summaries = plan.summaries;
  uint64_t reduction = plan.reduction;
  for (size_t level = 0; level < count; ++level, reduction *= kZoomStep) {
    if (level > 0) summaries = coarser(summaries, reduction, plan.chromosomes);
    ZoomHeader header{reduction, at + out.size(), 0};
    out += zoom_level(summaries, header.data_at, header.index_at);
    headers.push_back(header);
  }
  return out;
}

// Returns the number of levels that are finer than the longest chromosome.
size_t zoom_count(const BigWigPlan& plan) {
  uint32_t longest = 0;
  for (const BigWigChromosome& chromosome : plan.chromosomes) longest = std::max(longest, chromosome.length);
  size_t count = 0;
  for (uint64_t reduction = plan.reduction; reduction < longest && count < kMaxZooms; reduction *= kZoomStep)
    ++count;
  return count;
}

std::vector<IndexedPiece> pieces_of(const std::vector<BigWigSection>& sections, uint64_t at) {
  std::vector<IndexedPiece> pieces;
  pieces.reserve(sections.size());
  for (const BigWigSection& section : sections) {
    const uint64_t size = section_bytes(section.items);
    pieces.push_back({section.chromosome, section.start, section.chromosome, section.end, at, size});
    at += size;
  }
  return pieces;
}

}  // namespace

uint32_t finest_reduction(const std::vector<BigWigChromosome>& chromosomes) {
  uint32_t reduction = kLeastReduction;
  const auto count = [&] {
    uint64_t all = 0;
    for (const BigWigChromosome& chromosome : chromosomes) all += divide_up(chromosome.length, reduction);
    return all;
  };
  while (count() > kMaxFinest && reduction < uint32_t{1} << 30) reduction *= kZoomStep;
  return reduction;
}

uint64_t section_bytes(uint64_t items) {
  return kSectionHeader + items * sizeof(BigWigItem);
}

void append_section(const BigWigSection& section, std::span<const BigWigItem> items, std::string& out) {
  put_raw(section.chromosome, out);
  put_raw(section.start, out);
  put_raw(section.end, out);
  put_raw(uint64_t{0}, out);  // step and span, for other kinds of items
  put_raw(uint8_t{1}, out);   // each item has a start, an end and a value
  put_raw(uint8_t{0}, out);
  put_raw(static_cast<uint16_t>(items.size()), out);
  out.append(reinterpret_cast<const char*>(items.data()), items.size_bytes());
}

ByteLayout big_wig(const BigWigPlan& plan, SegmentPtr data) {
  const std::string tree = chromosome_tree(plan.chromosomes);
  const size_t zooms = zoom_count(plan);
  const uint64_t total_at = kHeaderBytes + zooms * kZoomHeaderBytes, tree_at = total_at + kTotalBytes;
  const uint64_t data_at = tree_at + tree.size(), sections_at = data_at + sizeof(uint64_t);
  const uint64_t index_at = checked_add(sections_at, data->size());
  std::string tail =
      index_of_pieces(pieces_of(plan.sections, sections_at), plan.sections.size(), 1, index_at, index_at);
  std::vector<ZoomHeader> headers;
  tail += zoom_levels(plan, index_at + tail.size(), zooms, headers);

  std::string head;
  put_raw(uint32_t{0x888FFC26}, head);
  put_raw(uint16_t{4}, head);
  put_raw(static_cast<uint16_t>(zooms), head);
  for (const uint64_t offset : {tree_at, data_at, index_at}) put_raw(offset, head);
  put_raw(uint32_t{0}, head);  // number of fields, for bigBed
  put_raw(uint64_t{0}, head);  // names of fields
  put_raw(total_at, head);
  put_raw(uint32_t{0}, head);  // size of an unpacked section; none is packed
  put_raw(uint64_t{0}, head);
  for (const ZoomHeader& header : headers) {
    put_raw(header.reduction, head);
    put_raw(header.data_at, head);
    put_raw(header.index_at, head);
  }
  put_raw(plan.total, head);
  head += tree;
  put_raw(uint64_t{plan.sections.size()}, head);

  ByteLayout layout;
  layout.put(head);
  layout.put(std::move(data));
  layout.put(tail);
  return layout;
}

}  // namespace plainfs
