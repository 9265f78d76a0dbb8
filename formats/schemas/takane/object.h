// takane objects (Bioconductor's on-disk form): a directory with a JSON file OBJECT that names the type. Each
// type that is read by meaning has a file of its own (data_frame.h, dense_array.h, …); an object of any other
// type shows its HDF5 files as directories and its other files as they are. Objects nest: columns,
// annotations, assays and list items are object directories themselves. Source: takane 0.10.0,
// docs/specifications and include/takane (formats/schemas/takane/FORMAT.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

// What stands in a directory of a takane object: its files, its folders (objects of their own mostly), its
// HDF5 files as directories. Types that mean more than their files say how theirs differs.

class DirectoryGroup : public Group {
 public:
  struct Rules {
    // Files that are not listed under their own names: what is added is made of them.
    std::vector<std::string> replaced;
    // The names of the sides of what a folder holds; null: none.
    std::function<SideNames(const std::string& folder)> sides;
    // Members besides the stored ones, listed last, found under their names where nothing is stored there.
    // Called whenever they are listed; throws as members() does. Null: none.
    std::function<std::vector<Member>(const GroupPtr& self)> added;
  };

  DirectoryGroup(ObjectPlace place, Context& context) : DirectoryGroup(std::move(place), Rules{}, context) {}
  DirectoryGroup(ObjectPlace place, Rules rules, Context& context)
      : place_(std::move(place)), rules_(std::move(rules)), context_(context) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  GroupPtr parent() const override { return place_.parent; }
  std::string path() const override { return place_.path; }

 private:
  bool is_listed(std::string_view name) const;
  Member stored_member(const std::string& name) const;
  std::vector<Member> added() const;

  const ObjectPlace place_;
  const Rules rules_;
  Context& context_;
};

// What stands where a directory that might be anything cannot be opened: listing it throws.
GroupPtr unreadable_group(const ObjectPlace& place, const Error& error);

// An object whose arrays stand in one file of its own: members in place of it, and its other files and
// folders.
GroupPtr object_group(const ObjectPlace& place, std::string file, std::vector<Member> members,
                      Context& context);

// The group of that name in an HDF5 file of the object at place. Throws where there is none.
GroupPtr open_file_group(const ObjectPlace& place, const std::string& file, const std::string& group,
                         Context& context);

// The entries of a folder by name, in byte order: files and folders; those whose names start with "." left
// out.
std::vector<std::string> directory_entries(const std::string& directory, Context& context);
Member plain_file_member(const std::string& directory, const std::string& name);

// The height of a takane object: what must equal the row count of a data frame that has the object as a
// column. Source: takane 0.10.0, include/takane/_height.hpp.

// Nullopt for types that have no height, or that plainfs does not know. Throws where the object cannot be
// read.
std::optional<uint64_t> height_of(const ObjectPlace& place, const ObjectFile& object, Context& context);

}  // namespace plainfs::takane
