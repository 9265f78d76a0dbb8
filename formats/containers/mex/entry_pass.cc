#include "formats/containers/mex/entry_pass.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/error.h"

namespace plainfs::mex {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr size_t kMaxLineBytes = kMaxPieceBytes - kPieceBytes;

// Reads a text in pieces that end at the ends of lines.
class Pieces {
 public:
  explicit Pieces(unpacked::ByteSource& source) : source_(source) {}

  // Returns the next `count` pieces, fewer at the end of the text.
  std::vector<std::string> read(size_t count) {
    std::vector<std::string> pieces;
    while (pieces.size() < count && !has_ended_) {
      std::string piece = read_one();
      if (!piece.empty()) pieces.push_back(std::move(piece));
    }
    return pieces;
  }

 private:
  std::string read_one() {
    check_cancelled();
    std::string piece = std::exchange(rest_, {});
    const size_t before = piece.size();
    piece.resize(before + kPieceBytes);
    const size_t more = source_.read(std::as_writable_bytes(std::span(piece.data() + before, kPieceBytes)));
    piece.resize(before + more);
    has_ended_ = more < kPieceBytes;
    if (has_ended_) return piece;
    const size_t end = piece.rfind('\n');
    const size_t kept = end == std::string::npos ? 0 : end + 1;
    if (piece.size() - kept > kMaxLineBytes) throw damaged("a line has more than {} bytes", kMaxLineBytes);
    rest_ = piece.substr(kept);
    piece.resize(kept);
    return piece;
  }

  unpacked::ByteSource& source_;
  std::string rest_;  // the beginning of a line
  bool has_ended_ = false;
};

// The entries of a list in which each major is followed by one that is not lower.
struct MajorRun {
  uint32_t major;
  uint32_t count;
};

struct Position {
  uint32_t major = 0, minor = 0;
  auto operator<=>(const Position&) const = default;
};

// The entries of one piece along one side.
struct Side {
  bool rises = true;
  Position first, last;
  std::vector<MajorRun> runs;  // meaningless if it does not rise

  Side() = default;
  Side(const std::vector<uint32_t>& majors, const std::vector<uint32_t>& minors) {
    if (majors.empty()) return;
    first = {majors.front(), minors.front()};
    last = {majors.back(), minors.back()};
    for (size_t i = 0; i < majors.size() && rises; ++i) {
      if (i > 0) rises = Position{majors[i - 1], minors[i - 1]} < Position{majors[i], minors[i]};
      if (runs.empty() || runs.back().major != majors[i]) runs.push_back({majors[i], 0});
      ++runs.back().count;
    }
  }
};

struct Summary {
  uint64_t count = 0, lines = 0, bytes = 0;
  bool has_wide_integers = false, has_missing = false;
  Side by_column, by_row;
};

// Joins the sides of the pieces.
class RisingEntries {
 public:
  void add(const Side& side, uint64_t count, uint64_t before) {
    if (!rises_ || count == 0) return;
    rises_ = side.rises && (before == 0 || last_ < side.first);
    if (!rises_) {
      majors_ = {};
      ends_ = {};
      return;
    }
    uint64_t end = before;
    for (const MajorRun& run : side.runs) {
      end += run.count;
      if (!majors_.empty() && majors_.back() == run.major) {
        ends_.back() = end;
      } else {
        majors_.push_back(run.major);
        ends_.push_back(end);
      }
    }
    last_ = side.last;
  }
  bool rises() const { return rises_; }
  void move_to(EntryMap& map) {
    map.majors = std::move(majors_);
    map.ends = std::move(ends_);
  }

 private:
  bool rises_ = true;
  Position last_;
  std::vector<uint32_t> majors_;
  std::vector<uint64_t> ends_;
};

class EntryPass {
 public:
  EntryPass(unpacked::ByteSource& source, const Header& header, Context& context)
      : pieces_(source), header_(header), context_(context) {}

  EntryMap run() {
    map_.pieces.push_back({header_.body, 0, header_.lines});
    const size_t at_once = 2 * (context_.workers.threads() + 1);
    std::vector<std::string> texts = pieces_.read(at_once);
    while (!texts.empty()) {
      std::vector<std::string> next;
      std::vector<Summary> summaries(texts.size());
      std::vector<std::optional<Error>> faults(texts.size());
      context_.workers.parallel_for(texts.size() + 1, [&](size_t i) {
        if (i == 0)
          next = pieces_.read(at_once);
        else
          summarise(texts[i - 1], summaries[i - 1], faults[i - 1]);
      });
      for (size_t i = 0; i < texts.size(); ++i) {
        if (faults[i]) throw_fault(texts[i]);
        add(summaries[i]);
      }
      texts = std::move(next);
    }
    return finish();
  }

 private:
  void summarise(const std::string& text, Summary& summary, std::optional<Error>& fault) const {
    try {
      // The number of a line is known only after the pieces before it.
      const Entries entries = read_entries(text, header_, 1);
      summary.count = entries.count();
      summary.lines = entries.lines;
      summary.bytes = text.size();
      summary.has_missing = !entries.missing.empty();
      summary.by_column = Side(entries.column, entries.row);
      summary.by_row = Side(entries.row, entries.column);
      summary.has_wide_integers =
          std::any_of(entries.integer.begin(), entries.integer.end(),
                      [](int64_t value) { return value != static_cast<int32_t>(value) || value == kNaOfR; });
    } catch (const Error& error) {
      fault = error;
    }
  }

  // Throws the fault of a piece with the number of its line in the whole text.
  [[noreturn]] void throw_fault(const std::string& text) const {
    read_entries(text, header_, map_.pieces.back().line + 1);
    throw damaged("the text cannot be parsed");
  }

  void add(const Summary& summary) {
    const Piece& before = map_.pieces.back();
    if (summary.count > header_.entries - before.entry)
      throw damaged("there are more entries than the {} of the header, after line {}", header_.entries,
                    before.line);
    by_column_.add(summary.by_column, summary.count, before.entry);
    by_row_.add(summary.by_row, summary.count, before.entry);
    map_.has_wide_integers |= summary.has_wide_integers;
    map_.has_missing |= summary.has_missing;
    map_.pieces.push_back(
        {before.offset + summary.bytes, before.entry + summary.count, before.line + summary.lines});
  }

  EntryMap finish() {
    if (map_.pieces.back().entry != header_.entries)
      throw damaged("the text has {} entries, expected {} as in its header; copy or download the file again",
                    map_.pieces.back().entry, header_.entries);
    if (by_column_.rises()) {
      map_.order = Order::by_column;
      by_column_.move_to(map_);
    } else if (by_row_.rises()) {
      map_.order = Order::by_row;
      by_row_.move_to(map_);
    }
    return std::move(map_);
  }

  // R's integers have no such value.
  static constexpr int64_t kNaOfR = std::numeric_limits<int32_t>::min();

  Pieces pieces_;
  const Header& header_;
  Context& context_;
  EntryMap map_;
  RisingEntries by_column_, by_row_;
};

}  // namespace

EntryMap find_entries(unpacked::ByteSource& source, const Header& header, Context& context) {
  return EntryPass(source, header, context).run();
}

}  // namespace plainfs::mex
