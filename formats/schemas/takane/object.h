// takane objects (Bioconductor's on-disk form): a directory with a JSON file OBJECT that names the type. Each
// supported type has a file of its own (data_frame.h, matrices.h, …). An object of any other type shows its
// HDF5 files as directories and its other files unchanged. Objects nest: columns, annotations, assays and
// list items are object directories themselves. Source: takane 0.10.0, docs/specifications and include/takane
// (formats/schemas/takane/FORMAT.md).
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
#include "formats/core/text/path_names.h"

namespace plainfs::takane {

// Returns whether the location is a directory with an OBJECT file.
bool recognises(const Probe& probe);
Store open(const Probe& probe, Context& context);

// The limit of nested objects. Deeper ones are damaged: a symbolic link of the host may make a directory its
// own descendant.
inline constexpr unsigned kMaxNested = 64;

// The place of an object: its directory on disk, its path in the store, and the number of objects around it.
struct ObjectPlace {
  std::string directory;
  std::string path;  // "/", "/other_columns/1"
  GroupPtr parent;   // null at the root
  unsigned depth = 0;
  bool in_frame = false;  // below a data frame: one of its columns or annotations

  ObjectPlace inside(const std::string& name, GroupPtr enclosing) const;
  std::string name() const { return std::string(last_name(directory)); }
};

struct ObjectFile {
  std::string type;
  Json::Object metadata;  // the whole document
  // Returns metadata[type], which every type has; null if it is absent or no object.
  const Json* properties() const { return properties_of(type); }
  // Returns metadata[ancestor], for a type from which this one is derived.
  const Json* properties_of(std::string_view ancestor) const;
};

// Reads the OBJECT file of a directory. Throws damaged if it is absent or invalid.
ObjectFile read_object_file(const std::string& directory, Context& context);

// The names of an object's sides if it has none of its own: those of the experiment that contains it as an
// assay or a reduced dimension. Null: unknown.
struct SideNames {
  ArrayPtr rows;
  ArrayPtr columns;
  Role role = Role::none;  // of the object
  bool is_assay = false;   // its rows are genes, its columns cells
};

// The input for opening an object of any type.
struct Opening {
  ObjectPlace place;
  ObjectFile object;
  SideNames sides;
  Context& context;
};

// Opens the object at place, whatever its type. Throws if it cannot be opened.
Node open_object(const ObjectPlace& place, const SideNames& sides, Context& context);
// Opens the object at place like open_object, with two differences: a directory without OBJECT is listed
// unchanged (with names.json, as a list: lists.h), and one that cannot be opened is a group that throws when
// it is listed. sides: also those of a list's items.
Node open_directory(const ObjectPlace& place, const SideNames& sides, Context& context);

// Returns the minor version of type in object. Throws unsupported for another major version, damaged if the
// version is missing or invalid.
unsigned check_version(const ObjectFile& object, const std::string& type);

// Returns a link to a path of the store, such as "/assays/0".
Link link_to(const std::string& path);

// The directory of a takane object: its files, its folders (mostly objects themselves), its HDF5 files as
// directories. Types with a meaning of their own change this by Rules.

class DirectoryGroup : public Group {
 public:
  struct Rules {
    // Files that are not listed under their own names, because added members replace them.
    std::vector<std::string> replaced;
    // Returns the names of the sides of a folder's contents. Null: unknown.
    std::function<SideNames(const std::string& folder)> sides;
    // Returns members besides the stored ones. They are listed last, and found unless a stored member has the
    // name. Called for each listing; throws like members(). Null: no such members.
    std::function<std::vector<Member>(const GroupPtr& self)> added;
    // The pixels of each picture NAME.png are a member NAME.
    bool has_pictures = false;
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
  // Adds the pixels of the pictures among the stored names.
  void add_pictures(const std::vector<std::string>& names, std::vector<Member>& found) const;
  // Returns the pixels of a picture in a PNG file of that name; nullopt if there is no such file.
  std::optional<Node> pixels_of(const std::string& name) const;
  std::vector<Member> added() const;

  const ObjectPlace place_;
  const Rules rules_;
  Context& context_;
};

// Returns a group for an object that keeps its arrays in one file: members instead of the file, and its other
// files and folders.
GroupPtr object_group(const ObjectPlace& place, std::string file, std::vector<Member> members,
                      Context& context);

// Returns the group of that name in an HDF5 file of the object at place. Throws if it is absent.
GroupPtr open_file_group(const ObjectPlace& place, const std::string& file, const std::string& group,
                         Context& context);

// Returns the names of the files and folders in a directory, in byte order, without those that start with
// ".".
std::vector<std::string> directory_entries(const std::string& directory, Context& context);
Member plain_file_member(const std::string& directory, const std::string& name);

// Returns the height of a takane object, which must equal the row count of a data frame that has the object
// as a column. Source: takane 0.10.0, include/takane/_height.hpp. Nullopt for types without a height and
// unknown types. Throws if the object cannot be read.
std::optional<uint64_t> height_of(const ObjectPlace& place, const ObjectFile& object, Context& context);

}  // namespace plainfs::takane
