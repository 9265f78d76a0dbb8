// A view shows one kind of content as a file. The tree asks every view for its offers for a node. To add a
// view, write one file, its offer in offers.h and one line in views.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/view_file.h"

namespace plainfs {

using Opener = std::function<std::shared_ptr<ViewFile>()>;

struct OfferedFile;

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

// Returns a few names that are in memory.
FoundNamesPtr found_names(std::vector<std::string> names);

// The files of a directory that has very many, or more than it lists. Each file is created when its name is
// looked up. Const and thread-safe; may throw Error.
class FoundFiles {
 public:
  virtual ~FoundFiles() = default;
  // Returns the names that the directory lists; the same ones at each call.
  virtual FoundNamesPtr names() const = 0;
  // Returns the file of that name, listed or not; nullopt if missing.
  virtual std::optional<OfferedFile> find(std::string_view name) const = 0;
  // Returns the size of a listed file if it is known without opening it.
  virtual std::optional<uint64_t> listed_size(std::string_view) const { return std::nullopt; }
};
using FoundFilesPtr = std::shared_ptr<const FoundFiles>;

// A file offered for a node. Nothing is read until open() is called.
struct OfferedFile {
  // False: beside the node's directory, as NAME + extension. True: inside it, under its own name.
  bool inside = false;
  std::string name;  // ".csv", or "matrix.mtx"
  Opener open;
  // If not empty, the entry is a directory of these inside the node's directory, not a file.
  std::vector<OfferedFile> members{};
  // Found by name, and listed only if the view is named in -o views=.
  bool found_by_name = false;
  // Its size depends on data of the store, which must be fetched if the store is remote. Set by the tree.
  bool is_sized_by_reading = false;
  // View::shows_again of its view. Set by the tree.
  bool shows_again = false;
  // If set, the entry is a directory of the files that this returns when the directory is entered. May throw
  // Error.
  std::function<std::vector<OfferedFile>()> list = nullptr;
  // If set, the entry is a directory of these.
  FoundFilesPtr found = nullptr;
  // If it has parts, the entry is a directory of the views of this node. Its attributes are those of a file
  // too.
  Node node{};
  // Found by name even if its view is named in -o views=, because it repeats the store many times, leads back
  // to a parent, or is an error.
  bool never_listed = false;
  // The reason why it cannot be read for now; the directory that contains it is then listed again.
  std::optional<Error> fault{};

  bool is_directory() const { return list || found || !members.empty() || node.parts; }
};

struct View {
  std::string_view option;  // its name in -o views=
  void (*offer)(const Node& node, Context& context, std::vector<OfferedFile>& files);
  bool shows_again = false;        // repeats data of other views for one program
  bool is_sized_by_shape = false;  // nothing is read for the sizes of its files
};

std::span<const View> views();
// The value of -o views= for everything that a mount lists by default.
inline constexpr std::string_view kListedViews = "listed";
// The view of parts, which have a separate option that lists them.
inline constexpr std::string_view kPartsView = "parts";

// The views to show. Without -o views= all but `bin`.
struct ChosenViews {
  std::vector<const View*> all;
  bool are_named = false;  // in -o views=; then everything that they offer is listed, whatever its size costs
  bool lists_parts = false;  // -o parts: the offers of `parts` are listed too
};

}  // namespace plainfs
