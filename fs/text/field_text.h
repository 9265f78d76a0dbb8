// Formats one element of any DType as a CSV or TSV field (fs/VIEWS.md, section 2). Text that is not valid
// UTF-8 is reported as damaged. All functions require that `elements` has the type `type` and that i <
// elements.count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/elements.h"
#include "fs/text/sink.h"

namespace plainfs {

// Returns whether `text` must be quoted as a CSV field: by RFC 4180, or because it would otherwise be read as
// missing or empty. Throws damaged if it is not valid UTF-8.
bool needs_quotes(std::string_view text);

template <class Sink>
void put_csv_text(std::string_view text, Sink& sink) {
  if (!needs_quotes(text)) return sink.put(text);
  sink.put('"');
  for (size_t quote; (quote = text.find('"')) != text.npos; text.remove_prefix(quote + 1)) {
    sink.put(text.substr(0, quote + 1));
    sink.put('"');
  }
  sink.put(text);
  sink.put('"');
}

// Appends the element as a TSV field. It is never quoted; each TAB, CR and LF in it becomes one blank.
void append_tsv_field(const DType& type, const Elements& elements, uint64_t i, std::string& out);

// Writes the element as a CSV field. `scratch` is overwritten; callers pass it in to reuse its memory.
template <class Sink>
void put_csv_field(const DType& type, const Elements& elements, uint64_t i, std::string& scratch,
                   Sink& sink) {
  if (elements.is_missing(i)) return sink.put(std::string_view("NA"));
  switch (type.kind) {
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
      return visit_number(type, [&](auto zero) { sink.put_number(elements.values<decltype(zero)>()[i]); });
    case Kind::boolean:
      return sink.put(std::string_view(elements.values<uint8_t>()[i] ? "TRUE" : "FALSE"));
    case Kind::text:
      return put_csv_text(elements.text(i), sink);
    default:
      scratch.clear();
      if (append_plain(type, elements, i, scratch))
        put_csv_text(scratch, sink);
      else
        sink.put(std::string_view(scratch));
  }
}

// Returns the number of characters of the CSV fields of elements [first, first + count) together. Does not
// write them if they are numbers, truth values or plain text.
uint64_t csv_field_lengths(const DType& type, const Elements& elements, uint64_t first, uint64_t count);

// Returns for each element how many more characters its CSV field has than that of a zero. Requires: `type`
// is of numbers.
std::vector<int8_t> csv_widths_beyond_zero(const DType& type, const Elements& elements);

// Returns the approximate number of characters of an element of `type`, for choosing how many elements make a
// block.
uint64_t typical_width(const DType& type);
// Returns the approximate number of characters of an element as text. Looks at the first few elements if
// their length varies.
uint64_t sampled_width(const Array& array);

}  // namespace plainfs
