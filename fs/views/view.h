// A view shows one kind of content as a file. The tree asks every view what it offers for a node; a view is
// added by one file, what it offers in offers.h and one line in views.cc.
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
  // nullopt if no listed name is that one.
  virtual std::optional<uint64_t> place_of(std::string_view name) const = 0;
};
using FoundNamesPtr = std::shared_ptr<const FoundNames>;

// A few names that are at hand.
FoundNamesPtr found_names(std::vector<std::string> names);

// The files of a directory that has very many, or more than it lists: each is made when it is asked for by
// its name. Const and thread-safe; may throw Error.
class FoundFiles {
 public:
  virtual ~FoundFiles() = default;
  // Of all that the directory lists; the same ones at each call.
  virtual FoundNamesPtr names() const = 0;
  // A file of that name, listed or not; nullopt where there is none.
  virtual std::optional<OfferedFile> find(std::string_view name) const = 0;
  // Of a file of that name that is being listed, where it is known without opening it.
  virtual std::optional<uint64_t> listed_size(std::string_view) const { return std::nullopt; }
};
using FoundFilesPtr = std::shared_ptr<const FoundFiles>;

// A file that a node has. Nothing is read until open() is called.
struct OfferedFile {
  // Beside the node's directory, as NAME + extension; or inside it, under a name of its own.
  bool inside = false;
  std::string name;  // ".csv", or "matrix.mtx"
  Opener open;
  // Where there are any: a directory of these inside the node's directory, and no file.
  std::vector<OfferedFile> members{};
  // Found by its name, and in no listing unless the view is named in -o views=.
  bool found_by_name = false;
  // To tell its size something of the store is read, which of one elsewhere has to be fetched. The tree sets
  // it.
  bool is_sized_by_reading = false;
  // View::shows_again of its view. The tree sets it.
  bool shows_again = false;
  // Where it is set: a directory of what this gives when it is entered. May throw Error.
  std::function<std::vector<OfferedFile>()> list = nullptr;
  // Where it is set: a directory of these.
  FoundFilesPtr found = nullptr;
  // Where it has parts: a directory of what views show of it. Its attributes are those of a file too.
  Node node{};
  // It is found by name however views are named: it is many times the store, leads back to where one comes
  // from, or is an error.
  bool never_listed = false;
  // Why it cannot be read for now; the directory that it is in is listed again because of it.
  std::optional<Error> fault{};

  bool is_directory() const { return list || found || !members.empty() || node.parts; }
};

struct View {
  std::string_view option;  // its name in -o views=
  void (*offer)(const Node& node, Context& context, std::vector<OfferedFile>& files);
  bool shows_again = false;        // what others show, for one program
  bool is_sized_by_shape = false;  // nothing is read for the sizes of its files
};

std::span<const View> views();
// In -o views= what a mount lists without it.
inline constexpr std::string_view kListedViews = "listed";
// That of parts, which have an option of their own to be listed.
inline constexpr std::string_view kPartsView = "parts";

// What to show. Without -o views= all but `bin`.
struct ChosenViews {
  std::vector<const View*> all;
  bool are_named = false;    // in -o views=: then all that they offer is listed, whatever its size costs
  bool lists_parts = false;  // -o parts: what `parts` offers is listed too
};

}  // namespace plainfs
