// The attributes with which HDMF describes a Zarr array or group: zarr_dtype and zarr_link in Zarr v2,
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

// The description of an array's elements in its attributes.
struct ElementMeaning {
  bool is_stated = false;             // there is a zarr_dtype or a _DTYPE
  bool is_reference = false;          // each element refers to a group or an array
  std::vector<RecordMember> members;  // of a compound; else empty
};
ElementMeaning meaning_of(const Attributes& attributes);

// Returns attributes with each reference, also in lists, replaced by the text of its target. Other values are
// unchanged.
Attributes with_references_as_paths(Attributes attributes, const StoreSources& sources);

// Returns the links in the attributes of a group, in their order. Leaves out an entry that is not a link or
// repeats a name, and calls warn with the reason.
std::vector<Member> links_of(const Attributes& attributes, const StoreSources& sources,
                             const std::function<void(const std::string&)>& warn);

}  // namespace plainfs::hdmf
