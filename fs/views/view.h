// A view is a choice of files (-o views=). The tree asks every view for its files for a node. Which files
// there are is one table in views.cc: to add a file, write its text or layout and its row.
#pragma once

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

// A row of the table of files: a file of a view for one kind of content.
struct FileRow {
  std::string_view view;  // View::option
  // Its name as in fs/VIEWS.md, section 1.2. NAME.x lies beside the node's directory, 10x/x in that
  // directory, everything else in the node's.
  std::string_view name;
  // Adds the file if the node has one. files: those of earlier rows.
  void (*offer)(const FileRow& row, const Node& node, Context& context, std::vector<ViewEntry>& files);
  bool is_unlisted = false;
  const char* version = "";  // of its content and layout (Measured::version), if it is laid out

  // Adds the row's file, which is opened by `open`.
  void add(Opener open, std::vector<ViewEntry>& files) const;
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
