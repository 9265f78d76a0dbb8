#include "formats/containers/mex/entry_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/error.h"

namespace plainfs::mex {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr size_t kMaxEntryBytes = size_t{64} << 10, kMaxRowBytes = size_t{64} << 20;

// Reads a text in pieces that end at the ends of lines.
class Pieces {
 public:
  Pieces(unpacked::ByteSource& source, size_t max_line) : source_(source), max_line_(max_line) {}

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
    size_t kept = 0;
    do {
      const size_t before = piece.size();
      piece.resize(before + kPieceBytes);
      const size_t more = source_.read(std::as_writable_bytes(std::span(piece.data() + before, kPieceBytes)));
      piece.resize(before + more);
      has_ended_ = more < kPieceBytes;
      if (has_ended_) return piece;
      const size_t end = piece.rfind('\n');
      kept = end == std::string::npos ? 0 : end + 1;
      if (piece.size() - kept > max_line_) throw damaged("a line has more than {} bytes", max_line_);
    } while (kept == 0);
    rest_ = piece.substr(kept);
    piece.resize(kept);
    return piece;
  }

  unpacked::ByteSource& source_;
  const size_t max_line_;
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
  uint64_t count = 0, lines = 0, full_lines = 0, bytes = 0;
  bool has_wide_integers = false, has_missing = false, are_whole = true;
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
      : pieces_(source, max_line_bytes(header)), header_(header), context_(context) {}

  EntryMap run() {
    map_.pieces.push_back({header_.body, 0, header_.lines});
    map_.are_whole = header_.is_dense();
    const size_t at_once = 2 * (context_.workers.threads() + 1);
    std::vector<std::string> texts = pieces_.read(at_once);
    while (!texts.empty()) {
      std::vector<std::string> next;
      std::vector<Summary> summaries(texts.size());
      std::vector<std::optional<Error>> faults(texts.size());
      const std::vector<uint64_t> first_lines = first_lines_of(texts);
      context_.workers.parallel_for(texts.size() + 1, [&](size_t i) {
        if (i == 0)
          next = pieces_.read(at_once);
        else
          summarise(texts[i - 1], first_lines[i - 1], summaries[i - 1], faults[i - 1]);
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
  // Returns the numbers of the first lines, as far as they matter before a piece is parsed: of dense lines.
  // The others are known after the pieces before them.
  std::vector<uint64_t> first_lines_of(const std::vector<std::string>& texts) const {
    std::vector<uint64_t> numbers(texts.size(), 1);
    if (!header_.is_dense()) return numbers;
    uint64_t next = map_.pieces.back().line + 1;
    for (size_t i = 0; i < texts.size(); ++i) {
      numbers[i] = next;
      next += static_cast<uint64_t>(std::count(texts[i].begin(), texts[i].end(), '\n'));
    }
    return numbers;
  }

  void summarise(const std::string& text, uint64_t first_line, Summary& summary,
                 std::optional<Error>& fault) const {
    try {
      const Entries entries = read_entries(text, header_, first_line);
      summary.count = entries.count();
      summary.lines = entries.lines;
      summary.full_lines = entries.full_lines;
      summary.bytes = text.size();
      summary.has_missing = !entries.missing.empty();
      // A dense text is in one order, or, if it is symmetric, in none.
      summary.are_whole = std::all_of(entries.real.begin(), entries.real.end(), is_whole);
      summary.by_column = Side(entries.column, entries.row);
      summary.by_row = Side(entries.row, entries.column);
      summary.has_wide_integers =
          std::any_of(
              entries.integer.begin(), entries.integer.end(),
              [](int64_t value) { return value != static_cast<int32_t>(value) || value == kNaOfR; }) ||
          (header_.is_dense() && std::any_of(entries.real.begin(), entries.real.end(), [](double value) {
             return std::abs(value) > std::numeric_limits<int32_t>::max();
           }));
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
    if (header_.is_dense() && has_blank_ && summary.full_lines > 0)
      throw damaged("line {}: blank", before.line);
    has_blank_ |= summary.lines > summary.full_lines;
    if (header_.layout != Layout::table && summary.full_lines > header_.entries - map_.full_lines)
      throw damaged("there are more entries than the {} of the header, after line {}", header_.entries,
                    before.line);
    by_column_.add(summary.by_column, summary.count, before.entry);
    by_row_.add(summary.by_row, summary.count, before.entry);
    map_.has_wide_integers |= summary.has_wide_integers;
    map_.has_missing |= summary.has_missing;
    map_.are_whole &= summary.are_whole;
    map_.full_lines += summary.full_lines;
    map_.pieces.push_back(
        {before.offset + summary.bytes, before.entry + summary.count, before.line + summary.lines});
  }

  EntryMap finish() {
    if (header_.layout != Layout::table && map_.full_lines != header_.entries)
      throw damaged("the text has {} entries, expected {} as in its header; copy or download the file again",
                    map_.full_lines, header_.entries);
    if (by_column_.rises()) {
      map_.order = Order::by_column;
      by_column_.move_to(map_);
    } else if (by_row_.rises()) {
      map_.order = Order::by_row;
      by_row_.move_to(map_);
    }
    return std::move(map_);
  }

  // Returns whether an integer of 64 bits has the value exactly.
  static bool is_whole(double value) {
    constexpr double kMax = 9007199254740992;  // 2^53
    return std::abs(value) <= kMax && value == std::trunc(value);
  }

  // R's integers have no such value.
  static constexpr int64_t kNaOfR = std::numeric_limits<int32_t>::min();

  Pieces pieces_;
  const Header& header_;
  Context& context_;
  EntryMap map_;
  RisingEntries by_column_, by_row_;
  bool has_blank_ = false;  // a line was blank
};

}  // namespace

uint64_t max_line_bytes(const Header& header) {
  return header.layout == Layout::table ? kMaxRowBytes : kMaxEntryBytes;
}

uint64_t max_piece_bytes(const Header& header) {
  return kPieceBytes + max_line_bytes(header);
}

EntryMap find_entries(unpacked::ByteSource& source, const Header& header, Context& context) {
  return EntryPass(source, header, context).run();
}

}  // namespace plainfs::mex
