// delayed_array 1.x: operations on arrays that were not carried out when it was saved, in array.h5, over
// arrays in that file or in seeds/. Source: takane 0.10.0, include/takane/delayed_array.hpp.
#pragma once

#include <optional>
#include <vector>

#include "formats/core/algebra/entry_source.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// A tree of delayed operations over arrays (chihaya), as one array: subset, transpose, dimnames and combine,
// which change where elements stand and never what they are. Nothing is read of the arrays themselves; the
// indices of subsets are. Source: chihaya 1.1, docs/specifications.

// The result, in the order of dimensions that the object has.
struct Delayed {
  Shape shape;
  std::vector<ArrayPtr> names;  // a list a dimension; null = none
  // Where all arrays below are sparse matrices: the result as one, else dense is set.
  EntrySourcePtr sparse;
  bool by_row = false;   // sparse runs over rows
  bool is_real = false;  // the values are real numbers, though whole ones may be stored
  ArrayPtr dense;
  std::optional<Error> error;  // why nothing of it can be shown, where its kind and shape are known
};

// How many operations and arrays one result may still be made of: where a group or an object stands in
// several places, a small file could ask for any number.
struct TreeBudget {
  unsigned left = 1 << 13;
  void take();  // throws unsupported where nothing is left
};

// The tree in array.h5 of the object at place. Throws damaged where it is no tree, unsupported where an
// operation or array is none of those that are read, with its name.
Delayed read_delayed(const ObjectPlace& place, TreeBudget& budget, Context& context);

// The arrays at the ends of a delayed tree: in the file itself (dense array, sparse matrix, constant array),
// or an object in seeds/ (custom takane seed array). Source: chihaya 1.1, docs/specifications/arrays; takane
// 0.10.0, include/takane/delayed_array.hpp.

// node: a group of the kind that its attribute delayed_array names. place: of the object whose file it is in.
Delayed read_seed(const Group& node, const std::string& kind, const ObjectPlace& place, TreeBudget& budget,
                  Context& context);

// As a sparse matrix where all it is made of are, else as delayed_array.csv; what cannot be told or is not
// supported is delayed_array.csv too, which says so.
Node open_delayed_array(const Opening& opening);

}  // namespace plainfs::takane
