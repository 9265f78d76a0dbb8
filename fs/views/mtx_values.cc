#include "fs/views/mtx_values.h"

#include <fmt/format.h>

#include "formats/core/text/number_text.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

bool is_whole(Kind kind) {
  return kind == Kind::integer || kind == Kind::unsigned_integer || kind == Kind::boolean ||
         kind == Kind::logical || kind == Kind::enumeration;
}

}  // namespace

bool has_mtx_values(const DType& type) {
  return is_whole(type.kind) || type.kind == Kind::real;
}

DType mtx_number_type(const DType& type) {
  if (type.kind == Kind::boolean) return number_type(Kind::unsigned_integer, 1);
  if (type.kind == Kind::logical || type.kind == Kind::enumeration) return number_type(type.base, type.size);
  return type;
}

std::string mtx_head(const DType& type, uint64_t rows, uint64_t columns, uint64_t entries,
                     bool is_symmetric) {
  return fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n",
                     is_whole(type.kind) ? "integer" : "real", is_symmetric ? "symmetric" : "general", rows,
                     columns, entries);
}

uint64_t mtx_line_width(uint64_t rows, uint64_t columns, const DType& type) {
  return number_length(rows) + number_length(columns) + 3 + typical_width(type) / 2;
}

}  // namespace plainfs
