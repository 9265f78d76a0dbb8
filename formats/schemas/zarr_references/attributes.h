// The attributes with which HDMF describes a Zarr array or group: zarr_dtype and zarr_link in Zarr v2,
// _DTYPE, _LINKS and _REFERENCE in v3 (hdmf-zarr 0.14). They also decide what the elements of Zarr's object
// arrays are: references as paths, records as tables, bytes as text.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/sources.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/attribute.h"
#include "formats/core/model/node.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr_references {

// The `source` of links and references: the store of their path. hdmf-zarr has written it relative to the
// store's own folder (0.2 and later), to the folder that holds the store (0.10.0), and as the writer was
// given it (0.1). It is tried in this order, and is internal if it is the store itself.

// A cache of the sources of one store. Thread-safe.
class StoreSources {
 public:
  // store_path: a path on disk, or a URL.
  StoreSources(std::string store_path, Sources& files) : store_path_(std::move(store_path)), files_(files) {}

  // Returns whether source is the store itself. Accesses the disk on the first request for each source.
  bool is_internal(const std::string& source) const;

  // Returns the target of a reference ({"source", "path", …}): its path, or "SOURCE:PATH" in another store.
  // Nullopt if it is no such object.
  std::optional<std::string> target_text(const Json& reference) const;

 private:
  bool look_up(const std::string& source) const;

  const std::string store_path_;
  Sources& files_;
  mutable Mutex mutex_;
  mutable std::map<std::string, bool> known_ GUARDED_BY(mutex_);
};

// Returns the member source, "" if it is absent, null or no text.
std::string source_of(const Json& link_or_reference);

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

// Returns the array with the meaning that its attributes give it, or null if they do not change it.
// - References become Kind::reference: each is the path of its target, missing if it refers to nothing.
// - A compound of objects, and an object array of records, becomes an array of compounds with the members as
//   fields. An array with the members along its last axis (hdmf-zarr 0.6 to 0.11.1) loses that axis.
// - Bytes become text.
// Reading throws damaged if an element contradicts the attributes.
ArrayPtr with_meaning(ArrayPtr array, const ElementMeaning& meaning,
                      std::shared_ptr<const StoreSources> sources);

// Returns whether attributes can change the meaning of an array of that type, so that they have to be read.
bool may_have_meaning(const DType& dtype);

}  // namespace plainfs::zarr_references
