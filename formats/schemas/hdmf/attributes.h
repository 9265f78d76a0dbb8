// The attributes in which HDMF says what a Zarr array or group means: zarr_dtype and zarr_link in Zarr v2,
// _DTYPE, _LINKS and _REFERENCE in v3 (hdmf-zarr 0.14).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/attribute.h"
#include "formats/core/model/node.h"
#include "formats/schemas/hdmf/source.h"

namespace plainfs::hdmf {

// One member of a compound, as zarr_dtype lists it.
struct RecordMember {
  std::string name;
  bool is_reference;
};

// What the attributes say about an array's elements.
struct ElementMeaning {
  bool is_stated = false;             // there is a zarr_dtype or a _DTYPE
  bool is_reference = false;          // each element refers to a group or an array
  std::vector<RecordMember> members;  // of a compound; else empty
};
ElementMeaning meaning_of(const Attributes& attributes);

// Reference attributes, also in lists, as the text of their target; everything else as it is stored.
Attributes with_references_as_paths(Attributes attributes, const StoreSources& sources);

// The links that the attributes of a group list, in their order. What is no link, or has the name of one
// before, is left out; warn is told why.
std::vector<Member> links_of(const Attributes& attributes, const StoreSources& sources,
                             const std::function<void(const std::string&)>& warn);

}  // namespace plainfs::hdmf
