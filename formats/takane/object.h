// takane objects (Bioconductor's on-disk form): a directory with a JSON file OBJECT that names the type. A
// data_frame is read by meaning (data_frame.h); an object of any other type shows its HDF5 files as
// directories and its other files as they are. Objects nest: columns, annotations and list items are object
// directories themselves. Source: takane 0.10.0, docs/specifications and include/takane
// (formats/takane/FORMAT.md).
#pragma once

#include <string>

#include "formats/model/context.h"
#include "formats/model/node.h"
#include "formats/model/store.h"
#include "formats/text/json.h"

namespace plainfs::takane {

// Whether path is a directory with an OBJECT file.
bool recognises(const Probe& probe);
Store open(const Probe& probe, Context& context);

// Objects nested deeper than this are damage: a symbolic link of the host may make a directory its own
// descendant.
inline constexpr unsigned kMostNested = 64;

// Where an object lies: its directory on disk, its place in the store, and how many objects enclose it.
struct Place {
  std::string directory;
  std::string path;  // "/", "/other_columns/1"
  GroupPtr parent;   // null at the root
  unsigned depth = 0;

  Place inside(const std::string& name, GroupPtr enclosing) const;
};

struct ObjectFile {
  std::string type;
  Json::Object metadata;  // the whole document
  // metadata[type], which every type has; null where it is absent or no object.
  const Json* properties() const;
};

// Throws damaged where OBJECT is absent or is not what takane asks for.
ObjectFile read_object_file(const std::string& directory, Context& context);

// The object at place, whatever its type; throws where it cannot be opened.
GroupPtr open_object(const Place& place, Context& context);
// The same, but a directory without OBJECT is listed as it is, and one that cannot be opened is a group that
// throws when listed.
GroupPtr open_directory(const Place& place, Context& context);

// Regular files and directories of a directory by name, in byte order; ".", ".." and names starting with "."
// left out.
std::vector<std::string> directory_entries(const std::string& directory, Context& context);
Member plain_file_member(const std::string& directory, const std::string& name);

}  // namespace plainfs::takane
