#include "formats/core/text/csv_records.h"

#include <algorithm>
#include <cstdint>

#include "formats/core/base/error.h"

namespace plainfs {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<CsvRecord> read() {
    std::vector<CsvRecord> records;
    while (at_ < text_.size()) {
      if (take_line_end()) continue;
      CsvRecord record{field()};
      while (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        record.push_back(field());
      }
      if (at_ < text_.size() && !take_line_end()) throw damaged("line {}: text after a closing quote", line_);
      records.push_back(std::move(record));
    }
    return records;
  }

 private:
  bool take_line_end() {
    const size_t length = text_.substr(at_).starts_with("\r\n") ? 2
                          : text_.substr(at_).starts_with("\n") ? 1
                                                                : 0;
    at_ += length;
    line_ += length > 0;
    return length > 0;
  }

  CsvField field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    const std::string_view plain = text_.substr(at_, end - at_);
    at_ = end;
    if (!plain.ends_with('\r') || end == text_.size()) return {std::string(plain), false};
    --at_;
    return {std::string(plain.substr(0, plain.size() - 1)), false};
  }

  CsvField quoted() {
    const uint64_t line = line_;
    CsvField field{{}, true};
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) {
        ++at_;
        return field;
      }
      if (text_[at_] == '"') ++at_;
      line_ += text_[at_] == '\n';
      field.text += text_[at_];
    }
    throw damaged("line {}: a quote is not closed", line);
  }

  const std::string_view text_;
  size_t at_ = 0;
  uint64_t line_ = 1;
};

}  // namespace

std::vector<CsvRecord> csv_records(std::string_view text) {
  return Reader(text).read();
}

}  // namespace plainfs
