// A view is a choice of files (-o views=). The tree asks every view for its files for a node. Which files
// there are is one table in views.cc: to add a file, write its text or layout and its row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/view_entry.h"

namespace plainfs {

// Returns a few names that are in memory.
FoundNamesPtr found_names(std::vector<std::string> names);

// How a program opens a file: the text to type.
struct OpenWith {
  std::string_view program;      // "Python"; "shell" is any program of the command line
  std::string_view path;         // with {} for the path, in quotes; empty: this program gets no path
  std::string_view address;      // the same for an address; empty: none
  std::string_view no_header{};  // replaces a second {} if the file begins with its first value
};

// A file that belongs to another one and has the same name but for the ending.
struct Companion {
  std::string_view ending;         // in place of FileForm::ending
  std::string_view else_ending{};  // used if the first one is unsupported; empty: none
  bool is_needed = true;           // false: an index, which may be omitted
};

// The part of a store that a file shows, in the order of usefulness. counts: a matrix, of counts if the store
// has them.
enum class Shows : uint8_t { whole, counts, matrix, table, values, text, detail };

inline constexpr std::string_view kBinaryType = "application/octet-stream";
inline constexpr std::string_view kFolder = "";  // the media type of a folder of files

// The properties of a kind of files.
struct FileForm {
  std::string_view ending;  // ".h5ad", in lower case; empty for a directory without one
  std::string_view what{};  // in words: "a Seurat object for R"; empty: it is not worth a line
  std::string_view media = kBinaryType;
  Shows shows = Shows::detail;
  std::span<const OpenWith> opens{};
  std::span<const Companion> companions{};
  const FileForm* archive = nullptr;  // of a folder: all of it in one file, which only an export writes

  // Returns whether `export` writes it to any target with this ending.
  bool is_exported() const { return shows != Shows::detail; }
  bool is_folder() const { return media == kFolder; }
};

// A row of the table of files: a file of a view for one kind of content.
struct FileRow {
  std::string_view view;  // View::option
  // Its name as in fs/VIEWS.md, section 1.2. NAME.x lies beside the node's directory, 10x/x in that
  // directory, everything else in the node's.
  std::string_view name;
  const FileForm& form;
  // Adds the file if the node has one. files: those of earlier rows.
  void (*offer)(const FileRow& row, const Node& node, Context& context, std::vector<ViewEntry>& files);
  bool is_unlisted = false;
  const char* version = "";  // of its content and layout (Measured::version), if it is laid out

  // Adds the row's file, which is opened by `open`.
  void add(Opener open, std::vector<ViewEntry>& files) const;
  // Returns a file or directory of the row under another name.
  ViewEntry entry(std::string other_name) const;
};

struct View {
  std::string_view option;  // its name in -o views=
  std::span<const FileRow> rows;
  bool shows_again = false;        // repeats data of other views for one program
  bool is_sized_by_shape = false;  // nothing is read for the sizes of its files

  // Adds its files for a node. files: those of the views before it.
  void offer(const Node& node, Context& context, std::vector<ViewEntry>& files) const {
    for (const FileRow& row : rows) row.offer(row, node, context, files);
  }
};

std::span<const View> views();
// Returns all rows, the forms that most users want first.
std::span<const FileRow> file_rows();
// Returns whether a is before b in file_rows(). Requires: they are rows of it.
inline bool is_before(const FileRow* a, const FileRow* b) {
  return a < b;
}
// Returns whether a file or folder has that form. row: null if it is not of a view.
inline bool has_form(const FileRow* row, const FileForm& form) {
  return row && &row->form == &form;
}
// Returns the name of the first row with that form. Requires: there is one.
std::string_view file_name(const FileForm& form);
// Returns the forms that `export` writes, one for each ending, in the order of file_rows().
const std::vector<const FileForm*>& exported_forms();
// Returns the media type of a file of a view, by the longest ending of a form that its name has; empty if it
// has none.
std::string_view media_type_of_view(std::string_view name);
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
