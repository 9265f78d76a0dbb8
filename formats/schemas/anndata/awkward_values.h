// The values of an awkward array, put together from its buffers as JSON text.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/node.h"
#include "formats/schemas/anndata/awkward_form.h"

namespace plainfs::anndata {

// Thread-safe.
class AwkwardValues {
 public:
  explicit AwkwardValues(GroupPtr buffers) : buffers_(std::move(buffers)) {}

  // Elements [first, first + count) of the layout form, a JSON value each; numbers that are not finite are
  // bare tokens where they are an element by themselves. Throws damaged where a buffer is absent, too short
  // or of another type, and unsupported where that text would be very large.
  std::vector<std::string> read(const Form& form, uint64_t first, uint64_t count) const;

 private:
  const GroupPtr buffers_;
};

}  // namespace plainfs::anndata
