// What pandas keeps in attributes, and values as it means them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::hdfstore {

// The attribute as PyTables gives it: a text that is a pickle is what it holds. Null where there is none,
// and for None.
Json attribute_of(const Attributes& attributes, std::string_view name);

// A name of a column or a level: a text, or what is written for another value; the parts of a tuple with a
// dot between them.
std::string name_of(const Json& label);
std::vector<std::string> names_of(const Json& list);

// What a run of values is.
struct Meaning {
  std::string kind;              // as pandas calls it, "datetime64", "bytes24", "int64"; empty = as stored
  std::string nan_text = "nan";  // what stands for a missing text
};

// values, of rank 1, as what kind says: times, texts with their missing ones, truth values.
ArrayPtr as_kind(ArrayPtr values, const Meaning& meaning);

// Column j of a matrix with a row for each row of the table, or of its transpose.
ArrayPtr column_of(ArrayPtr matrix, uint64_t j, bool is_transposed);

// The values of an object array that is pickled in the only element of array, of shape (rows, columns); those
// of column j. A value that is no text, number or truth value is JSON.
ArrayPtr pickled_column(ArrayPtr array, uint64_t rows, uint64_t j);

// All of the pickled values, as JSON.
Json pickled_values(const Array& array);

}  // namespace plainfs::hdfstore
