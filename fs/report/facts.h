// The kind and size of a content, for the lines of `plainfs info` and for pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

struct ContentFacts {
  // One axis: "rows" of a table, "y" of an image, no name for an axis of an array.
  struct Extent {
    std::string name;
    uint64_t length;
  };
  // The number of its values, fragments, samples, etc.
  struct Count {
    std::string name;
    uint64_t number;
  };
  // Another fact. name: on a page, in_line: in the line of `plainfs info`; each is empty if it is not there.
  struct Detail {
    std::string name, value, in_line;
  };

  std::string kind;  // "sparse matrix"; empty for what is not data of the store: a group, a link, a file
  std::vector<Extent> extents;
  std::vector<Count> counts;
  ArrayPtr values;              // the array of which the type is stated, or null
  std::string format;           // of an image: "OME-Zarr 0.4"
  std::vector<Detail> details;  // "by column", "4 levels"
  std::optional<Error> error;   // why the content cannot be read; the facts before it was found are there
};

// Reads metadata only. Does not throw: an error while reading is in `error`.
ContentFacts facts_of(const Content& content);

// Returns the number of values in percent of the places of a matrix: "2.5 %"; empty if either is unknown or
// 0.
std::string density_text(const ContentFacts& facts);

}  // namespace plainfs
