// A text of lines with fields, such as a list of names, compressed or not. Opening it reads it once, to find
// the lines; afterwards its pieces are parsed when they are needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs::mex {

class LineTable : public std::enable_shared_from_this<LineTable> {
 public:
  // separator: the character between fields. has_header: the first line has the names of the fields. Fields
  // of a text with commas may be quoted, and the first one of any text with a header. The last line end is
  // optional. Throws damaged if the text does not decompress.
  static std::shared_ptr<const LineTable> open(const FilePtr& file, char separator, bool has_header,
                                               Context& context);

  // Returns the number of lines, without the header.
  uint64_t lines() const { return pieces_.back().line; }
  // Returns the number of fields of the first line.
  size_t fields() const { return fields_; }
  // Returns the names of the fields in the header; empty without a header.
  const std::vector<std::string>& header() const { return header_; }
  // Returns a field of every line, as text. Reading throws damaged if a line does not have it.
  ArrayPtr column(size_t field) const;

 private:
  class Column;
  struct Piece {
    uint64_t offset;  // of its first byte in the decompressed text
    uint64_t line;    // number of lines before it
  };

  LineTable(FilePtr text, char separator, Context& context)
      : text_(std::move(text)), separator_(separator), context_(context) {}
  void find_lines(bool has_header);
  std::vector<std::string> fields_of(std::string_view line) const;
  std::string_view field_of(std::string_view line, size_t field, std::string& scratch) const;

  const FilePtr text_;  // decompressed
  const char separator_;
  Context& context_;
  std::vector<Piece> pieces_;  // and the end of the last one
  std::vector<std::string> header_;
  size_t fields_ = 0;
};

}  // namespace plainfs::mex
