// The values of an awkward array as JSON text, assembled from its buffers.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/node.h"
#include "formats/schemas/anndata/awkward_form.h"

namespace plainfs::anndata {

// A reader of the values. Thread-safe.
class AwkwardValues {
 public:
  explicit AwkwardValues(GroupPtr buffers) : buffers_(std::move(buffers)) {}

  // Returns elements [first, first + count) of the layout form, one JSON value each. A number that is not
  // finite and is an element by itself becomes a bare token. Throws damaged if a buffer is absent, too short
  // or of another type, and unsupported if the text would be very large.
  std::vector<std::string> read(const Form& form, uint64_t first, uint64_t count) const;

 private:
  const GroupPtr buffers_;
};

}  // namespace plainfs::anndata
