#include "formats/containers/bpcells/stored_files.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/text/split.h"

namespace plainfs::bpcells {
namespace {

constexpr size_t kHeaderSize = 8;
constexpr uint64_t kReadAtOnce = 1 << 20;  // bytes per read while counting lines
constexpr uint64_t kMarkEvery = 64 << 10;  // least number of bytes between two marks
constexpr uint64_t kMaxLineBytes = 16 << 20;

std::string_view header_of(const DType& type) {
  if (type.kind == Kind::real) return type.size == 4 ? "FLOATSv1" : "DOUBLEv1";
  return type.size == 4 ? "UINT32v1" : "UINT64v1";
}

class NumberFile final : public Array {
 public:
  NumberFile(std::string path, const DType& type, uint64_t count, Context& context)
      : Array(type, {count}), path_(std::move(path)), context_(context) {}

  Shape chunk_shape() const override { return {std::clamp<uint64_t>(shape()[0], 1, 1 << 16)}; }
  bool may_be_missing() const override { return false; }

  Elements read(const Box& box) const override {
    const uint64_t size = dtype().size;
    Bytes stored =
        context_.files.open(path_)->read_at(kHeaderSize + box.origin[0] * size, box.extent[0] * size);
    return unpack(dtype(), std::move(stored), box.extent[0]);
  }

 private:
  std::string path_;  // instead of the open file, since the pool bounds the number of open files
  Context& context_;
};

// The offset at which a line begins.
struct Mark {
  uint64_t line;
  uint64_t offset;
};

class LineCounter {
 public:
  // Adds the next bytes of the file.
  void add(std::string_view text) {
    size_t at = 0;
    for (size_t end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1) {
      end_line(offset_ + end + 1);
    }
    offset_ += text.size();
    check_length(offset_);
  }

  // Returns the number of lines of the file that was added. marks() then ends with the end of the file.
  uint64_t finish() {
    if (offset_ > line_start_) end_line(offset_);
    if (marks_.back().offset != offset_) marks_.push_back({lines_, offset_});
    return lines_;
  }

  std::vector<Mark> marks() && { return std::move(marks_); }

 private:
  void end_line(uint64_t next) {
    check_length(next);
    ++lines_;
    line_start_ = next;
    if (next - marks_.back().offset >= kMarkEvery) marks_.push_back({lines_, next});
  }

  void check_length(uint64_t end) const {
    if (end - line_start_ > kMaxLineBytes) {
      throw damaged("line {} is longer than {} bytes", lines_ + 1, kMaxLineBytes);
    }
  }

  std::vector<Mark> marks_{{0, 0}};
  uint64_t lines_ = 0;
  uint64_t line_start_ = 0;
  uint64_t offset_ = 0;
};

class LineFile final : public Array {
 public:
  LineFile(std::string path, uint64_t lines, std::vector<Mark> marks, Context& context)
      : Array(text_type(), {lines}), path_(std::move(path)), marks_(std::move(marks)), context_(context) {}

  Shape chunk_shape() const override {
    const uint64_t parts = std::max<uint64_t>(marks_.size() - 1, 1);
    return {std::max<uint64_t>(shape()[0] / parts, 1)};
  }
  bool may_be_missing() const override { return false; }

  Elements read(const Box& box) const override {
    const uint64_t first = box.origin[0];
    const uint64_t count = box.extent[0];
    if (count == 0) return zero_elements(dtype(), 0);
    const auto begin =
        std::prev(std::upper_bound(marks_.begin(), marks_.end(), first,
                                   [](uint64_t line, const Mark& mark) { return line < mark.line; }));
    const auto end = std::lower_bound(begin, marks_.end(), first + count,
                                      [](const Mark& mark, uint64_t line) { return mark.line < line; });
    const Bytes bytes = context_.files.open(path_)->read_at(begin->offset, end->offset - begin->offset);
    return lines(as_text(bytes), first - begin->line, count);
  }

 private:
  // Returns count lines of text after the first skip lines.
  Elements lines(std::string_view text, uint64_t skip, uint64_t count) const {
    TextBuilder names(count);
    for (uint64_t i = 0; i < skip + count; ++i) {
      if (text.empty()) throw unreadable("{} has changed", path_);
      std::string_view line = take_part(text, '\n');
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (i >= skip) names.add(line);
    }
    return names.finish();
  }

  std::string path_;
  std::vector<Mark> marks_;  // the first line, one line every kMarkEvery bytes, the end of the file
  Context& context_;
};

}  // namespace

ArrayPtr number_file(const std::string& path, const DType& type, Context& context) {
  const FilePtr file = context.files.open(path);
  if (file->size() < kHeaderSize) throw damaged("{} bytes are too short for a header", file->size());
  const Bytes header = file->read_at(0, kHeaderSize);
  const std::string_view expected = header_of(type);
  if (as_text(header) != expected) {
    if (std::equal(header.rbegin(), header.rend(), as_byte_span(expected).begin())) {
      throw damaged("the header is byte-swapped; the file was written on a big-endian machine");
    }
    std::string text;
    write_json_text(as_text(header), text);
    throw damaged("the header is {}, expected {}", text, expected);
  }
  return std::make_shared<NumberFile>(path, type, (file->size() - kHeaderSize) / type.size, context);
}

ArrayPtr line_file(const std::string& path, Context& context) {
  const FilePtr file = context.files.open(path);
  LineCounter counter;
  for (uint64_t offset = 0; offset < file->size(); offset += kReadAtOnce) {
    counter.add(as_text(file->read_at(offset, std::min(kReadAtOnce, file->size() - offset))));
  }
  const uint64_t lines = counter.finish();
  return std::make_shared<LineFile>(path, lines, std::move(counter).marks(), context);
}

}  // namespace plainfs::bpcells
