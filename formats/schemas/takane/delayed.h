// delayed_array 1.x: operations that were not carried out when the object was saved, in array.h5, on arrays
// in that file or in seeds/. Source: takane 0.10.0, include/takane/delayed_array.hpp.
#pragma once

#include <optional>
#include <vector>

#include "formats/core/sparse/entry_source.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// A tree of delayed operations on arrays (chihaya), as one array: subset, transpose, dimnames and combine,
// which move elements without changing them. The arrays themselves are not read; the indices of subsets are.
// Source: chihaya 1.1, docs/specifications.

// The result, in the object's order of dimensions.
struct Delayed {
  Shape shape;
  std::vector<ArrayPtr> names;  // a list for each dimension; null = none
  // The result if all arrays below are sparse matrices; otherwise dense is set.
  EntrySourcePtr sparse;
  bool by_row = false;   // sparse runs over rows
  bool is_real = false;  // the values are real numbers, though integers may be stored
  ArrayPtr dense;
  std::optional<Error> error;  // why it cannot be shown, if its kind and shape are known
};

// The number of operations and arrays that one result may still contain. A small file could ask for any
// number, since a group or an object can be used in several places.
struct TreeBudget {
  unsigned left = 1 << 13;
  void take();  // throws unsupported if nothing is left
};

// Returns the result of the tree in array.h5 of the object at place. Throws damaged if it is no tree, and
// unsupported, with the name, for an unknown operation or array.
Delayed read_delayed(const ObjectPlace& place, TreeBudget& budget, Context& context);

// The arrays at the leaves of a delayed tree: in the file itself (dense array, sparse matrix, constant
// array), or an object in seeds/ (custom takane seed array). Source: chihaya 1.1, docs/specifications/arrays;
// takane 0.10.0, include/takane/delayed_array.hpp.

// Returns the array in a group. node: a group of that kind, according to its attribute delayed_array. place:
// the object that contains the file.
Delayed read_seed(const Group& node, const std::string& kind, const ObjectPlace& place, TreeBudget& budget,
                  Context& context);

// Opens the array as a sparse matrix if all of its parts are sparse, else as delayed_array.csv. An invalid or
// unsupported array is delayed_array.csv too, which reports the error.
Node open_delayed_array(const Opening& opening);

}  // namespace plainfs::takane
