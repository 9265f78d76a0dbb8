#include "fs/native/fragments_index.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "cache/request.h"
#include "formats/base/error.h"
#include "fs/native/bgzf.h"
#include "fs/native/binning_index.h"

namespace plainfs {

namespace {

constexpr size_t kReadAtOnce = size_t{1} << 20;

// Calls visit(line, offset) for each line of text, without its line feed.
template <class Visit>
void for_each_line(ViewFile& text, Visit&& visit) {
  std::string cut;  // a line that goes on in the next part
  uint64_t line_start = 0;
  for (uint64_t at = 0, size = text.size(); at < size;) {
    check_cancelled();
    const Slices slices = text.read(at, kReadAtOnce);
    for (const iovec& part : slices.parts) {
      std::string_view rest(static_cast<const char*>(part.iov_base), part.iov_len);
      while (!rest.empty()) {
        const size_t end = rest.find('\n');
        if (end == rest.npos) {
          cut.append(rest);
          break;
        }
        std::string_view line = rest.substr(0, end);
        if (!cut.empty()) line = cut.append(line);
        visit(line, line_start);
        line_start += line.size() + 1;
        cut.clear();
        rest.remove_prefix(end + 1);
      }
    }
    if (slices.size() == 0) throw unreadable("the text ends at {} of {} bytes", at, size);
    at += slices.size();
  }
}

struct Interval {
  std::string_view name;
  uint64_t start;
  uint64_t end;
};

// The number that text begins with up to a tab; its digits and the tab are taken away.
uint64_t take_number(std::string_view& text, std::string_view line) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<size_t>(end - text.data());
  if (error != std::errc() || length == text.size() || text[length] != '\t')
    throw damaged("a line is no fragment: {}", line.substr(0, 100));
  text.remove_prefix(length + 1);
  return value;
}

Interval interval_of(std::string_view line) {
  const size_t tab = line.find('\t');
  if (tab == line.npos) throw damaged("a line is no fragment: {}", line.substr(0, 100));
  std::string_view rest = line.substr(tab + 1);
  const uint64_t start = take_number(rest, line);
  return {line.substr(0, tab), start, take_number(rest, line)};
}

class Indexer {
 public:
  explicit Indexer(Binning binning) : binning_(binning) {}

  void add(const Interval& interval, uint64_t offset) {
    const auto& [name, start, end] = interval;
    if (names_.empty() || name != names_.back())
      begin_chromosome(name, offset);
    else if (start < last_start_)
      throw unsupported("the fragments of {} are not in the order of their starts: {} after {}", name, start,
                        last_start_);
    if (end < start) throw unsupported("a fragment of {} ends at {}, before its start {}", name, end, start);
    if (end > binning_.positions() || start >= binning_.positions())
      throw unsupported("position {} of {} is too large for this kind of index", std::max(start, end), name);
    last_start_ = start;
    // An empty interval is found as the position it stands at.
    chromosomes_.back().add(start, std::max(end, start + 1), offset);
  }

  void finish(uint64_t offset) {
    if (!chromosomes_.empty()) chromosomes_.back().finish(offset);
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<ChromosomeIndex>& chromosomes() const { return chromosomes_; }

 private:
  void begin_chromosome(std::string_view name, uint64_t offset) {
    if (!known_.emplace(name).second)
      throw unsupported("the fragments of {} do not stand in one place", name);
    finish(offset);
    names_.emplace_back(name);
    chromosomes_.emplace_back(binning_);
  }

  const Binning binning_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> known_;
  std::vector<ChromosomeIndex> chromosomes_;
  uint64_t last_start_ = 0;
};

// Little-endian numbers, as htslib writes them.
class Writer {
 public:
  void bytes(std::string_view text) { out_ += text; }
  void u32(uint64_t value) { number(value, 4); }
  void u64(uint64_t value) { number(value, 8); }
  std::string finish() { return std::move(out_); }

 private:
  void number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) out_ += static_cast<char>(value >> (8 * i));
  }
  std::string out_;
};

// The columns of BED, as tabix calls them: preset, sequence, begin, end, comment sign, lines to skip.
void put_columns(const std::vector<std::string>& names, Writer& out) {
  for (const uint64_t column : {0x10000, 1, 2, 3, int{'#'}, 0}) out.u32(column);
  uint64_t length = 0;
  for (const std::string& name : names) length += name.size() + 1;
  out.u32(length);
  for (const std::string& name : names) out.bytes(std::string_view(name.c_str(), name.size() + 1));
}

void put_chunks(const std::vector<IndexChunk>& chunks, Writer& out) {
  out.u32(chunks.size());
  for (const IndexChunk& chunk : chunks) {
    out.u64(chunk.begin);
    out.u64(chunk.end);
  }
}

void put_bins(const ChromosomeIndex& chromosome, Binning binning, FragmentsIndex kind, Writer& out) {
  const std::vector<uint64_t>& windows = chromosome.windows();
  out.u32(chromosome.bins().size() + 1);
  for (const auto& [bin, chunks] : chromosome.bins()) {
    out.u32(bin);
    const uint64_t leaf = binning.first_leaf(bin);
    if (kind == FragmentsIndex::csi) out.u64(leaf < windows.size() ? windows[leaf] : 0);
    put_chunks(chunks, out);
  }
  out.u32(binning.count_bin());
  if (kind == FragmentsIndex::csi) out.u64(0);
  put_chunks({{chromosome.begin(), chromosome.end()}, {chromosome.lines(), 0}}, out);
  if (kind == FragmentsIndex::csi) return;
  out.u32(windows.size());
  for (const uint64_t window : windows) out.u64(window);
}

std::string written(const Indexer& index, Binning binning, FragmentsIndex kind) {
  Writer out;
  const std::vector<std::string>& names = index.names();
  if (kind == FragmentsIndex::tbi) {
    out.bytes(std::string_view("TBI\1", 4));
    out.u32(names.size());
    put_columns(names, out);
  } else {
    Writer columns;
    put_columns(names, columns);
    const std::string text = columns.finish();
    out.bytes(std::string_view("CSI\1", 4));
    out.u32(Binning::kLeafBits);
    out.u32(binning.depth);
    out.u32(text.size());
    out.bytes(text);
    out.u32(names.size());
  }
  for (const ChromosomeIndex& chromosome : index.chromosomes()) put_bins(chromosome, binning, kind, out);
  out.u64(0);  // lines without a position
  return out.finish();
}

}  // namespace

std::string fragments_index(ViewFile& text, FragmentsIndex kind) {
  const Binning binning{kind == FragmentsIndex::tbi ? 5u : 6u};
  Indexer index(binning);
  const uint64_t size = text.size();
  for_each_line(text, [&](std::string_view line, uint64_t offset) {
    index.add(interval_of(line), bgzf_virtual_offset(offset, size));
  });
  index.finish(bgzf_virtual_offset(size, size));
  return written(index, binning, kind);
}

}  // namespace plainfs
