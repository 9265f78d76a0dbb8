// takane objects (Bioconductor's on-disk form): a directory with a JSON file OBJECT that names the type. Each
// type that is read by meaning has a file of its own (data_frame.h, dense_array.h, …); an object of any other
// type shows its HDF5 files as directories and its other files as they are. Objects nest: columns,
// annotations, assays and list items are object directories themselves. Source: takane 0.10.0,
// docs/specifications and include/takane (formats/schemas/takane/FORMAT.md).
#pragma once

#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/model/store.h"
#include "formats/core/text/json.h"

namespace plainfs::takane {

// Whether path is a directory with an OBJECT file.
bool recognises(const Probe& probe);
Store open(const Probe& probe, Context& context);

// Objects nested deeper than this are damage: a symbolic link of the host may make a directory its own
// descendant.
inline constexpr unsigned kMostNested = 64;

// Where an object lies: its directory on disk, its place in the store, and how many objects enclose it.
struct ObjectPlace {
  std::string directory;
  std::string path;  // "/", "/other_columns/1"
  GroupPtr parent;   // null at the root
  unsigned depth = 0;
  bool in_frame = false;  // below a data frame: one of its columns or annotations

  ObjectPlace inside(const std::string& name, GroupPtr enclosing) const;
  std::string name() const { return directory.substr(directory.rfind('/') + 1); }
};

struct ObjectFile {
  std::string type;
  Json::Object metadata;  // the whole document
  // metadata[type], which every type has; null where it is absent or no object.
  const Json* properties() const { return properties_of(type); }
  // The same of a type that this one derives from.
  const Json* properties_of(std::string_view ancestor) const;
};

// Throws damaged where OBJECT is absent or is not what takane asks for.
ObjectFile read_object_file(const std::string& directory, Context& context);

// The names that an object's sides have where it has none of its own: those of the experiment it is an assay
// or a reduced dimension of. Null: none.
struct SideNames {
  ArrayPtr rows;
  ArrayPtr columns;
};

// What each type is opened from.
struct Opening {
  ObjectPlace place;
  ObjectFile object;
  SideNames sides;
  Context& context;
};

// The object at place, whatever its type; throws where it cannot be opened.
Node open_object(const ObjectPlace& place, const SideNames& sides, Context& context);
// The same, but a directory without OBJECT is listed as it is (with names.json, as a list: named_list.h), and
// one that cannot be opened is a group that throws when listed. sides: also of a list's items.
Node open_directory(const ObjectPlace& place, const SideNames& sides, Context& context);

// Throws unsupported where the object's version of type is of another major one, damaged where it is none.
// Returns the minor version.
unsigned check_version(const ObjectFile& object, const std::string& type);

// A link to what stands at a path of the store, "/assays/0".
Link link_to(const std::string& path);

}  // namespace plainfs::takane
