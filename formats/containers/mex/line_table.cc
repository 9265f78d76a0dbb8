#include "formats/containers/mex/line_table.h"

#include <algorithm>
#include <utility>

#include "cache/request.h"
#include "formats/containers/mex/fields.h"
#include "formats/core/base/error.h"
#include "formats/core/text/csv_records.h"
#include "formats/core/text/split.h"
#include "formats/core/unpacked/unpacked_file.h"

namespace plainfs::mex {
namespace {

constexpr size_t kNamesPieceBytes = 256 << 10;
constexpr size_t kMaxNamesLineBytes = size_t{64} << 20;  // of a table of counts

// Calls visit(line) for each line of text, without its end.
template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    visit(without_line_end(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

// One field of every line. Its chunks are the pieces.
class LineTable::Column final : public Array {
 public:
  Column(std::shared_ptr<const LineTable> table, size_t field)
      : Array(text_type(), {table->lines()}),
        table_(std::move(table)),
        field_(field),
        cache_owner_(table_->context_.cache.new_owner()) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const uint64_t end = box.origin[0] + box.extent[0];
    const std::vector<Piece>& pieces = table_->pieces_;
    Elements elements = zero_elements(dtype(), 0);
    const auto after = std::upper_bound(pieces.begin(), pieces.end(), box.origin[0],
                                        [](uint64_t line, const Piece& piece) { return line < piece.line; });
    size_t number = static_cast<size_t>(after - pieces.begin()) - 1;
    for (uint64_t at = box.origin[0]; at < end; ++number) {
      const uint64_t some = std::min(end, pieces[number + 1].line) - at;
      if (some > 0) append(dtype(), elements, *piece(number), at - pieces[number].line, some);
      at += some;
    }
    return elements;
  }
  Shape chunk_shape() const override {
    const std::vector<Piece>& pieces = table_->pieces_;
    return {std::max<uint64_t>(1, pieces.size() > 1 ? pieces[1].line : count())};
  }
  bool may_be_missing() const override { return false; }

 private:
  std::shared_ptr<const Elements> piece(size_t number) const {
    return table_->context_.cache.get<Elements>({cache_owner_, number}, [&] { return parse(number); });
  }

  Elements parse(size_t number) const {
    const Piece &begin = table_->pieces_[number], &end = table_->pieces_[number + 1];
    const Bytes bytes = table_->text_->read_at(begin.offset, static_cast<size_t>(end.offset - begin.offset));
    TextBuilder builder(end.line - begin.line);
    std::string scratch;
    uint64_t line_number = begin.line;
    for_each_line(as_text(bytes), [&](std::string_view line) {
      ++line_number;
      try {
        builder.add(table_->field_of(line, field_, scratch));
      } catch (const Error& error) {
        throw error.at(
            fmt::format("{}: line {}", table_->text_->path(), line_number + !table_->header_.empty()));
      }
    });
    Elements elements = builder.finish();
    if (elements.count != end.line - begin.line) throw changed(table_->text_->path());
    return elements;
  }

  const std::shared_ptr<const LineTable> table_;
  const size_t field_;
  const uint64_t cache_owner_;
};

std::shared_ptr<const LineTable> LineTable::open(const FilePtr& file, char separator, bool has_header,
                                                 Context& context) {
  const Bytes first = file->read_at(0, static_cast<size_t>(std::min<uint64_t>(6, file->size())));
  const unpacked::Compression compression = unpacked::compression_of(first);
  FilePtr text =
      compression == unpacked::Compression::none
          ? file
          : unpacked::unpacked_file(file, compression, unpacked::max_decompressed_bytes(file->size()),
                                    "the lines of the names", context);
  const std::shared_ptr<LineTable> table(new LineTable(std::move(text), separator, context));
  table->find_lines(has_header);
  return table;
}

void LineTable::find_lines(bool has_header) {
  uint64_t offset = 0, lines = 0;
  bool is_first = true;
  const uint64_t size = text_->size();
  pieces_.push_back({0, 0});
  while (offset < size) {
    check_cancelled();
    Bytes bytes =
        text_->read_at(offset, static_cast<size_t>(std::min<uint64_t>(kNamesPieceBytes, size - offset)));
    std::string_view text = as_text(bytes);
    const bool is_last = offset + text.size() == size;
    const size_t last_end = text.rfind('\n');
    if (!is_last && last_end == std::string_view::npos) {
      bytes =
          text_->read_at(offset, static_cast<size_t>(std::min<uint64_t>(kMaxNamesLineBytes, size - offset)));
      text = as_text(bytes).substr(0, as_text(bytes).find('\n'));
      if (text.size() == kMaxNamesLineBytes)
        throw damaged("{}: a line has over {} bytes", text_->path(), kMaxNamesLineBytes);
      text = as_text(bytes).substr(0, std::min(text.size() + 1, bytes.size()));
    } else if (!is_last) {
      text = text.substr(0, last_end + 1);
    }
    if (is_first) {
      const std::string_view line = without_line_end(text.substr(0, text.find('\n')));
      std::vector<std::string> fields = fields_of(line);
      fields_ = fields.size();
      is_first = false;
      if (has_header) {
        header_ = std::move(fields);
        pieces_.front().offset = offset = std::min<uint64_t>(
            size, text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1);
        continue;
      }
    }
    lines += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')) + !text.ends_with('\n');
    offset += text.size();
    pieces_.push_back({offset, lines});
  }
}

std::vector<std::string> LineTable::fields_of(std::string_view line) const {
  std::vector<std::string> fields;
  if (separator_ == ',') {
    for (const CsvRecord& record : csv_records(line))
      for (const CsvField& field : record) fields.push_back(field.text);
    return fields;
  }
  for (const std::string_view field : split(line, separator_)) fields.emplace_back(field);
  return fields;
}

// Returns one field of a line, in the line itself or in scratch.
std::string_view LineTable::field_of(std::string_view line, size_t field, std::string& scratch) const {
  if (separator_ == ',' && line.find('"') != std::string_view::npos) {
    std::vector<std::string> fields = fields_of(line);
    if (field >= fields.size()) throw damaged("{} fields, expected {}", fields.size(), fields_);
    scratch = std::move(fields[field]);
    return scratch;
  }
  if (line.starts_with('"') && field == 0 && !header_.empty()) {
    bool has_more = false;
    return next_table_field(line, separator_, scratch, has_more);
  }
  size_t at = 0;
  for (size_t i = 0; i < field; ++i) {
    const size_t end = line.find(separator_, at);
    if (end == std::string_view::npos) throw damaged("{} fields, expected {}", i + 1, fields_);
    at = end + 1;
  }
  return line.substr(at, line.find(separator_, at) - at);
}

ArrayPtr LineTable::column(size_t field) const {
  return std::make_shared<Column>(shared_from_this(), field);
}

}  // namespace plainfs::mex
