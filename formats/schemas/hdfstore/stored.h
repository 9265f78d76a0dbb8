// pandas' attributes and values, converted from their stored form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::hdfstore {

// Returns the attribute called name as PyTables does: the content of a text that is a pickle. Null if it is
// absent or None.
Json attribute_of(const Attributes& attributes, std::string_view name);

// Returns the name of a column or a level: a text, or the JSON text of any other value; for a tuple, its
// parts with dots between them.
std::string name_of(const Json& label);
std::vector<std::string> names_of(const Json& list);

// The meaning of a run of values.
struct Meaning {
  std::string kind;              // in pandas' words: "datetime64", "bytes24", "int64"; empty = as stored
  std::string nan_text = "nan";  // the text that represents a missing one
};

// Returns values, of rank 1, as meaning describes: times, texts with missing ones, truth values.
ArrayPtr as_kind(ArrayPtr values, const Meaning& meaning);

// Returns column j of a matrix with a row for each row of the table, or of its transpose.
ArrayPtr column_of(ArrayPtr matrix, uint64_t j, bool is_transposed);

// Returns column j of an object array of shape (rows, columns) that is pickled in the only element of array.
// A value other than text, number or truth value becomes JSON.
ArrayPtr pickled_column(ArrayPtr array, uint64_t rows, uint64_t j);

// Returns all pickled values as JSON.
Json pickled_values(const Array& array);

}  // namespace plainfs::hdfstore
