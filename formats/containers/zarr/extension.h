// An extension point of a zarr.json: "name", or {"name": …, "configuration": {…}, "must_understand": …}.
#pragma once

#include <string>

#include "formats/core/model/dtype.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

struct Extension {
  std::string name;
  Json configuration;  // an object, empty where there is none
};

// what: the member it stands in, for the message. Throws damaged where it is no extension point.
Extension parse_extension(const Json& value, std::string_view what);

// The type that a data_type names, in native byte order; only the codecs say how it is stored. Throws
// unsupported where plainfs does not know it.
DType parse_v3_dtype(const Json& data_type);

}  // namespace plainfs::zarr
