// An entry of a directory of the mount: a file or directory that plainfs generates, under its name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/text/packed_form.h"
#include "fs/text/view_file.h"

namespace plainfs {

class NamedFiles;
using FoundFilesPtr = std::shared_ptr<const NamedFiles>;

struct FileRow;

// The identity of a file, apart from its name.
struct FileIdentity {
  const FileRow* row = nullptr;  // of the table of files (fs/views/view.h); null: no file of a view
  // The node with the content that the file shows; null: unknown. It has no parts.
  std::shared_ptr<const Node> node{};

  Role role() const { return node ? node->role : Role::none; }
};

struct ViewEntry;
using Opener = std::function<std::shared_ptr<ViewFile>()>;
// Lists a directory, under distinct names. Computes no sizes. Throws Error if the listing is unknown.
using ListEntries = std::function<std::vector<ViewEntry>()>;

// Nothing is read until open() or list() is called.
struct ViewEntry {
  std::string name;
  Opener open = nullptr;       // of a file
  ListEntries list = nullptr;  // of a directory, called when the directory is entered
  bool is_unlisted = false;    // listed only if its view is named in -o views=
  // The reason why it cannot be read for now. The directory that contains it is then listed again.
  std::optional<Error> fault{};
  FoundFilesPtr found = nullptr;  // of a directory of these files
  // The node that the entry stands for, shared by all entries that stand for it. If it has parts, the entry
  // is a directory of the views of this node. Its attributes are those of a file too. Null: none.
  std::shared_ptr<const Node> shared_node{};
  // Beside the node's directory, not inside it; `name` is then an extension, ".csv".
  bool is_beside = false;
  // Found by name even if its view is named in -o views=, because it repeats the store many times, leads back
  // to a parent, or is an error.
  bool is_never_listed = false;
  // Its size depends on data of the store, which must be fetched if the store is remote. Set by the tree.
  bool is_sized_by_reading = false;
  bool shows_again = false;   // View::shows_again of its view. Set by the tree.
  FileIdentity identity{};    // completed by the tree
  PackFolder pack = nullptr;  // of a directory with a compressed form

  // Returns the node, which is empty if shared_node is null.
  const Node& node() const {
    static const Node none;
    return shared_node ? *shared_node : none;
  }
  bool is_directory() const { return list || found || node().parts; }
};

// The names that a directory of found files lists, in order. Immutable and thread-safe.
class FoundNames {
 public:
  virtual ~FoundNames() = default;
  virtual uint64_t count() const = 0;
  // Requires: place < count().
  virtual std::string at(uint64_t place) const = 0;
  // Returns the place of a listed name, or nullopt.
  virtual std::optional<uint64_t> place_of(std::string_view name) const = 0;
};
using FoundNamesPtr = std::shared_ptr<const FoundNames>;

// The files of a directory that has very many, or more than it lists. Each file is created when its name is
// looked up. Const and thread-safe; may throw Error.
class NamedFiles {
 public:
  virtual ~NamedFiles() = default;
  // Returns the names that the directory lists; the same ones at each call.
  virtual FoundNamesPtr names() const = 0;
  // Returns the file of that name, listed or not; nullopt if missing.
  virtual std::optional<ViewEntry> find(std::string_view name) const = 0;
  // Returns the size of a listed file if it is known without opening it.
  virtual std::optional<uint64_t> listed_size(std::string_view) const { return std::nullopt; }
};

}  // namespace plainfs
