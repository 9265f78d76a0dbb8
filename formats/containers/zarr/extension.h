// An extension point of a zarr.json: "name", or {"name": …, "configuration": {…}, "must_understand": …}.
#pragma once

#include <string>

#include "formats/core/model/dtype.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

struct Extension {
  std::string name;
  Json configuration;  // an object, empty if absent
};

// Parses an extension point. what: the member that contains it, for the message. Throws damaged if it is
// invalid.
Extension parse_extension(const Json& value, std::string_view what);

// Returns the type that a data_type names, in native byte order. Only the codecs determine how it is stored.
// Throws unsupported if plainfs does not know the type.
DType parse_v3_dtype(const Json& data_type);

}  // namespace plainfs::zarr
